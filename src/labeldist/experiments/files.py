"""Write files that nobody ever finds half written."""

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write `content` to `path`, whose folder is made if needed; a failure leaves what was there before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
