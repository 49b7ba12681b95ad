import pytest

from labeldist.experiments.errors import SpecError
from labeldist.experiments.spec import DEFAULT, load_spec, parse_spec, restrict, runs_of, shipped

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
    return parse_spec(text.encode(), "mine.toml")


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_experiment_can_be_read_and_has_runs_of_its_own(name):
    runs = list(runs_of(load_spec(name)))
    assert runs
    assert len({run.key for run in runs}) == len(runs)


def test_without_a_name_it_is_the_papers_experiments():
    assert {*DEFAULT, "quick"} == set(shipped())


@pytest.mark.parametrize("name", shipped())
def test_trivial_baselines_stand_in_every_comparison(name):
    for part in load_spec(name).parts:
        if part.kind != "grid":
            assert "trivial" in {method.role for method in part.methods}
    assert any(method.role == "trivial" for part in load_spec(name).parts for method in part.methods)


def test_a_spec_becomes_runs_for_each_set_method_seed_and_fold():
    runs = list(runs_of(parse(SPEC)))
    found = {(run.method.name, run.seed, run.fold) for run in runs}
    seeds = {"Mean": (0, 7), "BD-LDL": (0, 1)}
    assert found == {(name, seed, fold) for name in seeds for seed in seeds[name] for fold in range(3)}
    assert {run.time_limit for run in runs} == {1800.0}


def test_a_grid_becomes_a_run_for_each_point():
    text = SPEC.replace('kind = "prediction"', 'kind = "grid"').replace(
        "parameters = { ridge = 0.5 }", "grid = { ridge = [1.0, 2.0], reconstruction = [0.0, 0.1, 1.0] }"
    )
    points = {tuple(run.method.parameters.items()) for run in runs_of(parse(text)) if run.method.name == "BD-LDL"}
    assert len(points) == 6


def test_the_key_changes_with_whatever_decides_the_outcome():
    keys = {run.key for run in runs_of(parse(SPEC))}
    for old, new in (("ridge = 0.5", "ridge = 0.6"), ("folds = 3", "folds = 4"), ("artificial_40", "artificial_41")):
        assert keys != {run.key for run in runs_of(parse(SPEC.replace(old, new)))}
    assert keys == {run.key for run in runs_of(parse(SPEC.replace('"Mine"', '"Another title"')))}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('use = "BDLDL"', 'use = "BDLD"', "no estimator 'BDLD'. Did you mean BDLDL"),
        ("ridge = 0.5", "rigde = 0.5", "unexpected keyword argument 'rigde'"),
        ("ridge = 0.5", "ridge = -1.0", "'ridge' parameter of BDLDL must be"),
        ('kind = "prediction"', 'kind = "predictions"', "no kind 'predictions'. Did you mean prediction"),
        ('role = "trivial"', 'role = "silly"', "no role 'silly'"),
        ('"artificial_40"', '"Yeast_alfa"', "no set 'Yeast_alfa'. Did you mean Yeast_alpha"),
        ("seeds = [0, 7]", "seed = [0, 7]", "seed is not known here"),
        ("folds = 3", 'folds = "three"', "folds must be of type int"),
        ('name = "mine"', "", "name is missing"),
        ('name = "mine"', "name = ", "is not TOML"),
        ('kind = "prediction"', 'kind = "chain"', "kind chain has enhancers only"),
        ('kind = "prediction"', 'kind = "recovery"', "kind recovery has enhancers only"),
        ('use = "MeanDistribution"', 'use = "Uniform"', "kind prediction has learners only"),
        ('use = "BDLDL"\nparameters = { ridge = 0.5 }', 'use = "GroundTruth"', "has learners only"),
        ('name = "BD-LDL"', 'name = "Mean"', "two methods of one name"),
        ("parameters = { ridge = 0.5 }", "grid = { ridge = [0.5, 1.0] }", "chosen by the truth"),
        ("parameters = { ridge = 0.5 }", "grid = { ridge = 0.5 }", "a list of values"),
        ("folds = 3", "folds = 1", "folds must be at least 2"),
        ("seeds = [0, 7]", "seeds = [0, 7, 3]", "seeds must ascend"),
        ("seeds = [0, 7]", 'seeds = ["a"]', "whole numbers"),
        ("seeds = [0, 1]", "seeds = [1, 2]", "must have 0 among them"),
        ("seeds = [0, 7]", "time_limit = -1", "positive number"),
        ('datasets = ["artificial_40"]', 'datasets = "artificial_40"', "or a list of names"),
        ('datasets = ["artificial_40"]', "datasets = [3]", "no set 3"),
        ('name = "mine"', 'name = "../mine"', "files are named by it"),
    ],
)
def test_mistakes_are_named(old, new, message):
    with pytest.raises(SpecError, match=message):
        parse(SPEC.replace(old, new))


def test_an_unknown_experiment_is_named_with_the_known_ones(tmp_path):
    with pytest.raises(SpecError, match="Did you mean ablation"):
        load_spec("ablatoin")
    with pytest.raises(SpecError, match="cannot be read"):
        load_spec(str(tmp_path / "none.toml"))


def test_a_users_spec_is_read_from_its_path(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SPEC)
    assert load_spec(str(path)) == parse(SPEC)


def test_an_experiment_can_be_run_on_other_sets():
    assert restrict(load_spec("parameters"), ["SBU_3DFE"]).datasets == ("SBU_3DFE",)
    with pytest.raises(SpecError, match="no set"):
        restrict(load_spec("parameters"), ["SBU"])
