"""The parts of the machine code that know no program: loops and elementary functions."""

from __future__ import annotations

from . import door, driver, library, states, team
from .emitter import module
from .machine import Format


def runtime_ir(form: Format) -> str:
    """Module with the loop over states and the library of a format.

    The scalar double format also carries what exists once: the dispatcher between loops,
    and the fast door.
    """
    functions = [*library.functions(form), driver.LoopWriter(form).write()]
    if form == door.FORM:
        functions += [*team.functions(), states.publish(), states.dispatcher()]
        functions.append(door.DoorWriter().write())
    return module(functions, library.table())
