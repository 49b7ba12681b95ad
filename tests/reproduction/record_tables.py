"""Synthetic records: every method has one distance, or a distance by data set and measure."""

from itertools import product

import numpy as np
import pandas as pd

from labeldist.datasets import list_datasets
from labeldist.metrics import PAPER_MEASURES

COLUMNS = [
    *("experiment", "kind", "dataset", "method", "role", "variant", "parameters", "seed", "fold"),
    *("measure", "value", "seconds", "status", "reason", "versions", "run", "folds"),
]
LE = ("BD-LE", "GLLE", "LP", "FCM", "ML", "KM")
LDL = ("BD-LDL", "PT-Bayes", "AA-BP", "SA-IIS", "SA-BFGS", "LDL-SCL", "EDL-LRL", "LDLLC")
ROLES = {
    **dict.fromkeys(("Uniform", "LogicalSoftmax", "Mean"), "trivial"),
    **dict.fromkeys(("BD-LDL tuned", "Kernel BD-LDL tuned", "BD-LE low rank"), "ours"),
    **dict.fromkeys(("UD-LE + ridge", "UD-LDL + ridge"), "control"),
    "BD-LE oracle": "oracle",
}
RUN = ("experiment", "kind", "dataset", "method", "variant", "parameters", "seed", "fold")


def record(**given):
    """Return a record; `table` counts its folds if they are not given."""
    usual = {
        "experiment": "le-recovery",
        "kind": "recovery",
        "dataset": "Yeast_cold",
        "method": "BD-LE",
        "variant": "",
        "parameters": "{}",
        "seed": 0,
        "fold": 0,
        "measure": "chebyshev",
        "value": 0.1,
        "seconds": 1.0,
        "status": "ok",
        "reason": "",
        "versions": "labeldist 0.1.0",
    }
    given.setdefault("role", ROLES.get(given.get("method", "BD-LE"), "paper"))
    row = {"folds": None, **usual, **given}
    return {"run": "|".join(str(row[name]) for name in RUN), **row}


def table(rows):
    """Return a table of records; the default folds are those of all methods of the protocol."""
    frame = pd.DataFrame(rows, columns=COLUMNS)
    counted = frame.groupby(["experiment", "kind"])["fold"].transform("max") + 1
    return frame.assign(folds=frame["folds"].astype(float).fillna(counted).astype(int))


def failure(**given):
    return record(measure="", value=np.nan, **given)


def value_of(measure, distance):
    return 1 - distance if PAPER_MEASURES[measure].higher_is_better else distance


def runs(distances, *, datasets=None, measures=tuple(PAPER_MEASURES), folds=1, seeds=(0,), **given):
    """Return records of methods; `distances` are numbers, or functions of data set and measure."""
    rows = []
    for dataset, (method, distance), measure in product(
        datasets or list_datasets(), distances.items(), measures
    ):
        far = distance(dataset, measure) if callable(distance) else distance
        for seed, fold in product(seeds, range(folds)):
            value = value_of(measure, far)
            rows.append(
                record(
                    dataset=dataset,
                    method=method,
                    measure=measure,
                    value=value,
                    seed=seed,
                    fold=fold,
                    **given,
                )
            )
    return rows


def ladder(names, start=0.1, step=0.02):
    """Return distances of methods from best to worst."""
    return {name: start + step * place for place, name in enumerate(names)}


def grid(model, distance, *, dataset="Yeast_cold"):
    """Return an 8 × 8 grid whose distances are a function of the two powers of ten."""
    other = {"BD-LE": "smoothness", "BD-LDL": "ridge"}[model]
    return [
        record(
            experiment="parameters",
            kind="grid",
            dataset=dataset,
            method=model,
            variant=model,
            parameters=f'{{"reconstruction": 1e{first}, "{other}": 1e{second}}}',
            measure=measure,
            value=value_of(measure, distance(first, second)),
        )
        for first, second, measure in product(range(-4, 4), range(-4, 4), ("chebyshev", "cosine"))
    ]


def ablation(distances, *, task="LDL", variants=("published", "tuned")):
    """Return records of the ablation with distances of BD, UD and the control."""
    names = (f"BD-{task}", f"UD-{task}", f"UD-{task} + ridge")
    kind = {"LE": "recovery", "LDL": "prediction"}[task]
    methods = dict(zip(names, distances, strict=True))
    return [
        row
        for variant in variants
        for row in runs(methods, experiment="ablation", kind=kind, variant=variant)
    ]


def chain(distances):
    """Return records of chains with distances of BD-LE and of the ground truth for each learner."""
    rows = []
    for (learner, (enhanced, truth)), run in product(distances.items(), ("", ", transductive")):
        methods = {"BD-LE": enhanced, "Ground truth": truth}
        rows += runs(
            methods,
            measures=["chebyshev"],
            experiment="le-then-ldl",
            kind="chain",
            variant=learner + run,
            folds=2,
        )
    return rows


def everything(*, bd_wins):
    """Return records of all experiments, with BD first in all of them or last in all of them."""
    trivial = 0.9 if bd_wins else 0.001
    best = list if bd_wins else reversed
    bd, ud, control = (0.1, 0.2, 0.3) if bd_wins else (0.3, 0.2, 0.1)
    le = {**ladder(best(LE)), "Uniform": trivial, "LogicalSoftmax": trivial + 0.01}
    ldl = {**ladder(best(LDL)), "Mean": trivial, "BD-LDL tuned": 0.05}
    learners = {"BD-LDL": (0.101, 0.1), "SA-BFGS": (0.103, 0.1)}
    if not bd_wins:
        learners = {"BD-LDL": (0.3, 0.1), "SA-BFGS": (0.2, 0.1)}
    peak = -2 if bd_wins else 3

    def hill(first, second):
        return 0.1 + 0.0001 * ((first - peak) ** 2 + (second - peak) ** 2) * (1 if bd_wins else 100)

    return table(
        runs(le)
        + runs(ldl, experiment="ldl-prediction", kind="prediction", folds=2, seeds=(0, 1))
        + ablation((bd, ud, control))
        + ablation((bd, ud, control), task="LE", variants=("published", "oracle"))
        + chain(learners)
        + grid("BD-LE", hill)
        + grid("BD-LDL", hill)
    )
