"""Agreement of annotators, against loops over pairs, permuted votes and simulated annotators."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist.exceptions import LabelWarning, TableError
from labeldist.votes import GroupAgreement, agreement, annotators, from_votes
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


def is_equal(a, b):
    return float(a == b)


def ordinal_agreement(table):
    """Return 1 − the distance of two labels: the squared number of votes between them.

    The votes for either label count half. The largest distance of labels with votes is 1. Items
    with one vote do not count.
    """
    paired = table[table.groupby("item")["label"].transform("size") > 1]
    times = paired["label"].value_counts()

    def distance(a, b):
        between = times[(times.index >= min(a, b)) & (times.index <= max(a, b))].sum()
        return (between - (times[a] + times[b]) / 2) ** 2

    largest = max(distance(a, b) for a in times.index for b in times.index)
    return lambda a, b: 1 - distance(a, b) / largest


def beyond_others_by_loops(table, person, agree=is_equal):
    """Return (o − e) − (o' − e') of an annotator, by loops over pairs of items."""
    own, others = [], []
    for _, votes in table.groupby("item"):
        labels = votes.set_index("who")["label"]
        if person in labels and len(labels) > 2:
            own.append(labels[person])
            others.append(labels.drop(person).tolist())
    n = len(own)
    pairs_of_items = [(i, j) for i in range(n) for j in range(n) if i != j]
    o = np.mean([np.mean([agree(own[i], b) for b in others[i]]) for i in range(n)])
    e = np.mean([np.mean([agree(own[i], b) for b in others[j]]) for i, j in pairs_of_items])
    o_others = np.mean([np.mean([agree(*ab) for ab in combinations(row, 2)]) for row in others])
    e_others = np.mean(
        [np.mean([agree(*ab) for ab in product(others[i], others[j])]) for i, j in pairs_of_items]
    )
    return (o - e) - (o_others - e_others)


def test_agreement_equals_loops_over_items(rng):
    table = simulate(rng, rng.dirichlet([0.5, 1.0, 0.5], 40), np.full(6, 0.8), 4)
    pair = pd.DataFrame({"item": [99, 99, 98], "who": [0, 1, 0], "label": [1, 1, 2]})
    votes = read(pd.concat([table, pair]))
    result = annotators(votes)
    expected = [beyond_others_by_loops(table, person) for person in votes.annotators]
    assert_allclose(result.agreement, expected)
    assert result.n_votes.tolist() == [
        np.count_nonzero(table["who"] == person) for person in votes.annotators
    ]


def test_ordinal_agreement_equals_loops_over_items(rng):
    table = simulate(rng, rng.dirichlet([0.5, 1.0, 0.5, 0.8], 40), np.full(6, 0.8), 4)
    few = pd.DataFrame({"item": [99, 99, 98], "who": [0, 1, 0], "label": [1, 1, 2]})
    table = pd.concat([table, few])
    votes = read(table)
    agree = ordinal_agreement(table)
    expected = [beyond_others_by_loops(table, person, agree) for person in votes.annotators]
    result = annotators(votes, level="ordinal")
    assert_allclose(result.agreement, expected)
    assert result.level == "ordinal"
    assert np.abs(result.agreement - annotators(votes).agreement).max() > 0.02


def test_nominal_and_ordinal_are_equal_for_two_labels_with_votes(rng):
    table = simulate(rng, rng.dirichlet([1, 1], 40), np.full(6, 0.8), 4)
    groups = dict(enumerate("AAABBB"))
    votes = from_votes(
        table, item="item", annotator="who", label="label", label_names=["0", "2", "1", "3"]
    )
    nominal, ordinal = (annotators(votes, groups, level=one) for one in ("nominal", "ordinal"))
    assert nominal.level == annotators(votes).level == "nominal"
    for name in ("agreement", "lower", "upper"):
        assert_allclose(getattr(ordinal, name), getattr(nominal, name), atol=1e-12)
    assert_allclose(ordinal.groups.within, nominal.groups.within)
    assert_allclose(ordinal.groups.p_value, nominal.groups.p_value)


def test_order_of_labels_matters_for_ordinal_only(rng):
    table = simulate(rng, rng.dirichlet([0.5, 1.0, 0.5, 0.8], 40), np.full(6, 0.8), 4)
    names = {"item": "item", "annotator": "who", "label": "label"}
    groups = dict(enumerate("AAABBB"))

    def found(order, level):
        votes = from_votes(table, **names, label_names=list(order))
        result = annotators(votes, groups, level=level, random_state=0)
        by_name = result.to_frame().sort_values("annotator")["agreement"]
        return np.concatenate([by_name, result.groups.within, result.groups.across])

    assert_allclose(found("0213", "nominal"), found("0123", "nominal"))
    assert np.abs(found("0213", "ordinal") - found("0123", "ordinal")).max() > 0.02
    assert_allclose(found("3210", "ordinal"), found("0123", "ordinal"))


def test_disagreement_with_neighbours_is_smaller():
    """ann is one step beside the others, and zoe is four."""
    labels = [1, 2, 3, 4, 5] * 6
    table = pd.DataFrame(dict.fromkeys(("bob", "cy", "dee"), labels))
    table["ann"] = [2, 3, 4, 5, 4] * 6
    table["zoe"] = [5, 5, 1, 1, 1] * 6
    votes = from_votes(table, annotators=list(table))
    nominal = annotators(votes).to_frame().set_index("annotator")["agreement"]
    ordinal = annotators(votes, level="ordinal").to_frame().set_index("annotator")["agreement"]
    assert nominal["ann"] == pytest.approx(nominal["zoe"], abs=0.1)
    assert ordinal["ann"] > ordinal["zoe"] + 0.5


def with_permuted_votes(rng, table):
    """Return the table after a permutation of the votes on each item: nobody differs."""
    shuffled = table.assign(order=rng.random(len(table))).sort_values(["item", "order"])
    return table.sort_values("item").assign(label=shuffled["label"].to_numpy())


def test_mean_agreement_of_permuted_votes_is_zero(rng):
    """The items of some annotators are easy, and no annotator is better than another."""
    easy = rng.dirichlet([0.05, 0.05, 0.05], 40)
    hard = rng.dirichlet([5, 5, 5], 40)
    table = pd.concat(
        [
            simulate(rng, easy, np.ones(5), 4),
            simulate(rng, hard, np.ones(5), 4).assign(who=lambda t: t["who"] + 5),
        ]
    )
    table["item"] = np.repeat(np.arange(80), 4)
    found = []
    for _ in range(40):
        result = annotators(read(with_permuted_votes(rng, table)))
        found.append(result.to_frame().sort_values("annotator")["agreement"])
    standard_error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0)) < 3.5 * standard_error).all()


def with_hard_items(rng, truth):
    """Make the distributions of most items nearly certain."""
    is_easy = rng.random(len(truth)) < 0.6
    certain = np.eye(truth.shape[1])[truth.argmax(axis=1)]
    return np.where(is_easy[:, None], 0.05 * truth + 0.95 * certain, truth)


# name: labels' concentration, items, annotators, votes per item, whether items differ in difficulty
DESIGNS = {
    "850 annotators, 61 votes each": ([0.5] * 5, 6480, 850, 8, False, 2),
    "850 annotators, binary, unequal items": ([0.5] * 2, 10_370, 850, 5, True, 2),
    "6 annotators, all items, binary": ([1.0] * 2, 30, 6, 6, False, 150),
    "6 annotators, all items, binary, unequal items": ([0.5] * 2, 30, 6, 6, True, 150),
    "6 annotators, all items, 5 labels": ([0.5] * 5, 100, 6, 6, False, 150),
    "6 annotators, 12 items, 5 labels": ([0.5] * 5, 12, 6, 6, False, 150),
    "6 annotators, 3 votes per item, binary": ([0.7] * 2, 60, 6, 3, False, 150),
    "6 annotators, 4 votes per item, unequal items": ([0.5] * 5, 40, 6, 4, True, 150),
    "40 annotators, 3 votes per item, 5 labels": ([0.5] * 5, 200, 40, 3, False, 40),
    "40 annotators, one frequent label": ([0.9, 0.1], 300, 40, 5, False, 40),
}


@pytest.mark.slow
@pytest.mark.parametrize("level", ["nominal", "ordinal"])
@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_intervals_of_permuted_votes_contain_zero_at_their_level(design, level, rng):
    alpha, n_items, n_annotators, n_per_item, unequal, n_repeats = design
    outside = []
    for _ in range(n_repeats):
        truth = rng.dirichlet(alpha, n_items)
        truth = with_hard_items(rng, truth) if unequal else truth
        table = simulate(rng, truth, np.ones(n_annotators), n_per_item)
        found = annotators(read(with_permuted_votes(rng, table)), level=level)
        outside.append((found.lower > 0) | (found.upper < 0))
    share = np.concatenate(outside).mean()
    print(f"{share:.3f} of {np.size(outside)} intervals outside zero")
    assert 0.03 < share < 0.07


def test_easy_items_do_not_raise_the_agreement(rng):
    """An annotator of items that all others agree on is not better than the others."""
    truth = np.vstack([rng.dirichlet([0.02, 0.02], 100), rng.dirichlet([3, 3], 100)])
    table = simulate(rng, truth, np.ones(8), 4)
    table["who"] += 8 * (table["item"] >= 100)
    found = annotators(read(table)).to_frame().set_index("annotator")["agreement"]
    assert found[:8].mean() == pytest.approx(0, abs=1e-2)
    assert found[8:].mean() == pytest.approx(0, abs=1e-2)
    assert found.abs().max() < 0.15


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
        found = annotators(votes)
        assert found.agreement.argmin() == constant
        assert found.upper[constant] < 0
        observed = agreement(votes, n_resamples=2).by_annotator
        n_ranked_above_by_observed_agreement += observed[constant] > np.median(observed)
    if max(alpha) > 0.8 * sum(alpha):
        assert n_ranked_above_by_observed_agreement > 2


def test_variances_are_those_of_repeated_simulations(rng):
    """Both variances are right if nobody differs; the observed one also for careless annotators."""
    for care in (np.ones(12), np.tile([0.1, 0.5, 0.8, 1.0], 3)):
        estimates, permuted, observed = [], [], []
        for _ in range(80):
            votes = read(simulate(rng, rng.dirichlet([0.5, 1, 0.5], 200), care, 5))
            compared = _compare_with_others(votes, votes.votes, np.eye(len(votes.label_names)))
            order = np.argsort(votes.annotators)
            estimates.append(compared.agreement[order])
            permuted.append(compared.permuted_variance[order])
            observed.append(compared.observed_variance[order])
        expected = np.var(estimates, axis=0).mean()
        assert np.mean(observed) == pytest.approx(expected, rel=0.12)
        if care.min() == 1:
            assert np.mean(permuted) == pytest.approx(expected, rel=0.12)


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


@pytest.mark.parametrize("care", [np.linspace(0.1, 1, 12), np.r_[0.0, np.ones(11)]], ids=len)
def test_intervals_cover_the_agreement_with_many_votes(care, rng):
    many = annotators(read(simulate(rng, rng.dirichlet([0.5, 1, 0.5], 20_000), care, 5)))
    truth = dict(zip(many.annotators, many.agreement, strict=True))
    inside = []
    for _ in range(40):
        few = read(simulate(rng, rng.dirichlet([0.5, 1, 0.5], 100), care, 5))
        found = annotators(few, coverage=0.9)
        known = np.array([truth[person] for person in found.annotators])
        inside.append((found.lower <= known) & (known <= found.upper))
    assert np.concatenate(inside).mean() == pytest.approx(0.9, abs=0.04)
    assert min(truth.values()) < -0.05


def test_interval_inverts_the_test(rng):
    """The bounds solve (bound − estimate)² = q² · variance, which rises from 0 to the estimate."""
    care = np.r_[0.0, np.ones(7)]
    votes = read(simulate(rng, rng.dirichlet([0.3, 0.3], 60), care, 4))
    compared = _compare_with_others(votes, votes.votes, np.eye(len(votes.label_names)))
    found = annotators(votes)
    start, end = compared.permuted_variance, compared.observed_variance
    end = np.maximum(start, end)
    for bounds in (found.lower, found.upper):
        way = np.clip(bounds / found.agreement, 0, 1)
        variance = start + way * (end - start)
        assert_allclose((bounds - found.agreement) ** 2, 1.959964**2 * variance, rtol=1e-5)
    assert (found.lower < found.agreement).all()
    assert (found.agreement < found.upper).all()


def test_coverage_sets_the_width(rng):
    votes = read(simulate(rng, rng.dirichlet([1, 1], 100), np.full(5, 0.8), 3))
    wide = annotators(votes, coverage=0.99)
    narrow = annotators(votes, coverage=0.5)
    assert (wide.lower < narrow.lower).all()
    assert (wide.upper > narrow.upper).all()
    beyond = np.where(wide.agreement > 0, wide.upper, wide.lower) - wide.agreement
    beyond_narrow = np.where(wide.agreement > 0, narrow.upper, narrow.lower) - wide.agreement
    assert_allclose(beyond / beyond_narrow, 2.5758 / 0.6745, rtol=1e-3)


def test_annotator_with_one_vote_has_no_agreement(rng):
    table = simulate(rng, rng.dirichlet([1, 1], 30), np.ones(5), 4)
    one = pd.DataFrame({"item": [0], "who": [99], "label": [1]})
    found = annotators(read(pd.concat([table, one]))).to_frame().set_index("annotator")
    assert found.loc[99].isna().tolist() == [False, True, True, True]
    assert found.drop(99).notna().all(axis=None)


def test_repr_counts_intervals_without_zero(rng):
    table = simulate(rng, rng.dirichlet([0.1, 0.1], 200), np.r_[0.0, np.ones(5)], 4)
    found = annotators(read(table))
    n_above = np.count_nonzero(found.lower > 0)
    assert repr(found) == f"Annotators(6 annotators, 1 interval below 0, {n_above} above)"


def test_order_of_annotators_and_names_of_labels_do_not_matter(rng):
    table = simulate(rng, rng.dirichlet([1, 1, 1], 60), np.linspace(0.2, 0.9, 6), 3)
    found = annotators(read(table)).to_frame().sort_values("annotator")
    renamed = table.assign(label=table["label"].map({0: "z", 1: "a", 2: "m"}))
    other = annotators(read(renamed.sample(frac=1, random_state=0))).to_frame()
    pd.testing.assert_frame_equal(
        found.reset_index(drop=True), other.sort_values("annotator").reset_index(drop=True)
    )


def test_full_agreement_on_few_items_is_not_certain():
    labels = ["joy", "fear"]
    table = pd.DataFrame({"ann": labels, "bob": labels, "cy": labels})
    votes = [from_votes(pd.concat([table] * n), annotators=["ann", "bob", "cy"]) for n in (1, 20)]
    few, many = map(annotators, votes)
    assert_allclose([few.agreement, many.agreement], 0, atol=1e-12)
    assert (few.lower < -0.5).all()
    assert (few.upper > 0.2).all()
    assert_allclose(many.lower, -0.05, atol=0.01)


def kappa_of_pairs(table, choose, agree=is_equal):
    """Return the agreement beyond chance of the pairs of annotators that are chosen."""
    rows = list(table.itertuples(index=False))
    pairs = [(a, b) for a, b in combinations(rows, 2) if choose(a.who, b.who)]
    on_item = [agree(a.label, b.label) for a, b in pairs if a.item == b.item]
    chance = np.mean([agree(a.label, b.label) for a, b in pairs])
    return (np.mean(on_item) - chance) / (1 - chance)


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_groups_equal_loops_over_pairs(level, rng):
    table = simulate(rng, rng.dirichlet([1, 1, 1], 40), np.full(7, 0.9), 4)
    groups = {0: "A", 1: "A", 2: "A", 3: "B", 4: "B", 5: "C", 6: None}
    agree = is_equal if level == "nominal" else ordinal_agreement(table)
    options = {"level": level, "n_permutations": 5, "random_state": 0}
    found = annotators(read(table), groups, **options).groups
    assert found.names == ["A", "B", "C"]
    assert found.n_annotators.tolist() == [3, 2, 1]
    grouped = table[table["who"] != 6]
    for k, name in enumerate("AB"):

        def within(a, b, name=name):
            return groups[a] == groups[b] == name

        def across(a, b, name=name):
            return (groups[a] == name) != (groups[b] == name)

        assert found.across[k] == pytest.approx(kappa_of_pairs(grouped, across, agree))
        assert found.within[k] == pytest.approx(kappa_of_pairs(grouped, within, agree))
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


def test_few_assignments_are_enumerated():
    """With 3 + 3 annotators, the most extreme of 20 assignments has p = 1/20."""
    one = {person: ["x", "y", "x", "y"] for person in "abc"}
    other = {person: ["x", "x", "y", "y"] for person in "def"}
    votes = from_votes(pd.DataFrame(one | other), annotators=list("abcdef"))
    groups = dict(zip("abcdef", "AAABBB", strict=True))
    found = annotators(votes, groups, random_state=0).groups
    assert_allclose(found.within, 1)
    assert_allclose(found.across, 0)
    assert_allclose(found.smallest_p_value, 1 / 20)
    assert_allclose(found.p_value, 2 / 20)  # both groups agree within, so B in place of A as well
    other["e"] = ["y", "y", "x", "x"]
    votes = from_votes(pd.DataFrame(one | other), annotators=list("abcdef"))
    found = annotators(votes, groups, random_state=1).groups
    assert found.p_value[0] == pytest.approx(1 / 20)


def test_exact_p_values_are_multiples_of_their_smallest(rng):
    table = simulate(rng, rng.dirichlet([1, 1], 40), np.ones(7), 5)
    groups = dict(enumerate("AAABBBB"))
    found = annotators(read(table), groups).groups
    assert_allclose(found.smallest_p_value, [1 / 35, 1 / 35])
    assert_allclose(found.p_value * 35 % 1, 0, atol=1e-9)
    assert found.p_value.min() > 0
    sampled = annotators(read(table), groups, n_permutations=30, random_state=0).groups
    assert_allclose(sampled.smallest_p_value, [1 / 31, 1 / 31])
    assert_allclose(sampled.p_value, found.p_value, atol=0.3)


def test_exact_p_values_without_meaning_are_valid(rng):
    p_values = []
    for _ in range(60):
        votes = read(simulate(rng, rng.dirichlet([1, 1], 20), np.ones(6), 6))
        p_values.append(annotators(votes, dict(enumerate("AAABBB"))).groups.p_value[0])
    assert 0.35 < np.mean(p_values) < 0.68
    assert np.mean(np.array(p_values) <= 0.101) < 0.25


def test_groups_that_are_many_numbers_raise(rng):
    votes = read(simulate(rng, rng.dirichlet([1, 1], 60), np.ones(40), 4))
    ages = {person: 18 + person % 20 for person in range(40)}
    with pytest.raises(TableError, match=r"20 numbers from 18 to 37\. Form a few groups"):
        annotators(votes, ages)
    texts = {person: str(age) for person, age in ages.items()}
    with pytest.raises(TableError, match="20 numbers from 18 to 37"):
        annotators(votes, texts)
    decades = {person: age // 10 for person, age in ages.items()}
    assert annotators(votes, decades, n_permutations=5).groups.names == [1, 2, 3]


def test_many_groups_of_one_annotator_warn(rng):
    votes = read(simulate(rng, rng.dirichlet([1, 1], 40), np.ones(6), 4))
    with pytest.warns(LabelWarning, match="3 of 4 groups have one annotator"):
        annotators(votes, dict(enumerate("AAABCD")), n_permutations=5)


def test_groups_are_printed_as_a_table(rng):
    votes = read(simulate(rng, rng.dirichlet([1, 1], 40), np.ones(6), 4))
    groups = annotators(votes, dict(enumerate("AAABBB"))).groups
    assert isinstance(groups, GroupAgreement)
    table = groups.to_frame()
    assert table.columns.tolist() == [
        "group", "annotators", "within", "across", "p", "smallest_p"
    ]  # fmt: skip
    assert_allclose(table["p"], groups.p_value)
    header, first, _ = repr(groups).splitlines()
    assert header.split() == table.columns.tolist()
    assert first.split()[:2] == ["A", "3"]


def test_groups_are_compared_with_two_votes_per_item(rng):
    votes = read(simulate(rng, rng.dirichlet([1, 1], 60), np.ones(6), 2))
    with pytest.warns(LabelWarning, match="items with three votes"):
        found = annotators(votes, dict(enumerate("AAABBB")))
    assert np.isnan(found.agreement).all()
    assert np.isfinite(found.groups.p_value).all()


def test_empty_cells_and_series_of_groups_equal_mapping(rng):
    votes = read(simulate(rng, rng.dirichlet([1, 1, 1], 40), np.full(6, 0.9), 4))
    mapping = {person: "AB"[person % 2] for person in range(6)}
    expected = annotators(votes, mapping, n_permutations=20, random_state=0).groups
    column = [mapping[votes.annotators[person]] for person in votes.votes[:, 1]]
    is_earlier = pd.Series(votes.votes[:, 1]).duplicated(keep="last")
    gaps = pd.Series(column).where(is_earlier)
    texts = {str(person): group for person, group in mapping.items()}
    for groups in (column, gaps, pd.Series(mapping), texts):
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


TABLE = pd.DataFrame({"ann": ["joy", "fear"], "bob": ["joy", "joy"], "cy": ["joy", "fear"]})
ONCE = pd.DataFrame({"item": [1, 1, 2, 2], "who": [*"abcd"], "label": ["joy", "fear"] * 2})


def in_columns(table, **options):
    return from_votes(table, annotators=list(table), **options)


INVALID_OPTIONS = [
    (["A", "A", "B"], {}, r"3 groups for 6 votes.*one group per vote"),
    (dict.fromkeys(TABLE, "A"), {}, r"Two groups .* \['A'\]"),
    *(
        ({"ann": "A", "bob": "B"}, {"n_permutations": number}, f"must be at least 1; got {number}")
        for number in (0, -1)
    ),
    (None, {"level": "ratio"}, "level must be 'nominal' or 'ordinal'; got 'ratio'"),
    *(
        (None, {"coverage": level}, "coverage must be between 0 and 1; got")
        for level in (0, 1, 95, -0.5, np.nan)
    ),
]


@pytest.mark.parametrize(("groups", "options", "message"), INVALID_OPTIONS)
def test_invalid_options_raise(groups, options, message):
    with pytest.raises((TableError, ValueError), match=message):
        annotators(in_columns(TABLE), groups, **options)


@pytest.mark.parametrize(
    ("votes", "message"),
    [
        (from_votes([[1, 2]]), "annotators are unknown"),
        (in_columns(TABLE[["ann", "bob"]][:1]), "two or more votes are for the same label, so"),
        (in_columns(TABLE[["ann"]]), "No item has two votes"),
        (in_columns(TABLE[:1] + ";fear", separator=";"), "more than once"),
    ],
)
def test_votes_without_a_defined_agreement_raise(votes, message):
    with pytest.raises(TableError, match=message):
        annotators(votes)


@pytest.mark.parametrize("votes", [in_columns(TABLE[["ann", "bob"]]), read(ONCE)])
def test_annotators_without_two_items_with_three_votes_warn(votes):
    with pytest.warns(LabelWarning, match="No annotator has votes on two items with three"):
        found = annotators(votes)
    assert np.isnan([found.agreement, found.lower, found.upper]).all()
