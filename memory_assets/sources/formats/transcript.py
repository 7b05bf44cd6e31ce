"""Meeting transcripts: WebVTT, SRT, SBV and lines of "Speaker: text", with or without times."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

import webvtt

from memory_assets.clock import to_iso
from memory_assets.llm.local.gazetteer import is_given_name
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, normalise_newlines, one_line
from memory_assets.sources.dates import chat_days, date_in_name, parse_written_date
from memory_assets.sources.encoding import HEAD_BYTES, decode_head
from memory_assets.sources.formats.base import (
    MAX_WHOLE_FILE,
    Cleaned,
    Document,
    Format,
    Found,
    RawSource,
    number_turns,
    whole_text,
)
from memory_assets.sources.formats.disfluencies import clean_turns
from memory_assets.sources.formats.transcript_lines import (
    ABOVE_DATED,
    CUE_TAG,
    DATED,
    HEADER,
    HEADER_LINES,
    ISO_DATED,
    STAMPED,
    first_speaker,
    has_programs_head,
    is_body,
    is_dated,
    is_timed,
    layout_of,
    layout_of_body,
    paired,
    relaid,
    said_in,
    said_lines,
)

# The day of a messenger's stamp, before the name or behind it, and its time.
_STAMP = re.compile(
    r"(?:^[ \t\u200e\[]*|\()(\d{4}|\d{1,2})([./-])(\d{1,2})[./-](\d{4}|\d{2})\b"
    r"(?:,?[ \t\u202f]++(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?:[ \t\xa0\u202f]?([AaPp])\.?[ \xa0]?[Mm]\b)?)?"
)
SOON = timedelta(minutes=5)
"""Messages that one person sends within this time on one day, one after the other, are one turn."""

# A line that is a day, with or without a weekday and a time; or a meeting's title with its day in brackets.
_DAY = (
    r"[A-Za-z]{3,9} \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{1,2}(?:st|nd|rd|th)? [A-Za-z]{3,9} \d{4}"
    r"|\d{4}[-/]\d{2}[-/]\d{2}|\d{1,2}\.\d{1,2}\.\d{4}"
)
_DAY_LINE = re.compile(
    rf"[ \t]*(?:[^\W\d_]{{2,10}}\.?,?[ \t]+)?({_DAY})"
    r"(?:[ \t,T]*(?:at[ \t]+)?\d{1,2}[:.]\d{2}.{0,60}|[ \t]*[•·|].{0,60})?[ \t]*"
)
_DAY_IN_TITLE = re.compile(r".{1,150}\((\d{4}[-/]\d{2}[-/]\d{2})[ \t]+(?:at[ \t]+)?\d{1,2}:\d{2}[^()]{0,40}\).{0,40}")


def header_of(text: str) -> dict[str, str]:
    """What the first lines of a text say under names such as "Date:", by the name in small letters."""
    found: dict[str, str] = {}
    for line in text.split("\n")[:HEADER_LINES]:
        match = HEADER.match(line[:400])
        if match:
            found.setdefault(match[1].lower(), match[2].strip())
    return found


def day_in_header(header: dict[str, str]) -> datetime | None:
    """The day in a header, if it has one."""
    days = (parse_written_date(header.get(name, "")) for name in ("date", "started", "when"))
    return next(filter(None, days), None)


def day_above(text: str) -> datetime | None:
    """The day that a program has written into a transcript's head, on a line of its own."""
    if is_captions(text):
        return None
    lines = text.split("\n")
    head = lines[: min(first_speaker(lines, layout_of(lines)), HEADER_LINES)]
    found = (_DAY_LINE.fullmatch(line[:200]) or _DAY_IN_TITLE.fullmatch(line[:300]) for line in head)
    return next(filter(None, (parse_written_date(match[1]) for match in found if match)), None)


def first_day(text: str) -> datetime | None:
    """The day of a messenger's first message; a two-digit year is this century's."""
    lines = [line[:200] for line in text.split("\n")]
    dated = ABOVE_DATED if layout_of(lines) is ABOVE_DATED else DATED if is_dated(lines) else None
    if dated is None or is_captions(text):
        return None
    found = [match for line in lines if dated.match(line) and (match := _STAMP.search(line))]
    return next(iter(_days_of(found)), None)


def _days_of(found: Sequence[re.Match[str]]) -> list[datetime]:
    return chat_days([(m[1], m[2], m[3], m[4]) for m in found], has_am_pm=any(m[8] for m in found))


def times_of(stamps: Iterable[str]) -> dict[str, datetime]:
    """The times of a messenger's stamps, in their order; none where nothing sets day and month apart. They are UTC."""
    found = {stamp: match for stamp in stamps if (match := _STAMP.search(stamp)) and match[5]}
    days = _days_of(list(found.values()))
    if len(days) < len(found):
        return {}
    times = {}
    for (stamp, match), day in zip(found.items(), days, strict=True):
        hour = int(match[5]) % 12 + 12 * (match[8] in "Pp") if match[8] else int(match[5])
        with suppress(ValueError):
            times[stamp] = day.replace(hour=hour, minute=int(match[6]), second=int(match[7] or 0))
    return times


def title_in(header: dict[str, str]) -> str:
    """The title in a header; empty when it has none."""
    return next((header[name] for name in ("title", "meeting", "subject", "topic") if header.get(name)), "")


def words_of(stem: str) -> str:
    """A file's name as words."""
    return re.sub(r"[_\s]+", " ", one_line(stem)).strip()


# Cues without the head of a caption file, as some programs write them into a text.
_BARE = re.compile(
    r"(?<!\s)\s*+\d{1,2}:\d{1,2}:\d{1,2}\.\d{1,3}[ \t]*-->[ \t]*\d{1,2}:\d{1,2}:\d{1,2}\.\d{1,3}[ \t]*\n"
)
_SBV = re.compile(r"(?m)^[ \t]*(\d{1,2}:\d\d:\d\d\.\d{3}),(\d{1,2}:\d\d:\d\d\.\d{3})[ \t]*$")  # YouTube's own
_NAMED_CUE = re.compile(
    r"(?m)^(\d{1,2}:\d{1,2}:\d{1,2}\.\d{1,3}[ \t]*-->[^\n]*)\n([^\W\d_][^\n<>:]{0,58})\n(?=[^\n\d][^\n]*\S)"
)
_SRT = re.compile(r"(?<!\s)\s*+\d{1,9}[ \t]*+\n[ \t]*\d{1,3}:\d{2}:\d{2}[,.]\d{1,3}[ \t]*-->")
# SRT is WebVTT with commas in its times and without a head.
_SRT_TIMES = re.compile(r"(?m)^([ \t]*\d{1,3}:\d{2}:\d{2}),(\d{1,3}[ \t]*-->[ \t]*\d{1,3}:\d{2}:\d{2}),(\d{1,3})")
_VOICE = re.compile(r"<v(?:\.[^ \t<>]*+)?[ \t]+([^>]{1,200})>")

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")


def is_captions(text: str) -> bool:
    """Whether a text begins as WebVTT, SRT or SBV, or with a cue of theirs."""
    return re.match(r"WEBVTT(?:[ \t\n]|$)", text) is not None or any(
        form.match(text.lstrip()) is not None for form in (_SRT, _BARE, _SBV)
    )


def _with_voices(text: str) -> str:
    """Cues without a head as a caption file; a name above what is said, in most of them, as its voice."""
    named = _NAMED_CUE.findall(text)
    if 2 * len(named) > text.count("-->"):
        text = _NAMED_CUE.sub(lambda match: f"{match[1]}\n<v {match[2].strip()}>", text)
    return "WEBVTT\n\n" + text.lstrip()


def cues_in(text: str) -> Iterator[tuple[str | None, str]]:
    """Who says what in captions, cue by cue; None where no voice is named."""
    if _SBV.match(text.lstrip()):
        text = _SBV.sub(r"\1 --> \2", text)
    if _BARE.match(text):
        text = _with_voices(text)
    elif _SRT.match(text):
        text = "WEBVTT\n\n" + _SRT_TIMES.sub(r"\1.\2.\3", text.lstrip())
    try:
        captions = webvtt.from_string(text).captions
    except Exception:  # noqa: BLE001
        captions = []
    if not captions:  # a broken caption file is still text
        plain = said_lines(re.sub(r"(?m)^(?:WEBVTT\b.*|.*-->.*)$", "", text))
        yield from ((speaker, words) for speaker, words, _ in plain)
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


def _voices(cue: str) -> Iterator[tuple[str | None, str]]:
    pieces = _VOICE.split(cue)
    if len(pieces) == 1:
        line = " ".join(cue.split("\n"))
        said = said_in(line) or said_in(CUE_TAG.sub("", line))
        yield (one_line(_decoded(said[0])), clean_text(_decoded(said[1]))) if said else (None, _untagged(cue))
        return
    if pieces[0].strip():
        yield None, _untagged(pieces[0])
    for speaker, words in zip(pieces[1::2], pieces[2::2], strict=True):
        yield one_line(_decoded(speaker)) or None, _untagged(words)


def _untagged(cue: str) -> str:
    return one_line(_decoded(CUE_TAG.sub("", cue)), 100_000)


def _decoded(cue: str) -> str:
    """Character references as their characters; only whole ones, so that an address's "&section=" stays."""
    return _ENTITY.sub(lambda match: html.unescape(match[0]), cue)


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
    # Diaries and work logs are written so, too, with matters in the place of names.
    iso = sum(1 for line in body if ISO_DATED.match(line[:200]) and said_in(line))
    if 2 * iso > len(said) and not any(name[0] == "+" or is_given_name(name.split()[0]) for name in speakers):
        return 0.0
    # A messenger's. Where one alone writes, a person does: a diary has a matter in that place.
    if is_dated(body) and DATED.match(body[0]) and (len(speakers) >= 2 or is_given_name(said[0][0].split()[0])):
        return 0.75
    if said and has_programs_head(body):
        return 0.75
    if len(speakers) < 2 or len(said) < 0.5 * len(body) or len(speakers) > max(2, 0.67 * len(said)):
        return 0.0
    return 0.75 if len(said) >= 4 or any(STAMPED.match(line) for line in body) else 0.0


def read(document: Document) -> Iterator[Found]:
    """The whole file is one meeting. Its date is in it or in its name, else it is unknown."""
    text, provenance = whole_text(document)
    laid = relaid(text)
    header = header_of(laid)
    written = day_in_header(header) or day_above(laid) or first_day(laid)
    stem = document.name.rsplit(".", 1)[0] if "." in document.name[1:] else document.name
    yield RawSource(
        source_type=SourceType.TRANSCRIPT,
        title=one_line(title_in(header) or words_of(stem) or "Transcript", 120),
        raw_content=text,
        started_at=written or date_in_name(document.name),
        participants=tuple(sorted({voice.speaker for voice, _ in _spoken(text) if voice.speaker})),
        provenance=provenance,
    )


def clean(raw_content: str) -> Cleaned:
    """Turns without disfluencies; consecutive cues or lines of one speaker are one turn. A messenger's message is one
    with what the same person has sent within :data:`SOON`, each line a paragraph: it ends there, whatever its mark.
    """
    spoken = _spoken(normalise_newlines(raw_content))
    turns = list(clean_turns(_joined(clean_turns(spoken))))
    return number_turns((voice.speaker, words, to_iso(voice.at)) for voice, words in turns or _joined(spoken))


class _Voice(NamedTuple):
    """Who speaks, and of a messenger's message its stamp and its time."""

    speaker: str | None
    stamp: str | None = None
    at: datetime | None = None

    @property
    def between(self) -> str:
        return "\n\n" if self.stamp else " "

    def goes_on(self, first: _Voice, last: _Voice) -> bool:
        """Whether it is one turn with what was said before it, from the first of it to the last."""
        if self.speaker is None or self.speaker != last.speaker:
            return False
        if self.stamp == last.stamp:
            return True
        if self.at is None or first.at is None or self.at.date() != first.at.date():  # a turn has one day
            return False
        return timedelta(0) <= self.at - first.at <= SOON


def _spoken(text: str) -> list[tuple[_Voice, str]]:
    laid = relaid(text)
    if is_captions(laid):
        return [(_Voice(speaker), words) for speaker, words in cues_in(laid)]
    lines = list(said_lines(paired(laid)))
    times = times_of(dict.fromkeys(stamp for *_, stamp in lines if stamp))
    return [(_Voice(speaker, stamp, times.get(stamp or "")), words) for speaker, words, stamp in lines]


def _joined(spoken: Iterable[tuple[_Voice, str]]) -> Iterator[tuple[_Voice, str]]:
    first = last = _Voice(None)
    words: list[str] = []
    for voice, text in spoken:
        if not text:
            continue
        if words and not voice.goes_on(first, last):
            yield first, first.between.join(words)
            words = []
        first, last = (first if words else voice), voice
        words.append(text)
    if words:
        yield first, first.between.join(words)


FORMAT = Format(SourceType.TRANSCRIPT, MAX_WHOLE_FILE, sniff, read, clean)
