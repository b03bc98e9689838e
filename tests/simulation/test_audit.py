"""What a run says of itself at its end: errors, with units, and joints that ran away."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.constraints import ConstraintSet
from polhode.model import Plane, Prismatic, Revolute, Sphere
from polhode.simulation import SimulationWarning
from polhode.spatial import Transform

ROD = {"mass": 1.0, "com": (0.5, 0.0, 0.0), "inertia": (1e-3, 1 / 12, 1 / 12)}


def rotor(joint=None):
    """One body on one joint, of inertia 1."""
    joint = Revolute.z() if joint is None else joint
    return ph.Model("rotor").add("rotor", joint=joint, mass=1.0, inertia=(1.0, 1.0, 1.0))


def four_bar():
    """A model, the set that closes it, and positions and velocities of a start."""
    along = Transform.translation(1.0, 0.0, 0.0)
    chain = ph.Model("four-bar").add("crank", joint=Revolute.y(), **ROD)
    chain = chain.append("coupler", joint=Revolute.y(), frame=along, **ROD)
    chain = chain.append("rocker", joint=Revolute.y(), frame=along, **ROD)
    closed = ConstraintSet(chain).loop(
        "ROOT", "rocker", Transform.translation(1.7, 0.0, 0.0), along,
        axis=[[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 1]], name="pin",
    )  # fmt: skip
    start = ph.assemble(chain, closed, np.array([-1.2, 1.3, 1.4]), np.array([1.0, 0.0, 0.0]))
    assert start.qd is not None
    return chain, closed, start.q, start.qd


@pytest.mark.parametrize("integrator", ["symplectic", "rk4", "event_driven", "RK45"])
@pytest.mark.parametrize(("joint", "unit"), [(Revolute.z(), "rad"), (Prismatic.x(), "m")])
def test_gains_that_do_not_stabilise(integrator, joint, unit):
    """``x'' = 100 x`` from 0.1 has the rate ``sinh 10 t``: 1000 a second from 0.76 s on."""
    with pytest.warns(SimulationWarning) as told:
        run = ph.simulate(
            rotor(joint), 1.5, q0=[0.1], controller=lambda t, s: 100.0 * s.q, integrator=integrator
        )
    text = str(told[0].message)
    expected = f"joint 'rotor' ran away: from t = 0.77 s on it moves by more than 1 {unit} in dt"
    assert len(told) == 1 and text.startswith(expected)
    assert f"it reaches {np.abs(run.qd).max():.3g} {unit}/s: the controller does not" in text
    assert run.audit.warnings[0] == text and f"warning: {text}" in str(run.audit)


def test_the_joint_and_the_world_that_ran_away():
    """Of several joints and worlds the fastest is named, with its own time."""
    pair = rotor(Prismatic.x()).append("arm", joint=Revolute.z(), mass=1.0, inertia=(1, 1, 1))
    gains = np.array([[0.0, 0.0], [0.0, 200.0]])

    def controller(t, state):
        return gains * state.q

    with pytest.warns(SimulationWarning, match="'arm' ran away in world 1: from t = 0.52"):
        ph.simulate(pair, 1.0, q0=[[0.0, 0.1], [0.0, 0.1]], controller=controller)


def test_forces_that_ran_away_are_no_controller():
    """A run under external forces alone is not told of a controller."""
    push = np.array([[0.0, 0.0, 0.0, 5000.0, 0.0, 0.0]])
    with pytest.warns(SimulationWarning, match="m/s: the forces drive it, or dt is too long$"):
        ph.simulate(rotor(Prismatic.x()), 1.0, f_ext=push)


def test_fast_motion_that_did_not_run_away():
    """A wheel that starts fast under a controller, and one that nothing drives, are no news."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fast = ph.simulate(rotor(), 0.1, qd0=[2000.0], controller=lambda t, s: -0.1 * s.qd)
        free = ph.simulate(rotor(), 0.1, qd0=[2000.0])
    assert fast.audit.turn == pytest.approx(2.0) and not fast.audit.warnings
    assert not free.audit.warnings


def test_a_step_too_long_for_a_rotation_names_the_joint():
    """Two radians in a step of a run that looks for contact are told, with their rate."""
    scene = ph.Scene("fan").add_fixed("ground", Plane())
    scene = scene.add_body("fan", Sphere(0.1), mass=1.0, position=(0, 0, 3), spin=(0, 0, 2000.0))
    (text,) = ph.simulate(scene.contact(), 0.05).audit.warnings
    assert "rotates by up to 2 rad in a step, at 2e+03 rad/s from t = 0 s on" in text
    assert "contacts in between are missed" in text


@pytest.mark.parametrize("integrator", ["symplectic", "RK45"])
def test_constraint_sets_have_a_loop_error(integrator):
    """It is that of the worst record and world, and printed without lines about contact."""
    chain, closed, q, qd = four_bar()
    q0, qd0 = np.array([q, q]), np.outer([0.0, 1.0], qd)
    run = ph.simulate(chain, 0.5, q0=q0, qd0=qd0, constraints=closed, integrator=integrator)
    worst = np.abs(ph.constraints.constraint_errors(chain, closed, run.q).position).max()
    assert run.audit.loop_error == worst
    assert 0.0 < worst < (1e-10 if integrator == "symplectic" else 1e-5)
    assert f"{worst:.3g} m or rad" in str(run.audit) and "contact" not in str(run.audit)


@pytest.mark.parametrize("integrator", ["symplectic", "RK45"])
def test_contacts_without_ground_have_a_drift(integrator):
    """What steps open of a contact that is held in velocity only is its loop error."""
    chain = four_bar()[0]
    held = ConstraintSet(chain).contact("rocker", (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), name="end")
    q = np.array([[0.3, -0.8, 0.5], [0.4, -0.8, 0.5]])
    qd = ph.assemble(chain, held, q, np.full((2, 3), 0.5)).qd
    run = ph.simulate(chain, 0.5, q0=q, qd0=qd, constraints=held, integrator=integrator)
    height = ph.point_position(chain, run.q, "rocker", (1.0, 0.0, 0.0))[..., 2]
    assert np.ptp(run.q, axis=0).min() > 0.1
    drift = np.abs(height - height[0]).max()
    assert run.audit.loop_error == pytest.approx(drift, rel=1e-6)
    assert 0.0 < drift < 1e-2


def test_runs_without_loops_have_no_loop_error(tmp_path):
    """Nor has their file; a scene with a loop has one even where it is zero."""
    ball = ph.Scene("ball").add_fixed("ground", Plane())
    ball = ball.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 1)).contact()
    free = ph.simulate(ball, 0.1)
    free.save(tmp_path / "free.npz")
    for run in (free, ph.Recording.load(tmp_path / "free.npz"), ph.simulate(rotor(), 0.1)):
        assert run.audit.loop_error is None and "loop" not in str(run.audit)
    fixed = ball.add_loop("hold", "fixed", None, ("ball", "ball"))
    still = replace(free, scene=fixed)
    assert still.audit.loop_error == 0.0 and "loop error" in str(still.audit)


def test_contacts_of_sets_are_checked_at_the_start():
    """A contact that moves at the start is refused, with its speed."""
    model = rotor(Prismatic.x())
    held = ConstraintSet(model).contact("rotor", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), name="tip")
    message = "constraint 'tip' is broken by 0.5 in velocity at the start"
    with pytest.raises(ph.simulation.StartError, match=message):
        ph.simulate(model, 0.1, qd0=[0.5], constraints=held)


def test_what_worlds_report_together():
    """Counts of worlds that run one by one add up; of their values the worst is kept."""
    gate = ph.Model("gate").add(
        "gate", joint=Revolute.z(), mass=1.0, inertia=(1.0, 1.0, 1.0), limits=(-0.5, 0.5)
    )
    speeds = np.array([[0.0], [3.0]])
    alone = [ph.simulate(gate, 0.5, qd0=qd0).report for qd0 in speeds]
    together = ph.simulate(gate, 0.5, qd0=speeds).report
    for name, value in together.items():
        parts = [each[name] for each in alone]
        assert value == (sum(parts) if isinstance(parts[0], int) else max(parts)), name


def test_print_has_units():
    """Each number is printed with its unit; a ball that bounced between records says so."""
    scene = ph.Scene("ball").add_fixed("ground", Plane())
    scene = scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 1))
    run = ph.simulate(scene.contact(restitution=0.8), 1.0)
    assert "0 contacts at records, 1 rebound," in repr(run)
    lines = {line[:20].strip(): line[20:].split(maxsplit=1) for line in str(run.audit).split("\n")}
    assert lines["energy change"][1].startswith("J")
    assert lines["deepest overlap"][1] == "m"
    number, unit = lines["energy not from work"]
    assert float(number) == pytest.approx(run.audit.energy_balance, rel=1e-2)
    assert unit.startswith("J")


def test_print_of_runs_without_contact():
    """A model with limits has no overlaps; its residual is that of the limits."""
    gate = ph.Model("gate").add(
        "gate", joint=Revolute.z(), mass=1.0, inertia=(1.0, 1.0, 1.0), limits=(-0.5, 0.5)
    )
    text = str(ph.simulate(gate, 0.5, qd0=[3.0]).audit)
    assert "limit residual" in text and "impacts and dry friction are in it" in text
    assert "contact" not in text and "overlap " not in text and "loop" not in text
    smooth = str(ph.simulate(rotor(), 0.5, qd0=[3.0]).audit)
    assert [line[:20].strip() for line in smooth.split("\n")] == [
        "energy change", "energy not from work"
    ]  # fmt: skip


def test_a_recording_without_coordinates():
    """Models that cannot move have no fastest joint."""
    run = ph.simulate(ph.Model("rock"), 0.1)
    assert run.audit.turn == 0.0 and not run.audit.warnings
    assert replace(run, is_controlled=True).audit.turn == 0.0
