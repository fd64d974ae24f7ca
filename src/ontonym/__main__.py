"""``python -m ontonym`` is the ``ontonym`` command."""

from __future__ import annotations

from ontonym.cli import main

if __name__ == "__main__":
    main(prog_name="ontonym")
