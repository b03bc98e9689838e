"""The parts of the machine code that know no program: loops and elementary functions."""

from __future__ import annotations

from . import driver, fastcall, library, pool, states
from .emitter import module
from .machine import Format


def runtime_ir(form: Format) -> str:
    """Module with the loop over states and the library of a format.

    The scalar double format also carries what exists once: the dispatcher between loops,
    and the fast call.
    """
    functions = [*library.functions(form), driver.LoopWriter(form).write()]
    if form == fastcall.FORM:
        functions += [*pool.functions(), states.publish(), states.dispatcher()]
        functions.append(fastcall.FastcallWriter().write())
    return module(functions, library.table())
