"""The file of a model: a skops archive with a card beside the schema, read without trusting its sizes."""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from labeldist.exceptions import ModelError

CARD = "card.json"
"""The member that holds the card."""

SCHEMA = "schema.json"
"""The member with which every skops archive says what it holds."""

LARGEST = 2 * 2**30
"""A file that unpacks to more bytes than this is refused, so that a small one cannot fill the memory."""

CHUNK = 2**20
"""So many bytes are unpacked at a time."""

WHAT_IT_SHOULD_BE = "A model file is one that labeldist.models.save, or labeldist fit, has written."


def with_card(archive: bytes, card: str) -> bytes:
    """Add a card to a skops archive."""
    buffer = io.BytesIO(archive)
    with ZipFile(buffer, "a", compression=ZIP_DEFLATED) as members:
        size = sum(member.file_size for member in members.infolist()) + len(card)
        if size > LARGEST:
            raise ModelError(f"The model takes {size:,} bytes, and one of more than {LARGEST:,} could not be loaded.")
        members.writestr(CARD, card)
    return buffer.getvalue()


@contextmanager
def open_archive(path: str | os.PathLike[str]) -> Iterator[ZipFile]:
    """Open a model file; whatever is wrong with it, then or while it is read, becomes a `ModelError` that names it."""
    path = Path(path)
    try:
        with ZipFile(path) as archive:
            missing = {CARD, SCHEMA} - set(archive.namelist())
            if SCHEMA in missing:
                raise ModelError(f"{path} is an archive, but not of a model. {WHAT_IT_SHOULD_BE}")
            if CARD in missing:
                raise ModelError(f"{path} is a skops file without a card. {WHAT_IT_SHOULD_BE}")
            yield archive
    except (BadZipFile, zlib.error, EOFError, UnicodeError, RuntimeError) as error:  # zipfile raises all of these
        raise ModelError(f"{path} is not a model file, or it is damaged: {error}. {WHAT_IT_SHOULD_BE}") from error
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}.") from error


def unpack_member(archive: ZipFile, name: str, room: int | None = None) -> bytes:
    """Return a member's bytes, of which there may be no more than `room`, or `LARGEST`."""
    unpacked, room = io.BytesIO(), LARGEST if room is None else room
    if archive.getinfo(name).compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        # Other methods unpack all that they are given at once, however much it is.
        raise ModelError(f"{archive.filename} is packed by a method that models are not. {WHAT_IT_SHOULD_BE}")
    with archive.open(name) as member:
        # What the archive says of its sizes may be a lie: what comes out of it is counted.
        while chunk := member.read(CHUNK):
            unpacked.write(chunk)
            if unpacked.tell() > room:
                raise _too_large(archive)
    return unpacked.getvalue()


def unpack(archive: ZipFile) -> bytes:
    """Return the archive unpacked, as one that can be read without a surprise."""
    unpacked, room = io.BytesIO(), LARGEST
    if sum(member.file_size for member in archive.infolist()) > room:
        raise _too_large(archive)
    with ZipFile(unpacked, "w", compression=ZIP_STORED) as members:
        for name in dict.fromkeys(archive.namelist()):
            content = unpack_member(archive, name, room)
            room -= len(content)
            members.writestr(name, content)
    return unpacked.getvalue()


def _too_large(archive: ZipFile) -> ModelError:
    return ModelError(
        f"{archive.filename} unpacks to more than the {LARGEST:,} bytes that a model may have. It may be meant to fill "
        "the memory."
    )
