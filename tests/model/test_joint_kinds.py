"""What each kind of joint says about itself."""

from __future__ import annotations

import numpy as np
import pytest

from random_trees import KINDS


@pytest.mark.parametrize("name", KINDS)
def test_series_axes_say_whether_the_subspace_is_constant(name):
    """Of each joint that it is made of: empty if and only if ``S`` is the same everywhere."""
    rng = np.random.default_rng(4)
    for joint in KINDS[name](rng).elementary():
        S = [subspace(joint, rng) for _ in range(2)]
        assert np.allclose(*S, rtol=0, atol=1e-14) == (not joint.series_axes), joint


def subspace(joint, rng) -> np.ndarray:
    """A row for each velocity, where the joint is anywhere."""
    q = joint.integrate(joint.neutral(), tuple(rng.normal(size=joint.nv)))
    S = joint.jcalc(q, (0.0,) * joint.nv).S
    columns = [S @ tuple(row) for row in np.eye(joint.nv)]
    return np.array([[float(x) for x in column] for column in columns])
