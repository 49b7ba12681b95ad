"""Types and names of many modules of the application."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

Callback = Callable[[int, int, str], None]
"""Function to call with the finished parts, all parts, and the name of the last one."""

VOTES_COLUMN = "votes"
"""Name of the column with the number of votes of an item."""
