"""The names of `polhode` and of its namespaces: each once, at one place, and found there."""

from __future__ import annotations

import ast
import inspect
import pydoc
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from scripts.moved_names import table

import polhode as ph
from polhode.moved_names import MOVED

NAMESPACES = [name for name in ph._NAMESPACES if name != "adapters"]  # it needs other libraries


def typed() -> set[tuple[str, str]]:
    """Module and name of each import that is for type checkers."""
    tree = ast.parse(Path(ph.__file__).read_text(encoding="utf-8"))
    block = next(n for n in tree.body if isinstance(n, ast.If) and "TYPE" in ast.unparse(n.test))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    assert all(alias.name == alias.asname for node in imports for alias in node.names)
    return {(node.module or "", alias.name) for node in imports for alias in node.names}


def test_every_name_is_there():
    """Each listed name can be had, is listed once, and is documented; they are sixty at most."""
    assert len(set(ph.__all__)) == len(ph.__all__) <= 60 + len(["__version__"])
    assert not set(ph.__all__) & set(ph._NAMESPACES)
    for name in (*ph.__all__, *ph._NAMESPACES):
        thing = getattr(ph, name)
        assert name == "__version__" or thing.__doc__


def test_type_checkers_see_the_same_names():
    """The imports for type checkers are what the tables say."""
    homes = {(home, name) for name, home in ph._HOME.items()}
    assert typed() == homes | {("", name) for name in ph._NAMESPACES}


def test_names_come_from_the_module_that_defines_them():
    """Each name of `polhode` is imported from its own module, or from the package of it."""
    for name, home in ph._HOME.items():
        value = getattr(ph, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert f"{value.__module__}.".startswith(f"polhode.{home}."), name


def test_nothing_has_two_public_paths():
    """No function or class is in `polhode` and in a namespace, or in two namespaces."""
    paths: dict[int, list[str]] = {}
    for space in ("", *NAMESPACES):
        module = import_module(f"polhode.{space}".rstrip("."))
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if inspect.isclass(value) or inspect.isroutine(value):
                paths.setdefault(id(value), []).append(f"{module.__name__}.{name}")
    assert [found for found in paths.values() if len(found) > 1] == []


@pytest.mark.parametrize("space", sorted(set(MOVED.values())))
def test_a_namespace_shows_what_is_in_it(space):
    """`dir`, and with it completion, and `help` list the names of a namespace."""
    module = import_module(f"polhode.{space}")
    assert set(module.__all__) <= set(dir(module))
    text = pydoc.render_doc(module, renderer=pydoc.plaintext)
    assert all(name in text for name in module.__all__)


def test_names_are_found_without_loading_anything():
    """`dir` lists names and namespaces, of which none has been imported."""
    code = "import sys, polhode as ph; dir(ph); print([m for m in sys.modules if 'polhode.' in m])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
    assert set(dir(ph)) == {*ph.__all__, *ph._NAMESPACES}


@pytest.mark.parametrize("name", sorted(MOVED))
def test_a_moved_name_says_where_it_is(name):
    """As an attribute and in an import, and it is there."""
    space = MOVED[name]
    assert name in import_module(f"polhode.{space}").__all__
    assert not hasattr(ph, name)
    told = rf"^polhode\.{name} is polhode\.{space}\.{name} now$"
    with pytest.raises(AttributeError, match=told):
        getattr(ph, name)
    with pytest.raises(ImportError, match=told):
        exec(f"from polhode import {name}")


def test_the_table_of_moved_names_is_the_one_in_the_docs():
    """What `python scripts/moved_names.py` prints is in docs/changes.md."""
    page = Path(__file__).parents[2] / "docs" / "changes.md"
    assert table() in page.read_text(encoding="utf-8")


def test_an_unknown_name_is_an_attribute_error():
    """As of any module, with a near name if there is one."""
    told = "^module 'polhode' has no attribute 'inverse_dynamic'; did you mean 'inverse_dynamics'"
    with pytest.raises(AttributeError, match=told):
        _ = ph.inverse_dynamic  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match="cannot import name 'inverse_dynamic'"):
        exec("from polhode import inverse_dynamic")
