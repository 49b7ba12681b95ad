"""The evidence about BayesLE on the benchmark sets, all of it from tags alone; the truth only judges.

``make bayes-le`` prints six tables as Markdown and writes them to docs/bayes_le_figures.md: recovery beside the other
enhancers, wrong tags, tags made by another rule, coverage of intervals, the use of features, and new rows.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

from benchmarks.tables import beats
from labeldist import BDLDLCV, BDLE, BayesLE, EnhancedLearner
from labeldist.datasets import binarize, list_datasets, load_dataset, make_artificial
from labeldist.enhancement import FCM, GLLE, KM, LP, LogicalSoftmax, Uniform
from labeldist.enhancement._bayes_le import MIN_EXPLAINED
from labeldist.exceptions import LabelDistWarning
from labeldist.metrics import MEASURES, kl_divergence, score_all

RIVALS = {
    "Uniform": Uniform(),
    "softmax": LogicalSoftmax(),
    "softmax, threshold": LogicalSoftmax("threshold"),
    "KM": KM(),
    "LP": LP(),
    "GLLE": GLLE(),
    "FCM": FCM(),
    "BD-LE": BDLE(),
}
NOISE_SETS = ["SBU_3DFE", "Yeast_spo", "Yeast_elu", "Yeast_heat", "Movie", "Natural_Scene", "Yeast_cold"]
RULE_SETS = ["SBU_3DFE", "Yeast_spo", "Yeast_elu", "Yeast_heat", "Movie"]
NEW_ROWS_SETS = ["Natural_Scene", "SBU_3DFE", "Yeast_spoem"]
FLIPPED, SMALL = 0.05, 0.001
ARTIFICIAL = {"artificial, 500 rows": 500, "artificial, 2,000 rows": 2_000}


def flip(tags: Any, share: float, seed: int) -> Any:
    """Return tags of which each was flipped with probability `share`; a row that would lose all keeps one."""
    random = np.random.default_rng(seed)
    flipped = np.where(random.random(tags.shape) < share, 1 - tags, tags)
    empty = np.flatnonzero(flipped.sum(axis=1) == 0)
    flipped[empty, [random.choice(np.flatnonzero(tags[row])) for row in empty]] = 1
    return flipped


def top_label(D: Any) -> Any:
    """Return tags with the largest degree of each row alone."""
    return np.eye(D.shape[1], dtype=np.uint8)[D.argmax(axis=1)]


RULES: dict[str, tuple[Callable[[Any], Any], BayesLE | None]] = {
    "threshold 0.3": (lambda D: binarize(D, 0.3), BayesLE(threshold=0.3)),
    "threshold 0.7": (lambda D: binarize(D, 0.7), BayesLE(threshold=0.7)),
    "d > 1/c": (lambda D: (D > 1 / D.shape[1]).astype(np.uint8), BayesLE(rule="order")),
    "top label only": (top_label, BayesLE(rule="order")),
    "5 % flipped": (lambda D: flip(binarize(D), FLIPPED, 0), None),
}
"""How tags are made, and an enhancer whose rule holds for them, if there is one."""


def table(*columns: str) -> str:
    """Return the head of a table whose first column is text."""
    return f"| {' | '.join(columns)} |\n|---|{'---:|' * (len(columns) - 1)}"


def row(*cells: Any) -> str:
    """Return a row of a table."""
    shown = ("" if cell is None else f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in cells)
    return f"| {' | '.join(shown)} |"


def name_of(name: str, enhancer: BayesLE) -> str:
    """Return the set's name, marked where the tags do not determine the spread."""
    return name if enhancer.spread_identified_ else f"{name} (the prior decides)"


def recovery(sets: Sequence[str], seeds: int) -> Iterator[str]:
    """BayesLE beside the best rival of each measure."""
    titles = [f"{m.title} {'↑' if m.higher_is_better else '↓'}" for m in MEASURES.values()]
    yield table("set", *titles, "spread", "noise", "seconds")
    wins: dict[str, list[str]] = {measure: [] for measure in MEASURES}
    for name in sets:
        data = load_dataset(name)
        rivals = {
            method: score_all(data.target, one.fit_transform(data.data, data.logical)) for method, one in RIVALS.items()
        }
        start = time.perf_counter()
        fits = [BayesLE(random_state=seed).fit(data.data, data.logical) for seed in range(seeds)]
        seconds = (time.perf_counter() - start) / seeds
        scores = [score_all(data.target, fit.label_distributions_) for fit in fits]
        cells = []
        for measure, info in MEASURES.items():
            ours = float(np.mean([score[measure] for score in scores]))
            choose = max if info.higher_is_better else min
            best = choose(rivals, key=lambda method: rivals[method][measure])
            better = beats(measure, ours, rivals[best][measure])
            if better:
                wins[measure].append(name)
            cells.append(f"{f'**{ours:.4f}**' if better else f'{ours:.4f}'} ({best} {rivals[best][measure]:.4f})")
        spread, noise = (float(np.mean([getattr(fit, what) for fit in fits])) for what in ("spread_", "noise_"))
        yield row(name_of(name, fits[0]), *cells, f"{spread:.3f}", f"{noise:.3f}", f"{seconds:.1f}")
    yield ""
    for measure, info in MEASURES.items():
        lost = [name for name in sets if name not in wins[measure]]
        others = f": all but {', '.join(lost)}" if 0 < len(lost) < len(sets) else ""
        yield f"- {info.title}: better than the best rival on {len(wins[measure])} of {len(sets)} sets{others}."


def wrong_tags(sets: Sequence[str], seeds: int) -> Iterator[str]:
    """Tags flipped at random, taken as certain and not."""
    yield table("set", "flipped", "noise=0", 'noise="auto"', "estimated noise", "softmax, threshold", "Uniform")
    for name in sets:
        data = load_dataset(name)
        for share in (0.0, FLIPPED):
            runs = []
            for seed in range(seeds):
                tags = flip(data.logical, share, seed)
                hard = BayesLE(noise=0, random_state=seed).fit(data.data, tags)
                auto = BayesLE(random_state=seed).fit(data.data, tags)
                rivals = [one.fit_transform(data.data, tags) for one in (LogicalSoftmax("threshold"), Uniform())]
                found = [kl_divergence(data.target, one.label_distributions_) for one in (hard, auto)]
                runs.append([*found, auto.noise_, *(kl_divergence(data.target, rival) for rival in rivals)])
            yield row(name, f"{100 * share:.0f} %", *(float(value) for value in np.mean(runs, axis=0)))


def wrong_rule(sets: Sequence[str], _seeds: int) -> Iterator[str]:
    """Tags made by another rule than the one that is assumed."""
    yield table("set", "tags", "BayesLE()", "with a rule that holds", "softmax", "Uniform", "warnings")
    for name in sets:
        data = load_dataset(name)
        for how, (make, right) in RULES.items():
            tags = make(data.target)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", LabelDistWarning)
                degrees = [BayesLE().fit_transform(data.data, tags)]
            degrees += [one.fit_transform(data.data, tags) if one else None for one in (right, RIVALS["softmax"])]
            degrees.append(RIVALS["Uniform"].fit_transform(data.data, tags))
            figures = [None if found is None else kl_divergence(data.target, found) for found in degrees]
            yield row(name, how, *figures, ", ".join(sorted({one.category.__name__ for one in caught})) or "none")


def coverage(sets: Sequence[str], _seeds: int) -> Iterator[str]:
    """Share of the true degrees inside the intervals, and how far off the estimated spread is."""
    yield table("set", "labels", "50 %", "90 %", "90 %, d > 0.001", "share of d ≤ 0.001", "spread", "true spread")
    for name in sets:
        data = load_dataset(name)
        enhancer, D = BayesLE().fit(data.data, data.logical), data.target
        half, most = ((low <= D) & (high >= D) for low, high in map(enhancer.interval, (0.5, 0.9)))
        scores = np.log(D[(D > 0).all(axis=1)])
        scores -= scores.mean(axis=1, keepdims=True)
        spread = np.sqrt(scores.var(axis=0).sum() / (D.shape[1] - 1))
        cells = (half.mean(), most.mean(), most[D > SMALL].mean(), (D <= SMALL).mean(), enhancer.spread_, spread)
        yield row(name_of(name, enhancer), D.shape[1], *(f"{cell:.3f}" for cell in cells))


def features(sets: Sequence[str], _seeds: int) -> Iterator[str]:
    """Recovery of the training rows with features and without; "auto" is one of the two, so it is not fitted again."""
    yield table("set", "regressor=None", '"auto"', '"kernel"', "explained_", "BD-LE")
    for name in sets:
        if name in ARTIFICIAL:
            X, D = make_artificial(ARTIFICIAL[name], random_state=0)
            L = binarize(D)
        else:
            data = load_dataset(name)
            X, D, L = data.data, data.target, data.logical
        without = kl_divergence(D, BayesLE().fit_transform(X, L))
        enhancer = BayesLE(regressor="kernel").fit(X, L)
        with_features = kl_divergence(D, enhancer.label_distributions_)
        explained = enhancer.explained_ or 0.0
        auto = with_features if explained >= MIN_EXPLAINED else without
        rival = kl_divergence(D, BDLE().fit_transform(X, L)) if name in ARTIFICIAL else None
        yield row(name, without, auto, with_features, f"{explained:.2f}", rival)


LEARNERS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    'BayesLE("kernel")': lambda X, L, _D, new: BayesLE(regressor="kernel").fit(X, L).transform(new),
    "EnhancedLearner()": lambda X, L, _D, new: EnhancedLearner().fit(X, L).predict(new),
    "BD-LE, BDLDLCV": lambda X, L, _D, new: EnhancedLearner(BDLE(), BDLDLCV()).fit(X, L).predict(new),
    "mean recovered": lambda X, L, _D, new: np.tile(BayesLE().fit_transform(X, L).mean(axis=0), (len(new), 1)),
    "BDLDLCV on the truth": lambda X, _L, D, new: BDLDLCV().fit(X, D).predict(new),
}
"""Predictions for new rows from features, tags and, for comparison, the true degrees of others."""


def new_rows(sets: Sequence[str], _seeds: int) -> Iterator[str]:
    """Prediction of held-out rows in five folds, by learners that see tags."""
    yield table("set", *LEARNERS)
    for name in sets:
        data = load_dataset(name)
        X, L, D = data.data, data.logical, data.target
        found: dict[str, list[float]] = {learner: [] for learner in LEARNERS}
        for train, test in KFold(5, shuffle=True, random_state=0).split(X):
            for learner, predict in LEARNERS.items():
                predicted = predict(X[train], L[train], D[train], X[test])
                found[learner].append(kl_divergence(D[test], predicted))
        yield row(name, *(float(np.mean(values)) for values in found.values()))


TABLES: dict[str, tuple[str, Callable[[Sequence[str], int], Iterator[str]], list[str] | None]] = {
    "recovery": ("Recovery: all measures, mean over seeds, the best rival in brackets", recovery, None),
    "noise": ("Wrong tags: Kullback-Leibler ↓, mean over seeds", wrong_tags, NOISE_SETS),
    "rule": ("Tags made by another rule: Kullback-Leibler ↓", wrong_rule, RULE_SETS),
    "coverage": ("Coverage: share of the true degrees inside the intervals", coverage, None),
    "features": ("Features: Kullback-Leibler ↓ on the training rows", features, None),
    "new-rows": ("New rows: Kullback-Leibler ↓ on held-out rows, five folds", new_rows, NEW_ROWS_SETS),
}
"""Title, lines and default sets (None: all) of each table."""


def lines_of(name: str, sets: Sequence[str] | None, seeds: int) -> Iterator[str]:
    """Yield the heading and the lines of a table. Warnings that the pages explain stay off the screen."""
    title, lines, default = TABLES[name]
    everything = [*list_datasets(), *(ARTIFICIAL if name == "features" else [])]
    chosen = everything if list(sets or []) == ["all"] or not (sets or default) else sets or default
    yield f"## {title}\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LabelDistWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)  # of FCM
        yield from lines(chosen or [], seeds)
    yield ""


def main() -> None:
    """Print the tables, and write them to a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="table", help=f"of {', '.join(TABLES)} (default: all)")
    parser.add_argument("--sets", nargs="+", help="benchmark sets, or all (default: those of each table)")
    parser.add_argument("--seeds", type=int, default=3, help="seeds of recovery and noise")
    parser.add_argument("--page", type=Path, help="Markdown file for the tables")
    options = parser.parse_args()
    if unknown := set(options.tables) - set(TABLES):
        parser.error(f"no table {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    page = ["# Figures of BayesLE\n", "`make bayes-le` prints this page. [What the figures mean](bayes_le.md).\n"]
    for name in options.tables or TABLES:
        for line in lines_of(name, options.sets, options.seeds):
            print(line, flush=True)
            page.append(line)
        if options.page:
            options.page.write_text("\n".join(page).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
