"""``labeldist enhance``: recover the distributions behind a table of logical labels."""

from __future__ import annotations

from typing import Annotated

import typer

from labeldist.cli import options
from labeldist.cli.doubts import doubt_tags
from labeldist.cli.inputs import features_of, item_names, read_labelled
from labeldist.cli.methods import ENHANCERS, make
from labeldist.cli.outputs import check_output, deliver, refuse_words
from labeldist.cli.pictures import SHOW_HELP, OfDistributions, check_picture, draw_distributions, save_drawn
from labeldist.cli.telling import Teller
from labeldist.datasets.tables import STANDARD


def enhance(
    table: options.Table,
    labels: options.Labels,
    output: options.Output = STANDARD,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(ENHANCERS)}.")] = "bdle",
    settings: options.Settings = None,
    features: options.Features = None,
    ignore: options.Ignore = "",
    prepare: options.Prepare = False,
    item: options.ItemName = None,
    picture: options.Picture = None,
    show: Annotated[OfDistributions, typer.Option(help=SHOW_HELP)] = OfDistributions.AMBIGUOUS,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Recover label distributions from labels that are 0 or 1.

    The table comes out as it was, with degrees that sum to one in the label columns. All other columns of numbers are
    features, by which items that resemble each other are known.

    **Examples**

    `labeldist enhance in.csv --labels joy,fear,calm -o dist.csv`

    `labeldist enhance in.csv --labels 'emotion_*' --ignore id -o dist.csv --picture dist.png`

    `labeldist enhance emotions.arff --labels emotions.xml --method glle -o dist.parquet`

    `labeldist enhance in.csv --labels joy,fear,calm --set output=project --set graph_width=mean` — for labels of which
    one is on at a time
    """
    teller = Teller(as_json=as_json, output=output)
    check_output(output, force=force)
    check_picture(picture, force=force)
    enhancer = make(ENHANCERS, method, options.parse_settings(settings))
    given = read_labelled(table, labels, teller, features=features, ignore=ignore, prepare=prepare, others=[item])
    check_picture(picture, labels=len(given.labels), kind=show, force=force)
    refuse_words(given.frame, output, given.labels)
    L = given.Y
    doubt_tags(L, teller)
    X = features_of(given, prepare=prepare)
    with teller.working(f"Recovering distributions of {len(L)} items"):
        D = enhancer.fit_transform(X, L)
    drawn = draw_distributions(show, D, given.labels, item_names(given.frame, item)) if picture else None
    deliver(given.with_degrees(D), output, given.labels)
    save_drawn(drawn, picture)
    mean = dict(zip(given.labels, map(float, D.mean(axis=0)), strict=True))
    facts = {
        "items": len(L),
        "labels": given.labels,
        "features": given.features,
        "left_out": given.left_out,
        "method": method,
        "output": output,
        "mean_distribution": mean,
    }
    degrees = ", ".join(f"{name} {degree:.2f}" for name, degree in mean.items())
    teller.result(
        f"{output}: {len(L)} items, {len(given.labels)} labels, recovered by {type(enhancer).__name__} from "
        f"{len(given.features)} features. On average: {degrees}.\n"
        "How near they are to the truth, only a truth can say: votes, or a few items judged by hand.",
        facts,
    )
