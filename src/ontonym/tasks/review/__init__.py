"""Reviewing mappings: the candidates to decide on, the reviewers' decisions in one file, and the rules of both.

Nothing here draws; terminal and web page show what these modules provide.
"""

from ontonym.tasks.review.agreement import (
    ReviewerAgreement,
    ReviewMerger,
    agreements,
    disagreements,
    merge_reviews,
)
from ontonym.tasks.review.earlier import EarlierReview, earlier_review
from ontonym.tasks.review.events import VERDICTS, Event, GivenDecision
from ontonym.tasks.review.exporting import ReviewExport, export_review
from ontonym.tasks.review.filters import FILTERS, check_filter
from ontonym.tasks.review.items import Item, Items, ReviewCandidate, ids_by_code, read_items, unlisted
from ontonym.tasks.review.journal import (
    ReviewJournal,
    merge_journals,
    open_journal,
    read_journal,
)
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
