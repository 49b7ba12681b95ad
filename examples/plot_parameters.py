"""
What the penalties of BD-LDL do
===============================

``BDLDLCV`` evaluates a grid of penalties at little more than the cost of a fit. This example plots
the grid and the coefficients.
"""

# %%
# Twelve features, three of them informative.
import numpy as np

from labeldist import BDLDLCV
from labeldist.datasets import make_artificial
from labeldist.plots import CoefficientDisplay, ParameterInfluenceDisplay

X, D = make_artificial(150, random_state=0)
noise = np.random.default_rng(0).normal(size=(150, 9))
X = np.hstack([X, noise])
search = BDLDLCV(
    ridges=np.logspace(-3, 4, 8), reconstructions=np.logspace(-4, 3, 8), floors=[0.01]
).fit(X, D)
print(search.best_params_)

# %%
# If both penalties are small, no pair is much worse than the best. A large ridge shrinks all
# predictions to the mean, and a large weight of the reconstruction is harmful. A coarse grid
# suffices.
ParameterInfluenceDisplay.from_estimator(search)

# %%
# The three informative features have the largest coefficients. The coefficients of a feature sum to
# zero over the labels.
names = ["first", "second", "third", *(f"noise {i + 1}" for i in range(9))]
CoefficientDisplay.from_estimator(
    search.best_estimator_, feature_names=names, label_names=["red", "green", "blue"]
)
