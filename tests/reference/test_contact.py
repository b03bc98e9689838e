"""Contact and rigid bodies against closed forms: every entry within the file's tolerance."""

from __future__ import annotations

import numpy as np
import pytest

from reference import contact_cases as bodies
from reference import contact_machine_cases as machines
from reference.cases import Tally, read

CASES = {case["id"]: case for case in read("contact_analytic")["cases"]}
FORMS = {
    "bounce_e0.5": bodies.bounce,
    "bounce_e1": bodies.bounce_elastic,
    "slide_box": bodies.slide,
    "incline_box": bodies.incline,
    "incline_threshold": bodies.threshold,
    "slide_to_roll": bodies.slide_to_roll,
    "roll_down": bodies.roll_down,
    "slip_down": bodies.slip_down,
    "head_on": bodies.head_on,
    "cradle3": bodies.cradle,
    "wedge_block": bodies.wedge,
    "oblique": bodies.oblique,
    "falling_rod": bodies.falling_rod,
    "stokes": bodies.stokes,
    "projectile": bodies.projectile,
    "spin_down": bodies.spin_down,
    "turntable": bodies.turntable,
    "euler_disk": bodies.euler_disk,
    "dzhanibekov": machines.dzhanibekov,
    "newton_second": machines.symmetric_body,
    "top_precession": machines.top,
    "pendulum_from": machines.pendulum,
    "pendulum_limit": machines.pendulum_limit,
    "gear_pendulum": machines.gear,
    "rimless_wheel": machines.rimless_wheel,
}
# What the words of the file's tolerances mean for each number: relative, absolute.
TOLERANCES = {
    "bounce_e0.5": {"": (1e-3, 0.0)},
    "bounce_e1": {"": (1e-4, 0.0)},
    "slide_box": {"": (2e-3, 0.0), "max_liftoff": (0.0, 1e-5), "omega": (0.0, 1e-6)},
    "incline_box": {"": (0.0, 1e-6)},
    "incline_threshold": {"": (1e-12, 0.0)},
    "slide_to_roll": {"": (1e-3, 0.0), "t_roll": (5e-3, 0.0), "distance": (5e-3, 0.0)},
    "head_on": {"": (0.0, 1e-6)},
    "cradle3": {"": (0.0, 1e-6)},
    "oblique": {"": (0.0, 1e-6)},
    "falling_rod": {"": (2e-3, 0.0), "com_x_shift": (0.0, 1e-6)},
    "dzhanibekov": {"": (1e-8, 0.0), "period": (1e-6, 0.0), "omega2_max": (1e-6, 0.0)},
    "newton_second": {"": (1e-6, 0.0)},
    "top_precession": {"": (1e-5, 0.0)},
    "pendulum_from": {"": (0.0, 1e-6)},
    "pendulum_limit": {"": (0.0, 1e-6)},
    "gear_pendulum": {"": (1e-5, 0.0)},
    "stokes": {"": (1e-5, 0.0)},
    "projectile": {"": (0.0, 1e-9)},
    "spin_down": {"": (5e-3, 0.0), "max_liftoff": (0.0, 1e-5)},
    "euler_disk": {"": (1e-2, 0.0)},
    "rimless_wheel": {"": (1e-2, 0.0)},
}
DEFAULT = {"": (2e-3, 0.0)}
BOUNDS = ("omega_plus_min",)  # of a limit cycle's existence, not a number to be found
OTHER_RULES = ("alternative_sequential",)  # the answer of impacts one after the other


def entry(table, name, default=None):
    """What a table has for a case's family."""
    return next((table[key] for key in table if name.startswith(key)), default)


@pytest.mark.parametrize("name", sorted(CASES))
def test_closed_form(name, record_property):
    """Every number of a case, each within its tolerance."""
    case, tally = CASES[name], Tally("closed forms")
    computed = entry(FORMS, name)(case)
    tolerances = entry(TOLERANCES, name, DEFAULT)
    for key, expected in case["expected"].items():
        if key in BOUNDS:
            assert computed["omega_plus"] > expected
            continue
        if key in OTHER_RULES:
            tally.count(case["id"], "answer of another rule")
            continue
        relative, absolute = tolerances.get(key, tolerances[""])
        bound = relative * np.abs(np.asarray(expected, float)) + absolute
        error = np.abs(np.asarray(computed[key], float) - np.asarray(expected, float))
        is_near = bool((error <= bound).all())
        tally.count(case["id"], "checked" if is_near else "failed")
        if not is_near:
            tally.failures.append(f"{name} {key}: expected {expected}, got {computed[key]}")
    tally.close(record_property)
