"""``labeldist enhance``: recover the distributions behind a table of logical labels."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from labeldist._tables.tables import STANDARD
from labeldist.cli import options
from labeldist.cli.doubts import doubt_tags
from labeldist.cli.inputs import features_of, item_names, read_labelled
from labeldist.cli.methods import BAYES, ENHANCERS, choose_regressor, make
from labeldist.cli.outputs import check_files, check_output, deliver, refuse_words
from labeldist.cli.pictures import SHOW_HELP, OfDistributions, check_picture, draw_distributions, save_drawn
from labeldist.cli.telling import Teller


def enhance(
    table: options.Table,
    labels: options.Labels,
    output: options.Output = STANDARD,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(ENHANCERS)}.")] = BAYES,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Labels are tagged until their degrees sum to more than this. Only for --method bayes; default 0.5."
        ),
    ] = None,
    rule: Annotated[
        Literal["half", "order"] | None,
        typer.Option(
            help="How degrees become tags. half: the largest ones are tagged, up to --threshold. order: tagged labels "
            "have larger degrees than the others, and their number says nothing. Only for --method bayes; default half."
        ),
    ] = None,
    noise: Annotated[
        str | None,
        typer.Option(
            metavar="auto|FLOAT",
            help="The probability that a tag is wrong, below 0.5; auto estimates it. Only for --method bayes; default "
            "auto.",
        ),
    ] = None,
    std: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Also write the table with the standard deviations of the degrees in the label columns. Only for "
            "--method bayes.",
        ),
    ] = None,
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
    features, by which items that resemble each other are known. The method bayes needs no features.

    **Examples**

    `labeldist enhance in.csv --labels joy,fear,calm -o dist.csv`

    `labeldist enhance in.csv --labels 'emotion_*' --ignore id -o dist.csv --std std.csv --picture dist.png`

    `labeldist enhance emotions.arff --labels emotions.xml --method glle -o dist.parquet`

    `labeldist enhance in.csv --labels joy,fear,calm --rule order` — for tags whose number says nothing
    """
    teller = Teller(as_json=as_json, output=output)
    check_output(output, force=force)
    check_picture(picture, force=force)
    parameters = options.parse_settings(settings)
    of_bayes = {"threshold": threshold, "rule": rule, "noise": noise, "std": std}
    given_of_bayes = {name: value for name, value in of_bayes.items() if value is not None}
    if method in ENHANCERS and method != BAYES and given_of_bayes:
        raise typer.BadParameter(f"--{next(iter(given_of_bayes))} is for --method bayes only; got --method {method}.")
    if std is not None:
        check_output(std, force=force)
        check_files(std, None if output == STANDARD else output, force=force)
    parameters |= _parameters_of_bayes(given_of_bayes, parameters)
    enhancer = make(ENHANCERS, method, parameters)
    given = read_labelled(
        table,
        labels,
        teller,
        features=features,
        ignore=ignore,
        prepare=prepare,
        others=[item],
        need_features=method != BAYES or parameters.get("regressor") is not None,
    )
    check_picture(picture, labels=len(given.labels), kind=show, force=force)
    for path in (output, std):
        if path is not None:
            refuse_words(given.frame, path, given.labels)
    L = given.Y
    doubt_tags(L, teller)
    X = features_of(given, prepare=prepare)
    if method == BAYES and "regressor" not in parameters:
        choose_regressor(enhancer, X, teller)
    with teller.working(f"Recovering distributions of {len(L)} items"):
        D = enhancer.fit_transform(X, L)
    drawn = draw_distributions(show, D, given.labels, item_names(given.frame, item)) if picture else None
    deliver(given.with_degrees(D), output, given.labels, force=force)
    if std is not None:
        deliver(given.with_degrees(enhancer.label_std_), std, given.labels, force=force)
    save_drawn(drawn, picture, force=force)
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
    source, concentration = f"{len(given.features)} features", ""
    if method == BAYES:
        facts |= _facts_of_bayes(enhancer)
        source = f"tags and {source}" if _uses_features(enhancer) else "tags alone"
        concentration = _concentration(enhancer) + "\n"
    degrees = ", ".join(f"{name} {degree:.2f}" for name, degree in mean.items())
    teller.result(
        f"{output}: {len(L)} items, {len(given.labels)} labels, recovered by {type(enhancer).__name__} from {source}. "
        f"On average: {degrees}.\n{concentration}"
        "Recovered degrees cannot be validated without ground truth: collect votes, or judge a few items by hand.",
        facts,
    )


def _parameters_of_bayes(given: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Return the options that are parameters of `BayesLE`; refuse one that --set has, too."""
    parameters = options.parse_settings([f"{name}={value}" for name, value in given.items() if name != "std"])
    twice = sorted(set(parameters) & set(settings))
    if twice:
        raise typer.BadParameter(f"{twice[0]} is given twice: by --{twice[0]} and by --set.")
    return parameters


def _uses_features(enhancer: Any) -> bool:
    """Whether the degrees of a fitted `BayesLE` depend on features."""
    from labeldist.enhancement._bayes_le import MIN_EXPLAINED

    explained = enhancer.explained_
    return explained is not None and (enhancer.regressor != "auto" or bool(explained >= MIN_EXPLAINED))


def _facts_of_bayes(enhancer: Any) -> dict[str, Any]:
    return {
        "spread": float(enhancer.spread_),
        "spread_identified": bool(enhancer.spread_identified_),
        "noise": float(enhancer.noise_),
        "rule": enhancer.rule_,
        "explained": None if enhancer.explained_ is None else float(enhancer.explained_),
        "n_impossible": enhancer.n_impossible_,
    }


def _concentration(enhancer: Any) -> str:
    """Say how concentrated the degrees of a fitted `BayesLE` are, and what determines it."""
    top = enhancer.label_distributions_.max(axis=1).mean()
    median, deviation = enhancer.spread_prior
    cause = (
        "the tags determine it"
        if enhancer.spread_identified_
        else f"the tags do not determine it, a prior does (see --set spread_prior=[{median},{deviation}])"
    )
    wrong = enhancer.noise == "auto" and enhancer.noise_ > 0
    noise = f" An estimated {100 * enhancer.noise_:.2g} % of the tags are wrong." if wrong else ""
    return (
        f"Degrees: spread {enhancer.spread_:.2f} (the largest label of an item has {top:.2f} on average); {cause}."
        f"{noise}"
    )
