"""Reviewing mappings: candidates to decide on, what reviewers decided in one file, and the rules that hold for both.

Nothing here draws: the terminal and the web page show what this room says.
"""

from ontonym.tasks.review.agreement import Agreement, Disagreement, agreements, disagreements
from ontonym.tasks.review.events import VERDICTS, Event, Verdict
from ontonym.tasks.review.exporting import mapping_rows
from ontonym.tasks.review.items import Candidate, Item, Items, read_items
from ontonym.tasks.review.journal import Bound, Journal, merge_journals, open_journal, read_journal, start_journal
from ontonym.tasks.review.queue import FILTERS, ReviewProgress
from ontonym.tasks.review.review import Review, open_review, start_review
from ontonym.tasks.review.sheet import read_sheet, write_sheet
from ontonym.tasks.review.standing import Standing, standing_of

__all__ = [
    "FILTERS",
    "VERDICTS",
    "Agreement",
    "Bound",
    "Candidate",
    "Disagreement",
    "Event",
    "Item",
    "Items",
    "Journal",
    "Review",
    "ReviewProgress",
    "Standing",
    "Verdict",
    "agreements",
    "disagreements",
    "mapping_rows",
    "merge_journals",
    "open_journal",
    "open_review",
    "read_items",
    "read_journal",
    "read_sheet",
    "standing_of",
    "start_journal",
    "start_review",
    "write_sheet",
]
