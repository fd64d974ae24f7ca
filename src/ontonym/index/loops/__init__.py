"""The hot loops of search as compiled functions (`ontonym.index.compiled` imports them when they pay)."""
