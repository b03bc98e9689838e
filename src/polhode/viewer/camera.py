"""From where a page looks at first, and what it follows (showmotion's camera)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any

import numpy as np

from ..arguments import as_number
from ..arrays import Numbers, as_array
from ..errors import ModelError, shown, suggestion


@dataclass(frozen=True)
class Camera:
    """A perspective view of 25 degrees.

    Parameters
    ----------
    body : int or str
        The body whose horizontal motion the camera follows; 0 for a camera that stands.
    trackpoint : three numbers
        The followed point, in that body's coordinates [m].
    direction : three numbers, optional
        From the scene towards the camera, in base coordinates; from aside and above by default.
    up : three numbers, optional
        What points upwards in the picture; against gravity by default.
    zoom : float
        1 shows everything during the whole motion; 2 is twice as near.
    locus : two numbers
        Where the scene's middle appears: (-1, -1) is the lower left corner, (1, 1) the upper
        right one.

    Raises
    ------
    ModelError
        If an entry is not of that kind, or up and direction are parallel.
    """

    body: int | str = 0
    trackpoint: Numbers = (0.0, 0.0, 0.0)
    direction: Numbers | None = None
    up: Numbers | None = None
    zoom: float = 1.0
    locus: Numbers = (0.0, 0.0)

    def __post_init__(self) -> None:
        if isinstance(self.body, bool) or not isinstance(self.body, str | Integral):
            raise ModelError(f"expected a number or name of a body as body, got {shown(self.body)}")
        for name, size in (("trackpoint", 3), ("direction", 3), ("up", 3), ("locus", 2)):
            value = getattr(self, name)
            if value is not None or name in ("trackpoint", "locus"):
                object.__setattr__(self, name, _vector(name, value, size))
        object.__setattr__(self, "zoom", as_number("zoom", self.zoom))
        if self.zoom <= 0.0:
            raise ModelError(f"expected a positive zoom of a camera, got {self.zoom}")
        if max(map(abs, self.locus)) > 1.0:
            raise ModelError(f"expected a locus between -1 and 1, got {self.locus}")
        for name in ("direction", "up"):
            value = getattr(self, name)
            if value is not None and not any(value):
                raise ModelError(f"expected a camera's {name} to have a length, got {value}")
        if self.direction is not None and self.up is not None:
            across = np.cross(self.direction, self.up)
            scale = np.linalg.norm(self.direction) * np.linalg.norm(self.up)
            if np.linalg.norm(across) < 1e-6 * scale:
                raise ModelError(
                    f"expected a camera's up not to be parallel to its direction, got "
                    f"{self.up} and {self.direction}"
                )

    @classmethod
    def of(cls, given: Camera | Mapping[str, Any]) -> Camera:
        """A camera as it is, or from a mapping of its fields.

        Parameters
        ----------
        given : Camera, dict or None
            What was given.
        """
        if isinstance(given, Camera):
            return given
        known = [f.name for f in fields(cls)]
        for name in given:
            if name not in known:
                raise ModelError(
                    f"expected a camera's {', '.join(known)}, got '{name}'"
                    + suggestion(str(name), known)
                )
        return cls(**given)

    def row(self, bodies: Sequence[str]) -> dict[str, Any]:
        """As the page takes it; ``bodies`` are its bodies' names, the base first.

        Parameters
        ----------
        bodies : sequence of str
            Names, the base first.

        Returns
        -------
        row : dict
            Numbers and names.
        """
        return {
            "body": self._number(bodies),
            "point": list(self.trackpoint),
            "zoom": float(self.zoom),
            "locus": list(self.locus),
            "film": 0,
        }

    def _number(self, bodies: Sequence[str]) -> int:
        if isinstance(self.body, str) and self.body in bodies:
            return list(bodies).index(self.body)
        if isinstance(self.body, str) or not 0 <= self.body < len(bodies):
            hint = suggestion(self.body, bodies) if isinstance(self.body, str) else ""
            raise ModelError(
                f"expected the number (0 to {len(bodies) - 1}) or name of a body for the camera "
                f"to follow, got {self.body!r}{hint}"
            )
        return int(self.body)


def _vector(name: str, value: Any, size: int) -> tuple[float, ...]:
    array = as_array(name, value)
    if array.shape != (size,) or not np.isfinite(array).all():
        got = array.tolist() if array.size <= 10 else f"shape {array.shape}"
        raise ModelError(f"expected {size} finite numbers as a camera's {name}, got {got}")
    return tuple(array.tolist())
