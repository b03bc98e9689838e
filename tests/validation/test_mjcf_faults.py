"""MuJoCo's own faults that validation allows for are there, and none is found elsewhere."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from validation import mjcf_faults

SLEEPING = """<mujoco><option><flag sleep="enable"/></option><worldbody>
  <body pos=".3 0 1" sleep="init"><freejoint/><geom size=".1"/><site name="a"/></body>
  <body pos="-.3 0 1"><freejoint/><geom size=".1"/><site name="b"/></body>
  <body pos=".7 0 1" sleep="init"><freejoint/><geom size=".1"/><site name="c"/></body>
</worldbody><tendon>
  <spatial><site site="a"/><site site="b"/></spatial>
  <spatial><site site="a"/><site site="c"/></spatial>
</tendon></mujoco>"""
CUT_BOX = "0 0 0  1 0 0  0 1 0  1 1 0  0 0 1  1 0 1  0 1 1"
BOX = f"{CUT_BOX}  1 1 1"


@pytest.mark.oracle
def test_tendons_sleep_at_rest(tmp_path):
    """Between two bodies that sleep from the start; motion wakes them."""
    path = tmp_path / "sleeping.xml"
    path.write_text(SLEEPING)
    qpos = np.tile([[0.3, 0, 1, 1, 0, 0, 0, -0.3, 0, 1, 1, 0, 0, 0, 0.7, 0, 1, 1, 0, 0, 0]], (2, 1))
    qvel = np.array([np.zeros(18), np.ones(18)])
    found = mjcf_faults.sleeping_tendons(path, qpos, qvel)
    assert found.tolist() == [[False, True], [False, False]]


@pytest.mark.oracle
@pytest.mark.parametrize(("vertices", "least", "most"), [(CUT_BOX, 1e-10, 1e-8), (BOX, 0, 1e-15)])
def test_axes_of_meshes(tmp_path, vertices, least, most):
    """Those of a box without a corner are not quite principal, those of a whole box are."""
    path = tmp_path / "mesh.xml"
    path.write_text(f"""<mujoco><asset><mesh name="m" scale=".2 .3 .1" vertex="{vertices}"/></asset>
      <worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>""")
    assert least <= mjcf_faults.of_mesh_axes(path) <= most


def test_inertia_of_a_hull():
    """Of a box, and of a tetrahedron about its centre."""
    x, y, z = sides = np.array([0.2, 0.3, 0.1])
    corners = np.array([[i, j, k] for i in (0, x) for j in (0, y) for k in (0, z)]) + 1.0
    expected = np.prod(sides) / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    found = mjcf_faults.inertia_of_hull(corners)
    np.testing.assert_allclose(found, np.diag(expected), rtol=0, atol=1e-17)
    unit = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    found = mjcf_faults.inertia_of_hull(unit)  # 1/60 - V / 16 and 1/120 - V / 16, V = 1/6
    between = [found[i, j] for i, j in [*pairwise(range(3)), (0, 2)]]
    np.testing.assert_allclose(found.diagonal(), 2.0 * (1.0 / 60.0 - 1.0 / 96.0), rtol=1e-14)
    np.testing.assert_allclose(between, 1.0 / 96.0 - 1.0 / 120.0, rtol=1e-13)
