"""What a Lua model becomes: the rows of the format's table, one by one."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

from io_samples import MODELS, frame
from polhode.errors import ModelError, ModelWarning
from polhode.formats import load, lua, read
from polhode.formats.lua import ContactConstraint, LoopConstraint
from polhode.model import (
    Axes,
    Box,
    Capsule,
    Cylinder,
    Euler,
    Fixed,
    FloatingBase,
    Helical,
    Prismatic,
    Revolute,
    RigidBody,
    Sphere,
    Spherical,
    TranslationXYZ,
)
from polhode.spatial import Mat3, Transform, Vec3

HAND = 'name = "hand", parent = "trunk", body = { mass = 1 }'


def parse(text: str, **options):
    """The model of a text, whatever it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return lua.parse(text, **options)


def second(text: str):
    """The second link of a model, from the text of its frame."""
    return parse(frame(text)).links[1]


def warning_of(text: str) -> str:
    """The text of the only warning that a model raises."""
    with pytest.warns(ModelWarning) as caught:
        lua.parse(text)
    (warning,) = caught
    return str(warning.message)


def test_whole_language():
    """Arithmetic, functions, both comments, all quotes, and shared tables."""
    text = """#!/usr/bin/lua
    --[[ a model
    ]] -- of three equal links
    local m, l = 2, 1.5
    local body = { mass = m; com = { l/2, 0, 0 }, inertia = {{1,0,0},{0,1,0},{0,0,m*l*l/3}}, }
    print("links:", 3)
    local frames = {}
    local parent = 'ROOT'
    for k = 1, 3 do
      table.insert(frames, { name = ("link%d"):format(k), parent = parent, body = body,
                             joint = {{0,0,1, 0,0,0}}, joint_frame = { r = { l, 0, 0 } } })
      parent = "link" .. k
    end
    return { frames = frames, gravity = { 0, 0, -math.pow(2, 3) } }
    """
    model = lua.parse(text, name="chain")
    assert [(link.name, link.parent) for link in model.links] == [
        ("link1", None),
        ("link2", "link1"),
        ("link3", "link2"),
    ]
    assert model.name == "chain"
    assert model.links[2].body == RigidBody(2, (0.75, 0, 0), ((1, 0, 0), (0, 1, 0), (0, 0, 1.5)))
    assert tuple(model.gravity.lin) == (0.0, 0.0, -8.0)


def test_gravity_default_is_that_of_rbdl():
    """Without gravity in the file y points up; an option replaces both."""
    assert tuple(parse(frame(HAND)).gravity.lin) == (0.0, -9.81, 0.0)
    assert tuple(parse(frame(HAND), gravity=(0, 0, 0)).gravity.lin) == (0.0, 0.0, 0.0)
    given = parse(frame(HAND, more="gravity = { 1, 2, 3 },"))
    assert tuple(given.gravity.lin) == (1.0, 2.0, 3.0)


def test_body_defaults():
    """No body has no mass; a body has mass 1 and inertia identity unless it says otherwise."""
    assert second('name = "hand", parent = "trunk"').body == RigidBody()
    identity = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    assert second('name = "hand", parent = "trunk", body = {}').body == RigidBody(
        1.0, (0.0, 0.0, 0.0), identity
    )
    assert second(HAND.replace("mass = 1", "mass = 3")).body == RigidBody(3.0, (0, 0, 0), identity)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", Fixed()),
        ("joint = {}", Fixed()),
        ("joint = {{1,0,0,0,0,0}}", Revolute.x()),
        ("joint = {{0,0,-1,0,0,0}}", Revolute((0.0, 0.0, -1.0))),
        ("joint = {{0,2,0,0,0,0}}", Revolute((0.0, 2.0, 0.0))),
        ("joint = {{0,0,0,0,0,1}}", Prismatic.z()),
        ("joint = {{0,0,1,0,0,0.1}}", Helical((0, 0, 1, 0, 0, 0.1))),
        ("joint = {{0,0,0,1,0,0},{0,1,0,0,0,0}}", Axes(((0, 0, 0, 1, 0, 0), (0, 1, 0, 0, 0, 0)))),
        ('joint = {"JointTypeSpherical"}', Spherical()),
        ('joint = {"JointTypeEulerZYX"}', Euler("ZYX")),
        ('joint = {"JointTypeEulerXYZ"}', Euler("XYZ")),
        ('joint = {"JointTypeEulerYXZ"}', Euler("YXZ")),
        ('joint = {"JointTypeEulerZXY"}', Euler("ZXY")),
        ('joint = {"JointTypeTranslationXYZ"}', TranslationXYZ()),
        ('joint = {"JointTypeFloatingBase"}', FloatingBase()),
    ],
)
def test_joints(text, kind):
    """Rows and names of joints; an axis that is not of unit length is kept."""
    assert second(f"{HAND}, {text}").joint == kind


def test_joint_frame():
    """``r`` is in parent coordinates, ``E`` from parent to joint coordinates, as written."""
    made = second(
        f"{HAND}, joint_frame = {{ r = {{1,2,3}}, E = {{{{0,1,0}},{{-1,0,0}},{{0,0,1}}}} }}"
    )
    assert made.frame == Transform(Mat3.of(((0, 1, 0), (-1, 0, 0), (0, 0, 1))), Vec3(1, 2, 3))
    assert second(HAND).frame == Transform.identity()


def test_singular_rotation_is_kept_with_a_warning():
    """A joint frame that is no rotation is never repaired."""
    text = frame(f"{HAND}, joint_frame = {{ E = {{{{1,0,0}},{{0,1,0}},{{0,0,0}}}} }}")
    message = warning_of(text)
    assert "line 6: frames[2].joint_frame.E (frame 'hand'): not a rotation" in message
    assert parse(text).links[1].frame.E.rows()[2] == (0.0, 0.0, 0.0)


def test_unsymmetric_inertia_is_kept_with_a_warning():
    """An inertia that is not symmetric is stored as written."""
    text = frame(HAND.replace("mass = 1", "inertia = {{1,0.1,0},{0,1,0},{0,0,1}}"))
    assert "frames[2].body.inertia (frame 'hand'): not symmetric" in warning_of(text)
    assert parse(text).links[1].body.inertia[0] == (1.0, 0.1, 0.0)


def test_nothing_is_ignored_in_silence():
    """Keys of other programs are passed over; unknown ones are told, with a suggestion."""
    quiet = frame(f"{HAND}, markers = {{ A = {{1,2,3}} }}", more="configuration = {},")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lua.parse(quiet)
    message = warning_of(frame(HAND + ", jont = {}, [7] = 1", more="gravty = {0,0,0},"))
    assert message == (
        "<string>: 3 ignored: gravty: not read; did you mean 'gravity'? "
        "| line 6: frames[2][7] (frame 'hand'): not read "
        "| 1 more (polhode check <string> lists all)"
    )


def test_output_of_the_file(tmp_path, capfd):
    """What a file prints is a note, and disturbs nothing."""
    path = tmp_path / "m.lua"
    path.write_text('print("one", 2) io.write("three")\n' + frame(HAND))
    reading = read(path)
    assert [n.text for n in reading.notes if n.kind == "printed"] == ["one\t2", "three"]
    assert reading.model.name == "m"
    assert capfd.readouterr() == ("", "")


def test_visuals_of_simple_shapes():
    """Primitive shapes and unit meshes are drawn; a model is never refused for its visuals."""
    made = second(
        f"""{HAND}, visuals = {{
        {{ src = "unit_cube.obj", dimensions = {{1,2,3}}, color = {{1,0,0}},
           mesh_center = {{4,5,6}} }},
        {{ src = "meshes/unit_sphere_medres.obj", dimensions = {{2,2,2}} }},
        {{ src = "unit_cylinder_medres_z.obj", dimensions = {{2,2,3}} }},
        {{ geometry = {{ capsule = {{ radius = 1, length = 2 }} }} }},
        {{ src = "pelvis.obj", dimensions = {{1,2,3}} }},
        }}"""
    )
    shapes = [Box((1, 2, 3)), Sphere(1), Cylinder(1, 3), Capsule(1, 2)]
    assert [v.shape for v in made.visuals] == shapes
    assert made.visuals[0].color == (1.0, 0.0, 0.0, 1.0)
    assert tuple(made.visuals[0].frame.r) == (4.0, 5.0, 6.0)
    assert second(f"{HAND}, visuals = 3").visuals == ()


def test_names_of_any_characters():
    """Quotes, control characters and letters of all kinds arrive; broken bytes are replaced."""
    text = frame(r'name = "\"a\\b\n\t\0é漢\255", parent = "trunk"')
    assert parse(text).links[1].name == '"a\\b\n\t\0é漢\ufffd'


def test_numbers_are_exact():
    """Every double arrives bit for bit, and integers as the doubles that they are."""
    made = second(f"{HAND}, joint_frame = {{ r = {{ 0.1 + 0.2, 5e-324, 2^53 }} }}")
    assert tuple(made.frame.r) == (0.1 + 0.2, 5e-324, 2.0**53)


def test_files_of_the_same_folder(tmp_path):
    """``require`` and ``dofile`` find files beside the model, once and every time."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "hand.lua").write_text(f"count = (count or 0) + 1 return {{ {HAND} }}")
    (tmp_path / "trunk.lua").write_text('return { name = "trunk", parent = "ROOT" }')
    (tmp_path / "m.lua").write_text(
        'local hand = require("parts.hand") hand = require "parts.hand"\n'
        'return { frames = { dofile("trunk.lua"), hand }, gravity = { 0, 0, count } }'
    )
    model = load(tmp_path / "m.lua")
    assert [link.name for link in model.links] == ["trunk", "hand"]
    assert tuple(model.gravity.lin) == (0.0, 0.0, 1.0)


def test_trusted_file_has_the_whole_language(tmp_path):
    """``trusted=True`` runs the file here, with the system in reach."""
    text = frame(HAND, more='gravity = { 0, 0, os.getenv("HOME") and -1 or -1 },')
    path = tmp_path / "m.lua"
    path.write_text(text)
    assert tuple(load(path, trusted=True).gravity.lin) == (0.0, 0.0, -1.0)
    (tmp_path / "part.lua").write_text(text)
    path.write_text(f'io.open("{tmp_path}/made", "w"):close() return require("part")')
    assert load(path, trusted=True).nv == 1
    assert (tmp_path / "made").exists()


def test_floating_base(tmp_path):
    """A model whose first body is fixed can be set free; one that moves cannot be again."""
    path = tmp_path / "m.lua"
    path.write_text('return { frames = { { name = "a", parent = "ROOT", body = {} } } }')
    assert load(path, floating_base=True).nv == 6
    path.write_text(frame(HAND))
    with pytest.raises(ModelError, match="fixed to the base"):
        load(path, floating_base=True)


def constraints(text: str, *, more: str = ""):
    """The rows of the only constraint set."""
    more = f"{more} constraint_sets = {{ feet = {{ {text} }} }},"
    ((name, rows),) = parse(frame(HAND, more=more)).constraint_sets.items()
    assert name == "feet"
    return rows


def test_contact_constraint():
    """All fields of a contact, and their defaults."""
    (full, short) = constraints(
        """{ constraint_type = "contact", name = "heel", body = "hand", point = {1,2,3},
             normal = {0,0,1}, normal_acceleration = 4, id = 5 },
           { constraint_type = "contact", body = "trunk", normal = {1,0,0} }"""
    )
    assert full == ContactConstraint("hand", (1, 2, 3), (0, 0, 1), "heel", 4.0, 5)
    assert short == ContactConstraint("trunk", (0, 0, 0), (1, 0, 0), "", 0.0, None)


def test_loop_constraint():
    """All fields of a loop; ``E`` of the file is from constraint frame to body."""
    (full, short) = constraints(
        """{ constraint_type = "loop", name = "x", predecessor_body = "trunk",
             successor_body = "hand", axis = {0,0,0,1,0,0}, enable_stabilization = true,
             stabilization_parameter = 0.2,
             predecessor_transform = { r = {1,2,3}, E = {{0,1,0},{-1,0,0},{0,0,1}} } },
           { constraint_type = "loop", predecessor_body = "ROOT", successor_body = "hand",
             axis = {0,0,1,0,0,0}, stabilization_parameter = 0.2 }"""
    )
    E = Mat3.of(((0, -1, 0), (1, 0, 0), (0, 0, 1)))
    assert full == LoopConstraint(
        "trunk",
        "hand",
        Transform(E, Vec3(1, 2, 3)),
        Transform.identity(),
        (0, 0, 0, 1, 0, 0),
        "x",
        0.2,
    )
    assert (short.predecessor, short.stabilization) == ("ROOT", None)


@pytest.mark.parametrize("spelling", ["sucessor_transform", "successor_transform"])
def test_both_spellings_of_successor(spelling):
    """The manual's misspelling and the right word mean the same."""
    (row,) = constraints(
        f"""{{ constraint_type = "loop", predecessor_body = "trunk", successor_body = "hand",
              axis = {{0,0,0,1,0,0}}, {spelling} = {{ r = {{1,2,3}} }} }}"""
    )
    assert row.successor_frame == Transform.translation(1.0, 2.0, 3.0)


def test_stabilization_defaults():
    """Off unless enabled; then a tenth of a second."""
    loop = 'constraint_type = "loop", predecessor_body = "trunk", successor_body = "hand"'
    (row,) = constraints(f"{{ {loop}, axis = {{0,0,0,1,0,0}}, enable_stabilization = true }}")
    assert row.stabilization == 0.1


def test_named_points_and_frames():
    """Rows may take their place from ``points`` and ``local_frames``, and several axes at once."""
    rows = constraints(
        """{ constraint_type = "contact", point_name = "toe", normal_sets = {{1,0,0},{0,0,1}} },
           { constraint_type = "loop", predecessor_local_frame = "grip",
             successor_body = "trunk", axis_sets = {{1,0,0,0,0,0},{0,1,0,0,0,0}} }""",
        more="""points = { { name = "toe", body = "hand", point = {1,0,0} } },
                local_frames = { { name = "grip", body = "hand", r = {0,1,0} } },""",
    )
    assert [(row.body, row.point, row.normal) for row in rows[:2]] == [
        ("hand", (1, 0, 0), (1, 0, 0)),
        ("hand", (1, 0, 0), (0, 0, 1)),
    ]
    assert [row.axis for row in rows[2:]] == [(1, 0, 0, 0, 0, 0), (0, 1, 0, 0, 0, 0)]
    assert rows[2].predecessor_frame == Transform.translation(0.0, 1.0, 0.0)


def test_useless_constraint_is_doubtful():
    """The default normal and axis are zeros: legal, and certainly not meant."""
    text = 'constraint_sets = { a = { { constraint_type = "contact", body = "hand" } } },'
    message = warning_of(frame(HAND, more=text))
    assert "constraint_sets.a[1].normal: zero: the constraint does nothing" in message


def test_models_with_constraints_are_values():
    """Constraint sets take part in comparison and hash."""
    text = frame(HAND, more="constraint_sets = { a = {}, b = {} },")
    assert [*parse(text).constraint_sets] == ["a", "b"]
    assert hash(parse(text)) == hash(parse(text))
    assert pickle.loads(pickle.dumps(parse(text))) == parse(text)
    assert parse(text) == parse(text) != parse(frame(HAND))


needs_models = pytest.mark.skipif(not MODELS.exists(), reason=f"no model files in {MODELS}")


@needs_models
def test_first_example_of_the_manual():
    """Its shape: 14 degrees of freedom, feet fixed to the shanks, the free flyer's order."""
    with pytest.warns(ModelWarning, match="not a rotation"):
        model = load(MODELS / "rbdl" / "doc_example_1.lua")
    assert (model.nv, model.nq, model.n_bodies) == (14, 14, 14)
    assert model.dof_overview().split()[1:12:2] == [
        f"pelvis_{x}" for x in ["TX", "TY", "TZ", "RZ", "RY", "RX"]
    ]
    for side in ("right", "left"):
        foot, shank = model.body(f"foot_{side}"), model.body(f"shank_{side}")
        assert foot.id > model.n_bodies
        assert shank.mass == 8.4
        link = next(link for link in model.links if link.name == f"shank_{side}")
        assert link.body == next(x for x in model.links if x.name == f"thigh_{side}").body
    assert tuple(model.gravity.lin) == (0.0, 0.0, -9.81)


@needs_models
def test_second_example_of_the_manual():
    """Its shape: 7 degrees of freedom, no gravity, a base without mass, 2 and 5 rows."""
    model = parse((MODELS / "rbdl" / "doc_example_2.lua").read_text())
    assert (model.nv, model.nq) == (7, 7)
    assert tuple(model.gravity.lin) == (0.0, 0.0, 0.0)
    assert model.body("base").mass == 0.0
    assert [link.joint.nv for link in model.links] == [3, 1, 1, 1, 1]
    sets = model.constraint_sets
    assert {name: len(rows) for name, rows in sets.items()} == {
        "all_constraints": 5,
        "loop_constraints": 2,
    }
    kinds = [type(row) for row in sets["all_constraints"]]
    assert kinds == [ContactConstraint] * 3 + [LoopConstraint] * 2
    loop = sets["loop_constraints"][1]
    assert (loop.name, loop.axis, loop.stabilization) == ("linkTY", (0, 0, 0, 0, 1, 0), None)
    assert np.array_equal(tuple(loop.predecessor_frame.r), (2.0, 0.0, 0.0))
    assert [row.point for row in sets["all_constraints"][:3]] == [(0.0, 0.0, 0.0)] * 3
