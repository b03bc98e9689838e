"""Statements of Python as LLVM's blocks: the whole of one function for given types."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .annotations import fitted, hints_of, in_words
from .block_writer import NOTHING, WIDE, TypedValue, Variable
from .calls import Calls
from .expressions import Restart
from .functions import RESULT, Written, call, is_returned_in_memory, returned
from .memory import UNLIKELY, give_back, keep, keep_variables, mark, take, was_refused
from .source import UNKNOWN, FunctionSource
from .types import INT, NONE, Array, Tuple, Type, flat, has_arrays, has_structs, join

if TYPE_CHECKING:
    from .module import Module

RETURNED = "return"  # among the wider types: that of what is returned


class FunctionWriter(Calls):
    """A function that is written for arguments of given types."""

    def __init__(
        self,
        source: FunctionSource,
        kinds: tuple[Type, ...],
        wider: dict[str, Type],
        module: Module,
        written: Written,
    ):
        super().__init__(source, wider)
        self.module: Module = module
        self.kinds: tuple[Type, ...] = kinds
        self.written: Written = written
        self.asks: bool = False  # whether it asks for memory itself
        self.failed: str | None = None  # the block that leaves it where there is no memory
        self.since: tuple[str, str] = mark(self)
        self.returns: list[tuple[str, TypedValue]] = []
        self.begins: list[tuple[str, int, ast.stmt]] = []  # of statements: block and line in it
        self.header: list[str] = ["ptr %arena"]
        if len(kinds) != len(source.parameters):
            raise source.error(source.tree, f"expected {len(source.parameters)} arguments")
        hints = hints_of(source.function)
        for name, kind in zip(source.parameters, kinds, strict=True):
            self._parameter(name, kind, hints.get(name, Any))

    def _parameter(self, name: str, kind: Type, hint: Any) -> None:
        said = fitted(kind, hint)
        if said is None:
            raise self.error(self.source.tree, f"expected {in_words(hint)} as '{name}', got {kind}")
        irs = flat(kind)
        if len(irs) > WIDE:
            home = self.name(name)
            self.header.append(f"ptr noalias readonly {home}")
            slots = self.slots_at(home, len(irs))
            if name not in self.source.stored:
                self.variables[name] = Variable(kind, slots, home)
                return
            value = self.load(Variable(kind, slots, home))
        else:
            parts = tuple(self.name(name) for _ in irs)
            self.header += [f"{ir} {p}" for ir, p in zip(irs, parts, strict=True)]
            value = TypedValue(kind, parts)
        self.assign(name, self.coerced(value, said), self.source.tree)

    def call(
        self, node: ast.AST, function: Callable[..., Any], values: list[TypedValue],
        owner: type | None = None,
    ) -> TypedValue:  # fmt: skip
        """A call of a function of Python, which is compiled with this one."""
        written = self.module.add(function, tuple(v.type for v in values), owner)
        if written.returns is None:
            raise self.error(node, "compiled code cannot call themselves")
        self.written.callees[written] = None
        result = call(self, written, values)
        if written.may_fail and self.here is not None:
            self._leave_if(was_refused(self))
        return result

    def taken(self, bytes_: str) -> str:
        """The address of new memory; the function is left if there is none."""
        place, is_none = take(self, bytes_, self.written.label)
        self.asks = True
        if self.here is not None:
            self._leave_if(is_none)
        return place

    def _leave_if(self, is_refused: str) -> None:
        """Leave the function, and those that called it, if there was no memory."""
        self.failed = self.failed or self.block("failed")
        following = self.block("taken")
        self.branch(is_refused, self.failed, following, UNLIKELY)
        self.enter(following)

    def write(self) -> None:
        """Write all statements, and what comes when they end."""
        self.statements(self.source.tree.body)
        if self.here is not None:
            self._give(self.source.tree, NOTHING)
        self.took: bool = self.takes

    def statements(self, nodes: list[ast.stmt]) -> None:
        """Write statements up to one that leaves."""
        for node in nodes:
            if self.here is None:
                return
            method = getattr(self, f"_{type(node).__name__}", None)
            if method is None:
                raise self.error(node, f"compiled code has no {type(node).__name__}")
            self.begins.append((self.here, len(self.blocks[self.here]), node))
            method(node)

    def _Pass(self, node: ast.Pass) -> None:
        pass

    def _Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def _If(self, node: ast.If) -> None:
        known = self.known_truth(node.test)
        if known is not None:  # the other branch may be of other types
            self.statements(node.body if known else node.orelse)
            return
        yes, no, out = self.block("then"), self.block("else"), self.block("endif")
        self.branch(self.condition(node.test), yes, no)
        reached = False
        for label, part in ((yes, node.body), (no, node.orelse)):
            self.enter(label)
            self.statements(part)
            if self.here is not None:
                reached = True
                self.jump(out)
        if reached:
            self.enter(out)
        else:
            del self.blocks[out]

    def _Break(self, node: ast.Break) -> None:
        self.jump(self.loops[-1][1])

    def _Continue(self, node: ast.Continue) -> None:
        self.jump(self.loops[-1][0])

    def _While(self, node: ast.While) -> None:
        head = self.block("while")
        self.jump_from_here(head)
        with self._repeated(node, head) as (inside, out):
            self.branch(self.condition(node.test), inside, out)

    def jump_from_here(self, label: str) -> None:
        """Mark the memory, and go on in a new block."""
        self._since_loop = mark(self)
        self.jump(label)
        self.enter(label)

    @contextmanager
    def _repeated(self, node: ast.While | ast.For, head: str, latch: list | None = None):
        """The body of a loop whose head decides between the labels that are given."""
        if node.orelse:
            raise self.error(node, "compiled code has no 'else' of a loop")
        since, before, took = self._since_loop, set(self.variables), self.takes
        inside, again, out = self.block("body"), self.block("again"), self.block("after")
        yield inside, out
        self.takes = False
        self.enter(inside)
        self.loops.append((again, out))
        if isinstance(node, ast.For) and latch is not None:
            latch[0]()
        self.statements(node.body)
        self.loops.pop()
        if self.here is not None:
            self.jump(again)
        self.enter(again)
        if self.takes:
            keep_variables(self, since, self._carried(node, before))
        self.takes: bool = self.takes or took
        if latch is not None:
            latch[1]()
        self.jump(head)
        self.enter(out)

    def _carried(self, node: ast.AST, before: set[str]) -> list[Variable]:
        """Variables with arrays that a pass of a loop hands to the next one, or to the outside."""
        stored = {n.id for n in ast.walk(node)
                  if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}  # fmt: skip
        return [
            self.variables[name] for name in sorted(stored & set(self.variables))
            if has_arrays(self.variables[name].type)
            and (name in before or self.source.loaded_outside(name, node))
        ]  # fmt: skip

    def _For(self, node: ast.For) -> None:
        call = node.iter
        if isinstance(call, ast.Call) and self.source.static(call.func) is range:
            self._over_range(node, call)
            return
        over = self.value(node.iter)
        if isinstance(over.type, Tuple) and over.type.items:
            item = self.spilled(node, over, over.type, "expected a tuple of numbers to loop over")
            self._count(node, "0", str(len(over.type.items)), 1, item)
        elif isinstance(over.type, Array) and over.type.ndim:
            inner = Array(over.type.element, over.type.ndim - 1)

            def row(i: str) -> TypedValue:
                offset = self.product([i, *over.parts[2:]])
                return self.got(TypedValue(inner, (self.address(over, offset), *over.parts[2:])))

            self._count(node, "0", over.parts[1], 1, row)
        else:
            raise self.error(node, f"expected a range, an array or a tuple, got {over.type}")

    def _over_range(self, node: ast.For, call: ast.Call) -> None:
        bounds = [self.integer(a) for a in call.args[:2]]
        first, last = ("0", bounds[0]) if len(bounds) == 1 else bounds
        step = self.source.static(call.args[2]) if len(call.args) > 2 else 1
        if step is UNKNOWN or not isinstance(step, int) or step == 0:
            raise self.error(call, "expected a constant step of a range")
        self._count(node, first, last, step, lambda i: TypedValue(INT, (i,)))

    def _count(self, node: ast.For, first: str, last: str, step: int, item) -> None:
        """A loop with a counter; ``item`` makes of it what the target gets."""
        counter = self.stack(INT, "count")
        self.store(TypedValue(INT, (first,)), counter)
        head = self.block("for")
        self.jump_from_here(head)

        def begin() -> None:
            self.put_into(node.target, item(self.load(counter).parts[0]))

        def end() -> None:
            following = self.op(f"add nsw i64 {self.load(counter).parts[0]}, {step}")
            self.store(TypedValue(INT, (following,)), counter)

        with self._repeated(node, head, [begin, end]) as (inside, out):
            test = "slt" if step > 0 else "sgt"
            more = self.op(f"icmp {test} i64 {self.load(counter).parts[0]}, {last}")
            self.branch(more, inside, out)

    def _Return(self, node: ast.Return) -> None:
        self._give(node, NOTHING if node.value is None else self.value(node.value))

    def _give(self, node: ast.AST, value: TypedValue) -> None:
        """Return a value; the function ends here."""
        if has_structs(value.type):
            raise self.error(node, "compiled code cannot return a struct, only fill one")
        kind = self.wider.get(RETURNED, value.type)
        wider = join(kind, value.type)
        if wider is None:
            raise self.error(node, f"expected {kind} to be returned as before, got {value.type}")
        if wider != self.wider.get(RETURNED):
            known = RETURNED in self.wider or bool(self.returns)
            self.wider[RETURNED] = wider
            if known:
                raise Restart
        value = self.coerced(value, wider)
        out = self.block("return")
        self.jump(out)
        self.returns.append((out, value))

    def finished(self) -> str:
        """LLVM's text of the function's blocks; the memory is given back where it returns."""
        kind = self.returns[0][1].type if self.returns else NONE
        took = self.took
        for label, value in self.returns:
            self.enter(label)
            if took and has_arrays(kind):
                value = keep(self, self.since, value)
            elif took:
                give_back(self, self.since)
            self._ret(value)
        if self.failed is not None:
            self.enter(self.failed)
            kind_text = returned(kind)
            self.leave("void" if kind_text == "void" else f"{kind_text} zeroinitializer")
        return self.body()

    def _ret(self, value: TypedValue) -> None:
        irs = flat(value.type)
        if is_returned_in_memory(value.type):
            self.store(value, Variable(value.type, self.slots_at(RESULT, len(irs))))
            self.leave()
            return
        if len(irs) <= 1:
            self.leave(f"{irs[0]} {value.parts[0]}" if irs else "void")
            return
        whole, text = "{ " + ", ".join(irs) + " }", "poison"
        for k, (ir, part) in enumerate(zip(irs, value.parts, strict=True)):
            text = self.op(f"insertvalue {whole} {text}, {ir} {part}, {k}")
        self.leave(f"{whole} {text}")
