"""What the parameters of RBDL's functions are, by name: type, and meaning."""

from __future__ import annotations

from typing import NamedTuple


class Quantity(NamedTuple):
    """An array: its shape, and what is in it."""

    shape: str
    text: str


ARRAYS: dict[str, Quantity] = {
    "q": Quantity("(q_size,)", "Positions [rad or m]."),
    "qinit": Quantity("(q_size,)", "Positions to start from [rad or m]."),
    "qres": Quantity("(q_size,)", "Positions found [rad or m]."),
    "qdot": Quantity("(qdot_size,)", "Velocities [rad/s or m/s]."),
    "qdot_init": Quantity("(qdot_size,)", "Velocities to start from [rad/s or m/s]."),
    "qdot_minus": Quantity("(qdot_size,)", "Velocities before the impact [rad/s or m/s]."),
    "qdot_plus": Quantity("(qdot_size,)", "Velocities after the impact [rad/s or m/s]."),
    "qddot": Quantity("(qdot_size,)", "Accelerations [rad/s^2 or m/s^2]."),
    "qddot_out": Quantity("(qdot_size,)", "Accelerations that come out [rad/s^2 or m/s^2]."),
    "tau": Quantity("(qdot_size,)", "Joint forces [N m or N]."),
    "weights": Quantity("(qdot_size,)", "How hard each freedom is to move; zero for free."),
    "f_external": Quantity(
        "(n_bodies + 1, 6)",
        "Spatial force on the root and on each moving body, base coordinates [N m, N].",
    ),
    "body_point_position": Quantity("(3,)", "Point in body coordinates [m]."),
    "target_pos_position": Quantity("(n, 3)", "Where each point is to be, base coordinates [m]."),
    "velocity": Quantity("(3,)", "[m/s]."),
    "velocity_6d": Quantity("(6,)", "[rad/s, m/s]."),
    "acceleration": Quantity("(3,)", "[m/s^2]."),
    "acceleration_6d": Quantity("(6,)", "[rad/s^2, m/s^2]."),
    "point": Quantity("(3,)", "Point [m]."),
    "E": Quantity("(3, 3)", "Rotation from base to body coordinates."),
    "G": Quantity("(rows, qdot_size)", "Jacobian."),
    "H": Quantity("(qdot_size, qdot_size)", "Joint-space inertia matrix."),
    "C": Quantity("(qdot_size,)", "Bias forces [N m or N]."),
    "err": Quantity("(rows,)", "Errors of the rows [m, rad; m/s, rad/s]."),
    "com": Quantity("(3,)", "Centre of mass [m]."),
    "com_velocity": Quantity("(3,)", "Its velocity [m/s]."),
    "com_acceleration": Quantity("(3,)", "Its acceleration [m/s^2]."),
    "angular_momentum": Quantity("(3,)", "About the centre of mass [N m s]."),
    "change_of_angular_momentum": Quantity("(3,)", "Its rate [N m]."),
    "normal": Quantity("(3,)", "Normal of the plane, base coordinates; z if omitted."),
    "zmp": Quantity("(3,)", "The point, base coordinates [m]."),
    "multipliers": Quantity("(rows,)", "Forces of the rows."),
    "x": Quantity("(qdot_size,)", "The vector, or the solution."),
    "L": Quantity("(qdot_size, qdot_size)", "Lower triangular factor."),
    "c": Quantity("(n,)", "Right side."),
    "gamma": Quantity("(rows,)", "Right side of the rows."),
    "body_point": Quantity("(3,)", "Point in body coordinates [m]."),
    "target_pos": Quantity("(3,)", "Place in base coordinates [m]."),
    "target_orientation": Quantity("(3, 3)", "Coordinate rotation from base to body."),
    "world_normal": Quantity("(3,)", "Direction in base coordinates."),
    "axis": Quantity("(6,)", "Axis in the predecessor's frame, rotation first."),
    "posErr": Quantity("(rows,)", "Position errors of the group."),
    "velErr": Quantity("(rows,)", "Velocity errors of the group."),
    "posErrUpd": Quantity("(rows,)", "Position errors of the group."),
    "velErrUpd": Quantity("(rows,)", "Velocity errors of the group."),
    "baumgarteForcesUpd": Quantity("(rows,)", "What stabilization adds to ``gamma``."),
    "baumgartePositionVelocityCoefficientsUpd": Quantity(
        "(2,)", "``alpha`` and ``beta`` of ``-2 alpha errd - beta^2 err`` [1/s]."
    ),
    "constraintBodyIdsUpd": Quantity("(2,)", "Numbers of the bodies."),
    "constraintFramesUpd": Quantity("(6, 6, 2)", "Matrices of the frames in which forces act."),
    "constraintForcesUpd": Quantity("(6, 2)", "Spatial forces, or impulses."),
    "quat": Quantity("(4,)", "Quaternion ``x, y, z, w``."),
    "inertia": Quantity("(3, 3)", "Inertia about the centre of mass [kg m^2]."),
    "r": Quantity("(3,)", "Origin of the new frame in the old one [m]."),
    "displacement": Quantity("(3,)", "Origin of the new frame in the old one [m]."),
    "matrix": Quantity("(6, 6)", "The matrix for motions."),
    "v": Quantity("(6,)", "A motion."),
    "w": Quantity("(6,)", "Another motion."),
    "f": Quantity("(6,)", "A force."),
    "product": Quantity("(6,) or (6, 6)", "The product, or the matrix."),
    "zyx_euler": Quantity("(3,)", "Angles about z, y, x [rad]."),
    "zyx_angles": Quantity("(3,)", "Angles about z, y, x [rad]."),
    "zyx_rates": Quantity("(3,)", "Their rates [rad/s]."),
    "zyx_rates_dot": Quantity("(3,)", "Rates of the rates [rad/s^2]."),
    "omega": Quantity("(3,)", "Angular velocity [rad/s]."),
    "angular_acceleration": Quantity("(3,)", "Angular acceleration [rad/s^2]."),
}

OTHERS: dict[str, tuple[str, str]] = {
    "model": ("Model", "The machine."),
    "CS": ("ConstraintSet", "The constraints."),
    "constraint": ("CustomConstraint", "The user's rows."),
    "body_id": ("int", "Number of a moving or fixed body."),
    "index": ("int", "Number of a moving or fixed body."),
    "parent_id": ("int", "Number of a moving or fixed body, or 0 for the root."),
    "id_predecessor": ("int", "Number of the first body."),
    "id_successor": ("int", "Number of the second body."),
    "X_predecessor": ("SpatialTransform", "The frame on the first body."),
    "X_successor": ("SpatialTransform", "The frame on the second body."),
    "body_ids": ("sequence of int", "Numbers of the bodies whose points are brought to targets."),
    "joint_frame": ("SpatialTransform", "From the parent's coordinates to the joint's."),
    "transform": ("SpatialTransform", "From the moving parent's coordinates to the joint's."),
    "joint": ("Joint", "How the body moves."),
    "custom_joint": ("CustomJoint", "How the body moves."),
    "body": ("Body", "Its mass properties."),
    "body_name": ("str or bytes", "A name for the body, or none."),
    "name": ("str or bytes", "Name of a body."),
    "angle": ("float", "Angle [rad]."),
    "mass": ("float", "Mass [kg]."),
    "update_kinematics": (
        "bool", "Whether to take the state that is given; False takes the one noted last."),
    "updateKinematics": (
        "bool", "Whether to take the state that is given; False takes the one noted last."),
    "resolveAllInRootFrame": ("bool", "Whether frames and forces are in base coordinates."),
    "step_tol": ("float", "Length of a step, or of the error, at which to stop."),
    "lambda_": ("float", "Damping."),
    "max_iter": ("int", "Most steps."),
    "tolerance": ("float", "Norm of the errors, and of the last step, that will do."),
    "weight": ("float", "How much it counts beside the others."),
    "linear_solver": ("LinearSolver", "Makes no difference here."),
    "solver": ("LinearSolver", "Makes no difference here."),
    "groupIndex": ("int", "Number of the group."),
    "constraintNameChar": ("str or bytes", "Name of a row."),
    "userDefinedId": ("int", "Number given to a row by the user."),
    "assignedId": ("int", "Number of a row."),
    "constraint_name": ("str or bytes, optional", "A name for the row."),
    "user_defined_id": ("int", "A number for the row; 4294967295 for none."),
    "normal_acceleration": ("float", "What the acceleration along the normal is to be [m/s^2]."),
    "baumgarte_enabled": ("bool", "Whether errors are made to vanish."),
    "T_stab_inv": ("float", "Time constant of that [s]."),
    "time": ("float", "Time constant [s]."),
    "actuated_dof_upd": ("sequence of bool", "One for each freedom."),
    "filename": ("path", "A ``.lua`` or ``.urdf`` file."),
    "verbose": ("bool", "Whether to print the hierarchy."),
    "floating_base": ("bool", "Whether the root link of a URDF gets six freedoms."),
}  # fmt: skip

RESULTS: dict[str, tuple[str, str]] = {
    "transform": ("SpatialTransform", "The transform."),
    "turn": ("Quaternion", "The orientation."),
    "success": ("bool", "Whether it worked."),
    "claim": ("bool", "Whether that is so."),
    "energy": ("float", "Energy [J]."),
    "number": ("int", "Of the constraint, or of its first row."),
    "id": ("int", "Number of the body."),
    "groupIndex": ("int", "Number of the group."),
    "name": ("str", "The name."),
    "size": ("int", "Number of rows."),
    "type": ("GroupType", "Contact, loop or custom."),
    "user_id": ("int", "The number."),
}


def parameter(name: str, is_output: bool, is_optional: bool) -> str:
    """The entry of a parameter in a docstring."""
    if name not in ARRAYS:
        kind, text = OTHERS[name]
        return f"{name} : {kind}\n    {text}"
    shape, text = ARRAYS[name]
    kind = "ndarray" if is_output else "array_like"
    more = ", optional" if is_optional else ""
    return f"{name} : {kind}, shape {shape}{more}\n    {'Filled: ' if is_output else ''}{text}"


def result(name: str) -> str:
    """The entry of a result in a docstring."""
    if name in RESULTS:
        kind, text = RESULTS[name]
        return f"{name} : {kind}\n    {text}"
    shape, text = ARRAYS[name]
    return f"{name} : ndarray, shape {shape}\n    {text}"
