"""How a text speaks of a mention."""

CONTEXTS = ("negated", "uncertain", "historical", "family")
