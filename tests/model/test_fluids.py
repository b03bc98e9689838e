"""Fluids: records, forces against closed forms, and what simulations make of them."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import polhode as ph
from polhode import algorithms
from polhode.actuation import fluid_forces
from polhode.errors import ModelError, ModelWarning
from polhode.model import (
    Fixed,
    FloatingBase,
    Fluid,
    FluidBox,
    FluidEllipsoid,
    Prismatic,
    Revolute,
    Sphere,
)
from polhode.model.fluids import inertia_box, principal_axes
from polhode.recording.model_json import model_from_json, model_to_json
from polhode.spatial import Mat3, Quaternion, Transform

AXES = (0.3, 0.2, 0.1)


def free(shape, **fluid):
    model = ph.Model("m").add("body", joint=FloatingBase(), mass=2.0, inertia=(0.1, 0.2, 0.25))
    return model.with_fluid(**fluid, shapes={"body": [shape]})


def force_on(shape, v, w=(0.0, 0.0, 0.0), **fluid):
    """Force, then moment, on a shape in a free body."""
    model = free(shape, **fluid)
    tau = fluid_forces(model, ph.neutral(model), [*v, *w])
    return tau[:3], tau[3:]


# -- forces --


def test_a_box_resists_along_and_about_each_axis():
    """The formulas of the docstring."""
    box, v, w = FluidBox((0.2, 0.4, 0.6)), np.array([1.0, -2.0, 3.0]), np.array([0.5, 1.0, -2.0])
    force, moment = force_on(box, v, w, density=3.0, viscosity=0.7)
    area = np.array([0.24, 0.12, 0.08])
    d4 = np.array([0.2, 0.4, 0.6]) ** 4
    sides = np.array([0.2, 0.4, 0.6]) * (d4.sum() - d4)
    np.testing.assert_allclose(
        force, -3 * math.pi * 0.4 * 0.7 * v - 1.5 * area * abs(v) * v, rtol=1e-14
    )
    np.testing.assert_allclose(
        moment, -math.pi * 0.4**3 * 0.7 * w - 3 * sides / 64 * abs(w) * w, rtol=1e-14
    )


def test_a_slow_sphere_has_the_drag_of_stokes():
    """``6 pi viscosity r v`` and ``8 pi viscosity r^3 w``, by both kinds of shapes."""
    r, v, w = 0.1, np.array([0.3, 0.4, 0.5]), np.array([1.0, 2.0, 3.0])
    for shape in (FluidEllipsoid((r, r, r)), FluidBox((2 * r, 2 * r, 2 * r))):
        force, moment = force_on(shape, v, w, viscosity=0.9)
        np.testing.assert_allclose(force, -6 * math.pi * 0.9 * r * v, rtol=1e-13)
        np.testing.assert_allclose(moment, -8 * math.pi * 0.9 * r**3 * w, rtol=1e-13)


def test_a_fast_sphere_has_quadratic_drag_and_lift_by_its_rotation():
    """The area is that of a great circle; Magnus's lift is of the displaced mass."""
    r, v, w = 0.1, np.array([3.0, 0.0, 4.0]), np.array([0.0, 2.0, 0.0])
    ball = FluidEllipsoid((r, r, r), kutta_lift=0.0, added_mass=(0, 0, 0))
    force, _ = force_on(ball, v, w, density=1.2)
    magnus = 1.2 * 4 / 3 * math.pi * r**3 * np.cross(w, v)
    np.testing.assert_allclose(
        force, -0.5 * 1.2 * math.pi * r**2 * 5.0 * v + magnus, rtol=1e-13, atol=1e-15
    )


def test_added_mass_of_a_sphere_is_half_of_what_it_displaces():
    """And that of an ellipsoid is known: Lamb's formula of prolate ones (article 114)."""
    r = 0.3
    np.testing.assert_allclose(
        FluidEllipsoid((r, r, r)).added_mass, [2 / 3 * math.pi * r**3] * 3, rtol=1e-13
    )
    shape = FluidEllipsoid((2.0, 1.0, 1.0))
    e = math.sqrt(0.75)
    along = 2 * 0.25 / e**3 * (math.atanh(e) - e)
    across = 1.0 / e**2 - 0.25 / e**3 * math.atanh(e)
    expected = [x / (2.0 - x) for x in (along, across, across)]
    np.testing.assert_allclose(np.divide(shape.added_mass, 8 / 3 * math.pi), expected, rtol=1e-13)
    np.testing.assert_allclose(shape.added_inertia[0], 0.0, atol=1e-15)


def test_a_thin_disc_drags_along_a_known_added_mass():
    """``8/3 r^3`` across a disc."""
    disc = FluidEllipsoid((1.0, 1.0, 1e-6))
    np.testing.assert_allclose(disc.added_mass[2], 8 / 3, rtol=1e-5)


def test_added_mass_does_no_work():
    """Without drag the fluid turns and pushes, but gives no power."""
    shape = FluidEllipsoid(AXES, blunt_drag=0, slender_drag=0, angular_drag=0)
    v, w = np.array([1.0, -2.0, 0.5]), np.array([3.0, 1.0, 2.0])
    force, moment = force_on(shape, v, w, density=1000.0)
    assert np.abs(force).max() > 1.0
    assert abs(force @ v + moment @ w) < 1e-12 * np.abs(force).max()


def test_wind_is_relative():
    """What moves with the fluid feels nothing; in still air the wind pushes as motion does."""
    turn = Quaternion(0.5, 0.5, -0.5, 0.5)
    for shape in (FluidBox((0.1, 0.2, 0.3)), FluidEllipsoid(AXES)):
        model = free(shape, density=2.0, viscosity=0.1, wind=(1.0, 2.0, 3.0))
        still = free(shape, density=2.0, viscosity=0.1)
        q = [0.1, 0.2, 0.3, turn.x, turn.y, turn.z, turn.w]
        rest = fluid_forces(model, q, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0])
        np.testing.assert_allclose(rest, 0.0, atol=1e-14)
        np.testing.assert_allclose(
            fluid_forces(model, q, np.zeros(6)),
            fluid_forces(still, q, [-1.0, -2.0, -3.0, 0.0, 0.0, 0.0]), rtol=1e-12,
        )  # fmt: skip


def test_shapes_are_felt_where_they_are():
    """On an arm, also through a fixed link: the torque is the force times its arm."""
    paddle = FluidBox((0.1, 0.2, 0.3))
    arm = ph.Model("arm").add("arm", joint=Revolute.z(), mass=1.0)
    arm = arm.add("paddle", joint=Fixed(), parent="arm", mass=0.5,
                  frame=Transform.translation(0.7, 0.0, 0.0))  # fmt: skip
    arm = arm.with_fluid(density=5.0, shapes={"arm": [], "paddle": [paddle]})
    drag = 0.5 * 5.0 * 0.1 * 0.3 * (0.7 * 2.0) ** 2
    about = 5.0 * 0.3 * (0.1**4 + 0.2**4) / 64 * 2.0**2
    np.testing.assert_allclose(fluid_forces(arm, [0.4], [2.0]), [-0.7 * drag - about], rtol=1e-13)
    np.testing.assert_allclose(fluid_forces(arm.fuse(), [0.4], [2.0]),
                               fluid_forces(arm, [0.4], [2.0]), rtol=1e-13)  # fmt: skip


def test_derivatives_at_rest_are_finite():
    """Of a function that is traced, also where nothing moves."""
    model = free(FluidEllipsoid(AXES), density=1.2, viscosity=0.3)
    program = ph.compile(algorithms.fluid_forces, model)
    J = program.jacobian("qd")(ph.neutral(model), np.zeros(6))
    assert np.isfinite(J).all()
    assert (np.diag(J) < 0.0).all()


# -- boxes of inertia --


def test_the_box_of_a_box_is_itself():
    """Turned and moved, whatever its mass."""
    sides = np.array([0.2, 0.4, 0.6])
    moments = 3.0 / 12.0 * (sides @ sides - sides**2)
    E = Quaternion(0.5, 0.1, -0.7, 0.5).normalized().matrix()
    inertia = np.array(E.T.rows()) @ np.diag(moments) @ np.array(E.rows())
    model = ph.Model().add("b", joint=FloatingBase(), mass=3.0, com=(1, 2, 3), inertia=inertia)
    box = inertia_box(model.links[0].body)
    np.testing.assert_allclose(sorted(box.size), sides, rtol=1e-12)
    np.testing.assert_allclose([*box.frame.r], [1, 2, 3])
    turned = np.array(box.frame.E.rows()) @ inertia @ np.array(box.frame.E.T.rows())
    np.testing.assert_allclose(turned, np.diag(np.diag(turned)), atol=1e-14)


def test_principal_axes_that_are_there_are_kept():
    """Also where moments are equal."""
    for diagonal in ((1.0, 1.0, 1.0), (3.0, 1.0, 1.0), (1.0, 2.0, 3.0)):
        assert principal_axes(Mat3.of(np.diag(diagonal).tolist())) == Mat3.identity()


def test_links_without_shapes_get_the_box_of_their_inertia():
    """Those that have shapes keep them, those that are given none have none."""
    model = ph.Model("m")
    for name in "abc":
        model = model.add(name, joint=Prismatic.x(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    model = model.add("d", joint=Prismatic.x())
    ball = FluidEllipsoid((1.0, 1.0, 1.0))
    wet = model.with_fluid(1.0, shapes={"b": [ball], "c": []})
    a, b, c, d = (link.fluid_shapes for link in wet.links)
    assert (a, b, c, d) == ((inertia_box(model.links[0].body),), (ball,), (), ())
    assert wet.with_fluid(2.0).links[1].fluid_shapes == (ball,)


# -- runs --


@pytest.mark.parametrize("integrator", ["event_driven", "rk4", "DOP853"])
def test_terminal_velocity_of_a_sphere(integrator):
    """Where drag is the weight; before that ``v_t tanh(g t / v_t)``."""
    r, mass, rho, g = 0.1, 0.5, 1.2, 9.81
    ball = FluidEllipsoid((r, r, r))
    terminal = math.sqrt(mass * g / (0.5 * rho * math.pi * r**2))
    scene = ph.Scene("fall").add_body("ball", Sphere(r), mass=mass)
    scene = scene.with_fluid(rho, shapes={("ball", "ball"): [ball]})
    is_smooth = integrator != "event_driven"
    for t in (1.0, 30.0 if integrator == "DOP853" else 3.0):
        run = ph.simulate(scene, t, integrator=integrator, dt=1e-3)
        np.testing.assert_allclose(
            run.qd[-1][2], -terminal * math.tanh(g * t / terminal),
            rtol=1e-6 if is_smooth else 1e-3,
        )  # fmt: skip
    if integrator == "DOP853":
        assert abs(run.qd[-1][2] + terminal) < 1e-4 * terminal


def test_a_viscous_run_follows_its_closed_form():
    """``v = v_0 exp(-c t / m)``, as a model and in a rollout; the work is that of the drag."""
    box = FluidBox((0.2, 0.2, 0.2))
    c = 3 * math.pi * 0.2 * 0.5
    sled = ph.Model("sled").add("sled", joint=Prismatic.x(), mass=2.0)
    sled = sled.with_fluid(viscosity=0.5, shapes={"sled": [box]})
    run = ph.simulate(sled, 2.0, qd0=[3.0], integrator="DOP853", rtol=1e-10, atol=1e-12)
    expected = 3.0 * math.exp(-c)
    np.testing.assert_allclose(run.qd[-1], expected, rtol=1e-8)
    np.testing.assert_allclose(run.work[-1], expected**2 - 9.0, rtol=1e-7)
    np.testing.assert_allclose(run.tau_passive, -c * run.qd, rtol=1e-12)
    rolled = ph.rollout(sled, q=[0.0], qd=[3.0], steps=2000, dt=1e-3, integrator="rk4")
    np.testing.assert_allclose(rolled.qd[-1], expected, rtol=1e-9)


# -- values --


def test_a_fluid_is_a_part_of_the_value():
    """Models compare, pickle and go to recordings with it; it changes no inverse dynamics."""
    model = free(FluidEllipsoid(AXES), density=2.0)
    dry = ph.Model(model.name, model.links, (0.0, 0.0, -9.81))
    assert model != dry
    assert model.fingerprint != dry.fingerprint
    assert pickle.loads(pickle.dumps(model)) == model
    assert model_from_json(model_to_json(model)) == model
    assert ph.Scene.of(model).model.fluid == Fluid(2.0)
    q = ph.neutral(model)
    assert (ph.bias_forces(model, q, np.ones(6)) == ph.bias_forces(dry, q, np.ones(6))).all()
    assert not fluid_forces(dry, q, np.ones(6)).any()
    assert model.add("tail", parent="body", joint=Revolute.x(), mass=1.0).fluid == model.fluid


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Fluid(-1.0), "density"),
        (lambda: Fluid(wind=(1.0, 2.0)), "3 numbers as wind"),
        (lambda: FluidBox((1.0, 0.0, 1.0)), "above zero as size of a fluid box"),
        (lambda: FluidEllipsoid((1.0, -1.0, 1.0)), "above zero as semi_axes"),
        (lambda: FluidEllipsoid(AXES, blunt_drag=-1.0), "blunt_drag"),
        (lambda: ph.Model().with_fluid(shapes={"a": []}), "no link of fluid shapes 'a'"),
        (lambda: ph.Model(fluid=1.0), "expected a Fluid as fluid"),
        (lambda: free(Sphere(1.0)), "fluid shapes"),
    ],
)
def test_errors(make, message):
    """Each says what is wrong."""
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize("format", ["urdf", "lua", "moby"])
def test_formats_without_fluids_tell_it(format, tmp_path):
    """In a warning."""
    arm = ph.Model("arm").add("link", joint=Revolute.y(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    wet = arm.with_fluid(1.0)
    with pytest.warns(ModelWarning, match="fluid"):
        ph.save(ph.Scene.of(wet) if format == "moby" else wet, tmp_path / "a.xml", format=format)


def test_scenes_name_links_by_their_model():
    """And immerse all of their models."""
    scene = ph.Scene("s").add_body("a", Sphere(0.1), mass=1.0).add_body("b", Sphere(0.1), mass=1.0)
    ball = FluidEllipsoid((0.1, 0.1, 0.1))
    wet = scene.with_fluid(1.0, 0.1, (1.0, 0.0, 0.0), shapes={("b", "b"): [ball]})
    first, second = (machine.model.links[0].fluid_shapes for machine in wet.machines)
    assert isinstance(first[0], FluidBox)
    assert second == (ball,)
    assert wet.model.fluid == Fluid(1.0, 0.1, (1.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="no model 'c'"):
        scene.with_fluid(1.0, shapes={("c", "b"): [ball]})
