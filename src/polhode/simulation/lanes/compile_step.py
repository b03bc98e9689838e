"""The step of a scene as a program of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...arguments import as_choice, as_texts
from ...errors import ModelError, shown, suggestion
from ...model import Model
from ...scene import Scene
from ..choices import JOINT_FORCES

if TYPE_CHECKING:
    from ...compiler import Program


def compile_step(
    scene: Scene | Model, *, parameters: Sequence[str] = (), joint_forces: str = "all"
) -> Program:
    """Return the program of a time step of a scene, that of `polhode.rollout`.

    Parameters
    ----------
    scene : Scene or Model
    parameters : sequence of str
        What becomes an input, as `polhode.rollout` names it.
    joint_forces : {"all", "none"}
        Whether limits, damping and dry friction of the joints, tendons and actuators act.

    Returns
    -------
    program : Program
        Its inputs, each with any batch axes: ``q``, ``qd``, ``activation`` of actuators, ``x``,
        ``tau``, ``controls``, ``dt``, and parameters.  Those of size zero are left out;
        ``program.inputs`` lists what there is.  Its outputs are ``q``, ``qd``, ``activation`` and
        ``x`` after the step, ``error`` and ``account``.

    Raises
    ------
    ModelError
        If the scene has something that such steps do not know, or no such parameter.

    Notes
    -----
    ``x`` is what the last step leaves to the solver, which begins with it; zeros will do.  It has
    the impulses of the rows of joints [N s or N m s].  Of each slot of points it has the number of
    the point, and three impulses.  Of a heap, its last number says how often in a row the step was
    not solved.  A step that begins again from such an ``x`` is made with more patience.

    ``error`` is how far the impulses miss the laws of contact, relative to the step's velocities.
    Above 1e-6 `polhode.rollout` has the exact solver find them, and this program alone does not.
    ``account`` has the work of the step [J], the energy of push-out [J], and the deepest overlap
    where it began [m].

    Moreau's method (Moreau 1988, Jean 1999); see `polhode.algorithms.stepping.moreau`.

    Examples
    --------
    >>> import numpy as np
    >>> import polhode as ph
    >>> from polhode.model import Plane, Sphere
    >>> scene = ph.Scene("drop").add_fixed("floor", Plane()).contact(mu_coulomb=0.5)
    >>> scene = scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.5))
    >>> step = ph.simulation.compile_step(scene)
    >>> list(step.inputs)
    ['q', 'qd', 'x', 'tau', 'dt']
    >>> q, qd, x, error, account = step(scene.q0, scene.qd0, np.zeros(4), np.zeros(6), 1e-2)
    >>> round(float(qd[2]), 4)
    -0.0981
    """
    from .lowering import contact_model_of, refusal
    from .programs import step_programs

    as_choice("joint_forces", joint_forces, JOINT_FORCES)
    whole = Scene.of(scene) if isinstance(scene, Model) else scene
    if not isinstance(whole, Scene):
        raise TypeError(f"expected a Scene or a Model, got {shown(scene)}")
    why = refusal(whole)
    if why is not None:
        raise ModelError(f"a compiled step has no {why}")
    names = as_texts("parameters", (parameters,) if isinstance(parameters, str) else parameters)
    known = contact_model_of(whole).parameter_shapes()
    for name in names:
        if name not in known:
            raise ModelError(f"expected parameters among {', '.join(known)}, got {shown(name)}"
                             f"{suggestion(name, known)} (scene '{whole.name}')")  # fmt: skip
    return step_programs(whole, joint_forces, names).step
