"""Reference pages: every public name, grouped by the module that defines it.

Names come from each package's ``__all__``, so that a new one appears without being listed here.
"""

from __future__ import annotations

import ast
import inspect
import types
import typing
from importlib import import_module
from itertools import pairwise
from pathlib import Path

ROOT_PAGES = {
    "models": ("Models, files and errors", ("model", "formats", "errors")),
    "dynamics": ("Dynamics", ("api.dynamics", "api.passive", "api.reactions")),
    "kinematics": (
        "Kinematics, energy and momentum",
        ("api.kinematics", "api.energetics", "api.manifold"),
    ),
    "root_derivatives": ("Derivatives of dynamics", ("api.derivatives",)),
    "constrained": ("Constrained dynamics", ("api.constraints",)),
    "inverse_kinematics": ("Inverse kinematics", ("api.inverse_kinematics",)),
    "simulate": ("Simulation", ("simulation", "scene", "recording", "batch")),
    "viewing": ("Looking at motion", ("viewer",)),
    "programs": ("Programs", ("binding", "compiler")),
}

NAMESPACES = (
    "constraints",
    "contact",
    "derivatives",
    "environments",
    "floating_base",
    "identification",
    "kinematics",
    "simulation",
    "sweeps",
)

PACKAGES = (
    "model",
    "spatial",
    "scalar",
    "algorithms",
    "formats",
    "scene",
    "collision",
    "contact_problem",
    "simulation.stepping",
    "batch.sweep",
    "viewer",
    "compiler",
    "cuda",
    "adapters",
    "rbdl",
    "spatial_v2",
)


def public_names(module: types.ModuleType) -> list[str]:
    """``__all__``, or the functions and classes that are defined in the module itself."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__, key=str.lower)
    return [
        name
        for name, value in vars(module).items()
        if callable(value)
        and not name.startswith("_")
        and getattr(value, "__module__", "") == module.__name__
    ]


def page_of(value: object) -> str:
    """The page for a name of ``polhode``, by the longest module prefix."""
    home = (getattr(value, "__module__", None) or "").removeprefix("polhode.")
    fits = [
        (len(prefix), page)
        for page, (_, prefixes) in ROOT_PAGES.items()
        for prefix in prefixes
        if home.startswith(prefix)
    ]
    return max(fits)[1] if fits else "programs"


def directive(module: str, name: str, value: object) -> str:
    """The autodoc directive of one name."""
    full = f"{module}.{name}"
    if inspect.isclass(value):
        return f".. autoclass:: {full}\n   :members:\n"
    if is_constant(value):
        text = value_text(value)
        shown = f"   :value: {text}\n" if "\n" not in text and len(text) < 80 else ""
        about = constant_text(module, name)
        return f".. py:data:: {full}\n{shown}\n   {about}\n"
    return f".. autofunction:: {full}{signature_text(value)}\n"


def signature_text(value: object) -> str:
    """The signature of a function with overloads, which autodoc would try to show instead."""
    if not typing.get_overloads(value):  # type: ignore[arg-type]
        return ""
    signature = inspect.signature(value)  # type: ignore[arg-type]
    plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=signature.empty))


def is_constant(value: object) -> bool:
    """Whether a value is a number, an array or the alias of a type: no class, no function."""
    return not inspect.isclass(value) and not inspect.isroutine(value)


def value_text(value: object) -> str:
    return str(value.tolist()) if hasattr(value, "tolist") else str(value)


def constant_text(module: str, name: str) -> str:
    """The string below the assignment of a constant, wherever in the package that is."""
    home = Path(import_module(module).__file__ or "")
    for path in sorted(home.parent.glob("*.py")):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for statement, after in pairwise(body):
            if (
                isinstance(statement, ast.Assign)
                and isinstance(after, ast.Expr)
                and isinstance(after.value, ast.Constant)
                and name in [getattr(t, "id", None) for t in statement.targets]
            ):
                return " ".join(str(after.value.value).split())
    return "A constant."


def title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}\n"


def first_paragraph(module: types.ModuleType) -> str:
    return inspect.cleandoc(module.__doc__ or "").split("\n\n")[0]


def summary_table(module: str, names: list[str]) -> str:
    rows = "".join(f"   {name}\n" for name in names)
    return f".. currentmodule:: {module}\n\n.. autosummary::\n\n{rows}"


def root_pages() -> dict[str, str]:
    """Text of each page of the names of ``polhode`` itself."""
    front = import_module("polhode")
    names = [n for n in public_names(front) if not n.startswith("__")]
    values = {n: getattr(front, n) for n in names}
    pages = {}
    for page, (heading, _) in ROOT_PAGES.items():
        here = [
            n
            for n, value in values.items()
            if not inspect.ismodule(value) and page_of(value) == page
        ]
        body = "\n".join(directive("polhode", n, values[n]) for n in here)
        pages[page] = f"{title(heading)}\n{summary_table('polhode', here)}\n{body}"
    return pages


def public_places() -> dict[int, str]:
    """Where each class and function of ``polhode`` and its namespaces is public, by its id."""
    places = {}
    for name in ("polhode", *(f"polhode.{n}" for n in NAMESPACES)):
        module = import_module(name)
        values = [getattr(module, n) for n in module.__all__]
        places |= {id(v): name for v in values if inspect.isclass(v) or inspect.isroutine(v)}
    return places


def package_page(package: str) -> str:
    """Text of the page of one package; what is public elsewhere is linked, not repeated."""
    module = import_module(f"polhode.{package}")
    full, places = module.__name__, public_places()
    own, shared, inside = [], [], []
    for name in public_names(module):
        value = getattr(module, name)
        if inspect.ismodule(value):
            inside.append(name)
        elif places.get(id(value), full) != full:
            shared.append(f"{places[id(value)]}.{name}")
        else:
            own.append(name)
    parts = [title(full), first_paragraph(module)]
    if shared:
        parts.append("Also here: " + ", ".join(f":py:obj:`{n}`" for n in shared) + ".")
    if inside:
        parts.append("Modules inside: " + ", ".join(f"``{full}.{n}``" for n in inside) + ".")
    listed = [n for n in own if not is_constant(getattr(module, n))]
    parts.append(summary_table(full, listed))
    parts += [directive(full, n, getattr(module, n)) for n in own]
    return "\n\n".join(parts)


def page_name(package: str) -> str:
    return f"polhode_{package.replace('.', '_')}"


def index_page(pages: dict[str, str], spaces: list[str], packages: list[str]) -> str:
    def tree(caption: str, entries: list[str]) -> str:
        rows = "".join(f"   {entry}\n" for entry in entries)
        return f".. toctree::\n   :maxdepth: 1\n   :caption: {caption}\n\n{rows}"

    return "\n".join(
        (
            title("Reference"),
            "Every public name with its shapes, units, errors and the equation it stands for.\n"
            "Arrays may carry leading batch axes wherever a shape begins with dots.\n",
            tree("import polhode as ph", list(pages)),
            tree("Namespaces", spaces),
            tree("Packages", packages),
        )
    )


def write_reference(folder: Path) -> None:
    """Write all pages; a file that would not change is left as it is, for the build's cache."""
    pages = root_pages()
    files = {**pages, **{page_name(k): package_page(k) for k in (*NAMESPACES, *PACKAGES)}}
    spaces, packages = map(page_name, NAMESPACES), map(page_name, PACKAGES)
    files["index"] = index_page(pages, list(spaces), list(packages))
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.rst"):
        if old.stem not in files:
            old.unlink()
    for name, text in files.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
