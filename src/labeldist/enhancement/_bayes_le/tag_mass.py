"""Mean mass on the tags, the sum of the degrees of the tagged labels, under a rule."""

from typing import Any

import numpy as np

from labeldist._threads import one_thread
from labeldist._typing import Watch, show_nothing
from labeldist.enhancement._bayes_le.posterior import posterior_moments
from labeldist.enhancement._bayes_le.score_model import fit_tag_model
from labeldist.enhancement._bayes_le.tag_rule import Rule, distinct_rows

# A random sample of larger tables is used. A sweep costs n_labels² operations per row.
MAX_ROWS = 2_000
MAX_WORK = 5_000_000  # rows × n_labels²
MIN_ROWS = 100
N_CHAINS = 1_000
N_SWEEPS = 20


def mean_tag_mass(
    L: Any,
    rule: Rule,
    noise: float | None,
    spread_prior: tuple[float, float],
    watch: Watch = show_nothing,
) -> float:
    """Return the mean mass on the tags of rows with tags, from a fit without features.

    The share of wrong tags is estimated if `noise` is None.
    """
    random = np.random.default_rng(0)
    rows = L[L.any(axis=1)] > 0
    n_rows = int(np.clip(MAX_WORK // rows.shape[1] ** 2, MIN_ROWS, MAX_ROWS))
    if len(rows) > n_rows:
        rows = random.choice(rows, n_rows, replace=False)
    tags, pattern = distinct_rows(rows)
    counts: Any = np.bincount(pattern).astype(float)
    chains_each = max(1, N_CHAINS // len(counts))
    with one_thread():
        model = fit_tag_model(tags, counts, rule, noise, spread_prior, random, watch)
        degrees, _ = posterior_moments(model, tags, N_SWEEPS, chains_each, random, watch)
    mass = degrees.sum(axis=0, where=tags)
    return float(mass @ counts / counts.sum())
