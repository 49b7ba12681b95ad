"""Models that can be kept: one file that executes nothing when it is loaded, and ONNX for other runtimes."""

from labeldist.models.card import ModelCard
from labeldist.models.export import to_onnx
from labeldist.models.names import feature_names_of, label_names_of
from labeldist.models.persistence import load, read_card, save

__all__ = ["ModelCard", "feature_names_of", "label_names_of", "load", "read_card", "save", "to_onnx"]
