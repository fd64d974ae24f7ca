"""The open data that benchmarks measure on, downloaded from where they were published: public GitHub repositories.

    python benchmarks/fetch.py                       (all of it, into ../shared/data or the folder ONTONYM_DATA)
    python benchmarks/fetch.py --only medic ncbi_disease bc5cdr

`benchmarks/data/sources.tsv` has of each file the repository, path and commit, its SHA-256, by which it is checked, and
what is known of its licence: read that before you use the data. A file that is there already is left alone, so that the
same command goes on after a stop. HPO and ICD-10-CM are in packages that the extra demo installs.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from ontonym.checksums import sha256
from ontonym.errors import CheckFailed, InputError
from ontonym.files.download import download
from sources import data_place

SOURCES = Path(__file__).parent / "data" / "sources.tsv"
SERVER = "https://raw.githubusercontent.com"


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the data folder, and where it was published."""

    file: str
    repository: str
    path: str
    commit: str
    sha256: str
    licence: str

    @property
    def folder(self) -> str:
        """The folder that it is in."""
        return self.file.partition("/")[0]

    def url(self, server: str) -> str:
        """Its address on a server that is laid out as GitHub's for files."""
        return f"{server}/{self.repository}/{self.commit}/{quote(self.path)}"


def sources() -> list[Source]:
    """All files in the order of the table."""
    with SOURCES.open(encoding="utf-8", newline="") as lines:
        return [Source(**row) for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Downloads what is not there: 0 done, 1 where a file could not be had."""
    known = sources()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = sorted({one.folder for one in known})
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="FOLDER", help=", ".join(names))
    parser.add_argument(
        "--list", action="store_true", help="download nothing: each file, where from, under which licence"
    )
    parser.add_argument("--server", default=SERVER, help="a mirror of it, laid out the same way")
    chosen = parser.parse_args(arguments)
    folder = data_place()
    missing = 0
    for one in (one for one in known if one.folder in chosen.only):
        place = folder / one.file
        if chosen.list:
            print(f"{one.file}  {one.url(chosen.server)}  {one.licence}")
        elif not (place.is_file() and sha256(place) == one.sha256):
            missing += not _had(one, place, chosen.server)
    if not chosen.list:
        print(f"{folder}: {f'{missing} files are missing' if missing else 'all is there'}")
    return int(missing > 0)


def _had(one: Source, place: Path, server: str) -> bool:
    """Whether a file could be downloaded; says so."""
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        got = download(one.url(server), place, expected=one.sha256)
    except (InputError, CheckFailed) as error:
        print(f"{one.file}: {error}", file=sys.stderr)
        return False
    print(f"{one.file}  {got.bytes:,} bytes  {one.licence}")
    return True


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:  # nobody reads any more: `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    sys.exit(status)
