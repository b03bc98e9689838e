"""Errors of tracing show the user's own line and say what to write instead."""

from __future__ import annotations

import functools
import inspect
import pickle
import re

import numpy as np
import pytest

import polhode as ph
from api import mistakes
from polhode.errors import TraceError
from polhode.model import Model, Spherical
from random_trees import tree

MODEL = tree(["revolute y", "prismatic", "revolute x"])
FILE = inspect.getsourcefile(mistakes)


def error_of(function, model: Model = MODEL) -> str:
    """What is said when the function is first called."""
    program = ph.compile(function, model)
    with pytest.raises(TraceError) as caught:
        program(*(np.zeros(shape) for shape in program.inputs.values()))
    assert type(caught.value).__name__ == "TraceError"
    return str(caught.value)


def lines_of(function) -> tuple[list[str], int]:
    return inspect.getsourcelines(function)


@pytest.mark.parametrize("function", mistakes.MISTAKES, ids=lambda f: f.__name__)
def test_a_mistake_is_shown_on_its_line(function):
    """File and line, the line itself with the part at fault marked, and what to do."""
    fault, advice = mistakes.MISTAKES[function]
    where, code, marks, *said = error_of(function).split("\n")
    source, first = lines_of(function)
    number = int(re.match(rf"{re.escape(FILE)}:(\d+): ", where)[1])
    assert code.strip() == source[number - first].strip()
    marked = code[marks.index("^") : marks.rindex("^") + 1]
    assert marked in (fault, f'f"{fault}"')  # before Python 3.12 a string is marked whole
    assert where.endswith(f"(in {function.__name__})") or "<genexpr>" in where
    assert re.search(advice, "\n".join([where, *said]))
    assert "Value" not in where


@pytest.mark.parametrize("function", mistakes.UNUSABLE, ids=lambda f: f.__name__)
def test_a_result_that_is_none_names_the_function(function):
    """What no program can return is told with the file and the line of the definition."""
    mistakes.KEPT.clear()
    if function is mistakes.out_of_its_time:
        ph.compile(function, MODEL)(np.zeros(3))
    text = error_of(function)
    assert text.startswith(f"{FILE}:{lines_of(function)[1]}: ")
    assert re.search(mistakes.UNUSABLE[function], text)


def outer(model, q):
    return inner(q[1][0])


def inner(x):
    return [x if x > 0.0 else -x]


def test_the_deepest_line_of_the_user_is_shown():
    """A function called by the function is the user's own, too."""
    text = error_of(outer)
    assert f":{lines_of(inner)[1] + 1}: " in text
    assert "(in inner)" in text


def test_an_error_inside_a_program_of_a_program_is_told_once():
    """The line of the innermost program, and no other."""
    small = ph.compile(outer, MODEL)
    text = error_of(lambda model, q: small(q))
    assert text.count("test_compile_mistakes.py") == 1
    assert "(in inner)" in text


def test_text_that_is_no_file_has_a_line_all_the_same():
    """A function made by ``exec`` is shown without its source."""
    namespace: dict = {}
    exec("def f(model, q):\n    return bool(q[1][0])", namespace)
    assert error_of(namespace["f"]) == (
        "<string>:2: a traced value has no truth value yet; use where(condition, a, b) (in f)"
    )


def test_errors_of_the_users_own_are_left_alone():
    """What has nothing to do with tracing is raised as it was."""

    def f(model, q):
        raise LookupError("no such gain")

    with pytest.raises(LookupError, match="no such gain"):
        ph.compile(f, MODEL)(np.zeros(3))
    with pytest.raises(KeyError):
        ph.compile(lambda model, q: {}["elbow"], MODEL)(np.zeros(3))


@pytest.mark.parametrize("index", [0, 4, "elbow"])
def test_an_index_that_is_no_body(index):
    """Values for each body say which indices there are."""
    said = error_of(lambda model, q: q[index][0])
    assert "expected the number of a moving body, 1 to 3, as an index of q" in said
    assert f"got {index!r}" in said and "test_compile_mistakes.py:" in said and "q[index]" in said


def test_inputs_of_our_own_algorithms_have_no_meaning_for_users():
    """``x`` of a function of theirs is no floating base."""
    for name in ("x", "speed", "q_joints", "v_plus"):
        function = eval(f"lambda model, {name}: 1.0")
        with pytest.raises(TraceError, match=rf"parameter '{name}' of <lambda> is none of q, q0"):
            ph.compile(function, MODEL)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda q: q, r"<lambda>\(q\), got 'q': <lambda>\(model, q\) has both"),
        (lambda tau, q: q, r"<lambda>\(tau, q\), got 'tau'"),
        (lambda gain: gain, r"<lambda>\(gain\), got 'gain'"),
    ],
)  # fmt: skip
def test_functions_without_a_model(function, words):
    """Their first parameter would be the model."""
    with pytest.raises(TraceError, match=f"expected the model as the first parameter of {words}"):
        ph.compile(function, MODEL, shapes={"gain": ()} if "gain" in words else None)


def test_functions_of_arrays_say_so():
    """They cannot become part of a function that is compiled."""
    ball = Model("ball").add("ball", joint=Spherical(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    pin = ph.constraints.ConstraintSet(ball).contact("ball", (0.0, 0.0, 1.0), (0.0, 0.0, 1.0))
    rows = ph.constraints
    for function in (
        lambda model, q: ph.get_quaternion(model, q, "ball"),
        lambda model, q: ph.set_quaternion(model, q, "ball", (1.0, 0.0, 0.0, 0.0)),
        lambda model, q: rows.constraint_forces(model, pin, q, [1.0])[0].forces,
        lambda model, q: rows.constraint_report(model, pin, q).rank,
        lambda model, q: rows.is_fully_actuated(model, pin, q, [True] * 3),
        lambda model, q: ph.assemble(model, pin, q).q,
    ):
        said = error_of(function, ball)
        assert "this function computes with arrays of numbers" in said


def test_the_cause_stays_with_the_error():
    """The original error is there for a debugger, and the text survives pickling."""
    with pytest.raises(TraceError) as caught:
        ph.compile(mistakes.math_sin, MODEL)(np.zeros(3))
    assert isinstance(caught.value.__cause__, TraceError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def of_keywords(model, q, *, body, scale=1.0):
    return q[body][0] * scale


def test_names_are_checked_when_compiling():
    """Unknown, misspelled and missing keywords, with suggestions."""
    with pytest.raises(TraceError, match=r"of_keywords\(model, q, body, scale\), got 'bdoy'; did"):
        ph.compile(of_keywords, MODEL, bdoy=1)
    with pytest.raises(TraceError, match="of_keywords needs 'body'"):
        ph.compile(of_keywords, MODEL)
    with pytest.raises(TraceError, match=r"compile\(..., shapes=\{'gain': \(\)\}\)"):
        ph.compile(lambda model, q, gain: q[1][0] * gain, MODEL)
    assert ph.compile(of_keywords, MODEL, body=2)([1.0, 2.0, 3.0]) == 2.0
    partial = functools.partial(of_keywords, body=3)
    assert ph.compile(partial, MODEL)([1.0, 2.0, 3.0]) == 3.0
    program = ph.compile(of_keywords, MODEL, body=1, shapes={"scale": ()})
    assert program([1.0, 2.0, 3.0], 5.0) == 5.0
