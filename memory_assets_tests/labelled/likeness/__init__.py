"""Pairs of texts that say the same, and pairs that only look like it."""
