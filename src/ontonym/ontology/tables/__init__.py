"""Users' own tables: CSV, TSV and JSONL, with columns that are given or guessed."""
