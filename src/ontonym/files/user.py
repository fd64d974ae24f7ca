"""Who runs this, as the system knows them, and where their caches are."""

from __future__ import annotations

import getpass
import os
from pathlib import Path


def user_name() -> str:
    """The name of the user who runs this; empty where the system does not know it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def cache_folder() -> Path:
    """Where caches are: ``ONTONYM_CACHE``, else ``ontonym`` in ``XDG_CACHE_HOME``, else ``~/.cache/ontonym``."""
    if own := os.environ.get("ONTONYM_CACHE"):
        return Path(own).expanduser().absolute()
    shared = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(shared) if Path(shared).is_absolute() else Path.home() / ".cache") / "ontonym"
