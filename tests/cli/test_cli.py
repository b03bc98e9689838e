"""The command as its users see it: output, files, exit status, one line for each failure."""

import json
import os
import re
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict
from types import SimpleNamespace

import numpy as np
import pytest

import polhode as ph
from polhode.cli import main

ARM = """<robot name="two links">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 -0.4"/><mass value="1"/>
    <inertia ixx="0.05" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.01"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 1.5"/><axis xyz="1 0 0"/>
    <limit lower="-3" upper="3" effort="10" velocity="5"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 -1"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="10" velocity="5"/></joint>
</robot>"""

LUA = """
return {
  gravity = { 0, 0, -9.81 },
  frames = {
    { name = "bar", parent = "ROOT", joint = { { 1, 0, 0, 0, 0, 0 } },
      body = { mass = 1, com = { 0, 0, -0.5 }, inertia = { {1,0,0}, {0,1,0}, {0,0,1} } } },
  },
  constraint_sets = {
    foot = { { constraint_type = "contact", name = "tip", body = "bar", point = { 0, 0, -1 },
               normal = { 0, 0, 1 } } },
  },
}
"""


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


@pytest.fixture
def bar(tmp_path):
    path = tmp_path / "bar.lua"
    path.write_text(LUA)
    return path


def polhode(*arguments, cwd=None, **environment):
    """Run the command in a process of its own."""
    code = "import sys; from polhode.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True, text=True, timeout=120, cwd=cwd, stdin=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )  # fmt: skip


@pytest.fixture
def command(capfd, monkeypatch):
    """Run the command in this process, which starts in no time."""

    def command(*arguments):
        monkeypatch.setattr("warnings.showwarning", warnings.showwarning)  # set by the command
        status = main([*map(str, arguments)])
        return subprocess.CompletedProcess(arguments, status, *capfd.readouterr())

    return command


def test_version_and_help():
    """Both end well and name what there is."""
    done = polhode("--version")
    assert (done.returncode, done.stdout) == (0, f"polhode {ph.__version__}\n")
    done = polhode("--help")
    assert done.returncode == 0
    assert all(name in done.stdout for name in ("info", "sim", "demo", "bench"))


def test_help_imports_nothing_heavy():
    """Help must be quick: neither NumPy nor the compiler is loaded for it."""
    code = (
        "import sys; from polhode.cli import main; main(['--help']);"
        "sys.exit(any(m in sys.modules for m in ('numpy', 'llvmlite', 'scipy', 'lupa')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "required: COMMAND"),
        (("inof", "x.urdf"), "unknown command 'inof'; did you mean 'info'?"),
        (("info",), "required: FILE"),
        (("info", "x.urdf", "--jsno"), "unknown argument '--jsno'; did you mean '--json'?"),
        (("sim", "x.urdf", "--dt", "fast"), "invalid float value: 'fast'"),
        (("sim", "x.urdf", "--start", "there"), "unknown value of start 'there'"),
    ],
)
def test_misuse_is_status_2(arguments, text):
    """Usage errors say what was not understood, and what was probably meant."""
    done = polhode(*arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert text in done.stderr and done.stderr.startswith("polhode: ")


def test_failures_are_status_1_and_one_line(command, tmp_path, arm):
    """No traceback, no output, one line that says why."""
    broken = tmp_path / "broken.urdf"
    broken.write_text("<robot name='x'><link name='a'>")
    cases = [
        (("info", tmp_path / "arn.urdf"), "arn.urdf"),
        (("info", broken), "broken.urdf:1"),
        (("info", tmp_path / "model.step"), "model.step"),
        (("sim", arm, "-t", "-1"), "duration to be positive"),
        (("sim", arm, "--integrator", "euler"), "expected integrator"),
        (("sim", arm, "--set", "elbo=1"), "did you mean 'elbow'"),
        (("sim", arm, "--set", "elbow=a"), "expected 'elbow=a number'"),
        (("sim", arm, "-t", "0.01", "-o", tmp_path / "no/such/run.npz"), "run.npz"),
        (("bench", "--models", "pandda"), "did you mean 'panda'"),
        (("bench", "--rows", "rneaa"), "did you mean 'rnea'"),
    ]
    for arguments, text in cases:
        done = command(*arguments)
        assert done.returncode == 1, (arguments, done)
        assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("polhode: "), done
        assert text in done.stderr, done.stderr
        assert "Traceback" not in done.stderr


def test_info_sections(command, arm):
    """Each flag, in both spellings, prints its section; none prints the usual two."""
    titles = {
        "-d": "Degree of freedom overview:",
        "--dof_overview": "Degree of freedom overview:",
        "--dof-overview": "Degree of freedom overview:",
        "-m": "Model Hierarchy:",
        "--model_hierarchy": "Model Hierarchy:",
        "-o": "Body Origins:",
        "--body-origins": "Body Origins:",
        "-c": "Centers of mass:",
        "--center_of_mass": "Centers of mass:",
        "-s": "Constraint sets:",
        "--constraint-sets": "Constraint sets:",
    }
    for flag, title in titles.items():
        done = command("info", arm, flag)
        assert done.returncode == 0
        assert re.findall(r"^[A-Z].*:$", done.stdout, re.M) == [title], done.stdout
    plain = command("info", arm).stdout
    assert "two links: 2 degrees of freedom (2 coordinates), 2 moving bodies of 3 kg" in plain
    assert "0: upper_RX" in plain and "1: lower_RY" in plain


def test_info_numbers(command, arm, bar):
    """Origins, centres of mass and constraint sets are those of the model."""
    text = command("info", arm, "-oc").stdout
    assert re.search(r"lower +0\.0+ +0\.0+ +0\.50+\n", text)
    assert re.search(r"lower +0\.0+ +0\.0+ +0\.10+ +1 kg", text)
    assert re.search(r"whole model +0\.0+ +0\.0+ +0\.70+ +3 kg", text)
    assert "foot: 1 rows" in command("info", bar, "-s").stdout


def test_info_json(command, arm):
    """The same facts as data, and nothing else on standard output."""
    data = json.loads(command("info", arm, "--json", "--floating-base").stdout)
    assert (data["nq"], data["nv"], data["mass"]) == (9, 8, 3.0)
    assert data["origins"]["lower"] == pytest.approx([0.0, 0.0, 0.5])
    assert [link["name"] for link in data["links"]] == ["base", "upper", "lower"]
    assert data["gravity"] == [0.0, 0.0, -9.81]


def test_sim_writes_what_is_asked_for(arm, tmp_path):
    """Recording, page, table and plot; the recording is the run."""
    done = polhode(
        "sim", arm, "-t", "0.5", "--dt", "0.005", "--joint-forces", "none", "--integrator", "rk4",
        "--set", "elbow=0.5", "--speed", "shoulder=1", "-o", "run.npz", "--html", "run.html",
        "--csv", "run.csv",
        "--plot", "run.svg", cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "wrote run.npz" in done.stdout and "energy change" in done.stdout
    run = ph.Recording.load(tmp_path / "run.npz")
    model = ph.load(arm)
    again = ph.simulate(
        model, 0.5, q0=[0.0, 0.5], qd0=[1.0, 0.0], dt=0.005, integrator="rk4", seed=0
    )
    assert run.q.tobytes() == again.q.tobytes()
    assert (tmp_path / "run.html").read_text().startswith("<!doctype html>")
    assert len((tmp_path / "run.csv").read_text().splitlines()) == 52
    ElementTree.parse(tmp_path / "run.svg")


def test_sim_holds_constraint_sets(command, bar):
    """Those of a Lua file by name: a foot held in height holds its bar; names are suggested."""
    start = ("sim", bar, "-t", "0.2", "--json", "--set", "bar=0.5")
    held = json.loads(command(*start, "--constraints", "foot").stdout)
    free = json.loads(command(*start).stdout)
    assert abs(held["q"][0] - 0.5) < 1e-9 and free["q"][0] < 0.47
    done = command("sim", bar, "--constraints", "fot")
    assert done.returncode == 1 and "did you mean 'foot'" in done.stderr


BALL = """<mujoco><worldbody><body name="ball"><freejoint/><geom size="0.1"/></body></worldbody>
</mujoco>"""


@pytest.fixture
def files(arm, tmp_path):
    """An arm, a ball, a recording of one world and one of three."""
    model, starts = ph.load(arm), np.zeros((3, 2))
    ph.simulate(model, 0.01).save(tmp_path / "run.npz")
    ph.simulate(model, 0.01, q0=starts, joint_forces="none").save(tmp_path / "batch.npz")
    (tmp_path / "ball.xml").write_text(BALL)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("sim ball.xml --friction 1", "expected --ground with --friction"),
        ("sim ball.xml --print-every 2", "expected --print with --print-every"),
        ("sim ball.xml --snapshot-every 2", "expected --snapshots with --snapshot-every"),
        ("sim arm.urdf --profile", "--profile is for scenes"),
        ("sim ball.xml --plugin bal=math:sin", "takes the plug-in 'bal'; did you mean 'ball'"),
        ("sim arm.urdf --plugin arm=math:sin", "plugins are for scenes"),
        ("sim arm.urdf --start random --seed -1", "seed"),
        ("show arm.urdf --port 80 -o arm.html", "expected --live with --port"),
        ("export arm.urdf --c arm.c --arch sm_80", "expected --ptx with --arch"),
        ("export arm.urdf --c arm.c --body lower", "expected no --body"),
        ("sim arm.urdf --damping -1", "expected --damping of at least 0 and finite, got -1"),
        ("sim arm.urdf --damping nan", "expected --damping of at least 0 and finite, got nan"),
        *(
            (
                f"render run.npz -o a.png --{key} 0.5",
                f"expected --at with a .png, which is one picture, got --{key}",
            )
            for key in ("start", "end", "fps", "speed")
        ),
        *(
            (
                f"{command} run.npz -o a.{kind} --{option}",
                f"--{option.split()[0]} is for model files",
            )
            for command, kind in (("show", "html --no-open"), ("render", "png"))
            for option in (
                "floating-base",
                "gravity 0 0 0",
                "mimic coupled",
                "package-root .",
                "trusted",
            )
        ),
        ("plot run.npz --world 0", "expected no --world"),
        ("plot batch.npz --world 3", "expected --world from 0 to 2, got 3"),
        ("plot batch.npz --world -1", "expected --world from 0 to 2, got -1"),
    ],
)
def test_options_without_effect_are_refused(command, files, monkeypatch, arguments, text):
    monkeypatch.chdir(files)
    before = set(files.iterdir())
    done = command(*arguments.split())
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert text in done.stderr
    assert set(files.iterdir()) == before


def test_negative_numbers_with_exponents(command, arm):
    """They are no options."""
    assert "(0, -0.1, -9.81)" in command("info", arm, "--gravity", 0, "-1e-1", "-9.81e0").stdout


def test_scenes_are_exported(command, files):
    """All that moves in them."""
    assert command("export", files / "ball.xml", "--c", files / "ball.c").returncode == 0
    assert "ball_inverse_dynamics" in (files / "ball.c").read_text()


def test_sim_json_and_quiet(command, bar, tmp_path):
    """JSON is all there is on standard output; quiet is silent."""
    done = command("sim", bar, "-t", "0.1", "--json", "--start", "random", "--seed", "3")
    data = json.loads(done.stdout)
    assert data["records"] == 11 and data["stopped"] == "" and len(data["q"]) == 1
    again = command("sim", bar, "-t", "0.1", "--json", "--start", "random", "--seed", "3")
    assert again.stdout == done.stdout
    done = command("sim", bar, "-t", "0.1", "--quiet", "-o", tmp_path / "r.npz")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "r.npz").is_file()


def test_a_failed_run_leaves_its_recording(command, arm, tmp_path):
    """What was computed before the failure is written, and the status is 1."""
    done = command(
        "sim", arm, "-t", "9", "--speed", "elbow=1", "--damping=1e5", "--integrator", "rk4",
        "--joint-forces", "none", "-o", tmp_path / "r.npz",
    )  # fmt: skip
    assert done.returncode == 1 and "not finite" in done.stderr
    run = ph.Recording.load(tmp_path / "r.npz")
    assert run.stopped and np.isfinite(run.q).all()


def test_control_characters_of_names_are_spelt_out(command, tmp_path):
    """A name cannot move the cursor or colour the terminal."""
    path = tmp_path / "odd.lua"
    path.write_text(LUA.replace('"bar"', '"b\\27[31mr\\7"'))
    done = command("info", path)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout and "\x07" not in done.stdout
    assert r"b\x1b[31mr\x07" in done.stdout


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The folder that a demonstration was written to, and what it printed."""
    folder = tmp_path_factory.mktemp("demo") / "out"
    return folder, polhode("demo", "--no-open", "--output", folder)


def test_demo(demo):
    """Both machines: hierarchy, freedoms, time per state, simulation, files, and where."""
    folder, done = demo
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Degree of freedom overview:") == 2
    assert done.stdout.count("then 10000 states at") == 4
    for name in ("arm.html", "arm-energy.svg", "arm.npz", "walker.html", "walker.npz"):
        assert (folder / name).is_file()
        assert str(folder / name) in done.stdout
    balance = re.findall(r"kept to ([0-9.e+-]+) of", done.stdout)
    assert len(balance) == 2 and all(float(x) < 1e-3 for x in balance)


def test_examples_are_listed_and_copied(command, tmp_path):
    """Each example script is named, and runs alone where it is copied to."""
    listed = json.loads(command("demo", "--list", "--json").stdout)
    names = {entry["name"] for entry in listed}
    assert len(names) == 27
    folder = tmp_path / "examples"
    assert command("demo", "--copy", folder).returncode == 0
    copied = {str(p.relative_to(folder)) for p in folder.rglob("*.py")}
    assert copied == names
    assert {"arm.urdf", "walker.lua"} <= {p.name for p in folder.iterdir()}
    again = command("demo", "--copy", folder)
    assert again.returncode == 1 and "expected a new folder" in again.stderr


def test_demo_json(command, monkeypatch, tmp_path):
    """The same as data, which names the files."""
    monkeypatch.setattr("polhode.cli.demo._DURATION", 0.1)
    done = command("demo", "--no-open", "--json", "--output", tmp_path)
    report = json.loads(done.stdout)
    assert [entry["model"] for entry in report] == ["arm", "walker"]
    for entry in report:
        run = ph.Recording.load(entry["recording"])
        assert run.model.name == entry["model"] and run.times[-1] == pytest.approx(0.1)


def test_demo_walker_stands_on_its_feet(demo):
    """The led walker follows its plan: a foot on the ground does not slip or sink."""
    run = ph.Recording.load(demo[0] / "walker.npz")
    foot = ph.point_position(run.model, run.q, "foot_left", np.zeros(3))
    low = foot[:, 2].min()
    standing = foot[:, 2] < low + 1e-3
    assert 0.5 < standing.mean() < 0.8
    speed = np.diff(foot[:, 0]) / np.diff(run.times)
    both = standing[1:] & standing[:-1]
    assert np.median(np.abs(speed[both])) < 0.02
    assert foot[-1, 0] - foot[0, 0] > 5.0


def test_bench_alone(command):
    """Without peers it times the machine asked for, and reports as data."""
    done = command("bench", "--models", "arm", "--rows", "rnea", "crba", "--fast", "--json",
                   "--threads", "1")  # fmt: skip
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    rows = data["models"][0]["rows"]
    assert [row["row"] for row in rows] == ["rnea", "crba"]
    assert all(0.0 < row["us"] < 1e4 and 0.0 < row["single_us"] < 1e5 for row in rows)
    assert data["machine"]["polhode"] == ph.__version__


def test_bench_chains(command):
    """Machines of many equal links, each with its compile time and its time for a body."""
    done = command("bench", "--chains", "--fast", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert not report["models"]
    kinds = {(m["machine"], m["n_bodies"]) for m in report["chains"]}
    assert kinds >= {("chain", 30), ("chain", 100), ("binary tree", 127), ("hand", 101)}
    assert {m["row"] for m in report["chains"]} == {"rnea", "aba", "inertia_times"}
    assert all(m["ns"] > 0.0 and m["compile_s"] > 0.0 for m in report["chains"])


def test_bench_says_what_is_missing():
    """Peers that are not installed are named, with the way to get them."""
    code = (
        "import sys; sys.modules['pinocchio'] = None; from polhode.cli import main;"
        "sys.exit(main(['bench', '--peers', '--models', 'arm', '--rows', 'rnea']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and "Pinocchio is not installed" in done.stderr


def test_bench_says_where_the_comparison_is(monkeypatch, tmp_path, capsys):
    """An installed package, without the repository around it, names the repository."""
    from polhode.cli import bench_peers, main

    monkeypatch.setattr(bench_peers, "_ROOT", tmp_path)
    assert main(["bench", "--peers", "--models", "arm", "--rows", "rnea"]) == 1
    assert "in its repository: run `make bench` there" in capsys.readouterr().err


@pytest.mark.parametrize("error", [0.0, 1e-6])
def test_bench_checks_the_code_of_others(error):
    """It is timed only where its results agree; what is not installed is left out, and named."""
    from polhode.cli import bench
    from polhode.cli.bench_models import subjects
    from polhode.cli.bench_peers import Peers
    from polhode.cli.bench_rows import ROWS, States

    class Ours:
        def __init__(self, subject):
            self.model = subject.model

        def bound(self, row, states, count):
            if row.key != "rnea":
                return None
            tau = row.function(self.model, *states.of(row, count))
            return (lambda: None), tau * (1.0 + error)

    def absent(subject):
        raise ph.errors.ModelError("Theirs is not installed")

    said, warned = [], []
    output = SimpleNamespace(say=said.append, warn=warned.append)
    subject = next(iter(subjects(["arm"], False)))
    peers = Peers((), lambda subject: None, {"Ours": Ours, "Theirs": absent}, {})  # type: ignore
    extra = bench._extra(subject, peers, output)  # type: ignore
    assert list(extra) == ["Ours"] and "Theirs is not installed; left out" in said[0]
    states, entries = States.random(subject.model, 8192), []
    for row in ROWS[:2]:
        entries.append({})
        wrong = bench._time_extra(row, states, subject, extra, entries[-1], output)  # type: ignore
        assert wrong == (row.key == "rnea" and error > 0.0)
    assert ("extra_us" in entries[0]) == (error == 0.0) and entries[1] == {}
    assert bool(warned) == (error > 0.0)


def test_bench_of_chains_beside_peers():
    """A peer that is not installed is left out, and one without a row has an empty cell."""
    from polhode.cli import bench_chains
    from polhode.cli.bench_peers import Peers
    from polhode.cli.bench_report import markdown

    class Ours:
        def __init__(self, model):
            self.model = model

        def difference(self, q, v, a, tau):
            return float(np.abs(ph.inverse_dynamics(self.model, q, v, a) - tau).max())

        def work(self, row, arrays):
            return (lambda: None) if row == "aba" else None

    def absent(model):
        raise ph.errors.ModelError("Theirs is not installed")

    said = []
    output = SimpleNamespace(say=said.append)
    chains = {"Ours": (Ours, 10), "Theirs": (absent, 10)}
    peers = Peers((), lambda subject: None, {}, chains)  # type: ignore
    measured = [
        asdict(m)
        for m in bench_chains._machine("chain", 5, peers, 1, output)  # type: ignore
    ]
    assert "Theirs is not installed; left out" in said[0]
    assert [list(m["peers_ns"]) for m in measured] == [[], ["Ours"], []]
    assert all(m["difference"] < 1e-9 for m in measured[:2])
    table = markdown({"machine": {}, "models": [], "chains": measured})
    assert "| Ours [ns] | ratio |" in table and "Theirs" not in table


@pytest.mark.oracle
def test_bench_agrees_with_pinocchio():
    """Every row of a fixed and of a floating machine agrees before it is timed."""
    done = polhode("bench", "--peers", "--fast", "--json", "--threads", "1", "--models", "panda",
                   "anymal", "walker", "--rows", "rnea", "aba", "solve", "bias", "gravity",
                   "energy", "com", "crba", "minv", "poses", "jacobian", "d_rnea",
                   "d_aba")  # fmt: skip
    assert done.returncode == 0, done.stderr
    for model in json.loads(done.stdout)["models"]:
        assert len(model["rows"]) == 13
        assert all(row["difference"] < 1e-9 for row in model["rows"])
