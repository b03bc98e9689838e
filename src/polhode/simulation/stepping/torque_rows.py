"""Rows of torsional and rolling friction: torques between bodies that touch.

Torsional friction is a torque about the normal, rolling friction one across it.  Each opposes the
relative angular velocity, and is at most a length times the normal force.
"""

from __future__ import annotations

from ...compiler.jit import jit
from ...contact_problem.rows import ConstraintRows
from ...spatial import Force, Vec3
from .contacts import NORMAL, ROLLING, RULE, TORSIONAL, A, B, Contacts, tangents, vector
from .motion import add_wrench, velocity_at
from .row_blocks import first_contact, nodes_of, sides
from .system import System


@jit
def torque_rows(s: System, contacts: Contacts, c: int):
    """How many rows contact ``c`` has for torsional and rolling friction."""
    rule = s.rules[contacts.whole[c, RULE]]
    return (1 if rule[TORSIONAL] > 0.0 else 0) + (2 if rule[ROLLING] > 0.0 else 0)


@jit
def count_torque_rows(s: System, contacts: Contacts):
    """How many rows all contacts have for torsional and rolling friction."""
    count = 0
    for c in range(len(contacts.whole)):
        count += torque_rows(s, contacts, c)
    return count


@jit
def torque_axis(s: System, contacts: Contacts, c: int, which: int):
    """Axis of a row of contact ``c``: the normal, or one across it, the first along rolling."""
    normal = vector(contacts.real[c], NORMAL)
    if s.rules[contacts.whole[c, RULE], TORSIONAL] > 0.0:
        if which == 0:
            return normal
        which -= 1
    one, two = tangents(normal, _spin(s, contacts, c))
    return one if which == 0 else two


@jit
def _spin(s: System, contacts: Contacts, c: int):
    """Angular velocity of side a relative to side b."""
    out, origin = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    a, b = s.surface_body[contacts.whole[c, A]], s.surface_body[contacts.whole[c, B]]
    if a >= 0:
        _, w = velocity_at(s, s.velocity, a, origin)
        out = out + w
    if b >= 0:
        _, w = velocity_at(s, s.velocity, b, origin)
        out = out - w
    return out


@jit
def most_torque(s: System, contacts: Contacts, c: int, which: int):
    """Greatest torque of a row of contact ``c`` per normal force [m]."""
    rule = s.rules[contacts.whole[c, RULE]]
    return rule[TORSIONAL] if which == 0 and rule[TORSIONAL] > 0.0 else rule[ROLLING]


@jit
def fill_torque(s: System, out: ConstraintRows, k: int, contacts: Contacts, c: int, which: int):
    """Fill row ``which`` of contact ``c``; its bounds follow from the normal impulse."""
    a, b = s.surface_body[contacts.whole[c, A]], s.surface_body[contacts.whole[c, B]]
    n, m = nodes_of(s, a, b)
    at, to = sides(out, k, n, m)
    wrench = Force(torque_axis(s, contacts, c, which), Vec3(0.0, 0.0, 0.0))
    if n >= 0:
        add_wrench(s, n, a, wrench, 1.0, out.jacobian[at:])
    if m >= 0:
        add_wrench(s, m, b, wrench, -1.0, out.jacobian[to:])
    out.lower[k] = out.upper[k] = 0.0
    out.presser[k] = first_contact(out, contacts) + c
    out.arm[k] = most_torque(s, contacts, c, which)
