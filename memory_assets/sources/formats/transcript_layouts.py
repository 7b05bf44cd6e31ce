"""Layouts of programs that write transcripts otherwise, as the lines that are read: "Speaker: words", "[day, time] Speaker: words"; pure.

Whisper ("[00:00.000 --> 00:05.000]  words") and WhisperX ("[SPEAKER_00]: words"), Rev ("Speaker 1 (00:01):" above what is
said), Meet's notes (headings of times), Telegram and Discord ("Mara, [05.10.2026 10:00]" above a message), and scripts whose
colon is wide.
"""

from __future__ import annotations

import re

_WHISPER = re.compile(r"(?m)^[ \t]*\[((?:\d{1,2}:)?\d{1,2}:\d{2}\.\d{3})[ \t]*-->[ \t]*((?:\d{1,2}:)?\d{1,2}:\d{2}\.\d{3})\][ \t]*(?=\S)")
# A name begins with a capital, or its script has none: "[main]:" is a log's, "[a]:" a note below a text.
_IN_BRACKETS = re.compile(r"(?m)^[ \t]*\[(?P<name>(?![a-zà-þ])[^\W\d_][\w .'’()&-]{0,58}?)\]:[ \t]+(?=\S)")
_REV = re.compile(r"(?m)^(?P<head>[ \t]*[^\W\d_][\w .,'’&-]{0,58}?[ \t]+\(\d{1,3}:\d{2}(?::\d{2})?\)):[ \t]*$")
_WIDE_COLON = re.compile(r"(?m)^(?P<name>[^\W\d_][^\s:：。、]{0,19})：[ \t]*(?=\S)")
_TELEGRAM = re.compile(
    r"(?m)^(?P<name>[^\s\[\]][^\[\]\n:]{0,58}?),[ ]\[(?P<day>\d{1,2}[./-]\d{1,2}[./-]\d{2,4})[ ,]+(?P<time>\d{1,2}:\d{2}(?::\d{2})?(?:[ ]?[AP]M)?)\]"
    r"[ \t]*\n+(?=\S)"
)
_DISCORD = re.compile(
    r"(?m)^\[(?P<day>\d{1,2})-(?P<month>[A-Z][a-z]{2})-(?P<year>\d{2})[ ](?P<hour>\d{1,2}):(?P<minute>\d{2})(?:[ ](?P<half>[AP]M))?\][ ]"
    r"(?P<name>[^\n:#]{1,40})(?:#\d{4})?[ \t]*\n+(?=\S)"
)
_MONTHS = {month: number for number, month in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), start=1)}
_MEETS = re.compile(r"(?m)^[*# \t]*(?:This editable transcript was computer generated|Transcription ended after \d)")
_HEADING = re.compile(r"(?m)^[ \t]*#{1,6}[ \t]+(?=\d{1,2}:\d{2}(?::\d{2})?[ \t]*$|Transcription ended)")
_EMPHASIS = re.compile(r"(?m)^\*(This editable transcript [^\n*]+)\*[ \t]*$")
_TIME_ALONE = re.compile(r"[ \t]*[\[(]?(?:(\d{1,2}):)?(\d{1,3}):(\d{2})[\])]?[ \t]*")
LATEST_START = 20
"""Seconds: by then a video's first words are told; a plan of exercises starts later."""
SHORTEST_SAID = 8
"""Characters, the mean of what is said below a time; chapters and exercises have a word or two."""
FEWEST = 3
"""How often a layout stands in a text that has it: a name in brackets or a time alone can stand in any note."""


def relaid(text: str) -> str:
    """``text`` with such layouts as lines that are read; the same text where there are none."""
    if _WHISPER.match(text.lstrip()):
        return _WHISPER.sub(lambda m: f"\n{_hours(m[1])} --> {_hours(m[2])}\n", text)
    for pattern, written in ((_IN_BRACKETS, r"\g<name>: "), (_REV, r"\g<head>"), (_WIDE_COLON, r"\g<name>: ")):
        names = [match[1] for match in pattern.finditer(text)]
        if len(names) >= FEWEST and (pattern is _REV or len(set(names)) < len(names)):
            text = pattern.sub(written, text)
    if len(_TELEGRAM.findall(text)) >= 2:
        text = _TELEGRAM.sub(lambda m: f"[{m['day']}, {m['time']}] {m['name']}: ", text)
    if len(_DISCORD.findall(text)) >= 2:
        text = _DISCORD.sub(_discord_line, text)
    if _MEETS.search(text):
        text = _EMPHASIS.sub(r"\1", _HEADING.sub("", text))
    return text


def is_timed(lines: list[str]) -> bool:
    """Whether times stand alone above what is said, from a video's beginning on: its transcript, copied; no day's plan."""
    told = [line for line in lines if line.strip()]
    if not told or not _TIME_ALONE.fullmatch(told[0][:40]):
        return False
    stamps = [match for line in told if (match := _TIME_ALONE.fullmatch(line[:40]))]
    seconds = [int(m[1] or 0) * 3600 + int(m[2]) * 60 + int(m[3]) for m in stamps]
    said = [line.strip() for line in told if not _TIME_ALONE.fullmatch(line[:40])]
    if len(said) < len(stamps) or sum(map(len, said)) < SHORTEST_SAID * len(said):
        return False
    return len(stamps) >= FEWEST and seconds[0] <= LATEST_START and 2 * len(stamps) >= len(told) * 0.6 and seconds == sorted(set(seconds))


def _hours(stamp: str) -> str:
    return stamp if stamp.count(":") == 2 else f"00:{stamp}"


def _discord_line(match: re.Match[str]) -> str:
    month = _MONTHS.get(match["month"])
    if month is None:
        return match[0]
    half = match["half"]
    hour = int(match["hour"]) % 12 + 12 * (half == "PM") if half else int(match["hour"])
    return f"[{match['day']}.{month:02}.{match['year']}, {hour:02}:{match['minute']}] {match['name'].strip()}: "
