"""Recordings that earlier versions wrote are read; ``data`` holds some, by the code of then."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.model import Model, Plane, Revolute, Sphere
from polhode.recording.layout import ARRAYS
from polhode.recording.stream import Stream, read

DATA = Path(__file__).parent / "data"
ANGLE = (0.9819026490532416, 0.49077476357499217)  # rad, at the end of the runs of the model


def stored(name: str) -> ph.Recording:
    if name.endswith(".h5"):
        pytest.importorskip("h5py")
    return ph.Recording.load(DATA / name)


def ball() -> ph.Scene:
    scene = ph.Scene("ball").add_fixed("ground", Plane())
    return scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.1)).contact()


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_a_run_of_a_model(suffix):
    """Two worlds under a controller."""
    run = stored(f"recording_1{suffix}")
    assert run.model == Model("bar").add("rod", joint=Revolute.x(), mass=1.0, com=(0, 0, -0.5))
    assert np.array_equal(run.q[-1, :, 0], ANGLE)
    assert np.array_equal(run.tau[0], [[0.5], [0.5]])
    assert run.work[-1].all()
    assert (run.integrator, run.contact, run.dt, run.seed) == ("rk4", "none", 2e-3, 3)
    assert run.is_controlled and not run.is_loaded and not run.stopped
    assert not run.tau_passive.any() and run.tau_passive.shape == run.tau.shape
    assert run.contacts(0) == [] and run.audit.relative_energy_balance < 1e-9


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_a_run_without_controls(suffix):
    """The second format knew no actuators."""
    run = stored(f"recording_2{suffix}")
    assert run.model.joints[0].damping == 0.1 and run.model.actuators == ()
    assert (run.integrator, run.dt, run.seed) == ("rk4", 2e-3, 3)
    assert run.tau_passive[-1].any() and np.array_equal(run.tau[0], [0.5])
    assert run.controls.shape == run.activation.shape == (len(run.times), 0)


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_a_run_without_torques_of_contacts(suffix):
    """The third format knew no torsional and rolling friction."""
    run = stored(f"recording_3{suffix}")
    assert run.model == ball().model and run.controls.shape == (len(run.times), 0)
    (contact,) = run.contacts(-1)
    assert np.abs(np.abs(contact.force) - (0.0, 0.0, 9.81)).max() < 1e-9
    assert np.array_equal(contact.torque, [0.0, 0.0, 0.0])
    assert run.contact_forces("ball")[-1, 2] == pytest.approx(9.81)


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_a_run_without_impulses_of_contacts(suffix):
    """The fourth format knew forces alone: impulses are no numbers, and not zero."""
    run = stored(f"recording_4{suffix}")
    assert run.model == ball().model and len(run.times) == 4
    assert run.contact_forces("ball")[-1, 2] == pytest.approx(9.81)
    assert run.contact_impulse.shape == (4, 2, 3) and np.isnan(run.contact_impulse).all()
    with pytest.raises(ph.ArgumentError, match=r"impulses of contacts.*file of an earlier version"):
        run.contact_impulses("ball")


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_a_run_with_impulses_of_all_geometries(suffix):
    """The fifth format had a row for each, whether it touched anything or not."""
    run = stored(f"recording_5{suffix}")
    weight = np.array([0.0, 0.0, 9.81 * 0.01])
    expected = np.array([np.zeros((2, 3)), *[[-weight, weight]] * 3])
    np.testing.assert_allclose(run.contact_impulse, expected, atol=1e-12)
    assert run.impulse_is_known.all() and len(run.impulse) == 6
    np.testing.assert_array_equal(run.contact_impulses("ball"), run.contact_impulse[:, 1])


@pytest.mark.parametrize("name", ["scene_recording_1.npz", "scene_stream_1.h5"])
def test_a_run_of_a_scene(name):
    """A ball at rest on the ground; the files do not tell whose geometries these are."""
    run = stored(name)
    assert run.model == ball().model
    assert (run.integrator, run.contact, run.dt, run.seed) == ("event_driven", "exact", 0.01, 4)
    assert run.geometry_names == ("ground", "ball")
    assert run.report["steps"] == len(run.times) - 1 and not run.stopped
    force = run.contacts(-1)[0].force
    assert np.abs(np.abs(force) - (0.0, 0.0, 9.81)).max() < 1e-9
    assert run.tau.shape == run.tau_constraint.shape == run.qd.shape
    with pytest.raises(ph.ArgumentError, match="file of an earlier version"):
        run.contact_forces("ball")


@pytest.mark.parametrize(
    "name",
    [
        "recording_1.npz",
        "recording_1.h5",
        "recording_3.npz",
        "recording_3.h5",
        "recording_4.npz",
        "recording_4.h5",
        "recording_5.npz",
        "recording_5.h5",
        "scene_recording_1.npz",
        "scene_stream_1.h5",
    ],
)
def test_saved_again_it_is_of_the_present_format(name, tmp_path):
    """With the same numbers."""
    pytest.importorskip("h5py")
    run = stored(name)
    for suffix in (".npz", ".h5"):
        again = ph.Recording.load(run.save(tmp_path / f"run{suffix}"))
        for array in ARRAYS:
            assert getattr(again, array).tobytes() == getattr(run, array).tobytes(), array
        assert (again.integrator, again.contact) == (run.integrator, run.contact)


def test_a_run_goes_on_in_a_file_of_an_earlier_version(tmp_path):
    """It is brought to the present format first, and is the run in one; forces came later."""
    path = shutil.copy(DATA / "scene_stream_1.h5", tmp_path / "run.h5")
    pytest.importorskip("h5py")
    whole = ph.simulate(ball(), 0.06, dt=0.01, seed=4, progress=False)
    resumed = ph.simulate(ball(), 0.06, dt=0.01, seed=4, progress=False, resume=path)
    unknown = ("tau", "tau_passive", "tau_constraint", "work", "impulse_is_known",
               "impulse_start", "impulse_geometry", "impulse")  # fmt: skip
    for array in (name for name in ARRAYS if name not in unknown):
        assert getattr(resumed, array).tobytes() == getattr(whole, array).tobytes(), array
    assert np.array_equal(resumed.tau_constraint[-1], whole.tau_constraint[-1])
    assert read(path)[0]["format"] == "polhode recording 6"


def test_records_that_are_not_in_all_arrays_are_left_out(tmp_path):
    """As a run leaves them that is killed while it writes: after some of the arrays."""
    h5py = pytest.importorskip("h5py")
    run = stored("scene_recording_1.npz")
    path = run.save(tmp_path / "whole.h5")
    meta, arrays = read(path)
    cut = tmp_path / "cut.h5"
    with Stream(cut, meta) as stream:
        stream.append(arrays)
    with h5py.File(cut, "r+", libver="latest") as file:
        file["work"].resize(4, axis=0)
        file["contact_gap"].resize(2, axis=0)
    found = ph.Recording.load(cut)
    assert found.stopped == "the run was cut short"
    assert len(found.times) == 4 and len(found.contact_gap) == 2
    assert [len(found.contacts(k)) for k in range(4)] == [0, 1, 1, 0]
