"""Everything this library raises or warns of by a name of its own.

::

    LabelDistError
    ├── NotADistributionError     (ValueError)   a row is not, or cannot be made, a distribution
    ├── SingularCoefficientError  (ValueError)   a solver needs a positive definite matrix and got none
    ├── DatasetError
    │   ├── UnknownDatasetError   (ValueError)   no benchmark set has that name
    │   ├── DatasetNotFoundError  (OSError)      not on disk, and could not be downloaded
    │   ├── ChecksumError         (OSError)      the bytes are not the ones that were published
    │   └── TableError            (ValueError)   a table, a column or a cell is not what it should be
    ├── ModelError                (ValueError)   a saved model is damaged, cannot be trusted, or does not fit the table
    ├── OutputError               (OSError)      a file cannot be written, or would be overwritten
    ├── UnpackingError            (ValueError)   what is packed in a file is damaged or too large; readers name the file
    └── MissingExtraError         (ImportError)  an optional dependency is not installed

    LabelDistWarning              (UserWarning)
    ├── LabelWarning              labels that can be used, but look like another kind than was asked for
    ├── TagRuleWarning            tags do not look as if the assumed rule had made them
    │   ├── ImpossibleTagsWarning no degrees give the tags of some rows
    │   ├── ThresholdWarning      another threshold explains the numbers of tags better
    │   ├── SingleTagWarning      every row has exactly one tag
    │   └── NoisyTagsWarning      so many tags contradict the rule that it may be wrong
    ├── SpreadWarning             tags do not say how concentrated the degrees are
    ├── VanishingGraphWarning     the neighbour graph's weights are next to nothing
    ├── IllConditionedWarning     a system was solved with few digits left
    ├── ApproximationWarning      an approximation is less close than it is meant to be
    └── ModelVersionWarning       a model was saved with another version of what it depends on

Whatever scikit-learn already names (``NotFittedError``, ``ConvergenceWarning``, the ``ValueError`` of its
input validation) keeps scikit-learn's name.
"""

import sys
import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

__all__ = [
    "ApproximationWarning",
    "ChecksumError",
    "DatasetError",
    "DatasetNotFoundError",
    "IllConditionedWarning",
    "ImpossibleTagsWarning",
    "LabelDistError",
    "LabelDistWarning",
    "LabelWarning",
    "MissingExtraError",
    "ModelError",
    "ModelVersionWarning",
    "NoisyTagsWarning",
    "NotADistributionError",
    "OutputError",
    "SingleTagWarning",
    "SingularCoefficientError",
    "SpreadWarning",
    "TableError",
    "TagRuleWarning",
    "ThresholdWarning",
    "UnknownDatasetError",
    "VanishingGraphWarning",
]

_PACKAGE = str(Path(__file__).parent)


class LabelDistError(Exception):
    """Base of every error of this library."""


class NotADistributionError(LabelDistError, ValueError):
    """A row of degrees is not on the simplex, or cannot be normalised onto it."""


class SingularCoefficientError(LabelDistError, ValueError):
    """A coefficient matrix is singular where the chosen solver needs it positive definite.

    ``coefficient`` says which: ``"A"`` acts on the feature side, ``"B"`` on the label side.
    """

    def __init__(self, message: str, coefficient: str) -> None:
        super().__init__(message)
        self.coefficient = coefficient

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        # BaseException pickles its args alone; without this the error could not leave a worker process.
        return type(self), (str(self), self.coefficient)


class DatasetError(LabelDistError):
    """Base of what can go wrong between a data set's name and its arrays."""


class UnknownDatasetError(DatasetError, ValueError):
    """No benchmark set has that name."""


class DatasetNotFoundError(DatasetError, OSError):
    """The file is not on disk and could not be downloaded."""


class ChecksumError(DatasetError, OSError):
    """The file's bytes are not the published ones."""


class TableError(DatasetError, ValueError):
    """A table, one of its columns or one of its cells is not what it should be."""


class ModelError(LabelDistError, ValueError):
    """A saved model is damaged, cannot be trusted, or does not fit the table that it is given."""


class OutputError(LabelDistError, OSError):
    """A file cannot be written, or would be overwritten."""


class MissingExtraError(LabelDistError, ImportError):
    """An optional dependency is not installed; the message says which extra brings it."""


class LabelDistWarning(UserWarning):
    """Base of every warning of this library."""


class LabelWarning(LabelDistWarning):
    """Labels that can be used, but look like another kind than was asked for."""


class TagRuleWarning(LabelDistWarning):
    """Tags do not look as if the assumed rule had made them from degrees."""


class ImpossibleTagsWarning(TagRuleWarning):
    """No degrees give the tags of some rows under the assumed rule."""


class ThresholdWarning(TagRuleWarning):
    """Another threshold explains the numbers of tags clearly better than the assumed one."""


class SingleTagWarning(TagRuleWarning):
    """Every row has exactly one tag, so tags say which degree is the largest and no more."""


class NoisyTagsWarning(TagRuleWarning):
    """So many tags contradict the rule that the rule may be wrong."""


class SpreadWarning(LabelDistWarning):
    """Tags do not say how concentrated the degrees are, so a prior decides."""


class VanishingGraphWarning(LabelDistWarning):
    """The neighbour graph is so weak that smoothing over it does nothing."""


class IllConditionedWarning(LabelDistWarning):
    """A system was solved, but its condition leaves few digits of the solution."""


class ApproximationWarning(LabelDistWarning):
    """An approximation is less close than it is meant to be."""


class ModelVersionWarning(LabelDistWarning):
    """A model was saved with another version of labeldist or scikit-learn: its answers may differ."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question after what is known and most like `name`, or nothing where nothing is like it.

    >>> did_you_mean("angst", ["joy", "fear"])
    ''
    >>> did_you_mean("faer", ["joy", "fear"])
    ' Did you mean fear?'
    """
    by_lower_case = {str(one).lower(): str(one) for one in known}
    close = get_close_matches(str(name).lower(), by_lower_case, n=1)
    return f" Did you mean {by_lower_case[close[0]]}?" if close else ""


def warn(message: str, category: type[Warning]) -> None:
    """Warn, pointing at the line that called the library, however deep in it the cause was found."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _is_machinery(frame.f_code.co_filename):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _is_machinery(filename: str) -> bool:
    return filename.startswith(_PACKAGE) or "sklearn" in Path(filename).parts
