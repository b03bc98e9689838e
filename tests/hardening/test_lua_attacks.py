"""Lua files written to break out, to hang or to lie: each ends in a model or in an error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import polhode as ph
from io_samples import frame
from polhode.formats.lua import child, confine
from polhode.formats.lua.answer import answer_of, table_of
from polhode.formats.lua.bounded import run_bounded

SECONDS = 3.0
PATIENCE = 3.0  # of a machine that does other things too
MODEL = frame('name = "hand", parent = "trunk", body = { mass = 1 }')

CAUGHT = 'local ok, e = pcall(dofile, "a\\0b")\n'
# Each is followed by a model, which an attack that has done nothing lets through.
SNIPPETS = [
    # objects of the reader
    CAUGHT + 'assert(type(e) == "string" and not getmetatable(e))',
    CAUGHT + "local m = getmetatable(e) m.__call = print",
    CAUGHT + "print(e.__class__, e.args, e())",
    'print(pcall(loadfile, "a\\0b")) print(pcall(require, "a\\0b")) print(pcall(dofile, "\\xff"))',
    'xpcall(dofile, function(e) assert(type(e) == "string") e() end, "a\\0b")',
    'local f = coroutine.wrap(function() dofile("a\\0b") end) local ok, e = pcall(f) e.x = 1',
    'local c = coroutine.create(function() dofile("a\\0b") end)'
    ' local ok, e = coroutine.resume(c) assert(type(e) == "string") coroutine.close(c)',
    'for _, v in ipairs{1, "", print, {}, coroutine.create(print), true} do'
    ' local m = getmetatable(v) if m then m.__index = print end end',
    "for k, v in pairs(_G) do if getmetatable(v) then getmetatable(v).__index = nil end end",
    'getmetatable(print).__call = print', 'getmetatable("").__index = nil',
    "print(python.eval, python.builtins, python.as_attrgetter(print).__class__)",
    "print(print.__globals__)", "print(dofile.__self__)", "offer.read('x')",
    # what the libraries leave out
    "debug.getregistry()", "debug.sethook()", "debug.getmetatable(print)", "debug.getinfo(1)",
    "debug.traceback(coroutine.create(print))", "string.dump(print)",
    'io.open("/etc/passwd")', 'io.lines("/etc/passwd")', 'io.popen("id")', 'io.stdout:write("x")',
    "os.exit()", 'os.getenv("HOME")', 'os.remove("x")', "os.tmpname()", 'os.execute("id")',
    'package.loadlib("libc.so.6", "*")', "package.searchers[1]('x')", 'package.cpath = "/?.so"',
    'os.time{year = 1e18, month = 1, day = 1}',
    "os.time{year = math.maxinteger, month = 1, day = 1}",
    # texts that become code
    'load("error()", "@0")()', 'load("error()", "=0")()',
    'load("error()", "=99999999999999999999")()', 'load("error()", ("x"):rep(1e6))()',
    'load("error()", "0:1: x")()', 'load("return _ENV", "x", "t", {})().print("x")',
    'load(function() return "return 1" end)', 'load("\\27Lua")',
    'assert(load("x = ", "=\\n\\27[2J"))()',
    'load(("("):rep(1e5))()', 'load("return " .. ("{"):rep(1e5))()', 'load(("a."):rep(1e6))()',
    'load("local a" .. (", a"):rep(300))()', 'load("--[==[")()', "loadstring('x = 1')()",
    # time
    "while true do end",
    'for _ in ("a"):rep(1e5):gmatch(("a-"):rep(9) .. "$") do end',
    'error(setmetatable({}, {__tostring = function() while true do end end}))',
    'table.move({}, 1, math.maxinteger, 2)', "table.unpack({}, 1, 1e8)",
    "table.concat({}, '', 1, 1e9)",
    'local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) print(t[1])',
    # memory
    '("x"):rep(1e9)', '("x"):rep(1e5, ("y"):rep(1e6))',
    'local s = "x" while true do s = s .. s end',
    "local t = {} for i = 1, 1e9 do t[i] = i end", 'string.format("%99999999d", 1)',
    'local t = {} for i = 1, 1e7 do t[i] = coroutine.create(print) end',
    'local function f() return f() + 1 end f()', 'local function f() pcall(f) end f()',
    'local s = ("x"):rep(1e7) s:gsub(".", function(c) return s end)',
    'local function f() return coroutine.wrap(f)() end f()',
    "for i = 1, 1e6 do print(('x'):rep(100)) end", "print(('\\27[2J'):rep(1e6))", "utf8.char(-1)",
    # files
    'dofile("model.lua")', 'dofile(".")', 'dofile("pipe")', 'dofile("/proc/self/mem")',
    'dofile("")',
    'dofile("../secret.lua")', 'require("..secret")', 'require(("a."):rep(1e5))', "dofile({})",
    'for i = 1, 1e4 do dofile("other.lua") end',
    'for i = 1, 3000 do pcall(dofile, ("./"):rep(i % 2000) .. "other.lua") end',
    # the reader's own tools
    "string.byte = function() while true do end end", "table.concat = print string.format = print",
    "type = error next = error tostring = error rawget = error", "_G = nil _ENV.print = nil",
    'string.gsub = function() return "]}" end string.sub = error', "math.type = error",
    "package.loaded = nil require('x')", "_ENV = setmetatable({}, {__newindex = error})",
    # errors that are odd
    "error()", "error(nil)", "error({})", "error(print)", "error(coroutine.create(print))",
    'error(setmetatable({}, {__tostring = function() error("x") end}))', 'error(("x"):rep(1e6))',
    'error("\\27[2J\\0\\xff\\n" .. "2:3: x")', 'error("9999999999:1: x")', 'error("7:1: x")',
    'error("0:" .. ("9"):rep(5000) .. ": x")', 'error((":1"):rep(1e5))',
    'error("/etc/passwd:1: x")',
    # answers
    "return", "return nil", "return print", "return coroutine.create(print)", "return _G",
    "return string", "return {}, {}", 'return ("x"):rep(1e7)', "return 1e308 * 10", "return {1, 2}",
    "local t = {} t.frames = t return t", "local t = {} t[t] = t return t",
    "local t = {} for i = 1, 1e5 do t = {t} end return t",
    "local t = {} for i = 1, 1e6 do t[i] = i end return t",
    "local t = {} for i = 1, 1e5 do t['k' .. i] = i end return t",
    "local t = {} for i = 1, 1e5 do t[-i] = i end return t",
    'return {frames = setmetatable({}, {__index = function() return {} end, __len = function() '
    'return 1e9 end, __pairs = error})}',
    "return {frames = {[1] = {}, [3] = {}}}", "return {frames = {[1.5] = {}, [0] = 1, [true] = 1}}",
    'return {gravity = {0/0, 1/0, -1/0}, frames = {}}', 'return {gravity = {1e308, 2^63, 0}}',
    'return {frames = {{name = "a", parent = "ROOT", body = {mass = 0/0}}}}',
    'return {frames = {{name = "a", parent = "ROOT", body = {mass = math.mininteger}}}}',
    'return {frames = {{name = "\\xff\\0\\27[2J", parent = "\\xff"}}}',
    'return {frames = {{name = ("x"):rep(1e6), parent = ("y"):rep(1e6)}}}',
    'return {frames = {{name = "a", parent = "ROOT", [("k"):rep(1e6)] = 1}}}',
    'local f = {} for i = 1, 12000 do f[i] = {name = "n" .. i, parent = "ROOT"} end '
    'return {frames = f}',
    'local f = {} for i = 1, 9000 do f[i] = {name = "n" .. i, parent = "ROOT", visuals = {1}} end '
    'return {frames = f}',
    'local f = {} for i = 1, 4000 do f[i] = {name = "n" .. i, parent = "ROOT", nam = 1, paren = 2, '
    'jont = 1, bdy = 2} end return {frames = f}',
    'local s = {} for i = 1, 12000 do s["s" .. i] = {} end '
    'return {frames = {}, constraint_sets = s}',
    'local f = {{name = "a", parent = "ROOT"}} for i = 2, 9000 do '
    'f[i] = {name = "a" .. i, parent = '
    'f[i - 1].name} end return {frames = f}',
]  # fmt: skip

ENDLESS = [
    'load("while true do end", "=7")()', "::a:: goto a",
    "coroutine.wrap(function() while true do end end)()",
    "while true do pcall(error) end", 'while true do pcall(string.rep, "x", 1e8) end',
    'string.find(("a"):rep(40), ("a?"):rep(40) .. ("a"):rep(40))',
    '("a"):rep(1e6):gsub("a*a*a*a*b", "")',
    'setmetatable({}, {__gc = function() while true do end end}) local t = {} '
    'for i = 1, 1e7 do t[i % 9] = {} end',
    'setmetatable(_G, {__index = function() while true do end end}) local x = nothing',
    'local a <close> = setmetatable({}, {__close = function() while true do end end})',
    'table.sort({3, 2, 1, 5, 4}, function() while true do end end)',
    'print(setmetatable({}, {__tostring = function() while true do end end}))',
]  # fmt: skip
"""These are stopped by the clock alone, wherever it stands."""


@pytest.fixture
def folder(tmp_path):
    """A model's folder with another file and a pipe in it, and a file beside it."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "other.lua").write_text("return 1")
    (tmp_path / "secret.lua").write_text("return 'secret'")
    os.mkfifo(home / "pipe")
    return home


@pytest.mark.filterwarnings("ignore::polhode.errors.ModelWarning")
@pytest.mark.parametrize("snippet", SNIPPETS, ids=range(len(SNIPPETS)))
def test_attacks_end(folder, seen, snippet):
    """In a model, or in an error of one short line; nothing else is started."""
    end_of_attack(folder, seen, snippet)


@pytest.mark.parametrize("snippet", ENDLESS, ids=range(len(ENDLESS)))
def test_endless_attacks_are_stopped(folder, seen, monkeypatch, snippet):
    """Wherever they hang, by the same clock: it is set short here."""
    monkeypatch.setattr(child, "SECONDS", 0.3)
    assert "the file did not finish within" in end_of_attack(folder, seen, snippet)


def end_of_attack(folder, seen, snippet):
    """What it ends in: "a model", or the text of the error."""
    path = folder / "model.lua"
    ends = snippet.rstrip().endswith("}") and "return" in snippet
    path.write_text(snippet if ends else f"{_block(snippet)}\n{MODEL}")
    before, began = sorted(folder.parent.rglob("*")), time.process_time()
    try:
        found, text = ph.load(path), "a model"
    except (ph.ParseError, ph.ModelError) as error:
        found, text = None, str(error)
    assert found is None or isinstance(found, ph.Model)
    assert 0 < len(text) <= 500 and text.isprintable()
    assert time.process_time() - began < SECONDS  # beside the process, which is killed at 2.5 s
    assert sorted(folder.parent.rglob("*")) == before
    assert [event for event, _ in seen.started] == ["subprocess.Popen"]
    return text


def _block(snippet: str) -> str:
    """A snippet whose own return does not end the file before its model."""
    return snippet if "return t" in snippet else f"do {snippet} end"


def test_what_a_file_may_do_still_works(folder):
    """Errors caught, metatables of tables, coroutines, patterns, files of the folder."""
    (folder / "mass.lua").write_text("return {mass = 3}")
    path = folder / "model.lua"
    path.write_text(
        "local ok, e = pcall(error, {code = 7}) assert(not ok and e.code == 7)\n"
        "local ok, e = xpcall(error, function(e) return e .. '!' end, 'x') assert(e == 'x!')\n"
        "local P = setmetatable({}, {__call = function(_, m) return {mass = m} end})\n"
        "assert(getmetatable(P).__call)\n"
        "local co = coroutine.wrap(function() pcall(coroutine.yield, 1) coroutine.yield(2) end)\n"
        "assert(co() == 1 and co() == 2)\n"
        "assert(('a.b'):gsub('%.', '/') == 'a/b' and require('mass').mass == 3)\n"
        + frame('name = "hand", parent = "trunk", body = P(require("mass").mass)')
    )
    assert ph.load(path).links[1].body.mass == 3.0


# -- what the process says --

HEAD = b'{"files": [""], "place": null, "tail": null, "printed": []'
LIES = [
    b"", b"\n", b"[]", b"null\n{}", b"{", b"\xff", b"[" * 100_000, HEAD + b"}",
    HEAD + b', "x": 1}\n{}',
    HEAD + b', "error": 1}', HEAD + b', "seconds": "x"}', HEAD + b', "error": "x"}\n{}',
    HEAD.replace(b"[]", b"[1]") + b', "error": "x"}', HEAD.replace(b'[""]',
    b"[]") + b', "error": "x"}',
    HEAD.replace(b'[""]', b'""') + b', "error": "x"}',
    HEAD.replace(b'"place": null', b'"place": [1, 1]') + b', "error": "x"}',
    HEAD.replace(b'"place": null', b'"place": [0, -1]') + b', "error": "x"}',
    HEAD.replace(b'"place": null', b'"place": [0.5, 1]') + b', "error": "x"}',
    HEAD.replace(b'"tail": null', b'"tail": "(x+x+)+y"') + b', "error": "x"}',
]  # fmt: skip
TABLES = [
    "", "1", "null", "[]", "{}", '{"a": []}', '{"a": [], "k": {}, "o": [1]}', '{"f": "file"}',
    '{"a": {}, "k": {}, "o": []}', '{"a": [null], "k": {}, "o": []}',
    '{"a": [[]], "k": {}, "o": []}',
    '{"a": [1e999, 1' + 30 * "0" + '], "k": {}, "o": []}', '{"a": [' * 100_000,
    '{"a": [' * 80 + '], "k": {}, "o": []}' * 80,
    '{"a": [' + "1," * 400_000 + '1], "k": {}, "o": []}',
    '{"a": [' + "9" * 5000 + '], "k": {}, "o": []}',
]  # fmt: skip


@pytest.mark.parametrize("said", LIES, ids=range(len(LIES)))
def test_lies_of_the_process_are_refused(said):
    """What is not the answer of our own program is no answer."""
    with pytest.raises(ValueError, match=r"expected|Expecting|nested|decode|Extra"):
        answer_of(said)


@pytest.mark.parametrize("text", TABLES, ids=range(len(TABLES)))
def test_false_tables_are_refused(text):
    """Tables are made of what our own program writes."""
    with pytest.raises(ValueError, match=r"expected|Expecting|nested|digits"):
        table_of(text)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("while True: pass", None),
        ("import time; time.sleep(60)", None),
        ("import os\nwhile True: os.write(1, b'x' * 65536)", None),
        ("import os\nwhile True: os.write(2, b'x' * 65536)", None),
        ("print('x')", 0),
        ("raise SystemExit(3)", 3),
    ],
)
def test_a_program_is_bounded(code, status):
    """In time and in what it says, whether or not it takes what it is given."""
    began = time.perf_counter()
    ended = run_bounded([sys.executable, "-I", "-S", "-c", code], bytes(2**22), {}, 2.5, 1000)
    assert (ended and ended.status) == status
    assert ended is None or len(ended.said) <= 1001
    assert time.perf_counter() - began < SECONDS + PATIENCE


CONFINED = """
import os, socket, sys
sys.path.append(sys.argv[1])
import confine
files, calls = confine.confine_files(sys.argv[2]), confine.confine_calls()
def fails(call, *arguments):
    try: call(*arguments)
    except OSError: return True
print(files, calls, open(sys.argv[2] + "/other.lua").read(), fails(open, "/etc/hostname"),
      fails(open, sys.argv[2] + "/new", "w"), fails(os.fork), fails(socket.socket),
      fails(os.execv, sys.executable, ["x"]), fails(os.kill, os.getppid(), 0))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="uses what Linux has")
def test_the_process_is_confined(folder):
    """Other files, programs and connections are out of reach where the system can do that."""
    command = [sys.executable, "-c", CONFINED, str(Path(confine.__file__).parent), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    files, calls, _, read, *rest = done.stdout.replace("return 1", "x").split()
    if files == "True":
        assert (read, rest[0]) == ("True", "True")
    if calls == "True":
        assert rest[1:] == ["True"] * 4


@pytest.mark.parametrize(
    "text", ["", 'a"\\\n\t\x1b\x7f', "é\u2028\ud800\uffff", "\U0001f600\U0010ffff"]
)
def test_the_process_writes_json(text):
    """Texts of any characters come back."""
    said = {"files": ["", text], "place": (0, 3), "n": 1.5, "none": None}
    assert json.loads(child.as_json(said)) == said | {"place": [0, 3]}
