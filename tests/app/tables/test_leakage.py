import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist.app.tables.column_kinds import TableKinds
from labeldist.app.tables.leakage import (
    SAMPLE_ROWS,
    explained_variance,
    find_leaks,
    is_named_after,
)
from labeldist.datasets import list_datasets, load_dataset

N = 60


@pytest.fixture
def degrees(rng):
    return pd.DataFrame(rng.dirichlet(np.ones(3), size=N), columns=["joy", "fear", "calm"])


def leaks_of(degrees, **columns):
    frame = pd.DataFrame(columns)
    leaks = find_leaks(TableKinds(frame), list(frame), degrees)
    return [(leak.feature, leak.label, reason_of(leak)) for leak in leaks]


def reason_of(leak):
    if leak.is_copy:
        return "copy"
    return "name" if leak.by_name else "values"


def test_copies_and_functions_of_a_label_are_found(degrees):
    fear = degrees["fear"]
    for copy in (fear, fear.round(3), 100 * fear, fear.astype(str)):
        assert leaks_of(degrees, other=copy) == [("other", "fear", "copy")]
    for revealing in (-fear, fear + 1, -3 * fear**3):
        assert leaks_of(degrees, other=revealing) == [("other", "fear", "values")]


def test_copies_are_found_before_names(degrees):
    half = degrees["joy"] / 2
    assert leaks_of(degrees, soft_label=half) == [("soft_label", "joy", "copy")]
    few = degrees.iloc[:5]
    assert leaks_of(few, joy_share=half[:5]) == [("joy_share", "joy", "copy")]
    assert leaks_of(few, other=half[:5]) == []


def largest(degrees):
    return pd.Series(degrees.to_numpy().argmax(axis=1))


def test_names_and_numbers_of_the_largest_label_are_found(degrees):
    top = largest(degrees)
    names = degrees.columns[top].to_numpy(object)
    for column in (names, np.char.upper(names.astype(str)), top, top + 1, (top + 1).astype(str)):
        assert leaks_of(degrees, top=column) == [("top", None, "copy")]
        assert leaks_of(degrees[:20], top=column[:20]) == [("top", None, "copy")]
        assert leaks_of(degrees[:19], top=column[:19]) == []
    nearly = pd.Series(names).where(np.arange(N) != 5, "unclear")
    gaps = pd.Series(names).where(np.arange(N) % 3 > 0)
    prefixed = degrees.add_prefix("emotion_")
    for Y, column in ((degrees, nearly), (degrees, gaps), (prefixed, names)):
        assert leaks_of(Y, top=column) == [("top", None, "copy")]


def test_largest_label_by_name_if_labels_are_numbers_or_truth_words(degrees):
    top = largest(degrees)
    for labels in (["-1", "0", "1"], ["2", "4", "6"], ["stars_5", "stars_3", "stars_1"]):
        named = degrees.set_axis(labels, axis=1)
        numbers = [int(label.removeprefix("stars_")) for label in labels]
        assert leaks_of(named, top=np.array(numbers)[top]) == [("top", None, "copy")]
    answers = degrees[["joy", "fear"]].set_axis(["yes", "no"], axis=1)
    words = np.array(["yes", "no"], dtype=object)[largest(answers)]
    assert leaks_of(answers, top=words) == [("top", None, "copy")]


def test_one_of_several_largest_labels_is_found(rng):
    counts = pd.DataFrame(rng.integers(0, 3, size=(N, 3)), columns=["joy", "fear", "calm"])
    counts[:5] = 1
    shuffled = counts + 1e-3 * rng.random(counts.shape)
    names = counts.columns[largest(shuffled)].to_numpy(object)
    assert leaks_of(counts, top=names) == [("top", None, "copy")]


def test_columns_that_agree_with_the_largest_label_by_chance_are_not_reported(degrees, rng):
    top = largest(degrees)
    names = degrees.columns[top].to_series(index=range(N))
    often = names.where(rng.random(N) < 0.8, "joy")
    shuffled = names.sample(frac=1, random_state=0).to_numpy()
    constant = np.full(N, "joy", dtype=object)
    assert leaks_of(degrees, often=often, shuffled=shuffled, constant=constant) == []
    rare = pd.DataFrame({"a": np.r_[0.1, rng.uniform(0.6, 0.9, N - 1)]})
    rare["b"] = 1 - rare["a"]
    other = rng.normal(size=N)
    columns = {"first": (np.arange(N) == 0).astype(int), "zero": np.zeros(N), "other": other}
    assert leaks_of(rare, **columns) == []


def test_copies_in_the_sample_of_a_large_table_are_compared_in_all_rows(rng):
    D = pd.DataFrame(rng.dirichlet(np.ones(3), size=SAMPLE_ROWS + 500), columns=list("abc"))
    assert leaks_of(D, x=D["b"]) == [("x", "b", "copy")]
    sample = np.random.default_rng(0).choice(len(D), SAMPLE_ROWS, replace=False)
    row = np.setdiff1d(np.arange(len(D)), sample)[0]
    changed = D["b"].copy()
    changed[row] += 1
    assert leaks_of(D, x=changed) == [("x", "b", "values")]


def test_constant_columns_are_no_copies(degrees):
    degrees["calm"] = 0.0
    shifted = pd.Series(np.linspace(1, 1.001, N))
    assert leaks_of(degrees, one=np.ones(N), zero=np.zeros(N), shifted=shifted) == []


def test_copies_of_tags_and_of_shares_of_counts_are_found(rng):
    tags = pd.DataFrame(rng.integers(0, 2, size=(N, 3)), columns=["joy", "fear", "calm"])
    words = tags["calm"].map({0: "low", 1: "high"})
    assert leaks_of(tags, tag=tags["joy"]) == [("tag", "joy", "copy")]
    assert leaks_of(tags, word=words) == [("word", "calm", "values")]
    counts = tags * rng.integers(1, 9, size=(N, 1)) + 1
    shares = counts["joy"] / counts.sum(axis=1)
    assert leaks_of(counts, mean_vote=shares) == [("mean_vote", "joy", "copy")]


def test_filled_cells_of_columns_with_gaps_are_compared(degrees):
    for gaps in ([0], range(0, N, 2)):
        copy = degrees["fear"].drop(index=list(gaps)).reindex(degrees.index)
        assert leaks_of(degrees, other=copy) == [("other", "fear", "copy")]
        words = copy.map(lambda degree: "high" if degree > 0.3 else "low", na_action="ignore")
        tags = (degrees > 0.3).astype(int)
        assert leaks_of(tags, word=words) == [("word", "fear", "values")]
    few = degrees["joy"].where(degrees.index < 9)
    empty = pd.Series([""] * N)
    assert leaks_of(degrees, nan=few * np.nan, few=few, empty=empty) == []


def test_gaps_alone_are_not_reported(degrees, rng):
    noise = pd.Series(rng.normal(size=N))
    is_filled = np.arange(N) < 30
    degrees.loc[is_filled, "joy"] = 0.1  # the filled rows have the same degree, but for rounding
    words = pd.Series(rng.choice(["low", "high"], N))
    found = leaks_of(degrees, number=noise.where(is_filled), word=words.where(is_filled))
    assert found == []


def test_informative_features_are_not_reported(degrees, rng):
    near = degrees["joy"] + 0.08 * rng.normal(size=N)
    with_gaps = near.where(near > 0.1)
    texts = [f"some words about item number {k}" for k in range(N)]
    assert leaks_of(degrees, near=near, gaps=with_gaps, text=texts, constant=1) == []


def test_repeated_items_do_not_make_a_feature_revealing(degrees, rng):
    noise = rng.normal(size=N)
    repeated = pd.concat([degrees] * 3, ignore_index=True)
    assert leaks_of(repeated, noise=np.tile(noise, 3)) == []
    assert leaks_of(repeated, copy=repeated["joy"]) == [("copy", "joy", "copy")]


def test_few_rows_are_not_judged_by_their_values(degrees):
    few = degrees.iloc[:10]
    assert leaks_of(few, other=few["fear"]) == []


@pytest.mark.parametrize(
    ("feature", "label", "expected"),
    [
        ("soft_label.0", "joy", True),
        ("hard_label", "joy", True),
        ("soft_labels", "joy", True),
        ("HardLabel", "joy", True),
        ("softlabel_2", "joy", True),
        ("majority_label", "joy", True),
        ("Gold Labels", "joy", True),
        ("gold_price", "joy", False),
        ("label_size_cm", "joy", False),
        ("labels_per_item", "joy", False),
        ("Joy votes", "joy", True),
        ("share_of_joy", "joy", False),
        ("share_joy", "joy", True),
        ("votes.emotion_joy", "emotion_joy", True),
        ("joyful", "joy", False),
        ("joy_of_reading", "joy", False),
        ("x1", "1", False),
        ("feature_1", "1", False),
        ("votes", "joy", False),
    ],
)
def test_names_derived_from_labels(feature, label, expected):
    assert is_named_after(feature, label) == expected


def test_each_row_is_predicted_without_itself(rng):
    values = np.array([1.0, 1.0, 2.0, 5.0, 5.0, 5.0])
    Y = rng.normal(size=(6, 2))
    predicted = [Y[1], Y[0], Y[[0, 1, 3, 4, 5]].mean(axis=0)]
    predicted += [Y[[4, 5]].mean(axis=0), Y[[3, 5]].mean(axis=0), Y[[3, 4]].mean(axis=0)]
    errors = ((Y - predicted) ** 2).sum(axis=0)
    expected = 1 - errors / ((Y - Y.mean(axis=0)) ** 2).sum(axis=0)
    assert_allclose(explained_variance(values, Y), expected)


@pytest.mark.parametrize("name", list_datasets())
def test_no_feature_of_the_benchmark_sets_is_reported(name, benchmark_folder):
    data = load_dataset(name, data_home=benchmark_folder)
    frame = pd.DataFrame(data.data)
    labels = pd.DataFrame(data.target, columns=data.target_names)
    frame.columns = [f"feature_{k}" for k in frame]
    assert find_leaks(TableKinds(frame), list(frame.columns), labels) == []
