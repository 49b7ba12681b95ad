"""One table of all estimators: the method of each, where it comes from and what it needs.

The rows are in methods.toml. The command, the common checks and the pages of the documentation use
them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.resources import files
from typing import Any, Literal

from labeldist._text import did_you_mean

__all__ = ["METHODS", "Method", "make_published"]

Kind = Literal["enhancer", "learner", "classifier", "wrapper"]
Basis = Literal["paper", "authors' code", "public code", "reconstruction", "this library"]

MISSING = "missing degrees"


@dataclass(frozen=True)
class Method:
    """One row of the table of methods.

    Parameters
    ----------
    name : str
        Name of the method in its paper.
    estimator : str
        Name of the class.
    kind : {"enhancer", "learner", "classifier", "wrapper"}
        What the class does. A wrapper contains another estimator.
    reference : str
        The publication, empty for methods of this library.
    basis : str
        What the formula rests on: the paper, its authors' code, public code of others, a
        reconstruction from incomplete sources, or this library.
    needs : tuple of str
        Special input: ordered labels, missing degrees (accepted as NaN), one label per row,
        candidate labels, counts of votes.
    published : mapping of str to object
        Parameters of the published method where they differ from the defaults.
    command : str
        Name in the command, empty if the command does not offer it.
    package : str
        The package from which the class is imported.

    See Also
    --------
    make_published : Return an estimator with the parameters of its paper.

    Examples
    --------
    >>> from labeldist.published import METHODS
    >>> [method.estimator for method in METHODS if "missing degrees" in method.needs]
    ['IncomLDL', 'WInLDL', 'WSLDLMCSC']
    """

    name: str
    estimator: str
    kind: Kind
    reference: str = ""
    basis: Basis = "this library"
    needs: tuple[str, ...] = ()
    published: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""
    package: str = "labeldist.published"

    def estimator_class(self) -> Any:
        """Import and return the class.

        Returns
        -------
        type
            The class of the estimator.
        """
        return getattr(import_module(self.package), self.estimator)


def _read_table() -> tuple[Method, ...]:
    """Read methods.toml."""
    text = files("labeldist.published").joinpath("methods.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["method"]
    return tuple(Method(**{**row, "needs": tuple(row.get("needs", ()))}) for row in rows)


METHODS = _read_table()
"""All methods: enhancers, then learners, classifiers and wrappers."""


def make_published(name: str) -> Any:
    """Return an unfitted estimator with the parameters of its paper.

    Parameters
    ----------
    name : str
        The name of the method in the literature, such as ``"BD-LDL"``, in the command
        (``"bdldl"``), or of its class (``"BDLDL"``); see `labeldist.published.METHODS`.

    Returns
    -------
    estimator
        Where the paper leaves a parameter open, it has its default.

    See Also
    --------
    labeldist.compare : Compare methods.

    Examples
    --------
    >>> from labeldist.published import make_published
    >>> make_published("BD-LDL")
    BDLDL(fit_intercept=False)
    """
    for spelling in ("name", "command", "estimator"):
        for method in METHODS:
            if getattr(method, spelling) == name:
                return method.estimator_class()(**method.published)
    known = [method.name for method in METHODS]
    suggestion = did_you_mean(name, [*known, *(method.estimator for method in METHODS)])
    raise ValueError(f"Unknown method {name!r}.{suggestion} The methods are {', '.join(known)}.")
