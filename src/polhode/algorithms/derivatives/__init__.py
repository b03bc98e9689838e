"""Analytic derivatives along the tangent of the joints.

First derivatives of dynamics are those of Singh, Russo and Wensing; second ones have their
derivation in ``docs/derivations/second-derivatives.md``.  All are in base coordinates, on the
motion that `motion` computes.  May import `scalar`, `spatial`, `model`, `constraint_sets`, `tree`
and `constrained`.
"""
