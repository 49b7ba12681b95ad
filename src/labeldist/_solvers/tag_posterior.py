"""Posterior of the degrees softmax(z) given tags: moments, quantiles, and expectations without tags."""

from collections.abc import Iterator

import numpy as np

from labeldist._solvers.tag_model import TagModel, cholesky_root
from labeldist._solvers.tag_sampler import Chains, Tags
from labeldist._typing import Array

BURN_IN = 20  # sweeps whose draws are discarded


def draw_degrees(
    model: TagModel, tags: Tags, n_sweeps: int, chains_each: int, random: np.random.Generator
) -> Iterator[tuple[slice, Array]]:
    """Yield draws of degrees given tags, sweep by sweep, with `chains_each` Gibbs chains per column of `tags`.

    Columns are processed in blocks of a few thousand chains, which fit into the cache. Each item is the slice of the
    columns of a block and an array of degrees of shape (n_labels, n_columns, chains_each).
    """
    c, n = tags.shape
    precision = model.precision
    length = max(1, 4_000 // chains_each)
    for first in range(0, n, length):
        columns = slice(first, min(first + length, n))
        chains = Chains(np.repeat(tags[:, columns], chains_each, axis=1), model.rule, random)
        mean = model.mean
        if mean.shape[1] > 1:
            mean = np.repeat(mean[:, columns], chains_each, axis=1)
        for sweep in range(BURN_IN + n_sweeps):
            chains.sweep(mean, precision, model.noise)
            if sweep >= BURN_IN:
                degrees = np.exp(chains.scores - chains.scores.max(axis=0))
                degrees /= degrees.sum(axis=0)
                yield columns, degrees.reshape(c, -1, chains_each)


def posterior_moments(
    model: TagModel, tags: Tags, n_sweeps: int, chains_each: int, random: np.random.Generator
) -> tuple[Array, Array]:
    """Return the posterior mean and standard deviation of the degrees for each column of `tags`."""
    total, squares = np.zeros(tags.shape), np.zeros(tags.shape)
    for columns, degrees in draw_degrees(model, tags, n_sweeps, chains_each, random):
        total[:, columns] += degrees.sum(axis=2)
        squares[:, columns] += (degrees**2).sum(axis=2)
    total /= n_sweeps * chains_each
    squares /= n_sweeps * chains_each
    total /= total.sum(axis=0)
    return total, np.sqrt(np.maximum(squares - total**2, 0.0))


def posterior_quantiles(
    model: TagModel, tags: Tags, levels: Array, n_sweeps: int, chains_each: int, random: np.random.Generator
) -> Array:
    """Return quantiles of the degrees for each column of `tags`, (n_levels, n_labels, n_columns)."""
    result = np.empty((len(levels), *tags.shape))
    block: list[Array] = []
    for columns, degrees in draw_degrees(model, tags, n_sweeps, chains_each, random):
        block.append(degrees)
        if len(block) == n_sweeps:
            result[:, :, columns] = np.quantile(np.concatenate(block, axis=2), levels, axis=2)
            block = []
    return result


def expected_degrees(mean: Array, covariance: Array, draws: Array) -> Array:
    """Return E[softmax(z)] for z ~ N(mean, covariance), one column per column of `mean`.

    All columns use the same standard normal draws, of shape (n_labels, n_draws), with both signs.
    """
    steps = cholesky_root(covariance) @ draws
    total = np.zeros(mean.shape)
    for step in np.concatenate([steps, -steps], axis=1).T:
        scores = mean + step[:, None]
        degrees = np.exp(scores - scores.max(axis=0))
        total += degrees / degrees.sum(axis=0)
    return total / total.sum(axis=0)
