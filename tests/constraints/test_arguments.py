"""What constraints and their functions refuse: by the argument's name, with what came."""

from __future__ import annotations

import datetime
from functools import partial
from typing import Any

import numpy as np
import pytest

import polhode as ph
from constraints.machines import PIN_X, closed, constrained_state, standing
from models import at, four_bar, walker
from polhode.api.constraints_solve import solve_direct, solve_null_space
from polhode.constraints import ConstraintSet, Contact
from polhode.errors import ArgumentError, ModelError, ShapeError
from polhode.spatial import Mat3, Transform, Vec3

MODEL = walker()
FEET = standing(MODEL)
BAR = four_bar()
Q, QD, TAU = constrained_state(MODEL, 1)
ONES = np.ones(FEET.n_rows)


def nested(depth: int) -> list:
    return [nested(depth - 1)] if depth else [0.0]


class Fails:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("secret")


def arrays(length: int) -> dict[str, Any]:
    """What holds no real numbers, of a length that would fit."""
    row = np.zeros(length)
    return {
        "text": "abc", "texts": ["1.0"] * length, "text array": np.full(length, "1"),
        "bytes": np.full(length, b"1"), "complex": row + 0j, "imaginary": row + 1j,
        "None": [None] * length, "datetime": np.zeros(length, "M8[s]"),
        "durations": np.zeros(length, "m8[s]"), "objects": np.full(length, object()),
        "masked": np.ma.array(row, mask=np.arange(length) == 0), "dict": {0: 1.0}, "set": {1.0},
        "records": np.zeros(length, [("x", float)]), "64 axes": np.zeros((1,) * 63 + (length,)),
        "70 levels": nested(70), "ragged": [[0.0], [0.0, 1.0]], "generator": (x for x in row),
        "date": datetime.date(2020, 1, 1), "huge": [10**400] * length, "fails": Fails(),
        "function": len, "type": float, "long": "x" * 10**5,
        "wide": np.full(length, np.finfo(np.longdouble).max),
    }  # fmt: skip


STATE = {"q": MODEL.nq, "qd": MODEL.nv, "tau": MODEL.nv, "v_plus": 6, "force": 6, "qdd": MODEL.nv}
VALUES = {"q": Q, "qd": QD, "tau": TAU, "v_plus": ONES, "force": ONES, "qdd": QD}
FUNCTIONS = {
    "direct": (ph.constrained_dynamics, "q qd tau", {"method": "direct"}),
    "null space": (ph.constrained_dynamics, "q qd tau", {"method": "null_space"}),
    "impact": (ph.constraint_impulses, "q qd v_plus", {"method": "direct"}),
    "inverse": (
        ph.constraints.constrained_inverse_dynamics,
        "q qd qdd",
        {"actuated": [True] * MODEL.nv},
    ),
    "actuated": (ph.constraints.is_fully_actuated, "q", {"actuated": [True] * MODEL.nv}),
    "forces": (ph.constraints.constraint_forces, "q force", {}),
    "report": (ph.constraints.constraint_report, "q", {}),
    "assemble": (ph.assemble, "q qd", {"max_iterations": 2}),
}


def refused(call: Any, name: str) -> str:
    """The message of the error, which is polhode's and names the argument in one line."""
    with pytest.raises(ArgumentError) as error:
        call()
    message = str(error.value)
    assert name in message
    assert message.isprintable()
    assert len(message) < 1000
    return message


@pytest.mark.parametrize("case", FUNCTIONS)
@pytest.mark.parametrize("kind", arrays(1))
def test_arrays_without_real_numbers(case, kind):
    """Every array argument of every function, one at a time."""
    function, names, options = FUNCTIONS[case]
    for name in names.split():
        given = {k: VALUES[k] for k in names.split()} | {name: arrays(STATE[name])[kind]}
        message = refused(lambda given=given: function(MODEL, FEET, **given, **options), name)
        assert "expected" in message


@pytest.mark.parametrize("case", FUNCTIONS)
def test_real_numbers_of_any_kind(case):
    """Lists, float32, wide floats, masked arrays without masks: the numbers that they are."""
    function, names, options = FUNCTIONS[case]
    given = {k: np.round(VALUES[k], 3).astype(np.float32) for k in names.split()}
    expected = function(MODEL, FEET, **{k: x.astype(float) for k, x in given.items()}, **options)
    ways = [np.ndarray.tolist, np.asarray, np.ma.array, lambda x: x.astype(np.longdouble)]
    ways.append(lambda x: np.repeat(x, 2)[::2])
    for way in ways:
        found = function(MODEL, FEET, **{k: way(x) for k, x in given.items()}, **options)
        assert repr(found) == repr(expected)


def test_shapes_and_batches():
    """Lengths, and batch axes that do not broadcast, of the functions that are not programs."""
    many, rows = (np.zeros((3, 12)), np.zeros((2, 12))), np.zeros((2, 6))
    for method in ("direct", "null_space"):
        motion = partial(ph.constrained_dynamics, MODEL, FEET, Q, method=method)
        impact = partial(ph.constraint_impulses, MODEL, FEET, Q, method=method)
        text = refused(partial(motion, QD, TAU[:1]), "tau")
        assert "nv = 12 on the last axis of tau, got 1" in text
        refused(partial(motion, *many), "tau")
        refused(partial(impact, many[0], rows), "v_plus")
    mask = [True] * 12
    text = refused(
        lambda: ph.constraints.constrained_inverse_dynamics(MODEL, FEET, Q, *many, mask), "qdd"
    )
    assert "batch axes that broadcast, got q (), qd (3,), qdd (2,)" in text
    refused(
        lambda: ph.constraints.constraint_forces(MODEL, FEET, np.zeros((3, 13)), np.zeros((2, 6))),
        "force",
    )
    refused(lambda: ph.assemble(MODEL, FEET, np.zeros((3, 13)), np.zeros((2, 12))), "qd")


SYSTEM = {"H": np.eye(4), "f": np.ones(4), "G": np.ones((2, 4)), "b": np.ones(2)}


@pytest.mark.parametrize("solve", [solve_direct, solve_null_space])
def test_matrices_of_solvers(solve):
    """Compiled code does not look at lengths, so they are checked before."""
    assert solve(**SYSTEM)[0].shape == (4,)
    wrong = {"H": [np.eye(3), np.ones((4, 1)), np.ones(4)], "f": [np.ones(1), 1.0, np.ones(5)],
             "G": [np.ones((2, 3)), np.ones(4)], "b": [np.ones(1), 2.0, np.ones(3)]}  # fmt: skip
    for name, values in wrong.items():
        for value in (*values, *arrays(4).values()):
            with pytest.raises(ShapeError):
                solve(**{**SYSTEM, name: value})


OUTS = {
    "list": [np.zeros(12), np.zeros(6)],
    "text": (np.full(12, "a"), np.zeros(6)),
    "integers": (np.zeros(12, int), np.zeros(6)),
    "complex": (np.zeros(12, complex), np.zeros(6)),
    "short": (np.zeros(11), np.zeros(6)),
    "one": (np.zeros(12),),
    "wider": (np.zeros((1, 12)), np.zeros((1, 6))),
    "read-only": (np.broadcast_to(0.0, (12,)), np.zeros(6)),
    "number": 1.0,
    "object": object(),
}


@pytest.mark.parametrize("kind", OUTS)
@pytest.mark.parametrize("method", ["direct", "null_space"])
def test_out(method, kind):
    """Refused before anything is written."""
    out = OUTS[kind]
    before = [np.array(x) for x in out] if isinstance(out, tuple) else []
    refused(lambda: ph.constrained_dynamics(MODEL, FEET, Q, QD, TAU, method=method, out=out), "out")
    refused(lambda: ph.constraint_impulses(MODEL, FEET, Q, QD, method=method, out=out), "out")
    for a, b in zip(before, out if before else [], strict=True):
        np.testing.assert_array_equal(a, b)


OTHERS = [None, 1j, [1.0], {}, object(), len, "1", np.zeros(3)]


@pytest.mark.parametrize("value", OTHERS, ids=lambda x: type(x).__name__)
def test_arguments_that_are_no_arrays(value):
    """Methods, flags, masks, tolerances, counts, weights."""
    state = MODEL, FEET, Q, QD
    refused(lambda: ph.constrained_dynamics(*state, TAU, method=value), "method")
    refused(lambda: ph.constraint_impulses(*state, method=value), "method")
    mask = [True] * 12
    inverse = ph.constraints.constrained_inverse_dynamics
    refused(lambda: inverse(*state, QD, mask, relaxed=value), "relaxed")
    refused(lambda: inverse(*state, QD, value), "actuated")
    refused(lambda: ph.constraints.is_fully_actuated(*state[:3], value), "actuated")
    refused(
        lambda: ph.constraints.constraint_forces(*state[:3], ONES, in_base_axes=value),
        "in_base_axes",
    )
    refused(lambda: ph.assemble(*state[:3], tolerance=value), "tolerance")
    refused(lambda: ph.assemble(*state[:3], max_iterations=value), "max_iterations")
    if value is not None:
        refused(lambda: ph.assemble(*state[:3], weights=value), "weights")
    if value is not None and not isinstance(value, (list, np.ndarray)):
        refused(lambda: inverse(*state, QD, mask, relaxed=True, weight=value), "weight")


def test_weights_and_counts():
    """Numbers that are none of a kind."""
    refused(lambda: ph.assemble(MODEL, FEET, Q, weights=np.full(12, np.inf)), "weights")
    refused(lambda: ph.assemble(MODEL, FEET, Q, weights=np.full(12, np.nan)), "weights")
    refused(lambda: ph.assemble(MODEL, FEET, Q, max_iterations=2.5), "max_iterations")
    refused(lambda: ph.assemble(MODEL, FEET, Q, tolerance=np.nan), "tolerance")


FIELDS = {
    "point": lambda x: FEET.contact("trunk", x, (0, 0, 1)),
    "normal": lambda x: FEET.contact("trunk", (0, 0, 0), x),
    "ground": lambda x: FEET.contact("trunk", (0, 0, 0), (0, 0, 1), ground=x),
    "axis": lambda x: closed(BAR, x),
}


@pytest.mark.parametrize("field", FIELDS)
def test_vectors_of_constraints(field):
    """Points, normals and axes: kinds, lengths, numbers that are not finite."""
    length = 6 if field == "axis" else 3
    bad = list(arrays(length).values())
    bad += [-1, 1.0, True, np.array(1.0), np.zeros(length + 1), [np.nan] * length, [], [[]]]
    bad += [[np.inf] * length, np.zeros((2, length, length)), np.ones((2, length - 1))]
    bad += [None] if field != "ground" else []
    for value in bad:
        refused(lambda value=value: FIELDS[field](value), field)


def test_vectors_that_are_taken():
    """Records, arrays of any type, and rows of them."""
    up = ph.constraints.ConstraintSet(MODEL).contact("trunk", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    for point, normal in (
        (Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0)),
        (np.zeros(3, int), np.array([0, 0, 1], np.float32)),
        ([0] * 3, [[0, 0, 1]]),
        ((0, 0, 0), [Vec3(0.0, 0.0, 1.0)]),
        (range(1) and [0.0] * 3, np.ma.array([[0.0, 0.0, 1.0]])),
    ):
        assert ph.constraints.ConstraintSet(MODEL).contact("trunk", point, normal) == up
    three = ConstraintSet(MODEL).contact("trunk", (0, 0, 0), np.eye(3), name="belly")
    assert three.names == ("belly", "", "")
    assert three.constraints[2].normal == (0.0, 0.0, 1.0)
    assert all(type(x) is float for x in three.constraints[0].normal)


@pytest.mark.parametrize("value", [True, 1j, [1], b"1", {}, object(), len, "1", np.zeros(3)],
                         ids=lambda x: type(x).__name__)  # fmt: skip
def test_numbers_names_and_frames_of_constraints(value):
    """Whatever is none is refused by its name."""
    here = at(0.0)

    def contact(**options):
        return FEET.contact("trunk", (0, 0, 0), (0, 0, 1), **options)

    refused(lambda: contact(normal_acceleration=value), "normal_acceleration")
    refused(lambda: contact(stabilization=value), "stabilization")
    refused(lambda: contact(id=value), "id")
    refused(lambda: ConstraintSet(BAR).loop(0, 1, value, here, PIN_X), "X_predecessor")
    refused(lambda: ConstraintSet(BAR).loop(0, 1, here, value, PIN_X), "X_successor")
    refused(lambda: ConstraintSet(MODEL, value), "constraints")
    refused(lambda: ConstraintSet(MODEL, [value]), "constraints")
    refused(lambda: ConstraintSet.from_records(MODEL, value), "records")
    refused(lambda: FEET.custom(value, lambda m, q, qd: ([], [], [])), "n_rows")
    refused(lambda: ConstraintSet(value), "Model")
    if not isinstance(value, str):
        refused(lambda: contact(name=value), "name")
        refused(lambda: FEET.group(value), "name")
        refused(lambda: ConstraintSet.declared(MODEL, value), "name")
    if not callable(value):
        refused(lambda: FEET.custom(1, value), "function")
    if not isinstance(value, bool):  # a body's number, as Python has it
        refused(lambda: FEET.contact(value, (0, 0, 0), (0, 0, 1)), "body")
        refused(lambda: ConstraintSet(BAR).loop(value, 1, here, here, PIN_X), "body")
        refused(lambda: ConstraintSet(BAR).loop(0, value, here, here, PIN_X), "body")
    with pytest.raises(TypeError):
        FEET + value


def test_frames_that_turn_nothing():
    """Matrices that reflect, stretch or are no matrices, and origins that are not finite."""
    reflected = Mat3.of([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]])
    stretched = Mat3.of([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]])
    nothing = Mat3.of([[np.nan, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    for E, text in ((reflected, "a reflection"), (stretched, "off by 3"), (nothing, "got nan")):
        frame = Transform(E, Vec3.zero())
        message = refused(
            lambda frame=frame: ConstraintSet(BAR).loop(0, 1, frame, at(0.0), PIN_X),
            "X_predecessor",
        )
        assert text in message
    for frame in (
        at(np.inf),
        Transform(np.eye(3), Vec3.zero()),
        Transform(Mat3.identity(), [0] * 3),
    ):  # type: ignore[arg-type]
        refused(lambda f=frame: ConstraintSet(BAR).loop(0, 1, at(0.0), f, PIN_X), "X_successor")


def test_records_made_by_hand():
    """Bodies of records are looked up when the set is first used."""
    nobody = ConstraintSet(MODEL, (Contact(99, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),))
    with pytest.raises(ModelError, match="expected a body from 0 to 8"):
        ph.constraints.constraint_jacobian(MODEL, nobody, Q)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (None, r"expected \(G, gamma, error\) from the function, got None \(constraint 'own'"),
        (([[1.0, 0.0, 0.0]], [0.0]), "from the function, got tuple"),
        (([{0: 1.0}], [0.0], [0.0]), "scalars as each row of G, got dict"),
        ((1.0, [0.0], [0.0]), "rows as G, got 1.0"),
        (([[1.0, 0.0]], [0.0], [0.0]), "expected nv = 3 scalars in each row of G, got 2"),
        (([[1.0, 0.0, 0.0]] * 2, [0.0], [0.0]), "expected n_rows = 1 in G, got 2"),
        (([[1.0, 0.0, 0.0]], [0.0, 0.0], [0.0]), "expected n_rows = 1 in gamma, got 2"),
        (([[1.0, 0.0, 0.0]], [0.0], []), "expected n_rows = 1 in error, got 0"),
    ],
)
def test_what_a_function_of_rows_returns(result, words):
    """A dict was read as its keys, and another number of rows was taken."""
    model = four_bar()
    rows = ConstraintSet(model).custom(1, lambda model, q, qd: result, name="own")
    with pytest.raises(ph.ArgumentError, match=words):
        ph.constrained_dynamics(model, rows, np.zeros(3), np.zeros(3), np.zeros(3))
