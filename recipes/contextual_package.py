"""Makes the package ontonym-contextual from a trained encoder: its int8 form, and the ranking learned over it.

    python recipes/contextual_package.py TRAINED --static BLIND --share 0.4

TRAINED is the output of ``contextual.py``; BLIND is the static encoder that it was trained beside, which has not seen
the names that the ranking is learned from.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))
from default_encoder import learned_ranking
from ontonym.artifact import read_manifest, write_artifact
from ontonym.encoder.joined import join_encoders
from ontonym.encoder.modelfolder import write_modules
from ontonym.encoder.onnx import FOLDER, FORM, INT8, TOKENIZER
from ontonym.encoder.places import RANKING
from ontonym.learning.encoders.export import export_onnx
from sources import import_sources

PACKAGE = Path(__file__).resolve().parents[1] / "packages" / "ontonym-contextual" / "src" / "ontonym_contextual"


def main() -> None:
    """Exports, learns the ranking unless told not to, and writes the package's folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trained", type=Path)
    parser.add_argument("--static", type=Path, required=True, help="the blind static encoder")
    parser.add_argument("--share", type=float, default=0.4, help="what the contextual encoder has of a similarity")
    parser.add_argument("--work", type=Path, default=Path.home() / ".cache" / "ontonym" / "training")
    parser.add_argument("--no-ranking", action="store_true", help="only export")
    chosen = parser.parse_args()
    facts = json.loads((chosen.trained / "facts.json").read_text(encoding="utf-8"))
    folder = write_encoder(chosen.trained / "encoder", PACKAGE / "encoder", chosen.share, facts)
    print(f"{folder}: {sum(file.stat().st_size for file in folder.rglob('*') if file.is_file()) / 1e6:.1f} MB")
    if not chosen.no_ranking:
        learn_ranking(chosen.work, chosen.static, folder, chosen.share)


def write_encoder(trained: Path, place: Path, share: float, facts: dict[str, object]) -> Path:
    """Writes the int8 form of a trained encoder as an ENCODER folder of its own."""
    ranking = (place / RANKING).read_bytes() if (place / RANKING).is_file() else None
    with TemporaryDirectory() as made:
        exported = Path(made) / "exported"
        export_onnx(trained, exported)
        with write_artifact(place, "encoder") as writer:
            (writer.folder / FOLDER).mkdir()
            for name in (INT8, FORM, TOKENIZER):
                shutil.copyfile(exported / FOLDER / name, writer.folder / FOLDER / name)
            write_modules(writer.folder)
            if ranking:
                (writer.folder / RANKING).write_bytes(ranking)
            source = read_manifest(trained, "encoder").fingerprint
            identity = {"encoder": "onnx", "source": source}
            writer.content.update({"identity": identity, "share": share, "training": facts})
    return place


def learn_ranking(work: Path, static: Path, contextual: Path, share: float) -> None:
    """Learns the ranking over the joined encoders into the package's folder."""
    blind = work / "blind-joined.encoder"
    join_encoders([static, contextual], [1 - share, share], blind)
    learned = learned_ranking(work, import_sources(work), blind)
    manifest = read_manifest(contextual, "encoder")
    with write_artifact(contextual, "encoder") as writer:
        writer.keep(contextual, {name: entry for name, entry in manifest.files.items() if name != RANKING})
        writer.content.update(manifest.content)
        (writer.folder / RANKING).write_bytes(learned)


if __name__ == "__main__":
    main()
