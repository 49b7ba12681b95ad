"""The methods by the names that they have on the command line."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer

from labeldist.cli.telling import Teller
from labeldist.exceptions import did_you_mean

BAYES = "bayes"
ENHANCERS = {
    BAYES: "BayesLE",
    "bdle": "BDLE",
    "glle": "GLLE",
    "fcm": "FCM",
    "km": "KM",
    "lp": "LP",
    "ml": "ML",
    "logical-softmax": "LogicalSoftmax",
    "uniform": "Uniform",
}
LEARNERS = {
    "bdldlcv": "BDLDLCV",
    "bdldl": "BDLDL",
    "sabfgs": "SABFGS",
    "saiis": "SAIIS",
    "ldlscl": "LDLSCL",
    "ldllc": "LDLLC",
    "edllrl": "EDLLRL",
    "ptbayes": "PTBayes",
    "ptsvm": "PTSVM",
    "aaknn": "AAKNN",
    "aabp": "AABP",
    "forest": "DistributionForest",
    "mean": "MeanDistribution",
}

MOST_ROWS_WITH_FEATURES = 20_000
"""Up to this number of rows `BayesLE` uses features unless a person decides."""


def make(methods: dict[str, str], name: str, parameters: dict[str, Any]) -> Any:
    """Return the estimator called `name` with the given parameters, or refuse with what there is."""
    if name not in methods:
        hint = did_you_mean(name, methods)
        raise typer.BadParameter(f"there is no method {name!r}.{hint} There are {', '.join(methods)}.")
    room = "enhancement" if methods is ENHANCERS else "learning"
    estimator = getattr(import_module(f"labeldist.{room}"), methods[name])()
    unknown = sorted(set(parameters) - set(estimator.get_params(deep=False)))
    if unknown:
        known = ", ".join(estimator.get_params(deep=False)) or "none"
        raise typer.BadParameter(f"{methods[name]} has no parameter {', '.join(unknown)}; it has {known}.")
    estimator.set_params(**parameters)
    try:
        estimator._validate_params()
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return estimator


def choose_regressor(enhancer: Any, X: Any, teller: Teller) -> None:
    """Let a `BayesLE` use features if there are any and the rows are not too many."""
    n, d = X.shape
    if d and n > MOST_ROWS_WITH_FEATURES:
        teller.note(
            f"BayesLE uses no features for more than {MOST_ROWS_WITH_FEATURES:,} rows. labeldist enhance --set "
            "regressor=auto uses them."
        )
    elif d:
        enhancer.set_params(regressor="auto")
