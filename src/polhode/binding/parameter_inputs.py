"""Parameters of a model as inputs of a program: their names and shapes."""

from __future__ import annotations

from collections.abc import Sequence

from ..arguments import as_texts
from ..errors import ModelError, shown, suggestion
from ..model import Model
from ..model.parameters import PARAMETERS, shape_of


def parameter_shapes(model: Model, names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The shapes of parameters as inputs of a program."""
    return {name: shape_of(model, name) for name in names}


def checked_names(names: Sequence[str]) -> tuple[str, ...]:
    """``names``, or a ModelError unless each is a parameter and comes once."""
    names = (names,) if isinstance(names, str) else as_texts("names of parameters", names)
    for k, name in enumerate(names):
        if name not in PARAMETERS:
            raise ModelError(
                f"expected parameters among {', '.join(PARAMETERS)}, got {shown(name)}"
                f"{suggestion(name, PARAMETERS)}"
            )
        if name in names[:k]:
            raise ModelError(f"expected each parameter once, got {name!r} again")
    return names
