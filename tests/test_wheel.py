"""The wheel: its contents, and its use without the source tree."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
CODE = """
import labeldist
from labeldist import BDLDL
print(labeldist.__file__, BDLDL().fit([[0.0], [1.0]], [[1, 0], [0, 1]]).predict([[1.0]]).argmax())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("labeldist-*.whl")
    return wheel


def test_wheel_contains_the_package_and_nothing_else(wheel):
    source = ROOT / "src"
    files = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == {name for name in files if "__pycache__" not in name}


def test_installed_wheel_fits_and_predicts(wheel, tmp_path):
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(tmp_path), str(wheel)]
    subprocess.run(pip, check=True)
    output = subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "OPENBLAS_NUM_THREADS": "1"},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert Path(output[0]).is_relative_to(tmp_path)
    assert output[1] == "1"
