"""What a line of a transcript is: a header, somebody's words, a speaker above them, a time, or a program's own."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory_assets.sources.cleaning import clean_text, one_line

_STAMP = r"(?:[\[(]?\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?[\])]?[ \t]*+[-–—|]?[ \t]*+)"
# A day and a time in front of each message, as messengers export chats: "06.03.25, 09:01 - " or "[3/6/25, 9:01 AM] ".
_DAY_AND_TIME = (
    r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4},?[ \t\u202f]++\d{1,2}[:.]\d{2}(?:[:.]\d{2})?"
    r"(?:[ \t\xa0\u202f]?[AaPp]\.?[ \xa0]?[Mm]\.?)?"
)
_DATED_STAMP = rf"(?:\[{_DAY_AND_TIME}\][ \t]*+|{_DAY_AND_TIME}[ \t]++[-–][ \t]++)(?:~[ \xa0\u202f]?)?"
DATED = re.compile(rf"^[ \t\u200e]*{_DATED_STAMP}")

_SAID = re.compile(
    rf"^[ \t\u200e]*+(?:{_DATED_STAMP}|{_STAMP}(?P<sent>From[ \t]++)?)?"
    r"(?:\*\*)?(?P<name>[^\W\d_][\w .'’()&/-]{0,58}?|\+\d[\d \xa0()-]{5,20})(?:\*\*)?"
    rf"[ \t]*+{_STAMP}?:(?:\*\*)?[ \t]++(?P<words>\S.*)$"
)
STAMPED = re.compile(rf"^[ \t\u200e]*(?:{_DATED_STAMP}|{_STAMP})")
STAMP_ALONE = re.compile(rf"^[ \t]*{_STAMP}$")
# A speaker and a time on a line of their own, above what is said. The first two can hardly be anything else.
_CHAT = re.compile(
    r"^[ \t]*(?P<time>\d{1,2}:\d{2}:\d{2})[ \t]++From[ \t]++(?P<name>[^:\n]{1,80}?)[ \t]++to[ \t]++[^\n]{1,160}:[ \t]*+$"
)
_BRACKETED = re.compile(r"^[ \t]*\[(?P<name>[^\W\d_][^\]\n]{1,60})\][ \t]+(?P<time>\d{1,2}:\d{2}:\d{2})[ \t]*$")
_ABOVE = re.compile(
    r"^[ \t]*(?P<name>[^\W\d_][\w .,'’()&-]{0,58}?)[ \t]+(?:[-–—][ \t]+)?[\[(]?(?P<time>\d{1,3}:\d{2}(?::\d{2})?)[\])]?[ \t]*$"
)
# The other way round, and with a day: "[00:01:02] Mara Lind", "Mara Lind (01/02/2025, 10:01 AM)".
_BEFORE = re.compile(
    r"^[ \t]*[\[(]?(?P<time>\d{1,2}:\d{2}(?::\d{2})?)(?:[.,]\d{1,3})?[\])]?[ \t]*+[-–—|]?[ \t]*+(?P<name>[^\W\d_][\w .'’()&-]{0,58}?)[ \t]*+:?[ \t]*+$"
)
ABOVE_DATED = re.compile(
    r"^[ \t]*(?P<name>[^\W\d_][\w .'’&-]{0,58}?)[ \t]+\((?P<day>\d{1,2}[./-]\d{1,2}[./-]\d{2,4}),?[ \t\u202f]+"
    r"(?P<time>\d{1,2}:\d{2}(?::\d{2})?)[ \u202f]?(?P<half>[AaPp][Mm])?\)[ \t]*$"
)
_ALONE = re.compile(r"^[ \t]*[\[(]?(\d{1,2}:\d{2}(?::\d{2})?)[\])]?[ \t]*$")
_NAME_ALONE = re.compile(r"^[ \t]*([^\W\d_][\w .'’&-]{0,38})[ \t]*$")
# What programs write around what is said: their own lines, and marks of one that has written the file.
PROGRAMS = re.compile(
    r"[ \t]*+(?:(?:\d{1,3}[hms][ \t]*+){1,3}|SPEAKERS|SUMMARY KEYWORDS|Transcribed by https?://\S{1,60}"
    r"|\S[^\n]{0,80} (?:started|stopped) transcription|This editable transcript was computer generated[^\n]{0,160}"
    r"|(?:Meeting|Transcription) ended after [\d:]{4,8}.{0,8})[ \t]*+",
)
_MARKS = re.compile(
    r"^[ \t]*(?:SPEAKERS|SUMMARY KEYWORDS|Transcribed by https?://\S{1,60}"
    r"|(?:Meeting|Transcription) ended after [\d:]{4,8}.{0,8}|This editable transcript was computer generated[^\n]{0,160})[ \t]*$"
)

# "Host: Mara Lind" names somebody; what else stands behind "Host:" is what the host says.
HEADER = re.compile(
    r"^(?=.*$)[ \t#*]*+(date|started|when|time|duration|meeting|title|subject|topic|participants|attendees|location"
    r"|(?:host|organi[sz]er)(?=\**[ \t]*:\**[ \t]*(?-i:[A-ZÀ-Þ])[\w.'’-]*(?:[ \t]+(?-i:[A-ZÀ-Þ])[\w.'’-]*){0,3}[ \t]*(?:[<(].*)?$))"
    r"\**[ \t]*:\**[ \t]*(.+)$",
    re.I,
)

CUE_TAG = re.compile(r"</?[a-zA-Z0-9.:][^<>]{0,200}>|\{\\[^{}]{0,100}\}")

_NOT_SPEAKERS = frozenset(
    "todo note notes http https ftp warning warn error info debug example tip ps fyi ask idea question answer "
    "summary action actions decision decisions agenda next done open status update from to cc re fwd "
    "name phone tel email address date time place location price cost total version monday tuesday wednesday thursday friday saturday sunday "
    "added fixed changed removed deprecated security 姓名 名前 氏名 电话 電話 地址 住所 邮箱 时间 時間 日期 日時 日付 地点 地點 場所 主题 主題 内容 內容 "
    "备注 備考 状态 状態 人员 参加者 材料 分量 步骤 作り方 价格 価格 数量 金额 编号 版本 服务器 议题 議題".split()
)
_TOLD_OF = re.compile(r"(?:I|you|he|she|it|we|they|who) (?:said|says|say|asked|asks|replied|answered)$", re.I)
HEADER_LINES = 15
# What a messenger writes in somebody's place: behind its own mark (polls and places are somebody's words), or instead of what
# was deleted.
_DELETED = (
    r"This message was deleted|You deleted this message|Diese Nachricht wurde gelöscht|Du hast diese Nachricht gelöscht|"
    r"Se eliminó este mensaje|Eliminaste este mensaje|Ce message a été supprimé|Vous avez supprimé ce message|"
    r"Mensagem apagada|Esta mensagem foi apagada|Você apagou esta mensagem|Questo messaggio è stato eliminato|"
    r"Hai eliminato questo messaggio|Dit bericht is verwijderd|Je hebt dit bericht verwijderd|null"
)
_MESSENGERS = re.compile(rf"^[ \t\u200e]*{_DATED_STAMP}(?P<name>[^:\n]{{1,80}}):[ \t]+(?:\u200e(?![^\W\d_]{{2,20}}[ \xa0\u202f]?[:：])|(?:{_DELETED})\.?[ \t]*$)")


def has_programs_head(lines: Iterable[str]) -> bool:
    """Whether a program has written a text's head; "SPEAKERS" alone is a heading as well."""
    return any(_MARKS.match(line[:200]) and line.strip() != "SPEAKERS" for line in lines)


def messengers(line: str) -> str | None:
    """In whose place a messenger has written a dated line: a notice, a placeholder, a message that was deleted; else None."""
    found = _MESSENGERS.match(line[:400])
    return found["name"].strip() if found else None


def is_dated(lines: Iterable[str]) -> bool:
    """Whether messages begin with a day and a time: then a line without them goes on with the message before it."""
    return sum(1 for line in lines if DATED.match(line[:200]) and said_in(line)) >= 2


def layout_of_body(lines: list[str]) -> re.Pattern[str] | None:
    """How speakers and times stand above what is said; None where they don't."""
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
    times = [[int(part) for part in match["time"].split(":")] for _, match in named]
    halves = [12 * ((match.groupdict().get("half") or "").lower() == "pm" and time[0] < 12) for (_, match), time in zip(named, times, strict=True)]
    times = [[time[0] + half, *time[1:]] if len(time) > 1 else time for time, half in zip(times, halves, strict=True)]
    seconds = [sum(part * 60**power for power, part in enumerate(reversed(time))) for time in times]
    silent = sum(1 for (number, _), (after, _) in zip(named, named[1:], strict=False) if after == number + 1)
    return seconds == sorted(seconds) and silent == 0


def paired(text: str) -> str:
    """A text in which names and times stand on lines of their own above what is said: each two of them as one line."""
    lines = text.split("\n")
    pairs = [n for n, line in enumerate(lines[:-1]) if _NAME_ALONE.match(line[:100]) and _ALONE.match(lines[n + 1][:100])]
    names = {lines[n].strip() for n in pairs}
    if len(pairs) < 3 or not 1 < len(names) < len(pairs):
        return text
    times = {n + 1 for n in pairs}
    named = {n: f"{lines[n].strip()} {lines[n + 1].strip()}" for n in pairs}
    return "\n".join(named.get(n, line) for n, line in enumerate(lines) if n not in times)


def layout_of(lines: Iterable[str]) -> re.Pattern[str] | None:
    """How speakers and times stand above what is said in a whole text's lines; None where they don't."""
    return layout_of_body([line for line in lines if is_body(line)])


def is_body(line: str) -> bool:
    """Whether a line can name a speaker or be said: no header, nor a time alone."""
    return bool(line.strip()) and not HEADER.match(line[:400]) and not STAMP_ALONE.match(line[:200])


def first_speaker(lines: Iterable[str], layout: re.Pattern[str] | None) -> int:
    """The place of the first line that names a speaker; 0 when none does."""
    for number, line in enumerate(lines):
        if layout is not None and layout.match(line[:300]):
            return number
        if layout is None and not HEADER.match(line[:400]) and said_in(line):
            return number
    return 0


def said_in(line: str) -> tuple[str, str] | None:
    """The speaker that a line names in front, and what is said behind; None for any other line."""
    match = _SAID.match(line[:20_000])
    if match is None:
        return None
    speaker = one_line(match["name"]).strip("* ")
    if match["sent"]:  # "From Mara to Everyone"
        speaker = re.split(r" to ", speaker, maxsplit=1)[0]
    if not speaker or len(speaker.split()) > 5 or speaker.lower() in _NOT_SPEAKERS or _TOLD_OF.match(speaker):
        return None
    return speaker, clean_text(CUE_TAG.sub("", match["words"] + line[20_000:]))
