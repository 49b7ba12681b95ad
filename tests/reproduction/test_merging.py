"""Every run counts once, from the store where it went well."""

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from labeldist.experiments.merging import first_of_each, runs
from tests.experiments.record_tables import failure, record, table
from tests.experiments.synthetic import Recorder, make_records

CHAIN = {"experiment": "le-then-ldl", "kind": "chain", "method": "LP", "run": "LP, all folds"}


def test_what_failed_in_the_first_store_is_taken_from_the_second():
    records = make_records()
    second = make_records(store="second.sqlite", seed=1)
    second = second[second["status"] == "ok"]
    recorder = Recorder("second.sqlite", 2)
    recorder.run("ldl-prediction", "prediction", "Movie", "PT-SVM", fold=1)
    chosen = first_of_each(pd.concat([records, second, recorder.table()], ignore_index=True))
    assert (chosen["status"] == "ok").all()
    assert len(runs(chosen[chosen["store"] == "second.sqlite"])) == 1


@pytest.mark.parametrize("told_variants", [("BD-LDL", "SA-BFGS"), ("",)])
def test_a_chain_that_took_too_long_once_is_repaired_by_another_store(told_variants):
    rows = [failure(variant=variant, status="timeout", **CHAIN) for variant in told_variants]
    rows += [
        record(variant=learner, fold=fold, store="second.sqlite", **CHAIN)
        for learner in ("BD-LDL", "SA-BFGS")
        for fold in range(3)
    ]
    chosen = first_of_each(table(rows))
    assert set(chosen["status"]) == {"ok"}
    assert len(chosen) == 6


def test_values_at_one_place_are_not_mixed_though_the_keys_of_their_runs_differ():
    rows = [record(value=0.1, run="old"), record(value=0.2, run="new", store="second.sqlite")]
    assert first_of_each(table(rows))["value"].tolist() == [0.1]


def test_points_of_a_grid_are_places_of_their_own():
    rows = [
        record(kind="grid", parameters=f'{{"ridge": {ridge}}}', store=store)
        for ridge, store in ((1, "run.sqlite"), (2, "second.sqlite"))
    ]
    assert len(first_of_each(table(rows))) == 2


def test_what_is_put_together_stays_so():
    both = pd.concat([make_records(), make_records(store="second.sqlite", seed=1)], ignore_index=True)
    once = first_of_each(both[(both["store"] != "first.sqlite") | (both["dataset"] != "Movie")])
    assert once["store"].nunique() == 2
    assert_frame_equal(first_of_each(once), once)
