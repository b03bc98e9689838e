"""A folder of the same formats with other cases: files renamed, one case gone, one there twice.

python tests/validation/renamed.py build/renamed
POLHODE_VALIDATION=build/renamed python tests/validation/run.py
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path[:1] = [str(Path(__file__).parents[1])]  # here `validation` is a folder of tests

from validation.scores import VALIDATION

Index = dict[str, Any]


def renamed_copy(source: Path, target: Path) -> None:
    """Write a copy of all suites at ``source`` to the new folder ``target``."""
    target.mkdir(parents=True)
    for suite in sorted(path for path in source.iterdir() if path.is_dir()):
        COPIES[suite.name](suite, target / suite.name)
    _refer_to_renamed(source, target)


def other_names(names: list[str]) -> dict[str, list[str]]:
    """New names of cases: the first, if it is one of several, has none, and the last has two."""
    several = len(names) > 1
    given = {name: [f"other_{k:03d}"] for k, name in enumerate(names)}
    if several:
        given[names[0]] = []
        given[names[-1]].append("once_more")
    return given


def of_records(source: Path, target: Path) -> None:
    """A JSON file for each case, with the models that it names by their files."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.json", "*.urdf"))
    for old, names in other_names([path.stem for path in sorted(source.glob("*.json"))]).items():
        record = json.loads((source / f"{old}.json").read_text())
        for new in names:
            if isinstance(record.get("model"), str):
                shutil.copy(source / record["model"], target / f"model_of_{new}.urdf")
                written = record | {"model": f"model_of_{new}.urdf"}
            else:
                written = record
            (target / f"{new}.json").write_text(json.dumps(written))


def _refer_to_renamed(source: Path, target: Path) -> None:
    """Descriptions that refer to a file of another suite name it as it is now called."""
    for path in target.glob("*/*.json"):
        text = path.read_text()
        for suite, old in set(re.findall(r"\.\./(\w+)/(\w+)\.json", text)):
            names = other_names([file.stem for file in sorted((source / suite).glob("*.json"))])
            if not names[old]:  # what is referred to stays, under another name
                names[old] = ["referred_to"]
                shutil.copy(source / suite / f"{old}.json", target / suite / "referred_to.json")
            text = text.replace(f"../{suite}/{old}.json", f"../{suite}/{names[old][0]}.json")
        path.write_text(text)


def of_problems(source: Path, target: Path) -> None:
    """An index whose entries name arrays."""
    index = json.loads((source / "index.json").read_text())
    (target / "npz").mkdir(parents=True)
    written = {}
    for old, names in other_names(list(index)).items():
        for new in names:
            written[new] = index[old] | {"npz": f"npz/{new}.npz"}
            shutil.copy(source / index[old]["npz"], target / written[new]["npz"])
    (target / "index.json").write_text(json.dumps(written))


def of_tables(source: Path, target: Path) -> None:
    """Cases whose entries name text files of their quantities."""
    cases = json.loads((source / "cases.json").read_text())
    written = {}
    for old, names in other_names(list(cases)).items():
        for new in names:
            files = {what: f"text/{new}_{what}.txt.gz" for what in cases[old]["files"]}
            written[new] = cases[old] | {"files": files}
            (target / "text").mkdir(parents=True, exist_ok=True)
            for what, file in files.items():
                shutil.copy(source / cases[old]["files"][what], target / file)
    (target / "cases.json").write_text(json.dumps(written))


def of_models(source: Path, target: Path) -> None:
    """An index of model files that include others, and arrays by the names of files."""
    shutil.copytree(source, target)
    index = json.loads((source / "index.json").read_text())
    texts = [path.read_text(errors="replace") for path in source.rglob("*.xml")]
    named = {Path(name).name for text in texts for name in re.findall(r'file="([^"]+)"', text)}
    written: Index = {}
    new_names: dict[str, list[str]] = {}
    for old, names in other_names(list(index)).items():
        path = Path(old)
        new_names[old] = [str(path.with_name(f"{new}.xml")) for new in names]
        if names and path.name in named:
            new_names[old] = [old]  # other files include it by its name
        for new in new_names[old]:
            written[new] = index[old]
            if new != old:
                shutil.copy(source / old, target / new)
        if path.name not in named:
            (target / old).unlink()
    (target / "index.json").write_text(json.dumps(written))
    with np.load(source / "expected.npz") as kept:
        np.savez_compressed(target / "expected.npz", **_by_new_names(kept, new_names))


def _by_new_names(kept: Mapping[str, Any], names: dict[str, list[str]]) -> dict[str, Any]:
    parts = [(key.rpartition("|"), kept[key]) for key in kept]
    return {f"{new}|{what}": value for (old, _, what), value in parts for new in names.get(old, [])}


def of_folders(source: Path, target: Path) -> None:
    """A folder for each case; the model's file has another name, too."""
    target.mkdir()
    folders = sorted(path.name for path in source.iterdir() if path.is_dir())
    for old, names in other_names(folders).items():
        for new in names:
            shutil.copytree(source / old, target / new)
            for path in (target / new).glob("*.osim.gz"):
                path.rename(path.with_name(f"model_of_{new}.osim.gz"))


def of_tosses(source: Path, target: Path) -> None:
    """The tosses without the last one."""
    shutil.copytree(source, target)
    with np.load(source / "tosses.npz") as kept:
        fields = {name: kept[name] for name in kept.files}
    rows, tosses = fields["start"][-2], len(fields["toss"]) - 1
    shorter = {name: values[:rows] for name, values in fields.items()}
    shorter |= {"toss": fields["toss"][:tosses], "start": fields["start"][:-1]}
    np.savez_compressed(target / "tosses.npz", **shorter)


COPIES: dict[str, Callable[[Path, Path], None]] = {
    "siconos_friction": of_problems,
    "motiongenesis": of_records,
    "exudyn": of_records,
    "iftomm": of_records,
    "ivp_testset": of_records,
    "adams_joints": of_tables,
    "mjcf": of_models,
    "cube_tosses": of_tosses,
    "opensim": of_folders,
}


if __name__ == "__main__":
    renamed_copy(VALIDATION, Path(sys.argv[1]))
