"""What files consist of: parts to be spoiled one by one, and packed again so that a reader gets as far as to them."""

import io
import struct
import zlib
from zipfile import ZIP_DEFLATED, ZipFile


class Plain:
    """A file as it lies."""

    @staticmethod
    def parts(content):
        return {"": content}

    @staticmethod
    def whole(parts):
        return parts[""]


class Zipped:
    """A zip archive; its members are spoiled, not their packing."""

    @staticmethod
    def parts(content):
        with ZipFile(io.BytesIO(content)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    @staticmethod
    def whole(parts):
        buffer = io.BytesIO()
        with ZipFile(buffer, "w", ZIP_DEFLATED, compresslevel=1) as archive:
            for name, part in parts.items():
                archive.writestr(name, part)
        return buffer.getvalue()


class Deflated:
    """A MATLAB file whose variables are packed one by one; what is packed is spoiled."""

    @staticmethod
    def parts(content):
        parts, at = {"head": content[:128]}, 128
        while at < len(content):
            size = struct.unpack_from("<II", content, at)[1]
            parts[f"variable {at}"] = zlib.decompress(content[at + 8 : at + 8 + size])
            at += 8 + size
        return parts

    @staticmethod
    def whole(parts):
        packed = [zlib.compress(part, 1) for name, part in parts.items() if name != "head"]
        return parts["head"] + b"".join(struct.pack("<II", 15, len(part)) + part for part in packed)
