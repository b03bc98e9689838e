"""A compiled step of a scene: states of worlds after it, and their derivatives."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.stepping.contact_model import ContactModel
from ...arguments import as_number, as_texts
from ...arrays import ArrayLike, as_arrays, batch_of
from ...compiler import Program
from ...errors import ModelError, shown, suggestion
from ...scene import Scene
from ..start import unit
from .parameters import parameter_arrays
from .programs import StepPrograms
from .relaxed_derivatives import RelaxedDerivatives
from .step_derivatives import StateWeights, StepDerivatives, StepMade
from .worlds import LaneWorlds

_NEEDED = ("q", "qd")  # all else is zero by default
_WEIGHTS = ("weight_q", "weight_qd", "weight_activation")


class SteppedState(NamedTuple):
    """The states of worlds after a step.

    Attributes
    ----------
    q : ndarray, shape (..., nq)
    qd : ndarray, shape (..., nv)
    activation : ndarray, shape (..., n_activations)
        Of actuators.
    is_unsolved : ndarray of bool, shape (...)
        Where the laws of contact are missed by more than 1e-6 of the step's velocities, or the
        state is not finite.
    """

    q: np.ndarray
    qd: np.ndarray
    activation: np.ndarray
    is_unsolved: np.ndarray


class StateDerivatives(NamedTuple):
    """Derivatives of the state after a step.

    Rows are positions, as `polhode.integrate` moves them, velocities, then activation of actuators:
    ``n = 2 nv + n_activations``.

    Attributes
    ----------
    by_state : ndarray, shape (..., n, n)
        By positions, velocities and activation before the step.
    by_controls : ndarray, shape (..., n, n_controls)
    """

    by_state: np.ndarray
    by_controls: np.ndarray


class StepGradient(NamedTuple):
    """Derivatives of a weighted sum of the state after a step.

    Attributes
    ----------
    q : ndarray, shape (..., nv)
        By positions before the step, as `polhode.integrate` moves them.
    qd : ndarray, shape (..., nv)
    activation : ndarray, shape (..., n_activations)
    controls : ndarray, shape (..., n_controls)
    parameters : dict of str to ndarray
        By those that were asked for.
    """

    q: np.ndarray
    qd: np.ndarray
    activation: np.ndarray
    controls: np.ndarray
    parameters: dict[str, np.ndarray]


class CompiledStep:
    """A time step of a scene, that of `polhode.rollout`, as a function of states.

    `polhode.compile_step` makes it.

    Attributes
    ----------
    scene : Scene
    dt : float
        Time step [s].
    program : Program
        The step with all its inputs and outputs, for export and for programs of your own.

    Notes
    -----
    The inputs of ``program``, each with any batch axes, are ``q``, ``qd``, ``activation`` of
    actuators, ``x``, ``tau``, ``controls``, ``dt``, and parameters.  Those of size zero are left
    out; ``program.inputs`` lists what there is.  Its outputs are ``q``, ``qd``, ``activation`` and
    ``x`` after the step, ``error`` and ``account``.

    ``x`` is what the last step leaves to the solver, which begins with it; zeros will do.  It has
    the impulses of the rows of joints [N s or N m s].  Of each slot of points it has the number of
    the point, and three impulses.  Of a heap, its last number says how often in a row the step was
    not solved.  A step that begins again from such an ``x`` is made with more patience.

    ``error`` is how far the impulses miss the laws of contact, relative to the step's velocities.
    Above 1e-6 the exact solver finds them in calls of this object; the program alone does not.
    ``account`` has the work of the step [J], the energy of push-out [J], and the deepest overlap
    where it began [m].
    """

    def __init__(self, scene: Scene, programs: StepPrograms, dt: float):
        self.scene: Scene = scene
        self.dt: float = dt
        self.program: Program = programs.step
        self._programs = programs

    def __repr__(self) -> str:
        return f"CompiledStep('{self.scene.name}', dt={self.dt:.4g} s)"

    def __call__(
        self, q: ArrayLike, qd: ArrayLike, controls: ArrayLike | None = None, *,
        tau: ArrayLike | None = None, activation: ArrayLike | None = None,
        parameters: Mapping[str, ArrayLike] | None = None, smoothing: float = 0.0,
    ) -> SteppedState:  # fmt: skip
        """Return the states after a step, of worlds with any batch axes.

        Parameters
        ----------
        q : array_like, shape (..., nq)
        qd : array_like, shape (..., nv)
        controls : array_like, shape (..., n_controls), optional
            Of the actuators; zero by default.
        tau : array_like, shape (..., nv), optional
            Joint forces beside those of actuators [N or N m].
        activation : array_like, shape (..., n_activations), optional
            Of the actuators; zero by default.
        parameters : mapping of str to array_like, optional
            Those that `polhode.compile_step` was asked for.
        smoothing : float
            By how much the laws of contact are relaxed [J]; zero is the step itself.

        Returns
        -------
        SteppedState

        Raises
        ------
        ShapeError
            If an argument does not fit the scene, or batch axes do not broadcast.
        ModelError
            If parameters are missing, or are others than those of the step.  Also for smoothing
            of a scene with restitution, which that does not know.
        ArgumentError
            If ``smoothing`` is negative.

        Notes
        -----
        With smoothing an impulse ``x`` minimises its power with the velocity ``u`` of its row,
        and a barrier.  That of a point's normal, or of the end of a range, is

            u x - r log x,  so  x u = r.

        The force of a point that is open by ``d`` where the step ends is ``r / d``, however far it
        is.  Friction within a radius ``R = mu x`` minimises

            u.x - r/2 log(R^2 - |x|^2),  so  x = -2 R^2 u / (r + sqrt(r^2 + 4 R^2 u^2)),

        and creeps where it would hold.  So do torsional and rolling friction, and dry friction of
        joints.  Loops and gears hold as they do.  For ``r`` to zero this is the step itself.
        """
        r = self._relaxation(smoothing)
        given = {"q": q, "qd": qd, "activation": activation, "tau": tau, "controls": controls}
        batch, arrays = self._arrays(given, parameters)
        worlds = self._stepped(arrays)
        after = dict(zip(self._programs.state, worlds.now, strict=True))
        none = np.zeros((len(worlds.unsolved), 0))
        is_unsolved = worlds.unsolved > 0
        if r:
            made = StepMade(after["q"], after["qd"], after.get("x", none), r)
            relaxed = self._relaxed.steps({**arrays, "dt": self.dt}, made)
            after |= {"q": relaxed.made.q, "qd": relaxed.made.qd}
            is_unsolved = relaxed.is_unsolved
        found = [after.get(name, none) for name in ("q", "qd", "activation")]
        found = [x.reshape(*batch, x.shape[-1]) for x in found]
        return SteppedState(*found, is_unsolved.reshape(batch))

    def derivatives(
        self, q: ArrayLike, qd: ArrayLike, controls: ArrayLike | None = None, *,
        tau: ArrayLike | None = None, activation: ArrayLike | None = None,
        parameters: Mapping[str, ArrayLike] | None = None, smoothing: float = 0.0,
    ) -> StateDerivatives:  # fmt: skip
        """Return derivatives of the states after a step, by those before it and by controls.

        Parameters
        ----------
        q : array_like, shape (..., nq)
        qd : array_like, shape (..., nv)
        controls : array_like, shape (..., n_controls), optional
        tau : array_like, shape (..., nv), optional
        activation : array_like, shape (..., n_activations), optional
        parameters : mapping of str to array_like, optional
        smoothing : float
            Relaxes the laws of contact [J]: derivatives of that step, not of the exact one.

        Returns
        -------
        StateDerivatives
            ``A, B = step.derivatives(q, qd, controls)``.

        Raises
        ------
        ShapeError
            If an argument does not fit the scene, or batch axes do not broadcast.
        ModelError
            If the scene has restitution, which derivatives do not know.

        Notes
        -----
        By the theorem of implicit functions.  Points that stick, slide or are open in the step go
        on so; ends of ranges and dry friction go on to hold or not.  Where that is about to change
        the derivatives are those of one side, and `margin` is small.  The push-out of an overlap
        is differentiated to first order in its depth; all else is exact.  Where points that slide
        may share a load in many ways, their impulses change by as little as can be.

        With smoothing they are those of ``step(..., smoothing=r)``, whose laws have no switches:
        open points feel what comes, and what sticks may slide.
        """
        given = {"q": q, "qd": qd, "activation": activation, "tau": tau, "controls": controls}
        differentiated, batch, arrays, made = self._to_differentiate(given, parameters, smoothing)
        found = differentiated.of_states(arrays, made)
        return StateDerivatives(*(part.reshape(*batch, *part.shape[1:]) for part in found))

    def parameter_derivatives(
        self, q: ArrayLike, qd: ArrayLike, controls: ArrayLike | None = None, *,
        tau: ArrayLike | None = None, activation: ArrayLike | None = None,
        parameters: Mapping[str, ArrayLike] | None = None, smoothing: float = 0.0,
    ) -> dict[str, np.ndarray]:  # fmt: skip
        """Return derivatives of the states after a step, by each of its parameters.

        Parameters
        ----------
        q : array_like, shape (..., nq)
        qd : array_like, shape (..., nv)
        controls : array_like, shape (..., n_controls), optional
        tau : array_like, shape (..., nv), optional
        activation : array_like, shape (..., n_activations), optional
        parameters : mapping of str to array_like
            Those that `polhode.compile_step` was asked for.
        smoothing : float
            Relaxes the laws of contact [J]: derivatives of that step, not of the exact one.

        Returns
        -------
        dict of str to ndarray, shape (..., 2 nv + n_activations, ...)
            Rows are those of `derivatives`; the axes of the parameter come last.

        Raises
        ------
        ShapeError
            If an argument does not fit the scene, or batch axes do not broadcast.
        ModelError
            As `derivatives`.

        Notes
        -----
        Friction of points and of joints acts where they slide.  What parameters change of the
        push-out of overlaps is left out.  Those by ``frame`` are right along changes that keep
        its axes orthonormal.
        """
        given = {"q": q, "qd": qd, "activation": activation, "tau": tau, "controls": controls}
        differentiated, batch, arrays, made = self._to_differentiate(given, parameters, smoothing)
        if not self._programs.parameters:
            return {}
        found = differentiated.of_parameters(arrays, made)
        return {name: part.reshape(*batch, *part.shape[1:]) for name, part in found.items()}

    def vjp(
        self, q: ArrayLike, qd: ArrayLike, controls: ArrayLike | None = None, *,
        tau: ArrayLike | None = None, activation: ArrayLike | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
        weight_q: ArrayLike | None = None, weight_qd: ArrayLike | None = None,
        weight_activation: ArrayLike | None = None, by: Sequence[str] = (),
        smoothing: float = 0.0,
    ) -> StepGradient:  # fmt: skip
        """Return derivatives of a weighted sum of the states after a step.

        Parameters
        ----------
        q : array_like, shape (..., nq)
        qd : array_like, shape (..., nv)
        controls : array_like, shape (..., n_controls), optional
        tau : array_like, shape (..., nv), optional
        activation : array_like, shape (..., n_activations), optional
        parameters : mapping of str to array_like, optional
        weight_q, weight_qd : array_like, shape (..., nv), optional
            Weights of positions, along their tangent, and of velocities after the step; zero by
            default.
        weight_activation : array_like, shape (..., n_activations), optional
        by : sequence of str
            Parameters of the step whose derivatives are wanted, too.
        smoothing : float
            Relaxes the laws of contact [J]: derivatives of that step, not of the exact one.

        Returns
        -------
        StepGradient
            ``A^T w`` and ``B^T w`` of `derivatives`, and the same of `parameter_derivatives`.

        Raises
        ------
        ShapeError
            If an argument does not fit the scene, or batch axes do not broadcast.
        ModelError
            As `parameter_derivatives`, and if the step has no parameter of such a name.

        Notes
        -----
        The derivatives of `derivatives` in reverse: one solution with the transposed matrix, and
        no matrix of derivatives.  The gradient of a motion is that of its steps, last first; what
        is returned for ``q`` and ``qd`` are the weights of the step before.
        """
        names = as_texts("by", (by,) if isinstance(by, str) else by)
        self._check_names(names)
        given = {"q": q, "qd": qd, "activation": activation, "tau": tau, "controls": controls}
        given |= dict(zip(_WEIGHTS, (weight_q, weight_qd, weight_activation), strict=True))
        differentiated, batch, arrays, made = self._to_differentiate(given, parameters, smoothing)
        weights = StateWeights(*(arrays.pop(name) for name in _WEIGHTS))
        found = differentiated.weighted(arrays, made, weights, tuple(names))
        found = {name: x.reshape((*batch, *x.shape[1:])) for name, x in found.items()}
        none = np.zeros((*batch, 0))
        return StepGradient(
            found["q"], found["qd"], found.get("activation", none), found.get("controls", none),
            {name: found[name] for name in names},
        )  # fmt: skip

    def margin(
        self, q: ArrayLike, qd: ArrayLike, controls: ArrayLike | None = None, *,
        tau: ArrayLike | None = None, activation: ArrayLike | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> np.ndarray:  # fmt: skip
        """Return how near a step is to where its derivatives jump.

        Parameters
        ----------
        q : array_like, shape (..., nq)
        qd : array_like, shape (..., nv)
        controls : array_like, shape (..., n_controls), optional
        tau : array_like, shape (..., nv), optional
        activation : array_like, shape (..., n_activations), optional
        parameters : mapping of str to array_like, optional

        Returns
        -------
        margin : ndarray, shape (...)
            The least change of a row's velocity at which the row goes over to another piece of
            its law [m/s, of rotations rad/s].  At most 1 mm, or 1 mrad, by ``dt``.  Not a number
            where the state after the step is none.

        Raises
        ------
        ShapeError
            If an argument does not fit the scene, or batch axes do not broadcast.
        ModelError
            As `derivatives`.

        Notes
        -----
        With the impulse ``x`` and the velocity ``u`` of a row after the step, and the velocity
        ``g`` that a unit impulse makes along it:

        - A point that presses opens at ``g x``.  An open one closes at ``u``, the speed by which
          it misses that within the step.  So do ends of ranges.
        - A point that sticks slides at ``g (mu x_n - |x_t|)``.  One that slides sticks at its slip.
        - Dry friction that holds slides at ``g`` times what is left to its bound.  Where it slides
          it holds at its speed.
        - Viscous friction of a point begins where its gap would close without impulses.

        Points and ends farther than 1 mm from what the step may close are not looked at, hence the
        upper bound.  Kinks of forces without contact do not count, such as clamped controls.  Nor
        does that of a gap at zero, below which overlaps are pushed out or springs act.  A point
        that bears nothing of a load that others share has the margin zero.
        """
        given = {"q": q, "qd": qd, "activation": activation, "tau": tau, "controls": controls}
        differentiated, batch, arrays, made = self._to_differentiate(given, parameters)
        return differentiated.margins(arrays, made).reshape(batch)

    @cached_property
    def _derivatives(self) -> StepDerivatives:
        why = _unknown(self._programs.whole, self._programs.parameters)
        if why is not None:
            raise ModelError(
                f"derivatives and smoothing of a step know no {why} (scene '{self.scene.name}')"
            )
        return StepDerivatives(self._programs)

    @cached_property
    def _relaxed(self) -> RelaxedDerivatives:
        return RelaxedDerivatives(self._derivatives)

    def _relaxation(self, smoothing: float) -> float:
        return as_number("smoothing", smoothing, f" (scene '{self.scene.name}')", least=0.0)

    def _check_names(self, names: Iterable[str]) -> None:
        """Refuse parameters by which there are no derivatives."""
        where = f"(scene '{self.scene.name}')"
        for name in names:
            known = self._programs.parameters
            if name not in known:
                raise ModelError(f"expected by among parameters {', '.join(known) or 'none'}, got "
                                 f"{shown(name)}{suggestion(name, known)} {where}")  # fmt: skip

    def _to_differentiate(
        self, given: Mapping[str, Any], parameters: Mapping[str, ArrayLike] | None,
        smoothing: float = 0.0,
    ) -> tuple[StepDerivatives, tuple[int, ...], dict[str, Any], StepMade]:  # fmt: skip
        """Derivatives, batch axes, inputs of a step, weights if given, and how it ended."""
        r = self._relaxation(smoothing)
        differentiated = self._relaxed if r else self._derivatives
        batch, arrays = self._arrays(given, parameters)
        state = dict(zip(self._programs.state, self._stepped(arrays).now, strict=True))
        x = state.get("x", np.zeros((len(state["q"]), 0)))
        made = StepMade(state["q"], state["qd"], x, r)
        return differentiated, batch, {**arrays, "dt": self.dt}, made

    def _arrays(
        self, given: Mapping[str, Any], parameters: Mapping[str, ArrayLike] | None
    ) -> tuple[tuple[int, ...], dict[str, np.ndarray]]:
        """The batch axes, and all inputs of the step with one axis of worlds."""
        model, own, inputs = self.scene.model, self._programs.parameters, self._programs.inputs
        where = f"scene '{self.scene.name}'"
        sizes = {"q": model.nq, "qd": model.nv, "tau": model.nv}
        sizes |= {"activation": model.n_activations, "controls": model.n_controls}
        sizes |= dict.fromkeys(_WEIGHTS[:2], model.nv)
        (sizes["weight_activation"],) = inputs.get("activation", (0,))
        values = parameter_arrays(own, parameters, where)
        if len(values) < len(own):
            wanted, got = (", ".join(x) or "none" for x in (own, values))
            raise ModelError(f"expected parameters {wanted}, got {got} ({where})")
        cores, where = {name: (sizes[name],) for name in given} | own, f" ({where})"
        filled = [np.zeros(cores[name]) if x is None and name not in _NEEDED else x
                  for name, x in given.items()]  # fmt: skip
        filled += [values[name] for name in own]
        arrays = as_arrays(cores, filled, where)
        batch, found = batch_of(cores, arrays, where), {}
        for (name, core), array in zip(cores.items(), arrays, strict=True):
            whole = np.broadcast_to(array, (*batch, *core)).reshape(math.prod(batch), *core)
            found[name] = np.array(whole, float, order="C")
        found["q"] = unit(model, found["q"], "q")
        found["x"] = np.zeros((len(found["q"]), self._programs.kept.n_kept))
        taken = {*inputs, *_WEIGHTS}
        return batch, {name: x for name, x in found.items() if name in taken}

    def _stepped(self, arrays: Mapping[str, np.ndarray]) -> LaneWorlds:
        """Worlds after a step."""
        programs = self._programs
        own = [arrays[name] for name in programs.parameters]
        worlds = LaneWorlds(programs, [arrays[name] for name in programs.state], self.dt, own)
        worlds.step([arrays[name] for name in ("tau", "controls") if name in arrays])
        return worlds


def _unknown(whole: ContactModel, parameters: Mapping[str, Any]) -> str | None:
    """What derivatives do not know, and what to do instead."""
    if "restitution" in parameters:
        return "restitution; leave it out of parameters="
    if whole.has_rebound:
        return "restitution; give its contacts Scene.contact(restitution=0)"
    return None
