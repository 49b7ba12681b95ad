"""Write the pages that follow from the code: ``python -m tools.generate_pages``.

docs/api.md lists the public names, docs/methods.md is made from the table of methods, and
docs/commands.md from the help of the commands.
"""

import inspect
from pathlib import Path
from types import ModuleType

import labeldist
from labeldist.methods import METHODS, Method
from tools.check_docstrings import public_modules, public_names
from tools.commands_page import commands_page

DOCS = Path(__file__).parents[1] / "docs"

API = """# API

These are all public names. Everything else is private and may change without notice. Every name
has a page in the reference that `make docs` builds. Estimators have scikit-learn's methods
(`get_params`, `set_params`; enhancers and transformers also `set_output`) as well.

```{toctree}
:hidden:
:glob:

reference/labeldist*
```
"""

PAPER = """# From the paper to the code

*Bidirectional Loss Function for Label Enhancement and Distribution Learning* (Liu et al., 2021)
proposes two methods. Both map features to labels and, with the same parameters, labels back to
features.

| in the paper | in labeldist |
|---|---|
| BD-LE, objective (8) | `BDLE` |
| α, weight of the reconstruction | `reconstruction` |
| λ, weight of the neighbour graph | `smoothness` |
| minimisation by L-BFGS | `solver="lbfgs"`; the default is the exact minimum |
| BD-LDL, objective (15) | `BDLDL(fit_intercept=False)` |
| λ₁, weight of the reconstruction | `reconstruction` |
| λ₂, weight of the squared norm | `ridge` |
| Cholesky and singular value decompositions | `solver="cholesky_svd"` |
| UD-LE and UD-LDL, without reconstruction | `reconstruction=0` |
| logical labels of the experiments | `labeldist.datasets.binarize` |
| six measures | `labeldist.metrics.PAPER_MEASURES` |
| thirteen data sets | `labeldist.datasets.list_datasets()` |
| tables and figures | `make reproduce`, [verdicts](results/reproduction.md) |

`BDLDL()` differs from the published model: it has intercepts, so that predictions sum to one
before the output map, and a floor under small degrees.

The tables list every estimator of `labeldist.enhancement` and `labeldist.learning`. *Basis* is what
the implementation rests on: the paper, its authors' code, public code of others, a reconstruction
from incomplete sources, or this library. The page of each class names the differences. *Published*
are the parameters of the paper that differ from the defaults. *Command* is the name in `labeldist
enhance` and `labeldist fit`. *ONNX* marks what `to_onnx` exports, if the features are numbers: not
text, categories or dates that `--prepare` converts.
"""

TITLES = {
    "enhancer": "Enhancers: from tags to distributions",
    "learner": "Learners: from features to distributions",
    "classifier": "Classifiers",
    "wrapper": "Wrappers of other estimators",
}


def api_page() -> str:
    """Return the list of public names, with the summary of each."""
    top = [name for name in labeldist.__all__ if not name.startswith("_")]
    modules = [_names(module, public_names(module)) for module in public_modules()]
    return "\n".join([API, _names(labeldist, top), *modules])


def _names(module: ModuleType, names: list[str]) -> str:
    title = module.__name__
    lines = [f"## `{title}`", ""]
    if module is not labeldist:
        lines += [_summary(module), ""]
    for name in sorted(names):
        value = getattr(module, name)
        has_docstring = inspect.isclass(value) or inspect.isfunction(value)
        text = f": {_summary(value).removesuffix('.')}" if has_docstring else ""
        lines.append(f"- `{name}`{text}")
    return "\n".join(lines) + "\n"


def _summary(value: object) -> str:
    docstring = inspect.getdoc(value) or ""
    return " ".join(docstring.split("\n\n")[0].split())


def methods_page() -> str:
    """Return the page from the paper to the code."""
    sections = [PAPER]
    for kind, title in TITLES.items():
        rows = [method for method in METHODS if method.kind == kind]
        sections.append(f"## {title}\n\n{_table(rows)}")
    return "\n".join(sections)


def _table(methods: list[Method]) -> str:
    lines = [
        "| method | class | basis | accepts or needs | published | command | ONNX | reference |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for method in methods:
        published = ", ".join(f"`{name}={value!r}`" for name, value in method.published.items())
        cells = [
            method.name,
            f"`{method.estimator}`",
            method.basis,
            ", ".join(method.needs),
            published,
            f"`{method.command}`" if method.command else "",
            "yes" if method.onnx else "",
            method.reference,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


PAGES = {"api.md": api_page, "commands.md": commands_page, "methods.md": methods_page}


def main() -> None:
    """Write all pages."""
    for name, make in PAGES.items():
        (DOCS / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
