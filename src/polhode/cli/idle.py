"""Options that would do nothing, which are refused."""

from __future__ import annotations

from argparse import Namespace


def refuse_idle(options: Namespace, needed: dict[str, str]) -> None:
    """Refuse options given without the one that they belong to.

    Raises
    ------
    ValueError
        For the first of them, which is then not None.
    """
    for name, other in needed.items():
        if getattr(options, name) is not None and not getattr(options, other):
            name, other = (f"--{each.replace('_', '-')}" for each in (name, other))
            raise ValueError(f"expected {other} with {name}, which has no effect alone")
