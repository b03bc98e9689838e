"""Kinematics and dynamics of a tree of bodies.

`rnea`, `aba` and `crba` are tables of RBDA; `floating_base` and `hybrid` are of its chapter 9,
and `sparsity` of its section 6.5.  `luh_walker_paul` is another published algorithm,
`aba_relative` has its derivation in its docstring, and `dynamics` chooses among equal ones.  The
rest are formulas of the book, or of the papers they cite.  May import `scalar`, `spatial`,
`model` and `actuation`, which has what tendons add.
"""
