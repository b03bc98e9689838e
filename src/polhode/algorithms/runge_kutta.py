"""The classical Runge-Kutta method of fourth order."""

SHARES = (0.0, 0.5, 0.5, 1.0)
"""Where in the step each stage is.

Its state is that of the start, moved along the slope of the stage before.
"""
WEIGHTS = (1.0, 2.0, 2.0, 1.0)
"""Of the slopes, a sixth each."""
CLASSICAL = tuple(zip(SHARES, WEIGHTS, strict=True))
"""Share and weight of each stage."""
