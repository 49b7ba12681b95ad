"""VoteLE: label enhancement by the posterior of degrees given few votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import _num_samples, check_is_fitted

from labeldist._compat import HasMethods, StrOptions, _check_sample_weight
from labeldist._solvers.row_blocks import row_blocks
from labeldist._threads import one_thread
from labeldist._typing import Array
from labeldist._validation import check_rows, label_names, label_table, validate_data
from labeldist.enhancement._enhancer import LabelEnhancer, accepts_sparse, interval_levels
from labeldist.enhancement.vote_le.dirichlet_prior import DirichletPrior
from labeldist.enhancement.vote_le.left_out_votes import mixture_weights, vote_score
from labeldist.enhancement.vote_le.logistic_normal_prior import N_DRAWS, LogisticNormalPrior
from labeldist.enhancement.vote_le.mean_of_items import (
    Votes,
    cross_fit,
    cross_fit_kernel_softmax,
    is_clearly_worse,
    make_folds,
    with_floor,
)
from labeldist.exceptions import LabelWarning, NotADistributionError, warn
from labeldist.simplex import check_distributions
from labeldist.votes import VoteDistributions

MEAN_STRENGTH = 1e6  # a prior with which the votes have no effect
SINGLE_VOTE_STRENGTH = 5.0  # of the Dirichlet prior, if no item has two votes


@dataclass(frozen=True)
class Part:
    """A prior of the mixture, and the means of the items in it, (n_rows, c) or (1, c)."""

    name: str
    prior: DirichletPrior | LogisticNormalPrior
    means: Array


class VoteLE(LabelEnhancer):
    r"""Label enhancement by the posterior mean of degrees given a few votes.

    The votes of an item are drawn from its distribution d, and d from a prior around a mean p. Two
    priors are fitted, Dirichlet and logistic-normal, each with the overall shares of the labels as
    p and, with a `learner`, also with the learner's predictions. The results of the priors are
    mixed with the weights that predict left-out votes best.

    Parameters
    ----------
    learner : None, "auto" or estimator, default=None
        Prediction of p from the features, cross-fitted, so that no item's own votes are used. None
        uses no features. ``"auto"`` is softmax regression on `KernelFeatures`, left out if it
        predicts votes clearly worse than the overall shares. Any learner with ``fit(X, D)`` and
        ``predict(X)`` can be given, also a pipeline on text; ``sample_weight`` is passed if it is
        accepted.
    cv : int, splitter or iterable, default=5
        Folds of the cross-fit. An int is a number of shuffled folds.
    random_state : int, RandomState or None, default=0
        Seed of the folds and of the kernel features.

    Attributes
    ----------
    label_distributions_, label_std_ : ndarray of shape (n_samples, n_labels)
        Posterior means and standard deviations of the degrees.
    label_names_ : list of str
        Names of the labels.
    weights_ : dict of str to float
        Weights of the priors in the mixture: ``"mean"`` (all items have the overall shares),
        ``"dirichlet"``, ``"logistic_normal"``, and with a learner ``"learner_dirichlet"`` and
        ``"learner_logistic_normal"``.
    vote_scores_ : dict of str to float
        Mean log probability of a vote that is predicted from the other votes of its item: by
        ``"counting"`` them with one vote added, shared equally by the labels, by the overall shares
        (``"mean"``), by the ``"learner"`` alone, by each prior, and by the ``"mixture"``.
    learner_ : object or None
        The learner, fitted to all items; None if no features are used.

    See Also
    --------
    labeldist.votes.from_votes : Shares of votes, from tables of several shapes.
    BayesLE : Label enhancement from tags.

    Notes
    -----
    Without features, the cost grows with the number of distinct rows of counts. If no item has two
    votes, the votes do not show how different the items are: a `LabelWarning` is issued, and the
    Dirichlet prior has a strength of five votes.

    Intervals and deviations do not contain the uncertainty of the fitted priors.

    Examples
    --------
    >>> from labeldist import VoteLE
    >>> counts = [[2, 1, 0], [0, 3, 0], [1, 1, 1], [3, 0, 0], [0, 0, 0]]
    >>> enhancer = VoteLE().fit(None, counts)
    >>> enhancer.label_distributions_[1].round(1)
    array([0.4, 0.5, 0.1])
    >>> lower, upper = enhancer.interval(0.9)
    """

    _constraints = {"learner": [None, StrOptions({"auto"}), HasMethods(["fit", "predict"])]}

    def __init__(
        self,
        learner: Any = None,
        *,
        cv: Any = 5,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.learner = learner
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Recover the label distributions of items from their votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None
            Features. May be None if `learner` is None. A learner that is an estimator gets them as
            they are.
        y : array-like of shape (n_samples, n_labels) or VoteDistributions
            Counts of votes. Items without votes get the mean of the prior.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each item in the estimation.

        Returns
        -------
        self : VoteLE
            The fitted enhancer.
        """
        self._validate_params()
        if y is None:
            raise ValueError("VoteLE requires y to be passed, but the target y is None.")
        check_rows(X=X, y=y, sample_weight=sample_weight)
        X = self._check_features(X)
        counts = self._check_counts(y)
        check_consistent_length(X, counts)
        weight = _check_sample_weight(
            sample_weight, counts, dtype=np.float64, ensure_non_negative=True
        )
        votes = Votes(counts, weight)
        if not votes.n_votes.any():
            raise ValueError("There are no votes: all counts of items with positive weight are 0.")
        with one_thread():
            overall = votes.overall_shares()
            learned = self._learn_means(X, votes, overall)
            if learned is None:
                votes, self._positions = _distinct(votes)
            else:
                self._positions = np.arange(len(counts))
            parts = _fit_parts(votes, overall, learned)
            self._store_posterior(parts, votes, learned)
        return self

    def _check_counts(self, y: Any) -> Array:
        """Return the counts as float64, and set the names of the labels."""
        if isinstance(y, VoteDistributions):
            self.label_names_ = list(y.label_names)
            return y.counts
        counts = check_distributions(label_table(y), name="y (counts of votes)", tol=np.inf)
        counts = counts.copy()  # later changes of `y` have no effect
        self.label_names_ = label_names(y, counts.shape[1])
        fractions = np.argwhere(counts != np.rint(counts))
        if fractions.size:
            row, column = fractions[0]
            raise NotADistributionError(
                "y must hold counts of votes, which are whole numbers; got "
                f"{counts[row, column]:g} in row {row}, column {column}. "
                "labeldist.votes.from_votes counts votes."
            )
        return counts

    def _check_features(self, X: Any, *, reset: bool = True) -> Any:
        """Return checked features; those for a given learner as they are."""
        if X is None and self.learner is None:
            return None
        if self.learner is not None and not isinstance(self.learner, str):
            return X
        accept_sparse = "csr" if self.learner is None else False
        return validate_data(self, X, reset=reset, accept_sparse=accept_sparse, dtype=np.float64)

    def _learn_means(self, X: Any, votes: Votes, overall: Array) -> Array | None:
        """Fit the learner, and return its predictions of left-out items; None without it."""
        self.learner_: Any = None
        if self.learner is None:
            return None
        folds = make_folds(self.cv, len(votes.counts), self.random_state)
        if self.learner != "auto":
            learned, self.learner_ = cross_fit(self.learner, X, votes, folds)
            return learned
        learned, learner = cross_fit_kernel_softmax(X, votes, folds, self.random_state)
        if is_clearly_worse(votes, learned, overall):
            return None
        self.learner_ = learner
        return learned

    def _store_posterior(self, parts: list[Part], votes: Votes, learned: Array | None) -> None:
        """Mix the posteriors of the parts, and set the attributes."""
        counts = votes.counts
        weighted = counts * votes.weight[:, None]
        posteriors = np.array([part.prior.posterior(counts, part.means) for part in parts])
        left_out = posteriors[:, 2]
        weights = mixture_weights(weighted, left_out)
        mean, second, mixture = np.tensordot(weights, posteriors, axes=1)
        names = [part.name for part in parts]
        self.weights_ = dict(zip(names, weights.tolist(), strict=True))

        predictions = {"counting": _count_others(counts)}
        if learned is not None:
            predictions["learner"] = learned
        predictions |= dict(zip(names, left_out, strict=True))
        predictions["mixture"] = mixture
        self.vote_scores_ = {
            name: vote_score(weighted, prediction) for name, prediction in predictions.items()
        }
        deviation = np.sqrt(np.maximum(second - mean**2, 0))
        self.label_distributions_ = mean[self._positions]
        self.label_std_ = deviation[self._positions]
        self._parts = parts
        self._counts = counts

    def interval(self, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return bounds that contain each degree of the training items with a given probability.

        The bounds are quantiles of draws from the mixture. The probability holds under the model.

        Parameters
        ----------
        coverage : float, default=0.9
            The probability, between 0 and 1.

        Returns
        -------
        lower, upper : ndarray of shape (n_samples, n_labels)
            Bounds of the degrees.
        """
        check_is_fitted(self)
        levels = interval_levels(coverage)
        n, c = self._counts.shape
        random = np.random.default_rng(0)
        bounds = np.empty((2, n, c))
        for rows in row_blocks(n, len(self._parts) * N_DRAWS * c):
            draws, weights = self._draw(rows, random)
            bounds[:, rows] = _weighted_quantiles(draws, weights, levels)
        lower, upper = bounds[:, self._positions]
        return lower, upper

    def _draw(self, rows: slice, random: np.random.Generator) -> tuple[Array, Array]:
        """Return draws from the mixture for some rows, and their weights."""
        draws = []
        weights = []
        for part in self._parts:
            means = part.means if len(part.means) == 1 else part.means[rows]
            of_part, weights_of_part = part.prior.draw(self._counts[rows], means, N_DRAWS, random)
            draws.append(of_part)
            weights.append(self.weights_[part.name] * weights_of_part)
        return np.concatenate(draws), np.concatenate(weights)

    def transform(self, X: Any) -> Array:
        """Predict the label distributions of new items, which need no votes.

        Without a learner, all items get the mean of the prior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features of the new items.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Label distributions.
        """
        check_is_fitted(self)
        X = self._check_features(X, reset=False)
        n = _num_samples(X)
        learned: Any = None
        if self.learner_ is not None:
            learned = with_floor(np.asarray(self.learner_.predict(X), dtype=np.float64))
        degrees = np.zeros((n, len(self.label_names_)))
        with one_thread():
            for part in self._parts:
                means = part.means if len(part.means) == 1 else learned
                degrees = degrees + self.weights_[part.name] * part.prior.expected(means)
        return degrees

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = accepts_sparse(self.learner)
        return tags


def _fit_parts(votes: Votes, overall: Array, learned: Array | None) -> list[Part]:
    """Fit the priors around the overall shares, and around learned means."""
    counts = votes.counts
    weight = votes.weight * counts.any(axis=1)
    has_pairs = bool((weight > 0) @ (counts.sum(axis=1) > 1))
    if not has_pairs and counts.shape[1] > 1:
        warn(
            "No item has two votes, so the votes do not show how different the items are. The "
            f"prior counts as {SINGLE_VOTE_STRENGTH:g} votes.",
            LabelWarning,
        )
    parts = [Part("mean", DirichletPrior(MEAN_STRENGTH), overall)]
    for prefix, means in (("", overall), ("learner_", learned)):
        if means is None:
            continue
        if has_pairs:
            dirichlet = DirichletPrior.fit(counts, means, weight)
        else:
            dirichlet = DirichletPrior(SINGLE_VOTE_STRENGTH)
        parts.append(Part(f"{prefix}dirichlet", dirichlet, means))
        if has_pairs and counts.shape[1] > 1:
            normal = LogisticNormalPrior.fit(counts, means, weight)
            parts.append(Part(f"{prefix}logistic_normal", normal, means))
    return parts


def _distinct(votes: Votes) -> tuple[Votes, Any]:
    """Return the distinct rows of counts with summed weights, and the row of each item."""
    counts, positions = np.unique(votes.counts, axis=0, return_inverse=True)
    weight: Any = np.bincount(positions, votes.weight)
    return Votes(counts, weight), positions


def _count_others(counts: Array) -> Array:
    """Return the shares of the other votes with one vote added, shared equally by the labels."""
    others = np.maximum(counts - 1, 0) + 1 / counts.shape[1]
    n_others = np.maximum(counts.sum(axis=1, keepdims=True) - 1, 0)
    return others / (n_others + 1)


def _weighted_quantiles(draws: Array, weights: Array, levels: Array) -> Array:
    """Return quantiles, (n_levels, n, c), of draws, (n_draws, n, c), with weights (n_draws, n)."""
    order = np.argsort(draws, axis=0)
    cumulated = np.cumsum(np.take_along_axis(weights[:, :, None], order, axis=0), axis=0)
    places = np.array([(cumulated < level).sum(axis=0) for level in levels])
    places = np.minimum(places, len(draws) - 1)
    ranked = np.take_along_axis(draws, order, axis=0)
    return np.take_along_axis(ranked, places, axis=0)
