"""
Can the degrees be taken at their word?
=======================================

Two pictures for a model of three labels: where its predictions lie, and whether a predicted 0.3 means 0.3.
"""

# %%
# A linear model, and the same with kernel features before it.
from sklearn.pipeline import make_pipeline

from labeldist import BDLDLCV
from labeldist.datasets import make_artificial
from labeldist.features import KernelFeatures
from labeldist.plots import CalibrationDisplay, TernaryDisplay

LABELS = ["red", "green", "blue"]
X, D = make_artificial(400, random_state=0)
X_new, D_new = make_artificial(200, random_state=1)
linear = BDLDLCV().fit(X, D)
kernel = make_pipeline(KernelFeatures(n_components=100), BDLDLCV()).fit(X, D)

# %%
# In the triangle a corner is a label alone, and the middle all alike. Each point is a prediction, and the line from it
# leads to the truth: the linear model misses by some way.
TernaryDisplay.from_estimator(linear, X_new[:60], D_new[:60], label_names=LABELS)

# %%
# The lines of the kernel model are too short to be seen.
TernaryDisplay.from_estimator(kernel, X_new[:60], D_new[:60], label_names=LABELS)

# %%
# Calibration: among all degrees that were predicted as about 0.3, is the mean of the true ones 0.3? Where the curve
# leaves the diagonal, they are not to be taken at their word: at both ends the linear model predicts a little too low.
CalibrationDisplay.from_estimator(linear, X_new, D_new)
