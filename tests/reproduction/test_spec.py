"""Parsing of specifications, and the runs that they define."""

import pytest

from reproduction.errors import SpecError
from reproduction.spec import load_spec, parse_spec, restrict, runs_of, shipped

SPEC = """
name = "mine"
title = "Mine"
datasets = ["artificial_40"]
seeds = [0, 7]

[[part]]
kind = "prediction"
folds = 3

[[part.method]]
name = "Mean"
use = "MeanDistribution"
role = "trivial"

[[part.method]]
name = "BD-LDL"
use = "BDLDL"
parameters = { ridge = 0.5 }
seeds = [0, 1]
"""


def parse(text):
    return parse_spec(text, "mine.toml")


@pytest.mark.parametrize("name", shipped())
def test_shipped_experiment_has_unique_runs_and_trivial_baselines(name):
    runs = list(runs_of(load_spec(name)))
    assert len({run.key for run in runs}) == len(runs) > 0
    assert "trivial" in {method.role for part in load_spec(name).part for method in part.method}


def test_runs_cover_methods_seeds_and_folds():
    runs = list(runs_of(parse(SPEC)))
    found = {(run.method.name, run.seed, run.fold) for run in runs}
    seeds = {"Mean": (0, 7), "BD-LDL": (0, 1)}
    assert found == {
        (name, seed, fold) for name in seeds for seed in seeds[name] for fold in range(3)
    }
    assert {run.time_limit for run in runs} == {1800.0}


def test_key_depends_on_what_determines_values():
    keys = {run.key for run in runs_of(parse(SPEC))}
    for old, new in (
        ("ridge = 0.5", "ridge = 0.6"),
        ("folds = 3", "folds = 4"),
        ("artificial_40", "artificial_41"),
    ):
        assert keys != {run.key for run in runs_of(parse(SPEC.replace(old, new)))}
    assert keys == {run.key for run in runs_of(parse(SPEC.replace('"Mine"', '"Another title"')))}


def test_invalid_spec_raises():
    with pytest.raises(SpecError, match=r"mine\.toml.*line 2"):
        parse(SPEC.replace('name = "mine"', "name = "))


def test_unknown_experiment_raises(tmp_path):
    with pytest.raises(SpecError, match="ablation"):
        load_spec("ablatoin")
    with pytest.raises(SpecError, match=r"none\.toml"):
        load_spec(str(tmp_path / "none.toml"))


def test_restrict_replaces_data_sets():
    restricted = restrict(load_spec("bayes-le"), ["SBU_3DFE"])
    assert {run.dataset for run in runs_of(restricted)} == {"SBU_3DFE"}


def test_grid_has_one_run_per_point():
    text = SPEC.replace('kind = "prediction"', 'kind = "grid"').replace(
        "parameters = { ridge = 0.5 }",
        "grid = { ridge = [1.0, 2.0], reconstruction = [0.0, 0.1, 1.0] }",
    )
    points = {
        tuple(run.method.parameters.items())
        for run in runs_of(parse(text))
        if run.method.name == "BD-LDL"
    }
    assert len(points) == 6
