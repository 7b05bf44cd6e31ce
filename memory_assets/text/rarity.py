"""How common a word is: wordfreq's Zipf frequency, imported at the first question, since it takes a while. Pure."""

from __future__ import annotations


def zipf_frequency(word: str, language: str) -> float:
    """From 0 (unknown) to about 8 ("the")."""
    from wordfreq import zipf_frequency as asked

    return asked(word, language)
