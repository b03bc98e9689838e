"""Run MJCF files under random controls, and print how each run went; fail if one did not go well.

``python scripts/mjcf_runs.py FILE ... [--seconds 5] [--integrator event_driven moreau]``; without
files those of Gymnasium, if it is installed.  Steps of ``moreau`` are those of four worlds.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.collision import bounding_box
from polhode.model import Heightmap, Plane
from polhode.scene import Geometry
from polhode.simulation.self_collision import neighbours
from polhode.spatial.transform import pose_matrix

STEP = 0.002  # s
HELD = 0.02  # s, how long controls stay the same
DEEPEST = 1e-3  # m, the penetration that may be
WORLDS = 4  # side by side, of ``moreau``


def gymnasium_files() -> list[Path]:
    """The models of Gymnasium; none where it is not installed."""
    found = find_spec("gymnasium")
    if found is None or found.origin is None:
        return []
    return sorted((Path(found.origin).parent / "envs/mujoco/assets").glob("*.xml"))


def run(path: Path, seconds: float, integrator: str) -> str:
    """What is wrong with a run under controls in their ranges, or from -1 to 1; or nothing."""
    scene = ph.load(path)
    if integrator == "moreau":
        return _roll(scene, seconds)
    (values,) = _controls(scene, round(seconds / HELD) + 1, 1)
    recording = ph.simulate(
        scene, seconds, dt=STEP, integrator=integrator, start="settle",
        controls=(lambda t, state: values[int(t / HELD + 1e-6)]) if scene.n_controls else None,
    )  # fmt: skip
    return _fault(recording.q, recording.qd, recording.audit.penetration)


def _roll(scene: ph.Scene, seconds: float) -> str:
    """The same of worlds in lanes, each under its own controls."""
    steps, held = round(seconds / STEP), round(HELD / STEP)
    values = _controls(scene, -(-steps // held), WORLDS).repeat(held, axis=1)[:, :steps]
    motion = ph.rollout(
        scene, q=np.tile(_settled(scene), (WORLDS, 1)), steps=steps, dt=STEP, integrator="moreau",
        start="settle", controls=values if scene.n_controls else None, record_every=1,
    )  # fmt: skip
    if motion.unsolved.any():
        return f"{motion.unsolved.sum()} of {WORLDS * steps} steps unsolved"
    return _fault(motion.q, motion.qd, _deepest(scene, motion.q.reshape(-1, scene.model.nq)))


def _settled(scene: ph.Scene) -> np.ndarray:
    """Positions near the scene's in which nothing overlaps."""
    after = ph.rollout(scene, steps=1, dt=1e-9, integrator="event_driven", start="settle")
    return after.q[-1]


def _controls(scene: ph.Scene, count: int, worlds: int) -> np.ndarray:
    ranges = np.array([each for actuator in scene.actuators for each in actuator.control_range])
    low, high = ranges.reshape(-1, 2).T
    low, high = np.where(np.isfinite(low), low, -1.0), np.where(np.isfinite(high), high, 1.0)
    return np.random.default_rng(3).uniform(low, high, (worlds, count, scene.n_controls))


def _fault(q: np.ndarray, qd: np.ndarray, depth: float) -> str:
    if not (np.isfinite(q).all() and np.isfinite(qd).all()):
        return "not finite"
    return "" if depth <= DEEPEST else f"{depth:.2g} m deep"


def _deepest(scene: ph.Scene, q: np.ndarray) -> float:
    """The greatest overlap [m] at some positions, by the narrow phase of single worlds."""
    if not np.isfinite(q).all():
        return np.nan
    bodies = ph.body_poses(scene.model, q)
    depth = 0.0
    for a, b in _pairs(scene):
        if isinstance(a.shape, (Plane, Heightmap)):
            a, b = b, a
        A, B = _poses(scene, a, bodies), _poses(scene, b, bodies)
        for k in np.flatnonzero(_may_touch(a, b, np.linalg.inv(B) @ A)):
            found = ph.contact.contacts(a.shape, A[k], b.shape, B[k])
            depth = max(depth, -min((each.gap for each in found), default=0.0))
    return depth


def _pairs(scene: ph.Scene) -> Iterator[tuple[Geometry, Geometry]]:
    """The geometries that touch each other where they meet."""
    apart = neighbours(scene)
    never = {*scene.disabled_geometries, *apart.jointed, *apart.overlapping}
    for (i, a), (j, b) in combinations(enumerate(scene.geometries), 2):
        if _body(scene, a) != _body(scene, b) and (i, j) not in never:
            yield a, b


def _poses(scene: ph.Scene, geometry: Geometry, bodies: np.ndarray) -> np.ndarray:
    link, number = scene.model.body(f"{geometry.machine}/{geometry.body}"), _body(scene, geometry)
    place = np.array(pose_matrix(geometry.frame @ link.frame), float)
    return bodies[:, number - 1] @ place if number else np.tile(place, (len(bodies), 1, 1))


def _body(scene: ph.Scene, geometry: Geometry) -> int:
    return int(scene.model.body(f"{geometry.machine}/{geometry.body}").moving)


def _may_touch(a: Geometry, b: Geometry, place: np.ndarray) -> np.ndarray:
    """Whether boxes around two shapes meet, along the axes of the second; where the first is."""
    (low, high), (least, most) = (bounding_box(each.shape) for each in (b, a))
    half = np.abs(place[:, :3, :3]) @ np.maximum(-least, most)
    return np.all((place[:, :3, 3] - half < high) & (place[:, :3, 3] + half > low), axis=-1)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--integrator", nargs="+", default=["event_driven"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = 0
    for path in options.files or gymnasium_files():
        for integrator in options.integrator:
            began = time.perf_counter()
            try:
                found = run(path, options.seconds, integrator)
            except Exception as error:  # whatever it is, the run did not go well
                found = f"{type(error).__name__}: {error}"
            failed += bool(found)
            took = time.perf_counter() - began
            print(f"{path.stem:28}{integrator:14}{took:7.1f} s  {found or 'good'}", flush=True)
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
