"""The part of SDF that Moby reads: models of links and joints, with collision shapes.

`writer` writes scenes, and says what is lost.

Not supported: nested models, ``<include>`` in models, frames of a world, lights, sensors.
"""

from .reader import models, parse, read

__all__ = ["models", "parse", "read"]
