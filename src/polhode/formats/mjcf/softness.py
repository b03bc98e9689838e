"""``solref``, ``solimp`` and ``solmix`` of contacts as springs and dampers.

MuJoCo's contact obeys ``a + d (b v + k r) = (1 - d) a_0``: the acceleration, the velocity and the
depth along the normal, and the acceleration without contact.  With ``A``, the inverse mass that the
contact feels, its force is ``-(a + b v + k r) d / (1 - d) / A``.  That is a spring, a damper and a
mass; the mass is left out.  ``d`` depends on the depth: it is taken where a body rests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ...algorithms.actuation.lengths import Length, PlacedTree, force_at
from ...algorithms.tree.dynamics import inverse_inertia
from ...scene import Machine
from ...spatial import Vec3
from ..xml import Element
from .values import number, numbers

_LEAST, _MOST = 1e-4, 0.9999  # of impedances
_WEIGHT = 9.81  # m/s^2
_HALVINGS = 60  # of an interval of depths
_AXES = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Softness:
    """``solref``, ``solimp`` and ``solmix`` of a geom."""

    reference: Numbers = (0.02, 1.0)
    impedance: Numbers = (0.9, 0.95, 0.001, 0.5, 2.0)
    weight: float = 1.0

    @classmethod
    def of(cls, element: Element, otherwise: Softness) -> Softness:
        """What an element says; what it leaves out is as otherwise.

        MuJoCo takes its default where one of two references is above zero, and one is not.
        """
        given = numbers(element, "solref", 1, 2)
        reference = given + otherwise.reference[len(given) :]
        if (reference[0] > 0.0) != (reference[1] > 0.0):
            reference = cls.reference
        given = numbers(element, "solimp", 1, 5)
        impedance = given + otherwise.impedance[len(given) :]
        return cls(reference, impedance, number(element, "solmix", otherwise.weight))

    def mixed(self, other: Softness) -> Softness:
        """Of a contact: weighted means; of references that are no time constants the least."""
        weights = self.weight, other.weight
        weights = weights if sum(weights) > 0.0 else (1.0, 1.0)
        impedance = _mean(self.impedance, other.impedance, weights)
        if self.reference[0] > 0.0 and other.reference[0] > 0.0:
            return Softness(_mean(self.reference, other.reference, weights), impedance)
        return Softness(tuple(map(min, self.reference, other.reference)), impedance)

    def spring(self, inverse_mass: float) -> tuple[float, float]:
        """Stiffness [N/m] and damping [N s/m] where a contact feels a mass; zero of none."""
        if inverse_mass <= 0.0:
            return 0.0, 0.0
        stiffness, damping = _per_mass(self.reference, self.impedance)
        return stiffness / inverse_mass, damping / inverse_mass


@cache
def _per_mass(reference: Numbers, impedance: Numbers) -> tuple[float, float]:
    """Stiffness and damping of a contact that feels one kilogram, and rests under its weight."""
    most = _clamped(impedance[1])
    first, second = reference
    if first > 0.0:  # a time constant and a damping ratio
        rate = 1.0 / (most * first)
        k, b = rate * rate / (second * second), 2.0 * rate
    else:
        k, b = -first / (most * most), -second / most
    if k <= 0.0:
        return 0.0, 0.0
    least = min(_clamped(impedance[0]), most)
    low, high = 0.0, _WEIGHT * (1.0 - least) / (least * least * k)
    for _ in range(_HALVINGS):
        depth = 0.5 * (low + high)
        d = _at(impedance, depth)
        is_deep = d * d / (1.0 - d) * k * depth > _WEIGHT
        low, high = (low, depth) if is_deep else (depth, high)
    d = _at(impedance, high)
    return d * d / (1.0 - d) * k, d / (1.0 - d) * max(b, 0.0)


def _at(impedance: Numbers, depth: float) -> float:
    """The impedance at a depth: from the first to the second within a width, by two powers."""
    first, last, width, middle, power = impedance
    x, middle, power = depth / max(width, 1e-15), _clamped(middle), max(power, 1.0)
    if x >= 1.0:
        y = 1.0
    elif x <= middle:
        y = middle * (x / middle) ** power
    else:
        y = 1.0 - (1.0 - middle) * ((1.0 - x) / (1.0 - middle)) ** power
    return _clamped(first) + y * (_clamped(last) - _clamped(first))


def _clamped(impedance: float) -> float:
    return min(max(impedance, _LEAST), _MOST)


def _mean(a: Numbers, b: Numbers, weights: tuple[float, float]) -> Numbers:
    first, second = weights
    return tuple((first * x + second * y) / sum(weights) for x, y in zip(a, b, strict=True))


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
