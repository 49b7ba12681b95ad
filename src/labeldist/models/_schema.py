"""The schema of a skops archive: the tree of what it holds, as JSON that is looked at before anything is built."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

LOADERS = frozenset(
    f"{kind}Node"
    for kind in ("Dict", "List", "Tuple", "Slice", "Json", "Type", "Function", "Object", "NdArray", "DType")
) | {"RandomStateNode"}
"""The ways in which skops builds what a model consists of. It knows more, none of which a model needs."""


def compact(content: bytes) -> bytes:
    """Return a schema without the numbers of its objects, and as short as possible.

    skops writes every object in full wherever it occurs, with a number, and takes the first for all that have the
    same. A file that was made for it could so be as large as it likes: each object twice the one before, at a few
    bytes. Without numbers it is what is written and no more.
    """
    schema = json.loads(content)
    for node in _dicts(schema):
        node.pop("__id__", None)
    return json.dumps(schema, separators=(",", ":")).encode()


def types_in(content: bytes) -> Iterator[tuple[str, str]]:
    """Yield the name of each type, and the loader that is to build it."""
    for node in _dicts(json.loads(content)):
        if "__loader__" in node:
            yield f"{node.get('__module__')}.{node.get('__class__')}", str(node["__loader__"])


def files_in(content: bytes) -> Iterator[str]:
    """Yield the members that hold arrays, each as often as it is asked for: every time it is unpacked anew."""
    for node in _dicts(json.loads(content)):
        if "__loader__" in node and "file" in node:
            yield str(node["file"])


def _dicts(schema: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(schema, dict):
        raise TypeError("its schema is no object of JSON")
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
