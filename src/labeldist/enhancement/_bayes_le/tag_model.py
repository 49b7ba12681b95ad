"""Estimation of the distribution of the scores behind tags, by stochastic EM.

EM alone finds the scale of the scores slowly, because most of it is missing information. So EM
estimates the shape, mean/s and covariance/s², while the spread s and the noise ε are estimated from
the number of tags per row (`tag_counts`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from labeldist._progress import show_nothing
from labeldist._typing import Array, Callback
from labeldist.enhancement._bayes_le.logistic_normal import (
    cholesky_root,
    precision_of,
    regularised_covariance,
)
from labeldist.enhancement._bayes_le.sampler import Chains
from labeldist.enhancement._bayes_le.tag_counts import (
    NOISES,
    NOISES_AND_ZERO,
    SPREADS,
    CountLikelihood,
    descending,
)
from labeldist.enhancement._bayes_le.tag_rule import Rule, Tags

Prior = tuple[float, float]  # median of the spread and standard deviation of its logarithm
Regressor = Callable[[Array, int], Array]

# Step sizes of the EM iterations. Correlated scores with different means need many large steps.
STEPS = [1.0] * 100 + [(i + 1) ** -0.7 for i in range(40)]
JOINT_STEPS = STEPS[-70:]  # with features, EM starts at the model without features
SCALE_EVERY = 5  # iterations between two estimates of spread and noise
COARSE = 10  # iterations in which the whole grid of spreads is searched, and noise is positive
NEAR = 0.4  # later, the largest change of the logarithm of the spread
# Numbers drawn in each round for the initial spread and mean, which EM would correct only slowly.
# More rounds would fit independent scores better, and correlated ones worse.
START_WORK = [30_000] * 4 + [400_000]
MATCHING_STEPS = 6  # in each of these rounds
FACTORS = np.exp(np.linspace(-0.6, 0.6, 25))  # changes of the scale of scores from features


@dataclass(frozen=True)
class TagModel:
    """The scores z ~ N(mean, covariance) and the rule that turns them into tags."""

    mean: Array  # (n_labels, 1), or (n_labels, n_rows) if it depends on features
    covariance: Array  # (n_labels, n_labels)
    spread: float  # standard deviation of the scores around the average of `mean` over all rows
    noise: float  # ε
    rule: Rule


def fit_tag_model(
    tags: Tags,
    counts: Array,
    rule: Rule,
    noise: float | None,
    spread_prior: Prior,
    random: np.random.Generator,
    watch: Callback = show_nothing,
) -> TagModel:
    """Estimate the distribution N(mean, covariance) of scores from patterns of tags.

    Each iteration sweeps the Gibbs chains once and averages the moments of their scores with
    decreasing step sizes. An iteration costs about 2·n_labels² multiplications per chain;
    `choose_n_chains` limits the number of chains. `tags` has shape (n_labels, n_patterns), `counts`
    are the numbers of rows with each pattern. `noise` is ε, estimated if None.
    """
    c = len(tags)
    counts = informative_counts(tags, counts, rule, noise)
    if not counts.any():
        spread = spread_prior[0]
        return TagModel(np.zeros((c, 1)), spread**2 * np.eye(c), spread, 0.0, rule)
    tags, counts = _sample_patterns(tags, counts, random)
    n_chains = choose_n_chains(c, counts.sum())
    chains_each = int(np.clip(n_chains // len(counts), 1, 400))
    chains = Chains(np.repeat(tags, chains_each, axis=1), rule, random)
    weight = np.repeat(counts / chains_each, chains_each)
    n = weight.sum()
    likelihood = CountLikelihood(count_tags(tags, counts), rule, spread_prior)
    draws = random.standard_normal((c, choose_n_draws(c, n)))
    model = _initial_model(tags @ counts / n, n, likelihood, noise, random)
    second = np.zeros((c, c))
    for iteration, step in enumerate(STEPS):
        chains.sweep(model.mean, precision_of(model.covariance), model.noise)
        residual = chains.scores - model.mean
        second = _average(second, _second_moment(residual, weight), step)
        found = (chains.scores @ weight / n)[:, None]
        mean = _average(model.mean, found - found.mean(), step)
        covariance, scale = regularised_covariance(second, n)
        spread = model.spread
        epsilon = model.noise
        if _is_scale_step(iteration):
            is_coarse = iteration < COARSE
            spreads = SPREADS if is_coarse else _near(spread)
            noises = _noise_grid(noise, is_coarse)
            shapes = (mean + cholesky_root(covariance) @ draws) / scale
            found_spread, found_epsilon = likelihood.estimate(descending(shapes), spreads, noises)
            spread = _geometric_average(spread, found_spread, step)
            epsilon = _geometric_average(epsilon, found_epsilon, step)
        ratio = spread / scale
        second *= ratio**2
        model = TagModel(mean * ratio, covariance * ratio**2, spread, epsilon, rule)
        watch(iteration + 1, len(STEPS), "model of the tags")
    return model


def _initial_model(
    frequency: Array,
    n: float,
    likelihood: CountLikelihood,
    noise: float | None,
    random: np.random.Generator,
) -> TagModel:
    """Return a model of independent scores that fits the tag frequencies and counts of n rows.

    The spread that fits the counts depends on the mean, and the mean that fits the frequencies on
    the spread. So both estimates alternate.
    """
    c = len(frequency)
    noises = _noise_grid(noise, is_coarse=False)
    if noise is None:  # with noise ε the tag of a label has a frequency between ε and 1 − ε
        largest = np.minimum(frequency, 1 - frequency).min()
        noises = noises[noises <= max(largest, 0.0)]  # rounding may make it negative
    spreads = SPREADS
    shape = np.zeros((c, 1))
    for work in START_WORK:
        n_draws = int(max(2_000, min(work // c, 10 * n)))
        draws = balanced_draws(c, n_draws, random)
        spread, epsilon = likelihood.estimate(descending(shape + draws), spreads, noises)
        shape = _matching_shape(shape, frequency, spread, epsilon, likelihood.rule, n, draws)
        spreads = _near(spread)
    covariance = spread**2 * np.eye(c)
    return TagModel(spread * shape, covariance, spread, epsilon, likelihood.rule)


def _is_scale_step(iteration: int) -> bool:
    return iteration % SCALE_EVERY == SCALE_EVERY - 1


def _noise_grid(noise: float | None, is_coarse: bool) -> Array:
    """Return the given noise, or those among which it is searched."""
    if noise is not None:
        return np.array([noise])
    return NOISES if is_coarse else NOISES_AND_ZERO


def fit_joint_model(
    tags: Tags,
    weight: Array,
    start: TagModel,
    regress: Regressor,
    spread_prior: Prior,
    random: np.random.Generator,
    watch: Callback = show_nothing,
) -> TagModel:
    """Estimate the scores N(mean(x), covariance) whose mean depends on features.

    `start` is a model without features. EM estimates the covariance around the mean including its
    scale, which the residuals identify if features are informative. The common scale of mean and
    covariance is estimated from the number of tags per row, or from the prior if the rule is
    "order". `tags` has shape (n_labels, n_rows). `weight` is 0 for uninformative rows; see
    `informative_counts`. ``regress(scores, iteration)`` predicts the scores of each row, (n_labels,
    n_rows), from other rows.
    """
    c, n_rows = tags.shape
    n = weight.sum()
    likelihood = CountLikelihood(count_tags(tags, weight), start.rule, spread_prior)
    draws = random.standard_normal((c, choose_n_draws(c, n)))
    chains = Chains(tags, start.rule, random)
    model = start
    first = np.zeros(tags.shape)
    second = np.zeros((c, c))
    for iteration, step in enumerate(JOINT_STEPS):
        chains.sweep(model.mean, precision_of(model.covariance), start.noise)
        residual = chains.scores - model.mean
        second = _average(second, _second_moment(residual, weight), step)
        centered = chains.scores - chains.scores.mean(axis=0)
        first = _average(first, centered, step)
        mean = regress(first, iteration)
        mean -= mean.mean(axis=0)
        covariance, _ = regularised_covariance(second, n)
        drawn_rows = random.choice(n_rows, draws.shape[1], p=weight / n)
        shapes = mean[:, drawn_rows] + cholesky_root(covariance) @ draws
        around_mean = shapes - shapes.mean(axis=1, keepdims=True)
        variance = around_mean.var(axis=0).mean() * c / (c - 1)
        spread = float(np.sqrt(variance))
        factor = 1.0
        is_last = (
            iteration == len(JOINT_STEPS) - 1
        )  # whose mean must be the prediction of the regressor
        if start.rule.name == "order" and not is_last:  # these tags do not depend on the scale
            factor = spread_prior[0] / spread
        elif _is_scale_step(iteration) and not is_last:
            factor = _scale_factor(likelihood, shapes, spread, start.noise) ** step
        first *= factor
        second *= factor**2
        covariance *= factor**2
        model = TagModel(mean * factor, covariance, spread * factor, start.noise, start.rule)
        watch(iteration + 1, len(JOINT_STEPS), "model with features")
    return model


def _near(spread: float) -> Array:
    """Return the spreads of the grid that are close to a spread."""
    middle = np.clip(spread, SPREADS[0], SPREADS[-1])
    distances = np.abs(np.log(SPREADS / middle))
    return SPREADS[distances < NEAR]


def _scale_factor(likelihood: CountLikelihood, shapes: Array, spread: float, noise: float) -> float:
    """Return the posterior mean of a factor of the scores, which have the given spread."""
    posterior = likelihood.log_likelihood(descending(shapes), FACTORS, np.array([noise]))[:, 0]
    posterior += likelihood.log_prior(FACTORS * spread)
    share = np.exp(posterior - posterior.max())
    log_factor = share @ np.log(FACTORS) / share.sum()
    return float(np.exp(log_factor))


def _second_moment(residual: Array, weight: Array) -> Array:
    return (residual * weight) @ residual.T / weight.sum()


def _average(old: Array, new: Array, step: float) -> Array:
    return (1 - step) * old + step * new


def _geometric_average(old: float, new: float, step: float) -> float:
    """Return the weighted geometric mean, or the new number if one of both is zero."""
    if min(old, new) == 0:
        return new
    return old * (new / old) ** step


def count_tags(tags: Tags, counts: Any) -> Array:
    """Return the number of rows with 0, 1, …, n_labels tags as floats."""
    histogram: Any = np.bincount(tags.sum(axis=0), counts, minlength=len(tags) + 1)
    return histogram


def informative_counts(tags: Tags, counts: Array, rule: Rule, noise: float | None) -> Array:
    """Return the counts, with 0 for patterns without tags.

    If ε = 0, they are also 0 for patterns that the rule cannot produce.
    """
    n_tags = tags.sum(axis=0)
    used = rule.is_possible(n_tags, len(tags)) if noise == 0 else n_tags > 0
    informative: Array = counts * used
    return informative


def choose_n_chains(n_labels: int, n: float) -> int:
    """Return the number of chains of a fit to n rows if there are fewer patterns.

    EM with few chains fits the covariance to their noise.
    """
    useful = max(1_000, 4 * n)
    affordable = min(15_000, 180_000 // n_labels)
    return int(max(300, min(useful, affordable)))


def choose_n_draws(n_labels: int, n: float) -> int:
    """Return the number of draws for the likelihood of tag counts.

    Their error should be below the error of the n rows.
    """
    useful = 10 * n
    affordable = max(4_000, 100_000 // n_labels)
    return int(max(2_000, min(useful, affordable)))


def _sample_patterns(tags: Tags, counts: Array, random: np.random.Generator) -> tuple[Tags, Array]:
    """Return the patterns with positive counts, or a systematic sample if there are many."""
    used = counts > 0
    tags = tags[:, used]
    counts = counts[used]
    size = max(1_000, 200_000 // len(tags))
    if len(counts) <= size:
        return tags, counts
    n = counts.sum()
    positions = (np.arange(size) + random.random()) / size
    drawn = np.searchsorted(counts.cumsum() / n, positions)
    chosen, copies = np.unique(drawn, return_counts=True)
    return tags[:, chosen], copies * (n / size)


def _matching_shape(
    start: Array,
    frequency: Array,
    spread: float,
    noise: float,
    rule: Rule,
    n: float,
    draws: Array,
) -> Array:
    """Return the mean/s for which independent scores have the tag frequencies of n rows.

    The search starts at `start`, of shape (n_labels, 1). `draws` are standard normal.
    """
    if rule.name == "order":
        return start
    shape = start.copy()
    frequency_without_noise = (frequency - noise) / (1 - 2 * noise)
    wanted = _quantile(frequency_without_noise, n + 1)
    for _ in range(MATCHING_STEPS):
        tags = rule.tags(np.exp(spread * (shape + draws)))
        found = _quantile(tags.mean(axis=1), draws.shape[1])
        shape += np.clip(wanted - found, -1, 1)[:, None]
        shape -= shape.mean()
    return shape


def _quantile(frequency: Array, n: float) -> Array:
    """Return the normal quantile of a frequency in n trials, away from 0 and 1."""
    smallest = 0.5 / n
    quantile: Array = ndtri(np.clip(frequency, smallest, 1 - smallest))
    return quantile


def balanced_draws(n_labels: int, n_draws: int, random: np.random.Generator) -> Array:
    """Return about `n_draws` standard normal draws, each with all its rotations.

    So they treat all labels equally.
    """
    n_base = math.ceil(n_draws / n_labels)
    base = random.standard_normal((n_labels, n_base))
    rotations = [np.roll(base, shift, axis=0) for shift in range(n_labels)]
    return np.hstack(rotations)
