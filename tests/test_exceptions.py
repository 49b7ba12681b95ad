import inspect
import pickle

import pytest

from labeldist import exceptions
from labeldist.exceptions import LabelDistError, LabelDistWarning, SingularCoefficientError

CLASSES = [c for _, c in inspect.getmembers(exceptions, inspect.isclass) if c.__module__ == exceptions.__name__]


def test_all_are_public():
    assert sorted(c.__name__ for c in CLASSES) == exceptions.__all__


@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: c.__name__)
def test_the_tree_is_drawn_and_has_one_root(cls):
    assert issubclass(cls, LabelDistError | LabelDistWarning)
    assert cls.__name__ in exceptions.__doc__


def test_the_singular_error_survives_the_way_between_processes():
    error = pickle.loads(pickle.dumps(SingularCoefficientError("B is singular", "B")))
    assert str(error) == "B is singular"
    assert error.coefficient == "B"
