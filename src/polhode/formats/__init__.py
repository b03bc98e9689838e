"""Readers and writers of files: text to `Model` or `Scene`, with file and line in every error.

Not supported: MJCF, xacro (expand it first).
"""

from .load import load, read
from .reading import Note, Reading
from .save import save

__all__ = ["Note", "Reading", "load", "read", "save"]
