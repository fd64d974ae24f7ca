"""``ontonym train``: terminologies to an encoder, by a recipe that needs no annotation."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click
from click.core import ParameterSource

from ontonym.artifact import read_manifest
from ontonym.cli.options import dataclass_options, json_option
from ontonym.cli.progress import Bar
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count, facts, size
from ontonym.encoder import open_encoder
from ontonym.encoder.static import StaticEncoder, StaticShape, save_static
from ontonym.encoder.train import FROM_SCRATCH, TrainOptions, TrainStep, described, train_static
from ontonym.errors import InputError, UnknownNameError
from ontonym.ontology.source import open_source
from ontonym.pairs import SynonymOptions, synonym_pool
from ontonym.store import Terminology, open_terminology
from ontonym.text import normalize

RECIPES = ("synonyms",)

TRAIN_HELP = MappingProxyType(
    {
        "steps": f"Steps of the optimizer (with --base none {FROM_SCRATCH.steps}).",
        "batch": "Pairs of names in a step.",
        "rate": f"Learning rate at the first step; it falls linearly to 0 (with --base none {FROM_SCRATCH.rate:g}).",
        "temperature": "What cosines are divided by in the loss.",
        "neighbours": "Nearest concepts drawn into a batch beside each one, as hard negatives (0: none).",
        "seed": "Seed of every random draw.",
        "threads": "Threads; part of the recipe, since sums of floats depend on it.",
    }
)
"""Help of every field of ``TrainOptions``."""

SHAPE_HELP = MappingProxyType(
    {
        "dim": "Length of a vector (with --base none).",
        "word_rows": "Hashed rows for words (with --base none).",
        "ngram_rows": "Hashed rows for character n-grams (with --base none).",
    }
)
"""Help of the fields of ``StaticShape`` that are options."""

EXAMPLES = """\b
Examples:
  ontonym train medic.terminology -o medic.encoder
  ontonym train hp.terminology doid.terminology --base none --steps 6000 -o mine.encoder
  ontonym index medic.terminology --encoder medic.encoder -o medic.index
"""


@click.command("train", epilog=EXAMPLES)
@click.argument("terminology", nargs=-1, required=True, metavar="TERMINOLOGY…")
@click.option("-o", "--output", required=True, metavar="DIR", help="The encoder to write.")
@click.option("--recipe", default="synonyms", show_default=True, metavar="NAME",
              help="synonyms: names of one concept, or of concepts the terminologies link, are close.")  # fmt: skip
@click.option("--base", default="default", show_default=True, metavar="ENCODER", help="The encoder to go on from: "
              "default (the one that comes with ontonym), none (from scratch), or an encoder folder.")  # fmt: skip
@click.option("--exclude", metavar="FILE", help="Names that must not be seen in training, one a line.")
@click.option("--language", multiple=True, default=SynonymOptions().languages, show_default=True, metavar="TAG",
              help="Names in this language. May be repeated.")  # fmt: skip
@dataclass_options(TrainOptions, TRAIN_HELP)
@dataclass_options(StaticShape, SHAPE_HELP)
@json_option
def command(
    *,
    terminology: tuple[str, ...],
    output: str,
    recipe: str,
    base: str,
    exclude: str | None,
    language: tuple[str, ...],
    as_json: bool,
    **chosen: Any,
) -> None:
    """Train an encoder from the names of terminologies alone, on the processor (needs ontonym[train])."""
    if recipe not in RECIPES:
        raise UnknownNameError("recipe", recipe, RECIPES)
    shape = StaticShape(**{name: chosen.pop(name) for name in SHAPE_HELP})
    options = _options(base, chosen)
    start = _base(base, shape)
    names = frozenset(read_names(exclude)) if exclude else frozenset()
    began = time.monotonic()
    with ExitStack() as stack:
        opened = [stack.enter_context(open_terminology(folder)) for folder in terminology]
        pool = synonym_pool(opened, SynonymOptions(languages=language, exclude=names))
        content = {
            "recipe": recipe,
            **described(options, pool),
            "terminologies": [_source(part) for part in opened],
            "base": start.fingerprint if start else "none",
            "unseen": _unseen(base, names),
        }
    with Bar("training") as bar:

        def report(step: TrainStep) -> None:
            bar.stage("training", step.step, step.steps, f"loss {step.loss:.3f}")

        weights = train_static(pool, start.shape if start else shape, options, base=start, report=report)
    save_static(Path(output), weights, start.shape if start else shape, content)
    _show(output, time.monotonic() - began, pool.names, as_json)


def _options(base: str, chosen: dict[str, Any]) -> TrainOptions:
    """The options as given; what was not given depends on whether there is an encoder to go on from."""
    context = click.get_current_context()
    usual = FROM_SCRATCH if base == "none" else TrainOptions()
    given = {
        name: value for name, value in chosen.items() if context.get_parameter_source(name) != ParameterSource.DEFAULT
    }
    return replace(usual, **given)


def _base(base: str, shape: StaticShape) -> StaticEncoder | None:
    """The static encoder to go on from, or None for a start from scratch."""
    if base == "none":
        return None
    if shape != StaticShape():
        raise InputError(f"--base {base} brings its own shape; add --base none to choose another one")
    encoder = open_encoder(base)
    if not isinstance(encoder, StaticEncoder):
        raise InputError(f"--base {base} is not a static encoder; give a static one, or none")
    return encoder


def read_names(path: str) -> Iterable[str]:
    """The names in a file of one name a line, without the blank ones."""
    return [line.strip() for line in open_source(path).lines() if line.strip()]


def names_digest(names: Iterable[str]) -> str:
    """A SHA-256 that is the same for the same names, whatever their order and spelling variants."""
    return hashlib.sha256("\n".join(sorted({normalize(name) for name in names})).encode()).hexdigest()


def _unseen(base: str, names: frozenset[str]) -> str:
    """The digest of the names that neither this training nor those before it saw, or an empty string."""
    if not names:
        return ""
    digest = names_digest(names)
    return digest if base == "none" or unseen_digest(base) == digest else ""


def unseen_digest(encoder: str) -> str:
    """The digest of the names that an encoder's training certainly did not see, or an empty string."""
    return "" if encoder == "default" else str(read_manifest(encoder, "encoder").content.get("unseen", ""))


def _source(terminology: Terminology) -> dict[str, str]:
    return {
        "name": terminology.name,
        "version": terminology.version,
        "licence": str(terminology.metadata.get("licence", "")),
        "fingerprint": terminology.fingerprint,
    }


def _show(output: str, seconds: float, names: Sequence[str], as_json: bool) -> None:
    manifest = read_manifest(output, "encoder")
    if as_json:
        shape = {"path": output, "fingerprint": manifest.fingerprint, "seconds": round(seconds, 1)}
        click.echo(to_json({**shape, "content": manifest.content}))
        return
    out = console()
    facts(
        [
            ("encoder", f"{output}  ({size(manifest.bytes)})"),
            ("made", f"from {count(len(names), 'name')} in {seconds:.0f} s"),
            ("fingerprint", manifest.fingerprint),
        ],
        out,
    )
    out.print(f"next: ontonym index TERMINOLOGY --encoder {output} -o my.index", style="dim")
