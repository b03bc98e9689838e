"""Derivatives by the graph, for what the analytic algorithms know nothing of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..arrays import written
from ..constraint_sets import ConstraintSet
from ..constraint_sets import Custom as CustomRows
from ..model import Model
from ..once import kept
from .calls import called_program, evaluate, set_program
from .model_argument import require_model, where_of
from .programs import program_of
from .tracing import optional_inputs

if TYPE_CHECKING:
    from ..compiler import Program

Make = Callable[["Program"], "Program"]


def has_formulas(model: Model) -> bool:
    """Whether the analytic derivatives cover a model.

    They cover neither joints whose subspace varies in another way than by axes in series, nor
    the armature of tendons.

    Raises
    ------
    ModelError
        If ``model`` is none.
    """
    try:
        return model.programs[has_formulas]
    except (AttributeError, KeyError):
        kinds = [model.joint[i] for i in require_model(model).bodies]
        is_known = all(kind.has_constant_axes for kind in kinds)
        answer = is_known and not any(tendon.armature for tendon in model.tendons)
        return model.programs.setdefault(has_formulas, answer)


def evaluate_derivative(
    analytic: Callable[..., Any], model: Model, arguments: tuple[Any, ...], out: Any,
    function: Callable[..., Any], make: Make, results: Sequence[int] | None = None, **static: Any,
) -> Any:  # fmt: skip
    """Call the analytic algorithm's program, or a derivative of ``function``'s without formulas.

    ``make`` differentiates the program of ``function``, which takes the same arguments;
    ``results`` picks from what it returns.
    """
    if has_formulas(model):
        return evaluate(analytic, model, arguments, out, **static)
    optional = optional_inputs(function, len(arguments))
    program = derived_program(function, model, make, analytic, optional=optional, **static)
    return called_derived(program, model, arguments, out, results)


def derived_program(
    function: Callable[..., Any], model: Model, make: Make, key: Any, **static: Any
) -> Program:
    """A program made from that of ``function``, kept with the model under ``key``."""
    if "body" in static:
        static["body"] = model.body(static["body"]).id
    whole = (derived_program, key, *sorted(static.items()))
    return kept(model.programs, whole, lambda: make(program_of(function, model, **static)))


def called_derived(
    program: Program,
    model: Model,
    arguments: tuple[Any, ...],
    out: Any,
    results: Sequence[int] | None,
) -> Any:
    """Check the arguments, call a program, and pick from its results."""
    found = called_program(program, arguments, None, model)
    if results is not None:
        found = tuple(found[k] for k in results)
    return written(found, out, where_of(model))


def evaluate_set_derivative(
    function: Callable[..., Any],
    constraints: ConstraintSet,
    wrt: Sequence[str],
    arguments: tuple[Any, ...],
    out: Any,
) -> Any:
    """Derivatives by the graph of an algorithm for a constraint set."""
    optional = optional_inputs(function, len(arguments))
    key = (evaluate_set_derivative, function, optional)

    def make() -> Program:
        return set_program(function, constraints, optional).jacobian(wrt, tangent=True)

    program = kept(constraints.programs, key, make)
    return called_program(program, arguments, out, constraints.model)


def is_analytic(constraints: ConstraintSet) -> bool:
    """Whether no row of the set is the user's own code, and the model has formulas."""
    own = any(isinstance(c, CustomRows) for c in constraints.constraints)
    return not own and has_formulas(constraints.model)
