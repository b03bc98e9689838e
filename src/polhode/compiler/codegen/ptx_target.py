"""PTX text from LLVM IR, through LLVM's NVPTX target; no CUDA is needed for it."""

from __future__ import annotations

from typing import Any

from ...interrupts import uninterrupted
from ...once import making, once

ARCHITECTURES = (
    "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_100", "sm_120",
)  # fmt: skip
OLDEST = ARCHITECTURES[0]  # its PTX runs on every later device
OPT_LEVEL = 0  # the driver's assembler optimises; LLVM takes ten times as long for the same
_TRIPLE = "nvptx64-nvidia-cuda"


@uninterrupted()
def assembly(ir: str, arch: str) -> str:
    """The PTX of a module, in the oldest version of the language that ``arch`` allows.

    Raises
    ------
    ValueError
        If ``arch`` is none of `ARCHITECTURES`.
    """
    if arch not in ARCHITECTURES:
        raise ValueError(f"expected an architecture of {', '.join(ARCHITECTURES)}; got {arch!r}")
    with making:
        llvm = _llvm()
        target = llvm.Target.from_triple(_TRIPLE)
        machine = target.create_target_machine(cpu=arch, opt=OPT_LEVEL)
        module = llvm.parse_assembly(ir)
        module.triple, module.data_layout = _TRIPLE, str(machine.target_data)
        passes = llvm.create_new_module_pass_manager()
        passes.add_sroa_pass()  # what the slots of a short kernel hold goes to registers
        options = llvm.create_pipeline_tuning_options(speed_level=1)
        passes.run(module, llvm.create_pass_builder(machine, options))
        return machine.emit_assembly(module)


@once
def _llvm() -> Any:
    """llvmlite's binding, made ready for devices."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm
