"""Edits of a scene; each returns a new one."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from ..arrays import Numbers
from ..errors import ModelError, shown, suggests_options
from ..model import Fixed, FloatingBase, Link, Model, RigidBody, Sensor, SensorKind, Shape, Visual
from ..model.checks import Frame, entries, known, number, numbers, of_kind, transform
from ..model.checks import name as checked_name
from ..model.driving import Driving, full_name
from ..model.fluids import Fluid, FluidShape, immersed
from ..model.mass_properties import mass_properties
from ..spatial import Quaternion, Transform, Vec3
from .contact import ContactParameters
from .couplings import BodyOf, Gear, Loop, body_of
from .forces import ForceElement
from .geometry import AT_REST, DisabledPair, Geometry
from .machine import JointSettings, Machine
from .plugins import Plugin
from .springs import Bushing, Spring

if TYPE_CHECKING:
    from .scene import Scene


class Building(Driving):
    """The editing methods of `Scene`."""

    @property
    def _driven(self) -> Model:
        return self._scene.model

    @property
    def _scene(self) -> Scene:
        return cast("Scene", self)

    def _more(self, **parts: Any) -> Scene:
        scene = self._scene
        return replace(scene, **{key: (*getattr(scene, key), *new) for key, new in parts.items()})

    @suggests_options
    def add_machine(
        self,
        model: Model,
        name: str | None = None,
        *,
        q: Numbers | None = None,
        qd: Numbers | None = None,
        joint_settings: Sequence[JointSettings] = (),
        geometries: Sequence[tuple[str, Shape] | tuple[str, Shape, Transform]] = (),
    ) -> Scene:
        """Return the scene with one more model.

        Parameters
        ----------
        model : Model
        name : str, optional
            The model's if omitted.
        q, qd : sequences of float, optional
            Its start; neutral and at rest by default.
        joint_settings : sequence of JointSettings
        geometries : sequence of (body, shape) or (body, shape, frame)
            Its collision shapes, put in the order of the model's links; frames lead from the body's
            coordinates to the shape's.
        """
        of_kind(model, Model, "model")
        name = model.name if name is None else name
        machine = Machine(name, model, q, qd, joint_settings=joint_settings)  # type: ignore[arg-type]
        place = {link: k for k, link in enumerate(machine.link_names)}
        touching = entries(geometries, "(body, shape, frame) as geometries", machine.name)
        for each in touching:
            if not isinstance(each, (tuple, list)) or len(each) not in (2, 3):
                raise ModelError("expected (body, shape) or (body, shape, frame) in geometries, "
                                 f"got {shown(each)} (model '{machine.name}')")  # fmt: skip
            known(each[0], place, "body", f"model '{machine.name}'")
        in_order = sorted(touching, key=lambda each: place[each[0]])
        shapes = []
        for k, (body, *shape) in enumerate(in_order):
            shapes.append(Geometry(f"{machine.name}/{body}#{k}", machine.name, body, *shape))
        return self._more(machines=[machine], geometries=shapes)

    @suggests_options
    def add_body(
        self,
        name: str,
        shape: Shape,
        *,
        position: Numbers = (0.0, 0.0, 0.0),
        quaternion: Numbers = (1.0, 0.0, 0.0, 0.0),
        velocity: Numbers = (0.0, 0.0, 0.0),
        spin: Numbers = (0.0, 0.0, 0.0),
        mass: float | None = None,
        density: float | None = None,
        color: tuple[float, float, float, float] | None = None,
        is_compliant: bool = False,
    ) -> Scene:
        """Return the scene with one more free body that has the shape's mass properties.

        Parameters
        ----------
        name : str
        shape : Shape
        position, quaternion : numbers
            Of the shape's frame in the world; the quaternion is (w, x, y, z).
        velocity, spin : three numbers
            Linear velocity of the frame's origin and angular velocity, in world axes.
        mass, density : float
            One of them.
        color : four numbers from 0 to 1, optional
        is_compliant : bool
        """
        where = _checked(name, shape)
        if (mass is None) == (density is None):
            raise ModelError(f"expected mass or density, got {'none' if mass is None else 'both'}"
                             f" ({where})")  # fmt: skip
        r, turn = _pose(position, quaternion, where)
        spin_of_body = turn.matrix() @ Vec3.of(numbers(spin, 3, "spin", where))
        velocity = numbers(velocity, 3, "velocity", where)
        visual = Visual(shape, color=color, name=name)
        body = _solid(shape, where, mass, density)
        link = Link(name, None, FloatingBase(), body=body, visuals=(visual,))
        machine = Machine(
            name,
            Model(name, (link,), self._scene.gravity),  # type: ignore[arg-type]
            (*r, turn.x, turn.y, turn.z, turn.w),
            (*velocity, *spin_of_body),
        )
        return self._more(
            machines=[machine],
            geometries=[Geometry(name, name, name, shape, is_compliant=is_compliant)],
        )

    @suggests_options
    def add_fixed(
        self,
        name: str,
        shape: Shape,
        *,
        position: Numbers = (0.0, 0.0, 0.0),
        quaternion: Numbers = (1.0, 0.0, 0.0, 0.0),
        velocity: Numbers = (0.0, 0.0, 0.0),
        spin: Numbers = (0.0, 0.0, 0.0),
        color: tuple[float, float, float, float] | None = None,
    ) -> Scene:
        """Return the scene with one more immovable body, such as the ground.

        Parameters
        ----------
        name, shape, position, quaternion, color
            As in `add_body`.
        velocity, spin : three numbers
            Of its surface, in world axes, at the frame's origin: a conveyor, a turntable.
        """
        where = _checked(name, shape)
        r, turn = _pose(position, quaternion, where)
        place = Transform(turn.matrix(), r)
        visual = Visual(shape, color=color, name=name)
        link = Link(name, None, Fixed(), place, RigidBody(), visuals=(visual,))
        surface = (*numbers(spin, 3, "spin", where), *numbers(velocity, 3, "velocity", where))
        model = Model(name, (link,), self._scene.gravity)  # type: ignore[arg-type]
        machine = Machine(name, model, surface_velocity=surface)  # type: ignore[arg-type]
        return self._more(machines=[machine], geometries=[Geometry(name, name, name, shape)])

    @suggests_options
    def add_urdf(
        self,
        path: str | os.PathLike[str],
        *,
        name: str | None = None,
        floating_base: bool = False,
        position: Numbers = (0.0, 0.0, 0.0),
        quaternion: Numbers = (1.0, 0.0, 0.0, 0.0),
        package_roots: Sequence[str | os.PathLike[str]] = (),
        mimic: str = "independent",
        snap_angles: bool | str = True,
        trusted: bool = False,
    ) -> Scene:
        """Return the scene with one more model, read from a URDF with its collision shapes.

        Parameters
        ----------
        path : path
            A URDF or xacro file, or the name of a robot as in `polhode.load`.
        name : str, optional
            The robot's if omitted.
        floating_base : bool
            Whether its root link is free.
        position, quaternion : numbers
            Of its root link in the world: for ever, or at the start if it is free.  The quaternion
            is (w, x, y, z).
        package_roots, mimic, snap_angles, trusted
            As in `polhode.load`.
        """
        r, turn = _pose(position, quaternion, f"URDF {shown(path)}")
        # Readers of files stand above this package.
        placing = import_module("polhode.formats.urdf.placing")
        return placing.with_urdf(
            self._scene, path, name, r, turn, floating_base=floating_base,
            package_roots=package_roots, mimic=mimic, snap_angles=snap_angles, trusted=trusted,
        )  # fmt: skip

    def add_geometry(
        self,
        name: str,
        body: BodyOf,
        shape: Shape | None,
        *,
        frame: Frame | None = None,
        is_compliant: bool = False,
        surface_velocity: Numbers = AT_REST,
    ) -> Scene:
        """Return the scene with one more collision shape, on body ``(machine, link)``.

        Without a shape, None, a plug-in finds its contacts; it may be added later.  With a
        ``surface_velocity`` it is a track or a belt: see `Geometry`.
        """
        place = Transform.identity() if frame is None else transform(frame, "frame", name)
        pair = entries(body, "(machine, link) as body", f"geometry {shown(name)}")
        if len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            raise ModelError(f"expected names (model, link) as body, got {shown(body)} "
                             f"(geometry {shown(name)})")  # fmt: skip
        geometry = Geometry(name, *pair, shape, place, is_compliant, surface_velocity)  # type: ignore[arg-type]
        return self._more(geometries=[geometry])

    def add_loop(
        self, name: str, kind: str, a: BodyOf | None, b: BodyOf | None, **more: Any
    ) -> Scene:
        """Return the scene with one more `Loop`."""
        return self._more(loops=[Loop(name, kind, a, b, **more)])  # type: ignore[arg-type]

    def add_gear(self, name: str, a: BodyOf, b: BodyOf, ratio: float) -> Scene:
        """Return the scene with one more `Gear`: ``q_a = ratio q_b + constant``."""
        return self._more(gears=[Gear(name, a, b, ratio)])

    def add_force(self, force: ForceElement) -> Scene:
        """Return the scene with one more force element."""
        return self._more(forces=[force])

    def add_spring(
        self, name: str, a: BodyOf | None, b: BodyOf | None, *,
        stiffness: float = 0.0, rest_length: float = 0.0, damping: float = 0.0,
        point_a: Numbers = (0.0, 0.0, 0.0), point_b: Numbers = (0.0, 0.0, 0.0),
        table: Sequence[tuple[float, float]] = (),
    ) -> Scene:  # fmt: skip
        """Return the scene with one more `Spring` between points of two bodies.

        Parameters
        ----------
        name, a, b, stiffness, rest_length, damping, point_a, point_b, table
            See `Spring`.
        """
        return self._more(springs=[
            Spring(name, a, b, point_a, point_b, stiffness, rest_length, damping, table)  # type: ignore[arg-type]
        ])  # fmt: skip

    def add_damper(
        self, name: str, a: BodyOf | None, b: BodyOf | None, damping: float, *,
        point_a: Numbers = (0.0, 0.0, 0.0), point_b: Numbers = (0.0, 0.0, 0.0),
    ) -> Scene:  # fmt: skip
        """Return the scene with a `Spring` without stiffness: a damper between two points."""
        return self.add_spring(name, a, b, damping=damping, point_a=point_a, point_b=point_b)

    def add_bushing(
        self, name: str, a: BodyOf | None, b: BodyOf | None, *,
        stiffness: Numbers, damping: Numbers = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        frame_a: Frame | None = None, frame_b: Frame | None = None,
    ) -> Scene:  # fmt: skip
        """Return the scene with one more `Bushing` between frames of two bodies.

        Parameters
        ----------
        name, a, b, stiffness, damping, frame_a, frame_b
            See `Bushing`.
        """
        first, second = (Transform.identity() if x is None else x for x in (frame_a, frame_b))
        return self._more(springs=[Bushing(name, a, b, first, second, stiffness, damping)])  # type: ignore[arg-type]

    @suggests_options
    def with_fluid(
        self,
        density: float = 0.0,
        viscosity: float = 0.0,
        wind: Numbers = (0.0, 0.0, 0.0),
        *,
        shapes: Mapping[BodyOf, Sequence[FluidShape]] | None = None,
    ) -> Scene:
        """Return the scene in a fluid, which resists all links that have mass.

        Parameters
        ----------
        density, viscosity, wind
            See `polhode.model.Fluid`.
        shapes : mapping of (machine, body) to a sequence of FluidBox, FluidEllipsoid, optional
            What the fluid resists.  Links that have no shapes get the box of their mass and
            inertia.
        """
        of: dict[str, dict[str, Sequence[FluidShape]]] = {}
        where = f"scene '{self._scene.name}'"
        given = {} if shapes is None else shapes
        if not isinstance(given, Mapping):
            raise ModelError(f"expected a dict of shapes, got {shown(shapes)} ({where})")
        for key, own in given.items():
            machine, body = body_of(key, "key of shapes", where) or ("", "")
            of.setdefault(self._scene.machine(machine).name, {})[body] = own
        machines = tuple(
            replace(m, model=replace(m.model, links=immersed(
                m.model.links, of.get(m.name, {}), f"model '{m.name}'")))
            for m in self._scene.machines
        )  # fmt: skip
        fluid = Fluid(density, viscosity, wind)  # type: ignore[arg-type]
        return replace(self._scene, machines=machines, fluid=fluid)

    @suggests_options
    def add_sensor(
        self, name: str, kind: SensorKind | str, of: BodyOf | str | None = None, *,
        frame: Frame | None = None,
        reference: BodyOf | None = None,
        reference_frame: Frame | None = None,
        cutoff: float = 0.0, noise: float = 0.0, delay: float = 0.0,
        zone: Shape | None = None,
        magnetic_field: Numbers = (0.0, -0.5, 0.0),
    ) -> Scene:  # fmt: skip
        """Return the scene with one more `Sensor`.

        Parameters
        ----------
        name, kind, of, frame, reference, reference_frame
            What is measured, and against what; see `Sensor`.
        cutoff, noise, delay, zone, magnetic_field
            See `Sensor`.

        Returns
        -------
        scene : Scene
        """
        own, other = (Transform.identity() if x is None else x for x in (frame, reference_frame))
        if isinstance(of, str):
            of = full_name(of, {x.name: x for x in (*self.actuators, *self.tendons)})
        at = (of, own, reference, other)
        return self._more(sensors=[
            Sensor(name, kind, *at, cutoff, noise, delay, zone, magnetic_field)  # type: ignore[arg-type]
        ])  # fmt: skip

    def add_plugin(
        self, name: str, kind: str, function: Callable[..., Any], *, of: Sequence[str] = ()
    ) -> Scene:
        """Return the scene with one more `Plugin`.

        Parameters
        ----------
        name, kind, function, of
            See `Plugin`.

        Returns
        -------
        scene : Scene
        """
        return self._more(plugins=[Plugin(name, kind, function, of)])  # type: ignore[arg-type]

    def contact(self, a: str | None = None, b: str | None = None, **parameters: Any) -> Scene:
        """Return the scene with `ContactParameters` for a pair, or for all pairs.

        Geometries, bodies or models named ``a`` and ``b`` may be added later.
        """
        return self._more(contacts=[ContactParameters(a, b, **parameters)])

    def disable(self, a: str, b: str) -> Scene:
        """Return the scene with a pair that never touches."""
        return self._more(disabled_pairs=[DisabledPair(a, b)])

    def with_settings(self, **changes: Any) -> Scene:
        """Return the scene with other `Settings`."""
        scene = self._scene
        return replace(scene, settings=replace(scene.settings, **changes))

    def with_start(self, machine: str, **start: Any) -> Scene:
        """Return the scene with ``q``, ``qd`` or other fields of a `Machine` replaced."""
        scene = self._scene
        changed = replace(scene.machine(machine), **start)
        machines = tuple(changed if each.name == machine else each for each in scene.machines)
        return replace(scene, machines=machines)

    def at(self, q: Numbers, qd: Numbers, time: float | None = None) -> Scene:
        """Return the scene started at a state of its ``model``: a snapshot.

        Parameters
        ----------
        q, qd : sequences of float
            As `q0` and `qd0` have them.
        time : float, optional
            Of the settings.
        """
        scene = self._scene
        nv = scene.model.nv
        q = numbers(q, scene.model.nq, "q", f"scene '{scene.name}'")
        qd = numbers(qd, nv, "qd", f"scene '{scene.name}'")
        machines, i, surplus = [], 0, nv
        for machine in scene.machines:
            n, more = machine.model.nv, machine.model.nq - machine.model.nv
            own = (*q[i : i + n], *q[surplus : surplus + more])
            machines.append(replace(machine, q=own, qd=qd[i : i + n]))
            i, surplus = i + n, surplus + more
        settings = scene.settings if time is None else replace(scene.settings, time=time)
        return replace(scene, machines=tuple(machines), settings=settings)

    def at_keyframe(self, keyframe: str) -> Scene:
        """Return the scene started at one of its keyframes.

        Parameters
        ----------
        keyframe : str
            Its name.  Its controls and activation are for the run: ``scene.keyframes`` has them.

        Returns
        -------
        scene : Scene

        Raises
        ------
        ModelError
            If there is none of this name, and if it does not fit the models.
        """
        scene = self._scene
        keyframes = {each.name: each for each in scene.keyframes}
        found = keyframes[known(keyframe, keyframes, "keyframe", f"scene '{scene.name}'")]
        for key, starts in (("q", found.q), ("qd", found.qd)):
            for machine, values in starts:
                scene = scene.with_start(machine, **{key: values})
        return replace(scene, settings=replace(scene.settings, time=found.time))


def _checked(name: Any, shape: Any) -> str:
    """The place to name in messages about a body, once its name and shape are looked at."""
    where = f"body {shown(checked_name(name, 'body'))}"
    if not isinstance(shape, Shape):
        raise ModelError(f"expected a shape such as Sphere(0.1), got {shown(shape)} ({where})")
    return where


def _solid(shape: Shape, where: str, mass: float | None, density: float | None) -> RigidBody:
    """The mass properties of a shape, by its mass or density."""
    if mass is not None:
        mass = number(mass, "mass", where, least=0.0)
    if density is not None:
        density = number(density, "density", where, least=0.0)
    try:
        return mass_properties(shape, mass=mass, density=density)
    except ModelError as error:
        raise ModelError(f"{error} ({where})") from None


def _pose(position: Numbers, quaternion: Numbers, where: str) -> tuple[Vec3, Quaternion]:
    w, x, y, z = numbers(quaternion, 4, "quaternion", where)
    turn = Quaternion(w, x, y, z)
    if number(turn.norm(), "norm of the quaternion", where) == 0.0:
        raise ModelError(f"expected a quaternion that is not zero ({where})")
    return Vec3.of(numbers(position, 3, "position", where)), turn.normalized()
