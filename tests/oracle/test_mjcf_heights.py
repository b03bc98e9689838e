"""Heights in PNG files against those that MuJoCo reads."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import polhode as ph
from png_pictures import KINDS, picture

pytestmark = pytest.mark.oracle

TEXT = """<mujoco><asset><hfield name="h" file="{}" size="1 2 3 0.1"/></asset><worldbody>
  <geom type="hfield" hfield="h"/></worldbody></mujoco>"""


@pytest.mark.parametrize(("color", "depth"), KINDS)
@pytest.mark.parametrize("columns", [13, 40])
def test_heights_of_pictures(color, depth, columns, tmp_path):
    """The first channel, by its upper 8 bits; y rises from the last row."""
    name = f"{color}_{depth}_{columns}.png"  # MuJoCo keeps files by their names
    (tmp_path / name).write_bytes(picture(color, depth, 11, columns, seed=3))
    path = tmp_path / "h.xml"
    path.write_text(TEXT.format(name))
    theirs = mujoco.MjModel.from_xml_path(str(path))
    (geometry,) = ph.load(path).geometries
    found = np.array(geometry.shape.heights).T / 3.0
    assert found.shape == (theirs.hfield_nrow[0], theirs.hfield_ncol[0])
    np.testing.assert_allclose(found.ravel(), theirs.hfield_data, rtol=0, atol=1e-7)
