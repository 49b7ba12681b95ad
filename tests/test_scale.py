"""The parts of ``make bench`` on small tables, and their page."""

import re
import sys

import pytest
from scipy.io import savemat
from sklearn.utils import Bunch

from benchmarks import scale
from benchmarks.page import Page
from labeldist.datasets import binarize, make_artificial

PEER = """
import os

pytestmark = pytest.mark.slow
assert os.environ["KERAS_BACKEND"] == "torch" and os.environ["OMP_NUM_THREADS"] == "1"

class BD_LDL:
    def __init__(self, alpha, beta):
        pass

    def fit(self, X, y):
        self.mean = y.mean(axis=0)
        return self

    def predict(self, X):
        return [self.mean] * len(X)
"""


@pytest.fixture(autouse=True)
def small_sets(monkeypatch, tmp_path):
    """Replace the sets by artificial rows and the sizes of the growth by small ones."""
    X, D = make_artificial(60, random_state=0)
    savemat(tmp_path / "set.mat", {"features": X, "labels": D})

    def load(name, return_X_y=False):
        data = Bunch(data=X, target=D, logical=binarize(D), filename=tmp_path / "set.mat")
        return (X, D) if return_X_y else data

    monkeypatch.setattr(scale, "load_dataset", load)
    monkeypatch.setattr(scale, "list_datasets", lambda: ["Yeast_alpha", "Movie"])
    monkeypatch.setattr(scale, "GROWTH", {"rows": [(50, 5, 2), (100, 5, 2)]})


def run(tmp_path, *options):
    """Run the parts and return their page."""
    scale.main(["--repeats", "1", "--stream-repeats", "1", "--page", str(tmp_path / "bench.html"), *options])
    return (tmp_path / "bench.html").read_text(encoding="utf-8")


def cells(page, first):
    """Return the cells of the row whose first cell is `first`."""
    (row,) = re.findall(rf"<tr><td>{re.escape(first)}</td>(.*?)</tr>", page)
    return re.findall("<td>(.*?)</td>", row)


def test_parts_in_one_process(tmp_path):
    page = run(tmp_path, "--parts", "grid", "fit", "recover", "growth", "--rows", "3000")
    ours, gram, *_, theirs, ratio = cells(page, "3,000 rows")
    assert float(ours) > 0 < float(gram)
    assert theirs == ratio == ""  # without a peer
    assert "a million" not in page
    assert "20 times in a row, of which the mean counts" in page
    assert len(re.findall("<td>Movie, sparse</td>", page)) == 2
    assert re.search(r"BDLDL.fit over rows: exponent -?\d", page)
    assert "nan" not in re.sub('base64,[^"]*', "", page)


def test_parts_in_separate_processes(tmp_path):
    page = run(tmp_path, "--parts", "stream", "enhance", "--rows", "300", "--stream-rows", "2000")
    for job in ("reading", "reading, and Gram products", "BDLDL.fit_stream"):
        assert all(float(cell) > 0 for cell in cells(page, job))
    assert "Medians of 1 runs in turns" in page
    assert re.search(r"fit / \(read \+ Gram\): \d", page)
    assert page.count("<td>300</td>") == 2  # one row for each kind of fit
    assert "exponent" not in page  # one size does not determine an exponent


def test_stream_is_read_once_before_the_jobs_alternate(tmp_path, monkeypatch):
    jobs = []

    def run_alone(what, file):
        jobs.append(what)
        return {"seconds": {"read": 1.0, "gram": 2.0, "fit": float(len(jobs))}[what], "megabytes": 5.0}

    monkeypatch.setattr(scale, "run_alone", run_alone)
    page = run(tmp_path, "--parts", "stream", "--stream-rows", "10", "--stream-repeats", "3")
    assert jobs == ["read", *["read", "gram", "fit"] * 3]
    assert cells(page, "BDLDL.fit_stream") == ["7", "5"]
    assert "fit / (read + Gram): 3.50" in page


def test_peer_runs_in_its_environment_as_often(tmp_path, monkeypatch):
    (tmp_path / "pyldl").mkdir()
    (tmp_path / "pyldl" / "__init__.py").touch()
    (tmp_path / "pyldl" / "algorithms.py").write_text(PEER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.delenv("KERAS_BACKEND", raising=False)
    monkeypatch.setattr(scale, "FITTED", ("Yeast_alpha",))
    page = run(tmp_path, "--parts", "fit", "--rows", "100", "--peer", sys.executable)
    *_, theirs, ratio = cells(page, "Yeast_alpha")
    assert float(theirs) > 0
    assert ratio.endswith("×")
    options = type("Options", (), {"peer": sys.executable})
    report = scale.run_peer(options, "Yeast_alpha", points=2, repeats=3)
    assert len(report["fits"]) == 3
    assert report["points"] == 2
    assert report["grid"] > 0


def test_each_turn_repeats_one_call():
    calls = []
    seconds = scale.in_turns(2, 3, a=lambda: calls.append("a"), b=lambda: calls.append("b"))
    assert calls == ["a"] * 3 + ["b"] * 3 + ["a"] * 3 + ["b"] * 3
    assert 0 < seconds["a"] < 0.1


def test_page_escapes_text_and_closes_tables(tmp_path):
    page = Page("a < b", "c & d")
    page.head("set", "seconds")
    page.row("<set>", float("nan"))
    page.text("done")
    page.write(tmp_path / "folder" / "page.html")
    written = (tmp_path / "folder" / "page.html").read_text(encoding="utf-8")
    assert "<h1>a &lt; b</h1><p>c &amp; d</p>" in written
    assert "<tr><td>&lt;set&gt;</td><td></td></tr></table><p>done</p>" in written
