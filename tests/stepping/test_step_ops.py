"""A step costs only what its scene has: operations of scenes with plain contact alone."""

from __future__ import annotations

import pytest

from polhode.simulation.lanes.programs import step_programs
from stepping.test_lane_loops import four_bar
from stepping.test_lane_soft import leg
from stepping.test_parameters import leg as plain_leg

MOST = {"leg": (plain_leg, 338_258), "four-bar": (four_bar, 132_596)}


@pytest.mark.parametrize("name", MOST)
def test_a_step_with_plain_contact_has_no_more_operations_than_before(name):
    scene, most = MOST[name][0](), MOST[name][1]
    assert step_programs(scene).step.ops <= most


def test_compliance_costs_operations_where_it_is():
    plain, soft = leg(mu_coulomb=0.4), leg(mu_coulomb=0.4, compliance=1e-4)
    assert step_programs(plain).step.ops < step_programs(soft).step.ops
    assert not any(x.law.stiffness for x in step_programs(plain).whole.pairs)
