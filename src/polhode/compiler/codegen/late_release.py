"""Release of what Python does not own, after the object that needs it is gone."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, ClassVar


class LateRelease(weakref.ReferenceType[Any]):
    """What to call for an object that is gone, when code is next made.

    Never by a finalizer: those run wherever Python drops an object, and swallow the interrupts that
    come meanwhile.
    """

    __slots__ = ("release",)
    release: Callable[[], object]
    alive: ClassVar[set[LateRelease]] = set()
    dropped: ClassVar[list[LateRelease]] = []

    @classmethod
    def after(cls, owner: Any, release: Callable[[], object]) -> None:
        """Have ``release`` called after ``owner``, to which it must not refer."""
        later = cls(owner, cls.dropped.append)
        later.release = release
        cls.alive.add(later)

    @classmethod
    def of_dropped(cls) -> None:
        """Release what belongs to objects that are gone."""
        while cls.dropped:
            later = cls.dropped.pop()
            cls.alive.discard(later)
            later.release()
