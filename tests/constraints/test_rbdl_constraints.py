"""RBDL's own numbers on constrained models: equations, solvers, impacts, forces, assembly."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from constraints.rbdl_sets import Equations, build_set, right_equations, rows_with_lever
from polhode import algorithms
from polhode.binding.plain import run_plain
from reference.cases import MODELS, Tally, array, read
from reference.rbdl_models import body_id, build, model_file

PROGRAM = "RBDL constraints"
ENTRIES = {entry["model"]: entry for entry in read("rbdl_constraints")["entries"]}

WANDERS = 15  # steps of Newton's method, some of several turns, from a start that is too far

SOLVERS = {
    "ForwardDynamicsConstraintsDirect": "direct",
    "ForwardDynamicsConstraintsRangeSpaceSparse": "range_space",
    "ForwardDynamicsConstraintsNullSpace": "null_space",
    "ForwardDynamicsContactsKokkevis": "kokkevis",
}
PLAIN = {  # with external forces, uncompiled to save time
    "range_space": algorithms.constrained_range_space,
    "kokkevis": algorithms.constrained_kokkevis,
}

IMPACTS = {
    "ComputeConstraintImpulsesDirect": "direct",
    "ComputeConstraintImpulsesRangeSpaceSparse": "range_space",
    "ComputeConstraintImpulsesNullSpace": "null_space",
}
FORCES = {
    "calcForces_after_Direct": "ForwardDynamicsConstraintsDirect",
    "calcImpulses_after_RangeSpaceSparse": "ComputeConstraintImpulsesRangeSpaceSparse",
}
RIGHT_SIGN = {
    "calcForces_after_Direct": 1.0,
    "calcImpulses_after_RangeSpaceSparse": -1.0,  # calcImpulses expects Direct's wrong sign
}


@cache
def subject(name: str):
    """The model and the set of an entry, built once, so that programs are made once."""
    model = build(ENTRIES[name])
    return model, build_set(model, ENTRIES[name])


def is_at_hand(entry: dict) -> bool:
    file = model_file(entry)
    return file is None or (MODELS / "rbdl" / file).exists()


def outcome(tally: Tally, entry: dict, record_property) -> bool:
    """Whether the entry can be run; if not, that is counted."""
    if is_at_hand(entry):
        return True
    tally.count("all functions", "model file not at hand", len(entry["states"]))
    tally.close(record_property)
    return False


@pytest.mark.parametrize("name", ENTRIES)
def test_groups(name, record_property):
    """Rows that follow each other at the same place are one group, as in RBDL."""
    entry, tally = ENTRIES[name], Tally(PROGRAM)
    if not outcome(tally, entry, record_property):
        return
    _, constraints = subject(name)
    ours = [
        {
            "name": group.name,
            "size": len(group),
            "type": group.kind,
            "baumgarte_enabled": group.stabilization is not None,
        }
        for group in constraints.groups
    ]
    expected = [{key: group[key] for key in ours[0]} for group in entry["groups"]]
    tally.compare("groups", name, lambda: ours, expected)
    tally.compare("rows", name, lambda: constraints.n_rows, entry["rows"])
    for group, theirs in zip(constraints.groups, entry["groups"], strict=True):
        if group.stabilization is not None:
            rate = 1.0 / group.stabilization
            expected = theirs["baumgarte_coefficients"]
            tally.compare("baumgarte coefficients", name, lambda r=rate: [r, r], expected)
    tally.close(record_property)


@pytest.mark.parametrize("name", ENTRIES)
def test_states(name, record_property):
    """Every function of RBDL at every state; without the lever that it adds to turning rows."""
    entry, tally = ENTRIES[name], Tally(PROGRAM)
    if not outcome(tally, entry, record_property):
        return
    model, constraints = subject(name)
    for number, state in enumerate(entry["states"]):
        where = f"{name} state {number}"
        right = right_equations(model, constraints, state)
        check_equations(tally, where, model, constraints, state, right)
        check_solvers(tally, where, model, constraints, state, right)
        check_forces(tally, where, model, constraints, state, right)
    tally.close(record_property)


def check_equations(tally, where, model, constraints, state, right: Equations) -> None:
    q, qd = array(state["q"]), array(state["qdot"])
    system = ph.constraints.constrained_system(model, constraints, q, qd, f_ext_of(state))
    for key in Equations._fields:
        tally.compare(
            f"CalcConstrainedSystemVariables {key}",
            where,
            lambda key=key: getattr(system, key),
            getattr(right, key).tolist(),
        )
    rows = constraints.constraints
    err, errd = run_plain(algorithms.constraint_errors, model, (q, qd), constraints=rows)
    G = run_plain(algorithms.constraint_jacobian, model, (q,), constraints=rows)
    expected = state["CalcConstraintsPositionError"]
    tally.compare("CalcConstraintsPositionError", where, lambda: err, expected)
    tally.compare("CalcConstraintsVelocityError", where, lambda: errd, right.errd.tolist())
    tally.compare("CalcConstraintsJacobian", where, lambda: G, right.G.tolist())


def check_solvers(tally, where, model, constraints, state, right: Equations) -> None:
    """Solvers by their method; multipliers of the null-space one as the direct one has them."""
    q, qd, tau = (array(state[key]) for key in ("q", "qdot", "tau"))
    f_ext, v_plus = f_ext_of(state), array(state["v_plus"])
    is_right = not rows_with_lever(constraints)
    for function, method in SOLVERS.items():
        if function not in state:
            continue
        if f_ext is not None and method in PLAIN:
            arrays = (q, qd, tau, f_ext)
            r = run_plain(PLAIN[method], model, arrays, constraints=constraints.constraints)
            r = ph.constraints.ConstrainedMotion(*r)
        else:
            r = ph.constrained_dynamics(model, constraints, q, qd, tau, f_ext, method=method)
        if is_right:
            qdd = state[function]["qddot"]
            force = state["ForwardDynamicsConstraintsDirect"]["force"]
        else:
            qdd, force = (x.tolist() for x in right.solve(tau - right.C, right.gamma))
        tally.compare(function, where, lambda r=r: [*r.qdd, *r.force], [*qdd, *force])
    for function, method in IMPACTS.items():
        r = ph.constraint_impulses(model, constraints, q, qd, v_plus, method=method)
        if is_right:
            after = state[function]["qdot_plus"]
            impulse = state["ComputeConstraintImpulsesRangeSpaceSparse"]["impulse"]
        else:
            after, impulse = (x.tolist() for x in right.solve(right.H @ qd, v_plus))
        tally.compare(function, where, lambda r=r: [*r.qd_plus, *r.impulse], [*after, *impulse])


def check_forces(tally, where, model, constraints, state, right: Equations) -> None:
    """Forces of each group, from RBDL's multipliers.

    Where a closed loop holds a point in all directions, RBDL's lever only mixes its rows: the
    forces are right, if ours are taken from the right multipliers.  An impact must also leave
    it at rest for that, for RBDL mixes the velocities it is given as well.
    RBDL puts the base's frame of a contact at the base origin, without the moment that the
    force then has: its place is not compared, ours is where the force acts.
    """
    q, with_lever = array(state["q"]), set(rows_with_lever(constraints))
    for function, source in FORCES.items():
        multipliers = array(state[source]["force" if "Forces" in function else "impulse"])
        for expected in state[function]:
            in_base = expected["resolve_all_in_root_frame"]
            group = constraints.groups[expected["group"]]
            if with_lever & set(range(group.rows.start, group.rows.stop)):
                is_closed = np.abs(right.err).max() < 1e-9
                is_still = "Forces" in function or not any(state["v_plus"])
                if not (is_closed and is_still and holds_point(group)):
                    check_work(tally, function, where, model, constraints, q, group, right)
                    continue
                b = right.gamma if "Forces" in function else array(state["v_plus"])
                f = (
                    array(state["tau"]) - right.C
                    if "Forces" in function
                    else right.H @ array(state["qdot"])
                )
                multipliers = right.solve(f, b)[1]
            ours = ph.constraints.constraint_forces(
                model, constraints, q, multipliers, in_base_axes=in_base
            )[expected["group"]]
            bodies = [body_id(model, body) for body in expected["body_ids"]]
            tally.compare(f"{function} bodies", where, lambda g=ours: list(g.bodies), bodies)
            forces = RIGHT_SIGN[function] * array(expected["forces"])
            tally.compare(function, where, lambda g=ours: g.forces, forces.tolist())
            kept = slice(0, 1) if group.kind == "contact" else slice(0, 2)
            tally.compare(
                f"{function} frames",
                where,
                lambda g=ours, kept=kept: g.frames[kept],
                [pose(X) for X in expected["frames"]][kept],
            )


@pytest.mark.parametrize("name", [n for n, e in ENTRIES.items() if "actuated" in e["states"][0]])
def test_inverse_dynamics(name, record_property):
    """Constrained inverse dynamics: exact where actuators suffice, and relaxed."""
    entry, tally = ENTRIES[name], Tally(PROGRAM)
    model, constraints = subject(name)
    for number, state in enumerate(entry["states"]):
        where, mask = f"{name} state {number}", state["actuated"]
        at = array(state["q"]), array(state["qdot"]), array(state["qddot_desired"]), mask
        fully = ph.constraints.is_fully_actuated(model, constraints, at[0], mask)
        tally.compare("isConstrainedSystemFullyActuated", where, lambda f=fully: bool(f),
                      state["isConstrainedSystemFullyActuated"])  # fmt: skip
        if fully:
            r = ph.constraints.constrained_inverse_dynamics(model, constraints, *at)
            expected = state["InverseDynamicsConstraints"]
            flat = [x for key in ("qddot", "tau", "force") for x in expected[key]]
            tally.compare("InverseDynamicsConstraints", where, lambda r=r: np.hstack(r), flat)
        else:
            tally.count("InverseDynamicsConstraints", "not meaningful, says RBDL")
        r = ph.constraints.constrained_inverse_dynamics(model, constraints, *at, relaxed=True)
        expected = state["InverseDynamicsConstraintsRelaxed"]
        flat = [x for key in ("qddot", "tau", "force") for x in expected[key]]
        tally.compare("InverseDynamicsConstraintsRelaxed", where, lambda r=r: np.hstack(r), flat)
    tally.close(record_property)


@pytest.mark.parametrize(
    "name", [n for n, e in ENTRIES.items() if any("assembly" in s for s in e["states"])]
)
def test_assembly(name, record_property):
    """Assembled positions and velocities; those of turning rows by what they are to be."""
    entry, tally = ENTRIES[name], Tally(PROGRAM)
    if not outcome(tally, entry, record_property):
        return
    model, constraints = subject(name)
    for number, state in enumerate(entry["states"]):
        if "assembly" not in state:
            continue
        given, where = state["assembly"], f"{name} state {number}"
        r = ph.assemble(
            model, constraints, given["q_init"], given["qdot_init"], weights=given["weights"]
        )
        tally.compare("CalcAssemblyQ success", where, lambda r=r: bool(r.success), True)
        if rows_with_lever(constraints):
            closed = ph.constraints.constraint_errors(model, constraints, r.q, r.qd)
            zeros = [0.0] * (2 * constraints.n_rows)
            tally.compare("CalcAssemblyQ errors", where, lambda c=closed: np.hstack(c), zeros)
            continue
        if r.iterations > WANDERS:
            tally.count("CalcAssemblyQ", "wandered: no definite path")
            continue
        tally.compare("CalcAssemblyQ", where, lambda r=r: r.q, given["q"])
        tally.compare("CalcAssemblyQDot", where, lambda r=r: r.qd, given["CalcAssemblyQDot"])
    tally.close(record_property)


def check_work(tally, function, where, model, constraints, q, group, right: Equations) -> None:
    """Where RBDL's forces are wrong: ours do the work of the right rows, unit by unit."""
    loop, rows = group.constraints[0], range(group.rows.start, group.rows.stop)
    at = [(loop.successor, tuple(loop.X_successor.r))]
    if loop.predecessor:
        at.insert(0, (loop.predecessor, tuple(loop.X_predecessor.r)))
    J = [ph.frame_jacobian(model, q, *place) for place in at]

    def work(row: int) -> np.ndarray:
        unit = np.eye(constraints.n_rows)[row]
        groups = ph.constraints.constraint_forces(model, constraints, q, unit, in_base_axes=True)
        forces = groups[constraints.groups.index(group)].forces[-len(J) :]
        return sum(j.T @ f for j, f in zip(J, forces, strict=True))

    tally.compare(
        f"{function}: work, for RBDL's lever",
        where,
        lambda: [work(row) for row in rows],
        right.G[rows].tolist(),
    )


def holds_point(group) -> bool:
    """Whether a loop's translations are all constrained."""
    return np.linalg.matrix_rank(np.array([c.axis for c in group.constraints])[:, 3:]) == 3


def f_ext_of(state: dict) -> np.ndarray | None:
    """RBDL's list has an entry for the base."""
    return array(state["f_ext"])[1:].reshape(-1, 6) if "f_ext" in state else None


def pose(X: dict) -> list[list[float]]:
    """A frame whose E takes its coordinates to the body's, as a matrix."""
    return [*([*row, x] for row, x in zip(X["E"], X["r"], strict=True)), [0.0, 0.0, 0.0, 1.0]]
