"""Handwritten digits, a set that needs no download, with its classes as logical labels."""

from typing import TYPE_CHECKING, Literal, overload

import numpy as np
from numpy.typing import NDArray

from labeldist._typing import Array

if TYPE_CHECKING:
    from sklearn.utils import Bunch

_DESCRIPTION = """\
The column of a digit's class is 1 in `logical`, the others are 0: label enhancement may then find out which
other digits it looks like. There are no true distributions to compare with.

"""


@overload
def load_logical_digits(*, return_X_y: Literal[False] = False) -> "Bunch": ...
@overload
def load_logical_digits(*, return_X_y: Literal[True]) -> tuple[Array, NDArray[np.uint8]]: ...
@overload
def load_logical_digits(*, return_X_y: bool) -> "Bunch | tuple[Array, NDArray[np.uint8]]": ...
def load_logical_digits(*, return_X_y: bool = False) -> "Bunch | tuple[Array, NDArray[np.uint8]]":
    """Load scikit-learn's 1797 digits of 8 × 8 pixels, their classes as logical labels.

    Parameters
    ----------
    return_X_y : bool
        Return the pair ``(data, logical)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data`` (1797 × 64), ``logical`` (1797 × 10, uint8, one 1 a row), ``target`` (the class of each row),
        ``images`` (1797 × 8 × 8), ``feature_names``, ``target_names``, ``DESCR``.
    """
    from sklearn.datasets import load_digits
    from sklearn.utils import Bunch

    digits = load_digits()
    logical = np.eye(len(digits.target_names), dtype=np.uint8)[digits.target]
    if return_X_y:
        return digits.data, logical
    return Bunch(
        data=digits.data,
        logical=logical,
        target=digits.target,
        images=digits.images,
        feature_names=list(digits.feature_names),
        target_names=[str(digit) for digit in digits.target_names],
        DESCR=_DESCRIPTION + digits.DESCR,
    )
