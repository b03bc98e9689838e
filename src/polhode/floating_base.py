"""Dynamics of models with a floating base: the base apart from the joints."""

from typing import TYPE_CHECKING

from .api.floating_base import (
    floating_base_dynamics,
    floating_base_inverse_dynamics,
    floating_base_state,
    total_inertia,
)
from .namespaces import says_where

__all__ = [
    "floating_base_dynamics",
    "floating_base_inverse_dynamics",
    "floating_base_state",
    "total_inertia",
]

if not TYPE_CHECKING:  # type checkers would take any name
    __getattr__ = says_where(__name__)
