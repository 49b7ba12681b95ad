"""
Text: what would readers say?
=============================

Five people say whether a short review is positive, neutral or negative. A model of the words
estimates what many readers would say, also about reviews without votes.
"""

# %%
# The reviews are simulated: three remarks each, and readers weigh the remarks.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from labeldist import VoteLE
from labeldist.learning import SoftmaxRegressionCV
from labeldist.simplex import softmax

LABELS = ["positive", "neutral", "negative"]
REMARKS = {
    "great food": 2,
    "friendly staff": 1.5,
    "nice view": 1,
    "near the station": 0,
    "opens at noon": 0,
    "loud music": -0.5,
    "slow service": -1.5,
    "cold soup": -2,
}
rng = np.random.default_rng(0)
chosen = [rng.choice(len(REMARKS), 3, replace=False) for _ in range(300)]
texts = [", ".join(np.array(list(REMARKS))[remarks]) for remarks in chosen]
moods = np.array([sum(np.array(list(REMARKS.values()))[remarks]) for remarks in chosen])
truth = softmax(np.column_stack([moods, np.full(300, 0.8), -moods]))
counts = rng.multinomial(5, truth)
print(texts[0], dict(zip(LABELS, counts[0].tolist(), strict=True)))

# %%
# Any learner can be given to ``VoteLE``, here a pipeline on text. It learns from 200 reviews.
learner = make_pipeline(TfidfVectorizer(), SoftmaxRegressionCV())
enhancer = VoteLE(learner).fit(texts[:200], counts[:200])
predicted = enhancer.transform(texts[200:])

# %%
# Eight new reviews, which have no votes: the predicted shares of readers as bars, and the truth as
# dots.
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
left = np.zeros(8)
for j, colour in enumerate(["#009e73", "#bbbbbb", "#d55e00"]):
    ax.barh(texts[200:208], predicted[:8, j], left=left, label=LABELS[j], color=colour)
    left += predicted[:8, j]
ax.plot(np.cumsum(truth[200:208], axis=1)[:, :2], texts[200:208], "ko", markersize=4)
ax.set(xlabel="share of readers", xlim=(0, 1))
ax.invert_yaxis()
ax.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1))
