"""Changes that keep a file of its kind: of words in texts, of values in JSON, inside archives.

Bytes changed at random are refused at the first look; these get behind it.
"""

from __future__ import annotations

import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from typing import Any

Bytes = Callable[[bytes], bytes]  # the fuzzer's own way to change bytes
Mutation = Callable[[bytes, random.Random, Bytes], bytes]

WORD = re.compile(rb"[\w.+-]+|[^\w\s]")
ELEMENT = re.compile(rb"<[^<>]*/>|<(\w+)[^<>]*>[^<>]*</\1>|<[^<>]*>")
SCRAPS: list[bytes] = [b"", b" ", b"9" * 400, b"\x00", b"\xff", b"function() end"]
for _line in (
    b"0 1 -1 0.5 2 1e400 1e308 -1e308 1e-320 nan inf -inf 1_0 0x10 1,5 1/0 true false nil",
    b"0,0,0 1,0,0 0,0,0,1 0,0,0,0 1,0,0,0,1,0,0,0,1 \xc3\xa9 &amp; &#0; &#65; &x; < > \" ' />",
    b"<!-- ]]> <![CDATA[ :: / { } {} print return .. -- [[ , = # ../x file:///etc/passwd",
    b"package://a/b \\\\host\\share C:\\x /dev/zero tetra.obj tetra.stl heights.txt arm.urdf",
):
    SCRAPS += _line.split()
    SCRAPS += [word.replace(b",", b" ") for word in _line.split() if word[:1].isdigit()]


def words(vocabulary: list[bytes]) -> Mutation:
    """Words removed, repeated, exchanged, or replaced by others; elements moved about."""

    def mutate(data: bytes, rng: random.Random, at_random: Bytes) -> bytes:
        if rng.random() < 0.1 or not data:
            return at_random(data)
        for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
            spans = [m.span() for m in WORD.finditer(data)]
            elements = [m.span() for m in ELEMENT.finditer(data)]
            if elements and rng.random() < 0.4:
                data = _moved(data, elements, rng)
            elif spans:
                data = _reworded(data, spans, rng, vocabulary)
        return data

    return mutate


def _moved(data: bytes, spans: list[tuple[int, int]], rng: random.Random) -> bytes:
    a, b = rng.choice(spans)
    part, at = data[a:b], rng.choice(spans)[rng.randrange(2)]
    kind = rng.randrange(3)
    if kind == 0:
        return data[:a] + data[b:]
    if kind == 1:
        return data[:at] + part + data[at:]
    c, d = rng.choice(spans)
    return data[:a] + data[c:d] + data[b:]


def _reworded(
    data: bytes, spans: list[tuple[int, int]], rng: random.Random, vocabulary: list[bytes]
) -> bytes:
    a, b = rng.choice(spans)
    kind = rng.randrange(4)
    if kind == 0:
        scrap = rng.choice(SCRAPS)
    elif kind == 1:
        c, d = rng.choice(spans)
        scrap = data[c:d]
    else:
        scrap = rng.choice(vocabulary)
    keep = data[a:b] if rng.random() < 0.25 else b""
    if rng.random() < 0.1:
        scrap = b" " + scrap + b'="' + rng.choice(SCRAPS) + b'" '
    return data[:a] + scrap + keep + data[b:]


# -- JSON --

VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 0.5, -0.0, 1e308, 1e-320, float("nan"), float("inf")),
    *(10**400, 2**63 - 1, "", "a", "ROOT", "\x00", "\ud800", "1", [], {}, [0, 0, 1]),
    {"a": [], "k": {}, "o": []},
    *({"f": "function"}, {"is": "Vec3"}, {"is": "Model"}, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
]


def json_values(vocabulary: list[str]) -> Mutation:
    """Values of a JSON text replaced, removed, repeated, exchanged; keys renamed."""

    def mutate(data: bytes, rng: random.Random, at_random: Bytes) -> bytes:
        try:
            tree = json.loads(data)
        except (ValueError, RecursionError):
            return at_random(data)
        for _ in range(rng.choice((1, 1, 2, 4))):
            tree = _changed(tree, rng, vocabulary)
        try:
            return json.dumps(tree).encode()
        except (ValueError, RecursionError):
            return at_random(data)

    return mutate


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """All (container, key) of a tree."""
    found, stack = [], [tree]
    while stack:
        node = stack.pop()
        keys = node if isinstance(node, dict) else range(len(node))
        for key in list(keys):
            found.append((node, key))
            if isinstance(node[key], (dict, list)):
                stack.append(node[key])
    return found


def _changed(tree: Any, rng: random.Random, vocabulary: list[str]) -> Any:
    places = _places(tree) if isinstance(tree, (dict, list)) else []
    if not places:
        return rng.choice(VALUES)
    node, key = rng.choice(places)
    kind = rng.randrange(6)
    if kind == 0:
        node[key] = json.loads(json.dumps(rng.choice(VALUES)))
    elif kind == 1:
        node[key] = rng.choice(vocabulary)
    elif kind == 2:
        del node[key]
    elif kind == 3:
        other, where = rng.choice(places)
        if where in other if isinstance(other, dict) else where < len(other):
            node[key] = json.loads(json.dumps(other[where]))
    elif isinstance(node, dict):
        node[rng.choice(vocabulary)] = node.pop(key) if kind == 4 else node[key]
    else:
        node.insert(rng.randrange(len(node) + 1), json.loads(json.dumps(node[key])))
    return tree


# -- archives --


def archive(vocabulary: list[str]) -> Mutation:
    """Members of an ``.npz`` changed, removed, repeated, and packed again."""
    change_json = json_values(vocabulary)

    def mutate(data: bytes, rng: random.Random, at_random: Bytes) -> bytes:
        if rng.random() < 0.1:
            return at_random(data)
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as file:
                members = {name: file.read(name) for name in file.namelist()}
        except Exception:  # whatever a damaged archive gives: then its bytes are changed
            return at_random(data)
        name = rng.choice(sorted(members)) if members else ""
        kind = rng.random()
        if kind < 0.05:
            members.pop(name, None)
        elif kind < 0.1 and members:
            members[name] = members[rng.choice(sorted(members))]
        elif name == "meta.npy":
            members[name] = _as_array(change_json(members[name][128:], rng, at_random))
        elif members:
            members[name] = _array_changed(members[name], rng, at_random)
        packing = zipfile.ZIP_DEFLATED if rng.random() < 0.02 else zipfile.ZIP_STORED
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", packing) as file:
            for name, content in members.items():
                file.writestr(name, content)
        return out.getvalue()

    return mutate


def _as_array(content: bytes) -> bytes:
    """Bytes as the array file that numpy writes."""
    head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(content)},), }}"
    return b"\x93NUMPY\x01\x00v\x00" + head.encode().ljust(117) + b"\n" + content


def _array_changed(content: bytes, rng: random.Random, at_random: Bytes) -> bytes:
    head, body = content[:128], content[128:]
    if rng.random() < 0.5:
        new = rng.choice(
            (b"(%d,)", b"(%d, 3)", b"(0, %d)", b"(%d, 0)", b"()", b"(-%d,)", b"(%d000000000,)")
        )
        count = rng.choice((0, 1, 2, 3, 6, 12))
        shape = new % count if b"%d" in new else new
        head = re.sub(rb"\([^)]*\)", lambda m: shape, head)
        if rng.random() < 0.5:
            kind = rng.choice(b"<f8 <i8 <f4 |O |b1 <U9 <c16 |u1 >f8".split())
            head = re.sub(rb"'descr': '[^']*'", lambda m: b"'descr': '" + kind + b"'", head)
        text = head[10:].rstrip()
        return head[:10] + text.ljust(117)[:117] + b"\n" + body
    return head + at_random(body) if rng.random() < 0.8 else at_random(head) + body
