"""The immutable model of a robot: declared links, and the numbered bodies they become."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, NoReturn

from ..arrays import Numbers
from ..errors import ModelError, shown, suggestion, suggests_attributes
from ..once import cached_property
from ..reprs import exact
from ..spatial import Inertia, JointDiagonal, Moments, Motion, Transform, Vec3
from .actuated import check_actuated
from .actuators import Actuator
from .checks import numbers, of_kind, records, without
from .coupling import Coupling, coupled_links, is_follower
from .declared import DeclaredSets, declared_sets
from .driving import Driving, full_name
from .edits import Edits
from .fluids import Fluid, FluidShape
from .grouping import regrouped_moments
from .joint_edits import JointEdits
from .joints import JointKind, axis_joint
from .layout import Layout
from .lowering import Lowering, check_link, lower
from .records import Link
from .tendons import Tendon
from .text import MOST_LINES, dof_overview, hierarchy, html_table
from .views import Body, Joint, ModelLimits, as_index

_MOST_NAMES = 10


class JointTable:
    """``model.joint[i]`` is the joint kind of body ``i``; ``model.joint(name)`` a `Joint`."""

    def __init__(self, kinds: Sequence[JointKind | None], named: dict[str, Joint], model: str):
        self._kinds, self._named, self._model = kinds, named, model

    def __getitem__(self, body: int) -> JointKind:
        return self._kinds[body]  # type: ignore[return-value]

    def __call__(self, name: str) -> Joint:
        if not isinstance(name, str):
            raise ModelError(f"expected the name of a joint, got {shown(name)} "
                             f"(model '{self._model}')")  # fmt: skip
        name = full_name(name, self._named)
        try:
            return self._named[name]
        except KeyError:
            hint = suggestion(name, self._named) if self._named else without("joints")
            raise ModelError(f"no joint '{name}' in model '{self._model}'{hint}") from None

    def __repr__(self) -> str:
        names = [*self._named]
        more = ", ..." if len(names) > _MOST_NAMES else ""
        return f"JointTable('{self._model}': {', '.join(names[:_MOST_NAMES])}{more})"


def _gravity(values: Any, where: str) -> tuple[float, ...]:
    try:
        return numbers(values, 3, "gravity", where)
    except ModelError as error:
        raise ModelError(f"expected three finite numbers as gravity: {error}") from None


def _in_series(link: Link, rows: Sequence[tuple[float, ...]]) -> list[Link]:
    """``link`` on a chain of one-axis joints, with virtual links between them."""
    chain, parent, frame = [], link.parent, link.frame
    for k, row in enumerate(rows):
        name = f"{link.name}/{k}"
        chain.append(Link(name, parent, axis_joint(row), frame))
        parent, frame = name, Transform.identity()
    last = replace(link, joint=chain[-1].joint, parent=chain[-1].parent, frame=chain[-1].frame,
                   dynamics=None)  # fmt: skip
    return [*chain[:-1], last]


@suggests_attributes
@dataclass(frozen=True, repr=False)
class Model(Edits, JointEdits, Driving, Layout):
    """A tree of links connected by joints, and gravity.

    A model is a value: it compares, hashes and pickles by its declarations,
    and every edit returns a new model.

    Parameters
    ----------
    name : str
    links : sequence of Link
        Each after its parent.
    gravity : three numbers
        Acceleration of free fall [m/s^2], in base coordinates.
    base : str
        The name of body 0.
    constraint_sets : mapping of str to tuple
        The constraints that the model's file declares, by the name of their set; pairs will do.
    tendons : sequence of Tendon
    actuators : sequence of Actuator
        In the order of their controls.
    fluid : Fluid, optional
        What is around it; `fluid_shapes` of links feel it.

    Raises
    ------
    ModelError
        For an unknown parent, a name given twice, or a joint that cannot be.
    """

    name: str = "model"
    links: tuple[Link, ...] = ()
    gravity: Motion = (0.0, 0.0, -9.81)  # type: ignore[assignment]
    base: str = "ROOT"
    constraint_sets: Mapping[str, tuple[Any, ...]] = ()  # type: ignore[assignment]
    tendons: tuple[Tendon, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    fluid: Fluid | None = None
    _lowered: Lowering = field(init=False, compare=False, default=None)  # type: ignore[assignment]

    if TYPE_CHECKING:  # more is taken than is kept

        def __init__(
            self,
            name: str = "model",
            links: Iterable[Link] = (),
            gravity: Numbers | Motion = (0.0, 0.0, -9.81),
            base: str = "ROOT",
            constraint_sets: DeclaredSets = (),
            tendons: Iterable[Tendon] = (),
            actuators: Iterable[Actuator] = (),
            fluid: Fluid | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        gravity: Any = self.gravity
        for key in ("name", "base"):
            of_kind(getattr(self, key), str, key)
        where = f"model '{self.name}'"
        if not isinstance(gravity, Motion):
            gravity = Motion(Vec3.zero(), Vec3.of(_gravity(gravity, where)))
        object.__setattr__(self, "gravity", gravity)
        object.__setattr__(self, "links", records(self.links, Link, "links", where))
        object.__setattr__(self, "constraint_sets", declared_sets(self.constraint_sets, where))
        object.__setattr__(self, "_lowered", lower(self.links, self.base, self.name))
        for key, kind in (("tendons", Tendon), ("actuators", Actuator)):
            object.__setattr__(self, key, records(getattr(self, key), kind, key, where))
        if self.fluid is not None:
            of_kind(self.fluid, Fluid, "fluid", where)
        if self.tendons or self.actuators:
            check_actuated(self)

    def _with(self, link: Link) -> Model:
        """This model and one more link; the others are not numbered anew."""
        check_link(link, self._lowered, self.base, self.name)
        if is_follower(link):
            return replace(self, links=(*self.links, link))
        twin = object.__new__(type(self))
        lowered = self._lowered.copy()
        lowered.add(link)
        twin.__dict__.update(
            name=self.name, links=(*self.links, link), gravity=self.gravity, base=self.base,
            constraint_sets=self.constraint_sets, tendons=self.tendons, actuators=self.actuators,
            fluid=self.fluid, _lowered=lowered,
        )  # fmt: skip
        return twin

    # -- what algorithms read: one entry for each body, entry 0 for the base --

    @property
    def parent(self) -> Sequence[int]:
        """Parent of each body, by number: -1 for the base, else a lower number."""
        return self._lowered.parent

    @property
    def X_tree(self) -> Sequence[Transform]:
        """Transform from each body's parent to its joint's frame, by number."""
        return self._lowered.X_tree

    @cached_property
    def inertia(self) -> Sequence[Inertia]:
        """Spatial inertia of each body, by number, in its own coordinates."""
        return tuple(body.spatial() for body in self._lowered.body)

    @cached_property
    def moments(self) -> Sequence[Moments]:
        """Moments of mass of each body, by number: what `inertia` holds, in other numbers."""
        return tuple(body.moments() for body in self.inertia)

    @cached_property
    def armature(self) -> Sequence[JointDiagonal]:
        """Inertia of the rotors of each body's joint, by number, in its coordinates."""
        return tuple(JointDiagonal(each.armature) for each in self._lowered.dynamics)

    @cached_property
    def damping(self) -> Sequence[JointDiagonal]:
        """Viscous damping of each body's joint, by number, in its coordinates."""
        return tuple(JointDiagonal(each.damping) for each in self._lowered.dynamics)

    @cached_property
    def friction(self) -> Sequence[JointDiagonal]:
        """Largest dry friction of each body's joint, by number, in its coordinates."""
        return tuple(JointDiagonal(each.friction) for each in self._lowered.dynamics)

    @cached_property
    def stiffness(self) -> Sequence[JointDiagonal]:
        """Stiffness of each body's joint, by number, in its coordinates."""
        return tuple(JointDiagonal(each.stiffness) for each in self._lowered.dynamics)

    @property
    def rest(self) -> Sequence[tuple[float, ...]]:
        """Rest of the spring of each body's joint, by number: a step from the neutral position."""
        return tuple(each.rest for each in self._lowered.dynamics)

    @property
    def floated(self) -> Sequence[tuple[float, Vec3]]:
        """Mass of each body whose weight is compensated, and its first moment, by number."""
        return self._lowered.floated

    @property
    def actuated_compensation(self) -> Sequence[bool]:
        """Whether compensation of gravity by each body's joint is one of actuators, by number."""
        return self._lowered.is_actuated

    @cached_property
    def fluid_shapes(self) -> tuple[tuple[int, Transform, FluidShape], ...]:
        """What a fluid resists: for each shape the body, and the transform from that to it."""
        found = []
        for link in self.links:
            i, X = self._lowered.where[link.name]
            found += [(i, shape.frame @ X, shape) for shape in link.fluid_shapes]
        return tuple(found)

    @cached_property
    def _regrouped(self) -> tuple[tuple[Inertia, ...], tuple[Moments, ...]]:
        """Inertia and moments of `regrouped`; what keeps its own mass keeps its own numbers."""
        own = self.moments
        moments = regrouped_moments(self.parent, self.X_tree, self._lowered.joint, own)
        return tuple(
            kept if new is old else Inertia.of(new)
            for kept, old, new in zip(self.inertia, own, moments, strict=True)
        ), moments

    @cached_property
    def joint(self) -> JointTable:
        """The joints: by body number a kind, called with a name a view of that joint."""
        named = {joint.name: joint for joint in (*self.joints, *self.followers)}
        return JointTable(self._lowered.joint, named, self.name)

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """The moving bodies, 1 to ``n_bodies``."""
        low = self._lowered
        return tuple(
            Body(
                i,
                low.link[i].name if low.link[i] else "",  # type: ignore[union-attr]
                low.parent[i],
                low.body[i],
                visuals=low.link[i].visuals if low.link[i] else (),  # type: ignore[union-attr]
            )
            for i in range(1, len(low.parent))
        )

    @cached_property
    def fixed_bodies(self) -> tuple[Body, ...]:
        """The links merged into another body, numbered after the moving ones."""
        return tuple(
            Body(
                len(self._lowered.parent) + k,
                frame.link.name,
                frame.body,
                frame.link.body,
                moving=frame.body,
                frame=frame.X,
                visuals=frame.link.visuals,
            )
            for k, frame in enumerate(self._lowered.fixed)
        )

    @property
    def _driven(self) -> Model:
        return self

    def weightless(self) -> Model:
        """This model without gravity.

        Returns
        -------
        model : Model
            The model.
        """
        return self._twin(gravity=Motion.zero())

    def regrouped(self) -> Model:
        """This model with the mass of bodies moved to their parents as far as joints permit.

        Returns
        -------
        model : Model
            Its joint forces, joint-space inertia and kinetic energy are those of this model;
            the forces within links, and what is about the base, are not.

        Notes
        -----
        Inertial parameters that no joint force depends on by themselves are zero in it, so that
        dynamics takes fewer operations (Gautier 1990; Khalil and Dombre 2002, section 9.4).
        """
        inertia, moments = self._regrouped
        return self._twin(inertia=inertia, moments=moments)

    def _twin(self, **changed: Any) -> Model:
        """This model with other values of what algorithms read; it shares the rest."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        for cached in ("fingerprint", "_hash", "programs", "_regrouped"):
            twin.__dict__.pop(cached, None)
        twin.__dict__.update(changed)
        return twin

    def with_constant_subspaces(self) -> tuple[Model, list[int]]:
        """An equivalent model all of whose joints have ``S`` constant in the moving body.

        No joints share a coordinate in it.

        Returns
        -------
        model : Model
            This model itself if it is so already.
        origin : list of int
            For each velocity entry of that model, the entry of `axis_index` it repeats.

        Raises
        ------
        ModelError
            For a custom or function-based joint, of which this is not known.
        """
        links, origin, start = [], [], 0
        for link in coupled_links(self.links, self._lowered.couplings):
            if not link.joint.has_constant_axes:
                raise ModelError(
                    f"expected joints of a known kind, got the {link.joint.name} joint "
                    f"'{link.joint_name}' (model '{self.name}')"
                )
            rows = link.joint.series_axes
            links += _in_series(link, [row for row, _ in rows]) if rows else [link]
            entries = [k for _, k in rows] if rows else range(link.joint.nv)
            origin += [start + k for k in entries]
            start += link.joint.nv
        if len(links) == len(self.links) and not self.is_coupled:
            return self, origin
        links = [link if link.mimic is None else replace(link, mimic=None) for link in links]
        return replace(self, links=tuple(links)), origin

    # -- names --

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The joints with coordinates of their own, in the order of their velocities.

        Limits and dynamics of a joint that others follow are those along its coordinate.
        """
        links = (self._lowered.link[chain[-1]] for chain in self._lowered.chain.values())
        return tuple(self._joint(link) for link in links if link and not is_follower(link))

    @cached_property
    def followers(self) -> tuple[Joint, ...]:
        """The coupled joints, which move with the coordinates of others, as they are declared."""
        moving = self._lowered.chain
        return tuple(
            self._joint(link) for link in self.links if link.name in moving and is_follower(link)
        )

    def _joint(self, link: Link) -> Joint:
        chain = self._lowered.chain[link.name]
        q = [k for i in chain for k in self.q_index[i]]
        v = [k for i in chain for k in self.v_index[i]]
        return Joint(link.joint_name, link.joint, as_index(q), as_index(v), chain[-1],
                     link.limits, link.mimic, link.dynamics)  # fmt: skip

    def relation(self, joint: str) -> Coupling:
        """The relation of a joint's position to a coordinate: its leader's, or its own.

        Parameters
        ----------
        joint : str
            Its name.

        Returns
        -------
        relation : Coupling
            Its leader, multiplier and offset.

        Raises
        ------
        ModelError
            If there is no such joint; names near to it are suggested.
        """
        of_kind(joint, str, "joint")
        return self._lowered.couplings.get(joint) or Coupling(self.joint(joint).name)

    @cached_property
    def limits(self) -> ModelLimits:
        """The limits of all joints as arrays."""
        return ModelLimits.of(self.joints, self.nv)

    @cached_property
    def _names(self) -> dict[str, Body]:
        base = Body(0, self.base, -1, self._lowered.body[0])
        every = (base, *self.bodies, *self.fixed_bodies)
        return {body.name: body for body in every if body.name}

    def __getitem__(self, name: Any) -> NoReturn:
        other = f" or model.joint({name!r})" if isinstance(name, str) else ""
        raise TypeError(f"Model is not subscriptable; use model.body({shown(name)}){other}")

    def body(self, body: int | str) -> Body:
        """The body of a number or a name.

        Parameters
        ----------
        body : int, str or Body
            The body.

        Returns
        -------
        body : Body
            Its number, name, parent and mass properties.

        Raises
        ------
        ModelError
            If there is none; names near to it are suggested.
        """
        if isinstance(body, str):
            body = full_name(body, self._names)
            try:
                return self._names[body]
            except KeyError:
                hint = suggestion(body, self._names) if self.links else without("links")
                for joint in self.joints:
                    if joint.name == body:
                        hint = f"; that is a joint, its body is '{self.body(joint.body).name}'"
                raise ModelError(f"no body '{body}' in model '{self.name}'{hint}") from None
        every = self.n_bodies + len(self.fixed_bodies)
        if not isinstance(body, Integral) or isinstance(body, bool):
            got = type(body).__name__
            raise ModelError(f"expected a body's number or name, got {got} (model '{self.name}')")
        if not 0 <= body <= every:
            got = shown(int(body))
            raise ModelError(
                f"expected a body from 0 to {every} or a name, got {got} (model '{self.name}')"
            )
        if body == 0:
            return self._names[self.base]
        return (*self.bodies, *self.fixed_bodies)[body - 1]

    @cached_property
    def programs(self) -> dict[Any, Any]:
        """Programs compiled for this model, cached for its lifetime."""
        return {}

    # -- text and identity --

    def hierarchy(self) -> str:
        """The tree of links as indented text, with the degrees of freedom of each joint.

        Returns
        -------
        text : str
            The lines.
        """
        return hierarchy(self.base, self.links)

    def dof_overview(self) -> str:
        """One line for each degree of freedom: its index in ``qd`` and its name.

        Returns
        -------
        text : str
            The lines.
        """
        return dof_overview([link for link in self.links if not is_follower(link)])

    @cached_property
    def fingerprint(self) -> str:
        """A digest of all that dynamics depends on."""
        low = self._lowered
        text = exact((low.parent, low.X_tree, self.inertia, low.joint, low.dynamics, self.gravity,
                      self.fixed_frames, *self._actuated_parts,
                      *low.couplings.items()))  # fmt: skip
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def _actuated_parts(self) -> tuple[Any, ...]:
        """What else programs depend on: tendons, actuators, and where the named bodies are."""
        low = self._lowered
        immersed = () if self.fluid is None else (self.fluid, self.fluid_shapes)
        if not (self.tendons or self.actuators or any(mass for mass, _ in low.floated)):
            return immersed
        every = (*self.joints, *self.followers)
        efforts = tuple(joint.limits.efforts if joint.limits else None for joint in every)
        places = [*low.where.items()], [*low.chain.items()]
        floated = low.floated, low.is_actuated
        return self.tendons, self.actuators, *floated, *places, efforts, *immersed

    @property
    def fixed_frames(self) -> tuple[tuple[int, Transform], ...]:
        """For each fixed link, the moving body that carries it and its transform."""
        return tuple((frame.body, frame.X) for frame in self._lowered.fixed)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        sets = frozenset(self.constraint_sets.items())
        return hash((self.name, self.links, self.gravity, self.base, sets, self.tendons,
                     self.actuators, self.fluid))  # fmt: skip

    def __reduce__(self) -> tuple[Any, ...]:
        gravity = tuple(self.gravity.lin)
        return Model, (self.name, self.links, gravity, self.base, dict(self.constraint_sets),
                       self.tendons, self.actuators, self.fluid)  # fmt: skip

    def _repr_html_(self) -> str:
        """The links in a table, in a notebook."""
        return html_table(repr(self), self.links)

    def __repr__(self) -> str:
        return f"Model('{self.name}', nq={self.nq}, nv={self.nv}, n_bodies={self.n_bodies})"

    def __str__(self) -> str:
        return f"{self!r}\n{hierarchy(self.base, self.links, MOST_LINES)}"
