"""Inertial parameters of models: read, replaced, and identified from measurements."""

from typing import TYPE_CHECKING

from .api.parameters import parameters_of, with_parameters
from .api.parameters_identification import BaseParameters, Identification, base_parameters, identify
from .api.parameters_regressor import (
    inertial_parameters,
    inverse_dynamics_regressor,
    with_inertial_parameters,
)
from .namespaces import says_where

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

if not TYPE_CHECKING:  # type checkers would take any name
    __getattr__ = says_where(__name__)
