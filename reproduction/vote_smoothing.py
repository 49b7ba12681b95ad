"""The effect of smoothing few votes of ChaosNLI, and of VoteLE, printed as a Markdown table.

Votes are drawn from the 100 votes of each item, whose shares are the truth. The skill is that of
the smoothed shares themselves, and that of a learner which is trained on them and predicts the
other half of the items. Specs cannot describe votes, so this is a script: ``python -m
reproduction.vote_smoothing FOLDER`` with the folder of the two files.
"""

import argparse
from pathlib import Path
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

FILES = ("chaosNLI_snli.jsonl", "chaosNLI_mnli_m.jsonl")
N_SPLITS = 10
SMOOTHINGS: dict[str, Any] = {"none": 0, "1": 1, "3": 3, "auto": "auto"}


def read(folder: Path) -> tuple[Any, Any]:
    """Return features (TF-IDF and SVD of premise and hypothesis) and counts of votes."""
    items = pd.concat([pd.read_json(folder / name, lines=True) for name in FILES])
    halves = []
    for part in ("premise", "hypothesis"):
        embed = make_pipeline(
            TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2)),
            TruncatedSVD(100, random_state=0),
        )
        halves.append(embed.fit_transform(items["example"].str[part]))
    return np.hstack(halves), np.array(items["label_count"].tolist())


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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help=f"folder with {' and '.join(FILES)}")
    X, counts = read(parser.parse_args().folder)
    rows = [
        row for n in (3, 5, 10) for seed in range(N_SPLITS) for row in measure(X, counts, n, seed)
    ]
    table = pd.DataFrame(rows).groupby(["votes", "smoothing"], sort=False, as_index=False).mean()
    print(markdown_table(table, digits=3))


if __name__ == "__main__":
    main()
