"""
How much an enhancer assumes
============================

Logical labels do not say how pointed the distributions behind them were. The sharpness of softmax is what an enhancer
assumes of it, and it decides more than the features do.
"""

# %%
# On the artificial set the truth is known, so it can be seen how close every sharpness comes to it, beside the
# answers that look at no feature. On data of one's own nobody can draw this picture: that is the point.
import numpy as np

from labeldist import BDLE
from labeldist.datasets import binarize, make_artificial
from labeldist.plots import RecoveryPathDisplay

X, D = make_artificial(300, random_state=0)
L = binarize(D)
RecoveryPathDisplay.from_estimator(BDLE(), X, L, D, "sharpness", np.logspace(-1, 0.5, 10))

# %%
# The weight of the way back matters less over four powers of ten, and then spoils everything.
RecoveryPathDisplay.from_estimator(BDLE(), X, L, D, "reconstruction", np.logspace(-5, 0, 6))
