"""Lengths and velocities of actuators and tendons, and rates of activation.

Their joint forces are `polhode.actuator_forces`.
"""

from typing import TYPE_CHECKING

from .api.actuation import (
    ActuatorValues,
    activation_rates,
    actuator_values,
    next_activation,
    tendon_jacobian,
    tendon_lengths,
)
from .namespaces import says_where

__all__ = [
    "ActuatorValues",
    "activation_rates",
    "actuator_values",
    "next_activation",
    "tendon_jacobian",
    "tendon_lengths",
]

if not TYPE_CHECKING:  # type checkers would take any name
    __getattr__ = says_where(__name__)
