"""From a scene to the arrays of compiled loops."""

from __future__ import annotations

from ...once import kept
from ...scene import Scene
from .lowering import Lowered

_SOLVERS = {"exact": 0, "convex": 1, "lcp": 2}  # without contact that of limits is exact


def build(scene: Scene, dt: float, contact: str, max_mini_steps: int) -> Lowered:
    """Lower a scene, with the options of its settings."""
    from ...contact_problem import solver_settings
    from .constants import lower

    scene.check_complete()
    settings = scene.settings
    iterations = settings.constraint_stabilization_max_iterations
    options = {
        "nominal": dt,
        "min_step": settings.min_step_size,
        "thresh": settings.contact_dist_thresh,
        "margin": 1e-4,
        "slop": max(settings.unilateral_stabilization_tol, 1e-4 if contact == "convex" else 1e-7),
        "loop_slop": min(settings.bilateral_stabilization_tol, 1e-10),
        "push_out": 0.2,
        "max_minis": max_mini_steps,
        "projections": 12 if iterations is None else min(iterations, 12),
        "hook": 0,
        "asks_at_mid_step": 0,
        "method": _SOLVERS.get(contact, 0),
        "solver": solver_settings(),
    }
    if contact == "none":
        scene = without_contact(scene)
    return lower(scene, options)


def without_contact(scene: Scene) -> Scene:
    """The same scene with nothing that can touch."""
    from dataclasses import replace

    def made() -> Scene:
        plugins = tuple(p for p in scene.plugins if p.kind in ("controller", "forces"))
        return replace(scene, geometries=(), contacts=(), disabled_pairs=(), plugins=plugins)

    return kept(scene.programs, without_contact, made)
