"""The classical Runge-Kutta method of fourth order."""

CLASSICAL = ((0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0))
"""Of each stage: where in the step it is, and its weight, a sixth each.

Its state is that of the start, moved along the slope of the stage before.
"""
