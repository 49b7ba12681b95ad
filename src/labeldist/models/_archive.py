"""The file of a model: a skops archive with a card beside the schema, read without trusting its sizes."""

from __future__ import annotations

import io
import os
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from labeldist._unpacking import TooLargeError, UnpackingError, read_member
from labeldist.exceptions import ModelError
from labeldist.models._schema import compact, files_in

CARD = "card.json"
"""The member that holds the card."""

SCHEMA = "schema.json"
"""The member with which every skops archive says what it holds."""

LARGEST = 2 * 2**30
"""A file that unpacks to more bytes than this is refused, so that a small one cannot fill the memory."""

LARGEST_TEXT = 16 * 2**20
"""A card or a schema of more bytes is refused: as Python's objects JSON takes some twenty times its size."""

ARRAY = b"\x93NUMPY"
"""How a member that holds an array begins."""

WHAT_IT_SHOULD_BE = "A model file is one that labeldist.models.save, or labeldist fit, has written."


def with_card(archive: bytes, card: str) -> bytes:
    """Add a card to a skops archive, and say it if `open_archive` and `unpack` would not take what comes out."""
    buffer = io.BytesIO()
    with ZipFile(io.BytesIO(archive)) as old, ZipFile(buffer, "w") as new:
        contents = {name: old.read(name) for name in old.namelist()} | {CARD: card.encode()}
        contents[SCHEMA] = compact(contents[SCHEMA])
        _check_size("The model", sum(map(len, contents.values())), LARGEST)
        for name in (CARD, SCHEMA):
            _check_size(f"What {name} says of the model", len(contents[name]), LARGEST_TEXT)
        for name, content in contents.items():
            # Undated: archives do not know all years that a clock may tell.
            new.writestr(ZipInfo(name), content, ZIP_DEFLATED, compresslevel=1)
    return buffer.getvalue()


def _check_size(what: str, size: int, largest: int) -> None:
    if size > largest:
        raise ModelError(f"{what} takes {size:,} bytes, and one of more than {largest:,} could not be loaded.")


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


def unpack_text(archive: ZipFile, name: str) -> bytes:
    """Return the bytes of a member that is JSON."""
    content = _unpack_member(archive, name, LARGEST_TEXT)
    if content is None:
        raise _too_large(archive, name, LARGEST_TEXT)
    return content


def unpack(archive: ZipFile) -> bytes:
    """Return the archive unpacked, as one that can be read without a surprise: in no more memory than `LARGEST`."""
    schema = compact(unpack_text(archive, SCHEMA))
    sizes = {member.filename: member.file_size for member in archive.infolist()}
    # An array that stands in several places is one member, and as many arrays when it is loaded.
    wanted = [name for name in files_in(schema) if name in sizes]
    if sum(sizes[name] for name in wanted) > LARGEST or sum(sizes.values()) > LARGEST:
        raise _too_large(archive, "a model", LARGEST)
    unpacked, room = io.BytesIO(), LARGEST
    with ZipFile(unpacked, "w", compression=ZIP_STORED) as members:
        members.writestr(ZipInfo(SCHEMA), schema)  # undated: the clock may say what a date cannot
        for name, copies in Counter(wanted).items():
            content = _unpack_member(archive, name, room // copies)
            if content is None:
                raise _too_large(archive, "a model", LARGEST)
            room -= copies * len(content)
            members.writestr(ZipInfo(name), content)
    return unpacked.getvalue()


def check_arrays(unpacked: bytes) -> None:
    """Refuse members that are no arrays; NumPy would open an archive in the place of one, of whatever size."""
    with ZipFile(io.BytesIO(unpacked)) as members:
        for name in members.namelist():
            with members.open(name) as member:
                if name != SCHEMA and member.read(len(ARRAY)) != ARRAY:
                    raise ModelError(f"{name} is no array")


def _unpack_member(archive: ZipFile, name: str, room: int) -> bytes | None:
    """Return the bytes of a member, or None if there are more than `room`."""
    try:
        return read_member(archive, name, room)
    except TooLargeError:
        return None
    except UnpackingError:
        raise ModelError(f"{archive.filename} is packed by a method that models are not. {WHAT_IT_SHOULD_BE}") from None


def _too_large(archive: ZipFile, what: str, largest: int) -> ModelError:
    return ModelError(
        f"{archive.filename} unpacks to more than the {largest:,} bytes that {what} may have. It may be meant to fill "
        "the memory."
    )
