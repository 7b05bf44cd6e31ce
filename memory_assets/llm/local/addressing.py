"""Whom a sentence in English concerns: its speaker alone, those who hear it, or whom it calls by name. Pure."""

from __future__ import annotations

import re

from memory_assets.llm.local.language import ENGLISH, language_of
from memory_assets.text.words import SENTENCE_END

# Neither "I/O" and "i.e." nor "my.cnf".
_OF_SELF = re.compile(r"(?<![\w./@-])(?:i(?![./]\w)|me(?![@.]\w)|my(?!\.\w)|mine|myself)\b", re.I)
_TO_HEARERS = re.compile(r"@(?:channel|here)\b|\b(?:you|your|yours|we|us|our|ours|everybody|everyone|please)\b", re.I)
_HEARER = re.compile(r"\b(?:you|yours?|yourself)\b", re.I)
_WE = re.compile(r"\b(?:we|us|our|ours|ourselves)\b", re.I)
_SPEAKER = re.compile(r"\b(?:I|[Mm](?:e|y|ine|yself)|[Ww]e|us|[Oo]ur(?:s|selves)?)\b")
_QUOTED = re.compile(r"“[^“”]{0,400}”")
_CALLED = re.compile(r"\s*(?:(?i:hi|hey|hello|dear)\s+)?(?:@([\w'’-]+)|([A-Z][\w'’-]*)(?:\s[A-Z][\w'’-]*)?\s*[,:])")


def is_of_self(text: str) -> bool:
    """Whether a speaker speaks of themselves and to nobody: "I will paint my boat"."""
    is_self = _OF_SELF.search(text) is not None and _TO_HEARERS.search(text) is None
    return is_self and language_of(text) == ENGLISH  # "i" is a small word of many languages


def means_speaker(text: str) -> bool:
    """Whether it means its speaker, alone or with others, but for what it quotes: "our boat"."""
    return _SPEAKER.search(_QUOTED.sub(" ", text)) is not None


def means_hearer_as_we(text: str) -> bool:
    """Whether it means its hearer by "we", if at all: "since our last chat"."""
    return _WE.search(text) is not None and _HEARER.search(text) is None


def called(text: str) -> str | None:
    """Whom a sentence calls by the name that opens it, folded: "Ana, the key, please", "@Ana can you"."""
    match = _CALLED.match(text)
    return (match[1] or match[2]).casefold() if match else None


_OPENING = re.compile(
    r"[^.!?:]{1,300} (?:wrote|talked|talked with an assistant) about "
    r"(?:“.{1,300}”|[^\s“,\d]{1,30}(?: [^\s“,\d]{1,30}){0,6})\."
)


def is_opening(summary: str) -> bool:
    """Whether a summary is an opening and nothing more."""
    return _OPENING.fullmatch(summary) is not None and len(SENTENCE_END.split(summary)) == 1
