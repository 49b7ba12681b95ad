"""Valid files, spoiled: a few edits each, of the bytes, or of the tree where a part of the file is one."""

import copy
import json
import struct

from hypothesis import strategies as st

NUMBERS = (
    *(0, 1, 2, 7, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 2**31 - 1),
    *(2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**63, 2**64 - 1),
)
"""At these programs make mistakes."""

FORMS = ("<B", "<H", "<I", ">I", "<Q", ">Q")

WORDS = (
    *(b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\r\n", b"\t", b" ", b'"', b"'", b",", b";", b"\\", b"%", b"#"),
    *(b"{", b"}", b"[", b"]", b"<", b">", b"&", b"=", b".", b"-1", b"0", b"1e999", b"nan", b"inf", b"-0", b"null"),
    *(b"true", b"9" * 30, b"9" * 5000, b"{}" * 30, b"[" * 200, b"../../x", b"/etc/passwd", b"\xed\xa0\x80", b"?"),
    *(b"@data\n", b"@attribute a {}\n", b"@attribute a numeric\n", b"{0 1}\n", b"{-1 1}\n", b"{99999999 1}\n"),
    *(b"<!DOCTYPE a>", b"&a;", b"<label name='a'/>", b"[[part]]\n", b"1979-05-27", b"a.b.c = 1\n", b"\\ud800", b"\\x"),
)
"""What means something in some format."""

ODDITIES = (
    *(None, True, False, 0, -1, 1, 2**31, 2**70, 1.5, -0.0, 1e308, float("nan"), float("inf")),
    *("", "a", "../../x", "/etc/passwd", "\0", "artificial_999999999", "all", "BDLDL", "grid", "é" * 300, "1979-05-27"),
    *([], [[]], {}, {"": 0}, {"a": {"b": [1]}}, ["a", 1, None], "ListNode", "ObjectNode", "os", "system", "x.npy"),
)
"""What may stand in a tree where something else should."""

EDITS = st.lists(
    st.tuples(st.integers(0, 7), st.floats(0, 1, exclude_max=True), st.integers(0, 2**16 - 1)), min_size=1, max_size=5
)
"""A way to edit, a place from the beginning, 0, to the end, 1, and a number that says what."""


def spoil(content, edits):
    """Return bytes with edits, one after the other."""
    content = bytearray(content)
    for way, place, number in edits:
        at = int(place * len(content))
        match way:
            case 0:
                content[at : at + 1] = bytes(byte ^ 1 << number % 8 for byte in content[at : at + 1])
            case 1:
                form = FORMS[number // len(NUMBERS) % len(FORMS)]
                size = struct.calcsize(form)
                content[at : at + size] = struct.pack(form, NUMBERS[number % len(NUMBERS)] % 2 ** (8 * size))
            case 2:
                content[at:at] = WORDS[number % len(WORDS)]
            case 3:
                content[at : at + number // 256 % 9] = WORDS[number % len(WORDS)]
            case 4:
                del content[at : at + 1 + number % 64]
            case 5:
                del content[at:]
            case 6:
                content[at:at] = content[at : at + 1 + number % 512] * (1 + number // 512 % 4)
            case 7:
                to = number // 64 % (len(content) + 1)
                content[to:to] = content[at : at + 1 + number % 64]
    return bytes(content)


def graft(tree, edits):
    """Return a tree of dictionaries and lists with edits: a branch is replaced, removed, doubled or grown elsewhere."""
    tree = copy.deepcopy(tree)
    for way, place, number in edits:
        branches = list(_branches(tree))
        if not branches:
            return copy.deepcopy(ODDITIES[number % len(ODDITIES)])
        parent, key = branches[int(place * len(branches))]
        if way < 4:
            parent[key] = copy.deepcopy(ODDITIES[number % len(ODDITIES)])
        elif way == 4:
            del parent[key]
        elif way == 5 and isinstance(parent, list):
            parent.append(copy.deepcopy(parent[key]))
        else:
            other, name = branches[number % len(branches)]
            parent[key] = copy.deepcopy(other[name])
    return tree


def _branches(tree):
    """Yield every place where something hangs: what holds it, and under which key."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, branch in items:
        yield tree, key
        yield from _branches(branch)


@st.composite
def spoiled(draw, seeds):
    """Draw one of the seeds (pairs of content and packing), spoil a part of it, and pack it again."""
    content, packing = draw(st.sampled_from(seeds))
    parts = packing.parts(content)
    name = draw(st.sampled_from(list(parts)))
    edits = draw(EDITS)
    if name.endswith(".json") and draw(st.booleans()):
        part = json.dumps(graft(json.loads(parts[name]), edits)).encode()
    else:
        part = spoil(parts[name], edits)
    return packing.whole(parts | {name: part})
