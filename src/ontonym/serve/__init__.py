"""Results for people and programs: JSON and TSV shapes, answers written to files, tables and the review on the screen.

The shapes are here, not in the command line, because a server answers with the same JSON. Their names and keys are
stable.
"""
