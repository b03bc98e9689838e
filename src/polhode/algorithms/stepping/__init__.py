"""Time steps with contact as straight-line arithmetic over scalars.

`moreau` is the step and `contact_model` what it is made for.  `touching` finds where shapes touch,
`candidates` which points are near; `contact_rows`, `joint_rows` and
`closure_rows` write their rows.  `blocks` has the
laws of rows and `step_rows` all of them; `solver`, `newton` and `rebound` find the impulses.
May import `scalar`, `spatial`, `model`, `tree`, `constrained` and `actuation`.
"""
