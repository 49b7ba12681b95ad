"""The measures as one table, and their scorers.

Each measure compares a true distribution d with a predicted one p; the public functions return the
mean over rows. The first six, `PAPER_MEASURES`, are usual in the label distribution learning
literature. Terms 0/0 of Clark and Canberra, where both degrees are zero, count as 0.
Kullback-Leibler counts 0·log(0/p) as 0 and raises p to machine epsilon, so a true label with
predicted degree 0 costs at most 36 nats times its degree.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from labeldist._float_limits import EPSILON
from labeldist._typing import Array
from labeldist._validation import check_columns, check_rows
from labeldist.simplex import check_distributions

Rows = Callable[[Array, Array], Array]
"""A function of true and predicted distributions that returns one value per row."""

KL_FLOOR = EPSILON
"""The smallest predicted degree in `kl_divergence`: machine epsilon, 2.2e-16."""

_SECTIONS = """

    Parameters
    ----------
    D_true : array-like of shape (n_samples, n_labels)
        The true distributions.
    D_pred : array-like of shape (n_samples, n_labels)
        The predicted distributions. If both are data frames, they must have the same columns in the
        same order.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    float
        The (weighted) mean over rows.

    See Also
    --------
    labeldist.metrics.score_all : Several measures at once.

    Examples
    --------
    >>> from labeldist.metrics import {name}
    >>> round({name}([[0.6, 0.4]], [[0.5, 0.5]]), 4)
    {example}
    """


@dataclass(frozen=True)
class Measure:
    """One row of the table of measures.

    Parameters
    ----------
    name : str
        The name of the public function.
    title : str
        The name to print.
    mean : callable
        The public function ``mean(D_true, D_pred, sample_weight=None)``.
    rows : callable
        A function ``rows(d, p)`` of valid distributions that returns one value per row.
    higher_is_better : bool
        The direction.
    worst : callable
        A function ``worst(n_labels)`` that returns the bound on the worse side.
    needs_order : bool, default=False
        Whether the labels must be ordered. The columns give their order.

    See Also
    --------
    score_all : Several measures of a table of predictions.

    Examples
    --------
    >>> from labeldist.metrics import MEASURES
    >>> MEASURES["cosine"].higher_is_better, MEASURES["clark"].worst(4)
    (True, 2.0)
    """

    name: str
    title: str
    mean: Callable[..., float]
    rows: Rows
    higher_is_better: bool
    worst: Callable[[int], float]
    needs_order: bool = False

    @property
    def best(self) -> float:
        """The value of a perfect prediction, which is the bound on the better side."""
        return 1.0 if self.higher_is_better else 0.0

    @property
    def sign(self) -> int:
        """The factor that makes higher values better: 1, or -1 if lower values are better."""
        return 1 if self.higher_is_better else -1

    @property
    def heading(self) -> str:
        """The title with an arrow in the direction of better values."""
        arrow = "↑" if self.higher_is_better else "↓"
        return f"{self.title} {arrow}"


MEASURES: dict[str, Measure] = {}


def _measure(
    title: str,
    example: float,
    *,
    higher_is_better: bool = False,
    worst: float | Callable[[int], float] = 1.0,
    needs_order: bool = False,
) -> Callable[[Rows], Callable[..., float]]:
    """Return a decorator that adds a measure of rows to the table and returns its mean over rows.

    `worst` is the bound on the worse side, or a function of the number of labels.
    """

    def register(rows: Rows) -> Callable[..., float]:
        def mean(
            D_true: ArrayLike, D_pred: ArrayLike, sample_weight: ArrayLike | None = None
        ) -> float:
            d, p = check_pair(D_true, D_pred, sample_weight)
            return _mean(rows(d, p), sample_weight)

        name = rows.__name__
        mean.__name__ = name
        mean.__qualname__ = name
        mean.__doc__ = str(rows.__doc__).rstrip() + _SECTIONS.format(name=name, example=example)
        bound = worst if callable(worst) else lambda _: worst
        MEASURES[name] = Measure(name, title, mean, rows, higher_is_better, bound, needs_order)
        return mean

    return register


def check_pair(
    D_true: ArrayLike, D_pred: ArrayLike, sample_weight: Any = None
) -> tuple[Array, Array]:
    """Return true and predicted distributions as arrays; raise if they cannot be compared."""
    if hasattr(D_true, "predict"):  # scikit-learn calls scorers with an estimator, X and y
        raise TypeError(
            "A measure compares two tables, but its first argument is an estimator. As scoring, use"
            " labeldist.metrics.get_scorer with the name of the measure."
        )
    check_rows(D_true=D_true, D_pred=D_pred, sample_weight=sample_weight)
    check_columns(D_true=D_true, D_pred=D_pred)
    d = check_distributions(D_true, name="D_true")
    p = check_distributions(D_pred, name="D_pred")
    if d.shape != p.shape:
        raise ValueError(f"D_true and D_pred must have the same shape: {d.shape}, {p.shape}.")
    if not len(d):
        raise ValueError("D_true and D_pred have no rows, so there is nothing to compare.")
    return d, p


def _mean(values: Array, sample_weight: ArrayLike | None) -> float:
    used = np.full(len(values), True)
    return float(np.average(values, weights=row_weights(sample_weight, used)))


def row_weights(sample_weight: ArrayLike | None, used: Any) -> Array | None:
    """Return the weights of the rows that are `used`, a mask; raise if they are not weights."""
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight, dtype=np.float64)
    are_weights = weight.shape == used.shape and np.isfinite(weight).all() and weight.min() >= 0
    if not are_weights or not weight[used].any():
        raise ValueError(
            f"sample_weight must hold one non-negative number for each of the {len(used)} rows, "
            "and not only zeros."
        )
    return weight[used]


def _relative_differences(d: Array, p: Array) -> Array:
    """Return |d - p| / (d + p), with 0/0 = 0."""
    total = d + p
    return np.divide(np.abs(d - p), total, out=np.zeros_like(total), where=total > 0)


@_measure("Chebyshev", 0.1)
def chebyshev(d: Array, p: Array) -> Array:
    """Return the mean over rows of ``max |d - p|``. Lower is better; at most 1."""
    return np.abs(d - p).max(axis=1)


@_measure("Clark", 0.1436, worst=math.sqrt)
def clark(d: Array, p: Array) -> Array:
    """Return the mean over rows of ``sqrt(Σ ((d - p) / (d + p))²)``. Lower is better.

    It is at most √n_labels.
    """
    squares = _relative_differences(d, p) ** 2
    return np.sqrt(squares.sum(axis=1))


@_measure("Canberra", 0.202, worst=float)
def canberra(d: Array, p: Array) -> Array:
    """Return the mean over rows of ``Σ |d - p| / (d + p)``. Lower is better; at most n_labels."""
    return _relative_differences(d, p).sum(axis=1)


@_measure("Kullback-Leibler", 0.0201, worst=-math.log(KL_FLOOR))
def kl_divergence(d: Array, p: Array) -> Array:
    """Return the mean over rows of ``Σ d log(d / max(p, ε))`` in nats. Lower is better.

    ε is machine epsilon. The divergence is not symmetric.
    """
    return divergence_terms(d, np.maximum(p, KL_FLOOR)).sum(axis=1)


def divergence_terms(d: Array, p: Array) -> Array:
    """Return d log(d / p), with 0 log 0 = 0."""
    ratio = np.divide(d, p, out=np.ones_like(d), where=d > 0)
    return d * np.log(ratio)


def _products(a: Array, b: Array) -> Array:
    """Return the sums over columns of ab, a² and b²."""
    return np.array([(a * b).sum(axis=1), (a * a).sum(axis=1), (b * b).sum(axis=1)])


def _correlation(sums: Array) -> Array:
    """Return Σab / sqrt(Σa² Σb²), with 0 where Σa² or Σb² is 0."""
    products, squares_a, squares_b = sums
    scale = np.sqrt(squares_a * squares_b)
    return np.divide(products, scale, out=np.zeros_like(scale), where=scale > 0)


@_measure("Cosine", 0.9806, higher_is_better=True, worst=0.0)
def cosine(d: Array, p: Array) -> Array:
    """Return the mean over rows of the cosine between d and p. Higher is better; at most 1."""
    return _correlation(_products(d, p))


@_measure("Intersection", 0.9, higher_is_better=True, worst=0.0)
def intersection(d: Array, p: Array) -> Array:
    """Return the mean over rows of the shared mass ``Σ min(d, p)``. Higher is better; at most 1."""
    return np.minimum(d, p).sum(axis=1)


PAPER_MEASURES = dict(MEASURES)
"""The six measures of the paper, which are shown by default."""


@_measure("Manhattan", 0.2, worst=2.0)
def manhattan(d: Array, p: Array) -> Array:
    """Return the mean over rows of ``Σ |d - p|``. Lower is better; at most 2."""
    return np.abs(d - p).sum(axis=1)


@_measure("Euclidean", 0.1414, worst=math.sqrt(2))
def euclidean(d: Array, p: Array) -> Array:
    """Return the mean over rows of ``sqrt(Σ (d - p)²)``. Lower is better; at most √2."""
    squares = (d - p) ** 2
    return np.sqrt(squares.sum(axis=1))


@_measure("Jensen-Shannon", 0.0051, worst=math.log(2))
def jensen_shannon(d: Array, p: Array) -> Array:
    """Return the mean over rows of ``(KL(d, m) + KL(p, m)) / 2`` in nats. Lower is better.

    ``m = (d + p) / 2``.
    """
    total = d + p
    terms = divergence_terms(2 * d, total) + divergence_terms(2 * p, total)
    return np.maximum(terms.sum(axis=1) / 4, 0)  # rounding may give a negative sum


@_measure("Spearman", 0.0, higher_is_better=True, worst=-1.0)
def spearman(d: Array, p: Array) -> Array:
    """Return the mean over rows of Spearman's rank correlation. Higher is better.

    It is 0 for a row of equal degrees.
    """
    from scipy.stats import rankdata  # a slow import

    centre = (d.shape[1] + 1) / 2
    ranks_d = rankdata(d, axis=1) - centre
    ranks_p = rankdata(p, axis=1) - centre
    return _correlation(_products(ranks_d, ranks_p))


@_measure("Kendall", 0.0, higher_is_better=True, worst=-1.0)
def kendall(d: Array, p: Array) -> Array:
    """Return the mean over rows of Kendall's rank correlation τ-b. Higher is better.

    It is 0 for a row of equal degrees.
    """
    sums = np.zeros((3, len(d)))
    for j in range(d.shape[1] - 1):  # all pairs at once would take n_labels times the memory
        later = slice(j + 1, None)
        signs_d = np.sign(d[:, [j]] - d[:, later])
        signs_p = np.sign(p[:, [j]] - p[:, later])
        sums += _products(signs_d, signs_p)
    return _correlation(sums)


@_measure("Top label", 0.5, higher_is_better=True, worst=0.0)
def top_label(d: Array, p: Array) -> Array:
    """Return the mean over rows of the agreement of the largest labels. Higher is better.

    Ties share the credit: it is the number of labels that are largest in both, divided by the
    number of labels that are largest in at least one.
    """
    top_d = d == d.max(axis=1, keepdims=True)
    top_p = p == p.max(axis=1, keepdims=True)
    n_shared = (top_d & top_p).sum(axis=1)
    n_any = (top_d | top_p).sum(axis=1)
    return np.asarray(n_shared / n_any)


def wasserstein(
    D_true: ArrayLike,
    D_pred: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    normalize: bool = True,
) -> float:
    """Return the mean over rows of ``Σ |F - G| / (n_labels - 1)``. Lower is better; at most 1.

    F and G are the cumulative degrees, in the order of the columns.

    Parameters
    ----------
    D_true : array-like of shape (n_samples, n_labels)
        The true distributions.
    D_pred : array-like of shape (n_samples, n_labels)
        The predicted distributions. If both are data frames, they must have the same columns in the
        same order.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    normalize : bool, default=True
        Whether to divide by ``n_labels - 1``. If false, the unit is the distance of neighbouring
        labels, and the value is at most ``n_labels - 1``.

    Returns
    -------
    float
        The (weighted) mean over rows.

    See Also
    --------
    labeldist.metrics.score_all : Several measures at once.

    Examples
    --------
    >>> from labeldist.metrics import wasserstein
    >>> low, high = [[1, 0, 0]], [[0, 0, 1]]
    >>> wasserstein(low, high), wasserstein(low, high, normalize=False)
    (1.0, 2.0)
    """
    d, p = check_pair(D_true, D_pred, sample_weight)
    unit = 1 if normalize else _n_steps(d)
    return unit * _mean(_wasserstein_rows(d, p), sample_weight)


def _wasserstein_rows(d: Array, p: Array) -> Array:
    return np.abs(_cumulative_differences(d, p)).sum(axis=1) / _n_steps(d)


MEASURES["wasserstein"] = Measure(
    "wasserstein",
    "Wasserstein",
    wasserstein,
    _wasserstein_rows,
    higher_is_better=False,
    worst=lambda _: 1.0,
    needs_order=True,
)


@_measure("Ranked probability", 0.01, needs_order=True)
def ranked_probability(d: Array, p: Array) -> Array:
    """Return the mean over rows of ``Σ (F - G)² / (n_labels - 1)``. Lower is better; at most 1.

    This is the ranked probability score. F and G are the cumulative degrees, in the order of the
    columns.
    """
    return (_cumulative_differences(d, p) ** 2).sum(axis=1) / _n_steps(d)


def _cumulative_differences(d: Array, p: Array) -> Array:
    """Return F − G without the last column, which is zero up to rounding."""
    return np.cumsum(d - p, axis=1)[:, :-1]


def _n_steps(d: Array) -> int:
    """Return the number of steps from the first to the last label, at least 1."""
    return max(d.shape[1] - 1, 1)


def measure_named(name: str) -> Measure:
    """Return a measure by its name."""
    if name not in MEASURES:
        raise ValueError(f"Unknown measure {name!r}; choose from {', '.join(MEASURES)}.")
    return MEASURES[name]


def select_measures(measures: str | Iterable[str]) -> dict[str, Measure]:
    """Return the named measures; `measures` is a parameter of `score_all`."""
    ordered = {name: measure for name, measure in MEASURES.items() if measure.needs_order}
    choices = {"paper": PAPER_MEASURES, "ordered": ordered, "all": MEASURES}
    for name, measure in MEASURES.items():
        choices[name] = {name: measure}
    if isinstance(measures, str):
        measures = measures.split(",")
    chosen: dict[str, Measure] = {}
    for name in map(str.strip, measures):
        if name not in choices:
            raise ValueError(f"Unknown measure {name!r}; choose from {', '.join(choices)}.")
        chosen |= choices[name]
    return chosen


def score_all(
    D_true: ArrayLike,
    D_pred: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    measures: str | Iterable[str] = "paper",
) -> dict[str, float]:
    """Return measures by name, by default the six of the paper.

    Parameters
    ----------
    D_true : array-like of shape (n_samples, n_labels)
        The true distributions.
    D_pred : array-like of shape (n_samples, n_labels)
        The predicted distributions.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    measures : str or iterable of str, default="paper"
        Names in `MEASURES`, or groups: ``"paper"``, ``"all"`` and ``"ordered"``, the measures for
        labels that the columns give in order. A str may hold several names, separated by commas.

    Returns
    -------
    dict of str to float
        The (weighted) mean over rows of each measure.

    See Also
    --------
    get_scorer : A measure as a scikit-learn scorer.

    Examples
    --------
    >>> from labeldist.metrics import score_all
    >>> score_all([[0.6, 0.4]], [[0.5, 0.5]])["intersection"]
    0.9
    >>> list(score_all([[0.6, 0.4]], [[0.5, 0.5]], measures=["ordered", "top_label"]))
    ['wasserstein', 'ranked_probability', 'top_label']
    """
    chosen = select_measures(measures)
    d, p = check_pair(D_true, D_pred, sample_weight)
    return {name: _mean(measure.rows(d, p), sample_weight) for name, measure in chosen.items()}


def get_scorer(name: str) -> Any:
    """Return a measure as a scikit-learn scorer, for which higher is always better.

    Measures for which lower is better change their sign. True degrees are divided by their row
    sums. A ``ValueError`` is raised if labels have another order than in the estimator, or pandas
    rows another order than in `X`.

    Parameters
    ----------
    name : str
        A key of `MEASURES`.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``, for ``cross_val_score``, ``GridSearchCV`` and the like.

    See Also
    --------
    score_all : Several measures of a table of predictions.

    Examples
    --------
    >>> from labeldist.metrics import get_scorer
    >>> from labeldist import BDLDL
    >>> X, D = [[0.0], [1.0]], [[0.2, 0.8], [0.6, 0.4]]
    >>> round(get_scorer("cosine")(BDLDL().fit(X, D), X, D), 3)
    1.0
    """
    sign = measure_named(name).sign
    # A slow import that measures do not need
    from labeldist.metrics._scorer import MeasureScorer, mean_of_normalized

    return MeasureScorer(mean_of_normalized, sign, {"measure": name}, response_method="predict")
