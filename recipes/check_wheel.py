"""Builds wheel and sdist, checks what is in them, and uses the wheel in an empty environment of each Python given.

``python recipes/check_wheel.py python3.11 python3.12 python3.13`` (by default the Python that runs it) needs ``build``
and a package index. ``pipx`` and ``uvx`` run the wheel too where they are installed. Ends with 1 where something is
wrong.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Mapping, Sequence
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).parent.parent
WHEEL_BUDGET = 20_000_000
"""Most bytes of what users install; the static encoder alone has 16 million."""
SDIST_BUDGET = 25_000_000
"""Most bytes of what packagers build from: the wheel's files, and the tests, docs and benchmarks."""
INSTALLED_BUDGET = 300_000_000
"""Most bytes of the core installation, all dependencies with it."""

OBO = """format-version: 1.2
ontology: tiny

[Term]
id: T:1
name: Seizure
synonym: "Fits" EXACT []

[Term]
id: T:2
name: Febrile seizure
is_a: T:1
"""
ASKED = """
import sys, ontonym
assert not {"numpy", "torch"} & sys.modules.keys(), "importing ontonym loads something"
with ontonym.open("tiny.index") as index:
    assert index.search("fits", k=1)[0].id == "T:1"
    assert index.normalize(["febrile seizures"])[0].id == "T:2"
    assert index["T:2"].parents.ids == ("T:1",)
print(ontonym.__version__)
"""


def main() -> None:
    """Builds, checks and uses; one line for each step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", nargs="*", default=[sys.executable])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        run([sys.executable, "-m", "build", "--outdir", str(work / "dist"), str(ROOT)])
        (wheel,), (sdist,) = (list((work / "dist").glob(ending)) for ending in ("*.whl", "*.tar.gz"))
        check_contents(wheel, sdist)
        for python in chosen.python:
            use(python, wheel, work / f"venv-{Path(python).name}")
        for runner in (["pipx", "run", "--spec", str(wheel)], ["uvx", "--from", str(wheel)]):
            if shutil.which(runner[0]):
                print(f"{runner[0]}: {run([*runner, 'ontonym', '--version']).strip()}")
            else:
                print(f"{runner[0]}: not installed, not tried")


def check_contents(wheel: Path, sdist: Path) -> None:
    """Size, metadata, licences and files of both."""
    for file, budget in ((wheel, WHEEL_BUDGET), (sdist, SDIST_BUDGET)):
        size = file.stat().st_size
        if size > budget:
            raise SystemExit(f"{file.name}: {size:,} bytes, more than {budget:,}")
        print(f"{file.name}: {size / 1e6:.1f} MB")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = next(name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(archive.read(info))
    for field in ("Summary", "License-Expression", "Requires-Python", "Classifier", "Keywords", "Author"):
        if not metadata[field]:
            raise SystemExit(f"{wheel.name}: its metadata have no {field}")
    for needed in ("ontonym/py.typed", "ontonym/encoder/default/table.npy", "licenses/LICENSE", "lexicon.LICENCE.txt"):
        if not any(name.endswith(needed) for name in names):
            raise SystemExit(f"{wheel.name}: {needed} is missing")
    strays = {name.split("/")[0] for name in names} - {"ontonym", info.split("/")[0]}
    with tarfile.open(sdist) as archive_:
        top = {Path(name).parts[1] for name in archive_.getnames() if len(Path(name).parts) > 1}
    if strays or "packages" in top or not {"src", "tests", "docs", "layers.toml"} <= top:
        raise SystemExit(f"{wheel.name} has {strays or 'no strays'}; {sdist.name} has {sorted(top)}")


def use(python: str, wheel: Path, place: Path) -> None:
    """Installs the wheel into an empty environment, and searches with it."""
    began = time.monotonic()
    run([python, "-m", "venv", str(place)])
    binaries = place / ("Scripts" if os.name == "nt" else "bin")
    run([str(binaries / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheel)])
    size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file() and not file.is_symlink())
    if size > INSTALLED_BUDGET:
        raise SystemExit(f"{python}: the installation has {size:,} bytes, more than {INSTALLED_BUDGET:,}")
    (place / "tiny.obo").write_text(OBO)
    ontonym = str(binaries / "ontonym")
    run([ontonym, "import", "tiny.obo", "-o", "tiny.terminology"], place)
    run([ontonym, "index", "tiny.terminology", "-o", "tiny.index"], place)
    if "T:1" not in run([ontonym, "search", "tiny.index", "fits", "--json"], place):
        raise SystemExit(f"{python}: search does not find what it should")
    version = run([str(binaries / "python"), "-c", ASKED], place).strip()
    print(f"{python}: ontonym {version} works, {size / 1e6:.0f} MB installed, {time.monotonic() - began:.0f} s")


def run(command: Sequence[str], folder: Path | None = None) -> str:
    """The output of a command in an environment without this checkout; ends where the command fails."""
    clean: Mapping[str, str] = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=dict(clean), check=False)
    if done.returncode:
        raise SystemExit(
            f"{' '.join(command)}: ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return done.stdout


if __name__ == "__main__":
    main()
