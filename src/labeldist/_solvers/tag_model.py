"""Estimation of the distribution of the scores behind tags, by stochastic EM.

The model is that of `labeldist._solvers.tag_sampler`. EM alone finds the scale of the scores slowly, because most of
it is missing information. So EM estimates the shape, mean/s and covariance/s², while the spread s and the noise ε are
estimated from the number of tags per row (`labeldist._solvers.tag_counts`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from labeldist._solvers.tag_counts import SPREADS, CountLikelihood
from labeldist._solvers.tag_sampler import Chains, Rule, Tags
from labeldist._typing import Array

Prior = tuple[float, float]  # median of the spread and standard deviation of its logarithm
Regressor = Callable[[Array, int], Array]

ITERATIONS = 70
SETTLING = 30  # iterations with step size 1; then the steps become smaller
FIRST_ZERO = 10  # iterations after which the estimated noise may be zero
SCALE_EVERY = 5  # iterations between two estimates of spread and noise
START_WORK = 400_000  # numbers drawn for the initial mean, which EM would correct only slowly
FIRST_NOISE = 0.02
FACTORS = np.exp(np.linspace(-0.6, 0.6, 25))  # possible changes of the scale of scores that depend on features
JITTER = 1e-9


@dataclass(frozen=True)
class TagModel:
    """The scores z ~ N(mean, covariance) and the rule that turns them into tags."""

    mean: Array  # (n_labels, 1), or (n_labels, n_rows) if it depends on features
    covariance: Array  # (n_labels, n_labels)
    spread: float  # standard deviation of the scores within a row, over all rows
    noise: float  # ε
    rule: Rule

    @property
    def precision(self) -> Array:
        """The inverse of the covariance."""
        return np.asarray(np.linalg.inv(self.covariance + JITTER * np.eye(len(self.covariance))), dtype=np.float64)


def fit_tag_model(
    tags: Tags, counts: Array, rule: Rule, noise: float | None, spread_prior: Prior, random: np.random.Generator
) -> TagModel:
    """Estimate the distribution N(mean, covariance) of scores from patterns of tags.

    Each iteration sweeps the Gibbs chains once and averages the moments of their scores with decreasing step sizes. An
    iteration costs about 2·n_labels² multiplications per chain; `n_chains` limits the number of chains. `tags` has
    shape (n_labels, n_patterns), `counts` are the numbers of rows with each pattern. `noise` is ε, estimated if None.
    """
    c = len(tags)
    counts = informative_counts(tags, counts, rule, noise)
    if not counts.any():
        return TagModel(np.zeros((c, 1)), spread_prior[0] ** 2 * np.eye(c), spread_prior[0], 0.0, rule)
    tags, counts = _sample_patterns(tags, counts, random)
    chains_each = int(np.clip(n_chains(c, counts.sum()) // len(counts), 1, 400))
    owner = np.repeat(np.arange(len(counts)), chains_each)
    chains, weight = Chains(tags[:, owner], rule, random), counts[owner] / chains_each
    n = weight.sum()
    likelihood = CountLikelihood(count_tags(tags, counts), rule, spread_prior)
    draws = random.standard_normal((c, n_draws(c, n)))
    estimate_noise, epsilon = noise is None, FIRST_NOISE if noise is None else noise
    spread, epsilon = likelihood.estimate(
        _descending(draws), SPREADS, epsilon, estimate_noise=estimate_noise, allow_zero=False
    )
    mean = spread * _matching_mean(tags @ counts / n, spread, epsilon, rule, n, random)[:, None]
    model = TagModel(mean, spread**2 * np.eye(c), spread, epsilon, rule)
    second = None
    for iteration, step in _steps():
        chains.sweep(model.mean, model.precision, epsilon)
        residual = chains.scores - model.mean
        moment = (residual * weight) @ residual.T / n
        second = moment if second is None else (1 - step) * second + step * moment
        average = (chains.scores @ weight / n)[:, None]
        mean = (1 - step) * model.mean + step * (average - average.mean())
        covariance, scale = _regularised_covariance(second, n)
        if iteration % SCALE_EVERY == SCALE_EVERY - 1:
            middle = np.clip(spread, SPREADS[0], SPREADS[-1])
            near = np.abs(np.log(SPREADS / middle)) < (0.4 if iteration > 9 else np.inf)
            shapes = (mean + cholesky_root(covariance) @ draws) / scale
            allow_zero = iteration >= FIRST_ZERO
            new_spread, new_epsilon = likelihood.estimate(
                _descending(shapes), SPREADS[near], epsilon, estimate_noise=estimate_noise, allow_zero=allow_zero
            )
            spread *= (new_spread / spread) ** step
            both_noisy = min(epsilon, new_epsilon) > 0
            epsilon = epsilon * (new_epsilon / epsilon) ** step if both_noisy else new_epsilon
        ratio = spread / scale
        second *= ratio**2
        model = TagModel(mean * ratio, covariance * ratio**2, spread, epsilon, rule)
    return model


def fit_joint_model(
    tags: Tags, weight: Array, start: TagModel, regress: Regressor, spread_prior: Prior, random: np.random.Generator
) -> TagModel:
    """Estimate the scores N(mean(x), covariance) whose mean depends on features, from a model without features.

    EM estimates the covariance around the mean including its scale, which the residuals identify if features are
    informative. The common scale of mean and covariance is estimated from the number of tags per row, or is that of the
    prior if the rule is "order". `tags` has shape (n_labels, n_rows). `weight` is 0 for uninformative rows; see
    `informative_counts`. ``regress(scores, iteration)`` predicts the scores of each row, (n_labels, n_rows), from those
    of other rows.
    """
    c, n, rule, noise = len(tags), weight.sum(), start.rule, start.noise
    likelihood = CountLikelihood(count_tags(tags, weight), rule, spread_prior)
    draws = random.standard_normal((c, n_draws(c, n)))
    chains, model = Chains(tags, rule, random), start
    first = second = None
    for iteration, step in _steps():
        chains.sweep(model.mean, model.precision, noise)
        residual = chains.scores - model.mean
        moment = (residual * weight) @ residual.T / n
        centered = chains.scores - chains.scores.mean(axis=0)
        first = centered if first is None else (1 - step) * first + step * centered
        second = moment if second is None else (1 - step) * second + step * moment
        mean = regress(first, iteration)
        mean -= mean.mean(axis=0)
        covariance, _ = _regularised_covariance(second, n)
        shapes = mean[:, random.choice(mean.shape[1], draws.shape[1], p=weight / n)] + cholesky_root(covariance) @ draws
        spread = float(np.sqrt(shapes.var(axis=0).mean() * c / (c - 1)))
        factor = 1.0
        is_last = iteration == ITERATIONS - 1  # the final mean must be the prediction of the regressor
        if rule.name == "order" and not is_last:  # tags of this rule do not depend on the scale
            factor = spread_prior[0] / spread
        elif iteration % SCALE_EVERY == SCALE_EVERY - 1 and not is_last:
            posterior = likelihood.log_likelihood(_descending(shapes), FACTORS, np.array([noise]))[:, 0]
            posterior += likelihood.log_prior(FACTORS * spread)
            share = np.exp(posterior - posterior.max())
            factor = float(np.exp(share @ np.log(FACTORS) / share.sum())) ** step
        first *= factor
        second *= factor**2
        model = TagModel(mean * factor, covariance * factor**2, spread * factor, noise, rule)
    return model


def count_tags(tags: Tags, counts: Array) -> Array:
    """Return the number of rows with 0, 1, …, n_labels tags."""
    return np.bincount(tags.sum(axis=0), counts, minlength=len(tags) + 1).astype(np.float64)


def informative_counts(tags: Tags, counts: Array, rule: Rule, noise: float | None) -> Array:
    """Return the counts with 0 for patterns without tags, and for patterns that the rule excludes if ε = 0."""
    n_tags = tags.sum(axis=0)
    used = counts * (n_tags > 0)
    if noise == 0:
        used = used * rule.is_possible(n_tags, len(tags))
    return np.asarray(used, dtype=np.float64)


def n_chains(n_labels: int, n: float) -> int:
    """Return the number of chains of a fit if there are fewer patterns: smaller for few rows and for many labels."""
    return int(max(300, min(8_000, 45_000 // n_labels, max(1_000, 4 * n))))


def n_draws(n_labels: int, n: float) -> int:
    """Return the number of draws for the likelihood of tag counts: its error should be below that of the rows."""
    return int(max(2_000, min(max(4_000, 100_000 // n_labels), 10 * n)))


def _sample_patterns(tags: Tags, counts: Array, random: np.random.Generator) -> tuple[Tags, Array]:
    """Return the patterns with positive counts, or a systematic sample of them if there are many."""
    tags, counts = tags[:, counts > 0], counts[counts > 0]
    size = max(1_000, 200_000 // len(tags))
    if len(counts) <= size:
        return tags, counts
    positions = (np.arange(size) + random.random()) / size
    chosen = np.searchsorted(np.cumsum(counts) / counts.sum(), positions)
    chosen, copies = np.unique(np.minimum(chosen, len(counts) - 1), return_counts=True)
    return tags[:, chosen], copies * (counts.sum() / size)


def balanced_draws(n_labels: int, n_draws: int, random: np.random.Generator) -> Array:
    """Return about `n_draws` standard normal draws that treat all labels equally: each draw with all its rotations."""
    base = random.standard_normal((n_labels, -(-n_draws // n_labels)))
    return np.concatenate([np.roll(base, shift, axis=0) for shift in range(n_labels)], axis=1)


def _steps() -> Iterator[tuple[int, float]]:
    """Yield each EM iteration and its step size."""
    for iteration in range(ITERATIONS):
        yield iteration, 1.0 if iteration < SETTLING else (iteration - SETTLING + 1) ** -0.7


def _regularised_covariance(second: Array, n: float) -> tuple[Array, float]:
    """Return Σ = (n·HCH + n(s²/c)·11ᵀ + ν₀s²I)/(n + ν₀) and s, for the second moment C of n residuals.

    H = I − 11ᵀ/c, s² = tr(HCH)/(c − 1) and ν₀ = c + 2. Tags do not depend on the common level of the scores, so its
    variance is set to that of the other directions.
    """
    c = len(second)
    centered = second - second.mean(axis=0) - second.mean(axis=1)[:, None] + second.mean()
    s2 = np.trace(centered) / (c - 1)
    strength = c + 2
    covariance = (n * (centered + s2 / c) + strength * s2 * np.eye(c)) / (n + strength)
    return covariance, float(np.sqrt(s2))


def cholesky_root(covariance: Array) -> Array:
    """Return a lower triangular root of the covariance."""
    return np.asarray(np.linalg.cholesky(covariance + JITTER * np.eye(len(covariance))), dtype=np.float64)


def _descending(shapes: Array) -> Array:
    return -np.sort(-shapes, axis=0)


def _matching_mean(
    frequency: Array, spread: float, noise: float, rule: Rule, n: float, random: np.random.Generator
) -> Array:
    """Return the mean, in units of the spread, for which independent scores have the observed tag frequencies."""
    mean = np.zeros(len(frequency))
    if rule.name == "order":
        return mean
    draws = balanced_draws(len(frequency), int(max(2_000, min(START_WORK // len(frequency), 10 * n))), random)
    wanted = np.clip((frequency - noise) / (1 - 2 * noise), 0.5 / (n + 1), 1 - 0.5 / (n + 1))
    for _ in range(12):
        found = rule.tags(np.exp(spread * (mean[:, None] + draws))).mean(axis=1)
        found = np.clip(found, 0.5 / draws.shape[1], 1 - 0.5 / draws.shape[1])
        mean += np.clip(ndtri(wanted) - ndtri(found), -1, 1)
        mean -= mean.mean()
    return mean
