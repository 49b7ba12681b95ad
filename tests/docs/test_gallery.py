"""The scripts of the gallery run, each by itself, and draw."""

import runpy

import matplotlib.pyplot as plt
import pytest

from tests.docs.whereabouts import ROOT

SCRIPTS = sorted((ROOT / "examples").glob("plot_*.py"))


@pytest.fixture
def _pictures_are_closed(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("Agg")
    yield
    plt.close("all")


def test_there_are_scripts():
    assert len(SCRIPTS) >= 5


@pytest.mark.usefixtures("_pictures_are_closed")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_script_draws(script):
    runpy.run_path(str(script))
    assert plt.get_fignums()
    for number in plt.get_fignums():
        assert any(ax.has_data() or ax.patches for ax in plt.figure(number).axes)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_script_has_a_title_and_a_description(script):
    """Sphinx-Gallery takes them from the docstring; the description is what a pointer over its picture shows."""
    lines = script.read_text(encoding="utf-8").splitlines()
    assert lines[0] == '"""'
    assert lines[2] == "=" * len(lines[1])
    assert lines[4]
