"""CasADi's C code of our own algorithms, as the system's compiler makes it fast.

The algorithms run on its symbols as they do on floats, so both compile the same expressions.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode import algorithms
from polhode.cli.bench_rows import Row, States
from polhode.errors import ModelError
from polhode.model import Model

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "rnea": algorithms.inverse_dynamics,
    "aba": algorithms.forward_dynamics,
    "crba": algorithms.mass_matrix,
}
OPTIONS = ("-O3", "-march=native", "-shared", "-fPIC")


class CasadiCode:
    """Functions of a model, on one thread."""

    def __init__(self, model: Model):
        try:
            import casadi
        except ImportError:
            raise ModelError("CasADi is not installed: pip install casadi") from None
        self.casadi: Any = casadi
        self.model: Model = model
        self.known: dict[str, Any] = {}
        self.kept: list[Any] = []

    def bound(
        self, row: Row, states: States, count: int
    ) -> tuple[Callable[[], Any], np.ndarray] | None:
        """A call that does the row's work for so many states, and where its results are."""
        if row.key not in FUNCTIONS:
            return None
        if row.key not in self.known:
            self.known[row.key] = self._compiled(row)
        many = self.known[row.key].map(count, "serial")
        buffer, work = many.buffer()
        n = self.model.nv
        # CasADi goes column by column, which is the same for a symmetric matrix.
        out = np.zeros((count, n, n) if row.key == "crba" else (count, n))
        arrays = [np.ascontiguousarray(x).ravel() for x in states.of(row, count)]
        for k, x in enumerate(arrays):
            buffer.set_arg(k, memoryview(x))
        buffer.set_res(0, memoryview(out.ravel()))
        self.kept += [buffer, many, out, *arrays]  # the buffer has but their addresses
        return work, out

    def _compiled(self, row: Row) -> Any:
        """The machine code of a row's function."""
        casadi, model = self.casadi, self.model
        symbols = [casadi.SX.sym(x, model.nq if x == "q" else model.nv) for x in row.inputs]
        parts = [
            (model.split_q if x == "q" else model.split_v)([s[k] for k in range(s.numel())])
            for x, s in zip(row.inputs, symbols, strict=True)
        ]
        result = FUNCTIONS[row.key](model, *parts)
        if row.key == "crba":
            result = casadi.vertcat(*(casadi.horzcat(*line) for line in result))
        else:
            result = casadi.vertcat(*model.join_v(result))
        result = casadi.cse(casadi.densify(result))
        function = casadi.Function(row.key, symbols, [result])
        compiler = shutil.which("cc")
        if compiler is None:
            raise ModelError("CasADi's C code needs a compiler, and there is no cc")
        with tempfile.TemporaryDirectory() as folder:
            source, library = (os.path.join(folder, row.key + end) for end in (".c", ".so"))
            code = casadi.CodeGenerator(f"{row.key}.c")
            code.add(function)
            code.generate(folder + os.sep)
            subprocess.run([compiler, *OPTIONS, source, "-o", library], check=True)
            return casadi.external(row.key, library)
