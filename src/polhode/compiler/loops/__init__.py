"""Loops over arrays, compiled: a small part of Python with whole functions in one piece.

Programs of `polhode.compiler` are straight lines without branches; what must branch and
repeat, such as collision and contact, is a `loop`.  From above: `loop` (the decorator), `door`
and `store` (calls and the disk), `module` and `body` (functions, statements), `calls`,
`assignments` and `expressions` with `arithmetic` and `builtins`, `memory`, and `code`,
`source`, `table`, `types` below.
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
from .foreign import Foreign
from .loop import Loop, is_plain, loop
from .table import FieldTable

__all__ = [
    "Bools",
    "Bytes",
    "Bytes2",
    "FieldTable",
    "Floats",
    "Floats2",
    "Floats3",
    "Foreign",
    "Ints",
    "Ints2",
    "Ints3",
    "Loop",
    "ShortInts",
    "ShortInts2",
    "is_plain",
    "loop",
]
