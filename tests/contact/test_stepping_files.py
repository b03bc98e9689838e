"""Recordings of scenes: files, runs that end early, runs that go on, the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from contact.stepping_scenes import pile
from polhode.recording import layout, stream


def same(a, b):
    for name in layout.ARRAYS:
        assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), name


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_saved_and_loaded(tmp_path, suffix):
    """A recording comes back as it was, model and contacts included."""
    if suffix == ".h5":
        pytest.importorskip("h5py")
    recording = ph.simulate(pile(1), 1.0, progress=False)
    found = ph.Recording.load(recording.save(tmp_path / f"run{suffix}"))
    same(recording, found)
    assert found.model == recording.model
    assert found.audit.unconverged == recording.audit.unconverged
    assert found.contacts(-1)[0].a == recording.contacts(-1)[0].a
    assert np.allclose(found.poses, recording.poses)


def test_report_of_an_older_version():
    """The audit reads the names that the report of a recording had before."""
    recording = ph.simulate(pile(1, count=1), 0.01, progress=False)
    report = {k: x for k, x in recording.report.items() if k not in ("relaxed", "slack")}
    audit = replace(recording, report={**report, "yielded": 3, "gave_way": 1e-9}).audit
    assert (audit.relaxed, audit.slack) == (3, 1e-9)


def test_streamed_and_resumed(tmp_path):
    """A run in two halves through a file is the run in one, bit for bit."""
    pytest.importorskip("h5py")
    scene, path = pile(4), tmp_path / "run.h5"
    whole = ph.simulate(scene, 0.6, progress=False)
    ph.simulate(scene, 0.3, progress=False, output=path)
    resumed = ph.simulate(scene, 0.6, progress=False, resume=path)
    same(whole, resumed)


def test_control_c_while_records_are_written(tmp_path, monkeypatch):
    """The interrupt waits until the records are whole: the file can be read, and gone on with."""
    pytest.importorskip("h5py")
    path, resize, chunks = tmp_path / "run.h5", stream._room_for, []

    def pressed(rows):
        chunks.append(len(rows))
        if len(chunks) == 3 * len(layout.ARRAYS) + 4:  # in the fourth chunk
            signal.raise_signal(signal.SIGINT)
        return resize(rows)

    monkeypatch.setattr(stream, "_room_for", pressed)
    with pytest.raises(ph.simulation.SimulationInterrupted) as interrupt:
        ph.simulate(pile(4), 1e4, progress=False, output=path)
    found = interrupt.value.recording
    assert found.stopped.startswith("interrupted at t = ")
    same(found, ph.Recording.load(path))
    assert len(found.times) > 1
    monkeypatch.undo()
    end = float(found.times[-1]) + 0.1
    same(ph.simulate(pile(4), end, progress=False), ph.simulate(pile(4), end, progress=False,
                                                                resume=path))  # fmt: skip


KILLED = """
import sys
sys.path[:0] = {path!r}
import polhode as ph
from contact.stepping_scenes import pile
ph.simulate(pile(4), 1e4, progress=False, output={output!r})
"""


def _records(path):
    """How many records a file has while it is written; 0 while it cannot be read."""
    try:
        return len(ph.Recording.load(path).times)
    except (FileNotFoundError, ph.ParseError):
        return 0


def test_a_killed_run_is_readable(tmp_path):
    """What a killed process wrote can be read, and gone on with."""
    pytest.importorskip("h5py")
    path = tmp_path / "run.h5"
    code = KILLED.format(path=[os.path.dirname(os.path.dirname(__file__))], output=str(path))
    process = subprocess.Popen([sys.executable, "-c", code])
    limit = time.monotonic() + 120.0
    while time.monotonic() < limit and _records(path) <= 10:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    found = ph.Recording.load(path)
    assert len(found.times) > 10
    assert "cut short" in found.stopped
    checkpoint = stream.read_checkpoint(path)
    simulator = ph.TimeSteppingSimulator(pile(4))
    simulator.restore(checkpoint)
    simulator.step(1e-3)
    assert simulator.current_time > 0.0


def test_a_full_disk_keeps_what_was_written(tmp_path, monkeypatch):
    """An error of the disk ends the run with a message; what was written is there."""
    pytest.importorskip("h5py")
    path, append = tmp_path / "run.h5", stream.Stream.append
    calls = []

    def fails(self, chunk, checkpoint=None):
        calls.append(1)
        if len(calls) > 3:
            raise OSError(28, "No space left on device")
        append(self, chunk, checkpoint)

    monkeypatch.setattr(stream.Stream, "append", fails)
    with pytest.raises(ph.simulation.SimulationError, match="No space left"):
        ph.simulate(pile(4), 5.0, progress=False, output=path)
    assert len(ph.Recording.load(path).times) >= 1


def test_an_interrupted_run_says_when():
    """Ctrl-C ends a run, and what comes after it; the error carries what there is."""
    steps = []

    def interrupts(t, simulator):
        steps.append(t)
        if t > 0.1:
            raise KeyboardInterrupt
        return {}

    with pytest.raises(KeyboardInterrupt) as interrupt:
        ph.simulate(pile(4), 1.0, progress=False, forces=interrupts)
    recording = interrupt.value.recording
    assert "interrupted at t = 0.1" in recording.stopped
    assert recording.times[-1] <= 0.11


SCENE = """<XML><DRIVER step-size="0.001"/><MOBY>
<Sphere id="s" radius="0.5" mass="1"/><Plane id="p"/><GravityForce id="g" accel="0 -9.81 0"/>
<RigidBody id="ball" position="0 1 0"><InertiaFromPrimitive primitive-id="s"/>
<CollisionGeometry primitive-id="s"/></RigidBody>
<RigidBody id="ground" enabled="false"><CollisionGeometry primitive-id="p"/></RigidBody>
<TimeSteppingSimulator id="simulator"><DynamicBody dynamic-body-id="ball"/>
<DynamicBody dynamic-body-id="ground"/><RecurrentForce recurrent-force-id="g"/>
<ContactParameters object1-id="ball" object2-id="ground" epsilon="0.5"/>
</TimeSteppingSimulator></MOBY></XML>"""


def test_command_line(tmp_path, capsys):
    """``polhode sim scene.xml`` writes what is asked for, and snapshots load again."""
    from polhode.cli.main import main

    scene = tmp_path / "scene.xml"
    scene.write_text(SCENE)
    arguments = ["sim", str(scene), "--json", "-t", "0.5", "-o", str(tmp_path / "run.npz"),
                 "--csv", str(tmp_path / "run.csv"), "--html", str(tmp_path / "run.html"),
                 "--plot", str(tmp_path / "run.svg"), "--snapshots", str(tmp_path / "shots"),
                 "--snapshot-every", "250"]  # fmt: skip
    assert main(arguments) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["records"] == 51
    assert result["unconverged"] == 0
    for name in ("run.npz", "run.csv", "run.html", "run.svg"):
        assert (tmp_path / name).stat().st_size > 0
    shots = sorted((tmp_path / "shots").iterdir())
    assert len(shots) == 3
    again = ph.load(shots[1])
    assert again.settings.time == pytest.approx(0.25)
    rest = ph.simulate(again, 0.25, progress=False)
    assert rest.times[-1] == pytest.approx(0.5)
    assert rest.q[-1] == pytest.approx(result["q"], abs=1e-6)
