"""The script behind the advice on smoothing in docs/guide/votes.md."""

import os
from pathlib import Path

import pytest

from reproduction.vote_smoothing import measure, read


@pytest.mark.slow
def test_smoothing_helps_degrees_and_fixed_smoothing_harms_learners():
    folder = os.environ.get("LABELDIST_VOTES")
    if not folder or not Path(folder).is_dir():
        pytest.skip("LABELDIST_VOTES does not name a folder with ChaosNLI")
    rows = {row["smoothing"]: row for row in measure(*read(Path(folder)), n_votes=3, seed=0)}
    degrees, learner = (
        {name: row[f"skill of the {of}"] for name, row in rows.items()} for of in ("degrees", "learner")
    )
    assert max(degrees, key=degrees.get) == "auto"
    assert learner["none"] > learner["1"] > learner["3"]
