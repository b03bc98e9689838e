"""The part of SDF that Moby reads: models of links and joints, with collision shapes.

`writer` writes scenes, and says what is lost.

Not supported: frames of a world, gearbox and screw joints, lights, sensors.
"""

from .reader import models, parse, read

__all__ = ["models", "parse", "read"]
