"""Joints of several axes as joints of one, for formats that know no others."""

from __future__ import annotations

from ..model import JointKind, Prismatic, TranslationXYZ
from ..model.joints.several import Serial

_SLIDES = (Prismatic.x(), Prismatic.y(), Prismatic.z())


def axes_in_series(kind: JointKind, *whole: type[JointKind]) -> tuple[JointKind, ...]:
    """The joints that together move as one does; those of the kinds ``whole`` stay as they are."""
    if isinstance(kind, whole):
        return (kind,)
    if isinstance(kind, TranslationXYZ):
        return _SLIDES
    return tuple(kind.parts) if isinstance(kind, Serial) else (kind,)
