"""``labeldist enhance``: recover label distributions from tags."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
import typer

from labeldist._tables.tables import STANDARD, read_table
from labeldist.cli import io, options, pictures
from labeldist.cli.methods import BAYES, ENHANCERS, make, use_features
from labeldist.cli.reporter import Reporter

FACTS_OF_BAYES = ("spread", "spread_identified", "noise", "rule", "explained", "n_impossible")


def enhance(
    table: options.Table,
    labels: options.Labels,
    output: options.Output = STANDARD,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(ENHANCERS)}.")] = BAYES,
    threshold: Annotated[
        float | None,
        typer.Option(help="Tagged labels together have a larger degree than this. Only bayes; default 0.5."),
    ] = None,
    rule: Annotated[
        Literal["half", "order"] | None,
        typer.Option(
            help="How tags follow from degrees. half: the largest degrees, until --threshold is exceeded. order: the "
            "largest degrees, any number of them. Only bayes; default half."
        ),
    ] = None,
    noise: Annotated[
        str | None,
        typer.Option(
            metavar="auto|FLOAT", help="Probability that a tag is wrong, below 0.5. Only bayes; default auto."
        ),
    ] = None,
    std: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write the standard deviations of the degrees. Only bayes.")
    ] = None,
    settings: options.Settings = None,
    features: options.Features = None,
    ignore: options.Ignore = "",
    prepare: options.Prepare = False,
    item: options.Item = None,
    picture: options.Picture = None,
    show: pictures.OfDistributions = "ambiguous",
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Recover label distributions from tags, which are 0 or 1.

    The output is the table with degrees in the label columns; they sum to one in each row. All other columns of numbers
    are features, by which the methods find similar items. The method bayes also works without features.

    **Examples**

    - `labeldist enhance in.csv --labels joy,fear,calm -o dist.csv`
    - `labeldist enhance in.csv --labels 'emotion_*' --ignore id -o dist.csv --std std.csv --picture dist.png`
    - `labeldist enhance emotions.arff --labels emotions.xml --method glle -o dist.parquet`
    - `labeldist enhance in.csv --labels joy,fear,calm --rule order` — if the number of tags has no meaning
    """
    reporter = Reporter(as_json=as_json, output=output)
    io.check_outputs(std, picture, table=output, force=force)
    of_bayes = {"threshold": threshold, "rule": rule, "noise": noise}
    enhancer = _make_enhancer(method, settings, of_bayes, std)
    use_all = method == BAYES and "regressor" not in options.parse_settings(settings)
    given = io.choose(
        read_table(table),
        labels,
        reporter,
        features=features,
        ignore=ignore,
        prepare=prepare,
        other=item,
        need_features=getattr(enhancer, "regressor", "") is not None,
    )
    pictures.check_picture(picture, show, len(given.labels))
    for path in (output, std or STANDARD):
        io.check_columns(given.frame, path, given.labels)
    L = given.Y
    io.check_tags(L, reporter)
    X = io.feature_matrix(given, prepare=prepare)
    if use_all:
        use_features(enhancer, X, reporter)
    with reporter.working(f"Recovering distributions of {len(L)} items"):
        D = enhancer.fit_transform(X, L)
    drawn = pictures.draw_distributions(show, D, given.labels, io.item_names(given.frame, item)) if picture else None
    io.write_output(given.with_degrees(D), output, given.labels, force=force)
    if std is not None:
        io.write_output(given.with_degrees(enhancer.label_std_), std, given.labels, force=force)
    pictures.save_drawn(drawn, picture, force=force)
    mean = dict(zip(given.labels, map(float, D.mean(axis=0)), strict=True))
    facts = {**io.facts(given, output), "method": method, "mean_distribution": mean}
    source, concentration = f"{len(given.features)} features", ""
    if method == BAYES:
        facts |= {name: np.asarray(getattr(enhancer, f"{name}_")).item() for name in FACTS_OF_BAYES}
        source = f"tags and {source}" if _uses_features(enhancer) else "tags alone"
        concentration = _concentration(enhancer) + "\n"
    reporter.result(
        f"{output}: {len(L)} items, {len(given.labels)} labels, recovered by {type(enhancer).__name__} from {source}. "
        f"On average: {io.mean_text(mean)}.\n{concentration}"
        "Recovered degrees cannot be validated without ground truth: collect votes, or judge a few items by hand.",
        facts,
    )


def _make_enhancer(method: str, settings: list[str] | None, of_bayes: dict[str, Any], std: str | None) -> Any:
    """Return the enhancer; raise an error for options of bayes with another method, or given twice."""
    given = {name: value for name, value in of_bayes.items() if value is not None}
    only_bayes = [*given, *(["std"] if std is not None else [])]
    if method in ENHANCERS and method != BAYES and only_bayes:
        raise typer.BadParameter(f"--{only_bayes[0]} is for --method bayes only; got --method {method}.")
    parameters = options.parse_settings(settings)
    for name in given:
        if name in parameters:
            raise typer.BadParameter(f"{name} is given twice: by --{name} and by --set.")
    parameters |= options.parse_settings([f"{name}={value}" for name, value in given.items()])
    return make(ENHANCERS, method, parameters)


def _uses_features(enhancer: Any) -> bool:
    """Return whether the degrees of a fitted `BayesLE` depend on features."""
    from labeldist.enhancement._bayes_le import MIN_EXPLAINED

    explained = enhancer.explained_
    return explained is not None and (enhancer.regressor != "auto" or bool(explained >= MIN_EXPLAINED))


def _concentration(enhancer: Any) -> str:
    """Describe how concentrated the degrees of a fitted `BayesLE` are, and what determines it."""
    top = enhancer.label_distributions_.max(axis=1).mean()
    median, deviation = enhancer.spread_prior
    cause = "the tags determine it"
    if not enhancer.spread_identified_:
        cause = f"the tags do not determine it, a prior does (see --set spread_prior=[{median},{deviation}])"
    text = f"Degrees: spread {enhancer.spread_:.2f} (the largest label of an item has {top:.2f} on average); {cause}."
    if enhancer.noise == "auto" and enhancer.noise_ > 0:
        text += f" An estimated {100 * enhancer.noise_:.2g} % of the tags are wrong."
    return text
