"""Lengths and velocities of actuators and tendons, rates of activation, and forces of a fluid.

Joint forces of actuators are `polhode.actuator_forces`, those of tendons `polhode.passive_forces`.
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
from .api.passive import fluid_forces
from .namespaces import says_where

__all__ = [
    "ActuatorValues",
    "activation_rates",
    "actuator_values",
    "fluid_forces",
    "next_activation",
    "tendon_jacobian",
    "tendon_lengths",
]

if not TYPE_CHECKING:  # type checkers would take any name
    __getattr__ = says_where(__name__)
