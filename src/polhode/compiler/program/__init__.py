"""Programs: traced functions compiled to machine code and called like NumPy gufuncs."""

from .program import Program
from .threads import get_num_threads, set_num_threads

__all__ = ["Program", "get_num_threads", "set_num_threads"]
