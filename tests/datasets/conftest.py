"""A small data set of the tests' own, and servers on loopback to download it from."""

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
    """A data set of 5 rows, 3 features and 2 labels: its file, its arrays and its row in a registry."""

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
    return Tiny(X, D, content, DatasetInfo("Tiny", 5, 3, 2, sha256, None, "A tiny set.", "Nobody, never."))


@dataclass
class Server:
    """An HTTP server: what it answers to which path, and which paths it was asked for.

    A path that is not in `answers` gets a 404. One in `truncated` is promised more bytes than are sent. Of one in
    `stalled` the first half is sent, and then nothing until `go_on`.
    """

    url: str
    answers: dict[str, bytes] = field(default_factory=dict)
    truncated: set[str] = field(default_factory=set)
    stalled: set[str] = field(default_factory=set)
    go_on: threading.Event = field(default_factory=threading.Event)
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    pytest.importorskip("pooch", reason="downloads need pooch, of labeldist[app]")
    for variable in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(variable, "127.0.0.1")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
            if self.path not in state.answers:
                self.send_error(404)
                return
            body = state.answers[self.path]
            self.send_response(200)
            self.send_header("Content-Length", str(len(body) + 100 * (self.path in state.truncated)))
            self.end_headers()
            half = len(body) // 2 * (self.path in state.stalled)
            self.wfile.write(body[:half])
            if half:
                state.go_on.wait()
            with suppress(OSError):  # who asked may be gone
                self.wfile.write(body[half:])

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        state = Server(f"http://127.0.0.1:{http.server_port}/")
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield state
        state.go_on.set()
        http.shutdown()
        thread.join()


@pytest.fixture
def sources(server: Server, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The server's two folders in place of the public sources."""
    urls = (f"{server.url}first/", f"{server.url}second/")
    monkeypatch.setattr(registry, "SOURCES", urls)
    return urls
