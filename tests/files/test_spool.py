from __future__ import annotations

import errno
import tempfile
from pathlib import Path
from typing import Any

import pytest

from ontonym.errors import InputError
from ontonym.files import spool as spool_module
from ontonym.files.spool import Spool

HINT = "Let TMPDIR name a folder with more room"


def test_records_come_back_by_position_and_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    records: list[list[Any]] = [["a\nb", None], [], ["é", [1, {"x": True}]]]
    with Spool("it cannot be kept", HINT) as spool:
        places = [spool.add(*record) for record in records]
        assert [spool.read(place) for place in reversed(places)] == records[::-1]
        assert list(spool) == records
        assert places[0] == 0 < places[1] < places[2]
        assert list(tmp_path.iterdir()) == []  # nameless, so that nothing is left after a crash
    with pytest.raises(ValueError, match="closed"):
        spool.read(0)


@pytest.mark.parametrize("method", ["write", "seek"])
def test_a_full_disk_is_an_error_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    class Full:
        def __getattr__(self, name: str) -> Any:
            def called(*_: Any) -> int:
                if name == method:
                    raise OSError(errno.ENOSPC, "No space left on device")
                return 1

            return called

    monkeypatch.setattr(tempfile, "tempdir", "/small")
    monkeypatch.setattr(spool_module, "TemporaryFile", lambda **_: Full())
    spool = Spool("it cannot be kept", HINT)
    message = f"^it cannot be kept in /small: No space left on device. {HINT}$"
    if method == "write":
        with pytest.raises(InputError, match=message):
            spool.add(1)
    else:
        for reading in (lambda: spool.read(0), lambda: list(spool)):
            with pytest.raises(InputError, match=message):
                reading()
