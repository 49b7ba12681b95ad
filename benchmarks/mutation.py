"""Mutation testing of the code that mutmut does not mutate, and the score of both.

mutmut mutates plain functions and methods, in forked processes that have imported the library. It
skips constants, decorated functions (the six measures, properties) and decorators. Here these are
mutated by mutmut's operators, and each mutant is imported by a new process. ``make mutation`` runs
mutmut first and then this.
"""

import argparse
import json
import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import libcst as cst
import libcst.matchers as m
from mutmut.mutation.mutators import mutation_operators
from mutmut.stats import status_by_exit_code

SOURCE = Path("src/labeldist")
MODULES = [SOURCE / "simplex.py", *sorted(SOURCE.glob("metrics/*.py"))]
MODULES += sorted(SOURCE.glob("_solvers/*.py"))
COPY = Path("build/mutation")
SECONDS = 120
"""Time limit of a mutant; longer runs count as killed."""

OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "--assert=plain", "--hypothesis-profile=mutation"]
"""Options of pytest; modules that are imported already cannot have rewritten assertions."""

NOT_CHANGED = {"dataclass", "property", "cached_property", "classmethod", "wraps", "get_args"}
"""Calls that are not mutated, since no result depends on their arguments."""


def own_tests(module: Path) -> list[str]:
    """Return the tests of a module."""
    if module.parent.name == "metrics":
        return ["tests/metrics"]
    if module.parent.name == "_solvers":
        return [f"tests/solvers/test_{module.name}"]
    return [f"tests/test_{module.name}"]


def decorators(module: cst.Module) -> set[str]:
    """Return the names of the decorators that a module calls."""
    called = m.findall(module, m.Decorator(decorator=m.Call(func=m.Name())))
    return {node.decorator.func.value for node in called}


class Unreached(cst.CSTVisitor):
    """Collect the mutations of constants, decorated functions and decorators."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__()
        self.changes: list[tuple[cst.CSTNode, cst.CSTNode]] = []
        self._decorators = decorators(module)
        self._within: list[cst.FunctionDef] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Collect the mutations of a node."""
        if isinstance(node, cst.Annotation | cst.Import | cst.ImportFrom):
            return False
        if isinstance(node, cst.Call | cst.Decorator):
            called = node.func if isinstance(node, cst.Call) else node.decorator
            if getattr(called, "value", None) in NOT_CHANGED | {"len", "isinstance"}:
                return False
        if isinstance(node, cst.FunctionDef):
            if not self._within and self._reached_by_mutmut(node):
                return False
            self._within.append(node)
        for kind, operator in mutation_operators:
            if isinstance(node, kind) and not isinstance(node, cst.AnnAssign):
                self.changes += [(node, changed) for changed in operator(node)]
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        """Leave a function."""
        if self._within and self._within[-1] is original_node:
            self._within.pop()

    def _reached_by_mutmut(self, node: cst.FunctionDef) -> bool:
        names = [getattr(decorator.decorator, "value", None) for decorator in node.decorators]
        return names in ([], ["classmethod"]) and node.name.value not in self._decorators


def mutants(source: str) -> Iterator[str]:
    """Yield the source of each mutant."""
    module = cst.parse_module(source)
    visitor = Unreached(module)
    module.visit(visitor)
    for node, changed in visitor.changes:
        yield module.deep_replace(node, changed).code


def fails(tests: list[str]) -> bool:
    """Return whether tests of the copy fail, in a process that has not imported it."""
    child = os.fork()
    if not child:
        os.chdir(COPY)
        sys.path.insert(0, "src")
        # A cached mutant of the same length and second would be mistaken for this one.
        sys.dont_write_bytecode = True
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        import pytest

        os._exit(int(pytest.main([*OPTIONS, *tests])))
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status != 0
        time.sleep(0.02)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return True


def run_module(module: Path) -> Counter[str]:
    """Run the tests on every mutant of a module, and print the survivors."""
    source, copy = module.read_text("utf-8"), COPY / module
    counts: Counter[str] = Counter()
    if fails(own_tests(module)):
        raise SystemExit(f"The tests of {module} fail without a mutation.")
    for mutant in mutants(source):
        copy.write_text(mutant, "utf-8")
        killed = fails(own_tests(module))
        counts["killed" if killed else "survived"] += 1
        if not killed:
            pairs = zip(source.splitlines(), mutant.splitlines(), strict=False)
            before, after = next((a, b) for a, b in pairs if a != b)
            print(f"{module.name}: {before.strip()}  ->  {after.strip()}", flush=True)
    copy.write_text(source, "utf-8")
    return counts


def by_mutmut(module: Path) -> Counter[str]:
    """Return the results of mutmut for a module, except for decorators, which are mutated here."""
    codes = json.loads(Path(f"mutants/{module}.meta").read_text("utf-8"))["exit_code_by_key"]
    elsewhere = {f"x_{name}" for name in decorators(cst.parse_module(module.read_text("utf-8")))}
    return Counter(
        status_by_exit_code[code]
        for key, code in codes.items()
        if code is not None and key.rpartition(".")[2].partition("__mutmut_")[0] not in elsewhere
    )


def main() -> None:
    """Run the mutation tests of the given modules, or of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="modules, such as _measures; default: all")
    names = parser.parse_args().names
    shutil.rmtree(COPY, ignore_errors=True)
    for folder in ("src", "tests"):
        shutil.copytree(folder, COPY / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy("pyproject.toml", COPY)
    import hypothesis.extra.numpy  # noqa: F401  # import before the first fork
    import scipy.optimize
    import scipy.sparse.linalg
    import scipy.special  # noqa: F401
    import sklearn.model_selection  # noqa: F401

    chosen = [
        module
        for module in MODULES
        if module.stem != "__init__" and (not names or module.stem in names)
    ]
    counts = {module.stem: by_mutmut(module) + run_module(module) for module in chosen}
    counts["all"] = sum(counts.values(), Counter())
    print("| module | mutants | killed | score |\n|---|---:|---:|---:|")
    for name, found in counts.items():
        killed = found["killed"] + found["timeout"]  # an endless loop is detected as well
        print(f"| {name} | {found.total()} | {killed} | {killed / found.total():.1%} |")


if __name__ == "__main__":
    main()
