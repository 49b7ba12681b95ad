"""Matrices of MATLAB's files of version 5, read without trusting a word of them.

SciPy's reader ends the process on a type code that it does not know and on cells within cells without end, and unpacks
as much as a file asks for. A table needs dense matrices of numbers, and of characters for names: those are read
here, and of everything else only the name and the kind.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeldist._unpacking import UnpackingError, check_size, inflate, room_for
from labeldist.exceptions import DatasetError, DatasetNotFoundError

HEADER = 128
"""Bytes before the first variable; the last four of them are the version and the order of bytes."""

TAG = 8
"""Bytes before a content: its type and its size."""

MATRIX, PACKED = 14, 15
"""The types of what stands at the top of a file: a variable, plain or packed by zlib."""

NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
"""The types that numbers are stored in; a matrix of doubles may be stored in a smaller one that has room for it."""

TEXTS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
"""The types that characters are stored in."""

LONGEST_TEXT = 2**24
"""Bytes of characters; names of columns take less."""

MOST_DIMENSIONS = 32
CELL, CHARACTERS, OPAQUE = 1, 4, 17
KINDS = {CELL: "cell", 2: "struct", 3: "object", 5: "sparse", 16: "function", OPAQUE: "opaque"}
NUMERIC = range(6, 16)
COMPLEX = 0x0800
"""The flag of a matrix with an imaginary part."""


SAVE_AGAIN = "save it again in MATLAB with save(..., '-v7')"


@dataclass(frozen=True)
class Unread:
    """A variable that is no dense matrix of real numbers or of characters, and no list of names."""

    kind: str


class _Element(NamedTuple):
    type: int
    content: memoryview


def load_mat(path: Path) -> dict[str, NDArray[Any] | Unread]:
    """Return the variables of a MATLAB file by name; rows of characters are strings."""
    try:
        content = memoryview(path.read_bytes())
    except FileNotFoundError:
        raise DatasetNotFoundError(f"There is no file {path}.") from None
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error.strerror or error}.") from error
    order = {b"IM": "<", b"MI": ">"}.get(bytes(content[HEADER - 2 : HEADER]))
    if order and content[HEADER - 4 : HEADER - 2] == struct.pack(f"{order}H", 0x0200):
        raise DatasetError(f"{path} is a MATLAB file of version 7.3, which cannot be read here: {SAVE_AGAIN}.")
    try:
        if order is None:
            raise UnpackingError(f"it does not begin as one. If it is of version 4, {SAVE_AGAIN}")
        return dict(_variables(content[HEADER:], order, room_for(len(content))))
    except (ValueError, IndexError, struct.error, zlib.error, MemoryError) as error:
        raise DatasetError(f"{path} cannot be read as a MATLAB file of version 5: {error}.") from error


def _variables(content: memoryview, order: str, room: int) -> Iterator[tuple[str, NDArray[Any] | Unread]]:
    for element in _elements(content, order, aligned=False):
        if element.type == PACKED:
            size = _packed_size(element.content, order)
            check_size(size, room)
            room -= size
            element = _next(_elements(memoryview(inflate(element.content, size)), order))
        if element.type != MATRIX:
            raise UnpackingError(f"something of type {element.type} stands where a variable is expected")
        yield _variable(_elements(element.content, order), order)


def _elements(content: memoryview, order: str, *, aligned: bool = True) -> Iterator[_Element]:
    """Yield one after the other; within a variable each begins at a multiple of eight bytes."""
    at = 0
    while at < len(content):
        word, size = struct.unpack_from(f"{order}II", content, at)
        begin = at + TAG
        if word >> 16:  # so little content that it stands beside its type, in the place of its size
            begin, size, word = at + 4, min(word >> 16, 4), word & 0xFFFF
        if begin + size > len(content):
            raise UnpackingError("it ends too early")
        yield _Element(word, content[begin : begin + size])
        at = begin + size
        if aligned:
            at += -at % 8


def _packed_size(packed: memoryview, order: str) -> int:
    """Return how many bytes a variable takes, by the tag before it, which alone is unpacked."""
    return TAG + int(struct.unpack(f"{order}II", zlib.decompressobj().decompress(packed, TAG))[1])


def _next(parts: Iterator[_Element]) -> _Element:
    for part in parts:
        return part
    raise UnpackingError("a variable lacks one of its parts")


def _variable(parts: Iterator[_Element], order: str) -> tuple[str, NDArray[Any] | Unread]:
    flags = _whole_numbers(_next(parts), order)[0]
    kind = flags & 0xFF
    shape = () if kind == OPAQUE else _whole_numbers(_next(parts), order)
    name = bytes(_next(parts).content).decode("latin-1")
    if min(shape, default=0) < 0:
        raise UnpackingError(f"the shape of {name} is {shape}")
    if kind in NUMERIC:
        if flags & COMPLEX:
            return name, Unread("complex")
        return name, _numbers(_next(parts), order).reshape(shape, order="F")
    if kind == CHARACTERS and len(shape) == 2:
        return name, _strings(_next(parts), shape, order)
    if kind == CELL:
        return name, _list_of_strings(parts, order)
    return name, Unread(KINDS.get(kind, f"class {kind}"))


def _list_of_strings(cells: Iterator[_Element], order: str) -> NDArray[Any] | Unread:
    """Return cells with one row of characters each, as MATLAB keeps names; any others are left unread."""
    names: list[str] = []
    longest = 0
    for cell in cells:
        name = _row_of_characters(cell, order)
        longest = max(longest, len(name or ""))
        if name is None or longest * (len(names) + 1) > LONGEST_TEXT:
            return Unread(KINDS[CELL])
        names.append(name)
    return np.array(names, dtype=str)


def _row_of_characters(cell: _Element, order: str) -> str | None:
    if cell.type != MATRIX or not cell.content:
        return None
    parts = _elements(cell.content, order)
    kind, shape = _whole_numbers(_next(parts), order)[0] & 0xFF, _whole_numbers(_next(parts), order)
    _next(parts)  # the name, which is empty
    if kind != CHARACTERS or len(shape) != 2 or shape[0] != 1:
        return None
    return "".join(_strings(_next(parts), shape, order))


def _whole_numbers(element: _Element, order: str) -> tuple[int, ...]:
    numbers = _numbers(element, order)
    if numbers.dtype.kind == "f" or numbers.size > MOST_DIMENSIONS:
        raise UnpackingError("what should be a few whole numbers is none")
    return tuple(numbers.tolist())


def _numbers(element: _Element, order: str) -> NDArray[Any]:
    if element.type not in NUMBERS:
        raise UnpackingError(f"no numbers are stored as type {element.type}")
    return np.frombuffer(element.content, dtype=order + NUMBERS[element.type])


def _strings(element: _Element, shape: tuple[int, ...], order: str) -> NDArray[Any]:
    """Return the rows of a matrix of characters as strings."""
    if element.type not in TEXTS:
        raise UnpackingError(f"no characters are stored as type {element.type}")
    encoding = TEXTS[element.type]
    if encoding in ("utf-16", "utf-32"):
        encoding += "-le" if order == "<" else "-be"
    text = str(element.content[:LONGEST_TEXT], encoding, "replace")
    if len(text) != prod(shape) or not text:
        return np.zeros(0, dtype="U1")  # too long for names, or of characters that take several units each
    characters = np.frombuffer(text.encode("utf-32-le"), dtype="<U1").reshape(shape, order="F")
    return np.ascontiguousarray(characters).view(f"<U{shape[1]}")[:, 0]
