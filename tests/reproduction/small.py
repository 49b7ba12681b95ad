"""A small experiment with every kind of part, on artificial data."""

from reproduction.spec import parse_spec

SMALL = """
name = "small"
title = "Small"
datasets = ["artificial_60"]

[[part]]
kind = "recovery"
[[part.method]]
name = "BD-LE"
use = "BDLE"
[[part.method]]
name = "BD-LE oracle"
use = "BDLE"
role = "oracle"
grid = { reconstruction = [1e-3, 1.0], smoothness = [1e-3, 1.0] }

[[part]]
kind = "prediction"
folds = 3
[[part.method]]
name = "BD-LDL"
use = "BDLDL"
[[part.method]]
name = "Mean"
use = "MeanDistribution"
role = "trivial"

[[part]]
kind = "chain"
folds = 3
learner = [{ name = "SA-BFGS", use = "SABFGS" }]
method = [{ name = "BD-LE", use = "BDLE" }, { name = "Ground truth", use = "GroundTruth" }]

[[part]]
kind = "chain"
folds = 3
transductive = true
learner = [{ name = "SA-BFGS", use = "SABFGS" }]
method = [{ name = "BD-LE", use = "BDLE" }]

[[part]]
kind = "new-rows"
folds = 3
tags = "flip 0.05"
[[part.method]]
name = "EnhancedLearner"
use = "EnhancedLearner"
parameters = { enhancer = "BDLE", learner = "MeanDistribution" }

[[part]]
kind = "grid"
folds = 3
method = [{ name = "BD-LDL", use = "BDLDL", grid = { ridge = [0.1, 1.0] } }]
"""

HEAD = SMALL.split("[[part]]")[0]
"""A spec without parts."""


def small(*changes):
    """Return the experiment after replacements in the text of its spec."""
    text = SMALL
    for old, new in changes:
        text = text.replace(old, new)
    return parse_spec(text, "small")


def with_part(part):
    """Return an experiment with one part."""
    return parse_spec(HEAD + part, "text")


def without_times(records):
    """Return the records without their times."""
    return records.drop(columns="seconds")
