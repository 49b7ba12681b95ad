"""Displays of coefficients and parameters: CoefficientDisplay and ParameterInfluenceDisplay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, check_scalar

from labeldist._extras import require
from labeldist._typing import Array
from labeldist._validation import check_feature_order
from labeldist._validation import label_names as numbered_labels
from labeldist.metrics import MEASURES
from labeldist.models._inspection import attribute_of, layers
from labeldist.plots import _display as shared
from labeldist.plots._display import EXTRA, Axes, Display, Names, check_names, check_option, is_number

WIDE_SCORES = 10.0  # positive scores that differ by a larger factor have a logarithmic scale


@dataclass(eq=False, repr=False)
class CoefficientDisplay(Display):
    """Coefficients of a linear model as a heat map, one row per feature and one column per label.

    Red cells raise the degree of a label, blue cells lower it.

    Parameters
    ----------
    coefficients : ndarray of shape (n_rows, n_labels)
    feature_names, label_names : list of str
    title, caption : str

    Attributes
    ----------
    image_, colorbar_, ax_, figure_ : matplotlib AxesImage, Colorbar, Axes and Figure

    See Also
    --------
    ParameterInfluenceDisplay : Scores of a search over hyper-parameters.

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.plots import CoefficientDisplay
    >>> model = BDLDL().fit(*make_artificial(100, random_state=0))
    >>> CoefficientDisplay.from_estimator(model, feature_names=["x", "y", "z"]).coefficients.shape
    (3, 3)
    """

    coefficients: Array
    feature_names: Sequence[str]
    label_names: Sequence[str]
    title: str = "coefficient"
    caption: str = ""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        max_features: int = 30,
        feature_names: Names = None,
        label_names: Names = None,
        ax: Axes = None,
    ) -> Self:
        """Draw the coefficients of a fitted linear model.

        Parameters
        ----------
        estimator : fitted estimator with ``coef_``, or a Pipeline, search or EnhancedLearner that ends in one
        X : array-like or data frame of shape (n_samples, n_features), default=None
            If given, each coefficient is multiplied by the standard deviation of its feature in these rows.
        max_features : int, default=30
            If there are more, those with the largest absolute coefficients are drawn, the largest first.
        feature_names, label_names : list of str, default=None
            By default the names that the estimator has seen, or numbers.
        ax : matplotlib Axes, default=None

        Returns
        -------
        CoefficientDisplay
        """
        check_scalar(max_features, "max_features", int, min_val=1)
        check_is_fitted(estimator)
        coef = attribute_of(estimator, "coef_")
        if coef is None:
            raise TypeError(f"{type(estimator).__name__} has no coefficients. Use a linear learner, such as BDLDL.")
        coefficients, title, caption = np.atleast_2d(coef).T, "coefficient", ""
        m, c = coefficients.shape
        if label_names is None:
            label_names = attribute_of(estimator, "label_names_") or numbered_labels(None, c)
        labels = check_names("label_names", label_names, c)
        names, scale = _received_features(estimator, X)
        if feature_names is None:
            feature_names = [f"x{j}" for j in range(m)] if names is None else names
        features = check_names("feature_names", feature_names, m)
        if X is not None:
            coefficients, title = coefficients * scale[:, None], "coefficient × standard deviation"
        if m > max_features:
            largest = np.argsort(-np.abs(coefficients).max(axis=1), kind="stable")[:max_features]
            coefficients, features = coefficients[largest], [features[j] for j in largest]
            caption = f"largest {max_features} of {m:,} features"
        return cls(coefficients, features, labels, title, caption).plot(ax)

    def _cells(self) -> tuple[int, int]:
        return self.coefficients.shape[0], self.coefficients.shape[1]

    def _draw(self, ax: Axes) -> None:
        largest = float(np.abs(self.coefficients).max()) or 1.0
        norm = require("matplotlib.colors", EXTRA).Normalize(-largest, largest)
        self.image_, self.colorbar_ = shared.heat_map(
            ax, self.coefficients, self.feature_names, self.label_names, cmap="RdBu_r", norm=norm, title=self.title
        )
        ax.set_xlabel(self.caption)


def _received_features(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return names and standard deviations of the features that the linear model receives, or None."""
    from sklearn.preprocessing import StandardScaler  # slow to import

    names: Any = None
    for layer in layers(estimator):
        if hasattr(layer, "steps") and len(layer.steps) > 1:
            X = None if X is None else layer[:-1].transform(X)
            try:
                names = layer[:-1].get_feature_names_out()
            except (AttributeError, ValueError):  # a step does not name its output
                names = None
        elif names is None:
            names = getattr(layer, "feature_names_in_", None)
            check_feature_order(layer, X)
    return names, None if X is None else np.sqrt(StandardScaler(with_mean=False).fit(X).var_)


@dataclass(eq=False, repr=False)
class ParameterInfluenceDisplay(Display):
    """Cross-validated scores over a grid of two hyper-parameters as a heat map, with a frame around the best.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_columns)
        NaN for combinations that were not tried.
    row_values, column_values, row_name, column_name : list, list, str, str
    title, higher_is_better : str, bool
        Name and direction of the score.
    others : list of str
        Further hyper-parameters of the search. Each cell has the best score over their values.

    Attributes
    ----------
    best_ : tuple of int
        Row and column of the best score.
    image_, colorbar_, frame_, ax_, figure_ : matplotlib AxesImage, Colorbar, Rectangle, Axes and Figure

    See Also
    --------
    CoefficientDisplay : Coefficients of the features.

    Examples
    --------
    >>> from labeldist import BDLDLCV
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.plots import ParameterInfluenceDisplay
    >>> search = BDLDLCV().fit(*make_artificial(100, random_state=0))
    >>> ParameterInfluenceDisplay.from_estimator(search).scores.shape
    (8, 8)
    """

    scores: Array
    row_values: Sequence[Any]
    column_values: Sequence[Any]
    row_name: str
    column_name: str
    title: str
    higher_is_better: bool = True
    others: Sequence[str] = ()

    @classmethod
    def from_estimator(cls, estimator: Any, *, params: tuple[str, str] | None = None, ax: Axes = None) -> Self:
        """Draw the mean test scores of a fitted search.

        Parameters
        ----------
        estimator : fitted BDLDLCV or GridSearchCV, or a Pipeline that ends in one
        params : pair of str, default=None
            Hyper-parameters of the rows and of the columns. By default the first two that take several values.
        ax : matplotlib Axes, default=None

        Returns
        -------
        ParameterInfluenceDisplay
        """
        search = next((layer for layer in layers(estimator) if hasattr(layer, "cv_results_")), None)
        if search is None:
            raise NotFittedError(f"{type(estimator).__name__} has no cv_results_. Fit a BDLDLCV or GridSearchCV.")
        points: list[dict[str, Any]] = search.cv_results_["params"]
        names = list(dict.fromkeys(name for point in points for name in point))
        values = {}
        for name in names:
            distinct = list({repr(point[name]): point[name] for point in points if name in point}.values())
            values[name] = sorted(distinct) if all(map(is_number, distinct)) else distinct
        varied = [name for name in names if len(values[name]) > 1]
        if params is None and len(varied) < 2:
            raise ValueError(f"Two parameters with several values are needed; got {len(varied)} of {', '.join(names)}.")
        row_name, column_name = params or varied[:2]
        for name in (row_name, column_name):
            check_option("params", name, names)
        rows, columns = (list(map(repr, values[name])) for name in (row_name, column_name))
        scores = np.full((len(rows), len(columns)), np.nan)
        for point, score in zip(points, search.cv_results_["mean_test_score"], strict=True):
            if row_name in point and column_name in point:
                cell = rows.index(repr(point[row_name])), columns.index(repr(point[column_name]))
                scores[cell] = np.fmax(scores[cell], score)
        title, higher_is_better = "mean_test_score", True
        if isinstance(search.scoring, str) and search.scoring in MEASURES:  # BDLDLCV negates measures that are errors
            title, higher_is_better = MEASURES[search.scoring].title, MEASURES[search.scoring].higher_is_better
        grid = values[row_name], values[column_name], row_name, column_name
        others = [name for name in varied if name not in (row_name, column_name)]
        return cls(scores if higher_is_better else -scores, *grid, title, higher_is_better, others).plot(ax)

    def _cells(self) -> tuple[int, int]:
        return self.scores.shape[0], self.scores.shape[1]

    def _draw(self, ax: Axes) -> None:
        best = np.nanargmax(self.scores if self.higher_is_better else -self.scores)
        row, column = divmod(int(best), self.scores.shape[1])
        self.best_ = row, column
        low, high = float(np.nanmin(self.scores)), float(np.nanmax(self.scores))
        colors = require("matplotlib.colors", EXTRA)
        norm = colors.LogNorm(low, high) if 0 < WIDE_SCORES * low < high else colors.Normalize(low, high)
        cmap, direction = ("viridis", "higher") if self.higher_is_better else ("viridis_r", "lower")
        names = (list(map(shared.parameter_text, values)) for values in (self.row_values, self.column_values))
        title = f"{self.title} ({direction} is better)"
        self.image_, self.colorbar_ = shared.heat_map(ax, self.scores, *names, cmap=cmap, norm=norm, title=title)
        rectangle = require("matplotlib.patches", EXTRA).Rectangle
        self.frame_ = rectangle((column - 0.45, row - 0.45), 0.9, 0.9, fill=False, edgecolor="red", linewidth=2.5)
        ax.add_patch(self.frame_)
        ax.set(xlabel=self.column_name, ylabel=self.row_name)
        if self.others:
            ax.set_title(f"best over {', '.join(self.others)}", loc="left", fontsize="small")
