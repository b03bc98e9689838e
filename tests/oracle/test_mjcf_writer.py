"""Written MJCF as MuJoCo reads it: masses, joint-space inertia, bias and passive forces, poses."""

from __future__ import annotations

import warnings
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import polhode as ph
from io_samples import MODELS as OTHER_MODELS
from mjcf_texts import MODELS
from models import crane, example, four_bar, pendulum, seven_axes, walker, wrist
from oracle.mjcf import SHARED_KINDS
from oracle.robots import FOLDER, urdf_files
from oracle.test_actuation import ACTUATORS, document
from oracle.test_mjcf import MOST_DOFS, compare, files, loaded
from oracle.test_sensors import TEXTS
from oracle.test_sensors import compare as compare_sensors
from polhode.errors import ModelError, ParseError
from polhode.formats import mjcf, read
from polhode.model import Plane, Sphere
from random_trees import random_state, tree

pytestmark = pytest.mark.oracle


@pytest.fixture(autouse=True)
def _log_elsewhere(monkeypatch, tmp_path):
    """MuJoCo writes its warnings into the folder where the tests run."""
    monkeypatch.chdir(tmp_path)


def agree(what):
    """What is written means to MuJoCo what it means here when it is read; `io` compares that."""
    text = mjcf.dumps(what)
    theirs = mujoco.MjModel.from_xml_string(text)
    scene = mjcf.parse(text).model
    compare(scene, theirs)
    return theirs


@pytest.mark.parametrize("make", [pendulum, crane, wrist, four_bar, seven_axes, walker])
def test_models(make):
    agree(make())


@pytest.mark.parametrize("name", ["arm.urdf", "walker.lua"])
def test_shipped_models(name):
    agree(example(name))


@pytest.mark.parametrize("seed", range(12))
def test_random_trees(seed):
    """All joints that MuJoCo has, with rotors, started anywhere but where balls are turned."""
    rng = np.random.default_rng(seed)
    kinds = [*rng.choice([k for k in SHARED_KINDS if k != "spherical"], 5), "spherical"]
    model = tree(kinds, [-1, *(int(rng.integers(0, i)) for i in range(1, 6))], seed)
    q = random_state(model, seed).q
    *xyz, w = np.arange(model.nq)[model.joint("link5").q]
    q[xyz], q[w] = 0.0, 1.0
    theirs = agree(ph.Scene.of(model, q=q.tolist()))
    assert theirs.nv == model.nv


@pytest.mark.parametrize("floating_base", [False, True])
@pytest.mark.parametrize("path", urdf_files(), ids=lambda path: str(path.relative_to(FOLDER)))
def test_robots(path, floating_base):
    """Every robot is written, and MuJoCo takes it; without its meshes, which fill a text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = ph.load(path, floating_base=floating_base)
        except ParseError:
            pytest.skip("is no URDF")
        if model.nv > MOST_DOFS:
            pytest.skip("is large")
        agree(replace(model, links=tuple(replace(link, visuals=()) for link in model.links)))


@pytest.mark.parametrize("name", MODELS)
def test_small_models(name):
    agree(mjcf.parse(MODELS[name]).model)


@pytest.mark.parametrize("kind", ACTUATORS)
def test_actuators_and_tendons(kind):
    """Forces of all kinds, on all that they may act on; armature and springs of tendons."""
    scene = mjcf.parse(document(ACTUATORS[kind])).model
    theirs = agree(scene)
    compare(scene, theirs)
    assert (theirs.nu, theirs.ntendon) == (scene.n_controls, len(scene.tendons))


@pytest.mark.parametrize("name", TEXTS)
def test_sensors(name):
    """All kinds, at sites of their frames."""
    scene = mjcf.parse(TEXTS[name]).model
    theirs = agree(scene)
    assert theirs.nsensor == len(scene.sensors)
    assert compare_sensors(scene, theirs)


@pytest.mark.skipif(not files(), reason="no MJCF files at hand (POLHODE_MJCF)")
def test_files():
    """What was read from MuJoCo's own files is written so that MuJoCo has the same model."""
    count = 0
    for path in files():
        theirs = loaded(path)
        if theirs is None:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                scene = read(path).model
            except ParseError:
                continue
            try:
                written = mujoco.MjModel.from_xml_string(mjcf.dumps(scene))
                compare(scene, written)
                assert (written.nv, written.nu) == (theirs.nv, theirs.nu)
                compare_sensors(scene, written, accelerations="theirs")
            except (AssertionError, ValueError) as error:
                raise AssertionError(f"{path}: {error}") from None
        count += 1
    assert count > 20


@pytest.mark.skipif(not OTHER_MODELS.is_dir(), reason="no model files at hand (POLHODE_MODELS)")
def test_lua_models():
    """But for those with joints that MuJoCo does not have."""
    refused, count = [], 0
    for path in sorted((OTHER_MODELS / "rbdl").glob("*.lua")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                agree(ph.load(path))
            except ParseError:
                continue
            except ModelError as error:
                refused.append(str(error))
        count += 1
    assert all("MJCF has no" in text for text in refused)
    assert count - len(refused) > 5


def test_contacts_are_those_of_the_scene():
    """Friction and exclusions as MuJoCo compiles them; a ball comes to rest on the ground."""
    scene = ph.Scene("s").add_fixed("ground", Plane()).contact(mu_coulomb=0.6)
    for k in range(3):
        scene = scene.add_body(f"ball{k}", Sphere(0.1), mass=1.0, position=(0.15 * k, 0.0, 0.1))
    scene = scene.contact("ball0", "ground", mu_coulomb=0.0).disable("ball0", "ball1")
    theirs = mujoco.MjModel.from_xml_string(mjcf.dumps(scene))
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    found = {}
    for contact in data.contact:
        names = frozenset(theirs.geom(int(geom)).name for geom in contact.geom)
        found[names] = contact.friction[0] if contact.dim > 1 else 0.0
    ground = {frozenset((f"ball{k}", "ground")): 0.6 if k else 0.0 for k in range(3)}
    assert found == {**ground, frozenset(("ball1", "ball2")): 0.6}


def test_couplings_hold_at_the_start():
    """The residuals of equalities are zero where the scene starts."""
    model = four_bar()
    scene = ph.Scene.of(model, q=[0.3, 0.2, 0.4])
    end = ph.body_pose(model, [0.3, 0.2, 0.4], "rocker")
    end[:3, 3] = ph.point_position(model, [0.3, 0.2, 0.4], "rocker", (0.8, 0.0, 0.0))
    own = np.eye(4)
    own[0, 3] = 0.8
    scene = scene.add_loop("pin", "spherical", ("four-bar", "rocker"), None,
                           frame_a=own, frame_b=end)  # fmt: skip
    scene = scene.add_gear("gear", ("four-bar", "crank"), ("four-bar", "coupler"), 1.5)
    theirs = mujoco.MjModel.from_xml_string(mjcf.dumps(scene))
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    assert theirs.neq == 2 and data.nefc == 4
    np.testing.assert_allclose(data.efc_pos, 0.0, atol=1e-12)
