"""What the arguments of algorithms are, known by their names: the one table of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..model import Model, PerBody
from ..spatial import Vec3

Shape = tuple[int, ...]


class Role(NamedTuple):
    """What an argument is.

    Attributes
    ----------
    shape : callable or None
        Its core shape for a model; None if only the caller knows it.
    split : callable
        From nested scalars to what an algorithm expects.
    join : callable or None
        From values for each body to nested scalars; None if there are no such values.
    size : str
        What stands before the core shape in messages.
    note : str
        What stands behind the name in messages.
    """

    shape: Callable[[Model], Shape] | None = None
    split: Callable[[Any, Model], Any] = lambda values, _: values
    join: Callable[[Any, Model], Any] | None = None
    size: str = ""
    note: str = ""

    def expected(self, shape: Shape) -> str:
        """The core shape in messages."""
        numbers = ", ".join(map(str, shape))
        if not self.size:
            return f"{numbers} on the last axis"
        if len(shape) != 1:
            return f"{self.size} = {shape} on the last axes"
        return f"{self.size} = {numbers} on the last axis"


def _split_wrenches(values: Any, model: Model) -> PerBody:
    return {i: tuple(values[i - 1]) for i in model.bodies}


def _join_wrenches(values: Any, model: Model) -> list[Any]:
    return [list(values[i]) for i in model.bodies]


def _split_q_beyond(values: Any, model: Model) -> PerBody:
    """Positions without those of the base, whose quaternion has its w at the end."""
    index = {i: [k - 6 if k < model.nv else k - 7 for k in model.q_index[i]]
             for i in model.bodies[2:]}  # fmt: skip
    return {i: tuple(values[k] for k in index[i]) for i in index}


def _split_v_beyond(values: Any, model: Model) -> PerBody:
    return {i: tuple(values[k - 6] for k in model.v_index[i]) for i in model.bodies[2:]}


OTHER = Role()
POSITION = Role(
    lambda model: (model.nq,), lambda x, model: model.split_q(x), lambda x, model: model.join_q(x),
    "nq",
)  # fmt: skip
VELOCITY = Role(
    lambda model: (model.nv,), lambda x, model: model.split_v(x), lambda x, model: model.join_v(x),
    "nv",
)  # fmt: skip
WRENCHES = Role(lambda model: (model.n_bodies, 6), _split_wrenches, _join_wrenches, "(n_bodies, 6)")
CONTROLS = Role(lambda model: (model.n_controls,), size="n_controls")
ACTIVATION = Role(lambda model: (model.n_activations,), size="n_activations")
VECTOR = Role(lambda _: (3,), lambda x, _: Vec3.of(x))
SCALAR = Role(lambda _: ())
FLOATING_BASE = Role(lambda _: (13,))  # quaternion, position, velocity
Q_BEYOND = Role(lambda model: (model.nq - 7,), _split_q_beyond, size="nq - 7")
V_BEYOND = Role(lambda model: (model.nv - 6,), _split_v_beyond, size="nv - 6")
ROWS = Role(note=", one for each row")

KNOWN = {
    "q": POSITION, "q0": POSITION, "q1": POSITION,
    "qd": VELOCITY, "qdd": VELOCITY, "tau": VELOCITY, "v": VELOCITY,
    "controls": CONTROLS, "activation": ACTIVATION,
    "f_ext": WRENCHES, "point": VECTOR, "normal": VECTOR, "dt": SCALAR,
}  # fmt: skip
"""Parameters of functions that users compile."""

ROLES = KNOWN | {
    "x": FLOATING_BASE, "q_joints": Q_BEYOND,
    "qd_joints": V_BEYOND, "qdd_joints": V_BEYOND, "tau_joints": V_BEYOND,
    "v_plus": ROWS, "force": ROWS, "speed": SCALAR,
}  # fmt: skip
"""Those, and what only our own algorithms take."""


def shapes_of(model: Model, names: Iterable[str]) -> dict[str, Shape]:
    """The core shapes of arguments for a model, of those whose roles have one."""
    found = {name: role_of(name).shape for name in names}
    return {name: shape(model) for name, shape in found.items() if shape is not None}


def role_of(name: str) -> Role:
    """The role of an argument; `OTHER` for a name that has none."""
    return ROLES.get(name, OTHER)
