"""Dask collections, on threads and on a real cluster of processes, one of which is killed."""

import os
import signal
import threading
import time

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from numpy.testing import assert_allclose

from labeldist import BDLDL, BDLDLCV
from labeldist.datasets import make_artificial

X, D = make_artificial(600, random_state=0)
WEIGHT = np.random.default_rng(0).uniform(size=600)
FRAME = pd.DataFrame(np.hstack([X, D]), columns=["a", "b", "c", "red", "green", "blue"])
FEATURES, LABELS = ["a", "b", "c"], ["red", "green", "blue"]
GRID = {"reconstructions": [1e-3, 1.0], "ridges": [1e-3, 10.0], "cv": 4}


@pytest.fixture(autouse=True)
def threads():
    with dask.config.set(scheduler="threads"):
        yield


@pytest.fixture
def cluster():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as workers,
        Client(workers) as client,
    ):
        yield client


def arrays(rows=130):
    # Blocks of features are cut across columns, and those of labels elsewhere.
    return da.from_array(X, chunks=(rows, 2)), da.from_array(D, chunks=(rows + 70, 3))


def test_arrays_give_the_model_of_the_whole_table():
    model, whole = BDLDL().fit(*arrays()), BDLDL().fit(X, D)
    assert_allclose(model.coef_, whole.coef_, atol=1e-11)
    assert model.n_features_in_ == 3
    predicted = model.predict(arrays()[0])
    assert isinstance(predicted, da.Array)
    assert predicted.shape == (600, 3)
    assert_allclose(predicted.compute(), whole.predict(X), atol=1e-11)


def test_weights_come_in_blocks_too():
    whole = BDLDL().fit(X, D, sample_weight=WEIGHT)
    for weight in (WEIGHT, da.from_array(WEIGHT, chunks=100)):
        assert_allclose(BDLDL().fit(*arrays(), sample_weight=weight).coef_, whole.coef_, atol=1e-11)


def test_data_frames_keep_their_names_and_index():
    frame = dd.from_pandas(FRAME, npartitions=5)
    model = BDLDL().fit(frame[FEATURES], frame[LABELS])
    assert model.label_names_ == LABELS
    assert list(model.feature_names_in_) == FEATURES
    predicted = model.predict(frame[FEATURES])
    assert list(predicted.columns) == LABELS
    expected = BDLDL().fit(FRAME[FEATURES], FRAME[LABELS]).predict(FRAME[FEATURES])
    assert_allclose(predicted.compute(), expected, atol=1e-11)
    assert (predicted.compute().index == FRAME.index).all()


def test_empty_partitions_do_not_matter():
    frame = dd.from_pandas(FRAME, npartitions=5)
    some = frame[frame["a"] > FRAME["a"].quantile(0.9)]
    rows = FRAME[FRAME["a"] > FRAME["a"].quantile(0.9)]
    assert_allclose(
        BDLDL().fit(some[FEATURES], some[LABELS]).coef_, BDLDL().fit(rows[FEATURES], rows[LABELS]).coef_, atol=1e-10
    )
    none = frame[frame["a"] > 1e9]
    with pytest.raises(ValueError, match="has no rows"):
        BDLDL().fit(none[FEATURES], none[LABELS])


def test_cross_validation_takes_two_passes_and_gives_what_it_gives_in_memory():
    looked_at = []

    def note(block):
        looked_at.append(len(block))
        return block

    x, d = arrays()
    model = BDLDLCV(**GRID).fit(x.rechunk((130, 3)).map_blocks(note, meta=np.empty((0, 0))), d)
    assert len(looked_at) == 2 * 5
    # The folds are others than in memory, so scores agree as samples do; what is fitted in the end is the same.
    in_memory = BDLDLCV(**GRID).fit(X, D)
    assert model.best_params_ == in_memory.best_params_
    assert model.best_score_ == pytest.approx(in_memory.best_score_, rel=0.05)
    assert_allclose(model.coef_, in_memory.coef_, atol=1e-10)
    assert_allclose(model.predict(arrays()[0]).compute(), in_memory.predict(X), atol=1e-10)


def test_cross_validation_scores_are_those_of_its_folds():
    from sklearn.utils import check_random_state

    from labeldist.solvers.fold_moments import BlockFolds

    model = BDLDLCV(**GRID, random_state=3).fit(*arrays(200))
    folds = BlockFolds(4, int(check_random_state(3).randint(2**31)))
    held_out = [np.concatenate([200 * block + folds.of(block, 200)[fold] for block in range(3)]) for fold in range(4)]
    splits = [(np.setdiff1d(np.arange(600), rows), rows) for rows in held_out]
    expected = BDLDLCV(**(GRID | {"cv": splits})).fit(X, D)
    assert_allclose(model.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"], rtol=1e-9)


def test_what_cannot_be_combined_is_refused():
    x, d = arrays()
    with pytest.raises(TypeError, match="y must be one, too"):
        BDLDL().fit(x, D)
    with pytest.raises(TypeError, match="cv must be an int"):
        BDLDLCV(cv=[(np.arange(10), np.arange(10, 20))]).fit(x, d)
    frame = dd.from_pandas(FRAME, npartitions=5)
    with pytest.raises(ValueError, match="same partitions; got 5, 3, 5"):
        BDLDL().fit(frame[FEATURES], frame[LABELS].repartition(npartitions=3))
    with pytest.raises(TypeError, match="sample_weight must be a Dask collection"):
        BDLDL().fit(frame[FEATURES], frame[LABELS], sample_weight=WEIGHT)
    with pytest.raises(ValueError, match="negative in 1 row"):
        BDLDL().fit(x, da.from_array(np.where(np.arange(600)[:, None] == 300, -1.0, D), chunks=(130, 3)))


def test_a_cluster_gives_the_same_predictions(cluster):
    with dask.config.set(scheduler=cluster):
        model = BDLDL().fit(*arrays())
        predicted = model.predict(arrays()[0]).compute()
        chosen = BDLDLCV(**GRID).fit(*arrays())
    assert_allclose(predicted, BDLDL().fit(X, D).predict(X), atol=1e-9)
    assert_allclose(chosen.coef_, BDLDLCV(**GRID).fit(*arrays()).coef_, atol=1e-11)


def slowly(block):
    time.sleep(0.3)
    return block


def fit_on(cluster, model, x, d):
    """Fit on the cluster; one that never answers is a failure, not a test that never ends."""

    def fit():
        with dask.config.set(scheduler=cluster):
            model.fit(x, d)

    thread = threading.Thread(target=fit, daemon=True)
    thread.start()
    thread.join(timeout=300)
    assert not thread.is_alive(), "the cluster did not answer within five minutes"


def pids(cluster):
    return list(cluster.run(os.getpid).values())


@pytest.mark.parametrize("model", [BDLDL(), BDLDLCV(**GRID)], ids=lambda model: type(model).__name__)
def test_a_worker_that_is_killed_does_not_change_the_answer(cluster, model):
    x, d = arrays(50)
    x = x.rechunk((50, 3)).map_blocks(slowly, meta=np.empty((0, 0)))
    victim = pids(cluster)[0]
    killer = threading.Timer(1.0, os.kill, (victim, signal.SIGKILL))
    killer.start()
    fit_on(cluster, model, x, d)
    killer.join()
    assert victim not in pids(cluster)
    expected = BDLDL().fit(X, D) if isinstance(model, BDLDL) else BDLDLCV(**GRID).fit(*arrays(50))
    assert_allclose(model.predict(X), expected.predict(X), atol=1e-9)
