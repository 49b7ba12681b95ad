"""A synthetic table of items with versions of their degrees."""

import numpy as np
import pandas as pd

LABELS = ["joy", "fear", "calm"]
EVIL = "</script><img src=x onerror=\"document.title='broken'\"><b>bold</b>"


def make_poems(n=120):
    """Return a table, and a good prediction, the truth and a poor prediction of its degrees."""
    rng = np.random.default_rng(0)
    D = rng.dirichlet([1.2, 0.6, 0.9], size=n)
    good = 0.8 * D + 0.2 * rng.dirichlet(np.ones(3), size=n)
    poor = 0.2 * D + 0.8 * rng.dirichlet(np.ones(3), size=n)
    frame = pd.DataFrame({"title": [f"Poem {i + 1}" for i in range(n)]})
    frame["author"] = rng.choice(["Ada", "Ben", "Cléo"], size=n)
    frame["note"] = "plain"
    frame.loc[frame.index[3], ["title", "note"]] = EVIL
    frame[LABELS] = D
    return frame, {"good": good, "true": D, "poor": poor}
