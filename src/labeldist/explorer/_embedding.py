"""The data of a page, small enough to stand inside it."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from labeldist._typing import Array
from labeldist.explorer._contents import MOST_COLUMNS, Contents, texts

STEPS = 65535
"""Degrees are whole multiples of 1 / STEPS: two bytes a degree, and nobody sees the fifth digit."""


def embed(contents: Contents) -> dict[str, Any]:
    """Return what the page's script needs to know of the items, fit for JSON.

    Degrees and logical labels are numbers of two bytes and of one, low byte first, row by row, in base64.
    """
    rows, part = contents.drawn()
    columns = part.columns.iloc[:, :MOST_COLUMNS]
    return {
        "rows": (rows + 1).tolist(),
        "names": part.names,
        "columns": [
            {"name": str(name), "cells": texts(columns.iloc[:, place])} for place, name in enumerate(columns.columns)
        ],
        "labels": part.labels,
        "steps": STEPS,
        "largest": max(
            float(D.max()) for D in (*contents.versions.values(), *(upper for _, upper in contents.intervals.values()))
        ),
        "versions": [
            {"name": name, "degrees": pack(D)}
            | dict(zip(("lower", "upper"), map(pack, part.intervals.get(name, ())), strict=False))
            for name, D in part.versions.items()
        ],
        "logical": None if part.logical is None else _base64(part.logical.astype("u1")),
    }


def pack(D: Array) -> str:
    """Write distributions as two bytes a degree, in base64."""
    return _base64(np.rint(D * STEPS).astype("<u2"))


def _base64(values: Any) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")
