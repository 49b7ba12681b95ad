"""Models of annotators: how probable each label is to be the true one of an item, by the votes and by who cast them."""

import warnings
from typing import Literal, get_args

import numpy as np

from labeldist._extras import require
from labeldist._typing import Array
from labeldist.exceptions import TableError
from labeldist.simplex import normalize
from labeldist.votes._ballots import Ballots, repeated_rows

Aggregator = Literal["dawid_skene", "one_coin"]
AGGREGATORS: tuple[Aggregator, ...] = get_args(Aggregator)
_CLASSES: dict[Aggregator, str] = {"dawid_skene": "DawidSkene", "one_coin": "OneCoinDawidSkene"}


def true_label_probabilities(ballots: Ballots, aggregator: Aggregator) -> Array:
    """Return for each item and label how probable it is that it is the true one, by crowd-kit's EM algorithm.

    Of labels that nobody voted for it is 0.
    """
    if aggregator not in AGGREGATORS:
        raise ValueError(f"aggregator must be one of {', '.join(AGGREGATORS)}, or None; got {aggregator!r}.")
    votes = ballots.single
    if votes is None:
        raise ValueError(f"aggregator={aggregator!r} must know who voted: name the column of the annotators.")
    several = repeated_rows(votes[:, :2])
    if several.size:
        item = ballots.items[votes[several[0], 0]]
        raise TableError(
            f"Data row {several[0] + 1} is a second vote of the same annotator on item {item!r}, and "
            f"{aggregator!r} models one vote of each annotator on an item. Keep one of them, or use no aggregator."
        )
    aggregation, pandas = require("crowdkit.aggregation", "votes"), require("pandas", "votes")
    model = getattr(aggregation, _CLASSES[aggregator])()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # what crowd-kit asks of pandas is not the caller's doing
        found = model.fit(pandas.DataFrame(votes, columns=["task", "worker", "label"])).probas_
    probabilities = np.zeros(ballots.counts.shape)
    probabilities[np.ix_(found.index, found.columns)] = found.to_numpy()
    return normalize(probabilities)
