"""The fast call: a builtin of Python whose body is machine code, for one state at a time.

``fastcall(*inputs, out)`` takes arrays that are exactly what the scalar kernel wants: NumPy's
own class, native float64, aligned, C-contiguous, of the core shapes.  It runs the kernel on
copies of them, writes ``out`` (or new arrays, if it is None) and returns it.  Anything else,
also arrays of ``out`` that share memory, makes it return ``NotImplemented`` and touch nothing.

``m_self`` of the builtin is a tuple that starts with an object whose memory holds a `FASTCALL`
record.  The rest of the tuple keeps alive the objects that the record points to.
"""

from __future__ import annotations

from collections.abc import Callable

from . import descriptor
from .emitter import IR, Emitter
from .machine import Format
from .states import one_state_trigonometry, save_flags

FASTCALL = (
    "program",  # address of the program's descriptor in the scalar double format
    "array_type",  # numpy.ndarray
    "float64",  # NumPy's descriptor object of native float64
    "tuple_type",
    "none",
    "not_implemented",
    "array_new",  # PyArray_New
    "tuple_new",  # PyTuple_New
    "incref",  # Py_IncRef
    "decref",  # Py_DecRef
    "call",  # PyObject_CallNoArgs
    "make",  # what Python calls to fill in the program's descriptor
)
FORM = Format("f64", 1)
_HEADER = object.__basicsize__
_TUPLE_ITEMS = tuple.__basicsize__
_BYTES_DATA = bytes.__basicsize__ - 1
_TYPE = _HEADER - 8  # of an object's type in its header
# PyArrayObject after its header: data, int nd, dimensions, strides, base, descr, int flags
_ARRAY = {"data": 0, "nd": 8, "dimensions": 16, "descr": 40, "flags": 48}
_READABLE = 0x1 | 0x100  # C-contiguous, aligned
_WRITEABLE = _READABLE | 0x400
_STACK_BYTES = 32768  # buffers up to this size live on the stack


def record_offset(field: str) -> int:
    """Bytes from the start of a FASTCALL record to a field."""
    return 8 * FASTCALL.index(field)


class FastcallWriter:
    """Writes ``fastcall(self, args, nargs)``, generic over programs."""

    def __init__(self) -> None:
        e = Emitter()
        self.e: Emitter = e
        self.args: IR = IR(e, "ptr", "%args")
        self.n_args: IR = IR(e, "i64", "%nargs")
        holder = IR(e, "ptr", "%self").at(_TUPLE_ITEMS).load("ptr")
        self.fastcall: IR = holder.at(_BYTES_DATA)
        self.program: IR = self.record("program")

    def record(self, field: str) -> IR:
        """A field of the FASTCALL record."""
        return self.fastcall.at(record_offset(field)).load("ptr")

    def field(self, name: str, type: str = "i64") -> IR:
        """A field of the program's descriptor."""
        return descriptor.field(self.program, name, type)

    def write(self) -> tuple[str, Emitter]:
        """The function, ready for a module."""
        e = self.e
        self.n_inputs: IR = self.field("n_inputs")
        self.n_outputs: IR = self.field("n_outputs")
        self.restore: Callable[[], object] = save_flags(e)
        self._require(self.n_args.equals(self.n_inputs + 1))
        with e.loop(self.n_inputs) as a:
            self._check(self.args.at(a, 8).load("ptr"), a, _READABLE)
        out = self.args.at(self.n_inputs, 8).load("ptr")
        self._check_outputs(out)
        with e.when(self.program.at(descriptor.offset("kernel")).acquire().equals(0)):
            self._make()
            self._require(self.program.at(descriptor.offset("kernel")).acquire().differs(0))
        result = e.alloca("ptr", 8)
        e.choose(
            out.equals(self.record("none")),
            lambda: result.store(self._new_outputs()),
            lambda: result.store(self._kept(out)),
        )
        self._run(result.load("ptr"))
        self._return(result.load("ptr"))
        return e.function("ptr @fastcall(ptr %self, ptr %args, i64 %nargs)"), e

    def _make(self) -> None:
        """Have the kernel made; an interrupt of that is passed on."""
        e = self.e
        done = e.call("ptr", self.record("call"), self.record("make"))
        e.stop_unless(done.differs("null"), e.constant("ptr", "null"))
        e.call("void", self.record("decref"), done)

    def _require(self, condition: IR) -> None:
        """Decline unless the condition holds."""
        e = self.e
        with e.when(condition ^ "true"):
            self._return(self._kept(self.record("not_implemented")))

    def _return(self, x: IR) -> None:
        self.e.leave(str(x))

    def _kept(self, x: IR) -> IR:
        """An object with one more reference."""
        self.e.call("void", self.record("incref"), x)
        return x

    def _argument(self, a: IR, field: str) -> IR:
        return descriptor.argument_field(descriptor.argument(self.program, a), field)

    def _array(self, array: IR, field: str, type: str) -> IR:
        return array.at(_HEADER + _ARRAY[field]).load(type)

    def _check(self, array: IR, a: IR, flags: int) -> None:
        """Decline unless this object is an array that the kernel can use in place."""
        e = self.e
        self._require(array.at(_TYPE).load("ptr").equals(self.record("array_type")))
        is_double = self._array(array, "descr", "ptr").equals(self.record("float64"))
        has_flags = (self._array(array, "flags", "i32") & flags).equals(flags)
        n_axes = self._argument(a, "n_axes")
        has_axes = self._array(array, "nd", "i32").to("zext", "i64").equals(n_axes)
        self._require(is_double & has_flags & has_axes)
        lengths = self._array(array, "dimensions", "ptr")
        shape = self._argument(a, "shape").to("inttoptr", "ptr")
        with e.loop(n_axes) as k:
            self._require(lengths.at(k, 8).load("i64").equals(shape.at(k, 8).load("i64")))

    def _check_outputs(self, out: IR) -> None:
        """Decline unless ``out`` is None, an array, or a tuple of arrays, as is fitting."""
        e = self.e

        def one() -> None:
            self._check(out, self.n_inputs, _WRITEABLE)

        def several() -> None:
            self._require(out.at(_TYPE).load("ptr").equals(self.record("tuple_type")))
            self._require(out.at(_HEADER).load("i64").equals(self.n_outputs))
            with e.loop(self.n_outputs) as k:
                array = out.at(_TUPLE_ITEMS).at(k, 8).load("ptr")
                self._check(array, self.n_inputs + k, _WRITEABLE)
                start, end = self._extent(array, self.n_inputs + k)
                with e.loop(k) as j:
                    other = out.at(_TUPLE_ITEMS).at(j, 8).load("ptr")
                    first, last = self._extent(other, self.n_inputs + j)
                    self._require((first >= end) | (start >= last))

        with e.when(out.differs(self.record("none"))):
            e.choose(self.n_outputs.equals(1), one, several)

    def _extent(self, array: IR, a: IR) -> tuple[IR, IR]:
        """Where the data of a contiguous array begins and ends."""
        start = self._array(array, "data", "i64")
        return start, start + self._argument(a, "size") * 8

    def _new_array(self, k: IR) -> IR:
        a = self.n_inputs + k
        n_axes = self._argument(a, "n_axes").to("trunc", "i32")
        shape = self._argument(a, "shape").to("inttoptr", "ptr")
        new, type = self.record("array_new"), self.record("array_type")
        return self.e(
            "ptr",
            f"call ptr {new.text}({type}, {n_axes}, {shape}, i32 12, ptr null, ptr null, "
            "i32 0, i32 0, ptr null)",
        )

    def _new_outputs(self) -> IR:
        """New arrays; an error of NumPy's is passed on."""
        e = self.e
        result = e.alloca("ptr", 8)

        def one() -> None:
            array = self._new_array(self.n_inputs.like(0))
            e.stop_unless(array.differs("null"), e.constant("ptr", "null"))
            result.store(array)

        def several() -> None:
            new = self.record("tuple_new")
            made = e.call("ptr", new, self.n_outputs)
            e.stop_unless(made.differs("null"), e.constant("ptr", "null"))
            result.store(made)
            with e.loop(self.n_outputs) as k:
                array = self._new_array(k)
                with e.when(array.equals("null")):
                    e.call("void", self.record("decref"), made)
                    self._return(e.constant("ptr", "null"))
                made.at(_TUPLE_ITEMS).at(k, 8).store(array)

        e.choose(self.n_outputs.equals(1), one, several)
        return result.load("ptr")

    def _run(self, result: IR) -> None:
        """The kernel on a buffer of its own, and the results into the output arrays."""
        e = self.e
        wanted = self.field("buffer_bytes")
        small = e.alloca(f"[{_STACK_BYTES} x i8]", 64)
        chosen, taken = e.alloca("ptr", 8), e.alloca("ptr", 8)
        chosen.store(small)
        taken.store(e.constant("ptr", "null"))
        with e.when(wanted > _STACK_BYTES):
            allocate, bytes = self.field("allocate", "ptr"), wanted + 64
            raw = e.call("ptr", allocate, bytes)
            with e.when(raw.equals("null")):
                e.call("void", self.record("decref"), result)
                self._return(e.call("ptr", self.field("no_memory", "ptr")))
            taken.store(raw)
            start = e("i64", f"ptrtoint {raw} to i64")
            chosen.store(raw.at((start.like(0) - start) & 63))
        buffer = chosen.load("ptr")
        self._fill(buffer)
        kernel, library = self.field("kernel", "ptr"), self.field("library", "ptr")
        e.call("void", kernel, buffer, buffer, library)
        self._copy_out(buffer, result)
        with e.when(taken.load("ptr").differs("null")):
            e.call("void", self.field("release", "ptr"), taken.load("ptr"))
        self.restore()

    def _fill(self, buffer: IR) -> None:
        """Constants, inputs, and the sines and cosines of angles."""
        e = self.e
        constants = self.field("constants", "ptr")
        with e.loop(self.field("n_constants")) as c:
            slot = constants.at(c, 16).load("i64")
            buffer.at(slot, 8).store(constants.at(c, 16).at(8).load("double"))
        with e.loop(self.n_inputs) as a:
            data = self._array(self.args.at(a, 8).load("ptr"), "data", "ptr")
            first = buffer.at(self._argument(a, "first"), 8)
            with e.loop(self._argument(a, "size")) as k:
                first.at(k, 8).store(data.at(k, 8).load("double"))
        one_state_trigonometry(FORM, self.program, buffer)

    def _copy_out(self, buffer: IR, result: IR) -> None:
        e = self.e
        slots = self.field("output_slots", "ptr")
        items = result.at(_TUPLE_ITEMS)
        with e.loop(self.n_outputs) as k:
            array = e.alloca("ptr", 8)
            array.store(result)
            with e.when(self.n_outputs > 1):
                array.store(items.at(k, 8).load("ptr"))
            data = self._array(array.load("ptr"), "data", "ptr")
            a = self.n_inputs + k
            mine = slots.at(self._argument(a, "first"), 8)
            with e.loop(self._argument(a, "size")) as j:
                data.at(j, 8).store(buffer.at(mine.at(j, 8).load("i64"), 8).load("double"))
