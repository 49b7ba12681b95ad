"""JSON files: a list of records, an object of items, or one record per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO

from labeldist.app.text import shortened
from labeldist.utils import require

if TYPE_CHECKING:
    import pandas as pd

ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
SURROGATE = re.compile("[\ud800-\udfff]")


def read_json(file: BinaryIO) -> pd.DataFrame:
    """Read a list of records, or an object of items, whose names become the column ``id``.

    If the items have an ``id``, the column is ``key``.
    """
    content = parse_json(file)
    names = None
    if isinstance(content, dict):
        names = list(content)
        content = list(content.values())
    if not isinstance(content, list) or not all(isinstance(record, dict) for record in content):
        raise ValueError("it must contain a list of records, or an object with one record per item")
    frame = _to_frame(content)
    if names is not None:
        frame.insert(0, "key" if "id" in frame else "id", names)
    return frame


def parse_json(file: BinaryIO) -> Any:
    """Return the content of a JSON file, or a list of the records of a file with one per line."""
    text = _read_text(file)
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise
        return _parse_lines(text)  # Many files with one record per line are called .json.
    _check_characters(content, text)
    return content


def read_json_lines(file: BinaryIO) -> pd.DataFrame:
    """Read one record per line."""
    return _to_frame(parse_lines(file))


def write_json(frame: pd.DataFrame) -> bytes:
    """Encode a table as a list of records, one per line."""
    records = ",\n".join(_records(frame))
    return f"[\n{records}\n]\n".encode()


def write_json_lines(frame: pd.DataFrame) -> bytes:
    """Encode a table as one record per line."""
    return "".join(f"{record}\n" for record in _records(frame)).encode()


def without_lists(frame: pd.DataFrame) -> pd.DataFrame:
    """Replace lists in cells by their JSON, for formats that hold one value per cell."""
    changed = frame.copy()
    for name in frame.columns:
        if frame[name].map(type).eq(list).any():
            changed[name] = [
                _dump(cell) if isinstance(cell, list) else cell for cell in frame[name]
            ]
    return changed


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)  # str: dates and decimals


def _records(frame: pd.DataFrame) -> Iterator[str]:
    cells = frame.astype(object).where(frame.notna(), None)
    return map(_dump, cells.to_dict("records"))


def parse_lines(file: BinaryIO) -> list[dict[str, Any]]:
    """Return the records of a file with one record per line."""
    return _parse_lines(_read_text(file))


def _read_text(file: BinaryIO) -> str:
    return file.read().decode("utf-8-sig")


def _parse_lines(text: str) -> list[dict[str, Any]]:
    records = []
    # splitlines would also split at U+2028 within texts.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            problem = "" if isinstance(record, dict) else shortened(line.strip())
        except ValueError as error:
            problem = str(error)
        if problem:
            raise ValueError(f"line {number} is not a record: {problem}")
        records.append(record)
    _check_characters(records, text)
    return records


def _check_characters(content: Any, text: str) -> None:
    """Raise an error if a text has half of a surrogate pair, which is no character."""
    if not ESCAPED_SURROGATE.search(text):
        return
    records = content.items() if isinstance(content, dict) else enumerate(content, start=1)
    for name, record in records:
        if SURROGATE.search(_dump(record)):
            fields = record.items() if isinstance(record, dict) else ()
            broken = [field for field, value in fields if SURROGATE.search(_dump({field: value}))]
            place = f"record {name!r}" + "".join(f", field {field!r}," for field in broken[:1])
            raise ValueError(f"{place} has half of a surrogate pair, which is no character")


def _to_frame(records: list[dict[str, Any]]) -> pd.DataFrame:
    """Return a table with one column per key; keys of nested objects are joined with dots.

    The attribute ``attrs["deep"]`` of the table names the columns from objects within objects.
    """
    rows = [dict(_flatten(record)) for record in records]
    frame = require("pandas", "app").DataFrame(rows, dtype=object)
    frame = frame.where(frame.notna(), None)
    for name in list(frame.columns):
        cells = frame[name]
        if cells.notna().all():
            frame[name] = cells.infer_objects()  # With gaps, integers would become floats.
    deep = list(dict.fromkeys(chain.from_iterable(map(_deep, records))))
    if deep:
        frame.attrs["deep"] = deep
    return frame


def _deep(record: dict[str, Any]) -> Iterator[str]:
    """Return the names of the columns from objects within the objects of a record."""
    for name, value in record.items():
        inner = value.items() if isinstance(value, dict) else ()
        for key, content in inner:
            if isinstance(content, dict):
                yield from dict(_flatten(content, f"{name}.{key}."))


def _flatten(record: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
