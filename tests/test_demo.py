"""The demonstration."""

import pytest

from examples import demo
from tests.pages import Elements


@pytest.fixture
def _small(monkeypatch):
    monkeypatch.setattr(demo, "N_DIGITS", 150)
    monkeypatch.setattr(demo, "N_TRAINING", 100)
    monkeypatch.setattr(demo, "GRID_SIZE", 15)


@pytest.mark.slow
@pytest.mark.usefixtures("_small")
def test_demo_writes_a_self_contained_page(tmp_path, capsys):
    demo.main(["--out", str(tmp_path / "build")])
    assert "150" in capsys.readouterr().out
    elements = Elements((tmp_path / "build" / "demo.html").read_text(encoding="utf-8"))
    pictures = elements.of("img")
    assert len(pictures) == demo.N_CARDS + 4  # digits and surfaces
    assert all(picture["src"].startswith("data:image/png;base64,") for picture in pictures)
    drawings = elements.of("svg")
    assert len(drawings) == demo.N_CARDS + 1  # degrees and the figure
    assert all(drawing["aria-label"] for drawing in drawings)
    assert not elements.of("link", "script")


@pytest.mark.usefixtures("_small")
def test_cards_go_from_disputed_to_clear():
    cards, coverage = demo.make_cards(demo.make_digits())
    largest = [card.truth.max() for card in cards]
    assert largest == sorted(largest)
    assert all(len(card.votes) == demo.N_VOTES for card in cards)
    assert all((card.lower <= card.upper).all() for card in cards)
    assert 0.7 < coverage <= 1


def test_error_is_the_share_of_misplaced_degrees():
    assert demo.error([[1.0, 0.0]], [[0.7, 0.3]]) == pytest.approx(0.3)
