"""Model files and model cards."""

from labeldist.models._inside_pipelines import (
    feature_names_of,
    label_names_of,
    predict_distributions,
)
from labeldist.models._persistence import ModelCard, load, read_card, save

__all__ = ["ModelCard", "feature_names_of", "label_names_of", "load"]
__all__ += ["predict_distributions", "read_card", "save"]
