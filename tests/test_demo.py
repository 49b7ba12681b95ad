"""The demonstration."""

import numpy as np
import pytest
from sklearn.utils import Bunch

from examples import demo
from labeldist.datasets import load_logical_digits
from labeldist.metrics import PAPER_MEASURES
from tests.pages import Elements

CHOOSE = demo.choose_digits
SHOWN = {"ambiguous": 12, "clear": 4, "disputed": 4}


def choose_two_of_each(digits):
    chosen = CHOOSE(digits)
    assert {name: len(row) for name, row in chosen.items()} == SHOWN
    return {name: row[:2] for name, row in chosen.items()}


@pytest.mark.slow
def test_demo_writes_a_self_contained_page(tmp_path, capsys, monkeypatch):
    digits = load_logical_digits()
    few = Bunch(**{name: digits[name][:300] for name in ("data", "logical", "images", "target")})
    monkeypatch.setattr(demo, "load_logical_digits", lambda: few)
    monkeypatch.setattr(demo, "GRID_SIZE", 15)
    monkeypatch.setattr(demo, "choose_digits", choose_two_of_each)
    demo.main(["--out", str(tmp_path / "build"), "--picture", str(tmp_path / "digits.png")])
    html = (tmp_path / "build" / "demo.html").read_text(encoding="utf-8")
    elements = Elements(html)
    assert "300" in capsys.readouterr().out
    assert (tmp_path / "digits.png").read_bytes().startswith(b"\x89PNG")
    pictures = elements.of("img")
    assert len(pictures) == 6 + 4  # digits and squares
    assert all(picture["src"].startswith("data:image/png;base64,") for picture in pictures)
    assert all(picture["alt"] for picture in pictures)
    assert not elements.of("link", "script")


def test_digits_are_chosen_by_their_degrees():
    degrees = np.array([[0.5, 0.5, 0], [0.9, 0.1, 0], [0.2, 0.8, 0]])
    ambiguous, clear, disputed = (demo.Digit(np.zeros((8, 8)), 0, row) for row in degrees)
    assert ambiguous.ambiguity > disputed.ambiguity > clear.ambiguity
    assert disputed.dissent == pytest.approx(0.6)
    assert clear.dissent == 0


def test_winners_respect_the_direction_of_measures():
    low = dict.fromkeys(PAPER_MEASURES, 0.1)
    high = dict.fromkeys(PAPER_MEASURES, 0.9)
    assert demo.winners({"a": low, "b": high}, "clark") == {"a"}
    assert demo.winners({"a": low, "b": high}, "cosine") == {"b"}
    assert demo.winners({"a": low, "b": low}, "cosine") == {"a", "b"}
