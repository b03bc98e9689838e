"""A scene as flat arrays for the compiled functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.tree.machine_terms import machine_bias, machine_terms
from ...api.kinematics import body_poses
from ...binding.programs import program_of
from ...compiler.codegen.machine import Format
from ...errors import ModelError
from ...model import FloatingBase, Model
from ...scene import Machine, Scene
from ...spatial import Transform, Vec3
from .free_bodies import FreeBodies
from .system import System
from .tendon_armature import armature_of, machines_with_armature

SCALAR = Format("f64", 1)


@dataclass(frozen=True)
class LinkPlacement:
    """The placement of a link: its moving body (-1: the world) and its frame on that body."""

    body: int
    frame: Transform

    def local(self, frame: Transform) -> Transform:
        """From the body's pose to a frame given in link coordinates."""
        return frame @ self.frame


@dataclass(frozen=True)
class MovingMachine:
    """A model that moves, and the first of its velocities, positions, bodies and joint axes."""

    machine: Machine
    is_free: bool
    dof: int
    place: int
    body: int
    axis: int

    @property
    def model(self) -> Model:
        return self.machine.model


class SceneOrder(NamedTuple):
    """Numbers of all models of a scene out of those of the models that move.

    Attributes
    ----------
    still : ndarray
        Those of the models that do not move.
    places : ndarray of int
        Of each its place among those that move and ``still``, one behind the other.
    """

    still: np.ndarray
    places: np.ndarray

    def of(self, values: np.ndarray) -> np.ndarray:
        """All of them, for any leading axes."""
        if len(self.still):
            still = np.broadcast_to(self.still, (*values.shape[:-1], len(self.still)))
            values = np.concatenate((values, still), -1)
        return values.take(self.places, -1)


class SceneLayout:
    """The numbering of nodes, bodies and links of a scene, before any array is made."""

    def __init__(self, scene: Scene):
        self.scene = scene
        self.nodes: list[MovingMachine] = []
        self.places: dict[tuple[str, str], LinkPlacement] = {}
        self.nv: int = 0
        self.nq: int = 0
        self.n_bodies: int = 0
        self.n_axes: int = 0
        self._heavy = machines_with_armature(scene)
        for machine in scene.machines:
            if machine.is_simulated and not machine.is_fixed:
                self._add(machine)
            else:
                self._stand(machine)

    @cached_property
    def free_bodies(self) -> FreeBodies:
        """Where the coordinates of free bodies lie."""
        nodes = [node for node in self.nodes if node.is_free]
        first = np.array([(node.place, node.dof) for node in nodes], np.int64).reshape(-1, 2)
        com = np.array([node.model.links[0].body.com for node in nodes], float).reshape(-1, 3)
        return FreeBodies(first, com)

    @cached_property
    def has_free_bodies(self) -> bool:
        """Whether some coordinates differ from those of models."""
        return any(node.is_free for node in self.nodes)

    @cached_property
    def order_of_model(self) -> np.ndarray:
        """Of each coordinate here its number in one model of all that moves.

        That one has the fourth numbers of all quaternions last.
        """
        order, head, tail = [], 0, self.nv
        for node in self.nodes:
            nv, more = node.model.nv, node.model.nq - node.model.nv
            order += [*range(head, head + nv), *range(tail, tail + more)]
            head, tail = head + nv, tail + more
        return np.array(order, np.int64)

    @cached_property
    def positions_of_scene(self) -> SceneOrder:
        """Positions of `Scene.model`: fourth numbers of all quaternions come last."""
        heads, tails, still = [], [], []
        for machine in self.scene.machines:
            node, nv = self.node_of(machine.name), machine.model.nv
            first = self.nq + len(still) if node is None else node.place
            heads += range(first, first + nv)
            tails += range(first + nv, first + len(machine.q))
            still += [] if node else machine.q
        return SceneOrder(np.array(still, float), np.array(heads + tails, np.int64))

    @cached_property
    def velocities_of_scene(self) -> SceneOrder:
        """Velocities of `Scene.model`."""
        places, still = [], []
        for machine in self.scene.machines:
            node = self.node_of(machine.name)
            first = self.nv + len(still) if node is None else node.dof
            places += range(first, first + len(machine.qd))
            still += [] if node else machine.qd
        return SceneOrder(np.array(still, float), np.array(places, np.int64))

    @cached_property
    def velocities_that_move(self) -> np.ndarray:
        """Of each velocity here its number in `Scene.model`."""
        places = self.velocities_of_scene.places
        found = np.empty(self.nv, np.int64)
        moving = np.flatnonzero(places < self.nv)
        found[places[moving]] = moving
        return found

    def _add(self, machine: Machine) -> None:
        model = machine.model
        is_alone = is_free(model) and machine.name not in self._heavy
        is_alone = is_alone and not _has_passive_forces(machine)
        node = MovingMachine(machine, is_alone, self.nv, self.nq, self.n_bodies, self.n_axes)
        self.nodes.append(node)
        if node.is_free:
            link = model.links[0]
            shift = Transform.translation(*(-x for x in link.body.com))
            # The pose of a free body is that of its centre of mass.
            self.places[machine.name, link.name] = LinkPlacement(node.body, shift)
            _check_inertia(machine)
        else:
            for name in machine.link_names:
                body = model.body(name)
                moving = int(body.moving)
                index = node.body + moving - 1 if moving else -1
                self.places[machine.name, name] = LinkPlacement(index, body.frame)
        self.nv += model.nv
        self.nq += model.nq
        self.n_bodies += 1 if node.is_free else model.n_bodies
        self.n_axes += model.n_axes

    def _stand(self, machine: Machine) -> None:
        """Place the links of a model that does not move."""
        model = machine.model
        poses = body_poses(model, np.array(machine.q)) if model.n_bodies else None
        for name in machine.link_names:
            body = model.body(name)
            frame, moving = body.frame, int(body.moving)
            if moving and poses is not None:
                frame = frame @ _transform(poses[moving - 1])
            self.places[machine.name, name] = LinkPlacement(-1, frame)

    def node_of(self, machine: str) -> MovingMachine | None:
        """The node of a model, or None if it does not move."""
        return next((n for n in self.nodes if n.machine.name == machine), None)


def is_free(model: Model) -> bool:
    """Whether a model is one free body, without rotors."""
    if len(model.links) != 1 or not all(rotors.is_zero for rotors in model.armature):
        return False
    link = model.links[0]
    return isinstance(link.joint, FloatingBase) and link.frame == Transform.identity()


def balls_of(node: MovingMachine) -> Iterator[tuple[int, list[int]]]:
    """Spherical joints: the first velocity of each, and its positions x, y, z, w."""
    model = node.model
    for i in model.bodies:
        entries, places = model.v_index[int(i)], model.q_index[int(i)]
        if len(places) > len(entries):
            yield node.dof + entries[0], [node.place + k for k in places]


def _has_passive_forces(machine: Machine) -> bool:
    """Whether a joint has a spring, damping or dry friction."""
    of_joints = (machine.dynamics(joint) for joint in machine.model.joints)
    return any(any((*x.stiffness, *x.damping, *x.friction)) for x in of_joints)


def _check_inertia(machine: Machine) -> None:
    body = machine.model.links[0].body
    values = np.linalg.eigvalsh(np.array(body.inertia), UPLO="L")
    if not (body.mass > 0.0 and values.min() > 0.0):
        raise ModelError(
            f"expected a free body with a mass and an inertia above zero, got mass {body.mass:g} "
            f"and principal inertias {np.array2string(values, precision=3)} "
            f"(model '{machine.name}')"
        )


def _transform(pose: np.ndarray) -> Transform:
    """The transform to the frame of a 4x4 pose."""
    from ...spatial import Mat3

    rotation = Mat3.of([[float(x) for x in row[:3]] for row in pose[:3]])
    return Transform(rotation.T, Vec3.of([float(x) for x in pose[:3, 3]]))


def pose_row(X: Transform) -> list[float]:
    """A frame as the 12 numbers of a pose: rotation row by row, then origin."""
    return [float(x) for row in X.E.T.rows() for x in row] + [float(x) for x in X.r]


def node_fields(plan: SceneLayout) -> dict[str, Any]:
    """The constants of the nodes."""
    count, scene = len(plan.nodes), plan.scene
    sizes = [node.model.nv for node in plan.nodes]
    inertia, inverse = np.zeros((count, 3, 3)), np.zeros((count, 3, 3))
    mass, round_, dissipation = np.zeros(count), np.zeros(count, bool), np.ones(count)
    machine = np.full(count, -1)
    for n, node in enumerate(plan.nodes):
        if not node.is_free:
            machine[n] = int((machine >= 0).sum())
            if scene.dissipation is not None:
                dissipation[n] = scene.dissipation.factor(node.machine.name)
            continue
        body = node.model.links[0].body
        lower = np.tril(np.array(body.inertia, float))
        inertia[n] = lower + np.tril(lower, -1).T
        inverse[n] = np.linalg.inv(inertia[n])
        mass[n] = body.mass
        round_[n] = (inertia[n] == inertia[n, 0, 0] * np.eye(3)).all()
    bodies = [1 if node.is_free else node.model.n_bodies for node in plan.nodes]
    return {
        "dof": _starts(sizes),
        "place": _starts([node.model.nq for node in plan.nodes]),
        "mass_at": _starts([n * n for n in sizes]),
        "first_body": _starts(bodies),
        "machine": machine,
        "body_mass": mass,
        "inertia": inertia,
        "inverse": inverse,
        "is_round": round_,
        "gravity": np.tile(np.array(scene.gravity, float), (count, 1)),
        "extra_gravity": np.zeros((count, 3)),
        "body_node": np.repeat(np.arange(count), bodies),
        "dissipation": dissipation,
        "dof_node": np.repeat(np.arange(count), sizes),
        "first_axis": _starts([node.model.n_axes for node in plan.nodes]),
        "axis_dof": np.array([k for n in plan.nodes for k in n.model.coordinate_of_axis], np.int64),
    }


def _starts(sizes: list[int]) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).astype(np.int64)


def state_fields(plan: SceneLayout, nodes: dict[str, Any], n_geometries: int) -> dict[str, Any]:
    """The state, still empty, and the work arrays."""
    nv, nb = plan.nv, plan.n_bodies
    mass = np.zeros(int(nodes["mass_at"][-1]))
    factor, last = np.zeros_like(mass), np.zeros(nv, np.int64)
    for n, node in enumerate(plan.nodes):
        if node.is_free:
            at = int(nodes["mass_at"][n])
            block = mass[at : at + 36].reshape(6, 6)
            block[:3, :3] = nodes["body_mass"][n] * np.eye(3)
            block[3:, 3:] = nodes["inertia"][n]
            # Of a round body for good, of others until they are updated.
            factor[at : at + 36] = np.diag(np.diagonal(block) ** -0.5).ravel()
            last[nodes["dof"][n] : nodes["dof"][n + 1]] = np.arange(6)
    vectors = ("velocity", "trial", "free", "zero_velocity", "force", "tau", "bias",
               "constraint_force", "passive_force")  # fmt: skip
    return {
        **{name: np.zeros(nv) for name in vectors},
        "position": np.zeros(plan.nq),
        "wrench": np.zeros((nb, 6)),
        "pose": np.zeros((nb, 12)),
        "mass": mass,
        "factor": factor,
        "last": last,
        "axes": np.zeros((plan.n_axes, 6)),
        "share": np.full(len(plan.nodes), 0.5),
        "is_fast": np.zeros(len(plan.nodes), bool),
        "lag": np.zeros(len(plan.nodes)),
        "trials": np.zeros((len(plan.nodes), 4), np.int64),
        "choices": np.zeros((len(plan.nodes), 4), np.int64),
        "rotation": np.tile(np.eye(3), (n_geometries, 1, 1)),
        "origin": np.zeros((n_geometries, 3)),
        "order": np.arange(n_geometries, dtype=np.int64),
        "contact_impulse": np.zeros((n_geometries, 3)),
        "exchange": np.zeros(8, np.int64),
        "counters": np.zeros(16, np.int64),
        "totals": np.zeros(16),
    }


@dataclass(frozen=True, eq=False)
class Lowered:
    """A scene as arrays, with the objects whose addresses they hold.

    ``asked`` are the pairs of geometries for which plug-ins are called.
    """

    scene: Scene
    plan: SceneLayout
    fields: System
    geometries: tuple[int, ...]
    kept: tuple[Any, ...]
    asked: np.ndarray


def machine_fields(
    plan: SceneLayout, nodes: dict[str, Any], state: dict[str, Any]
) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """The addresses of the programs of the models, and the code that must be kept alive."""
    own = [node for node in plan.nodes if not node.is_free]
    widest = max((node.model.n_axes for node in own), default=0)
    count = len(own)
    loop, data = np.zeros((count, 2), np.int64), np.zeros((count, 2), np.int64)
    arguments, steps = np.zeros((count, 2, 6), np.int64), np.zeros((count, 2, 24), np.int64)
    supports = np.zeros((plan.n_bodies, widest), bool)
    is_line, balls, starts = np.ones(plan.nv, bool), [], [0]
    kernels: dict[tuple[str, int], Any] = {}
    for m, node in enumerate(own):
        model, n = node.model, plan.nodes.index(node)
        tendons = armature_of(plan, node)
        model = replace(model, gravity=plan.scene.gravity, tendons=tendons)  # type: ignore[arg-type]
        q, v = address_of(state["position"], node.place), address_of(state["trial"], node.dof)
        bias = address_of(state["bias"], node.dof)
        mass, pose = int(nodes["mass_at"][n]), node.body * 12
        outputs = (address_of(state["mass"], mass), bias, address_of(state["pose"], pose),
                   address_of(state["axes"], node.axis * 6))  # fmt: skip
        calls = ((machine_terms, outputs), (machine_bias, (bias,)))
        for p, (function, targets) in enumerate(calls):
            key = (model.fingerprint, p)
            if key not in kernels:
                program = program_of(function, model)
                kernels[key] = (program, program.kernel(SCALAR))
            program, kernel = kernels[key]
            loop[m, p], data[m, p] = kernel.descriptor["loop"], kernel.descriptor.address
            arguments[m, p, : 2 + len(targets)] = (q, v, *targets)
            row = loop_steps(program)
            steps[m, p, : len(row)] = row
        for i in model.bodies:
            supports[node.body + i - 1] = _supports(model, int(i), widest)
        for dof, places in balls_of(node):
            balls.append((dof - node.dof, *(place - node.place for place in places)))
            is_line[dof : dof + 3] = False
        starts.append(len(balls))
    table = np.array(balls, np.int64).reshape(-1, 5)
    fields = {
        "loop": loop, "loop_data": data, "arguments": arguments, "steps": steps,
        "supports": supports, "balls": table, "ball_start": np.array(starts), "is_line": is_line,
    }  # fmt: skip
    return fields, tuple(kernels.values())


def address_of(array: np.ndarray, at: int) -> int:
    """The address of an entry of an array of floats."""
    return array.ctypes.data + 8 * at


def loop_steps(program: Any) -> list[int]:
    """One state: its count, then strides of the states (none) and of the cores' axes."""
    row = []
    shapes = (*program.inputs.values(), *program.output_shapes)
    for shape in shapes:
        stride = 8
        strides = []
        for length in reversed(shape):
            strides.append(stride)
            stride *= length
        row += reversed(strides)
    return [1, *[0] * len(shapes), *row]


def _supports(model: Model, i: int, width: int) -> np.ndarray:
    row = np.zeros(width, bool)
    while i:
        row[list(model.axis_index[i])] = True
        i = model.parent[i]
    return row
