"""The reasons for which a test may be skipped in CI; a test that is skipped for another one there fails the run.

So no test is unreachable without anybody noticing, for instance because its library is in no extra.
"""

from __future__ import annotations

import os
import re

import pytest

ALLOWED = {
    r"ONTONYM_DATA": "the folder of open data is not part of the repository",
    r"no (bash|zsh|fish) here": "completion is tried in the shells that the machine has",
    r"[Pp]ackages/ontonym-contextual": "the contextual encoder is a package of its own",
    r"pip install (langchain-core|haystack-ai)": "the retrievers are for libraries that bring many others",
    r"no (Spark|Java) here": "pyspark is half a GB and needs Java: its tests run where both are installed",
    r"pip install fhirpy": "the FHIR server is tried with a client that brings many other libraries",
    r"no curl here": "the commands of the documentation are tried where the machine has curl",
    r"no Chromium here": "the web page is tried in a browser that the machine has",
    r"[Pp]ackages/ontonym-multilingual": "the multilingual encoder is a package of its own",
    r"Milvus: no server is installed": "PyPI has a Milvus server for Linux on x86-64 alone",
    r"another year is embedded": "two libraries embed different years of ICD-10-CM",
}
"""Why a test may be skipped in CI, by a pattern of the reason that pytest shows."""

_UNKNOWN: list[str] = []


def _note(nodeid: str, report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(re.search(pattern, reason) for pattern in ALLOWED):
            _UNKNOWN.append(f"{nodeid}: {reason}")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Notes a test that is skipped for a reason that is not allowed."""
    _note(report.nodeid, report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Notes a file that is skipped as a whole."""
    _note(report.nodeid, report)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Shows them."""
    if _UNKNOWN and "CI" in os.environ:
        terminalreporter.section("skipped for a reason that tests/skips.py does not have")
        for line in sorted(set(_UNKNOWN)):
            terminalreporter.line(line)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Makes a run in CI fail for them."""
    if _UNKNOWN and exitstatus == pytest.ExitCode.OK and "CI" in os.environ:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
