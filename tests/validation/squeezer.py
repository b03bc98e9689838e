"""Andrews' squeezing mechanism: seven hinged bodies in a plane, three closed loops, a spring."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph
from polhode.constraints import ConstraintSet
from polhode.model import Anchor, Revolute
from polhode.recording import Recording
from polhode.spatial import Transform
from validation import elastic_crank
from validation.motions import motion, rows_of
from validation.scores import Case, Score, json_files, largest

Record = dict[str, Any]
ANGLES, OTHERS = 1e-10, 1e-9  # against extended precision; others are relative
PUBLISHED = {"angles": 2e-9, "speeds": 6e-8, "accelerations": 1.5e-6, "multipliers": 1.5e-6}
LONGER = 1e-8  # rad, and of the largest speed
IN_PLANE = np.eye(6)[3:5].tolist()
AS_HINGES = np.eye(6)[[3, 4, 5, 0, 1]].tolist()  # with three rows each that the plane keeps anyway


def cases(folder: Path) -> Iterator[Case]:
    """Every record of the folder."""
    for name, record in json_files(folder):
        scores = elastic_crank.scores_of if elastic_crank.is_one(record) else scores_of
        yield Case(name, lambda record=record, scores=scores: scores(record))


def is_squeezer(record: Record) -> bool:
    """Whether a record is one of this mechanism, or refers to its numbers."""
    return "geometry" in record or ("reference" in record and "F_xy" in record["reference"])


def scores_of(record: Record) -> Iterator[Score]:
    """The end state, of two formulations."""
    if not is_squeezer(record):
        raise NotImplementedError(f"a record of {', '.join(record)}")
    for how, axes in (("", IN_PLANE), (", redundant rows", AS_HINGES)):
        model, rows = mechanism(record["parameters"], axes)
        run = simulated(record, model, rows, [record["end_time"]])
        ours = end_state(record, model, rows, run)
        for what, value in ours.items():
            if how and what == "multipliers":
                continue  # not unique
            yield _score(record, what, value, "recomputed", how)
            if not how:
                yield _score(record, what, value, "published", ", published")


def _score(record: Record, what: str, ours: np.ndarray, listed: str, how: str) -> Score:
    start = {"angles": 0, "speeds": 7, "accelerations": 14, "multipliers": 21}[what]
    theirs = np.array([float(x) for x in record[listed]])[start : start + len(ours)]
    error = largest(ours, theirs, relative=what != "angles")
    exact = ANGLES if what == "angles" else OTHERS
    return Score(what + how, error, PUBLISHED[what] if listed == "published" else exact)


def of_times(folder: Path, record: Record) -> Iterator[Score]:
    """A longer run, with the numbers of the record that the description names."""
    named = re.search(r"(\.\./\S+?\.json)", record["description"])
    facts = json.loads((folder / named[1]).read_text()) if named else record
    model, rows = mechanism(facts["parameters"], IN_PLANE)
    reference = record["reference"]
    run = simulated(facts, model, rows, reference["times"])
    at, k = rows_of(run, reference["times"]), columns(model)
    yield Score("angles", largest(run.q[at][:, k], reference["q"]), LONGER)
    yield Score("speeds", largest(run.qd[at][:, k], reference["v"], relative=True), LONGER)
    pin = ph.point_position(model, run.q[at], "K1", (record["crank_length"], 0.0, 0.0))
    yield Score("crank pin", largest(pin[:, :2], reference["F_xy"]), LONGER)


def mechanism(p: dict[str, float], axes: list) -> tuple[ph.Model, ConstraintSet]:
    """The tree that has the record's angles as coordinates, and its three loops."""
    O, A, B = (0.0, 0.0), (p["xa"], p["ya"]), (p["xb"], p["yb"])
    bodies = {  # parent, hinge in its frame, centre of mass
        "K1": (None, O, (p["ra"], 0.0)),
        "K2": ("K1", (p["rr"], 0.0), (-p["da"], 0.0)),
        "K3": (None, B, (p["sb"], -p["sa"])),
        "K5": (None, A, (p["ta"], p["tb"])),
        "K4": ("K5", (p["zt"], 0.0), (0.0, p["ea"] - p["e"])),
        "K7": (None, A, (-p["ub"], -p["ua"])),
        "K6": ("K7", (0.0, -p["u"]), (p["zf"] - p["fa"], 0.0)),
    }
    model = ph.Model("squeezer", gravity=(0.0, 0.0, 0.0))
    for name, (parent, hinge, com) in bodies.items():
        inertia = p[f"i{name[1]}"]
        model = model.add(
            name, parent=parent, joint=Revolute.z(), frame=Transform.translation(*hinge, 0.0),
            mass=p[f"m{name[1]}"], com=(*com, 0.0), inertia=(inertia, inertia, inertia),
        )  # fmt: skip
    spring = [Anchor(None, (p["xc"], p["yc"], 0.0)), Anchor("K3", (p["sd"], -p["sc"], 0.0))]
    model = model.add_tendon("spring", spring, stiffness=p["c0"], rest=p["l0"])
    ends = {"K3": (0.0, -p["ss"]), "K4": (0.0, -p["e"]), "K6": (p["zf"], 0.0)}
    at_E, rows = Transform.translation(-p["d"], 0.0, 0.0), ConstraintSet(model)
    for name, place in ends.items():
        rows = rows.loop("K2", name, at_E, Transform.translation(*place, 0.0), axes, name=name)
    return model, rows


ORDER = ["K1", "K2", "K3", "K4", "K5", "K6", "K7"]
"""The bodies by the record's angles beta, Theta, gamma, Phi, delta, Omega, epsilon."""


def columns(model: ph.Model) -> list[int]:
    """Where the record's angles are among the model's."""
    return [int(np.arange(model.nv)[model.joint(name).v][0]) for name in ORDER]


def error_of_angles(record: Record, integrator: str, step: float) -> float:
    """At the end, by a method of fixed steps."""
    model, rows = mechanism(record["parameters"], IN_PLANE)
    times = [record["end_time"]]
    run = simulated(record, model, rows, times, integrator=integrator, dt=step)
    theirs = [float(x) for x in record["recomputed"][: model.nv]]
    return largest(run.q[-1][columns(model)], theirs)


def simulated(
    record: Record, model: ph.Model, rows: ConstraintSet, times: list[float], **options: Any
) -> Recording:
    """The motion from the record's start under its torque."""
    k = columns(model)
    q0, qd0, torque = np.zeros((3, model.nv))
    q0[k] = [float(x) for x in record["start"]["q"]]
    qd0[k] = [float(x) for x in record["start"]["v"]]
    torque[k[0]] = record["parameters"]["mom"]
    hold = {"constraints": rows, "controller": lambda t, state: torque, "dt": 1e-6}
    return motion(model, times, q0, qd0, **hold | options)


def end_state(
    record: Record, model: ph.Model, rows: ConstraintSet, run: Recording
) -> dict[str, np.ndarray]:
    """Angles, speeds, accelerations, and forces of the loops in world axes."""
    k, q, qd = columns(model), run.q[-1], run.qd[-1]
    tau = ph.passive_forces(model, q, qd)
    tau[k[0]] += record["parameters"]["mom"]
    found = ph.constrained_dynamics(model, rows, q, qd, tau)
    turned = ph.body_pose(model, q, "K2")[:2, :2]
    per_loop = found.force.reshape(3, -1)[:, :2]
    return {
        "angles": q[k],
        "speeds": qd[k],
        "accelerations": found.qdd[k],
        "multipliers": (per_loop @ turned.T).ravel(),
    }
