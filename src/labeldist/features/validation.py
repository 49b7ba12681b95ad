"""scikit-learn's look at a table, before anything is computed from it."""

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data


def validated(estimator: Any, *tables: Any, **options: Any) -> Any:
    """Return what ``validate_data`` does. It adds all numbers up; that their sum leaves the range, nobody need hear."""
    with np.errstate(over="ignore", invalid="ignore"):
        return validate_data(estimator, *tables, **options)
