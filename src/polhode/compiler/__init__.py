"""From a function of scalars to native code: trace, simplify, print, compile, call.

`graph` holds expressions and their derivatives, `codegen` prints them, `program` makes them
callable and keeps them on disk; `jit` compiles what must branch.  It knows nothing of robots.  May
import `errors`, `notebooks` and `arguments`.
"""

from .program import Program, get_num_threads, set_num_threads

__all__ = ["Program", "get_num_threads", "set_num_threads"]
