"""Thresholds of the exact solver, and the order of its stages.

A prox is a share of each block's own diagonal, a residual relative to the speed of the island.
Behind "else" stands what happens with the neutral value of `benchmarks/contact_stages.py`, of
2200 problems that sweeps do not solve; docs/contact-solver.md has the table.
"""

from __future__ import annotations

# The stages, by what they do, and their order.  Without Newton the 95th percentile of times is
# 1.3 times as much, without rounds 2 more are relaxed, without the others 3, 3, 6, 1 are lost.
NEWTON, SMALL_PROX, DE_SAXCE, STEADY, PROXIMAL, LEMKE = 0, 1, 2, 3, 4, 5
STAGES = (NEWTON, SMALL_PROX, DE_SAXCE, STEADY, PROXIMAL, LEMKE)

# Sweeps
SLOWEST = 1e-6  # m/s or rad/s: residuals are relative to a velocity of at least this
ROUNDING = 1e-6  # of a velocity or impulse: a residual below it cannot be told from rounding
STILL = 0.1  # of the tolerance: a sweep that changes less is the last; for warm starts
NEAR = 1e-2  # residual of a start that gets a quarter of the first sweeps; for warm starts
SWEEPS_BETWEEN = 60  # after the first stage, twice as many after each next; else 1 lost
MOST_BETWEEN = 240  # of these; more solve none of 864, and take a tenth of the time
MOST_SWEPT = 100_000  # blocks gone over in the sweeps after a stage; else 5.3 times the sweeps

# Coordinates
# Entries of a Jacobian [1 or m] below this are rounding: a block without larger ones is left out.
NOISE = 1e-13
# velocities, above which a tree gets the coordinates that its rows see; with 8 a chain of ten
# hinges takes 1.2 times as long
LARGE_NODE = 20
DEPENDENT = 1e-13  # of a row: if less is left of it beside those before, they make it up

# Rows of loops and gears alone
MOST_ROWS = 24  # solved by one factorisation, whose cost grows with their cube
LEAST_PIVOT = 1e-6  # of a row's own diagonal: below it rows depend on each other
REFINEMENTS = 2  # steps with the factor, the second where rounding left too much

# Newton's method
PROX = 1e-5
# Share of the blocks that are active, up to which the matrix is stored and ordered for these alone:
# trees then link fewer others.  Else 30 spheres that move take 1.2 times as long.
FEW_ACTIVE = 0.8
PROX_FALL = 0.3  # where a step leads nearer; else 4 lost
PROX_RISE = 3.0  # where it does not, and is not near; else 2 lost
# where every other residual from there is the SAME, to that share.  Else of 51 problems of a dog
# with rolling friction 34 are not solved in 100 steps, with it one
CYCLE_RISE = 100.0
SAME = 0.03
# of the residual: what the prox falls to below its least value.  Else four of 56 problems of a
# tower of 20 boxes that shakes are relaxed
PROX_SHARE = 1e-3
LEAST_PROX = 1e-10  # whatever the residual; else 3 lost
HALVINGS = 4  # of a step in the first stage that does not lead nearer
# times the residual, beyond which a step from chosen impulses is cut.  Else of 102 problems of a
# dog that lies 31 are not solved in 100 steps
FAR = 1e3
IDLE = 0.5  # of all steps: so many without a new best are the last; else 1 lost
MOST_WORK = 100_000  # blocks gone over in all steps of an island; else heaps take minutes
FEWEST_STEPS = 50  # whatever the number of blocks
# Steady steps: heaps bear their weight in many ways; this prox moves the impulses until contacts
# begin to slide, a smaller one makes them jump.
STEADY_PROX = 1e-4  # else 1 lost
# of the residual, in steady steps.  A heap of 343 blocks is solved from 12 of 12 starts; from 7 if
# the prox stays, from none with 1e-3
STEADY_SHARE = 1.0
STEADY_STEPS = 300  # else heaps that need more than 150 are lost
# Small prox
SMALL_FIRST_PROX = 1e-6
SMALL_PROX_STEPS = 3  # times the steps of the first stage; else 1 lost

# The choice among many impulses
# of springs about zero, and of Newton's first step from there: with less it takes more time where
# contacts slide, and of 180 towers 6 depend on the warm start
CHOICE_PROX = 1e-3
CHOICE_LEAST_PROX = 1e-4  # of Newton's steps from there, which are not cut
CHOICE_STEPS = 4  # times those of the first stage; with 2 shaking towers take 1.3 times as long
# of springs about the impulses so far, where contacts creep; with 1e-6 steps take ten times as many
CREEP_PROX = 1e-4
CHOICE_ENOUGH = 1e-4  # of the tolerance: springs multiply by 1 / prox what is left
CHOICE_FALL = 0.1  # of the residual, in a round that sticking contacts are worth
COSTLY_STEPS = 8  # of Newton's, above which a choice is costly: the steps after it follow
# of Newton's first step in a step that follows, one after the other until it is solved; with the
# first alone a quadruped on feet that roll takes 1.6 times as long
FOLLOWING_PROXES = (1e-3, 1e-2, 1e-1)
FOLLOWING_STEPS = 10  # of Newton's, from each of these
FOLLOWED = 1e-3  # residual of impulses that are followed: after greater changes some are chosen

# Torsional and rolling friction
TORQUE_ROUNDS = 3  # of a choice and steps in which bounds move
NEARLY = 1e-3  # change of bounds, as a share of the greatest, up to which a choice lasts

# Least norm, where contacts go on as before
LEAST_NORM_PROX = 1e-5
LEAST_NORM_STEPS = 6
STEPS_FROM_ZERO = 3  # of these: contacts that change more often need the choice
FULL = 0.9998  # of the radius of the friction disk: a contact with less friction sticks
SLIPS = 1e-2  # of the velocity that friction would make of its own: a contact with more slides
CREEPS = 1e-5  # of the same: a contact with less is at rest
TURNED = 3e-5  # rad: friction that turns more between steps from zero needs one more
ASTRAY = 0.1  # rad: friction that turns more needs the choice

# Interior points
# Islands of so many blocks have few of Newton's steps before them: it ends in these or in none.
# Else a sliding tower of 398 contacts takes 1.5 times as long.
MANY_BLOCKS = 100
FEW_STEPS = 8
INTERIOR_STEPS = 32
SLIGHT_COMPLIANCE = 1e-3  # of a row's own velocity per impulse, that steps leave out
INTERIOR_PROX = 1e-4  # of Newton's first step from there
LEAST_SHARE = 1e-4  # of the complementarity, that a step aims at
TO_BOUNDARY = 0.99  # of the way to the boundary of a cone
STALLED_STEP = 0.02  # three steps in a row that are shorter are the last
LEAST_SLOPE = 1e-4  # of a cone: without friction it would have no inside

# Newton's method on patches.  Else a sliding tower of 100 boxes takes 2.3 times as long.
FEWEST_PATCHES = 3  # of several blocks each; one of two or fewer is much of the island
LARGEST_BODY = 6  # velocities of a node: the patch of a tree and the ground is all its contacts
JOINT_PROX = 1e-4  # with 1e-3 of 20 problems of such a tower 18 are solved, not 19
# of the residual, that the prox falls to; with 1e-4 such towers take a fifth longer
JOINT_SHARE = 1e-3
LEAST_JOINT_PROX = 1e-8  # with 1e-7 solutions take a tenth more of the steps
JOINT_STEPS = 30
JOINT_IDLE = 10  # steps without a new best, after which it ends
# of the patches, above which steps after the first lead nowhere; else towers of 40 that shake take
# six times as long to fail
MOST_CHANGED = 0.5
# of the greatest impulse, to which chosen ones are rounded; else cold and warm starts may end at
# others, up to 4e-3 of it
DIGITS = 1e-9

# Rounds of convex problems
ROUNDS = 10
ROUND_PROX = 1e-6  # less needs more rounds, more loses digits
ROUND_ENOUGH = 1e-6  # a round that is solved less well is the last; else 1.6 times the time
ROUND_STEPS = 30  # else 2.8 times the time

# Proximal points
STIFFEST_PROX = 1.0
SHORTEST_STEP = 0.01
POINT_STEPS = 30  # else a point may take minutes
POINTS = 20
MOST_FAILED = 3  # points in a row; more solve none of 995, in a quarter more of Newton's steps
FIRST_ALPHA = 1.0
LEAST_ALPHA = 1e-12  # smaller: rows that contradict each other get impulses that hide it
GREATEST_ALPHA = 100.0
SHARE_OF_ALPHA = 1e-4  # that Newton's own prox has

LEMKE_EDGES = 8  # of the polygon in the place of a round disk; 4, 12 and 16 solve as many
TURNS = 16  # of the polygons at most; with 8 three more of 192 are not solved
MOST_PAIRS = 400  # of Lemke's method, whose cost grows with their cube

# Relaxed rows, of each row's own velocity per impulse: one try after the other.  Without either
# 3 are lost.
COMPLIANCES = (1e-9, 1e-11)
MOST_SLACK = 1e-5  # of the speed of the island
