"""Readers and writers of JSON: a list of records, an object of items, or one record per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from labeldist._extras import require

if TYPE_CHECKING:
    import pandas as pd


def read_json(file: BinaryIO) -> pd.DataFrame:
    """Read a list of records, or an object of items, whose keys become the column ``id``, or ``key``."""
    text = file.read().decode("utf-8-sig")
    try:
        content = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise
        return _to_frame(_parse_lines(text))  # Many files with one record per line are called .json.
    if isinstance(content, dict) and content and all(isinstance(item, dict) for item in content.values()):
        key = next(k for k in ("id", "key", "_key") if not any(k in item for item in content.values()))
        content = [{key: name, **item} for name, item in content.items()]
    if not isinstance(content, list) or not all(isinstance(record, dict) for record in content):
        raise ValueError("it must contain a list of records, or an object with one record per item")
    return _to_frame(content)


def read_json_lines(file: BinaryIO) -> pd.DataFrame:
    """Read one record per line."""
    return _to_frame(_parse_lines(file.read().decode("utf-8-sig")))


def write_json(frame: pd.DataFrame, _labels: Any) -> bytes:
    """Encode a table as a list of records, one per line."""
    return ("[\n" + ",\n".join(_records(frame)) + "\n]\n").encode()


def write_json_lines(frame: pd.DataFrame, _labels: Any) -> bytes:
    """Encode a table as one record per line."""
    return "".join(f"{record}\n" for record in _records(frame)).encode()


def without_lists(frame: pd.DataFrame) -> pd.DataFrame:
    """Replace lists in cells by their JSON, for formats that hold one value per cell."""
    changed = frame.copy()
    for name in frame.columns:
        if frame[name].map(type).eq(list).any():
            changed[name] = frame[name].map(lambda cell: _dump(cell) if isinstance(cell, list) else cell)
    return changed


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raise an error if a key occurs twice, of which Python would keep the last value."""
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"an object has the key {next(key for key in keys if keys.count(key) > 1)!r} more than once")
    return record


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)  # str: dates and decimals


def _records(frame: pd.DataFrame) -> Iterator[str]:
    return map(_dump, frame.astype(object).where(frame.notna(), None).to_dict("records"))


def _parse_lines(text: str) -> list[dict[str, Any]]:
    records = []
    for number, line in enumerate(text.split("\n"), start=1):  # splitlines would also split at U+2028 within texts
        if line.strip():
            try:
                record = json.loads(line, object_pairs_hook=_unique)
            except json.JSONDecodeError as error:
                raise ValueError(f"line {number} is not JSON: {error.msg}, column {error.colno}") from None
            if not isinstance(record, dict):
                raise ValueError(f'line {number} is not a record such as {{"id": "a", "joy": 1}}')
            records.append(record)
    return records


def _to_frame(records: list[dict[str, Any]]) -> pd.DataFrame:
    """Return a table with one column per key; those of nested objects are joined with dots, lists stay cells."""
    pandas = require("pandas", "app")
    rows = [dict(_flatten(record)) for record in records]
    paths = dict.fromkeys(path for row in rows for path in row)
    objects = {path[:k] for path in paths for k in range(1, len(path))}
    columns = []
    for path in paths:
        cells = [row.get(path) for row in rows]
        if path in objects and not any(cell is not None for cell in cells):
            continue  # null in place of an object
        if {type(cell) for cell in cells} >= {str, int}:  # items and labels such as "0" and 0
            cells = [_dump(cell) if isinstance(cell, int) else cell for cell in cells]
        column = pandas.Series(cells, dtype=object)
        column = column if None in cells else column.infer_objects()  # floats with gaps would lose digits
        columns.append(column.rename(".".join(path)))
    return pandas.concat(columns, axis=1) if columns else pandas.DataFrame()


def _flatten(record: dict[str, Any], prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flatten(value, (*prefix, name))
        else:
            yield (*prefix, name), value
