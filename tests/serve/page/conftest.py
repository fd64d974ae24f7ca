from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ontonym.tasks.review import start_review
from reviewed import FOUND, HEAD, SAME
from serving import KEY
from webpage import WebPage, chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """A headless Chromium."""
    with chromium() as driver:
        yield driver


@pytest.fixture(scope="session")
def address(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of ``ontonym serve`` over both small indexes and reviews of 12, 130 and 3 source concepts."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(built, folder, dirs_exist_ok=True)
    (folder / "keys.txt").write_text(f"anna {KEY}\nben fedcba9876543210\n", encoding="utf-8")
    for name, sources in (("twelve", 12), ("many", 130), ("three", 3)):
        _begun(folder, name, sources)
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable, "-m", "ontonym", "serve", "tiny/tiny.index", "other/other.index", "--port", str(port),
        "--keys", "keys.txt", "--review", "twelve.review", "--review", "many.review",
        "--review", "three.review",
    ]  # fmt: skip
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL) as server:
        address = f"http://127.0.0.1:{port}/"
        try:
            _answering(address, server)
            yield address
        finally:
            server.terminate()


def _begun(folder: Path, name: str, sources: int) -> None:
    """A review of so many source concepts with three candidates each."""
    rows = [
        f"L:{one}\tlocal name {one}\t{SAME}\t\tT:{target}\ttarget {target}\t{FOUND}\t{sure}\t\t\tequal\t{1000 - one}\n"
        for one in range(1, sources + 1)
        for target, sure in ((3, 0.8), (4, 0.3), (5, 0.1))
    ]
    (folder / f"{name}.sssom.tsv").write_text(HEAD + "".join(rows), encoding="utf-8")
    start_review(folder / f"{name}.review", folder / f"{name}.sssom.tsv")


def _answering(address: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert server.poll() is None, "the server ended"
        try:
            with urllib.request.urlopen(f"{address}api/about"):  # noqa: S310 (our own server)
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server does not answer")


@pytest.fixture
def page(browser: object, address: str) -> Iterator[WebPage]:
    """The page in a fresh session, whose browser must not complain of anything."""
    opened = WebPage(browser, address)
    opened.fresh()
    yield opened
    assert opened.complaints() == []
