"""Every wrong or hostile Lua model ends in time, in one error with file and line."""

from __future__ import annotations

import time
import warnings

import pytest

from io_samples import frame
from polhode.errors import ModelWarning, ParseError
from polhode.formats import load, lua

SECONDS = 3.0 + 5.0  # the reader gives up after 2.5; the rest is for a machine that is busy
HAND = 'name = "hand", parent = "trunk"'


def contact(text: str) -> str:
    """A model with one contact constraint, in line 2."""
    row = f'{{ constraint_type = "contact", name = "c", {text} }}'
    return frame(HAND, more=f"constraint_sets = {{ s = {{ {row} }} }},")


def loop(text: str) -> str:
    """A model with one loop constraint, in line 2."""
    row = f'{{ constraint_type = "loop", name = "c", axis = {{0,0,1,0,0,0}}, {text} }}'
    return frame(HAND, more=f"constraint_sets = {{ s = {{ {row} }} }},")


ENDS = 'predecessor_body = "trunk", successor_body = "hand"'

HOSTILE = {
    "endless loop": ("local x = 1\nwhile true do x = x + 1 end", 2, "did not finish within"),
    "endless loop that catches errors": (
        "\nwhile true do pcall(function() while true do end end) end",
        2,
        "did not finish within",
    ),
    "endless recursion": ("local function f() return 1 + f() end\nreturn f()", 1, "stack overflow"),
    "endless coroutine": (
        "local s = ('x'):rep(2)\ncoroutine.wrap(function()\n while true do end end)()",
        3,
        "did not finish within",
    ),
    "backtracking": (
        'local s = string.rep("a", 30)\nlocal p = string.rep("a?", 30) .. string.rep("a*", 40)\n'
        'return s:match(p .. "b")',
        3,
        "did not finish within",
    ),
    "memory by a table": (
        "local t = {}\nfor i = 1, 1e12 do\n t[i] = {" + "0, " * 400 + "} end",
        3,
        "more than 256 MiB",
    ),
    "memory by a text": ("local s = 'a'\nwhile true do\n s = s .. s end", 3, "more than 256 MiB"),
    "memory at once": ("\nlocal s = ('a'):rep(1e10)", 2, "more than 256 MiB|too large"),
    "large answer": (
        "local t = {}\nfor i = 1, 1e6 do t[i] = i end\nreturn t",
        3,
        "300000 values",
    ),
    "large text": ("return { x = ('a'):rep(1e8) }", 1, "bytes of text"),
    "answer that contains itself": ("local t = {}\nt.t = t\nreturn t", 3, "cyclic"),
    "answer that doubles at each level": (
        "local t = {}\nfor i = 1, 60 do t = { t, t } end\nreturn t",
        3,
        "300000 values",
    ),
    "system command": ('\nos.execute("touch CANARY")', 2, "os.execute is not available"),
    "pipe": ('\nio.popen("touch CANARY")', 2, "io.popen is not available"),
    "writes a file": ('\nlocal f = io.open("CANARY", "w")', 2, "io.open is not available"),
    "reads a file": ('\nreturn io.lines("/etc/passwd")', 2, "io.lines is not available"),
    "environment": ('\nlocal h = os.getenv("HOME")', 2, "os.getenv is not available"),
    "debug library": ("\nlocal h = debug.getregistry()", 2, "debug.getregistry is not available"),
    "Python": ("\nreturn python.eval(\"open('CANARY', 'w')\")", 2, "nil value.*'python'"),
    "C library": ('\nreturn package.loadlib("libc.so.6", "system")', 2, "nil value.*'loadlib'"),
    "makes bytecode": ("\nreturn string.dump(print)", 2, "nil value.*'dump'"),
    "loads bytecode": ('\nreturn load("\\27Lua")()', 2, "nil value"),
    "is bytecode": ("\x1bLuaS", 1, "bytecode"),
    "file outside": ('\nreturn dofile("../secret.lua")', 2, "outside the model's folder"),
    "file by its path": ('\nreturn dofile("/etc/passwd")', 2, "outside the model's folder"),
    "module outside": ('\nreturn require("..secret")', 2, "no file '//secret.lua'|outside"),
    "link to the outside": ('\nreturn require("link")', 2, "outside the model's folder"),
    "device": ('\nreturn dofile("/dev/zero")', 2, "outside the model's folder"),
    "finalizer that does not end": (
        "setmetatable({}, { __gc = function() while true do end end })\nreturn 1",
        2,
        "it returned a number",
    ),
    "changes the libraries": (
        "string.format = nil\ntable.concat = nil\npairs = nil\nstring.find = nil\nerror({})",
        5,
        "error object is a table",
    ),
}

WRONG = {
    "syntax": ("return {\n frames = = 1 }", 2, "unexpected symbol near '='"),
    "missing comma": (
        "return {\n gravity = { 0, 0, -9.81 }\n frames = {} }",
        3,
        "is a comma missing before 'frames'",
    ),
    "own error": ("\nerror('no leg')", 2, "no leg"),
    "error in a module": ("\nreturn require('bad')", 3, "attempt to index a nil value"),
    "no module": ("\nreturn require('nothing')", 2, "no file 'nothing.lua' in the model's folder"),
    "returns nothing": ("model = {}", 1, "it returned nothing; end it with 'return model'"),
    "returns a text": ("return 'model'", 1, "it returned a string"),
    "no frames": ("return {}", 1, "frames: missing"),
    "misspelt frames": ("return { frmes = {} }", 1, "frames: missing.*did you mean 'frmes'"),
    "frames are a number": ("return { frames = 1 }", 1, "expected a table, found the number 1"),
    "frame with a key": (
        'return { frames = { a = { name = "a" } } }',
        1,
        "frames: expected a list, found an entry with the key 'a'",
    ),
    "frame is a text": ("return { frames = { 'a' } }", 1, r"frames\[1\]: expected a table"),
    "no name": (frame("parent = 'trunk'"), 3, r"frames\[2\].name: missing"),
    "name is a number": (frame("name = 1, parent = 'trunk'"), 3, "expected a text, found the"),
    "empty name": (frame("name = '', parent = 'trunk'"), 3, "found an empty text"),
    "duplicate name": (frame("name = 'trunk', parent = 'trunk'"), 3, r"also of frames\[1\]"),
    "name of the base": (frame("name = 'ROOT', parent = 'trunk'"), 6, "'ROOT' is the base itself"),
    "no parent": (frame("name = 'hand'"), 6, r"frames\[2\].parent \(frame 'hand'\): missing"),
    "unknown parent": (
        frame("name = 'hand', parent = 'trnk'"),
        6,
        "no earlier frame 'trnk'; did you mean 'trunk'?",
    ),
    "own parent": (frame("name = 'hand', parent = 'hand'"), 6, "must come before this frame"),
    "text as mass": (frame(HAND + ", body = { mass = 'x' }"), 6, r"body.mass .*found the text 'x'"),
    "negative mass": (frame(HAND + ", body = { mass = -1 }"), 6, "not negative, found -1"),
    "infinite mass": (frame(HAND + ", body = { mass = 1/0 }"), 6, "finite number, found inf"),
    "mass is no number": (frame(HAND + ", body = { mass = 0/0 }"), 6, "finite number, found -?nan"),
    "short com": (frame(HAND + ", body = { com = {1,2} }"), 6, "expected 3 numbers, found 2"),
    "com with a key": (frame(HAND + ", body = { com = {x=1} }"), 6, "entry with the key 'x'"),
    "short inertia": (frame(HAND + ", body = { inertia = {{1,0,0}} }"), 6, "3 rows, found 1"),
    "ragged inertia": (
        frame(HAND + ", body = { inertia = {{1,0,0},{0,1},{0,0,1}} }"),
        6,
        r"inertia\[2\] \(frame 'hand'\): expected 3 numbers, found 2",
    ),
    "function as body": (frame(HAND + ", body = print"), 6, "expected a table, found a function"),
    "unknown joint": (
        frame(HAND + ", joint = { 'JointTypeEulerXZY' }"),
        6,
        "unknown joint 'JointTypeEulerXZY'; did you mean 'JointTypeEuler",
    ),
    "joint as text": (frame(HAND + ", joint = 'JointTypeSpherical'"), 6, "expected a table"),
    "seven axes": (
        frame(HAND + ", joint = {" + "{0,0,1,0,0,0}," * 7 + "}"),
        6,
        "at most 6 rows, found 7",
    ),
    "short second axis": (
        frame(HAND + ", joint = {{0,0,1,0,0,0},{0,0,1}}"),
        6,
        r"joint\[2\] .*expected 6 numbers, found 3",
    ),
    "axis of zeros": (frame(HAND + ", joint = {{0,0,0,0,0,0}}"), 6, "found six zeros"),
    "short r": (frame(HAND + ", joint_frame = { r = {1} }"), 6, r"joint_frame.r .*3 numbers"),
    "short gravity": (frame(HAND, more="gravity = {1,2},"), 2, "gravity: expected 3 numbers"),
    "set without a name": (frame(HAND, more="constraint_sets = {{}},"), 2, "a name for every"),
    "no type": (
        frame(HAND, more="constraint_sets = { s = {{ name = 'c' }} },"),
        2,
        r"constraint_sets.s\[1\].constraint_type \(constraint 'c'\): missing",
    ),
    "unknown type": (
        frame(HAND, more="constraint_sets = { s = {{ constraint_type = 'lop' }} },"),
        2,
        "expected 'contact' or 'loop', found 'lop'; did you mean 'loop'",
    ),
    "contact without body": (contact("normal = {0,0,1}"), 2, r"body \(constraint 'c'\): missing"),
    "contact of an unknown body": (
        contact("body = 'hnd'"),
        2,
        "no body 'hnd'; did you mean 'hand'",
    ),
    "unknown point": (contact("point_name = 'p'"), 2, "no 'p' in points"),
    "normal twice": (
        contact("body = 'hand', normal = {0,0,1}, normal_sets = {{0,0,1}}"),
        2,
        "normal .*although normal_sets",
    ),
    "loop without successor": (
        loop("predecessor_body = 'hand'"),
        2,
        r"successor_body \(constraint 'c'\): missing",
    ),
    "loop of an unknown body": (loop("predecessor_body = 'x'"), 2, "no body 'x'"),
    "successor twice": (
        loop(ENDS + ", successor_transform = {}, sucessor_transform = {}"),
        2,
        "also given as successor_transform",
    ),
    "no time": (
        loop(ENDS + ", enable_stabilization = true, stabilization_parameter = 0"),
        2,
        "expected a positive time, found 0",
    ),
    "flag as number": (loop(ENDS + ", enable_stabilization = 1"), 2, "true or false, found"),
}


@pytest.fixture
def folder(tmp_path):
    """A folder with a model's files, beside one that no model may read."""
    (tmp_path / "secret.lua").write_text("return {}")
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "link.lua").symlink_to(tmp_path / "secret.lua")
    (folder / "bad.lua").write_text("local t = {}\n\nreturn t.x.y")
    return folder


@pytest.mark.parametrize("case", HOSTILE | WRONG)
def test_error_has_file_and_line(case, folder):
    """The error says what and where, within three seconds, and nothing is done or written."""
    text, line, words = (HOSTILE | WRONG)[case]
    path, canary = folder / "model.lua", folder / "canary"
    path.write_text(text.replace("CANARY", str(canary)))
    before = sorted(folder.parent.rglob("*"))
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        with pytest.raises(ParseError, match=words) as caught:
            load(path)
    assert time.perf_counter() - start < SECONDS
    file = folder / "bad.lua" if case == "error in a module" else path
    assert (caught.value.file, caught.value.line) == (str(file), line)
    assert str(caught.value).startswith(f"{file}:")
    assert sorted(folder.parent.rglob("*")) == before


def test_text_has_no_folder():
    """A text that is in no file may require nothing."""
    with pytest.raises(ParseError, match=r"^<string>:1: a model that is not in a file cannot read"):
        lua.parse("return require('x')")


def test_names_are_not_remembered():
    """A parent that only an earlier loaded file had is unknown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        lua.parse(frame(HAND))
    with pytest.raises(ParseError, match="no earlier frame 'hand'"):
        lua.parse(frame("name = 'thumb', parent = 'hand'"))


def test_trusted_errors_have_lines_too(folder):
    """A trusted file, and a module of it, fail with their own names and lines."""
    path = folder / "model.lua"
    for text, file, line in [
        ("\nerror('x')", path, 2),
        ("return require('bad')", folder / "bad.lua", 3),
        ("return {", path, 1),
    ]:
        path.write_text(text)
        with pytest.raises(ParseError) as caught:
            load(path, trusted=True)
        assert (caught.value.file, caught.value.line) == (str(file), line)
