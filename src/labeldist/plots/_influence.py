"""How the score of a search depends on two of its parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import NotFittedError

from labeldist._extras import require
from labeldist._typing import Array
from labeldist.metrics import MEASURES, Measure
from labeldist.models._inspection import attribute_of, layers
from labeldist.plots._canvas import EXTRA, SMALL, Display
from labeldist.plots._heat import colour_of, heat_map, size_of
from labeldist.plots._palette import ink_on
from labeldist.plots._reading import check_option
from labeldist.plots._text import decimals, is_number, parameter_texts, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE_RANGE = 10.0
"""Values that differ by more than this factor are coloured by their logarithms."""


class ParameterInfluenceDisplay(Display):
    """The cross-validated score over a grid of two parameters as a heat map: brighter is better, the best is framed.

    Make one with `from_estimator`.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_columns)
        NaN where a combination was not tried.
    row_values, column_values : list
        The values of the two parameters.
    row_name, column_name : str
        What they are called.
    title : str
        What the scores are.
    higher_is_better : bool
    others : list of str
        Parameters that were searched as well, for which each cell has the best score.

    Attributes
    ----------
    best_ : tuple of int
        Row and column of the best score.
    frame_ : Rectangle
    image_ : AxesImage
    colorbar_ : Colorbar
    text_ : ndarray of Text
        The numbers in the cells; None where they have no room.
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from labeldist import BDLDLCV
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.plots import ParameterInfluenceDisplay
    >>> X, D = make_artificial(200, random_state=0)
    >>> display = ParameterInfluenceDisplay.from_estimator(BDLDLCV().fit(X, D))
    >>> display.row_name, display.column_name, display.scores.shape
    ('reconstruction', 'ridge', (8, 8))
    """

    def __init__(
        self,
        scores: Array,
        *,
        row_values: Sequence[Any],
        column_values: Sequence[Any],
        row_name: str,
        column_name: str,
        title: str,
        higher_is_better: bool,
        others: Sequence[str] = (),
    ) -> None:
        self.scores = scores
        self.row_values = row_values
        self.column_values = column_values
        self.row_name = row_name
        self.column_name = column_name
        self.title = title
        self.higher_is_better = higher_is_better
        self.others = others

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        params: tuple[str, str] | None = None,
        score: str = "mean_test_score",
        ax: Axes | None = None,
    ) -> ParameterInfluenceDisplay:
        """Draw the results of a fitted search.

        Parameters
        ----------
        estimator : fitted BDLDLCV or GridSearchCV, or a Pipeline that ends in one
        params : pair of str, default=None
            The parameters along the rows and along the columns; None for the first two that take several values. If
            more than two do, a cell has the best score over the others.
        score : str, default="mean_test_score"
            The key of ``cv_results_`` to draw.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        """
        results = attribute_of(estimator, "cv_results_")
        if results is None:
            raise NotFittedError(
                f"{type(estimator).__name__} has no cv_results_: give a fitted BDLDLCV or GridSearchCV."
            )
        check_option("score", score, [key for key in results if "test_score" in key or "train_score" in key])
        points: list[dict[str, Any]] = results["params"]
        names = list(dict.fromkeys(name for point in points for name in point))
        values = {name: _distinct(point[name] for point in points if name in point) for name in names}
        several = [name for name in names if len(values[name]) > 1]
        row_name, column_name = _two_of(several, names, params)
        row_places, column_places = (
            {repr(v): k for k, v in enumerate(values[name])} for name in (row_name, column_name)
        )
        scores = np.full((len(row_places), len(column_places)), np.nan)
        for point, value in zip(points, results[score], strict=True):
            if row_name in point and column_name in point:
                place = row_places[repr(point[row_name])], column_places[repr(point[column_name])]
                scores[place] = np.fmax(scores[place], value)
        measure = _measure(estimator) if score == "mean_test_score" else None
        turned = measure is not None and not measure.higher_is_better
        display = cls(
            -scores if turned else scores,
            row_values=values[row_name],
            column_values=values[column_name],
            row_name=row_name,
            column_name=column_name,
            title=score if measure is None else measure.title,
            higher_is_better=not turned,
            others=[name for name in several if name not in (row_name, column_name)],
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> ParameterInfluenceDisplay:
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        """
        if not np.isfinite(self.scores).any():
            raise ValueError("No combination has a score: there is nothing to draw.")
        ax = self._open(ax, size_of(*self.scores.shape))
        low, high = float(np.nanmin(self.scores)), float(np.nanmax(self.scores))
        colors = require("matplotlib.colors", EXTRA)
        wide = low > 0 and high > WIDE_RANGE * low
        direction = "higher" if self.higher_is_better else "lower"
        drawn = heat_map(
            ax,
            self.scores,
            parameter_texts(self.row_values),
            parameter_texts(self.column_values),
            colours="viridis" if self.higher_is_better else "viridis_r",
            norm=colors.LogNorm(low, high) if wide else colors.Normalize(low, high),
            title=f"{shorten(self.title)} ({direction} is better)",
            decimals=max(decimals(float(np.nanmin(np.abs(self.scores)))), decimals(high - low, significant=2)),
        )
        self.image_, self.colorbar_, self.text_ = drawn.image, drawn.colorbar, drawn.text
        place = np.nanargmax(self.scores if self.higher_is_better else -self.scores)
        row, column = (int(i) for i in np.unravel_index(place, self.scores.shape))
        self.best_ = row, column
        ink = ink_on(colour_of(self.image_, self.scores[row, column]))
        self.frame_ = require("matplotlib.patches", EXTRA).Rectangle(
            (column - 0.45, row - 0.45), 0.9, 0.9, fill=False, edgecolor=ink, linewidth=2.5
        )
        ax.add_patch(self.frame_)
        ax.set(xlabel=self.column_name, ylabel=self.row_name)
        note = "framed: the best" + (f"; each cell: the best over {', '.join(self.others)}" if self.others else "")
        ax.set_title(note, loc="left", fontsize=SMALL)
        return self


def _two_of(several: Sequence[str], names: Sequence[str], params: tuple[str, str] | None) -> tuple[str, str]:
    if params is not None:
        for name in params:
            check_option("params", name, names)
        row, column = params
        return row, column
    if len(several) < 2:
        raise ValueError(
            f"A map needs two parameters that take several values; of {', '.join(names)} "
            f"{several[0] + ' alone does' if several else 'none does'}."
        )
    return several[0], several[1]


def _distinct(values: Iterable[Any]) -> list[Any]:
    """Return each value once, numbers by size and anything else as it comes; a value is known by how it is written."""
    found = list({repr(value): value for value in values}.values())
    return sorted(found) if all(map(is_number, found)) else found


def _measure(estimator: Any) -> Measure | None:
    """Return the measure of this library by which `BDLDLCV` has scored, if that is what has."""
    scoring = next(layer.scoring for layer in layers(estimator) if hasattr(layer, "cv_results_"))
    return MEASURES.get(scoring) if isinstance(scoring, str) else None
