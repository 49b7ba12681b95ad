"""
Tags: find ambiguous digits
===========================

Every image of scikit-learn's digits has one label. Label enhancement uses similar images to
estimate the degree of every digit.
"""

# %%
# Every image has one tag, and most images are clear. ``output="project"`` keeps the scores, while
# softmax would make all distributions nearly equal.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from labeldist import BDLE
from labeldist.plots import AmbiguityDisplay

X, digits = load_digits(return_X_y=True)
X, digits = X[:800], digits[:800]
L = np.eye(10)[digits]
degrees = BDLE(graph_width="mean", output="project").fit_transform(X, L)

# %%
# These images have the highest entropy.
names = [f"image {i}, a {digit}" for i, digit in enumerate(digits)]
display = AmbiguityDisplay.from_distributions(
    degrees, max_rows=8, label_names=range(10), item_names=names
)

# %%
# The same images:
ambiguous = [names.index(name) for name in display.item_names]
figure, axes = plt.subplots(1, 8, figsize=(8, 1.5), layout="constrained")
for ax, i in zip(axes, ambiguous, strict=True):
    ax.imshow(X[i].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"a {digits[i]}")
    ax.axis("off")

# %%
# Most images are clear.
clear = np.mean(degrees.max(axis=1) > 0.8)
print(f"{100 * clear:.0f} % of the images have a degree above 0.8.")
