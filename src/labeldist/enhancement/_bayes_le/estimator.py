"""BayesLE: label enhancement by a model of how degrees become tags."""

from __future__ import annotations

from enum import IntEnum
from numbers import Real
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from labeldist._compat import HasMethods, Interval, StrOptions, _check_sample_weight
from labeldist._progress import show_nothing
from labeldist._text import listed
from labeldist._threads import one_thread
from labeldist._typing import Array, Callback
from labeldist._validation import check_rows, interval_levels, random_generator
from labeldist.enhancement._bayes_le.logistic_normal import expected_degrees
from labeldist.enhancement._bayes_le.posterior import posterior_moments, posterior_quantiles
from labeldist.enhancement._bayes_le.score_regressors import CrossFittedScores, KernelScores
from labeldist.enhancement._bayes_le.tag_counts import likely_threshold
from labeldist.enhancement._bayes_le.tag_model import (
    TagModel,
    count_tags,
    fit_joint_model,
    fit_tag_model,
    informative_counts,
)
from labeldist.enhancement._bayes_le.tag_rule import Rule, Tags, distinct_rows
from labeldist.enhancement._enhancer import LabelEnhancer, NewRowsMixin, accepts_sparse
from labeldist.exceptions import LabelWarning, warn

N_CHAINS = 3_000  # over all distinct rows, for the posterior mean
N_SWEEPS = 80  # draws per chain
# Draws per row for an interval, equivalent to at least 200 independent ones.
INTERVAL_CHAINS = 20
INTERVAL_SWEEPS = 50
NEW_ROW_DRAWS = 128
# Features are used for the training rows if they explain this share of the scores' variance.
MIN_EXPLAINED = 0.4
# Larger shares of impossible rows and of wrong tags cause a warning.
MAX_IMPOSSIBLE = 0.02
MAX_NOISE = 0.15
# Tags in a smaller share of the rows, or missing in a smaller share, cause a warning.
MIN_FREQUENCY = 0.01


class Stream(IntEnum):
    """Independent streams of random numbers, one per purpose."""

    MODEL = 0
    JOINT_MODEL = 1
    POSTERIOR = 2
    NEW_ROWS = 3
    INTERVAL = 4
    THRESHOLD = 5


class BayesLE(NewRowsMixin, LabelEnhancer):
    r"""Label enhancement by the posterior mean of degrees given tags.

    The scores of a row are z ~ N(μ, Σ), its degrees d = softmax(z), and its tags follow from the
    degrees by a rule, up to wrong tags. μ, Σ, the spread of the scores and the rate of wrong tags
    are estimated from the tags; the result is E[d | tags], which minimises the expected
    Kullback-Leibler divergence.

    Parameters
    ----------
    rule : {"half", "order"}, default="half"
        ``"half"``: labels are tagged in descending order of degree until their sum exceeds
        `threshold`; `labeldist.datasets.binarize` applies this rule. ``"order"``: every tagged
        label has a larger degree than every other, and the number of tags carries no information.
    threshold : float, default=0.5
        Threshold of the rule ``"half"``, between 0 and 1.
    noise : float or "auto", default="auto"
        Probability that a tag is wrong, below 0.5; ``"auto"`` estimates it. The rule ``"order"``
        has no noise.
    regressor : None, "kernel", "auto" or regressor, default=None
        Prediction of μ from the features. None uses no features. ``"kernel"`` is kernel ridge
        regression with leave-one-out predictions. A multi-output regressor of scikit-learn is
        cross-fitted. ``"auto"`` is ``"kernel"``, used for the training rows only if it explains at
        least 0.4 of the variance of the scores.
    spread_prior : (float, float), default=(0.3, 1.0)
        Median of the spread, see `spread_`, and standard deviation of its logarithm. They matter
        if the tags do not determine the spread; see `spread_identified_`.
    random_state : int, RandomState or None, default=0
        Seed of the sampler. Another seed, or another order of the rows with a `regressor`, changes
        most degrees by far less than `label_std_`.

    Attributes
    ----------
    label_distributions_, label_std_ : ndarray of shape (n_samples, n_labels)
        Posterior means and standard deviations of the degrees.
    label_names_ : list of str
        Names of the labels.
    spread_ : float
        Standard deviation of the scores around `mean_`, without their common level in a row. Near
        0 all rows have the same degrees; at 1 a few labels dominate in each row.
    spread_identified_ : bool
        Whether the tags determine the spread: not for two labels, equal numbers of tags, or the
        rule ``"order"``. Also False if a label has tags in less than 1 % or more than 99 % of the
        rows, because the spread then rests on few rows.
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
        Share of the variance of the scores that the features explain, by predictions of left-out
        rows.

    See Also
    --------
    BDLE : Label enhancement by the bidirectional loss, from features and tags.
    labeldist.datasets.binarize : The rule "half".

    Notes
    -----
    The cost grows with the number of distinct rows of `y`, unless μ depends on features.

    A row without tags counts as not annotated, also if tags can be wrong. It is not used in the
    estimation, and its degrees are E[d] without tags.

    Recovered degrees cannot be validated without ground truth. If the tags were made by another
    rule, the degrees can be far off. In some of these cases a `LabelWarning` is issued.

    Examples
    --------
    >>> from labeldist import BayesLE
    >>> from labeldist.datasets import binarize, make_artificial
    >>> X, D = make_artificial(500, random_state=0)
    >>> enhancer = BayesLE(regressor="kernel").fit(X, binarize(D))
    >>> enhancer.label_distributions_[0].round(1)
    array([0.3, 0.3, 0.4])
    >>> lower, upper = enhancer.interval(0.9)
    >>> enhancer.transform(X[:1]).round(1)
    array([[0.3, 0.3, 0.4]])
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

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, callback: Callback = show_nothing
    ) -> Self:
        """Recover the label distributions of the rows of `X` from their tags.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features. May have no columns if `regressor` is None.
        y : array-like or sparse matrix of shape (n_samples, n_labels)
            Tags: 1 for the labels that describe the row, 0 for the others.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row in the estimation.
        callback : callable, optional
            Called as ``callback(done, total, name)`` with the finished and all steps of a stage and
            its name.

        Returns
        -------
        self : BayesLE
            The fitted enhancer.
        """
        self._validate_params()
        if self.rule == "order" and self.noise not in ("auto", 0):
            raise ValueError(f"noise must be 0 or 'auto' with rule='order'; got {self.noise}.")
        check_rows(X=X, y=y, sample_weight=sample_weight)
        X, L = self._check_features_and_labels(X, y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        rows = L > 0
        rule = self._choose_rule(rows[weight > 0])
        self._seed = int(random_generator(self.random_state).randint(2**31 - 1))
        tags, pattern = distinct_rows(rows)
        # In this order the sums do not depend on the order of the rows.
        order = np.lexsort((weight, pattern))
        counts: Any = np.bincount(pattern[order], weight[order])
        n_tags = tags.sum(axis=0)
        n_labels = len(tags)
        possible = rule.is_possible(n_tags, n_labels)
        varies = len(set(n_tags[possible & (counts > 0)])) > 1
        is_informative = varies and rule.name == "half" and n_labels > 2
        rare = _has_rare_value(tags, counts * (n_tags > 0))
        self.rule_ = rule.name
        self.n_impossible_ = int(np.count_nonzero(~possible[pattern]))
        self.spread_identified_ = is_informative and not rare.any()
        self.explained_: float | None = None
        self._has_predictor = self.regressor is not None
        if n_labels == 1:
            zero = np.zeros((1, 1))
            self._store_posterior(TagModel(zero, zero, 0.0, 0.0, rule), tags, pattern, callback)
            return self
        with one_thread():  # more threads are slower and change the last digits
            model = self._fit_model(tags, counts, rule, callback)
            if self.regressor is not None:
                tags_of_rows = np.ascontiguousarray(rows.T)
                joint, explained = self._fit_joint_model(X, tags_of_rows, weight, model, callback)
                self.explained_ = explained
                if self.regressor != "auto" or explained >= MIN_EXPLAINED:
                    model = joint
                    tags = tags_of_rows
                    pattern = np.arange(len(rows))
            self._store_posterior(model, tags, pattern, callback)
        histogram = count_tags(rows.T, weight > 0)
        histogram[0] = 0
        if rule.name == "half" and histogram.any():
            self._warn(histogram, rule)
            if is_informative and rare.any():
                self._warn_about_rare_values(rare)
            elif not is_informative:
                self._warn_about_prior()
        return self

    def _choose_rule(self, rows: Any) -> Rule:
        is_single = rows.any() and rows.sum(axis=1).max() == 1
        if self.rule == "half" and rows.shape[1] > 2 and is_single:
            message = (
                "No row has more than one tag. rule='order' is used: the tag is the largest "
                "degree, and spread_prior determines the spread of the degrees."
            )
            warn(LabelWarning(message, "single"))
            return Rule("order")
        return Rule(self.rule, self.threshold)

    def _random(self, stream: Stream) -> np.random.Generator:
        return np.random.default_rng([self._seed, stream])

    def _fit_model(self, tags: Any, counts: Array, rule: Rule, callback: Callback) -> TagModel:
        """Fit the model without features to distinct rows of tags and their counts."""
        noise = None if self.noise == "auto" else float(self.noise)
        if rule.name == "order":
            noise = 0.0
        prior = self._spread_prior()
        random = self._random(Stream.MODEL)
        return fit_tag_model(tags, counts, rule, noise, prior, random, callback)

    def _fit_joint_model(
        self, X: Any, tags: Any, weight: Array, start: TagModel, callback: Callback
    ) -> tuple[TagModel, float]:
        """Fit the model in which μ depends on the features, and keep what new rows need.

        Return it and the share of the variance that the features explain.
        """
        weight = informative_counts(tags, weight, start.rule, start.noise)
        scores: Any
        if self.regressor in ("kernel", "auto"):
            scores = KernelScores(X, weight, self._seed)
        else:
            scores = CrossFittedScores(self.regressor, X, weight, self._seed)
        random = self._random(Stream.JOINT_MODEL)
        prior = self._spread_prior()
        joint = fit_joint_model(tags, weight, start, scores, prior, random, callback)
        self._predictor = scores.predictor()
        self._new_row_covariance = joint.covariance
        return joint, scores.explained

    def _spread_prior(self) -> tuple[float, float]:
        median, deviation = self.spread_prior
        if min(median, deviation) <= 0:
            raise ValueError(f"spread_prior must be positive; got {self.spread_prior}.")
        return float(median), float(deviation)

    def _store_posterior(
        self, model: TagModel, tags: Any, pattern: Any, callback: Callback
    ) -> None:
        """Sample the degrees of the training rows, and set the attributes that they determine.

        `pattern` is the column of `tags` of each row.
        """
        self._model = model
        self._tags = tags
        self._pattern = pattern
        self.spread_ = model.spread
        self.noise_ = model.noise
        self.mean_ = model.mean.mean(axis=1)
        self.covariance_ = model.covariance
        chains_each = int(np.clip(N_CHAINS // tags.shape[1], 1, 100))
        random = self._random(Stream.POSTERIOR)
        degrees, deviations = posterior_moments(
            model, tags, N_SWEEPS, chains_each, random, callback
        )
        self.label_distributions_ = degrees.T[pattern]
        self.label_std_ = deviations.T[pattern]

    def _warn(self, histogram: Array, rule: Rule) -> None:
        """Warn about tags that do not fit the rule."""
        n_labels = len(self.label_names_)
        n = histogram.sum()
        likely = likely_threshold(histogram, rule, self._random(Stream.THRESHOLD))
        allowed = int(n_labels * rule.threshold + 1)  # including a tie at the threshold
        too_many = histogram[allowed + 1 :].sum()
        if too_many > MAX_IMPOSSIBLE * n:
            message = (
                f"{too_many:g} of {n:g} rows have more tags than threshold={rule.threshold:g} "
                f"allows with {n_labels} labels. Use a larger threshold, or rule='order'."
            )
            warn(LabelWarning(message, "impossible"))
        elif likely is not None:
            message = (
                f"threshold={likely:g} explains the numbers of tags clearly better than "
                f"{rule.threshold:g}."
            )
            warn(LabelWarning(message, "threshold"))
        if self.noise == "auto" and self.noise_ > MAX_NOISE:
            message = (
                f"{self.noise_:.0%} of the tags seem to be wrong. Check the threshold, or use "
                "rule='order'."
            )
            warn(LabelWarning(message, "noisy"))

    def _warn_about_prior(self) -> None:
        message = (
            "The tags do not determine how concentrated the degrees are, since there are two "
            "labels or all rows have the same number of tags. Set spread_prior, which "
            "determines it."
        )
        warn(LabelWarning(message, "spread"))

    def _warn_about_rare_values(self, rare: Any) -> None:
        names = np.array(self.label_names_)[rare]
        message = (
            f"Labels with tags in less than {MIN_FREQUENCY:.0%} or more than "
            f"{1 - MIN_FREQUENCY:.0%} of the rows: {listed(names, 5)}. Their degrees, and how "
            "concentrated all degrees are, rest on few rows. Leave out labels that are hardly ever "
            "tagged, or judge some rows by hand."
        )
        warn(LabelWarning(message, "rare"))

    def _predict(self, X: Any) -> Array:
        """Return E[softmax(z)] with z ~ N(μ(x), Σ)."""
        n_labels = len(self.label_names_)
        if n_labels == 1:
            return np.ones((X.shape[0], 1))
        draws = self._random(Stream.NEW_ROWS).standard_normal((n_labels, NEW_ROW_DRAWS))
        scores = np.asarray(self._predictor.predict(X)).T
        degrees = expected_degrees(scores, self._new_row_covariance, draws)
        return np.ascontiguousarray(degrees.T)

    def interval(self, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return bounds that contain each degree of the training rows with a given probability.

        The bounds are quantiles of 1,000 new draws per distinct row. The probability holds under
        the model.

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
        with one_thread():
            lower, upper = posterior_quantiles(
                self._model,
                self._tags,
                levels,
                INTERVAL_SWEEPS,
                INTERVAL_CHAINS,
                self._random(Stream.INTERVAL),
            )
        return lower.T[self._pattern], upper.T[self._pattern]

    def _check_features_and_labels(self, X: Any, y: Any) -> tuple[Any, Array]:
        if self.regressor is not None or getattr(X, "shape", ())[1:] != (0,):
            return super()._check_features_and_labels(X, y)
        X, L = super()._check_features_and_labels(np.zeros((X.shape[0], 1)), y)
        self.n_features_in_ = 0
        return X[:, :0], L

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = accepts_sparse(self.regressor)
        return tags


def _has_rare_value(tags: Tags, counts: Array) -> Any:
    """Return whether each label has the same tag in nearly all rows."""
    n = counts.sum()
    n_tagged = tags @ counts
    return np.minimum(n_tagged, n - n_tagged) < MIN_FREQUENCY * n


# After the class statement, because scikit-learn's wrapper for `set_output` would hide the
# condition.
def _uses_features(enhancer: Any) -> bool:
    """Return whether the fit has used features, or before it, whether it will."""
    return getattr(enhancer, "_has_predictor", enhancer.regressor is not None)


_if_features_are_used = available_if(_uses_features)
BayesLE.transform = _if_features_are_used(BayesLE.transform)  # type: ignore[method-assign]
