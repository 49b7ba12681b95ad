"""Files read without trusting what they say of their sizes: a small one must not fill the memory, or the day."""

from __future__ import annotations

import io
import zlib
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from labeldist.exceptions import LabelDistError

LARGEST = 4 * 2**30
"""A table may unpack to so many bytes, and no table needs less room than it takes on disk."""

EXPANSION = 10
"""A table of any size may unpack to so many times its size on disk."""

CELL = 8
"""Bytes that a cell of a table takes at least in memory, whatever it takes in a file."""

MOST_COLUMNS = 100_000
"""A column of words takes time and memory of its own, however short it is."""

CHUNK = 2**20
"""So many bytes are unpacked at a time."""


class UnpackingError(LabelDistError, ValueError):
    """Something packed cannot be unpacked; who reads it says which file it is."""


class TooLargeError(UnpackingError):
    """There is not the room that something packed asks for."""


def room_for(packed: int) -> int:
    """Return how many bytes a table may unpack to that takes `packed` bytes on disk."""
    return max(LARGEST, EXPANSION * packed)


def check_size(size: int, room: int) -> None:
    """Refuse what takes more bytes than there is room for."""
    if size > room:
        raise TooLargeError(
            f"it unpacks to more than the {room:,} bytes that there is room for, and may be meant to fill the memory"
        )


def check_columns(count: int) -> None:
    """Refuse more columns than a table of words can have."""
    if count > MOST_COLUMNS:
        raise UnpackingError(
            f"it has {count:,} columns, and text is read with up to {MOST_COLUMNS:,}. If its rows are meant to be "
            "columns, turn it; else save it as .npz"
        )


def inflate(packed: Any, room: int) -> bytes:
    """Unpack bytes that zlib has packed, of which there may come out no more than `room`."""
    inflater = zlib.decompressobj()
    try:
        content = inflater.decompress(packed, room + 1)
    except zlib.error as error:
        raise UnpackingError(f"what is packed in it is damaged ({error})") from None
    check_size(len(content), room)
    if not inflater.eof:
        raise UnpackingError("what is packed in it ends too early")
    return content


def read_member(archive: ZipFile, name: str, room: int) -> bytes:
    """Return the bytes of a member of a zip archive, of which there may be no more than `room`."""
    check_size(archive.getinfo(name).file_size, room)
    if archive.getinfo(name).compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        # Other methods unpack all that they are given at once, however much it is.
        raise UnpackingError(f"its part {name} is packed by another method than zip archives mostly are")
    unpacked = io.BytesIO()
    with archive.open(name) as member:
        # What the archive says of its sizes may be a lie: what comes out of it is counted.
        while chunk := member.read(CHUNK):
            unpacked.write(chunk)
            check_size(unpacked.tell(), room)
    return unpacked.getvalue()
