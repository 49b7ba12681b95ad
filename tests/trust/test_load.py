"""Many predictions: thread safety and memory."""

import gc
import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.trust.prediction_threads import MODELS, ROWS, prediction_method

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("times", [4, pytest.param(400, marks=pytest.mark.soak)])
def test_predictions_in_threads_equal_those_in_one_thread(times):
    command = [sys.executable, "-W", "ignore", "-m", "tests.trust.prediction_threads", str(times)]
    process = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert json.loads(process.stdout) == [[repr(model), 0] for model in MODELS]


def memory():
    gc.collect()
    return psutil.Process().memory_info().rss


@pytest.mark.parametrize(
    "model",
    [pytest.param(model, marks=[pytest.mark.soak] * (model is not MODELS[0]), id=repr(model)) for model in MODELS],
)
def test_predictions_do_not_leak_memory(model):
    predict = prediction_method(model)
    for _ in range(1000):
        predict(ROWS[:1])
    before = memory()
    for _ in range(10_000):
        predict(ROWS[:1])
    assert memory() - before < 2**20  # about a hundred bytes per prediction
