"""Moving bodies out of overlaps, open loops and limits without a motion: the settled start."""

from __future__ import annotations

from ...compiler.jit import jit
from .contact_detection import find_contacts
from .contacts import GAP, IS_SOFT, L_GAP, RULE, empty_contacts, empty_limits
from .free_velocity import factorise_masses
from .limits import find_limits
from .motion import update
from .projection import close_loops, push_apart
from .system import System

_ENOUGH = 1e-6  # overlap that is left [m or rad]
_MOST = 1000  # projections, each of which works off a fifth of an overlap


@jit
def settle(s: System):
    """Move what overlaps, is open or is past a limit by least displacements; return their number.

    Velocities stay.
    """
    update(s, s.velocity)
    factorise_masses(s)
    for count in range(_MOST):
        close_loops(s, empty_contacts(0), empty_limits(0))
        update(s, s.velocity)
        factorise_masses(s)
        contacts = find_contacts(s, s.nominal, empty_contacts(0))
        limits = find_limits(s, s.nominal, empty_limits(0))
        deepest = 0.0
        for c in range(len(contacts.whole)):
            if s.rules[contacts.whole[c, RULE], IS_SOFT] == 0.0:
                deepest = min(deepest, contacts.real[c, GAP])
        for i in range(len(limits.whole)):
            deepest = min(deepest, limits.real[i, L_GAP])
        if deepest >= -_ENOUGH:
            return count
        push_apart(s, contacts, limits)
    return _MOST
