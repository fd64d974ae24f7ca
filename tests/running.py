"""A real server in a process of its own, for tests of what clients and operators see."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ontonym.serve.client import ServerClient, ServerError


@contextmanager
def running(*arguments: object) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address and process of ``ontonym serve`` with these arguments."""
    command = [sys.executable, "-m", "ontonym", "serve", *map(str, arguments), "--port", "0"]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **streams) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            address = next(word for word in said.split() if word.startswith("http://"))
            _answering(ServerClient(address))
            yield address, process
        finally:
            process.terminate()
            process.wait(timeout=60)


def _answering(client: ServerClient) -> None:
    for _ in range(300):
        try:
            client.about()
            return
        except ServerError:
            time.sleep(0.1)
    raise AssertionError("the server never answered")
