"""Controllers of the demonstration: an arm that waves, a walker led like a marionette."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..api.dynamics import inverse_dynamics
from ..api.manifold import difference, neutral
from ..model import Model
from ..simulation.drive import State

Path = Callable[[float], np.ndarray]

_STIFFNESS, _DAMPING = 120.0, 22.0
_BLINK = 1e-4  # seconds between the points of a finite difference


def track(model: Model, path: Path) -> Callable[[float, State], np.ndarray]:
    """Computed torque: the forces that pull the model onto ``path``, a function of time."""

    def controller(t: float, state: State) -> np.ndarray:
        before, now, after = path(t - _BLINK), path(t), path(t + _BLINK)
        way_in, way_out = difference(model, before, now), difference(model, now, after)
        rate = (way_in + way_out) / (2.0 * _BLINK)
        acceleration = (way_out - way_in) / _BLINK**2
        pull = _STIFFNESS * difference(model, state.q, now) + _DAMPING * (rate - state.qd)
        return inverse_dynamics(model, state.q, state.qd, acceleration + pull)

    return controller


def start(model: Model, path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity at the beginning of ``path``."""
    way = difference(model, path(-_BLINK), path(_BLINK))
    return path(0.0), way / (2.0 * _BLINK)


def waving(model: Model) -> Path:
    """Every joint swings about a raised posture, each at its own beat."""
    posture = np.array((0.0, -0.35, 1.15, 0.0, 0.75, 0.0))
    reach = np.array((0.95, 0.42, 0.5, 0.9, 0.55, 1.6))
    beat = np.array((0.5, 1.0, 1.0, 0.75, 1.5, 1.25))
    lag = np.array((0.0, 0.6, 1.4, 0.3, 2.1, 0.0))
    arms = min(model.nv, len(posture))

    def path(t: float) -> np.ndarray:
        q = neutral(model)
        angle = 0.7 * math.pi * beat * t
        q[:arms] = (posture + reach * np.sin(angle + lag))[:arms]
        return q

    return path


class Stride:
    """Walking on the spot of a plan: joint angles of a walker over time."""

    speed: float = 0.9  # m/s
    period: float = 1.1  # s
    stance: float = 0.62  # share of the period on the ground
    lift: float = 0.085  # m
    bob: float = 0.012  # m
    crouch: float = 0.088  # m

    def __init__(self, model: Model):
        self.model = model
        self.thigh: float = self._length("shank_left")
        self.shank: float = self._length("foot_left")
        self.ankle: float = -min(float(v.frame.r.z) * 2.0 for v in model.body("foot_left").visuals)
        self.height: float = self.thigh + self.shank - self.crouch
        self.start: np.ndarray = neutral(model)

    def _length(self, link: str) -> float:
        frame = next(x.frame for x in self.model.links if x.name == link)
        return abs(float(frame.r.z))

    def __call__(self, t: float) -> np.ndarray:
        """The whole ``q`` at time ``t``."""
        q = self.start.copy()
        phase = t / self.period
        turn = 2.0 * math.pi * phase
        hip = self.height - self.bob * math.cos(2.0 * turn)
        q[self.model.joint("pelvis").q][:] = 0.0
        base = np.arange(self.model.nq)[self.model.joint("pelvis").q]
        q[base[:3]] = self.speed * t, 0.0, hip + self.ankle
        q[base[3:]] = 0.0, 0.0, 0.0, 1.0
        self._set(q, "trunk", 0.06, 0.0, -0.10 * math.sin(turn))
        for side, offset in (("left", 0.0), ("right", 0.5)):
            x, z, pitch = self._foot((phase + offset) % 1.0)
            thigh, knee = self._leg(x, z - hip)
            self._set(q, f"thigh_{side}", thigh, 0.0, 0.0)
            self._set(q, f"shank_{side}", knee)
            self._set(q, f"foot_{side}", pitch - thigh - knee, 0.0)
            swing = math.sin(turn + 2.0 * math.pi * offset + 0.4)
            outward = 0.09 if side == "left" else -0.09
            self._set(q, f"upperarm_{side}", 0.10 + 0.42 * swing, outward, 0.0)
            self._set(q, f"forearm_{side}", -0.55 + 0.22 * swing)
        return q

    def _set(self, q: np.ndarray, joint: str, *angles: float) -> None:
        q[self.model.joint(joint).q] = angles

    def _foot(self, phase: float) -> tuple[float, float, float]:
        """Where an ankle is against the hip (forward) and the ground (up), and its pitch."""
        half = 0.5 * self.speed * self.period * self.stance
        if phase < self.stance:
            return half * (1.0 - 2.0 * phase / self.stance), 0.0, 0.0
        u = (phase - self.stance) / (1.0 - self.stance)
        slope = -self.speed * self.period * (1.0 - self.stance)
        # A cubic that leaves and meets the ground at the ground's speed.
        x = half * (-1.0 + u * u * (6.0 - 4.0 * u)) + slope * u * (1.0 - u) * (1.0 - 2.0 * u)
        up = math.sin(math.pi * u) ** 2
        pitch = 0.55 * math.sin(math.pi * u) ** 2 * (1.0 - 1.9 * u)
        return x, self.lift * up, pitch

    def _leg(self, x: float, z: float) -> tuple[float, float]:
        """Thigh and knee angles that put the ankle at (x, z) from the hip."""
        a, b = self.thigh, self.shank
        reach = min(math.hypot(x, z), 0.999 * (a + b))
        knee = math.pi - math.acos((a * a + b * b - reach * reach) / (2.0 * a * b))
        lead = math.acos((a * a + reach * reach - b * b) / (2.0 * a * reach))
        return math.atan2(-x, -z) - lead, knee
