"""Display of the permutation importance of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from labeldist._typing import Array
from labeldist._validation import column_names, random_generator
from labeldist.metrics import kl_divergence
from labeldist.metrics._skill import relative_reduction
from labeldist.models._fitted_models import feature_names_of
from labeldist.plots._display import (
    OKABE_ITO,
    Axes,
    Display,
    Names,
    check_names,
    largest_first,
    name_ticks,
    read_truth,
    shown_features,
)


@dataclass(eq=False, repr=False)
class FeatureImportanceDisplay(Display):
    """Permutation importance of features as bars.

    The importance is the loss of skill if the values of a feature are shuffled. Features that carry
    the same information replace each other, so each of them may have a small importance.

    Parameters
    ----------
    importances, deviations : ndarray of shape (n_bars,)
        Mean and standard deviation over the repeats.
    feature_names : list of str
        Names of the features, one per bar.
    caption : str
        Text above the plot.

    Attributes
    ----------
    bars_, ax_, figure_ : matplotlib BarContainer, Axes and Figure
        What was drawn.

    See Also
    --------
    CoefficientDisplay : Coefficients of a linear model.

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.plots import FeatureImportanceDisplay
    >>> X, D = make_artificial(200, random_state=0)
    >>> model = BDLDL().fit(X[:100], D[:100])
    >>> display = FeatureImportanceDisplay.from_estimator(model, X[100:], D[100:], random_state=0)
    >>> display.feature_names
    ['x0', 'x2', 'x1']
    """

    importances: Array
    deviations: Array
    feature_names: Sequence[str]
    caption: str = ""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        n_repeats: int = 5,
        max_features: int = 20,
        sample_weight: Any = None,
        random_state: Any = None,
        feature_names: Names = None,
        rows_name: str = "rows",
        callback: Callable[[int, int, str], None] | None = None,
        ax: Axes = None,
    ) -> Self:
        """Draw the permutation importance of the features of a fitted model.

        Parameters
        ----------
        estimator : fitted learner, or a Pipeline or search that ends in one
            The estimator.
        X : array-like or data frame of shape (n_samples, n_features)
            Preferably rows that the estimator has not been fitted to.
        y : array-like or data frame of shape (n_samples, n_labels)
            True degrees. Each row is divided by its sum.
        n_repeats : int, default=5
            How often each feature is shuffled.
        max_features : int, default=20
            If there are more, the most important ones are drawn.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows in the skill.
        random_state : int, RandomState instance or None, default=None
            Seed of the shuffles.
        feature_names : list of str, default=None
            By default the columns of `X`, the names that the estimator has seen, or numbers.
        rows_name : str, default="rows"
            What the picture calls the rows, such as ``"held-out rows"``.
        callback : callable, default=None
            Called as ``callback(done, total, feature)`` after each prediction.
        ax : matplotlib Axes, default=None
            Axes to draw on. By default a new figure is made.

        Returns
        -------
        FeatureImportanceDisplay
            The drawn display.
        """
        from sklearn.inspection import permutation_importance  # slow to import

        D = read_truth(estimator, X, y, sample_weight)
        m = np.shape(X)[1]
        if feature_names is None:
            feature_names = column_names(X) or feature_names_of(estimator)
        features = check_names("feature_names", feature_names, m, "x")
        # `skill` would compute the divergence of the mean anew for each shuffled table.
        mean = np.broadcast_to(np.average(D, axis=0, weights=sample_weight), D.shape)
        trivial = kl_divergence(D, mean, sample_weight=sample_weight)
        scores: list[float] = []

        def score(model: Any, X: Any, D: Array, sample_weight: Any = None) -> float:
            achieved = kl_divergence(D, model.predict(X), sample_weight=sample_weight)
            scores.append(relative_reduction(achieved, trivial))
            if callback is not None:
                n_shuffled = max(0, len(scores) - 2)
                callback(len(scores), 1 + m * n_repeats, features[n_shuffled // n_repeats])
            return scores[-1]

        found = permutation_importance(
            estimator,
            X,
            D,
            scoring=score,
            n_repeats=n_repeats,
            sample_weight=sample_weight,
            random_state=random_generator(random_state),
        )
        largest = largest_first(found.importances_mean)[:max_features]
        names = [features[j] for j in largest]
        caption = f"skill {scores[0]:.2f} on {len(D):,} {rows_name}"
        if m > max_features:
            caption = f"{shown_features(max_features, m)}; {caption}"
        means = found.importances_mean[largest]
        deviations = found.importances_std[largest]
        return cls(means, deviations, names, caption).plot(ax)

    def _cells(self) -> tuple[int, int]:
        return len(self.importances), 0

    def _draw(self, ax: Axes) -> None:
        n = len(self.importances)
        self.bars_ = ax.barh(
            range(n), self.importances, xerr=self.deviations, color=OKABE_ITO[1], capsize=2
        )
        ax.axvline(0, color="black", linewidth=1)
        ax.set_ylim(n - 0.4, -0.6)
        ax.set_xlabel("loss of skill if the feature is shuffled (lines: deviation)")
        ax.set_title(self.caption, loc="left", fontsize="small")
        name_ticks(ax.yaxis, self.feature_names)
