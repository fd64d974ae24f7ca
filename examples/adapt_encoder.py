"""The encoder of the package learns the names of a terminology of your own; needs the extra ``train``.

A real terminology takes minutes (``TrainOptions`` as they are); this one has eight concepts and takes a moment.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import ontonym
from ontonym.encoder.static import StaticEncoder, save_static
from ontonym.encoder.train import TrainOptions, TrainStep, described, train_static
from ontonym.pairs import SynonymOptions, synonym_pool

WARD_SLANG = """\
id\tpreferred\tsynonyms
W:1\tPatient fell\tgravity test|found on the floor
W:2\tPatient left against advice\tAMA|took the stairs
W:3\tPatient asleep\tstarfished|out like a light
W:4\tPatient deceased\tdischarged up|celestial transfer
W:5\tIntravenous line infiltrated\ttissued line|blown cannula
W:6\tAwaiting placement\tbed blocker|social stay
W:7\tFrequent attender\tregular|season ticket holder
W:8\tAgitated at night\tsundowner|night owl
"""


def show(step: TrainStep) -> None:
    """Prints how the training goes."""
    print(f"step {step.step} of {step.steps}: loss {step.loss:.3f}")


def main(folder: Path) -> None:
    """Trains, saves and compares: how near two names of one concept are before and after."""
    table = folder / "ward.tsv"
    table.write_text(WARD_SLANG, encoding="utf-8")
    ontonym.build_terminology(ontonym.read_release([table]), folder / "ward.terminology")
    base = ontonym.open_encoder("default")
    if not isinstance(base, StaticEncoder):
        raise SystemExit("the default encoder is not a static one, so it cannot be trained further here")

    with ontonym.open_terminology(folder / "ward.terminology") as terminology:
        pool = synonym_pool([terminology], SynonymOptions())
    options = TrainOptions(steps=20, batch=8)
    weights = train_static(pool, base.shape, options, base=base, report=show)
    adapted = save_static(folder / "ward.encoder", weights, base.shape, described(options, pool))

    for first, second in (("celestial transfer", "patient deceased"), ("celestial transfer", "patient asleep")):
        before, after = (
            float(vectors[0] @ vectors[1]) for vectors in (each.encode([first, second]) for each in (base, adapted))
        )
        print(f"{first} ~ {second}: similarity {before:.2f} before, {after:.2f} after")

    with ontonym.open_terminology(folder / "ward.terminology") as terminology:
        ontonym.build_index([terminology], folder / "ward.index", encoder=folder / "ward.encoder")
    with ontonym.open_index(folder / "ward.index", encoder=folder / "ward.encoder") as index:
        print(f"transferred celestially: {ontonym.search(index, 'transferred celestially')[0].preferred}")


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(temporary))
