"""Errors and warnings of the library.

All errors derive from `LabelDistError`, all warnings from `LabelDistWarning`. Errors that
scikit-learn already names (``NotFittedError``, ``ConvergenceWarning``, the ``ValueError`` of its
input validation) keep these names.
"""

import sys
import warnings
from pathlib import Path

__all__ = [
    "AccuracyWarning",
    "Hint",
    "LabelDistError",
    "LabelDistWarning",
    "LabelWarning",
    "MissingExtraError",
    "ModelError",
    "ModelVersionWarning",
    "NotADistributionError",
    "OutputError",
    "TableError",
    "VanishingGraphWarning",
]

_PACKAGE = str(Path(__file__).parent)


class Hint:
    """What to do about an error or a warning, in terms of Python.

    A program that offers these parameters by other names, such as a command, shows its own text
    for each hint.

    See Also
    --------
    LabelDistError : An error with a hint.

    Examples
    --------
    >>> from labeldist.exceptions import Hint, OutputError
    >>> print(OutputError("dist.csv exists.", hint=Hint.OVERWRITE))
    dist.csv exists. overwrite=True replaces it.
    """

    ANNOTATORS = "If its objects are {annotator: vote}, name it in annotators=."
    COUNTS = "If its objects are {label: number of votes}, name it in counts=."
    DROP_COPIES = "drop_copies=True counts copies of a vote once."
    NO_VOTES = "Drop these items, or pass smoothing= or allow_empty=True."
    OVERWRITE = "overwrite=True replaces it."
    SEPARATOR = "If cells list several labels, pass the text between these as separator=."
    TAGS = "EnhancedLearner first recovers distributions from logical labels."
    TRUST = 'If you trust the author of the file, pass trusted=["boosters"].'


class _WithHint(Exception):  # noqa: N818  # neither an error nor a warning
    """Base class of errors and warnings: a message, and a hint that `str` adds to it."""

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class LabelDistError(_WithHint):
    """Base class of the errors of this library.

    Parameters
    ----------
    message : str
        What is wrong.
    hint : str, default=""
        What to do, in terms of Python, such as a `Hint`. ``str`` returns the message and the hint.
    """


class NotADistributionError(LabelDistError, ValueError):
    """A row of degrees is not a distribution, or cannot be normalised to one."""


class TableError(LabelDistError, ValueError):
    """A table, a column or a cell is invalid."""


class ModelError(LabelDistError, ValueError):
    """A saved model is damaged or untrusted, or does not match the given table."""


class OutputError(LabelDistError, OSError):
    """A file cannot be written, or would be overwritten."""


class MissingExtraError(LabelDistError, ImportError):
    """An optional dependency is not installed; the message names the extra that installs it."""


class LabelDistWarning(_WithHint, UserWarning):
    """Base class of the warnings of this library.

    Parameters
    ----------
    message : str
        What may be wrong.
    hint : str, default=""
        What to do, as in `LabelDistError`.
    """


class LabelWarning(LabelDistWarning):
    """Labels or tags are probably not what they should be, or do not determine the degrees.

    Parameters
    ----------
    message : str
        The message.
    reason : {"", "impossible", "threshold", "single", "noisy", "spread", "rare"}
        What is wrong with tags. ``"impossible"``: under the rule, no degrees give the tags of some
        rows. ``"threshold"``: another threshold explains the numbers of tags much better.
        ``"single"``: no row has more than one tag, so tags only determine the largest degree.
        ``"noisy"``: many tags contradict the rule. ``"spread"``: a prior determines how
        concentrated the degrees are. ``"rare"``: the tag of a label is the same in nearly all
        rows, so its degrees rest on few rows. Empty for other labels.
    hint : str, default=""
        What to do, as in `LabelDistError`.
    """

    def __init__(self, message: str, reason: str = "", *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class VanishingGraphWarning(LabelDistWarning):
    """The weights of the neighbour graph are so small that smoothing has no effect."""


class AccuracyWarning(LabelDistWarning):
    """A result has few correct digits, or an approximation is less accurate than intended."""


class ModelVersionWarning(LabelDistWarning):
    """A model was saved with another version of labeldist or scikit-learn."""


def warn(message: str | Warning, category: type[Warning] | None = None) -> None:
    """Issue a warning that points to the calling line outside this library and scikit-learn."""
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_internal(frame.f_code.co_filename):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def _is_internal(filename: str) -> bool:
    is_ours = filename.startswith(_PACKAGE)
    return is_ours or not {"sklearn", "joblib"}.isdisjoint(Path(filename).parts)
