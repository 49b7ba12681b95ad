"""The findings as Markdown."""

from labeldist.experiments.findings_page import findings_markdown
from tests.experiments.record_tables import everything, failure, record, table


def test_the_page_has_the_opening_and_every_claim():
    page = findings_markdown(everything(bd_wins=True))
    assert page.startswith("# What the reproduction found")
    assert "## In short" in page
    assert "416 cells" in page
    rows = [line for line in page.splitlines() if line.startswith("| ") and "**" in line]
    assert len(rows) == 14
    assert all(row.count("|") == 5 for row in rows)


def test_a_reason_of_any_kind_stays_a_sentence():
    page = findings_markdown(table([failure(status="failed", reason="a\n# <b>shape</b> | `x` *y*")]))
    assert "- BD-LE failed on Yeast_cold (le-recovery): a \\# &lt;b&gt;shape&lt;/b&gt; &#124; \\`x\\` \\*y\\*." in page


def test_the_records_of_two_stores_are_not_mixed():
    one = [record(value=0.0690)]
    assert findings_markdown(table([*one, record(value=0.9, store="second.sqlite")])) == findings_markdown(table(one))
