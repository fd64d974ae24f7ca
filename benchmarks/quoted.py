"""Figures of the papers, as they are printed there: what stands beside ours on the page of the papers' tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ontonym.evaluate.results import Table

Rows = Sequence[tuple[str, str]]
"""By the first cell of a row all others, with blanks between them."""


def quoted_key(sheet: str) -> str:
    """The key of the paper's table that stands after a sheet of ours."""
    return f"{sheet} quoted"


def _table(sheet: str, title: str, columns: Sequence[str], rows: Rows, notes: Sequence[str]) -> Table:
    cells = tuple((first, *rest.split()) for first, rest in rows)
    return Table(quoted_key(sheet), f"{title}, quoted", tuple(columns), cells, tuple(notes))


_NGO = ("BM25", "Word2Vec", "BERT-CLS", "BERT-MEAN", "Triplet-BERT")


def _by_method(*rows: str) -> Rows:
    return tuple(zip(("queries", *_NGO) if len(rows) > len(_NGO) else _NGO, rows, strict=True))


NGO = (
    _table(
        "hits-1", "Ngo's tables 1 and 2: Hits@K", ("method", *(
            f"{data} @{k}" for data in ("cadec", "note", "hpo", "fma", "nci") for k in (1, 5, 10)
        )),
        _by_method(
            "2,036 2,036 2,036 4,960 4,960 4,960 14,149 14,149 14,149 13,123 13,123 13,123 46,185 46,185 46,185",
            "0.132 0.240 0.307 0.526 0.705 0.770 0.334 0.486 0.553 0.310 0.571 0.639 0.345 0.459 0.496",
            "0.191 0.359 0.418 0.605 0.778 0.829 0.397 0.571 0.632 0.183 0.506 0.597 0.369 0.513 0.567",
            "0.114 0.216 0.283 0.406 0.553 0.607 0.296 0.438 0.488 0.157 0.244 0.287 0.296 0.378 0.412",
            "0.136 0.266 0.319 0.255 0.472 0.558 0.359 0.525 0.582 0.226 0.448 0.528 0.351 0.478 0.521",
            "0.385 0.603 0.654 0.755 0.878 0.904 0.608 0.797 0.844 0.700 0.855 0.885 0.503 0.638 0.670",
        ),
        ("cadec, note and hpo among clinical findings of SNOMED CT, fma and nci among all its concepts",),
    ),
    _table(
        "usefulness-1", "Ngo's table 3: nDCG@K and MRR",
        ("method", *(f"{group} {name}" for group in ("more synonyms", "fewer") for name in ("@1", "@5", "@10", "MRR"))),
        _by_method(
            "0.587 0.644 0.665 0.425 0.540 0.585 0.586 0.401",
            "0.632 0.687 0.682 0.499 0.613 0.650 0.642 0.406",
            "0.491 0.562 0.564 0.362 0.456 0.512 0.514 0.299",
            "0.520 0.596 0.595 0.372 0.540 0.589 0.586 0.385",
            "0.758 0.799 0.785 0.696 0.699 0.725 0.711 0.606",
        ),
        ("more synonyms: cadec, note and hpo; fewer: fma and nci",),
    ),
    _table(
        "concepts-1", "Ngo's table 4: Hits@K, concept to concept",
        ("method", *(f"{data} @{k}" for data in ("hpo", "fma", "nci") for k in (1, 5, 10))),
        _by_method(
            "5,978 5,978 5,978 5,702 5,702 5,702 13,830 13,830 13,830",
            "0.529 0.718 0.778 0.454 0.776 0.831 0.598 0.755 0.793",
            "0.595 0.781 0.834 0.241 0.611 0.716 0.573 0.747 0.798",
            "0.459 0.627 0.684 0.227 0.336 0.390 0.477 0.582 0.618",
            "0.549 0.740 0.794 0.302 0.576 0.680 0.541 0.693 0.740",
            "0.770 0.926 0.947 0.827 0.943 0.968 0.755 0.900 0.939",
        ),
        (),
    ),
)  # fmt: skip

XU: Mapping[str, Sequence[float]] = MappingProxyType(
    {
        "ncbi": (
            0.8374, 0.8501, 0.8539, 0.8526, 0.8958, 0.8856, 0.9034, 0.8996, 0.8628, 0.8856, 0.9136, 0.9085, 0.9199,
            0.8882, 0.8958, 0.9136, 0.8640, 0.8640, 0.9111, 0.9161, 0.9125, 0.9149, 0.9225, 0.9149, 0.9161, 0.9161,
            0.9225, 0.9161,
        ),
        "bc5cdr-disease": (
            0.8265, 0.8243, 0.7729, 0.7518, 0.8887, 0.8585, 0.8966, 0.8940, 0.8372, 0.8351, 0.9050, 0.8990, 0.8947,
            0.8693, 0.8782, 0.8985, 0.7901, 0.7841, 0.9038, 0.8992, 0.9110, 0.9088, 0.9071, 0.9047, 0.9122, 0.9083,
            0.9095, 0.9055,
        ),
        "bc5cdr-chemical": (
            0.9700, 0.9262, 0.7421, 0.7411, 0.9775, 0.9330, 0.9762, 0.9688, 0.9714, 0.9577, 0.9764, 0.9688, 0.9776,
            0.9632, 0.9671, 0.9632, 0.7423, 0.7423, 0.9785, 0.9632, 0.9781, 0.9622, 0.9787, 0.9628, 0.9781, 0.9622,
            0.9791, 0.9628,
        ),
    }
)  # fmt: skip
"""The dev accuracies of Xu's table 4, by our corpus and by row."""

SCHULZ = (
    _table(
        "sets", "Schulz's table 2: sets from SNOMED CT",
        ("relation", "difficulty", "pairs", "similar", "not (random)", "not (closest)"),
        (
            ("fsn-synonym", "easy 78,466 2.08 36.90 8.37"),
            ("fsn-synonym", "hard 372,790 19.57 37.51 7.89"),
            ("synonym-synonym", "easy 122,864 2.21 35.33 8.66"),
            ("synonym-synonym", "hard 603,294 19.50 35.05 7.86"),
            ("possibly-equivalent-to", "easy 1,474 3.96 30.10 12.33"),
            ("possibly-equivalent-to", "hard 56,054 34.71 49.84 18.10"),
            ("replaced-by", "easy 654 2.94 30.59 11.29"),
            ("replaced-by", "hard 6,428 21.74 34.27 11.51"),
            ("same-as", "easy 2,570 2.62 27.17 10.81"),
            ("same-as", "hard 17,754 25.62 34.19 10.70"),
        ),
        ("mean Levenshtein distances of similar pairs and of both kinds of dissimilar ones",),
    ),
    _table(
        "known", "Schulz's table 5: accuracy on pairs with the closest negatives",
        ("embedding", "fsn-synonym easy", "hard", "synonym-synonym easy", "hard "),
        (
            ("the best of 24", "0.792 0.585 0.777 0.556"),
            ("ELMoPubMed", "0.761 0.504 0.753 0.521"),
            ("GloVe", "0.722 0.516 0.717 0.524"),
            ("BERT", "0.674 0.504 0.672 0.521"),
        ),
        ("printed in percent there; word embeddings by fuzzy Jaccard, the others by Kendall's tau",),
    ),
)  # fmt: skip

KONG = (
    _table(
        "table-3", "Kong's table 3",
        (
            "mentions", "recall", "BM25", "Clinical BERT", "ICD syn", "ICD graph", "SNOMED syn", "SNOMED graph",
            "UMLS syn", "UMLS graph", "comb",
        ),
        (
            ("MedMentions", "R@1 0.04 0.10 0.31 0.31 0.32 0.33 0.32 0.30 0.32"),
            ("MedMentions", "R@25 0.17 0.30 0.58 0.56 0.55 0.61 0.53 0.57 0.60"),
            ("COMETA SG", "R@1 0.02 0.01 0.30 0.30 0.43 0.37 0.33 0.32 0.37"),
            ("COMETA SG", "R@25 0.10 0.06 0.52 0.48 0.65 0.58 0.50 0.54 0.58"),
            ("COMETA SS", "R@1 0.02 0.01 0.28 0.28 0.41 0.36 0.31 0.31 0.35"),
            ("COMETA SS", "R@25 0.11 0.06 0.51 0.47 0.62 0.56 0.48 0.52 0.56"),
            ("COMETA ZG", "R@1 0.02 0.01 0.32 0.32 0.47 0.39 0.36 0.33 0.40"),
            ("COMETA ZG", "R@25 0.12 0.07 0.57 0.54 0.71 0.61 0.55 0.57 0.62"),
            ("COMETA ZS", "R@1 0.02 0.01 0.30 0.29 0.40 0.35 0.31 0.29 0.35"),
            ("COMETA ZS", "R@25 0.10 0.07 0.52 0.47 0.64 0.57 0.49 0.53 0.57"),
            ("3DNotes ICD", "R@1 0.05 0.11 0.28 0.23 0.20 0.20 0.18 0.21 0.30"),
            ("3DNotes ICD", "R@25 0.22 0.17 0.54 0.46 0.45 0.52 0.39 0.53 0.54"),
            ("3DNotes SN", "R@1 0.07 0.01 0.20 0.18 0.38 0.25 0.25 0.29 0.34"),
            ("3DNotes SN", "R@25 0.20 0.05 0.50 0.45 0.63 0.61 0.49 0.55 0.59"),
        ),
        (
            "MedMentions has concepts of the UMLS, COMETA (stratified and zero-shot, general and specific) and 3DNotes "
            "SN of SNOMED CT, 3DNotes ICD of ICD-10",
        ),
    ),
)  # fmt: skip

RAHIMI = (
    _table(
        "wikiumls", "Rahimi's table 2", ("method", "recall@64", "recall@4", "recall@1", "N. recall@4", "N. recall@1"),
        (
            ("BM25", "0.85 0.73 0.59 - -"),
            ("TFIDF char", "0.79 0.67 0.56 - -"),
            ("BERT en", "0.85 0.79 0.67 0.92 0.78"),
            ("BioBERT", "0.85 0.80 0.68 0.94 0.79"),
            ("BERT multi", "0.85 0.81 0.72 0.95 0.84"),
        ),
        (
            "17,800 concepts of the UMLS among 8 million pages with texts, and with aliases in 24 languages; not to be "
            "compared row by row",
        ),
    ),
)  # fmt: skip
