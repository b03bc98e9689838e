"""Expression graphs: traced values, the op table, lowering to straight-line code."""

from .code import Code, count_ops, interpret, lower
from .graph import Graph
from .ops import OPS, Op
from .value import Value

__all__ = ["OPS", "Code", "Graph", "Op", "Value", "count_ops", "interpret", "lower"]
