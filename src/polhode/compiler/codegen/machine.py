"""The processor that code is made for: LLVM through llvmlite, object code, addresses."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from ...interrupts import uninterrupted
from ...once import held_over_fork, making, once
from .late_release import LateRelease

OPT_LEVEL = 1  # codegen level: 2 compiles longer for the same speed on straight-line code
# Functions up to this cost, as LLVM counts it, are inlined: LLVM's own number.  With 40, contact
# compiles in 9.9 s, not in 11.3, and steps of heaps take 5 to 9 % longer.  With loops unrolled or
# vectorized it compiles longer for the same speed.
INLINED = 225


@dataclass(frozen=True)
class Format:
    """The number type and lane count that a kernel works on.

    Attributes
    ----------
    dtype : {"f64", "f32"}
    lanes : int
        States computed side by side; 1 is scalar code.
    """

    dtype: str
    lanes: int

    @property
    def scalar(self) -> str:
        """LLVM name of one number."""
        return "double" if self.dtype == "f64" else "float"

    @property
    def itemsize(self) -> int:
        """Bytes of one number."""
        return 8 if self.dtype == "f64" else 4

    @property
    def slot(self) -> int:
        """Bytes of one slot: all lanes of one number."""
        return self.itemsize * self.lanes

    def vector(self, scalar: str | None = None) -> str:
        """LLVM type of all lanes of ``scalar`` (default: the number type)."""
        scalar = scalar or self.scalar
        return scalar if self.lanes == 1 else f"<{self.lanes} x {scalar}>"

    @property
    def suffix(self) -> str:
        """The type as LLVM's intrinsics spell it."""
        return self.dtype if self.lanes == 1 else f"v{self.lanes}{self.dtype}"


@once
def _llvm() -> Any:
    """llvmlite's binding, imported on first need: it costs a tenth of a second."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    held_over_fork(llvm.ffi.lib._lock)  # of all threads' calls of LLVM, finalizers' included
    return llvm


@cache
@uninterrupted()
def cpu_features() -> frozenset[str]:
    """Names of the instruction sets of this processor."""
    return frozenset(k for k, on in _llvm().get_host_cpu_features().items() if on)


@cache
@uninterrupted()
def cpu_identity() -> str:
    """Processor, its features and the code generator, as one line for cache keys."""
    llvm = _llvm()
    features = ",".join(sorted(cpu_features()))
    version = ".".join(map(str, llvm.llvm_version_info))
    return f"{llvm.get_default_triple()} {llvm.get_host_cpu_name()} {features} llvm {version}"


@cache
def wide_lanes(dtype: str) -> int:
    """Lanes of a vector kernel: a full register of the widest set; POLHODE_LANES overrides."""
    forced = os.environ.get("POLHODE_LANES")
    if forced:
        lanes = int(forced)
        if lanes not in (1, 2, 4, 8, 16):
            raise ValueError(f"expected POLHODE_LANES of 1, 2, 4, 8 or 16, got {forced}")
        return lanes
    features = cpu_features()
    register = 64 if "avx512f" in features else 32 if "avx" in features else 16
    return register // (8 if dtype == "f64" else 4)


def opt_level() -> int:
    """Level at which programs are compiled; POLHODE_OPT_LEVEL overrides."""
    forced = os.environ.get("POLHODE_OPT_LEVEL", str(OPT_LEVEL))
    if forced not in ("0", "1"):
        raise ValueError(f"expected POLHODE_OPT_LEVEL of 0 or 1, got {forced}")
    return int(forced)


@cache
def _processor() -> tuple[str, str]:
    """Name and features of this processor as LLVM writes them; asking each time is slow."""
    llvm = _llvm()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten() + _register_width()


def _target(opt: int) -> Any:
    """A new ``TargetMachine``; an engine takes the one it is given into its possession."""
    cpu, features = _processor()
    return (
        _llvm()
        .Target.from_default_triple()
        .create_target_machine(
            cpu=cpu,
            features=features,
            opt=opt,
            codemodel="default",
            reloc="pic",
        )
    )


@once
def _printer(opt: int) -> Any:
    """The ``TargetMachine`` that prints modules: a new one reads the features for a millisecond."""
    return _target(opt)


def _register_width() -> str:
    """Use of whole AVX-512 registers, which LLVM avoids by default on some processors."""
    return ",-prefer-256-bit" if "avx512f" in cpu_features() else ""


# The code of a module, its constants and the table of what it calls lie in one piece of memory, so
# that they reach each other wherever the system puts it; libraries and other modules may be
# anywhere.  LLVM reserves room for that table only if the code reads the addresses of functions
# from it.
IN_ONE_PIECE = sys.platform == "linux" and platform.machine() == "x86_64"
_CALLS_BY_TABLE = """
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"RtLibUseGOT", i32 1}
"""
_DECLARATION = re.compile("^declare .*$", re.MULTILINE)


@uninterrupted()  # until the objects of LLVM are gone: their finalizers swallow interrupts
def compile_ir(ir: str, *, opt: int = OPT_LEVEL, tidy: bool = False, speed: int = 0) -> bytes:
    """Object code of an LLVM module given as text.

    Parameters
    ----------
    ir : str
    opt : int
        Level of instruction selection and scheduling.
    tidy : bool
        Clean up first: stack to registers, branches, addresses.  Straight-line code needs
        none of it, and LLVM's whole pipeline costs more time than it saves in the drivers.
    speed : int
        Level of LLVM's whole pipeline, for code with loops and calls; 0 leaves it out.
    """
    with making:
        machine, module = _optimised(ir, opt, tidy, speed)
        return machine.emit_object(module)


@uninterrupted()
def assembly_of(ir: str, *, opt: int = OPT_LEVEL, speed: int = 0) -> str:
    """Assembly of this processor for an LLVM module, as `compile_ir` makes it."""
    with making:
        machine, module = _optimised(ir, opt, False, speed)
        return machine.emit_assembly(module)


def compile_beside(ir: str, opt: int, speed: int = 0) -> bytes:
    """Object code of a module as `compile_ir` makes it, at the same time as other threads do.

    Whoever starts the threads has called `ready_for_threads`, and holds `making` meanwhile.
    """
    module, machine = _parsed(ir, _llvm().create_context()), _target(opt)
    if speed:
        builder = _pipeline(machine, speed)
        _free("LLVMPY_RunNewModulePassManager")(builder.getModulePassManager(), module, builder)
        _mark_declarations(module)
    with _llvm().ffi.OutputString() as problem:
        buffer = _free("LLVMPY_TargetMachineEmitToMemory")(machine, module, 1, problem)
        if not buffer:
            raise RuntimeError(str(problem))
    lib = _llvm().ffi.lib
    try:
        return ctypes.string_at(lib.LLVMPY_GetBufferStart(buffer), lib.LLVMPY_GetBufferSize(buffer))
    finally:
        lib.LLVMPY_DisposeMemoryBuffer(buffer)


def ready_for_threads() -> None:
    """Make what threads of `compile_beside` would have to wait for."""
    _processor()
    for name in ("LLVMPY_RunNewModulePassManager", "LLVMPY_TargetMachineEmitToMemory"):
        _free(name)


@once
def _free(name: str) -> Callable[..., Any]:
    """A function of llvmlite's library without the lock that llvmlite takes for every call.

    LLVM needs none where each thread has a context and a ``TargetMachine`` of its own.
    """
    lib = _llvm().ffi.lib
    locked = getattr(lib, name)
    if not hasattr(lib, "_name"):
        return locked
    free = getattr(ctypes.CDLL(lib._name), name)
    free.argtypes, free.restype = locked.argtypes, locked.restype
    return free


def _parsed(ir: str, context: Any = None) -> Any:
    if IN_ONE_PIECE:
        ir = _DECLARATION.sub(r"\g<0> nonlazybind", ir) + _CALLS_BY_TABLE
    return _llvm().parse_assembly(ir, context)


def _optimised(ir: str, opt: int, tidy: bool, speed: int) -> tuple[Any, Any]:
    """A ``TargetMachine``, and the module that it has to print."""
    llvm, module = _llvm(), _parsed(ir)
    machine = _printer(opt)
    if speed:
        builder = _pipeline(machine, speed)
        builder.getModulePassManager().run(module, builder)
    elif tidy:
        options = llvm.create_pipeline_tuning_options(speed_level=1)
        passes = llvm.create_new_module_pass_manager()
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        passes.add_instruction_combine_pass()
        passes.run(module, llvm.create_pass_builder(machine, options))
    if speed or tidy:
        _mark_declarations(module)
    return machine, module


def _mark_declarations(module: Any) -> None:
    """Have functions that LLVM's passes declared called by table, too."""
    for function in module.functions if IN_ONE_PIECE else ():
        if function.is_declaration:
            function.add_function_attribute("nonlazybind")


def _pipeline(machine: Any, speed: int) -> Any:
    """The builder of LLVM's whole pipeline."""
    options = _llvm().create_pipeline_tuning_options(speed_level=speed)
    options.inlining_threshold = INLINED
    options.loop_unrolling = options.loop_vectorization = False
    options.slp_vectorization = True  # blocks of six by six, in the same bits
    return _llvm().create_pass_builder(machine, options)


@cache
def _require_executable_memory() -> None:
    try:
        _llvm().check_jit_execution()
    except OSError as error:
        raise RuntimeError(
            "this system refuses memory that can be executed, which compiled programs need "
            f"({error}); allow it for this process"
        ) from error


class Engine:
    """Objects of code in executable memory, which may call each other.

    Addresses are valid while this lives.
    """

    @uninterrupted()
    def __init__(self, *objects: bytes):
        with making:
            LateRelease.of_dropped()
            llvm = _llvm()
            _require_executable_memory()
            empty, machine = llvm.parse_assembly(""), _target(OPT_LEVEL)
            in_one_piece = True if IN_ONE_PIECE else None  # as llvmlite chooses elsewhere
            self._engine = llvm.create_mcjit_compiler(empty, machine, use_lmm=in_one_piece)
            for data in objects:
                self._engine.add_object_file(llvm.ObjectFileRef.from_data(data))
            self._engine.finalize_object()
            LateRelease.after(self, self._engine.close)

    def address(self, symbol: str) -> int:
        """Address of a function."""
        address = self._engine.get_function_address(symbol)
        if not address:
            raise LookupError(f"no function {symbol!r} in the compiled object")
        return address
