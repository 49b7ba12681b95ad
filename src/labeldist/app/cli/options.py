"""Options and names of methods that several commands share."""

from __future__ import annotations

import tomllib
from functools import partial
from typing import Annotated, Any, Literal

import typer

from labeldist.app.cli.reporter import Reporter
from labeldist.metrics import MEASURES, score_all
from labeldist.published import METHODS, Method
from labeldist.utils import did_you_mean, listed

Table = Annotated[
    str,
    typer.Argument(
        help="A .csv, .tsv, .json, .jsonl, .parquet, .arff, .mat or .npz file; - is CSV."
    ),
]
Labels = Annotated[
    str,
    typer.Option(
        "--labels",
        "-l",
        metavar="COLUMNS",
        help="Names, patterns (emotion_*), or a file (.xml, .txt).",
    ),
]
Features = Annotated[
    str | None,
    typer.Option(metavar="COLUMNS", help="Feature columns. Default: all other columns of numbers."),
]
Ignore = Annotated[
    str, typer.Option(metavar="COLUMNS", help="Columns that are neither labels nor features.")
]
Prepare = Annotated[
    bool,
    typer.Option("--prepare", help="Convert words, text, dates and gaps of features to numbers."),
]
Text = Annotated[
    str | None,
    typer.Option(metavar="COLUMNS", help="Columns that --prepare takes as text, not categories."),
]
Categories = Annotated[
    str | None,
    typer.Option(metavar="COLUMNS", help="Columns that --prepare takes as categories, not text."),
]
Item = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Names of the items. A feature only if --features names it."
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Weights of the rows, such as numbers of votes."),
]
Scoring = Annotated[
    str | None,
    typer.Option(
        metavar="MEASURE",
        help="Measure of the skill, such as wasserstein. Default: kl_divergence.",
    ),
]
Output = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", help="Table; - is CSV to standard output.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
TrustBoosters = Annotated[
    bool,
    typer.Option(
        "--trust-boosters",
        help="Load trees of LightGBM or XGBoost. Only for files of people you trust.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Picture = Annotated[
    str | None, typer.Option(metavar="FILE", help="Also draw a picture: .png, .svg or .pdf.")
]
_SHOW = typer.Option(help="Kind of --picture.")
ShowDistributions = Annotated[Literal["ambiguous", "bars", "ternary"], _SHOW]
ShowPredictions = Annotated[Literal["calibration", "scatter", "bars", "ternary"], _SHOW]
ShowModel = Annotated[
    Literal["calibration", "importance", "coefficients", "search"],
    typer.Option(
        help="Kind of --picture: importance of the features, search over hyper-parameters."
    ),
]
VoteItem = Annotated[str | None, typer.Option(help="Column with the names of the items.")]
Annotator = Annotated[
    str | None, typer.Option(help="Column with the names of the annotators, if known.")
]
VoteLabel = Annotated[
    str | None,
    typer.Option(help="Column with the labels, if each row is a vote; the question with --from."),
]
AnnotatorColumns = Annotated[
    str | None,
    typer.Option(help='Columns of labels, one per annotator (rater_*), or {"ann": "joy"}.'),
]
Counts = Annotated[
    str | None, typer.Option(help='Columns with numbers of votes, one per label or {"joy": 3}.')
]
LabelNames = Annotated[
    str | None, typer.Option(help="All labels, in order. Default: those with votes.")
]
Separator = Annotated[
    str | None, typer.Option(help="Text between several labels and annotators in a cell.")
]
DropCopies = Annotated[
    bool, typer.Option("--drop-copies", help="Count repeated votes of an annotator once.")
]
Tool = Annotated[
    Literal["label-studio", "argilla", "prodigy", "doccano"] | None,
    typer.Option("--from", help="The table is an export of this annotation tool."),
]
Join = Annotated[
    str | None, typer.Option(metavar="FILE", help="Table to join by the column --item.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Parameter of the method; may be repeated."),
]

_TYPES = {
    "Any": "VALUE",
    "bool": "",
    "str": "TEXT",
    "list[str]": "TEXT",
    "int": "NUMBER",
    "float": "NUMBER",
    "path": "FOLDER",
}


class _PlainTypes:
    """Mixin of commands, whose help does not show types of Python such as <list[str]>."""

    def get_params(self, ctx: Any) -> list[Any]:
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # of the command
        for parameter in parameters:
            parameter.display_type = partial(_display_type, parameter)
        return parameters


class Command(_PlainTypes, typer.core.TyperCommand):
    """A command."""


class Group(_PlainTypes, typer.core.TyperGroup):
    """A group of commands."""


def _display_type(parameter: Any, ctx: Any) -> str:
    if parameter.param_type_name == "argument":
        return ""
    name = type(parameter).display_type(parameter, ctx).strip("<>").removesuffix(" range")
    return _TYPES.get(name, name)  # names of choices stay


PYTHON_WORDS = {"None": None, "True": True, "False": False}  # Values of --set besides TOML.
BAYES = "bayes"
ONE_ROW = [[0.75, 0.25]]
_OFFERED = [method for method in METHODS if method.command]
ENHANCERS = {method.command: method for method in _OFFERED if method.kind == "enhancer"}
LEARNERS = {method.command: method for method in _OFFERED if method.kind == "learner"}
MAX_ROWS_WITH_FEATURES = 20_000  # By default, BayesLE ignores the features of larger tables.


def make(methods: dict[str, Method], name: str, parameters: dict[str, Any]) -> Any:
    """Return the estimator with the given name and parameters."""
    if name not in methods:
        hint = did_you_mean(name, methods)
        known = ", ".join(methods)
        raise typer.BadParameter(f"there is no method {name!r}.{hint} There are {known}.")
    estimator = methods[name].estimator_class()()
    try:
        estimator.set_params(**parameters)._validate_params()
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return estimator


def check_measure(name: Any) -> str:
    """Return the name of a measure."""
    if name not in MEASURES:
        known = listed(MEASURES, len(MEASURES))
        raise typer.BadParameter(f"Unknown measure {name!r}; choose from {known}.")
    return str(name)


def measures_in(measures: Any) -> list[str]:
    """Return the names of the measures that `score_all` computes; raise a ValueError for others."""
    return list(score_all(ONE_ROW, ONE_ROW, measures=measures))


def use_features(enhancer: Any, X: Any, reporter: Reporter) -> None:
    """Let a `BayesLE` use features if there are any and not too many rows."""
    n_rows, n_features = X.shape
    if not n_features:
        return
    if n_rows <= MAX_ROWS_WITH_FEATURES:
        enhancer.set_params(regressor="auto")
        return
    problem = f"BayesLE ignores the features of more than {MAX_ROWS_WITH_FEATURES:,} rows"
    reporter.note(f"{problem}. labeldist enhance --set regressor=auto uses them.")


def parse_settings(settings: list[str] | None) -> dict[str, Any]:
    """Return ``name=value`` pairs as parameters. Values are TOML, or text without quotes."""
    parameters: dict[str, Any] = {}
    for setting in settings or ():
        name, equals, text = setting.partition("=")
        if not equals:
            raise typer.BadParameter(f"--set takes NAME=VALUE; got {setting!r}.")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = PYTHON_WORDS.get(text, text)
        parameters[name.strip()] = value
    return parameters
