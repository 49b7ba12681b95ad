"""How much memory an Arrow file takes once it is unpacked, by what its messages say of their buffers.

A message has a description, a FlatBuffer, and a body with buffers, which may be packed one by one; at the end of the
file stands where they are. pyarrow unpacks what it reads; only the descriptions tell before how much that is.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeldist._extras import require
from labeldist._unpacking import CELL

MAGIC = b"ARROW1"
"""How a file begins and ends."""

BLOCK = np.dtype([("begin", "<i8"), ("description", "<i4"), ("padding", "<i4"), ("body", "<i8")])
"""Where a message stands, and the sizes of its parts."""

NODE = np.dtype([("cells", "<i8"), ("empty", "<i8")])
BUFFER = np.dtype([("begin", "<i8"), ("size", "<i8")])
UNPACKED = -1
"""The size before a buffer that was left as it was among packed ones."""


def unpacked_size(content: Any) -> int:
    """Return how many bytes the cells and the buffers of all messages of a file take."""
    read_message = require("pyarrow.ipc", "tables").read_message
    end = len(content) - len(MAGIC) - 4
    (length,) = struct.unpack_from("<i", content, end)
    footer = content[end - length : end].to_pybytes()
    table = _follow(footer, 0)
    blocks = [block for number in (2, 3) for block in _vector(footer, _field(footer, table, number), BLOCK).tolist()]
    return sum(_size(read_message(content.slice(begin, words + body))) for begin, words, _, body in blocks)


def _size(message: Any) -> int:
    words, body = message.metadata.to_pybytes(), memoryview(message.body)
    batch = _follow(words, _field(words, _follow(words, 0), 2))
    if message.type == "dictionary":
        batch = _follow(words, _field(words, batch, 1))
    nodes = _vector(words, _field(words, batch, 1), NODE)
    size = CELL * sum(map(int, nodes["cells"]))  # an array of nothing has cells, but no buffer
    packed = _field(words, batch, 3)
    for begin, length in _vector(words, _field(words, batch, 2), BUFFER).tolist():
        size += length
        if packed and length >= 8:
            (unpacked,) = struct.unpack_from("<q", body, begin)
            size += 0 if unpacked == UNPACKED else unpacked
    return size


def _field(words: bytes, table: int, number: int) -> int:
    """Return where a field of a table stands, 0 for one that is left out."""
    (back,) = struct.unpack_from("<i", words, table)
    (length,) = struct.unpack_from("<H", words, table - back)
    if 4 + 2 * number >= length:
        return 0
    (offset,) = struct.unpack_from("<H", words, table - back + 4 + 2 * number)
    return table + offset if offset else 0


def _follow(words: bytes, at: int) -> int:
    return at + int(struct.unpack_from("<I", words, at)[0])


def _vector(words: bytes, at: int, kind: Any) -> NDArray[Any]:
    """Return a list of records, an empty one if it is left out."""
    begin = _follow(words, at) if at else 0
    count = struct.unpack_from("<I", words, begin)[0] if at else 0
    return np.frombuffer(words, dtype=kind, count=count, offset=begin + 4)
