"""Readers and writers of model files: text to `Model`, with file and line in every error.

Not supported: Moby scenes, SDF, MJCF, xacro (expand it first).
"""

from .load import load, read
from .reading import Note, Reading
from .save import save

__all__ = ["Note", "Reading", "load", "read", "save"]
