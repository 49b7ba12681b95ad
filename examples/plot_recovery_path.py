"""
What the sharpness of BD-LE does
================================

Tags do not determine how concentrated the distributions were. The sharpness of softmax is an
assumption about it, and has more effect than the features.
"""

# %%
# On the artificial set the truth is known. The plot shows the divergence for every sharpness, with
# the trivial enhancers. Without ground truth this plot cannot be drawn.
import numpy as np
from matplotlib import pyplot as plt

from labeldist import BDLE
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import LogicalSoftmax, Uniform
from labeldist.metrics import kl_divergence

X, D = make_artificial(300, random_state=0)
L = binarize(D)


def draw(name, values):
    """Draw the divergence of BDLE for each value of a parameter."""
    recovered = [BDLE(**{name: value}).fit_transform(X, L) for value in values]
    plt.figure(figsize=(6, 4), layout="constrained")
    plt.semilogx(values, [kl_divergence(D, P) for P in recovered], marker="o", label="BDLE")
    for enhancer, style in (
        (Uniform(), "--"),
        (LogicalSoftmax(), ":"),
        (LogicalSoftmax("threshold"), "-."),
    ):
        plt.axhline(
            kl_divergence(D, enhancer.fit_transform(X, L)),
            color="black",
            linestyle=style,
            label=repr(enhancer),
        )
    plt.xlabel(name)
    plt.ylabel("Kullback-Leibler (lower is better)")
    plt.legend()


draw("sharpness", np.logspace(-1, 0.5, 10))

# %%
# The weight of the reconstruction has little effect over four orders of magnitude.
draw("reconstruction", np.logspace(-5, 0, 6))
