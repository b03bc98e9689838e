"""``solref``, ``solimp`` and ``solmix`` of contacts as springs and dampers.

MuJoCo's contact obeys ``a + d (b v + k r) = (1 - d) a_0``: the acceleration, the velocity and the
depth along the normal, and the acceleration without contact.  With ``A``, the inverse mass that the
contact feels, its force is ``-(a + b v + k r) d / (1 - d) / A``.  That is a spring, a damper and a
mass; the mass is left out.  ``d`` is that of a contact that just begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...algorithms.actuation.lengths import Length, PlacedTree, force_at
from ...algorithms.tree.dynamics import inverse_inertia
from ...scene import Machine
from ...spatial import Vec3
from ..xml import Element
from .values import number, numbers

_LEAST, _MOST = 1e-4, 0.9999  # of impedances
_AXES = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
Pair = tuple[float, float]


@dataclass(frozen=True)
class Softness:
    """Of a geom: ``reference`` is its ``solref``, ``impedance`` the first two of its ``solimp``."""

    reference: Pair = (0.02, 1.0)
    impedance: Pair = (0.9, 0.95)
    weight: float = 1.0

    @classmethod
    def of(cls, element: Element, otherwise: Softness) -> Softness:
        """What an element says; what it leaves out is as otherwise.

        MuJoCo takes its default where one of two references is above zero, and one is not.
        """
        given = numbers(element, "solref", 1, 2)
        first, second = given + otherwise.reference[len(given) :]
        reference = (first, second) if (first > 0.0) == (second > 0.0) else cls.reference
        given = numbers(element, "solimp", 1, 5)
        impedance = (given + otherwise.impedance[len(given) :])[:2]
        weight = number(element, "solmix", otherwise.weight)
        return cls(reference, impedance, weight)  # type: ignore[arg-type]

    def mixed(self, other: Softness) -> Softness:
        """Of a contact: weighted means; of references that are no time constants the least."""
        weights = self.weight, other.weight
        weights = weights if sum(weights) > 0.0 else (1.0, 1.0)
        impedance = _mean(self.impedance, other.impedance, weights)
        if self.reference[0] > 0.0 and other.reference[0] > 0.0:
            return Softness(_mean(self.reference, other.reference, weights), impedance)
        least = map(min, self.reference, other.reference)
        return Softness(tuple(least), impedance)  # type: ignore[arg-type]

    def spring(self, inverse_mass: float) -> Pair:
        """Stiffness [N/m] and damping [N s/m] where a contact feels a mass; zero of none."""
        if inverse_mass <= 0.0:
            return 0.0, 0.0
        d, most = (min(max(x, _LEAST), _MOST) for x in self.impedance)
        first, second = self.reference
        if first > 0.0:  # a time constant and a damping ratio
            rate, ratio = 1.0 / (most * first), second
            k, b = d * (rate / ratio) ** 2, 2.0 * rate
        else:
            k, b = -first * d / most**2, -second / most
        factor = d / (1.0 - d) / inverse_mass
        return factor * k, max(factor * b, 0.0)


def _mean(a: Pair, b: Pair, weights: Pair) -> Pair:
    first, second = weights
    one, two = ((first * x + second * y) / sum(weights) for x, y in zip(a, b, strict=True))
    return one, two


def inverse_masses(machines: Sequence[Machine]) -> dict[tuple[str, str], float]:
    """What each link's centre of mass feels at the start, by model and link, in the mean [1/kg]."""
    return {(machine.name, link): value for machine in machines
            for link, value in _inverse_masses(machine)}  # fmt: skip


def _inverse_masses(machine: Machine) -> Iterator[tuple[str, float]]:
    model = machine.model
    if not model.nv:
        return
    q = model.split_q(machine.q)
    placed, inverse = PlacedTree(model, q), np.array(inverse_inertia(model, q), float)
    for link in model.links:
        i, center = placed.point(link.name, link.body.com)
        J = np.zeros((3, model.nv))
        for row, axis in zip(J, _AXES, strict=True):
            for k, x in placed.row(Length(0.0, {i: force_at(center, axis)}, {})).items():
                row[k] = x
        with np.errstate(all="ignore"):  # what is too large is refused where it is used
            yield link.name, float(np.einsum("ai,ij,aj->", J, inverse, J)) / 3.0
