"""Types and constants that many modules use."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

Watch = Callable[[int, int, str], None]
"""Function to call with the finished parts, all parts, and the name of the last one."""


def show_nothing(done: int, total: int, name: str) -> None:
    """Ignore the progress."""


EPSILON = float(np.finfo(np.float64).eps)
"""Machine epsilon, 2.2e-16."""

TINY = float(np.finfo(np.float64).tiny)
"""The smallest normal number; smaller ones have fewer digits."""

VOTES_COLUMN = "votes"
"""Name of the column with the number of votes of an item."""
