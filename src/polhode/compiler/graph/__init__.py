"""Expression graphs: traced values, the op table, lowering to straight-line code.

`ops` has a row for each operation, `value` the rewrites that constructors do, `forward`,
`reverse` and `sparse` the derivatives.  `branches` finds what can be skipped, `loop` has loops,
which are graphs of one turn.  Small, and ignorant of what it computes.  May import
`errors` and `scalar`.
"""

from .code import Code, count_ops, interpret, lower
from .graph import Graph
from .ops import OPS, Op
from .value import Value

__all__ = ["OPS", "Code", "Graph", "Op", "Value", "count_ops", "interpret", "lower"]
