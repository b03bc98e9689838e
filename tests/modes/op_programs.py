"""Every program behind the public functions, and how many operations it takes.

The functions are called with arguments made by their parameters' names, and programs note
that they were asked for instead of running.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

import polhode as ph
from polhode.api.ground_contact import point_motions
from polhode.compiler import Program
from polhode.errors import ModelError
from polhode.model import Anchor, Model
from polhode.spatial import Transform

WITHOUT = (
    "base_parameters",
    "compliant_ground",
    "constraint_report",
    "explicit_state",
    "get_quaternion",
    "ground_contact_force",
    "identify",
    "inertial_parameters",
    "neutral",
    "parameters_of",
    "random_configuration",
    "set_quaternion",
    "with_inertial_parameters",
    "with_parameters",
)
"""Public functions that have no program, or only the regressor's."""

MODULES = (
    ph, ph.actuation, ph.constraints, ph.contact, ph.derivatives, ph.floating_base,
    ph.identification, ph.kinematics,
)  # fmt: skip
"""Where they are."""

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "forward_dynamics": [{"method": "crba"}],
    "constrained_dynamics": [{"method": "kokkevis"}],
    "constraint_impulses": [{"method": "kokkevis"}],
    "rollout": [{"integrator": "semi_implicit"}],
    "inverse_kinematics": [{"limits": True}],
}
"""Other ways to call a function that have programs of their own."""

ALWAYS = ("q", "qd", "qdd", "tau", "joint_forces")  # what is given even if it may be left out
OPTIONAL = ("f_ext", "v_plus", "constraints", "force")
"""What is given in a second call, if it may be left out."""

Counts = dict[str, dict[str, int]]


def public_functions() -> dict[str, Callable]:
    """The functions of the public interface by name, and one that `polhode.spatial_v2` calls."""
    every = {name: getattr(module, name) for module in MODULES for name in module.__all__}
    functions = {name: f for name, f in every.items() if inspect.isfunction(f)}
    of_models = {n: f for n, f in functions.items() if f.__module__.startswith("polhode.api.")}
    return of_models | {"point_motions": point_motions, "rollout": ph.rollout}


def counts(model: Model, names: list[str] | None = None) -> Counts:
    """Of each public function, the operations of its programs for a machine.

    What a machine cannot do, such as to float if it has no floating base, is left out.
    """
    found: Counts = {}
    for name, function in public_functions().items():
        if name in WITHOUT or (names is not None and name not in names):
            continue
        model.programs.clear()
        with _noted() as programs, suppress(ModelError):
            for arguments in _calls(name, function, model):
                function(**arguments)
        if programs:
            found[name] = _by_name(programs)
    return found


def _by_name(programs: list[Program]) -> dict[str, int]:
    rows: dict[str, int] = {}
    for program in programs:
        named = f"{program.name}, f_ext" if "f_ext" in program.inputs else program.name
        name, n = named, 2
        while name in rows:
            name, n = f"{named} {n}", n + 1
        rows[name] = program.ops
    return rows


@contextmanager
def _noted() -> Iterator[list[Program]]:
    """The programs that are called meanwhile, each once; results are zeros."""
    programs: list[Program] = []

    def call(self: Program, *arrays: Any, out: Any = None) -> Any:
        if not any(self is known for known in programs):
            programs.append(self)
        pairs = zip(arrays, self.inputs.values(), strict=True)
        batch = np.broadcast_shapes(*(np.shape(x)[: np.ndim(x) - len(s)] for x, s in pairs))
        results = tuple(np.zeros((*batch, *shape)) for shape in self.output_shapes)
        return results if len(results) > 1 else results[0]

    slow = property(lambda self: lambda *_: NotImplemented)
    ufunc = property(lambda self: partial(call, self))
    with (
        patch.object(Program, "__call__", call),
        patch.object(Program, "fast", slow),
        patch.object(Program, "ufunc", ufunc),
    ):
        yield programs


def _calls(name: str, function: Callable, model: Model) -> Iterator[dict[str, Any]]:
    """Arguments for a function: the least it takes, all it can take, and its variants."""
    parameters = inspect.signature(function).parameters
    known = _values(model, name)
    least = {k: known[k] for k, p in parameters.items() if p.default is p.empty or k in ALWAYS}
    extra = {k: known[k] for k in OPTIONAL if k in parameters and k not in least}
    for more in ({}, *([extra] if extra else []), *VARIANTS.get(name, ())):
        yield least | more


def _values(model: Model, name: str) -> dict[str, Any]:
    """A value for every parameter's name that the public functions use."""
    body, nv = model.n_bodies, model.nv
    zero = np.zeros(nv)
    here = Transform.identity()
    constraints = (
        ph.constraints.ConstraintSet(model)
        .contact(body, (0.0, 0.0, 0.1), (0.0, 0.0, 1.0))
        .loop(0, body, here, here, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
    )
    points = [(body, (0.1, 0.0, 0.0)), (body, (0.0, 0.1, 0.0))]
    targets = ph.kinematics.Targets(model).point(body, (0.0, 0.0, 0.1), (0.3, 0.0, 0.2))
    values = {
        "joint_forces": "none",
        "model": model, "constraints": constraints, "body": body, "targets": targets,
        "q": ph.neutral(model), "q0": ph.neutral(model), "q1": ph.neutral(model), "qd": zero,
        "qdd": zero, "tau": zero, "v": zero, "dt": 0.1, "x": np.eye(13)[0],
        "f_ext": np.zeros((body, 6)), "point": np.zeros(3), "normal": np.eye(3)[2],
        "points": points, "forward": [k % 2 == 0 for k in range(nv)], "actuated": [True] * nv,
        "ground": ph.contact.compliant_ground(1e4, 100.0, 0.5, model, points), "steps": 1,
        "v_plus": np.zeros(constraints.n_rows), "force": np.zeros(constraints.n_rows),
        "gamma": _geared,
    }  # fmt: skip
    if name == "actuator_forces" or name in ph.actuation.__all__:
        driven = _driven(model)
        values |= {"model": driven, "controls": np.zeros(driven.n_controls),
                   "activation": np.zeros(driven.n_activations)}  # fmt: skip
    if name.startswith("floating_base"):
        values |= {"q": np.zeros(max(model.nq - 7, 0))}
        values |= dict.fromkeys(("qd", "qdd", "tau"), zero[6:])
    return values


def _driven(model: Model) -> Model:
    """The model with a tendon to its last link, a motor and a filtered servo on all that turns."""
    path = [Anchor(None, (0.1, 0.2, 0.3)), Anchor(model.links[-1].name, (0.1, 0.0, 0.0))]
    model = model.add_tendon("line", path).add_motor("pull", tendon="line")
    for joint in model.joints:
        if joint.kind.nv == 1:
            model = model.add_motor(f"motor {joint.name}", joint=joint.name).add_position_servo(
                f"servo {joint.name}", joint=joint.name, kp=1.0, time_constant=0.1
            )
    return model


def _geared(q: Any, qd: Any) -> tuple:
    """All joints follow the first one, half as far each."""
    n = len(qd)
    G = [[0.5**k] for k in range(n)]
    follow = [q[0] * g for (g,) in G] + [1.0] * (len(q) - n)
    return follow, [qd[0] * g for (g,) in G], G, [0.0] * n
