"""The loop over states: NumPy's inner loop of a gufunc, generic over programs.

It gathers as many states as there are lanes into the buffer; where the arrays are contiguous, it
transposes blocks of rows in registers.  It computes sines and cosines of angles, calls the kernel,
and scatters the results.  A last block with fewer states repeats its last state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from . import descriptor
from .blocks import block_columns, load_columns, store_columns
from .emitter import IR, Emitter
from .kept_memory import give_back, taken
from .library import sincos
from .machine import Format
from .states import one_state_trigonometry

_CACHED_BYTES = 3 << 20  # arrays up to this size are at hand when their turn comes
_AHEAD_BYTES = 16 << 10  # of one array that are worth asking for at a time
_LINE_BYTES = 64
_OF_ONE_LANE = 8


def _block_columns(form: Format) -> int:
    """Columns of a block; of one lane so many that counting them costs little."""
    return _OF_ONE_LANE if form.lanes == 1 else block_columns(form)


@dataclass(slots=True)
class _Argument:
    """The loop's view of one array: addresses and strides as IR values."""

    e: Emitter
    record: IR
    base: IR
    outer: IR
    offsets: IR
    is_contiguous: IR

    def field(self, name: str) -> IR:
        return descriptor.argument_field(self.record, name)


class LoopWriter:
    """Writes ``loop(args, dims, steps, data)`` for one format."""

    def __init__(self, form: Format):
        self.form: Format = form
        self.e: Emitter = Emitter()
        self.args: IR = IR(self.e, "ptr", "%args")
        self.dims: IR = IR(self.e, "ptr", "%dims")
        self.steps: IR = IR(self.e, "ptr", "%steps")
        self.data: IR = IR(self.e, "ptr", "%data")

    def field(self, name: str, type: str = "i64") -> IR:
        """A field of the program's descriptor."""
        return descriptor.field(self.data, name, type)

    def write(self) -> tuple[str, Emitter]:
        """The function, ready for a module; it returns 1 if it found no memory, else 0."""
        e, form = self.e, self.form
        self.n: IR = self.dims.load("i64")
        self.n_inputs: IR = self.field("n_inputs")
        self.n_outputs: IR = self.field("n_outputs")
        self.n_arrays: IR = self.n_inputs + self.n_outputs
        elements = self.field("n_elements")
        buffer_bytes = self.field("buffer_bytes")
        wanted = buffer_bytes + (elements + self.n_arrays) * 8 + 64
        raw = taken(self.data, wanted)
        e.stop_unless(raw.differs("null"), e.constant("i64", 1))
        start = e("i64", f"ptrtoint {raw} to i64")
        self.buffer: IR = raw.at((start.like(0) - start) & 63)
        self.offsets: IR = self.buffer.at(buffer_bytes)
        self.flags: IR = self.offsets.at(elements, 8)
        self._prepare()
        is_streaming = self.n * elements > _CACHED_BYTES // form.itemsize
        with e.loop(self.n, step=form.lanes) as first:
            left = self.n - first
            valid = (left < form.lanes).select(left, form.lanes)
            with e.loop(self.n_inputs) as a:
                self._gather(self._argument(a), first, valid)
            self._trigonometry()
            with e.when(is_streaming):
                self._look_ahead(first)
            kernel, library = self.field("kernel", "ptr"), self.field("library", "ptr")
            e.call("void", kernel, self.buffer, self.buffer, library)
            with e.loop(self.n_outputs) as a:
                self._scatter(self._argument(a + self.n_inputs), first, valid)
        give_back(self.data, raw)
        e.leave("i64 0")
        signature = "i64 @loop(ptr %args, ptr %dims, ptr %steps, ptr %data)"
        return e.function(signature), e

    def _argument(self, a: IR) -> _Argument:
        record = descriptor.argument(self.data, a)
        element = descriptor.argument_field(record, "element")
        return _Argument(
            self.e,
            record,
            base=self.args.at(a, 8).load("ptr"),
            outer=self.steps.at(a, 8).load("i64"),
            offsets=self.offsets.at(element, 8),
            is_contiguous=self.flags.at(a, 8).load("i64").differs(0),
        )

    def _look_ahead(self, first: IR) -> None:
        """Ask for the memory of the next states, and of these states' results.

        A kernel leaves the caches' own foresight too little to see between two blocks.
        """
        e, W = self.e, self.form.lanes

        def ask(arg: _Argument, start: IR, is_written: int) -> None:
            length = arg.outer * W
            is_short = (length > 0) & (length < _AHEAD_BYTES)
            with e.when(is_short), e.loop(length, step=_LINE_BYTES) as at:
                where = arg.base.at(start * arg.outer).at(at)
                kind = [e.constant("i32", x) for x in (is_written, 3, 1)]
                e.call("void", "@llvm.prefetch.p0", where, *kind)

        with e.loop(self.n_inputs) as a:
            ask(self._argument(a), first + W, 0)
        with e.loop(self.n_outputs) as a:
            ask(self._argument(a + self.n_inputs), first, 1)

    def _prepare(self) -> None:
        """Constant outputs, whether each array is contiguous, and offsets where it is not."""
        e, form = self.e, self.form
        table = self.field("constants", "ptr")
        with e.loop(self.field("n_constants")) as c:
            slot, x = table.at(c, 16).load("i64"), table.at(c, 16).at(8).load("double")
            x = x if form.dtype == "f64" else x.to("fptrunc", "float")
            with e.loop(form.lanes) as lane:
                self.buffer.at(slot, form.slot).at(lane, form.itemsize).store(x, form.itemsize)
        with e.loop(self.n_arrays) as a:
            arg = self._argument(a)
            n_axes, shape = arg.field("n_axes"), arg.field("shape").to("inttoptr", "ptr")
            strides = self.steps.at(self.n_arrays + arg.field("stride"), 8)
            expected, flag = e.alloca("i64", 8), self.flags.at(a, 8)
            expected.store(self.dims.load("i64").like(form.itemsize))
            flag.store(flag.load("i64").like(1))
            with e.loop(n_axes) as k:
                axis = n_axes - k - 1
                length, stride = shape.at(axis, 8).load("i64"), strides.at(axis, 8).load("i64")
                extent = expected.load("i64")
                with e.when(stride.differs(extent) & length.differs(1)):
                    flag.store(extent.like(0))
                expected.store(extent * length)
            with e.when(flag.load("i64").equals(0)), e.loop(arg.field("size")) as k:
                self._offset(arg, k, n_axes, shape, strides)

    def _offset(self, arg: _Argument, k: IR, n_axes: IR, shape: IR, strides: IR) -> None:
        """Write the byte offset of core element ``k`` of a strided array."""
        e = self.e
        rest, total = e.alloca("i64", 8), e.alloca("i64", 8)
        rest.store(k)
        total.store(k.like(0))
        with e.loop(n_axes) as j:
            axis = n_axes - j - 1
            length, here = shape.at(axis, 8).load("i64"), rest.load("i64")
            total.store(total.load("i64") + here % length * strides.at(axis, 8).load("i64"))
            rest.store(here / length)
        arg.offsets.at(k, 8).store(total.load("i64"))

    def _gather(self, arg: _Argument, first: IR, valid: IR) -> None:
        """States ``first ...`` of one input into its slots; a broadcast one only once."""
        e, form = self.e, self.form
        is_needed = arg.outer.differs(0) | first.equals(0)
        with e.when(is_needed):
            base = arg.base.at(first * arg.outer)
            rows = self._rows(base, arg.outer, valid)
            slots = self.buffer.at(arg.field("first"), form.slot)
            size = arg.field("size")
            by_columns = partial(self._gather_columns, rows, slots, 0)
            if form.lanes == 1:
                e.choose(
                    arg.is_contiguous,
                    lambda: self._copy(base, slots, size),
                    lambda: by_columns(size, arg.offsets),
                )
                return
            e.choose(
                arg.is_contiguous,
                lambda: self._gather_rows(rows, slots, size),
                lambda: self._gather_strided(arg, base, rows, slots, size, valid),
            )

    def _copy(self, row: IR, slots: IR, size: IR) -> None:
        """A contiguous row into the slots of one lane."""
        false = self.e.constant("i1", 0)
        length = size * self.form.itemsize
        self.e.call("void", "@llvm.memcpy.p0.p0.i64", slots, row, length, false)

    def _rows(self, base: IR, outer: IR, valid: IR) -> list[IR]:
        """Where each lane's row begins; lanes beyond the valid ones get the last row."""
        e, rows = self.e, [base]
        for _ in range(1, self.form.lanes):
            rows.append(rows[-1].at(outer))
        with e.when(valid < self.form.lanes) as join:
            for lane in range(1, self.form.lanes):
                last = valid - 1
                row = base.at((last < lane).select(last, lane) * outer)
                join.values.append((row, rows[lane]))
        return [base, *join.results]

    def _gather_columns(
        self, rows: list[IR], slots: IR, start: int, size: IR, offsets: IR | None
    ) -> None:
        """Element by element: ``offsets`` of each in its row, or contiguous rows."""
        e, form = self.e, self.form
        with e.loop(size, start=start) as k:
            at = k * form.itemsize if offsets is None else offsets.at(k, 8).load("i64")
            x = IR(e, form.vector(), "poison")
            for lane, row in enumerate(rows):
                x = x.with_lane(lane, row.at(at).load(form.scalar, form.itemsize))
            slots.at(k, form.slot).store(x, form.slot)

    def _gather_strided(
        self, arg: _Argument, base: IR, rows: list[IR], slots: IR, size: IR, valid: IR
    ) -> None:
        """Rows that are not contiguous; states that lie side by side are loaded together."""
        e, form = self.e, self.form

        def side_by_side() -> None:
            with e.loop(size) as k:
                x = base.at(arg.offsets.at(k, 8).load("i64")).load(form.vector(), form.itemsize)
                slots.at(k, form.slot).store(x, form.slot)

        is_adjacent = arg.outer.equals(form.itemsize) & valid.equals(form.lanes)
        e.choose(
            is_adjacent,
            side_by_side,
            lambda: self._gather_columns(rows, slots, 0, size, arg.offsets),
        )

    def _gather_rows(self, rows: list[IR], slots: IR, size: IR) -> None:
        """Contiguous rows, in blocks of columns; the last block overlaps the one before it."""
        form = self.form

        def block(column: IR) -> None:
            found = load_columns([r.at(column, form.itemsize) for r in rows], form)
            for k, x in enumerate(found):
                slots.at(column + k, form.slot).store(x, form.slot)

        self._blockwise(size, block, lambda: self._gather_columns(rows, slots, 0, size, None))

    def _blockwise(
        self, size: IR, block: Callable[[IR], None], narrow: Callable[[], object]
    ) -> None:
        """Columns block by block, or by other means if they are fewer than one block."""
        e, n = self.e, _block_columns(self.form)

        def wide() -> None:
            with e.loop(size - (n - 1), step=n) as column:
                block(column)
            with e.when((size & (n - 1)).differs(0)):
                block(size - n)

        e.choose(size < n, narrow, wide)

    def _trigonometry(self) -> None:
        e, form = self.e, self.form
        if form.lanes == 1:
            one_state_trigonometry(form, self.data, self.buffer)
            return
        table, results = self.field("trig", "ptr"), self.field("trig_slot")
        with e.loop(self.field("n_trig")) as k:
            angle = self.buffer.at(table.at(k, 8).load("i64"), form.slot)
            s, c = sincos(angle.load(form.vector(), form.slot))
            out = self.buffer.at(results + k * 2, form.slot)
            out.store(s, form.slot)
            out.at(form.slot).store(c, form.slot)

    def _scatter(self, arg: _Argument, first: IR, valid: IR) -> None:
        """One output of the valid lanes, from its slots to its array."""
        e, form = self.e, self.form
        base = arg.base.at(first * arg.outer)
        size = arg.field("size")
        slots = self.field("output_slots", "ptr").at(arg.field("first"), 8)

        def one_by_one(offsets: IR | None) -> None:
            with e.loop(valid) as lane:
                row = base.at(lane * arg.outer)
                with e.loop(size) as k:
                    at = k * form.itemsize if offsets is None else offsets.at(k, 8).load("i64")
                    x = self._slot(slots, k).at(lane, form.itemsize)
                    row.at(at).store(x.load(form.scalar, form.itemsize), form.itemsize)

        def contiguous() -> None:
            if form.lanes == 1:
                self._blockwise(
                    size, partial(self._store_few, slots, base), lambda: one_by_one(None)
                )
                return
            e.choose(
                valid.equals(form.lanes),
                lambda: self._scatter_rows(base, arg.outer, slots, size),
                lambda: one_by_one(None),
            )

        e.choose(arg.is_contiguous, contiguous, lambda: one_by_one(arg.offsets))

    def _store_few(self, slots: IR, row: IR, column: IR) -> None:
        """A block of columns of one lane."""
        form = self.form
        for k in range(_block_columns(form)):
            x = self._slot(slots, column + k).load(form.scalar, form.itemsize)
            row.at(column + k, form.itemsize).store(x, form.itemsize)

    def _slot(self, slots: IR, k: IR) -> IR:
        return self.buffer.at(slots.at(k, 8).load("i64"), self.form.slot)

    def _scatter_rows(self, base: IR, outer: IR, slots: IR, size: IR) -> None:
        e, form = self.e, self.form
        rows = [base.at(outer * lane) for lane in range(form.lanes)]

        def block(column: IR) -> None:
            columns = [
                self._slot(slots, column + k).load(form.vector(), form.slot)
                for k in range(block_columns(form))
            ]
            store_columns(columns, [r.at(column, form.itemsize) for r in rows], form)

        def narrow() -> None:
            with e.loop(size) as k:
                x = self._slot(slots, k).load(form.vector(), form.slot)
                for lane, row in enumerate(rows):
                    row.at(k, form.itemsize).store(x.lane(lane), form.itemsize)

        self._blockwise(size, block, narrow)
