"""The arrays of a lowered scene, as compiled functions take them: ``s.velocity`` and the like."""

from __future__ import annotations

from ...compiler.jit import Bytes, Bytes2, Floats, Floats2, Floats3, Ints, Ints2, Ints3, Struct
from ...contact_problem.settings import SolverSettings


class System(Struct):
    """A lowered scene: constants, state and work arrays, for Python and for compiled functions.

    A *node* has a mass matrix of its own: it is a free body or a model with joints.  Poses are rows
    of 12 numbers: rotation row by row, then origin.  Numbers of bodies are -1 for the world.
    """

    # nodes; arrays of starts have one entry more than there are nodes
    dof: Ints  # first velocity of each node
    place: Ints  # first position of each node
    mass_at: Ints  # start of each mass matrix in `mass`
    first_body: Ints
    machine: Ints  # number of the model's programs; -1: a free body
    body_mass: Floats  # of free bodies [kg]
    inertia: Floats3  # of free bodies, about the centre of mass, in body axes [kg m^2]
    inverse: Floats3  # of `inertia`
    is_round: Bytes  # whether `inertia` is a multiple of the identity
    gravity: Floats2  # and other uniform accelerations of free bodies [m/s^2]
    extra_gravity: Floats2  # what of it no scene's gravity is
    body_node: Ints  # node of each body
    dissipation: Floats  # factor on the velocities of each node after a step

    # programs of models: 0 mass, bias, poses and axes; 1 bias alone
    loop: Ints2  # addresses of their code
    loop_data: Ints2  # and of their data
    arguments: Ints3  # addresses of their arguments
    steps: Ints3  # counts and strides [bytes]
    supports: Bytes2  # whether an axis of its node moves a body
    first_axis: Ints  # first joint axis of each node, and their number
    axis_dof: Ints  # velocity along each axis, in its node; coupled joints share one
    balls: Ints2  # spherical joints: velocity, and positions x, y, z, w, in the model
    ball_start: Ints  # first spherical joint of each model
    is_line: Bytes  # whether the rate of a position is the velocity

    # forces and joints
    drag_body: Ints
    drag: Floats2  # linear, angular, the same of squares; point on the body
    push_body: Ints
    push: Floats2  # constant force [N]; point on the body
    viscous: Floats  # friction of each velocity [N s/m or N m s]
    limit_dof: Ints
    limit_place: Ints
    limit_lower: Floats
    limit_upper: Floats
    limit_restitution: Floats
    friction_dof: Ints
    friction: Floats  # dry [N or N m]
    dof_node: Ints  # node of each velocity

    # actuators with held controls, of which Python is not asked; places as in `held_actuators`
    act_program: Ints  # addresses of code and data; none where there are no such
    act_arguments: Ints  # addresses
    act_steps: Ints
    act_place: Ints  # of each position of `Scene.model`
    act_dof: Ints  # of each velocity of it
    free_first: Ints2  # of free bodies, as of `FreeBodies`
    free_com: Floats2
    act_q: Floats
    act_qd: Floats
    act_controls: Floats
    act_tau: Floats
    act_stiffness: Floats
    act_damping: Floats
    activation: Floats  # of these actuators, held through a step; none where Python is asked
    activation_since: float  # when the step began [s]; infinite before the first one
    next_program: Ints  # that of the activation after a time, as above
    next_arguments: Ints
    next_steps: Ints
    next_q: Floats  # state at the start of the step
    next_qd: Floats
    next_elapsed: Floats  # time since then [s], one number
    next_activation: Floats
    recorded_activation: Floats2  # at each record of a call
    servo_stiffness: Floats  # of actuators, along each velocity
    servo_damping: Floats
    resisted: Floats  # how much less their forces in a step are by change of velocity
    asked: Floats  # joint forces that were set from outside
    written: Floats  # `tau` as of the last velocity update
    is_driven: int  # whether joint forces of each step are given

    # tendons with limits or dry friction
    tendon_program: Ints  # addresses of code and data of the program of lengths; none without
    tendon_arguments: Ints  # addresses
    tendon_steps: Ints  # counts and strides [bytes]
    tendon_length: Floats  # result of the program
    tendon_wrench: Floats2  # result: on each body of a tendon, of a unit force along it
    tendon_body: Ints  # of each wrench
    tendon_wrench_start: Ints  # first wrench of each tendon
    tendon_row: Floats2  # gradients of the lengths by velocities
    tendon_node: Ints  # nodes that a tendon touches
    tendon_node_start: Ints  # first of them of each tendon
    tendon_friction: Floats  # dry [N]
    tendon_past: Floats2  # columns in `loop_rates`
    limit_tendon: Ints  # of each limit after those of joints and loops

    # adhesion
    adhesion: Floats  # forces of the actuators [N]
    is_adhesive: Bytes2  # whether a geometry is on the body of an actuator
    adhesive: Floats  # generalised, of the contacts of the step before

    # springs: between two bodies, row by row, and in joints
    spring_a: Ints  # bodies
    spring_b: Ints
    spring_frame_a: Floats2  # poses on the bodies
    spring_frame_b: Floats2
    spring_rows: Ints2  # columns in `springs`
    spring_law: Floats2
    spring_table: Floats2  # length, force
    spring_dof: Ints  # of joints with a spring
    spring_place: Ints
    spring_rest: Floats
    turn_spring: Ints2  # of spherical joints with a spring: velocity, and positions x, y, z, w
    turn_rest: Floats2  # quaternions x, y, z, w
    stiffness: Floats  # of the springs in joints, of each velocity [N/m or N m]

    # loops and gears
    loop_a: Ints  # bodies
    loop_b: Ints
    frame_a: Floats2  # poses on the bodies
    frame_b: Floats2
    pitch: Floats  # of screws [m/rad]
    loop_rows: Ints2  # columns in `couplings`
    loop_past: Floats2  # columns in `loop_rates`
    gear_dof: Ints2
    gear_place: Ints2
    gear_ratio: Floats
    gear_constant: Floats
    is_coupled: Bytes  # whether the model of a velocity has a loop or gear
    held: Floats  # accelerations by impulses in the step before

    # hinges: the free coordinate of a loop, where that has limits or friction
    hinge_loop: Ints
    hinge_turns: Bytes  # whether it is an angle
    hinge_place: Floats  # the coordinate, turns counted
    hinge_dry: Floats
    hinge_viscous: Floats

    # geometries
    surface_body: Ints
    surface_pose: Floats2  # on the body
    surface_reach: Floats  # greatest distance of its points from the body's origin [m]
    belt: Floats2  # surface velocity: immovable, about the world's origin; else of the geometry
    has_belt: Bytes  # whether that is not zero
    family: Ints  # geometries of a family have the same contact rules
    rule_of: Ints2  # rule of two families
    rules: Floats2  # columns in `contacts`
    group: Ints  # collision group of each geometry
    may_touch: Bytes2  # of two groups
    shape_data: Floats  # of a `ShapeTable`
    shape_offset: Ints
    given_whole: Ints2  # contacts that plug-ins gave, as of `Contacts`
    given_real: Floats2

    # options
    nominal: float  # step [s]
    min_step: float  # between two rebounds [s]
    thresh: float  # gap below which something rebounds [m]
    margin: float  # of contact detection [m]
    slop: float  # overlap that stays [m]
    loop_slop: float  # error of loops that stays [m]
    push_out: float  # share of an overlap that a projection corrects
    max_minis: int  # most parts of a step
    projections: int  # most Newton steps of a projection
    method: int  # of the contact solver
    hook: int  # address of the callback into Python, or 0
    asks_at_mid_step: int  # whether it is called at each velocity update
    source: int  # whether plug-ins give contacts
    solver: SolverSettings

    # state, and work arrays
    position: Floats
    velocity: Floats
    trial: Floats  # velocities after impulses; argument of the programs
    constraint_force: Floats  # of the last step, along the velocities
    passive_force: Floats
    free: Floats  # velocities under forces alone
    zero_velocity: Floats
    force: Floats  # generalised
    elastic: Floats  # forces of springs at the poses of the velocity update
    tau: Floats  # joint forces of controllers [N or N m]
    wrench: Floats2  # of controllers, on bodies, about the world's origin
    pose: Floats2  # of bodies
    mass: Floats  # matrices, row by row
    factor: Floats  # their factors, as of `factor_mass`
    last: Ints  # last rows of the columns of the factors
    bias: Floats  # forces of gravity and velocities
    axes: Floats2  # motion of a body per velocity along each axis, about the world's origin
    share: Floats  # of its drift that a node makes after the velocity update
    is_fast: Bytes  # whether the drift of a node is integrated
    lag: Floats  # time of a node from the last velocity update to the end of the step [s]
    trials: Ints2  # of the contact solver, as of `retries`
    choices: Ints2  # likewise, as of `following`
    rotation: Floats3  # of geometries
    origin: Floats2
    order: Ints  # of geometries, in the broad phase
    work: Floats2  # of the collision functions
    coupling: Floats  # impulses of loops, gears and dry friction in the step before
    contact_impulse: Floats2  # of contacts on each geometry since the last record [N s]
    exchange: Ints  # count and addresses of contacts, for the callback
    counters: Ints  # columns in `counter_indices`
    totals: Floats
