"""A real Milvus server for tests, from PyPI's milvus: unpacked, configured with ports of its own, started, killed."""

from __future__ import annotations

import atexit
import importlib.util
import lzma
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

_VALUE = re.compile(r"\{\{ *(\w+?)(_port)?\b(?:\(\w+\))? *:? *([^}]*?) *\}\}")
_PATIENCE = 60.0
USER, PASSWORD = "root", "Milvus"
"""Those that every new server has."""


def why_not() -> str | None:
    """Why no server can run here; None if one can."""
    if importlib.util.find_spec("milvus") is None:
        return "Milvus: no server is installed (pip install milvus==2.3.5)"
    if importlib.util.find_spec("pymilvus") is None:
        return "Milvus: the client is not installed (pip install 'ontonym[milvus]')"
    return None


class MilvusServer:
    """A standalone server over a folder that is gone at the end."""

    def __init__(self, folder: Path, lease: int) -> None:
        spec = importlib.util.find_spec("milvus")
        assert spec is not None and spec.origin is not None
        self._package, self.folder = Path(spec.origin).parent / "data", folder
        self._process: subprocess.Popen[bytes] | None = None
        self._make(lease)

    def url(self, index: str, user: str = f"{USER}:{PASSWORD}@") -> str:
        """The URL of a shared index on this server."""
        return f"milvus://{user}127.0.0.1:{self.port}/default/{index}"

    def _make(self, lease: int) -> None:
        (self.folder / "bin").symlink_to(_unpacked(self._package / "bin"))
        template = (self._package / "config.yaml.template").read_text(encoding="utf-8")
        names = [match[1] for match in _VALUE.finditer(template) if match[2]]
        peer, self._health, *others = _free_ports(len(names) + 2)
        ports = dict(zip(names, others, strict=True))
        self.port = ports["proxy"]
        values = {
            "etcd_log_path": "stdout",
            "etcd_data_dir": str(self.folder / "data/etcd"),
            "local_storage_dir": str(self.folder / "data"),
            "rocksmq_data_dir": str(self.folder / "data/rocksmq"),
            "system_log_path": str(self.folder / "logs"),
            "authorization_enabled": "true",
        }
        text = _VALUE.sub(lambda at: str(ports[at[1]]) if at[2] else values.get(at[1], at[3]), template)
        etcd = self.folder / "configs/etcd.yaml"  # without it, the etcd inside takes the same two ports always
        text = text.replace("  use:\n    embed: true", f"  config:\n    path: {etcd}\n  use:\n    embed: true")
        text = text.replace("    ttl: 30 #", f"    ttl: {lease} #")
        for name in ("configs", "data", "logs"):
            (self.folder / name).mkdir()
        (self.folder / "configs/milvus.yaml").write_text(text, encoding="utf-8")
        shutil.copy(self._package / "glog.conf", self.folder / "configs")
        client, among = f"http://127.0.0.1:{ports['etcd']}", f"http://127.0.0.1:{peer}"
        etcd.write_text(
            f"listen-client-urls: {client}\nadvertise-client-urls: {client}\nlisten-peer-urls: {among}\n"
            f"initial-advertise-peer-urls: {among}\ninitial-cluster: default={among}\nname: default\n",
            encoding="utf-8",
        )

    def start(self) -> None:
        """Starts the server, and waits until it says that it is well."""
        environment = {
            **os.environ,
            "DEPLOY_MODE": "STANDALONE",
            "METRICS_PORT": str(self._health),
            "MILVUS_RUN_DIR": str(self.folder / "run"),
            "LD_LIBRARY_PATH": str(self.folder / "bin"),
        }
        command = [self.folder / "bin/milvus", "run", "standalone"]
        log = self.folder / "log"
        with log.open("ab") as out:
            self._process = subprocess.Popen(command, env=environment, cwd=self.folder, stdout=out, stderr=out)
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            with (
                suppress(OSError),
                urllib.request.urlopen(f"http://127.0.0.1:{self._health}/healthz", timeout=5) as said,
            ):
                if said.read().strip() == b"OK":
                    return
            assert self._process.poll() is None, log.read_text(errors="replace")[-4000:]
            time.sleep(0.1)
        raise AssertionError("Milvus did not start within a minute")

    def kill(self) -> None:
        """Ends the server at once, with no chance to write anything (``kill -9``)."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process = None


@contextmanager
def milvus_served(lease: int = 15) -> Iterator[MilvusServer]:
    """Lends a running server, which counts as alive for ``lease`` seconds after it was killed."""
    folder = Path(mkdtemp(prefix="ontonym-milvus-", dir="/tmp"))
    server = MilvusServer(folder, lease)
    try:
        server.start()
        yield server
    finally:
        if server._process is not None:
            server.kill()  # there is nothing to keep
        shutil.rmtree(folder, ignore_errors=True)


@cache
def _unpacked(packed: Path) -> Path:
    """A folder with the programs, which is gone with this process."""
    folder = Path(mkdtemp(prefix="ontonym-milvus-programs-", dir="/tmp"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for one in sorted(packed.glob("*.lzma")):
        program = folder / one.stem
        program.write_bytes(lzma.decompress(one.read_bytes()))
        program.chmod(0o755)
    return folder


def _free_ports(count: int) -> list[int]:
    taken = [socket.socket() for _ in range(count)]
    for one in taken:
        one.bind(("127.0.0.1", 0))
    ports = [int(one.getsockname()[1]) for one in taken]
    for one in taken:
        one.close()
    return ports
