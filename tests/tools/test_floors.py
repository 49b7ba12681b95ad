"""The lowest versions that are promised are the ones that ``make lowest`` installs."""

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tools import pyproject
from tools.floors import floors, main


def project(*dependencies, extra=(), group=()):
    return {
        "project": {"dependencies": list(dependencies), "optional-dependencies": {"extra": list(extra)}},
        "dependency-groups": {"dev": [{"include-group": "docs"}, *group]},
    }


def test_floors_of_the_core_the_extras_and_the_groups_are_found():
    found = floors(project("numpy>=2.2", extra=["dask[array]>=2024.12", "numpy>=2.2"], group=["pytest>=8.3.4"]))
    assert found == {"numpy": "2.2", "dask": "2024.12", "pytest": "8.3.4"}


@pytest.mark.parametrize("requirement", ["numpy", "numpy<3", "numpy>=2,>=2.2"])
def test_a_dependency_without_one_floor_is_refused(requirement):
    with pytest.raises(ValueError, match="must have one lower bound"):
        floors(project(requirement))


def test_two_floors_of_one_dependency_are_refused():
    with pytest.raises(ValueError, match=r"pandas has two floors, 2.2.3 and 2.3"):
        floors(project("pandas>=2.2.3", extra=["pandas>=2.3"]))


def test_what_we_develop_with_is_not_below_what_we_promise():
    lines = (pyproject.ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if not line.startswith("#")]
    pinned = {pin.name.lower(): next(iter(pin.specifier)).version for pin in pins}
    below = {name: floor for name, floor in floors(pyproject.read()).items() if Version(pinned[name]) < Version(floor)}
    assert below == {}


def test_they_are_printed_as_constraints(capsys):
    main()
    comment, *lines = capsys.readouterr().out.splitlines()
    assert comment.startswith("#")
    assert "numpy==2.2" in lines
    assert "pytest-xdist==3.6.1" in lines
