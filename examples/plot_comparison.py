"""
Compare methods: your own and published ones
============================================

A method of your own is compared with published methods on several data sets, in the same folds and
with a baseline.
"""

# %%
# A method needs ``fit(X, D)`` and ``predict(X)``.
from sklearn.base import BaseEstimator
from sklearn.neighbors import KNeighborsRegressor

from labeldist import compare
from labeldist.datasets import make_artificial
from labeldist.published import make_published


class WeightedNeighbors(BaseEstimator):
    """The mean distribution of the ten nearest rows, weighted by distance."""

    def fit(self, X, D):
        """Store the rows."""
        self.neighbors_ = KNeighborsRegressor(10, weights="distance").fit(X, D)
        return self

    def predict(self, X):
        """Return the distributions of new rows."""
        return self.neighbors_.predict(X)


methods = {"mine": WeightedNeighbors()}
methods |= {name: make_published(name) for name in ("BD-LDL", "SA-BFGS", "AA-kNN", "PT-Bayes")}
sets = {f"artificial {n}": make_artificial(n, random_state=n) for n in (60, 90, 120, 150, 180, 210)}
comparison = compare(methods, sets, cv=5)
print(comparison.summary("chebyshev", against="mine"))

# %%
# The average ranks. Methods that a line connects are not distinguished.
comparison.plot("chebyshev")

# %%
# The same as a table; ``to_latex`` has it for a paper.
print(comparison.to_markdown("chebyshev"))
