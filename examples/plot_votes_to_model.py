"""
Votes: from answers to a model
==============================

Votes about songs become distributions, and a model learns from them. Songs with more votes have
larger weights.
"""

# %%
# The songs are simulated: two to seven people each draw an emotion from the true distribution.
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
drawn = [
    (song, voter, rng.choice(LABELS, p=truth[song]))
    for song in range(300)
    for voter in range(rng.integers(2, 8))
]
votes = pd.DataFrame(drawn, columns=["song", "voter", "emotion"])
print(votes.head())

# %%
# With few votes, shares are often 0 or 1. They are right on average, so the model learns from them
# without smoothing.
found = from_votes(votes, item="song", annotator="voter", label="emotion", label_names=LABELS)
DistributionDisplay.from_distributions(found.distributions, label_names=LABELS, max_rows=30)

# %%
# The number of votes is the weight of a song. The model is evaluated on songs without votes: a
# skill of 0 is no better than the mean.
model = BDLDLCV().fit(X[:300], found.distributions, sample_weight=found.weights)
mean = MeanDistribution().fit(X[:300], found.distributions)
print(
    f"skill of the model {model.score(X[300:], truth[300:]):.2f}, "
    f"of the mean {mean.score(X[300:], truth[300:]):.2f}"
)

# %%
# Predicted and true degrees.
PredictionDisplay.from_estimator(model, X[300:], truth[300:], label_names=LABELS)
