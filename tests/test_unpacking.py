"""How much may come out of something packed, and that no more does."""

import io
import zlib
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest

from labeldist._unpacking import (
    LARGEST,
    TooLargeError,
    UnpackingError,
    check_columns,
    inflate,
    read_member,
    room_for,
)


def test_large_files_may_unpack_to_more():
    assert room_for(0) == room_for(LARGEST // 10) == LARGEST
    assert room_for(LARGEST) == 10 * LARGEST


def test_no_more_is_inflated_than_there_is_room_for():
    packed = zlib.compress(b"12345")
    assert inflate(packed, 5) == b"12345"
    with pytest.raises(TooLargeError, match="more than the 4 bytes"):
        inflate(packed, 4)


@pytest.mark.parametrize("packed", [b"", b"x", b"no zlib", zlib.compress(b"12345")[:-6]])
def test_damage_is_told(packed):
    with pytest.raises(UnpackingError, match=r"damaged|ends too early"):
        inflate(packed, 100)


def member(compression, content, room):
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", compression) as archive:
        archive.writestr("a", content)
    with ZipFile(buffer) as archive:
        return read_member(archive, "a", room)


def test_members_are_read_as_far_as_there_is_room():
    assert member(ZIP_DEFLATED, b"12345", 5) == b"12345"
    with pytest.raises(TooLargeError, match="more than the 4 bytes"):
        member(ZIP_DEFLATED, b"12345", 4)
    with pytest.raises(UnpackingError, match="a is packed by another method"):
        member(ZIP_BZIP2, b"12345", 5)


def test_too_many_columns_are_refused():
    check_columns(100_000)
    with pytest.raises(UnpackingError, match="it has 100,001 columns"):
        check_columns(100_001)
