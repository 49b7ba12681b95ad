"""What the README and the documentation show runs, and what they link to exists."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist import BDLDL
from labeldist.features.approximate_neighbors import MAX_VISITED
from labeldist.metrics import kl_divergence

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def run_examples(page):
    names = {}
    for example in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(compile(example, str(page), "exec"), names)  # noqa: S102  # the reader will run it, too
    return names


def test_the_examples_in_the_readme_recover_and_predict_distributions(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # they write a table
    names = run_examples(ROOT / "README.md")
    degrees = names["degrees"]
    assert np.allclose(degrees.sum(axis=1), 1)
    assert capsys.readouterr().out.strip().startswith("[[")
    # The two digits that it prints are a clear one and an ambiguous one.
    assert degrees[1].argmax() == 1
    assert degrees[1].max() > 0.9
    assert list(degrees[37].argsort()[::-1][:3]) == [9, 5, 3]
    X, D = names["X"], names["D"]
    assert names["kernel"].score(X, D) > 0.999 > names["linear"].score(X, D)
    assert_allclose(names["predicted"], names["kernel"].predict(X))
    assert_allclose(names["streamed"].coef_, BDLDL().fit(X, D).coef_, atol=1e-10)
    assert_allclose(names["lazy_prediction"].compute(), names["distributed"].predict(X), atol=1e-10)


def test_the_examples_in_the_guide_run():
    names = run_examples(ROOT / "docs" / "guide.md")
    assert list(names["predicted"].columns) == ["red", "green", "blue"]
    assert (names["scores"]["test_cosine"] > 0.9).all()
    X, D = names["X_new"], names["D_new"]
    assert names["kernel"].best_estimator_.score(X, D) > 0.999 > names["linear"].score(X, D)
    X, D = names["table"][["a", "b", "c"]], names["table"][["red", "green", "blue"]]
    assert_allclose(names["both"].coef_, BDLDL().fit(X, D).coef_, atol=1e-10)
    written = pd.read_parquet(names["folder"] / "kernel_degrees.parquet")
    assert kl_divergence(D, written) < 0.1 * kl_divergence(D, pd.read_parquet(names["folder"] / "degrees.parquet"))


def test_every_extra_is_in_the_readme():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in extras if f"pip install '.[{name}]'" not in readme] == []


def test_the_methods_say_how_many_rows_are_compared():
    assert f"{MAX_VISITED:,} rows have been compared" in (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
