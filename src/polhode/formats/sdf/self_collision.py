"""Which links of one model touch one another: ``<self_collide>`` of the model and its links."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from ...scene import DisabledPair
from ..xml import Element
from .values import boolean, name_of

SELF_COLLIDE = "self_collide"


def apart(model: Element, name: str) -> Iterator[DisabledPair]:
    """The links of a model that never touch: those of which neither has ``<self_collide>``.

    ``name`` is that of the model in the scene.
    """
    if boolean(model, "static"):
        return
    usual = boolean(model, SELF_COLLIDE)
    links = [link for link in model.all("link") if link.all("collision")]
    quiet = [link for link in links if not boolean(link, SELF_COLLIDE, default=usual)]
    if len(quiet) == len(links) > 1:
        yield DisabledPair(name, name)
        return
    for one, other in combinations(quiet, 2):
        yield DisabledPair(*(f"{name}/{name_of(link)}" for link in (one, other)))
