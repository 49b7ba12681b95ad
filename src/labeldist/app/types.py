"""Types of many modules of the application."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
