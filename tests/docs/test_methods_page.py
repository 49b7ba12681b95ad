"""The page from the paper to the code: parameters, expressions and experiments exist."""

import re
from inspect import signature

import pytest

import labeldist
from labeldist import enhancement, learning
from labeldist.published import make_published
from reproduction.spec import shipped
from tools.generate_pages import OF_THE_PAPER, methods_page

NAMES = {
    **vars(enhancement),
    **vars(learning),
    "make_published": make_published,
    "labeldist": labeldist,
}
PAGE = methods_page()
PARAMETERS = re.findall(r"`(\w+)` of `(BDL\w+)`", PAGE)
EXPRESSIONS = {*re.findall(r"`((?:BDLE|BDLDL|make_published|labeldist\.)[^`]*)`", PAGE)}


def test_every_equation_of_the_paper_has_a_row():
    tables = PAGE.split("## What differs")[0]
    numbers = {int(number) for number in re.findall(r"\((\d+)\)", tables)}
    first, last = re.search(r"\((\d+)\) to \((\d+)\)", tables).groups()
    assert numbers | set(range(int(first), int(last))) == set(range(1, 29))


@pytest.mark.parametrize(("parameter", "name"), PARAMETERS)
def test_parameters_exist(parameter, name):
    assert parameter in signature(NAMES[name]).parameters


@pytest.mark.parametrize("text", sorted(EXPRESSIONS))
def test_expressions_evaluate(text):
    assert eval(text, NAMES.copy()) is not None  # noqa: S307  # our own page


def test_parameters_and_experiments_are_found():
    assert len(PARAMETERS) >= 8
    experiments = re.findall(r"experiment `([\w-]+)`", PAGE)
    assert len(experiments) == 5
    assert set(experiments) <= set(shipped())


@pytest.mark.parametrize("name", OF_THE_PAPER)
def test_methods_of_the_paper_are_published(name):
    assert make_published(name) is not None
