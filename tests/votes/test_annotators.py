"""Agreement of annotators beyond chance, against loops over pairs and simulated annotators."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist.exceptions import TableError
from labeldist.votes import agreement, annotators, from_votes
from labeldist.votes._annotators import _compare_with_others


def simulate(rng, truth, care, n_per_item, popularity=None):
    """Return a long table of votes.

    Each item has votes of some annotators. An annotator votes according to the distribution of the
    item with probability `care`, and otherwise according to the mean distribution.
    """
    weights = np.ones(len(care)) if popularity is None else popularity
    # The order of exponential waiting times is a sample without replacement.
    times = rng.exponential(size=(len(truth), len(care))) / weights
    people = times.argsort(axis=1)[:, :n_per_item]
    careful = rng.random(people.shape) < care[people]
    degrees = np.where(careful[..., None], truth[:, None], truth.mean(axis=0))
    labels = (degrees.cumsum(axis=2) > rng.random(people.shape)[..., None]).argmax(axis=2)
    items = np.repeat(np.arange(len(truth)), n_per_item)
    return pd.DataFrame({"item": items, "who": people.ravel(), "label": labels.ravel()})


def read(table):
    return from_votes(table, item="item", annotator="who", label="label")


def unshrunken(votes):
    compared = _compare_with_others(votes, votes.votes)
    return compared.excess / np.maximum(compared.weight, 1e-9)


def kappa_by_loops(table, person):
    """Return (o − e) / (1 − e) of an annotator, by loops over pairs of items."""
    own, shares = [], []
    for _, votes in table.groupby("item"):
        labels = votes.set_index("who")["label"]
        if person in labels and len(labels) > 1:
            own.append(labels[person])
            shares.append(labels.drop(person).value_counts(normalize=True))
    n = len(own)
    observed = np.mean([shares[i].get(own[i], 0) for i in range(n)])
    chance = np.mean([shares[j].get(own[i], 0) for i in range(n) for j in range(n) if i != j])
    return (observed - chance) / (1 - chance)


def test_agreement_equals_loops_over_items(rng):
    table = simulate(rng, rng.dirichlet([0.5, 1.0, 0.5], 40), np.full(6, 0.8), 3)
    table = pd.concat([table, pd.DataFrame({"item": [99], "who": [0], "label": [1]})])
    votes = read(table)
    expected = [kappa_by_loops(table, person) for person in votes.annotators]
    assert_allclose(unshrunken(votes), expected)
    result = annotators(votes)
    assert result.n_votes.tolist() == [
        np.count_nonzero(table["who"] == person) - (person == 0) for person in votes.annotators
    ]


@pytest.mark.parametrize(
    "alpha", [[1, 1], [0.9, 0.1], [0.4, 0.4, 0.4], [2, 0.3, 0.3, 0.2]], ids=str
)
def test_constant_annotator_ranks_below_real_ones(alpha, rng):
    n_ranked_above_by_observed_agreement = 0
    for _ in range(5):
        table = simulate(rng, rng.dirichlet(alpha, 600), np.full(10, 0.9), 5)
        table.loc[table["who"] == 0, "label"] = 0
        votes = read(table)
        constant = votes.annotators.index(0)
        assert unshrunken(votes)[constant] == pytest.approx(0, abs=1e-12)
        found = annotators(votes)
        assert found.agreement.argmin() == constant
        assert found.upper[constant] < found.upper.max()
        observed = agreement(votes, n_resamples=2).by_annotator
        n_ranked_above_by_observed_agreement += observed[constant] > np.median(observed)
    if max(alpha) > 0.8 * sum(alpha):
        assert n_ranked_above_by_observed_agreement > 2


def test_few_votes_are_shrunken_to_the_mean(rng):
    care = np.tile([0.2, 0.95], 10)
    popularity = np.where(np.arange(20) < 10, 1.0, 0.03)
    table = simulate(rng, rng.dirichlet([0.3, 0.3, 0.3], 500), care, 4, popularity)
    votes = read(table)
    found = annotators(votes)
    many = found.n_votes > 100
    distance = np.abs(found.agreement - found.mean)
    raw_distance = np.abs(unshrunken(votes) - found.mean)
    assert_allclose(distance[many], raw_distance[many], rtol=0.2)
    few = (found.n_votes < 10) & (found.n_votes > 1)
    assert few.any()
    assert (distance[few] < 0.5 * raw_distance[few]).all()
    widths = found.upper - found.lower
    assert widths[few].min() > 2 * widths[many].max()
    assert np.isfinite(found.agreement).all()


def test_variance_is_that_of_repeated_simulations(rng):
    care = np.tile([0.4, 0.6, 0.8, 1.0], 5)
    estimates, variances = [], []
    for _ in range(60):
        votes = read(simulate(rng, rng.dirichlet([0.5, 1, 0.5], 300), care, 5))
        compared = _compare_with_others(votes, votes.votes)
        order = np.argsort(votes.annotators)
        estimates.append(unshrunken(votes)[order])
        variances.append((compared.variance / compared.weight)[order])
    assert np.mean(variances) == pytest.approx(np.var(estimates, axis=0).mean(), rel=0.15)


def test_differences_between_annotators_are_found_in_popquorn(votes_folder):
    table = pd.read_csv(votes_folder / "popquorn_offensiveness.csv")
    names = {"item": "instance_id", "annotator": "user_id", "label": "offensiveness"}
    is_first = table["instance_id"] % 2 == 0
    found = [
        annotators(from_votes(table[half], **names)).to_frame().set_index("annotator")["agreement"]
        for half in (is_first, ~is_first)
    ]
    assert found[0].corr(found[1]) > 0.2
    assert found[0].std() > 0.02


def test_intervals_cover_the_agreement_with_many_votes(rng):
    inside = []
    for _ in range(8):
        care = rng.beta(4, 2, 30)
        popularity = rng.gamma(1, size=30) + 0.05
        many = read(simulate(rng, rng.dirichlet([0.5, 1, 0.5], 6_000), care, 5, popularity))
        truth = dict(zip(many.annotators, unshrunken(many), strict=True))
        few = read(simulate(rng, rng.dirichlet([0.5, 1, 0.5], 200), care, 5, popularity))
        found = annotators(few, confidence_level=0.9)
        known = np.array([truth[person] for person in found.annotators])
        inside.append((found.lower <= known) & (known <= found.upper))
    assert np.concatenate(inside).mean() == pytest.approx(0.9, abs=0.06)


def test_confidence_level_sets_the_width(rng):
    votes = read(simulate(rng, rng.dirichlet([1, 1], 100), np.full(5, 0.8), 3))
    wide = annotators(votes, confidence_level=0.99)
    narrow = annotators(votes, confidence_level=0.5)
    assert_allclose(
        (wide.upper - wide.lower) / (narrow.upper - narrow.lower), 2.5758 / 0.6745, rtol=1e-3
    )


def test_order_of_annotators_and_names_of_labels_do_not_matter(rng):
    table = simulate(rng, rng.dirichlet([1, 1, 1], 60), np.linspace(0.2, 0.9, 6), 3)
    found = annotators(read(table)).to_frame().sort_values("annotator")
    renamed = table.assign(label=table["label"].map({0: "z", 1: "a", 2: "m"}))
    other = annotators(read(renamed.sample(frac=1, random_state=0))).to_frame()
    pd.testing.assert_frame_equal(
        found.reset_index(drop=True), other.sort_values("annotator").reset_index(drop=True)
    )


def test_full_agreement_on_few_items_is_not_certain():
    table = pd.DataFrame({"ann": ["joy", "fear"], "bob": ["joy", "fear"]})
    found = annotators(from_votes(table, annotators=["ann", "bob"]))
    assert (found.lower < 0.5).all()
    assert (found.upper <= 1).all()


def kappa_of_pairs(table, choose):
    """Return the agreement beyond chance of the pairs of annotators that are chosen."""
    rows = list(table.itertuples(index=False))
    pairs = [(a, b) for a, b in combinations(rows, 2) if choose(a.who, b.who)]
    on_item = [a.label == b.label for a, b in pairs if a.item == b.item]
    chance = np.mean([a.label == b.label for a, b in pairs])
    return (np.mean(on_item) - chance) / (1 - chance)


def test_groups_equal_loops_over_pairs(rng):
    table = simulate(rng, rng.dirichlet([1, 1, 1], 40), np.full(7, 0.9), 4)
    groups = {0: "A", 1: "A", 2: "A", 3: "B", 4: "B", 5: "C", 6: None}
    found = annotators(read(table), groups, n_permutations=5, random_state=0).groups
    assert found.names == ["A", "B", "C"]
    assert found.n_annotators.tolist() == [3, 2, 1]
    grouped = table[table["who"] != 6]
    for k, name in enumerate("AB"):

        def within(a, b, name=name):
            return groups[a] == groups[b] == name

        def across(a, b, name=name):
            return (groups[a] == name) != (groups[b] == name)

        assert found.across[k] == pytest.approx(kappa_of_pairs(grouped, across))
        assert found.within[k] == pytest.approx(kappa_of_pairs(grouped, within))
    assert np.isnan(found.within[2])


def votes_of_two_groups(rng, n_items, difference):
    """Return votes of two groups, whose distributions differ by a share `difference`."""
    truth = rng.dirichlet([0.5, 0.5, 0.5], (2, n_items))
    second = (1 - difference) * truth[0] + difference * truth[1]
    one = simulate(rng, truth[0], np.ones(8), 3)
    other = simulate(rng, second, np.ones(8), 3)
    return pd.concat([one, other.assign(who=other["who"] + 8)])


def test_permutation_test_finds_groups_that_differ(rng):
    table = votes_of_two_groups(rng, 150, difference=0.7)
    column = np.where(table["who"] < 8, "young", "old")
    votes = read(table)
    found = annotators(votes, column, n_permutations=200, random_state=0).groups
    assert found.names == ["old", "young"]
    assert (found.within > found.across + 0.1).all()
    assert (found.p_value <= 0.01).all()
    mapping = {person: "young" if person < 8 else "old" for person in range(16)}
    same = annotators(votes, mapping, n_permutations=200, random_state=0).groups
    assert_allclose(same.p_value, found.p_value)


def test_p_values_of_groups_without_meaning_are_uniform(rng):
    p_values = []
    for seed in range(40):
        table = votes_of_two_groups(rng, 60, difference=0)
        groups = dict(enumerate(rng.permutation([0, 1] * 8)))
        found = annotators(read(table), groups, n_permutations=60, random_state=seed)
        p_values.append(found.groups.p_value[0])
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.15)
    assert np.mean(np.array(p_values) < 0.1) < 0.25


def test_groups_without_pairs_of_votes_have_no_p_value(rng):
    table = simulate(rng, rng.dirichlet([1, 1, 1], 30), np.full(6, 0.9), 4)
    table = pd.concat([table, table.assign(item=table["item"] + 30, who=table["who"] + 6)])
    groups = {0: "one", 1: "first", 2: "first", 3: "first", 4: "first", 5: "first"}
    groups |= dict.fromkeys(range(6, 12), "on other items")
    found = annotators(read(table), groups, n_permutations=50, random_state=0).groups
    assert found.names == ["first", "on other items", "one"]
    assert np.isnan(found.within).tolist() == [False, False, True]
    assert np.isnan(found.across).tolist() == [False, True, False]
    assert np.isnan(found.p_value).tolist() == [False, True, True]


def test_empty_cells_and_series_of_groups_equal_mapping(rng):
    votes = read(simulate(rng, rng.dirichlet([1, 1, 1], 40), np.full(6, 0.9), 4))
    mapping = {person: "AB"[person % 2] for person in range(6)}
    expected = annotators(votes, mapping, n_permutations=20, random_state=0).groups
    column = [mapping[votes.annotators[person]] for person in votes.votes[:, 1]]
    is_earlier = pd.Series(votes.votes[:, 1]).duplicated(keep="last")
    gaps = pd.Series(column).where(is_earlier)
    for groups in (column, gaps, pd.Series(mapping)):
        found = annotators(votes, groups, n_permutations=20, random_state=0).groups
        assert_allclose(found.p_value, expected.p_value)
        assert_allclose(found.within, expected.within)


def test_annotator_in_two_groups_raises(rng):
    votes = read(simulate(rng, rng.dirichlet([1, 1, 1], 40), np.full(6, 0.9), 4))
    column = np.where(votes.votes[:, 1] % 2, "A", "B")
    column[-1] = "C"
    name = votes.annotators[votes.votes[-1, 1]]
    with pytest.raises(TableError, match=f"Annotator {name} has two groups, '[AB]' and 'C'"):
        annotators(votes, column)


def test_invalid_calls():
    table = pd.DataFrame({"ann": ["joy", "fear"], "bob": ["joy", "joy"]})
    votes = from_votes(table, annotators=["ann", "bob"])
    with pytest.raises(TableError, match=r"3 groups for 4 votes.*one group per vote"):
        annotators(votes, ["A", "A", "B"])
    with pytest.raises(TableError, match=r"Two groups .* \['A'\]"):
        annotators(votes, {"ann": "A", "bob": "A"})
    with pytest.raises(TableError, match="annotators are unknown"):
        annotators(from_votes([[1, 2]]))
    with pytest.raises(TableError, match=r"two or more votes are for the same label, so agreement"):
        annotators(from_votes(table[:1], annotators=["ann", "bob"]))
    with pytest.raises(TableError, match="No item has two votes"):
        annotators(from_votes(table[["ann"]], annotators=["ann"]))
    once = pd.DataFrame({"item": [1, 1, 2, 2], "who": [*"abcd"], "label": ["joy", "fear"] * 2})
    with pytest.raises(TableError, match="too few votes on the same items"):
        annotators(read(once))
    for level in (0, 1, 95, -0.5, np.nan):
        with pytest.raises(ValueError, match=r"confidence_level must be between 0 and 1; got"):
            annotators(votes, confidence_level=level)
    several = pd.DataFrame({"ann": ["joy;fear"], "bob": ["joy"]})
    with pytest.raises(TableError, match="more than once"):
        annotators(from_votes(several, annotators=["ann", "bob"], separator=";"))
