"""Views of a model print in a line."""

from __future__ import annotations

import polhode as ph
from polhode.model import FloatingBase, Limits, Revolute


def test_joints_print_in_a_line():
    """With where their coordinates are; a quaternion's w sits at the end of ``q``."""
    model = ph.Model("m").add("base", joint=FloatingBase(), mass=1.0, joint_name="free")
    model = model.append("a", joint=Revolute.y(), limits=Limits(-1.0, 1.0), mass=1.0)
    free, a = map(repr, model.joints)
    assert a == "Joint('a', revolute, q=slice(6, 7, None), v=slice(6, 7, None), body=3)"
    assert free.startswith("Joint('free', ") and "q=[0, 1, 2, 3, 4, 5, 7]" in free


def test_tables_of_joints_print_the_first_names():
    """And dots where there are more."""
    model = ph.Model("m")
    for k in range(12):
        model = model.append(f"a{k}", joint=Revolute.y(), mass=1.0)
    text = repr(model.joint)
    assert text.startswith("JointTable('m': a0, a1, ") and text.endswith("a9, ...)")
