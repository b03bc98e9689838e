"""Lengths and velocities of actuators and tendons, and rates of activation.

Their joint forces are `polhode.actuator_forces`.
"""

from .api.actuation import (
    ActuatorValues,
    activation_rates,
    actuator_values,
    next_activation,
    tendon_jacobian,
    tendon_lengths,
)

__all__ = [
    "ActuatorValues",
    "activation_rates",
    "actuator_values",
    "next_activation",
    "tendon_jacobian",
    "tendon_lengths",
]
