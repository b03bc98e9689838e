"""Whatever is done to a file, its reader gives a model or one of our errors."""

from __future__ import annotations

import re
import warnings

from hypothesis import given, settings
from hypothesis import strategies as st

from io_samples import ARM, frame, joint, link, robot
from polhode.errors import ModelError, ModelWarning, ParseError
from polhode.formats import lua, urdf
from polhode.model import Model

VISUAL = (
    '<visual><origin xyz="0 0 1" rpy="1.5707963 0 0"/><geometry><box size="1 1 1"/></geometry>'
    '<material name="m"><color rgba="1 0 0 1"/></material></visual>'
)
TREE = robot(
    link("a"),
    link("b", VISUAL),
    link("c"),
    joint("a", "b", '<axis xyz="1 2 3"/>', kind="planar"),
    joint("b", "c", '<mimic joint="a_b" multiplier="2"/><dynamics damping="1"/>'),
)
LUA = frame(
    'name = "hand", parent = "trunk", joint = { "JointTypeSpherical" }, body = { mass = 1 }',
    more="""gravity = { 0, 0, -1 }, constraint_sets = { s = {
    { constraint_type = "contact", body = "hand", normal = { 0, 0, 1 } },
    { constraint_type = "loop", predecessor_body = "trunk", successor_body = "hand",
      axis = { 0, 0, 0, 1, 0, 0 } } } },""",
)
SCRAPS = [
    *("", " ", "0", "-1", "1e400", "nan", "inf", "1e-320", "9" * 400, "é", "\x00", "&amp;", "&x;"),
    *("<", ">", '"', "/>", "<link/>", "<!--", "]]>", "<![CDATA[", "link", "joint", "xyz", "a", "b"),
    *("{", "}", "{}", "nil", "true", "print", "return", "..", "--", "[[", "'", ",", "=", "1/0"),
]
LUA_TOKENS = re.compile(r"\w+|[^\w\s]")
XML_TOKENS = re.compile(r"[\w.]+|[<>/=\"]")


def mutated(text: str, tokens: re.Pattern[str]):
    """Texts with some tokens removed, repeated, exchanged or replaced by scraps."""
    spans = [match.span() for match in tokens.finditer(text)]
    words = sorted({text[a:b] for a, b in spans})
    edit = st.tuples(st.sampled_from(spans), st.sampled_from(SCRAPS + words), st.booleans())

    def apply(edits) -> str:
        result = text
        for (start, end), scrap, keep in sorted(edits, reverse=True):
            result = result[:start] + scrap + (result[start:end] if keep else "") + result[end:]
        return result

    return st.lists(edit, min_size=1, max_size=6).map(apply)


def check(parse, text: str) -> None:
    """A model, or an error that names the file; a parse error has a line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        result = outcome(parse, text)
        if isinstance(result, ParseError):
            assert result.file == "m"
            assert result.line is not None
        elif isinstance(result, Model):
            assert hash(result) == hash(parse(text, file="m"))


def outcome(parse, text: str) -> Model | ParseError | ModelError:
    """What a reader makes of a text; any other error passes."""
    try:
        return parse(text, file="m")
    except (ParseError, ModelError) as error:
        return error


@given(st.one_of(mutated(ARM, XML_TOKENS), mutated(TREE, XML_TOKENS)))
@settings(max_examples=400)
def test_mutated_urdf(text):
    """Mutations of valid URDFs."""
    check(urdf.parse, text)


@given(st.one_of(st.text(), st.binary()))
@settings(max_examples=100)
def test_any_text_as_urdf(text):
    """Texts and bytes of no format at all."""
    check(urdf.parse, text)


@given(mutated(LUA, LUA_TOKENS))
@settings(max_examples=25)
def test_mutated_lua(text):
    """Mutations of a valid Lua model."""
    check(lua.parse, text)


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-5, 5).map(str),
        st.sampled_from(["1e308", "0/0", "'trunk'", "'ROOT'", "print", "'JointTypeSpherical'"]),
    ),
    lambda inner: st.lists(inner, max_size=4).map(lambda xs: "{" + ", ".join(map(str, xs)) + "}"),
    max_leaves=8,
)
KEYS = [
    "name",
    "parent",
    "body",
    "joint",
    "joint_frame",
    "visuals",
    "mass",
    "com",
    "inertia",
    "r",
    "E",
]


@given(st.lists(st.tuples(st.sampled_from(KEYS), VALUES), min_size=1, max_size=8))
@settings(max_examples=25)
def test_any_values_in_lua(pairs):
    """Frames whose fields hold values of any kind."""
    text = ", ".join(f"{key} = {_lua(value)}" for key, value in pairs)
    inner = (
        f'name = "hand", parent = "trunk", {text}, body = {{ {text} }}, joint_frame = {{ {text} }}'
    )
    check(lua.parse, frame(inner))


def _lua(value) -> str:
    return {None: "nil", True: "true", False: "false"}.get(value, value)
