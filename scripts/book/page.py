"""One file: text, model, programs and script, under a policy that allows nothing else."""

from __future__ import annotations

import base64
import hashlib
import inspect
import json
import math
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph
from polhode import Model, algorithms
from polhode.algorithms.constrained import rows, solve, solvers
from polhode.algorithms.tree import energy, jacobians
from polhode.compiler import Program
from polhode.compiler.program.export_wasm import export_wasm
from polhode.constraints import Loop
from polhode.contact_problem import friction, gauss_seidel

from .chapter import Chapter, ClosedLoop
from .constraints import SHAPES, closed_dynamics
from .drawing import drawn
from .ground import rows_program, solver
from .markdown import inline, to_html
from .sources import source_html

ROOT = Path(__file__).resolve().parents[2]
TEXTS = ROOT / "docs" / "book"
ASSETS = TEXTS / "page"
SCRIPTS = (
    "programs.js", "geometry.js", "simulation.js", "solver.js", "contact.js", "stage.js",
    "panels.js", "main.js",
)  # fmt: skip
PARAMETERS = ("mass", "gravity")
_SOURCE = re.compile(r'<div data-source="(\w+)"></div>')
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def programs(chapter: Chapter, model: Model) -> dict[str, Program]:
    """What a page calls; masses and gravity are inputs."""

    def made(function: Any, **static: Any) -> Program:
        names = inspect.signature(function).parameters
        return ph.compile(
            function, model, parameters=PARAMETERS, optional=["f_ext"] if "f_ext" in names else (),
            shapes={name: shape for name, shape in SHAPES.items() if name in names}, **static,
        )  # fmt: skip

    found = {
        "dynamics": made(algorithms.aba),
        "rnea": ph.compile(algorithms.rnea, model, parameters=PARAMETERS),
        "crba": made(algorithms.crba),
        "energy": made(algorithms.energy),
        "poses": made(algorithms.poses),
        "integrate": ph.compile(algorithms.integrate, model),
    }
    found |= {
        f"shown_{k}": made(each.function, **each.static) for k, each in enumerate(chapter.shown)
    }
    if chapter.loop:
        constraints = chapter.loop.closed(model).constraints
        found["dynamics"] = made(closed_dynamics, constraints=constraints)
        found["errors"] = made(algorithms.constraint_errors, constraints=constraints)
    if chapter.ground:
        found["contact_rows"] = rows_program(chapter.ground, model)
    return found


def page_of(chapter: Chapter) -> str:
    """The complete document of a chapter."""
    text = (TEXTS / f"{chapter.name}.md").read_text(encoding="utf-8")
    script = "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS)
    # A browser reads the script with its line ends made \n, and so is it hashed.
    script = f'"use strict";\n(() => {{\n{script}}})();\n'
    style = (ASSETS / "page.css").read_text(encoding="utf-8")
    parts = {
        "policy": _policy(script, style),
        "title": inline(text.partition("\n")[0].removeprefix("# ")),
        "style": style,
        "text": _SOURCE.sub(lambda m: source_html(_algorithm(m[1])), to_html(text)),
        # "<" never occurs in the JSON block: no name of a model can end it.
        "data": json.dumps(page_data(chapter), allow_nan=False).replace("<", "\\u003c"),
        "script": script,
    }
    frame = (ASSETS / "page.html").read_text(encoding="utf-8")
    return _PLACE.sub(lambda m: parts[m[1]], frame)


def _algorithm(name: str) -> Any:
    """A function of the library, or one that it calls."""
    modules = (algorithms, energy, jacobians, rows, solve, solvers, friction, gauss_seidel)
    return next(getattr(module, name) for module in modules if hasattr(module, name))


def page_data(chapter: Chapter) -> dict[str, Any]:
    """The model of a page: what it is, how it begins, and its programs."""
    model = chapter.model()
    made = programs(chapter, model)
    return {
        "nv": model.nv,
        "q0": np.asarray(chapter.q0(model), float).tolist(),
        "qd0": np.asarray(chapter.qd0(model), float).tolist(),
        "spherical": [
            model.v_index[i][0] for i in model.bodies if model.joint[i].nq > model.joint[i].nv
        ],
        "gravity": chapter.gravity,
        "damping": chapter.damping,
        "bodies": [model.body(i).name for i in model.bodies],
        "masses": [float(model.body(i).mass) for i in model.bodies],
        "coordinates": re.findall(r"^ *\d+: (\S+)$", model.dof_overview(), re.MULTILINE),
        "shapes": drawn(model),
        "wasm": base64.b64encode(export_wasm(made)).decode("ascii"),
        "shown": [{"label": each.label, "rows": each.rows} for each in chapter.shown],
        "sliders": [asdict(each) for each in chapter.sliders],
        "loop": _reaction(chapter.loop, model) if chapter.loop else None,
        "ground": solver(chapter.ground, model) if chapter.ground else None,
        "programs": {name: _signature(program) for name, program in made.items()},
        "exercises": {
            name: {
                "answer": float(exercise.answer(model)),
                "tolerance": exercise.tolerance,
                "hint": inline(exercise.hint),
                "q": np.asarray(exercise.q(model), float).tolist(),
                "qd": np.asarray(exercise.qd(model), float).tolist(),
                "gravity": exercise.gravity,
                "settings": exercise.settings,
            }
            for name, exercise in chapter.exercises.items()
        },
    }


def _reaction(loop: ClosedLoop, model: Model) -> dict[str, Any]:
    """Where the constraint force acts, and the directions of its parts."""
    rows = loop.closed(model).constraints
    return {"place": loop.pin, "axes": [row.axis[3:] for row in rows if isinstance(row, Loop)]}


def _signature(program: Program) -> dict[str, Any]:
    return {
        "inputs": [[name, math.prod(shape)] for name, shape in program.inputs.items()],
        "outputs": [math.prod(shape) for shape in program.output_shapes],
    }


def _policy(script: str, style: str) -> str:
    return (
        f"default-src 'none'; script-src 'wasm-unsafe-eval' {_digest(script)}; "
        f"style-src {_digest(style)}; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
