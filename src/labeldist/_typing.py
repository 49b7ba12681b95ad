"""Types that many modules use."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

Callback = Callable[[int, int, str], None]
"""Function to call with the finished parts, all parts, and the name of the last one."""
