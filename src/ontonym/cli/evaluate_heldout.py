"""``ontonym evaluate heldout``: hide synonyms of a terminology, index what is left, and search for the hidden names."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ontonym.cli.evaluate import Asked, against_option, chosen_signals, encoder_note, give_reports, normalizer
from ontonym.cli.options import json_option
from ontonym.cli.progress import Bar
from ontonym.cli.reports import check_outputs, check_runs, compare_option, output_option
from ontonym.errors import InputError
from ontonym.evaluate import (
    BootstrapOptions,
    HeldOutSynonyms,
    HoldOutOptions,
    NormalizationReport,
    Protocol,
    Query,
    evaluate_held_out,
)
from ontonym.evaluate.heldout import HIDDEN_KINDS
from ontonym.evaluate.report import format_by_type
from ontonym.index import Index, build_index, open_index
from ontonym.learning.unseen import names_digest, unseen_digest
from ontonym.ontology.batch import Batch, batches_of
from ontonym.ontology.formats import read_release
from ontonym.store import build_terminology, open_terminology
from ontonym.tasks import NormalizeOptions, SearchOptions
from ontonym.types import Concept

DEFAULTS = HoldOutOptions()

EXAMPLES = """\b
Examples:
  ontonym evaluate heldout hp.obo
  ontonym evaluate heldout hp.terminology --signal fused --fraction 0.05
  ontonym evaluate heldout hp.terminology --kind lay --fraction 1
  ontonym evaluate heldout hp.terminology --names hidden.txt
  ontonym train hp.terminology --base none --exclude hidden.txt -o blind.encoder
  ontonym evaluate heldout hp.terminology --encoder blind.encoder
"""


@click.command("heldout", epilog=EXAMPLES)
@click.argument("release", nargs=-1, required=True, metavar="RELEASE…|TERMINOLOGY")
@click.option("--encoder", default="default", show_default=True, metavar="ENCODER", help="An encoder folder, or "
              "default for the one that comes with ontonym.")  # fmt: skip
@click.option("--signal", multiple=True, default=("all",), show_default=True, metavar="NAME",
              help="fused, lexical, char, dense, or all. May be repeated.")  # fmt: skip
@click.option("--fraction", type=float, default=DEFAULTS.fraction, show_default=True,
              help="Share of the exact synonyms to hide.")  # fmt: skip
@click.option("--seed", type=int, default=DEFAULTS.seed, show_default=True, help="Which ones.")
@click.option("--kind", default=DEFAULTS.kind, metavar="KIND", help=f"Hide only names of this kind: "
              f"{', '.join(HIDDEN_KINDS)}.")  # fmt: skip
@click.option("--language", default=DEFAULTS.language, metavar="TAG", help="Hide only names in this language.")
@click.option("--resamples", type=int, default=BootstrapOptions().resamples, show_default=True,
              help="Resamples of the bootstrap.")  # fmt: skip
@compare_option
@against_option
@click.option("--names", "names_file", metavar="FILE", help="Write the hidden names, one a line, and stop: what "
              "`ontonym train --exclude` takes.")  # fmt: skip
@output_option
@json_option
def command(
    *,
    release: tuple[str, ...],
    encoder: str,
    signal: tuple[str, ...],
    fraction: float,
    seed: int,
    kind: str,
    language: str,
    resamples: int,
    compared: tuple[tuple[str, str], ...],
    against: float | None,
    outputs: tuple[str, ...],
    names_file: str | None,
    as_json: bool,
) -> None:
    """Hide some synonyms, search for them, and measure how often their concept comes first (Hits@1) or in ten.

    The overlap degree is the share of a hidden name's words that the names left to its concept have.
    """
    signals = chosen_signals(signal)
    check_outputs(outputs)
    check_runs(compared, signals)
    held_out = HeldOutSynonyms(HoldOutOptions(fraction=fraction, seed=seed, language=language, kind=kind))
    if names_file:
        with _opened(release) as reading:
            for _ in held_out.reduce(reading.concepts()):
                pass
        _write_names(Path(names_file), _some(held_out))
        return
    with tempfile.TemporaryDirectory(prefix="ontonym-") as folder:
        reduced = Path(folder) / "reduced.terminology"
        with _opened(release) as reading, Bar("hiding synonyms") as bar:
            build_terminology(_Reduced(reading, held_out), reduced, progress=bar.advance)
        queries = _some(held_out)
        with open_terminology(reduced) as terminology, Bar("indexing") as bar:
            build_index([terminology], Path(folder) / "reduced.index", encoder=encoder, progress=bar.stage)
        with open_index(Path(folder) / "reduced.index", encoder=encoder) as index:
            reports = _measure(index, queries, held_out, signals, resamples)
            notes = [*_notes(encoder, queries), encoder_note(index)]
        if len(reports) > 1 and not as_json:
            notes = [*(f"{format_by_type(reports, measure)}\n" for measure in ("hits@1", "hits@10")), *notes]
        asked = Asked(as_json, outputs, compared, against)
        give_reports(
            reports, asked, title=f"Hidden synonyms of {', '.join(Path(one).name for one in release)}", notes=notes
        )


@dataclass(frozen=True, slots=True)
class _Stored:
    """A terminology on disk as something to read, for those who start from one."""

    metadata: dict[str, Any]
    counts: _Counted
    path: Path

    def concepts(self) -> Iterator[Concept]:
        """The concepts in the order of their rows."""
        with open_terminology(self.path) as terminology:
            yield from map(terminology.concept, range(len(terminology)))


@dataclass(frozen=True, slots=True)
class _Counted:
    """What the import counted, kept as it was."""

    reader: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return self.reader


@dataclass(frozen=True, slots=True)
class _Reduced:
    """A release without the hidden names."""

    whole: Any
    held_out: HeldOutSynonyms

    @property
    def metadata(self) -> Any:
        return self.whole.metadata

    @property
    def counts(self) -> Any:
        return self.whole.counts

    def batches(self) -> Iterator[Batch]:
        return batches_of(self.held_out.reduce(self.whole.concepts()))


@contextmanager
def _opened(release: Sequence[str]) -> Iterator[Any]:
    """A terminology folder, or the files of a release, as something to read concepts from."""
    if len(release) == 1 and Path(release[0]).is_dir():
        with open_terminology(release[0]) as terminology:
            reader = terminology.manifest.content.get("reader", {})
            yield _Stored(terminology.metadata, _Counted(reader), terminology.path)
    else:
        yield read_release(release)


def _some(held_out: HeldOutSynonyms) -> list[Query]:
    if not held_out.queries:
        share = f"--fraction {held_out.options.fraction:g}"
        raise InputError(f"nothing to hide: {share} takes none of {held_out.eligible:,} exact synonyms")
    return held_out.queries


def _measure(
    index: Index, queries: Sequence[Query], held_out: HeldOutSynonyms, signals: Sequence[str], resamples: int
) -> dict[str, NormalizationReport]:
    (terminology,) = index.terminologies
    options = held_out.options
    protocol = Protocol(
        data=f"{terminology.name} exact {f'{options.kind} ' * bool(options.kind)}synonyms",
        split=f"{len(queries):,} of {held_out.eligible:,} hidden (fraction {options.fraction:g}, seed {options.seed})",
        terminology=f"{terminology.name} {terminology.version} without them".replace("  ", " "),
    )
    reports = {}
    for signal in signals:
        with Bar(f"searching, {signal}", len(queries)) as bar:
            reports[signal] = evaluate_held_out(
                queries,
                normalizer(
                    index, NormalizeOptions(composites=False, search=SearchOptions(k=protocol.depth, signal=signal))
                ),
                protocol,
                resolve=index.resolve,
                bootstrap=BootstrapOptions(resamples=resamples),
                progress=bar.advance,
            )
    return reports


def _notes(encoder: str, queries: Sequence[Query]) -> list[str]:
    """A warning, unless the encoder was certainly trained without the hidden names."""
    if unseen_digest(encoder) == names_digest(query.text for query in queries):
        return [f"note: the encoder {encoder} was trained without the hidden names"]
    return [
        f"warning: the encoder {encoder} may have seen the hidden names in training, so dense and fused figures may be "
        "too high. For a blind encoder: --names FILE, then ontonym train --base none --exclude FILE"
    ]


def _write_names(path: Path, queries: Sequence[Query]) -> None:
    try:
        path.write_text("".join(f"{query.text}\n" for query in queries), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    click.echo(f"{len(queries):,} hidden names written to {path}", err=True)
