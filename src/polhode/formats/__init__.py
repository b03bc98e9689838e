"""Readers and writers of files: text to `Model` or `Scene`, with file and line in every error.

A folder for each format.  `source` opens files, `xml` and `literals` read elements common to XML
files.  `reading` holds notes on elements that were not read, `names` suggests near names.
`packages` finds packages of ROS, `descriptions` robots by name.  `markup` and `lost` serve the
writers.  May import `errors`, `files`, `arrays`, `spatial`, `model`, `scene` and `simulation`.
"""

from .load import load as load
from .load import read
from .reading import Note, Reading
from .save import save as save

__all__ = ["Note", "Reading", "read"]
