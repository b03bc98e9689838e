"""Who may talk to the live view, and what becomes of it when its pages behave badly or leave."""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

import polhode as ph
from polhode.viewer.live import session
from viewer.live_models import pendulum

client = pytest.importorskip("websockets.sync.client")
from websockets.exceptions import ConnectionClosed  # noqa: E402

UPGRADE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
PATIENCE = 30.0


def live(model=None, **options):
    options = {"q0": [1.0], "closes": False} | options
    return ph.show(model or pendulum(), live=True, block=False, open_browser=False, **options)


@pytest.fixture(scope="module")
def view():
    with live() as view:
        yield view


def parts(view):
    """Port and token."""
    port, token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]+)", view.url).groups()
    return int(port), token


def ask(view, target, headers, method="GET"):
    """Status and text of the answer to a request written by hand; 0 if there is none."""
    port, _ = parts(view)
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as link:
        link.sendall(f"{method} {target} HTTP/1.1\r\n{headers}\r\n".encode("latin-1"))
        answer = b""
        while b"\r\n\r\n" not in answer or b" 101 " not in answer[:20]:
            data = link.recv(1 << 20)
            if not data:
                break
            answer += data
    status = int(answer.split(b" ", 2)[1]) if answer else 0
    return status, answer.decode("utf-8", "replace")


def talk(view, **options):
    """A socket as our page opens it."""
    port, token = parts(view)
    return client.connect(
        f"ws://127.0.0.1:{port}/live?token={token}", origin=f"http://127.0.0.1:{port}",
        compression=None, **options,
    )  # fmt: skip


def say(link, verb, **more):
    link.send(json.dumps({"do": verb} | more))


def states(link):
    """States, and times of the frames between, as they come."""
    for message in link:
        if isinstance(message, str):
            yield json.loads(message)
        else:
            say(link, "seen")
            yield struct.unpack_from("<d", message)[0]


def until(link, claim):
    return next(news for news in states(link) if claim(news))


def test_the_page_is_served_to_who_knows_the_token(view):
    """It may talk to this server's socket, to nobody else, and is not kept."""
    port, token = parts(view)
    status, text = ask(view, f"/?token={token}", f"Host: 127.0.0.1:{port}\r\n")
    assert status == 200 and "<!doctype html>" in text
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    assert policy.startswith("default-src 'none'")
    assert policy.endswith(f"connect-src ws://127.0.0.1:{port} ws://localhost:{port}")
    head = text.partition("\r\n\r\n")[0]
    assert "no-store" in head and "no-referrer" in head and "DENY" in head
    assert token not in text
    status, _ = ask(view, f"/?token={token}", f"Host: localhost:{port}\r\n")
    assert status == 200


def test_a_page_that_is_no_live_view_may_connect_to_nobody():
    """Its policy has no word of connections."""
    assert "connect-src" not in ph.simulate(pendulum(), 0.1)._repr_html_()


GOOD = "Host: 127.0.0.1:{port}\r\n"
OURS = "Origin: http://127.0.0.1:{port}\r\n"


@pytest.mark.parametrize(
    ("target", "headers", "status"),
    [
        ("/", GOOD, 403),
        ("/?token=", GOOD, 403),
        ("/?token=x{token}", GOOD, 403),
        ("/?token={short}", GOOD, 403),
        ("/?token=%ff%00", GOOD, 403),
        ("/?token=\xe9", GOOD, 0),
        ("/?token={token}&token={token}", GOOD, 403),
        ("/?token={token}&a=1&b=2&c=3&d=4", GOOD, 403),
        ("/?token={token}", "", 403),
        ("/?token={token}", "Host: evil.example\r\n", 403),
        ("/?token={token}", "Host: evil.example:{port}\r\n", 403),
        ("/?token={token}", "Host: 127.0.0.1\r\n", 403),
        ("/?token={token}", "Host: 127.0.0.1:{port}.evil.example\r\n", 403),
        ("/?token={token}", GOOD + "Host: evil.example\r\n", 403),
        ("/?token={token}", GOOD + "Origin: http://evil.example\r\n", 403),
        ("/?token={token}", GOOD + "Origin: null\r\n", 403),
        ("/?token={token}", GOOD + OURS + "Origin: http://evil.example\r\n", 403),
        ("http://evil.example/?token={token}", GOOD, 404),
        ("//evil.example/?token={token}", GOOD, 404),
        ("/nothing?token={token}", GOOD, 404),
        ("/nothing", GOOD, 403),
        ("/live?token={token}", GOOD, 404),
        ("/live", GOOD + OURS + UPGRADE, 403),
        ("/live?token={short}", GOOD + OURS + UPGRADE, 403),
        ("/live?token={token}", GOOD + UPGRADE, 403),
        ("/live?token={token}", GOOD + "Origin: http://evil.example\r\n" + UPGRADE, 403),
        ("/live?token={token}", GOOD + "Origin: https://127.0.0.1:{port}\r\n" + UPGRADE, 403),
        ("/live?token={token}", GOOD + "Origin: http://127.0.0.1:1\r\n" + UPGRADE, 403),
        ("/live?token={token}", "Host: evil.example\r\n" + OURS + UPGRADE, 403),
        ("/?token={token}", GOOD + OURS + UPGRADE, 404),
        ("/live?token={token}", GOOD + OURS + UPGRADE, 101),
    ],
)
def test_refusals(view, target, headers, status):
    """A wrong token, a foreign origin, a host that is not ours; only the last one is let in."""
    port, token = parts(view)
    words = {"port": port, "token": token, "short": token[:-1]}
    assert ask(view, target.format(**words), headers.format(**words))[0] == status


def test_only_reading_is_understood(view):
    """Another method than GET gets no page."""
    port, token = parts(view)
    for method in ("POST", "PUT", "OPTIONS"):
        status, text = ask(view, f"/?token={token}", f"Host: 127.0.0.1:{port}\r\n", method)
        assert status >= 400 and "doctype" not in text


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.20", "example.com", ""])
def test_only_the_loopback_is_listened_on(host):
    """Any other address is refused before a socket is opened."""
    with pytest.raises(ValueError, match="expected a loopback address"):
        live(host=host)


def test_tokens_differ_and_ports_can_be_chosen(view):
    """No two views have one token; a port that is taken is an error, not another port."""
    with live() as other:
        assert parts(other)[1] != parts(view)[1] and len(parts(other)[1]) >= 32
        port = parts(other)[0]
        assert other._server._socket.getsockname() == ("127.0.0.1", port)
        with pytest.raises(OSError, match=f"got {port} on 127.0.0.1: .* in use; port=0 takes"):
            live(port=port)


@pytest.mark.parametrize("port", [-1, 65536, 10**400, "80", 80.0, None, True])
def test_ports_that_there_are_not(port):
    """The message says which there are, and stays short."""
    with pytest.raises(ValueError, match="expected a port from 1 to 65535, or 0") as caught:
        live(port=port)
    assert len(str(caught.value)) < 200


def test_a_fault_is_told_in_one_line():
    """However long and odd its text is."""

    def controller(t, state):
        raise RuntimeError("\x1b[31m\n" + "x" * 100_000)

    with live(controller=controller) as view, talk(view) as link:
        say(link, "seen")
        told = until(link, lambda x: isinstance(x, dict) and x["error"])["error"]
        assert told.isprintable() and len(told) < 1000 and "\\x1b[31m" in told


def test_the_browser_is_not_told_the_token_where_all_can_read_it(monkeypatch):
    """Arguments of a process are public: it opens a file that only its user may read."""
    opened = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", opened.append)
    view = ph.show(pendulum(), live=True, block=False, closes=False)
    try:
        (address,) = opened
        path = Path(url2pathname(urlsplit(address).path))
        assert parts(view)[1] not in address and address.startswith("file:")
        assert f"url={view.url}" in unescape(path.read_text("utf-8"))
        if sys.platform != "win32":
            assert [oct(p.stat().st_mode & 0o777) for p in (path, path.parent)] == [
                "0o600",
                "0o700",
            ]
    finally:
        view.close()
    assert not path.parent.exists()


@pytest.mark.parametrize(
    "message",
    [
        "", "{", "[]", "1", '{"do": "fly"}', '{"do": ["play"]}', '{"do": "speed"}', b"\0\1",
        '{"do": "speed", "speed": NaN}', '{"do": "speed", "speed": true}',
        '{"do": "pull", "body": 2, "point": [0, 0, 0], "target": [0, 0, 0]}',
        '{"do": "pull", "body": 0, "point": [0, 0, 0], "target": [0, 0, 0]}',
        '{"do": "pull", "body": 1, "point": [0, 0], "target": [0, 0, 0]}',
        '{"do": "pull", "body": 1, "point": [0, 0, 0], "target": [0, 0, 1e300]}',
        '{"do": "pull", "body": 1, "point": [0, 0, 0], "target": [0, 0, "1"]}',
        '{"do": "speed", "speed": 1%s}' % ("0" * 400), '{"do": "speed", "speed": -1e999}',
        '{"do": "pull", "body": 1, "point": [0, 0, 0], "target": [0, 0, 1%s]}' % ("0" * 400),
        '{"do": "pull", "body": 1%s, "point": [0, 0, 0], "target": [0, 0, 1]}' % ("0" * 400),
        "[" * 900, '{"do": "play"}' + " " * 1100, "x" * 10_000,
    ],
)  # fmt: skip
def test_what_no_page_of_ours_says_ends_the_talk(view, message):
    """The socket is closed; the view goes on."""
    with talk(view) as link:
        link.send(message)
        with suppress(ConnectionClosed):
            for _ in link:
                pass
        assert link.close_code in (1008, 1009)
    assert view.is_open and view.error is None


def test_play_pause_step_speed_and_reset():
    """What a page asks for is done, and told to it."""
    with live(is_playing=False) as view, talk(view) as link:
        assert until(link, lambda x: isinstance(x, float)) == 0.0
        say(link, "step")
        assert until(link, lambda x: isinstance(x, float)) == 0.001
        say(link, "speed", speed=1e6)
        assert until(link, lambda x: isinstance(x, dict) and x["speed"] > 1)["speed"] == 20.0
        say(link, "play")
        until(link, lambda x: isinstance(x, float) and x > 0.5)
        say(link, "pause")
        assert until(link, lambda x: isinstance(x, dict) and not x["playing"])["error"] is None
        say(link, "reset")
        until(link, lambda x: x == 0.0)
        say(link, "close")
        until(link, lambda x: isinstance(x, dict) and not x["open"])
        assert view.wait(PATIENCE)


def test_it_waits_until_somebody_looks():
    """Time stands until a page has drawn a frame."""
    with live() as view, talk(view) as link:
        first = [link.recv(PATIENCE) for _ in range(2)]
        frame = next(message for message in first if isinstance(message, bytes))
        assert struct.unpack_from("<d", frame) == (0.0,)
        say(link, "seen")
        until(link, lambda x: isinstance(x, float) and x > 0.05)


def test_a_slow_page_stalls_nobody():
    """One that draws nothing more gets no more frames; another gets all it wants."""
    with live() as view, talk(view) as slow, talk(view) as quick:
        say(slow, "seen")
        seen = [x for x in _first(states(quick), 120) if isinstance(x, float)]
        assert len(seen) > 100 and seen[-1] > seen[0]
        held = 0
        try:
            while True:
                held += isinstance(slow.recv(0.2), bytes)
        except TimeoutError:
            pass
        assert held <= 4


def _first(things, count):
    return [thing for _, thing in zip(range(count), things, strict=False)]


@pytest.mark.parametrize("verb", ["step", "play"])
def test_a_fault_is_told_and_can_be_started_over(verb):
    """The error is in the state and in the view; after a reset it runs again."""
    calls = []

    def controller(t, state):
        calls.append(t)
        if len(calls) == 3:
            raise ZeroDivisionError("<b>the gripper</b>")
        return [0.0]

    with live(controller=controller, is_playing=False) as view, talk(view) as link:
        until(link, lambda x: isinstance(x, float))
        for _ in range(3 if verb == "step" else 1):
            say(link, verb)
        told = until(link, lambda x: isinstance(x, dict) and x["error"])
        assert told["error"] == "ZeroDivisionError: <b>the gripper</b>" and not told["playing"]
        assert isinstance(view.error, ZeroDivisionError)
        say(link, "reset")
        until(link, lambda x: isinstance(x, dict) and x["error"] is None)
        say(link, "play")
        until(link, lambda x: isinstance(x, float) and x > 0.02)


def test_it_ends_with_its_last_window():
    """Nobody looks any more: threads and port are given back."""
    before = set(threading.enumerate())
    view = live(closes=True)
    with talk(view) as link:
        until(link, lambda x: isinstance(x, float) and x > 0.0)
    assert view.wait(PATIENCE) and "closed" in repr(view)
    view.close()
    assert set(threading.enumerate()) <= before
    with pytest.raises(OSError):  # noqa: PT011
        talk(view)


@pytest.mark.parametrize("asks_first", [True, False])
def test_a_slow_reload_is_waited_for(monkeypatch, asks_first):
    """Browsers ask for the page before or after they leave the old one; it may draw late."""
    monkeypatch.setattr(session, "GRACE", 0.3)

    def load():
        port, token = parts(view)
        status, _ = ask(view, f"/?token={token}", f"Host: 127.0.0.1:{port}\r\n")
        assert status == 200

    def look(link):
        say(link, "seen")
        until(link, lambda x: isinstance(x, float) and x > 0.0)

    view = live(closes=True)
    with talk(view) as link:
        look(link)
        if asks_first:
            load()
    if not asks_first:
        load()
    assert not view.wait(10 * session.GRACE)
    with talk(view) as link:
        look(link)
    assert view.wait(PATIENCE)


def test_a_page_that_never_draws_is_not_waited_for_long(monkeypatch):
    """A reload that is given up ends the run as well."""
    monkeypatch.setattr(session, "GRACE", 0.0)
    monkeypatch.setattr(session, "LOADING", 0.5)
    view = live(closes=True)
    port, token = parts(view)
    with talk(view) as link:
        until(link, lambda x: isinstance(x, float) and x > 0.0)
        ask(view, f"/?token={token}", f"Host: 127.0.0.1:{port}\r\n")
    assert view.wait(PATIENCE)


SCRIPT = """
import threading
import polhode as ph
from polhode.model import Model, Revolute
rod = Model("rod").add("rod", joint=Revolute.x(), mass=1.0, com=(0, 0, -0.5), inertia=(1, 1, 1))
view = ph.show(rod, live=True, open_browser=False, block={block})
print("over", threading.active_count(), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="other signals")
@pytest.mark.parametrize("block", [True, False])
def test_it_ends_with_the_process(block):
    """By Ctrl-C where it blocks; with the script where it does not."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(block=block)], text=True, env=dict(os.environ),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    if block:
        assert "live at http://127.0.0.1:" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out.split() == ["over", "1" if block else "3"]


def test_what_is_missing_or_too_much_is_named(monkeypatch):
    """Without websockets; with options that mean nothing; with what cannot run."""
    run = ph.simulate(pendulum(), 0.1)
    for subject, options, text in (
        (run, {}, "expected a Simulator, a Scene or a Model to show live, got Recording"),
        (pendulum(), {"path": "a.html"}, "no path for the live view"),
    ):
        with pytest.raises(TypeError, match=text):
            ph.show(subject, live=True, block=False, **options)
    with pytest.raises(TypeError, match="unexpected speed: options of the live view"):
        ph.show(run, speed=2.0)
    with pytest.raises(ValueError, match="expected a speed from"):
        live(speed=0.0)
    monkeypatch.setitem(sys.modules, "websockets.asyncio.server", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'polhode[live]'")):
        live()
