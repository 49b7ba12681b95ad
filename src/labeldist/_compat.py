"""Private names of scikit-learn that the library uses."""

from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight

__all__ = ["HasMethods", "Interval", "StrOptions", "_check_sample_weight", "_safe_indexing"]
