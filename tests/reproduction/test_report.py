"""The HTML report, the findings and the pages of the documentation."""

import base64
import re
from pathlib import Path

import pytest
from defusedxml.ElementTree import fromstring

from reproduction.claims import judge_claims
from reproduction.findings import rewrite_page, summarize
from reproduction.pages import write_pages
from reproduction.report import render
from reproduction.verdicts import VERDICTS, judge_cells
from tests.pages import Elements
from tests.reproduction.record_tables import everything, failure, record, runs, table

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def records():
    return everything(bd_wins=True)


@pytest.fixture(scope="module")
def html(records):
    return render(records)


@pytest.fixture(scope="module")
def elements(html):
    return Elements(html)


def section(html, name):
    return html.split(f'<section id="{name}"')[1].split("</section>")[0]


def test_page_is_self_contained(html, elements):
    assert not elements.of("link", "iframe", "object")
    assert all(image["src"].startswith("data:") for image in elements.of("img"))
    assert not any("src" in attributes for attributes in elements.of("script"))
    assert not re.search(r"@import|url\(|https?://", re.sub(r"base64,[^\"]*", "", html))


def test_text_is_escaped_and_images_have_descriptions(html, elements):
    assert "<h1>Reproduction of the paper</h1>" in html
    assert all(image["alt"] for image in elements.of("img"))
    failed = failure(method="<b>", status="failed", reason="ValueError: singular")
    own = render(table([record(method="<b>", experiment="own"), failed]))
    assert "<b>" not in own
    assert "ValueError: singular" in section(own, "runs")


def test_verdicts_on_all_cells(html, records):
    counts = judge_cells(records)["verdict"].value_counts()
    found = re.findall(r"<dt>(.*?)</dt><dd>(\d+)</dd>", html)
    assert found == [(verdict, str(counts.get(verdict, 0))) for verdict in VERDICTS]
    rows = re.findall(r'<tr data-verdict="(.*?)">', section(html, "verdicts"))
    assert sum(verdict in VERDICTS for verdict in rows) >= counts.sum() == 416


def test_claims_have_verdicts(html, records):
    text = section(html, "claims").replace("&#39;", "'")
    for claim in judge_claims(records)["text"]:
        assert claim in text
    assert text.count('data-verdict="holds"') == 13


def test_tables_statistics_and_figures(html):
    assert html.count('<table class="scores">') == 40
    assert "Friedman" in section(html, "statistics")
    figures = re.findall(
        r'<figure><img alt="(.*?)" src="data:image/svg\+xml;base64,(.*?)"', section(html, "figures")
    )
    assert sum("Yeast_cold" in title for title, _ in figures) == 4
    for _, image in figures[:3]:
        assert fromstring(base64.b64decode(image)).tag.endswith("svg")


def test_findings_count_cells_and_claims(records):
    cells = judge_cells(records)
    text = " ".join(summarize(records, cells, judge_claims(records)))
    counts = cells["verdict"].value_counts()
    assert f"{counts['better']} are better and {counts['worse']} are worse" in text


def test_findings_without_cells_of_the_paper():
    own = table([record(experiment="own")])
    assert "0 of 0" not in " ".join(summarize(own, judge_cells(own), judge_claims(own)))


def test_figures_of_page_are_rewritten(records, tmp_path):
    page = Path(__file__).parents[2] / "docs" / "results" / "reproduction.md"
    copy = tmp_path / "page.md"
    copy.write_text(page.read_text("utf-8"), "utf-8")
    rewrite_page(copy, records)
    before, after = (re.split(r"(<!-- .* -->)", path.read_text("utf-8")) for path in (page, copy))
    own = [after.index(f"<!-- reproduction: {name} -->") + 1 for name in ("findings", "claims")]
    assert [place for place, text in enumerate(before) if text != after[place]] == own
    rest = "".join(after[place] for place in range(len(after)) if place not in own)
    assert not re.search(r"\d", rest.partition("## Results")[2])
    assert f"{records['run'].nunique()} runs" in after[own[0]]
    assert all(evidence in after[own[1]] for evidence in judge_claims(records)["evidence"])


def test_pages_of_documentation(records, tmp_path):
    learners = {"BDLDL()": 0.5, "BDLDL(ridge=10.0)": 0.4, "UD-LDL": 0.3, "Mean": 1.0}
    bayes = {"experiment": "bayes-le", "variant": "recovery"}
    extra = [
        *runs(learners, experiment="defaults", kind="prediction"),
        *runs({"BDLE()": 0.25}, experiment="defaults"),
        *runs({"FCM": 0.1}, experiment="enhancers", variant="softmax"),
        *runs({"FCM": 0.2}, experiment="enhancers", variant="clip"),
        *runs({"BayesLE": 0.1, "LP": 0.2, "KM": 0.3}, **bayes),
    ]
    attributes = [
        record(method="BayesLE", measure=name, value=0.7, **bayes) for name in ("spread_", "noise_")
    ]
    rows = [*records.to_dict("records"), *extra, *attributes]
    pages = write_pages(table(rows), tmp_path)
    texts = {page.stem: page.read_text("utf-8") for page in pages}
    assert set(texts) == {"results", "enhancers", "learners", "defaults", "bayes_le_figures"}
    assert "| BDLDL(ridge=10.0) | 0.4000 |" in texts["defaults"]
    assert "| Yeast_cold | 0.1325 | 0.1000 | 0.2000 |" in texts["enhancers"]
    assert "| Yeast_cold | 0.1000 (LP 0.2000) |" in texts["bayes_le_figures"]
    assert write_pages(table([record(experiment="own")]), tmp_path) == []
