"""``labeldist evaluate``."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import label_ranking_average_precision_score

from labeldist.metrics import PAPER_MEASURES, score_all, skill
from labeldist.models import load, save
from tests.app.cli.in_process import error_of, run, run_json
from tests.app.cli.songs import FEATURES, LABELS, NAMES


def pair_share(tags, degrees):
    """Return the share of pairs of a tag and another label in which the tag has more; ties half."""
    pairs = [
        np.sign(degrees[i] - degrees[j]) / 2 + 0.5
        for i in np.flatnonzero(tags)
        for j in np.flatnonzero(tags == 0)
    ]
    return np.mean(pairs)


def test_evaluate_ranks_labels_if_the_truth_are_tags(table):
    tags = (table[LABELS].rank(axis=1) > 1).astype(int)
    tags.iloc[0] = 1  # without other labels there is nothing to rank
    table.assign(**tags, n=range(120)).to_csv("tags.csv", index=False)
    call = ("evaluate", "tags.csv", "pred.csv", "dist.csv", *NAMES)
    facts = run_json(*call, "--weights", "n")
    assert facts["skill"] is None
    assert "tags.csv holds tags" in facts["notes"][0]
    L = tags.to_numpy()[1:]
    weight = np.arange(1, 120)
    for name in ("pred.csv", "dist.csv"):
        D = pd.read_csv(name)[LABELS].to_numpy()[1:]
        auc = np.average([pair_share(*pair) for pair in zip(L, D, strict=True)], weights=weight)
        assert facts["measures"][name]["auc"] == pytest.approx(auc)
        precision = label_ranking_average_precision_score(L, D, sample_weight=weight)
        assert facts["measures"][name]["average_precision"] == pytest.approx(precision)
    assert facts["measures"]["dist.csv"]["auc"] == 1
    assert facts["measures"]["uniform"]["auc"] == pytest.approx(0.5)
    assert "AUC" in run(*call).stdout
    alone = ("evaluate", "tags.csv", "pred.csv", *NAMES)
    assert "tags" in error_of(*alone, "--picture", "p.png", code=2)


def test_evaluate_does_not_take_one_label_per_row_for_tags(table):
    one_label = (table[LABELS].rank(axis=1) == 3).astype(int)
    table.assign(**one_label).to_csv("one.csv", index=False)
    assert run_json("evaluate", "one.csv", "pred.csv", *NAMES)["skill"] is not None


def test_evaluate_shows_predictions_side_by_side(table):
    half = table.assign(**(0.5 * table[LABELS] + 1 / 6))
    half.to_csv("half.csv", index=False)
    call = ("evaluate", "dist.csv", "pred.csv", "half.csv", *NAMES)
    facts = run_json(*call)
    assert list(facts["measures"]) == ["pred.csv", "half.csv", "baseline", "uniform"]
    for name in ("pred.csv", "half.csv"):
        alone = run_json("evaluate", "dist.csv", name, *NAMES)
        assert facts["measures"][name] == alone["measures"]["predicted"]
        assert facts["skill"][name] == alone["skill"]
    assert "half.csv" in run(*call).stdout
    assert "one" in error_of(*call, "--picture", "p.png", code=2)


def test_evaluate_compares_with_baselines(table):
    facts = run_json("evaluate", "dist.csv", "pred.csv", *NAMES)
    predicted = pd.read_csv("pred.csv")
    truth = table[LABELS].to_numpy()
    ours, mean, uniform = (facts["measures"][key] for key in ("predicted", "baseline", "uniform"))
    assert ours == pytest.approx(score_all(truth, predicted[LABELS]))
    assert mean == pytest.approx(score_all(truth, np.tile(truth.mean(axis=0), (120, 1))))
    assert uniform == pytest.approx(score_all(truth, np.full((120, 3), 1 / 3)))
    assert facts["skill"] == pytest.approx(1 - ours["kl_divergence"] / mean["kl_divergence"])
    printed = run("evaluate", "dist.csv", "pred.csv", *NAMES).stdout
    assert f"skill {facts['skill']:.2f}" in printed
    cells = [f"{values['clark']:.4f}" for values in (ours, mean, uniform)]
    assert cells in [line.split()[2:] for line in printed.splitlines()]


def test_evaluate_shows_measures_on_request(table):
    call = ("evaluate", "dist.csv", "pred.csv", *NAMES)
    truth, predicted = table[LABELS], pd.read_csv("pred.csv")[LABELS]
    assert list(run_json(*call)["measures"]["predicted"]) == list(PAPER_MEASURES)
    found = run_json(*call, "--measures", "all")["measures"]["predicted"]
    assert found == pytest.approx(score_all(truth, predicted, measures="all"))
    assert "'tau'" in error_of(*call, "--measures", "tau", code=2)


def test_evaluate_reorders_labels(table):
    call = ("evaluate", "dist.csv", "pred.csv", *NAMES)
    order = ["calm", "joy", "fear"]
    facts = run_json(*call, "--ordered", "c*,joy,fear")
    measures = ["paper", "wasserstein", "ranked_probability"]
    expected = score_all(table[order], pd.read_csv("pred.csv")[order], measures=measures)
    assert facts["labels"] == order
    assert facts["measures"]["predicted"] == pytest.approx(expected)
    assert facts["notes"] == []
    assert "it lacks calm" in error_of(*call, "--ordered", "fear,joy", code=2)


def test_evaluate_takes_the_baseline_from_training_degrees(table):
    truth = table[LABELS].to_numpy()
    predicted = pd.read_csv("pred.csv")[LABELS].to_numpy()
    training = table.iloc[:30]
    training.to_csv("train.csv", index=False)
    fit = ("fit", "train.csv", *NAMES, "-o", "train.skops", "--method", "mean")
    run(*fit)
    mean = training[LABELS].mean().to_numpy()
    expected = skill(truth, predicted, baseline=mean)
    assert expected != pytest.approx(skill(truth, predicted))
    for file, name in (
        ("train.csv", "the mean of train.csv"),
        ("train.skops", "the mean of the training rows of train.skops"),
    ):
        command = ("evaluate", "dist.csv", "pred.csv", *NAMES, "--baseline", file)
        facts = run_json(*command)
        assert facts["skill"] == pytest.approx(expected)
        assert facts["baseline"] == name
        constant = np.tile(mean, (120, 1))
        assert facts["measures"]["baseline"] == pytest.approx(score_all(truth, constant))
        assert f"the KL of {name} by" in run(*command).stdout
    save(load("train.skops"), "without.skops")
    evaluate = ("evaluate", "dist.csv", "pred.csv", *NAMES, "--baseline")
    assert "states no mean" in error_of(*evaluate, "without.skops", code=2)
    table[FEATURES].to_csv("features.csv", index=False)
    assert "joy" in error_of(*evaluate, "features.csv")


def test_evaluate_by_another_measure(table):
    truth = table[LABELS].to_numpy()
    predicted = pd.read_csv("pred.csv")[LABELS].to_numpy()
    command = ("evaluate", "dist.csv", "pred.csv", *NAMES, "--scoring", "manhattan")
    facts = run_json(*command)
    assert facts["skill"] == pytest.approx(skill(truth, predicted, measure="manhattan"))
    assert facts["noise_ceiling"] is None
    assert "the Manhattan loss of the best constant of the truth by" in run(*command).stdout
    assert "Unknown measure 'no'" in error_of(*command[:-1], "no", code=2)
