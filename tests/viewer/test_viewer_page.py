"""The page as a file: its data, its policy, and what it carries."""

import base64
import gzip
import hashlib
import json
import re
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.model import (
    Box,
    Capsule,
    Cylinder,
    Mesh,
    Model,
    Revolute,
    Sphere,
    Spherical,
    Visual,
)  # fmt: skip
from polhode.spatial import Transform, Vec3, rotation_x, rotation_z
from polhode.viewer import html
from polhode.viewer.film import film_of, resample
from polhode.viewer.packing import Block
from polhode.viewer.rotations import quaternions
from polhode.viewer.shapes import shapes

ROOT = Path(__file__).parents[2]


def arm():
    look = [
        Visual(Box((0.1, 0.2, 0.3)), Transform(rotation_x(0.3), Vec3(0.1, 0.2, 0.3))),
        Visual(Sphere(0.1), color=(0.1, 0.2, 0.3, 0.5)),
        Visual(Cylinder(0.1, 0.4)),
        Visual(Capsule(0.1, 0.4)),
    ]
    return (
        Model("arm")
        .add("upper", joint=Revolute.x(), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
        .append("hand", frame=Transform(rotation_z(0.5), Vec3(0, 0, -1.0)), visuals=look)
        .append("ball", joint=Spherical(), mass=0.3, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    )


def data_of(page):
    text = re.search(r'<script type="application/json" id="recording">(.*?)</script>', page, re.S)
    return json.loads(text.group(1))


def block_of(data):
    return gzip.decompress(base64.b64decode(data["block"]))


def poses_of(data, film=0):
    """Poses (T, W * N, 7) as the page's script unpacks them."""
    row = data["films"][film]["poses"]
    frames, channels = row["frames"], row["channels"]
    count = frames * channels
    planes = np.frombuffer(block_of(data), np.uint8, 4 * count, row["at"]).reshape(4, count)
    raw = planes.T.copy().view("<u4").reshape(channels, frames).astype(np.int64)
    change = np.where(raw & 1, -(raw + 1) // 2, raw // 2)
    change[:, 1:] = np.cumsum(change[:, 1:], axis=1)
    quanta = np.array([row["quanta"][0]] * 3 + [row["quanta"][1]] * 4)
    return (np.cumsum(change, axis=1).T.reshape(frames, -1, 7)) * quanta


def rotation(xyzw):
    x, y, z, w = np.moveaxis(np.asarray(xyzw), -1, 0)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def test_quaternions_are_those_of_the_rotations():
    """Random rotations, half turns and the identity, each back to its matrix."""
    rng = np.random.default_rng(0)
    samples = rng.standard_normal((200, 4))
    samples = np.concatenate((samples, np.eye(4), [[1, 1, 0, 0], [0, 1, -1, 1e-9]]))
    samples /= np.linalg.norm(samples, axis=1, keepdims=True)
    R = np.moveaxis(rotation(samples), -1, 0)
    assert np.abs(np.moveaxis(rotation(quaternions(R)), -1, 0) - R).max() < 1e-14


def test_poses_in_the_page_are_those_of_the_run():
    """Every kept frame holds the bodies' poses, each in its parent's frame, to the quanta."""
    run = ph.simulate(arm(), 0.5, q0=[1.0, 0.1, 0.2, 0.3, np.sqrt(0.86)], record=1 / 60)
    data = data_of(html(run))
    film = data["films"][0]
    packed = poses_of(data)
    assert film["step"] * (film["frames"] - 1) == pytest.approx(0.5)
    assert film["parents"] == [0, 1]
    base = np.broadcast_to(np.eye(4), (len(run.times), 1, 4, 4))
    world = np.concatenate((base, run.poses), axis=1)
    exact = np.linalg.inv(world[:, [0, 1]]) @ world[:, 1:]
    extent = np.abs(exact[..., :3, 3]).max()
    assert np.abs(packed[..., :3] - exact[..., :3, 3]).max() < 0.51 * extent / 2**17
    turns = packed[..., 3:] / np.linalg.norm(packed[..., 3:], axis=-1, keepdims=True)
    turned = np.moveaxis(rotation(turns), (0, 1), (-2, -1))
    assert np.abs(turned - exact[..., :3, :3]).max() < 1e-4
    assert film["bodies"] == ["base", "upper", "ball"]
    assert data["up"] == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("frames", [1, 2, 3, 50])
def test_packing_is_undone(frames):
    """Positions and turns come back to half a quantum, however they jump; signs do not."""
    rng = np.random.default_rng(frames)
    poses = rng.standard_normal((frames, 3, 7)) * 5.0
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    block = Block()
    block.array([1, 2, 3], "u2")
    data = {"films": [{"poses": block.poses(poses)}], "block": block.text()}
    back = poses_of(data)
    assert (
        np.abs(back[..., :3] - poses[..., :3]).max() <= 0.51 * np.abs(poses[..., :3]).max() / 2**17
    )
    alike = np.abs(np.sum(back[..., 3:] * poses[..., 3:], axis=-1))
    assert np.abs(alike - 1.0).max() < 1e-4
    if frames > 1:
        assert np.sum(back[1:, :, 3:] * back[:-1, :, 3:], axis=-1).min() > -1e-3


def test_shares_are_numbers_to_sixteen_bits():
    """A line's values come back within half a step of its range; NaN stays missing."""
    values = np.array([1.0, -3.0, np.nan, 2.5, np.inf])
    block = Block()
    row = block.share(values)
    raw = np.frombuffer(gzip.decompress(base64.b64decode(block.text())), "<u2", 5, row["at"])
    back = np.where(raw == 65535, np.nan, row["low"] + raw * (row["high"] - row["low"]) / 65534)
    assert np.array_equal(np.isnan(back), ~np.isfinite(values))
    keep = np.isfinite(values)
    assert np.abs(back - values)[keep].max() <= 0.5 * 5.5 / 65534


def test_resampling_stays_on_the_manifold():
    """Between records quaternions stay unit; at records they are the record's."""
    model = arm()
    rng = np.random.default_rng(1)
    q = ph.random_configuration(model, rng, size=(4,))
    times = np.array([0.0, 0.1, 0.35, 0.4])
    middle = resample(model, times, q, np.array([0.05, 0.2, 0.39]))
    w = np.linalg.norm(middle[:, 1:], axis=1)
    assert np.abs(w - 1.0).max() < 1e-12
    assert np.abs(ph.difference(model, resample(model, times, q, times), q)).max() < 1e-12
    assert resample(model, times[:1], q[:1], np.zeros(3)).shape == (3, model.nq)


def test_visuals_of_a_fixed_link_sit_on_its_moving_body():
    """Place and size of each shape, in the frame of the body that carries it."""
    model = arm()
    rows, notes = shapes(model)
    kinds = [(row["kind"], row["size"], row["body"]) for row in rows]
    expected = [("box", [0.1, 0.2, 0.3]), ("sphere", [0.1]), ("cylinder", [0.1, 0.4]),
                ("capsule", [0.1, 0.4])]  # fmt: skip
    assert kinds == [(kind, size, 1) for kind, size in expected]
    assert notes == []
    place = np.array(rows[0]["pose"])
    in_hand = np.array((0.1, 0.2, 0.3))
    E = np.array(rotation_z(0.5).rows())
    assert np.allclose(place[:3], np.array((0, 0, -1.0)) + E.T @ in_hand, atol=1e-15)
    assert np.allclose(rotation(place[3:]), E.T @ np.array(rotation_x(0.3).rows()).T, atol=1e-15)
    assert rows[1]["color"] == [0.1, 0.2, 0.3, 0.5]


def test_a_machine_without_visuals_is_drawn_from_joints_and_inertia():
    """Bars, joints and ellipsoids; the ellipsoid of a solid ball is that ball, if it is small."""
    radius, mass = 0.12, 3.0
    moment = 0.4 * mass * radius**2
    model = (
        Model("bare")
        .add("bone", joint=Revolute((0, 1, 1)), mass=1.0, com=(0, 0, 1), inertia=(0.1, 0.1, 0.01))
        .append(
            "ball",
            joint=Spherical(),
            frame=Transform.translation(0, 0, 2.0),
            mass=mass,
            inertia=(moment,) * 3,
        )
    )
    rows, _ = shapes(model)
    kinds = {(row["name"], row["kind"]) for row in rows}
    assert {("bone", "bar"), ("bone", "cylinder"), ("ball", "sphere")} <= kinds
    (bar,) = [row for row in rows if row["kind"] == "bar"]
    assert bar["size"][2] == pytest.approx(2.0) and bar["pose"][:3] == pytest.approx([0, 0, 1.0])
    ball = next(row for row in rows if row["name"] == "ball" and row["kind"] == "ellipsoid")
    assert np.allclose(ball["size"], radius)
    for row in rows:
        assert np.isfinite(row["size"]).all() and np.isfinite(row["pose"]).all()
        assert min(row["size"]) > 0.0


def bar_of(inertia, com=(0.0, 0.3, -0.4)):
    model = Model("rod").add("rod", joint=Revolute.x(), mass=2.0, com=com, inertia=inertia)
    return shapes(model)[0]


def test_a_bar_ends_where_a_uniform_rod_would():
    """At twice the distance of its centre for a rod from the joint, at a ball for a point mass."""
    x, n = np.array((1.0, 0.0, 0.0)), np.array((0.0, 0.6, -0.8))
    rod = 2.0 * 1.0**2 / 12.0 * (np.eye(3) - np.outer(n, n))
    (bar, joint) = bar_of(rod.tolist())
    assert bar["size"][2] == pytest.approx(1.0) and bar["size"][0] > bar["size"][1]
    assert bar["pose"][:3] == pytest.approx(0.5 * n)
    assert rotation(bar["pose"][3:])[:, 2] == pytest.approx(n)
    assert joint["kind"] == "cylinder" and joint["role"] == "joint"
    assert rotation(joint["pose"][3:])[:, 2] == pytest.approx(x)
    (bar, _, ball) = bar_of((0.0, 0.0, 0.0))
    assert bar["size"][2] == pytest.approx(0.5)
    assert ball["kind"] == "sphere" and ball["pose"][:3] == pytest.approx(0.5 * n)


def test_meshes_are_missing_in_the_open():
    """A page that does not draw a mesh says so."""
    model = Model("meshed").add(
        "a", joint=Revolute.x(), mass=1.0, com=(0, 0, 1), inertia=(1, 1, 1),
        visuals=[Visual(Mesh("a.stl")), Visual(Mesh("b.stl"))],
    )  # fmt: skip
    data = data_of(html(model))
    (note,) = data["notes"]
    assert note.startswith("2 mesh files are not drawn, simple shapes stand in: a.stl (")
    assert data["films"][0]["shapes"]


def test_the_policy_allows_this_script_and_nothing_else():
    """The hashes in the policy are those of the script and the style; no address outside."""
    page = html(arm())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    script = re.findall(r"<script>(.*?)</script>", page, re.S)
    style = re.findall(r"<style>(.*?)</style>", page, re.S)
    assert len(script) == len(style) == 1

    def digest(text):
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    assert f"script-src 'sha256-{digest(script[0])}'" in policy
    assert f"style-src 'sha256-{digest(style[0])}'" in policy
    assert policy.startswith("default-src 'none'")
    frame = page.replace(script[0], "").replace(style[0], "")
    assert not re.search(r"(src|href)\s*=", frame)
    assert "@import" not in style[0] and "url(" not in style[0]


def test_names_cannot_end_the_data_block():
    """Neither a script's end nor a comment's start gets out of the JSON."""
    name = "</script><script>alert(1)</script><!-- ]]>"
    model = Model(name).add(name, joint=Revolute.x(), mass=1.0, com=(0, 0, 1))
    page = html(model, title="{{script}}" + name)
    assert "alert(1)</script>" not in page
    data = data_of(page)
    assert data["title"] == "{{script}}" + name and data["films"][0]["bodies"][1] == name


def test_the_bundle_is_made_from_these_sources():
    """The committed bundle is not stale, carries three's licence, and no local path."""
    folder = ROOT / "viewer"
    sources = sorted((folder / "src").iterdir(), key=lambda path: path.name)
    digest = hashlib.sha256()
    for path in [*sources, folder / "package-lock.json"]:
        digest.update(path.read_bytes())
    assert digest.hexdigest() == (folder / "built.sha256").read_text().strip()
    bundle = (ROOT / "src/polhode/viewer/assets/viewer.min.js").read_text()
    assert "Copyright 2010-" in bundle and "SPDX-License-Identifier: MIT" in bundle
    assert "http" not in (folder / "package-lock.json").read_text().replace(
        "https://opencollective", ""
    )


def test_the_licence_of_three_goes_with_it():
    """Its whole text is in the page and among the licences of the package."""
    notices = (ROOT / "src/polhode/viewer/assets/THIRD_PARTY_NOTICES.txt").read_text("utf-8")
    for part in ("The MIT License", "three.js authors", "The above copyright notice and this",
                 'THE SOFTWARE IS PROVIDED "AS IS"', "model-viewer"):  # fmt: skip
        assert part in notices
    assert f"/*!\n{notices}*/" in html(arm())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["license"] == "Apache-2.0 AND MIT"
    files = [path for glob in project["license-files"] for path in ROOT.glob(glob)]
    assert notices in [path.read_text("utf-8") for path in files] and len(files) == 2


@pytest.mark.parametrize("fps", [0.0, -1.0, np.nan])
def test_wrong_options_are_refused(fps):
    """Frames per second are positive."""
    with pytest.raises(ValueError, match="positive number of frames"):
        html(arm(), fps=fps)


def test_only_models_and_recordings_are_shown():
    """Anything else is named in the error."""
    with pytest.raises(TypeError, match="expected a Model, a Scene or a Recording, got dict"):
        html({})


def test_long_runs_are_thinned():
    """The page does not grow without bound: it keeps fewer frames, and says so."""
    run = ph.simulate(arm(), 30.0, q0=ph.neutral(arm()), dt=0.01, integrator="rk4", record=0.5)
    film = film_of(run, fps=60.0, most=7 * 2 * 500)
    assert len(film.poses) == 500
    assert film.step == pytest.approx(30.0 / 499)
    assert film.notes == ["16.6 of 60 frames per second are kept"]
    whole = film_of(run, fps=60.0, most=10**9)
    assert len(whole.poses) == 1801 and whole.notes == []


def chain(count):
    """Links on links, at one place."""
    (one,) = Model().add("l", joint=Revolute.y(), mass=1.0, inertia=(1, 1, 1)).links
    return Model("chain", tuple(
        replace(one, name=f"l{k}", joint_name=f"j{k}", parent=f"l{k - 1}" if k else None)
        for k in range(count)
    ))  # fmt: skip


def test_joints_of_long_chains_move_together():
    """The frames of a model are bounded before poses are computed; each joint still moves."""
    model = chain(60)
    film = film_of(model, fps=60.0, most=7 * 60 * 100)
    assert len(film.poses) <= 101
    assert any(note.startswith("5 joints move at a time") for note in film.notes)
    turns = np.linalg.inv(film.poses[:, 0, :-1]) @ film.poses[:, 0, 1:]
    assert (turns[..., 0, 0].min(axis=0) < 0.75).all()
    assert film.step * (len(film.poses) - 1) == pytest.approx(12.0)
    usual = film_of(chain(3), fps=60.0, most=10**6)
    assert len(usual.poses) == 181 and usual.notes == []


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a screen")
@pytest.mark.parametrize(("display", "opened"), [("", 0), (":0", 1)])
def test_a_page_is_opened_only_where_there_is_a_screen(monkeypatch, tmp_path, display, opened):
    """On a machine without one, no text browser takes over the terminal."""
    pages = []
    monkeypatch.setattr("webbrowser.open", pages.append)
    for name in ("WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", display)
    path = ph.show(arm(), tmp_path / "arm.html")
    assert pages == [path.as_uri()] * opened
    assert ph.show(arm(), open_browser=False).name == "motion.html"
