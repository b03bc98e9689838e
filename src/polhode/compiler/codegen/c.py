"""Printer from straight-line code to a C99 function, for one state or several side by side.

Arrays of one state are flat and row-major.  With several lanes number ``k`` of state ``l`` is
element ``k * lanes + l``.  The statements then stand in loops over the lanes, which a compiler can
turn into vector instructions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..graph.code import Code
from ..graph.ops import GATHER
from .calls import Call, Turns, slots_of, turns_of
from .layout import BufferLayout, lay_out
from .literals import to_single
from .section import Section
from .sections import plan_sections

FORMS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
    "sqrt": "sqrt{f}({0})",
    "abs": "fabs{f}({0})",
    "floor": "floor{f}({0})",
    "rint": "rint{f}({0})",
    "fma": "fma{f}({0}, {1}, {2})",
    "fms": "fma{f}({0}, {1}, -{2})",
    "fnma": "fma{f}(-{0}, {1}, {2})",
    "fnms": "fma{f}(-{0}, {1}, -{2})",
    "min": "{0} != {0} || {0} < {1} ? {0} : {1}",
    "max": "{0} != {0} || {0} > {1} ? {0} : {1}",
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "eq": "{0} == {1}",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "not": "!{0}",
    "where": "{0} ? {1} : {2}",
    "gather": "{0} != {0} ? {0} : {1}",
    "exp": "({T})polhode_exp({0})",
    "log": "({T})polhode_log({0})",
    "atan2": "({T})polhode_atan2({0}, {1})",
}
SECTION_OPS = 300  # instructions of one C function: compilers take long over longer ones


@dataclass(frozen=True)
class Signature:
    """What a C function is called and takes.

    Attributes
    ----------
    name : str
    inputs, outputs : mapping of str to tuple of int
        Names and core shapes, in order.
    dtype : {"f64", "f32"}
    lanes : int
        States side by side in every array.
    """

    name: str
    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, tuple[int, ...]]
    dtype: str = "f64"
    lanes: int = 1

    @property
    def scalar(self) -> str:
        """C name of the number type."""
        return "double" if self.dtype == "f64" else "float"

    def parameters(self, qualifier: str = "") -> list[str]:
        """Declarations of the parameters; an array of nothing has room for one state."""
        made = []
        for const, arrays in (("const ", self.inputs), ("", self.outputs)):
            for name, shape in arrays.items():
                size = max(1, math.prod(shape)) * self.lanes
                made.append(f"{const}{self.scalar} {name}[{qualifier}{size}]")
        return made

    def prototype(self, qualifier: str = "") -> str:
        """The function's head, one parameter on each line."""
        return f"void {self.name}(\n    " + ",\n    ".join(self.parameters(qualifier)) + ")"


class CFunction:
    """The C text of straight-line code.

    Attributes
    ----------
    text : str
        Definitions: helpers of a long function, then the function.
    needs : set of str
        Library functions that the text calls.
    workspace : int
        Numbers that it keeps on the stack, for all lanes together.
    """

    def __init__(self, code: Code, signature: Signature):
        self.code: Code = code
        self.signature: Signature = signature
        self.needs: set[str] = set()
        sizes = [math.prod(shape) for shape in signature.inputs.values()]
        self.layout: BufferLayout = lay_out(code, sizes)
        plan = plan_sections(code, self.layout, section_ops=SECTION_OPS)
        self._work: dict[int, int] = {}
        self._place: dict[int, tuple[str, int]] = {}
        self._n_flags = 0
        self._sections: list[_Section] = []
        self._skipped: list[int] = []
        self._place_arrays(sizes)
        calls = self._calls(code, self.layout, plan.sections)
        self.text: str = self._whole(calls)

    @property
    def workspace(self) -> int:
        """Numbers on the stack."""
        return len(self._work) * self.signature.lanes

    def element(self, slot: int) -> tuple[str, str]:
        """The array that a slot belongs to, and the C text of its element."""
        if slot not in self._place:
            self._place[slot] = ("w", self._work.setdefault(slot, len(self._work)))
        array, k = self._place[slot]
        return array, self.subscript(array, k)

    def subscript(self, array: str, k: int) -> str:
        """Element ``k`` of an array, in the lane that the loop is at."""
        lanes = self.signature.lanes
        return f"{array}[{k}]" if lanes == 1 else f"{array}[{k * lanes} + l]"

    def input_entry(self, first: int, last: int, at: str) -> str | None:
        """The entry ``at`` of the slots of one input, from ``first`` on; None of several inputs."""
        (array, k), (other, _) = self._place[first], self._place[last]
        lanes = self.signature.lanes
        if array != other:
            return None
        return f"{array}[{k} + {at}]" if lanes == 1 else f"{array}[({k} + {at}) * {lanes} + l]"

    def literal(self, x: float) -> str:
        """A number as C reads it back."""
        is_single = self.signature.dtype == "f32"
        x = to_single(x) if is_single else x
        if not math.isfinite(x):
            sign = "-" if x < 0 else ""
            return f"({sign}({self.signature.scalar}){'NAN' if x != x else 'INFINITY'})"
        text = f"{x:.9g}" if is_single else repr(x)
        text += ("" if re.search(r"[.e]", text) else ".0") + ("f" if is_single else "")
        return f"({text})" if text.startswith("-") else text

    def _place_arrays(self, sizes: Sequence[int]) -> None:
        """Where inputs, their sines and cosines, and outputs are."""
        s, layout = self.signature, self.layout
        for name, first, size in zip(s.inputs, layout.first, sizes, strict=True):
            self._place |= {first + k: (name, k) for k in range(size)}
        for k in range(2 * len(layout.trig)):
            self.element(layout.trig_slot + k)
        targets = [(name, k) for name, shape in s.outputs.items() for k in range(math.prod(shape))]
        self._copies: list[tuple[str, int, int]] = []
        for slot, target in zip(layout.outputs, targets, strict=True):
            if slot in self._place:
                self._copies.append((*target, slot))
            else:
                self._place[slot] = target

    def _calls(
        self, code: Code, layout: BufferLayout, sections: Sequence[Section]
    ) -> list[Call | Turns]:
        """Calls of sections, whose statements this writes."""
        calls: list[Call | Turns] = []
        for section in sections:
            if section.is_loop(code):
                turns = turns_of(code, layout, section, self._turn)
                calls.append(turns)
                self._skipped += [slot for slot, _ in turns.carried] if section.branches else []
                continue
            written = _Section(self, code, layout, section)
            names = ", ".join(map(_array_of, self._arrays(written.used)))
            text = f"{self.signature.name}_{len(self._sections)}({names});"
            calls.append(Call(slots_of(section, layout), (text,)))
            self._sections.append(written)
            if section.branches:  # compilers warn of numbers that may not be there
                self._skipped += [layout.slot[k] for k in section.stores]
        return calls

    def _turn(self, code: Code, layout: BufferLayout) -> list[Call | Turns]:
        plan = plan_sections(code, layout, section_ops=SECTION_OPS)
        return self._calls(code, layout, plan.sections)

    def _whole(self, calls: Sequence[Call | Turns]) -> str:
        s, parts, body, used = self.signature, [], [], set()
        for at in self.layout.trig:
            body.append(self._angle(at, used))
        is_one = len(self._sections) == 1 and isinstance(calls[0], Call)
        statements = [] if is_one else self._statements(calls, used)  # which takes workspace
        for n, section in enumerate(self._sections):
            used |= section.used
            if is_one:
                body += self._in_lanes(section.lines)
                continue
            head = f"static void {s.name}_{n}(\n    "
            head += ",\n    ".join(self._arrays(section.used)) + ")"
            parts.append(f"{head}\n{{\n{_indented(self._in_lanes(section.lines))}\n}}\n")
        body += self._in_lanes([f"{self._used_element(k, used)} = 0;" for k in self._skipped])
        body += statements
        body += self._in_lanes(self._last_lines(used))
        head = [f"{s.scalar} w[{self.workspace}];"] if self._work else []
        unused = [name for name in (*s.inputs, *s.outputs) if name not in used]
        head += [f"(void){name};" for name in unused]
        parts.append(f"{s.prototype('restrict ')}\n{{\n{_indented(head + body)}\n}}\n")
        return "\n".join(parts)

    def _statements(
        self,
        calls: Sequence[Call | Turns],
        used: set[str],
        depth: int = 0,
        lanes: tuple[int, ...] = (),
    ) -> list[str]:
        """Calls in turn, for the sake of the lanes in which these slots are not zero."""
        lines: list[str] = []
        for branch, run in groupby(calls, key=lambda call: call.branches[depth : depth + 1]):
            if branch:
                wanted = (*lanes, *branch)
                before, condition = self._in_any_lane(wanted, used)
                inner = self._statements(list(run), used, depth + 1, wanted)
                lines += [*before, f"if ({condition}) {{", *_shifted(inner), "}"]
                continue
            for call in run:
                lines += self._loop(call, used, lanes) if isinstance(call, Turns) else call.lines
        return lines

    def _loop(self, turns: Turns, used: set[str], lanes: tuple[int, ...]) -> list[str]:
        goes, again = (self._used_element(k, used) for k in (turns.goes, turns.again))
        start = [
            f"{self._used_element(k, used)} = {self._source(x, used)};" for k, x in turns.start
        ]
        if lanes:
            start.append(f"{goes} = {self._condition((turns.goes, *lanes), used)};")
        changing = [(x, y) for x, y in turns.carried if x != y]
        carried = [self._used_element(x, used) for x, _ in changing]
        end = [
            f"const {self.signature.scalar} n{k} = {self._used_element(y, used)};"
            for k, (_, y) in enumerate(changing)
        ]
        end += [f"{x} = {goes} != 0 ? n{k} : {x};" for k, x in enumerate(carried)]
        end.append(f"{goes} = {goes} != 0 && {again} != 0;")
        before, condition = self._in_any_lane((turns.goes,), used)
        body = [*before, f"if (!({condition})) break;"]
        body += self._statements(turns.calls, used, 0, (turns.goes,))
        body += self._in_lanes(end) if self.signature.lanes > 1 else ["{", *_shifted(end), "}"]
        n = self._flag("turn")
        head = f"for (int {n} = 0; {n} < {turns.most}; ++{n}) {{"
        return [*self._in_lanes(start), head, *_shifted(body), "}"]

    def _in_any_lane(self, slots: tuple[int, ...], used: set[str]) -> tuple[list[str], str]:
        """Statements, and then a condition: whether some lane has no zero in these slots."""
        condition = self._condition(slots, used)
        if self.signature.lanes == 1:
            return [], condition
        flag = self._flag("any")
        return [f"int {flag} = 0;", *self._in_lanes([f"{flag} |= {condition};"])], flag

    def _condition(self, slots: tuple[int, ...], used: set[str]) -> str:
        return " && ".join(f"{self._used_element(slot, used)} != 0" for slot in slots)

    def _source(self, x: int | float, used: set[str]) -> str:
        return self.literal(x) if isinstance(x, float) else self._used_element(x, used)

    def _used_element(self, slot: int, used: set[str]) -> str:
        array, text = self.element(slot)
        used.add(array)
        return text

    def _flag(self, stem: str) -> str:
        self._n_flags += 1
        return f"{stem}{self._n_flags}"

    def _arrays(self, used: set[str]) -> list[str]:
        """Declarations of the arrays that are used."""
        work = f"{self.signature.scalar} w[restrict {max(1, self.workspace)}]"
        return [p for p in (*self.signature.parameters("restrict "), work) if _array_of(p) in used]

    def _angle(self, at: int, used: set[str]) -> str:
        """The statement that computes sine and cosine of an input."""
        lanes = self.signature.lanes
        array, k = self._place[at]
        used |= {array, "w"}
        n = self._work[self.layout.trig_slot + 2 * self.layout.trig.index(at)]
        if lanes == 1:
            self.needs.add("sincos")
            f = "f" if self.signature.dtype == "f32" else ""
            return f"polhode_sincos{f}({array}[{k}], &w[{n}], &w[{n + 1}]);"
        self.needs.add("sincos_lanes")
        places = f"{array} + {k * lanes}, w + {n * lanes}, w + {(n + 1) * lanes}"
        return f"polhode_sincos_lanes({places});"

    def _last_lines(self, used: set[str]) -> list[str]:
        """Outputs that are constant, or equal to an input or to another output."""
        lines = []
        for slot, x in self.layout.constants:
            array, element = self.element(slot)
            used.add(array)
            lines.append(f"{element} = {self.literal(x)};")
        for array, k, slot in self._copies:
            source, element = self.element(slot)
            used |= {array, source}
            lines.append(f"{self.subscript(array, k)} = {element};")
        return lines

    def _in_lanes(self, lines: list[str]) -> list[str]:
        if self.signature.lanes == 1 or not lines:
            return lines
        head = f"for (int l = 0; l < {self.signature.lanes}; ++l) {{"
        return [head, *("    " + line for line in lines), "}"]


class _Section:
    """The statements of one section, for one lane."""

    def __init__(self, function: CFunction, code: Code, layout: BufferLayout, section: Section):
        self.function, self.code, self.layout = function, code, layout
        self.lines: list[str] = []
        self.used: set[str] = set()
        self._name: dict[int, str] = {}
        self._pairs: dict[int, int] = {}
        stores = set(section.stores)
        for k in section.members:
            self._statement(k)
            if k in stores:
                array, element = function.element(self.layout.slot[k])
                self.used.add(array)
                self.lines.append(f"{element} = {self._name[k]};")

    def _statement(self, k: int) -> None:
        op, scalar = self.code.ops[k], self.function.signature.scalar
        operands = [self._value(a) for a in self.code.args[k]]
        suffix = "f" if scalar == "float" else ""
        if op is GATHER:
            operands = self._looked_up(k, operands, scalar)
        if op.name in ("sin", "cos"):
            self._sine_or_cosine(k, operands[0], scalar, suffix)
            return
        if op.is_library:
            self.function.needs.add(op.name)
        type = "int" if op.is_condition else scalar
        text = FORMS[op.name].format(*operands, f=suffix, T=scalar)
        self.lines.append(f"const {type} v{k} = {text};")
        self._name[k] = f"v{k}"

    def _looked_up(self, k: int, operands: list[str], scalar: str) -> list[str]:
        """The number to look up, and the text of the entry there."""
        place, *entries = operands
        last = self.function.literal(len(entries) - 1.0)
        at = f"(int)({place} > 0 ? {place} < {last} ? {place} : {last} : 0)"
        arguments = self.code.args[k][1:]
        names = {self.code.ops[a].name for a in arguments}
        if names == {"input"}:
            slots = [self.layout.slot[a] for a in arguments]
            if slots == list(range(slots[0], slots[0] + len(slots))):
                element = self.function.input_entry(slots[0], slots[-1], at)
                if element:
                    return [place, element]
        static = "static " if names == {"const"} else ""
        table = f"{static}const {scalar} t{k}[] = {{{', '.join(entries)}}};"
        self.lines.append(table)
        return [place, f"t{k}[{at}]"]

    def _sine_or_cosine(self, k: int, angle: str, scalar: str, suffix: str) -> None:
        argument = self.code.args[k][0]
        n = self._pairs.setdefault(argument, k)
        if n == k:
            self.function.needs.add("sincos")
            self.lines.append(f"{scalar} s{k}, c{k};")
            self.lines.append(f"polhode_sincos{suffix}({angle}, &s{k}, &c{k});")
        self._name[k] = f"{'s' if self.code.ops[k].name == 'sin' else 'c'}{n}"

    def _value(self, k: int) -> str:
        """The text of value ``k``: a name, a literal, or an element of an array."""
        if k in self._name:
            return self._name[k]
        if self.code.ops[k].name == "const":
            text = self.function.literal(self.code.args[k][0])
        else:
            array, text = self.function.element(self.layout.slot[k])
            self.used.add(array)
            if self.code.ops[k].is_condition:
                text = f"({text} != 0)"
        self._name[k] = text
        return text


def _array_of(parameter: str) -> str:
    return parameter.split("[")[0].split(" ")[-1]


def _shifted(lines: Iterable[str]) -> list[str]:
    return ["    " + line for line in lines]


def _indented(lines: list[str]) -> str:
    return "\n".join("    " + line for line in lines)
