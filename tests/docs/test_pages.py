"""What the pages show runs, and what they link to exists."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist import BDLDL
from labeldist._kernels.neighbor_graph import MAX_VISITED
from labeldist.metrics import kl_divergence
from tests.docs.walkthrough import WrongExampleError, commands, walk_through
from tests.docs.whereabouts import DOCS, PAGES, ROOT

# Pages whose examples are looked at more closely below.
EXAMINED = {"README.md", "guide/learning.md", "guide/scale.md"}


def title(page):
    return str(page.relative_to(DOCS if page.is_relative_to(DOCS) else ROOT))


def has_examples(page):
    return re.search(r"^```(python|console)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", [p for p in PAGES if has_examples(p) and title(p) not in EXAMINED], ids=title)
def test_the_examples_run(page):
    walk_through(page)


def test_the_examples_in_the_readme_recover_and_predict_distributions(capsys):
    names = walk_through(ROOT / "README.md")
    degrees = names["degrees"]
    assert np.allclose(degrees.sum(axis=1), 1)
    assert capsys.readouterr().out.strip().startswith("[[")
    # The two digits that it prints are a clear one and an ambiguous one.
    assert degrees[1].argmax() == 1
    assert degrees[1].max() > 0.9
    assert list(degrees[37].argsort()[::-1][:3]) == [9, 5, 3]
    X, D = names["X"], names["D"]
    recovered, lower, upper = names["recovered"], names["lower"], names["upper"]
    assert kl_divergence(D, recovered) < 0.3 * kl_divergence(D, np.full_like(D, 1 / 3))
    assert ((lower <= recovered) & (recovered <= upper)).all()
    assert names["kernel"].score(X, D) > 0.999 > names["linear"].score(X, D)
    assert_allclose(names["predicted"], names["kernel"].predict(X))


def test_the_learners_of_the_guide_are_as_good_as_it_says():
    names = walk_through(DOCS / "guide" / "learning.md")
    assert list(names["predicted"].columns) == ["red", "green", "blue"]
    assert (names["scores"]["test_cosine"] > 0.9).all()
    X, D = names["X_new"], names["D_new"]
    assert names["kernel"].best_estimator_.score(X, D) > 0.999 > names["linear"].score(X, D)


def test_pieces_of_a_table_give_the_model_of_the_whole():
    names = walk_through(DOCS / "guide" / "scale.md")
    X, D = names["table"][["a", "b", "c"]], names["table"][["red", "green", "blue"]]
    whole = BDLDL().fit(X, D)
    assert_allclose(names["model"].coef_, whole.coef_, atol=1e-10)
    assert_allclose(names["both"].coef_, whole.coef_, atol=1e-10)
    assert_allclose(names["lazy_prediction"].compute(), names["distributed"].predict(X.to_numpy()), atol=1e-10)
    kernel, linear = pd.read_parquet("kernel_degrees.parquet"), pd.read_parquet("degrees.parquet")
    assert kl_divergence(D, kernel) < 0.1 * kl_divergence(D, linear)


def test_the_mathematics_say_how_many_rows_are_compared():
    page = (DOCS / "mathematics" / "low_rank.md").read_text(encoding="utf-8")
    assert f"{MAX_VISITED:,} rows have been compared" in page


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_links_lead_somewhere(page):
    """On a code host, where pages are read as they are; in the site Sphinx sees to it."""
    links = re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize(
    ("example", "complaint"),
    [
        ("```console\n$ labeldist enhance nowhere.csv --labels a\n```", "nowhere.csv"),
        ("```console\n$ labeldist --version\nlabeldist 0.0.0\n```", "and not\nlabeldist 0.0.0"),
        ("```python\n>>> 1 + 1\n3\n```", "Expected:\n    3\nGot:\n    2"),
    ],
)
def test_a_wrong_example_is_found(tmp_path, example, complaint):
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n{example}\n", encoding="utf-8")
    with pytest.raises(WrongExampleError, match=re.escape(complaint)):
        walk_through(page)


def test_a_page_writes_the_files_that_it_shows(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "A file `votes.csv`:\n\n```text\nid,who\n1,a\n```\n\nNo file:\n\n```text\nx\n```\n", encoding="utf-8"
    )
    walk_through(page)
    assert (tmp_path / "votes.csv").read_text(encoding="utf-8") == "id,who\n1,a\n"
    assert len(list(tmp_path.iterdir())) == 2


def test_commands_may_take_several_lines_and_others_are_left_to_the_reader():
    text = "$ pip install labeldist\n$ labeldist a \\\n    --b c\nshown\nmore\n$ labeldist d\n"
    assert list(commands(text)) == [("labeldist a     --b c", "shown\nmore\n"), ("labeldist d", "")]
