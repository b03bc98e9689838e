"""Grasps at random: fingers that press an object, and whether static friction can hold it.

An object in the air is pressed by two to four fingers.  Each slides along a horizontal line and
is pushed by a constant force; sideways it does not give.  A linear program over the friction
cones finds the least force at which an equilibrium exists: with less the object must slip, with
more it can stay at rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

import polhode as ph
from polhode.model import Box, Cylinder, Model, Polyhedron, Prismatic, Sphere
from polhode.scene import Scene
from polhode.spatial import Mat3, Transform, Vec3

G = 9.81
EDGES = 128  # of a friction cone's linearisation: 3e-4 of its width is lost
MOST = 5.0  # times the least force
BAND = 0.01  # around the least force, in which nothing is claimed
STILL = {"exact": 1e-5, "convex": 5e-4}  # an object at rest moves less [m]; convex ones creep
DURATION = 0.5

Generator = np.random.Generator
Array = np.ndarray


@dataclass(frozen=True)
class Finger:
    """A pad on the object: where, how it is turned (x into the object), and its push.

    ``push`` is the direction in which it slides, ``weight`` its share of the force, and
    ``points`` are the corners of its contact.
    """

    place: Array
    turn: Array
    push: Array
    weight: float
    points: tuple[Array, ...]


@dataclass(frozen=True)
class Grasp:
    """An object between fingers, pressed with ``ratio`` times the least force that can hold it."""

    name: str
    scene: Scene
    forces: Array
    ratio: float
    corners: Array  # of a box around the object

    @property
    def holds(self) -> bool:
        """Whether the linear program finds an equilibrium."""
        return self.ratio > 1.0

    def motion(self, contact: str, dt: float = 1e-3) -> float:
        """How far the object's farthest corner moves [m]."""
        run = ph.simulate(
            self.scene, DURATION, dt=dt, contact=contact, progress=False,
            controllers={"hand": lambda t, state: self.forces},
        )  # fmt: skip
        q = run.of("object")[0][-1]
        now = self.corners @ rotation(q[3:7]).T + q[:3]
        return float(np.linalg.norm(now - self.corners, axis=1).max())

    def is_right(self, motion: float, contact: str) -> bool:
        """Whether an object that moves so far stays or slips as the program says.

        One that slips may soon be held again, a little aside.
        """
        return (motion < STILL[contact]) == self.holds


def grasp(seed: int) -> Grasp:
    """The grasp of a seed."""
    rng = np.random.default_rng(seed)
    while True:
        found = _try(rng, seed)
        if found is not None:
            return found


def _try(rng: Generator, seed: int) -> Grasp | None:
    """A grasp, or none where friction holds at no force, or not at five times the least."""
    kind = str(rng.choice(["box", "cylinder", "hull"]))
    count, is_flat = int(rng.integers(2, 5)), bool(rng.random() < 0.5)
    mu, mass = float(rng.uniform(0.2, 1.0)), float(rng.uniform(0.1, 2.0))
    shape, size, fingers, pad = OBJECTS[kind](rng, count, is_flat)
    least, most = forces_that_hold(fingers, mu, mass)
    if not (least > 0.0 and most > 1.05 * MOST * least):
        return None
    ratio = math.exp(rng.uniform(math.log(0.5), math.log(MOST)))
    if abs(ratio - 1.0) < BAND:
        ratio = 1.0 + math.copysign(BAND, ratio - 1.0)
    text = f"{seed}: {kind}, {count} {'flat' if is_flat else 'round'} fingers, mu {mu:.2f}"
    scene = _with_hand(Scene(text), fingers, pad).add_body("object", shape, mass=mass)
    scene = scene.contact(mu_coulomb=mu)
    corners = np.array(np.meshgrid(*[(-x, x) for x in size])).reshape(3, -1).T
    forces = ratio * least * np.array([finger.weight for finger in fingers])
    return Grasp(text, scene, forces, ratio, corners)


def forces_that_hold(fingers: list[Finger], mu: float, mass: float) -> tuple[float, float]:
    """Least and greatest force in whose range an equilibrium exists; (0, 0) if there is none."""
    columns = []
    for k, finger in enumerate(fingers):
        for point in finger.points:
            for angle in np.arange(EDGES) * (2.0 * math.pi / EDGES):
                f = finger.turn @ np.array([1.0, mu * math.cos(angle), mu * math.sin(angle)])
                along = np.zeros(len(fingers))
                along[k] = f @ finger.push
                columns.append(np.concatenate((f, np.cross(point, f), along)))
    pushes = np.concatenate((np.zeros(6), [-finger.weight for finger in fingers]))
    A = np.column_stack((*columns, pushes))
    b = np.zeros(len(A))
    b[2] = mass * G
    cost = np.zeros(A.shape[1])
    cost[-1] = 1.0
    least = linprog(cost, A_eq=A, b_eq=b)
    if least.status != 0:
        return 0.0, 0.0
    most = linprog(-cost, A_eq=A, b_eq=b)
    return least.x[-1], most.x[-1] if most.status == 0 else math.inf


def _with_hand(scene: Scene, fingers: list[Finger], pad: Box | Sphere) -> Scene:
    """The scene with one more machine: a sliding link for each finger."""
    model, geometries = Model("hand"), []
    for k, finger in enumerate(fingers):
        side = np.cross((0.0, 0.0, 1.0), finger.push)
        slide = np.column_stack((finger.push, side, (0.0, 0.0, 1.0)))
        inside = slide.T @ finger.turn
        model = model.add(
            f"finger{k}", joint=Prismatic.x(), frame=_frame(slide, finger.place), mass=0.2,
            inertia=(1e-4,) * 3,
        )  # fmt: skip
        depth = pad.radius if isinstance(pad, Sphere) else 0.5 * pad.size[0]
        geometries.append((f"finger{k}", pad, _frame(inside, inside @ (-depth, 0.0, 0.0))))
    return scene.add_machine(model, "hand", geometries=geometries)


def _frame(turn: Array, place: Array) -> Transform:
    """The transform to axes that are the columns of ``turn``, at ``place``."""
    rows = [Vec3(*map(float, row)) for row in turn.T]
    return Transform(Mat3(*rows), Vec3(*map(float, place)))


def rotation(q: Array) -> Array:
    """The matrix of a quaternion (x, y, z, w)."""
    x, y, z, w = q
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def _finger(
    angle: float, out: float, side: float, height: float, slant: float, weight: float,
    extent: tuple[float, float],
) -> Finger:  # fmt: skip
    """A finger that comes from the direction ``angle`` onto a face that leans by ``slant``.

    The face is ``out`` from the axis at height 0.  ``extent`` is half the width and half the
    height of the contact: a point has neither, a line only the second.
    """
    c, s = math.cos(angle), math.sin(angle)
    turn_up = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    lean = np.array(
        [[math.cos(slant), 0.0, math.sin(slant)], [0.0, 1.0, 0.0],
         [-math.sin(slant), 0.0, math.cos(slant)]]
    )  # fmt: skip
    into = turn_up @ lean @ np.diag((-1.0, -1.0, 1.0))
    place = turn_up @ np.array([out + height * math.tan(slant), side, height])
    width, tall = extent
    corners = {(a * width, b * tall) for a in (-1, 1) for b in (-1, 1)}
    points = tuple(place + into @ np.array([0.0, y, z]) for y, z in sorted(corners))
    return Finger(place, into, turn_up @ np.array([-1.0, 0.0, 0.0]), weight, points)


def _height(rng: Generator, is_flat: bool, half: float) -> float:
    """Of a finger on the object: round ones above its centre, around which it would turn over."""
    return float(rng.uniform(-0.4 if is_flat else 0.1, 0.4) * half)


def _pad(is_flat: bool) -> Box | Sphere:
    return Box((0.02, 0.02, 0.02)) if is_flat else Sphere(0.015)


def _box(rng: Generator, count: int, is_flat: bool):
    """Fingers on opposite faces; of three, two are on one face and share the force."""
    size = rng.uniform(0.08, 0.14, 3)
    half, apart = 0.5 * size, float(rng.uniform(0.017, 0.025))
    angles, sides, weights = {
        2: ((0, 2), (0, 0), (1, 1)),
        3: ((0, 2, 2), (0, -apart, apart), (2, 1, 1)),
        4: ((0, 1, 2, 3), (0, 0, 0, 0), (1, 1, 1, 1)),
    }[count]
    extent = (0.01, 0.01) if is_flat else (0.0, 0.0)
    fingers = [
        _finger(a * math.pi / 2, half[a % 2], side, _height(rng, is_flat, half[2]), 0.0, w, extent)
        for a, side, w in zip(angles, sides, weights, strict=True)
    ]
    return Box(tuple(map(float, size))), half, fingers, _pad(is_flat)


def _cylinder(rng: Generator, count: int, is_flat: bool):
    """Fingers around an upright cylinder; a flat one touches it along a line."""
    r, h = float(rng.uniform(0.03, 0.06)), float(rng.uniform(0.08, 0.14))
    extent = (0.0, 0.01) if is_flat else (0.0, 0.0)
    fingers = [
        _finger(2.0 * math.pi * k / count, r, 0.0, _height(rng, is_flat, 0.5 * h), 0.0, 1.0, extent)
        for k in range(count)
    ]
    return Cylinder(r, h), np.array([r, r, 0.5 * h]), fingers, _pad(is_flat)


def _hull(rng: Generator, count: int, is_flat: bool):
    """Fingers on the faces of a prism whose sides lean in or out."""
    n = count * int(rng.integers(1 if count > 2 else 2, 3))
    out, h = float(rng.uniform(0.04, 0.06)), float(rng.uniform(0.08, 0.12))
    slant = float(rng.uniform(-0.12, 0.12))
    corners = []
    for z in (-0.5 * h, 0.5 * h):
        r = (out + z * math.tan(slant)) / math.cos(math.pi / n)
        turns = [(2 * k + 1) * math.pi / n for k in range(n)]
        corners += [(r * math.cos(a), r * math.sin(a), z) for a in turns]
    hull = Polyhedron(tuple(corners))
    extent = (0.01, 0.01) if is_flat else (0.0, 0.0)
    fingers = [
        _finger(2 * math.pi * k / count, out, 0.0, _height(rng, is_flat, h / 2), slant, 1.0, extent)
        for k in range(count)
    ]
    return hull, np.array([out, out, 0.5 * h]), fingers, _pad(is_flat)


OBJECTS = {"box": _box, "cylinder": _cylinder, "hull": _hull}
