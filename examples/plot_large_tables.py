"""
Large tables: learn in chunks
=============================

``BDLDL`` learns from chunks of rows, so that a table need not fit into memory. The result is the
same as that of one fit to all rows.
"""

# %%
# A generator stands for a large file; ``labeldist.datasets.TableStream`` reads Parquet and
# CSV files in chunks.
import matplotlib.pyplot as plt
import numpy as np

from labeldist import BDLDL
from labeldist.simplex import softmax

rng = np.random.default_rng(0)
weights = rng.normal(0, 0.2, (100, 4))


def draw(n_rows):
    """Draw features, and shares of three votes."""
    X = rng.normal(size=(n_rows, 100))
    truth = softmax(X @ weights)
    return X, rng.multinomial(3, truth) / 3, truth


X_new, _, truth_new = draw(2000)

# %%
# ``partial_fit`` adds a chunk to sums of fixed size; ``fit_stream`` reads a whole stream.
model = BDLDL()
n_rows, skills = [], []
for n_chunk in [200, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600]:
    X, D, _ = draw(n_chunk)
    model.partial_fit(X, D)
    n_rows.append(n_chunk + sum(n_rows[-1:]))
    skills.append(model.score(X_new, truth_new))

# %%
# With more rows the model comes closer to the true distributions, until its own form limits it.
figure, ax = plt.subplots(layout="constrained")
ax.semilogx(n_rows, skills, "o-")
ax.set(xlabel="rows read", ylabel="skill on new rows", ylim=(0, 1))
ax.grid(alpha=0.3)
