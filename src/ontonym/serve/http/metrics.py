"""Figures for Prometheus: requests, their time, running searches, generations; of all worker processes together."""

from __future__ import annotations

import os

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable with the folder in which worker processes share their figures."""

CONTENT_TYPE = CONTENT_TYPE_LATEST
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class ServerMetrics:
    """The figures of one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "ontonym_requests", "Answered requests", ("path", "method", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "ontonym_request_seconds", "Time to answer", ("path",), buckets=_BUCKETS, registry=self.registry
        )
        self.running = Gauge(
            "ontonym_searches_running", "Searches that run or wait", registry=self.registry,
            multiprocess_mode="livesum",
        )  # fmt: skip
        self.generation = Gauge(
            "ontonym_generation", "The generation that is served, the oldest of all processes",
            registry=self.registry, multiprocess_mode="livemin",
        )  # fmt: skip
        self.failures = Gauge(
            "ontonym_refresh_failures", "Replaced artifacts that could not be opened", registry=self.registry,
            multiprocess_mode="livemax",
        )  # fmt: skip

        self._noted: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def note(self, path: str, method: str, status: int, seconds: float) -> None:
        """Counts an answered request, and its time, under the name of its path."""
        key = path, method, status
        if key not in self._noted:  # few: paths have bounded names
            self._noted[key] = self.requests.labels(path, method, str(status)), self.seconds.labels(path)
        counted, timed = self._noted[key]
        counted.inc()
        timed.observe(seconds)

    def text(self) -> bytes:
        """The figures in the text format of Prometheus."""
        if os.environ.get(SHARED):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
            return generate_latest(registry)
        return generate_latest(self.registry)
