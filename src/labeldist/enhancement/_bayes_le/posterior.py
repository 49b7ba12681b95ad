"""Posterior of the degrees softmax(z) given tags: moments and quantiles."""

import math
from collections.abc import Iterator

import numpy as np

from labeldist._progress import show_nothing
from labeldist._typing import Array, Callback
from labeldist.enhancement._bayes_le.logistic_normal import precision_of, softmax_columns
from labeldist.enhancement._bayes_le.sampler import Chains
from labeldist.enhancement._bayes_le.tag_model import TagModel
from labeldist.enhancement._bayes_le.tag_rule import Tags

BURN_IN = 20  # sweeps whose draws are discarded
BLOCK_CHAINS = 4_000  # chains that fit into the cache


def draw_degrees(
    model: TagModel,
    tags: Tags,
    n_sweeps: int,
    chains_each: int,
    random: np.random.Generator,
    watch: Callback = show_nothing,
) -> Iterator[tuple[slice, Array]]:
    """Yield draws of degrees given tags, sweep by sweep and block by block.

    Each column of `tags` has `chains_each` Gibbs chains. Each item is the slice of the columns of a
    block and an array of degrees of shape (n_labels, n_columns, chains_each).
    """
    c, n = tags.shape
    precision = precision_of(model.covariance)
    length = max(1, BLOCK_CHAINS // chains_each)
    n_blocks = math.ceil(n / length)
    total_sweeps = BURN_IN + n_sweeps
    for block in range(n_blocks):
        first = block * length
        columns = slice(first, min(first + length, n))
        chains = Chains(np.repeat(tags[:, columns], chains_each, axis=1), model.rule, random)
        mean = model.mean
        if mean.shape[1] > 1:
            mean = np.repeat(mean[:, columns], chains_each, axis=1)
        for sweep in range(total_sweeps):
            chains.sweep(mean, precision, model.noise)
            n_done = block * total_sweeps + sweep + 1
            watch(n_done, n_blocks * total_sweeps, "degrees of the items")
            if sweep >= BURN_IN:
                yield columns, softmax_columns(chains.scores).reshape(c, -1, chains_each)


def posterior_moments(
    model: TagModel,
    tags: Tags,
    n_sweeps: int,
    chains_each: int,
    random: np.random.Generator,
    watch: Callback = show_nothing,
) -> tuple[Array, Array]:
    """Return the posterior mean and standard deviation of the degrees for each column of `tags`."""
    mean = np.zeros(tags.shape)
    squares = np.zeros(tags.shape)
    for columns, degrees in draw_degrees(model, tags, n_sweeps, chains_each, random, watch):
        mean[:, columns] += degrees.sum(axis=2)
        squares[:, columns] += (degrees**2).sum(axis=2)
    n_draws = n_sweeps * chains_each
    mean /= n_draws
    squares /= n_draws
    mean /= mean.sum(axis=0)
    return mean, np.sqrt(np.maximum(squares - mean**2, 0.0))


def posterior_quantiles(
    model: TagModel,
    tags: Tags,
    levels: Array,
    n_sweeps: int,
    chains_each: int,
    random: np.random.Generator,
    watch: Callback = show_nothing,
) -> Array:
    """Return quantiles of the degrees for each column of `tags`.

    Their shape is (n_levels, n_labels, n_columns).
    """
    result = np.empty((len(levels), *tags.shape))
    block: list[Array] = []
    for columns, degrees in draw_degrees(model, tags, n_sweeps, chains_each, random, watch):
        block.append(degrees)
        if len(block) == n_sweeps:
            result[:, :, columns] = np.quantile(np.concatenate(block, axis=2), levels, axis=2)
            block = []
    return result
