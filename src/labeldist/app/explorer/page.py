"""Rendering of the page."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from itertools import cycle
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist.app.explorer import summary as summary
from labeldist.app.explorer.contents import Contents, cell_texts, check_contents
from labeldist.app.types import Array
from labeldist.metrics import PAPER_MEASURES
from labeldist.utils import require, whole_file

if TYPE_CHECKING:
    import pandas as pd

# Colours of Okabe and Ito, which colour-blind people can tell apart.
COLOURS = ("#d55e00", "#0072b2", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#f0e442")
STEPS = 65535  # degrees are embedded as multiples of 1 / STEPS, in two bytes each


def write_explorer(
    path: str | PathLike[str],
    frame: pd.DataFrame,
    *,
    label_names: Sequence[str],
    versions: Mapping[str, Any],
    logical: Any = None,
    truth: str | None = None,
    item: str | None = None,
    intervals: Mapping[str, Any] | None = None,
    title: str = "Label distributions, item by item",
    overwrite: bool = True,
) -> Path:
    """Write one HTML page to search and sort items and to compare versions of their degrees.

    The page is self-contained.

    Parameters
    ----------
    path : path-like
        File to write. Its folder is created if needed.
    frame : DataFrame
        One row per item. The first 40 columns that are not labels and a random sample of 20,000
        rows are shown.
    label_names : sequence of str
        Names of the labels.
    versions : mapping of str to array-like of shape (n_items, n_labels)
        Degrees by the name to show, such as ``"true"`` or ``"recovered by BD-LE"``. Rows are
        divided by their sums.
    logical : array-like of shape (n_items, n_labels), optional
        1 where an item has a label, else 0.
    truth : str, optional
        The version that the others are compared with.
    item : str, optional
        Column that names the items. By default they are numbered.
    intervals : mapping of str to (lower, upper), optional
        Bounds of the 90 % intervals of the degrees of some versions, as
        `labeldist.BayesLE.interval` returns them.
    title : str
        Title of the page.
    overwrite : bool, default=True
        Whether to replace an existing file; if False, an existing file raises an `OutputError`.

    Returns
    -------
    Path
        The path of the page.

    See Also
    --------
    labeldist.plots.DistributionDisplay : Distributions as a static picture.

    Examples
    --------
    >>> import pandas as pd
    >>> from labeldist.app.explorer import write_explorer
    >>> poems = pd.DataFrame({"title": ["Rain", "Home"], "joy": [0.2, 0.9], "calm": [0.8, 0.1]})
    >>> path, versions = getfixture("tmp_path") / "poems.html", {"read": poems[["joy", "calm"]]}
    >>> labels = ["joy", "calm"]
    >>> write_explorer(path, poems, label_names=labels, versions=versions, item="title").name
    'poems.html'
    """
    contents = check_contents(
        frame,
        label_names,
        versions,
        logical=logical,
        truth=truth,
        item=item,
        intervals=intervals,
    )
    return write_page(path, contents, title, overwrite=overwrite)


def write_page(
    path: str | PathLike[str],
    contents: Contents,
    title: str,
    *,
    remarks: Sequence[str] = (),
    overwrite: bool = True,
) -> Path:
    """Write the page, with remarks at the end of its summary, and return its path."""
    # Unpaired surrogates cannot be encoded.
    html = render(contents, title, remarks).encode("utf-8", errors="replace")
    with whole_file(path, overwrite=overwrite) as file:
        file.write(html)
    return Path(path)


def render(contents: Contents, title: str, remarks: Sequence[str] = ()) -> str:
    """Return the HTML of the page. All values are escaped."""
    jinja2 = require("jinja2", "app")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("labeldist.app.explorer", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    palette = cycle(COLOURS)
    colours = [
        "var(--ink)" if name == contents.truth else next(palette) for name in contents.versions
    ]
    return environment.get_template("explorer.html.jinja").render(
        title=title,
        contents=contents,
        sentences=[*summary.sentences(contents), *remarks],
        pairs=summary.compare_pairs(contents),
        measures=list(PAPER_MEASURES.values()),
        scores=summary.scores(contents),
        data=embed(contents) | {"colours": colours},
    )


def embed(contents: Contents) -> dict[str, Any]:
    """Return the items as JSON data for the script of the page."""
    rows = np.arange(len(contents.names))
    if len(rows) > summary.MAX_ITEMS:
        rows = np.sort(np.random.default_rng(0).choice(rows, summary.MAX_ITEMS, replace=False))
    shown = contents.columns.iloc[rows, : summary.MAX_COLUMNS]
    largest = []
    versions = []
    for name, D in contents.versions.items():
        version = {"name": name, "degrees": pack(D, rows)}
        largest.append(D.max())
        if name in contents.intervals:
            lower, upper = contents.intervals[name]
            version |= {"lower": pack(lower, rows), "upper": pack(upper, rows)}
            largest.append(upper.max())
        versions.append(version)
    return {
        "rows": (rows + 1).tolist(),
        "names": [contents.names[row] for row in rows],
        "columns": [{"name": str(k), "cells": cell_texts(column)} for k, column in shown.items()],
        "labels": contents.labels,
        "steps": STEPS,
        "largest": float(max(largest)),
        "versions": versions,
        "logical": _base64(contents.logical, rows, "u1"),
        "votes": _base64(contents.votes, rows, "<u4"),
        "sort": "table" if contents.estimate is None else "ambiguous",
    }


def pack(D: Array, rows: Any) -> str | None:
    """Return degrees as base64 of little-endian numbers of two bytes, row by row."""
    return _base64(np.rint(D * STEPS), rows, "<u2")


def _base64(values: Any, rows: Any, dtype: str) -> str | None:
    if values is None:
        return None
    return base64.b64encode(values[rows].astype(dtype).tobytes()).decode("ascii")
