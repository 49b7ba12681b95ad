"""Errors and warnings of the library.

All errors derive from `LabelDistError`, all warnings from `LabelDistWarning`. Errors that scikit-learn already names
(``NotFittedError``, ``ConvergenceWarning``, the ``ValueError`` of its input validation) keep these names.
"""

import sys
import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

__all__ = ["ApproximationWarning", "ChecksumError", "DatasetError", "DatasetNotFoundError", "IllConditionedWarning"]
__all__ += ["ImpossibleTagsWarning", "LabelDistError", "LabelDistWarning", "LabelWarning", "MissingExtraError"]
__all__ += ["ModelError", "ModelVersionWarning", "NoisyTagsWarning", "NotADistributionError", "OutputError"]
__all__ += ["SingleTagWarning", "SingularCoefficientError", "SpreadWarning", "TableError", "TagRuleWarning"]
__all__ += ["ThresholdWarning", "UnknownDatasetError", "VanishingGraphWarning"]

_PACKAGE = str(Path(__file__).parent)
_WARNED_IN_SEARCHES: set[tuple[str, str, int]] = set()


class LabelDistError(Exception):
    """Base class of the errors of this library."""


class NotADistributionError(LabelDistError, ValueError):
    """A row of degrees is not a distribution, or cannot be normalised to one."""


class SingularCoefficientError(LabelDistError, ValueError):
    """A coefficient matrix is singular, but the chosen solver needs a positive definite one.

    Parameters
    ----------
    message : str
        The message.
    coefficient : {"A", "B"}
        The matrix: A is on the feature side of the equation, B on the label side.
    """

    def __init__(self, message: str, coefficient: str) -> None:
        super().__init__(message)
        self.coefficient = coefficient

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        # By default only args are pickled, and the error could not be sent from a worker process.
        return type(self), (str(self), self.coefficient)


class DatasetError(LabelDistError):
    """Base class of errors in finding and reading data sets and tables."""


class UnknownDatasetError(DatasetError, ValueError):
    """There is no benchmark set of this name."""


class DatasetNotFoundError(DatasetError, OSError):
    """A file is not on disk and could not be downloaded."""


class ChecksumError(DatasetError, OSError):
    """The checksum of a file differs from the published one."""


class TableError(DatasetError, ValueError):
    """A table, a column or a cell is invalid."""


class ModelError(LabelDistError, ValueError):
    """A saved model is damaged or untrusted, or does not match the given table."""


class OutputError(LabelDistError, OSError):
    """A file cannot be written, or would be overwritten."""


class MissingExtraError(LabelDistError, ImportError):
    """An optional dependency is not installed; the message names the extra that installs it."""


class LabelDistWarning(UserWarning):
    """Base class of the warnings of this library."""


class LabelWarning(LabelDistWarning):
    """Labels are valid, but look like another kind than the expected one."""


class TagRuleWarning(LabelDistWarning):
    """Tags contradict the assumed rule that derives them from degrees."""


class ImpossibleTagsWarning(TagRuleWarning):
    """Under the assumed rule, no degrees give the tags of some rows."""


class ThresholdWarning(TagRuleWarning):
    """Another threshold explains the numbers of tags much better than the assumed one."""


class SingleTagWarning(TagRuleWarning):
    """Every row has exactly one tag, so tags only determine the largest degree."""


class NoisyTagsWarning(TagRuleWarning):
    """Many tags contradict the rule, so the rule may be wrong."""


class SpreadWarning(LabelDistWarning):
    """Tags do not determine how concentrated the degrees are, so a prior does."""


class VanishingGraphWarning(LabelDistWarning):
    """The weights of the neighbour graph are so small that smoothing has no effect."""


class IllConditionedWarning(LabelDistWarning):
    """The condition number of a system leaves few correct digits of its solution."""


class ApproximationWarning(LabelDistWarning):
    """An approximation is less accurate than intended."""


class ModelVersionWarning(LabelDistWarning):
    """A model was saved with another version of labeldist or scikit-learn, so predictions may differ."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that suggests the known name most similar to `name`, or "" if none is similar.

    >>> did_you_mean("faer", ["joy", "fear"])
    ' Did you mean fear?'
    """
    by_lower_case = {str(one).lower(): str(one) for one in known}
    close = get_close_matches(str(name).lower(), by_lower_case, n=1)
    if not close:
        return ""
    known_name = by_lower_case[close[0]]
    return f" Did you mean {known_name if known_name == known_name.strip() else repr(known_name)}?"


def warn(message: str, category: type[Warning]) -> None:
    """Issue a warning that points to the line outside this library and scikit-learn that called it.

    A search or cross-validation of scikit-learn, which fits many models, issues each warning once per calling line.
    """
    level, frame, in_search = 2, sys._getframe(1), False
    while frame.f_back is not None and _is_internal(frame.f_code.co_filename):
        in_search = in_search or "model_selection" in frame.f_code.co_filename
        level, frame = level + 1, frame.f_back
    if in_search:
        # Python forgets which warnings it has shown when scikit-learn sets the filters of each fit.
        key = (message, frame.f_code.co_filename, frame.f_lineno)
        if key in _WARNED_IN_SEARCHES:
            return
        _WARNED_IN_SEARCHES.add(key)
    warnings.warn(message, category, stacklevel=level)


def _is_internal(filename: str) -> bool:
    return filename.startswith(_PACKAGE) or not {"sklearn", "joblib"}.isdisjoint(Path(filename).parts)
