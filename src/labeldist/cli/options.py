"""Options that several commands have, said once."""

from __future__ import annotations

import tomllib
from typing import Annotated, Any

import typer

Table = Annotated[
    str,
    typer.Argument(help="A table: .csv, .tsv, .parquet, .feather, .arff, .mat, .npz; - is CSV from standard input."),
]
Labels = Annotated[
    str,
    typer.Option(
        "--labels",
        "-l",
        help="The label columns: names, patterns (emotion_*), or a file that names them (.xml of MULAN, .txt); commas "
        "between several.",
    ),
]
Features = Annotated[
    str | None, typer.Option(help="The feature columns, in the same way. Else all other columns of numbers.")
]
Ignore = Annotated[str, typer.Option(help="Columns that are neither labels nor features, such as identifiers.")]
Prepare = Annotated[
    bool,
    typer.Option(
        "--prepare", help="Turn words, dates and empty cells of the features into numbers, instead of refusing."
    ),
]
ItemName = Annotated[
    str | None,
    typer.Option("--item", help="The column that names the items: no feature, and shown in pictures."),
]
Item = Annotated[
    str | None, typer.Option(help="The column that names the items, to match rows by. Else by their order.")
]
Weights = Annotated[str | None, typer.Option(help="A column of weights, such as the number of votes behind each row.")]
Output = Annotated[str, typer.Option("--output", "-o", help="Where the table goes; - is CSV to standard output.")]
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]
Json = Annotated[bool, typer.Option("--json", help="Say what was done as JSON on standard output.")]
Picture = Annotated[str | None, typer.Option(help="Also draw a picture: .png, .svg or .pdf.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the method; may be given several times."),
]
Seed = Annotated[int, typer.Option(help="Where random numbers begin: the same seed, the same result.")]


def parse_settings(settings: list[str] | None) -> dict[str, Any]:
    """Return ``name=value`` pairs as parameters; a value is written as in TOML, and words need no quotes."""
    parameters: dict[str, Any] = {}
    for setting in settings or ():
        name, equals, text = setting.partition("=")
        if not equals:
            raise typer.BadParameter(f"--set takes NAME=VALUE; got {setting!r}.")
        try:
            parameters[name.strip()] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            parameters[name.strip()] = {"None": None, "True": True, "False": False}.get(text, text)
    return parameters
