"""Whether words are said again as they stand: by an agent that quotes what it was given. Pure.

Only the same words in the same order are the same: "Reverted: …" before them, or one word more, says something new.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime

_WORD = re.compile(r"\w+")
_REFERENCE = re.compile(r"\[\d{9}\]", re.ASCII)
_AS_GIVEN = re.compile(r"[-\s]{0,4}\[\d{9}\] (?:[^:\n]{1,60}: )?", re.ASCII)
"""How a context's line begins: its reference, then perhaps its day and whose words it has."""


def bare_words(text: str) -> str:
    """The words of a text alone: without references, punctuation, capitals and the beginning of a context's line."""
    text = unicodedata.normalize("NFKC", text)
    begins = _AS_GIVEN.match(text)
    return " ".join(_WORD.findall(_REFERENCE.sub(" ", text[begins.end() if begins else 0 :]).casefold()))


@dataclass
class Said:
    """What is said, each from an instant on."""

    _since: dict[str, datetime] = field(default_factory=dict)

    def add(self, since: datetime, *texts: str | None) -> None:
        """Take in what is said, in one wording or several."""
        for words in filter(None, (bare_words(text) for text in texts if text)):
            self._since[words] = min(since, self._since.get(words, since))

    def has(self, text: str, at: datetime) -> bool:
        """Whether a text says by then what is said already, and nothing else."""
        since = self._since.get(bare_words(text))
        return since is not None and since <= at
