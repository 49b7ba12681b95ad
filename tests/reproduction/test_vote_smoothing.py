"""The script behind the advice on smoothing in docs/guide/votes.md."""

import pandas as pd
import pytest

from reproduction.vote_smoothing import measure, read


@pytest.mark.slow
@pytest.mark.usefixtures("votes_folder")
def test_smoothing_helps_degrees_and_fixed_smoothing_harms_learners():
    rows = pd.DataFrame(measure(*read(), n_votes=3, seed=0)).set_index("smoothing")
    degrees = rows["skill of the degrees"]
    learner = rows["skill of the learner"]
    assert degrees["VoteLE"] > degrees["auto"] > degrees["1"] > degrees["none"]
    assert learner["none"] > learner["1"] > learner["3"]
