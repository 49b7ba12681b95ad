import re
from pathlib import Path

import numpy as np

README = Path(__file__).parents[1] / "README.md"


def test_the_example_in_the_readme_runs_and_recovers_distributions(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    names = {}
    exec(compile(example, str(README), "exec"), names)  # noqa: S102  # the reader will run it, too
    degrees = names["degrees"]
    assert np.allclose(degrees.sum(axis=1), 1)
    assert capsys.readouterr().out.strip().startswith("[[")
    # The two digits that it prints are a clear one and an ambiguous one.
    assert degrees[37].max() < 0.8 < degrees[1].max()
