"""Tables of anyone's own: CSV, TSV and JSONL, by columns that are named or guessed."""
