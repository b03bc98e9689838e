"""What all tests share: a program cache, hypothesis profiles, counts of reference cases."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings, strategies

# Before NumPy is imported: workers fill the processors, on which its own threads would wait.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Most programs of tests run a few times: compiling is what takes long.
os.environ.setdefault("POLHODE_OPT_LEVEL", "0")

settings.register_profile(
    "quick",
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=300)
settings.load_profile(os.environ.get("POLHODE_HYPOTHESIS_PROFILE", "quick"))

OF_COMPILER = ("compiler", "modes")  # folders of tests whose programs users would have
LONGEST = (
    "hardening/test_stress.py",
    "hardening/test_interrupts.py",
    "hardening/test_process_state.py",
    "viewer/test_render.py",
    "viewer/test_viewer_browser.py",
    "viewer/test_scene_pages.py",
    "viewer/test_drawing.py",
    "contact/test_plain_loops.py",
    "docs/test_docs.py",
    "cli/test_cli.py",
)


def pytest_configure(config):
    """Each run starts with an empty program cache, which its worker processes share.

    Processes that tests start can be interrupted, also where a shell runs the tests in the
    background and has them ignore it.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if "POLHODE_CACHE_DIR" not in os.environ:
        folder = TemporaryDirectory(prefix="polhode-tests-", ignore_cleanup_errors=True)
        os.environ["POLHODE_CACHE_DIR"] = folder.name
        config.add_cleanup(folder.cleanup)


def pytest_ignore_collect(collection_path, config):
    """The oracles need Pinocchio and MuJoCo: do not even import them unless asked to run."""
    if collection_path.name == "oracle" and config.getoption("markexpr") == "not oracle":
        return True
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """The collector skips the half million objects of modules and tests, which stay to the end.

    It runs less often than by default: tracing makes millions of objects more.
    """
    gc.disable()
    _smallest_property()  # Hypothesis asks once what refers to its state, which `freeze` hides
    result = yield
    gc.freeze()
    gc.set_threshold(200_000, 5, 10)
    gc.enable()
    return result


@given(strategies.none())
def _smallest_property(_):
    pass


def pytest_collection_modifyitems(items):
    """The longest tests come first: at the end processes share what is short."""
    longest = {Path(__file__).parent / name for name in LONGEST}
    items.sort(key=lambda item: item.path not in longest)


@pytest.fixture(scope="module", autouse=True)
def _compiler_of_users(request):
    """Tests of the compiler take the level that it has by default."""
    with pytest.MonkeyPatch.context() as environment:
        if request.path.parent.name in OF_COMPILER:
            environment.delenv("POLHODE_OPT_LEVEL", raising=False)
        yield


@pytest.fixture(scope="session", autouse=True)
def _shared_bytecode():
    """Processes that tests start compile our modules once, also where Python is to keep none."""
    with pytest.MonkeyPatch.context() as environment:
        if sys.dont_write_bytecode:
            folder = Path(os.environ["POLHODE_CACHE_DIR"]) / "bytecode"  # of all workers
            environment.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            environment.setenv("PYTHONPYCACHEPREFIX", str(folder))
        yield


def pytest_terminal_summary(terminalreporter):
    """How many reference cases of which function were checked, whatever process ran them."""
    counts: dict[str, dict[str, Counter]] = defaultdict(lambda: defaultdict(Counter))
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "call":
                for key, value in report.user_properties:
                    if key == "reference":
                        program, function, outcome, number = value
                        counts[program][function][outcome] += number
    for program in sorted(counts):
        terminalreporter.section(f"{program}: reference cases")
        total: Counter = Counter()
        for function, outcomes in sorted(counts[program].items()):
            total.update(outcomes)
            terminalreporter.line(f"{function:45s} {_line(outcomes)}")
        terminalreporter.line(f"{'total':45s} {_line(total)}")


def _line(outcomes: Counter) -> str:
    words = [f"{outcomes['checked']:6d} checked"]
    words += [f"{n} {name}" for name, n in sorted(outcomes.items()) if name != "checked" and n]
    return ", ".join(words)
