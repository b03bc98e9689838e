"""Inertial parameters of models: read, replaced, and identified from measurements."""

from .api.parameters import parameters_of, with_parameters
from .api.parameters_identification import BaseParameters, Identification, base_parameters, identify
from .api.parameters_regressor import (
    inertial_parameters,
    inverse_dynamics_regressor,
    with_inertial_parameters,
)

__all__ = [
    "BaseParameters",
    "Identification",
    "base_parameters",
    "identify",
    "inertial_parameters",
    "inverse_dynamics_regressor",
    "parameters_of",
    "with_inertial_parameters",
    "with_parameters",
]
