"""Moby scenes: XML to `Scene` and back."""

from .reader import parse, read
from .writer import dumps, write

__all__ = ["dumps", "parse", "read", "write"]
