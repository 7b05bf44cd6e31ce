"""The five kinds of sources: each module knows one, how to recognise it, read it and clean it."""

from __future__ import annotations

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.encoding import looks_binary
from memory_assets.sources.formats import conversation, email, note, slack, transcript
from memory_assets.sources.formats.base import Cleaned, Format

FORMATS: dict[SourceType, Format] = {
    module.FORMAT.kind: module.FORMAT for module in (conversation, slack, email, transcript, note)
}

# Raise it when a reader understands the same bytes differently: every file is then read again.
READER_VERSION = 1
# Raise it when cleaning gives another text for the same raw content: every source is then processed again.
CLEANING_VERSION = 1


def recognise(head: bytes, name: str) -> Format:
    """The kind of a file by its first bytes, its name only helping; raises when it is none."""
    if looks_binary(head):
        raise SourceUnreadableError("It is not text (a binary file); convert it to text first.")
    scores = [(format_.sniff(head, name), format_) for format_ in FORMATS.values()]
    score, best = max(scores, key=lambda pair: pair[0])
    if score <= 0:
        raise SourceUnreadableError(
            "Its kind was not recognised; give it with --kind conversation, email, slack, transcript or note."
        )
    return best


def clean(source_type: str, raw_content: str) -> Cleaned:
    """The clean turns of a stored source, from its raw content alone."""
    return FORMATS[SourceType(source_type)].clean(raw_content)
