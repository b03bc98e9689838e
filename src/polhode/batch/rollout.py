"""Roll-outs: many independent worlds, many steps, one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..algorithms.ground_contact import Ground
from ..algorithms.rollout import STEPS
from ..arguments import as_choice
from ..arrays import ArrayLike, as_array
from ..errors import ArgumentError, ModelError, ModelWarning, warn_caller, warn_once
from ..model import Model
from ..model.inertias import warn_undetermined
from ..scene import Scene
from ..simulation.choices import (
    JOINT_FORCES,
    STARTS,
    chosen_contact,
    without_joint_forces,
)
from ..simulation.passive_joints import stops_suddenly, warn_of_limits, with_dry_friction
from ..simulation.start import answer_limits, unit
from .machines import Rollout, roll_model


def rollout(
    model: Model | Scene | Sequence[Scene],
    ground: Ground | None = None,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    *,
    steps: int,
    dt: float | None = None,
    u: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    controls: ArrayLike | None = None,
    integrator: str | None = None,
    contact: str | None = None,
    joint_forces: str = "all",
    start: str = "check",
    record_every: int | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
) -> Rollout:
    """Return the motion of many independent worlds, on all processors.

    Parameters
    ----------
    model : Model, Scene or sequence of Scene
        A model moves freely or on compliant ground; a scene with contact.  A sequence gives
        each world a scene of its own, with the same numbers of coordinates.
    ground : Ground, optional
        Of a model: what the ground is like and which points touch it; see
        `polhode.contact.compliant_ground`.
    q, qd : array_like, shape (..., nq) and (..., nv)
        Where and how fast the worlds start; leading axes are worlds.  Neutral and at rest, or
        as the scene says, if omitted; of a scene in the order of `Scene.q0`.
    steps : int
    dt : float, optional
        Time step [s]; the scene's, or 1 ms.
    u : array_like, shape (..., n_points, 2), optional
        Displacement of the ground along itself at the start; zero if omitted.
    tau : array_like, shape (..., nv), optional
        Joint forces, the same in every step; zero if omitted.
    controls : array_like, shape (..., steps, n_controls) or (..., steps, nv), optional
        Of each step: controls of the actuators, zero if omitted; without actuators joint forces.
    integrator : str, optional
        ``"rk4"``, or ``"semi_implicit"``: one evaluation a step, velocities before positions;
        of models that move smoothly, on compliant ground or without, many at once.
        ``"moreau"``: of both, many at once, with contact, limits and dry friction, of first order.
        It is the default of scenes, and of models with limits or dry friction.
        ``"event_driven"``: of these one by one, of second order, and the default of a sequence.
        So it is where ``"moreau"`` lacks something, or is slower for many bodies; a warning tells.
    contact : {"exact", "convex", "lcp", "none"}, optional
        Law and solver of contact of scenes; see `Simulator`.
    joint_forces : {"all", "none"}
        Whether limits, damping and dry friction of the joints, tendons and actuators act.
    start : {"check", "settle", "keep"}
        What to do with starts beyond limits, overlaps and open loops; see `Simulator`.
        ``"moreau"`` settles limits alone.
    record_every : int, optional
        Steps between records; only start and end if omitted.
    parameters : mapping of str to array_like, optional
        With ``"moreau"``: what differs from world to world, shape (...) and that of a parameter.
        Those of `polhode.identification.parameters_of`, in the order of `Scene.model`: ``"mass"``
        and the like.  ``"mu_coulomb"`` and ``"restitution"``, one number for all pairs.
        ``"heights"`` of the scene's only height map.

    Returns
    -------
    motion : Rollout

    Raises
    ------
    ShapeError
        If an argument does not fit the model, the scene or the ground.
    ArgumentError
        For an unknown method, and for what is no number of steps or no ground.
    ModelError
        With ``"moreau"``, of a scene with something that such steps lack.
    StartError
        For overlaps and joints beyond limits at the start.

    Notes
    -----
    Of a model, dynamics, contact and integrator are one program; worlds run in SIMD, and
    blocks of them in threads.  So are those of scenes by ``"moreau"`` (Moreau 1988, Jean 1999);
    by ``"event_driven"`` worlds run one by one in threads.  A world's motion is the same bit for
    bit in any batch and with any number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> import polhode as ph
    >>> from polhode.model import Revolute
    >>> bar = ph.Model("bar").add("bar", joint=Revolute.x(), mass=1.0, com=(0, 0, -0.5))
    >>> ends = ph.rollout(bar, q=np.linspace(-1, 1, 500)[:, None], steps=200, dt=1e-3)
    >>> ends.q.shape
    (2, 500, 1)
    """
    as_choice("joint_forces", joint_forces, JOINT_FORCES)
    as_choice("start", start, STARTS)
    if not isinstance(model, Model):
        if ground is not None or u is not None:
            raise TypeError(
                "unexpected ground or u: of models only, got a scene, which has contact"
            )
        if isinstance(model, Scene):
            own = _usual(model, contact) if integrator is None else integrator
            as_choice("integrator", own, ("event_driven", "moreau"), " for scenes")
            if own == "moreau":
                return _in_lanes(model, q, qd, steps, dt, tau, controls, contact, joint_forces,
                                 start, record_every, parameters)  # fmt: skip
        else:
            model = _sequence(model, integrator)
        _refuse_parameters(parameters)
        return _by_events(model, q, qd, steps, dt, tau, controls, contact, joint_forces, start,
                          record_every)  # fmt: skip
    if integrator is not None:
        as_choice("integrator", integrator, ("event_driven", "moreau", *STEPS))
    chosen_contact(model, integrator or "rk4", contact)
    if integrator == "moreau":
        if ground is not None or u is not None:
            raise TypeError("unexpected ground or u with integrator 'moreau'")
        return _in_lanes(Scene.of(model), q, qd, steps, dt, tau, controls, contact, joint_forces,
                         start, record_every, parameters)  # fmt: skip
    acting = model if joint_forces == "all" else without_joint_forces(model)
    begin = _from_rest(acting, q, qd, start)
    if integrator is None and ground is None and stops_suddenly(acting):
        integrator = _usual(Scene.of(acting), contact)
        if integrator == "moreau" and u is None:  # else refused below
            return _in_lanes(Scene.of(acting), *begin, steps, dt, tau, controls, "none", "all",
                             start, record_every, parameters)  # fmt: skip
    _refuse_parameters(parameters)
    integrator = "rk4" if integrator is None else integrator
    if integrator in ("event_driven", "moreau"):
        if ground is not None or u is not None:
            raise TypeError(f"unexpected ground or u with integrator '{integrator}'")
        return _by_events(Scene.of(acting), *begin, steps, dt, tau, controls, "none", "all", start,
                          record_every)  # fmt: skip
    _check_smooth(acting, ground, integrator)
    motion = roll_model(
        model, ground, *begin, steps=steps, dt=1e-3 if dt is None else dt,
        u=u, tau=tau, controls=controls, integrator=integrator,
        is_passive=joint_forces == "all", record_every=record_every,
    )  # fmt: skip
    warn_of_limits(acting, motion.q, "rollout")
    return motion


def _sequence(scenes: Any, integrator: str | None) -> tuple[Scene, ...]:
    """Scenes that each have a world, which move one by one."""
    from .worlds import checked_scenes

    each = checked_scenes(scenes)
    known = ("event_driven", "moreau", *STEPS)
    if integrator is not None and as_choice("integrator", integrator, known) != "event_driven":
        raise ArgumentError(
            f"expected 'event_driven' as integrator of a sequence of scenes, got {integrator!r}: "
            "one scene moves many worlds with 'moreau', which may differ by 'parameters'"
        )
    return each


def _usual(scene: Scene, contact: str | None) -> str:
    """How worlds of a scene move if nothing is said: side by side where they can."""
    from ..simulation.lanes.lowering import refusal, slower
    from ..simulation.stepping.building import without_contact

    if contact not in (None, "exact", "none") or scene.settings.kind == "simulator":
        return "event_driven"
    if contact == "none":
        scene = without_contact(scene)
    lacks = refusal(scene)
    if lacks is not None:
        why = f"'moreau' has no {lacks}"
    else:
        many = slower(scene)
        if many is None:
            return "moreau"
        why = f"'moreau' is slower where {many}"
    warn_once(f"worlds move one by one, by integrator 'event_driven': {why}", ModelWarning)
    return "event_driven"


def _refuse_parameters(parameters: object) -> None:
    if parameters is not None:
        raise TypeError("unexpected parameters: they are of integrator 'moreau'")


def _in_lanes(scene, q, qd, steps, dt, tau, controls, contact, joint_forces, start,
              record_every, parameters) -> Rollout:  # fmt: skip
    """Worlds with contact side by side."""
    from ..simulation.lanes.lowering import refusal
    from ..simulation.stepping.building import without_contact
    from .lanes import roll_lanes

    as_choice("contact", contact or "exact", ("exact", "none"), " with integrator 'moreau'")
    if contact == "none":
        scene = without_contact(scene)
    why = refusal(scene)
    if why is not None:
        raise ModelError(f"integrator 'moreau' has no {why}; use 'event_driven'")
    return roll_lanes(
        scene, q, qd, steps=steps, dt=dt, tau=tau, controls=controls, joint_forces=joint_forces,
        start=start, record_every=record_every, parameters=parameters,
    )  # fmt: skip


def _by_events(scenes, q, qd, steps, dt, tau, controls, contact, joint_forces, start,
               record_every) -> Rollout:  # fmt: skip
    """Worlds that stop and stick suddenly, one by one."""
    # What simulates contact takes a while to import.
    from .worlds import roll_scenes

    return roll_scenes(
        scenes, q, qd, steps=steps, dt=dt, tau=tau, controls=controls, contact=contact,
        joint_forces=joint_forces, start=start, record_every=record_every,
    )  # fmt: skip


def _check_smooth(model: Model, ground: Ground | None, integrator: str) -> None:
    """Refuse dry friction, which no smooth integrator knows; on compliant ground say so."""
    rubbing = with_dry_friction(model)
    if not rubbing:
        return
    told = f"dry friction of {rubbing[0]}"
    if ground is None:
        raise ModelError(
            f"{told} is simulated by integrators 'event_driven' and 'moreau', got '{integrator}'; "
            f"joint_forces='none' leaves it out (model '{model.name}')"
        )
    warn_caller(
        f"a roll-out on compliant ground does not apply {told}; joint_forces='none' says that it "
        f"is not to (model '{model.name}')", ModelWarning,
    )  # fmt: skip


def _from_rest(model: Model, q: Any, qd: Any, start: str) -> tuple[Any, Any]:
    """Where a model starts, with unit quaternions; neutral and at rest if not given."""
    from ..api.manifold import neutral

    warn_undetermined(model, model.name)
    if q is not None:
        q = as_array("q", q, f" (model '{model.name}')")
        if q.shape[-1:] == (model.nq,):  # else the roll-out says what is wrong
            q = np.array(unit(model, q, "q"))
            answer_limits(model, q, start)
    return neutral(model) if q is None else q, [0.0] * model.nv if qd is None else qd
