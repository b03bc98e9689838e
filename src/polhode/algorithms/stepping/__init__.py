"""Time steps with contact as straight-line arithmetic over scalars.

`moreau` is the step.  `stage` says what there is to step, `touching` where shapes touch, `inertia`,
`rows` and `sweeps` which impulses follow.
"""
