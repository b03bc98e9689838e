"""Models, motions and results of OpenSim: dynamics, reactions, and joint positions from markers.

A folder has a model with states that OpenSim computed, or a model for the tool of its set-up file.
What a file is comes from what it holds.  OpenSim writes the numbers of joints and bodies of old
files anew with six digits as it reads them; so they are rounded here before they are compared.
"""

from __future__ import annotations

import gzip
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import polhode as ph
from polhode import biomechanics
from polhode.biomechanics import MarkerTable, MotionTable
from polhode.formats import osim
from validation.scores import Case, Score, largest

STATES, TORQUES, WITH_GROUND, REACTIONS = 1e-10, 1e-8, 2e-2, 1e-5  # of the data's README
ANGLES = 0.2  # degrees
WHOLE = {"arm": 1e-2, "gait": 2.0}  # N m, of OpenSim's own tests: models without, with a free base
OLD = 30500  # the first version of files whose numbers are kept as they are
_ROUNDED = re.compile(
    r"(<(?:(?:location|orientation)_in_(?:parent|child)|orientation|inertia_\w\w)>)([^<]*)(<)"
)


class Musculoskeletal(NamedTuple):
    """A model, and the values that its coordinates have at the start."""

    model: ph.Model
    start: np.ndarray

    def places(self, names: Any) -> list[int]:
        """Where coordinates are among ours."""
        known = biomechanics.coordinate_names(self.model)
        return [known.index(str(name)) for name in names]

    def ordered(self, names: Any, *values: Any) -> list[np.ndarray]:
        """Rows of values of coordinates, in our order."""
        found = [np.zeros((len(rows), self.model.nv)) for rows in values]
        for ours, rows in zip(found, values, strict=True):
            ours[:, self.places(names)] = rows
        return found


def cases(folder: Path) -> Iterator[Case]:
    """Every folder with a model."""
    for part in sorted(path for path in folder.iterdir() if path.is_dir()):
        yield Case(part.name, lambda part=part: scores(part))


def scores(folder: Path) -> Iterator[Score]:
    """What the files of a folder allow to compare."""
    (path,) = folder.glob("*.osim.gz")
    at = loaded(path)
    if (folder / "states.json.gz").exists():
        yield from of_states(
            at, json.loads(gzip.decompress((folder / "states.json.gz").read_bytes()))
        )
    for setup in sorted(folder.glob("*.xml")):
        for tool in ElementTree.parse(setup).getroot():
            if tool.tag in TOOLS:
                yield from TOOLS[tool.tag](folder, at, tool)


def loaded(path: Path) -> Musculoskeletal:
    """The model of a file, with the numbers that OpenSim has for it."""
    text = gzip.decompress(path.read_bytes()).decode()
    version = re.search(r'Version="(\d+)"', text)
    if version and int(version[1]) < OLD:
        text = _ROUNDED.sub(lambda m: m[1] + _rounded(m[2]) + m[3], text)
    machine = osim.parse(text, file=path.name).model.machines[0]
    return Musculoskeletal(machine.model, np.array(machine.q))


def _rounded(words: str) -> str:
    return " ".join(f"{float(word):.6g}" for word in words.split())


# -- random states --


def of_states(at: Musculoskeletal, record: dict[str, Any]) -> Iterator[Score]:
    """Poses, velocities, inertia, forces, centre of mass and markers."""
    model, names, states = at.model, record["coordinates"], record["states"]
    columns = ([state[key] for state in states] for key in ("q", "u", "udot"))
    q, qd, qdd = at.ordered(names, *columns)
    order = at.places(names)

    def score(what: str, ours: Any, key: Callable[[dict[str, Any]], Any]) -> Score:
        return Score(what, largest(ours, [key(s) for s in states], relative=True), STATES)

    yield Score("default pose", largest(at.start, q[0]), STATES)
    H = ph.mass_matrix(model, q)[:, order][:, :, order]
    yield score("mass matrix", H, lambda s: s["mass_matrix"])
    tau = ph.inverse_dynamics(model, q, qd, qdd)[:, order]
    yield score("inverse dynamics", tau, lambda s: s["inverse_dynamics"])
    yield score("centre of mass", ph.center_of_mass(model, q), lambda s: s["centre_of_mass"])
    found: dict[str, list[Any]] = {}
    for body in record["bodies"]:
        pose = ph.body_pose(model, q, body)
        J = ph.frame_jacobian(model, q, body)
        motion = np.einsum("tij,tj->ti", J, qd)
        ours = (pose[:, :3, 3], pose[:, :3, :3], motion[:, :3], motion[:, 3:])
        for key, values in zip(
            ("position", "rotation", "angular_velocity", "velocity"), ours, strict=True
        ):
            theirs = [state["bodies"][body][key] for state in states]
            found.setdefault(key.replace("_", " "), []).append(largest(values, theirs))
    for marker in states[0].get("markers", {}):
        ours = ph.point_position(model, q, marker, (0.0, 0.0, 0.0))
        theirs = [state["markers"][marker] for state in states]
        found.setdefault("markers", []).append(largest(ours, theirs))
    for what, errors in found.items():
        yield Score(what, max(errors), STATES)


# -- tools --


def inverse_dynamics(folder: Path, at: Musculoskeletal, tool: Any) -> Iterator[Score]:
    """From OpenSim's positions and derivatives, and from the measured motion."""
    with np.load(next(folder.glob("*.npz"))) as kept:
        data = {name: kept[name] for name in kept.files}
    names, order = data["names"], at.places(data["names"])
    q, qd, qdd = at.ordered(names, data["q"], data["u"], data["udot"])
    expected = data.get("tau", data.get("tau_without_ground"))
    tau = ph.inverse_dynamics(at.model, q, qd, qdd)[:, order]
    yield Score("torques", largest(tau, expected), TORQUES)
    loads = _loads(folder, at.model, tool, data["t"])
    if "tau_with_ground_tool" in data:
        expected = data["tau_with_ground_tool"]
        tau = ph.inverse_dynamics(at.model, q, qd, qdd, loads)[:, order]
        error = largest(tau, expected)
        yield Score("torques with forces of the ground", error, WITH_GROUND)
    whole = WHOLE["arm" if loads is None else "gait"]
    tau = _torques_of_motion(folder, at, tool, data["t"])[:, order]
    yield Score("torques of the motion", largest(tau, expected), whole)
    for path in sorted(folder.glob("*.sto.gz")):
        listed = _table(folder, path.stem)
        times = listed.times[_within(tool, listed.times)]
        order = at.places(re.sub("_(moment|force)$", "", name) for name in listed.names)
        tau = _torques_of_motion(folder, at, tool, times)[:, order]
        error = largest(tau, listed.at(times).columns(*listed.names))
        yield Score(f"torques, {path.stem}", error, whole)


def _torques_of_motion(
    folder: Path, at: Musculoskeletal, tool: Any, times: np.ndarray
) -> np.ndarray:
    """Joint forces at some times, from the measured motion and the forces of the set-up file."""
    table = _table(folder, _text(tool, "coordinates_file"))
    cutoff = float(_text(tool, "lowpass_cutoff_frequency_for_coordinates") or -1.0)
    known = np.clip(times, table.times[0], table.times[-1])
    t = biomechanics.trajectory(at.model, table, cutoff=cutoff if cutoff > 0.0 else None,
                                q0=at.start, times=known)  # fmt: skip
    return ph.inverse_dynamics(at.model, t.q, t.qd, t.qdd, _loads(folder, at.model, tool, times))


def _within(tool: Any, times: np.ndarray) -> np.ndarray:
    """Which times are of the set-up file's range, to the digits that they are written with."""
    start, end = map(float, _text(tool, "time_range").split())
    return (times > start - 1e-5) & (times < end + 1e-5)


def _loads(folder: Path, model: ph.Model, tool: Any, times: np.ndarray) -> Any:
    """The external forces of a set-up file at some times; None if it has none."""
    name = _text(tool, "external_loads_file")
    if not name:
        return None
    loads = ElementTree.parse(folder / name).getroot()
    table = _table(folder, loads.findtext(".//datafile", "").strip()).at(times)
    total = np.zeros((len(times), model.n_bodies, 6))
    for each in loads.iter("ExternalForce"):
        parts = []
        for kind in ("force", "point", "torque"):
            stem = re.escape(_text(each, f"{kind}_identifier"))
            labels = [label for label in table.names if re.fullmatch(stem + "_?[xyz]", label)]
            parts.append(table.columns(*labels))
        total += biomechanics.applied_forces(model, _text(each, "applied_to_body"), *parts)
    return total


def inverse_kinematics(folder: Path, at: Musculoskeletal, tool: Any) -> Iterator[Score]:
    """Joint positions from markers, beside all motions in the folder."""
    tasks = ElementTree.parse(folder / tool.find("IKTaskSet").attrib["file"]).getroot()
    weights = {
        task.attrib["name"]: float(_text(task, "weight"))
        for task in tasks.iter("IKMarkerTask")
        if _text(task, "apply") == "true"
    }
    markers = _table(folder, _text(tool, "marker_file"))
    fit = biomechanics.marker_inverse_kinematics(at.model, markers, weights=weights, q0=at.start)
    for path in sorted(folder.glob("*.mot.gz")):
        table = _table(folder, path.stem)
        theirs = biomechanics.joint_positions(at.model, table, at.start)
        rows = [int(np.abs(fit.times - t).argmin()) for t in table.times]
        error = np.degrees(np.abs(fit.q[rows] - theirs)).max()
        yield Score(f"angles, {path.stem}", float(error), ANGLES)


def joint_reactions(folder: Path, at: Musculoskeletal, tool: Any) -> Iterator[Score]:
    """Forces and moments of joints in free motion, in the axes of a body."""
    states, reference = _of_reactions(folder)
    model, names = at.model, biomechanics.coordinate_names(at.model)
    named = MotionTable(names, states.times, states.columns(*names))
    _, q, qd, _ = biomechanics.trajectory(model, named)  # the tool differentiates positions itself
    qdd = ph.forward_dynamics(model, q, qd, np.zeros_like(qd))
    f = ph.constraints.joint_reactions(model, q, qd, qdd)
    found: dict[str, list[float]] = {}
    for label in reference.names[::9]:
        stem, body, frame = re.fullmatch(r"((?:.+)_on_(.+)_in_(.+)_)fx", label).groups()
        moving = model.body(body).moving
        poses, turn = ph.body_poses(model, q)[:, moving - 1], _axes(model, q, frame)
        R = np.einsum("tji,tjk->tik", turn, poses[:, :3, :3])
        moment, force = (np.einsum("tij,tj->ti", R, f[:, moving - 1, part])
                         for part in (slice(3), slice(3, 6)))  # fmt: skip
        place = np.einsum("tji,tj->ti", turn, poses[:, :3, 3] - _origin(model, q, frame))
        for key, ours in (("f", force), ("m", moment), ("p", place)):
            theirs = reference.columns(*(f"{stem}{key}{axis}" for axis in "xyz"))
            found.setdefault(key, []).append(largest(ours, theirs))
    for key, what in (("f", "forces"), ("m", "moments"), ("p", "points")):
        yield Score(what, max(found[key]), REACTIONS)


def _of_reactions(folder: Path) -> tuple[MotionTable, MotionTable]:
    """The states, and the reactions in them, told apart by their columns."""
    tables = [_table(folder, path.stem) for path in sorted(folder.glob("*.sto.gz"))]
    is_of_joints = ["_on_" in table.names[0] for table in tables]
    return tables[is_of_joints.index(False)], tables[is_of_joints.index(True)]


def _axes(model: ph.Model, q: np.ndarray, frame: str) -> np.ndarray:
    """From a frame's axes to those of the ground."""
    if frame == model.base:
        return np.tile(np.eye(3), (len(q), 1, 1))
    return ph.body_pose(model, q, frame)[:, :3, :3]


def _origin(model: ph.Model, q: np.ndarray, frame: str) -> np.ndarray:
    return np.zeros(3) if frame == model.base else ph.body_pose(model, q, frame)[:, :3, 3]


TOOLS: dict[str, Callable[[Path, Musculoskeletal, Any], Iterator[Score]]] = {
    "InverseDynamicsTool": inverse_dynamics,
    "InverseKinemtaticsTool": inverse_kinematics,  # as the files spell it
    "InverseKinematicsTool": inverse_kinematics,
    "AnalyzeTool": joint_reactions,
}


def _text(element: Any, tag: str) -> str:
    return (element.findtext(tag) or "").strip()


def _table(folder: Path, name: str) -> Any:
    """A table of the folder, packed."""
    data = gzip.decompress((folder / f"{name}.gz").read_bytes())
    table = osim.parse_table(data, name, is_markers=name.endswith(".trc"))
    assert isinstance(table, MarkerTable if name.endswith(".trc") else MotionTable)
    return table
