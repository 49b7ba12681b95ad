"""VoteLE: label enhancement by the posterior of degrees given few votes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import betaincinv
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from labeldist._compat import HasMethods, StrOptions, _check_sample_weight, _num_samples
from labeldist._threads import one_thread
from labeldist._typing import Array
from labeldist._validation import (
    check_rows,
    column_names,
    interval_levels,
    label_table,
    validate_data,
)
from labeldist.enhancement._enhancer import LabelEnhancer, accepts_sparse
from labeldist.enhancement._vote_le.dirichlet_prior import DirichletPrior
from labeldist.enhancement._vote_le.left_out_votes import mixture_weights
from labeldist.enhancement._vote_le.logistic_normal_prior import LogisticNormalPrior
from labeldist.enhancement._vote_le.prior_means import (
    Votes,
    cross_fit,
    cross_fit_kernel_softmax,
    make_folds,
    with_floor,
)
from labeldist.enhancement._vote_le.uncertain_prior import UncertainPrior
from labeldist.exceptions import LabelWarning, warn
from labeldist.votes import VoteDistributions, from_votes

MEAN_STRENGTH = 1e6  # a prior with which the votes have no effect
MARGIN = 5e-4  # by which the score of learner="auto" may be below that of the overall shares
LEARNER = "learner_"  # first part of the names of the priors around learned means


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
        Folds of the cross-fit, which hold out each item once. An int is a number of shuffled folds.
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
    Without features, the cost grows with the number of distinct rows of counts.

    Few votes on few items hardly show how different the items are. So the variance of log d between
    items has a log-normal prior around the standard deviation of the logarithms of the overall
    shares. If no item has two votes, this prior alone determines the variance, and a `LabelWarning`
    is issued.

    Intervals and deviations contain the uncertainty of how different the items are, but not that
    of the other parameters of the priors.

    Examples
    --------
    >>> from labeldist import VoteLE
    >>> counts = [[2, 1, 0], [0, 3, 0], [1, 1, 1], [3, 0, 0], [0, 0, 0]]
    >>> enhancer = VoteLE().fit(None, counts)
    >>> enhancer.label_distributions_[1].round(1)
    array([0.3, 0.7, 0.1])
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
        if isinstance(y, VoteDistributions):
            _check_order(X, y.items)
        X = self._check_features(X)
        counts = self._check_counts(y)
        check_consistent_length(X, counts)
        weight = _check_sample_weight(
            sample_weight, counts, dtype=np.float64, ensure_non_negative=True
        )
        votes = Votes(counts, weight)
        totals = weight @ counts + 0.5
        self._overall = totals / totals.sum()
        with one_thread():
            learned = self._learn_means(X, votes)
            self._positions: Any = slice(None)
            if learned is None:
                votes, self._positions = _distinct(votes)
            self._fit_priors(votes, learned)
            self._store_posterior(votes, learned)
        return self

    def _check_counts(self, y: Any) -> Array:
        """Return the counts as float64, and set the names of the labels."""
        if not isinstance(y, VoteDistributions):
            y = from_votes(label_table(y), label_names=column_names(y), allow_empty=True)
        self.label_names_ = list(y.label_names)
        return y.counts

    def _check_features(self, X: Any, *, reset: bool = True) -> Any:
        """Return checked features; those for a given learner as they are."""
        if X is None:
            if self.learner is not None:
                raise ValueError("X is None, but the learner needs features of the items.")
            return None
        if self.learner not in (None, "auto"):
            return X
        accept_sparse = "csr" if self.learner is None else False
        return validate_data(self, X, reset=reset, accept_sparse=accept_sparse, dtype=np.float64)

    def _learn_means(self, X: Any, votes: Votes) -> Array | None:
        """Fit the learner, and return its predictions of left-out items; None without it."""
        self.learner_: Any = None
        if self.learner is None:
            return None
        folds = make_folds(self.cv, len(votes.counts), self.random_state)
        if self.learner != "auto":
            learned, self.learner_ = cross_fit(self.learner, X, votes, folds)
            return learned
        learned, learner = cross_fit_kernel_softmax(X, votes, folds, self.random_state)
        if votes.score(learned) < votes.score(self._overall) - MARGIN:
            return None
        self.learner_ = learner
        return learned

    def _fit_priors(self, votes: Votes, learned: Array | None) -> None:
        """Fit the priors around the overall shares, and around learned means."""
        voted = votes.counts.any(axis=1)
        counts = votes.counts[voted]
        weight = votes.weight[voted]
        self._priors: dict[str, Any] = {"mean": DirichletPrior(MEAN_STRENGTH)}
        if counts.shape[1] == 1:
            return
        if counts.sum(axis=1).max() == 1:
            warn(
                "No item has two votes, so the votes do not show how different the items are. "
                "How different they are is taken from the overall shares of the labels.",
                LabelWarning,
            )
        overall = np.broadcast_to(self._overall, votes.counts.shape)
        for prefix, means in (("", overall), (LEARNER, learned)):
            if means is None:
                continue
            means = means[voted]
            dirichlets = UncertainPrior.of(DirichletPrior.fit(counts, means, weight).shifted)
            variances = [prior.score_variance(means, weight) for prior in dirichlets]
            variance = variances[1]
            normal = LogisticNormalPrior.fit(counts, means, weight, variance)
            normals = [normal.scaled(other / variance) for other in variances]
            self._priors[f"{prefix}dirichlet"] = dirichlets
            self._priors[f"{prefix}logistic_normal"] = UncertainPrior(*normals)

    def _posteriors(self, counts: Array, learned: Array | None) -> Array:
        """Return a `Posterior` for each prior, (n_priors, 3, n, c)."""
        overall = np.broadcast_to(self._overall, counts.shape)
        posteriors = []
        for name, prior in self._priors.items():
            means = learned if name.startswith(LEARNER) else overall
            posteriors.append(prior.posterior(counts, means))
        return np.array(posteriors)

    def _store_posterior(self, votes: Votes, learned: Array | None) -> None:
        """Mix the posteriors of the priors, and set the attributes."""
        counts = votes.counts
        posteriors = self._posteriors(counts, learned)
        left_out = posteriors[:, 2]
        weights = mixture_weights(counts * votes.weight[:, None], left_out)
        mean, second, mixture = np.tensordot(weights, posteriors, axes=1)
        self.weights_ = dict(zip(self._priors, weights.tolist(), strict=True))

        uniform = np.full(counts.shape, 1 / counts.shape[1])
        one_vote_added = DirichletPrior(1.0).posterior(counts, uniform)
        predictions = {"counting": one_vote_added.left_out}
        if learned is not None:
            predictions["learner"] = learned
        predictions |= dict(zip(self._priors, left_out, strict=True))
        predictions["mixture"] = mixture
        self.vote_scores_ = {name: votes.score(table) for name, table in predictions.items()}
        deviation = np.sqrt(np.maximum(second - mean**2, 0))
        self._moments = mean, deviation
        self.label_distributions_ = mean[self._positions]
        self.label_std_ = deviation[self._positions]

    def interval(self, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return bounds that contain each degree of the training items with a given probability.

        The bounds are quantiles of the beta distribution with the mean and the deviation of the
        degree. The probability holds under the model.

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
        mean, deviation = self._moments
        total = mean * (1 - mean) / deviation**2 - 1
        lower, upper = (
            betaincinv(mean * total, (1 - mean) * total, level)[self._positions]
            for level in interval_levels(coverage, "coverage")
        )
        return lower, upper

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
        means = self._overall[None]
        if self.learner_ is not None:
            means = with_floor(np.asarray(self.learner_.predict(X), dtype=np.float64))
        with one_thread():
            posteriors = self._posteriors(np.zeros(means.shape), means)
        degrees = np.tensordot(list(self.weights_.values()), posteriors[:, 0], axes=1)
        return np.broadcast_to(degrees, (_num_samples(X), means.shape[1])).copy()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = accepts_sparse(self.learner)
        return tags


def _check_order(X: Any, items: list[Any]) -> None:
    """Raise an error if the index of `X` names the items in another order than the votes.

    Positions are not names.
    """
    names = list(X.index) if hasattr(X, "iloc") else items
    positions = list(range(len(items)))
    if positions not in (names, items) and names != items and set(names) == set(items):
        raise ValueError(
            "The index of X names the items in another order than the votes, but rows are paired "
            "by position. Pass X.loc[y.items]."
        )


def _distinct(votes: Votes) -> tuple[Votes, Any]:
    """Return the distinct rows of counts with summed weights, and the row of each item."""
    counts, positions = np.unique(votes.counts, axis=0, return_inverse=True)
    weight: Any = np.bincount(positions, votes.weight)
    return Votes(counts, weight), positions
