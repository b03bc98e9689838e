"""Texts of errors are one short line that can be printed, whatever names are in them."""

from __future__ import annotations

import pickle
import warnings

import pytest

import polhode as ph
from polhode.errors import (
    LONGEST,
    ModelError,
    ParseError,
    ShapeError,
    TraceError,
    close_names,
    one_line,
)
from polhode.formats import lua, moby, sdf, urdf
from polhode.simulation.errors import SimulationError
from polhode.spatial_v2.system import MissingField

NAMES = [
    "x" * 10**5,
    "\x1b[2J",
    "a\nb\r\tc",
    "\x00",
    "\ud800",
    "\u2028\u202e",
    "é" * 400,
    "\x1b" * 400,
    "]]>",
]
ERRORS = [
    ModelError,
    ShapeError,
    ParseError,
    TraceError,
    MissingField,
    SimulationError,
    ph.sweeps.SweepError,
]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
@pytest.mark.parametrize("kind", ERRORS)
def test_errors_are_short_and_can_be_printed(kind, name):
    """By their constructor, so that no place can forget it."""
    error = kind(f"expected a body, got '{name}' (model 'm')")
    text = str(error).replace("\n", "") if kind is TraceError else str(error)
    assert text.isprintable()
    assert len(text) <= (2000 if kind is TraceError else LONGEST)
    assert text.startswith("expected a body, got '")
    assert text.endswith("' (model 'm')")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_places_are_kept(name):
    """A long message leaves file and line whole; a long file name is cut itself."""
    error = ParseError(f"expected a number, got '{name}'", "folder/m.urdf", 7)
    assert str(error).startswith("folder/m.urdf:7: expected a number, got '")
    assert len(str(error)) <= LONGEST
    error = ParseError("expected a number", name, 7)
    assert str(error).endswith(":7: expected a number")
    assert len(str(error)) <= LONGEST and str(error).isprintable()
    assert error.file == name
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.file, copy.line, copy.message) == (str(error), name, 7, error.message)


def test_texts_are_cut_in_the_middle():
    """The beginning says what was expected, the end where."""
    text = one_line("a" * 50 + "b" * 50, 40)
    assert len(text) == 40 and text.startswith("aaa") and text.endswith("bbb") and " ... " in text
    assert one_line(one_line("\x1b" * 99, 40), 40) == one_line("\x1b" * 99, 40)
    assert one_line("a\nb\t\x1b", keep="\n\t") == "a\nb\t\\x1b"


@pytest.mark.parametrize("name", NAMES[:3] + NAMES[6:], ids=range(len(NAMES) - 3))
def test_names_of_files_in_errors_and_warnings(name):
    """Readers: names in errors, and in the one warning."""
    known = "".join(c if c.isprintable() and c not in "'\"<>&" else " " for c in name)
    lua_name = known.replace("\\", "")
    texts = []
    for read, text in (
        (urdf.parse, f'<robot name="r"><link name="{known}"/><link name="b"/></robot>'),
        (urdf.parse, f'<robot name="r"><link name="a"><{"w" * len(known)}/></link></robot>'),
        (
            sdf.parse,
            f'<sdf version="1.4"><model name="{known}"><joint type="{known}"/></model></sdf>',
        ),
        (moby.parse, f'<XML><MOBY><Sphere id="{known}" radius="{known}"/></MOBY></XML>'),
        (lua.parse, f'return {{frames = {{{{name = "{lua_name}", parent = "{lua_name}"}}}}}}'),
        (lua.parse, f'return {{["{lua_name}"] = 1, frames = {{{{name = "a", parent = "ROOT"}}}}}}'),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                read(text)
            except (ph.ParseError, ph.ModelError) as error:
                texts.append(str(error))
        texts += [line for w in caught for line in str(w.message).splitlines()]
    assert len(texts) >= 6
    assert all(len(text) <= LONGEST and text.isprintable() for text in texts)


def test_near_names():
    """The nearest first; very long names and very many cost little."""
    known = ["shoulder", "elbow", "wrist", "elbows", ""]
    assert close_names("elbw", known, 2) == ["elbow", "elbows"]
    assert close_names("zzz", known, 2) == [] == close_names("", known, 1)
    assert close_names("elbow" * 1000, known, 1) == []
    assert close_names("ab", ("ab" * 10**6, "abc"), 1) == ["abc"]
