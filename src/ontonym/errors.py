"""Every error ontonym raises on purpose.

::

    OntonymError                 base of all; carries the exit code of the command line
    ├── InputError               something the user gave, and can fix (exit code 2)
    │   ├── FormatError          a file is not what it should be: names file, line and hint
    │   ├── UnknownNameError     a name that is not in a table; lists the valid ones
    │   ├── UnknownIdError       no concept with that id; a KeyError too
    │   ├── WrongTypeError       a value of a type that cannot be taken; a TypeError too
    │   ├── ArtifactError        a folder is missing, damaged, or of another kind or version
    │   │   ├── MismatchError    an artifact was made from another one than the one given
    │   │   └── LockedError      another process is writing this artifact
    │   └── MissingExtraError    an optional dependency is not installed; says what to type
    └── CheckFailed              the command ran, and the answer is no (exit code 1)

Messages name an option as Python does, `` `format=NAME` ``, and what makes an artifact by its function,
`` `build_index()` ``; the command line shows the flag and the command in their place.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class OntonymError(Exception):
    """Base of all errors raised on purpose."""

    exit_code = 3

    def __reduce__(self) -> tuple[Callable[..., OntonymError], tuple[type[OntonymError], Any, dict[str, Any]]]:
        """It comes whole out of another process, whatever it is made from."""
        return _remade, (type(self), self.args, self.__dict__)


def _remade(kind: type[OntonymError], args: Any, facts: dict[str, Any]) -> OntonymError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(facts)
    return error


class InputError(OntonymError):
    """Something the user gave is wrong, and the message says how to fix it."""

    exit_code = 2


class FormatError(InputError):
    """A file is not what it should be.

    The message reads ``file:line: problem (hint)``; ``line`` is 1-based, or None where the file has no lines.
    """

    def __init__(self, path: Path | str, problem: str, *, line: int | None = None, hint: str = "") -> None:
        self.path = Path(path)
        self.line = line
        self.problem = problem
        self.hint = hint
        where = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{where}: {problem}" + (f". {hint}" if hint else ""))


class UnknownNameError(InputError):
    """A name that is not in a table of ours; the message lists the valid names, the nearest first, and a ``hint``."""

    def __init__(self, what: str, name: object, valid: Iterable[str], *, hint: str = "") -> None:
        names = sorted(valid)
        small = {one.lower(): one for one in reversed(names)}
        near = difflib.get_close_matches(str(name).lower(), small, n=1)
        nearest = f" Did you mean {small[near[0]]!r}?" if near else ""
        valid_ones = f"Valid: {', '.join(names)}" if names else "There are none here: leave it out"
        super().__init__(f"unknown {what} {name!r}.{nearest} {valid_ones}" + (f". {hint}" if hint else ""))


class UnknownIdError(InputError, KeyError):
    """No concept of the terminology has this id, neither as its own nor as an alternative id."""

    def __init__(self, concept_id: str, terminology: str, nearest: Iterable[str] = ()) -> None:
        self.concept_id = concept_id
        self.nearest = tuple(nearest)
        near = ", ".join(self.nearest)
        super().__init__(f"no concept {concept_id!r} in {terminology}" + (f". Did you mean {near}?" if near else ""))

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError by itself shows its message in quotes


class WrongTypeError(InputError, TypeError):
    """A value of a type that cannot be taken; the message says what to give, and which of several it is."""

    def __init__(self, value: object, wanted: str, place: int | None = None) -> None:
        kind = type(value)
        name = (
            kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
        )
        super().__init__(f"give {wanted}, not {name}" + ("" if place is None else f" (at position {place})"))


class ArtifactError(InputError):
    """A folder is missing, damaged, or of another kind or format version."""


class MismatchError(ArtifactError):
    """An artifact was made from another terminology or encoder than the one given; says what to rebuild."""


class LockedError(ArtifactError):
    """Another process is writing this artifact right now."""


class MissingExtraError(InputError):
    """An optional dependency is not installed, or is installed and cannot be imported: then it says why."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        behind = sys.exception()
        broken = isinstance(behind, ImportError) and not isinstance(behind, ModuleNotFoundError)
        found = f"which is installed, but cannot be imported ({behind})" if broken else "which is not installed"
        how = f"pip uninstall {package} && pip install" if broken else "pip install"
        super().__init__(f"{purpose} needs {package}, {found}. Type: {how} 'ontonym[{extra}]'")


@contextmanager
def needing(package: str, extra: str, purpose: str, *, exact: bool = False) -> Iterator[None]:
    """For a block of imports: raises MissingExtraError where one fails, of the very package with ``exact``."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError((error.name if exact else None) or package, extra, purpose) from error


class CheckFailed(OntonymError):
    """The command ran, and the answer is no."""

    exit_code = 1


def first_line(error: BaseException) -> str:
    """What an error of another library says: one line without a full stop, or its class where it says nothing."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")


def without_password(text: str) -> str:
    """A text in which URLs of shared indexes have no passwords."""
    return re.sub(r"((?:postgres(?:ql)?|milvus):/+[^\s/@:]*):[^\s/]*@", r"\1@", text, flags=re.IGNORECASE)
