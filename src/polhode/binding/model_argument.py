"""The model as an argument of public functions: is it one, and how errors name it."""

from __future__ import annotations

from typing import Any

from ..errors import ModelError
from ..model import Model
from ..model.checks import without


def require_model(model: Any) -> Model:
    """``model``, or a ModelError if it is none."""
    if not isinstance(model, Model):
        raise ModelError(
            f"expected a Model first, got {type(model).__name__}; load one with polhode.load"
        )
    return model


def where_of(model: Model) -> str:
    """The end of a message about an argument that does not fit a model."""
    return f" (model '{model.name}'{'' if model.links else without('links')})"
