"""Programs made from programs by differentiation of what they compute."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arguments import as_texts
from ...errors import TraceError, shown, suggestion
from ..graph import Graph, Value
from ..graph.derive import Row, without_zeros
from ..graph.forward import forward
from ..graph.loop import TracedGraph
from ..graph.reverse import reverse
from ..graph.sparse import dependence, jacobian
from .compose import nested, scalars_of
from .source import flatten, shape_of

if TYPE_CHECKING:
    from .program import Program

Shape = tuple[int, ...]
Names = tuple[str, ...]


def derivative(
    kind: str, program: Program, names: Names, tangent: bool, with_value: bool
) -> Program:
    """The program of a derivative by inputs; it pickles if ``program`` does.

    ``kind`` is a key of `KINDS`.
    """
    options = names, tangent, with_value
    build, inputs = _computed(kind, program, *options)
    key = program._source.key
    return type(program)(
        build,
        inputs,
        name=f"{program.name}_{kind}",
        key=key and hashlib.sha256(key + repr((kind, *options)).encode()).digest(),
        recipe=(derivative, (kind, program, *options)) if program._recipe else None,
        tangents=program.tangents,
        interface=program.interface.of_derivatives(),
    )


def _computed(
    kind: str, program: Program, names: Names, tangent: bool, with_value: bool
) -> tuple[Callable[..., Any], dict[str, Shape]]:
    """What the program of a derivative computes, and its inputs."""
    if tangent and program.tangents is None:
        raise TraceError(
            f"expected a program with inputs on a manifold for tangent=True, got {program.name!r}; "
            "programs of polhode.compile have them"
        )
    make, extra = KINDS[kind]
    inputs = program.inputs
    for name, shape in extra(program, names, tangent).items():
        inputs[_unused(name, inputs)] = shape
    n_own = len(program.inputs)

    def build(*values: Any) -> Any:
        trace = DerivativeTrace(program, values[:n_own], tangent)
        results = make(trace, names, values[n_own:])
        return (*trace.outputs, *results) if with_value else tuple(results)

    return build, inputs


def chosen(program: Program, names: str | Iterable[str] | None) -> Names:
    """Names of inputs, checked; all for None.

    Raises
    ------
    TraceError
        If an input has no such name.
    """
    own = program.inputs
    if names is None:
        return tuple(own)
    picked = (names,) if isinstance(names, str) else as_texts("wrt", names)
    for name in picked:
        if name not in own:
            raise TraceError(
                f"expected one of the inputs {', '.join(own)} of {program.name}, got {shown(name)}"
                f"{suggestion(name, tuple(own))}"
            )
    return picked


class DerivativeTrace:
    """One trace of a program, with the directions in which its inputs vary."""

    def __init__(self, program: Program, values: Sequence[Any], tangent: bool):
        self.program: Program = program
        self.tangent: bool = tangent
        self.arguments: dict[str, Any] = dict(zip(program.inputs, values, strict=True))
        result = program._source.build(*values)
        self.outputs: tuple[Any, ...] = result if isinstance(result, tuple) else (result,)
        self.shapes: list[tuple[int, ...]] = [shape_of(x) for x in self.outputs]
        self.scalars: list[list[Value | float]] = [[] for _ in self.outputs]
        for x, shape, into in zip(self.outputs, self.shapes, self.scalars, strict=True):
            flatten(x, shape, into)
        inputs = (x for value in values for x in scalars_of(value))
        first = next(inputs, None)
        self.graph: Graph = first.graph if isinstance(first, Value) else TracedGraph()

    def directions(self, name: str) -> tuple[list[Value], list[Row], Shape]:
        """The scalars of an input, their change along each direction, and the latter's shape."""
        value = self.arguments[name]
        scalars = list(scalars_of(value))
        basis = (self.program.tangents or {}).get(name) if self.tangent else None
        if basis is None:
            return scalars, [{k: 1.0} for k in range(len(scalars))], self.program.inputs[name]
        rows = basis(value)
        seeds = [without_zeros(dict(enumerate(row))) for row in rows]
        return scalars, seeds, (len(rows[0]),)

    def rows(self, outputs: Sequence[Any], names: Names) -> Iterator[tuple[list[Row], Shape]]:
        """Of each name in turn: sparse rows of derivatives of the outputs by it."""
        scalars, seeds, spans, n = [], [], [], 0
        for name in names:
            own, rows, shape = self.directions(name)
            scalars += own
            seeds += [{n + k: x for k, x in row.items()} for row in rows]
            spans.append((n, shape))
            n += math.prod(shape)
        found = jacobian(self.graph, outputs, scalars, seeds)
        for start, shape in spans:
            end = start + math.prod(shape)
            yield [{k - start: x for k, x in r.items() if start <= k < end} for r in found], shape


def _jacobian(trace: DerivativeTrace, names: Names, _: Sequence[Any]) -> list[Any]:
    results = []
    blocks = list(trace.rows([x for part in trace.scalars for x in part], names))
    start = 0
    for part, own in zip(trace.scalars, trace.shapes, strict=True):
        for rows, shape in blocks:
            dense = _dense(rows[start : start + len(part)], math.prod(shape))
            results.append(nested(iter(dense), own + shape))
        start += len(part)
    return results


def _jvp(trace: DerivativeTrace, names: Names, changes: Sequence[Any]) -> list[Any]:
    seeds: dict[int, Row] = {}
    for name, change in zip(names, changes, strict=True):
        scalars, rows, _ = trace.directions(name)
        along = list(scalars_of(change))
        for x, row in zip(scalars, rows, strict=True):
            total: Any = sum((along[k] * factor for k, factor in row.items()), 0.0)
            seeds[x.id] = without_zeros({0: total})
    results = []
    rows = iter(forward(trace.graph, [x for part in trace.scalars for x in part], seeds))
    for shape in trace.shapes:
        results.append(nested((row.get(0, 0.0) for row in rows), shape))
    return results


def _vjp(trace: DerivativeTrace, names: Names, weights: Sequence[Any]) -> list[Any]:
    outputs = [x for part in trace.scalars for x in part]
    scale: list[Row] = [{0: x} for weight in weights for x in scalars_of(weight)]
    ways = [trace.directions(name) for name in names]
    inputs = [x for scalars, _, _ in ways for x in scalars]
    found = iter(reverse(trace.graph, outputs, scale, inputs))
    results = []
    for scalars, seeds, shape in ways:
        total: list[Any] = [0.0] * math.prod(shape)
        for seed, row in zip(seeds, [next(found) for _ in scalars], strict=True):
            for k, factor in seed.items():
                total[k] = total[k] + factor * row.get(0, 0.0)
        results.append(nested(iter(total), shape))
    return results


def _hessian(trace: DerivativeTrace, names: Names, _: Sequence[Any]) -> list[Any]:
    """Of two equal names the symmetric part, which is all there is but for tangents."""
    first, second = names
    outputs = [x for part in trace.scalars for x in part]
    ((rows, shape),) = trace.rows(outputs, (first,))
    n = math.prod(shape)
    entries = _dense(rows, n)
    ((again, other),) = trace.rows(entries, (second,))
    dense = _dense(again, math.prod(other))
    if first == second:
        dense = _symmetric(dense, len(outputs), n, trace.tangent)
    results, values = [], iter(dense)
    for own in trace.shapes:
        results.append(nested(values, own + shape + other))
    return results


def _symmetric(dense: list[Any], n_outputs: int, n: int, is_tangent: bool) -> list[Any]:
    """Both triangles equal; along straight coordinates only one of them is computed."""
    for start in range(0, n_outputs * n * n, n * n):
        for i in range(n):
            for j in range(i):
                a, b = start + n * i + j, start + n * j + i
                upper = (dense[a] + dense[b]) * 0.5 if is_tangent else dense[b]
                dense[a] = dense[b] = upper
    return dense


def _no_more(program: Program, names: Names, tangent: bool) -> dict[str, Shape]:
    return {}


def _changes(program: Program, names: Names, tangent: bool) -> dict[str, Shape]:
    """Inputs for the change of each of these inputs."""
    shapes = {name: program.inputs[name] for name in names}
    if tangent and program.tangents:
        for name in set(names) & set(program.tangents):
            zeros = nested(iter([0.0] * math.prod(shapes[name])), shapes[name])
            shapes[name] = (len(program.tangents[name](zeros)[0]),)
    return {f"d_{name}": shape for name, shape in shapes.items()}


def _weights(program: Program, names: Names, tangent: bool) -> dict[str, Shape]:
    """Inputs for the weight of each output."""
    shapes = program.output_shapes
    if len(shapes) == 1:
        return {"weight": shapes[0]}
    return {f"weight{k}": shape for k, shape in enumerate(shapes)}


KINDS: dict[str, tuple[Callable[..., list[Any]], Callable[..., dict[str, Shape]]]] = {
    "jacobian": (_jacobian, _no_more),
    "jvp": (_jvp, _changes),
    "vjp": (_vjp, _weights),
    "hessian": (_hessian, _no_more),
}


def sparsity(program: Program, wrt: str) -> np.ndarray | tuple[np.ndarray, ...]:
    """Where the derivatives of each output by an input may differ from zero."""
    (name,) = chosen(program, as_texts("wrt", (wrt,)))
    shape, shapes = program.inputs[name], program.output_shapes
    whole = np.array(_dependence(program, name), dtype=bool)
    ends = np.cumsum([math.prod(own) for own in shapes])[:-1]
    pieces = zip(np.split(whole, ends), shapes, strict=True)
    parts = tuple(piece.reshape(own + shape) for piece, own in pieces)
    return parts[0] if len(parts) == 1 else parts


def _dependence(program: Program, name: str) -> list[list[bool]]:
    """Of each scalar output, by scalar of an input: whether the one may vary with the other."""
    numbers, n = {}, 0
    for key, shape in program.inputs.items():
        numbers[key] = range(n, n + math.prod(shape))
        n += math.prod(shape)
    inputs = [program.graph.input(k) for k in numbers[name]]
    bits = dependence(program.graph, program._source.values, inputs)
    return [[bool(row >> k & 1) for k in range(len(inputs))] for row in bits]


def _unused(name: str, taken: Iterable[str]) -> str:
    while name in taken:
        name = f"{name}_"
    return name


def _dense(rows: Sequence[Row], n: int) -> list[Any]:
    return [row.get(k, 0.0) for row in rows for k in range(n)]
