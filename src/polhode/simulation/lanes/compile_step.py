"""The step of a scene as a function of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...arguments import as_choice, as_texts
from ...errors import ModelError, shown, suggestion
from ...model import Model
from ...scene import Scene
from ..choices import JOINT_FORCES

if TYPE_CHECKING:
    from .compiled_step import CompiledStep


def compile_step(
    scene: Scene | Model, *, dt: float | None = None, parameters: Sequence[str] = (),
    joint_forces: str = "all",
) -> CompiledStep:  # fmt: skip
    """Return a time step of a scene, that of `polhode.rollout`, as a function with derivatives.

    Parameters
    ----------
    scene : Scene or Model
    dt : float, optional
        Time step [s]; that of the scene's file, or 1 ms, by default.
    parameters : sequence of str
        What the step takes of each world, as `polhode.rollout` names it.
    joint_forces : {"all", "none"}
        Whether limits, damping and dry friction of the joints, tendons and actuators act.

    Returns
    -------
    step : polhode.simulation.CompiledStep

    Raises
    ------
    ArgumentError
        If ``dt`` is not above zero.
    ModelError
        If the scene has something that such steps do not know, or no such parameter.

    Notes
    -----
    Moreau's method (Moreau 1988, Jean 1999); see `polhode.algorithms.stepping.moreau`.

    Examples
    --------
    A ball that lies still feels a change of its velocity downwards as nothing, and rolls on:

    >>> import polhode as ph
    >>> from polhode.model import Plane, Sphere
    >>> scene = ph.Scene("ball").add_fixed("floor", Plane()).contact(mu_coulomb=0.5)
    >>> scene = scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.1))
    >>> step = ph.compile_step(scene, dt=1e-2)
    >>> q, qd, *_ = step(scene.q0, scene.qd0)
    >>> A, B = step.derivatives(scene.q0, scene.qd0)
    >>> A.shape, B.shape
    ((12, 12), (12, 0))
    >>> [round(float(A[i, i]), 4) for i in (6, 8)]  # of the velocity along x, and along z
    [0.7143, 0.0]
    """
    from ..stepping.clock import step_of
    from .compiled_step import CompiledStep
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
    programs = step_programs(whole, joint_forces, names)
    return CompiledStep(whole, programs, step_of(whole, dt))
