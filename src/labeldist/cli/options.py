"""Options that several commands share."""

from __future__ import annotations

import tomllib
from typing import Annotated, Any

import typer

Table = Annotated[
    str,
    typer.Argument(help="Table: .csv, .tsv, .parquet, .feather, .arff, .mat or .npz; - is CSV from standard input."),
]
Labels = Annotated[
    str,
    typer.Option(
        "--labels",
        "-l",
        metavar="COLUMNS",
        help="Label columns, separated by commas: names, patterns such as emotion_*, or a file of names (.xml of "
        "MULAN, .txt).",
    ),
]
Features = Annotated[
    str | None, typer.Option(metavar="COLUMNS", help="Feature columns. Default: all other columns of numbers.")
]
Ignore = Annotated[str, typer.Option(metavar="COLUMNS", help="Columns that are neither labels nor features.")]
Prepare = Annotated[
    bool, typer.Option("--prepare", help="Convert words, dates and empty cells of the features to numbers.")
]
Item = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Names of the items, to match rows and for pictures. Not a feature."),
]
Weights = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Weights of the rows, such as the number of their votes.")
]
Output = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", help="File for the table; - is CSV to standard output.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Picture = Annotated[str | None, typer.Option(metavar="FILE", help="Also draw a picture: .png, .svg or .pdf.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Parameter of the method; may be given several times."),
]


def parse_settings(settings: list[str] | None) -> dict[str, Any]:
    """Return ``name=value`` pairs as parameters. Values are TOML, or text without quotes."""
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
