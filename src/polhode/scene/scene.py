"""A scene: models, their geometries, couplings between them, and forces on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from itertools import accumulate, pairwise, product
from typing import Any

from ..arrays import Numbers
from ..errors import ModelError, suggests_attributes
from ..model import Actuator, Fluid, Model, Sensor, Tendon
from ..model.actuated import renamed_all
from ..model.checks import distinct, known, name, numbers, of_kind, records
from ..model.coupling import refuse_follower
from ..model.text import MOST_LINES
from ..notebooks import table
from ..once import cached_property, kept
from .building import Building
from .combined_model import Start, combined_model
from .contact import ANY, UNSAID, ContactParameters, Key, pairs
from .couplings import Gear, Loop
from .forces import (
    Damping,
    Dissipation,
    ForceElement,
    StokesDrag,
    UniformGravity,
    bodies_named,
)
from .geometry import DisabledPair, Geometry
from .keyframes import Keyframe
from .machine import Machine
from .names import Names
from .plugins import Plugin, check_plugins
from .sensors import check_sensors
from .settings import Settings, View
from .springs import Bushing, Spring, SpringElement

_PARTS: dict[str, Any] = {
    "machines": Machine, "geometries": Geometry, "loops": Loop, "gears": Gear,
    "forces": (UniformGravity, StokesDrag, Damping), "contacts": ContactParameters,
    "disabled_pairs": DisabledPair, "plugins": Plugin, "springs": (Spring, Bushing),
    "tendons": Tendon, "actuators": Actuator,
    "sensors": Sensor, "keyframes": Keyframe,
}  # fmt: skip
_NAMED = {
    "machines": "machine", "geometries": "geometry", "loops": "loop", "gears": "gear",
    "forces": "force", "plugins": "plugin", "springs": "spring", "tendons": "tendon",
    "actuators": "actuator", "sensors": "sensor", "keyframes": "keyframe",
}  # fmt: skip


@suggests_attributes
@dataclass(frozen=True, repr=False)
class Scene(Building):
    """Models that move together, as an immutable value.

    Every edit returns a new scene; scenes compare by what they were declared from.  Contact
    parameters may come before what they name, and a geometry without a shape before its plug-in:
    `check_complete` looks at both, and simulations call it.

    Parameters
    ----------
    name : str
    machines : sequence of Machine
    geometries : sequence of Geometry
    loops : sequence of Loop
    gears : sequence of Gear
    forces : sequence of UniformGravity, StokesDrag, Damping
    contacts : sequence of ContactParameters
        A later one replaces an earlier one for the same pair.
    disabled_pairs : sequence of DisabledPair
    plugins : sequence of Plugin
    dissipation : Dissipation, optional
    settings : Settings
    view : View
    gravity : three numbers
        Acceleration of free fall [m/s^2], for all models.
    springs : sequence of Spring, Bushing
    tendons : sequence of Tendon
    actuators : sequence of Actuator
        In the order of their controls.  They name bodies and joints of `model`, which have
        ``machine/`` before their names.  Those of the models themselves follow.
    sensors : sequence of Sensor
    keyframes : sequence of Keyframe
    fluid : Fluid, optional
        What is around all models.

    Raises
    ------
    ModelError
        For a name given twice or unknown, and for what cannot be coupled.
    """

    name: str = "scene"
    machines: tuple[Machine, ...] = ()
    geometries: tuple[Geometry, ...] = ()
    loops: tuple[Loop, ...] = ()
    gears: tuple[Gear, ...] = ()
    forces: tuple[ForceElement, ...] = ()
    contacts: tuple[ContactParameters, ...] = ()
    disabled_pairs: tuple[DisabledPair, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    dissipation: Dissipation | None = None
    settings: Settings = field(default_factory=Settings)
    view: View = field(default_factory=View)
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    springs: tuple[SpringElement, ...] = ()
    tendons: tuple[Tendon, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    keyframes: tuple[Keyframe, ...] = ()
    fluid: Fluid | None = None

    def __post_init__(self) -> None:
        name(self.name, "scene")
        for key, kind in _PARTS.items():
            parts = records(getattr(self, key), kind, key, self._here)
            object.__setattr__(self, key, parts)
        of_kind(self.settings, Settings, "settings", self._here)
        of_kind(self.view, View, "view", self._here)
        if self.dissipation is not None:
            of_kind(self.dissipation, Dissipation, "dissipation", self._here)
        if self.fluid is not None:
            of_kind(self.fluid, Fluid, "fluid", self._here)
        gravity = numbers(self.gravity, 3, "gravity", self._here)
        object.__setattr__(self, "gravity", gravity)
        self._add_those_of_models()
        for key, what in _NAMED.items():
            distinct((each.name for each in getattr(self, key)), what, self._here)
        self._check_bodies()
        self._check_couplings()
        self._check_names()
        if self.tendons or self.actuators:
            _ = self.model
        check_sensors(self)

    @classmethod
    def of(cls, model: Model, q: Numbers | None = None, qd: Numbers | None = None) -> Scene:
        """A scene of one model, under its gravity and in its fluid.

        Parameters
        ----------
        model : Model
        q, qd : sequences of float, optional
            Its start; neutral and at rest by default.

        Returns
        -------
        scene : Scene
        """
        of_kind(model, Model, "model")
        gravity = tuple(float(x) for x in model.gravity.lin)

        def made() -> Scene:
            empty = cls(model.name, gravity=gravity, fluid=model.fluid)  # type: ignore[arg-type]
            return empty.add_machine(model, q=q, qd=qd)

        is_usual = q is None and qd is None  # kept, since it keeps its compiled programs
        return kept(model.programs, cls, made) if is_usual else made()

    # -- parts --

    def machine(self, machine: str) -> Machine:
        """The `Machine` of a name.

        Parameters
        ----------
        machine : str
            Its name.

        Returns
        -------
        machine : Machine
            The model with its initial state.
        """
        return self._machines[known(machine, self._machines, "model", self._here)]

    def geometry(self, geometry: str) -> Geometry:
        """The geometry of a name.

        Parameters
        ----------
        geometry : str or Geometry
            Its name.

        Returns
        -------
        geometry : Geometry
            The geometry.
        """
        return self._geometries[known(geometry, self._geometries, "geometry", self._here)]

    @property
    def n_controls(self) -> int:
        """How many controls the actuators take."""
        return sum(actuator.n_controls for actuator in self.actuators)

    @property
    def n_activations(self) -> int:
        """How many states the actuators have."""
        return sum(actuator.n_activations for actuator in self.actuators)

    @cached_property
    def sensor_slices(self) -> dict[str, slice]:
        """Where the values of each sensor, by its name, are in those of all of them."""
        ends = list(accumulate((sensor.kind.size for sensor in self.sensors), initial=0))
        places = zip(self.sensors, pairwise(ends), strict=True)
        return {sensor.name: slice(*place) for sensor, place in places}

    @cached_property
    def simulated(self) -> tuple[Machine, ...]:
        """The models that take part."""
        return tuple(machine for machine in self.machines if machine.is_simulated)

    @cached_property
    def names(self) -> Names:
        """The names of geometries, bodies and models."""
        return Names(self.machines, self.geometries, self.name)

    # -- contact --

    def contact_parameters(self, a: Geometry | str, b: Geometry | str) -> ContactParameters:
        """What holds where two geometries touch: the strongest rule that names them.

        The order of the two, and of the names in a rule, does not matter.  Rules are looked up in
        this order: for geometry and geometry; for a geometry or body and the other's model; for the
        two models.  Then for a geometry and the other's body; for the two bodies; for all pairs.
        Without any, contact is without friction and without rebound.

        Parameters
        ----------
        a, b : str or Geometry
            The two of them.

        Returns
        -------
        parameters : ContactParameters
            What holds for the two.
        """
        return self._rule(a, b) or UNSAID

    def says_of_contact(self, a: Geometry | str, b: Geometry | str) -> bool:
        """Whether contact parameters speak of two geometries.

        Parameters
        ----------
        a, b : str or Geometry
            The two of them.

        Returns
        -------
        claim : bool
            Whether there is a rule.
        """
        return self._rule(a, b) is not None

    def has_rule_of_pair(self, a: Geometry | str, b: Geometry | str) -> bool:
        """Whether a rule names two geometries, or bodies of theirs, and no whole model.

        Parameters
        ----------
        a, b : str or Geometry
            The two of them.

        Returns
        -------
        claim : bool
            Whether there is one.
        """
        first, second = (self._side(key, x) for key, x in (("a", a), ("b", b)))
        (g1, b1, _), (g2, b2, _) = self.names.sides(first), self.names.sides(second)
        named = ((g1, g2), (g1, b2), (b1, g2), (b1, b2))
        return any(frozenset(pair) in self._rules for pair in named)

    def _rule(self, a: Geometry | str, b: Geometry | str) -> ContactParameters | None:
        first, second = (self._side(key, x) for key, x in (("a", a), ("b", b)))
        for pair in pairs(self.names.sides(first), self.names.sides(second)):
            if pair in self._rules:
                return self._rules[pair]
        return None

    def _side(self, key: str, side: Geometry | str) -> Geometry:
        if isinstance(side, Geometry):
            return side
        return self._geometries[known(side, self._geometries, f"geometry as {key}", self._here)]

    @cached_property
    def disabled_geometries(self) -> frozenset[tuple[int, int]]:
        """Pairs of geometries, by index and in rising order, that never touch."""
        out = set()
        for pair in self.disabled_pairs:
            sides = (self.names.geometries(x, "disabled pair") for x in (pair.a, pair.b))
            for i, j in product(*sides):
                if i != j:
                    out.add((min(i, j), max(i, j)))
        return frozenset(out)

    def bodies_of(self, force: ForceElement) -> tuple[tuple[str, str], ...]:
        """The ``(machine, link)`` pairs that a force acts on, those of `simulated` models only.

        Parameters
        ----------
        force : force element
            One of the scene's forces.

        Returns
        -------
        bodies : tuple of (str, str)
            Names ``(machine, link)``.
        """
        active = {machine.name for machine in self.simulated}
        if force.bodies is None:
            return tuple((m.name, link) for m in self.simulated for link in m.link_names)
        found = self.names.bodies(force.bodies, f"force '{force.name}'")
        return tuple(dict.fromkeys((m, link) for _, m, link in found if m in active))

    # -- the whole as one model --

    @cached_property
    def model(self) -> Model:
        """All models as one, for pictures and energies; names get ``machine/`` before.

        Its coordinates are those of `q0`: for each model in turn.
        """
        return self._forest[0]

    @cached_property
    def q0(self) -> tuple[float, ...]:
        """The start of `model`."""
        return self._forest[1]

    @cached_property
    def qd0(self) -> tuple[float, ...]:
        """The velocity of `model` at the start."""
        return self._forest[2]

    @cached_property
    def programs(self) -> dict[Any, Any]:
        """Programs compiled for this scene, cached for its lifetime."""
        return {}

    @cached_property
    def _forest(self) -> tuple[Model, Start, Start]:
        return combined_model(self)

    # -- checks --

    def check_complete(self) -> None:
        """Check what may be said before the rest of a scene exists; simulations do so first.

        Raises
        ------
        ModelError
            For contact parameters of a name that is not in the scene, and for a geometry without
            a shape where no plug-in finds contacts.
        """
        _ = self._rules
        if any(plugin.kind == "collision" for plugin in self.plugins):
            return
        for geometry in self.geometries:
            if geometry.shape is None:
                where = f"geometry '{geometry.name}', {self._here}"
                raise ModelError(f"expected a shape, got none and no plug-in ({where})")

    @property
    def _here(self) -> str:
        return f"scene '{self.name}'"

    @cached_property
    def _machines(self) -> dict[str, Machine]:
        return {machine.name: machine for machine in self.machines}

    @cached_property
    def _geometries(self) -> dict[str, Geometry]:
        return {geometry.name: geometry for geometry in self.geometries}

    @cached_property
    def _rules(self) -> dict[frozenset[Key], ContactParameters]:
        rules: dict[frozenset[Key], ContactParameters] = {}
        for each in self.contacts:
            if each.a is None or each.b is None:
                rules[ANY] = each
                continue
            named = (("a", each.a), ("b", each.b))
            sides = (self.names.find(x, f"{key} of a contact") for key, x in named)
            rules.update((frozenset(pair), each) for pair in product(*sides))
        return rules

    def _add_those_of_models(self) -> None:
        """Tendons and actuators of the models, unless they are here already."""
        for machine in self.machines:
            model = machine.model
            if not (model.tendons or model.actuators):
                continue
            found = renamed_all(model.tendons, model.actuators, *[_prefixed(machine)] * 3)
            for key, parts in zip(("tendons", "actuators"), found, strict=True):
                own = getattr(self, key)
                names = {each.name for each in own}
                more = tuple(each for each in parts if each.name not in names)
                object.__setattr__(self, key, own + more)

    def _check_body(self, body: Sequence[str], where: str) -> Machine:
        machine = self._machines[known(body[0], self._machines, "model", where)]
        known(body[1], machine.link_names, f"body of model '{machine.name}'", where)
        return machine

    def _check_bodies(self) -> None:
        for geometry in self.geometries:
            where = f"geometry '{geometry.name}', {self._here}"
            self._check_body((geometry.machine, geometry.body), where)

    def _check_couplings(self) -> None:
        for kind, parts in (("loop", self.loops), ("spring", self.springs)):
            for each in parts:
                for body in (each.a, each.b):
                    if body is not None:
                        self._check_body(body, f"{kind} '{each.name}', {self._here}")
        for gear in self.gears:
            where = f"gear '{gear.name}', {self._here}"
            for machine, joint in (gear.a, gear.b):
                owner = self._machines[known(machine, self._machines, "model", where)]
                joints = {each.name: each for each in owner.model.joints}
                refuse_follower(joint, owner.model, where)
                known(joint, joints, f"joint of model '{machine}'", where)
                if joints[joint].kind.nv != 1:
                    raise ModelError(
                        f"expected joints of one axis, got the {joints[joint].kind.name} joint "
                        f"'{joint}' ({where})"
                    )

    def _check_names(self) -> None:
        for pair in self.disabled_pairs:
            for side in (pair.a, pair.b):
                self.names.find(side, f"{'a' if side is pair.a else 'b'} of a disabled pair")
        for force in self.forces:
            for body in bodies_named(force):
                self.names.find(body, f"force '{force.name}'")
        for machine, _ in self.dissipation.factors if self.dissipation else ():
            known(machine, self._machines, "model", f"dissipation, {self._here}")
        check_plugins(self)

    # -- identity --

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: self.__dict__[f.name] for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _repr_html_(self) -> str:
        """A table of the models and bodies, in a notebook."""
        heads = ("model", "links", "degrees of freedom", "mass [kg]", "shapes")
        more = len(self.machines) - MOST_LINES
        rest = f"... and {more} more models" if more > 0 else ""
        return table(repr(self), heads, map(self._cells, self.machines[:MOST_LINES]), rest)

    def _cells(self, machine: Machine) -> tuple[str, ...]:
        model = machine.model
        shapes = sum(each.machine == machine.name for each in self.geometries)
        counts = (len(model.links), model.nv, f"{model.mass:g}", shapes)
        return machine.name, *map(str, counts)

    def __repr__(self) -> str:
        kinds = ("machines", "geometries", "loops", "gears")
        parts = ", ".join(f"{len(getattr(self, kind))} {kind}" for kind in kinds)
        return f"Scene('{self.name}', {parts})"


def _prefixed(machine: Machine) -> Callable[[str], str]:
    """From a name in a model to that in the scene's."""
    return lambda name: f"{machine.name}/{name}"
