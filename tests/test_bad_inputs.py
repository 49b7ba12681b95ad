"""No estimator gives a wrong answer to bad input without a word, and the comparison with the peer is judged by rule."""

import sys
from collections import Counter

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import benchmarks.bad_inputs
from benchmarks.bad_input_cases import CASES, GOOD, GOOD_NEW, LABELS
from benchmarks.bad_input_worker import Reaction, our_method, react, reactions
from benchmarks.bad_inputs import METHODS, Outcome, ask, outcome, page
from labeldist import enhancement, learning

BY_NAME = {case.name: case for case in CASES}
ACCEPTABLE = {Outcome.RIGHT, Outcome.CLEAR, Outcome.NOT_OFFERED}


@pytest.mark.parametrize("method", METHODS["ours"])
def test_every_bad_input_gets_the_right_answer_or_a_clear_error(method):
    answers = {reaction.case: reaction for reaction in reactions(lambda: our_method(method))}
    assert {case.name: kind for case in CASES if (kind := outcome(case, answers)) not in ACCEPTABLE} == {}
    assert outcome(BY_NAME[GOOD], answers) is Outcome.RIGHT


def test_no_estimator_is_left_out():
    rooms = [(room, name) for room in (enhancement, learning) for name in room.__all__]
    kinds = {name: getattr(room, name) for room, name in rooms}
    estimators = {name for name, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, BaseEstimator)}
    assert set(METHODS["ours"]) == estimators


def reaction(name, **facts):
    return Reaction(**{"case": name, "answer": np.full((2, LABELS), 1 / LABELS).tolist(), "asked": 2, **facts})


GOOD_ANSWERS = {GOOD: reaction(GOOD), GOOD_NEW: reaction(GOOD_NEW)}
OTHER = [[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]
NO_DISTRIBUTIONS = [[np.nan, 0.5, 0.5], [1, 0, 0]], [[0.5, 0.5, 0.5]] * 2, [[1, 0, 0]], [[1.5, -0.5, 0]] * 2, None


@pytest.mark.parametrize(
    ("name", "facts", "expected"),
    [
        ("lists", {}, Outcome.RIGHT),
        ("lists", {"answer": OTHER}, Outcome.SILENT),
        ("lists", {"changed": True}, Outcome.SILENT),
        ("lists", {"answer": OTHER, "told": ["A list is no array."]}, Outcome.WARNED),
        ("lists", {"error": "AttributeError: 'list' object has no attribute 'astype'"}, Outcome.CLEAR),
        ("lists", {"error": "AttributeError: no attribute 'astype'"}, Outcome.UNCLEAR),
        ("a label column of zeros", {"answer": OTHER}, Outcome.RIGHT),
        ("NaN in the features", {}, Outcome.SILENT),
        ("NaN in the features", {"told": ["invalid value encountered in divide"]}, Outcome.SILENT),
        ("NaN in the features", {"error": "ValueError: Input X contains NaN."}, Outcome.CLEAR),
        ("fewer rows of labels", {"error": "ValueError: shapes (60,3) (59,3)"}, Outcome.CLEAR),
        ("asked before fit", {"error": "AttributeError: no attribute '_W'"}, Outcome.UNCLEAR),
        ("no new rows", {"answer": [], "asked": 0}, Outcome.RIGHT),
        ("no new rows", {"answer": OTHER, "asked": 0}, Outcome.SILENT),
        ("no new rows", {"offered": False}, Outcome.NOT_OFFERED),
        *((GOOD, {"answer": answer}, Outcome.SILENT) for answer in NO_DISTRIBUTIONS),
    ],
)
def test_outcomes_follow_the_rules(name, facts, expected):
    assert outcome(BY_NAME[name], {**GOOD_ANSWERS, name: reaction(name, **facts)}) is expected


def test_an_answer_beside_no_good_one_is_not_right():
    answers = {GOOD: reaction(GOOD, answer=None, error="ValueError: no"), "lists": reaction("lists")}
    assert outcome(BY_NAME["lists"], answers) is Outcome.SILENT


def test_what_is_missing_is_a_crash():
    assert outcome(BY_NAME["lists"], GOOD_ANSWERS) is Outcome.CRASH


class Careless(BaseEstimator):
    """What must be noticed: it changes the caller's labels, logs, and answers whatever it is asked."""

    def fit(self, X, y):
        import logging

        logging.warning("something is missing")
        y[y == 0] = -1
        return self

    def transform(self, X=None):
        return "nothing"

    def fit_transform(self, X, y):
        return self.fit(X, y).transform()


def test_everything_that_a_method_does_is_noted():
    careless = react(Careless, BY_NAME["NaN in the features"])
    assert careless.changed
    assert careless.answer is None
    assert "something is missing" in careless.told
    assert react(Careless, BY_NAME["lists"]).changed


def test_the_worker_tells_each_case_as_soon_as_it_is_known(monkeypatch):
    script = f"import json; print('noise'); print(json.dumps({{'case': {GOOD!r}, 'asked': 3}})); import os; os.abort()"
    python = sys.executable
    monkeypatch.setattr(benchmarks.bad_inputs, "WORKER", ("-c", script))
    assert ask(python, "peer", "KM", 60) == {GOOD: Reaction(GOOD, asked=3)}
    monkeypatch.setattr(benchmarks.bad_inputs, "WORKER", ("-c", ""))
    with pytest.raises(RuntimeError, match="cannot ask KM: try"):
        ask(python, "peer", "KM", 60)


def test_the_page_counts_and_names_the_silent_ones():
    calm = {case.name: reaction(case.name, error="ValueError: contains NaN") for case in CASES}
    answers = {"ours": {"KM": calm}, "peer": {"KM": {**calm, "NaN in the features": reaction("NaN in the features")}}}
    lines = list(page(answers))
    assert "| NaN in the features | 1 ! | 1 ✗ | all |" in lines
    assert "| NaN in the labels | 1 ! | 1 ! |  |" in lines
    assert "- NaN in the labels, PyLDL KM `!`: `ValueError: contains NaN`" in lines
    total = Counter(line.split(" | ")[0] for line in lines if line.startswith("| **all**"))
    assert sum(total.values()) == 1
