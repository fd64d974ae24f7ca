"""Pure text: normalization with reasons, words, columns of strings, abbreviations, negation cues."""
