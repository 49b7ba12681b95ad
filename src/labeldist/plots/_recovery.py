"""How well an enhancer recovers known distributions, along the values of one of its parameters."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from labeldist._extras import require
from labeldist._typing import Array
from labeldist.enhancement._trivial import LogicalSoftmax, Uniform
from labeldist.exceptions import LabelWarning
from labeldist.metrics import MEASURES
from labeldist.plots._canvas import EXTRA, SIZE, Display, hide_frame, legend_beside, width_with_legend
from labeldist.plots._palette import OKABE_ITO, REFERENCE
from labeldist.plots._reading import check_option
from labeldist.plots._text import is_number, parameter_texts
from labeldist.simplex import normalize

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE_RANGE = 100.0
"""Values of a parameter that differ by more than this factor stand on a logarithmic axis."""

WIDE_ERRORS = 10.0
"""Errors that differ by more than this factor do, too."""

LINE_STYLES = ("--", ":", "-.")


class RecoveryPathDisplay(Display):
    """A measure of recovered distributions against the true ones, along a parameter, with the trivial enhancers.

    Only where the truth is known; the lines of the enhancers that look at no feature tell what a recovery is worth.
    Make one with `from_estimator`.

    Parameters
    ----------
    param_name : str
    param_range : list
        The values of the parameter.
    scores : ndarray of shape (n_values,)
        The measure at each.
    baselines : mapping of str to float
        The measure of the trivial enhancers.
    name : str
        Of the enhancer.
    measure : str
        A measure of `labeldist.metrics.MEASURES`.

    Attributes
    ----------
    line_ : Line2D
    best_ : int
        The place of the best value in `param_range`.
    baseline_lines_ : dict of str to Line2D
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> from labeldist import BDLE
    >>> from labeldist.datasets import binarize, make_artificial
    >>> from labeldist.plots import RecoveryPathDisplay
    >>> X, D = make_artificial(60, random_state=0)
    >>> display = RecoveryPathDisplay.from_estimator(BDLE(), X, binarize(D), D, "smoothness", [1e-3, 1e-1, 10])
    >>> list(display.baselines), display.scores.shape
    (['Uniform', 'LogicalSoftmax', 'LogicalSoftmax, threshold'], (3,))
    """

    def __init__(
        self,
        *,
        param_name: str,
        param_range: Sequence[Any],
        scores: Array,
        baselines: Mapping[str, float],
        name: str,
        measure: str,
    ) -> None:
        self.param_name = param_name
        self.param_range = param_range
        self.scores = scores
        self.baselines = baselines
        self.name = name
        self.measure = measure

    @classmethod
    def from_estimator(
        cls,
        enhancer: Any,
        X: Any,
        L: Any,
        D_true: Any,
        param_name: str,
        param_range: Sequence[Any],
        *,
        measure: str = "kl_divergence",
        ax: Axes | None = None,
    ) -> RecoveryPathDisplay:
        """Fit the enhancer with each value of a parameter, and draw how close to the truth it comes.

        Parameters
        ----------
        enhancer : label enhancer
            Copies of it are fitted.
        X : array-like or data frame of shape (n_samples, n_features)
        L : array-like of shape (n_samples, n_labels)
            Logical labels.
        D_true : array-like of shape (n_samples, n_labels)
            The distributions that should be recovered; each row is divided by its sum.
        param_name : str
            A parameter of the enhancer.
        param_range : list
            The values to try.
        measure : str, default="kl_divergence"
            One of `labeldist.metrics.MEASURES`.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        """
        require("matplotlib", EXTRA)  # to be told before the work is done, not after
        check_option("measure", measure, list(MEASURES))
        check_option("param_name", param_name, sorted(enhancer.get_params()))
        if not len(param_range):
            raise ValueError("param_range is empty: there is nothing to try.")
        D = normalize(D_true, name="D_true")
        mean = MEASURES[measure].mean
        scores = [
            mean(D, np.asarray(clone(enhancer).set_params(**{param_name: value}).fit_transform(X, L)))
            for value in param_range
        ]
        display = cls(
            param_name=param_name,
            param_range=list(param_range),
            scores=np.array(scores),
            baselines={name: mean(D, recovered) for name, recovered in _trivial(X, L).items()},
            name=type(enhancer).__name__,
            measure=measure,
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> RecoveryPathDisplay:
        """Draw the path and the lines of the baselines.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        """
        measure = MEASURES[self.measure]
        names = [self.name, f"best: {max(parameter_texts(self.param_range), key=len)}", *self.baselines]
        ax = self._open(ax, (width_with_legend(SIZE[0] - 1, names), SIZE[1]))
        places = self._place(ax)
        joined = "-" if all(map(is_number, self.param_range)) else "none"  # nothing lies between two words
        self.line_ = ax.plot(places, self.scores, marker="o", color=OKABE_ITO[1], linestyle=joined)[0]
        self.best_ = int(np.argmax(self.scores) if measure.higher_is_better else np.argmin(self.scores))
        best = (places[self.best_], self.scores[self.best_])
        (ring,) = ax.plot(*best, marker="o", markersize=12, fillstyle="none", color=OKABE_ITO[0], linestyle="none")
        self.baseline_lines_ = {
            name: ax.axhline(value, color=REFERENCE, linewidth=1.2, linestyle=style)
            for (name, value), style in zip(self.baselines.items(), LINE_STYLES, strict=False)
        }
        names[1] = f"best: {parameter_texts(self.param_range)[self.best_]}"
        legend_beside(ax, [self.line_, ring, *self.baseline_lines_.values()], names, handlelength=2)
        worth = [*self.scores, *self.baselines.values()]
        if not measure.higher_is_better and min(worth) > 0 and max(worth) > WIDE_ERRORS * min(worth):
            ax.set_yscale("log")  # else one bad value of the parameter would hide what the good ones are worth
        direction = "higher" if measure.higher_is_better else "lower"
        ax.set(xlabel=self.param_name, ylabel=f"{measure.title} ({direction} is better)")
        hide_frame(ax)
        return self

    def _place(self, ax: Axes) -> Sequence[Any]:
        """Return where the values stand: numbers by their size, with ranges of magnitudes on a logarithmic axis.

        Anything else, and magnitudes together with 0, which no such axis has, stand side by side.
        """
        values = self.param_range
        if all(map(is_number, values)):
            magnitudes = np.abs([value for value in values if value])
            if not magnitudes.size or magnitudes.max() < WIDE_RANGE * magnitudes.min():
                return values
            if min(values) > 0:
                ax.set_xscale("log")
                return values
        ax.set_xticks(range(len(values)), parameter_texts(values), parse_math=False)
        return range(len(values))


def _trivial(X: Any, L: Any) -> dict[str, Array]:
    """Return what the enhancers that look at no feature recover."""
    softmax, threshold = LogicalSoftmax(), LogicalSoftmax("threshold")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LabelWarning)  # the enhancer itself has warned of these labels
        recovered = {
            "Uniform": Uniform().fit_transform(X, L),
            "LogicalSoftmax": softmax.fit_transform(X, L),
            "LogicalSoftmax, threshold": threshold.fit_transform(X, L),
        }
    if threshold.sharpness_ == softmax.sharpness_:  # there is no such sharpness
        del recovered["LogicalSoftmax, threshold"]
    return recovered
