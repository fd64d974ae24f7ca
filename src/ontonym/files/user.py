"""Who runs this, as the system knows them, and where their caches are."""

from __future__ import annotations

import getpass
import os
from pathlib import Path

from ontonym.errors import InputError


def user_name() -> str:
    """The name of the user who runs this; empty where the system does not know it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def home_folder() -> Path:
    """The home folder of the user; InputError where the system knows none, as in containers that run as any user."""
    try:
        return Path.home()
    except RuntimeError:
        problem = "the system knows no home folder of this user"
        raise InputError(f"{problem}: set HOME, or for caches alone ONTONYM_CACHE, to a folder") from None


def cache_folder() -> Path:
    """Where caches are: ``ONTONYM_CACHE``, else ``ontonym`` in ``XDG_CACHE_HOME``, else ``~/.cache/ontonym``.

    InputError where none of them is known.
    """
    if own := os.environ.get("ONTONYM_CACHE"):
        return Path(own).expanduser().absolute()
    shared = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(shared) if Path(shared).is_absolute() else home_folder() / ".cache") / "ontonym"
