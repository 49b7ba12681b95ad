"""Raw records made up: several sets, methods, folds, chains, grids, an ablation and failures, in no time."""

import json

import numpy as np

from labeldist.metrics import MEASURES
from tests.experiments.record_tables import record, table

SETS = ["Yeast_alpha", "Yeast_cold", "Yeast_spo5", "Natural_Scene", "Movie", "SBU_3DFE"]
ENHANCERS = ["BD-LE", "FCM", "KM", "LP", "ML", "GLLE"]
LEARNERS = ["BD-LDL", "PT-Bayes", "PT-SVM", "AA-kNN", "AA-BP", "SA-IIS", "SA-BFGS", "LDL-SCL", "EDL-LRL", "LDLLC"]
TIMED_OUT = ("Movie", "PT-SVM")
WEIGHTS = 10.0 ** np.arange(-4, 4)


class Recorder:
    """Collects records, with values that are near each method's own level."""

    def __init__(self, store, seed):
        self.store, self.rng, self.rows = store, np.random.default_rng(seed), []

    def run(
        self,
        experiment,
        kind,
        dataset,
        method,
        *,
        role=None,
        variant="",
        fold=0,
        parameters=None,
        level=0.1,
        reason=None,
    ):
        """Record a run: a row for each measure, or one that tells of a failure."""
        row = record(
            experiment=experiment,
            kind=kind,
            dataset=dataset,
            method=method,
            variant=variant,
            fold=fold,
            parameters=json.dumps(parameters or {}),
            seconds=round(float(self.rng.uniform(0.1, 2)), 3),
            measure="",
            value=np.nan,
            versions="labeldist 0.1.0, numpy 2.3.0",
            store=self.store,
            **({"role": role} if role else {}),
        )
        if reason is not None:
            status = "timeout" if "limit" in reason else "failed"
            self.rows.append(row | {"status": status, "reason": reason})
            return
        distance = level * self.rng.uniform(0.95, 1.05)
        for name, measure in MEASURES.items():
            self.rows.append(row | {"measure": name, "value": 1 - distance if measure.higher_is_better else distance})

    def table(self):
        return table(self.rows)


def make_records(*, sets=SETS, folds=3, store="first.sqlite", seed=0, grid=8):
    """Return the records of all five experiments of the paper."""
    recorder = Recorder(store, seed)
    for place, dataset in enumerate(sets):
        scale = 1 + place
        for level, method in enumerate(
            [*ENHANCERS, "BD-LE low rank", "BD-LE oracle", "Uniform", "LogicalSoftmax"], start=2
        ):
            recorder.run("le-recovery", "recovery", dataset, method, level=0.01 * scale * level)
        for level, method in enumerate([*LEARNERS, "BD-LDL tuned", "Kernel BD-LDL tuned", "Mean"], start=4):
            timed_out = (dataset, method) == TIMED_OUT
            for fold in range(folds):
                reason = "the limit of 600 s was exceeded" if timed_out and fold == 1 else None
                recorder.run(
                    "ldl-prediction", "prediction", dataset, method, fold=fold, level=0.01 * level, reason=reason
                )
        for learner in ("BD-LDL", "SA-BFGS"):
            for variant in (learner, f"{learner}, transductive"):
                for level, method in enumerate(["Ground truth", *ENHANCERS, "Uniform"], start=3):
                    for fold in range(folds):
                        recorder.run(
                            "le-then-ldl",
                            "chain",
                            dataset,
                            method,
                            variant=variant,
                            fold=fold,
                            level=0.01 * scale * level,
                        )
        for variant in ("published", "oracle"):
            for level, method in enumerate(("BD-LE", "UD-LE + ridge", "UD-LE"), start=5):
                role = "oracle" if variant == "oracle" else None
                recorder.run("ablation", "recovery", dataset, method, variant=variant, level=0.02 * level, role=role)
            recorder.run("ablation", "recovery", dataset, "Uniform", variant=variant, level=0.3)
        for variant in ("published", "tuned"):
            for level, method in enumerate(("UD-LDL + ridge", "BD-LDL", "UD-LDL"), start=5):
                for fold in range(folds):
                    recorder.run(
                        "ablation", "prediction", dataset, method, variant=variant, fold=fold, level=0.02 * level
                    )
    for model, other in (("BD-LE", "smoothness"), ("BD-LDL", "ridge")):
        for reconstruction in WEIGHTS[:grid]:
            for weight in WEIGHTS[:grid]:
                far = abs(np.log10(reconstruction) + 2) + abs(np.log10(weight) + 2)
                point = {"reconstruction": float(reconstruction), other: float(weight)}
                level = 0.06 + 0.02 * far
                recorder.run("parameters", "grid", "Yeast_cold", model, variant=model, parameters=point, level=level)
    return recorder.table()
