"""Sections of docstrings that are made from tables."""

from __future__ import annotations

import pytest

from polhode.docstrings import Vocabulary

described = Vocabulary(
    {"q": ("(n,)", "Positions."), "count": ("int", "How many."), "more": ("float", "Others.")},
    {"done": ("bool", "Whether it worked.")},
)


def test_sections_are_added_between_text_and_errors():
    """Arrays have shapes, outputs are arrays that are filled, and what is None is optional."""

    @described("done", "q")
    def function(count, *more, q=None):
        """Do it.

        Raises
        ------
        ValueError
            Always.
        """

    assert function.__doc__ == (
        "Do it.\n\n"
        "Parameters\n----------\n"
        "count : int\n    How many.\n"
        "*more : float\n    Others.\n"
        "q : ndarray, shape (n,), optional\n    Filled: Positions.\n\n"
        "Returns\n-------\ndone : bool\n    Whether it worked.\n\n"
        "Raises\n------\nValueError\n    Always.\n"
    )


def test_what_a_function_says_itself_stays():
    """A section that is there, and a parameter with a meaning of its own."""

    @described("done", count=("float", "A share."))
    def function(count):
        """Do it.

        Returns
        -------
        q : ndarray
            Its own.
        """

    assert "count : float\n    A share." in function.__doc__
    assert "done" not in function.__doc__
    assert function.__doc__.endswith("q : ndarray\n    Its own.\n")


def test_a_parameter_without_a_meaning_is_an_error():
    """So that none is left out."""
    with pytest.raises(KeyError, match="unknown"):

        @described()
        def function(unknown):
            """Do it."""
