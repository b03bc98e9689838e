"""The part of SDF that Moby reads: models of links and joints, with collision shapes.

`writer` writes scenes, and says what is lost.

Not supported: frames of a world, gearboxes of other than two hinges on one body, lights, sensors.
"""

from .reader import models, parse, read

__all__ = ["models", "parse", "read"]
