"""Meeting transcripts: WebVTT, SRT and lines of "Speaker: text", with or without times."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime

import webvtt

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, normalise_newlines, one_line
from memory_assets.sources.dates import date_in_name, parse_written_date
from memory_assets.sources.encoding import HEAD_BYTES, decode_file, decode_head
from memory_assets.sources.formats.base import (
    MAX_WHOLE_FILE,
    Cleaned,
    Document,
    Format,
    Found,
    RawSource,
    number_turns,
)
from memory_assets.sources.formats.disfluencies import clean_turns

_SRT = re.compile(r"\s*\d{1,9}[ \t]*\n[ \t]*\d{1,3}:\d{2}:\d{2}[,.]\d{1,3}[ \t]*-->")
_STAMP = r"(?:[\[(]?\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?[\])]?[ \t]*[-–—]?[ \t]*)"
_SAID = re.compile(
    rf"^[ \t]*{_STAMP}?(?:\*\*)?([^\W\d_][\w .'’()&/-]{{0,58}}?)(?:\*\*)?"
    rf"[ \t]*{_STAMP}?:(?:\*\*)?[ \t]+(\S.*)$"
)
_STAMPED = re.compile(rf"^[ \t]*{_STAMP}")
# A speaker and a time on a line of their own, above what is said.
_ABOVE = re.compile(r"^[ \t]*([^\W\d_][\w .'’()&-]{0,58}?)[ \t]+[\[(]?(\d{1,3}:\d{2}(?::\d{2})?)[\])]?[ \t]*$")
_HEADER = re.compile(
    r"^[ \t#*]*(date|started|when|time|meeting|title|subject|topic|participants|attendees|location)"
    r"\**[ \t]*:\**[ \t]*(.+)$",
    re.I,
)
_VOICE = re.compile(r"<v(?:\.[^ \t>]*)?[ \t]+([^>]{1,200})>")
_CUE_TAG = re.compile(r"</?[a-zA-Z0-9.:][^<>]{0,200}>|\{\\[^{}]{0,100}\}")
_NOT_SPEAKERS = frozenset(
    "todo note notes http https ftp warning error info example tip ps fyi ask idea question answer "
    "summary action actions decision decisions agenda next done open status update from to cc re fwd".split()
)
HEADER_LINES = 15


def sniff(head: bytes, name: str) -> float:
    """A caption file's first lines, or lines of which most are said by a few speakers."""
    text = normalise_newlines(decode_head(head)).lstrip("\ufeff")
    if re.match(r"WEBVTT(?:[ \t\n]|$)", text) or _SRT.match(text):
        return 1.0
    if name.lower().endswith((".vtt", ".srt")):
        return 0.6
    if text.startswith("---\n"):  # front matter: a note
        return 0.0
    lines = text.split("\n")[: -1 if len(head) >= HEAD_BYTES else None]
    body = [line for line in lines if line.strip() and not _HEADER.match(line)][:400]
    if _above(body):
        return 0.75
    said = [match for line in body if (match := _said(line))]
    speakers = Counter(match[0] for match in said)
    if len(speakers) < 2 or len(said) < 0.5 * len(body) or len(speakers) > max(2, 0.67 * len(said)):
        return 0.0
    return 0.75 if len(said) >= 4 or any(_STAMPED.match(line) for line in body) else 0.0


def _above(lines: list[str]) -> bool:
    """Whether speakers and times stand above what is said: times that go on, somebody twice, words below each."""
    named = [(number, match) for number, line in enumerate(lines) if (match := _ABOVE.match(line[:200]))]
    speakers = {match[1].strip() for _, match in named}
    if len(named) < 3 or not 1 < len(speakers) < len(named):
        return False
    times = [[int(part) for part in match[2].split(":")] for _, match in named]
    seconds = [sum(part * 60**power for power, part in enumerate(reversed(time))) for time in times]
    silent = sum(1 for (number, _), (after, _) in zip(named, named[1:], strict=False) if after == number + 1)
    return seconds == sorted(seconds) and silent == 0


def read(document: Document) -> Iterator[Found]:
    """The whole file is one meeting. Its date stands in it or in its name, else it is unknown."""
    decoded = decode_file(document.stream.read())
    text = normalise_newlines(decoded.text).strip("\ufeff\n")
    if not clean_text(text):
        raise SourceUnreadableError("It holds no text.")
    header = _header(text)
    written = _started(header)
    stem = document.name.rsplit(".", 1)[0] if "." in document.name[1:] else document.name
    yield RawSource(
        source_type=SourceType.TRANSCRIPT,
        title=one_line(_title(header) or _title_of(stem) or "Transcript", 120),
        raw_content=text,
        started_at=written or date_in_name(document.name),
        participants=tuple(sorted({speaker for speaker, _ in _spoken(text) if speaker})),
        provenance={"encoding": decoded.encoding, "encoding_guessed": decoded.guessed},
    )


def _header(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in text.split("\n")[:HEADER_LINES]:
        match = _HEADER.match(line[:400])
        if match:
            found.setdefault(match[1].lower(), match[2].strip())
    return found


def _started(header: dict[str, str]) -> datetime | None:
    for name in ("date", "started", "when"):
        found = parse_written_date(header.get(name, ""))
        if found is not None:
            return found
    return None


def _title(header: dict[str, str]) -> str:
    return next((header[name] for name in ("title", "meeting", "subject", "topic") if header.get(name)), "")


def _title_of(stem: str) -> str:
    """A file's name as words."""
    return re.sub(r"[_\s]+", " ", one_line(stem)).strip()


def clean(raw_content: str) -> Cleaned:
    """Turns without disfluencies; consecutive cues or lines of one speaker are one turn."""
    spoken = list(_spoken(normalise_newlines(raw_content)))
    turns = list(clean_turns(_joined(clean_turns(spoken))))
    return number_turns((speaker, words, None) for speaker, words in turns or _joined(spoken))


def _spoken(text: str) -> Iterator[tuple[str | None, str]]:
    if re.match(r"WEBVTT(?:[ \t\n]|$)", text):
        return _vtt_cues(text)
    return _srt_cues(text) if _SRT.match(text) else _said_lines(text)


def _vtt_cues(text: str) -> Iterator[tuple[str | None, str]]:
    try:
        captions = list(webvtt.from_string(text))
    except Exception:  # noqa: BLE001
        captions = []
    if not captions:  # a broken caption file is still text
        yield from _said_lines(re.sub(r"(?m)^(?:WEBVTT\b.*|.*-->.*)$", "", text))
        return
    rolling = bool(re.search(r"(?m)^Kind: captions", text[:200])) or "<c>" in text
    shown = ""
    for caption in sorted(captions, key=lambda caption: caption.start_in_seconds):
        cue = str(caption.raw_text)
        if rolling:  # each cue shows the line before it once more
            lines = [line for line in cue.split("\n") if _untagged(line)]
            fresh = [line for number, line in enumerate(lines) if number or _untagged(line) != shown]
            shown = _untagged(lines[-1]) if lines else shown
            cue = "\n".join(fresh)
        yield from _voices(cue)


def _srt_cues(text: str) -> Iterator[tuple[str | None, str]]:
    """SRT is WebVTT with commas in its times and without a head."""
    stamps = re.compile(
        r"(?m)^([ \t]*\d{1,3}:\d{2}:\d{2}),(\d{1,3}[ \t]*-->[ \t]*\d{1,3}:\d{2}:\d{2}),(\d{1,3})"
    )
    yield from _vtt_cues("WEBVTT\n\n" + stamps.sub(r"\1.\2.\3", text.lstrip()))


def _voices(cue: str) -> Iterator[tuple[str | None, str]]:
    pieces = _VOICE.split(cue)
    if len(pieces) == 1:
        said = _said(" ".join(cue.split("\n")))
        yield said if said else (None, _untagged(cue))
        return
    if pieces[0].strip():
        yield None, _untagged(pieces[0])
    for speaker, words in zip(pieces[1::2], pieces[2::2], strict=True):
        yield one_line(speaker) or None, _untagged(words)


def _untagged(cue: str) -> str:
    return one_line(_CUE_TAG.sub("", cue), 100_000)


def _said(line: str) -> tuple[str, str] | None:
    match = _SAID.match(line[:20_000])
    if match is None:
        return None
    speaker = one_line(match[1]).strip("* ")
    if not speaker or len(speaker.split()) > 5 or speaker.lower() in _NOT_SPEAKERS:
        return None
    return speaker, clean_text(_CUE_TAG.sub("", match[2] + line[20_000:]))


def _said_lines(text: str) -> Iterator[tuple[str | None, str]]:
    """Lines "Speaker: text"; a line without a speaker goes on with the turn before it."""
    lines = text.split("\n")
    above = _above([line for line in lines if line.strip()])
    speakers = {said[0] for line in lines if (said := _said(line))}
    speaker: str | None = None
    for number, line in enumerate(lines):
        named = _ABOVE.match(line[:200]) if above else None
        if named:
            speaker = one_line(named[1])
            continue
        if above and line.strip() and speaker is not None:
            yield speaker, clean_text(_CUE_TAG.sub("", line))
            continue
        if not line.strip() or (speaker is None and number < HEADER_LINES and _HEADER.match(line[:400])):
            continue
        silent = one_line(line.rstrip().removesuffix(":"))
        if line.rstrip().endswith(":") and silent in speakers:  # a turn without words
            speaker = silent
            continue
        said = _said(line)
        speaker = said[0] if said else speaker
        yield said or (speaker, clean_text(_STAMPED.sub("", line)))


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
