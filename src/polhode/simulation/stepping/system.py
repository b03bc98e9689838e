"""The arrays of a scene as seen from compiled functions: ``s.velocity`` and the like."""

from __future__ import annotations

from ...compiler.jit import Bytes, Bytes2, Floats, Floats2, Floats3, Ints, Ints2, Ints3, Struct
from ..contact.settings import SolverSettings


class System(Struct):
    """The arrays of a scene, for Python and for compiled functions."""

    # nodes: n of them
    dof: Ints
    place: Ints
    mass_at: Ints
    first_body: Ints
    machine: Ints
    body_mass: Floats
    inertia: Floats3
    inverse: Floats3
    is_round: Bytes
    pull: Floats2
    extra_pull: Floats2
    body_node: Ints
    dissipation: Floats

    # programs of machines
    loop: Ints2
    loop_data: Ints2
    arguments: Ints3
    steps: Ints3
    supports: Bytes2
    balls: Ints2
    ball_start: Ints
    is_line: Bytes

    # forces and joints
    drag_body: Ints
    drag: Floats2
    push_body: Ints
    push: Floats2
    viscous: Floats
    limit_dof: Ints
    limit_place: Ints
    limit_lower: Floats
    limit_upper: Floats
    limit_restitution: Floats
    friction_dof: Ints
    friction: Floats
    dof_node: Ints

    # loops and gears
    loop_a: Ints
    loop_b: Ints
    frame_a: Floats2
    frame_b: Floats2
    pitch: Floats
    loop_rows: Ints2
    loop_past: Floats2
    gear_dof: Ints2
    gear_place: Ints2
    gear_ratio: Floats
    gear_constant: Floats
    is_coupled: Bytes
    held: Floats

    # hinges: what loops of one freedom leave free, where that has limits or friction
    hinge_loop: Ints
    hinge_turns: Bytes
    hinge_place: Floats
    hinge_dry: Floats
    hinge_viscous: Floats

    # geometries
    surface_body: Ints
    surface_pose: Floats2
    surface_reach: Floats
    belt: Floats2
    family: Ints
    rule_of: Ints2
    rules: Floats2
    may_touch: Bytes2
    shape_data: Floats
    shape_offset: Ints
    given_whole: Ints2
    given_real: Floats2

    # options
    nominal: float
    min_step: float
    thresh: float
    margin: float
    slop: float
    loop_slop: float
    push_out: float
    max_minis: int
    projections: int
    method: int
    hook: int
    source: int
    solver: SolverSettings

    # state, and work arrays
    position: Floats
    velocity: Floats
    trial: Floats
    constraint_force: Floats
    passive_force: Floats
    free: Floats
    zero_velocity: Floats
    force: Floats
    tau: Floats
    wrench: Floats2
    pose: Floats2
    mass: Floats
    factor: Floats
    bias: Floats
    axes: Floats2
    share: Floats
    is_fast: Bytes
    lag: Floats
    rotation: Floats3
    origin: Floats2
    order: Ints
    work: Floats2
    coupling: Floats
    exchange: Ints
    counters: Ints
    totals: Floats
