"""What files consist of: parts to be spoiled one by one, and packed again so that a reader gets as far as to them."""

import io
import json
import sqlite3
import struct
import tempfile
import tomllib
import zlib
from contextlib import closing, suppress
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from labeldist.experiments.store import Store


class Plain:
    """A file as it lies."""

    @staticmethod
    def parts(content):
        return {"": content}

    @staticmethod
    def whole(parts):
        return parts[""]


class Zipped:
    """A zip archive; its members are spoiled, not their packing."""

    @staticmethod
    def parts(content):
        with ZipFile(io.BytesIO(content)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    @staticmethod
    def whole(parts):
        buffer = io.BytesIO()
        with ZipFile(buffer, "w", ZIP_DEFLATED, compresslevel=1) as archive:
            for name, part in parts.items():
                archive.writestr(name, part)
        return buffer.getvalue()


class Deflated:
    """A MATLAB file whose variables are packed one by one; what is packed is spoiled."""

    @staticmethod
    def parts(content):
        parts, at = {"head": content[:128]}, 128
        while at < len(content):
            size = struct.unpack_from("<II", content, at)[1]
            parts[f"variable {at}"] = zlib.decompress(content[at + 8 : at + 8 + size])
            at += 8 + size
        return parts

    @staticmethod
    def whole(parts):
        packed = [zlib.compress(part, 1) for name, part in parts.items() if name != "head"]
        return parts["head"] + b"".join(struct.pack("<II", 15, len(part)) + part for part in packed)


class Toml:
    """TOML as the tree that it is."""

    @staticmethod
    def parts(content):
        return {"tree.json": json.dumps(tomllib.loads(content.decode())).encode()}

    @staticmethod
    def whole(parts):
        try:
            tree = json.loads(parts["tree.json"])
        except ValueError:
            return parts["tree.json"]
        if not isinstance(tree, dict):
            return _inline(tree).encode(errors="surrogatepass")
        lines = [f"{json.dumps(key)} = {_inline(value)}\n" for key, value in tree.items()]
        return "".join(lines).encode(errors="surrogatepass")


def _inline(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_inline(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if value == "1979-05-27":
        return value  # a date
    return json.dumps(value).replace("Infinity", "inf").replace("NaN", "nan").replace("null", '"null"')


TABLES = {"runs": "SELECT * FROM runs", "numbers": "SELECT * FROM numbers"}


class Records:
    """The rows of a store of records, whatever they say."""

    @staticmethod
    def parts(content):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "records.sqlite"
            path.write_bytes(content)
            with closing(sqlite3.connect(path)) as connection:
                tables = {name: connection.execute(query).fetchall() for name, query in TABLES.items()}
        return {"tables.json": json.dumps(tables).encode()}

    @staticmethod
    def whole(parts):
        try:
            tables = json.loads(parts["tables.json"])
        except ValueError:
            return parts["tables.json"]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "records.sqlite"
            Store(path).close()
            with closing(sqlite3.connect(path)) as connection:
                for name, rows in tables.items() if isinstance(tables, dict) else ():
                    for row in rows if isinstance(rows, list) else ():
                        _insert(connection, name, row)
                connection.commit()
                connection.execute("PRAGMA journal_mode = DELETE")
            return path.read_bytes()


def _insert(connection, table, row):
    """Insert what SQLite takes of a row, and leave out the row else."""
    cells = row if isinstance(row, list) else [row]
    cells = [json.dumps(cell) if isinstance(cell, list | dict) else cell for cell in cells]
    places = ", ".join("?" * len(cells))
    with suppress(sqlite3.Error, OverflowError, UnicodeError):
        connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({places})", cells)  # noqa: S608  # our own text
