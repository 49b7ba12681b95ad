"""Small files that were made to fill the memory, or to keep who reads them busy."""

import struct
import tracemalloc
import zlib
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest

from labeldist import BDLDL
from labeldist.exceptions import ModelError
from labeldist.models import _archive as archive
from labeldist.models import load, save
from tests.models.examples import fitted
from tests.models.hostile import plant, rewrite, sequence


@pytest.fixture
def path(tmp_path):
    """A sound file."""
    save(fitted(BDLDL()), tmp_path / "model.skops")
    return tmp_path / "model.skops"


def test_files_that_say_that_they_are_too_large_are_refused_at_once(path):
    with ZipFile(path, "a", compression=ZIP_DEFLATED) as packed:
        packed.writestr("zeros.npy", bytes(10**6))
        packed.getinfo("zeros.npy").file_size = archive.LARGEST
    assert path.stat().st_size < 10**5
    with pytest.raises(ModelError, match=r"unpacks to more than the 2,147,483,648 bytes that a model may have"):
        load(path)


def repack(path, content, compression=ZIP_DEFLATED, **claims):
    """Put other content into the first array of a model, and claim what is not true of it."""
    with ZipFile(path) as old:
        contents = {name: old.read(name) for name in old.namelist()}
    array = next(name for name in contents if name.endswith(".npy"))
    with ZipFile(path, "w") as new:
        for name in contents.keys() - {array}:
            new.writestr(name, contents[name])
        new.writestr(array, content, compress_type=compression)
        for claim, value in claims.items():
            setattr(new.getinfo(array), claim, value)


def most_memory(act):
    tracemalloc.start()
    act()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_files_that_lie_about_their_size_cannot_fill_the_memory(path):
    repack(path, bytes(3 * 10**7), file_size=10, CRC=zlib.crc32(bytes(10)))

    def refuse():
        with pytest.raises(ModelError, match="damaged"):
            load(path)

    assert most_memory(refuse) < 10**7


def test_arrays_are_counted_as_often_as_they_are_used(path, monkeypatch):
    """One member, and a thousand arrays of it."""
    monkeypatch.setattr(archive, "LARGEST", 10**7)
    with ZipFile(path, "a", compression=ZIP_DEFLATED) as packed:
        packed.writestr("zeros.npy", bytes(10**5))
    array = {"__class__": "ndarray", "__module__": "numpy", "__loader__": "NdArrayNode", "type": "numpy"}
    plant(path, sequence("list", *([{**array, "file": "zeros.npy"}] * 1000)))
    with pytest.raises(ModelError, match=r"more than the 10,000,000 bytes that a model may have"):
        load(path)


@pytest.mark.parametrize("member", [archive.CARD, archive.SCHEMA])
def test_large_json_is_refused_before_it_fills_the_memory(path, member):
    """A file of some kilobytes, which would become gigabytes of Python's objects."""
    bomb = b"[" + b"{}," * (archive.LARGEST_TEXT // 3) + b"{}]"
    rewrite(path, **{member.replace(".", "_"): lambda _: bomb})
    with ZipFile(path) as old:
        contents = {name: old.read(name) for name in old.namelist()}
    with ZipFile(path, "w", compression=ZIP_DEFLATED) as new:
        for name, content in contents.items():
            new.writestr(name, content)
    assert path.stat().st_size < 10**5

    def refuse():
        with pytest.raises(ModelError, match=rf"more than the 16,777,216 bytes that {member} may have"):
            load(path)

    assert most_memory(refuse) < 10**8


def test_what_refers_to_itself_over_and_over_is_refused(path):
    """Each list is the one before, twice: forty of them, in a few kilobytes, would be looked at for years."""
    node = {**sequence("list"), "__id__": 1}
    for number in range(2, 40):
        node = {**sequence("list", node, {"__id__": number - 1}), "__id__": number}
    plant(path, node)
    with pytest.raises(ModelError, match="which is damaged"):
        load(path)


def test_methods_of_packing_that_cannot_be_bounded_are_refused(path):
    repack(path, bytes(10**6), ZIP_BZIP2)
    with pytest.raises(ModelError, match="is packed by a method that models are not"):
        load(path)


def test_encrypted_members_are_refused(path):
    repack(path, b"0")
    content = bytearray(path.read_bytes())
    central = content.rindex(b"PK\x01\x02")
    (flags,) = struct.unpack_from("<H", content, central + 8)
    struct.pack_into("<H", content, central + 8, flags | 1)
    local = struct.unpack_from("<I", content, central + 42)[0]
    struct.pack_into("<H", content, local + 6, flags | 1)
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"is not a model file, or it is damaged: .*encrypted"):
        load(path)
