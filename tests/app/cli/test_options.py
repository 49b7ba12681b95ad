"""Names of methods and values of --set."""

import pytest
import typer

from labeldist.app.cli.options import (
    ENHANCERS,
    LEARNERS,
    check_measure,
    make,
    measures_in,
    parse_settings,
)
from labeldist.metrics import PAPER_MEASURES
from labeldist.published import METHODS


def test_every_method_with_a_command_is_offered():
    offered = ENHANCERS | LEARNERS
    assert offered == {method.command: method for method in METHODS if method.command}
    for name, method in LEARNERS.items():
        assert type(make(LEARNERS, name, {})).__name__ == method.estimator


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.5", 0.5), ("None", None), ("project", "project"), ("[1, 2]", [1, 2])],
)
def test_settings_are_toml_or_plain_words(text, value):
    assert parse_settings([f"name={text}"]) == {"name": value}


@pytest.mark.parametrize(
    ("setting", "fact"),
    [("ridge=1", "'ridge'"), ("smoothness=-1", "'smoothness'"), ("output", "NAME=VALUE")],
)
def test_invalid_parameters(setting, fact):
    with pytest.raises(typer.BadParameter, match=fact):
        make(ENHANCERS, "bdle", parse_settings([setting]))


def test_names_of_measures():
    assert check_measure("clark") == "clark"
    with pytest.raises(typer.BadParameter, match="Unknown measure 'no'"):
        check_measure("no")
    assert measures_in("paper") == list(PAPER_MEASURES)
    assert measures_in(["clark", "kendall"]) == ["clark", "kendall"]
    with pytest.raises(ValueError, match="Unknown measure 'no'"):
        measures_in("clark,no")
