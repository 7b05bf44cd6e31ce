"""A transcript's lines: layouts of programs made alike, what a line is, and who says what; pure.

Whisper ("[00:00.000 --> 00:05.000]  words") and WhisperX ("[SPEAKER_00]: words"), Rev ("Speaker 1 (00:01):" above
what is said), Meet's notes, Telegram and Discord ("Mara, [05.10.2026 10:00]" above a message), and scripts whose
colon is wide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memory_assets.clock import MONTHS
from memory_assets.sources.cleaning import clean_text, one_line

_WHISPER = re.compile(
    r"(?m)^[ \t]*\[((?:\d{1,2}:)?\d{1,2}:\d{2}\.\d{3})[ \t]*-->[ \t]*((?:\d{1,2}:)?\d{1,2}:\d{2}\.\d{3})\][ \t]*(?=\S)"
)
# A name begins with a capital, or its script has none: "[main]:" is a log's, "[a]:" a note below a text.
_IN_BRACKETS = re.compile(r"(?m)^[ \t]*\[(?P<name>(?![a-zà-þ])[^\W\d_][\w .'’()&-]{0,58}?)\]:[ \t]+(?=\S)")
_REV = re.compile(r"(?m)^(?P<head>[ \t]*[^\W\d_][\w .,'’&-]{0,58}?[ \t]+\(\d{1,3}:\d{2}(?::\d{2})?\)):[ \t]*$")
_WIDE_COLON = re.compile(r"(?m)^(?P<name>[^\W\d_][^\s:：。、]{0,19})：[ \t]*(?=\S)")
_TELEGRAM = re.compile(
    r"(?m)^(?P<name>[^\s\[\]][^\[\]\n:]{0,58}?),[ ]\[(?P<day>\d{1,2}[./-]\d{1,2}[./-]\d{2,4})[ "
    r",]+(?P<time>\d{1,2}:\d{2}(?::\d{2})?(?:[ ]?[AP]M)?)\]"
    r"[ \t]*\n+(?=\S)"
)
_DISCORD = re.compile(
    r"(?m)^\[(?P<day>\d{1,2})-(?P<month>[A-Z][a-z]{2})-(?P<year>\d{2})[ ](?P<hour>\d{1,2}):(?P<minute>\d{2})(?:[ "
    r"](?P<half>[AP]M))?\][ ]"
    r"(?P<name>[^\n:#]{1,40})(?:#\d{4})?[ \t]*\n+(?=\S)"
)
_MONTHS = [month[:3] for month in MONTHS]
_MEETS = re.compile(r"(?m)^[*# \t]*(?:This editable transcript was computer generated|Transcription ended after \d)")
_HEADING = re.compile(r"(?m)^[ \t]*#{1,6}[ \t]+(?=\d{1,2}:\d{2}(?::\d{2})?[ \t]*$|Transcription ended)")
_EMPHASIS = re.compile(r"(?m)^\*(This editable transcript [^\n*]+)\*[ \t]*$")
_TIME_ALONE = re.compile(r"[ \t]*[\[(]?(?:(\d{1,2}):)?(\d{1,3}):(\d{2})[\])]?[ \t]*")
LATEST_START = 20
"""Seconds: by then a video's first words are said; a plan of exercises starts later."""
SHORTEST_SAID = 8
"""Characters, the mean of what is said below a time; chapters and exercises have a word or two."""
FEWEST = 3
"""How often a layout is in a text that has it: a name in brackets or a time alone can be in any note."""


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
    """Whether times are alone above what is said, from a video's beginning on: its transcript, and no day's plan."""
    filled = [line for line in lines if line.strip()]
    if not filled or not _TIME_ALONE.fullmatch(filled[0][:40]):
        return False
    stamps = [match for line in filled if (match := _TIME_ALONE.fullmatch(line[:40]))]
    seconds = [int(m[1] or 0) * 3600 + int(m[2]) * 60 + int(m[3]) for m in stamps]
    said = [line.strip() for line in filled if not _TIME_ALONE.fullmatch(line[:40])]
    if len(said) < len(stamps) or sum(map(len, said)) < SHORTEST_SAID * len(said):
        return False
    return (
        len(stamps) >= FEWEST
        and seconds[0] <= LATEST_START
        and 2 * len(stamps) >= len(filled) * 0.6
        and seconds == sorted(set(seconds))
    )


def _hours(stamp: str) -> str:
    return stamp if stamp.count(":") == 2 else f"00:{stamp}"


def _discord_line(match: re.Match[str]) -> str:
    if match["month"] not in _MONTHS:
        return match[0]
    month = _MONTHS.index(match["month"]) + 1
    half = match["half"]
    hour = int(match["hour"]) % 12 + 12 * (half == "PM") if half else int(match["hour"])
    return f"[{match['day']}.{month:02}.{match['year']}, {hour:02}:{match['minute']}] {match['name'].strip()}: "


_STAMP = r"(?:[\[(]?\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?[\])]?[ \t]*+[-–—|]?[ \t]*+)"
# A day and a time in front of each message, as messengers export chats: "06.03.25, 09:01 - ", "[3/6/25, 9:01 AM] " or
# "2025-03-06 09:01 - ".
_DAY_AND_TIME = (
    r"(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}-\d{2}),?[ \t\u202f]++\d{1,2}[:.]\d{2}(?:[:.]\d{2})?"
    r"(?:[ \t\xa0\u202f]?[AaPp]\.?[ \xa0]?[Mm]\.?)?"
)
_DATED_STAMP = rf"(?:\[{_DAY_AND_TIME}\][ \t]*+|{_DAY_AND_TIME}[ \t]++[-–][ \t]++)(?:~[ \xa0\u202f]?)?"
DATED = re.compile(rf"^[ \t\u200e]*{_DATED_STAMP}")
ISO_DATED = re.compile(rf"^[ \t\u200e]*(?=\[?\d{{4}}-){_DATED_STAMP}")

_SAID = re.compile(
    rf"^[ \t\u200e]*+(?:{_DATED_STAMP}|{_STAMP}(?P<sent>From[ \t]++)?)?"
    r"(?:\*\*)?(?P<name>[^\W\d_][\w .'’()&/-]{0,58}?|\+\d[\d \xa0()-]{5,20})(?:\*\*)?"
    rf"[ \t]*+{_STAMP}?:(?:\*\*)?[ \t]++(?P<words>\S.*)$"
)
STAMPED = re.compile(rf"^[ \t\u200e]*(?:{_DATED_STAMP}|{_STAMP})")
STAMP_ALONE = re.compile(rf"^[ \t]*{_STAMP}$")
# A speaker and a time on a line of their own, above what is said. The first two can hardly be anything else.
_CHAT = re.compile(
    r"^[ \t]*(?P<time>\d{1,2}:\d{2}:\d{2})[ \t]++From[ \t]++(?P<name>[^:\n]{1,80}?)[ \t]++to[ \t]++[^\n]{1,160}:[ "
    r"\t]*+$"
)
_BRACKETED = re.compile(r"^[ \t]*\[(?P<name>[^\W\d_][^\]\n]{1,60})\][ \t]+(?P<time>\d{1,2}:\d{2}:\d{2})[ \t]*$")
_ABOVE = re.compile(
    r"^[ \t]*+(?P<name>[^\W\d_][\w .,'’()&-]{0,58}?)(?<![ \t])[ \t]++(?:[-–—][ "
    r"\t]++)?[\[(]?(?P<time>\d{1,3}:\d{2}(?::\d{2})?)[\])]?[ \t]*$"
)
# The other way round, and with a day: "[00:01:02] Mara Lind", "Mara Lind (01/02/2025, 10:01 AM)".
_BEFORE = re.compile(
    r"^[ \t]*[\[(]?(?P<time>\d{1,2}:\d{2}(?::\d{2})?)(?:[.,]\d{1,3})?[\])]?[ \t]*+[-–—|]?[ "
    r"\t]*+(?P<name>[^\W\d_][\w .'’()&-]{0,58}?)[ \t]*+:?[ \t]*+$"
)
ABOVE_DATED = re.compile(
    r"^[ \t]*(?P<name>[^\W\d_][\w .'’&-]{0,58}?)[ \t]+\((?P<day>\d{1,2}[./-]\d{1,2}[./-]\d{2,4}),?[ \t\u202f]+"
    r"(?P<time>\d{1,2}:\d{2}(?::\d{2})?)[ \u202f]?(?P<half>[AaPp][Mm])?\)[ \t]*$"
)
_NAME_ALONE = re.compile(r"^[ \t]*([^\W\d_][\w .'’&-]{0,38})[ \t]*$")
# What programs write around what is said: their own lines, and marks of one that has written the file.
_HEADS = (
    r"(?:SPEAKERS|SUMMARY KEYWORDS|Transcribed by https?://\S{1,60}"
    r"|(?:Meeting|Transcription) ended after [\d:]{4,8}.{0,8}"
    r"|This editable transcript was computer generated[^\n]{0,160})"
)
PROGRAMS = re.compile(
    rf"[ \t]*+(?:(?:\d{{1,3}}[hms][ \t]*+){{1,3}}|\S[^\n]{{0,80}} (?:started|stopped) transcription|{_HEADS})[ \t]*+"
)
_MARKS = re.compile(rf"^[ \t]*{_HEADS}[ \t]*$")

# "Host: Mara Lind" names somebody; any other words behind "Host:" are what the host says.
HEADER = re.compile(
    r"^(?=.*$)[ \t#*]*+(date|started|when|time|duration|meeting|title|subject|topic|participants|attendees|location"
    r"|(?:host|organi[sz]er)(?=\**[ \t]*:\**[ \t]*(?-i:[A-ZÀ-Þ])[\w.'’-]*(?:[ \t]+(?-i:[A-ZÀ-Þ])[\w.'’-]*){0,3}[ "
    r"\t]*(?:[<(].*)?$))"
    r"\**[ \t]*:\**[ \t]*(.+)$",
    re.I,
)

CUE_TAG = re.compile(r"</?[a-zA-Z0-9.:][^<>]{0,200}>|\{\\[^{}]{0,100}\}")

_NOT_SPEAKERS = frozenset(
    "todo note notes http https ftp warning warn error info debug example tip ps fyi ask idea question answer "
    "summary action actions decision decisions agenda next done open status update from to cc re fwd name phone tel "
    "email address date time place location price cost total version monday tuesday wednesday thursday friday "
    "saturday sunday added fixed changed removed deprecated security 姓名 名前 氏名 电话 電話 地址 住所 邮箱 时间 時間 日期 日時 日付 地点 地點 "  # noqa: E501
    "場所 主题 主題 内容 內容 备注 備考 状态 状態 人员 参加者 材料 分量 步骤 作り方 价格 価格 数量 金额 编号 版本 服务器 议题 議題".split()  # noqa: E501
)
_REPORTED = re.compile(r"(?:I|you|he|she|it|we|they|who) (?:said|says|say|asked|asks|replied|answered)$", re.I)
HEADER_LINES = 15
# What a messenger writes in somebody's place: behind its own mark (polls and places are somebody's words), or instead
# of what was deleted.
_DELETED = (
    "This message was deleted|You deleted this message|Diese Nachricht wurde gelöscht|"
    "Du hast diese Nachricht gelöscht|"
    r"Se eliminó este mensaje|Eliminaste este mensaje|Ce message a été supprimé|Vous avez supprimé ce message|"
    r"Mensagem apagada|Esta mensagem foi apagada|Você apagou esta mensagem|Questo messaggio è stato eliminato|"
    r"Hai eliminato questo messaggio|Dit bericht is verwijderd|Je hebt dit bericht verwijderd|null"
)
_MESSENGERS = re.compile(
    rf"^[ \t\u200e]*{_DATED_STAMP}(?P<name>[^:\n]{{1,80}}):[ \t]+(?:\u200e(?![^\W\d_]{{2,20}}[ \xa0\u202f]?[:：])|"
    rf"(?:{_DELETED})\.?[ \t]*$)"
)


def has_programs_head(lines: Iterable[str]) -> bool:
    """Whether a program has written a text's head; "SPEAKERS" alone is a heading as well."""
    return any(_MARKS.match(line[:200]) and line.strip() != "SPEAKERS" for line in lines)


def messengers(line: str) -> str | None:
    """In whose place a messenger has written a dated line: a notice, a placeholder, a deleted message; else None."""
    found = _MESSENGERS.match(line[:400])
    return found["name"].strip() if found else None


def is_dated(lines: Iterable[str]) -> bool:
    """Whether messages begin with a day and a time: then a line without them goes on with the message before it."""
    return sum(1 for line in lines if DATED.match(line[:200]) and said_in(line)) >= 2


def layout_of_body(lines: list[str]) -> re.Pattern[str] | None:
    """How speakers and times are written above what is said; None where they are not."""
    for pattern in (_CHAT, _BRACKETED, ABOVE_DATED):
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
    seconds = [_seconds(match) for _, match in named]
    silent = sum(1 for (number, _), (after, _) in zip(named, named[1:], strict=False) if after == number + 1)
    return seconds == sorted(seconds) and silent == 0


def _seconds(match: re.Match[str]) -> int:
    """A stamp's time in its smallest unit; the hours of an afternoon follow those of the morning."""
    first, *rest = map(int, match["time"].split(":"))
    is_afternoon = (match.groupdict().get("half") or "").lower() == "pm" and first < 12
    times = [first + 12 * is_afternoon, *rest]
    return sum(part * 60**power for power, part in enumerate(reversed(times)))


def paired(text: str) -> str:
    """A text with names and times on lines of their own above what is said: each two of them as one line."""
    lines = text.split("\n")
    pairs = [
        n
        for n, line in enumerate(lines[:-1])
        if _NAME_ALONE.match(line[:100]) and _TIME_ALONE.fullmatch(lines[n + 1][:100])
    ]
    names = {lines[n].strip() for n in pairs}
    if len(pairs) < 3 or not 1 < len(names) < len(pairs):
        return text
    times = {n + 1 for n in pairs}
    named = {n: f"{lines[n].strip()} {lines[n + 1].strip()}" for n in pairs}
    return "\n".join(named.get(n, line) for n, line in enumerate(lines) if n not in times)


def layout_of(lines: Iterable[str]) -> re.Pattern[str] | None:
    """How speakers and times are written above what is said in a whole text's lines; None where they are not."""
    return layout_of_body([line for line in lines if is_body(line)])


def is_body(line: str) -> bool:
    """Whether a line can name a speaker or be said: no header, nor a time alone."""
    return bool(line.strip()) and not HEADER.match(line[:400]) and not STAMP_ALONE.match(line[:200])


def first_speaker(lines: Iterable[str], layout: re.Pattern[str] | None) -> int:
    """The place of the first line that names a speaker; 0 when none does."""
    if layout is not None:
        found = (number for number, line in enumerate(lines) if layout.match(line[:300]))
    else:
        found = (n for n, line in enumerate(lines) if not HEADER.match(line[:400]) and said_in(line))
    return next(found, 0)


def said_in(line: str) -> tuple[str, str] | None:
    """The speaker that a line names in front, and what is said behind; None for any other line."""
    match = _SAID.match(line[:20_000])
    if match is None:
        return None
    speaker = one_line(match["name"]).strip("* ")
    if match["sent"]:  # "From Mara to Everyone"
        speaker = re.split(r" to ", speaker, maxsplit=1)[0]
    if not speaker or len(speaker.split()) > 5 or speaker.lower() in _NOT_SPEAKERS or _REPORTED.match(speaker):
        return None
    return speaker, clean_text(CUE_TAG.sub("", match["words"] + line[20_000:]))


def said_lines(text: str) -> Iterator[tuple[str | None, str, str | None]]:
    """Lines "Speaker: text", or below their speaker, each with its message's stamp where a messenger has written one; a
    line without a speaker goes on with the turn before it.
    """
    lines = text.split("\n")
    layout = layout_of(lines)
    if layout is not None:
        yield from ((speaker, words, None) for speaker, words in _below_speakers(lines, layout))
        return
    speakers = {said[0] for line in lines if (said := said_in(line))}
    dated = is_dated(lines)
    begins = _head_ends(lines)
    speaker: str | None = None
    stamp: str | None = None
    for number, line in enumerate(lines):
        if number < begins or not line.strip() or STAMP_ALONE.match(line[:200]) or PROGRAMS.fullmatch(line[:200]):
            continue
        if speaker is None and number < HEADER_LINES and HEADER.match(line[:400]):
            continue
        silent = one_line(line.rstrip().removesuffix(":"))
        if line.rstrip().endswith(":") and silent in speakers:  # a turn without words
            speaker = silent
            continue
        if dated and (stamped := DATED.match(line[:200])):
            stamp = stamped[0]
        if dated and (sender := messengers(line)):
            speaker = one_line(sender)  # what they wrote under a picture is in the lines below
            continue
        if dated and not DATED.match(line[:200]):
            yield speaker, clean_text(CUE_TAG.sub("", line)), stamp
            continue
        said = said_in(line)
        if dated and not said:  # the messenger's own: somebody has joined
            speaker = None
        speaker = said[0] if said else speaker
        yield *(said or (speaker, clean_text(STAMPED.sub("", line)))), stamp


def _below_speakers(lines: list[str], layout: re.Pattern[str]) -> Iterator[tuple[str | None, str]]:
    """The lines below each speaker. A few lines before the first one are the head; many are somebody's words."""
    first = first_speaker(lines, layout)
    speaker: str | None = None
    for line in lines[first if first <= HEADER_LINES else 0 :]:
        named = layout.match(line[:300])
        if named:
            speaker = one_line(named["name"])
        elif line.strip() and not PROGRAMS.fullmatch(line[:200]):
            yield speaker, clean_text(CUE_TAG.sub("", line))


def _head_ends(lines: list[str]) -> int:
    """Where what is said begins: at the first speaker below a program's head, below a line "Transcript", or at once."""
    head = lines[: min(first_speaker(lines, None), HEADER_LINES)]
    if has_programs_head(lines) and len(head) < HEADER_LINES:
        return len(head)
    return next((number + 1 for number, line in enumerate(head) if line.strip() == "Transcript"), 0)
