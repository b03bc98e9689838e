"""Where public names are: errors for those that a namespace lacks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .errors import suggestion

NAMESPACES = (
    *("actuation", "biomechanics", "constraints", "contact", "derivatives", "environments"),
    *(
        "floating_base",
        "formats",
        "identification",
        "kinematics",
        "model",
        "simulation",
        "spatial",
        "sweeps",
    ),
    *("rbdl", "spatial_v2"),
)
"""Those of `polhode` in which names are looked for that are elsewhere."""


def homes(name: str) -> list[str]:
    """The namespaces of `polhode` that have a public name."""
    return [home for home in NAMESPACES if name in import_module(f"polhode.{home}").__all__]


def says_where(namespace: str) -> Callable[[str], Any]:
    """A ``__getattr__`` for a namespace, whose errors say where a name is that it lacks.

    Parameters
    ----------
    namespace : str
        The module's ``__name__``.
    """

    def __getattr__(name: str) -> Any:
        hint = "" if name.startswith("_") else _elsewhere(namespace, name)
        text = f"module '{namespace}' has no attribute '{name}'{hint}"
        # An import statement replaces an AttributeError by one that does not say this; but it
        # also asks so for modules that are not imported yet.
        is_import = hint and sys._getframe(1).f_code.co_name == "_handle_fromlist"
        if is_import and find_spec(f"{namespace}.{name}") is None:
            raise ImportError(text, name=namespace)
        raise AttributeError(text, name=name)

    return __getattr__


def _elsewhere(namespace: str, name: str) -> str:
    """Where a name is that a namespace lacks, or one that is near to it there."""
    import polhode

    here = ["polhode"] * (name in dir(polhode)) + [f"polhode.{home}" for home in homes(name)]
    if here:
        return "; it is " + " or ".join(f"{home}.{name}" for home in here)
    return suggestion(name, sys.modules[namespace].__all__)
