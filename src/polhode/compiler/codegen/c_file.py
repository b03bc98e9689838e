"""Whole C99 files: one of definitions that needs nothing else, and its header."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..graph.code import Code
from .c import CFunction, Signature
from .c_library import library
from .c_names import identifier

_RULES = """\
#if defined(__FAST_MATH__)
#error "compile without -ffast-math: these functions rely on IEEE arithmetic"
#endif
#if defined(__clang__) || !defined(__GNUC__)
#pragma STDC FP_CONTRACT OFF
#endif
"""


def make_signature(
    name: str,
    inputs: Mapping[str, tuple[int, ...]],
    outputs: Sequence[tuple[str, tuple[int, ...]]],
    dtype: str,
    lanes: int,
) -> Signature:
    """A signature whose names C allows and that are all different."""
    taken = {identifier(name)}

    def unique(wanted: str) -> str:
        word = identifier(wanted)
        while word in taken:
            word += "_"
        taken.add(word)
        return word

    ins = {unique(k): shape for k, shape in inputs.items()}
    outs = {unique(k): shape for k, shape in outputs}
    return Signature(identifier(name), ins, outs, dtype, lanes)


def c_source(functions: Sequence[tuple[Code, Signature]], remarks: Sequence[str] = ()) -> str:
    """The file that defines these functions, all of one number type and lane count.

    ``remarks`` are printed about each function, after what it takes.
    """
    made = [CFunction(code, signature) for code, signature in functions]
    needs = set().union(*(f.needs for f in made))
    first = functions[0][1]
    text = library(needs, first.dtype, first.lanes)
    headers = ["math.h", "stdint.h", "string.h"] if needs else ["math.h"]
    parts = [_opening(first), "\n".join(f"#include <{h}>" for h in headers) + "\n", _RULES]
    parts += [text] if text else []
    for n, f in enumerate(made):
        stack = f.workspace * (8 if first.dtype == "f64" else 4)
        notes = [*remarks[n : n + 1], f"{stack} bytes of workspace on the stack."]
        parts += [_comment(f.signature, notes) + f.signature.prototype() + ";\n", f.text]
    return "\n".join(parts)


def c_header(signatures: Sequence[Signature], stem: str | None = None) -> str:
    """The header that declares these functions, for C and C++."""
    guard = re.sub(r"\W", "_", stem or signatures[0].name, flags=re.ASCII).upper() + "_H"
    guard = f"POLHODE_{guard}"
    parts = [_opening(signatures[0]), f"#ifndef {guard}\n#define {guard}\n"]
    parts.append('#ifdef __cplusplus\nextern "C" {\n#endif\n')
    parts += [_comment(s, []) + s.prototype() + ";\n" for s in signatures]
    parts.append("#ifdef __cplusplus\n}\n#endif\n\n#endif\n")
    return "\n".join(parts)


def _opening(signature: Signature) -> str:
    if signature.lanes == 1:
        layout = "Arrays are flat and row-major"
    else:
        layout = (
            f"Every array holds {signature.lanes} states:\n"
            f"   number k of state l is element {signature.lanes} * k + l"
        )
    return (
        "/* Made by polhode: do not edit.\n"
        "\n"
        f"   C99; needs only the standard header math.h (link with -lm); allocates nothing.\n"
        f"   {layout}; results must not overlap arguments.\n"
        "   Compile with contraction off (gcc and clang: -ffp-contract=off); where the\n"
        "   processor has fused multiply-add, enable it (-mfma): the results are the same. */\n"
    )


def _comment(signature: Signature, notes: Sequence[str]) -> str:
    lines = []
    for word, arrays in (("from", signature.inputs), ("to", signature.outputs)):
        for name, shape in arrays.items():
            size = " x ".join(map(str, shape)) if shape else "one number"
            lines.append(f"   {word:4} {name}: {size}")
    lines += [f"   {note}" for note in notes]
    return f"/* {signature.name}\n" + "\n".join(lines) + " */\n"
