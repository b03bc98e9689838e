"""Scenes without contact as differential equations, for methods other than the compiled one."""

from ..adaptive import NAMES

SCHEMES = ("symplectic", "rk4", "moby", *NAMES)

__all__ = ["SCHEMES"]
