"""The HTML report, the findings and the pages of the documentation."""

import base64
import re

import pytest
from defusedxml.ElementTree import fromstring

from reproduction.claims import judge_claims
from reproduction.figures import cliques
from reproduction.findings import findings_markdown
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
    return render(records, "Run & judged")


@pytest.fixture(scope="module")
def elements(html):
    return Elements(html)


def section(html, name):
    return html.split(f'<section id="{name}"')[1].split("</section>")[0]


def test_page_is_self_contained(html, elements):
    assert not elements.of("link", "iframe", "object")
    assert all(image["src"].startswith("data:image/svg+xml;base64,") for image in elements.of("img"))
    assert not any("src" in attributes for attributes in elements.of("script"))
    assert not re.search(r"@import|url\(|https?://", re.sub(r"base64,[^\"]*", "", html))


def test_text_is_escaped_and_images_have_descriptions(html, elements):
    assert "<h1>Run &amp; judged</h1>" in html
    assert all(image["alt"] for image in elements.of("img"))
    rows = [record(method="<b>", experiment="own"), failure(method="C", status="failed", reason="ValueError: singular")]
    own = render(table(rows), "x")
    assert "<b>" not in own
    assert "ValueError: singular" in section(own, "runs")


def test_verdicts_on_all_cells(html, records):
    counts = judge_cells(records)["verdict"].value_counts()
    found = {verdict: int(number) for verdict, number in re.findall(r"<dt>(.*?)</dt><dd>(\d+)</dd>", html)}
    assert found == {verdict: counts.get(verdict, 0) for verdict in VERDICTS}
    rows = re.findall(r'<tr data-verdict="(.*?)">', section(html, "verdicts"))
    assert len([verdict for verdict in rows if verdict in VERDICTS]) >= sum(found.values()) == 416


def test_claims_have_verdicts(html, records):
    text = section(html, "claims").replace("&#39;", "'")
    for claim in judge_claims(records):
        assert claim.text in text
    assert text.count('data-verdict="holds"') == 13


def test_tables_statistics_and_figures(html):
    assert html.count('<table class="scores">') == 40
    assert "Friedman" in section(html, "statistics")
    figures = re.findall(r'<figure><img alt="(.*?)" src="data:image/svg\+xml;base64,(.*?)"', section(html, "figures"))
    assert sum("Yeast_cold" in title for title, _ in figures) == 4
    for _, image in figures[:3]:
        assert fromstring(base64.b64decode(image)).tag.endswith("svg")


def test_cliques_join_ranks_within_critical_difference():
    assert cliques([1.0, 1.5, 2.0, 4.0], 1.0) == [(0, 2)]
    assert cliques([1.0, 1.9, 2.5], 1.0) == [(0, 1), (1, 2)]


def test_findings_count_cells_and_claims(records):
    text = findings_markdown(records)
    counts = judge_cells(records)["verdict"].value_counts()
    assert f"{counts['better']} are better and {counts['worse']} are worse" in text
    assert "Of 14 claims in the text of the paper, 13 hold, 1 do not hold" in text
    assert "cannot be judged" in findings_markdown(table([record()]))


def test_pages_of_documentation(records, tmp_path):
    extra = runs(
        {"BDLDL()": 0.5, "BDLDL(ridge=10.0)": 0.4, "UD-LDL": 0.3, "Mean": 1.0}, experiment="defaults", kind="prediction"
    )
    extra += runs({"BDLE()": 0.25}, experiment="defaults")
    for output, distance in (("softmax", 0.1), ("clip", 0.2)):
        extra += runs({"FCM": distance}, experiment="enhancers", variant=output)
    extra += runs({"BayesLE": 0.1, "LP": 0.2, "KM": 0.3}, experiment="bayes-le", variant="recovery")
    attributes = table(
        [
            record(experiment="bayes-le", variant="recovery", method="BayesLE", measure=name, value=0.7)
            for name in ("spread_", "noise_")
        ]
    )
    pages = write_pages(table([*records.to_dict("records"), *extra]), attributes, tmp_path)
    assert {page.stem for page in pages} == {"results", "enhancers", "learners", "defaults", "bayes_le_figures"}
    texts = {page.stem: page.read_text("utf-8") for page in pages}
    assert "| BDLDL(ridge=10.0) | 0.4000 |" in texts["defaults"]
    assert "| Yeast_cold | 0.1325 | 0.1000 | 0.2000 | 0.9220 | 0.9000 | 0.8000 |" in texts["enhancers"]
    assert "| Yeast_cold | 0.1000 (LP 0.2000) |" in texts["bayes_le_figures"]
    assert "| Yeast_cold | 0.0690 | **0.1000** |" not in texts["results"]  # the paper's value is better
    assert write_pages(table([record(experiment="own")]), table([]), tmp_path) == []
