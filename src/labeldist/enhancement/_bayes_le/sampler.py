"""Gibbs sampling of scores z ~ N(mean, covariance) given the tags of softmax(z).

With noise ε each observed tag differs from the rule's tag with probability ε, independently of the
others.

Arrays of chains have one row per label and one column per chain, so that an update of one label in
all chains uses contiguous memory. A sweep costs about n_labels² multiplications per chain, and with
noise also a sort per label.
"""

from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from labeldist._typing import Array
from labeldist.enhancement._bayes_le.logistic_normal import draw_level
from labeldist.enhancement._bayes_le.tag_rule import Rule, Tags

SMALLEST = 1e-300  # bounds of exp(z) are raised to this before their logarithm is taken


class Chains:
    """States of Gibbs chains with given tags, one column per chain."""

    def __init__(self, tags: Tags, rule: Rule, random: np.random.Generator) -> None:
        self.tags = np.ascontiguousarray(tags)
        self.rule = rule
        self.random = random
        self.impossible = ~rule.is_possible(self.tags.sum(axis=0), len(tags))
        self.scores = rule.feasible_scores(self.tags)
        self._was_noisy = False

    def sweep(self, mean: Array, precision: Array, noise: float) -> None:
        """Draw all scores of all chains once.

        `mean` has one column, or one per chain.
        """
        tags = self.tags
        order_only = self.impossible
        if noise > 0:
            tags = self._sweep_across_rule(mean, precision, noise)
            order_only = np.zeros_like(order_only)
        elif self._was_noisy:  # restart the chains whose scores give other tags
            wrong = (self.rule.tags(np.exp(self.scores)) != tags).any(axis=0)
            self.scores[:, wrong] = self.rule.feasible_scores(tags[:, wrong])
        self._was_noisy = noise > 0
        self._sweep_within_rule(mean, precision, tags, order_only)

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")
    def _sweep_within_rule(
        self, mean: Array, precision: Array, tags: Tags, order_only: Tags
    ) -> None:
        """Draw every score from its conditional distribution given the others and the tags.

        Each conditional is a normal distribution truncated to the interval in which the rule gives
        `tags`. Finally the common level of the scores of a chain, on which tags do not depend, is
        drawn from its conditional distribution.

        The scores must satisfy the rule at the start. `order_only`, of shape (n_chains,), marks
        chains whose tags the rule "half" cannot produce; they use the rule "order".
        """
        scores = self.scores
        if self.rule.name == "order":
            order_only = np.ones_like(order_only)
        any_order_only = order_only.any()
        weights = np.exp(scores)
        pull = precision @ (scores - mean)
        tagged = np.where(tags, weights, np.inf)
        untagged = np.where(tags, 0.0, weights)
        total = weights.sum(axis=0)
        mass = weights.sum(axis=0, where=tags)
        for j in self.random.permutation(len(scores)):
            on = tags[j]
            # Take label j out of the sums and extremes.
            tagged[j] = np.inf
            untagged[j] = 0.0
            smallest = tagged.min(axis=0)
            largest = untagged.max(axis=0)
            total -= weights[j]
            mass -= on * weights[j]
            # Draw its score.
            low, high = _half_interval(on, total, mass, smallest, largest, self.rule.threshold)
            if any_order_only:
                low = np.where(order_only, on * largest, low)
                largest_allowed = np.where(on, np.inf, smallest)
                high = np.where(order_only, largest_allowed, high)
            deviation = 1 / np.sqrt(precision[j, j])
            center = scores[j] - pull[j] / precision[j, j]
            a = (_bounded_log(low) - center) / deviation
            b = (_bounded_log(high) - center) / deviation
            drawn = center + deviation * _truncated_normal(a, b, self.random)
            # Rounding may make an interval empty; then the score is kept.
            drawn = np.where(b > a, drawn, scores[j])
            pull += np.outer(precision[j], drawn - scores[j])
            scores[j] = drawn
            # Put label j back.
            weight = np.exp(drawn)
            weights[j] = weight
            total += weight
            mass += on * weight
            tagged[j] = np.where(on, weight, np.inf)
            untagged[j] = np.where(on, 0.0, weight)
        draw_level(scores, pull, precision, self.random)

    def _sweep_across_rule(self, mean: Array, precision: Array, noise: float) -> Tags:
        """Update the scores by Metropolis steps that may change the rule's tags; return these.

        Each score is proposed from its normal conditional and accepted with probability min(1,
        r^(m′ − m)), r = ε/(1 − ε), where m and m′ count the tags that differ from the observed ones
        before and after. A chain without observed tags belongs to an untagged item and accepts
        every proposal.
        """
        scores = self.scores
        n_chains = scores.shape[1]
        log_ratio = self.tags.any(axis=0) * np.log(noise / (1 - noise))
        weights = np.exp(scores)
        pull = precision @ (scores - mean)
        current = self.rule.tags(weights)
        mismatches = self._count_mismatches(current)
        for j in self.random.permutation(len(scores)):
            step = self.random.standard_normal(n_chains) / np.sqrt(precision[j, j])
            step -= pull[j] / precision[j, j]
            before = weights[j].copy()
            weights[j] = np.exp(scores[j] + step)
            proposed = self.rule.tags(weights)
            new_mismatches = self._count_mismatches(proposed)
            log_uniform = -self.random.standard_exponential(n_chains)
            accepted = log_uniform < log_ratio * (new_mismatches - mismatches)
            step *= accepted
            scores[j] += step
            pull += np.outer(precision[j], step)
            weights[j] = np.where(accepted, weights[j], before)
            current = np.where(accepted, proposed, current)
            mismatches = np.where(accepted, new_mismatches, mismatches)
        return current

    def _count_mismatches(self, tags: Tags) -> Any:
        """Return the number of tags of each chain that differ from the observed ones."""
        return (tags != self.tags).sum(axis=0)


def _bounded_log(weights: Array) -> Array:
    return np.log(np.maximum(weights, SMALLEST))


def _half_interval(
    on: Tags, rest: Array, rest_mass: Array, smallest: Array, largest: Array, threshold: float
) -> tuple[Array, Array]:
    """Return the interval of exp(z_j) in which the rule "half" gives the tags.

    `rest` and `rest_mass` sum exp(z) over the other labels and over the other tagged ones;
    `smallest` is the smallest of the other tagged ones (∞ if there is none), `largest` the largest
    of the other untagged ones.
    """
    surplus = threshold * rest - rest_mass
    upper = surplus / (1 - threshold)
    lower = -surplus / threshold
    # Tagged: above all untagged labels; the tagged mass exceeds τ, but not without the smallest
    # tagged label.
    low_on = np.maximum(np.maximum(largest, upper), lower)
    high_on = (surplus + smallest) / (1 - threshold)
    # Untagged: below all tagged labels; the same two conditions on the tagged mass.
    low_off = (-surplus - smallest) / threshold
    high_off = np.minimum(smallest, lower)
    return np.where(on, low_on, low_off), np.where(on, high_on, high_off)


def _truncated_normal(a: Array, b: Array, random: np.random.Generator) -> Array:
    """Draw from the standard normal distribution truncated to [a, b], by inversion."""
    flipped = a > 0  # the lower tail is more accurate
    low = np.where(flipped, -b, a)
    high = np.where(flipped, -a, b)
    below = ndtr(low)
    probability = below + random.random(len(a)) * (ndtr(high) - below)
    x = ndtri(probability)
    x = np.where(np.isfinite(x), x, high)
    x = np.minimum(np.maximum(x, low), high)
    return np.where(flipped, -x, x)
