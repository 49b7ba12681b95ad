"""What is published can be built again, byte by byte, and holds what it should."""

import shutil
import zipfile
from pathlib import Path

import pytest

from tools.pyproject import ROOT
from tools.wheel import WheelError, build, check_members, check_same, copy_of


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(ROOT, tmp_path_factory.mktemp("built"))


def test_two_builds_give_the_same_bytes(built, tmp_path):
    check_same(built, build(copy_of(ROOT, tmp_path / "copy"), tmp_path / "built"))


def test_builds_that_differ_in_one_byte_are_told(built, tmp_path):
    others = [Path(shutil.copy(path, tmp_path)) for path in built]
    with others[-1].open("ab") as file:
        file.write(b"?")
    with pytest.raises(WheelError, match=f"{built[-1].name} is not the same in two builds"):
        check_same(built, others)


def test_the_wheel_holds_the_source_and_nothing_else(built):
    (wheel,) = [path for path in built if path.suffix == ".whl"]
    check_members(wheel, ROOT / "src")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    kinds = {name.rpartition(".")[2] for name in names if ".dist-info/" not in name}
    assert kinds == {"py", "typed", "jinja", "css", "js", "toml", "csv"}
    described = {name.partition(".dist-info/")[2] for name in names if ".dist-info/" in name}
    assert described == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}


def test_a_file_too_many_or_too_few_is_named(built, tmp_path):
    (wheel,) = [path for path in built if path.suffix == ".whl"]
    copy = copy_of(ROOT / "src", tmp_path / "src")
    (copy / "labeldist" / "py.typed").rename(copy / "labeldist" / "secret.txt")
    with pytest.raises(
        WheelError, match=r"lacks \['labeldist/secret.txt'\] of the source, and holds \['labeldist/py.typed'\]"
    ):
        check_members(wheel, copy)
