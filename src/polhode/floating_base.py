"""Dynamics of models with a floating base: the base apart from the joints."""

from .api.floating_base import (
    floating_base_dynamics,
    floating_base_inverse_dynamics,
    floating_base_state,
    total_inertia,
)

__all__ = [
    "floating_base_dynamics",
    "floating_base_inverse_dynamics",
    "floating_base_state",
    "total_inertia",
]
