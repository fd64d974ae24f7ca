from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import log
from pathlib import Path

import numpy as np
import pytest

from little_pages import ARTICLES, PAGES
from made import concept
from ontonym.errors import ArtifactError, InputError, MismatchError
from ontonym.index.pagebuild import PageOptions, build_pages
from ontonym.index.pages import Pages, open_pages
from ontonym.store import Terminology
from ontonym.text.normalization import tokens
from ontonym.types import Concept

Made = Callable[..., list[Terminology]]
WHOLE = PageOptions()


@pytest.fixture
def made(tmp_path: Path, open_concepts: Made) -> Iterator[Callable[..., Pages]]:
    """Builds a page index of lists of concepts and opens it."""
    opened: list[Pages] = []

    def build(*releases: Sequence[Concept], options: PageOptions = WHOLE) -> Pages:
        path = tmp_path / f"{len(opened)}.pages"
        build_pages(open_concepts(*releases), path, options=options)
        opened.append(open_pages(path))
        return opened[-1]

    yield build
    for pages in opened:
        pages.close()


def ids(pages: Pages, names: Sequence[str], order: str, k: int = 4) -> list[str]:
    found = pages.search(names, 64)
    return [pages.id(page) for page in found.pages[found.best(order, k)].tolist()]  # type: ignore[arg-type]


def bm25(documents: Sequence[Sequence[str]], words: Sequence[str]) -> list[float]:
    """BM25 by the book, of each different word once."""
    lengths = [len(document) for document in documents]
    mean = sum(lengths) / len(lengths)
    scores = []
    for document, length in zip(documents, lengths, strict=True):
        score = 0.0
        for word in set(words):
            having, times = sum(word in one for one in documents), document.count(word)
            idf = log(1 + (len(documents) - having + 0.5) / (having + 0.5))
            score += idf * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / mean))
        scores.append(score)
    return scores


def test_bm25_is_the_sum_over_the_fields_of_all_words_of_all_names(made: Callable[..., Pages]) -> None:
    pages = made(PAGES)
    active = [one for one in PAGES if one.status == "active"]
    fields = {
        "title": [[t.text for t in one.terms if t.kind == "preferred"] for one in active],
        "aliases": [[t.text for t in one.terms if t.kind != "preferred"] for one in active],
        "text": [list(one.definitions) for one in active],
    }
    names = ["Heart attack", "Infarction of the heart muscle", "heart"]
    words = [word for name in names for word in tokens(name)]
    expected = dict.fromkeys((one.id for one in active), 0.0)
    for texts in fields.values():
        documents = {
            one.id: tokens(" ".join(some)) for one, some in zip(active, texts, strict=True) if tokens(" ".join(some))
        }
        for page, score in zip(documents, bm25(list(documents.values()), words), strict=True):
            expected[page] += score
    found = pages.search(names, 64)
    got = {pages.id(page): score for page, score in zip(found.pages.tolist(), found.lexical.tolist(), strict=True)}
    assert got == pytest.approx({page: score for page, score in expected.items() if page in got}, rel=1e-5)
    assert {page for page, score in expected.items() if score > 0} <= got.keys()
    assert max(got, key=lambda page: got[page]) == "Wikidata:Q2"


def test_the_char_signal_is_near_the_cosine_of_scikit_learn(made: Callable[..., Pages]) -> None:
    text = pytest.importorskip("sklearn.feature_extraction.text", reason="needs scikit-learn")
    pages = made([concept(f"P:{n}", name) for n, name in enumerate(["fumaric acid", "palmitate", "iron", "cardiac"])])
    weights = text.TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 5))
    table = weights.fit_transform([" ".join(tokens(pages.title(page))) for page in pages.numbers().tolist()])
    names = ["fumarate", "fumarates of iron"]
    query = weights.transform([" ".join(dict.fromkeys(word for name in names for word in tokens(name)))])
    expected = (table @ query.T).toarray()[:, 0]
    found = pages.search(names, 64)
    held = dict(zip(found.pages.tolist(), found.char.tolist(), strict=True))
    order = np.argsort(-expected)
    assert sorted(held, key=lambda page: -held[page])[:3] == order[:3].tolist()
    for page in order[:3].tolist():
        assert held[page] == pytest.approx(expected[page], abs=0.15)


def test_names_in_any_language_find_their_page(made: Callable[..., Pages]) -> None:
    pages = made(PAGES)
    for order in ("lexical", "char", "both", "all"):
        assert ids(pages, ["Herzinsuffizienz"], order)[0] == "Wikidata:Q3"
        assert ids(pages, ["心不全"], order)[0] == "Wikidata:Q3"
    assert pages.languages == ("de", "en", "ja")
    assert pages.names(pages.find("Wikidata:Q9") or 0, ("ja",)) == ["黄熱"]


def test_both_takes_turns_and_all_puts_the_very_name_first(made: Callable[..., Pages]) -> None:
    many = ["Uterine muscle", "muscle of the uterus", "muscles, uterine", "uterine artery muscle", "Myometrium"]
    pages = made(
        [
            concept("P:1", "Uterine artery"),
            concept("P:2", "Muscle of the uterus and artery"),
            concept("P:3", "Myometrium"),
            concept("P:4", "Uterine muscle atrophy"),
        ]
    )
    lexical, char, both = (ids(pages, many, order) for order in ("lexical", "char", "both"))
    assert lexical[0] != "P:3" != char[0]
    assert both == list(dict.fromkeys(one for pair in zip(lexical, char, strict=False) for one in pair))[:4]
    assert ids(pages, many, "all") == ["P:3", *(one for one in both if one != "P:3")]


def test_pages_lend_names_and_text_to_the_page_that_names_them(made: Callable[..., Pages]) -> None:
    pages = made(PAGES, ARTICLES)
    assert pages.find("Wikipedia:Fever") == pages.find("Wikidata:Q1")
    assert pages.names(pages.find("Wikidata:Q1") or 0, ("en",)) == ["Fever", "Pyrexia", "Febrile"]
    assert ids(pages, ["Febrile"], "lexical")[0] == "Wikidata:Q1"
    assert ids(pages, ["response to infection"], "lexical")[:2] == ["Wikipedia:Infection", "Wikidata:Q1"]
    assert len(pages) == 12  # of 12 + 3 concepts one is retired and two are lent
    assert pages.id(int(pages.numbers()[-1])) == "Wikipedia:Infection"


def test_retired_pages_and_other_languages_are_not_found(made: Callable[..., Pages]) -> None:
    pages = made(PAGES, options=PageOptions(("de",), text=0))
    for name in ("Old fever", "Fever", "organ that pumps blood"):
        assert ids(pages, [name], "lexical") == []
    assert "Wikidata:Q10" not in ids(pages, ["Old fever"], "all", 64)
    assert ids(pages, ["Fieber"], "all")[0] == "Wikidata:Q1"
    assert pages.search(["…"], 4).best("all", 4).tolist() == []


def test_the_text_is_cut_at_a_word(made: Callable[..., Pages]) -> None:
    pages = made(PAGES, options=PageOptions(text=15))
    assert ids(pages, ["organ that"], "lexical", 1) == ["Wikidata:Q4"]
    assert ids(pages, ["pumps blood"], "lexical") == []


@pytest.mark.slow
def test_the_same_pages_give_the_same_fingerprint(made: Callable[..., Pages], tmp_path: Path) -> None:
    first, again, other = made(PAGES), made(PAGES), made(PAGES, options=PageOptions(text=0))
    assert first.fingerprint == again.fingerprint != other.fingerprint
    assert not [file for file in first.path.rglob("*") if "draft" in file.name]


def test_what_cannot_be_a_page_index_is_told(tmp_path: Path, open_concepts: Made) -> None:
    (little,) = open_concepts(PAGES)
    with pytest.raises(InputError, match="no page has a name in the languages fr; names are in: de, en, ja"):
        build_pages([little], tmp_path / "x.pages", options=PageOptions(("fr",)))
    assert not (tmp_path / "x.pages").exists()
    with pytest.raises(InputError, match="`text=` must be at least 0"):
        PageOptions(text=-1)
    with pytest.raises(ArtifactError, match="is a terminology, but a page index was expected"):
        open_pages(little.path)
    with pytest.raises(ArtifactError, match=r"no such page index; make one with `build_pages\(\)`"):
        open_pages(tmp_path / "nowhere")


def test_another_terminology_in_the_place_of_the_pages_is_told(tmp_path: Path) -> None:
    from listed import stored
    from ontonym.store import open_terminology

    place = stored(tmp_path / "p.terminology", PAGES)
    with open_terminology(place) as little:
        build_pages([little], tmp_path / "p.pages")
    stored(place, PAGES[:3])
    with pytest.raises(MismatchError, match=r"the terminology .* it was made from is not the one at"):
        open_pages(tmp_path / "p.pages")
