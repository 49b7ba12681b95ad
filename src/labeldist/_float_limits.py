"""Limits of float64 numbers."""

import numpy as np

EPSILON = float(np.finfo(np.float64).eps)
"""Machine epsilon, 2.2e-16."""

TINY = float(np.finfo(np.float64).tiny)
"""The smallest normal number; smaller ones have fewer digits."""
