"""The functions that can be exported: names only, nothing heavy."""

from __future__ import annotations

from typing import NamedTuple


class Exported(NamedTuple):
    """The algorithm behind a public function, and what its results are called."""

    algorithm: str
    outputs: tuple[str, ...]
    has_body: bool = False


FUNCTIONS = {
    "inverse_dynamics": Exported("inverse_dynamics", ("tau",)),
    "forward_dynamics": Exported("forward_dynamics", ("qdd",)),
    "mass_matrix": Exported("mass_matrix", ("H",)),
    "inverse_mass_matrix": Exported("inverse_inertia", ("H_inverse",)),
    "solve_mass_matrix": Exported("solve_inertia", ("qdd",)),
    "bias_forces": Exported("bias", ("tau",)),
    "coriolis_matrix": Exported("coriolis_matrix", ("C",)),
    "gravity_forces": Exported("gravity", ("tau",)),
    "inverse_dynamics_derivatives": Exported("rnea_derivatives", ("d_q", "d_qd", "d_qdd")),
    "forward_dynamics_derivatives": Exported("aba_derivatives", ("d_q", "d_qd", "d_tau")),
    "body_pose": Exported("body_pose", ("pose",), True),
    "body_poses": Exported("poses", ("poses",)),
    "center_of_mass": Exported("center_of_mass", ("com",)),
    "integrate": Exported("integrate", ("q_next",)),
    "difference": Exported("difference", ("v",)),
    "point_position": Exported("point_position", ("position",), True),
    "point_velocity": Exported("point_velocity", ("velocity",), True),
    "point_acceleration": Exported("point_acceleration", ("acceleration",), True),
    "point_jacobian": Exported("point_jacobian", ("J",), True),
    "body_jacobian": Exported("body_jacobian", ("J",), True),
    "frame_jacobian": Exported("frame_jacobian", ("J",), True),
}
