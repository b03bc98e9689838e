"""The fluid of ``<option>``, and the shapes by which bodies feel it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...model import FluidBox, FluidEllipsoid, RigidBody
from ...model.fluids import FluidShape, Triple, added_masses, inertia_box
from ...scene import Scene
from ...spatial import Transform
from .assets import MeshAsset
from .compiler import Option
from .geoms import Geom
from .inertia import MINIMUM, inertia_axes
from .tree import MjcfBody
from .values import choice, describe, numbers

_COEFFICIENTS = (0.5, 0.25, 1.5, 1.0, 1.0)  # drag: blunt, slender, angular; lift: Kutta, Magnus
_DIGITS = 8  # of the nodes and weights by which MuJoCo integrates
_NODES = (0.991455371120813, 0.949107912342759, 0.864864423359769, 0.741531185599394,
          0.586087235467691, 0.405845151377397, 0.207784955007898, 0.0)  # fmt: skip
_WEIGHTS = (0.022935322010529, 0.063092092629979, 0.104790010322250, 0.140653259715526,
            0.169004726639268, 0.190350578064785, 0.204432940075299, 0.209482141084728)  # fmt: skip


def in_fluid(
    scene: Scene,
    option: Option,
    owner: Mapping[MjcfBody, str],
    geoms: Mapping[MjcfBody, list[Geom]],
    masses: Mapping[MjcfBody, RigidBody],
) -> Scene:
    """The scene in the fluid of a file, if there is any."""
    if not (option.density or option.viscosity):
        return scene
    shapes = {(owner[body], body.name): _shapes(body, geoms[body], masses[body])
              for body in masses if body.parent is not None}  # fmt: skip
    return scene.with_fluid(option.density, option.viscosity, option.wind, shapes=shapes)


def _shapes(body: MjcfBody, geoms: Sequence[Geom], mass: RigidBody) -> list[FluidShape]:
    """Those of its geoms that say so, else the box of its inertia; none of what never moves."""
    if not body.can_move or mass.mass < MINIMUM:
        return []
    ellipsoids = [_ellipsoid(geom) for geom in geoms if _is_ellipsoid(geom)]
    return [*ellipsoids] or [_box(body, geoms, mass)]


def _box(body: MjcfBody, geoms: Sequence[Geom], mass: RigidBody) -> FluidBox:
    return inertia_box(mass, inertia_axes(body, geoms, mass))


def _is_ellipsoid(geom: Geom) -> bool:
    return choice(geom.part.element, "fluidshape", ("none", "ellipsoid"), "none") == "ellipsoid"


def _ellipsoid(geom: Geom) -> FluidEllipsoid:
    element, frame, axes = geom.part.element, geom.frame, geom.size
    match geom.type:
        case "sphere":
            axes = axes * 3
        case "capsule":
            axes = (axes[0], axes[0], axes[0] + axes[1])
        case "cylinder":
            axes = (axes[0], *axes)
        case "mesh" if geom.mesh is not None:
            own, axes = _around(geom.mesh)
            frame = own @ frame
        case "plane" | "hfield" | "sdf":
            raise element.error(f"{describe(element)}: 'fluidshape' of a {geom.type} is not read")
    a, b, c = axes
    given = numbers(element, "fluidcoef", 5) or _COEFFICIENTS
    blunt, slender, angular, kutta, magnus = given
    return FluidEllipsoid((a, b, c), frame, blunt, slender, angular, kutta, magnus,
                          *_added_masses((a, b, c)))  # fmt: skip


def _around(mesh: MeshAsset) -> tuple[Transform, tuple[float, ...]]:
    """About the centre of mass, along the principal axes, as long as the mesh reaches there."""
    own = mesh.frame
    turned = (mesh.triangles[0] - mesh.solid.com) @ np.array(own.E.T.rows())
    return own, tuple(np.abs(turned).max(axis=0).tolist())


def _added_masses(axes: Triple) -> tuple[Triple, Triple]:
    """As MuJoCo computes them: by fifteen nodes, to a relative error of about 1e-6.

    With ``l = s x^3 / (1 - x)^2`` the integral goes over ``x`` from 0 to 1, by Gauss and Kronrod.
    """
    half = np.array([*(-x for x in _NODES), *_NODES[-2::-1]])
    x = np.round((1.0 + half) / 2.0, _DIGITS)
    weights = np.round(np.array([*_WEIGHTS, *_WEIGHTS[-2::-1]]) / 2.0, _DIGITS)
    shares = []
    for k in range(3):
        a, b, c = axes[k], axes[k - 2], axes[k - 1]
        scale = (a**3 * b * c) ** 0.4
        l = scale * x**3 / (1.0 - x) ** 2
        slope = scale * x**2 * (3.0 - x) / (1.0 - x) ** 3
        near, others = 1.0 + l / a**2, (1.0 + l / b**2) * (1.0 + l / c**2)
        shares.append(float(weights @ (slope / (near * np.sqrt(near * others)))) / a**2)
    return added_masses(axes, shares)
