"""The rule that turns degrees into tags.

- ``"half"``: labels are tagged in descending order of degree until their degrees sum to more than
  the threshold τ.
- ``"order"``: every tagged label has a larger degree than every other label; the number of tags is
  not informative.

Arrays have one row per label and one column per item.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from labeldist._typing import Array

Tags = NDArray[np.bool_]


@dataclass(frozen=True)
class Rule:
    """The rule that turns degrees into tags."""

    name: Literal["half", "order"] = "half"
    threshold: float = 0.5  # τ of "half"

    def is_possible(self, n_tags: Any, n_labels: int) -> Any:
        """Return whether the rule can produce `n_tags` tags.

        The k − 1 largest of c degrees sum to at least (k − 1)/c, which must be below τ. Every rule
        gives some tag.
        """
        has_tags = n_tags > 0
        if self.name == "order":
            return has_tags
        return has_tags & ((n_tags - 1) / n_labels < self.threshold)

    def tags(self, weights: Array) -> Tags:
        """Return the tags of unnormalised degrees by the rule "half"."""
        ascending = np.sort(weights.T, axis=1)
        running = ascending.cumsum(axis=1)
        # A label is tagged if the larger degrees sum to at most τ, so if it and the smaller ones
        # sum to at least 1 − τ.
        n_untagged = (running < (1 - self.threshold) * running[:, -1:]).sum(axis=1)
        smallest_tagged = ascending[np.arange(len(ascending)), n_untagged]
        tags: Tags = weights >= smallest_tagged
        return tags

    def feasible_scores(self, tags: Tags) -> Array:
        """Return scores that the rule turns into `tags`.

        If none exist, the scores of tagged labels are larger than the others.
        """
        n_labels = len(tags)
        k = tags.sum(axis=0)
        share = k / n_labels
        mass = (share + 1) / 2  # the sum of the tagged degrees
        if self.name == "half":
            low = np.maximum(self.threshold, share)
            # The maximum sets `high` to 1 if there is a single tag.
            high = np.minimum(1.0, self.threshold * k / np.maximum(k - 1, self.threshold))
            mass = np.where(self.is_possible(k, n_labels), (low + high) / 2, mass)
        tagged = mass / np.maximum(k, 1)
        untagged = (1 - mass) / np.maximum(n_labels - k, 1)
        scores = np.log(np.where(tags, tagged, untagged))
        return scores - scores.mean(axis=0)


def distinct_rows(rows: Tags) -> tuple[Tags, Any]:
    """Return the distinct rows as columns, (n_labels, n_distinct), and the column of each row."""
    bits = np.packbits(np.ascontiguousarray(rows), axis=1)
    padding = -bits.shape[1] % 8
    keys = np.pad(bits, ((0, 0), (0, padding))).view(np.uint64)
    if keys.shape[1] == 1:  # NumPy sorts numbers faster than rows
        keys = keys[:, 0]
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True, axis=0)
    return np.ascontiguousarray(rows[first].T), inverse.ravel()
