"""What the README and the documentation show runs, and what they link to exists."""

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def run_examples(page):
    names = {}
    for example in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(compile(example, str(page), "exec"), names)  # noqa: S102  # the reader will run it, too
    return names


def test_the_example_in_the_readme_recovers_distributions(capsys):
    degrees = run_examples(ROOT / "README.md")["degrees"]
    assert np.allclose(degrees.sum(axis=1), 1)
    assert capsys.readouterr().out.strip().startswith("[[")
    # The two digits that it prints are a clear one and an ambiguous one.
    assert degrees[1].argmax() == 1
    assert degrees[1].max() > 0.9
    assert list(degrees[37].argsort()[::-1][:3]) == [9, 5, 3]


def test_the_examples_in_the_guide_run():
    names = run_examples(ROOT / "docs" / "guide.md")
    assert list(names["predicted"].columns) == ["red", "green", "blue"]
    assert (names["scores"]["test_cosine"] > 0.9).all()
    X, D = names["X_new"], names["D_new"]
    assert names["kernel"].best_estimator_.score(X, D) > 0.999 > names["linear"].score(X, D)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
