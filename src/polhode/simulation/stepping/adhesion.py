"""Adhesion: actuators that pull bodies against what touches them."""

from __future__ import annotations

from ...compiler.jit import jit
from .contacts import GAP, IMPULSE, NORMAL, POINT, A, B, Contacts, vector
from .motion import apply_force
from .system import System

_CLOSED = 1e-6  # gaps up to this touch [m]


@jit
def pull_together(s: System, contacts: Contacts):
    """Write to ``s.adhesive`` the forces of adhesion along the normals of these contacts.

    The force of an actuator is in equal parts on the contacts of its body.  ``s.force`` is
    overwritten.
    """
    for k in range(len(s.force)):
        s.force[k] = 0.0
    for a in range(len(s.adhesion)):
        count = 0
        for c in range(len(contacts.whole)):
            count += _adheres(s, a, contacts, c)
        for c in range(len(contacts.whole)):
            if _adheres(s, a, contacts, c):
                point = vector(contacts.real[c], POINT)
                pull = (s.adhesion[a] / count) * vector(contacts.real[c], NORMAL)
                one = s.surface_body[contacts.whole[c, A]]
                other = s.surface_body[contacts.whole[c, B]]
                if one >= 0:
                    apply_force(s, one, point, -1.0 * pull)
                if other >= 0:
                    apply_force(s, other, point, pull)
    for k in range(len(s.force)):
        s.adhesive[k] = s.force[k]


@jit
def _adheres(s: System, a: int, contacts: Contacts, c: int):
    """Whether a contact that is closed is between the body of an actuator and another."""
    one, other = contacts.whole[c, A], contacts.whole[c, B]
    load = vector(contacts.real[c], NORMAL).dot(vector(contacts.real[c], IMPULSE))
    is_closed = contacts.real[c, GAP] <= _CLOSED or load > 0.0
    return is_closed and s.is_adhesive[a, one] != s.is_adhesive[a, other]
