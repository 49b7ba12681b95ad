"""One self-contained page to look through items and the versions of their label distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist._files import write_whole
from labeldist._pages import environment
from labeldist.explorer import _summary as summary
from labeldist.explorer._contents import Contents, check_contents
from labeldist.explorer._embedding import embed
from labeldist.metrics import MEASURES
from labeldist.plots._palette import OKABE_ITO
from labeldist.simplex import ambiguity

if TYPE_CHECKING:
    import pandas as pd


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
) -> Path:
    """Write one HTML page that needs nothing else, and return its path.

    The page lets a person search, filter and sort the items, see every version of an item's distribution side by side,
    and compare the versions. It holds `labeldist.explorer._contents.MOST_ITEMS` items; of more, so many are drawn at
    random, and what is said of all items together is still of all.

    Parameters
    ----------
    path : path-like
        The file; its folder is made if needed, and what was there is replaced.
    frame : DataFrame
        The items, a row each. All columns but the labels are shown as text, the first
        `labeldist.explorer._contents.MOST_COLUMNS` of them.
    label_names : sequence of str
        What the columns of the versions are called.
    versions : mapping of str to array-like of shape (n_items, n_labels)
        Degrees of the same labels for the same items, by the name to show, such as ``"true"`` or ``"recovered by
        BD-LE"``. Rows are divided by their sums. The page begins with the first.
    logical : array-like of shape (n_items, n_labels), optional
        1 where a label was given to an item, else 0.
    truth : str, optional
        The version that the others are measured against.
    item : str, optional
        The column that names the items; else they are numbered.
    intervals : mapping of str to (lower, upper), optional
        For some of the versions, by name, the bounds of the 90 % interval of each degree, as
        `labeldist.BayesLE.interval` returns them. Each is drawn as a thin line over the bar of the degree.
    title : str
        The page's heading.

    Examples
    --------
    >>> import pandas as pd
    >>> from labeldist.explorer import write_explorer
    >>> poems = pd.DataFrame({"title": ["Rain", "Home"], "joy": [0.2, 0.9], "calm": [0.8, 0.1]})
    >>> degrees = poems[["joy", "calm"]]
    >>> page = write_explorer(
    ...     getfixture("tmp_path") / "poems.html", poems, label_names=["joy", "calm"], versions={"read": degrees},
    ...     item="title",
    ... )
    >>> page.name
    'poems.html'
    """
    contents = check_contents(
        frame, label_names, versions, logical=logical, truth=truth, item=item, intervals=intervals
    )
    return write_page(path, contents, title)


def write_page(path: str | PathLike[str], contents: Contents, title: str, *, overwrite: bool = True) -> Path:
    """Write the page about what was checked, and return its path."""
    # Half a character, which some programs leave where they cut a text, would otherwise stop it.
    write_whole(path, render(contents, title).encode("utf-8", errors="replace"), overwrite=overwrite)
    return Path(path)


def render(contents: Contents, title: str) -> str:
    """Return the page."""
    found = summary.scores(contents)
    jinja = environment("labeldist.explorer")
    jinja.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return jinja.get_template("explorer.html.jinja").render(
        title=title,
        sentences=list(summary.sentences(contents)),
        n_items=len(contents.names),
        labels=contents.labels,
        versions=list(contents.versions),
        numbered=[(str(number), name) for number, name in enumerate(contents.versions)],
        colours=colours(contents),
        ambiguity=float(np.median(ambiguity(contents.first))),
        means=np.transpose([D.mean(axis=0) for D in contents.versions.values()]).tolist(),
        pairs=summary.pairs(contents),
        measures=list(MEASURES.values()),
        scores=found,
        best=summary.best(found) if found else {},
        truth=contents.truth,
        logical=contents.logical is not None,
        intervals=bool(contents.intervals),
        first_items=summary.first_items(contents),
        data=embed(contents) | {"colours": list(colours(contents).values())},
    )


def colours(contents: Contents) -> dict[str, str]:
    """Give every version a colour; the truth has that of the text."""
    palette = cycle(OKABE_ITO)
    return {name: "var(--ink)" if name == contents.truth else next(palette) for name in contents.versions}
