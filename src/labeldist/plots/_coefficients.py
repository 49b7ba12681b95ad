"""Which features speak for and against which labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labeldist._extras import require
from labeldist._typing import Array
from labeldist._validation import label_names as numbered_labels
from labeldist.models._inspection import attribute_of, layers
from labeldist.plots._canvas import EXTRA, Display
from labeldist.plots._heat import heat_map, size_of
from labeldist.plots._palette import DIVERGING
from labeldist.plots._reading import check_count, check_names
from labeldist.plots._text import decimals, share_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class CoefficientDisplay(Display):
    """Coefficients of a linear model as a heat map, a row a feature and a column a label.

    Red speaks for a label, blue against it. Make one with `from_estimator`.

    Parameters
    ----------
    coefficients : ndarray of shape (n_rows, n_labels)
    feature_names, label_names : list of str
    title : str
        What the numbers are.
    caption : str
        Which features they are.

    Attributes
    ----------
    image_ : AxesImage
    colorbar_ : Colorbar
    text_ : ndarray of Text
        The numbers in the cells; None where they have no room.
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.plots import CoefficientDisplay
    >>> X, D = make_artificial(200, random_state=0)
    >>> display = CoefficientDisplay.from_estimator(BDLDL().fit(X, D), feature_names=["x", "y", "z"])
    >>> display.coefficients.shape
    (3, 3)
    """

    def __init__(
        self,
        coefficients: Array,
        *,
        feature_names: Sequence[str],
        label_names: Sequence[str],
        title: str = "coefficient",
        caption: str = "",
    ) -> None:
        self.coefficients = coefficients
        self.feature_names = feature_names
        self.label_names = label_names
        self.title = title
        self.caption = caption

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        max_features: int = 30,
        feature_names: Sequence[object] | None = None,
        label_names: Sequence[object] | None = None,
        ax: Axes | None = None,
    ) -> CoefficientDisplay:
        """Draw the coefficients of a fitted linear model, which may be the last step of a pipeline.

        Parameters
        ----------
        estimator : fitted estimator with ``coef_``
            BDLDL, BDLDLCV, SABFGS, SAIIS, LDLLC, LDLSCL, EDLLRL, or a Pipeline, GridSearchCV or EnhancedLearner that
            ends in one.
        X : array-like or data frame of shape (n_samples, n_features), default=None
            If given, a coefficient is multiplied by the standard deviation of its feature in these rows: features in
            different units can then be compared.
        max_features : int, default=30
            If there are more, the strongest, which have the largest coefficient of either sign, are drawn, the
            strongest first.
        feature_names : list of str, default=None
            Of the features that have a coefficient. None for what the estimator knows, or numbers.
        label_names : list of str, default=None
            None for the labels that the estimator has seen.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        """
        check_count("max_features", max_features)
        check_is_fitted(estimator)
        found = attribute_of(estimator, "coef_")
        if found is None:
            raise TypeError(
                f"{type(estimator).__name__} has no coefficients. Learners that have: BDLDL, BDLDLCV, SABFGS, SAIIS, "
                "LDLLC, LDLSCL, EDLLRL."
            )
        coefficients = np.atleast_2d(found).T
        m, c = coefficients.shape
        if feature_names is None:
            feature_names = _feature_names(estimator, m)
        if label_names is None:
            label_names = attribute_of(estimator, "label_names_") or numbered_labels(None, c)
        features, labels = check_names("feature_names", feature_names, m), check_names("label_names", label_names, c)
        title = "coefficient"
        if X is not None:
            coefficients = coefficients * _deviations(_last_features(estimator, X))[:, None]
            title = "coefficient × standard deviation"
        shown = np.arange(m)
        if m > max_features:
            shown = np.argsort(-np.abs(coefficients).max(axis=1), kind="stable")[:max_features]
        display = cls(
            coefficients[shown],
            feature_names=[features[j] for j in shown],
            label_names=labels,
            title=title,
            caption=share_of(len(shown), m, "strongest", "feature") if len(shown) < m else "",
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> CoefficientDisplay:
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        """
        ax = self._open(ax, size_of(*self.coefficients.shape))
        largest = float(np.abs(self.coefficients).max()) or 1.0
        drawn = heat_map(
            ax,
            self.coefficients,
            self.feature_names,
            self.label_names,
            colours=DIVERGING,
            norm=require("matplotlib.colors", EXTRA).Normalize(-largest, largest),
            title=self.title,
            decimals=decimals(largest, significant=2, most=6),
        )
        self.image_, self.colorbar_, self.text_ = drawn.image, drawn.colorbar, drawn.text
        ax.set_xlabel(self.caption)
        return self


def _last_features(estimator: Any, X: Any) -> Any:
    """Return the features as the linear model sees them."""
    for layer in layers(estimator):
        if hasattr(layer, "steps") and len(layer.steps) > 1:
            X = layer[:-1].transform(X)
    return X


def _deviations(X: Any) -> Array:
    """Return the standard deviations of features, dense or sparse; 0 is that of a constant one."""
    from sklearn.preprocessing import StandardScaler  # half a second that who wants another picture can save

    return np.sqrt(StandardScaler(with_mean=False).fit(X).var_)


def _feature_names(estimator: Any, n_features: int) -> Sequence[object]:
    """Return the names of the features that have a coefficient, as far as anybody knows them."""
    names: Any = None
    for layer in layers(estimator):
        if hasattr(layer, "steps") and len(layer.steps) > 1:
            try:
                names = layer[:-1].get_feature_names_out()
            except (AttributeError, ValueError):  # a step does not tell
                names = None
        elif names is None:
            names = getattr(layer, "feature_names_in_", None)
    return [f"x{j}" for j in range(n_features)] if names is None else list(names)
