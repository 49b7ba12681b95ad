"""Many predictions: thread safety and memory."""

import gc
import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.numerics.prediction_threads import MODELS, ROWS, prediction_method

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("times", [4, pytest.param(400, marks=pytest.mark.soak)])
def test_predictions_in_threads_equal_those_in_one_thread(times):
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "tests.numerics.prediction_threads",
        str(times),
    ]
    output = subprocess.check_output(command, cwd=Path(__file__).parents[2])
    differences = json.loads(output)
    wrong = [model for model, count in zip(MODELS, differences, strict=True) if count]
    assert wrong == []


def memory():
    gc.collect()
    return psutil.Process().memory_info().rss


@pytest.mark.parametrize(
    "model",
    [MODELS[0], *(pytest.param(model, marks=pytest.mark.soak) for model in MODELS[1:])],
    ids=repr,
)
def test_predictions_do_not_leak_memory(model):
    predict = prediction_method(model)
    for _ in range(1000):
        predict(ROWS[:1])
    before = memory()
    for _ in range(10_000):
        predict(ROWS[:1])
    assert memory() - before < 2**20  # about a hundred bytes per prediction
