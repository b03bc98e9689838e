"""What happens where two things touch, and which of several rules holds for a pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import ModelError, shown, suggests_fields
from ..model.checks import fraction, name, number, of_kind

MIN_EDGES = 4
_NUMBERS = ("mu_coulomb", "mu_viscous", "compliance", "penalty_kp", "penalty_kv", "mu_static",
            "mu_torsional", "mu_rolling")  # fmt: skip


@suggests_fields
@dataclass(frozen=True)
class ContactParameters:
    """Restitution, friction and softness between two things.

    Attributes
    ----------
    a, b : str or None
        Names of geometries, bodies or models, in any order; both None: of all pairs for which
        nothing else is said.
    restitution : float
        Poisson's coefficient, 0 to 1.
    mu_coulomb : float
        0 to infinity; from 100 on nothing slips.
    mu_static : float
        Of a contact that sticks; 0, or one below ``mu_coulomb``, is as ``mu_coulomb``.
    mu_torsional, mu_rolling : float
        Lengths [m]: greatest torque about the normal, and across it, per normal force.
    mu_viscous : float
        The friction circle's radius is ``sqrt((mu_coulomb f_n)^2 + (mu_viscous |v|)^2)``.
    friction_cone_edges : int
        0 is the true cone; otherwise a regular polygon of so many sides, at least 4.
    compliance : float
        Of a contact that is not quite rigid [m/N]; then ``restitution`` has no effect.
    penalty_kp, penalty_kv : float
        Spring [N/m] and damper [N s/m] of contacts with compliant geometries.
    """

    a: str | None = None
    b: str | None = None
    restitution: float = 0.0
    mu_coulomb: float = 0.0
    mu_viscous: float = 0.0
    friction_cone_edges: int = 0
    compliance: float = 0.0
    penalty_kp: float = 0.0
    penalty_kv: float = 0.0
    mu_static: float = 0.0
    mu_torsional: float = 0.0
    mu_rolling: float = 0.0

    def __post_init__(self) -> None:
        where = "contact of all" if self.a is None else f"contact of '{self.a}' and '{self.b}'"
        if (self.a is None) != (self.b is None):
            got = f"{shown(self.a)} and {shown(self.b)}"
            raise ModelError(f"expected two names as a and b of a contact, or none, got {got}")
        if self.a is not None:
            for key in ("a", "b"):
                of_kind(getattr(self, key), str, key, "contact")
                name(getattr(self, key), f"contact, as {key}")
        object.__setattr__(self, "restitution", fraction(self.restitution, "restitution", where))
        for key in _NUMBERS:
            finite = key != "mu_coulomb"
            value = number(getattr(self, key), key, where, least=0.0, finite=finite)
            object.__setattr__(self, key, value)
        edges = number(self.friction_cone_edges, "friction_cone_edges", where, least=0.0)
        if edges != int(edges) or 0 < edges < MIN_EDGES:
            raise ModelError(
                f"expected 0 (a true cone) or at least {MIN_EDGES} friction cone edges, "
                f"got {self.friction_cone_edges!r} ({where})"
            )
        object.__setattr__(self, "friction_cone_edges", int(edges))
        if edges and self.mu_static > self.mu_coulomb:
            raise ModelError(
                f"expected mu_static with a true cone of friction, got {edges:g} friction cone "
                f"edges ({where}); leave friction_cone_edges out"
            )

    def spring(self, is_compliant: bool) -> tuple[float, float]:
        """The spring [N/m] and damper [N s/m] at a contact, zero if it is rigid.

        Parameters
        ----------
        is_compliant : bool
            Whether one of the geometries is compliant.

        Returns
        -------
        stiffness, damping : float
            Of ``penalty_kp`` and ``penalty_kv``, else of ``compliance``.
        """
        if is_compliant and self.penalty_kp > 0.0:
            return self.penalty_kp, self.penalty_kv
        return (1.0 / self.compliance if self.compliance > 0.0 else 0.0), 0.0


Key = tuple[str, ...]
"""What a name means: ("geometry", g), ("body", machine, link) or ("machine", m)."""
ANY: frozenset[Key] = frozenset()
UNSAID = ContactParameters()


def pairs(
    first: tuple[Key, Key, Key | None], second: tuple[Key, Key, Key | None]
) -> Iterator[frozenset[Key]]:
    """The pairs under which a contact may be described, the strongest first.

    Each side is a geometry, its body, and its model if that has more than one body.  Geometry with
    geometry; a geometry or body with the other's model; model with model; a geometry with the
    other's body; body with body; all.
    """
    (g1, b1, m1), (g2, b2, m2) = first, second
    yield frozenset((g1, g2))
    if m1 is not None:
        yield from (frozenset((g2, m1)), frozenset((b2, m1)))
    if m2 is not None:
        yield from (frozenset((g1, m2)), frozenset((b1, m2)))
    if m1 is not None and m2 is not None:
        yield frozenset((m1, m2))
    yield from (frozenset((g1, b2)), frozenset((g2, b1)), frozenset((b1, b2)))
    yield ANY
