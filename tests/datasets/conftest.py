"""A small data set, and an HTTP server on the loopback interface to download it from."""

import hashlib
import io
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
import scipy.io

from labeldist.datasets import _registry as registry
from labeldist.datasets._registry import DatasetInfo


@dataclass
class Tiny:
    """Arrays, content of the file and registry entry of a set of 5 rows."""

    X: np.ndarray
    D: np.ndarray
    content: bytes
    info: DatasetInfo


@pytest.fixture(scope="session")
def tiny() -> Tiny:
    rng = np.random.default_rng(0)
    X, D = rng.normal(size=(5, 3)), rng.dirichlet(np.ones(2), size=5)
    file = io.BytesIO()
    scipy.io.savemat(file, {"features": X, "labels": D})
    content = file.getvalue()
    sha256 = hashlib.sha256(content).hexdigest()
    info = DatasetInfo(
        name="Tiny",
        kind="benchmark",
        n_samples=5,
        n_features=3,
        n_labels=2,
        sha256=sha256,
        description="A tiny set.",
        citation="A reference.",
    )
    return Tiny(X, D, content, info)


@dataclass
class Server:
    """The files of a server and the paths that were requested.

    Paths without a file return 404. For a path in `stalled`, only the first half is sent until
    `resume` is set."""

    url: str
    files: dict[str, bytes] = field(default_factory=dict)
    stalled: set[str] = field(default_factory=set)
    resume: threading.Event = field(default_factory=threading.Event)
    requested: list[str] = field(default_factory=list)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server whose folders ``first`` and ``second`` replace the public sources."""
    for variable in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(variable, "127.0.0.1")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.requested.append(self.path)
            if self.path not in state.files:
                self.send_error(404)
                return
            body = state.files[self.path]
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            half = len(body) // 2 * (self.path in state.stalled)
            self.wfile.write(body[:half])
            if half:
                state.resume.wait()
            with suppress(OSError):  # the client may have closed the connection
                self.wfile.write(body[half:])

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        state = Server(f"http://127.0.0.1:{http.server_port}/")
        monkeypatch.setattr(registry, "SOURCES", (f"{state.url}first/", f"{state.url}second/"))
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield state
        state.resume.set()
        http.shutdown()
        thread.join()
