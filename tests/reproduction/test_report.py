"""The page stands alone and says what the records say."""

import re

import pandas as pd
import pytest

from labeldist.experiments.comparison import compare_stores
from labeldist.experiments.findings import opening
from labeldist.experiments.merging import first_of_each, runs
from labeldist.experiments.report import render, write_report
from labeldist.experiments.verdicts import judge_cells
from tests.experiments.synthetic import SETS, Recorder, make_records
from tests.explorer.poems import EVIL
from tests.pages import Elements


@pytest.fixture(scope="module")
def records():
    return make_records()


@pytest.fixture(scope="module")
def html(records):
    return render(records, "Run & judged")


@pytest.fixture(scope="module")
def elements(html):
    return Elements(html)


def section(html, name):
    return html[html.index(f'<h2 id="{name}">') :].split("<h2 ", 2)[1]


def test_the_page_needs_nothing_from_elsewhere(html, elements):
    assert not elements.of("link", "iframe", "object", "img")
    assert not any("src" in attributes for attributes in elements.of("script"))
    assert not re.search(r"@import|url\(|https?://", html)


def test_the_title_is_escaped_and_the_page_has_one_heading(html, elements):
    assert "<h1>Run &amp; judged</h1>" in html
    assert len(elements.of("h1")) == len(elements.of("main")) == 1
    assert elements.of("html") == [{"lang": "en-GB"}]


def test_the_page_opens_with_the_findings(html, records):
    opened = re.sub(r"\s+", " ", section(html, "findings")).replace("&#39;", "'")
    for finding in opening(records):
        assert finding.heading in opened
        assert len(finding.sentences)


def test_the_strip_counts_the_verdicts(html, records):
    counts = judge_cells(records)["verdict"].value_counts()
    for verdict, number in re.findall(r"<dt>(.*?)</dt><dd>(\d+)</dd>", html):
        assert int(number) == counts.get(verdict, 0)
    assert section(html, "verdicts").split("<section")[0].count('<tr data-verdict="missing">') == counts["missing"]


def test_there_is_a_picture_of_every_figure_of_the_paper(elements):
    names = [attributes["aria-label"] for attributes in elements.of("svg")]
    assert sum(name.startswith("Heat map.") for name in names) == 4
    assert sum("Enhancers before BD-LDL" in name for name in names) == 2
    assert sum("Enhancers before SA-BFGS" in name for name in names) == 2
    assert sum("Gain over UD-" in name for name in names) == 8
    assert all(attributes["role"] == "img" for attributes in elements.of("svg"))


def test_the_best_point_of_a_grid_is_named(html):
    assert "BD-LE on Yeast_cold, Chebyshev ↓: best 0.0" in html
    assert "at α = 10⁻², λ = 10⁻²" in html


def test_failures_are_named_with_their_reason(html):
    row = re.search(
        r"<tr>(?:(?!</tr>).)*the limit of 600 s was exceeded.*?</tr>", section(html, "runs"), re.DOTALL
    ).group()
    assert all(word in row for word in ("Movie", "PT-SVM", "time-out"))


def test_the_page_says_how_to_run_it_again_and_with_what(html):
    assert "labeldist reproduce parameters --store first.sqlite --out results" in html
    assert "labeldist report first.sqlite" in html
    assert "the path of its spec" not in html
    assert "labeldist 0.1.0, numpy 2.3.0" in html


def test_a_page_of_grids_only_has_heat_maps_and_no_tables(records):
    html = render(records[records["kind"] == "grid"].assign(store="my grid.sqlite"), "Grids")
    assert html.count("Heat map.") == 4
    assert "Average rank" not in html
    assert "labeldist report &#39;my grid.sqlite&#39;" in html


def test_one_store_is_compared_with_nothing(html, records):
    assert compare_stores(records) is None
    assert "The runs compared" not in html


def test_the_page_is_written_whole_into_a_new_folder(records, tmp_path, html):
    small = records[records["experiment"] == "le-recovery"]
    path = write_report(small, tmp_path / "out" / "report.html", title="Small")
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [file.name for file in path.parent.iterdir()] == ["report.html"]
    assert "None: every run gave its values." in path.read_text(encoding="utf-8")


def test_no_records_is_an_error_that_says_what_to_do(records, tmp_path):
    with pytest.raises(ValueError, match="labeldist reproduce"):
        write_report(records.iloc[:0], tmp_path / "report.html")


def test_a_users_own_experiment_has_a_page():
    recorder = Recorder("own.sqlite", 0)
    for dataset in ("a", "b <i>"):
        for method in ("mine", "yours", "Mean"):
            recorder.run("my experiment", "prediction", dataset, method, fold=0)
            recorder.run("my experiment", "prediction", dataset, method, fold=1)
    html = render(recorder.table(), "Own")
    assert "my experiment" in section(html, "tables")
    assert "b &lt;i&gt;" in html
    assert "For my experiment, which is not among" in html
    assert "labeldist reproduce &#39;my" not in html
    assert "<i>" not in html


def test_no_name_or_reason_becomes_markup():
    """Names come from anybody's stores, and stand in tables, pictures, scripts and commands."""
    recorder = Recorder(f"{EVIL}.sqlite", 0)
    for dataset in ("plain", f"set {EVIL}"):
        for method in ("BD-LDL", f"method {EVIL}", "Mean"):
            for fold in range(2):
                recorder.run(f"experiment {EVIL}", "prediction", dataset, method, fold=fold, variant=f"variant {EVIL}")
    recorder.run("le-recovery", "recovery", f"set {EVIL}", "ML", reason=f"reason {EVIL}")
    for weight in (0.1, 1.0):
        point = {"reconstruction": weight, f"ridge {EVIL}": weight}
        recorder.run("parameters", "grid", f"set {EVIL}", f"method {EVIL}", variant=EVIL, parameters=point)
    html = render(recorder.table(), f"title {EVIL}")
    assert not Elements(html).of("img", "b")
    assert html.count("</script>") == len(Elements(html).of("script"))
    for what in ("set", "method", "variant", "experiment", "reason", "title"):
        assert f"{what} &lt;/script&gt;" in html


def test_a_run_of_failures_only_has_a_page():
    recorder = Recorder("own.sqlite", 0)
    recorder.run("le-recovery", "recovery", "Movie", "ML", reason="MemoryError: <too> large")
    html = render(recorder.table(), "Failed")
    assert "MemoryError: &lt;too&gt; large" in section(html, "runs")


def test_several_stores_are_not_mixed_but_compared(records):
    second = make_records(store="second.sqlite", seed=1)
    both = pd.concat([records, second], ignore_index=True)
    chosen = first_of_each(both)
    timed_out = chosen["store"] == "second.sqlite"
    assert len(runs(chosen)) == len(runs(records))
    assert not timed_out.any()  # a run that failed everywhere is the first store's
    html = render(both, "Two")
    assert "The runs compared" in html
    table = compare_stores(both)
    assert set(table["Store"]) == {"second.sqlite"}
    assert (table["Largest %"] >= table["Median %"]).all()
    assert table["Largest %"].between(0, 0.12).all()
    assert table.loc[table["Experiment"] == "le-recovery", "Shared"].eq(10 * len(SETS)).all()
