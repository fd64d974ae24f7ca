"""What holds for every test: how much processor time it may take, how many examples it draws, what Ctrl-C does to it.

Two environment variables choose: ONTONYM_TEST_EXAMPLES=dev draws few hypothesis examples and =ci draws all (the default
where CI is set); ONTONYM_TEST_SECONDS is the processor time that a test without a mark may take, 0 for no limit.
"""

from __future__ import annotations

import builtins
import gc
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

COSTLY = ("slow", "oracle", "live", "training", "onnx", "spacy", "benchmark")
"""The marks of tests that may take long; `make test-fast` leaves them out."""

NEEDS_TORCH = {"tiny_original", "tiny_bert", "trainable"}
"""The fixtures that make transformers: a test that takes one is marked as training."""

USUAL_LOOP = 0.025
"""Processor seconds of `_loop()` on the machine where one second is the limit."""

SECONDS = float(os.environ.get("ONTONYM_TEST_SECONDS", "3" if "CI" in os.environ else "0"))
ALL_EXAMPLES = os.environ.get("ONTONYM_TEST_EXAMPLES", "ci" if "CI" in os.environ else "dev") == "ci"

_SUPPRESSED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
settings.register_profile("ci", settings.get_profile("ci"), deadline=None, suppress_health_check=_SUPPRESSED)
settings.register_profile("dev", deadline=None, suppress_health_check=_SUPPRESSED, max_examples=10)
settings.load_profile("ci" if ALL_EXAMPLES else "dev")


def examples(number: int, **more: Any) -> settings:
    """Hypothesis settings that draw this many examples in CI and a tenth, but at least five, in development."""
    return settings(max_examples=number if ALL_EXAMPLES else min(number, max(5, number // 10)), **more)


def rounds(number: int) -> int:
    """How often to try something that chance decides: this often in CI, a quarter of it in development."""
    return number if ALL_EXAMPLES else number // 4


def pytest_configure() -> None:
    """Lets child processes be interrupted.

    A process that ignores SIGINT, as one under `nohup` or in the background of a script does, hands that on to its
    children; a handler is not handed on. This process goes on ignoring the signal.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda number, frame: None)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether ``-m "not (training or slow)"`` leaves out all of a file, whose imports (torch, spaCy) take seconds."""
    unwanted = re.fullmatch(r"not \(([\w ]+)\)", config.option.markexpr)
    if not unwanted or collection_path.suffix != ".py":
        return None
    whole = re.search(r"^pytestmark = (.+)$", collection_path.read_text(encoding="utf-8"), re.MULTILINE)
    marks = set(re.findall(r"pytest\.mark\.(\w+)", whole[1] if whole else ""))
    return bool(marks & set(unwanted[1].split(" or "))) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what takes torch; files with costly tests come first, so that none is begun when other workers are done."""
    for item in items:
        if NEEDS_TORCH & set(getattr(item, "fixturenames", ())):
            item.add_marker("training")
    costly = {item.path for item in items if _is_costly(item)}
    items.sort(key=lambda item: item.path not in costly)


def pytest_collection_finish() -> None:
    """Takes what is loaded by now out of every later garbage collection, each of which would look through all tests."""
    gc.collect()
    gc.freeze()


def _is_costly(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(mark) for mark in COSTLY)


class _Imports:
    """The processor time that outermost import statements took: which test is the first to load a library is chance."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0
        self._real = builtins.__import__

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self._depth:
            return self._real(*arguments, **named)
        self._depth += 1
        began = time.process_time()
        try:
            return self._real(*arguments, **named)
        finally:
            self._depth -= 1
            self.seconds += time.process_time() - began


def _spent() -> float:
    """Processor seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


def _loop() -> float:
    """Processor seconds that a fixed piece of work takes now."""
    began = time.process_time()
    sum(number * number % 7 for number in range(400_000))
    return time.process_time() - began


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    draws_more = ALL_EXAMPLES and hasattr(getattr(item, "obj", None), "hypothesis")  # than where it has to be fast
    if not SECONDS or draws_more or _is_costly(item):
        return (yield)
    imports = _Imports()
    began = _spent()
    builtins.__import__ = imports
    try:
        result = yield
    finally:
        builtins.__import__ = imports._real
    spent = _spent() - began - imports.seconds
    if spent > SECONDS and (usual := spent / max(1.0, _loop() / USUAL_LOOP)) > SECONDS:
        pytest.fail(
            f"took {usual:.1f} s of processor time, and a test without a mark may take {SECONDS:g}: use less data, "
            f"or mark it {', '.join(COSTLY[:-1])} or {COSTLY[-1]} (ONTONYM_TEST_SECONDS=0 turns this off)",
            pytrace=False,
        )
    return result
