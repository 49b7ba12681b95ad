"""Write the pages that follow from the code: ``python -m tools.generate_pages``.

docs/api.md lists the public names, docs/methods.md is made from the table of methods, and
docs/commands.md from the help of the commands.
"""

import inspect
from pathlib import Path
from types import ModuleType

import labeldist
from labeldist.published import METHODS, Method
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
features. `labeldist.published.make_published` returns them, and the methods that the paper compares
them with, with the parameters of their papers: `make_published("BD-LE")`,
`make_published("BD-LDL")`.

## BD-LE, label enhancement

| in the paper | in labeldist |
|---|---|
| (1) objective with two parameter matrices | not solved: (4) ties them |
| (2) mapping loss, (3) reconstruction loss | the first two terms of the objective of `BDLE` |
| (4) tied weights, (5) objective with one matrix | [derivation](mathematics/bdle.md) |
| φ, kernel features with a constant | `kernel` of `BDLE`, `bandwidth` of `BDLE` |
| (6) similarities of the K nearest neighbours | `n_neighbors` of `BDLE` |
| (6) σ = 1 | `graph_width` of `BDLE` |
| (7) manifold regularisation | the last term of the objective of `BDLE` |
| (8) objective | `BDLE` |
| α, weight of the reconstruction | `reconstruction` of `BDLE` |
| λ, weight of the manifold term | `smoothness` of `BDLE` |
| (9) gradient, minimisation by L-BFGS | `solver="lbfgs"`; the default is the exact minimum |
| (27) UD-LE, without reconstruction | `BDLE(reconstruction=0)` |

## BD-LDL, label distribution learning

| in the paper | in labeldist |
|---|---|
| (10) objective with two parameter matrices | not solved: (12) ties them |
| (11) mapping loss, (12) tied weights, (13), (14) norm | [derivation](mathematics/bdldl.md) |
| (15), (16) objective | `BDLDL(fit_intercept=False)` |
| θ | `coef_` of a fitted `BDLDL`, transposed |
| λ₁, weight of the reconstruction | `reconstruction` of `BDLDL` |
| λ₂, weight of the squared norm | `ridge` of `BDLDL` |
| (17), (18) normal equations, (19) Sylvester equation | solved exactly by `BDLDL` |
| Algorithm 1; (20) Cholesky, (21) SVD, (22) to (26) | `BDLDL(solver="cholesky_svd")` |
| (28) UD-LDL, without reconstruction | `BDLDL(reconstruction=0, fit_intercept=False)` |

## Tables, figures and experiments

`make reproduce` runs all of them; [the verdicts](results/reproduction.md) are cell by cell.

| in the paper | in labeldist |
|---|---|
| figure: single-label, multi-label and distribution learning | [the guide](guide/index.md) |
| table of notations: X, L, D | `X` and `y` of `fit`: one row per item, one column per label |
| table of the thirteen data sets | `labeldist.datasets.list_datasets()` |
| logical labels of the experiments | `labeldist.datasets.binarize` |
| table of measures, and Kullback-Leibler | `labeldist.metrics.PAPER_MEASURES` |
| tables of enhancers, Chebyshev and cosine | experiment `le-recovery` |
| tables of learners, Clark and cosine | experiment `ldl-prediction` |
| figures of enhancers before BD-LDL and before SA-BFGS | experiment `le-then-ldl` |
| table of the ablation, Canberra and Intersection | experiment `ablation` |
| figures of the influence of α, λ, λ₁ and λ₂ | experiment `parameters` |
| your own method on the same folds | `labeldist.compare`, [guide](guide/comparison.md) |

## What differs, and why

- **Exact solutions.** Both objectives are convex quadratics. `BDLE` and `BDLDL` solve the linear
  equations instead of iterating; the result depends on no start and no number of steps. `BDLE`
  uses a factor of low rank for large tables (`solver="auto"`); the published parameters have
  `solver="exact"`.
- **Intercept.** `BDLDL()` has an intercept for each label: then the scores of a row sum to one, and
  a ridge shrinks to the mean distribution instead of zero. The published model has none:
  `BDLDL(fit_intercept=False)`.
- **Floor.** `BDLDL()` raises small predicted degrees to a floor that depends on the number of
  labels, because Kullback-Leibler is large for degrees of zero. Without an intercept the floor is
  machine epsilon, so that `make_published("BD-LDL")` has no floor to speak of.
- **Output map.** The paper does not say how scores become distributions. `BDLE` uses softmax, and
  `BDLDL` clips at zero and divides by the sum (`output`).
- **Scaling.** `BDLE` standardises features. With σ = 1 in (6) the weights of neighbours that are
  far apart vanish; a `VanishingGraphWarning` says so.
- **Seeds.** Methods with random numbers have `random_state`; `compare` sets it if it is None.

The published parameters of the methods of the paper that differ from our defaults:

{published}

## All methods

The tables list every estimator of `labeldist.enhancement`, `labeldist.learning` and
`labeldist.published`. *Basis* is what the implementation rests on: the paper, its authors' code,
public code of others, a reconstruction from incomplete sources, or this library. The page of each
class names the differences. *Published* are the parameters of the paper that differ from the
defaults. *Command* is the name in `labeldist enhance` and `labeldist fit`.
"""

OF_THE_PAPER = (
    *("BD-LE", "GLLE", "FCM", "KM", "LP", "ML", "BD-LDL", "PT-Bayes", "PT-SVM", "AA-kNN", "AA-BP"),
    *("SA-IIS", "SA-BFGS", "LDL-SCL", "EDL-LRL", "LDLLC"),
)
"""The methods that the paper proposes or compares with."""

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
    differing = [method for method in METHODS if method.name in OF_THE_PAPER and method.published]
    rows = [f"| {method.name} | {_call(method)} |" for method in differing]
    published = "\n".join(["| method | estimator |", "|---|---|", *rows])
    sections = [PAPER.replace("{published}", published)]
    for kind, title in TITLES.items():
        of_kind = [method for method in METHODS if method.kind == kind]
        sections.append(f"### {title}\n\n{_table(of_kind)}")
    return "\n".join(sections)


def _call(method: Method) -> str:
    arguments = ", ".join(f"{name}={value!r}" for name, value in method.published.items())
    return f"`{method.estimator}({arguments})`"


def _table(methods: list[Method]) -> str:
    lines = [
        "| method | class | basis | accepts or needs | published | command | reference |",
        "|---|---|---|---|---|---|---|",
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
