"""Tests of ExpectedErrorDisplay."""

from numpy.testing import assert_allclose

from labeldist.plots import ExpectedErrorDisplay
from labeldist.votes import expected_error, from_votes


def test_lines_are_the_expected_errors():
    votes = from_votes([[3, 0], [1, 2], [0, 3]])
    display = ExpectedErrorDisplay.from_votes(votes, [1, 4, 9])
    expected = expected_error(votes, [1, 4, 9])
    counting, dirichlet = (line.get_xydata().T for line in display.lines_)
    assert_allclose(counting, [[1, 4, 9], expected.counting])
    assert_allclose(dirichlet, [[1, 4, 9], expected.dirichlet])
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["1", "4", "9"]
