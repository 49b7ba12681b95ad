import inspect
import pickle

from labeldist import exceptions
from labeldist.exceptions import LabelDistError, LabelDistWarning, SingularCoefficientError

CLASSES = [c for _, c in inspect.getmembers(exceptions, inspect.isclass) if c.__module__ == exceptions.__name__]


def test_all_classes_are_public_and_have_a_common_base():
    assert sorted(c.__name__ for c in CLASSES) == exceptions.__all__
    assert all(issubclass(c, LabelDistError | LabelDistWarning) for c in CLASSES)


def test_singular_coefficient_error_can_be_pickled():
    error = pickle.loads(pickle.dumps(SingularCoefficientError("B is singular", "B")))
    assert str(error) == "B is singular"
    assert error.coefficient == "B"
