"""The effect of smoothing few votes of ChaosNLI, and of VoteLE, printed as a Markdown table.

Votes are drawn from the 100 votes of each item, whose shares are the truth. The table shows
the skill of the smoothed shares themselves, and of a learner that is trained on them and predicts
the other half of the items. Specs cannot describe votes, so this is a script: ``python -m
reproduction.vote_smoothing``.
"""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from labeldist import BDLDLCV, VoteLE
from labeldist.metrics import skill
from labeldist.votes import from_votes
from reproduction.findings import markdown_table
from reproduction.votes_on_text import SETS

N_SPLITS = 10
SMOOTHINGS: dict[str, Any] = {"none": 0, "1": 1, "3": 3, "auto": "auto"}


def read() -> tuple[Any, Any]:
    """Return features (TF-IDF and SVD of premise and hypothesis) and counts of votes."""
    parts = [SETS[name]() for name in ("SNLI", "MNLI")]
    texts = pd.concat([part.texts for part in parts])
    halves = []
    for column in texts:
        embed = make_pipeline(
            TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2)),
            TruncatedSVD(100, random_state=0),
        )
        halves.append(embed.fit_transform(texts[column]))
    counts = np.vstack([part.votes.counts for part in parts])
    return np.hstack(halves), counts.astype(np.int64)


def measure(X: Any, counts: Any, n_votes: int, seed: int) -> list[dict[str, Any]]:
    """Return the skills of one draw of votes and one split of the items."""
    rng = np.random.default_rng(seed)
    drawn = np.array([rng.multivariate_hypergeometric(row, n_votes) for row in counts])
    truth = counts / counts.sum(axis=1, keepdims=True)
    train, test = train_test_split(np.arange(len(X)), test_size=0.5, random_state=seed)
    rows = []
    degrees = {
        name: from_votes(drawn[train], smoothing=smoothing).distributions
        for name, smoothing in SMOOTHINGS.items()
    }
    degrees["VoteLE"] = VoteLE().fit(None, drawn[train]).label_distributions_
    for name, D in degrees.items():
        learner = BDLDLCV().fit(X[train], D)
        rows.append(
            {
                "votes": n_votes,
                "smoothing": name,
                "skill of the degrees": skill(truth[train], D),
                "skill of the learner": skill(truth[test], learner.predict(X[test])),
            }
        )
    return rows


def main() -> None:
    """Print the table."""
    X, counts = read()
    rows = []
    for n_votes, seed in product((3, 5, 10), range(N_SPLITS)):
        rows += measure(X, counts, n_votes, seed)
    table = pd.DataFrame(rows).groupby(["votes", "smoothing"], sort=False, as_index=False).mean()
    print(markdown_table(table, digits=3))


if __name__ == "__main__":
    main()
