"""What the parameters and results of spatial_v2's functions are, by name: shape, and meaning."""

from __future__ import annotations

from ..docstrings import Entry, Vocabulary

PARAMETERS: dict[str, Entry] = {
    "model": ("SystemModel", "The machine."),
    "q": ("(NB,)", "Joint positions [rad or m]."),
    "qd": ("(NB,)", "Joint velocities [rad/s or m/s]."),
    "qdd": ("(NB,)", "Joint accelerations [rad/s^2 or m/s^2]."),
    "tau": ("(NB,)", "Joint forces [N m or N]."),
    "f_ext": (
        "list of array_like, optional",
        "Force on each body, base coordinates [N m, N]; None or empty for none."),
    "xfb": (
        "(13,)", "Quaternion, position, and spatial velocity of body 6 in fixed coordinates."),
    "fd": ("array_like of int, shape (NB,)", "1 where the force is given."),
    "theta": ("float", "Angle [rad]."),
    "v": ("(6,) or (3,)", "A motion, spatial or planar."),
    "X": ("(6, 6) or (3, 3)", "A coordinate transform."),
    "p": ("(3, n) or (2, n)", "Points [m], a column each."),
    "fp": ("(3, n) or (2, n)", "Linear forces [N], a column each."),
    "r": ("(3,)", "Place of B's origin, in A [m]."),
    "argument": ("array_like", "One form or the other."),
    "arguments": ("array_like", "Of one form or the other."),
    "lambda_": ("sequence of int", "Parent of each row, counted from 1; 0 for none."),
    "nf": ("sequence of int", "Freedoms of each joint."),
    "H": ("(n, n)", "Symmetric, with the branches of the tree."),
    "L": ("(n, n)", "Lower triangular factor."),
    "x": ("(n,)", "A vector."),
    "nb": ("int", "Number of bodies, at least 1."),
    "bf": ("float", "Branching factor, at least 1: the mean number of children."),
    "skew": ("float", "Angle from a body's inboard axis to its outboard axis, about x [rad]."),
    "taper": ("float", "Size of each body relative to the one numbered before it."),
    "n": ("int", "Number of links."),
    "npt": ("int", "Number of corners."),
    "L2": ("float", "Length of the second rod [m]."),
    "path": ("path_like", "Name of the file."),
    "tracking": ("bool", "Whether the camera follows the robot."),
}  # fmt: skip

RESULTS: dict[str, Entry] = {
    "C": ("(NB,)", "Bias force [N m or N]."),
    "D": ("(n, n)", "The diagonal factor."),
    "E": ("(3, 3)", "The transform."),
    "H": ("(NB, NB)", "Inertia matrix."),
    "X": ("(6, 6)", "The transform."),
    "f": ("(6, n) or (3, n)", "The forces, a column each [N m, N]."),
    "motion": ("(6, n) or (4, n)", "Position [m] over velocity [m/s], base coordinates."),
    "matrix": ("(6, 6) or (3, 3)", "The matrix."),
    "parents": ("list of int", "Parent of each joint variable, counted from 1."),
    "path": ("Path", "The file."),
    "points": ("(3, n) or (2, n)", "[m], a column each."),
    "result": ("ndarray", "The other form."),
    "v": ("(6,) or (3,)", "The motion."),
    "velocity": ("(3, n) or (2, n)", "[m/s], a column each."),
    "y": ("(n,)", "The product."),
}

described: Vocabulary = Vocabulary(PARAMETERS, RESULTS)
