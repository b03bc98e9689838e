"""Rows of torsional and rolling friction: torques between bodies that touch.

Torsional friction is a torque about the normal, rolling friction one across it, in a disk.  Each
opposes the angular velocity of one surface over the other, and is at most a length times the
normal force.
"""

from __future__ import annotations

from ...compiler.jit import jit
from ...contact_problem.rows import ConstraintRows
from ...spatial import Force, Vec3
from .belts import belt_spin
from .contacts import (
    DEEP,
    GAP,
    IS_SOFT,
    NORMAL,
    ROLLING,
    RULE,
    TORSIONAL,
    A,
    B,
    Contacts,
    tangents,
    vector,
)
from .motion import add_wrench, velocity_at
from .row_blocks import first_contact, nodes_of, sides
from .system import System

SPINS, ROLLS = 0, 1  # what a torque opposes


@jit
def has_torque(s: System, contacts: Contacts, c: int, which: int):
    """Whether contact ``c`` has torsional friction (`SPINS`), or rolling friction (`ROLLS`)."""
    return s.rules[contacts.whole[c, RULE], TORSIONAL if which == SPINS else ROLLING] > 0.0


@jit
def count_torques(s: System, contacts: Contacts):
    """How many blocks all contacts have for torsional and rolling friction."""
    count = 0
    for c in range(len(contacts.whole)):
        for which in (SPINS, ROLLS):
            count += int(has_torque(s, contacts, c, which))
    return count


@jit
def torque_axis(s: System, contacts: Contacts, c: int, which: int, row: int):
    """Axis of a row of a torque of contact ``c``: the normal; or one across, the first that rolls.

    The first corner of a polygon lies there.
    """
    normal = vector(contacts.real[c], NORMAL)
    if which == SPINS:
        return normal
    one, two = tangents(normal, _spin(s, contacts, c))
    return one if row == 0 else two


@jit
def _spin(s: System, contacts: Contacts, c: int):
    """Angular velocity of surface a over surface b."""
    g, f = contacts.whole[c, A], contacts.whole[c, B]
    out, origin = belt_spin(s, g, f), Vec3(0.0, 0.0, 0.0)
    if s.surface_body[g] >= 0:
        _, w = velocity_at(s, s.velocity, s.surface_body[g], origin)
        out = out + w
    if s.surface_body[f] >= 0:
        _, w = velocity_at(s, s.velocity, s.surface_body[f], origin)
        out = out - w
    return out


@jit
def fill_torque(s: System, out: ConstraintRows, k: int, contacts: Contacts, c: int, which: int):
    """Fill a torque of contact ``c``; its bounds follow from the normal impulse."""
    g, f = contacts.whole[c, A], contacts.whole[c, B]
    a, b = s.surface_body[g], s.surface_body[f]
    n, m = nodes_of(s, a, b)
    at, to = sides(out, k, n, m)
    for row in range(out.row[k + 1] - out.row[k]):
        axis = torque_axis(s, contacts, c, which, row)
        wrench = Force(axis, Vec3(0.0, 0.0, 0.0))
        if n >= 0:
            add_wrench(s, n, a, wrench, 1.0, out.jacobian[at:])
            at += s.dof[n + 1] - s.dof[n]
        if m >= 0:
            add_wrench(s, m, b, wrench, -1.0, out.jacobian[to:])
            to += s.dof[m + 1] - s.dof[m]
        out.bias[out.row[k] + row] = axis.dot(belt_spin(s, g, f))
    out.lower[k] = out.upper[k] = 0.0
    out.presser[k] = first_contact(out, contacts) + c
    rule = s.rules[contacts.whole[c, RULE]]
    if rule[IS_SOFT] > 0.0 or contacts.real[c, GAP] >= -DEEP:
        out.arm[k] = rule[TORSIONAL if which == SPINS else ROLLING]
