"""Programs: traced functions compiled to machine code and called like NumPy gufuncs.

`program` is the value, `source` traces and compiles it, and `cache` keeps it on disk. `native`,
`builtin`, `loops` and `numpy_api` lead from Python into machine code, `sharing`, `pool` and
`threads` to several processors. `derivatives` makes programs of programs, `export` files. May
import `errors`, `interrupts`, `notebooks`, `once`, `files`, `arguments`, `graph` and `codegen`.
"""

from .program import Program
from .threads import get_num_threads, set_num_threads

__all__ = ["Program", "get_num_threads", "set_num_threads"]
