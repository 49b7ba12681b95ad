"""Texts of LightGBM and XGBoost that were changed, which would end the process."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from labeldist.learning import SoftLabelClassifier
from labeldist.learning._booster_text_checks import check_lightgbm_text, check_xgboost_text

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")


def data(n_labels):
    """Return columns of numbers and of categories, and degrees that depend on all of them."""
    rng = np.random.default_rng(0)
    codes = np.arange(90) % 9
    X = pd.DataFrame(rng.normal(size=(90, 3)), columns=list("abc"))
    X["kind"] = pd.Categorical(codes)
    D = rng.dirichlet(np.ones(n_labels), size=90) / 4
    D[np.arange(90), codes % n_labels] += 0.75
    return X, D


def light(n_labels=4, **parameters):
    options = {"n_estimators": 3, "verbosity": -1, "min_child_samples": 3, "n_jobs": 1}
    options |= {"min_data_per_group": 1, "cat_smooth": 0, "max_cat_to_onehot": 2}
    classifier = lightgbm.LGBMClassifier(**options | parameters)
    return SoftLabelClassifier(classifier).fit(*data(n_labels))


def extreme(n_labels=4, **parameters):
    options = {"n_estimators": 3, "max_depth": 3, "enable_categorical": True, "n_jobs": 1}
    options |= {"max_cat_to_onehot": 2, "tree_method": "hist"}
    classifier = xgboost.XGBClassifier(**options | parameters)
    return SoftLabelClassifier(classifier).fit(*data(n_labels))


@pytest.mark.parametrize("n_labels", [2, 4])
@pytest.mark.parametrize(
    ("make", "parameters"),
    [
        (light, {}),
        (light, {"boosting_type": "goss"}),
        (light, {"linear_tree": True}),
        (light, {"min_child_samples": 500}),
        (extreme, {}),
        (extreme, {"booster": "dart", "rate_drop": 0.5}),
        (extreme, {"gamma": 1.0}),
        (extreme, {"num_parallel_tree": 2}),
        (extreme, {"grow_policy": "lossguide", "max_leaves": 5}),
    ],
)
def test_texts_of_the_libraries_pass(make, parameters, n_labels):
    model = make(n_labels, **parameters)
    X, _ = data(n_labels)
    copy = pickle.loads(pickle.dumps(model))
    assert_array_equal(copy.predict(X), model.predict(X))


LIGHTGBM_CHANGES = {
    "classes": ("num_class=4", "num_class=2"),
    "trees per iteration": ("num_tree_per_iteration=4", "num_tree_per_iteration=8"),
    "features": ("max_feature_idx=3", "max_feature_idx=1"),
    "sizes": ("tree_sizes=", "tree_sizes=1"),
    "leaves": ("num_leaves=", "num_leaves=1"),
    "split feature": ("split_feature=", "split_feature=99999"),
    "child": ("left_child=", "left_child=99"),
    "leaf": ("right_child=", "right_child=-99"),
    "categories": ("num_cat=", "num_cat=9"),
    "boundaries": ("cat_boundaries=0 ", "cat_boundaries=0 99999"),
    "text": ("left_child=", "left_child=x"),
    "another key": ("label_index=0", "label_index=0\naverage_output"),
    "repeated key": ("label_index=0", "label_index=0\nnum_class=4"),
    "other start": ("tree\n", "forest\n"),
    "no end": ("end of trees", "end"),
}


@pytest.fixture(scope="module")
def light_text():
    return light().estimator_.__getstate__()["text"]


@pytest.mark.parametrize("change", LIGHTGBM_CHANGES.values(), ids=LIGHTGBM_CHANGES)
def test_changed_texts_of_lightgbm_are_refused(light_text, change):
    changed = light_text.replace(*change, 1)
    assert changed != light_text
    # The sizes of the trees fit, so that other checks find the change.
    head, _, trees = changed.partition("\n\n")
    if change[0] in trees and change[0] != "end of trees":
        first = int(head.partition("tree_sizes=")[2].split()[0])
        longer = first + len(change[1]) - len(change[0])
        changed = changed.replace(f"tree_sizes={first}", f"tree_sizes={longer}", 1)
    with pytest.raises(ValueError, match="text of the trees cannot be used"):
        check_lightgbm_text(changed, 4)


@pytest.mark.parametrize("text", ["", "tree", "tree\n\n", "tree\nversion=v4\n\nend of trees\n"])
def test_incomplete_texts_of_lightgbm_are_refused(text):
    with pytest.raises(ValueError, match="text of the trees"):
        check_lightgbm_text(text, 4)


def test_cycles_of_lightgbm_are_refused():
    text = light(min_child_samples=10).estimator_.__getstate__()["text"]
    left = text.partition("left_child=")[2].partition("\n")[0].split()
    changed = ["0", *left[1:]]
    changed = " ".join(changed).ljust(len(" ".join(left)))
    with pytest.raises(ValueError, match="left_child"):
        check_lightgbm_text(text.replace(" ".join(left), changed, 1), 4)


def tree_of(content):
    """Return the first tree with categories."""
    trees = content["learner"]["gradient_booster"]["model"]["trees"]
    return next(tree for tree in trees if tree["categories_nodes"])


def booster_of(content):
    return content["learner"]["gradient_booster"]


def replace_first(tree, key, value):
    tree[key][0] = value


XGBOOST_CHANGES = {
    "split feature": lambda content: replace_first(tree_of(content), "split_indices", 99999999),
    "far child": lambda content: replace_first(tree_of(content), "left_children", 10**8),
    "negative child": lambda content: replace_first(tree_of(content), "left_children", -7),
    "cycle": lambda content: replace_first(tree_of(content), "left_children", 0),
    "short array": lambda content: tree_of(content)["split_conditions"].pop(),
    "texts": lambda content: replace_first(tree_of(content), "split_indices", "0"),
    "nodes": lambda content: tree_of(content)["tree_param"].update(num_nodes="99"),
    "leaf vector": lambda content: tree_of(content)["tree_param"].update(size_leaf_vector="9"),
    "category": lambda content: replace_first(tree_of(content), "categories", 2**30),
    "category sizes": lambda content: replace_first(tree_of(content), "categories_sizes", 999),
    "category nodes": lambda content: replace_first(tree_of(content), "categories_nodes", 999),
    "linear": lambda content: booster_of(content).update(name="gblinear"),
    "number of trees": lambda content: booster_of(content)["model"]["trees"].pop(),
    "class of a tree": lambda content: replace_first(booster_of(content)["model"], "tree_info", 99),
    "rounds": lambda content: replace_first(booster_of(content)["model"], "iteration_indptr", 99),
    "classes": lambda content: content["learner"]["learner_model_param"].update(num_class="2"),
    "features": lambda content: content["learner"]["learner_model_param"].update(num_feature="2"),
    "best round": lambda content: content["learner"]["attributes"].update(best_iteration="99"),
    "objective": lambda content: content["learner"]["objective"].update(name="rank:ndcg"),
    "names": lambda content: content["learner"].update(feature_names=["a"]),
}


@pytest.fixture(scope="module")
def extreme_text():
    return extreme().estimator_.__getstate__()["text"]


@pytest.mark.parametrize("change", XGBOOST_CHANGES.values(), ids=XGBOOST_CHANGES)
def test_changed_texts_of_xgboost_are_refused(extreme_text, change):
    content = json.loads(extreme_text)
    change(content)
    with pytest.raises((ValueError, KeyError)):
        check_xgboost_text(json.dumps(content))


def test_repeated_names_and_empty_texts_of_xgboost_are_refused(extreme_text):
    with pytest.raises(ValueError, match="occurs twice"):
        check_xgboost_text(extreme_text.replace("{", '{"learner": {},', 1))
    with pytest.raises(ValueError, match="Expecting value"):
        check_xgboost_text("")


def test_vectors_in_leaves_cannot_be_saved():
    X, D = data(4)
    classifier = xgboost.XGBClassifier(
        n_estimators=2, multi_strategy="multi_output_tree", tree_method="hist"
    )
    model = SoftLabelClassifier(classifier).fit(X[["a", "b"]], D)
    with pytest.raises(ValueError, match="multi_output_tree"):
        pickle.dumps(model)
