"""How commands end."""

from __future__ import annotations

from click.testing import Result


def one_line(result: Result, code: int = 2) -> str:
    """The only line that a command wrote to standard error when it ended with an exit code."""
    assert result.exit_code == code, result.output
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr.strip()
