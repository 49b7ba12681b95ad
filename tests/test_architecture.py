"""The import order of the packages, and the cost of importing them."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import labeldist

PACKAGE = Path(labeldist.__file__).parent

# The core. A package imports from itself and from those before it.
CORE = [
    *("_typing", "_float_limits", "_progress", "_folds"),
    *("exceptions", "_extras", "_files", "_threads", "_pipelines", "_text"),
    *("utils", "simplex", "_validation", "_compat", "_constraints"),
    *("metrics", "_solvers", "_kernels", "votes", "datasets", "features"),
    *("enhancement", "learning", "models", "plots", "comparison"),
]
ORDER = [*CORE, "published", "app", "__main__"]
ROOT = PACKAGE.parents[1]

NEEDED_FROM_SCIKIT_LEARN = (
    "import sklearn.base, sklearn.metrics, sklearn.neighbors, sklearn.utils.validation"
)
OURS = "from labeldist import BDLE, BDLDL, EnhancedLearner"


def package_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_packages(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        modules = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            modules = [node.module]
        for module in modules:
            parts = module.split(".")
            if parts[0] == "labeldist" and len(parts) > 1:
                yield parts[1]


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def test_every_package_has_a_place_in_the_order():
    assert {package_of(path) for path in MODULES} == set(ORDER)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_packages_import_only_from_packages_before_them(path):
    place = ORDER.index(package_of(path))
    assert not [name for name in imported_packages(path) if ORDER.index(name) > place]


def public_names(module):
    """Return the names that a module offers to users, including its public submodules."""
    public = set(getattr(module, "__all__", [name for name in vars(module) if name[0] != "_"]))
    if module is labeldist:
        public |= set(dir(labeldist))
    return public


def private_imports(path):
    """Yield what a module imports from the library, except public names and its own package."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("labeldist."))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "labeldist":
            if node.module.startswith("labeldist.app"):
                continue
            public = public_names(import_module(node.module))
            for alias in node.names:
                is_private = "._" in node.module or alias.name not in public
                if is_private and (node.module, alias.name) != ("labeldist", "app"):
                    yield f"{path.name}: {node.module}.{alias.name}"


@pytest.mark.parametrize(
    "folder",
    [PACKAGE / "app", ROOT / "reproduction", ROOT / "examples"],
    ids=lambda folder: folder.name,
)
def test_users_of_the_library_import_public_names_only(folder):
    found = [name for path in sorted(folder.rglob("*.py")) for name in private_imports(path)]
    assert not found


def test_core_has_at_most_105_public_names():
    modules = [import_module(f"labeldist.{name}") for name in CORE if name[0] != "_"]
    names = {name for module in [labeldist, *modules] for name in module.__all__}
    assert len([name for name in names if name[0] != "_"]) <= 105


def run_python(code):
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout


def test_importing_the_package_brings_neither_pandas_nor_matplotlib():
    code = "import sys, labeldist.datasets, labeldist.metrics, labeldist.simplex"
    modules = run_python(f"{code}; print(*sys.modules)").split()
    assert not {"pandas", "matplotlib", "sklearn", "pooch", "requests"} & set(modules)


@pytest.mark.slow
def test_estimators_bring_nothing_that_scikit_learn_does_not_bring():
    code = f"import sys; {NEEDED_FROM_SCIKIT_LEARN}; theirs = set(sys.modules); {OURS}"
    added = run_python(f"{code}; print(*(set(sys.modules) - theirs))")
    packages = {name.split(".")[0] for name in added.split()}
    assert "labeldist" in packages
    assert packages <= {"labeldist"} | set(sys.stdlib_module_names)


@pytest.mark.slow
def test_importing_costs_little_more_than_what_is_needed_from_scikit_learn():
    # One after the other in one process: what ours adds is timed by itself, not as the difference
    # of two noisy times.
    code = f"""
from time import process_time
began = process_time()
{NEEDED_FROM_SCIKIT_LEARN}
between = process_time()
{OURS}
print((process_time() - between) / (between - began))
"""
    assert any(float(run_python(code)) <= 0.2 for _ in range(3))


def test_public_names_are_found_listed_and_lazy():
    assert {"BDLE", "BDLDL", "EnhancedLearner", "metrics", "datasets"} <= set(dir(labeldist))
    assert run_python("import labeldist; print(len(labeldist.metrics.PAPER_MEASURES))") == "6\n"
    assert None not in [getattr(labeldist, name) for name in labeldist.__all__]
    with pytest.raises(AttributeError, match="no attribute 'BDLX'"):
        labeldist.BDLX  # noqa: B018


def private_names_of_scikit_learn(path):
    """Return the private names of scikit-learn that a module imports."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("sklearn"):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name for name in names if "._" in name]
    return found


def test_only_one_module_imports_private_names_of_scikit_learn():
    modules = [path for path in PACKAGE.rglob("*.py") if private_names_of_scikit_learn(path)]
    assert modules == [PACKAGE / "_compat.py"]
