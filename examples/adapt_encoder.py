"""The encoder of the package learns the names of a terminology of your own; needs the extra ``train``.

A real terminology takes minutes (with the options as they are); this one has eight concepts and takes a moment.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import ontonym
from ontonym.learning.encoders.bases import Base
from ontonym.learning.encoders.datasets import RecipeDataset
from ontonym.learning.encoders.options import OURS, TrainStep
from ontonym.learning.encoders.train import train_encoder
from ontonym.learning.recipes import PoolOptions, RecipeOptions, find_recipe, name_pool

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
    preset = OURS["adapt"]
    options = replace(preset.options, rate=1e-3, steps=20, batch=8)

    with ontonym.open_terminology(folder / "ward.terminology") as terminology:
        pool = name_pool([terminology], PoolOptions())
        dataset = RecipeDataset(pool, find_recipe(preset.recipe), RecipeOptions())
        trainable = Base("default").trainable(dataset.texts.texts, seed=0, dropout=options.dropout)
        train_encoder(trainable, [dataset], options, preset.loss, work=folder / "work", report=show)
    trainable.save(folder / "ward.encoder", {"pairs": dataset.described()})

    base, adapted = ontonym.open_encoder("default"), ontonym.open_encoder(folder / "ward.encoder")

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
