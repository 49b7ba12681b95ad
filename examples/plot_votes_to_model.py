"""
From votes to a model
=====================

A few people have said what they hear in each song. Their votes become distributions, and a model learns from them,
with more trust in the songs that more people have heard.
"""

# %%
# The songs are made up, so that the truth is known: two to seven people each draw an emotion from it.
import numpy as np
import pandas as pd

from labeldist import BDLDLCV
from labeldist.datasets import make_artificial
from labeldist.learning import MeanDistribution
from labeldist.plots import DistributionDisplay, PredictionDisplay
from labeldist.votes import from_votes

LABELS = ["joy", "fear", "calm"]
rng = np.random.default_rng(0)
X, truth = make_artificial(400, random_state=0)
ballots = [
    (song, voter, rng.choice(LABELS, p=truth[song])) for song in range(300) for voter in range(rng.integers(2, 8))
]
votes = pd.DataFrame(ballots, columns=["song", "voter", "emotion"])
print(votes.head())

# %%
# Shares of so few votes are 0 or 1 too often. Half a vote for each label, that is ``smoothing=1.5``, says so.
found = from_votes(votes, item="song", annotator="voter", label="emotion", label_names=LABELS, smoothing=1.5)
DistributionDisplay.from_distributions(found.distributions, label_names=LABELS, max_rows=30)

# %%
# The number of votes is the weight of a song. Whether the model is any good is judged by the truth of songs that
# nobody has voted for: 0 is no better than always answering the mean.
model = BDLDLCV().fit(X[:300], found.distributions, sample_weight=found.weights)
mean = MeanDistribution().fit(X[:300], found.distributions)
print(f"skill of the model {model.score(X[300:], truth[300:]):.2f}, of the mean {mean.score(X[300:], truth[300:]):.2f}")

# %%
# Predicted against true degrees: near the diagonal is right. The votes were drawn and smoothed, so the largest degrees
# are predicted too small.
PredictionDisplay.from_estimator(model, X[300:], truth[300:], label_names=LABELS)
