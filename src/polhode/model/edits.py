"""Edits of a model; each returns a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, cast

from ..arrays import Numbers
from ..errors import ModelError, shown, suggestion, suggests_options
from ..spatial import Transform
from .actuated import named_by_actuation, renamed_all
from .checks import Frame, entries, known, numbers, of_kind, records, rigid
from .coupling import refuse_follower
from .fluids import Fluid, FluidShape, immersed
from .inertias import check_inertia
from .joints import Fixed, FloatingBase, JointKind
from .records import ZERO, JointDynamics, Limits, Link, Mimic, RigidBody, Visual

if TYPE_CHECKING:
    from .model import Model


class Edits:
    """The editing methods of `Model`."""

    @property
    def _model(self) -> Model:
        return cast("Model", self)

    @suggests_options
    def add(
        self,
        name: str,
        *,
        joint: JointKind | None = None,
        parent: str | None = None,
        frame: Frame | None = None,
        mass: float = 0.0,
        com: Numbers = (0.0, 0.0, 0.0),
        inertia: Sequence[Any] = ZERO,
        joint_name: str | None = None,
        limits: Limits | tuple[float, float] | None = None,
        damping: float | Numbers = 0.0,
        friction: float | Numbers = 0.0,
        armature: float | Numbers = 0.0,
        stiffness: float | Numbers = 0.0,
        rest: float | Numbers = 0.0,
        visuals: Sequence[Visual] = (),
        mimic: Mimic | None = None,
    ) -> Model:
        """Return the model with one more link.

        Parameters
        ----------
        name : str
        joint : JointKind
            How it moves relative to its parent; `Fixed` if omitted.
        parent : str, optional
            An earlier link; the base if omitted.
        frame : Transform, or array_like of shape (4, 4)
            A transform from parent coordinates to those of the joint, or the pose of the joint's
            frame in the parent.  Identity if omitted.
        mass, com, inertia
            Mass [kg], centre of mass [m], and inertia about it [kg m^2] (three rows, or the
            three diagonal entries), in the link's coordinates.
        joint_name : str
            The link's name if omitted.
        limits : Limits or (lower, upper), optional
            Of the joint's positions [rad or m]; simulations stop it there.
        damping, friction : float, or one for each velocity entry
            The joint's force for each unit of speed [N m s/rad or N s/m], and its largest dry
            friction [N m or N]. Simulations apply them, dynamics functions do not.
        armature : float, or one for each velocity entry
            Inertia of the joint's motor times the square of its gear ratio [kg m^2 or kg]. It is
            part of the joint-space inertia.
        stiffness, rest : float, or one for each velocity entry
            A spring in the joint [N m/rad or N/m], and where it has no force [rad or m], as of
            `JointDynamics`. Simulations apply it.
        mimic : Mimic, optional
            The joint that this one follows; a coupled joint has no coordinate of its own.

        Raises
        ------
        ModelError
            For a duplicate or unknown name, and a lower limit above the upper one.  For unphysical
            mass properties: a negative mass, an inertia that is not symmetric or has negative
            principal moments.

        Warns
        -----
        ModelWarning
            If the principal moments break the triangle inequality.
        """
        where = f"link {shown(name)}, model '{self._model.name}'"
        body = _body(mass, com, inertia, where)
        check_inertia(body, where)
        if isinstance(limits, tuple) and len(limits) == 2:
            limits = Limits(*limits)
        if limits is not None:
            of_kind(limits, Limits, "limits", where)
            if limits.lower > limits.upper:
                raise ModelError(f"expected limits from lower to upper, got {limits.lower:g} to "
                                 f"{limits.upper:g} ({where})")  # fmt: skip
        if mimic is not None:
            of_kind(mimic, Mimic, "mimic", where)
        dynamics = _dynamics((damping, friction, armature, stiffness, rest), where)
        link = Link(
            name,
            None if isinstance(parent, str) and parent == self._model.base else parent,
            Fixed() if joint is None else joint,
            Transform.identity() if frame is None else rigid(frame, "frame", where),
            body,
            name if joint_name is None else joint_name,
            limits,
            records(visuals, Visual, "visuals", where),
            mimic=mimic,
            dynamics=None if dynamics == JointDynamics() else dynamics,
        )
        return self._model._with(link)

    def append(self, name: str, **properties: Any) -> Model:
        """Return the model with one more link, carried by the last one; see `add`."""
        if self._model.links:
            properties.setdefault("parent", self._model.links[-1].name)
        return self.add(name, **properties)

    @suggests_options
    def attach(
        self,
        other: Model,
        *,
        to: str | None = None,
        frame: Frame | None = None,
        prefix: str = "",
    ) -> Model:
        """Return the model with the links of ``other`` on link ``to``, names prefixed."""
        where = f"model '{self._model.name}'"
        if not isinstance(other, Edits):
            raise ModelError(f"expected a Model as other, got {shown(other)} ({where})")
        if to is not None:
            known(to, [link.name for link in self._model.links], "link, as to,", where)
        of_kind(prefix, str, "prefix", where)
        frame = Transform.identity() if frame is None else rigid(frame, "frame", where)
        is_moved = to is not None or frame != Transform.identity()
        if is_moved and None in named_by_actuation(other._model):
            raise ModelError(f"expected a model whose tendons and actuators are not on its base, "
                             f"got '{other._model.name}' ({where})")  # fmt: skip
        moved = []
        for link in other.links:
            root = link.parent is None
            moved.append(
                replace(
                    link,
                    name=prefix + link.name,
                    joint_name=prefix + link.joint_name,
                    parent=to if root else prefix + str(link.parent),
                    frame=link.frame @ frame if root else link.frame,
                    mimic=link.mimic and replace(link.mimic, joint=prefix + link.mimic.joint),
                )
            )
        tendons, actuators = renamed_all(
            other._model.tendons, other._model.actuators,
            body=lambda name: prefix + name, joint=lambda name: prefix + name,
            own=lambda name: prefix + name,
        )  # fmt: skip
        return replace(
            self._model,
            links=(*self._model.links, *moved),
            tendons=(*self._model.tendons, *tendons),
            actuators=(*self._model.actuators, *actuators),
        )

    def float(self, joint_name: str = "root_joint") -> Model:
        """Return the model with its root link free in space.

        Raises
        ------
        ModelError
            Unless exactly one link is carried by the base, and fixed to it.
        """
        roots = [link for link in self._model.links if link.parent is None]
        if len(roots) != 1 or roots[0].joint.nv:
            raise ModelError(
                f"expected one link fixed to the base, to be set free, got "
                f"{[link.name for link in roots]} (model '{self._model.name}'); "
                "give the root link a FloatingBase() joint instead"
            )
        free = replace(roots[0], joint=FloatingBase(), joint_name=joint_name)
        return replace(
            self._model, links=tuple(free if x is roots[0] else x for x in self._model.links)
        )

    @suggests_options
    def with_fluid(
        self,
        density: float = 0.0,
        viscosity: float = 0.0,
        wind: Numbers = (0.0, 0.0, 0.0),
        *,
        shapes: Mapping[str, Sequence[FluidShape]] | None = None,
    ) -> Model:
        """Return the model in a fluid, which resists all links that have mass.

        Parameters
        ----------
        density, viscosity, wind
            See `polhode.model.Fluid`.
        shapes : mapping of str to a sequence of FluidBox, FluidEllipsoid, optional
            What the fluid resists, by link.  Links that have no shapes get the box of their mass
            and inertia.
        """
        where = f"model '{self._model.name}'"
        given = {} if shapes is None else _names(shapes, "shapes", where)
        links = immersed(self._model.links, given, where)
        fluid = Fluid(density, viscosity, wind)  # type: ignore[arg-type]
        return replace(self._model, links=links, fluid=fluid)

    def fuse(self) -> Model:
        """Return the model with links that are fixed to another link merged into it.

        Links stay that tendons and actuators name, and those with gravity compensation.
        """
        held = named_by_actuation(self._model)
        held |= {link.name for link in self._model.links if link.gravity_compensation}
        kept: dict[str | None, Link] = {}
        where: dict[str | None, tuple[str | None, Transform]] = {None: (None, Transform.identity())}
        for link in self._model.links:
            carrier, offset = where[link.parent]
            X = link.frame @ offset
            if link.joint.nv or carrier is None or link.name in held:
                kept[link.name] = replace(link, parent=carrier, frame=X)
                where[link.name] = link.name, Transform.identity()
                continue
            host = kept[carrier]
            visuals = tuple(replace(v, frame=v.frame @ X) for v in link.visuals)
            shapes = tuple(replace(s, frame=s.frame @ X) for s in link.fluid_shapes)
            kept[carrier] = replace(
                host, body=host.body.joined(link.body, X), visuals=host.visuals + visuals,
                fluid_shapes=host.fluid_shapes + shapes,
            )  # fmt: skip
            where[link.name] = carrier, X
        return replace(self._model, links=tuple(kept.values()))

    def uncouple(self) -> Model:
        """Return the model whose coupled joints have coordinates of their own; relations stay."""
        links = [
            replace(link, mimic=replace(link.mimic, coupled=False)) if link.mimic else link
            for link in self._model.links
        ]
        return replace(self._model, links=tuple(links))

    def lock(self, positions: Mapping[str, Any]) -> Model:
        """Return the model with joints held: ``{joint: position}``, a number or ``nq`` of them.

        Coupled joints are held with the one that they follow.
        """
        where = f"model '{self._model.name}'"
        left = _names(positions, "positions", where)
        for name in left:
            refuse_follower(name, self._model, where)
        for link in self._model.links if self._model.is_coupled else ():
            if link.joint.nv and link.joint_name in left:
                held = _positions(left[link.joint_name], link, where)
                left |= {name: coupling.position(held[0])
                         for name, coupling in self._model._lowered.couplings.items()
                         if coupling.leader == link.joint_name}  # fmt: skip
        links = []
        for link in self._model.links:
            if link.joint.nv and link.joint_name in left:
                value = left.pop(link.joint_name)
                q = _positions(value, link, where)
                XJ = link.joint.jcalc(q).XJ
                link = replace(link, joint=Fixed(), frame=XJ @ link.frame, limits=None, mimic=None,
                               dynamics=None)  # fmt: skip
            links.append(link)
        if left:
            name = next(iter(left))
            hint = suggestion(name, [joint.name for joint in self._model.joints])
            raise ModelError(f"no joint '{name}' of positions in model '{self._model.name}'{hint}")
        return replace(self._model, links=tuple(links))

    def rename(self, names: Mapping[str, str]) -> Model:
        """Return the model with links and joints renamed: ``{old: new}``."""
        where = f"model '{self._model.name}'"
        known = {link.name for link in self._model.links} | {
            link.joint_name for link in self._model.links
        }
        for old in (names := _names(names, "names", where)):
            if old not in known:
                hint = suggestion(old, known)
                raise ModelError(
                    f"no link or joint '{old}' of names in model '{self._model.name}'{hint}"
                )
        links = tuple(
            replace(
                link,
                name=names.get(link.name, link.name),
                joint_name=names.get(link.joint_name, link.joint_name),
                parent=names.get(link.parent, link.parent) if link.parent else None,
                mimic=link.mimic
                and replace(link.mimic, joint=names.get(link.mimic.joint, link.mimic.joint)),
            )
            for link in self._model.links
        )
        tendons, actuators = renamed_all(
            self._model.tendons, self._model.actuators,
            body=lambda name: names.get(name, name), joint=lambda name: names.get(name, name),
        )  # fmt: skip
        return replace(self._model, links=links, tendons=tendons, actuators=actuators)


def _body(mass: Any, com: Any, inertia: Any, where: str) -> RigidBody:
    try:
        return RigidBody(mass, com, inertia)
    except ModelError as error:
        raise ModelError(f"{error} ({where})") from None


def _dynamics(values: Sequence[Any], where: str) -> JointDynamics:
    try:
        return JointDynamics(*values)
    except ModelError as error:
        raise ModelError(f"{error} ({where})") from None


def _positions(value: Any, link: Link, where: str) -> tuple[float, ...]:
    """Coordinates at which a joint is locked: a number, or one for each coordinate."""
    is_one = isinstance(value, Real) or getattr(value, "ndim", 1) == 0
    what, nq = f"joint '{link.joint_name}'", link.joint.nq
    found = (value,) if is_one else entries(value, f"{nq} positions for {what}", where)
    if len(found) != nq:
        raise ModelError(f"expected {nq} positions for {what}, got {len(found)} ({where})")
    return numbers(found, nq, f"position of {what}", where)


def _names(values: Any, what: str, where: str) -> dict[str, Any]:
    """A mapping from names."""
    if not isinstance(values, Mapping) or not all(isinstance(key, str) for key in values):
        raise ModelError(f"expected a dict of names as {what}, got {shown(values)} ({where})")
    return dict(values)
