"""Which closed form a case asks for: found by its parameters and its numbers, never by its name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from reference import contact_cases as bodies
from reference import contact_machine_cases as machines

Record = dict[str, Any]
Bound = tuple[float, float]  # relative, absolute

_VALUE = r"\([^)]*\)|[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_EQUAL = re.compile(rf"(\w+(?:=[A-Za-z]\w*)*)=({_VALUE})")  # r=.5, I=m=1, v0=(3,4,0)
_BESIDE = re.compile(rf"\b(mu|b|m|v0|slope|spin|gap) ({_VALUE})")  # mu .8
_OF_UNIT = re.compile(rf"({_VALUE}) (deg|s|spheres|equal spheres)\b")  # 20 deg
_UNITS = {"deg": "theta_deg", "s": "time", "spheres": "n", "equal spheres": "n"}
_EXAMPLE = re.compile(r"([\w-]+/[\w-]+) example\b")  # a file of Moby's
_BOUND = re.compile(rf"\b(rel|abs) ({_VALUE})")


@dataclass(frozen=True)
class Form:
    """A closed form: its function of named parameters, and the numbers that this returns."""

    function: Callable[..., Record]
    numbers: frozenset[str]
    bounds: dict[str, Bound] = field(default_factory=dict)  # other than the case's own

    def fits(self, case: Record) -> bool:
        """Whether it returns all that is asked, and reads every parameter there is."""
        takes = inspect.signature(self.function).parameters
        needs = {name for name, p in takes.items() if p.default is p.empty}
        given = set(case["params"])
        has_all = needs <= given | set(from_text(case["setup"]))
        return set(case["expected"]) <= self.numbers and given <= set(takes) and has_all

    def compute(self, case: Record) -> Record:
        """The numbers for the parameters of a case."""
        takes = inspect.signature(self.function).parameters
        said = {k: v for k, v in from_text(case["setup"]).items() if k in takes}
        return self.function(**{**said, **case["params"]})

    def bound(self, case: Record, number: str) -> Bound:
        """Relative and absolute error allowed: as the case says, or for numbers it says less of."""
        if number in self.bounds:
            return self.bounds[number]
        said = dict(reversed(_BOUND.findall(case["tolerance"])))
        assert said, f"no tolerance in {case['tolerance']!r}, and none of the form"
        return float(said.get("rel", 0.0)), float(said.get("abs", 0.0))


def from_text(setup: str) -> Record:
    """The parameters that a case gives in words only: ``mu .8``, ``I=m=1``, ``20 deg``."""
    found: Record = {_UNITS[unit]: _value(text) for text, unit in _OF_UNIT.findall(setup)}
    if example := _EXAMPLE.search(setup):
        found["example"] = example[1]
    if "gaps" in setup:
        found["gap"] = 0.1  # of any size: the answer is the same
    found |= {name: _value(text) for name, text in _BESIDE.findall(setup)}
    for names, text in _EQUAL.findall(setup):
        found |= dict.fromkeys(names.split("="), _value(text))
    return found


def _value(text: str) -> float | tuple[float, ...]:
    if text.startswith("("):
        return tuple(float(part) for part in text[1:-1].split(","))
    return float(text)


def form_of(case: Record) -> Form:
    """The one form of a case; an error where there is none, or more than one."""
    found = [form for form in FORMS if form.fits(case)]
    if len(found) != 1:
        names = [form.function.__name__ for form in found]
        raise LookupError(
            f"expected one form for the case '{case['id']}', got {names or 'none'}: "
            f"parameters {sorted(case['params'])}, numbers {sorted(case['expected'])}"
        )
    return found[0]


def _form(function: Callable[..., Record], numbers: str, **bounds: Bound) -> Form:
    return Form(function, frozenset(numbers.split()), bounds)


_AT_REST = (2e-3, 1e-6)  # a body that sticks has an expected 0
FORMS = (
    _form(bodies.bounce, "first_contact_t apex flight rest_time"),
    _form(bodies.slide, "stop_time stop_distance max_liftoff omega",
          max_liftoff=(0.0, 1e-5), omega=(0.0, 1e-6)),
    _form(bodies.incline, "accel s_2s v_2s", accel=_AT_REST, s_2s=_AT_REST, v_2s=_AT_REST),
    _form(bodies.threshold, "sticks_at slides_at",
          sticks_at=(1e-12, 0.0), slides_at=(1e-12, 0.0)),
    _form(bodies.slide_to_roll, "v_final omega_final t_roll distance",
          t_roll=(5e-3, 0.0), distance=(5e-3, 0.0)),
    _form(bodies.roll_down, "accel x_2s mu_min"),
    _form(bodies.slip_down, "accel alpha"),
    _form(bodies.head_on, "ua ub"),
    _form(bodies.cradle, "final alternative_sequential"),
    _form(bodies.wedge, "wedge_accel block_rel_accel"),
    _form(bodies.oblique, "vx vy omega"),
    _form(bodies.falling_rod, "omega_landing t_landing com_x_shift", com_x_shift=(0.0, 1e-6)),
    _form(bodies.stokes, "v"),
    _form(bodies.projectile, "pos"),
    _form(bodies.spin_down, "alpha stop_time max_liftoff", max_liftoff=(0.0, 1e-5)),
    _form(bodies.turntable, "center_rate"),
    _form(bodies.euler_disk, "Omega"),
    _form(machines.dzhanibekov, "period omega2_max H_norm T",
          H_norm=(1e-8, 0.0), T=(1e-8, 0.0)),
    _form(machines.symmetric_body, "body_precession space_precession"),
    _form(machines.top, "Omega"),
    _form(machines.pendulum, "q_1s qd_1s"),
    _form(machines.pendulum_limit, "qd_after"),
    _form(machines.gear, "qdd1"),
    _form(machines.rimless_wheel, "eta omega_plus omega_plus_min"),
)  # fmt: skip
