"""Find long sentences and words of no textbook in the documentation, docstrings and messages.

``python scripts/plain_english.py`` prints each with its file, and fails if there are any.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
GENERATED = ROOT / "docs" / "generated"
LONGEST = 25
"""Words of a sentence."""

TERMS = {
    r"(front |fast )?doors?": "entry point, fast call, public API",
    r"four lives": "evaluation modes",
    r"machines?(?! (code|language|instruction|precision))": "model, robot; computer",
    r"(?<!of )freedoms?": "degrees of freedom",
    r"ball joints?": "spherical joint",
    r"blows?": "impact",
    r"turning|spin|spins|spinning": "angular velocity; rotates",
    r"kicks?": "velocity update",
    r"haste|pace": "adaptive substep; contraction factor",
    r"aims?": "target velocities; goal",
    r"gives? way|gave way|giving way|yielding": "relaxed, compliant",
    r"cascades?": "fallback stages",
    r"bold|careful": "full-step, safeguarded Newton",
    r"calm|tamed?|brakes?": "clamp",
    r"keeping": "checkpointing",
    r"audit(s|ed)?": "diagnostics",
    r"doubts?|remarks?": "warnings",
    r"bulges?|ridges?": "edge-height-field contact",
    r"touching|rubs?": "in contact; friction",
    r"gathered|spread": "scatter-add, gather; regrouped",
    r"twelves?(?= (number|entr|column))": "pose row",
    r"nought": "zero",
    r"films?": "animation",
    r"endings?": "file extension",
}
"""What is not said, with the field's term.  Words that the field uses as well, in another sense
(node, drift, flow, factor, dense, sweep, real, whole), are left to the reader."""
TERM = re.compile(r"(?<!virtual )(?<!state )\b(" + "|".join(TERMS) + r")(?![\w-])", re.IGNORECASE)

NAME = "Name"
"""Stands for a piece of code, a formula or a quotation: one word, not examined."""
CODE = re.compile(r"(:[\w:]+:|\{[\w:]+\})?(``.+?``|`[^`]*`)", re.DOTALL)
QUOTATION = re.compile(r"\"[^\"]{12,}?\"|“[^”]*”|(?<!\w)'[^'\s][^']{10,}?'(?!\w)", re.DOTALL)
FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$", re.DOTALL)
LINK = re.compile(r"!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])?")
NAMES = re.compile(rf"{NAME}(?:(?:\s*[,;/]\s*(?:and |or )?|\s+(?:and|or)\s+){NAME})+")
ABBREVIATION = re.compile(
    r"\b(e\.g|i\.e|etc|cf|vs|al|eqs?|sec|fig|tab|ch|vol|no|pp?|approx)\.(?=\s)", re.IGNORECASE
)
END = re.compile(r"[.!?][\")\]*]*\s+(?=[\"(\[*]*[A-Z0-9])")
WORD = re.compile(r"[^\W\d_][\w'’.-]*")

BULLET = re.compile(r"^\s*([-*+]|\d+\.)\s+")
PARAMETER = re.compile(r"\**\w[\w*, ]* : ")
UNDERLINE = re.compile(r"\s*[-=~^\"]{3,}\s*$")


class Finding(NamedTuple):
    """A long sentence (no term) or a word of no textbook, in a sentence."""

    sentence: str
    words: int
    term: str = ""


def main() -> None:
    found = [(path, finding) for path in files() for finding in findings(path)]
    for path, finding in found:
        what = f"'{finding.term}'" if finding.term else f"{finding.words} words"
        print(f"{path.relative_to(ROOT)}: {what}: {finding.sentence}")
    sys.exit(bool(found))


def files() -> Iterator[Path]:
    """Pages, notebooks and modules; the changelog tells of the past, in its words."""
    yield from (p for p in sorted(ROOT.glob("*.md")) if p.name != "CHANGELOG.md")
    for path in sorted((ROOT / "docs").glob("**/*")):
        if path.suffix in (".md", ".ipynb") and GENERATED not in path.parents:
            yield path
    yield from sorted((ROOT / "src").glob("**/*.py"))


def findings(path: Path) -> Iterator[Finding]:
    """Long sentences and terms of a file."""
    for block in blocks(path):
        for sentence in sentences(block):
            words = len(WORD.findall(sentence))
            if words > LONGEST:
                yield Finding(sentence, words)
            for term in TERM.finditer(sentence):
                yield Finding(sentence, words, term[0])


def sentences(block: str) -> list[str]:
    """Sentences of a block; code, formulas and quotations become one word each."""
    text = CODE.sub(NAME, block)
    text = QUOTATION.sub(NAME, FORMULA.sub(NAME, LINK.sub(r"\1", text)))
    text = NAMES.sub(NAME, " ".join(text.split()))
    return [s for s in END.split(ABBREVIATION.sub(r"\1", text)) if s]


def blocks(path: Path) -> Iterator[str]:
    """Paragraphs, items of lists, headings and cells of tables of a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for part in python_texts(text):
            yield from docstring_blocks(part)
    elif path.suffix == ".ipynb":
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] == "markdown":
                yield from markdown_blocks("".join(cell["source"]))
    else:
        yield from markdown_blocks(text)


def markdown_blocks(text: str) -> Iterator[str]:
    text = re.sub(r"^(```+|~~~+).*?^\1$|<!--.*?-->|^<[^>]*>$", "\n\n", text, flags=re.M | re.S)
    text = re.sub(r"^\s*>.*$", "", text, flags=re.MULTILINE)
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        if not any(lines) and line.startswith("    "):
            continue  # code
        alone = line.lstrip().startswith(("#", "|"))
        if alone or not line.strip() or BULLET.match(line):
            yield "\n".join(lines)
            lines = []
        if alone:
            yield from CODE.sub(NAME, line).strip(" #|").split("|")
        else:
            lines.append(BULLET.sub("", line, count=1))


def docstring_blocks(text: str) -> Iterator[str]:
    """Paragraphs, without examples, literal blocks and the headings of sections."""
    lines: list[str] = []
    depth = 0
    literal: int | None = None
    example = False
    for line in [*text.splitlines(), ""]:
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            example = False
        elif literal is not None and indent <= literal:
            literal = None
        if not line.strip() or literal is not None or example or line.lstrip().startswith(">>>"):
            example = example or line.lstrip().startswith(">>>")
            yield "\n".join(lines)
            lines = []
            continue
        if UNDERLINE.match(line):
            lines = []
            continue
        if BULLET.match(line) or PARAMETER.match(line.strip()) or indent != depth:
            yield "\n".join(lines)
            lines = []
        item = BULLET.match(line)
        depth = item.end() if item else indent
        if not PARAMETER.match(line.strip()):
            lines.append(BULLET.sub("", line, count=1))
        if line.rstrip().endswith("::"):
            literal = indent
    yield "\n".join(lines)


def python_texts(source: str) -> Iterator[str]:
    """Docstrings of a module and of its names, and messages of errors, warnings and options."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                yield _dedented(node.value.value)
        elif isinstance(node, ast.Raise) or _is_message(node):
            yield from _strings(node)


def _is_message(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    function = ast.unparse(node.func).rpartition(".")[2]
    return function in ("warn", "add_argument", "add_parser")


def _strings(node: ast.AST) -> Iterator[str]:
    """Texts of an expression, with a name in place of each value that is put in."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(
            part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else NAME
            for part in node.values
        )
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from _strings(child)


def _dedented(docstring: str) -> str:
    first, _, rest = docstring.partition("\n")
    depth = min((len(s) - len(s.lstrip()) for s in rest.splitlines() if s.strip()), default=0)
    return "\n".join([first.strip(), *(line[depth:] for line in rest.splitlines())])


if __name__ == "__main__":
    main()
