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
    options = ["--target", "wheel", "--directory", str(folder)]
    command = [sys.executable, "-m", "hatchling", "build", *options]
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
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--target", tmp_path, wheel], check=True)
    environment = {"PYTHONPATH": str(tmp_path), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", CODE]
    output = subprocess.check_output(command, cwd=tmp_path, env=environment, text=True)
    file, label = output.split()
    assert Path(file).is_relative_to(tmp_path)
    assert label == "1"
