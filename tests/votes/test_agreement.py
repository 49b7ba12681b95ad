"""Krippendorff's alpha, against a published example and all pairs of votes."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist.exceptions import TableError
from labeldist.votes import Agreement, agreement, from_votes
from labeldist.votes._agreement import _alpha
from tests.references import alpha_by_pairs

# The example of K. Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011: four observers,
# twelve units.
OBSERVERS = pd.DataFrame(
    {
        "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    }
)
PUBLISHED = {"nominal": 0.743, "ordinal": 0.815}


def published_votes():
    return from_votes(OBSERVERS, annotators=list("ABCD"))


@pytest.mark.parametrize(("level", "alpha"), PUBLISHED.items(), ids=PUBLISHED)
def test_published_example(level, alpha):
    result = agreement(published_votes(), level=level, random_state=0)
    assert result.alpha == pytest.approx(alpha, abs=5e-4)
    assert (result.n_items, result.n_votes) == (11, 40)
    low, high = result.interval
    assert low < result.alpha < high <= 1


@pytest.mark.parametrize("level", PUBLISHED)
def test_alpha_equals_that_of_all_pairs(level, rng):
    counts = rng.multinomial(4, rng.dirichlet([0.5, 1, 0.7, 0.4], size=25)) * rng.integers(
        0, 2, size=(25, 1)
    )
    counts[0] = [0, 0, 1, 0]

    def distance(a, b, values):
        if level == "nominal":
            return a != b
        a, b = sorted((a, b))
        return (sum(a <= v <= b for v in values) - (values.count(a) + values.count(b)) / 2) ** 2

    expected = alpha_by_pairs([np.repeat(range(4), row).tolist() for row in counts], distance)
    result = agreement(from_votes(counts, smoothing=1), level=level, n_resamples=10)
    assert result.alpha == pytest.approx(expected, rel=1e-12)


def test_order_of_labels_is_that_of_label_names():
    shuffled = from_votes(OBSERVERS, annotators=list("ABCD"), label_names=["1", "5", "3", "2", "4"])
    assert agreement(shuffled, n_resamples=1).alpha == pytest.approx(0.743, abs=5e-4)
    assert agreement(shuffled, level="ordinal", n_resamples=1).alpha < 0.8


def test_observed_agreement_by_label_and_annotator():
    table = pd.DataFrame(
        {"a": ["x", "x", "y", "x"], "b": ["x", "x", "y", None], "c": ["x", "y", "y", None]}
    )
    result = agreement(from_votes(table, annotators=["a", "b", "c"]), random_state=0)
    assert (result.annotators, result.label_names) == (["a", "b", "c"], ["x", "y"])
    assert result.observed == pytest.approx(7 / 9)  # of 18 ordered pairs, four disagree
    assert_allclose(result.by_label, [4 / 5, 3 / 4])
    assert_allclose(result.by_annotator, [5 / 6, 5 / 6, 2 / 3])


def test_agreement_by_annotator_is_not_corrected_for_chance(rng):
    table = pd.DataFrame(rng.choice(["x", "y"], p=[0.9, 0.1], size=(500, 3)), columns=list("abc"))
    result = agreement(from_votes(table, annotators=list("abc")), n_resamples=1)
    assert abs(result.alpha) < 0.1
    assert_allclose(result.by_annotator, 0.9**2 + 0.1**2, atol=0.04)
    described = Agreement.__doc__.partition("by_annotator :")[2].partition("label_names,")[0]
    assert "not corrected for chance" in " ".join(described.split())


def test_counts_are_enough():
    votes = published_votes()
    expected, result = (
        agreement(v, level="ordinal", random_state=0)
        for v in (votes, from_votes(votes.counts.astype(int)))
    )
    assert (result.alpha, result.interval) == (expected.alpha, expected.interval)
    assert_allclose(result.by_label, expected.by_label)
    assert result.by_annotator is None


def test_interval_covers_the_alpha_of_many_items(rng):
    def draw(n_items):
        return from_votes(rng.multinomial(3, rng.dirichlet([0.5, 0.5, 0.5], size=n_items)))

    truth = agreement(draw(50_000), n_resamples=1).alpha
    intervals = [agreement(draw(100), n_resamples=200, random_state=i).interval for i in range(200)]
    low, high = np.transpose(intervals)
    assert 0.88 <= np.mean((low <= truth) & (truth <= high)) <= 0.98
    votes = draw(100)
    half = agreement(votes, coverage=0.5, random_state=0).interval
    most = agreement(votes, coverage=0.99, random_state=0).interval
    assert most[0] < half[0] < half[1] < most[1]


@pytest.mark.parametrize("level", PUBLISHED)
def test_resamples_equal_repeated_items(level, rng):
    counts = rng.multinomial(4, rng.dirichlet([0.5, 1, 0.7], size=30)).astype(float)
    times = rng.multinomial(30, np.full(30, 1 / 30), size=5)
    repeated = [from_votes(np.repeat(counts, row, axis=0)) for row in times]
    expected = [agreement(votes, level=level, n_resamples=1).alpha for votes in repeated]
    assert_allclose(_alpha(counts, times, level), expected)


def test_many_labels_and_items_need_little_memory(rng):
    votes = from_votes(rng.multinomial(5, rng.dirichlet(np.full(50, 0.2), size=5_000)))
    tracemalloc.start()
    agreement(votes, n_resamples=200)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6  # one matrix of pairs of labels per item would be 100 MB


def test_votes_without_a_defined_agreement_raise():
    with pytest.raises(TableError, match="No item has two votes, so agreement is not defined"):
        agreement(from_votes([[1, 0], [0, 1]]))
    with pytest.raises(TableError, match="two or more votes are for the same label, so agreement"):
        agreement(from_votes([[2, 0], [0, 1]]))


def test_several_votes_of_an_annotator_and_other_types_raise():
    table = pd.DataFrame({"ann": ["x;y", "x"], "bob": ["x", "y"]})
    several = from_votes(table, annotators=["ann", "bob"], separator=";")
    with pytest.raises(TableError, match="more than once"):
        agreement(several)
    with pytest.raises(TypeError, match="from_votes; got list"):
        agreement([[1, 2]])


INVALID_OPTIONS = [("level", "ratio", "'ratio'")]
INVALID_OPTIONS += [("n_resamples", n, f"must be at least 1; got {n}") for n in (0, -1)]
INVALID_OPTIONS += [
    ("coverage", level, "coverage must be between 0 and 1; got")
    for level in (0, 1, 95, -0.5, np.nan)
]


@pytest.mark.parametrize(("name", "value", "message"), INVALID_OPTIONS)
def test_invalid_options_raise(name, value, message):
    with pytest.raises(ValueError, match=message):
        agreement(published_votes(), **{name: value})
