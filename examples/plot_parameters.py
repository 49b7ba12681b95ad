"""
Which parameters matter?
========================

``BDLDLCV`` tries a whole grid of penalties for little more than the price of a fit. A picture of the grid says which of
them were worth trying.
"""

# %%
# Twelve features, of which three say something.
import numpy as np

from labeldist import BDLDLCV
from labeldist.datasets import make_artificial
from labeldist.plots import CoefficientDisplay, ParameterInfluenceDisplay

X, D = make_artificial(150, random_state=0)
noise = np.random.default_rng(0).normal(size=(150, 9))
X = np.hstack([X, noise])
search = BDLDLCV(ridges=np.logspace(-3, 4, 8), reconstructions=np.logspace(-4, 3, 8), floors=[0.01]).fit(X, D)
print(search.best_params_)

# %%
# A plateau: while both are small, no pair is much worse than the best. A large ridge shrinks everything to the mean,
# and a large weight of the way back, ``reconstruction``, does harm. So a coarse grid will do.
ParameterInfluenceDisplay.from_estimator(search)

# %%
# A linear model can be read. The three features that count stand out, and each row sums to zero: what a label gains by
# a feature, the others lose.
names = ["first", "second", "third", *(f"noise {i + 1}" for i in range(9))]
CoefficientDisplay.from_estimator(search.best_estimator_, feature_names=names, label_names=["red", "green", "blue"])
