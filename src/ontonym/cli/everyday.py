"""What help shows first: the commands in groups, the everyday options of long commands, and names from before."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

GROUPS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "Begin": ("demo get import index", ""),
        "Find": ("search show tree normalize annotate serve mcp", ""),
        "Map": ("match review carry export-mappings", "align"),
        "Maintain": ("update add-terms info diff export", "remove-terms terms"),
        "Train and measure": (
            "train calibrate evaluate benchmark",
            "pairs train-reranker train-aligner join distill learn-ranking",
        ),
        "Set up": ("", "completion"),
    }
)
"""Every command in one group: those that ``ontonym --help`` lists, and those that only ``--help-all`` lists."""

EVERYDAY: Mapping[str, str] = MappingProxyType(
    {
        "import": "--output --format --column --prefix --language --source --name --like --strict --json",
        "pairs": "--output --recipe --shares --language --exclude --annotated --hard-negatives --seed --tsv --json",
        "train": "--output --preset --recipe --base --exclude --steps --export --resume --dry-run --json",
        "train-reranker": "--output --base --loss --exclude --shares --epochs --device --export --resume --json",
        "train-aligner": "--output --base --loss --order --language --epochs --device --export --resume --json",
        "distill": "--output --exclude --language --epochs --dim --seed --threads --json",
        "calibrate": "--gold --format --split --type --questions --plot --dry-run --forget --json",
        "learn-ranking": "--unseen --queries --epochs --seed --dry-run --forget --json",
        "search": "-k --strategy --within --tag --only --rerank --explain --compare --json",
        "normalize": "--output --column -k --threshold --within --tag --only --explain --jobs --json",
        "annotate": "--output --column --format --find --threshold --within --only --except --jobs --json",
        "match": "--output --candidates --column --mode --threshold --known --related --within --jobs --json",
        "review export": "--output --format --all --system --vocabulary --omop --reviewer --json",
        "review sheet": "--output --read --filter --each --raw --reviewer --json",
        "align": "--output -k --threshold --known --all --rerank --language --resume --json",
        "serve": "--host --port --workers --review --keys --issuer --audience --closed --allow-host --log-queries",
        "evaluate normalization": "--output --signal --type --composite --ambiguity --format --split --mistakes "
                                  "--compare --json",
        "index": "--output --to --encoder --language --include-retired --pages --memory --shards --force --json",
        "evaluate annotation": "--output --find --within --type --except --prefix --mistakes --page --jobs --json",
        "evaluate strategies": "--signal --type --composite --nil --verbatim --as-written --no-keep --format --split "
                               "--json",
        "evaluate search": "--output --signal --measure --cutoff --labels --together --rerank --trec --compare --json",
        "evaluate heldout": "--output --encoder --signal --fraction --kind --seed --write-names --compare --json",
        "evaluate similarity": "--output --encoder --set --measure --all-measures --names --most --seed --resamples "
                               "--json",
        "evaluate categories": "--output --encoder --near --far --measure --all-measures --every-name --most --seed "
                               "--json",
        "evaluate alignment": "--output --split --sample --cutoff --rerank --order --language --compare --json",
    }
)  # fmt: skip
"""The options, at most ten, that ``--help`` shows of a command that has more than twelve; ``--help-all`` shows all."""

THEMES: Mapping[str, str] = MappingProxyType(
    {
        "What is read": "--format --column --strict --prefix --split --type --language --source --name --like --gold "
                        "--labels --set --names --filter --index --include-retired --everyday --text --lexicon",
        "For releases of one publisher": "--dialect --at --term-type --suppressible --full-titles --linked-to",
        "What is written": "--output-format --raw --mention-type --tsv --page --mistakes --plot --trec --write-names "
                           "--write-queries --export --each --candidates --proposals --frequencies --unchecked",
        "What is searched for, and how": "-k --strategy --signal --within --tag --only --verbatim --order --shortlist "
                                         "--aliases --depth --together",
        "What is answered": "--threshold --precision --accept --recall --find --nested --shortest --learn-from "
                            "--as-written --no-document --whole --expect --section --except --explain",
        "A second stage": "--rerank --rerank-depth --rerank-weight --rerank-below",
        "How mappings are found": "--mode --aggregate --structure --xrefs --related --via --known --learn",
        "For one format of mappings": "--iri --system --vocabulary --omop --url --source-scope --target-scope",
        "What is learned from": "--preset --recipe --base --beside --share --annotated --exclude --shares --split-by "
                                "--scope --relation --association --predicate --auxiliary --auxiliary-weight --linked "
                                "--favour --ratio --hard-negatives --nearest --skip --only-wrong --ceiling --ancestors "
                                "--groups --hidden --queries --hidden-share --nothing --everyday-share --extra "
                                "--unseen --questions --held-out",
        "What counts as wrong": "--loss --temperature --margin --similarity --mining --alpha --beta --epsilon "
                                "--matryoshka --negatives",
        "How it is trained": "--steps --epochs --batch --accumulate --at-once --rate --warmup --decay --clip "
                             "--neighbours --begin --tokens --dropout --pooling --dim --word-rows --ngram-rows --units "
                             "--members --seed --every --patience --work --resume --forget",
        "How it is judged": "--dev --dev-queries --dev-names --test --judged --tolerance --allow-worse",
        "How figures are taken": "--composite --ambiguity --nil --missing --measure --all-measures --cutoff --sample "
                                 "--most --any-word --every-name --near --far --near-steps --fraction --kind --seen "
                                 "--found-by --bins --ties --resamples --compare --against --keep",
        "Machines, processes, memory": "--jobs --on --part --to --workers --search-threads --threads --device --dtype "
                                       "--memory --shards",
        "Who may ask, and what": "--issuer --audience --token-scope --closed --requests-per-second --timeout "
                                 "--longest-body --allow-origin --allow-host --public-url --resource --no-access-log "
                                 "--log-queries",
        "Where things are now": "--terminology-at --encoder",
        "Files that are there already": "--force --dry-run",
    }
)  # fmt: skip
"""The other options of long commands, as ``--help-all`` groups them."""

_SEARCHED, _LEARNED, _FIGURES = "What is searched for, and how", "What is learned from", "How figures are taken"

OWN_THEMES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "import": {"--tag": "For releases of one publisher"},
        "train-reranker": {"--depth": _LEARNED, "--signal": _LEARNED},
        "train-aligner": {"--depth": _LEARNED, "--seed": _SEARCHED},
        "calibrate": {"--seed": _FIGURES},
        "match": {"--format": "What is written", "--names": _SEARCHED},
        "align": {"--seed": _SEARCHED},
        "evaluate strategies": {"--seed": _FIGURES},
        "evaluate alignment": {"--seed": _SEARCHED},
    }
)
"""The theme of an option of one command, where options of its name have another one elsewhere."""

_CORPUS_RUNS = {"--k": "--cutoff", "--candidates": "--found-by"}
_SHARES = {"--split": "--shares"}
_DTYPE = {"--precision": "--dtype"}
_MOVED = {"--terminology": "--terminology-at"}

RENAMED: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "pairs": _SHARES,
        "train": _SHARES | _DTYPE,
        "train-reranker": _SHARES | _DTYPE | _MOVED,
        "train-aligner": _DTYPE | {"--candidates": "--shortlist"},
        "add-terms": _MOVED,
        "remove-terms": _MOVED,
        "terms": _MOVED,
        "calibrate": _MOVED,
        "learn-ranking": _MOVED | {"--hidden": "--hidden-share", "--everyday": "--everyday-share"},
        "search": _MOVED,
        "normalize": _MOVED | {"--type": "--expect"},
        "annotate": _MOVED | {"--type": "--mention-type"},
        "align": {"--candidates": "--shortlist"},
        "benchmark build": {"--threshold": "--easy-distance", "--threads": "--jobs", "--recipe": "--recipe-file"},
        "benchmark pages": _SHARES,
        "evaluate search": _CORPUS_RUNS | {"--queries": "--write-queries"},
        "evaluate runs": _CORPUS_RUNS,
        "evaluate heldout": {"--names": "--write-names"},
        "evaluate matching": {"--negatives": "--wrong"},
        "evaluate alignment": {"--k": "--cutoff", "--candidates": "--shortlist"},
    }
)
"""Old names of options, which are read as the new ones and shown nowhere."""
