"""Functions that cannot be traced: the mistakes a user makes, each on a line of its own."""

from __future__ import annotations

import math
from math import sqrt

import numpy as np

import polhode as ph
from polhode import algorithms
from polhode.scalar import where

KEPT: list = []


def an_if(model, q):
    if q[1][0] > 0.0:
        return 1.0
    return 2.0


def a_ternary(model, q):
    return 1.0 if q[1][0] == 0.0 else 2.0


def a_while(model, q):
    x = q[1][0]
    while x > 1.0:
        x = x - 1.0
    return x


def an_and(model, q):
    x = q[1][0]
    return where(x > 0.0 and x < 1.0, x, 0.0)


def an_or(model, q):
    x = q[1][0]
    if x < 0.0 or x > 1.0:
        return 0.0
    return x


def a_not(model, q):
    return where(not q[1][0] > 1.0, 1.0, 0.0)


def a_chain(model, q):
    return where(0.0 < q[1][0] < 1.0, 1.0, 0.0)


def an_assertion(model, q):
    assert q[1][0] > 0.0
    return q[1][0]


def a_filter(model, q):
    return sum(x for i in model.bodies for x in q[i] if x > 0.0)


def a_float(model, q):
    return float(q[1][0])


def a_range(model, q):
    return sum(1.0 for _ in range(q[1][0]))


def an_index(model, q):
    return [1.0, 2.0, 3.0][q[1][0]]


def math_sin(model, q):
    return math.sin(q[1][0])


def imported_sqrt(model, q):
    return sqrt(q[1][0])


def math_hypot(model, q):
    return math.hypot(q[1][0], q[2][0])


def numpy_cos(model, q):
    return np.cos(q[1][0])


def numpy_clip(model, q):
    return np.clip(q[1][0], -1.0, 1.0)


def numpy_norm(model, q):
    return np.linalg.norm([q[1][0], q[2][0]])


def builtin_max(model, q):
    return max(q[1][0], 0.0)


def builtin_round(model, q):
    return round(q[1][0])


def builtin_sorted(model, q):
    return sorted([q[1][0], q[2][0]])


def a_remainder(model, q):
    return q[1][0] % 1.0


def a_whole_quotient(model, q):
    return q[1][0] // 1.0


def a_power(model, q):
    return 2.0 ** q[1][0]


def an_array_entry(model, q):
    values = np.zeros(3)
    values[0] = q[1][0]
    return values


def a_tuple_entry(model, q):
    q[1][0] = 3.0
    return q[1][0]


def an_array_times(model, q):
    return np.ones(3) * q[1][0]


def formatted(model, q):
    return f"{q[1][0]:.3f}"


def a_sum_of_positions(model, q, qd):
    return q + qd


def an_entry_of_a_number(model, q):
    return q[1][0][0]


def an_attribute(model, q):
    return q[1][0].shape


def no_condition(model, q):
    return where(q[1][0], 1.0, 2.0)


def not_by_body(model, q, qd, qdd):
    return algorithms.rnea(model, model.join_q(q), qd, qdd)


def of_one_body(model, q):
    return ph.mass_matrix(model, [q[1][0]])


def out_of_its_time(model, q):
    KEPT.append(q[1][0])
    return KEPT[0] + q[1][0]


def returns_nothing(model, q):
    q[1][0] * 2.0


def returns_text(model, q):
    return "q"


def returns_a_generator(model, q):
    return (x for x in q[1])


def returns_ragged_rows(model, q):
    return [q[1][0], [q[2][0]]]


def returns_text_by_name(model, q):
    return {"cost": q[1][0], "unit": "J"}


MISTAKES = {
    an_if: ("q[1][0] > 0.0", r"scalar\.where\(condition, a, b\)"),
    a_ternary: ("q[1][0] == 0.0", r"scalar\.where\(condition, a, b\)"),
    a_while: ("x > 1.0", "loop a fixed number of times"),
    an_and: ("x > 0.0 and x < 1.0", "with & and |"),
    an_or: ("x < 0.0", "with & and |"),
    a_not: ("not q[1][0] > 1.0", "with ~ instead of not"),
    a_chain: ("0.0 < q[1][0] < 1.0", r"\(a < b\) & \(b < c\)"),
    an_assertion: ("q[1][0] > 0.0", "before the program is called"),
    a_filter: ("x > 0.0", "left out by its value"),
    a_float: ("float(q[1][0])", "leave it a traced value"),
    a_range: ("range(q[1][0])", "number of turns must be known"),
    an_index: ("[1.0, 2.0, 3.0][q[1][0]]", "an index must be known"),
    math_sin: ("math.sin(q[1][0])", r"polhode\.scalar\.sin instead of math\.sin"),
    imported_sqrt: ("sqrt(q[1][0])", r"polhode\.scalar\.sqrt instead of math\.sqrt"),
    math_hypot: ("math.hypot(q[1][0], q[2][0])", r"write sqrt\(x \* x \+ y \* y\)"),
    numpy_cos: ("np.cos(q[1][0])", r"polhode\.scalar\.cos instead of numpy\.cos"),
    numpy_clip: ("np.clip(q[1][0], -1.0, 1.0)", r"minimum\(maximum\(x, low\), high\)"),
    numpy_norm: ("np.linalg.norm([q[1][0], q[2][0]])", r"sqrt\(sum\(x \* x for x in values\)\)"),
    builtin_max: ("max(q[1][0], 0.0)", r"polhode\.scalar\.maximum instead of max"),
    builtin_round: ("round(q[1][0])", r"polhode\.scalar\.rint instead of round"),
    builtin_sorted: ("sorted([q[1][0], q[2][0]])", "sorted decides by values"),
    a_remainder: ("q[1][0] % 1.0", r"a - b \* floor\(a / b\)"),
    a_whole_quotient: ("q[1][0] // 1.0", r"floor\(a / b\)"),
    a_power: ("2.0 ** q[1][0]", r"exp\(b \* log\(a\)\)"),
    an_array_entry: ("values[0]", "put traced values in a list"),
    a_tuple_entry: ("q[1][0]", "put traced values in a list"),
    an_array_times: ("np.ones(3) * q[1][0]", "arrays and traced values do not mix"),
    formatted: ("{q[1][0]:.3f}", "no digits yet"),
    a_sum_of_positions: ("q + qd", "a tuple of scalars for each body"),
    an_entry_of_a_number: ("q[1][0][0]", "a traced value is one number"),
    an_attribute: ("q[1][0].shape", "arithmetic, comparisons"),
    no_condition: ("where(q[1][0], 1.0, 2.0)", r"where\(x > 0\.0, a, b\)"),
    not_by_body: ("algorithms.rnea(model, model.join_q(q), qd, qdd)", r"model\.split_q\(values\)"),
    of_one_body: ("ph.mass_matrix(model, [q[1][0]])", "expected traced values of shape"),
}
"""Of each function: the part of its line at fault, and what the error says to do."""

UNUSABLE = {
    out_of_its_time: "of another program",
    returns_nothing: r"in the result, got None \(is there a return\?\)",
    returns_text: "in the result, got str",
    returns_a_generator: "got a generator",
    returns_ragged_rows: "rows of one length in the result",
    returns_text_by_name: "in output 'unit', got str",
}
"""Of each function that returns what no program can: what the error says."""
