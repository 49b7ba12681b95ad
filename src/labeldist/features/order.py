"""The order of the features' columns."""

from typing import Any

from labeldist.labels import column_names


def refuse_other_order(estimator: Any, X: Any) -> None:
    """Refuse the features that `estimator` was fitted on in another order, and say which stands where.

    ``validate_data`` refuses them as well, but does not say which; what is missing or new it names.
    """
    expected, given = list(getattr(estimator, "feature_names_in_", [])), column_names(X)
    if given is None or given == expected or sorted(given) != sorted(expected):
        return
    first = next(k for k, (name, other) in enumerate(zip(given, expected, strict=True)) if name != other)
    raise ValueError(
        "The feature names should match those that were passed during fit.\n"
        "Feature names must be in the same order as they were in fit.\n"
        f"Column {first} is {given[first]!r} where fit had {expected[first]!r}. "
        "Select the columns in the order of feature_names_in_."
    )
