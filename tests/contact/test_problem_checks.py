"""Hand-made contact problems that are wrong: clear errors, as compiled loops check no index."""

from __future__ import annotations

import numpy as np
import pytest

from contact.solver_problems import rows_on
from polhode import contact_problem as c
from polhode.errors import ArgumentError

SOLVERS = ["solve", "solve_convex", "solve_lcp", "impact"]


def two_bodies(presser=-1, torque_on=(0, 1)):
    """Two free bodies, a contact between them, and a torque that it may bound."""
    contact = np.hstack([np.eye(3), np.zeros((3, 3))])
    torque = np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]])
    sides = dict(zip((0, 1), (1.0, -1.0), strict=True))
    blocks = [
        (c.CONTACT, [(0, contact), (1, -contact)], {"mu": 0.5}),
        (c.BOX, [(j, sides[j] * torque) for j in torque_on], {"lower": -1.0, "upper": 1.0}),
    ]
    velocities = [[-1.0, 0.2, 0.0, 0.3, 0.0, 0.0], [0.0] * 6]
    rows = rows_on([1.0, 2.0], [0.1 * np.eye(3), 0.2 * np.eye(3)], velocities, blocks)
    return rows._replace(presser=np.array([-1, presser]), arm=np.array([0.0, 0.01]))


def call(name, rows, /, **given):
    """Call a solver; its residual, impulses and velocities."""
    x, v = np.zeros(rows.bias.size), np.zeros(rows.free.size)
    settings, report = c.solver_settings(), c.Report()
    arguments = {"rows": rows, "x": x, "v": v, "settings": settings, "report": report} | given
    if name == "impact":
        arguments = {"restitution": np.full(rows.kind.size, 0.5)} | arguments
    return getattr(c, name)(**arguments), arguments["x"], arguments["v"]


@pytest.mark.parametrize("name", SOLVERS)
def test_a_presser_has_the_nodes_of_its_torque(name):
    """Else the bound was that of another island, or the loops ended in a crash."""
    with pytest.raises(ArgumentError, match=r"expected nodes \[0, 1\] in block 1.*got \[1\]"):
        call(name, two_bodies(presser=0, torque_on=(1,)))


def test_a_contact_presses_its_torque():
    """Bounded by the arm times the normal impulse of two bodies that stop each other."""
    residual, x, _ = call("solve", two_bodies(presser=0))
    assert residual < 1e-8
    assert x[0] == pytest.approx(1.0 / (1.0 + 0.5), rel=1e-9)
    assert x[3] == pytest.approx(-0.01 * x[0], rel=1e-9)


def lopsided():
    """Masses of two bodies, of which the second has one entry beside the diagonal."""
    mass = np.array([np.eye(6), np.eye(6)])
    mass[1, 0, 4] = 0.5
    return mass.ravel()


WRONG = {
    "rows": (lambda rows: {"rows": None}, "expected ConstraintRows as rows"),
    "settings": (lambda rows: {"settings": {}}, "expected SolverSettings as settings"),
    "report": (lambda rows: {"report": None}, "expected Report as report"),
    "short x": (lambda rows: {"x": np.zeros(2)}, "expected 4 entries in x.*got 2"),
    "long v": (lambda rows: {"v": np.zeros(13)}, "expected 12 entries in v.*got 13"),
    "list": (lambda rows: {"x": [0.0] * 4}, "array of float64 with one axis as x, got list"),
    "type": (lambda rows: {"x": np.zeros(4, np.float32)}, "got float32"),
    "strides": (lambda rows: {"x": np.zeros(8)[::2]}, "not contiguous"),
}
FIELDS = {
    "nan": ({"bias": [np.nan, 0, 0, 0]}, r"finite number in bias\[0\], got nan"),
    "free": ({"free": np.full(12, np.inf)}, r"finite number in free\[0\]"),
    "node": ({"node": [0, 1, 0, 7]}, r"one of 2 nodes.* in node\[3\], got 7"),
    "twice": ({"node": [0, 0, 0, 1]}, r"each node once in block 0, got \[0, 0\]"),
    "kind": ({"kind": [9, 2]}, r"in kind\[0\], got 9"),
    "row": ({"row": [0, 2, 4]}, "expected sums from 0 on in row"),
    "segment": ({"segment": [0, 2, 50]}, "offsets in segment"),
    "value": ({"value": [0, 18, 36, 42, 900]}, "expected sums from 0 on in value"),
    "jacobian": ({"jacobian": np.zeros(3)}, "expected 48 entries in jacobian"),
    "mass": ({"mass": np.zeros(72)}, "positive definite mass matrix of node 0"),
    "lopsided": ({"mass": lopsided()}, "symmetric mass matrix of node 1"),
    "masses": ({"mass": np.eye(6).ravel()}, r"in node_mass\[1\], got 36"),
    "mu": ({"mu": [-0.5, 0.0]}, r"0 or more in mu\[0\], got -0.5"),
    "edges": ({"edges": [2, 0]}, r"in edges\[0\], got 2"),
    "box": ({"lower": [0.0, 2.0]}, r"expected lower or more in upper\[1\], got 1"),
    "presser": ({"presser": [-1, 77]}, "kind 3 .CONTACT. as presser of block 1, got 77"),
    "pressed": ({"presser": [1, -1]}, "expected -1 as presser of block 0 of kind 3"),
    "arm": ({"presser": [-1, 0], "arm": [0.0, -1.0]}, "0 or more as arm of block 1"),
    "trials": ({"trials": np.zeros((1, 4))}, "array of int64 with 2 axes as trials"),
    "factor": ({"factor": np.zeros(3)}, "expected 72 entries in factor"),
    "speed": ({"speed": [1.0, -1.0]}, r"0 or more in speed\[1\]"),
}


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_refused(name, case):
    """With what was expected, and what was got."""
    given, told = WRONG[case]
    with pytest.raises(ArgumentError, match=told):
        call(name, two_bodies(), **given(two_bodies()))


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("case", FIELDS)
def test_wrong_rows_are_refused(name, case):
    """Each with its place."""
    fields, told = FIELDS[case]
    rows = two_bodies()
    rows = rows._replace(**{field: np.asarray(value) for field, value in fields.items()})
    with pytest.raises(ArgumentError, match=told):
        call(name, rows)


@pytest.mark.parametrize("restitution", [[0.5], [0.5, 1.5], [np.nan, 0.5], [-0.1, 0.0]])
def test_restitution_is_from_0_to_1_for_each_block(restitution):
    """More would add energy."""
    with pytest.raises(ArgumentError, match="restitution"):
        call("impact", two_bodies(), restitution=np.array(restitution))


@pytest.mark.parametrize("seed", range(40))
def test_random_faults_end_in_errors_or_answers(seed):
    """Never in a crash; where numbers overflow, the residual tells it."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        rows = two_bodies(presser=int(rng.integers(-1, 1)))
        name = rng.choice([f for f, array in zip(rows._fields, rows, strict=True) if array.size])
        array = getattr(rows, name).copy()
        fault = rng.integers(3)
        if fault == 0:
            array = array[: rng.integers(array.size)]
        elif array.dtype == np.int64:
            array[rng.integers(array.size)] = rng.choice([-3, -1, 1, 2, 5, 9, 40, 2**40])
        else:
            array[rng.integers(array.size)] = rng.choice([np.nan, np.inf, -np.inf, -1.0, 1e300])
        try:
            residual, x, v = call(str(rng.choice(SOLVERS)), rows._replace(**{name: array}))
        except ArgumentError:
            continue
        is_number = np.isfinite(x).all() and np.isfinite(v).all()
        assert is_number or not residual <= 1e-8, (name, array, residual)


@pytest.mark.parametrize("name", SOLVERS)
def test_no_rows_leave_velocities_alone(name):
    """An empty problem is one, too."""
    rows = rows_on([1.0], [np.eye(3)], [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]], [])
    residual, _, v = call(name, rows)
    assert residual == 0.0
    assert v.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    nothing = c.rows_of_delassus(np.zeros((0, 0)), [], [])
    assert call(name, nothing)[0] == 0.0


MATRICES = [
    ([[1.0]], [1.0], [7], {}, "one of .* as kind, got 7"),
    ([[1.0]], [1.0], ["box"], {}, "as kind, got 'box'"),
    ([[np.nan]], [1.0], [c.UNILATERAL], {}, "finite numbers in G"),
    ([[1.0, 5.0], [0.0, 1.0]], [1.0, 0.0], [c.BOX, c.BOX], {}, r"symmetric G, got G\[0, 1\] = 5"),
    ([[1.0, 5.0], [5.0, 1.0]], [1.0, 0.0], [c.BOX, c.BOX], {}, "eigenvalue -4"),
    (np.eye(3), [0.0] * 3, [c.CONTACT], {"mu": -1.0}, r"0 or more in mu\[0\], got -1"),
    (np.eye(3), [0.0] * 3, [c.CONTACT], {"mu": [1.0, 2.0]}, r"shape \(\) or \(1,\) of mu"),
    (np.eye(3), [0.0] * 3, [c.CONTACT], {"edges": 4.5}, "whole numbers as edges"),
    (np.eye(3), [0.0] * 3, [c.CONTACT], {"mu": "much"}, "numbers as mu, got 'much'"),
    (np.eye(3), [np.nan] * 3, [c.CONTACT], {}, r"finite number in bias\[0\]"),
    (np.eye(2), [0.0] * 3, [c.CONTACT], {}, r"expected 3 rows .*got G \(2, 2\)"),
]


@pytest.mark.parametrize("case", range(len(MATRICES)))
def test_matrices_that_are_no_problem_are_refused(case):
    """They were made symmetric, or negative eigenvalues were left out, without a word."""
    G, b, kind, options, told = MATRICES[case]
    with pytest.raises(ArgumentError, match=told):
        c.rows_of_delassus(G, b, kind, **options)


@pytest.mark.parametrize(
    "option", [{"tolerance": 0.0}, {"tolerance": np.nan}, {"sweeps": -1}, {"newton": 2.5},
               {"softness": -1.0}, {"lcp_edges": 2}, {"may_relax": "no"}],
)  # fmt: skip
def test_settings_out_of_range_are_refused(option):
    """By name."""
    with pytest.raises(ArgumentError, match=next(iter(option))):
        c.solver_settings(**option)


def test_only_blocks_have_a_height():
    """Three rows of a contact; numbers that are no kind have none."""
    assert [c.height_of(k) for k in (c.BILATERAL, c.CONTACT, c.DISK)] == [1, 3, 2]
    with pytest.raises(ArgumentError, match="as kind, got 9"):
        c.height_of(9)
