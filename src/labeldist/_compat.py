"""Private names of scikit-learn that the estimators use."""

from sklearn.utils._param_validation import HasMethods, Interval, StrOptions, validate_parameter_constraints

__all__ = ["HasMethods", "Interval", "StrOptions", "validate_parameter_constraints"]
