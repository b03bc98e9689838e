"""The files of a release say what `pyproject.toml` says."""

from __future__ import annotations

import re
import tomllib

import jinja2
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

import polhode
from docs.pages import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
KINDS = ("added", "changed", "fixed", "removed", "security")


def _text(*names: str) -> str:
    return REPOSITORY.joinpath(*names).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def recipe() -> dict:
    """The conda recipe as its builder reads it: a template, then YAML."""
    template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(
        _text("conda", "meta.yaml")
    )
    return yaml.safe_load(template.render(PYTHON="python"))


def _requirements(lines: list[str]) -> dict[str, str]:
    return {r.name: str(r.specifier) for r in map(Requirement, lines)}


def test_the_recipe_needs_what_the_package_needs(recipe):
    """Python, run-time libraries and what builds the wheel, with the same lower bounds."""
    python = {"python": PROJECT["requires-python"]}
    needs = _requirements(recipe["requirements"]["run"])
    assert needs == python | _requirements(PROJECT["dependencies"])
    builds = _requirements(recipe["requirements"]["host"])
    system = tomllib.loads(_text("pyproject.toml"))["build-system"]["requires"]
    assert builds == python | {"pip": ""} | _requirements(system)


def test_the_recipe_makes_the_same_command(recipe):
    """Its entry points, name, licence and summary are the package's."""
    points = [" = ".join(pair) for pair in PROJECT["scripts"].items()]
    assert recipe["build"]["entry_points"] == points
    assert recipe["package"]["name"] == PROJECT["name"]
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["summary"] == PROJECT["description"]


def test_one_version_everywhere(recipe):
    """Package, recipe and citation have one version, and the changelog knows it."""
    citation = yaml.safe_load(_text("CITATION.cff"))
    versions = {str(recipe["package"]["version"]), str(citation["version"]), polhode.__version__}
    assert versions == {PROJECT["version"]}
    assert f"## [{PROJECT['version']}]" in _text("CHANGELOG.md")
    # The licence of polhode itself; the package also contains what is under another one.
    assert PROJECT["license"].split(" AND ")[0] == citation["license"]


def test_the_oldest_libraries_tested_are_the_oldest_allowed():
    """`make test-minimal` installs the lower bound of each run-time library, no newer one."""
    (line,) = re.findall(r"^MINIMAL := (.*)$", _text("Makefile"), re.MULTILINE)
    pinned = {name: Version(version) for name, version in re.findall(r"(\S+)==(\S+)", line)}
    extras = PROJECT["optional-dependencies"]["hdf5"]
    allowed = _requirements([*PROJECT["dependencies"], *extras])
    assert pinned == {name: Version(text.removeprefix(">=")) for name, text in allowed.items()}


def test_fragments_of_the_changelog_have_a_kind_and_a_text():
    """What `make changelog` would pass over or refuse is found before a release."""
    for path in (REPOSITORY / "changelog.d").iterdir():
        if path.name != "README.md":
            assert re.fullmatch(rf"(\+[\w-]+|\d+)\.({'|'.join(KINDS)})\.md", path.name), path.name
            text = path.read_text(encoding="utf-8")
            assert text.strip() and not text.startswith(("-", "#")), path.name


def test_what_make_quick_runs_is_there():
    """Each file and folder of the list in the Makefile."""
    listed = re.search(r"^QUICK \?= \$\(addprefix tests/,(.*?)\)", _text("Makefile"), re.S | re.M)
    assert listed is not None
    names = listed[1].replace("\\\n", " ").split()
    assert len(names) > 10
    for name in names:
        assert (REPOSITORY / "tests" / name).exists(), name
