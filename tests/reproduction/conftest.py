import pytest

from labeldist.experiments.runner import run
from labeldist.experiments.store import Store, read_stores
from tests.experiments.small import small


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The path of a store with all records of the small experiment; to be copied, not changed."""
    path = tmp_path_factory.mktemp("store") / "records.sqlite"
    with Store(path) as store:
        run([small()], store, jobs=1)
    return path


@pytest.fixture(scope="session")
def records(finished):
    return read_stores([finished])
