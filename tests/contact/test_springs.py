"""Springs, dampers and bushings against closed forms, and their energy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.formats.moby.writer import dumps
from polhode.model import FloatingBase, Model, Prismatic, Revolute, Spherical
from polhode.model.shapes import Plane, Sphere
from polhode.scene import JointSettings, Scene
from polhode.spatial import Transform, Vec3, rotation_x, rotation_z

FREE = Scene("free", gravity=(0, 0, 0))
BALL = ("ball", "ball")


def ball(scene=FREE, mass=1.0, **start):
    return scene.add_body("ball", Sphere(0.1), mass=mass, **start)


def of_line(**spring):
    """A mass of 1 kg on the x axis, pulled 0.1 m from the end of a spring of 1 m."""
    given = {"rest_length": 1.0, **spring}
    return ball(position=(1.1, 0, 0)).add_spring("spring", None, BALL, **given)


def of_joint(**spring):
    """The same as a slider."""
    model = Model("slider").add("ball", joint=Prismatic.x(), mass=1.0, inertia=(1, 1, 1))
    return FREE.add_machine(
        model, "ball", q=[0.1], joint_settings=[JointSettings("ball", **spring)]
    )


def stretch(recording):
    q = recording.of("ball")[0][:, 0]
    return q - 1.0 if recording.of("ball")[0].shape[1] > 1 else q


def damped(t, omega, zeta):
    """Unit displacement at rest, let go."""
    if zeta < 1.0:
        w = omega * math.sqrt(1.0 - zeta * zeta)
        return np.exp(-zeta * omega * t) * (np.cos(w * t) + zeta * omega / w * np.sin(w * t))
    root = math.sqrt(zeta * zeta - 1.0)
    slow, fast = omega * (root - zeta), -omega * (root + zeta)
    return (fast * np.exp(slow * t) - slow * np.exp(fast * t)) / (fast - slow)


@pytest.mark.parametrize("scene", [of_line(stiffness=100.0), of_joint(stiffness=100.0)],
                         ids=["line", "joint"])  # fmt: skip
@pytest.mark.parametrize("dt", [1e-1, 1e-2, 1e-3])
def test_an_undamped_spring_keeps_its_amplitude(scene, dt):
    """10 rad/s for 10 s, also where a step is a sixth of the period; energy to rounding."""
    recording = ph.simulate(scene, 10.0, dt=dt, record=1, progress=False)
    late = np.abs(stretch(recording)[recording.times > 9.0]).max()
    assert late == pytest.approx(0.1, rel=1e-2 if dt == 1e-1 else 1e-3)
    assert recording.audit.energy_scale == pytest.approx(0.5, rel=1e-2)
    assert recording.audit.energy_drift < 1e-11
    assert recording.audit.energy_balance < 1e-11
    assert recording.elastic[0] == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("scene", [of_line(stiffness=1e8), of_joint(stiffness=1e10)],
                         ids=["line", "joint"])  # fmt: skip
def test_a_spring_of_any_stiffness_is_stable(scene):
    """Periods of 0.6 and 0.06 ms at steps of 1 ms: wrong in time, but the energy stays."""
    recording = ph.simulate(scene, 1.0, dt=1e-3, progress=False)
    assert recording.audit.energy_drift < 1e-5 * recording.audit.energy_scale


@pytest.mark.parametrize("zeta", [0.1, 0.7, 3.0])
def test_damped_springs_follow_the_closed_form_to_second_order(zeta):
    """A tenth of the step, a hundredth of the error; between points and in a joint."""
    for scene in (of_line(stiffness=100.0, damping=20.0 * zeta),
                  of_joint(stiffness=100.0, viscous_friction=20.0 * zeta)):  # fmt: skip
        errors = []
        for dt in (1e-2, 1e-3):
            recording = ph.simulate(scene, 2.0, dt=dt, record=1, progress=False)
            expected = 0.1 * damped(recording.times, 10.0, zeta)
            errors.append(np.abs(stretch(recording) - expected).max())
        assert errors[1] < 2e-5
        assert 80.0 < errors[0] / errors[1] < 120.0


@pytest.mark.parametrize("zeta", [0.0, 0.1, 0.7])
@pytest.mark.parametrize(("integrator", "order"), [("moby", 1), ("symplectic", 2), ("rk4", 4)])
def test_springs_act_under_smooth_integrators_to_their_order(integrator, order, zeta):
    """The closed form of an oscillator, between points and in a joint."""
    for scene in (of_line(stiffness=100.0, damping=20.0 * zeta),
                  of_joint(stiffness=100.0, viscous_friction=20.0 * zeta)):  # fmt: skip
        errors = []
        for dt in (4e-3, 2e-3):
            run = ph.simulate(scene, 0.5, dt=dt, record=0.1, integrator=integrator, progress=False)
            errors.append(np.abs(stretch(run) - 0.1 * damped(run.times, 10.0, zeta)).max())
        assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)
        if order > 1:  # Moby's scheme records no work
            assert run.audit.energy_balance < 1e-4


def test_solvers_follow_springs_with_their_own_steps():
    scene = of_line(stiffness=100.0, damping=2.0)
    run = ph.simulate(scene, 1.0, integrator="DOP853", rtol=1e-10, atol=1e-12, progress=False)
    assert stretch(run) == pytest.approx(0.1 * damped(run.times, 10.0, 0.1), abs=1e-9)
    force = -100.0 * stretch(run) - 2.0 * run.of("ball")[1][:, 0]
    assert run.tau_passive[1:, 0] == pytest.approx(force[1:], abs=1e-9)


def test_bushings_and_springs_off_centre_are_the_same_forces_under_smooth_integrators():
    """Two boxes that tumble: the event-driven steps approach the motion of a solver."""
    scene = FREE
    for k, name in enumerate("ab"):
        scene = scene.add_body(
            name, ph.model.Box((0.1, 0.2, 0.4)), mass=1.0 + k, position=(0.8 * k, 0, 0),
            velocity=(0, 0.5 - k, 0), spin=(1, 2, 3 * k),
        )  # fmt: skip
    scene = scene.add_spring(
        "spring", ("a", "a"), ("b", "b"), stiffness=50.0, rest_length=0.5, damping=1.0,
        point_a=(0.05, 0.1, 0.2), point_b=(-0.05, 0.1, -0.2),
    ).disable("a", "b")  # fmt: skip
    scene = scene.add_bushing(
        "b", None, ("b", "b"), stiffness=(0.2, 0.1, 0.3, 5.0, 6.0, 7.0),
        damping=(0.02, 0.03, 0.01, 0.2, 0.1, 0.3), frame_b=Transform(rotation_x(0.4), Vec3.zero()),
    )  # fmt: skip
    exact = ph.simulate(scene, 0.5, integrator="DOP853", rtol=1e-11, atol=1e-12, progress=False)
    assert exact.audit.energy_balance < 1e-8
    errors = []
    for dt in (2e-3, 1e-3):
        run = ph.simulate(scene, 0.5, dt=dt, progress=False)
        errors.append(np.abs(run.qd[-1] - exact.qd[-1]).max())
    assert errors[1] < 1e-3 and errors[0] / errors[1] == pytest.approx(4.0, abs=0.5)


def test_a_damper_alone_stops_what_it_holds():
    """Exponentially, in m / c; the work recorded is the energy that goes."""
    scene = ball(position=(1, 0, 0), velocity=(2, 0, 0)).add_damper("damper", None, BALL, 5.0)
    recording = ph.simulate(scene, 1.0, dt=1e-3, progress=False)
    speed = recording.of("ball")[1][:, 0]
    assert speed == pytest.approx(2.0 * np.exp(-5.0 * recording.times), abs=2e-5)
    assert recording.audit.energy_balance < 1e-12


def test_two_masses_swing_about_their_centre():
    """With the reduced mass; the centre and the momentum stay."""
    scene = ball(mass=1.0, position=(1.2, 0, 0)).add_body("other", Sphere(0.1), mass=3.0)
    scene = scene.add_spring("spring", ("other", "other"), BALL, stiffness=75.0, rest_length=1.0)
    recording = ph.simulate(scene, 5.0, dt=1e-3, record=1, progress=False)
    (a, va), (b, vb) = recording.of("ball"), recording.of("other")
    expected = 1.0 + 0.2 * np.cos(10.0 * recording.times)
    assert a[:, 0] - b[:, 0] == pytest.approx(expected, abs=1e-4)
    assert (a + 3.0 * b)[:, 0] == pytest.approx(1.2, abs=1e-12)
    assert (va + 3.0 * vb)[:, 0] == pytest.approx(0.0, abs=1e-12)
    assert recording.audit.energy_drift < 1e-11


def test_a_spring_off_centre_turns_its_bodies_without_a_gain():
    """Two boxes that tumble on a spring: momentum, angular momentum and energy stay."""
    scene = FREE
    for k, name in enumerate("ab"):
        scene = scene.add_body(
            name, ph.model.Box((0.1, 0.2, 0.4)), mass=1.0 + k, position=(0.8 * k, 0, 0),
            velocity=(0, 0.5 - k, 0), spin=(1, 2, 3 * k),
        )  # fmt: skip
    scene = scene.add_spring(
        "spring", ("a", "a"), ("b", "b"), stiffness=50.0, rest_length=0.5,
        point_a=(0.05, 0.1, 0.2), point_b=(-0.05, 0.1, -0.2),
    ).disable("a", "b")  # fmt: skip
    drift = []
    for dt in (2e-3, 1e-3):
        recording = ph.simulate(scene, 3.0, dt=dt, progress=False)
        drift.append(recording.audit.energy_drift)
        h = ph.momentum(recording.model, recording.q, recording.qd)
        assert np.ptp(h[:, 3:], axis=0).max() < 1e-12
        assert np.ptp(h[:, :3], axis=0).max() < 1e-5
    assert drift[1] < 2e-4 and drift[0] / drift[1] > 3.5


def test_a_torsional_bushing_swings_with_the_root_of_stiffness_over_inertia():
    """About each axis of a ball, by a radian; the rotation vector is linear in the angle."""
    inertia = 0.4 * 0.01
    for axis in range(3):
        spin = np.zeros(3)
        spin[axis] = 10.0
        stiffness = [0.0] * 6
        stiffness[axis] = 100.0 * inertia
        scene = ball(spin=tuple(spin)).add_bushing("bushing", None, BALL, stiffness=stiffness)
        recording = ph.simulate(scene, 2.0, dt=1e-3, record=1, progress=False)
        rate = recording.of("ball")[1][:, 3 + axis]
        assert rate == pytest.approx(10.0 * np.cos(10.0 * recording.times), abs=2e-3)
        assert recording.audit.energy_drift < 1e-4 * recording.audit.energy_scale


def test_a_bushing_is_linear_along_its_own_axes():
    """Different stiffness along three turned axes: three oscillators at once."""
    frame = Transform(rotation_z(0.7), Vec3(0.3, 0.2, 0.1))
    axes = np.array([[float(x) for x in row] for row in rotation_z(0.7).rows()])
    start = np.array([0.02, -0.01, 0.03])
    centre = np.array([0.3, 0.2, 0.1])
    scene = ball(position=tuple(centre + axes.T @ start))
    stiffness = (10.0, 10.0, 10.0, 25.0, 100.0, 400.0)
    turned = Transform(rotation_z(0.7), Vec3(0.0, 0.0, 0.0))
    scene = scene.add_bushing("b", None, BALL, stiffness=stiffness, frame_a=frame, frame_b=turned)
    recording = ph.simulate(scene, 2.0, dt=1e-3, record=1, progress=False)
    place = (recording.of("ball")[0][:, :3] - centre) @ axes.T
    phase = np.outer(recording.times, [5.0, 10.0, 20.0])
    assert place == pytest.approx(start * np.cos(phase), abs=1e-4)
    assert recording.audit.energy_drift < 1e-11


def test_a_bushing_between_machines_keeps_energy_at_large_angles():
    """Torsion about all axes of a tumbling body at once: second order in the step."""
    scene = FREE.add_body(
        "ball", ph.model.Box((0.1, 0.2, 0.4)), mass=1.0, spin=(3, 1, 2), position=(0.05, 0, 0)
    )
    scene = scene.add_bushing(
        "b", None, BALL, stiffness=(0.2, 0.1, 0.3, 50.0, 60.0, 70.0),
        frame_b=Transform(rotation_x(0.4), Vec3(0.02, 0.0, 0.05)),
    )  # fmt: skip
    drift = []
    for dt in (2e-3, 1e-3):
        recording = ph.simulate(scene, 3.0, dt=dt, progress=False)
        drift.append(recording.audit.energy_drift / recording.audit.energy_scale)
    assert drift[1] < 2e-4 and drift[0] / drift[1] > 3.5


def test_a_spring_by_table():
    """Twice as stiff when pressed: half periods follow each other, and energy stays."""
    table = [(0.5, -200.0), (1.0, 0.0), (1.5, 50.0)]
    scene = ball(position=(1.1, 0, 0)).add_spring("spring", None, BALL, table=table)
    recording = ph.simulate(scene, 3.0, dt=1e-3, record=1, progress=False)
    soft, hard = 10.0, 20.0
    phase = np.mod(recording.times, math.pi / soft + math.pi / hard)
    quarter = 0.5 * math.pi / soft
    pressed = -0.1 * soft / hard * np.sin(hard * (phase - quarter))
    back = 0.1 * np.sin(soft * (phase - quarter - math.pi / hard))
    expected = np.where(
        phase < quarter, 0.1 * np.cos(soft * phase),
        np.where(phase < quarter + math.pi / hard, pressed, back),
    )  # fmt: skip
    assert stretch(recording) == pytest.approx(expected, abs=3e-4)
    assert recording.audit.energy_drift < 1e-3 * recording.audit.energy_scale
    assert recording.elastic[0] - recording.elastic.min() == pytest.approx(0.5, rel=1e-3)


def test_a_linear_table_is_a_spring():
    """The same motion as by stiffness and rest length, beyond its ends too."""
    table = [(1.0, 0.0), (1.05, 5.0), (1.08, 8.0)]
    ends = []
    for scene in (of_line(stiffness=100.0), of_line(rest_length=0.0, table=table)):
        ends.append(ph.simulate(scene, 1.0, dt=1e-3, progress=False).q[-1])
    assert ends[1] == pytest.approx(ends[0], abs=1e-12)


def test_an_elastic_ball_on_a_spring_keeps_its_energy_on_a_wall():
    """Rebounds are found with the acceleration of the spring: a period is half, all its life."""
    half = math.sqrt(0.5)
    scene = FREE.add_fixed("wall", Plane(), quaternion=(half, 0, half, 0)).contact(restitution=1.0)
    scene = ball(scene, position=(0.3, 0, 0))
    scene = scene.add_spring(
        "spring", None, BALL, stiffness=100.0, rest_length=1.0, point_a=(-0.9, 0, 0)
    )
    for dt in (1e-2, 1e-3):
        recording = ph.simulate(scene, 5.0, dt=dt, progress=False)
        assert recording.audit.energy_drift < 2e-3 * (dt / 1e-2) * recording.audit.energy_scale
        assert recording.report["impacts"] == pytest.approx(5.0 * 10.0 / math.pi, abs=1.0)


def test_a_weight_hangs_at_rest_on_a_spring_and_damper():
    """Where weight and tension balance; the tension stands among the passive forces."""
    model = Model("hung").add("ball", joint=Prismatic.z(), mass=2.0, inertia=(1, 1, 1))
    scene = Scene("hung").add_machine(model, "ball")
    scene = scene.add_spring(
        "spring", None, BALL, point_a=(0, 0, 1), stiffness=500.0, rest_length=1.0, damping=60.0
    )
    recording = ph.simulate(scene, 3.0, dt=1e-3, progress=False)
    assert recording.q[-1, 0] == pytest.approx(-2.0 * 9.81 / 500.0, abs=1e-9)
    assert recording.tau_passive[-1, 0] == pytest.approx(2.0 * 9.81, abs=1e-6)
    assert np.abs(recording.tau_constraint).max() < 1e-9


def at_mid_step(function):
    function.at_mid_step = True
    return function


# Forces through the origin turn the ball that leaves it, faster and faster.
@pytest.mark.filterwarnings("ignore::polhode.simulation.SimulationWarning")
@pytest.mark.parametrize("dt", [1e-2, 1e-3])
def test_springs_of_functions_keep_their_amplitude_at_mid_step(dt):
    """A controller, and a force beside one that is held; the time is that of the positions."""
    pull = at_mid_step(lambda t, state: -100.0 * state.q)
    run = ph.simulate(of_joint(), 10.0, dt=dt, record=1, controllers={"ball": pull}, progress=False)
    assert np.abs(run.q[run.times > 9.0, 0]).max() == pytest.approx(0.1, rel=1e-3)
    times = []

    @at_mid_step
    def both(t, simulator):
        times.append(t)
        x = simulator.state_of("ball")[0][0]
        return {BALL: (0, 0, 0, -100.0 * (x - 1.0), 0, 0)}

    scene = ball(position=(1.1, 0, 0)).add_plugin(
        "held", "forces", lambda t, simulator: {BALL: (0, 0, 0, 0, 2.0, 0)}
    )
    run = ph.simulate(scene, 10.0, dt=dt, record=1, forces=both, progress=False)
    q = run.of("ball")[0]
    assert np.abs(q[run.times > 9.0, 0] - 1.0).max() == pytest.approx(0.1, rel=1e-3)
    assert q[-1, 1] == pytest.approx(100.0, rel=1e-9)
    assert times == pytest.approx(dt * (np.arange(len(times)) + 0.5), abs=1e-9)


def test_errors_of_functions_at_mid_step_come_through():
    """As those of functions that are held."""
    pull = at_mid_step(lambda t, state: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        ph.simulate(of_joint(), 0.1, controllers={"ball": pull}, progress=False)


def test_what_a_spring_cannot_be_is_said():
    """Bodies, tables, joints and integrators, by name."""
    with pytest.raises(ph.ModelError, match="'bal'"):
        ball().add_spring("s", None, ("ball", "bal"), stiffness=1.0)
    with pytest.raises(ph.ModelError, match=r"two different bodies.*spring 's'"):
        ball().add_spring("s", BALL, BALL, stiffness=1.0)
    with pytest.raises(ph.ModelError, match="rising lengths"):
        ball().add_spring("s", None, BALL, table=[(1.0, 0.0), (1.0, 2.0)])
    with pytest.raises(ph.ModelError, match=r"two rows or more of the table, got one.*spring 's'"):
        ball().add_spring("s", None, BALL, table=[(1.0, 0.0)])
    with pytest.raises(ph.ModelError, match="a table or a stiffness, got both"):
        ball().add_spring("s", None, BALL, stiffness=1.0, table=[(1.0, 0.0), (2.0, 2.0)])
    fixed = FREE.add_fixed("wall", Plane()).add_spring("s", None, ("wall", "wall"), stiffness=1.0)
    with pytest.raises(ph.ModelError, match="a spring with a body that moves"):
        ph.simulate(fixed, 0.1, progress=False)
    for scene in (of_line(stiffness=1.0), of_joint(stiffness=1.0)):
        with pytest.raises(ph.ModelError, match="cannot express spring"):
            dumps(scene)
    two = Model("two").add("a", joint=Revolute.y(), mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(ph.ModelError, match="springs are for joints of a tree"):
        FREE.add_machine(two).add_loop(
            "l", "revolute", None, ("two", "a"), settings=JointSettings("l", stiffness=1.0)
        )


# -- in spherical joints --

TURN = (0.3, -0.5, 0.8)


def of_ball_joint(stiffness, **options):
    """A ball that turns about its centre."""
    model = Model("ball").add(
        "ball", joint=Spherical(), mass=1.0, inertia=0.1 * np.eye(3), stiffness=stiffness, **options
    )
    return FREE.add_machine(model, q=turned(model, TURN))


def turned(model, turn):
    return ph.integrate(model, ph.neutral(model), np.array(turn)).tolist()


@pytest.mark.parametrize("dt", [1e-1, 1e-2])
def test_a_sprung_spherical_joint_swings_about_its_axis(dt):
    """About one axis all the time, as one coordinate: 10 rad/s, amplitude and energy kept."""
    run = ph.simulate(of_ball_joint(10.0), 10.0, dt=dt, record=1, progress=False)
    model, (q, qd) = run.scene.machine("ball").model, run.of("ball")
    turn = ph.difference(model, ph.neutral(model), q)
    size = math.hypot(*TURN)
    late = np.linalg.norm(turn[run.times > 9.0], axis=1).max()
    assert late == pytest.approx(size, rel=1e-2 if dt == 1e-1 else 1e-3)
    assert np.abs(np.cross(qd, np.array(TURN) / size)).max() < 1e-12
    assert run.elastic[0] == pytest.approx(5.0 * size**2, rel=1e-12)
    # A turn by almost a radian in a step is integrated to a tolerance.
    assert run.audit.energy_drift < (1e-8 if dt == 1e-1 else 1e-11)


@pytest.mark.parametrize("rest", [(0.0, 0.0, 0.0), (0.4, 1.0, -0.7)])
def test_a_sprung_spherical_joint_comes_to_its_rest(rest):
    scene = of_ball_joint(100.0, rest=rest, damping=6.0)
    run = ph.simulate(scene, 2.0, dt=1e-2, record=1, progress=False)
    model, (q, _) = run.scene.machine("ball").model, run.of("ball")
    assert ph.difference(model, turned(model, rest), q[-1]) == pytest.approx([0.0] * 3, abs=1e-9)


def test_a_sprung_spherical_joint_is_stable_at_any_stiffness():
    """A spring that no step can follow: its swing does not grow with time."""
    run = ph.simulate(of_ball_joint(1e6), 10.0, dt=1e-2, record=1, progress=False)
    model, (q, _) = run.scene.machine("ball").model, run.of("ball")
    size = np.linalg.norm(ph.difference(model, ph.neutral(model), q), axis=1)
    assert size.max() < 1.01 * math.hypot(*TURN)


def sprung_arm(**floating):
    """A link on a spherical joint, on a base that floats on springs."""
    inertia = np.diag((0.05, 0.06, 0.02))
    return (
        Model("arm")
        .add("base", joint=FloatingBase(), mass=2.0, com=(0.1, 0, 0.02), inertia=inertia,
             stiffness=(40.0, 50.0, 60.0, 3.0, 4.0, 5.0), rest=(0.1, 0, 0, 0.2, 0, 0), **floating)
        .add("link", parent="base", joint=Spherical(), mass=1.0, com=(0, 0.05, -0.3),
             inertia=inertia, stiffness=(2.0, 3.0, 4.0), rest=(0.2, -0.4, 0.1),
             frame=Transform.translation(0.1, 0.2, 0.0))
    )  # fmt: skip


def single_body(**settings):
    inertia = np.diag((0.3, 0.2, 0.4))
    return Model("body").add(
        "body", joint=FloatingBase(), mass=2.0, com=(0.1, 0.2, -0.1), inertia=inertia, **settings
    )


@pytest.mark.parametrize(
    "model",
    [sprung_arm(), sprung_arm(damping=0.3), single_body(stiffness=20.0, rest=0.2),
     single_body(damping=0.7)],
    ids=["arm", "damped arm", "sprung body", "damped body"],
)  # fmt: skip
def test_springs_of_spherical_joints_are_those_of_smooth_integrators(model):
    """Unlike about their axes, at the link's origin: of second order in the step."""
    qd0 = np.array([0.3, -0.2, 0.5, 1.0, 0.5, -0.7, 0.4, -1.2, 0.6])[: model.nv]
    exact = ph.simulate(model, 0.5, qd0=qd0, dt=1e-3, integrator="rk4", progress=False)
    scene = ph.Scene("scene").add_machine(model, qd=qd0.tolist())
    smooth = ph.simulate(scene, 0.5, dt=1e-3, integrator="rk4", progress=False)
    assert smooth.q[-1] == pytest.approx(exact.q[-1], abs=1e-12)
    errors = []
    for dt in (4e-3, 2e-3):
        run = ph.simulate(scene, 0.5, dt=dt, progress=False)
        errors.append(np.abs(ph.difference(model, exact.q[-1], run.q[-1])).max())
    assert errors[0] < 2e-3
    assert errors[1] < 0.3 * errors[0]


def test_energy_of_sprung_spherical_joints_is_kept():
    """Alike about all axes they have a potential: its error is of second order in the step."""
    model = Model("pendulum").add("bob", joint=Spherical(), mass=1.0, com=(0, 0, -0.5),
                                  inertia=np.diag((0.02, 0.02, 0.01)), stiffness=8.0)  # fmt: skip
    scene = ph.Scene("pendulum").add_machine(model, q=turned(model, (0.9, 0.4, 0.7)))
    drifts = [
        ph.simulate(scene, 2.0, dt=dt, record=1, progress=False).audit.energy_balance
        for dt in (2e-3, 1e-3)
    ]
    assert drifts[0] < 5e-3
    assert drifts[1] < 0.3 * drifts[0]
