"""Notes about columns and degrees."""

import numpy as np
import pytest

from tests.app.cli.in_process import run, run_json
from tests.app.cli.songs import FIT, LABELS, NAMES


def test_revealing_columns_with_an_empty_cell_are_noted(table):
    has_cell = table.index > 0
    table = table.assign(copy=table["joy"].where(has_cell), mood=(-table["joy"]).where(has_cell))
    table.to_csv("dist.csv", index=False)
    facts = run_json(*FIT, "mean", "--prepare", "--ignore", "title")
    found = "column 'mood' predicts the label 'joy' almost perfectly"
    assert any(found in note for note in facts["notes"])
    assert "copy" not in facts["features"]


@pytest.mark.parametrize("command", ["fit", "explore", "enhance"])
def test_features_that_reveal_labels_are_noted(table, command):
    rows = table.copy()
    if command == "enhance":
        rows[LABELS] = (rows[LABELS] > 1 / 3).astype(int)
    rows["a sign"] = -rows["joy"]
    rows["hard_label"] = np.arange(len(rows)) % 2
    rows.to_csv("leaks.csv", index=False)
    options = {"fit": ("-o", "m.skops", "--method", "bdldl"), "explore": ("-o", "page.html")}
    more = options.get(command, ("-o", "out.csv", "--method", "lp"))
    notes = run(command, "leaks.csv", *NAMES, *more, "--ignore", "title").stderr
    about = [note for note in notes.splitlines() if "skill" in note]
    assert len(about) == 1
    assert "'a sign' predicts the label 'joy'" in about[0]
    assert "'hard_label' is named" in about[0]
    assert "they are computed from the labels, add --ignore 'a sign,hard_label':" in about[0]
    advised = ("--ignore", "title,a sign,hard_label", "--force")
    assert "skill" not in run(command, "leaks.csv", *NAMES, *more, *advised).stderr


@pytest.mark.parametrize("name", ["uid", "item_id", "key", "humidity"])
def test_columns_that_may_identify_items_are_noted(table, name):
    table.assign(**{name: np.arange(120) * 3}).to_csv("dist.csv", index=False)
    notes = str(run_json(*FIT, "mean")["notes"])
    assert (f"--ignore {name}" in notes) == (name != "humidity")


def test_rows_that_do_not_sum_to_one_are_noted(table):
    def notes(labels=NAMES[1]):
        facts = run_json("fit", "dist.csv", "-l", labels, "-o", "m", "--method", "mean", "--force")
        return [note for note in facts["notes"] if "do not sum to 1 (data row 1: " in note]

    assert not notes()
    assert len(notes("joy,fear")) == 1
    percentages = {label: table[label] * 100 for label in LABELS}
    counts = {label: (table[label] * 7).round() + 1 for label in LABELS}
    for degrees in (percentages, counts):
        table.assign(**degrees).to_csv("dist.csv", index=False)
        assert not notes()


def test_prepare_is_advised_where_it_converts(table):
    table.assign(mood=["up", "down"] * 60).to_csv("dist.csv", index=False)
    notes = run_json(*FIT, "mean")["notes"]
    advised = [("'title'" in note, "--prepare" in note) for note in notes]
    assert advised == [(True, False), (False, True)]
