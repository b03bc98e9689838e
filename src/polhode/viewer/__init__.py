"""A machine or a recording as one self-contained HTML page, and in the browser."""

from .page import html
from .show import show

__all__ = ["html", "show"]
