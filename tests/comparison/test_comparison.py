"""Means, ranks, tests, tables and the picture of a comparison of known values."""

from itertools import product

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from labeldist.comparison import Comparison, Record, corrected_t_test, holm, signed_rank_test
from labeldist.comparison._comparison import Cell


def comparison_of(table, *, measure="clark", n_folds=1, **options):
    """Return a comparison; `table` has distances of methods on data sets, equal in all folds."""
    records = []
    for method, distances in table.items():
        for dataset, distance in distances.items():
            value = 1 - distance if measure == "cosine" else distance
            records += [
                Record(method, dataset, fold, measure, value + fold / 1000)
                for fold in range(n_folds)
            ]
    return Comparison(records, **options)


FOUR = {
    "A": {"s": 0.1, "t": 0.1, "u": 0.1, "v": 0.2},
    "B": {"s": 0.2, "t": 0.2, "u": 0.2, "v": 0.1},
    "C": {"s": 0.3, "t": 0.3, "u": 0.3, "v": 0.3},
}


@pytest.mark.parametrize("measure", ["clark", "cosine"])
def test_ranks_follow_the_direction_and_share_ties(measure):
    found = comparison_of({"A": {"s": 0.1}, "B": {"s": 0.2}, "C": {"s": 0.2}}, measure=measure)
    assert found.ranks(measure) == {"A": 1.0, "B": 2.5, "C": 2.5}


def test_equal_methods_are_both_the_best_of_a_table():
    found = comparison_of({"A": {"s": 0.2}, "B": {"s": 0.1}, "C": {"s": 0.1}})
    assert "| 0.2000 (3) | **0.1000 (1)** | **0.1000 (1)** |" in found.to_markdown("clark")


def test_friedman_and_nemenyi_equal_formulas():
    found = comparison_of(FOUR).test("clark")
    # The rank sums are 5, 7 and 12; χ² has two degrees of freedom.
    by_hand = 12 / (4 * 3 * 4) * (5**2 + 7**2 + 12**2) - 3 * 4 * 4
    assert_allclose([found.statistic, found.pvalue], [by_hand, np.exp(-by_hand / 2)])
    assert found.ranks == {"A": 5 / 4, "B": 7 / 4, "C": 3.0}
    # q = 2.343 for three methods (Demšar, table 5).
    assert found.critical_difference == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 4)), rel=1e-3)


def test_no_friedman_of_two_methods():
    two = {name: FOUR[name] for name in ("A", "B")}
    found = comparison_of(two).test("clark")
    assert np.isnan(found.pvalue)
    assert "nan" not in str(found)


def test_tests_over_sets_are_corrected():
    sets = [f"set {k}" for k in range(6)]
    table = {
        "base": dict.fromkeys(sets, 0.1),
        "worse": {name: 0.2 + k / 100 for k, name in enumerate(sets)},
        "far": {name: 0.5 + k / 100 for k, name in enumerate(sets)},
        "same": dict.fromkeys(sets, 0.1),
    }
    found = comparison_of(table).test("clark", against="base").over_sets
    # The exact p-value of six wins is 2 / 2⁶, multiplied by the number of tests.
    assert_allclose([found[name].pvalue for name in ("worse", "far", "same")], [3 / 32, 3 / 32, 1])
    counts = [(test.wins, test.ties, test.losses) for test in found.values()]
    assert counts == [(6, 0, 0), (6, 0, 0), (0, 6, 0)]
    assert comparison_of(table).test("clark", against="far").over_sets["base"].lead < 0


@pytest.mark.parametrize(("measure", "sign"), [("clark", 1), ("cosine", -1)])
def test_tests_per_set_use_the_folds(measure, sign):
    leads = [0.1, 0.3, 0.2, 0.4]
    records = [Record("A", "s", fold, measure, 0.5) for fold in range(4)]
    records += [Record("B", "s", fold, measure, 0.5 + lead) for fold, lead in enumerate(leads)]
    records += [Record(name, "t", fold, measure, 0.5) for name in "AB" for fold in range(4)]
    found = Comparison(records).test(measure, against="A").per_set["B"]
    t = np.mean(leads) / (np.std(leads, ddof=1) * np.sqrt(1 / 4 + 1 / 3))
    assert_allclose(found["s"].pvalue, 2 * 2 * stats.t.sf(t, 3))  # two sets
    assert_allclose(found["s"].lead, sign * 0.25)
    assert found["t"].pvalue == 1
    assert Comparison(records, cross_validated=False).test(measure).per_set == {}


def test_corrected_t_test_has_its_size_on_a_cross_validated_mean(rng):
    pvalues = []
    for _ in range(400):
        rows = rng.normal(size=100)
        folds = np.array_split(rows, 10)
        # A "method" that differs by what it learnt from the training rows, without a true lead.
        learnt = [(rows.sum() - fold.sum()) / 90 for fold in folds]
        leads = [fold.mean() - mean for fold, mean in zip(folds, learnt, strict=True)]
        pvalues.append(corrected_t_test(leads).pvalue)
    assert np.mean(np.array(pvalues) < 0.05) < 0.05


def test_corrected_t_test_of_equal_leads():
    assert corrected_t_test([0.1, 0.1, 0.1]).pvalue == 1
    assert corrected_t_test([0.1 + 0.2, 0.3, 0.3]).pvalue == 1


def test_holm_ignores_nan():
    assert_allclose(holm([0.01, np.nan, 0.04, 0.03]), [0.03, np.nan, 0.06, 0.06])


@pytest.mark.parametrize(
    "leads",
    [
        [0.1, 0.2, 0.3, 0.4, 0.5, 0],
        [0.1] * 4,
        [0.2] * 6,
        [0.1, 0.1, -0.1, 0.3, -0.2, 0.2, 0.0, 0.2],
        [0.1 + 0.2, -0.3, 0.4, 0.5],  # the first two tie up to rounding
        [0.5, 0.3 - (0.1 + 0.2)],
    ],
)
def test_pvalues_of_ties_and_zeros_equal_all_assignments_of_signs(leads):
    sizes = np.round(np.abs(leads), 12)
    signs = np.sign(leads)[sizes > 0]
    ranks = stats.rankdata(sizes[sizes > 0])
    sums = [abs(np.dot(assigned, ranks)) for assigned in product([-1, 1], repeat=len(ranks))]
    expected = np.mean(np.array(sums) >= abs(signs @ ranks))
    assert signed_rank_test(leads).pvalue == pytest.approx(expected, rel=1e-12)


def test_pvalues_are_exact_up_to_25_leads(rng):
    leads = rng.normal(0.3, 1, 26)
    for n, method in ((25, "exact"), (26, "approx")):
        expected = stats.wilcoxon(leads[:n], method=method).pvalue
        assert signed_rank_test(leads[:n]).pvalue == pytest.approx(expected, rel=1e-12)
        with_zero = np.append(leads[:n], 0)
        assert signed_rank_test(with_zero).pvalue == pytest.approx(expected, rel=1e-12)
    assert np.isnan(signed_rank_test([0.1, np.nan]).pvalue)
    assert signed_rank_test([np.inf, 0.1, 0.2, -np.inf]) == signed_rank_test([5, 0.1, 0.2, -5])


def test_signed_ranks_with_ties_and_zeros():
    found = signed_rank_test([0.0, 0.1, 0.1, -0.2])
    assert (found.wins, found.ties, found.losses, found.lead) == (2, 1, 1, 0.0)


def test_sets_with_gaps_and_methods_without_values_do_not_count():
    table = FOUR | {"D": {"s": 0.4, "t": 0.4, "u": 0.4}}
    records = [*comparison_of(table).records, Record("E", "s", 0, "", np.nan, reason="too slow")]
    found = Comparison(records)
    assert found.ranks("clark") == {"A": 1.0, "B": 2.0, "C": 3.0, "D": 4.0}
    assert np.isnan(found.means("clark")[3, 3])
    assert found.cells("clark")["s"]["E"].text == "failed"
    assert found.test("clark", against="E").over_sets == {}


def test_missing_folds_remove_the_mean():
    records = comparison_of({"A": {"s": 0.1}, "B": {"s": 0.2}}, n_folds=3).records[:-1]
    found = Comparison(records)
    assert found.cells("clark")["s"]["B"].text == "lacks folds"
    assert found.cells("clark")["s"]["A"].text == "0.1010 ± 0.0010 (1)"
    assert found.ranks("clark") == {"A": 1.0}


def test_tables_show_the_best_in_bold_and_average_ranks():
    found = comparison_of(FOUR)
    lines = found.to_markdown("clark", caption="Mine").splitlines()
    assert lines[0] == "Mine"
    assert lines[4] == "| s | **0.1000 (1)** | 0.2000 (2) | 0.3000 (3) |"
    assert lines[-1] == "| average rank | 1.25 | 1.75 | 3.00 |"
    renamed = [record._replace(dataset=f"{record.dataset}_1%") for record in found.records]
    latex = Comparison(renamed).to_latex("clark")
    assert r"s\_1\% & \textbf{0.1000 (1)} & 0.2000 (2)" in latex
    assert latex.count(r"\begin{tabular}{lrrr}") == latex.count(r"\end{tabular}") == 1


@pytest.mark.parametrize(
    ("deviation", "text"),
    [
        (0.00057, "0.01220 ± 0.00057 (1)"),
        (0.0000099, "0.0122000 ± 0.0000099 (1)"),
        (0.02, "0.0122 ± 0.0200 (1)"),
        (1e-17, "0.0122 ± 0.0000 (1)"),
        (0.0, "0.0122 ± 0.0000 (1)"),
        (np.nan, "0.0122 (1)"),
    ],
)
def test_cells_have_two_digits_of_the_deviation(deviation, text):
    assert Cell(0.0122, deviation, 1, "").text == text


def test_latex_of_many_methods_has_one_row_per_method_on_short_lines():
    table = {f"method {k}": {f"set {j}": k / 100 + j for j in range(20)} for k in range(32)}
    lines = comparison_of(table).to_latex("clark").splitlines()
    assert max(map(len, lines)) <= 100
    assert r"\begin{tabular}{l" + "r" * 21 + "}" in lines
    assert sum(line.startswith("method ") for line in lines) == 33
    few = {name: {"s": table[name]["set 0"]} for name in ("method 0", "method 1")}
    rows = comparison_of(few).to_latex("clark").splitlines()[4:11]
    assert rows == [
        r"\toprule",
        r"method & s & average rank \\",
        r"\midrule",
        r"method 0 & \textbf{0.0000 (1)} & 1.00 \\",
        r"method 1 & 0.0100 (2) & 2.00 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_names_are_escaped_in_latex():
    latex = comparison_of({"${x}^2~": {"s": 0.1}}).to_latex("clark")
    assert r"data set & \$\{x\}\textasciicircum{}2\textasciitilde{} \\" in latex


def test_summary_names_methods_and_clear_wins():
    found = comparison_of(FOUR, n_folds=3).test("clark", against="C")
    assert "A: better on 0 sets (0 clearly), worse on 4 (0 clearly)" in str(found)


def test_wins_and_clear_wins_are_of_the_same_sets():
    records = [
        Record(method, dataset, fold, "clark", distance + noise * (method != "A"))
        for method, distance in {"A": 0.1, "B": 0.2, "C": 0.3}.items()
        for dataset in "stuv"
        for fold, noise in enumerate([0.0, 0.001, 0.002])
        if method != "C" or dataset == "s"  # on one set only
    ]
    found = Comparison(records).test("clark", against="A")
    assert len(found.per_set["B"]) == 4
    assert "B: better on 1 set (1 clearly), worse on 0 (0 clearly)" in str(found)


def test_picture_has_ranks_and_groups():
    display = comparison_of(FOUR).plot("clark")
    texts = [text.get_text() for text in display.ax_.texts]
    assert texts == ["A 1.25", "B 1.75", "C 3.00"]
    assert display.groups == [(0, 1), (1, 2)]
    figure = mpl.figure.Figure()
    ax = figure.add_subplot()
    assert comparison_of(FOUR).plot("clark", ax=ax).ax_ is ax


def test_unknown_names_raise():
    with pytest.raises(ValueError, match="clark"):
        comparison_of(FOUR).ranks("chebyshev")
    with pytest.raises(ValueError, match="A, B, C"):
        comparison_of(FOUR).test("clark", against="D")
