"""Names of the columns of the tables in `conftest`, and the options that name them."""

LABELS = ["joy", "fear", "calm"]
FEATURES = ["tempo", "loudness", "pitch"]
NAMES = ("-l", "joy,fear,calm")
FIT = ("fit", "dist.csv", *NAMES, "-o", "m.skops", "--method")
