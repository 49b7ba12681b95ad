"""``labeldist enhance``: recover label distributions from tags."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
import typer

from labeldist._tables.tables import STANDARD
from labeldist.cli import io, options
from labeldist.cli.options import BAYES, ENHANCERS, make, use_features
from labeldist.cli.reporter import Reporter

FACTS_OF_BAYES = ("spread", "spread_identified", "noise", "rule", "explained", "n_impossible")


def enhance(
    table: options.Table,
    labels: options.Labels,
    output: options.Output = STANDARD,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(ENHANCERS)}.")] = BAYES,
    threshold: Annotated[float | None, typer.Option(help="Only bayes; see above. Default: 0.5.")] = None,
    rule: Annotated[Literal["half", "order"] | None, typer.Option(help="Only bayes; see above.")] = None,
    noise: Annotated[str | None, typer.Option(metavar="auto|FLOAT", help="Share of wrong tags. Only bayes.")] = None,
    std: Annotated[str | None, typer.Option(metavar="FILE", help="Standard deviations. Only bayes.")] = None,
    settings: options.Settings = None,
    features: options.Features = None,
    ignore: options.Ignore = "",
    prepare: options.Prepare = False,
    item: options.Item = None,
    picture: options.Picture = None,
    show: options.ShowDistributions = "ambiguous",
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Recover label distributions from tags, which are 0 or 1.

    The output is the table with degrees in the label columns; they sum to one in each row. All other columns of numbers
    are features, by which the methods find similar items. The method bayes also works without features.
    It assumes that the tags are the labels with the largest degrees: as many as together exceed `--threshold` with
    `--rule half`, any number with `--rule order`.

    **Examples**

    - `labeldist enhance in.csv --labels joy,fear,calm -o dist.csv`
    - `labeldist enhance in.csv --labels 'emotion_*' --ignore id -o dist.csv --std std.csv --picture dist.png`
    - `labeldist enhance emotions.arff --labels emotions.xml --method glle -o dist.parquet`
    """
    from labeldist.enhancement._bayes_le import MIN_EXPLAINED
    from labeldist.enhancement._trivial import FeatureFreeEnhancer

    reporter = Reporter(as_json=as_json, output=output)
    io.check_outputs(std, picture, table=output, force=force)
    of_bayes = {"threshold": threshold, "rule": rule, "noise": noise}
    given_options = [f"{name}={value}" for name, value in of_bayes.items() if value is not None]
    if method in ENHANCERS and method != BAYES and (given_options or std is not None):
        raise typer.BadParameter(f"--threshold, --rule, --noise and --std need --method bayes; got {method}.")
    parameters = options.parse_settings([*(settings or ()), *given_options])
    if threshold is not None and parameters.get("rule") == "order":
        raise typer.BadParameter("--rule order has no --threshold.")
    enhancer = make(ENHANCERS, method, parameters)
    choice: dict[str, Any] = {"features": features, "ignore": ignore, "prepare": prepare, "other": item}
    needs_features = getattr(enhancer, "regressor", "") is not None
    given = io.choose(io.read(table, reporter, item, ignore), labels, reporter, **choice, need_features=needs_features)
    io.check_picture(picture, show, len(given.labels))
    for path in (output, std or STANDARD):
        io.check_columns(given.frame, path, given.labels)
    L = given.Y
    io.check_tags(L)
    X = io.feature_matrix(given, prepare=prepare)
    if method == BAYES and "regressor" not in parameters:
        use_features(enhancer, X, reporter)
    with reporter.working(f"Recovering distributions of {len(L)} items"):
        D = enhancer.fit_transform(X, L)
    drawn = io.draw_distributions(show, D, given.labels, io.item_names(given.frame, item)) if picture else None
    columns: dict[str, Any] = {"labels": given.labels, "features": given.features, "item": item, "force": force}
    io.write_output(given.with_degrees(D), output, **columns)
    if std is not None:
        io.write_output(given.with_degrees(enhancer.label_std_), std, **columns)
    io.save_drawn(drawn, picture, force=force)
    mean = dict(zip(given.labels, map(float, D.mean(axis=0)), strict=True))
    facts = {**io.facts(given, output), "method": method, "mean_distribution": mean}
    source, concentration = f"{len(given.features)} features", ""
    if isinstance(enhancer, FeatureFreeEnhancer):
        source = "tags alone"
    if method == BAYES:
        facts |= {name: np.asarray(getattr(enhancer, f"{name}_")).item() for name in FACTS_OF_BAYES}
        needed = MIN_EXPLAINED if enhancer.regressor == "auto" else -np.inf
        uses_features = enhancer.explained_ is not None and enhancer.explained_ >= needed
        source = f"tags and {source}" if uses_features else "tags alone"
        concentration = _concentration(enhancer) + "\n"
    reporter.result(
        f"{output}: {len(L)} items, {len(given.labels)} labels, recovered by {type(enhancer).__name__} from {source}. "
        f"On average: {io.mean_text(mean)}.\n{concentration}"
        "Recovered degrees cannot be validated without ground truth: collect votes, or judge a few items by hand.",
        facts,
    )


def _concentration(enhancer: Any) -> str:
    """Describe how concentrated the degrees of a fitted `BayesLE` are, and what determines it."""
    top = enhancer.label_distributions_.max(axis=1).mean()
    median, deviation = enhancer.spread_prior
    cause = "the tags determine it"
    if not enhancer.spread_identified_:
        cause = f"the tags do not determine it, a prior does (see --set spread_prior=[{median},{deviation}])"
    return f"Degrees: spread {enhancer.spread_:.2f} (the largest label of an item has {top:.2f} on average); {cause}."
