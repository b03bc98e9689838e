"""Names of other libraries are answered with ours, at `polhode`, models, scenes and recordings."""

from __future__ import annotations

import copy
import pathlib
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode import rbdl, spatial_v2
from polhode.model import Revolute
from polhode.moved_names import MOVED
from polhode.other_names import ATTRIBUTES, FUNCTIONS

DOCS = Path(__file__).parents[2] / "docs"
ARM = ph.Model("arm").add("link", joint=Revolute.y(), mass=1.0, com=(0.5, 0.0, 0.0))
SCENE_OF_ARM = ph.Scene.of(ARM)
RUN = ph.simulate(ARM, 0.01, progress=False)
Q, QD, QDD = np.random.default_rng(0).standard_normal((3, 20, 1))
IDENTIFIED = ph.identification.identify(ARM, Q, QD, QDD, ph.inverse_dynamics(ARM, Q, QD, QDD))
PROGRAM = ph.compile(ph.algorithms.mass_matrix, ARM)
STATE = ph.simulation.State(0.0, Q[0], QD[0], ARM, None)  # type: ignore[arg-type]
OBJECTS = [
    ARM, ARM.body("link"), ARM.joint("link"), SCENE_OF_ARM, RUN, IDENTIFIED, PROGRAM, STATE,
    ph.kinematics.Targets(ARM),
]  # fmt: skip
OF_OBJECTS = [pytest.param(each, id=type(each).__name__.lower()) for each in OBJECTS]


def table_of(page: str) -> list[tuple[list[str], str]]:
    """Names in the first column of a page's last table of names, and its second column."""
    text = (DOCS / f"coming-from-{page}.md").read_text(encoding="utf-8")
    section = text.split("## Name by name")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]+) \| ([^|]+) \|$", section, re.M)
    return [(names_in(first), second) for first, second in rows]


def names_in(cell: str) -> list[str]:
    """``data.oMf[id]`` is ``oMf``; names of attributes of a file's elements are not typed."""
    codes = re.findall(r"`([\w.]+)[^`]*`", cell)
    return [code.removeprefix("data.") for code in codes]


OF_FILES = {"joint", "frictionloss", "damping", "range", "mujoco.viewer"}  # or imports of theirs
ROWS: dict[str, str] = {}
for page in ("pinocchio", "mujoco", "drake"):
    for names, here in table_of(page):
        ROWS |= {name: ROWS.get(name, "") + here for name in names if name not in OF_FILES}


@pytest.mark.parametrize(("name", "here"), ROWS.items())
def test_names_of_the_coming_from_tables_are_answered(name, here):
    """With the name that stands beside them; names that are the same are there."""
    if f"`ph.{name}`" in here:
        assert getattr(ph, name)
        return
    is_function = any(name in names.split() for names in FUNCTIONS.values())
    with pytest.raises(AttributeError) as caught:
        getattr(ph if is_function else ARM, name)
    answers = re.findall(
        r"(?:polhode\.|model\.|mean ')(?:Model\.)?([\w.]+)", str(caught.value).split("; ")[1]
    )
    assert any(re.search(rf"\b{answer}\b", here) for answer in answers), answers


@pytest.mark.parametrize("facade", [rbdl, spatial_v2])
def test_names_of_the_facades_are_found_in_them(facade):
    """As ``polhode.rbdl.ForwardDynamics`` and so on, unless polhode has the name itself."""
    for name in facade.__all__:
        if not hasattr(ph, name) and name not in MOVED:
            with pytest.raises(AttributeError, match=rf"; use .*{facade.__name__}\.{name}"):
                getattr(ph, name)


@pytest.mark.parametrize("path", FUNCTIONS)
def test_answers_are_there(path):
    """Each path leads somewhere, and none of its other names is a name of polhode."""
    found = ph
    for part in path.split("."):
        found = getattr(found, part)
    assert not [name for name in FUNCTIONS[path].split() if hasattr(ph, name)]


@pytest.mark.parametrize("thing", OF_OBJECTS)
def test_attributes_are_answered(thing, tmp_path):
    """With an attribute that is there, or an expression that has a value."""
    space = {"polhode": ph, "model": ARM, "run": RUN, "scene": SCENE_OF_ARM, "program": PROGRAM}
    space |= {"path": tmp_path / "arm.c", "pathlib": pathlib, "q": Q, "body": "link"}
    space["state"] = STATE
    for here, names in ATTRIBUTES[type(thing).__name__].items():
        if here.isidentifier():
            getattr(thing, here)
        elif "load" not in here:
            eval(here, space)
        for name in names.split():
            with pytest.raises(AttributeError) as caught:
                getattr(thing, name)
            told = str(caught.value)
            assert told.endswith(f"; did you mean '{here}'?" if here.isidentifier() else here), told


@pytest.mark.parametrize(
    ("get", "here"),
    [
        (lambda: ph.simulation.ParseError, "polhode.ParseError"),
        (lambda: ph.sweeps.StartError, "polhode.simulation.StartError"),
        (lambda: ph.constraints.Box, "polhode.model.Box"),
        (lambda: ph.simulation.StartEror, "'StartError'"),
        (lambda: ph.Revolute, "polhode.model.Revolute"),
        (lambda: ph.StartError, "polhode.simulation.StartError"),
    ],
)
def test_namespaces_say_where_a_name_is(get, here):
    """Of names that are elsewhere in polhode their place, of others a near one."""
    with pytest.raises(AttributeError, match="has no attribute '") as caught:
        get()
    assert here in str(caught.value)


def test_imports_from_a_namespace_say_where_a_name_is():
    """Modules that are not imported yet are imported all the same."""
    with pytest.raises(ImportError, match=r"'ParseError'; it is polhode\.ParseError"):
        from polhode.simulation import ParseError  # noqa: F401  # type: ignore
    from polhode.simulation import integrators, simulate

    assert simulate.simulate is ph.simulate and integrators.__name__.endswith("integrators")


def test_fields_that_a_system_model_lacks():
    """A field of the manual is not suggested in its own place."""
    model = spatial_v2.SystemModel(NB=1)
    with pytest.raises(AttributeError, match=r"no field 'gravity'; none was given$"):
        _ = model.gravity
    with pytest.raises(AttributeError, match="no field 'gravty'; did you mean 'gravity'"):
        _ = model.gravty


def test_functions_of_a_model_are_answered_with_a_call():
    """Whether under our name or another library's."""
    for name in ("mass_matrix", "CalcMassMatrix", "crba"):
        with pytest.raises(AttributeError, match=r"; use polhode\.mass_matrix\(model, \.\.\.\)$"):
            getattr(ARM, name)
    with pytest.raises(AttributeError, match="did you mean 'lock'"):
        _ = ARM.buildReducedModel  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"^Model has no attribute 'hierarcy'; did you mean"):
        _ = ARM.hierarcy  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"^Model has no attribute '_nothing'$"):
        _ = ARM._nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [ph.Simulator, ph.TimeSteppingSimulator])
def test_attributes_of_simulators_are_answered(kind):
    """They hold C addresses, so they are not copied as the others are."""
    simulator = kind(SCENE_OF_ARM)
    for here, names in ATTRIBUTES["Simulator"].items():
        assert hasattr(simulator, here)
        for name in names.split():
            with pytest.raises(AttributeError, match=f"did you mean '{here}'"):
                getattr(simulator, name)


def test_models_are_not_subscripted():
    """Names are those of bodies or of joints."""
    with pytest.raises(TypeError, match=r"model\.body\('link'\) or model\.joint\('link'\)"):
        ARM["link"]
    for look in (lambda: ARM[0], lambda: list(ARM)):  # joints have names only
        with pytest.raises(TypeError, match=r"use model\.body\(0\)$"):
            look()


@pytest.mark.parametrize("thing", OF_OBJECTS)
def test_objects_are_still_copied(thing):
    """Copies and pickles ask for names that are not there."""
    assert repr(copy.deepcopy(thing)) == repr(pickle.loads(pickle.dumps(thing))) == repr(thing)


def test_options_of_other_libraries_are_answered():
    """If the function has the option that is meant."""
    with pytest.raises(TypeError, match="unexpected option 'pos'; did you mean 'position'"):
        SCENE_OF_ARM.add_body("ball", ph.model.Sphere(0.1), pos=(0.0, 0.0, 1.0))  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected option 'timestep'; did you mean 'dt'"):
        ph.simulate(ARM, 0.1, timestep=0.01)  # type: ignore[call-arg]
    for name in ("pos", "position", "rpy", "quaternion"):
        with pytest.raises(TypeError, match=f"unexpected option '{name}'; did you mean 'frame'"):
            ARM.add("hand", **{name: (0.0, 0.0, 1.0)})
    with pytest.raises(TypeError, match=r"unexpected option 'height'$"):
        ARM.add("hand", height=1.0)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: ph.Scene().contact(friction=0.5), "did you mean 'mu_coulomb'"),
        (
            lambda: ph.Scene().add_fixed("g", ph.model.Sphere(1.0), friction=0.5),
            r"it is a rule for pairs of bodies, Scene.contact\(mu_coulomb=...\)",
        ),
        (
            lambda: ph.Scene().add_body("b", ph.model.Sphere(1.0), mass=1.0, restitution=0.5),
            r"it is a rule for pairs of bodies, Scene.contact\(restitution=...\)",
        ),
        (
            lambda: ph.Scene().add_fixed("g", ph.model.Plane(), pose=np.eye(4)),
            r"unexpected option 'pose'; position= and quaternion= place it",
        ),
        (
            lambda: ph.Scene().add_body("b", ph.model.Sphere(1.0), mass=1.0, inertia=(1, 1, 1)),
            r"unexpected option 'inertia'; its shape and mass give that, and Scene.add_machine",
        ),
        (lambda: ph.Scene().contact(stiffness=1e3), r"compliance= is 1 / stiffness \[m/N\]"),
        (lambda: ph.Scene().contact(damping=1.0), "penalty_kv= is that of compliant geometries"),
        (lambda: ph.simulate(ARM, 1.0, gravity=(0.0, 0.0, -1.6)), "it belongs to the model"),
        (lambda: ph.simulate(ARM, 1.0, tau=[0.0]), "did you mean 'controller'"),
        (lambda: ARM.add("hand", range=(-1.0, 1.0)), "did you mean 'limits'"),
        (lambda: ph.end_effector_pose, "use polhode.body_pose"),
        (lambda: ph.ground_reaction_force, "use polhode.Recording.contact_forces"),
        (lambda: ph.export_c, "use polhode.compile"),
        (lambda: ph.live, "use polhode.show"),
        (lambda: SCENE_OF_ARM.simulate, "use polhode.simulate"),
        (
            lambda: ARM.add("hand", joint=Revolute.y(), frame=(0.0, 0.0, 1.0)),
            "Transform.translation, Transform.from_rpy and Transform.from_quaternion make one",
        ),
        (
            lambda: ARM.add("hand", joint=Revolute.y(), limits=(0.5, -0.5)),
            "expected limits from lower to upper, got 0.5 to -0.5",
        ),
        (
            lambda: ph.Scene().add_machine(ARM, geometries=["link"]),
            r"expected \(body, shape\) or \(body, shape, frame\) in geometries",
        ),
    ],
)
def test_first_guesses_are_answered(wrong, told):
    """What a newcomer types before the page is found."""
    with pytest.raises((AttributeError, TypeError, ph.ModelError), match=told):
        wrong()


def test_bodies_without_shapes_are_said_to_have_no_contact_forces():
    """They are zero, which somebody might take for a foot in the air."""
    with pytest.warns(ph.ModelWarning, match="body 'arm/link' has no collision shapes"):
        assert not RUN.contact_forces("link").any()


def test_python_adds_no_suggestion_of_its_own():
    """Beside ours it names whatever is spelled alike."""
    for thing in (ARM, RUN, SCENE_OF_ARM):
        with pytest.raises(AttributeError) as caught:
            _ = thing.t
        assert caught.value.obj is None
