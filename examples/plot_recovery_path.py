"""
Effect of the sharpness
=======================

Tags do not determine how concentrated the distributions were. The sharpness of softmax is an assumption about it, and
has more effect than the features.
"""

# %%
# On the artificial set the truth is known. The plot shows the measures for every sharpness, with the trivial enhancers.
# Without ground truth this plot cannot be drawn.
import numpy as np

from labeldist import BDLE
from labeldist.datasets import binarize, make_artificial
from labeldist.plots import RecoveryPathDisplay

X, D = make_artificial(300, random_state=0)
L = binarize(D)
RecoveryPathDisplay.from_estimator(BDLE(), X, L, D, "sharpness", np.logspace(-1, 0.5, 10))

# %%
# The weight of the reconstruction has little effect over four orders of magnitude.
RecoveryPathDisplay.from_estimator(BDLE(), X, L, D, "reconstruction", np.logspace(-5, 0, 6))
