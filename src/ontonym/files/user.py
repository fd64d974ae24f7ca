"""Who runs this, as the system knows them."""

from __future__ import annotations

import getpass


def user_name() -> str:
    """The name of the user who runs this; empty where the system does not know it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
