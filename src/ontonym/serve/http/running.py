"""Runs the application under uvicorn: in this process, or in several that share the listening socket.

The files of artifacts are memory-mapped, so that all processes share their pages. A process that dies is replaced.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn
from prometheus_client.multiprocess import mark_process_dead
from starlette.types import ASGIApp
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

from ontonym.errors import InputError
from ontonym.serve.api.searching import warmed
from ontonym.serve.http.app import make_app
from ontonym.serve.http.guard import ACCESS
from ontonym.serve.http.listening import BACKLOG, listening
from ontonym.serve.http.metrics import SHARED
from ontonym.serve.http.settings import ServerOptions
from ontonym.serve.library import ServedLibrary
from ontonym.tasks.review import open_review

OPTIONS = "ONTONYM_SERVE_OPTIONS"
"""The environment variable that brings the options to worker processes."""
STATE = "ONTONYM_SERVE_STATE"
"""The environment variable with the folder in which worker processes share what FHIR clients leave with them."""

_LONGEST_START = 600.0
"""Seconds that a new worker may take at a reload until it answers."""

_LOG = logging.getLogger("ontonym.serve")


def run_server(
    options: ServerOptions,
    announce: Callable[[str], object],
    *,
    worded: Callable[[str], str] = str,
    factory: str = f"{__name__}:worker_app",
) -> None:
    """Serves until it is interrupted or told to stop (SIGTERM); requests that run are answered first.

    ``announce`` is called with the address when connections are accepted; what is asked before the server has started
    is answered as soon as it has. ``worded`` is as of `ServedLibrary`; worker processes are made by ``factory``, a
    function such as `worker_app`, by its place. Raises ArtifactError for what cannot be opened, FormatError for keys
    that cannot be read, InputError where the address cannot be listened on, or workers have no folder to share.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads of the pool search side by side, each on one core
    _raise_limit()
    _log_to_streams()
    alone = options.workers == 1
    library = ServedLibrary(options.artifacts, options.reviews, warmed if alone else lambda index: None, worded)
    app = make_app(library, options)  # several processes each make their own, but what is wrong is said here
    _read_reviews(options)
    with listening(options.host, options.port, "`port=0` takes a free one") as listener:
        host, port = listener.getsockname()[:2]
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        if alone:
            announce(address)
            _stay_on_hangup()
            uvicorn.Server(_config(app, options)).run(sockets=[listener])
            return
        library.close()
        with _shared_folder() as folder:
            for name, variable in (("figures", SHARED), ("state", STATE)):
                os.environ[variable] = str(Path(folder, name))
                Path(folder, name).mkdir()
            os.environ[OPTIONS] = options.as_text()
            config = _config(factory, options, factory=True, workers=options.workers)
            announce(address)
            WorkerProcesses(config, sockets=[listener]).run()


def _shared_folder() -> tempfile.TemporaryDirectory[str]:
    """The folder in which worker processes share figures and what FHIR clients leave with them; InputError where no
    folder can be written, as in a container whose file system is read-only.
    """
    try:
        return tempfile.TemporaryDirectory(prefix="ontonym-serve-")
    except OSError as error:
        raise InputError(
            "several workers share a small folder for temporary files, and none can be written "
            f"({error.strerror or error}): mount one at /tmp, name one with TMPDIR, or start one worker"
        ) from None


class WorkerProcesses(Multiprocess):
    """Worker processes; what one that ended had last set in its gauges goes with it."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self._known: set[int | None] = set()

    def keep_subprocess_alive(self) -> None:
        """Replaces workers that died, and logs of each why it ended."""
        before = [(process.pid, process.exitcode) for process in self.processes]
        super().keep_subprocess_alive()
        now = {process.pid for process in self.processes}
        for pid, code in before:
            if pid not in now:
                _LOG.error("worker %s %s; another one takes its place", pid, _end(code))
        for ended in self._known - now:
            mark_process_dead(ended)  # type: ignore[no-untyped-call]
        self._known = now

    def restart_all(self) -> None:
        """Replaces the workers one by one, each when a new one answers: to open what is served may take minutes."""
        for place, old in enumerate(self.processes):
            new = Process(self.config, self.sockets)
            new.start()
            if not self._answers(new):
                new.kill()
                new.join()
                if not self._told_to_stop:
                    _LOG.error("the new worker %s did not start: the workers of before go on", new.pid)
                return
            old.terminate()
            old.join()
            self.processes[place] = new

    def _answers(self, new: Process) -> bool:
        """Whether a new worker begins to answer, before it ends, or all are told to stop."""
        until = time.monotonic() + _LONGEST_START
        while new.process.is_alive() and time.monotonic() < until and not self._told_to_stop:
            if new.is_ready(timeout=1):
                return True
            time.sleep(0.1)
        return False

    @property
    def _told_to_stop(self) -> bool:
        return any(one in self.signal_queue for one in (signal.SIGTERM, signal.SIGINT))

    def terminate_all(self) -> None:
        """Tells the workers to stop. They close their own sockets; with that of this process open, clients would still
        be connected, and wait for an answer that nobody gives.
        """
        for one in self.sockets:
            one.close()
        super().terminate_all()


def _end(code: int | None) -> str:
    """How a worker ended, by its exit code; None where it still ran, and was ended because it did not answer."""
    if code is None:
        return "did not answer and was ended"
    if code >= 0:
        return f"ended with exit code {code}"
    with suppress(ValueError):
        name = signal.Signals(-code).name
        return f"was ended by {name}{' (where nobody sent it, memory ran out)' if name == 'SIGKILL' else ''}"
    return f"was ended by signal {-code}"


def worker_app(worded: Callable[[str], str] = str) -> ASGIApp:
    """The application of a worker process, by the options of the environment."""
    options = ServerOptions.from_text(os.environ[OPTIONS])
    _raise_limit()
    _log_to_streams()
    library = ServedLibrary(options.artifacts, options.reviews, warmed, worded)
    _read_reviews(options)
    return make_app(library, options, Path(os.environ[STATE]))


def _read_reviews(options: ServerOptions) -> None:
    """Reads the reviews: one that is not there or cannot be read is an error now, and nobody waits for it later."""
    for review in options.reviews:
        with open_review(review, "the server", read_only=True):
            pass


def _config(app: ASGIApp | str, options: ServerOptions, *, factory: bool = False, workers: int = 1) -> uvicorn.Config:
    return uvicorn.Config(
        app, host=options.host, port=options.port, factory=factory, workers=workers, log_config=None,
        log_level="warning", access_log=False, server_header=False, proxy_headers=True, backlog=BACKLOG,
        timeout_graceful_shutdown=int(options.seconds) + 1, timeout_keep_alive=75, timeout_worker_healthcheck=30,
    )  # fmt: skip


def _stay_on_hangup() -> None:
    """A SIGHUP that no closed terminal sent, such as that of ``systemctl reload``, does not end the one process."""
    if hasattr(signal, "SIGHUP") and not (sys.stdin and sys.stdin.isatty()):
        said = "SIGHUP: the one worker goes on; it sees changed indexes and keys anyway, and resources at a restart"
        with suppress(ValueError):  # not in the main thread: whoever started it decides
            signal.signal(signal.SIGHUP, lambda *_: _LOG.warning(said))


def _raise_limit() -> None:
    """Allows as many open connections as the system does."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _log_to_streams() -> None:
    """Requests to standard output, one JSON object a line; mistakes and warnings to standard error."""
    if not ACCESS.handlers:
        handler = logging.StreamHandler(sys.stdout)
        handler.setFormatter(logging.Formatter("%(message)s"))
        ACCESS.addHandler(handler)
        ACCESS.setLevel(logging.INFO)
        ACCESS.propagate = False
        logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
