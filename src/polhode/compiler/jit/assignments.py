"""Assignments: to names, elements, and parts of arrays."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from .arithmetic import operate
from .block_writer import TypedValue
from .expressions import Expressions, Restart
from .types import BOOL, FLOAT, INT, Array, Number, Reference, Tuple, join


class Assignments(Expressions):
    """A function whose variables and arrays can be changed."""

    def assign(self, name: str, value: TypedValue, node: ast.AST) -> None:
        """Give a variable a value; begin anew if its type must be wider than was thought."""
        if name not in self.variables:
            kind = value.type
            if name in self.wider:
                kind = self.joined(node, kind, self.wider[name])
            self.variables[name] = self.stack(kind, name)
        variable = self.variables[name]
        kind = join(variable.type, value.type)
        if kind is None:
            message = f"expected '{name}' to be {variable.type} as before, got {value.type}"
            raise self.error(node, message)
        if kind != variable.type:
            self.wider[name] = kind
            raise Restart
        self.store(self.coerced(value, kind), variable)

    def _Assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.put_into(target, value)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.put_into(node.target, self.value(node.value))

    def put_into(self, target: ast.expr, value: TypedValue) -> None:
        """Assign to a name, an element or part of an array, or several of these."""
        if isinstance(target, ast.Name):
            self.assign(target.id, value, target)
        elif isinstance(target, ast.Tuple):
            count = len(value.type.items) if isinstance(value.type, Tuple) else -1
            if count != len(target.elts):
                raise self.error(target, f"expected {len(target.elts)} values, got {value.type}")
            for k, part in enumerate(target.elts):
                self.put_into(part, value.item(k))
        elif isinstance(target, ast.Subscript):
            base = self.value(target.value)
            if not isinstance(base.type, Array):
                raise self.error(target, f"expected an array before [], got {base.type}")
            self.set_part(target, self.part(target, base), value)
        elif isinstance(target, ast.Attribute):
            self._set_field(target, value)
        else:
            raise self.error(target, f"compiled code cannot assign to {type(target).__name__}")

    def _set_field(self, target: ast.Attribute, value: TypedValue) -> None:
        """Assign to a number of a struct."""
        base = self.value(target.value)
        if not isinstance(base.type, Reference):
            raise self.error(target, f"expected a struct before '.', got {base.type}")
        place, kind = self.place_of(target, base, base.type)
        is_number = isinstance(kind, Number) and isinstance(value.type, Number)
        if not is_number or join(kind, value.type) != kind:
            raise self.error(target, f"expected {kind} for '{target.attr}', got {value.type}")
        (part,) = self.coerced(value, INT if kind == BOOL else kind).parts
        self.put(f"store {'double' if kind == FLOAT else 'i64'} {part}, ptr {place}")

    def set_part(self, node: ast.AST, part: TypedValue, value: TypedValue) -> None:
        """Write a number into an element, or into all of a part, or an array into a part."""
        assert isinstance(part.type, Array)
        if isinstance(value.type, Number):
            if part.type.ndim:
                self.fill(node, part, value)
            else:
                self._set(node, part.parts[0], part.type, value)
            return
        if value.type != part.type:
            raise self.error(node, f"expected {part.type}, got {value.type}")
        self.move(part.parts[0], value.parts[0], self.bytes_in(part))

    def _set(self, node: ast.AST, place: str, kind: Array, value: TypedValue) -> None:
        element = kind.element
        if not isinstance(value.type, Number) or value.type.rank > element.number.rank:
            raise self.error(node, f"expected {element.number} for an element, got {value.type}")
        part = self.coerced(value, element.number).parts[0]
        if element.dtype == "b1":
            part = self.op(f"zext i1 {part} to i8")
        elif element.number == INT and element.ir != "i64":
            part = self.op(f"trunc i64 {part} to {element.ir}")
        self.put(f"store {element.ir} {part}, ptr {place}")

    def fill(self, node: ast.AST, array: TypedValue, value: TypedValue) -> None:
        """Write a number into all elements."""
        assert isinstance(array.type, Array)
        with self.counted(self.size(array)) as i:
            self._set(node, self.address(array, i), array.type, value)

    @contextmanager
    def counted(self, count: str) -> Iterator[str]:
        """A loop with a counter from 0, around what is written inside."""
        before, head, inside, out = self.here, *map(self.block, ("head", "inside", "out"))
        self.jump(head)
        self.enter(head)
        i = self.name("i")
        more = self.name("more")
        self.blocks[head].append("")  # the counter, when it is known where the loop ends
        self.put(f"{more} = icmp slt i64 {i}, {count}")
        self.branch(more, inside, out)
        self.enter(inside)
        yield i
        following = self.op(f"add nsw i64 {i}, 1")
        self.blocks[head][0] = f"{i} = phi i64 [ 0, %{before} ], [ {following}, %{self.here} ]"
        self.jump(head)
        self.enter(out)

    def _AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            old = self.load(self._variable(target))
            if not isinstance(old.type, Array):
                self.assign(
                    target.id, operate(self, node.op, old, self.value(node.value), node), node
                )
                return
            part = old
        elif isinstance(target, ast.Subscript):
            base = self.value(target.value)
            if not isinstance(base.type, Array):
                raise self.error(target, f"expected an array before [], got {base.type}")
            part = self.part(target, base)
        elif isinstance(target, ast.Attribute):
            old = self.value(target)
            self._set_field(target, operate(self, node.op, old, self.value(node.value), node))
            return
        else:
            raise self.error(target, f"compiled code cannot assign to {type(target).__name__}")
        value = self.value(node.value)
        assert isinstance(part.type, Array)
        with self.counted(self.size(part)) as i:
            place = TypedValue(Array(part.type.element, 0), (self.address(part, i),))
            new = operate(self, node.op, self.got(place), value, node)
            self._set(node, place.parts[0], part.type, new)
