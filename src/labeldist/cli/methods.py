"""Names of the methods on the command line."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer

from labeldist.cli.reporter import Reporter
from labeldist.exceptions import did_you_mean

BAYES = "bayes"
ENHANCERS = {
    BAYES: "BayesLE",
    **{name.lower(): name for name in ("BDLE", "GLLE", "FCM", "KM", "LP", "ML")},
    "logical-softmax": "LogicalSoftmax",
    "uniform": "Uniform",
}
LEARNERS = {
    **{name.lower(): name for name in ("BDLDLCV", "BDLDL", "SABFGS", "SAIIS", "LDLSCL", "LDLLC", "EDLLRL")},
    **{name.lower(): name for name in ("PTBayes", "PTSVM", "AAKNN", "AABP")},
    "forest": "DistributionForest",
    "mean": "MeanDistribution",
}

MAX_ROWS_WITH_FEATURES = 20_000
"""By default `BayesLE` uses features up to this number of rows."""


def make(methods: dict[str, str], name: str, parameters: dict[str, Any]) -> Any:
    """Return the estimator with the given name and parameters, or raise an error that lists the valid ones."""
    if name not in methods:
        hint = did_you_mean(name, methods)
        raise typer.BadParameter(f"there is no method {name!r}.{hint} There are {', '.join(methods)}.")
    package = "enhancement" if methods is ENHANCERS else "learning"
    estimator = getattr(import_module(f"labeldist.{package}"), methods[name])()
    known = estimator.get_params(deep=False)
    unknown = sorted(set(parameters) - set(known))
    if unknown:
        names = ", ".join(known) or "none"
        raise typer.BadParameter(f"{methods[name]} has no parameter {', '.join(unknown)}; it has {names}.")
    try:
        estimator.set_params(**parameters)._validate_params()
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return estimator


def use_features(enhancer: Any, X: Any, reporter: Reporter) -> None:
    """Let a `BayesLE` use features if there are any and not too many rows."""
    n, d = X.shape
    if d and n > MAX_ROWS_WITH_FEATURES:
        reporter.note(
            f"BayesLE ignores the features of tables with more than {MAX_ROWS_WITH_FEATURES:,} rows. labeldist enhance "
            "--set regressor=auto uses them."
        )
    elif d:
        enhancer.set_params(regressor="auto")
