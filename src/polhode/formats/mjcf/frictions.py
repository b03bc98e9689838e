"""Friction of two geoms, and the parameters of their contact."""

from __future__ import annotations

from ...scene import ContactParameters
from ..xml import Element
from .geoms import Friction, Geom
from .values import integer, numbers

Law = tuple[float, float, float, float, float]
"""Sliding, torsional and rolling friction, stiffness and damping; zero of a rigid contact."""


def friction_of(a: Geom, b: Geom) -> Friction:
    """Friction: of the geom of higher priority, or else the larger of each kind."""
    if a.priority != b.priority:
        first = a if a.priority > b.priority else b
        return acting(first.friction, first.condim)
    return acting(_larger(a, b), max(a.condim, b.condim))


def pair_friction(element: Element, a: Geom, b: Geom) -> Friction:
    """That of a ``<pair>``, or else the larger one of its geoms."""
    condim = integer(element, "condim", max(a.condim, b.condim))
    larger = _larger(a, b)
    values = numbers(element, "friction", 1, 5)
    sliding = values[0] if values else larger[0]
    torsional = values[2] if len(values) > 2 else larger[1]
    rolling = max(values[3:]) if len(values) > 3 else larger[2]
    return acting((sliding, torsional, rolling), condim)


def acting(friction: Friction, condim: int) -> Friction:
    """The kinds of friction that act with a number of dimensions of contact."""
    sliding, torsional, rolling = friction
    return (sliding if condim > 1 else 0.0, torsional if condim > 3 else 0.0,
            rolling if condim > 4 else 0.0)  # fmt: skip


def parameters(law: Law, a: str | None = None, b: str | None = None) -> ContactParameters:
    """A rule for all pairs, or for one."""
    sliding, torsional, rolling, stiffness, damping = law
    return ContactParameters(
        a, b, mu_coulomb=sliding, mu_torsional=torsional, mu_rolling=rolling,
        penalty_kp=stiffness, penalty_kv=damping,
    )  # fmt: skip


def _larger(a: Geom, b: Geom) -> Friction:
    sliding, torsional, rolling = map(max, a.friction, b.friction)
    return sliding, torsional, rolling
