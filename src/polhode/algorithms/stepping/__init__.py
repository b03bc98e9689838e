"""Time steps with contact as straight-line arithmetic over scalars.

`moreau` is the step and `contact_model` what it is made for.  `touching` finds where shapes touch,
`candidates` which points are near; `contact_rows`, `joint_rows` and
`closure_rows` write their rows.  `blocks` has the laws of rows and `step_rows` all of them;
`solver` and `rebound` find the impulses.  Unknowns are velocities (`velocity_space`), or impulses
of robots with `few_rows` (`impulse_space`, by `elimination` of `chains` of rows).
May import `scalar`, `spatial`, `model`, `tree`, `constrained` and `actuation`.
"""
