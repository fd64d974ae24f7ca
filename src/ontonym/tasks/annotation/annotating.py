"""Annotation: finds the mentions in running text, each with its concept or NIL and its context, such as negation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.index.everyday import SOURCE as EVERYDAY_NAME
from ontonym.memo import Memo
from ontonym.store import Terminology
from ontonym.tasks.annotation.acceptance import Acceptance, default_acceptance
from ontonym.tasks.annotation.overlaps import LEAST_LIKELY, Span
from ontonym.tasks.annotation.spans import Finder, Sought, SpanOptions
from ontonym.tasks.answer import AnsweredMention, Normalization, NormalizeOptions
from ontonym.tasks.confidences import SURE
from ontonym.tasks.hits import read_hit
from ontonym.tasks.jobs import Jobs, bundled, in_processes
from ontonym.tasks.normalize import answerer
from ontonym.tasks.search import SearchOptions
from ontonym.text.foreign.cues import denials
from ontonym.text.languages import language_of_document
from ontonym.text.linebreaks import Unbroken, unbroken
from ontonym.text.normalization import tokens
from ontonym.text.notes.context import CONTEXTS, contexts, is_history_heading
from ontonym.text.notes.sections import Section, is_heading, section_at, sections
from ontonym.types import Correction, Hit, Mention

_NEARLY_ALL = 0.9
_CHAPTER, _BLOCK = "chapter", "block"
"""Tags of classifications, whose tags are the levels of their concepts."""
_READ_AHEAD = 100_000  # characters
_MOST_KNOWN = 50_000

_AGAIN = frozenset("episodic frequent recurrent relapsing repeated".split())

AT_ONCE = 32
"""How many texts are annotated together."""


@dataclass(frozen=True, slots=True)
class AnnotateOptions:
    """How to annotate.

    ``normalize`` says how mentions get their concepts: its threshold (without one, 0), its search with the filters, and
    whether the abbreviations that a text defines are found. ``context`` also gives each mention its context and its
    section. A name of fewer characters than ``shortest``, at least 2, is found only if the text defines it as an
    abbreviation. ``type`` is given to all mentions. If it is empty, a mention gets the first tag of its concept if its
    terminology tags nearly all concepts with types, as SNOMED CT does, else the name of its terminology; the tags of
    classifications such as ICD are levels, no types. ``nested`` also gives the mentions that lie in a longer one or
    overlap it.

    At most one of the next three says how sure likely mentions must be. ``accept`` is the probability, in [0, 1], from
    which on one counts: a lower one finds more, with more that is none. ``precision`` is the share of them that shall
    be right, ``recall`` the share that shall be found of the mentions that no name spells, both in (0, 1] and by
    `Acceptance.measured`. Without any it is the probability of ``acceptance``, the models that decide (None: those of
    the package, and what then has a confidence below 0.3 is left out, unless the text has its concept elsewhere).
    """

    normalize: NormalizeOptions = field(
        default_factory=lambda: NormalizeOptions(threshold=0.0, composites=False, search=SearchOptions(k=3))
    )
    context: bool = True
    shortest: int = 3
    type: str = ""
    find: Sought = "likely"
    nested: bool = False
    accept: float | None = None
    precision: float | None = None
    recall: float | None = None
    acceptance: Acceptance | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        given = [name for name in ("accept", "precision", "recall") if getattr(self, name) is not None]
        if len(given) > 1:
            raise InputError(f"{' and '.join(f'`{name}=`' for name in given)} say the same: give one of them")
        for name in given:
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"`{name}=` is a number between 0 and 1, not {getattr(self, name):g}")
        if not self.spans.finds_likely and given:  # it also refuses what no text can be read with, before any is
            raise InputError(f"`{given[0]}=` says how sure likely mentions must be, and `find={self.find}` finds none")

    @property
    def spans(self) -> SpanOptions:
        """What counts as a mention."""
        return SpanOptions(self.normalize.abbreviations, self.shortest, self.find, self.nested)

    @property
    def deciding(self) -> Acceptance | None:
        """The acceptance with the threshold that is asked for; None for that of the package.

        Raises InputError for a precision or recall that was not reached where it was measured.
        """
        if self.accept is None and self.precision is None and self.recall is None:
            return self.acceptance
        models = self.acceptance or default_acceptance()
        if self.precision is not None:
            return models.with_precision(self.precision)
        return models.with_recall(self.recall) if self.recall is not None else models.accepting(self.accept or 0.0)


@dataclass(frozen=True, slots=True)
class Annotation(AnsweredMention):
    """A mention found in a text, with its position; ``id`` is None for NIL.

    ``confidence`` is the best candidate's, in [0, 1]: the probability that the text means this concept here, which is
    lower where it says it in other words than a name. ``context`` has any of `ontonym.text.notes.context.CONTEXTS`,
    from the words around it or from its ``section``: a name of `ontonym.text.notes.headings.HEADINGS`, or another
    heading in small letters; it is empty above the first. ``nested``: it lies in a longer mention, or overlaps
    it.
    """

    context: tuple[str, ...] = ()
    section: str = ""
    nested: bool = False

    @property
    def start(self) -> int:
        """Where it begins in the text, in characters."""
        return self.mention.start or 0

    @property
    def end(self) -> int:
        """Where it ends in the text, in characters, exclusive."""
        return self.mention.end or 0

    @property
    def span(self) -> tuple[int, int]:
        """Its start and end."""
        return self.start, self.end

    @property
    def negated(self) -> bool:
        """Whether the text negates it."""
        return "negated" in self.context

    @property
    def uncertain(self) -> bool:
        """Whether the text marks it as uncertain."""
        return "uncertain" in self.context

    @property
    def runner_up(self) -> Hit | None:
        """The best candidate after the concept given; None for NIL and where there is no other."""
        return next((hit for hit in self.candidates if self.id is not None and hit.id != self.id), None)


def annotate(index: Index, text: str, options: AnnotateOptions = AnnotateOptions()) -> list[Annotation]:
    """The mentions in a text, in order, without overlaps unless nested ones are asked for.

    Members of an enumeration that share words have one place, one mention for each: "breast and ovarian cancer" is both
    *breast cancer* and *ovarian cancer*. For many texts use `annotate_texts`.
    """
    return next(annotate_texts(index, [text], options))


def annotate_texts(
    index: Index,
    texts: Iterable[str],
    options: AnnotateOptions = AnnotateOptions(),
    *,
    jobs: Jobs = 1,
    at_once: int = AT_ONCE,
) -> Iterator[list[Annotation]]:
    """The mentions of each text, as a stream; equal mentions are looked up once. ``jobs`` processes share the texts.

    Texts are read ahead until there are ``at_once``, or many characters: what has to be searched for in them is
    searched for together. 1 answers each text at once.
    """
    together = bundled(texts, lambda text: max(len(text) * at_once / _READ_AHEAD, 1), at_once)
    for found in in_processes(index, partial(_Annotator, options=options), together, jobs):
        yield from found


def contexts_and_sections(
    text: str, spans: Sequence[tuple[int, int]], known: Sequence[Section] | None = None
) -> list[tuple[tuple[str, ...], str]]:
    """For each span, in order, its context, of `ontonym.text.notes.context.CONTEXTS`, and the name of its section.

    A span that overlaps one before it has the context of that one. ``known`` are the sections, if they were found.
    """
    owners = list(_first_overlapped(spans))
    apart = [spans[number] for number in dict.fromkeys(owners)]
    context_of = dict(zip(apart, contexts(text, apart), strict=True))
    known = sections(text) if known is None else known
    found = []
    for owner, (start, _) in zip(owners, spans, strict=True):
        context, section = context_of[spans[owner]], section_at(known, start)
        if section is not None and section.says:
            context = tuple(name for name in CONTEXTS if name in context or name == section.says)
        found.append((context, section.name if section else ""))
    return found


def _first_overlapped(spans: Sequence[tuple[int, int]]) -> Iterator[int]:
    """For each span the number of the first one that it overlaps, which may be itself."""
    last = -1
    for number, (start, _) in enumerate(spans):
        if last < 0 or start >= spans[last][1]:
            last = number
        yield last


class _Annotator:
    """Annotates texts, some together; what it finds out about words and concepts serves the next ones."""

    def __init__(self, index: Index, options: AnnotateOptions) -> None:
        normalizing = replace(options.normalize.answering_all(), abbreviations=False)  # the finder has expanded them
        self._options = options
        self._finder = Finder(index, options.normalize.search, options.spans, options.deciding)
        self._answered = answerer(index, normalizing)
        self._least = normalizing.least(index)
        self._types, self._codes = _Types(index, options.type), _Codes(index)

    def __call__(self, texts: Sequence[str]) -> list[list[Annotation]]:
        """The mentions of each text."""
        has_context, finder = self._options.context, self._finder
        whole = [unbroken(text, finder.is_word) for text in texts]
        sections_of = [sections(one.text) if has_context else [] for one in whole]
        found = [
            [span for span in spans if not has_context or not _is_no_mention(one.text, some, span)]
            for one, some, spans in zip(whole, sections_of, finder.find_each([one.text for one in whole]), strict=True)
        ]
        answers = self._answered([[Mention(_single_spaced(span.lookup)) for span in spans] for spans in found])
        return [self._annotations(*some) for some in zip(texts, whole, sections_of, found, answers, strict=True)]

    def _annotations(
        self,
        text: str,
        whole: Unbroken,
        sections_of: Sequence[Section],
        spans: Sequence[Span],
        answers: Sequence[Normalization],
    ) -> list[Annotation]:
        """The mentions of a text; ``spans`` are places in its text without broken lines (``whole``)."""
        answered = [
            (
                span,
                _answer_for_span(_once(self._codes.before_blocks(answer), span.lookup), span, whole.text, self._least),
            )
            for span, answer in zip(spans, answers, strict=True)
        ]
        if self._options.deciding is None:
            answered = _without_unlikely(answered)
        places = [(span.start, span.end) for span, _ in answered]
        around: Sequence[tuple[tuple[str, ...], str]] = [((), "")] * len(places)
        if self._options.context:
            around = contexts_and_sections(whole.text, places, sections_of)
        before: Counter[tuple[int, int]] = Counter()
        annotations: list[Annotation] = []
        for place, (span, answer), (context, section) in zip(places, answered, around, strict=True):
            mention = _mention(text, whole.place(*place), self._types.of(answer), before[place])
            before[place] += 1
            annotations.append(
                Annotation(mention, answer.id, answer.confidence, answer.candidates, context, section, span.nested)
            )
        return annotations


def _is_no_mention(text: str, found: Sequence[Section], span: Span) -> bool:
    """Whether a span is no mention: it is a heading, the heading of a history in running text ("PMH significant for
    gout"), or a negation in the language of the text ("absence de toux").

    An abbreviation that the text defines is a mention: "familial hypercholesterolemia (FH)".
    """
    written = span.written(text)
    if is_heading(found, span.start, span.end):
        return True
    if written.lower() in denials(language_of_document(text)):
        return True
    return is_history_heading(written) and (" " in written or written.lower() == span.lookup.lower())


def _without_unlikely(answered: Sequence[tuple[Span, Normalization]]) -> list[tuple[Span, Normalization]]:
    """The spans of a text with their answers, without those that are wrong more often than right: they only resemble a
    name, are hardly likely to mean a concept, have no name in them, and the text has their concept nowhere else.

    Everyday names say other things in other forms: what only resembles one has to be likelier right than wrong.
    """

    def is_likely(span: Span, answer: Normalization) -> bool:
        is_everyday = bool(answer.candidates) and answer.candidates[0].source == EVERYDAY_NAME
        least = LIKELIER_RIGHT if is_everyday else LEAST_LIKELY
        return span.closeness == 1 or answer.confidence >= least or span.around

    likely = {answer.id for span, answer in answered if is_likely(span, answer)}
    return [(span, answer) for span, answer in answered if is_likely(span, answer) or answer.id in likely]


def _once(answer: Normalization, words: str) -> Normalization:
    """The answer with a sure concept of another terminology first, where only the preferred term of the first says that
    something happens again: "UTI" is one infection, though HPO has *Recurrent urinary tract infections* alone, and
    calls these urinary tract infections too."""
    if answer.id is None or not (again := _says_again(answer.candidates[0].preferred) - _says_again(words)):
        return answer
    first, *others = answer.candidates
    for hit in others:
        is_once = hit.terminology != first.terminology and not again & _says_again(hit.preferred)
        if is_once and hit.confidence >= SURE and not _says_again(first.matched):
            candidates = (hit, *(one for one in answer.candidates if one is not hit))
            return replace(answer, id=hit.id, confidence=hit.confidence, candidates=candidates)
    return answer


def _says_again(words: str) -> frozenset[str]:
    """The words by which a name says that something happens again and again."""
    return _AGAIN.intersection(tokens(words))


def _answer_for_span(answer: Normalization, span: Span, text: str, least: float) -> Normalization:
    """The answer for the words of a span, from that for the words that it was looked up by: its confidence is lower
    where these are others, and NIL below ``least``."""
    written, lookup = _single_spaced(span.written(text)), _single_spaced(span.lookup)
    is_same = written.lower() == lookup.lower()
    if is_same and span.sure == 1:
        return answer
    correction = Correction.NONE if is_same else Correction.REWORDED
    if span.sure == 1 and len(lookup) > len(written):
        correction = Correction.EXPANDED
    hits = tuple(read_hit(hit, lookup, correction, span.sure) for hit in answer.candidates)
    confidence = round(answer.confidence * span.sure, 6)
    return replace(answer, id=answer.id if confidence >= least else None, confidence=confidence, candidates=hits)


def _single_spaced(words: str) -> str:
    """Words with one space between two, where a text has line breaks or several."""
    return " ".join(words.split())


def _mention(text: str, place: tuple[int, int], kind: str, number: int) -> Mention:
    """The mention, with its place as its id; ``number`` counts those before it in this place."""
    start, end = place
    id_ = f"{start}-{end}" + (f"#{number + 1}" if number else "")
    return Mention(text[start:end], id_, "", start, end, kind)


class _Codes:
    """Tells the codes of classifications from the blocks and chapters above them, which are none."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._is_block = Memo(self._judge, _MOST_KNOWN)

    def before_blocks(self, answer: Normalization) -> Normalization:
        """The answer with a code before a block that is as likely and has the name too: "viral hepatitis" is the block
        B15-B19, and by another name B19.9. A code with the preferred term of the block comes first in every search
        (`ontonym.tasks.codeheadings`); a text records what was found, and a block cannot be recorded.
        """
        if answer.id is None or not answer.candidates or not self._is_block[answer.id]:
            return answer
        first, *others = answer.candidates
        for hit in others:
            if hit.confidence < first.confidence:
                break
            if hit.terminology == first.terminology and not self._is_block[hit.id]:
                return replace(
                    answer, id=hit.id, candidates=(hit, *(one for one in answer.candidates if one is not hit))
                )
        return answer

    def _judge(self, id_: str) -> bool:
        terminology, row = self._index.locate(self._index.number(id_))
        return not {_CHAPTER, _BLOCK}.isdisjoint(terminology.concept(row).tags)


class _Types:
    """Gives mentions their type, by concept."""

    def __init__(self, index: Index, given: str) -> None:
        self._index = index
        self._given = given
        self._known = Memo(self._type_of, _MOST_KNOWN)
        self._is_typed = Memo(_is_typed, _MOST_KNOWN)

    def of(self, answer: Normalization) -> str:
        return self._given if self._given or not answer.candidates else self._known[answer.candidates[0].id]

    def _type_of(self, id_: str) -> str:
        terminology, row = self._index.locate(self._index.number(id_))
        tags = terminology.concept(row).tags if self._is_typed[terminology] else ()
        return next(iter(tags), terminology.name)


def _is_typed(terminology: Terminology) -> bool:
    """Whether nearly all concepts have a tag, so that tags are types, neither marks of a few nor levels."""
    counts = terminology.part("tags").counts[terminology.active]
    is_tagged = bool(len(counts)) and float((counts > 0).mean()) >= _NEARLY_ALL
    return is_tagged and _CHAPTER not in terminology.tags
