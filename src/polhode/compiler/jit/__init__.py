"""Functions with branches and loops over arrays, compiled: a small part of Python.

Programs of `polhode.compiler` are straight lines without branches; what must branch and
repeat, such as collision and contact, is a `jit` function.  From above: `decorator`, `entry` and
`store` (calls and the disk), `module` and `function_writer` (functions, statements), `calls`,
`assignments` and `expressions` with `arithmetic` and `builtins`, `memory`, and `arena`,
`block_writer`, `source`, `type_of`, `struct`, `types` below.  `dump` shows what a function became.
"""

from .annotations import (
    Bools,
    Bytes,
    Bytes2,
    Floats,
    Floats2,
    Floats3,
    Ints,
    Ints2,
    Ints3,
    ShortInts,
    ShortInts2,
)
from .decorator import CompiledFunction, is_plain, jit
from .foreign import Foreign
from .struct import Struct

__all__ = [
    "Bools",
    "Bytes",
    "Bytes2",
    "CompiledFunction",
    "Floats",
    "Floats2",
    "Floats3",
    "Foreign",
    "Ints",
    "Ints2",
    "Ints3",
    "ShortInts",
    "ShortInts2",
    "Struct",
    "is_plain",
    "jit",
]
