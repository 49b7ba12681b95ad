"""The table of methods, and the places that use it."""

import inspect

import pytest
from sklearn.base import clone

from labeldist import enhancement, learning, published
from labeldist.published import METHODS
from labeldist.published._methods import MISSING
from tests.estimators import ESTIMATORS, SPECIAL

every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.estimator)


def test_every_public_estimator_has_one_row():
    public = []
    for package in (enhancement, learning, published):
        for name in package.__all__:
            value = getattr(package, name)
            if inspect.isclass(value) and hasattr(value, "fit"):
                public.append(name)
    assert sorted(method.estimator for method in METHODS) == sorted(public)


def test_names_and_commands_are_unique():
    names = [method.name for method in METHODS]
    commands = [method.command for method in METHODS if method.command]
    assert len(set(names)) == len(names)
    assert len(set(commands)) == len(commands)


def test_every_method_has_common_checks():
    checked = {type(estimator).__name__ for estimator in ESTIMATORS + SPECIAL}
    assert checked == {method.estimator for method in METHODS}


@every_method
def test_published_parameters_are_valid(method):
    estimator = next(e for e in ESTIMATORS + SPECIAL if type(e).__name__ == method.estimator)
    changed = clone(estimator).set_params(**method.published)
    changed._validate_params()
    assert method.published.items() <= changed.get_params().items()


@every_method
def test_reference_and_basis_are_stated_together(method):
    assert bool(method.reference) or method.basis == "this library"


@every_method
def test_needs_agree_with_the_class(method):
    cls = method.estimator_class()
    assert getattr(cls, "_accepts_missing", False) == (MISSING in method.needs)
