"""Time of SoftmaxRegressionCV beside LogisticRegressionCV on repeated, weighted rows.

``make softmax-speed`` prints seconds with one thread, the best of several runs in turn, and the
penalised objective of both at the ridge that SoftmaxRegressionCV chose. LABELDIST_DATA and
LABELDIST_VOTES name the folders of the data.
"""

import argparse
import time
import warnings

import numpy as np
from scipy.special import log_softmax
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.tables import row, table
from labeldist.datasets import load_dataset, load_votes
from labeldist.learning import SoftmaxRegressionCV

RIDGES = np.logspace(-3, 3, 13)


def text_features():
    """Return TF-IDF components of the pairs of sentences of ChaosNLI, and the shares of votes."""
    data = [load_votes(f"ChaosNLI_{part}") for part in ("SNLI", "MNLI")]
    texts = [
        [text for part in data for text in part.items[name]] for name in ("premise", "hypothesis")
    ]
    vectorizer = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), min_df=2), TruncatedSVD(100, random_state=0)
    )
    return np.hstack([vectorizer.fit_transform(one) for one in texts]), np.vstack(
        [part.votes.distributions for part in data]
    )


def repeated(X, D):
    """Return rows, classes and weights: each row once for each label with a positive degree."""
    rows, classes = np.nonzero(D)
    return rows, X[rows], classes, D[rows, classes]


def objective(X, D, coef, intercept, ridge) -> float:
    """Return the penalised cross-entropy."""
    return float(
        -(D * log_softmax(X @ coef.T + intercept, axis=1)).sum() + ridge / 2 * (coef**2).sum()
    )


def main() -> None:
    """Print one row per table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", FutureWarning)  # scikit-learn announces other defaults
    tables = {
        name: (load_dataset(name).data, load_dataset(name).target)
        for name in ("Yeast_alpha", "SBU_3DFE")
    }
    tables["ChaosNLI (text)"] = text_features()
    print(table("table", "ours, s", "scikit-learn, s", "ratio", "objective: scikit-learn − ours"))
    with threadpool_limits(1):
        for name, (X, D) in tables.items():
            X = StandardScaler().fit_transform(X)
            folds = list(KFold(5, shuffle=True, random_state=0).split(X))
            rows, Z, classes, weight = repeated(X, D)
            inner = [
                (np.flatnonzero(np.isin(rows, train)), np.flatnonzero(np.isin(rows, test)))
                for train, test in folds
            ]
            ours, theirs = [], []
            for i in range(options.repeats):
                start = time.perf_counter()
                model = SoftmaxRegressionCV(RIDGES, folds).fit(X, D)
                ours.append(time.perf_counter() - start)
                if i and theirs[0] > 60:
                    continue  # minutes a run
                start = time.perf_counter()
                peer = LogisticRegressionCV(Cs=1 / RIDGES, cv=inner, scoring="neg_log_loss")
                peer.fit(Z, classes, sample_weight=weight)
                theirs.append(time.perf_counter() - start)
            same = LogisticRegression(C=1 / model.ridge_, max_iter=1000).fit(
                Z, classes, sample_weight=weight
            )
            mine, other = (
                objective(X, D, one.coef_, one.intercept_, model.ridge_) for one in (model, same)
            )
            ratio = f"{min(theirs) / min(ours):.1f}"
            print(
                row(name, f"{min(ours):.2f}", f"{min(theirs):.2f}", ratio, f"{other - mine:.1e}"),
                flush=True,
            )


if __name__ == "__main__":
    main()
