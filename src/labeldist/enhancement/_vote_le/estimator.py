"""VoteLE: label enhancement by the posterior of degrees given few votes."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

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
    random_generator,
    validate_data,
)
from labeldist.enhancement._enhancer import LabelEnhancer, accepts_sparse
from labeldist.enhancement._vote_le.dirichlet_prior import DirichletPrior
from labeldist.enhancement._vote_le.posteriors import Posterior, mix, mixture_weights
from labeldist.enhancement._vote_le.prior_means import (
    Votes,
    cross_fit,
    cross_fit_kernel_softmax,
    make_folds,
    predict,
    sample_mask,
)
from labeldist.enhancement._vote_le.priors import (
    MAX_LABELS,
    WEIGHT_OF_FLAT,
    Fold,
    Priors,
    cross_fit_priors,
    left_out_posteriors,
)
from labeldist.exceptions import LabelWarning, warn
from labeldist.votes import VoteDistributions, from_votes
from labeldist.votes._item_population import distinct_rows

MARGIN = 5e-4  # by which the score of learner="auto" may be below that of the overall shares
MAX_ITEMS = 5000  # for the priors and their weights, which hardly change with more
MANY_VOTES = 20  # per item, on average; with these, counting is one of the priors
JACKKNIFE_ITEMS = 1000  # With more, the uncertainty of the priors hardly matters.
REPEATED_ITEMS = 1000  # Up to this number, the cross-fit of learner="auto" is repeated.
N_REPEATS = 3
SMALLEST = 1e-12  # variance, and parameter of a beta distribution


class Mixture(NamedTuple):
    """Priors and their weights."""

    priors: Priors
    weights: Array

    def posterior(self, counts: Array, learned: Array | None) -> Posterior:
        """Return the posterior of degrees under the mixture."""
        return mix(self.priors.posteriors(counts, learned), self.weights)


class VoteLE(LabelEnhancer):
    r"""Label enhancement by the posterior mean of degrees given a few votes.

    The votes of an item are drawn from its distribution d, and d from a prior around a mean p. Two
    priors are fitted, Dirichlet and logistic-normal, each with the overall shares of the labels as
    p and, with a `learner`, also with the learner's predictions. Their mixture predicts left-out
    votes best, with priors that are fitted to other items. The weight of a prior for an item is its
    weight in the mixture times the probability of the item's votes.

    Parameters
    ----------
    learner : None, "auto" or estimator, default=None
        Prediction of p from the features, cross-fitted, so that no item's own votes are used. None
        uses no features. ``"auto"`` is softmax regression on `KernelFeatures`, left out if it
        predicts votes clearly worse than the overall shares. Any learner with ``fit(X, D)`` and
        ``predict(X)`` can be given, also a pipeline on text; ``sample_weight`` is passed if it is
        accepted.
    cv : int, splitter or iterable, default=5
        Folds of the cross-fit of the learner, which hold out each item once. An int is a number of
        shuffled folds.
    random_state : int, RandomState or None, default=0
        Seed of the folds, of the sample of a large table, and of the kernel features.

    Attributes
    ----------
    label_distributions_, label_std_ : ndarray of shape (n_samples, n_labels)
        Posterior means and standard deviations of the degrees.
    label_names_ : list of str
        Names of the labels.
    weights_ : dict of str to float
        Weights of the priors in the mixture, before the votes of an item are known: ``"flat"`` (all
        distributions are equally likely; always 0.01), ``"mean"`` (all items have the overall
        shares), ``"dirichlet"``, ``"logistic_normal"`` (up to 50 labels), with a learner
        ``"learner_dirichlet"`` and ``"learner_logistic_normal"``, and ``"counting"`` if the items
        have 20 votes or more on average.
    vote_scores_ : dict of str to float
        Mean log probability of a vote that is predicted from the other votes of its item, with
        priors that are fitted to other items: by ``"counting"`` them with one vote added, shared
        equally by the labels, by the ``"learner"`` alone, by each prior, and by the ``"mixture"``.
    learner_ : object or None
        The learner, fitted to all items; None if no features are used.

    See Also
    --------
    labeldist.votes.from_votes : Shares of votes, from tables of several shapes.
    BayesLE : Label enhancement from tags.

    Notes
    -----
    Without features, the cost grows with the number of distinct rows of counts. In tables of more
    than 5,000 items with votes, priors, weights and scores come from a random sample of 5,000.

    Few votes on few items hardly show how different the items are. So the variance of log d between
    items has a log-normal prior around the standard deviation of the logarithms of the overall
    shares, as in ``from_votes(smoothing="auto")``. If no item has two votes, this prior alone
    determines the variance, and a `LabelWarning` is issued.

    Intervals and deviations contain the uncertainty of how different the items are. With 2 to 1,000
    items they also contain the uncertainty of the other parameters of the priors and of the
    weights, by a jackknife over folds of items. With few items and many labels they can still be
    too narrow.

    The folds of the learner depend on the seed and on the order of the rows. With up to 1,000 items
    those of ``learner="auto"`` are drawn three times. The mean over several seeds is closer to the
    truth by a few percent.

    Examples
    --------
    >>> from labeldist import VoteLE
    >>> counts = [[2, 1, 0], [0, 3, 0], [1, 1, 1], [3, 0, 0], [0, 0, 0]]
    >>> enhancer = VoteLE().fit(None, counts)
    >>> enhancer.label_distributions_[1].round(1)
    array([0.3, 0.6, 0.1])
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
        _check_row_numbers(X, y)
        X = self._check_features(X)
        counts = self._check_counts(y)
        check_consistent_length(X, counts)
        weight = _check_sample_weight(
            sample_weight, counts, dtype=np.float64, ensure_non_negative=True
        )
        votes = Votes(counts, weight)
        if not votes.n_votes.any():
            raise ValueError("All items with votes have the weight 0.")
        with one_thread():
            learned = self._learn_means(X, votes)
            self._fit_priors(votes, learned)
            self._store_posterior(counts, learned)
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
        random = random_generator(self.random_state)
        folds = make_folds(self.cv, votes, random)
        if self.learner != "auto":
            labels = self.label_names_
            learned, self.learner_ = cross_fit(self.learner, X, votes, folds, labels)
            return learned
        foldings = [folds]
        if isinstance(self.cv, int) and len(votes.counts) <= REPEATED_ITEMS:
            foldings += [make_folds(self.cv, votes, random) for _ in range(N_REPEATS - 1)]
        learned, learner = cross_fit_kernel_softmax(X, votes, foldings, random)
        totals = votes.weight @ votes.counts + 0.5
        if votes.score(learned) < votes.score(totals / totals.sum()) - MARGIN:
            return None
        self.learner_ = learner
        return learned

    def _fit_priors(self, votes: Votes, learned: Array | None) -> None:
        """Fit the priors, and their weights and scores with priors that are fitted to others."""
        if votes.counts.shape[1] > 1 and votes.counts.sum(axis=1).max() == 1:
            warn(
                "No item has two votes, so the votes do not show how different the items are. "
                "How different they are is taken from a weak prior.",
                LabelWarning,
            )
        if votes.counts.shape[1] > MAX_LABELS:
            warn(
                f"With more than {MAX_LABELS} labels the logistic-normal prior is left out.",
                LabelWarning,
            )
        random = random_generator(self.random_state)
        sample = np.flatnonzero(sample_mask(votes, MAX_ITEMS, random))
        votes = votes.at(sample)
        if learned is not None:
            learned = learned[sample]
        many = votes.n_votes.sum() >= MANY_VOTES * votes.weight.sum()
        priors = Priors.fit(votes, learned, many=many)
        folds = cross_fit_priors(votes, learned, random, many=many)
        posteriors = left_out_posteriors(folds, votes.counts, learned)
        names = list(priors.by_name)
        weights = mixture_weights(votes.counts, votes.weight, posteriors, WEIGHT_OF_FLAT)
        self.weights_ = dict(zip(names, weights.tolist(), strict=True))
        self._mixture = Mixture(priors, weights)
        self._without_folds = []
        if 1 < len(votes.counts) <= JACKKNIFE_ITEMS:
            self._without_folds = [_without(fold, votes, posteriors) for fold in folds]
        predictions = {"counting": _one_vote_added(votes.counts)}
        if learned is not None:
            predictions["learner"] = learned
        predictions |= {name: p.left_out for name, p in zip(names, posteriors, strict=True)}
        predictions["mixture"] = mix(posteriors, weights).left_out
        self.vote_scores_ = {name: votes.score(table) for name, table in predictions.items()}

    def _store_posterior(self, counts: Array, learned: Array | None) -> None:
        """Set the attributes of the training items."""
        self._positions: Any = slice(None)
        if learned is None:
            counts, self._positions = distinct_rows(counts)
        posterior = self._mixture.posterior(counts, learned)
        variance = np.maximum(posterior.second - posterior.mean**2, 0)
        # The delete-a-group jackknife adds the uncertainty of the priors and their weights.
        others = [mixture.posterior(counts, learned).mean for mixture in self._without_folds]
        if others:
            variance += (len(others) - 1) * np.var(others, axis=0)
        deviation = np.sqrt(np.minimum(variance, posterior.mean * (1 - posterior.mean)))
        self._moments = posterior.mean, deviation
        self.label_distributions_ = posterior.mean[self._positions]
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
        levels = interval_levels(coverage, "coverage")
        mean, deviation = self._moments
        largest = mean * (1 - mean)  # of the variance; it is 0 for one label
        total = largest / np.maximum(deviation**2, SMALLEST) - 1
        a = np.maximum(mean * total, SMALLEST)
        b = np.maximum((1 - mean) * total, SMALLEST)
        lower, upper = (betaincinv(a, b, level) for level in levels)
        # A skewed distribution can have its mean outside of the quantiles.
        lower = np.where(largest > 0, np.minimum(lower, mean), mean)
        upper = np.maximum(upper, mean)
        return lower[self._positions], upper[self._positions]

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
        if self.learner_ is None:
            counts = np.zeros((1, len(self.label_names_)))
            return np.repeat(self._mixture.posterior(counts, None).mean, n, axis=0)
        learned = predict(self.learner_, X, self.label_names_)
        with one_thread():
            return self._mixture.posterior(np.zeros(learned.shape), learned).mean

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = accepts_sparse(self.learner)
        return tags


def _without(fold: Fold, votes: Votes, posteriors: list[Posterior]) -> Mixture:
    """Return the priors that are fitted without a fold, and their weights for the other items."""
    others = np.delete(np.arange(len(votes.counts)), fold.test)
    known = votes.at(others)
    of_others = [posterior.at(others) for posterior in posteriors]
    weights = mixture_weights(known.counts, known.weight, of_others, WEIGHT_OF_FLAT)
    return Mixture(fold.priors, weights)


def _one_vote_added(counts: Array) -> Array:
    """Return the probabilities of left-out votes by counting, with one vote for all labels."""
    uniform = np.full(counts.shape, 1 / counts.shape[1])
    return DirichletPrior(1.0).posterior(counts, uniform).left_out


def _check_row_numbers(X: Any, y: Any) -> None:
    """Raise an error if the items of votes are row numbers in another order than the rows."""
    if X is None or hasattr(X, "iloc") or not isinstance(y, VoteDistributions):
        return
    numbers = list(range(len(y.items)))
    if y.items != numbers and sorted(map(str, y.items)) == sorted(map(str, numbers)):
        raise ValueError(
            "The items of y are the numbers of the rows in another order, but rows are paired by "
            "position. Pass X[y.items], or y.counts if the rows of X are in the order of y.items."
        )
