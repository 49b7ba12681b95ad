"""Reconstruction beside a plain ridge: better, no better, undecided or missing."""

import pytest

from labeldist.datasets import list_datasets
from labeldist.experiments.shrinkage import judge_shrinkage
from labeldist.experiments.statistics import summary
from tests.experiments.record_tables import ablation, table

PLACE = {name: place for place, name in enumerate(list_datasets())}


def judged(control, sets=None):
    rows = [row for row in ablation((0.2, 0.3, control)) if sets is None or row["dataset"] in sets]
    return judge_shrinkage(summary(table(rows)), "LDL")


def lead(sign_of_set, *, only=None):
    """The control's distance: further than the method's 0.2 where the sign is positive."""
    return lambda name, measure: 0.2 + (0 if only and measure != only else 0.01 * sign_of_set(PLACE[name]))


@pytest.mark.parametrize(
    ("control", "outcome", "words"),
    [
        (lead(lambda place: 1 + place), "better", "more than shrinkage: with each at its best BD-LDL beats"),
        (lead(lambda place: -1 - place), "no better", "as good as BD-LDL, or better, in Canberra and Intersection."),
        (lead(lambda place: 0), "no better", "as good as BD-LDL, or better, in Canberra and Intersection."),
        (lead(lambda place: 1 + place, only="canberra"), "no better", "or better, in Intersection."),
        (lead(lambda place: (-1) ** place), "undecided", "cannot be told apart in Canberra and Intersection."),
        # Significant by the signed ranks, but against the method on few sets of great loss only.
        (lead(lambda place: 1 if place < 7 else -10 - place), "undecided", "cannot be told apart"),
    ],
)
def test_each_outcome_has_its_sentence(control, outcome, words):
    found = judged(control)
    assert found.outcome == outcome
    assert words in found.sentence


def test_few_sets_say_nothing_and_most_sets_may():
    better = lead(lambda place: 1 + place)
    assert judged(better, ("Movie", "SBU_3DFE")).outcome == "missing"
    assert judged(better, list_datasets()[:12]).outcome == "better"
    assert judged(lead(lambda place: (-1) ** place), list_datasets()[:12]).outcome == "undecided"
