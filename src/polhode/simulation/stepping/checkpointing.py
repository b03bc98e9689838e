"""The state of a simulator as a value, and its checkpoints: made, checked, and restored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...contact_problem.retries import MOST_DOUBLINGS, NEXT_PAUSE, PAUSE
from ...errors import ModelError, shown
from ...recording.checkpoint import Checkpoint
from ..motion_state import MotionState
from .counter_indices import TIME, WORK

if TYPE_CHECKING:
    from .contacts import Contacts, Near, NearLimits
    from .simulator import Simulator
    from .system import System

_CARRIED = ("coupling", "hinge_place", "loop_past", "held", "lag", "order", "counters", "totals",
            "tau", "wrench")  # fmt: skip
_FIELDS = ("position", "velocity", *_CARRIED)
_LATER = (
    "trials",
    "choices",
    "asked",
    "written",
    "contact_impulse",
)  # zero in checkpoints of earlier versions
_OF_TENDONS = ("tendon_past",)  # those of scenes with tendons that have limits or friction
_NEAR = {"contacts": (4,), "contact_reals": (20,), "limits": (), "limit_reals": (5,)}
# Columns of 'contact_reals' in checkpoints of earlier versions: without slip, without torques, with
# one acceleration of gaps for both that we have.
_WITHOUT_SLIP, _WITHOUT_TORQUE, _ONE_ACCEL = 12, 15, 19
_TOTALS = "totals"  # residuals among them may be infinite


def nothing_near() -> tuple[Contacts, NearLimits]:
    """No contacts and no limits."""
    from .contacts import N_REAL, Contacts, NearLimits

    return (
        Contacts(np.zeros((0, 4), np.int64), np.zeros((0, N_REAL))),
        NearLimits(np.zeros(0, np.int64), np.zeros((0, 5))),
    )


def near_of(contacts: Contacts, limits: NearLimits) -> Near:
    """Contacts and limits as the compiled loop takes them, and as much room again for more."""
    from .contacts import Near

    arrays = [np.concatenate([x, np.zeros_like(x)]) for x in (*contacts, *limits)]
    named = dict(zip(_NEAR, arrays, strict=True))
    return Near(n_contacts=len(contacts.whole), n_limits=len(limits.whole), **named)


def contacts_and_limits(simulator: Simulator) -> tuple[Contacts, NearLimits]:
    """The contacts and limits that are near: views."""
    from .contacts import Contacts, NearLimits

    near = simulator._near
    n, m = near.n_contacts, near.n_limits
    contacts = Contacts(near.contacts[:n], near.contact_reals[:n])
    return contacts, NearLimits(near.limits[:m], near.limit_reals[:m])


def state_of(simulator: Simulator) -> MotionState:
    """The state of a simulator, in the coordinates of the compiled loops."""
    fields = simulator._fields
    names = (*_CARRIED, *_LATER, *_of_tendons(fields))
    carried = {name: getattr(fields, name).copy() for name in names}
    if not simulator._is_fresh:
        carried |= _columns_of(contacts_and_limits(simulator))
        carried |= {name: x.copy() for name, x in simulator._integrator.memory.items()}
    time, work = simulator.current_time, float(fields.totals[WORK])
    return MotionState(time, fields.position.copy(), fields.velocity.copy(), work, carried)


def put_state(simulator: Simulator, state: MotionState) -> None:
    """Put a simulator into a state that `state_of` gave.

    A state made by hand may lack some entries: these stay as they are. Contacts and limits are
    looked for at the next step.
    """
    from .contacts import Contacts, NearLimits

    fields, carried = simulator._fields, state.carried
    for name in (*_CARRIED, *_LATER, *_of_tendons(fields)):
        if name in carried:
            getattr(fields, name)[...] = carried[name]
    fields.position[...], fields.velocity[...] = state.q, state.qd
    fields.totals[WORK] = state.work
    if state.time != fields.totals[TIME]:
        simulator._clock.set(state.time)
    memory = simulator._integrator.memory
    simulator._is_fresh = not {"contacts", *memory} <= carried.keys()
    for name in () if simulator._is_fresh else memory:
        memory[name][...] = carried[name]
    if simulator._is_fresh:
        simulator._near = near_of(*nothing_near())
    else:
        whole, real, limits, limit_reals = (carried[name] for name in _NEAR)
        simulator._near = near_of(Contacts(whole, real), NearLimits(limits, limit_reals))


def _of_tendons(fields: System) -> tuple[str, ...]:
    return _OF_TENDONS if len(fields.tendon_past) else ()


def _columns_of(near: tuple[Contacts, NearLimits]) -> dict[str, np.ndarray]:
    """Contacts and limits as arrays by name: copies."""
    columns = (x for part in near for x in part)
    return {name: x.copy() for name, x in zip(_NEAR, columns, strict=True)}


def checkpoint_of(simulator: Simulator) -> Checkpoint:
    """The state of a simulator, and that of its random generator."""
    state = state_of(simulator)
    arrays = {"position": state.q, "velocity": state.qd, **_columns_of(nothing_near())}
    arrays |= state.carried
    if simulator.scene.n_activations:
        arrays["activation"] = simulator.activation.copy()
    return Checkpoint(arrays, simulator._is_fresh, simulator._callables.rng.bit_generator.state)


def go_back(simulator: Simulator, checkpoint: Checkpoint) -> None:
    """Restore the state of a checkpoint, or raise and leave the simulator as it is.

    Raises
    ------
    ModelError
        If the checkpoint is of another scene, or damaged.
    """
    fields, where = simulator._fields, f"checkpoint of scene '{simulator.scene.name}'"
    if not isinstance(checkpoint, Checkpoint):
        raise ModelError(f"expected a Checkpoint, got {shown(checkpoint)} ({where})")
    names = (*_FIELDS, *_of_tendons(fields))
    kept = {name: _field(fields, checkpoint, name, where) for name in names}
    for name in _LATER:
        own = getattr(fields, name)
        is_kept = name in checkpoint.arrays
        kept[name] = _of_shape(checkpoint, name, own, where) if is_kept else np.zeros_like(own)
    if "written" not in checkpoint.arrays:  # of actuators, as a rule, and not set from outside
        kept["written"] = kept["tau"].copy()
    _check_order(kept["order"], where)
    for name in ("trials", "choices"):
        _check_trials(kept[name], name, where)
    near = {name: _near(checkpoint, name, where) for name in _NEAR}
    _check_near(fields, near, where)
    for name, own in simulator._integrator.memory.items():
        if name in checkpoint.arrays:  # not in those of another integrator
            near[name] = _of_shape(checkpoint, name, own, where)
    try:
        simulator._callables.rng.bit_generator.state = checkpoint.rng
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"expected the state of a random generator, got {error} ({where})") from (
            error
        )
    if simulator.scene.n_activations:
        activation = _of_shape(checkpoint, "activation", np.zeros(simulator.scene.n_activations),
                               where)  # fmt: skip
        simulator.activation = activation
    carried = kept if checkpoint.is_fresh else kept | near
    time, work = kept["totals"][[TIME, WORK]]
    put_state(simulator, MotionState(time, kept["position"], kept["velocity"], work, carried))
    contacts, limits = contacts_and_limits(simulator)
    simulator._near = near_of(_widened(fields, contacts), limits)


def _field(fields: System, checkpoint: Checkpoint, name: str, where: str) -> np.ndarray:
    """An array of the state; one of another shape is of another scene."""
    return _of_shape(checkpoint, name, getattr(fields, name), where)


def _of_shape(checkpoint: Checkpoint, name: str, own: np.ndarray, where: str) -> np.ndarray:
    """An array of the same shape as ``own``."""
    kept = checkpoint.arrays.get(name)
    if kept is None or np.shape(kept) != own.shape:
        got = "none" if kept is None else f"shape {np.shape(kept)}"
        raise ModelError(f"expected '{name}' of shape {own.shape}, got {got} ({where}); is it of "
                         "another scene?")  # fmt: skip
    return _checked(kept, own.dtype, name, where)


def _near(checkpoint: Checkpoint, name: str, where: str) -> np.ndarray:
    """An array of contacts or limits."""
    kept = checkpoint.arrays.get(name)
    earlier = (_WITHOUT_SLIP, _WITHOUT_TORQUE, _ONE_ACCEL) if name == "contact_reals" else ()
    known = [_NEAR[name], *((columns,) for columns in earlier)]
    if kept is None or np.ndim(kept) != 1 + len(_NEAR[name]) or np.shape(kept)[1:] not in known:
        got = "none" if kept is None else f"shape {np.shape(kept)}"
        wanted = ", ".join(["n", *map(str, _NEAR[name])])
        raise ModelError(f"expected '{name}' of shape ({wanted}), got {got} ({where})")
    return _checked(kept, np.dtype(float if "reals" in name else np.int64), name, where)


def _widened(fields: System, contacts: Contacts) -> Contacts:
    """The same contacts; those of an earlier version get the columns that they lack."""
    from .contact_detection import measure
    from .contacts import ACCEL, FREE_ACCEL, N_REAL, RESTITUTION, RULE, SPEED
    from .motion import update

    columns = contacts.real.shape[1]
    wide = contacts._replace(real=np.pad(contacts.real, ((0, 0), (0, N_REAL - columns))))
    if columns <= _ONE_ACCEL:
        rebounds = fields.rules[wide.whole[:, RULE], RESTITUTION] > 0.0
        wide.real[:, FREE_ACCEL] = np.where(rebounds, wide.real[:, ACCEL], 0.0)
        wide.real[:, ACCEL] = np.where(rebounds, 0.0, wide.real[:, ACCEL])
    if columns == _WITHOUT_SLIP:
        update(fields, fields.velocity)
        measure(fields, wide, nothing_near()[1], fields.velocity)
        wide.real[:, SPEED] = contacts.real[:, SPEED]
    return wide


def _checked(kept: Any, dtype: np.dtype, name: str, where: str) -> np.ndarray:
    """A copy, of finite numbers of the right kind."""
    kept = np.asarray(kept)
    if kept.dtype.kind != dtype.kind:
        wanted = "real numbers" if dtype.kind == "f" else "integers"
        raise ModelError(f"expected {wanted} in '{name}', got {kept.dtype} ({where})")
    if dtype.kind == "f" and name != _TOTALS and not np.isfinite(kept).all():
        place = np.argwhere(~np.isfinite(kept))[0].tolist()
        raise ModelError(f"expected finite numbers, got one that is not at {place} of '{name}' "
                         f"({where})")  # fmt: skip
    return np.array(kept, dtype, order="C")


def _check_order(order: np.ndarray, where: str) -> None:
    if not (np.sort(order) == np.arange(len(order))).all():
        raise ModelError(f"expected each geometry once in 'order', got {order.tolist()} ({where})")


def _check_trials(trials: np.ndarray, name: str, where: str) -> None:
    """Refuse pauses that the solver never makes."""
    longest = (1 << MOST_DOUBLINGS) - 1
    if (trials < 0).any() or (trials[:, [PAUSE, NEXT_PAUSE]] > longest).any():
        raise ModelError(
            f"expected pauses of 0 to {longest} steps in '{name}', got {trials.tolist()} ({where})"
        )


def _check_near(fields: System, near: dict[str, np.ndarray], where: str) -> None:
    """Refuse numbers of geometries, rules and limits outside the arrays that they index."""
    from .contacts import RULE, A, B

    for one, other in (("contacts", "contact_reals"), ("limits", "limit_reals")):
        if len(near[one]) != len(near[other]):
            raise ModelError(f"expected as many rows in '{one}' as in '{other}', got "
                             f"{len(near[one])} and {len(near[other])} ({where})")  # fmt: skip
    whole = near["contacts"]
    for column in (A, B):
        _check_range(whole[:, column], len(fields.surface_body), "geometries", "contacts", where)
    _check_range(whole[:, RULE], len(fields.rules), "rules", "contacts", where)
    _check_range(near["limits"], len(fields.limit_lower), "limits", "limits", where)


def _check_range(values: np.ndarray, count: int, what: str, name: str, where: str) -> None:
    wrong = np.flatnonzero((values < 0) | (values >= count))
    if len(wrong):
        raise ModelError(f"expected {what} 0 to {count - 1}, got {values[wrong[0]]} in row "
                         f"{wrong[0]} of '{name}' ({where})")  # fmt: skip
