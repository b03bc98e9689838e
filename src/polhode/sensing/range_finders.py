"""Range finders: rays from frames on bodies to the collision shapes of a scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms import sensor_rays
from ..api.kinematics import body_poses
from ..binding.calls import called_program
from ..binding.programs import made
from ..collision import PlacedShapes, ShapeTable, cast_rays
from ..compiler import Program
from ..model import Model, Sensor, SensorKind
from ..scene import Geometry, Scene
from .lowering import frame_of

NOTHING = -1.0  # where no shape is met


@dataclass(frozen=True)
class RangeFinders:
    """The range finders of a scene, and the shapes that they meet.

    Attributes
    ----------
    places : ndarray of int, shape (R,)
        Of their values among those of all sensors.
    cutoffs : ndarray, shape (R,)
        Infinite without one.
    program : Program
        From positions to rays.
    shapes, carrier, is_met
        As `cast_rays` takes them.
    """

    places: np.ndarray
    cutoffs: np.ndarray
    program: Program
    shapes: PlacedShapes
    carrier: np.ndarray
    is_met: np.ndarray

    @classmethod
    def of(cls, scene: Scene) -> RangeFinders:
        """Those of a scene."""
        finders = [x for x in scene.sensors if x.kind is SensorKind.RANGEFINDER]
        seen = [x for x in scene.geometries if x.shape is not None]
        model, numbers = scene.model, {link.name: k for k, link in enumerate(scene.model.links)}
        frames = tuple(frame_of(model, x.of, x.frame, numbers) for x in finders)  # type: ignore[arg-type]
        return cls(
            np.array([scene.sensor_slices[x.name].start for x in finders], int),
            np.array([x.cutoff or np.inf for x in finders]),
            made(sensor_rays, model, {}, {"frames": frames}),
            *_placed(scene, seen),
            np.array([[_is_met(x, geometry) for geometry in seen] for x in finders], np.uint8),
        )

    def measure(self, scene: Scene, q: Any) -> np.ndarray:
        """Their values at positions of the scene, shape (..., R)."""
        model, n_rays = scene.model, len(self.places)
        rays = called_program(self.program, (q,), None, model)
        batch = rays.shape[:-3]
        poses = _pose_rows(model, q).reshape(-1, model.n_bodies + 1, 12)
        rays = np.ascontiguousarray(rays).reshape(-1, n_rays, 6)
        out = np.empty(rays.shape[:2])
        cast_rays(self.shapes, self.carrier, poses, rays, self.is_met, out)
        found = np.where(np.isfinite(out), np.minimum(out, self.cutoffs), NOTHING)
        return found.reshape(*batch, n_rays)


def _pose_rows(model: Model, q: Any) -> np.ndarray:
    """Rotation to world axes and origin of base and bodies, shape (..., n_bodies + 1, 12)."""
    poses = body_poses(model, q)
    rows = np.zeros((*poses.shape[:-3], model.n_bodies + 1, 12))
    rows[..., 0, :9] = np.eye(3).ravel()
    rows[..., 1:, :9] = poses[..., :3, :3].reshape(*poses.shape[:-2], 9)
    rows[..., 1:, 9:] = poses[..., :3, 3]
    return rows


def _placed(scene: Scene, seen: list[Geometry]) -> tuple[PlacedShapes, np.ndarray]:
    """The shapes on the bodies that carry them, and those bodies."""
    frames, carrier = [], []
    for geometry in seen:
        body = scene.model.body(f"{geometry.machine}/{geometry.body}")
        frames.append(geometry.frame @ body.frame)
        carrier.append(int(body.moving))
    rotations = np.array([X.E.T.rows() for X in frames], float).reshape(-1, 3, 3)
    positions = np.array([tuple(X.r) for X in frames], float).reshape(-1, 3)
    table = ShapeTable.of([x.shape for x in seen if x.shape is not None])
    return PlacedShapes(*table.arrays, rotations, positions), np.array(carrier, np.int64)


def _is_met(sensor: Sensor, geometry: Geometry) -> bool:
    return sensor.of != (geometry.machine, geometry.body)
