"""Model files and model cards."""

from labeldist.models._persistence import ModelCard, load, read_card, save

__all__ = ["ModelCard", "load", "read_card", "save"]
