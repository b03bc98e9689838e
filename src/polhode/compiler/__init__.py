"""From a function of scalars to native code: trace, simplify, print, compile, call.

It knows nothing of robots.
"""

from .program import Program, get_num_threads, set_num_threads

__all__ = ["Program", "get_num_threads", "set_num_threads"]
