"""Scenes and models as functions of what varies: ``name=value`` edits, then a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from ...errors import ModelError, suggestion
from ...model import Link, Model
from ...recording import Recording
from ...scene import Machine, Scene
from ...scene.contact import ContactParameters
from ...simulation.simulate import simulate

_RUN = ("dt", "method", "duration", "q0", "qd0")
_BODY = ("mass", "com", "inertia")
_START = ("q", "qd")
_OF_CONTACT = tuple(f.name for f in fields(ContactParameters) if f.name not in ("a", "b"))


@dataclass(frozen=True)
class ChangedRun:
    """A run of a model or scene with some of it changed; returns what ``measure`` returns."""

    subject: Model | Scene
    duration: float
    measure: Callable[[Recording], Any]
    options: Mapping[str, Any] = field(default_factory=dict)

    def prepare(self, changes: Mapping[str, Any]) -> None:
        """See that the changes are known, and compile once what all workers need.

        Raises
        ------
        ModelError
            For a name that nothing has, and a gravity that is not three numbers.
        """
        known = known_names(self.subject)
        for name in changes:
            if name not in known:
                raise _unknown(name, self.subject)
        if "gravity" in changes:
            _gravity(changes["gravity"], self.subject)
        if not isinstance(self.subject, Scene):
            return
        # What goes wrong here goes wrong in the task too, and is told there.
        with suppress(Exception):
            subject, options = self._changed(changes)
            dt = options.get("dt")
            dt = (subject.settings.step_size or 1e-3) if dt is None else dt
            options["duration"] = 1.5 * dt
            simulate(subject, progress=False, **options)

    def __call__(self, *, rng: np.random.Generator, **changes: Any) -> Any:
        subject, options = self._changed(changes)
        seed = int(rng.integers(2**63))
        return self.measure(simulate(subject, seed=seed, progress=False, **options))

    def _changed(self, changes: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        subject, options = self.subject, {"duration": self.duration, **self.options}
        for name, value in changes.items():
            if name in known_options(self.subject):
                options[name] = value
            else:
                subject = changed(subject, name, value)
        return subject, options


def last_state(recording: Recording) -> dict[str, Any]:
    """Where a run ended, and how well it kept the laws."""
    of_contact = (n for n in ("penetration", "residual", "unconverged") if n in recording.report)
    found = {name: getattr(recording.audit, name) for name in ("energy_drift", *of_contact)}
    return {"time": recording.times[-1], "q": recording.q[-1], "qd": recording.qd[-1], **found}


def changed(subject: Model | Scene, name: str, value: Any) -> Any:
    """The subject with one thing changed.

    Raises
    ------
    ModelError
        If there is no such thing.
    """
    if name == "gravity":
        return replace(subject, gravity=_gravity(value, subject))
    if isinstance(subject, Model):
        body, _, what = name.rpartition(".")
        if what in _BODY and any(link.name == body for link in subject.links):
            return _with_body(subject, body, what, value)
        raise _unknown(name, subject)
    if name in _OF_CONTACT:
        return _with_contact(subject, name, value)
    owner, _, what = name.rpartition(".")
    for machine in subject.machines:
        if what in _START and owner == machine.name:
            return subject.with_start(owner, **{what: np.atleast_1d(value).tolist()})
        for link in machine.model.links:
            if what in _BODY and owner == _body_name(machine, link):
                model = _with_body(machine.model, link.name, what, value)
                return subject.with_start(machine.name, model=model)
    raise _unknown(name, subject)


def _gravity(value: Any, subject: Model | Scene) -> tuple[float, float, float]:
    try:
        x, y, z = map(float, value)
    except (TypeError, ValueError):
        kind = "model" if isinstance(subject, Model) else "scene"
        raise ModelError(
            f"expected three numbers as gravity [m/s^2], such as [0, 0, -9.81], got {value!r:.40} "
            f"({kind} '{subject.name}')"
        ) from None
    return x, y, z


def _body_name(machine: Machine, link: Link) -> str:
    """``machine.body``, or one name for both if they have the same."""
    return link.name if link.name == machine.name else f"{machine.name}.{link.name}"


def _with_contact(scene: Scene, name: str, value: Any) -> Scene:
    if not scene.contacts:
        return scene.contact(**{name: value})
    return replace(scene, contacts=tuple(replace(c, **{name: value}) for c in scene.contacts))


def _with_body(model: Model, name: str, what: str, value: Any) -> Model:
    """A body of another mass keeps its shape: its inertia grows with it."""
    links = []
    for link in model.links:
        if link.name == name:
            link = replace(link, body=_body(link.body, what, value))
        links.append(link)
    return replace(model, links=tuple(links))


def _body(body: Any, what: str, value: Any) -> Any:
    if what != "mass":
        return replace(body, **{what: value})
    share = float(value) / body.mass if body.mass else 0.0
    return replace(body, mass=float(value), inertia=np.asarray(body.inertia) * share)


def _unknown(name: str, subject: Model | Scene) -> ModelError:
    known = known_names(subject)
    kind = "model" if isinstance(subject, Model) else "scene"
    listed = ", ".join(known[:12]) + (", ..." if len(known) > 12 else "")
    return ModelError(
        f"nothing is called '{name}' that could vary{suggestion(name, known)}; there are: "
        f"{listed} ({kind} '{subject.name}')"
    )


def known_options(subject: Model | Scene) -> tuple[str, ...]:
    """Options of a run that may vary."""
    return _RUN if isinstance(subject, Model) else _RUN[:3]


def known_names(subject: Model | Scene) -> list[str]:
    """All that may vary from task to task."""
    known = ["gravity", *known_options(subject)]
    if isinstance(subject, Model):
        return known + [f"{link.name}.{what}" for link in subject.links for what in _BODY]
    for machine in subject.machines:
        if not machine.is_fixed:
            known += [f"{machine.name}.{what}" for what in _START]
            known += [f"{_body_name(machine, link)}.{what}"
                      for link in machine.model.links for what in _BODY]  # fmt: skip
    return known + list(_OF_CONTACT)
