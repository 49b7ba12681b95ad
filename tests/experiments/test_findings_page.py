from labeldist.experiments.findings_page import findings_markdown
from labeldist.experiments.runner import run
from labeldist.experiments.spec import load_spec
from labeldist.experiments.store import Store


def test_the_page_has_the_opening_and_every_claim(tmp_path):
    with Store(tmp_path / "records.sqlite") as store:
        run([load_spec("quick")], store, jobs=1)
        page = findings_markdown(store.records())
    assert page.startswith("# What the reproduction found")
    assert "416 cells" in page
    rows = [line for line in page.splitlines() if line.startswith("| ") and "**" in line]
    assert len(rows) == 14
    assert all(row.count("|") == 5 for row in rows)
