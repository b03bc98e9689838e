"""What ``import polhode`` loads, and that its public names are all there."""

from __future__ import annotations

import subprocess
import sys

import polhode as ph

HEAVY = ("llvmlite", "scipy", "lupa", "defusedxml", "polhode.compiler", "polhode.simulation")


def test_import_is_light():
    """Neither the compiler nor any reader is loaded before it is needed."""
    code = f"import sys, polhode; print([m for m in {HEAVY} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_every_public_name_exists():
    """Each name of ``__all__`` can be had, and ``dir`` lists it."""
    for name in ph.__all__:
        assert getattr(ph, name) is not None
        assert name in dir(ph)


def test_front_door():
    """The names that scripts rely on, as the design lists them."""
    names = """load inverse_dynamics forward_dynamics mass_matrix bias_forces gravity_forces
    inverse_mass_matrix solve_mass_matrix hybrid_dynamics body_pose body_poses point_position
    point_velocity point_acceleration point_jacobian body_jacobian frame_jacobian energy
    momentum center_of_mass zero_moment_point neutral random_configuration integrate
    difference get_quaternion set_quaternion simulate show set_num_threads compile Model"""
    assert set(names.split()) <= set(ph.__all__)
