"""Where a mail quotes another: quoted lines and its sender's own, in the languages of the mail programs; pure.

A quote is marked by ``>``, announced ("On … wrote:"), or headed by the other mail's From, Sent, To and Subject. All
that is below an announcement without marks, a heading or "Original Message" is quoted; the lines between marked ones
are the sender's answers.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memory_assets.sources.cleaning import one_line

MAX_LINE = 400
# An announcement is broken over lines by the program that sent it.
ANNOUNCEMENT_LINES = 4
HEADING_LINES = 10
MAX_WRITER = 120

_MARKS = re.compile(r"^\s*(>\s?)+")
_DASHES_END = re.compile(r"[^-\s][ \t]*-{3,}[ \t]*$")
_VERB = re.compile(
    r"\b(?:wrote|writes|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|kirjoitti|napsala?|yazdı"
    r"|a scris|έγραψε|đã viết)\b"
    r"|napisał(?:\(a\)|a)?|napsal\(a\)|написала?\b|пишет?\b|írta\b|写道|寫道|님이 작성|のメール|さんは書きました",
    re.IGNORECASE,
)
_OPENER = re.compile(
    "^(?:On|Am|Le|El|Il|Em|No dia|Op|Den|På|W dniu|Dnia|Dne|pon|wt|śr|czw|pt|sob|niedz|Am|In a message|In data|At|"
    r"\d)\b",
    re.IGNORECASE,
)
# No letter ends a year in Chinese, Japanese or Korean: "2026年3月2日" is one word there.
# A year and an hour open an announcement in any language; with an address before the colon they are one without a verb
# (in brackets, as programs write it: "Send it by 5 May 2026 10:00 to ole@example.org:" is a person's).
_YEAR = re.compile(r"(?<!\w)(?:19|20)\d\d(?![\da-zA-Z_])")
_HOUR = re.compile(r"(?<![\d.])\d{1,2}[:.]\d{2}(?![\d.])")
_ADDRESSED = re.compile(r"[<(\[][^\s<>()\[\]]{1,100}@[^\s<>()\[\]]{1,100}[>)\]][ \t]*[:：]$")
# Mutt's "* Ole <ole@example.org> [2026-10-05 09:00]:", and "Quoting Ole <ole@example.org>:" of the webmailers. The
# Catalan announcement has its verb at its head.
_LISTED = re.compile(
    r"^(?:\*[ ][^:]{0,120}<[^\s<>]{1,100}@[^\s<>]{1,100}>[ ]\[(?=[^\[\]]*\d[:.]\d\d)[^\[\]]{6,60}\]|"
    r"Quoting[ ](?:[^<>@]{0,80}<[^\s<>]{1,100}@[^\s<>]{1,100}>|[^\s<>]{1,100}@[^\s<>]{1,100})"
    r"|Missatge de[ ].{0,200}\S@\S.{0,100}\d)[:：]$"
)
# A person's own sentence can end in "wrote:", too; a program names the hour or the address.
_PRECISE = re.compile(
    r"\d{1,2}[:.h]\d{2}|\S@\S|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|(?<!\w)(?:19|20)\d\d(?![\da-zA-Z_])"
)
# "---- On …, … wrote ----" and "2026-10-05 9:00 GMT+02:00 Ole <ole@example.org>:" are no sentences of a person's.
_DASHED = re.compile(r"^[ \t]*-{3,}[ \t]*")
_STAMPED = re.compile(
    r"^\d{4}-\d\d-\d\d[ ,T]{1,2}\d{1,2}:\d\d(?::\d\d)?[ ]?(?:GMT|UTC|Z)?(?:[+-]\d\d:?\d\d)?"
    r"[ ,]{1,2}[^:]{0,120}\S@\S+[:：]$"
)
_ORIGINAL = re.compile(
    r"^[ \t]*+(?:-{2,}(?!-)|_{3,}|=|\*)?[ \t]*+"
    r"(?:-{2,}[ \t]*(?:original[ ]message|original[ ]appointment|forwarded[ ](?:message|by)\b.{0,200}"
    r"|ursprüngliche[ ]nachricht|weitergeleitete[ ]nachricht|message[ ](?:d'origine|original|transféré)"
    r"|mensaje[ ](?:original|reenviado)|messaggio[ ](?:originale|inoltrato)|oorspronkelijk[ ]bericht"
    r"|mensagem[ ](?:original|encaminhada)|ursprungligt[ ]meddelande|oprindelig[ ]meddelelse"
    r"|doorgestuurd[ ]bericht|исходное[ ]сообщение|reply[ ]message|reply[ ]above[ ]this[ ]line)"
    r"|begin[ ]forwarded[ ]message:|anfang[ ]der[ ]weitergeleiteten[ ]nachricht:"
    r"|début[ ]du[ ]message[ ](?:réexpédié|transféré)[ ]?:|inizio[ ]messaggio[ ]inoltrato:)",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    r"^[ \t]*+#*+-*+[ \t]*+(?:please )?(?:reply|type your reply|respond) above this line\b", re.IGNORECASE
)


def _label(words: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t*>|]*+(?:{words})[ \t*]*+[:：][ \t*]*+(.*)$", re.IGNORECASE)


_FROM = _label(
    "From|Von|De|De la|Da|Van|Från|Fra|Od|От|От кого|Від|Expéditeur|Lähettäjä|Feladó|Kimden|Gönderen|Από|מאת|من"
    "|差出人|送信者|发件人|寄件者|보낸 사람"
)
_SENT = _label(
    "Sent|Date|Sent on|Gesendet|Gesendet am|Datum|Envoyé|Envoyé le|Enviado|Enviado el|Enviada "
    "em|Fecha|Inviato|Data|Verzonden|Skickat|Sendt|Dato|Wysłano|Odesláno|Отправлено|Дата|Надіслано|Lähetetty|"
    "Päivämäärä|Elküldve|Küldve|Dátum|Gönderildi|Gönderme Tarihi|Tarih|Trimis|Εστάλη|Στάλθηκε|Ημερομηνία|נשלח|תאריך|"
    "تم الإرسال|أرسلت|التاريخ|送信日時|日時|日期|发送时间|发送日期|寄件日期|傳送時間|보낸 날짜|날짜"
)
_TO = _label(
    "To|An|À|A|Para|Aan|Till|Til|Do|Komu|Кому|Vastaanottaja|Címzett|Kime|Către|Προς|אל|إلى|宛先|收件人|收件者|받는 사람|받는사람"  # noqa: E501
)
_CC = _label("Cc|Bcc|Kopie|Copie|Kopia|Копия|Reply-To|Organization|Organisation|Importance|Priority|Attachments")
_SUBJECT = _label(
    "Subject|Betreff|Objet|Asunto|Oggetto|Assunto|Onderwerp|Ämne|Emne|Temat|Předmět|Тема|Aihe|Tárgy|Konu|Subiect|"
    "Θέμα|נושא|الموضوع|件名|主题|主旨|主題|제목|Re"
)
_HEADERS = (("from", _FROM), ("sent", _SENT), ("to", _TO), ("cc", _CC), ("subject", _SUBJECT))
_DATED = re.compile(r"\b\d{1,2}/\d{1,2}/\d{2,4}[ \t,]+\d{1,2}:\d{2}(?::\d{2})?(?:[ \t]?[AP]M)?[ \t]*$", re.IGNORECASE)
# What follows "from" in the hours of a meeting ("10 Uhr", "9:30", "9 a.m.") or in the days of a holiday: no sender.
_AN_HOUR = re.compile(
    r"(?:\d{1,2}(?:[:.]\d\d)?[ \t]*+(?:Uhr|h|hrs|o'clock|[ap]\.?m\.?)?|\d{4}-\d\d-\d\d|"
    r"\d{1,2}[./]\d{1,2}[./](?:\d{2,4})?"
    r"|\d{1,2}\.?(?:st|nd|rd|th)?[ ][^\W\d_]{3,10}(?:,?[ ]\d{4})?)[ \t.,]*+$",
    re.IGNORECASE,
)
_RULE = re.compile(r"^[ \t]*[-_=*~]{4,}[ \t]*$")
# "-------- Original message --------" above another mail's headers, in whatever language.
_TITLE = re.compile(r"^[ \t]*+-{3,}+(?=[^-\n]{3})[ \t]*+(?:[^-\s](?:[^-\n]{0,58}[^-\s])?)?[ \t]*+-{3,}+[ \t]*+$")


def own_lines(text: str) -> str:
    """The lines of a mail that its sender wrote: without quotes, with the answers between them."""
    lines = text.split("\n")
    own: list[str] = []
    position = 0
    while position < len(lines):
        line = lines[position]
        if _ORIGINAL.match(line[:MAX_LINE]) or (_ABOVE.match(line[:MAX_LINE]) and not own):
            if _ABOVE.match(line[:MAX_LINE]):
                position += 1
                continue
            break
        if _heads_a_quote(lines, position) or _heads_otherwise(lines, position):
            own = _without_title(own)
            break
        if _heads_a_memo(lines, position):
            own = _without_last_dated(own)
            break
        if line.lstrip().startswith(">"):
            own.append("")
            position += 1
            continue
        announced = _announcement(lines, position)
        if announced:
            following = next((after for after in lines[position + announced :] if after.strip()), "")
            if following.lstrip().startswith(">"):
                position += announced
                continue
            if _is_precise(lines, position, announced):
                break
        own.append(line)
        position += 1
    while own and (not own[-1].strip() or _RULE.match(own[-1])):
        own.pop()
    return "\n".join(own)


def unmarked(text: str) -> str:
    """A quote as text: without its marks."""
    return "\n".join(_MARKS.sub("", line) for line in text.split("\n"))


class Words(NamedTuple):
    """Words of a mail: its sender's own, or another's that it quotes, by name where a heading names them."""

    text: str
    is_own: bool = True
    writer: str | None = None


def quoted_parts(text: str) -> list[Words]:
    """A mail of nothing but quotes in its parts, without their headings: each has its own writer.

    What is above the first heading, is announced, or is quoted within a part, is of somebody who is not named.
    """
    lines = text.split("\n")
    plain = unmarked(text).split("\n")
    parts: list[tuple[str | None, list[str]]] = [(None, [])]
    position = 0
    while position < len(lines):
        until = _after_heading(plain, position)
        if until > position:
            writer = _writer(plain[position:until])
            if _heads_a_memo(plain, position):
                parts[-1] = (parts[-1][0], _without_last_dated(parts[-1][1]))
                writer = _memo_writer(plain, position)
            parts.append((writer, []))
            position = until
            continue
        announced = _announcement(plain, position)
        if announced and _is_precise(plain, position, announced):
            parts.append((None, lines[position : position + announced]))
            position += announced
            continue
        parts[-1][1].append(lines[position])
        position += 1
    found = (quoted for writer, said in parts for quoted in _by_depth(writer, said))
    return [quoted for quoted in found if any(character.isalnum() for character in quoted.text)]


def _after_heading(lines: list[str], position: int) -> int:
    """Where a part's words begin below the heading at ``position``; ``position`` itself where there is none."""
    cut = lines[position][:MAX_LINE]
    is_title = position + 1 < len(lines) and bool(_TITLE.match(cut)) and _heads_a_mail(lines, position + 1)
    has_title = is_title or bool(_ORIGINAL.match(cut))
    if not (has_title or _heads_a_mail(lines, position)):
        return position
    until = position + has_title
    was_blank, has_begun = False, not has_title
    for number in range(until, min(len(lines), until + HEADING_LINES)):
        line = lines[number][:MAX_LINE]
        # The title of a forward is broken over lines, too.
        is_head = any(pattern.match(line) for _, pattern in _HEADERS) or (has_title and bool(_DASHES_END.search(line)))
        if is_head:
            until, has_begun = number + 1, True
        elif line.strip() and (was_blank or not has_begun):
            break
        was_blank = not line.strip()
    return until


def _heads_a_mail(lines: list[str], position: int) -> bool:
    """Whether the headers of another mail begin here, in one of the ways in which programs write them."""
    return _heads_a_quote(lines, position) or _heads_otherwise(lines, position) or _heads_a_memo(lines, position)


def _writer(heading: list[str]) -> str | None:
    """Whom the heading of a quote names as its sender."""
    found = (_FROM.match(line[:MAX_LINE]) for line in heading)
    return next((_name_of(match[1]) for match in found if match), None)


def _memo_writer(lines: list[str], position: int) -> str | None:
    """The name in the line of day and hour above a memo's "To", or above that line."""
    above = [line for line in lines[max(0, position - 4) : position] if line.strip()]
    named = re.sub(r"[ \t]on[ \t]*$", "", _DATED.sub("", above[-1][-MAX_LINE:])).strip()
    return _name_of(named or (above[-2] if len(above) > 1 else ""))


def _name_of(sender: str) -> str | None:
    """A sender as a heading writes it, by name, else by the first part of the address."""
    name = re.split(r"[<\[(]", sender)[0].strip(" \t*\"',;")
    if not name:
        address = re.search(r"[^\s<>\[\]():]{1,100}(?=@)", sender)
        name = address[0] if address else ""
    name = one_line(re.split(r"[@/]", name)[0])
    return name if any(map(str.isalpha, name)) and len(name) <= MAX_WRITER else None


def _by_depth(writer: str | None, lines: list[str]) -> list[Words]:
    """A part's lines; those that are quoted once more are apart, and somebody else's."""
    depths = [marks[0].count(">") if (marks := _MARKS.match(line)) else 0 for line in lines]
    least = min((depth for depth, line in zip(depths, lines, strict=True) if line.strip(" \t>")), default=0)
    runs: list[tuple[str | None, list[str]]] = []
    for depth, line in zip(depths, lines, strict=True):
        who = writer if depth <= least else None
        plain = _MARKS.sub("", line)
        if runs and (runs[-1][0] == who or not plain.strip()):
            runs[-1][1].append(plain)
        else:
            runs.append((who, [plain]))
    return [Words("\n".join(run), False, who) for who, run in runs]


def _announcement(lines: list[str], position: int) -> int:
    """How many lines from here say "On …, … wrote:"; 0 when they don't."""
    joined = ""
    if not lines[position].strip() or len(lines[position]) > MAX_LINE:
        return 0
    first = _DASHED.sub("", lines[position]).strip()
    dashed = first != lines[position].strip()
    stamped = bool(re.match(r"\d{4}-\d\d-\d\d\b", first))
    opens = stamped or bool(_OPENER.match(first))
    may_announce = opens or _is_stamp(first)
    for count, line in enumerate(lines[position : position + ANNOUNCEMENT_LINES], start=1):
        if not line.strip() or line.lstrip().startswith(">") or len(joined) > MAX_LINE:
            return 0
        joined = f"{joined} {line.strip()}".strip()
        ends = joined.endswith((":", "：")) or bool(re.search(r"\bwrote$", joined))
        if _STAMPED.match(joined[:MAX_LINE]) or _LISTED.match(joined[:MAX_LINE]):
            return count
        ends = ends or (dashed and bool(re.search(r"[^-]-{3,}$", joined)))
        if may_announce and _ADDRESSED.search(joined[-MAX_LINE:]) and _is_stamp(joined[:MAX_LINE]):
            return count
        if ends and _VERB.search(joined[:MAX_LINE]):
            return count if opens or (may_announce and "@" in joined) or _is_a_programs(joined) else 0
        if not may_announce and not _is_a_programs(joined):
            return 0
    return 0


def _is_stamp(text: str) -> bool:
    return bool(_YEAR.search(text) and _HOUR.search(text))


def _is_a_programs(text: str) -> bool:
    """Whether a line is headed by an address, as "Ole <ole@example.org> wrote:" is."""
    return bool(re.match(r"^[^:]{0,120}<?\S+@\S+", text[:MAX_LINE])) or bool(
        re.search(_VERB.pattern + r"(?: op\b.{0,80})?\s*[:：]$", text[:MAX_LINE], re.IGNORECASE)
        and len(text.split()) <= 8
    )


def _is_precise(lines: list[str], position: int, count: int) -> bool:
    return bool(_PRECISE.search(" ".join(lines[position : position + count])[: MAX_LINE * 2]))


def _heads_a_quote(lines: list[str], position: int) -> bool:
    """Whether the headers of another mail begin here: From, and two of Sent, To and Subject below it.

    A journey has From, To and Date, too: a mail has a subject or an address.
    """
    sender = _FROM.match(lines[position][:MAX_LINE])
    if not sender or _AN_HOUR.match(sender[1]):
        return False
    found: set[str] = set()
    blanks = 0
    for line in lines[position + 1 : position + HEADING_LINES]:
        if not line.strip():
            blanks += 1
            if blanks > 1 and len(found) < 2:
                break
            continue
        cut = line[:MAX_LINE]
        for name, pattern in (("sent", _SENT), ("to", _TO), ("subject", _SUBJECT)):
            if pattern.match(cut):
                found.add(name)
    return len(found) >= 2 and ("subject" in found or ("sent" in found and "@" in lines[position][:MAX_LINE]))


def _heads_otherwise(lines: list[str], position: int) -> bool:
    """Whether the headers of another mail begin here with its date or its subject, From among them.

    A report lists them, too: below a line that says so, or among others.
    """
    if not (_SENT.match(lines[position][:MAX_LINE]) or _SUBJECT.match(lines[position][:MAX_LINE])):
        return False
    if position and lines[position - 1].strip() and not _RULE.match(lines[position - 1]):
        return False
    above = next((line for line in reversed(lines[max(0, position - 4) : position]) if line.strip()), "")
    if above.rstrip().endswith((":", "：")):
        return False
    found: set[str] = set()
    addressed = False
    for line in lines[position : position + HEADING_LINES]:
        cut = line[:MAX_LINE]
        name = next((name for name, pattern in _HEADERS if pattern.match(cut)), None)
        if name is None:
            break
        if name == "from" and re.match(r"\d{1,2}\b", _FROM.match(cut)[1]):  # type: ignore[index]
            return False  # an hour or a day, as a meeting has it
        found.add(name)
        addressed = addressed or "@" in cut
    # An invitation has a date, a subject and hours from and to: a mail has an address, or names all four.
    return {"from", "subject"} < found and (addressed or {"sent", "to"} < found)


def _without_title(lines: list[str]) -> list[str]:
    """Without the line of dashes and words above the headers of another mail."""
    last = next((number for number in range(len(lines) - 1, -1, -1) if lines[number].strip()), None)
    return lines[:last] if last is not None and _TITLE.match(lines[last][:MAX_LINE]) else lines


def _heads_a_memo(lines: list[str], position: int) -> bool:
    """Whether To, cc and Subject are here below a line that ends in day and hour."""
    if not _TO.match(lines[position][:MAX_LINE]):
        return False
    before = next((line for line in reversed(lines[max(0, position - 4) : position]) if line.strip()), "")
    if not _DATED.search(before[-MAX_LINE:]):
        return False
    return any(_SUBJECT.match(line[:MAX_LINE]) for line in lines[position + 1 : position + 8])


def _without_last_dated(lines: list[str]) -> list[str]:
    """Without the line of day and hour at the end, and without the name above it."""
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        return lines
    dated = lines.pop()
    alone = not _DATED.sub("", dated[-MAX_LINE:]).strip()
    if alone and lines and lines[-1].strip():
        lines.pop()
    return lines
