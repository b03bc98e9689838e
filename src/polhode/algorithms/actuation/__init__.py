"""Tendons and actuators: lengths, their rates, and the forces along them.

`lengths` turns a length with its gradient into rates and joint forces; `tendons`, `wrapping` and
`transmissions` say what lengths there are.  `forces` adds up what acts along them, `armature` the
inertia of tendons.
"""
