import pytest

from labeldist.comparison import Store
from reproduction.runner import read_store, run
from tests.reproduction.small import small


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The path of a store with all records of the small experiment; tests copy it."""
    path = tmp_path_factory.mktemp("store") / "records.sqlite"
    with Store(path) as store:
        run([small()], store, jobs=1)
    return path


@pytest.fixture(scope="session")
def records(finished):
    return read_store(finished)
