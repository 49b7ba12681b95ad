"""
What predictions and calibration look like
==========================================

Two plots for a model of three labels: predictions in the triangle of distributions, and
calibration.
"""

# %%
# A linear model, and a kernel model.
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
# A corner of the triangle is a single label, and the centre is the uniform distribution. Each point
# is a prediction, and the line from it ends at the truth.
TernaryDisplay.from_estimator(linear, X_new[:60], D_new[:60], label_names=LABELS)

# %%
# The errors of the kernel model are too small to be visible.
TernaryDisplay.from_estimator(kernel, X_new[:60], D_new[:60], label_names=LABELS)

# %%
# Calibration compares predicted degrees with the mean of the true ones. At both ends the
# predictions of the linear model are slightly too low.
CalibrationDisplay.from_estimator(linear, X_new, D_new)
