"""Whether words are said again as they stand: by an agent that quotes what it was given. Pure.

Only the same words with the same signs are the same: "Reverted: …" before them, one word more, or a question, says
something else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime

from memory_assets.text.lines import same_words

_BEGINNING = re.compile(r"(?:[-*] )?(?:\[\d{9}\] (?:\d{1,2} [^\W\d_]{3,9}(?: \d{4})?(?:, [^:\n]{1,40})?: )?)?")
"""How a context's line begins: its reference, then perhaps its day and whose words it has."""
_REFERENCE = re.compile(r" ?\[\d{9}\]", re.ASCII)


def bare_words(text: str) -> str:
    """A text without references, the beginning of a context's line, and the point at its end."""
    plain = same_words(text)
    begins = _BEGINNING.match(plain)
    return _REFERENCE.sub("", plain[begins.end() if begins else 0 :]).strip().removesuffix(".")


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
