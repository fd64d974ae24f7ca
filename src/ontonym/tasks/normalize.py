"""Normalization: from mentions in text to their concepts, or to NIL if no confidence is high enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain, islice
from types import MappingProxyType
from typing import TypeAlias

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.memo import PackedValues
from ontonym.tasks.answer import Normalization, NormalizeOptions, part_of, together
from ontonym.tasks.confidences import SURE, with_parts
from ontonym.tasks.distincttexts import asked_once
from ontonym.tasks.document import CONSIDERED, in_document, section
from ontonym.tasks.duplicates import is_a_name, is_same, named_confidence, surest_as_written, surest_of
from ontonym.tasks.embeddednames import EMBEDDED_PRECISION, WholeAnswer, embedded_name, only_qualifies
from ontonym.tasks.hits import AnyHit, with_confidence
from ontonym.tasks.jobs import Jobs, bundled, in_processes
from ontonym.tasks.lookups import AskedText, Lookups
from ontonym.tasks.nil import is_left_empty
from ontonym.tasks.search import settled
from ontonym.text.abbreviations import expand, find_abbreviations, implied_long_forms
from ontonym.text.composite import denied_apart, items_said, meaning_words, split_composite
from ontonym.text.denials import NEGATORS
from ontonym.text.normalization import tokens
from ontonym.text.placeholders import is_placeholder
from ontonym.types import Hit, Mention
from ontonym.wanted import check_wanted

AT_ONCE = 128
"""The default number of mentions that are looked up together: in documents some forty are new texts."""


def normalize(
    index: Index,
    mentions: Iterable[Mention],
    options: NormalizeOptions = NormalizeOptions(),  # noqa: B008 (frozen)
    *,
    jobs: Jobs = 1,
    at_once: int = AT_ONCE,
) -> Iterator[Normalization]:
    """One answer for each mention, in order, as a stream; equal texts are looked up once.

    Give the mentions of a document one after another: its words and abbreviations are then extracted once. ``jobs`` and
    ``at_once`` are as in `normalize_groups`.
    """
    groups = ((mention,) for mention in mentions)
    for (answer,) in normalize_groups(index, groups, options, jobs=jobs, at_once=at_once):
        yield answer


def normalize_groups(
    index: Index,
    groups: Iterable[Sequence[Mention]],
    options: NormalizeOptions = NormalizeOptions(),  # noqa: B008 (frozen)
    *,
    jobs: Jobs = 1,
    at_once: int = AT_ONCE,
) -> Iterator[list[Normalization]]:
    """The answers of each group of mentions, such as those of one document, as a list; streamed as in `normalize`.

    Groups are read ahead until there are ``at_once`` mentions, which are encoded and reranked together; 1 answers each
    group at once. Terms that are added to the index meanwhile are used for the groups after them. ``jobs`` processes
    share the groups and read further ahead; workers of a cluster get each distinct text once, except for mentions with
    a passage, which depend on it, and see the index as it was at first. Raises UnknownNameError for an expected tag
    that no terminology of the index has, InputError for a reranker with more than one job, as it uses all processors
    itself.
    """
    if at_once < 1:
        raise InputError(f"{at_once} mentions at once were asked for, but at least one must be looked up")
    if jobs != 1 and options.reranking:
        raise InputError("a reranker uses all processors by itself: give one job")
    ask = partial(in_processes, index, partial(answerer, options=options), jobs=jobs)
    if not isinstance(jobs, int):
        yield from asked_once(groups, ask, Normalization.of, at_once=at_once)
        return
    # groups without a mention are answered at some time too
    for found in ask(bundled(groups, lambda group: max(len(group), 1), at_once)):
        yield from found


def answerer(
    index: Index, options: NormalizeOptions
) -> Callable[[Sequence[Sequence[Mention]]], list[list[Normalization]]]:
    """A function that answers groups of mentions and caches lookups."""
    normalizer = _Normalizer(index, options)

    def answered(groups: Sequence[Sequence[Mention]]) -> list[list[Normalization]]:
        answers = iter(normalizer.answers(list(chain.from_iterable(groups))))
        return [list(islice(answers, len(group))) for group in groups]

    return answered


_MOST_KNOWN = 5_000  # at some 22 kB for twenty hits, made or not: 110 MB
_MOST_PACKED = 100_000_000  # bytes, at some 1.1 kB for an answer of ten hits: 90,000 texts
_LEAST_IMPLIED = 0.5

_Question: TypeAlias = tuple[str, tuple[str, ...]]
"""The text of a mention, and the tags that are expected of its concept: equal ones of a passage have one answer."""


@lru_cache(maxsize=AT_ONCE)  # the mentions of several documents are looked up together before they are answered
def _defined_in(passage: str) -> Mapping[str, str]:
    return MappingProxyType(find_abbreviations(passage))


@lru_cache(maxsize=AT_ONCE)
def _words_of(passage: str) -> frozenset[str]:
    return frozenset(tokens(passage))


@dataclass(slots=True)
class _Passage:
    """A passage whose mentions are answered, empty for mentions without one.

    ``defined`` are the abbreviations that it defines, and ``words`` its words, none where they shall not count. What
    its short forms stand for (``implied``) and its ``answers`` are found out one after another.
    """

    text: str
    defined: Mapping[str, str]
    words: frozenset[str]
    implied: dict[str, str] = field(default_factory=dict)
    answers: dict[_Question, Normalization] = field(default_factory=dict)

    def expanded(self, text: str) -> str:
        """A text with the abbreviations that the passage defines written out."""
        return expand(text, self.defined) if self.defined else text


class _ExpectedTags:
    """The tags that the options expect of concepts: of all, and of those of mentions under some heading.

    Raises UnknownNameError for a tag that no terminology of the index has.
    """

    def __init__(self, index: Index, options: NormalizeOptions) -> None:
        self._index, self._always = index, options.expected
        self._below: dict[str, tuple[str, ...]] = {}
        for heading, tag in options.sections:
            folded = " ".join(heading.lower().split())
            self._below[folded] = (*self._below.get(folded, ()), tag)
        tags = dict.fromkeys((*options.expected, *(tag for _, tag in options.sections)))
        self._masks = {tag: index.mask(tags=(tag,)) for tag in tags}

    def __bool__(self) -> bool:
        return bool(self._masks)

    def of(self, mention: Mention) -> tuple[str, ...]:
        """Those that are expected of a mention's concept, by the heading above it too."""
        headings = dict.fromkeys(section(mention)) if self._below else ()
        return (*self._always, *chain.from_iterable(self._below.get(heading, ()) for heading in headings))

    def has_one(self, hit: AnyHit, tags: Sequence[str]) -> bool:
        """Whether the concept of a hit has one of the tags."""
        concept = self._index.number_in(hit.terminology, hit.id)
        return any(mask is not None and bool(mask[concept]) for mask in map(self._masks.__getitem__, tags))


class _Normalizer:
    """Answers the mentions of one passage after another; what was looked up serves the next ones.

    A mention is answered as a whole (`_answer_whole`), unless it is composite or a list ("breast and ovarian cancer",
    `_parts_of`), or has a name embedded in other words ("left-sided weakness", `_by_embedded_name`).
    """

    def __init__(self, index: Index, options: NormalizeOptions) -> None:
        self._index = index
        self._options = options
        self._threshold = options.least(index)
        self._by_default = options.threshold is None and options.precision is None
        fused = options.search.signal == "fused"  # confidences of a single signal cannot be compared or moved
        self._in_context = options.document and fused
        self._in_parts = options.composites and fused
        self._expected = _ExpectedTags(index, options)
        self._lookups = Lookups(index, options.search, options.reranking)
        self._packed: PackedValues[_Question, Normalization] = PackedValues(_MOST_PACKED)  # without a passage
        self._passage = self._opened("")

    def answers(self, mentions: Sequence[Mention]) -> list[Normalization]:
        """The answers for some mentions, looked up together."""
        self._make_room()
        self._look_up_ahead(mentions)
        return [self._answer(mention) for mention in mentions]

    def _answer(self, mention: Mention) -> Normalization:
        """The answer for a mention; the same text in the same passage is answered once."""
        check_wanted()
        self._open(mention.passage)
        question = (mention.text, self._expected.of(mention))
        known = self._passage.answers.get(question)
        if known is None:
            known = None if self._passage.text else self._packed.get(question)
            known = self._passage.answers[question] = known or self._answer_anew(mention, question[1])
        return known.of(mention)

    def _answer_anew(self, mention: Mention, expected: Sequence[str]) -> Normalization:
        """The answer: whole, or in parts if no concept is that of the whole."""
        whole = self._answer_whole(mention, expected)
        names = () if is_placeholder(mention.text) else self._parts_of(mention.text)
        if not names:
            return self._by_embedded_name(whole, expected)
        mentions = (part_of(mention, name, number) for number, name in enumerate(names, 1))
        return together(whole, tuple(self._answer_whole(one, expected) for one in mentions), self._options.search.k)

    def _by_embedded_name(self, whole: Normalization, expected: Sequence[str]) -> Normalization:
        """The answer for the name that is embedded in a mention, if that is surer than the one for the whole."""
        if not self._in_parts or not whole.candidates or is_a_name(whole.candidates):
            return whole
        first = whole.candidates[0]
        preferred = self._index.signals.preferred_words(self._index.number_in(first.terminology, first.id))
        found = WholeAnswer(frozenset(tokens(first.matched)), preferred, whole.confidence)
        name = embedded_name(self._index, whole.lookup, found)
        if name is None:
            return whole
        answer = self._answer_whole(part_of(whole.mention, name.name, 1), expected)
        part = answer.candidates
        if answer.confidence < name.least or not part:
            return whole
        if only_qualifies(self._index, self._index.number_in(part[0].terminology, part[0].id)):
            return whole
        hits = with_parts(whole.candidates, [part], EMBEDDED_PRECISION, lambda hit: hit.id, with_confidence)
        return self._normalization(whole.mention, answer.lookup, hits) if hits[0].id == part[0].id else whole

    def _parts_of(self, text: str) -> tuple[str, ...]:
        """The names that a mention stands for; empty if it is one thing, or a concept is that of the whole.

        They are the items of a list where these are sure ("fever, sore throat" is no fever of the throat), or else the
        conjuncts of a coordination ("breast and ovarian cancer").
        """
        hits = self._expanded_hits(text) if self._in_parts else ()
        if not hits or is_a_name(hits):  # the parts of a name need not be looked up
            return ()
        items, names = items_said(text), split_composite(text)
        if self._are_sure(items) and (names == items or not self._are_sure(names)):
            return () if self._is_one_item(text, hits[0], items) else items
        return names if len(names) > 1 and not self._is_one_concept(text, hits, names) else ()

    def _is_one_item(self, text: str, best: AnyHit, items: Sequence[str]) -> bool:
        """Whether the ``best`` hit for a text that could list several items is likelier right, and stands for all.

        It does if its name has the words of all items or the same negation ("migraine without aura"), or if the text is
        a denial ("cough, no fever") of which not all items are names.
        """
        matched = meaning_words(best.matched)
        has_denial = not any(map(matched.isdisjoint, (NEGATORS, meaning_words(items[-1]) - NEGATORS)))
        words = (meaning_words(self._expanded_hits(item)[0].matched) for item in items)
        has_all = has_denial or frozenset().union(*words) <= matched
        may_be_one = items == denied_apart(text) and not all(is_a_name(self._hits(item)) for item in items)
        return (has_all or may_be_one) and self._surest(text) >= LIKELIER_RIGHT

    def _are_sure(self, names: Sequence[str]) -> bool:
        """Whether each of several names is sure by itself."""
        return len(names) > 1 and all(self._surest(name) >= SURE for name in names)

    def _surest(self, name: str) -> float:
        """The final confidence in the best hit for a name by itself."""
        best = next(iter(self._lookups.settled(self._asked_expanded(name))), None)
        return best.confidence if best else 0.0

    def _is_one_concept(self, text: str, hits: Sequence[AnyHit], names: Sequence[str]) -> bool:
        """Whether a mention that can be split into names, and found these hits, has a concept of its own.

        It has one if it is itself a name, but for words such as "and"; if it has at least the confidence of some part;
        or, unless all parts are names, if its best candidate is likelier right than wrong, is not the best one of a
        part, and was not found by a name with all the words of the mention and more ("hereditary …"), or with only
        some of them.
        """
        alone, others = surest_of(hits), []
        for name in names:
            others.append(self._expanded_hits(name))
            if alone >= surest_of(others[-1]):
                return True
        asked, found = meaning_words(self._passage.expanded(text)), meaning_words(hits[0].matched)
        if asked <= found or found <= asked:
            return asked == found
        is_likely = alone >= LIKELIER_RIGHT and not all(map(is_a_name, others))
        return is_likely and not any(is_same(hits[0], some[0]) for some in others)

    def _look_up_ahead(self, mentions: Sequence[Mention]) -> None:
        """Looks the texts of mentions up together, so that they are encoded, searched and reranked in one batch.

        Then the first part of each that may be composite or a list, and the other parts where that one is surer than
        the whole.
        """
        if len(mentions) < 2:
            return
        find, hits = self._lookups.find_together, self._lookups.hits
        every: list[tuple[AskedText, list[list[AskedText]]]] = []
        for passage, text in dict.fromkeys((mention.passage, mention.text) for mention in mentions):
            self._open(passage)
            if not passage and (text, self._options.expected) in self._packed:
                continue
            ways = dict.fromkeys((items_said(text), split_composite(text)) if self._in_parts else ())
            parts = [[*map(self._asked_expanded, names)] for names in ways if len(names) > 1]
            every.append((self._asked_expanded(text), parts))
        find(whole for whole, _ in every)
        split = [
            (whole, parts) for whole, ways in every if hits(whole) and not is_a_name(hits(whole)) for parts in ways
        ]
        find(parts[0] for _, parts in split)
        surest = {one: surest_of(hits(one)) for whole, parts in split for one in (whole, parts[0])}
        find(one for whole, parts in split if surest[whole] < surest[parts[0]] for one in parts[1:])

    def _open(self, passage: str) -> None:
        """Makes a passage the one whose mentions are answered."""
        if passage != self._passage.text:
            self._passage = self._opened(passage)

    def _opened(self, passage: str) -> _Passage:
        defined = _defined_in(passage) if self._options.abbreviations else {}
        return _Passage(passage, defined, _words_of(passage) if self._in_context else frozenset())

    def _answer_whole(self, mention: Mention, expected: Sequence[str]) -> Normalization:
        """The answer for a mention as a whole, in its document."""
        text, words = self._passage.expanded(mention.text), self._passage.words
        if text == mention.text and words and self._options.abbreviations:
            text = self._implied_term(text)
        if words or expected:
            is_expected = (lambda hit: self._expected.has_one(hit, expected)) if expected else None
            moved = in_document(self._hits(text), text, words=words, expected=is_expected)
            # last, since the steps before use raw confidences
            surest = settled(self._index, moved, self._options.search)
        else:
            surest = self._lookups.settled(self._asked(text))
        return self._normalization(mention, text, surest)

    def _normalization(self, mention: Mention, text: str, found: Sequence[Hit]) -> Normalization:
        """The answer for a mention from the hits of the text that was looked up for it, with final confidences."""
        search = self._options.search
        hits = tuple(hit for hit in found[: search.k] if hit.confidence >= search.least)
        confidence = hits[0].confidence if hits else 0.0
        reached = named_confidence(hits) if self._by_default else confidence
        sure = (
            bool(hits)
            and reached >= self._threshold
            and not self._lookups.is_nil(text)
            and not is_left_empty(mention, hits)
        )
        return Normalization(mention, hits[0].id if sure else None, confidence, hits, lookup=text)

    def _implied_term(self, text: str) -> str:
        """The meaning of an undefined short form, if words of the document have a higher confidence than the short
        form.
        """
        implied = self._passage.implied
        meant = implied.get(text)
        if meant is None:
            sure = {phrase: surest_of(self._hits(phrase)) for phrase in implied_long_forms(text, self._passage.text)}
            best = max(sure, default=text, key=sure.__getitem__)
            is_surer = bool(sure) and sure[best] > max(_LEAST_IMPLIED, surest_as_written(self._hits(text)))
            meant = implied[text] = best if is_surer else text
        return meant

    def _hits(self, text: str) -> tuple[AnyHit, ...]:
        """The hits for a text by itself, as it is."""
        return self._lookups.hits(self._asked(text))

    def _expanded_hits(self, text: str) -> tuple[AnyHit, ...]:
        """The hits for a text by itself, with its abbreviations written out."""
        return self._lookups.hits(self._asked_expanded(text))

    def _asked_expanded(self, text: str) -> AskedText:
        return self._asked(self._passage.expanded(text))

    def _asked(self, text: str) -> AskedText:
        """A text to look up in this passage: with more hits than are asked for where a document may choose."""
        may_choose = bool(self._passage.words or self._expected)
        return AskedText(text, may_choose and self._options.search.k < CONSIDERED)

    def _make_room(self) -> None:
        """Forgets what was looked up where that is much; answers that no passage has a part in are kept packed."""
        answers = self._passage.answers
        if max(len(self._lookups), len(answers)) < _MOST_KNOWN:
            return
        if not self._passage.text:
            for question, answer in answers.items():
                self._packed.keep(question, answer)
        self._lookups.forget()
        answers.clear()
