"""Try a release before it is one: build it, install it bare, run it, on every Python at hand.

``python scripts/release_check.py [PYTHON ...]``; needs the package `build`.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from shutil import rmtree, which

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.15")
SMOKE = """
import sys
from shutil import copy
import polhode as ph
assert not set(sys.modules) & {"scipy", "llvmlite", "matplotlib", "h5py"}, "imports are not lazy"
copy(ph.__path__[0] + "/examples/arm.urdf", ".")
"""
COMMANDS = (
    ["--help"], ["info", "arm.urdf"], ["check", "arm.urdf"],
    ["sim", "arm.urdf", "-t", "0.1", "-o", "run.npz", "--quiet"],
    ["export", "arm.urdf", "--c", "arm.c"],
)  # fmt: skip


def main() -> None:
    release = ROOT / "build" / "release"
    rmtree(release, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(release), str(ROOT))
    (wheel,), (sdist,) = release.glob("*.whl"), release.glob("*.tar.gz")
    print(f"built {wheel.name} ({_size(wheel)}) and {sdist.name} ({_size(sdist)})")
    check_contents(wheel)
    check_same(wheel, sdist)
    pythons = sys.argv[1:] or found_pythons()
    for python in pythons:
        smoke(python, wheel)
    print(f"good on {len(pythons)} versions of Python")


def run(*command: str, where: Path | None = None, **environment: str) -> str:
    """A command's output; its errors and the end of this script if it fails."""
    inner = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        command, cwd=where, env=inner | environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"failed: {' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def check_contents(wheel: Path) -> None:
    """What must be in the wheel is, and nothing of the development."""
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        (metadata,) = (n for n in names if n.endswith(".dist-info/METADATA"))
        about = file.read(metadata).decode("utf-8")
    if "License-Expression: Apache-2.0 AND MIT" not in about:
        sys.exit("expected the licences of polhode and of three.js in the wheel's metadata")
    if not any(re.search(r"dist-info/licenses/.*THIRD_PARTY_NOTICES.txt$", n) for n in names):
        sys.exit("expected the notices of third parties among the wheel's licences")
    for wanted in ("polhode/py.typed", "polhode/viewer/assets/viewer.min.js",
                   "polhode/formats/lua/sandbox.lua", "polhode/examples/arm.urdf",
                   "polhode/examples/scenes/12_legged_robot.py"):  # fmt: skip
        if wanted not in names:
            sys.exit(f"expected {wanted} in the wheel")
    odd = [n for n in names if not re.match(r"polhode(-[\d.]+\.dist-info)?/", n) or ".pyc" in n]
    if odd:
        sys.exit(f"expected nothing but the package in the wheel, found {odd[:5]}")


def check_same(wheel: Path, sdist: Path) -> None:
    """The wheel made of the sdist has the same files."""
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, str(sdist))
        (other,) = Path(folder).glob("*.whl")
        if _digests(wheel) != _digests(other):
            changed = sorted(_digests(wheel).items() ^ _digests(other).items())
            sys.exit(f"the sdist builds another wheel: {changed[:6]}")
    print("the sdist builds the same wheel")


def _digests(wheel: Path) -> dict[str, str]:
    with zipfile.ZipFile(wheel) as file:
        return {name: hashlib.sha256(file.read(name)).hexdigest() for name in file.namelist()}


def found_pythons() -> list[str]:
    """An interpreter of each version at hand, in the path or of pyenv."""
    found = {}
    for version in VERSIONS:
        pyenv = Path.home() / ".pyenv" / "versions"
        named = [
            which(f"python{version}"),
            *sorted(map(str, pyenv.glob(f"{version}.*/bin/python3"))),
        ]
        for python in filter(None, named):
            code = "import sys; print('%d.%d' % sys.version_info[:2])"
            done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
            if done.stdout.strip() == version:
                found[version] = python
    return list(found.values())


def smoke(python: str, wheel: Path) -> None:
    """The lines of the README and the commands, in an environment with the wheel alone."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    if block is None:
        sys.exit("expected a block of Python in README.md")
    with tempfile.TemporaryDirectory(prefix="polhode-release-") as folder:
        home = Path(folder)
        run(python, "-m", "venv", str(home / "venv"))
        binaries = home / "venv" / ("Scripts" if os.name == "nt" else "bin")
        run(str(binaries / "python"), "-m", "pip", "install", "-q", str(wheel))
        inside = {"POLHODE_CACHE_DIR": str(home / "cache")}
        (home / "work").mkdir()
        run(str(binaries / "python"), "-I", "-W", "error", "-c", SMOKE + block[1],
            where=home / "work", **inside)  # fmt: skip
        for command in COMMANDS:
            run(str(binaries / "polhode"), *command, where=home / "work", **inside)
        run(str(binaries / "python"), "-m", "pip", "check")
        made = sorted(path.name for path in (home / "work").iterdir())
        libraries = run(str(binaries / "python"), "-m", "pip", "list", "--format=freeze").split()
    if made != ["arm.c", "arm.h", "arm.html", "arm.urdf", "run.npz"]:
        sys.exit(f"expected the outputs of README and commands, found {made}")
    print(f"{python}: README and {len(COMMANDS)} commands, with {', '.join(libraries)}")


def _size(path: Path) -> str:
    return f"{path.stat().st_size / 2**20:.1f} MiB"


if __name__ == "__main__":
    main()
