"""Gibbs sampling of scores whose softmax produced given tags.

The scores of an item are z ~ N(mean, covariance), its degrees d = softmax(z), its tags ``rule(d)``:

- ``"half"``: labels are tagged in descending order of degree until their degrees sum to more than the threshold τ;
- ``"order"``: every tagged label has a larger degree than every other label; the number of tags is not informative.

With noise ε each observed tag differs from the rule's tag with probability ε, independently of the others.

Arrays of chains have one row per label and one column per chain, so that an update of one label in all chains uses
contiguous memory. A sweep costs about n_labels² multiplications per chain, and with noise also a sort per label.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from labeldist._typing import Array

Tags = NDArray[np.bool_]

SMALLEST = 1e-300  # bounds of exp(z) are raised to this before their logarithm is taken


@dataclass(frozen=True)
class Rule:
    """The rule that turns degrees into tags."""

    name: Literal["half", "order"] = "half"
    threshold: float = 0.5  # τ of "half"

    def is_possible(self, n_tags: Any, n_labels: int) -> Any:
        """Return whether the rule can produce `n_tags` tags.

        The k − 1 largest of c degrees sum to at least (k − 1)/c, which must be below τ. Every rule gives some tag.
        """
        possible = np.asarray(n_tags) > 0
        return possible & ((np.asarray(n_tags) - 1) / n_labels < self.threshold) if self.name == "half" else possible

    def tags(self, weights: Array) -> Tags:
        """Return the tags of unnormalised degrees, one column per item, by the rule "half"."""
        n_labels, n = weights.shape
        ascending = np.sort(weights.T, axis=1)
        running = ascending.cumsum(axis=1)
        # A label is tagged if the larger degrees sum to at most τ, so if it and the smaller ones sum to at least 1 − τ.
        smallest = (running < (1 - self.threshold) * running[:, -1:]).sum(axis=1)
        tags: Tags = weights >= ascending[np.arange(n), np.minimum(smallest, n_labels - 1)]
        return tags

    def feasible_scores(self, tags: Tags) -> Array:
        """Return scores that the rule turns into `tags`; if none exist, scores that are larger for tagged labels."""
        n_labels, k = len(tags), tags.sum(axis=0)
        low, high = k / n_labels, np.ones(len(k))
        if self.name == "half":
            low = np.maximum(self.threshold, low)
            high = np.minimum(1.0, self.threshold * k / np.maximum(k - 1, 1), where=k > 1, out=high)
        possible = self.is_possible(k, n_labels) & (high > low)
        mass = np.where(possible, (low + high) / 2, (k / n_labels + 1) / 2)
        mass = np.where(k == n_labels, 1.0, np.where(k == 0, 0.0, mass))
        on, off = mass / np.maximum(k, 1), (1 - mass) / np.maximum(n_labels - k, 1)
        scores: Array = np.log(np.maximum(np.where(tags, on, off), 1e-12))
        return scores - scores.mean(axis=0)


def sweep_within_rule(
    scores: Array, mean: Array, precision: Array, tags: Tags, rule: Rule, relaxed: Tags, random: np.random.Generator
) -> None:
    """Draw every score from its conditional distribution given the other scores and the tags, in place.

    Each conditional is a normal distribution truncated to the interval in which the rule gives `tags`. Finally the
    common level of the scores of a chain, on which tags do not depend, is drawn from its conditional distribution.

    `mean` has one column, or one per chain. The scores must satisfy the rule at the start. `relaxed`, of shape
    (n_chains,), marks chains whose tags the rule cannot produce; they use the rule "order".
    """
    weights = np.exp(scores)
    pull = precision @ (scores - mean)
    on_weights, off_weights = np.where(tags, weights, np.inf), np.where(tags, 0.0, weights)
    total, mass = weights.sum(axis=0), weights.sum(axis=0, where=tags)
    order_only = relaxed if rule.name == "half" else np.ones_like(relaxed)
    any_relaxed = bool(order_only.any())
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for j in random.permutation(len(scores)):
            on = tags[j]
            on_weights[j], off_weights[j] = np.inf, 0.0
            smallest, largest = on_weights.min(axis=0), off_weights.max(axis=0)
            rest = total - weights[j]
            rest_mass = mass - np.where(on, weights[j], 0.0)
            low, high = _half_interval(on, rest, rest_mass, smallest, largest, rule.threshold)
            if any_relaxed:
                low = np.where(order_only, np.where(on, largest, 0.0), low)
                high = np.where(order_only, np.where(on, np.inf, smallest), high)
            deviation = 1 / np.sqrt(precision[j, j])
            center = scores[j] - pull[j] / precision[j, j]
            a = (np.log(np.maximum(low, SMALLEST)) - center) / deviation
            b = (np.log(np.maximum(high, SMALLEST)) - center) / deviation
            inside = b > a  # rounding may make an interval empty; then the score is kept
            drawn = center + deviation * _truncated_normal(np.where(inside, a, 0.0), np.where(inside, b, 1.0), random)
            new = np.where(inside, drawn, scores[j])
            pull += precision[j][:, None] * (new - scores[j])
            scores[j] = new
            weight = np.exp(new)
            weights[j] = weight
            total, mass = rest + weight, rest_mass + np.where(on, weight, 0.0)
            on_weights[j], off_weights[j] = np.where(on, weight, np.inf), np.where(on, 0.0, weight)
    _draw_level(scores, pull, precision, random)


def _half_interval(
    on: Tags, rest: Array, rest_mass: Array, smallest: Array, largest: Array, threshold: float
) -> tuple[Array, Array]:
    """Return the interval of exp(z_j) in which the rule "half" gives the tags.

    `rest` and `rest_mass` sum exp(z) over the other labels and over the other tagged ones; `smallest` is the smallest
    of the other tagged ones (∞ if there is none), `largest` the largest of the other untagged ones.
    """
    surplus = threshold * rest - rest_mass
    # Tagged: above all untagged labels; the tagged mass exceeds τ, but not without the smallest tagged label.
    low_on = np.maximum(np.maximum(largest, surplus / (1 - threshold)), -surplus / threshold)
    high_on = (surplus + smallest) / (1 - threshold)
    # Untagged: below all tagged labels; the same two conditions on the tagged mass.
    low_off = np.where(np.isinf(smallest), 0.0, (-surplus - smallest) / threshold)
    high_off = np.minimum(smallest, -surplus / threshold)
    return np.where(on, low_on, low_off), np.where(on, high_on, high_off)


def _truncated_normal(a: Array, b: Array, random: np.random.Generator) -> Array:
    """Draw from the standard normal distribution truncated to [a, b], by inversion in the lower tail."""
    upper = a > 0
    a, b = np.where(upper, -b, a), np.where(upper, -a, b)
    below = ndtr(a)
    x = ndtri(below + random.random(len(a)) * (ndtr(b) - below))
    x = np.where(np.isfinite(x), x, np.where(np.isfinite(b), b, a))
    x = np.minimum(np.maximum(x, a), b)
    return np.where(upper, -x, x)


def _draw_level(scores: Array, pull: Array, precision: Array, random: np.random.Generator) -> None:
    """Draw the common level of each chain: a ~ N(−1ᵀQ(z − μ)/1ᵀQ1, 1/1ᵀQ1) is added to its scores."""
    total = precision.sum()
    scores += random.standard_normal(scores.shape[1]) / np.sqrt(total) - pull.sum(axis=0) / total


def sweep_across_rule(
    scores: Array, mean: Array, precision: Array, tags: Tags, rule: Rule, noise: float, random: np.random.Generator
) -> Tags:
    """Update scores by Metropolis steps that may change the rule's tags, in place; return the rule's tags.

    Each score is proposed from its normal conditional and accepted with probability min(1, r^(m′ − m)), r = ε/(1 − ε),
    where m and m′ count the tags that differ from the observed ones before and after. A chain without observed tags
    belongs to an untagged item and accepts every proposal.
    """
    log_ratio = np.where(tags.any(axis=0), np.log(noise / (1 - noise)), 0.0)
    weights = np.exp(scores)
    pull = precision @ (scores - mean)
    current = rule.tags(weights)
    mismatches = (current != tags).sum(axis=0)
    for j in random.permutation(len(scores)):
        step = random.standard_normal(scores.shape[1]) / np.sqrt(precision[j, j]) - pull[j] / precision[j, j]
        before = weights[j].copy()
        weights[j] = np.exp(scores[j] + step)
        proposed = rule.tags(weights)
        proposed_mismatches = (proposed != tags).sum(axis=0)
        accepted = -random.standard_exponential(scores.shape[1]) < log_ratio * (proposed_mismatches - mismatches)
        step = np.where(accepted, step, 0.0)
        scores[j] += step
        pull += precision[j][:, None] * step
        weights[j] = np.where(accepted, weights[j], before)
        current = np.where(accepted, proposed, current)
        mismatches = np.where(accepted, proposed_mismatches, mismatches)
    return current


class Chains:
    """States of Gibbs chains with given tags, one column per chain."""

    def __init__(self, tags: Tags, rule: Rule, random: np.random.Generator) -> None:
        self.tags = np.ascontiguousarray(tags)
        self.rule, self.random = rule, random
        self.impossible = ~rule.is_possible(self.tags.sum(axis=0), len(tags))
        self.scores = rule.feasible_scores(self.tags)
        self._left_the_rule = False

    def sweep(self, mean: Array, precision: Array, noise: float) -> None:
        """Draw all scores of all chains once."""
        tags, relaxed = self.tags, self.impossible
        if noise > 0:
            tags = sweep_across_rule(self.scores, mean, precision, self.tags, self.rule, noise, self.random)
            relaxed = np.zeros_like(self.impossible)
        elif self._left_the_rule:  # the noise has become zero: restart the chains whose scores give other tags
            wrong = (self.rule.tags(np.exp(self.scores)) != self.tags).any(axis=0)
            self.scores[:, wrong] = self.rule.feasible_scores(self.tags[:, wrong])
        self._left_the_rule = noise > 0
        sweep_within_rule(self.scores, mean, precision, tags, self.rule, relaxed, self.random)
