"""Meeting transcripts: WebVTT, SRT and lines of "Speaker: text", with or without times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, normalise_newlines, one_line
from memory_assets.sources.dates import date_in_name
from memory_assets.sources.encoding import HEAD_BYTES, decode_file, decode_head
from memory_assets.sources.formats.base import MAX_WHOLE_FILE, Cleaned, Document, Format, Found, RawSource, number_turns
from memory_assets.sources.formats.captions import cues_in, is_captions
from memory_assets.sources.formats.disfluencies import clean_turns
from memory_assets.sources.formats.transcript_head import (
    day_above,
    day_in_header,
    first_day,
    header_of,
    title_in,
    words_of,
)
from memory_assets.sources.formats.transcript_layouts import is_timed, relaid
from memory_assets.sources.formats.transcript_lines import (
    DATED,
    STAMPED,
    has_programs_head,
    is_body,
    is_dated,
    layout_of_body,
    paired,
    said_in,
)
from memory_assets.sources.formats.transcript_words import said_lines


def sniff(head: bytes, name: str) -> float:
    """A caption file's first lines, or lines of which most are said by a few speakers."""
    text = paired(relaid(normalise_newlines(decode_head(head)).lstrip("\ufeff")))
    if is_captions(text):
        return 1.0
    if name.lower().endswith((".vtt", ".srt")):
        return 0.6
    if text.startswith("---\n"):  # front matter: a note
        return 0.0
    lines = text.split("\n")[: -1 if len(head) >= HEAD_BYTES else None]
    if is_timed(lines[:400]):
        return 0.75
    body = [line for line in lines if is_body(line)][:400]
    if layout_of_body(body) is not None:
        return 0.75
    said = [match for line in body if (match := said_in(line))]
    speakers = Counter(match[0] for match in said)
    if len(speakers) >= 2 and is_dated(body) and DATED.match(body[0]):
        return 0.75
    if said and has_programs_head(body):
        return 0.75
    if len(speakers) < 2 or len(said) < 0.5 * len(body) or len(speakers) > max(2, 0.67 * len(said)):
        return 0.0
    return 0.75 if len(said) >= 4 or any(STAMPED.match(line) for line in body) else 0.0


def read(document: Document) -> Iterator[Found]:
    """The whole file is one meeting. Its date stands in it or in its name, else it is unknown."""
    decoded = decode_file(document.stream.read())
    text = normalise_newlines(decoded.text).strip("\ufeff\n")
    if not clean_text(text):
        raise SourceUnreadableError("It holds no text.")
    laid = relaid(text)
    header = header_of(laid)
    written = day_in_header(header) or day_above(laid) or first_day(laid)
    stem = document.name.rsplit(".", 1)[0] if "." in document.name[1:] else document.name
    yield RawSource(
        source_type=SourceType.TRANSCRIPT,
        title=one_line(title_in(header) or words_of(stem) or "Transcript", 120),
        raw_content=text,
        started_at=written or date_in_name(document.name),
        participants=tuple(sorted({speaker for speaker, _ in _spoken(text) if speaker})),
        provenance={"encoding": decoded.encoding, "encoding_guessed": decoded.guessed},
    )


def clean(raw_content: str) -> Cleaned:
    """Turns without disfluencies; consecutive cues or lines of one speaker are one turn."""
    spoken = list(_spoken(normalise_newlines(raw_content)))
    turns = list(clean_turns(_joined(clean_turns(spoken))))
    return number_turns((speaker, words, None) for speaker, words in turns or _joined(spoken))


def _spoken(text: str) -> Iterator[tuple[str | None, str]]:
    laid = relaid(text)
    return cues_in(laid) if is_captions(laid) else said_lines(paired(laid))


def _joined(spoken: Iterable[tuple[str | None, str]]) -> Iterator[tuple[str | None, str]]:
    current: str | None = None
    words: list[str] = []
    for speaker, text in spoken:
        if not text:
            continue
        if words and (speaker != current or speaker is None):
            yield current, " ".join(words)
            words = []
        current = speaker
        words.append(text)
    if words:
        yield current, " ".join(words)


FORMAT = Format(SourceType.TRANSCRIPT, MAX_WHOLE_FILE, sniff, read, clean)
