"""Meeting transcripts: WebVTT, SRT and lines of "Speaker: text", with or without times."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime

import webvtt

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import clean_text, normalise_newlines, one_line
from memory_assets.sources.dates import chat_date, date_in_name, parse_written_date
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

# Cues without the head of a caption file, as some programs write them into a text.
_BARE = re.compile(r"\s*\d{1,2}:\d{1,2}:\d{1,2}\.\d{1,3}[ \t]*-->[ \t]*\d{1,2}:\d{1,2}:\d{1,2}\.\d{1,3}[ \t]*\n")
_SBV = re.compile(r"(?m)^[ \t]*(\d{1,2}:\d\d:\d\d\.\d{3}),(\d{1,2}:\d\d:\d\d\.\d{3})[ \t]*$")  # YouTube's own
_NAMED_CUE = re.compile(r"(?m)^(\d{1,2}:\d{1,2}:\d{1,2}\.\d{1,3}[ \t]*-->[^\n]*)\n([^\W\d_][^\n<>:]{0,58})\n(?=[^\n\d][^\n]*\S)")
_SRT = re.compile(r"\s*\d{1,9}[ \t]*\n[ \t]*\d{1,3}:\d{2}:\d{2}[,.]\d{1,3}[ \t]*-->")
_STAMP = r"(?:[\[(]?\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?[\])]?[ \t]*[-–—|]?[ \t]*)"
# A day and a time in front of each message, as messengers export chats: "06.03.25, 09:01 - " or "[3/6/25, 9:01 AM] ".
_DAY_AND_TIME = (
    r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4},?[ \t\u202f]+\d{1,2}[:.]\d{2}(?:[:.]\d{2})?"
    r"(?:[ \t\xa0\u202f]?[AaPp]\.?[ \xa0]?[Mm]\.?)?"
)
_DATED_STAMP = rf"(?:\[{_DAY_AND_TIME}\][ \t]*|{_DAY_AND_TIME}[ \t]+[-–][ \t]+)(?:~[ \xa0\u202f]?)?"
_DATED = re.compile(rf"^[ \t\u200e]*{_DATED_STAMP}")
_STAMP_DAY = re.compile(r"^[ \t\u200e\[]*(\d{1,2})([./-])(\d{1,2})[./-](\d{4}|\d{2})\b(?:[^\n]{0,20}?\d[ \xa0\u202f]?([AaPp])\.?[ \xa0]?[Mm]\b)?")
_SAID = re.compile(
    rf"^[ \t\u200e]*(?:{_DATED_STAMP}|{_STAMP}(?P<sent>From[ \t]+)?)?"
    r"(?:\*\*)?(?P<name>[^\W\d_][\w .'’()&/-]{0,58}?|\+\d[\d \xa0()-]{5,20})(?:\*\*)?"
    rf"[ \t]*{_STAMP}?:(?:\*\*)?[ \t]+(?P<words>\S.*)$"
)
_STAMPED = re.compile(rf"^[ \t\u200e]*(?:{_DATED_STAMP}|{_STAMP})")
_STAMP_ALONE = re.compile(rf"^[ \t]*{_STAMP}$")
# A speaker and a time on a line of their own, above what is said. The first two can hardly be anything else.
_CHAT = re.compile(
    r"^[ \t]*(?P<time>\d{1,2}:\d{2}:\d{2})[ \t]+From[ \t]+(?P<name>[^:\n]{1,80}?)[ \t]+to[ \t]+[^\n]{1,160}:[ \t]*$"
)
_BRACKETED = re.compile(r"^[ \t]*\[(?P<name>[^\W\d_][^\]\n]{1,60})\][ \t]+(?P<time>\d{1,2}:\d{2}:\d{2})[ \t]*$")
_ABOVE = re.compile(
    r"^[ \t]*(?P<name>[^\W\d_][\w .,'’()&-]{0,58}?)[ \t]+[\[(]?(?P<time>\d{1,3}:\d{2}(?::\d{2})?)[\])]?[ \t]*$"
)
# The other way round, and with a day: "[00:01:02] Mara Lind", "Mara Lind (01/02/2025, 10:01 AM)".
_BEFORE = re.compile(
    r"^[ \t]*[\[(]?(?P<time>\d{1,2}:\d{2}(?::\d{2})?)(?:[.,]\d{1,3})?[\])]?[ \t]*[-–—|]?[ \t]*(?P<name>[^\W\d_][\w .'’()&-]{0,58}?)[ \t]*:?[ \t]*$"
)
_ABOVE_DATED = re.compile(
    r"^[ \t]*(?P<name>[^\W\d_][\w .'’&-]{0,58}?)[ \t]+\((?P<day>\d{1,2}[./-]\d{1,2}[./-]\d{2,4}),?[ \t\u202f]+"
    r"(?P<time>\d{1,2}:\d{2}(?::\d{2})?)[ \u202f]?(?P<half>[AaPp][Mm])?\)[ \t]*$"
)
_ALONE = re.compile(r"^[ \t]*[\[(]?(\d{1,2}:\d{2}(?::\d{2})?)[\])]?[ \t]*$")
_NAME_ALONE = re.compile(r"^[ \t]*([^\W\d_][\w .'’&-]{0,38})[ \t]*$")
# What programs write around what is said: their own lines, and marks of one that has written the file.
_PROGRAMS = re.compile(
    r"[ \t]*(?:(?:\d{1,3}[hms][ \t]*){1,3}|SPEAKERS|SUMMARY KEYWORDS|Transcribed by https?://\S{1,60}"
    r"|\S[^\n]{0,80} (?:started|stopped) transcription|This editable transcript was computer generated[^\n]{0,160}"
    r"|(?:Meeting|Transcription) ended after [\d:]{4,8}.{0,8})[ \t]*",
)
_MARKS = re.compile(
    r"^[ \t]*(?:SPEAKERS|SUMMARY KEYWORDS|Transcribed by https?://\S{1,60}"
    r"|This editable transcript was computer generated[^\n]{0,160})[ \t]*$"
)
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
# "Host: Mara Lind" names somebody; what else stands behind "Host:" is what the host says.
_HEADER = re.compile(
    r"^[ \t#*]*(date|started|when|time|duration|meeting|title|subject|topic|participants|attendees|location"
    r"|(?:host|organi[sz]er)(?=\**[ \t]*:\**[ \t]*(?-i:[A-ZÀ-Þ])[\w.'’-]*(?:[ \t]+(?-i:[A-ZÀ-Þ])[\w.'’-]*){0,3}[ \t]*(?:[<(].*)?$))"
    r"\**[ \t]*:\**[ \t]*(.+)$",
    re.I,
)
_VOICE = re.compile(r"<v(?:\.[^ \t>]*)?[ \t]+([^>]{1,200})>")
_CUE_TAG = re.compile(r"</?[a-zA-Z0-9.:][^<>]{0,200}>|\{\\[^{}]{0,100}\}")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_NOT_SPEAKERS = frozenset(
    "todo note notes http https ftp warning warn error info debug example tip ps fyi ask idea question answer "
    "summary action actions decision decisions agenda next done open status update from to cc re fwd".split()
)
HEADER_LINES = 15


def sniff(head: bytes, name: str) -> float:
    """A caption file's first lines, or lines of which most are said by a few speakers."""
    text = _paired(normalise_newlines(decode_head(head)).lstrip("\ufeff"))
    if _is_captions(text):
        return 1.0
    if name.lower().endswith((".vtt", ".srt")):
        return 0.6
    if text.startswith("---\n"):  # front matter: a note
        return 0.0
    lines = text.split("\n")[: -1 if len(head) >= HEAD_BYTES else None]
    body = [line for line in lines if _is_body(line)][:400]
    if _layout(body) is not None:
        return 0.75
    said = [match for line in body if (match := _said(line))]
    speakers = Counter(match[0] for match in said)
    if len(speakers) >= 2 and _is_dated(body) and _DATED.match(body[0]):
        return 0.75
    if said and _has_programs_head(body):
        return 0.75
    if len(speakers) < 2 or len(said) < 0.5 * len(body) or len(speakers) > max(2, 0.67 * len(said)):
        return 0.0
    return 0.75 if len(said) >= 4 or any(_STAMPED.match(line) for line in body) else 0.0


def _has_programs_head(lines: Iterable[str]) -> bool:
    """Whether a program has written a text's head; "SPEAKERS" alone is a heading as well."""
    return any(_MARKS.match(line[:200]) and line.strip() != "SPEAKERS" for line in lines)


def _is_dated(lines: Iterable[str]) -> bool:
    """Whether messages begin with a day and a time: then a line without them goes on with the message before it."""
    return sum(1 for line in lines if _DATED.match(line[:200]) and _said(line)) >= 2


def _layout(lines: list[str]) -> re.Pattern[str] | None:
    """How speakers and times stand above what is said; None where they don't."""
    for pattern in (_CHAT, _BRACKETED, _ABOVE_DATED):
        if _above(lines, pattern, sure=True):
            return pattern
    sure = any(_MARKS.match(line[:200]) for line in lines)
    return next((pattern for pattern in (_ABOVE, _BEFORE) if _above(lines, pattern, sure=sure)), None)


def _above(lines: list[str], pattern: re.Pattern[str], *, sure: bool) -> bool:
    """Times that go on, and words below each; somebody twice, unless the file's other marks are ``sure`` enough."""
    named = [(number, match) for number, line in enumerate(lines) if (match := pattern.match(line[:300]))]
    speakers = {match["name"].strip() for _, match in named}
    if len(named) < 2 or not sure and (len(named) < 3 or not 1 < len(speakers) < len(named)):
        return False
    times = [[int(part) for part in match["time"].split(":")] for _, match in named]
    halves = [12 * ((match.groupdict().get("half") or "").lower() == "pm" and time[0] < 12) for (_, match), time in zip(named, times, strict=True)]
    times = [[time[0] + half, *time[1:]] if len(time) > 1 else time for time, half in zip(times, halves, strict=True)]
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
    written = _started(header) or _written_above(text) or _began(text)
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


def _written_above(text: str) -> datetime | None:
    """The day that a program has written into a transcript's head, on a line of its own."""
    if _is_captions(text):
        return None
    lines = text.split("\n")
    for line in lines[: min(_first_speaker(lines, _layout_of(lines)), HEADER_LINES)]:
        match = _DAY_LINE.fullmatch(line[:200]) or _DAY_IN_TITLE.fullmatch(line[:300])
        found = parse_written_date(match[1]) if match else None
        if found is not None:
            return found
    return None


def _began(text: str) -> datetime | None:
    """The day of a messenger's first message; a two-digit year is this century's."""
    lines = [line[:200] for line in text.split("\n")]
    if _is_captions(text):
        return None
    if _layout_of(lines) is _ABOVE_DATED:
        above = [match for line in lines if (match := _ABOVE_DATED.match(line))]
        days = [re.match(r"(\d+)([./-])(\d+)[./-](\d+)", match["day"]) for match in above]
        return chat_date([(d[1], d[2], d[3], d[4]) for d in days if d], has_am_pm=any(match["half"] for match in above))
    if not _is_dated(lines):
        return None
    found = [match for line in lines if _DATED.match(line) and (match := _STAMP_DAY.match(line))]
    return chat_date([(m[1], m[2], m[3], m[4]) for m in found], has_am_pm=any(m[5] for m in found))


def _paired(text: str) -> str:
    """A text in which names and times stand on lines of their own above what is said: each two of them as one line."""
    lines = text.split("\n")
    pairs = [n for n, line in enumerate(lines[:-1]) if _NAME_ALONE.match(line[:100]) and _ALONE.match(lines[n + 1][:100])]
    names = {lines[n].strip() for n in pairs}
    if len(pairs) < 3 or not 1 < len(names) < len(pairs):
        return text
    times = {n + 1 for n in pairs}
    named = {n: f"{lines[n].strip()} {lines[n + 1].strip()}" for n in pairs}
    return "\n".join(named.get(n, line) for n, line in enumerate(lines) if n not in times)


def _layout_of(lines: Iterable[str]) -> re.Pattern[str] | None:
    return _layout([line for line in lines if _is_body(line)])


def _is_body(line: str) -> bool:
    """Whether a line can name a speaker or be said: no header, nor a time alone."""
    return bool(line.strip()) and not _HEADER.match(line[:400]) and not _STAMP_ALONE.match(line[:200])


def _first_speaker(lines: Iterable[str], layout: re.Pattern[str] | None) -> int:
    """The place of the first line that names a speaker; 0 when none does."""
    for number, line in enumerate(lines):
        if layout is not None and layout.match(line[:300]):
            return number
        if layout is None and not _HEADER.match(line[:400]) and _said(line):
            return number
    return 0


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


def _is_captions(text: str) -> bool:
    return re.match(r"WEBVTT(?:[ \t\n]|$)", text) is not None or any(
        form.match(text.lstrip()) is not None for form in (_SRT, _BARE, _SBV)
    )


def _with_voices(text: str) -> str:
    """Cues without a head as a caption file; a name that stands above what is said, in most of them, as its voice."""
    named = _NAMED_CUE.findall(text)
    if 2 * len(named) > text.count("-->"):
        text = _NAMED_CUE.sub(lambda match: f"{match[1]}\n<v {match[2].strip()}>", text)
    return "WEBVTT\n\n" + text.lstrip()


def _spoken(text: str) -> Iterator[tuple[str | None, str]]:
    if _SBV.match(text.lstrip()):
        text = _SBV.sub(r"\1 --> \2", text)
    if _BARE.match(text):
        return _vtt_cues(_with_voices(text))
    if re.match(r"WEBVTT(?:[ \t\n]|$)", text):
        return _vtt_cues(text)
    return _srt_cues(text) if _SRT.match(text) else _said_lines(_paired(text))


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
        line = " ".join(cue.split("\n"))
        said = _said(line) or _said(_CUE_TAG.sub("", line))
        yield (one_line(_decoded(said[0])), clean_text(_decoded(said[1]))) if said else (None, _untagged(cue))
        return
    if pieces[0].strip():
        yield None, _untagged(pieces[0])
    for speaker, words in zip(pieces[1::2], pieces[2::2], strict=True):
        yield one_line(_decoded(speaker)) or None, _untagged(words)


def _untagged(cue: str) -> str:
    return one_line(_decoded(_CUE_TAG.sub("", cue)), 100_000)


def _decoded(cue: str) -> str:
    """Character references as what they stand for; only whole ones, so that an address's "&section=" stays."""
    return _ENTITY.sub(lambda match: html.unescape(match[0]), cue)


def _said(line: str) -> tuple[str, str] | None:
    match = _SAID.match(line[:20_000])
    if match is None:
        return None
    speaker = one_line(match["name"]).strip("* ")
    if match["sent"]:  # "From Mara to Everyone"
        speaker = re.split(r" to ", speaker, maxsplit=1)[0]
    if not speaker or len(speaker.split()) > 5 or speaker.lower() in _NOT_SPEAKERS:
        return None
    return speaker, clean_text(_CUE_TAG.sub("", match["words"] + line[20_000:]))


def _said_lines(text: str) -> Iterator[tuple[str | None, str]]:
    """Lines "Speaker: text", or below their speaker; a line without a speaker goes on with the turn before it."""
    lines = text.split("\n")
    layout = _layout_of(lines)
    if layout is not None:
        yield from _below_speakers(lines, layout)
        return
    speakers = {said[0] for line in lines if (said := _said(line))}
    dated = _is_dated(lines)
    begins = _head_ends(lines)
    speaker: str | None = None
    for number, line in enumerate(lines):
        if number < begins or not line.strip() or _STAMP_ALONE.match(line[:200]) or _PROGRAMS.fullmatch(line[:200]):
            continue
        if speaker is None and number < HEADER_LINES and _HEADER.match(line[:400]):
            continue
        silent = one_line(line.rstrip().removesuffix(":"))
        if line.rstrip().endswith(":") and silent in speakers:  # a turn without words
            speaker = silent
            continue
        if dated and not _DATED.match(line[:200]):
            yield speaker, clean_text(_CUE_TAG.sub("", line))
            continue
        said = _said(line)
        if dated and not said:  # the messenger's own: somebody has joined
            speaker = None
        speaker = said[0] if said else speaker
        yield said or (speaker, clean_text(_STAMPED.sub("", line)))


def _below_speakers(lines: list[str], layout: re.Pattern[str]) -> Iterator[tuple[str | None, str]]:
    """What stands below each speaker. A few lines before the first one are the head; many are somebody's words."""
    first = _first_speaker(lines, layout)
    speaker: str | None = None
    for line in lines[first if first <= HEADER_LINES else 0 :]:
        named = layout.match(line[:300])
        if named:
            speaker = one_line(named["name"])
        elif line.strip() and not _PROGRAMS.fullmatch(line[:200]):
            yield speaker, clean_text(_CUE_TAG.sub("", line))


def _head_ends(lines: list[str]) -> int:
    """Where what is said begins: at the first speaker below a program's own head, below a line "Transcript", else at once."""
    head = lines[: min(_first_speaker(lines, None), HEADER_LINES)]
    if _has_programs_head(lines) and len(head) < HEADER_LINES:
        return len(head)
    return next((number + 1 for number, line in enumerate(head) if line.strip() == "Transcript"), 0)


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
