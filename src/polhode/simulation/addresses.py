"""Calls by address from compiled loops: machine-code programs, and callbacks into Python."""

from ..compiler.jit import Foreign

call_loop: Foreign = Foreign(4)  # a program's inner loop: arguments, dims, steps, data
call_back: Foreign = Foreign(1)  # a function of Python: the stage
