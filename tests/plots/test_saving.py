import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from labeldist.exceptions import OutputError
from labeldist.plots import DistributionDisplay, save_picture

BEGINNINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "PNG": b"\x89PNG"}


@pytest.fixture
def display():
    return DistributionDisplay.from_distributions([[0.5, 0.5], [0.2, 0.8]])


@pytest.mark.parametrize("ending", BEGINNINGS)
def test_the_ending_is_the_format_and_the_bytes_are_the_same_every_time(display, tmp_path, ending):
    settings = dict(mpl.rcParams)
    for name in ("one", "two"):
        save_picture(display, tmp_path / f"{name}.{ending}")
    content = (tmp_path / f"one.{ending}").read_bytes()
    assert content.startswith(BEGINNINGS[ending])
    assert content == (tmp_path / f"two.{ending}").read_bytes()
    assert b"Date" not in content.replace(b"<dc:date/>", b"")
    assert dict(mpl.rcParams) == settings


@pytest.mark.parametrize("name", ["picture", "picture.jpg", "picture.csv"])
def test_other_formats_are_refused(display, tmp_path, name):
    with pytest.raises(OutputError, match=r"\.png, \.svg, \.pdf"):
        save_picture(display, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_told(display, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match="cannot be written"):
        save_picture(display, tmp_path / "file" / "picture.png")


def test_a_part_of_a_figure_is_saved_with_the_whole(tmp_path):
    left, _ = plt.figure().subfigures(1, 2)
    save_picture(DistributionDisplay.from_distributions([[0.5, 0.5]], ax=left.subplots()), tmp_path / "whole.png")
    assert (tmp_path / "whole.png").stat().st_size > 0
