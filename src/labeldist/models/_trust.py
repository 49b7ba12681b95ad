"""Which types a model file may hold: the estimators of this library, some of scikit-learn, and plain data."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from io import BytesIO
from pkgutil import iter_modules
from typing import Any, get_type_hints
from zipfile import ZipFile

import numpy as np
from sklearn import (
    compose,
    decomposition,
    feature_selection,
    impute,
    kernel_approximation,
    model_selection,
    pipeline,
    preprocessing,
    random_projection,
)
from sklearn.base import BaseEstimator

from labeldist._extras import require
from labeldist._solvers.tag_model import TagModel
from labeldist._solvers.tag_sampler import Rule
from labeldist.enhancement._score_regressors import CrossFittedScores, KernelScores
from labeldist.models._archive import SCHEMA
from labeldist.models._schema import LOADERS, types_in

ROOMS = ("features", "enhancement", "learning")
"""Where estimators live."""

TRANSFORMERS = (
    *(preprocessing.StandardScaler, preprocessing.MinMaxScaler, preprocessing.MaxAbsScaler, preprocessing.RobustScaler),
    *(preprocessing.Normalizer, preprocessing.Binarizer, preprocessing.KBinsDiscretizer),
    *(preprocessing.PowerTransformer, preprocessing.QuantileTransformer, preprocessing.PolynomialFeatures),
    *(preprocessing.OneHotEncoder, preprocessing.OrdinalEncoder, preprocessing.FunctionTransformer),
    *(impute.SimpleImputer, impute.KNNImputer, impute.MissingIndicator, feature_selection.VarianceThreshold),
    *(decomposition.PCA, decomposition.IncrementalPCA, decomposition.TruncatedSVD, decomposition.FastICA),
    *(kernel_approximation.Nystroem, kernel_approximation.RBFSampler, random_projection.GaussianRandomProjection),
    *(pipeline.Pipeline, pipeline.FeatureUnion, compose.ColumnTransformer),
)
"""What of scikit-learn may stand before a learner: tables of numbers or categories in, numbers out.

skops trusts all of its estimators, and some of them read files, or pass what is in a file to compiled code unlooked.
"""

_LEFT_OVER = getattr(compose._column_transformer, "_RemainderColsList", object)  # no longer in the newest scikit-learn

PLAIN = (np.dtype, object, compose.make_column_selector, _LEFT_OVER)
"""What skops leaves out although it only holds data: imputers keep a dtype, column transformers a selector, and those
of scikit-learn 1.6 a list of the columns that they do not use.
"""


HELD = (CrossFittedScores, KernelScores, Rule, TagModel)
"""What a fitted `BayesLE` holds."""


@cache
def trusted_types() -> frozenset[str]:
    """Return the names of the types that are loaded beside numbers, texts, arrays and what holds them.

    These are all estimators of this library, the classes of this library that they declare to hold when fitted,
    `TRANSFORMERS`, the splitters of scikit-learn, which ``cv`` takes, and `PLAIN`. None of them does anything when it
    is built.
    """
    estimators = {kind for room in ROOMS for kind in _estimators_in(f"labeldist.{room}")}
    held = {kind for estimator in estimators for kind in get_type_hints(estimator).values() if _is_ours(kind)}
    return frozenset(map(_name, {*estimators, *held, *HELD, *_splitters(), *TRANSFORMERS, *PLAIN}))


def untrusted_types(archive: bytes) -> list[str]:
    """Return the names of the types in a skops archive that are not to be loaded."""
    with ZipFile(BytesIO(archive)) as members:
        found = set(types_in(members.read(SCHEMA)))
    # skops would let pass all of scikit-learn.
    refused = {name for name, _ in found if name.startswith("sklearn.")} - trusted_types()
    refused |= {name for name, loader in found if loader not in LOADERS}
    return sorted(refused | (set(require("skops.io", "app").get_untrusted_types(data=archive)) - trusted_types()))


def _estimators_in(room: str) -> set[type]:
    modules = [import_module(f"{room}.{module.name}") for module in iter_modules(import_module(room).__path__)]
    return {
        kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, BaseEstimator) and _is_ours(kind)
    }


def _splitters() -> set[type]:
    return {kind for kind in vars(model_selection).values() if isinstance(kind, type) and hasattr(kind, "split")}


def _is_ours(kind: Any) -> bool:
    return isinstance(kind, type) and kind.__module__.startswith("labeldist.")


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__name__}"
