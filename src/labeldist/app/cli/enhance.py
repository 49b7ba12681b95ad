"""``labeldist enhance``: recover label distributions from tags."""

from __future__ import annotations

import warnings
from typing import Annotated, Any, Literal

import numpy as np
import typer
from numpy.typing import NDArray

from labeldist.app.cli import columns, options, pictures
from labeldist.app.cli import table_files as tables
from labeldist.app.cli.options import BAYES, ENHANCERS, make, use_features
from labeldist.app.cli.reporter import Reporter
from labeldist.app.tables.read_and_write import STANDARD
from labeldist.exceptions import LabelDistWarning

FACTS_OF_BAYES = ("spread", "spread_identified", "noise", "rule", "explained", "n_impossible")
THRESHOLDS = (0.3, 0.5, 0.8)  # The mass on the tags is compared with that under these and ORDER.
ORDER = "rule order"
# Rows of the sample for that. A sweep of BayesLE costs n_labels² operations per row.
MAX_ROWS = 2_000
MAX_WORK = 5_000_000  # rows × n_labels²
MIN_ROWS = 100
NOT_VALIDATED = (
    "Recovered degrees cannot be validated without ground truth: collect votes, or judge a few "
    "items by hand."
)


def enhance(
    table: options.Table,
    labels: options.Labels,
    output: options.Output = STANDARD,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(ENHANCERS)}.")] = BAYES,
    threshold: Annotated[
        float | None, typer.Option(help="Only bayes; see above. Default: 0.5.")
    ] = None,
    rule: Annotated[
        Literal["half", "order"] | None, typer.Option(help="Only bayes; see above.")
    ] = None,
    noise: Annotated[
        str | None, typer.Option(metavar="auto|FLOAT", help="Share of wrong tags. Only bayes.")
    ] = None,
    std: Annotated[
        str | None, typer.Option(metavar="FILE", help="Standard deviations. Only bayes.")
    ] = None,
    settings: options.Settings = None,
    features: options.Features = None,
    ignore: options.Ignore = "",
    prepare: options.Prepare = False,
    text: options.Text = None,
    categories: options.Categories = None,
    item: options.Item = None,
    picture: options.Picture = None,
    show: options.ShowDistributions = "ambiguous",
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Recover label distributions from tags, which are 0 or 1.

    The output is the table with degrees in the label columns; they sum to one in each row. All
    other columns of numbers are features, by which the methods find similar items. The method bayes
    also works without features. It assumes that the tags are the labels with the largest degrees:
    as many as together exceed `--threshold` with `--rule half`, any number with `--rule order`.

    **Examples**

    - `labeldist enhance in.csv --labels joy,fear,calm -o dist.csv`
    - `labeldist enhance in.csv --labels 'emotion_*' --ignore id -o dist.csv --std std.csv`
    - `labeldist enhance emotions.arff --labels emotions.xml --method glle -o dist.parquet`
    """
    reporter = Reporter(as_json=as_json, output=output)
    tables.check_outputs(std, picture, table=output, force=force)
    if std is not None and method != BAYES:
        raise typer.BadParameter(f"--std needs --method {BAYES}.")
    parameters = _parameters(settings, threshold=threshold, rule=rule, noise=noise)
    enhancer = make(ENHANCERS, method, parameters)
    frame = tables.read(table, reporter, item, ignore, text, categories)
    named = columns.Columns(labels, features, ignore, prepare, text, categories, item)
    given = columns.choose(frame, named, reporter, need_features=_needs_features(enhancer))
    pictures.check_picture(picture, show, len(given.labels))
    L = given.Y
    tables.check_tags(L)
    X = columns.feature_matrix(given, prepare=prepare)
    if method == BAYES and "regressor" not in parameters:
        use_features(enhancer, X, reporter)
    with reporter.working(f"Recovering distributions of {len(L)} items") as watch:
        progress = {"callback": watch} if method == BAYES else {}
        D = enhancer.fit_transform(X, L, **progress)
    drawn = None
    if picture:
        items = tables.item_names(frame, item)
        drawn = pictures.draw_distributions(show, D, given.labels, items)
    written = {output: D}
    if std is not None:
        written[std] = enhancer.label_std_
    for path, values in written.items():
        degrees = given.with_degrees(values)
        with reporter.working(f"Writing {path}"):
            tables.write_output(degrees, path, given.labels, given.features, item=item, force=force)
    pictures.save_drawn(drawn, picture, force=force)
    mean = dict(zip(given.labels, D.mean(axis=0).tolist(), strict=True))
    facts = {**columns.facts(given, output), "method": method, "mean_distribution": mean}
    n_items, n_labels = D.shape
    name = type(enhancer).__name__
    lines = [
        f"{output}: {n_items} items, {n_labels} labels, recovered by {name}.",
        f"On average: {tables.mean_text(mean)}.",
    ]
    if method == BAYES and output != STANDARD:
        masses = _masses_on_tags(enhancer, L.to_numpy(), D, reporter)
        facts |= {**_facts_of_bayes(enhancer), "mass_on_tags": masses}
        lines[-1] += f" {_concentration(enhancer)}"
        lines.append(_assumption(enhancer, masses))
    reporter.result("\n".join([*lines, NOT_VALIDATED]), facts)


def _parameters(settings: list[str] | None, **of_bayes: Any) -> dict[str, Any]:
    """Return the parameters of --set, and those that options of their own name."""
    assigned = [f"{name}={value}" for name, value in of_bayes.items() if value is not None]
    return options.parse_settings([*(settings or ()), *assigned])


def _needs_features(enhancer: Any) -> bool:
    """Return whether an enhancer needs features; only a `BayesLE` without regressor does not."""
    return getattr(enhancer, "regressor", "") is not None


def _facts_of_bayes(enhancer: Any) -> dict[str, Any]:
    """Return what a fitted `BayesLE` has found out about the tags."""
    facts = {}
    for name in FACTS_OF_BAYES:
        value = getattr(enhancer, f"{name}_")
        facts[name] = np.asarray(value).item()
    return facts


def _concentration(enhancer: Any) -> str:
    """Describe how concentrated the degrees of a fitted `BayesLE` are."""
    largest = enhancer.label_distributions_.max(axis=1)
    text = f"The largest degree of an item is {largest.mean():.2f} on average."
    if not enhancer.spread_identified_:
        text += " The tags may not determine it; see the parameter spread_prior."
    return text


def _masses_on_tags(enhancer: Any, L: Any, D: Any, reporter: Reporter) -> dict[str, float]:
    """Return the mean mass on the tags in `D`, and under other rules, by the name of the rule.

    If no row has several tags, there are no other rules: `BayesLE` uses the rule "order".
    """
    tagged = L.any(axis=1)
    mass = (D * L).sum(axis=1)[tagged]
    chosen = ORDER if enhancer.rule_ == "order" else _threshold_name(enhancer.threshold)
    masses = {chosen: float(mass.mean())}
    others: dict[str, dict[str, Any]] = {
        _threshold_name(threshold): {"threshold": threshold} for threshold in THRESHOLDS
    }
    others[ORDER] = {"rule": "order", "noise": "auto"}
    if L.shape[1] > 2 and L.sum(axis=1).max() == 1:
        return masses
    from sklearn.base import clone

    sample = _sample(L[tagged])
    base = clone(enhancer).set_params(regressor=None)
    with reporter.working("Comparing assumptions") as watch, warnings.catch_warnings():
        warnings.simplefilter("ignore", LabelDistWarning)  # that of the fit has been shown
        for name, parameters in others.items():
            if name != chosen:
                other = clone(base).set_params(**parameters)
                degrees = other.fit_transform(np.empty((len(sample), 0)), sample, callback=watch)
                masses[name] = float((degrees * sample).sum(axis=1).mean())
    return masses


def _sample(tags: NDArray[Any]) -> NDArray[Any]:
    """Return all rows, or a random sample of those of a large table."""
    n_rows = int(np.clip(MAX_WORK // tags.shape[1] ** 2, MIN_ROWS, MAX_ROWS))
    if len(tags) <= n_rows:
        return tags
    return np.random.default_rng(0).choice(tags, n_rows, replace=False)


def _threshold_name(threshold: float) -> str:
    return f"threshold {threshold:g}"


def _assumption(enhancer: Any, masses: dict[str, float]) -> str:
    """State the rule that was assumed, and how the mass on the tags depends on it."""
    (_, mass), *others = masses.items()
    until = "whatever their degrees sum to"
    if enhancer.rule_ == "half":
        share = "one half" if enhancer.threshold == 0.5 else f"{enhancer.threshold:g}"
        until = f"until they exceed {share}"
    text = f"Assumed: tags are the strongest labels, {until}. The tags of an item have {mass:.2f} "
    text += "of its degrees on average"
    if others:
        listed = ", ".join(f"{other:.2f} with {name}" for name, other in others)
        without = ", each without features" if enhancer.regressor is not None else ""
        text += f"; under other assumptions {listed}{without}"
    return f"{text}."
