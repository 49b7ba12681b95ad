"""The commands that run again what the records hold."""

from labeldist.experiments.rerun import commands, own_experiments
from labeldist.experiments.spec import load_spec
from tests.experiments.record_tables import record, table


def test_sets_are_named_where_they_are_not_the_specs_own():
    rows = [record(dataset=dataset) for dataset in load_spec("le-recovery").datasets]
    rows += [record(experiment="ablation", dataset=dataset) for dataset in ("Movie", "SBU_3DFE")]
    assert commands(table(rows)) == [
        "labeldist reproduce le-recovery --store run.sqlite --out results",
        "labeldist reproduce ablation --dataset Movie --dataset SBU_3DFE --store run.sqlite --out results",
        "labeldist report run.sqlite",
    ]


def test_a_users_own_experiment_has_no_command():
    rows = [record(experiment="mine", store="my own.sqlite")]
    assert commands(table(rows)) == ["labeldist report 'my own.sqlite'"]
    assert own_experiments(table(rows)) == ["mine"]
