"""Files that were made to do harm, or are as bad as if they were."""

import io
import os
import struct
import zlib
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

MEGABYTE = 2**20
GIGABYTE = 2**30


class Touch:
    """Makes a folder when it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return os.mkdir, (str(self.trace),)


def deflated(head, megabytes, *, wbits):
    """Return `head` and so many megabytes of zeros, packed, in a moment: one megabyte is packed and repeated."""
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    first = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    zeros = packer.compress(bytes(MEGABYTE)) + packer.flush(zlib.Z_FULL_FLUSH)
    return first + zeros * megabytes + packer.flush()


def zip_of(members, *, sizes=None):
    """Return an archive of members that are packed already, with the sizes that they are said to have."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
            if name in (sizes or {}):
                info = archive.getinfo(name)
                info.compress_type, info.file_size = ZIP_DEFLATED, sizes[name]
    return buffer.getvalue()


def npy_head(shape, descr="<f8"):
    """Return what stands before the numbers of an array."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": descr, "fortran_order": False, "shape": shape})
    return buffer.getvalue()


def mat_element(kind, content):
    return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 8)


def mat_variable(name, shape, data, *, kind=6, stored=9, size=None):
    """Return a variable of a MATLAB file: its class, its shape, its data and the type that these are stored as."""
    parts = mat_element(6, struct.pack("<II", kind, 0)) + mat_element(5, struct.pack(f"<{len(shape)}i", *shape))
    parts += mat_element(1, name.encode())
    size = len(data) if size is None else size
    parts += data if stored is None else struct.pack("<II", stored, size) + data
    return parts


def mat_file(*variables, packed=False):
    """Return a MATLAB file of variables, one by one packed or not."""
    elements = [struct.pack("<II", 14, len(variable)) + variable for variable in variables]
    if packed:
        elements = [struct.pack("<II", 15, len(zlib.compress(one))) + zlib.compress(one) for one in elements]
    return b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + b"".join(elements)


def cells_within_cells(depth):
    """Return a variable that is a cell with a cell with a cell in it."""
    inner = mat_variable("", (1, 1), bytes(8))
    heads, size = [], len(inner)
    for level in range(depth):
        name = "features" if level == depth - 1 else ""
        heads.append(mat_variable(name, (1, 1), struct.pack("<II", 14, size), kind=1, stored=None))
        size += len(heads[-1])
    return b"".join(reversed(heads)) + inner


def parquet(table, **options):
    buffer = io.BytesIO()
    pa.parquet.write_table(table, buffer, **options)
    return buffer.getvalue()


def feather(table, **options):
    buffer = io.BytesIO()
    pa.feather.write_feather(table, buffer, **options)
    return buffer.getvalue()


def views_of_one_text(length, count):
    """Return texts that are all the same bytes, of which there is one copy."""
    view = struct.pack("<i4sii", length, b"xxxx", 0, 0)
    buffers = [None, pa.py_buffer(view * count), pa.py_buffer(b"x" * length)]
    return pa.Array.from_buffers(pa.string_view(), count, buffers)
