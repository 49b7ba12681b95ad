"""Types and constants that many modules use."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EPSILON = float(np.finfo(np.float64).eps)
"""Machine epsilon, 2.2e-16."""

TINY = float(np.finfo(np.float64).tiny)
"""The smallest normal number; smaller ones have fewer digits."""
