"""What the count of long sentences and of words of no textbook takes for a sentence."""

from __future__ import annotations

import pytest
from scripts import plain_english

LONG = "Each body has a mass" + " and a mass" * 7

PAGE = f"""# A heading without an end

{LONG}.

| a cell | {LONG} |

- Short. {LONG}

```python
text = "{LONG}"
```

`{LONG}`, "{LONG}"

> {LONG}

    {LONG}
"""
MODULE = f'''"""A sentence.

Parameters
----------
body : {LONG}
    Short, and the next begins a new one.
body, name : int
    {LONG}

>>> "{LONG}"
"""
# {LONG}
name = "{LONG}"
raise ValueError(f"{LONG} {{name}}")
'''


@pytest.mark.parametrize(
    ("name", "text", "long"), [("a.md", PAGE, [26] * 3), ("a.py", MODULE, [26, 27])]
)
def test_long_sentences(tmp_path, name, text, long):
    """Code, examples, quotations and comments are no sentences; cells, items, messages are."""
    path = tmp_path / name
    path.write_text(text)
    assert [f.words for f in plain_english.findings(path)] == long


def test_sentences_end_where_the_next_begins():
    """Abbreviations end no sentence, nor do numbers; formulas and lists of names are a word."""
    text = "See eq. 2.31 of the book. `a`, `b` and `c` are $x + y$. It holds."
    assert plain_english.sentences(text) == [
        "See eq 2.31 of the book",
        "Name are Name",
        "It holds.",
    ]


def test_terms():
    """The field's compounds are no terms, and code is not examined."""
    text = "The machine has machine code, two freedoms, ten degrees of freedom and a `machine`."
    assert [t[0] for t in plain_english.TERM.finditer(text.replace("`machine`", "x"))] == [
        "machine",
        "freedoms",
    ]
