"""Fitted models and new rows for the tests of model files."""

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from labeldist import BDLDL
from tests.checks import example, training_data

LABELS = ["joy", "fear", "calm", "awe"]
NEW = 3 * example(seed=5)[0]


def fitted(model):
    """Fit a model to the common example, with distributions or logical labels."""
    return model.fit(*training_data(model))


def answers(model, X=NEW):
    """Predict new rows, or return the distributions of the training rows."""
    if hasattr(model, "predict"):
        return model.predict(X)
    return model.transform(X) if hasattr(model, "transform") else model.label_distributions_


def mixed_table():
    """Return numbers and categories with missing values, an unused column, and distributions."""
    X, D, _ = example()
    frame = pd.DataFrame({"income": 1e6 * X[:, 0], "age": X[:, 1]})
    frame["city"] = np.where(X[:, 2] > 0, "Zürich", "Oslo")
    frame["rooms"] = (3 * X[:, 3]).astype(int)
    frame["note"] = "unused"
    frame.loc[3, "income"] = np.nan
    frame.loc[4, "city"] = np.nan
    return frame, pd.DataFrame(D, columns=LABELS)


def mixed_model(learner=None):
    """Return a pipeline that is fitted to `mixed_table`."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    encoder = OneHotEncoder(handle_unknown="ignore")
    categories = make_pipeline(SimpleImputer(strategy="most_frequent"), encoder)
    columns = ColumnTransformer(
        [
            ("numbers", numbers, ["income", "age"]),
            ("categories", categories, ["city"]),
            ("as they are", "passthrough", ["rooms"]),
        ]
    )
    return make_pipeline(columns, learner or BDLDL()).fit(*mixed_table())
