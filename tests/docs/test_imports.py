"""Any package can be the first that is imported: none counts on another one having been."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
SCRIPT = """
import importlib, sys
import h5py, llvmlite.binding, numpy, scipy
failed = []
for name in sys.argv[1:]:
    for loaded in [m for m in sys.modules if m.partition(".")[0] == "polhode"]:
        del sys.modules[loaded]
    try:
        importlib.import_module(name)
    except ImportError as error:
        failed.append(f"{name}: {error}")
sys.exit("\\n".join(failed) or 0)
"""


def test_any_package_can_be_imported_first():
    packages = sorted(
        ".".join(file.parent.relative_to(SOURCE).parts)
        for file in SOURCE.glob("polhode/**/__init__.py")
    )
    assert "polhode.formats.sdf" in packages and len(packages) > 30
    chosen = [name for name in packages if not name.startswith("polhode.adapters")]
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *chosen], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
