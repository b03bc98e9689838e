"""The arrays of a scene as seen from compiled loops: ``s.velocity`` and the like."""

from __future__ import annotations

from typing import ClassVar

from ...compiler.jit import FieldTable


class Fields(FieldTable):
    """The arrays of a scene, for Python and for compiled loops."""

    FIELDS: ClassVar[dict[str, str]] = {
        # nodes: n of them
        "dof": "i1", "place": "i1", "mass_at": "i1", "first_body": "i1", "machine": "i1",
        "body_mass": "f1", "inertia": "f3", "inverse": "f3", "is_round": "b1", "pull": "f2",
        "body_node": "i1", "keep": "f1",
        # programs of machines
        "loop": "i2", "loop_data": "i2", "arguments": "i3", "steps": "i3", "supports": "b2",
        "balls": "i2", "ball_start": "i1", "is_line": "b1",
        # forces and joints
        "drag_body": "i1", "drag": "f2", "push_body": "i1", "push": "f2", "viscous": "f1",
        "limit_dof": "i1", "limit_place": "i1", "limit_lower": "f1", "limit_upper": "f1",
        "limit_restitution": "f1", "friction_dof": "i1", "friction": "f1", "dof_node": "i1",
        # loops and gears
        "loop_a": "i1", "loop_b": "i1", "frame_a": "f2", "frame_b": "f2", "pitch": "f1",
        "loop_rows": "i2", "loop_past": "f2", "gear_dof": "i2", "gear_place": "i2",
        "gear_ratio": "f1", "gear_constant": "f1", "is_coupled": "b1", "held": "f1",
        # hinges: what loops of one freedom leave free, where that has limits or friction
        "hinge_loop": "i1", "hinge_turns": "b1", "hinge_place": "f1", "hinge_dry": "f1",
        "hinge_viscous": "f1",
        # geometries
        "surface_body": "i1", "surface_pose": "f2", "surface_reach": "f1", "belt": "f2",
        "family": "i1", "rule_of": "i2", "rules": "f2", "may_touch": "b2", "shape_data": "f1",
        "shape_offset": "i1", "given_whole": "i2", "given_real": "f2",
        # options
        "nominal": "f0", "min_step": "f0", "thresh": "f0", "margin": "f0", "slop": "f0",
        "loop_slop": "f0", "push_out": "f0", "max_minis": "i0", "projections": "i0", "method": "i0",
        "hook": "i0", "source": "i0", "solver": "f1",
        # state, and work arrays
        "position": "f1", "velocity": "f1", "trial": "f1", "free": "f1", "nought": "f1",
        "force": "f1", "tau": "f1", "wrench": "f2", "pose": "f2", "mass": "f1", "factor": "f1",
        "bias": "f1", "axes": "f2", "share": "f1", "flows": "b1", "lag": "f1", "rotation": "f3",
        "origin": "f2", "order": "i1", "work": "f2", "coupling": "f1", "exchange": "i1",
        "counters": "i1", "totals": "f1",
    }  # fmt: skip
