"""Displays of coefficients and parameters: CoefficientDisplay and ParameterInfluenceDisplay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, validate_data

from labeldist._extras import require
from labeldist._pipelines import attribute_of, is_blend, layers
from labeldist._typing import Array
from labeldist.learning._softmax_learner import SoftmaxLearner
from labeldist.metrics import MEASURES
from labeldist.plots._display import (
    EXTRA,
    Axes,
    Display,
    Names,
    check_names,
    heat_map,
    largest_first,
    shown_features,
)


@dataclass(eq=False, repr=False)
class CoefficientDisplay(Display):
    """Coefficients of a linear model as a heat map, one row per feature and one column per label.

    Red cells raise the degree of a label, blue cells lower it. Those of the linear softmax models
    in a `BlendedLearner` are multiplied by the weights of these models.

    Parameters
    ----------
    coefficients : ndarray of shape (n_rows, n_labels)
        The coefficients to draw, one row per feature.
    feature_names, label_names : list of str
        Names of the rows and of the columns.
    title, caption : str
        What the colours show, and the label of the x-axis.

    Attributes
    ----------
    image_, colorbar_, ax_, figure_ : matplotlib AxesImage, Colorbar, Axes and Figure
        What was drawn.

    See Also
    --------
    ParameterInfluenceDisplay : Scores of a search over hyper-parameters.

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.plots import CoefficientDisplay
    >>> model = BDLDL().fit(*make_artificial(100, random_state=0))
    >>> CoefficientDisplay.from_estimator(model).coefficients.round(2)
    array([[ 0.15, -0.06, -0.09],
           [-0.06, -0.06,  0.12],
           [-0.13,  0.13,  0.  ]])
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
        estimator : fitted estimator with ``coef_``
            Or a Pipeline, search or EnhancedLearner that ends in one.
        X : array-like or data frame of shape (n_samples, n_features), default=None
            If given, each coefficient is multiplied by the standard deviation of its feature in
            these rows.
        max_features : int, default=30
            If there are more, those with the largest absolute coefficients of each label are drawn,
            the largest first.
        feature_names, label_names : list of str, default=None
            By default the names that the estimator has seen, or numbers.
        ax : matplotlib Axes, default=None
            Axes to draw on. By default a new figure is made.

        Returns
        -------
        CoefficientDisplay
            The drawn display.
        """
        check_is_fitted(estimator)
        found = [_coefficients(part, weight, X) for part, weight in _linear_parts(estimator)]
        if not found:
            name = type(estimator).__name__
            raise TypeError(f"{name} has no coefficients. Use a linear learner, such as BDLDL.")
        coefficients = np.vstack([values for values, _ in found])
        m, c = coefficients.shape
        if feature_names is None and all(names is not None for _, names in found):
            feature_names = [name for _, names in found for name in names]
        if label_names is None:
            label_names = attribute_of(estimator, "label_names_")
        features = check_names("feature_names", feature_names, m, "x")
        labels = check_names("label_names", label_names, c, "label_")
        title = "coefficient" if X is None else "coefficient × standard deviation"
        caption = ""
        if m > max_features:
            largest = _largest_of_each_label(coefficients, max_features)
            coefficients = coefficients[largest]
            features = [features[j] for j in largest]
            caption = shown_features(max_features, m)
        return cls(coefficients, features, labels, title, caption).plot(ax)

    def _cells(self) -> tuple[int, int]:
        n_rows, n_columns = self.coefficients.shape
        return n_rows, n_columns

    def _draw(self, ax: Axes) -> None:
        largest = float(np.abs(self.coefficients).max()) or 1.0
        self.image_, self.colorbar_ = heat_map(
            ax,
            self.coefficients,
            self.feature_names,
            self.label_names,
            title=self.title,
            cmap="RdBu_r",
            vmin=-largest,
            vmax=largest,
        )
        ax.set_xlabel(self.caption)


def _linear_parts(estimator: Any) -> list[tuple[Any, float]]:
    """Return the fitted model, or the softmax models in a blend, with their weights."""
    if not is_blend(estimator):
        return [] if attribute_of(estimator, "coef_") is None else [(estimator, 1.0)]
    weights = estimator.weights_[estimator.weights_ > 0]
    parts = []
    for (_, part), weight in zip(estimator.estimators_, weights, strict=True):
        *_, learner = layers(part)
        if isinstance(learner, SoftmaxLearner):
            parts.append((part, float(weight)))
    return parts


def _coefficients(estimator: Any, weight: float, X: Any) -> tuple[Array, Any]:
    """Return weighted coefficients, (m, n_labels), and the names of the features, if any.

    If X is given, they are multiplied by the deviations of the features.
    """
    names, deviations = _received_features(estimator, X)
    values = weight * attribute_of(estimator, "coef_").T
    if deviations is not None:
        values = values * deviations[:, None]
    return values, names


def _largest_of_each_label(coefficients: Array, n_features: int) -> list[int]:
    """Return the features with the largest absolute coefficients of each label, in turn."""
    size = np.abs(coefficients)
    by_label = [largest_first(size[:, k])[:n_features] for k in range(size.shape[1])]
    in_turn = [feature for features in zip(*by_label, strict=True) for feature in features]
    chosen = list(dict.fromkeys(in_turn))[:n_features]
    return sorted(chosen, key=lambda feature: -size[feature].max())


def _received_features(estimator: Any, X: Any) -> tuple[Any, Array | None]:
    """Return names and standard deviations of the features that the linear model receives."""
    from sklearn.preprocessing import StandardScaler  # slow to import

    names: Any = None
    for layer in layers(estimator):
        if hasattr(layer, "steps") and len(layer.steps) > 1:
            preparation = layer[:-1]
            X = None if X is None else preparation.transform(X)
            try:
                names = preparation.get_feature_names_out()
            except (AttributeError, ValueError):  # a step does not name its output
                names = None
        elif names is None:
            names = getattr(layer, "feature_names_in_", None)
            if X is not None:
                validate_data(layer, X, reset=False, skip_check_array=True)
    if X is None:
        return names, None
    return names, np.sqrt(StandardScaler(with_mean=False).fit(X).var_)


@dataclass(eq=False, repr=False)
class ParameterInfluenceDisplay(Display):
    """Cross-validated scores over a grid of two hyper-parameters as a heat map.

    A frame marks the best score.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_columns)
        NaN for combinations that were not tried.
    row_values, column_values, row_name, column_name : list, list, str, str
        Values and names of the two hyper-parameters.
    title, higher_is_better : str, bool
        Name and direction of the score.
    others : list of str
        Further hyper-parameters of the search. Each cell has the best score over their values.

    Attributes
    ----------
    best_ : tuple of int
        Row and column of the best score.
    image_, colorbar_, frame_ : matplotlib AxesImage, Colorbar and Rectangle
        What was drawn.
    ax_, figure_ : matplotlib Axes and Figure
        What the display was drawn on.

    See Also
    --------
    CoefficientDisplay : Coefficients of the features.

    Examples
    --------
    >>> from labeldist import BDLDLCV
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.plots import ParameterInfluenceDisplay
    >>> search = BDLDLCV().fit(*make_artificial(100, random_state=0))
    >>> display = ParameterInfluenceDisplay.from_estimator(search)
    >>> row, column = display.best_
    >>> display.row_name, display.row_values[row]
    ('reconstruction', 0.0001)
    >>> display.column_name, display.column_values[column]
    ('ridge', 0.1)
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
    def from_estimator(
        cls, estimator: Any, *, params: tuple[str, str] | None = None, ax: Axes = None
    ) -> Self:
        """Draw the mean test scores of a fitted search.

        Parameters
        ----------
        estimator : fitted BDLDLCV or GridSearchCV, or a Pipeline that ends in one
            The search.
        params : pair of str, default=None
            Hyper-parameters of the rows and of the columns. By default the first two that take
            several values.
        ax : matplotlib Axes, default=None
            Axes to draw on. By default a new figure is made.

        Returns
        -------
        ParameterInfluenceDisplay
            The drawn display.
        """
        results = attribute_of(estimator, "cv_results_")
        if results is None:
            name = type(estimator).__name__
            raise NotFittedError(f"{name} has no cv_results_. Fit a BDLDLCV or GridSearchCV.")
        values = _tried_values(results["params"])
        varied = [name for name in values if len(values[name]) > 1]
        names = list(params or varied[:2])
        if len(names) != 2 or not values.keys() >= {*names}:
            raise ValueError(f"Two parameters of {list(values)} are needed; got {names}.")
        row_name, column_name = names
        rows = values[row_name]
        columns = values[column_name]
        scores = np.full((len(rows), len(columns)), np.nan)
        for point, score in zip(results["params"], results["mean_test_score"], strict=True):
            if row_name in point and column_name in point:
                cell = rows.index(point[row_name]), columns.index(point[column_name])
                scores[cell] = np.fmax(scores[cell], score)
        measure = MEASURES.get(str(attribute_of(estimator, "scoring")))
        display = cls(scores, rows, columns, row_name, column_name, "mean_test_score")
        display.others = [name for name in varied if name not in names]
        if measure is not None:  # BDLDLCV negates measures for which lower is better
            display.title = measure.title
            display.higher_is_better = measure.higher_is_better
            display.scores = measure.sign * scores
        return display.plot(ax)

    def _cells(self) -> tuple[int, int]:
        return len(self.row_values), len(self.column_values)

    def _draw(self, ax: Axes) -> None:
        sign = 1 if self.higher_is_better else -1
        row, column = divmod(int(np.nanargmax(sign * self.scores)), len(self.column_values))
        self.best_ = (row, column)
        direction = "higher" if self.higher_is_better else "lower"
        self.image_, self.colorbar_ = heat_map(
            ax,
            self.scores,
            _texts(self.row_values),
            _texts(self.column_values),
            title=f"{self.title} ({direction} is better)",
            cmap="viridis" if self.higher_is_better else "viridis_r",
        )
        rectangle = require("matplotlib.patches", EXTRA).Rectangle
        corner = (column - 0.45, row - 0.45)
        self.frame_ = rectangle(corner, 0.9, 0.9, fill=False, edgecolor="red", linewidth=2.5)
        ax.add_patch(self.frame_)
        ax.set(xlabel=self.column_name, ylabel=self.row_name)
        if self.others:
            ax.set_title(f"best over {', '.join(self.others)}", loc="left", fontsize="small")


def _tried_values(points: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return the distinct values of each parameter of a search, numbers in ascending order."""
    tried: dict[str, dict[str, Any]] = {}
    for point in points:
        for name, value in point.items():
            tried.setdefault(name, {})[repr(value)] = value
    return {name: _sorted_numbers(list(values.values())) for name, values in tried.items()}


def _sorted_numbers(values: list[Any]) -> list[Any]:
    are_numbers = all(isinstance(value, Real) for value in values)
    return sorted(values) if are_numbers else values


def _texts(values: Sequence[Any]) -> list[str]:
    return [f"{value:g}" if isinstance(value, float) else str(value) for value in values]
