"""The pages of the book: the numbers they compute, the answers they take, what they load."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from functools import cache

import numpy as np
import pytest
from scripts.book.chapters import CHAPTERS
from scripts.book.constraints import CONSTRAINTS
from scripts.book.contact import CONTACT
from scripts.book.ground import TOLERANCE, Settings, contact_steps
from scripts.book.markdown import to_html
from scripts.book.page import ASSETS, TEXTS, page_of, programs

import polhode as ph
from polhode.viewer.chromium import Browser, find_browser
from undrawn import undrawn

EPS = np.finfo(float).eps
LARGEST_PAGE = 1_500_000  # bytes
AGREEMENT = 1e-12  # of the largest entry
ENERGY_DRIFT = 1e-6  # of the energy exchanged, in two seconds

chapters = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A headless Chromium; without one the tests are skipped, but fail where CI runs them."""
    if find_browser() is None:
        message = "no Chromium on PATH"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    with Browser(tmp_path_factory.mktemp("profile"), (900, 500)) as browser:
        yield browser


@cache
def text_of(name):
    """The page of the chapter of a name."""
    return page_of(next(chapter for chapter in CHAPTERS if chapter.name == name))


def open_page(browser, chapter, folder):
    """The page of a chapter, its motion stopped."""
    path = folder / f"{chapter.name}.html"
    path.write_text(text_of(chapter.name), encoding="utf-8")
    browser.open(path.as_uri())
    browser.run("book.play(false)")
    return browser


@pytest.fixture
def opened(browser, tmp_path):
    """Opens the page of a chapter, which does everything but draw."""
    with undrawn(browser):
        yield lambda chapter: open_page(browser, chapter, tmp_path)


@chapters
def test_page_is_small_and_closed(chapter):
    """One file below the limit that may load nothing and run only its own script."""
    page = text_of(chapter.name)
    assert len(page.encode()) < LARGEST_PAGE
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)

    def digest(text):
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    assert policy == (
        f"default-src 'none'; script-src 'wasm-unsafe-eval' 'sha256-{digest(script)}'; "
        f"style-src 'sha256-{digest(style)}'; base-uri 'none'; form-action 'none'"
    )
    frame = page.replace(script, "").replace(style, "")
    assert not re.search(r"\ssrc=|https?:|\sstyle=", frame)
    names = {f"{each.name}.html" for each in CHAPTERS}
    assert set(re.findall(r'href="([^"]*)"', frame)) <= names


@chapters
def test_every_exercise_is_asked(chapter):
    """Exercises of the text are those that have answers, which are finite and not zero."""
    text = (TEXTS / f"{chapter.name}.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r'data-exercise="([^"]*)"', text)) == sorted(chapter.exercises)
    answers = [exercise.answer(chapter.model()) for exercise in chapter.exercises.values()]
    assert np.all(np.isfinite(answers)) and np.all(answers)


@chapters
def test_numbers_agree_with_python(chapter, opened):
    """All programs of a page at random states, masses and pulls, against compiled code."""
    page, model = opened(chapter), chapter.model()
    assert page.errors == []
    assert [url for url in page.requests if url.startswith("http")] == []
    rng = np.random.default_rng(0)
    for _ in range(5):
        values = random_inputs(model, rng)
        for name, program in programs(chapter, model).items():
            inputs = {key: values[key] for key in program.inputs}
            flat = {key: np.ravel(x).tolist() for key, x in inputs.items()}
            found = page.run(
                f"book.simulation.programs.run('{name}', {json.dumps(flat)}).map((x) => [...x])"
            )
            expected = program(*inputs.values())
            parts = expected if isinstance(expected, tuple) else (expected,)
            for its, ours in zip(found, parts, strict=True):
                scale = AGREEMENT * np.abs(ours).max()
                np.testing.assert_allclose(its, np.ravel(ours), rtol=0.0, atol=scale)


def random_inputs(model, rng):
    masses = np.array([model.body(i).mass for i in model.bodies])
    return {
        "q": ph.random_configuration(model, rng),
        "mass": masses * rng.uniform(0.5, 2.0, len(masses)),
        "gravity": rng.normal(size=3),
        "f_ext": rng.normal(size=(model.n_bodies, 6)),
        "dt": 0.01,
        "point": rng.normal(size=3),
        "stabilization": rng.uniform(0.05, 1.0),
        "slope": rng.uniform(0.0, 1.0),
    } | {name: rng.normal(size=model.nv) for name in ("qd", "qdd", "tau", "v")}


@chapters
def test_shown_quantities(chapter, opened):
    """What a page shows of its first state is what the public functions say."""
    page, model = opened(chapter), chapter.model()
    page.run("book.reset()")
    found = page.run(
        "(({ H, C, qdd, kinetic, potential }) => "
        "({ H: [...H], C: [...C], qdd: [...qdd], kinetic, potential }))"
        "(book.simulation.quantities())"
    )
    q, qd, rest = chapter.q0(model), chapter.qd0(model), np.zeros(model.nv)
    values = {"gravity": (0.0, 0.0, -chapter.gravity)}
    H = ph.mass_matrix(model, q)
    C = ph.compile(ph.algorithms.rnea, model, parameters=["gravity"])(
        q, qd, rest, values["gravity"]
    )
    np.testing.assert_allclose(found["H"], H.ravel(), rtol=0.0, atol=AGREEMENT * H.max())
    np.testing.assert_allclose(found["C"], C, rtol=0.0, atol=AGREEMENT * max(abs(C).max(), 1.0))
    force = np.zeros(model.nv)
    if chapter.loop:
        closed = chapter.loop.closed(model)
        G = ph.constraints.constraint_jacobian(model, closed, q)
        force = G.T @ ph.constrained_dynamics(model, closed, q, qd, rest).force
    residual = H @ found["qdd"] + C - force
    assert np.abs(residual).max() <= AGREEMENT * max(abs(C).max(), abs(force).max(), 1.0) * len(q)
    np.testing.assert_allclose(found["kinetic"], 0.5 * qd @ H @ qd, rtol=AGREEMENT)


@chapters
def test_exercises_check_themselves(chapter, opened):
    """The answer of Python is right, one beyond the tolerance is not, and a word is no number."""
    page, model = opened(chapter), chapter.model()
    for name, exercise in chapter.exercises.items():
        answer, form = exercise.answer(model), f'document.querySelector("[data-exercise={name}]")'
        for given, verdict in (
            (f"{answer:.6g}", "right"),
            (f"{answer * (1.0 + 2.0 * exercise.tolerance):.15g}", "wrong"),
            ("seven", "wrong"),
            ("", "wrong"),
        ):
            page.run(f"{form}.querySelector('input').value = '{given}'")
            page.run(f"{form}.querySelector('button').click()")
            assert page.run(f"{form}.querySelector('output').className") == verdict, (name, given)
        page.run(f"{form}.querySelectorAll('button')[1].click()")
        state = page.run("[[...book.simulation.q], [...book.simulation.qd]]")
        assert state == [exercise.q(model).tolist(), exercise.qd(model).tolist()]
        for setting, value in exercise.settings.items():
            assert page.run(f"book.simulation['{setting}']") == value
        assert page.run("book.isPlaying") is False


@pytest.mark.parametrize(
    "chapter", [each for each in CHAPTERS if not each.ground], ids=lambda chapter: chapter.name
)
def test_motion_keeps_its_energy(chapter, opened):
    """Two seconds without damping exchange energy, and keep the sum."""
    page = opened(chapter)
    page.run("book.reset(); book.simulation.damping = 0; book.simulation.gravity = 2")
    total, moved = page.run(
        "(() => { const all = []; for (let k = 0; k < 40; k++) { book.simulation.advance(1 / 20);"
        " const { kinetic, potential } = book.simulation.quantities();"
        " all.push([kinetic + potential, kinetic]); }"
        " const column = (c) => all.map((row) => row[c]); return [column(0), column(1)]; })()"
    )
    assert max(moved) > 0.1
    assert np.ptp(total) <= ENERGY_DRIFT * max(moved)


def test_stabilization_closes_the_loop(opened):
    """Without it the loop opens under long steps; with it, it closes again."""
    page = opened(CONSTRAINTS)
    after = (
        "(() => { for (let k = 0; k < 60; k++) book.simulation.advance(1 / 20);"
        " return book.simulation.quantities().drift; })()"
    )
    page.run("book.reset(); book.simulation.interval = 20")
    opened_by = page.run(after)
    page.run("book.simulation.stabilization = 20")
    assert page.run(after) < 1e-2 * opened_by


def contact_states(model, rng):
    """States of the block: tossed near the ground at random, and those of the chapter."""
    for _ in range(10):
        q = ph.random_configuration(model, rng)
        q[:3] = *rng.uniform(-0.1, 0.1, 2), rng.uniform(0.08, 0.2)
        yield q, rng.normal(size=model.nv)
    yield CONTACT.q0(model), CONTACT.qd0(model)
    for exercise in CONTACT.exercises.values():
        yield exercise.q(model), exercise.qd(model)


def test_contact_steps_agree_with_python(opened):
    """The solver in the page finds the velocities and the impulses that it finds in Python."""
    page, model = opened(CONTACT), CONTACT.model()
    step, rng = contact_steps(CONTACT.ground, model), np.random.default_rng(0)
    for q, qd in contact_states(model, rng):
        settings = Settings(rng.uniform(0.0, 1.0), rng.uniform(0.0, 40.0), 9.81)
        start = {"q": q.tolist(), "qd": qd.tolist(), "gravity": 9.81, "settings": vars(settings)}
        page.run(f"book.simulation.set({json.dumps(start)})")
        found = page.run(
            "(() => { const { simulation: s } = book, { x, residual, bias } = s.solved(null, null);"
            " s.step(null, null); return [[...s.q], [...s.qd], [...x], [...bias], residual]; })()"
        )
        expected = step(q, qd, 4e-3, settings)
        assert found.pop() <= TOLERANCE
        speed = np.abs(found.pop()).max()  # residuals are relative to it
        for its, ours in zip(found, expected, strict=True):
            np.testing.assert_allclose(its, ours, rtol=0.0, atol=TOLERANCE * max(speed, 1.0))


def test_a_block_on_a_slope(opened):
    """It slides with g (sin - mu cos), and rests where friction is enough."""
    page, slope = opened(CONTACT), np.radians(20.0)
    for friction in (0.1, 0.2, 0.3, 0.5):
        page.run("document.querySelectorAll('[data-exercise=slide] button')[1].click()")
        page.run(f"book.simulation.friction = {friction}")
        page.run("for (let k = 0; k < 100; k++) book.simulation.step(null, null)")
        speed = np.linalg.norm(page.run("[...book.simulation.qd].slice(0, 3)"))
        expected = 0.4 * 9.81 * max(np.sin(slope) - friction * np.cos(slope), 0.0)
        assert abs(speed - expected) < 1e-6


def test_a_tossed_block_gains_no_energy(opened):
    """The energy never rises, whatever corners and edges it falls on; each step is solved."""
    page, model = opened(CONTACT), CONTACT.model()
    q = CONTACT.q0(model)
    q[2] += 0.3
    state = json.dumps({"q": q.tolist(), "qd": [0.5, 0.2, 0.0, 3.0, -4.0, 2.0], "gravity": 9.81})
    page.run(f"book.simulation.set({state})")
    totals, residuals = page.run(
        "(() => { const s = book.simulation, totals = [], residuals = [];"
        " for (let k = 0; k < 300; k++) { const { kinetic, potential, residual } = s.quantities();"
        " totals.push(kinetic + potential); residuals.push(residual); s.step(null, null); }"
        " return [totals, residuals]; })()"
    )
    assert max(residuals) <= TOLERANCE
    assert np.diff(totals).max() < 1e-3 * (totals[0] - totals[-1])


@chapters
def test_a_pull_moves_the_body(chapter, opened):
    """A mouse that drags a body pulls it; one that lets it go does not."""
    page = opened(chapter)
    page.run("book.reset(); book.simulation.gravity = 0")
    at = page.run(  # where the middle of the last body's shape is seen
        "(() => { const { stage, simulation } = book, { body, corners } = stage.shapes.at(-1);"
        " const middle = [0, 1, 2].map((k) => corners.filter((_, j) => j % 3 === k)"
        ".reduce((a, b) => a + b) / (corners.length / 3));"
        " const m = simulation.poses().slice(16 * (body - 1)), p = [...middle, 1];"
        " const place = [0, 4, 8, 12].map((r) => p.reduce((sum, x, c) => sum + m[r + c] * x, 0));"
        " const box = stage.canvas.getBoundingClientRect();"
        " const v = stage.view(box.width / box.height);"
        " const [x, y, , w] = [0, 1, 2, 3].map((r) => place.reduce("
        "(sum, value, c) => sum + v[4 * c + r] * value, 0));"
        " return [box.left + (box.width * (1 + x / w)) / 2,"
        " box.top + (box.height * (1 - y / w)) / 2]; })()"
    )

    def mouse(kind, dx):
        page.send(
            "Input.dispatchMouseEvent",
            type=kind, x=at[0] + dx, y=at[1], button="left", buttons=1, clickCount=1,
        )  # fmt: skip

    mouse("mousePressed", 0)
    assert page.run("book.simulation.pull.body") == page.run("book.stage.shapes.at(-1).body")
    mouse("mouseMoved", 60)
    work = (
        "(() => { const { simulation: s } = book; s.advance(1 / 20); "
        "return s.quantities().kinetic; })()"
    )
    assert page.run(work) > 1e-3
    mouse("mouseReleased", 60)
    assert page.run("book.simulation.pull") is None


@chapters
def test_frames_of_a_page(chapter, browser, tmp_path, capsys):
    """Frames are drawn without an error; prints what one takes, for the eyes of who runs it."""
    page = open_page(browser, chapter, tmp_path)
    milliseconds = page.run(
        "(() => { book.play(true); const start = performance.now();"
        " for (let k = 0; k < 10; k++) book.frame(1 / 60);"
        " return (performance.now() - start) / 10; })()"
    )
    with capsys.disabled():
        print(f"\n{chapter.name}: {milliseconds:.1f} ms a frame")
    assert page.errors == []
    assert page.run("book.stage.gl.getError()") == 0
    assert page.run("book.simulation.time") > 0.1


def test_markdown():
    """Each kind of block, and marks within lines; what is HTML stays so."""
    text = (
        "# A `head`\n\nTwo lines\nof *one* **text** & [link](b.md#c).\n\n- a < b\n- c\n  d\n\n"
        "1. e\n\n| f | g |\n|---|---|\n| `h` | i |\n\n```text\nx < *y*\n```\n\n"
        "<div>\n\nj\n\n</div>\n"
    )
    assert to_html(text).replace("\n", "") == (
        "<h1>A <code>head</code></h1><p>Two linesof <em>one</em> <strong>text</strong> &amp; "
        '<a href="b.html#c">link</a>.</p><ul><li>a &lt; b</li><li>c  d</li></ul>'
        "<ol><li>e</li></ol><table><thead><tr><th>f</th><th>g</th></tr></thead><tbody><tr>"
        "<td><code>h</code></td><td>i</td></tr></tbody></table><pre>x &lt; *y*</pre><div><p>j</p>"
        "</div>"
    )


def test_scripts_name_no_address():
    """The page's own files neither fetch nor evaluate anything."""
    for path in ASSETS.iterdir():
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?:|fetch\(|XMLHttpRequest|WebSocket|\beval\(|import\(", text)
