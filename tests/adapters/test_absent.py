"""What is said where a library is not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from polhode import adapters


@pytest.mark.parametrize("library", ["torch", "jax", "casadi"])
def test_a_library_that_is_not_installed_is_named(library, monkeypatch):
    """The error says which library and how to install it."""
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"polhode.adapters.{library}", raising=False)
    with pytest.raises(ImportError, match=f"needs {library}, .*pip install {library}"):
        getattr(adapters, f"to_{library}")


def test_an_unknown_adapter_is_no_attribute():
    """Only the three names exist."""
    with pytest.raises(AttributeError, match="no attribute 'to_numpy'"):
        adapters.to_numpy  # noqa: B018


def test_nothing_is_imported_before_it_is_asked_for():
    """Importing the package loads none of the libraries."""
    code = (
        "import sys, polhode.adapters; "
        "assert not {'torch', 'jax', 'casadi'} & set(sys.modules), sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
