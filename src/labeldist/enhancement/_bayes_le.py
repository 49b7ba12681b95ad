"""BayesLE: label enhancement by a model of how degrees become tags."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal, Self

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from labeldist._compat import HasMethods, Interval, StrOptions, _check_sample_weight
from labeldist._solvers.tag_counts import likely_threshold
from labeldist._solvers.tag_model import TagModel, count_tags, fit_joint_model, fit_tag_model, informative_counts
from labeldist._solvers.tag_posterior import expected_degrees, posterior_moments, posterior_quantiles
from labeldist._solvers.tag_sampler import Rule, Tags
from labeldist._threads import one_thread
from labeldist._typing import Array
from labeldist._validation import check_rows, random_generator
from labeldist.enhancement._enhancer import NewRowsMixin
from labeldist.enhancement._score_regressors import CrossFittedScores, KernelScores
from labeldist.exceptions import (
    ImpossibleTagsWarning,
    NoisyTagsWarning,
    SingleTagWarning,
    SpreadWarning,
    ThresholdWarning,
    warn,
)

N_CHAINS, N_SWEEPS = 3_000, 80  # chains over all distinct rows, and draws per chain, for the posterior mean
INTERVAL_CHAINS, INTERVAL_SWEEPS = 20, 50  # draws per row for an interval, equivalent to at least 200 independent ones
NEW_ROW_DRAWS = 128
MIN_EXPLAINED = 0.4  # features are used for the training rows if they explain this share of the scores' variance
MAX_IMPOSSIBLE, MAX_NOISE = 0.02, 0.15


class BayesLE(NewRowsMixin):
    r"""Label enhancement by the posterior mean of degrees given tags.

    The scores of a row are z ~ N(μ, Σ), its degrees d = softmax(z), and its tags follow from the degrees by a rule, up
    to wrong tags. μ, Σ, the spread of the scores and the rate of wrong tags are estimated from the tags; the result is
    E[d | tags], which minimises the expected Kullback-Leibler divergence.

    Parameters
    ----------
    rule : {"half", "order"}, default="half"
        ``"half"``: labels are tagged in descending order of degree until their sum exceeds `threshold`, as in
        `labeldist.datasets.binarize`. ``"order"``: every tagged label has a larger degree than every other, and the
        number of tags carries no information.
    threshold : float, default=0.5
        Threshold of the rule ``"half"``, between 0 and 1.
    noise : float or "auto", default="auto"
        Probability that a tag is wrong, below 0.5; ``"auto"`` estimates it. The rule ``"order"`` has no noise.
    regressor : None, "kernel", "auto" or regressor, default=None
        Prediction of μ from the features. None uses no features. ``"kernel"`` is kernel ridge regression with
        leave-one-out predictions. A multi-output regressor of scikit-learn is cross-fitted. ``"auto"`` is ``"kernel"``,
        used for the training rows only if it explains at least 0.4 of the variance of the scores.
    spread_prior : (float, float), default=(0.3, 1.0)
        Median of the spread, and standard deviation of its logarithm. They matter if the tags do not determine the
        spread; see `spread_identified_`.
    random_state : int, RandomState or None, default=0
        Seed of the sampler. Another seed, or another order of the rows with a `regressor`, changes most degrees by much
        less than their `label_std_`, and a few by more than it.

    Attributes
    ----------
    label_distributions_, label_std_ : ndarray of shape (n_samples, n_labels)
        Posterior means and standard deviations of the degrees.
    label_names_ : list of str
    spread_ : float
        Standard deviation of the scores within a row. Near 0 all degrees are equal; at 1 a few labels dominate.
    spread_identified_ : bool
        Whether the tags determine the spread: not for two labels, equal numbers of tags, or the rule ``"order"``.
    mean_ : ndarray of shape (n_labels,)
        μ, or its average over the training rows if it depends on features.
    covariance_ : ndarray of shape (n_labels, n_labels)
        Σ; with features, the covariance around μ(x).
    rule_ : str
        The rule that was used; ``"order"`` if every row has exactly one tag.
    noise_ : float
        The probability that a tag is wrong, given or estimated.
    n_impossible_ : int
        Rows that the rule cannot produce. Without noise only the order of their labels is used.
    explained_ : float or None
        Share of the variance of the scores that the features explain, by predictions of left-out rows.

    See Also
    --------
    BDLE : Label enhancement by the bidirectional loss, from features and tags.
    labeldist.datasets.binarize : The rule "half".

    Notes
    -----
    The cost grows with the number of distinct rows of `y`, unless μ depends on features.

    Recovered degrees cannot be validated without ground truth. If the tags were made by another rule, they can be far
    off. Subclasses of `TagRuleWarning` point to that.

    Examples
    --------
    >>> from labeldist import BayesLE
    >>> from labeldist.datasets import binarize, make_artificial
    >>> X, D = make_artificial(500, random_state=0)
    >>> enhancer = BayesLE(regressor="kernel").fit(X, binarize(D))
    >>> enhancer.label_distributions_.shape
    (500, 3)
    >>> lower, upper = enhancer.interval(0.9)
    >>> enhancer.transform(X[:2]).shape
    (2, 3)
    """

    _constraints = {
        "rule": [StrOptions({"half", "order"})],
        "threshold": [Interval(Real, 0, 1, closed="neither")],
        "noise": [StrOptions({"auto"}), Interval(Real, 0, 0.5, closed="left")],
        "regressor": [None, StrOptions({"kernel", "auto"}), HasMethods(["fit", "predict"])],
        "spread_prior": [tuple, list],
    }

    def __init__(
        self,
        rule: Literal["half", "order"] = "half",
        threshold: float = 0.5,
        *,
        noise: float | Literal["auto"] = "auto",
        regressor: Any = None,
        spread_prior: tuple[float, float] = (0.3, 1.0),
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.rule = rule
        self.threshold = threshold
        self.noise = noise
        self.regressor = regressor
        self.spread_prior = spread_prior
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Recover the label distributions of the rows of `X` from their tags.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features. May have no columns if `regressor` is None.
        y : array-like or sparse matrix of shape (n_samples, n_labels)
            Tags: 1 for the labels that describe the row, 0 for the others.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row in the estimation.

        Returns
        -------
        self : BayesLE
            The fitted enhancer.
        """
        self._validate_params()
        if len(self.spread_prior) != 2 or not all(isinstance(s, Real) and float(s) > 0 for s in self.spread_prior):
            wanted = "two positive numbers, median and log-deviation"
            raise ValueError(f"spread_prior must be {wanted}; got {self.spread_prior!r}.")
        prior = float(self.spread_prior[0]), float(self.spread_prior[1])
        if self.rule == "order" and self.noise not in ("auto", 0):
            raise ValueError(f"noise must be 0 or 'auto' with rule='order'; got {self.noise}.")
        check_rows(X=X, y=y, sample_weight=sample_weight)
        X, L = self._check_features_and_labels(X, y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not weight.any():
            raise ValueError("sample_weight is zero for every row.")
        rows = L > 0
        n_tagged = rows.sum(axis=1)
        rule = self._choose_rule(rows[weight > 0])
        self._seed = int(random_generator(self.random_state).randint(2**31 - 1))
        self._tags, self._pattern = distinct_rows(rows)
        n_tags, c = self._tags.sum(axis=0), len(self._tags)
        possible = rule.is_possible(n_tags, c)
        order = np.lexsort((weight, self._pattern))  # so that the sums do not depend on the order of the rows
        counts = np.bincount(self._pattern[order], weight[order], minlength=len(n_tags)).astype(np.float64)
        self.rule_ = rule.name
        self.n_impossible_ = int(np.count_nonzero(~possible[self._pattern]))
        self.spread_identified_ = rule.name == "half" and c > 2 and len(set(n_tags[possible & (counts > 0)])) > 1
        self._model: TagModel | None = None
        self._scores: Any = None
        self.explained_: float | None = None
        if c == 1:
            self.label_distributions_, self.label_std_ = np.ones(L.shape), np.zeros(L.shape)
            self.spread_, self.noise_, self.mean_, self.covariance_ = 0.0, 0.0, np.zeros(1), np.zeros((1, 1))
            return self
        noise = 0.0 if rule.name == "order" else None if self.noise == "auto" else float(self.noise)
        with one_thread():  # more threads are slower and change the last digits
            free = fit_tag_model(self._tags, counts, rule, noise=noise, spread_prior=prior, random=self._random(0))
            if self.regressor is not None:
                self._fit_scores(X, rows, weight, free, prior)
            self._finish(free)
        informative = rows[(n_tagged > 0) & (weight > 0)]
        self._warn(count_tags(informative.T, np.ones(len(informative))), rule)
        return self

    def _choose_rule(self, rows: Any) -> Rule:
        if self.rule == "half" and rows.shape[1] > 2 and rows.any() and (rows.sum(axis=1) <= 1).all():
            meaning = "the tag is the largest degree, and spread_prior determines the spread of the degrees."
            warn(f"No row has more than one tag. rule='order' is used: {meaning}", SingleTagWarning)
            return Rule("order")
        return Rule(self.rule, self.threshold)

    def _random(self, stream: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, stream])

    def _fit_scores(self, X: Any, rows: Any, weight: Array, free: TagModel, prior: tuple[float, float]) -> None:
        """Fit the model in which the mean depends on features."""
        tags = np.ascontiguousarray(rows.T)
        weight = informative_counts(tags, weight, free.rule, free.noise)
        if not weight.any():
            raise ValueError("The regressor has no training rows: the rule cannot produce the tags of any row.")
        scores: Any
        if self.regressor in ("kernel", "auto"):
            scores = KernelScores(X, weight, self._seed)
        else:
            scores = CrossFittedScores(self.regressor, X, weight, self._seed)
        joint = fit_joint_model(tags, weight, free, scores, spread_prior=prior, random=self._random(1))
        scores.finish()
        self._scores, self._new_row_covariance, self.explained_ = scores, joint.covariance, scores.explained
        if self.regressor != "auto" or scores.explained >= MIN_EXPLAINED:
            self._model, self._tags, self._pattern = joint, tags, np.arange(len(rows))

    def _finish(self, free: TagModel) -> None:
        """Set the attributes that the model of the training rows determines."""
        model = self._model or free
        self._model = model
        self.spread_, self.noise_ = model.spread, model.noise
        self.mean_, self.covariance_ = model.mean.mean(axis=1), model.covariance
        chains_each = int(np.clip(N_CHAINS // self._tags.shape[1], 1, 100))
        degrees, deviations = posterior_moments(model, self._tags, N_SWEEPS, chains_each, self._random(2))
        self.label_distributions_, self.label_std_ = degrees.T[self._pattern], deviations.T[self._pattern]

    def _warn(self, histogram: Array, rule: Rule) -> None:
        """Warn about tags that do not fit the rule, and about a spread that the tags do not determine."""
        if rule.name == "order" or not histogram.any():
            return
        n, n_tags = histogram.sum(), np.arange(len(histogram))
        likely = likely_threshold(histogram, rule, self._random(5))
        allowed = len(self.label_names_) * rule.threshold + 1
        too_many = histogram[n_tags > allowed].sum()  # equality is a tie at the threshold
        if too_many > MAX_IMPOSSIBLE * n:
            most = n_tags[histogram.cumsum() >= (1 - MAX_IMPOSSIBLE) * n][0]
            fitting = max(likely or 0.0, (most - 0.5) / len(self.label_names_))
            allows = f"threshold={rule.threshold:g} allows with {len(self.label_names_)} labels"
            advice = f"Use threshold={fitting:.2g}, which would fit them, or rule='order'."
            warn(f"{too_many:g} of {n:g} rows have more tags than {allows}. {advice}", ImpossibleTagsWarning)
        elif likely is not None:
            better = f"clearly better than {rule.threshold:g}"
            warn(f"threshold={likely:g} explains the numbers of tags {better}.", ThresholdWarning)
        if not self.spread_identified_:
            cause = "since there are two labels or all rows have the same number of tags"
            advice = "Set spread_prior, which determines it."
            warn(f"The tags do not determine how concentrated the degrees are, {cause}. {advice}", SpreadWarning)
        if self.noise == "auto" and self.noise_ > MAX_NOISE:
            advice = "Check the threshold, or use rule='order'."
            warn(f"{self.noise_:.0%} of the tags seem to be wrong. {advice}", NoisyTagsWarning)

    def _predict(self, X: Any) -> Array:
        """Return E[softmax(z)] with z ~ N(μ(x), Σ)."""
        if len(self.label_names_) == 1:
            return np.ones((X.shape[0], 1))
        if self._scores is None:
            raise NotFittedError("This BayesLE was fitted without a regressor. Call fit again.")
        draws = self._random(3).standard_normal((len(self.label_names_), NEW_ROW_DRAWS))
        return np.ascontiguousarray(expected_degrees(self._scores.predict(X), self._new_row_covariance, draws).T)

    def interval(self, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return bounds that contain each degree of the training rows with probability `coverage` under the model.

        The bounds are quantiles of 1,000 new draws per distinct row.

        Parameters
        ----------
        coverage : float, default=0.9
            Between 0 and 1.

        Returns
        -------
        lower, upper : ndarray of shape (n_samples, n_labels)
            Bounds of the degrees.
        """
        check_is_fitted(self)
        if not 0 < coverage < 1:
            raise ValueError(f"coverage must be between 0 and 1; got {coverage}.")
        if self._model is None:
            return self.label_distributions_.copy(), self.label_distributions_.copy()
        levels = np.array([0.5 - coverage / 2, 0.5 + coverage / 2])
        with one_thread():
            effort = INTERVAL_SWEEPS, INTERVAL_CHAINS
            bounds = posterior_quantiles(self._model, self._tags, levels, *effort, self._random(4))
        return bounds[0].T[self._pattern], bounds[1].T[self._pattern]

    def _check_features_and_labels(self, X: Any, y: Any) -> tuple[Any, Array]:
        if self.regressor is None and getattr(X, "ndim", 0) == 2 and X.shape[1] == 0:
            X_, L = super()._check_features_and_labels(np.zeros((X.shape[0], 1)), y)
            self.n_features_in_ = 0
            return X_[:, :0], L
        return super()._check_features_and_labels(X, y)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        has_tags = hasattr(self.regressor, "__sklearn_tags__")
        tags.input_tags.sparse = self.regressor is None or (has_tags and get_tags(self.regressor).input_tags.sparse)
        return tags


# After the class statement, because scikit-learn's wrapper for `set_output` would hide the condition.
BayesLE.transform = available_if(lambda enhancer: enhancer.regressor is not None)(BayesLE.transform)  # type: ignore[method-assign]


def distinct_rows(rows: Any) -> tuple[Tags, Any]:
    """Return the distinct rows of tags as columns, (n_labels, n_distinct), and which of them each row is."""
    bits = np.packbits(rows, axis=1)
    keys = np.ascontiguousarray(np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))).view(np.uint64)
    keys = keys[:, 0] if keys.shape[1] == 1 else keys
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True, axis=0)
    return np.ascontiguousarray(rows[first].T), inverse.ravel()
