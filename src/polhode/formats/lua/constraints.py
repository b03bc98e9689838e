"""``constraint_sets`` of a Lua model to records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from ...model import Constraint, ContactConstraint, LoopConstraint
from ...model.declared import Six
from ...model.records import Triple
from ...spatial import Mat3, Transform, Vec3
from ..names import near, shorten
from .fields import TableFields
from .frames import IDENTITY, ROOT, note_rotation

MAX_SETS = 10_000
ZERO3, ZERO6 = (0.0, 0.0, 0.0), (0.0,) * 6
COMMON_KEYS = ("constraint_type", "name", "id", "stabilization_parameter", "enable_stabilization")
CONTACT_KEYS = ("body", "point", "point_name", "normal", "normal_sets", "normal_acceleration")
LOOP_KEYS = (
    *("predecessor_body", "successor_body", "predecessor_local_frame", "successor_local_frame"),
    *("predecessor_transform", "successor_transform", "sucessor_transform", "axis", "axis_sets"),
)


def read_constraint_sets(
    model: TableFields, bodies: frozenset[str]
) -> dict[str, tuple[Constraint, ...]]:
    """Rows by the name of their set, sorted by name since Lua keeps no order of keys."""
    sets = model.fields("constraint_sets")
    if sets is None:
        return {}
    if sets.table.array or sets.table.other:
        raise sets.error("", "expected a name for every set, found an entry without one")
    if len(sets.table.keys) > MAX_SETS:
        raise sets.error("", f"expected at most {MAX_SETS}, found {len(sets.table.keys)}")
    places = _Places(model, bodies)
    read = {}
    for name in sorted(sets.table.keys):
        rows = [entry.named("constraint") for entry in sets.entries(name)]
        read[name] = tuple(row for entry in rows for row in _constraint(entry, places))
    return read


class _Places:
    """The model's bodies, named points and named frames."""

    def __init__(self, model: TableFields, bodies: frozenset[str]) -> None:
        self.bodies = bodies | {ROOT}
        self.points = _by_name(model, "points")
        self.frames = _by_name(model, "local_frames")

    def body(self, entry: TableFields, key: str) -> str:
        """The name of a body, which must be there."""
        name = entry.text(key)
        if name not in self.bodies:
            raise entry.error(key, f"no body '{shorten(name)}'{near(name, self.bodies)}")
        return name


def _by_name(model: TableFields, key: str) -> Mapping[str, TableFields]:
    return {entry.text("name"): entry.named("entry") for entry in model.entries(key)}


def _constraint(entry: TableFields, places: _Places) -> tuple[Constraint, ...]:
    kind = entry.text("constraint_type")
    if kind == "contact":
        entry.note_unknown((*COMMON_KEYS, *CONTACT_KEYS))
        return _contact(entry, places)
    if kind == "loop":
        entry.note_unknown((*COMMON_KEYS, *LOOP_KEYS))
        return _loop(entry, places)
    raise entry.error(
        "constraint_type",
        f"expected 'contact' or 'loop', found '{shorten(kind)}'{near(kind, ('contact', 'loop'))}",
    )


def _contact(entry: TableFields, places: _Places) -> tuple[ContactConstraint, ...]:
    if entry.has("point_name"):
        source = _lookup(entry, "point_name", places.points, "points")
        _check_either(entry, "point_name", "body", "point")
    else:
        source = entry
    return tuple(
        ContactConstraint(
            places.body(source, "body"),
            source.triple("point", ZERO3),
            cast(Triple, normal),
            entry.text("name", ""),
            entry.number("normal_acceleration", 0.0),
            _user_id(entry),
        )
        for normal in _rows(entry, "normal", "normal_sets", ZERO3)
    )


def _loop(entry: TableFields, places: _Places) -> tuple[LoopConstraint, ...]:
    if entry.has("sucessor_transform") and entry.has("successor_transform"):
        raise entry.error("sucessor_transform", "also given as successor_transform")
    spelling = "sucessor_transform" if entry.has("sucessor_transform") else "successor_transform"
    predecessor, predecessor_frame = _end(entry, places, "predecessor", "predecessor_transform")
    successor, successor_frame = _end(entry, places, "successor", spelling)
    return tuple(
        LoopConstraint(
            predecessor,
            successor,
            predecessor_frame,
            successor_frame,
            cast(Six, axis),
            entry.text("name", ""),
            _stabilization(entry),
            _user_id(entry),
        )
        for axis in _rows(entry, "axis", "axis_sets", ZERO6)
    )


def _end(entry: TableFields, places: _Places, end: str, transform: str) -> tuple[str, Transform]:
    """One end of a loop: a body and a frame on it."""
    named = f"{end}_local_frame"
    if entry.has(named):
        _check_either(entry, named, f"{end}_body", transform)
        frame = _lookup(entry, named, places.frames, "local_frames")
        return places.body(frame, "body"), _frame(frame)
    inner = entry.fields(transform)
    body = places.body(entry, f"{end}_body")
    return body, Transform.identity() if inner is None else _frame(inner)


def _frame(place: TableFields) -> Transform:
    r = place.triple("r", ZERO3)
    E = place.square("E", IDENTITY)
    note_rotation(place, "E", E)
    return Transform(Mat3.of(E).T, Vec3(*r))


def _lookup(
    entry: TableFields, key: str, known: Mapping[str, TableFields], table: str
) -> TableFields:
    name = entry.text(key)
    if name not in known:
        raise entry.error(key, f"no '{shorten(name)}' in {table}{near(name, known)}")
    return replace(known[name], owner=entry.owner, line=entry.line)


def _check_either(entry: TableFields, key: str, *others: str) -> None:
    for other in others:
        if entry.has(other):
            raise entry.error(other, f"given although {key} names it already")


def _rows(
    entry: TableFields, key: str, key_of_several: str, default: tuple[float, ...]
) -> tuple[tuple[float, ...], ...]:
    """The directions of a constraint; one of zeros, as the manual says, if there is none."""
    if entry.has(key_of_several):
        _check_either(entry, key_of_several, key)
        return entry.matrix(key_of_several, None, len(default))
    row = entry.vector(key, len(default), default)
    if not any(row):
        entry.note("doubtful", key, "zero: the constraint does nothing")
    return (row,)


def _stabilization(entry: TableFields) -> float | None:
    time = entry.number("stabilization_parameter", 0.1)
    if not entry.flag("enable_stabilization"):
        return None
    if time <= 0.0:
        raise entry.error("stabilization_parameter", f"expected a positive time, found {time:g}")
    return time


def _user_id(entry: TableFields) -> int | None:
    if not entry.has("id"):
        return None
    number = entry.number("id", 0.0)
    if number != int(number):
        raise entry.error("id", f"expected a whole number, found {number:g}")
    return int(number)
