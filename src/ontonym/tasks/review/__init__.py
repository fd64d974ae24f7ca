"""Reviewing mappings: the candidates to decide on, the reviewers' decisions in one file, and the rules of both.

Nothing here draws; terminal and web page show what these modules provide. Begin with ``review.py``: a ``Review`` has

- what is to be decided: the ``Item`` of each source concept, read from a file of candidates (``items.py``);
- what was done: every ``Event`` (``events.py``) is a line of the state file (``journal.py``), which only grows;
- where each item stands after all events (``standing.py``), by which lists are filtered (``filters.py``);
- the index in which targets of decisions are looked up (``targets.py``).

``sheet.py`` decides in a spreadsheet, ``exporting.py`` writes the decisions as mappings, ``merging.py`` puts the
reviews of several people together, ``agreement.py`` says how far they agree, and ``earlier.py`` takes the decisions of
one review over into another.
"""

from ontonym.tasks.review.agreement import ReviewerAgreement, agreements, disagreements
from ontonym.tasks.review.earlier import EarlierReview, earlier_review
from ontonym.tasks.review.events import VERDICTS, Event, GivenDecision
from ontonym.tasks.review.exporting import ReviewExport, export_review
from ontonym.tasks.review.filters import FILTERS, check_filter
from ontonym.tasks.review.items import Item, Items, ReviewCandidate, ids_by_code, read_items, unlisted
from ontonym.tasks.review.journal import ReviewJournal, open_journal, read_journal
from ontonym.tasks.review.merging import ReviewMerger, merge_journals, merge_reviews
from ontonym.tasks.review.review import (
    Review,
    ReviewAccess,
    ReviewProgress,
    open_review,
    start_review,
)
from ontonym.tasks.review.sheet import read_sheet, save_sheet
from ontonym.tasks.review.standing import ReviewStanding, seen_in
from ontonym.tasks.review.targets import TargetAround, around, index_slot, target_index

__all__ = [
    "FILTERS",
    "VERDICTS",
    "EarlierReview",
    "Event",
    "GivenDecision",
    "Item",
    "Items",
    "Review",
    "ReviewAccess",
    "ReviewCandidate",
    "ReviewExport",
    "ReviewJournal",
    "ReviewMerger",
    "ReviewProgress",
    "ReviewStanding",
    "ReviewerAgreement",
    "TargetAround",
    "agreements",
    "around",
    "check_filter",
    "disagreements",
    "earlier_review",
    "export_review",
    "ids_by_code",
    "index_slot",
    "merge_journals",
    "merge_reviews",
    "open_journal",
    "open_review",
    "read_items",
    "read_journal",
    "read_sheet",
    "save_sheet",
    "seen_in",
    "start_review",
    "target_index",
    "unlisted",
]
