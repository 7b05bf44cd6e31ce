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
_YEAR = re.compile(r"(?<!\w)(?:19|20)\d\d(?![\da-zA-Z_])")
_HOUR = re.compile(r"(?<![\d.])\d{1,2}[:.h]\d{2}(?![\d.])")
# As programs write it: "Send it by 5 May 2026 10:00 to ole@example.org:" is a person's.
_ADDRESS = re.compile(r"[<(\[][ ]?[^\s<>()\[\]]{1,100}@[^\s<>()\[\]]{1,100}[>)\]]")
_ENDS = re.compile(r"[:：]$|\bwrote$|[^-]-{3,}$")
SHORT_ANNOUNCEMENT = 8
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
# What programs of all languages call the headers of the mail that they quote.
_LABELS = {
    "from": (
        "From|Von|De|De la|Da|Van|Från|Fra|Od|От|От кого|Від|Expéditeur|Lähettäjä|Feladó|Kimden|Gönderen|Από|"
        "מאת|من|差出人|送信者|发件人|寄件者|보낸 사람"
    ),
    "sent": (
        "Sent|Date|Sent on|Gesendet|Gesendet am|Datum|Envoyé|Envoyé le|Enviado|Enviado el|Enviada em|Fecha|"
        "Inviato|Data|Verzonden|Skickat|Sendt|Dato|Wysłano|Odesláno|Отправлено|Дата|Надіслано|Lähetetty|"
        "Päivämäärä|Elküldve|Küldve|Dátum|Gönderildi|Gönderme Tarihi|Tarih|Trimis|Εστάλη|Στάλθηκε|Ημερομηνία|"
        "נשלח|תאריך|تم الإرسال|أرسلت|التاريخ|送信日時|日時|日期|发送时间|发送日期|寄件日期|傳送時間|보낸 날짜|날짜"
    ),
    "to": (
        "To|An|À|A|Para|Aan|Till|Til|Do|Komu|Кому|Vastaanottaja|Címzett|Kime|Către|Προς|אל|إلى|宛先|收件人|收件者|"
        "받는 사람|받는사람"
    ),
    "cc": "Cc|Bcc|Kopie|Copie|Kopia|Копия|Reply-To|Organization|Organisation|Importance|Priority|Attachments",
    "subject": (
        "Subject|Betreff|Objet|Asunto|Oggetto|Assunto|Onderwerp|Ämne|Emne|Temat|Předmět|Тема|Aihe|Tárgy|Konu|"
        "Subiect|Θέμα|נושא|الموضوع|件名|主题|主旨|主題|제목|Re"
    ),
}
_HEADER = re.compile(
    rf"^[ \t*>|]*+(?:{'|'.join(f'(?P<{name}>{words})' for name, words in _LABELS.items())})[ \t*]*+[:：][ \t*]*+", re.I
)
_DATED = re.compile(r"\b\d{1,2}/\d{1,2}/\d{2,4}[ \t,]+\d{1,2}:\d{2}(?::\d{2})?(?:[ \t]?[AP]M)?[ \t]*$", re.IGNORECASE)
# A day or an hour as a journey or a meeting begins with: no sender.
_COUNTED = re.compile(r"\d{1,4}\b[^@]*$")
_RULE = re.compile(r"^[ \t]*[-_=*~]{4,}[ \t]*$")
# "-------- Original message --------" above another mail's headers, in whatever language.
_TITLE = re.compile(r"^[ \t]*+-{3,}+(?=[^-\n]{3})[ \t]*+(?:[^-\s](?:[^-\n]{0,58}[^-\s])?)?[ \t]*+-{3,}+[ \t]*+$")
# The title of a forward is broken over lines, too.
_DASHES_END = re.compile(r"[^-\s][ \t]*-{3,}[ \t]*$")


class Heading(NamedTuple):
    """The heading of a quoted mail: the line at which its words begin, and whom it names."""

    below: int
    writer: str | None


def own_lines(text: str) -> str:
    """The lines of a mail that its sender wrote: without quotes, with the answers between them."""
    lines = text.split("\n")
    own: list[str] = []
    position = 0
    while position < len(lines):
        line = lines[position]
        if _heading(lines, position):
            break
        elif line.lstrip().startswith(">"):
            own.append("")
            position += 1
        elif announced := _announcement(lines, position):
            if not _is_marked_below(lines, position + announced):
                break
            position += announced
        else:
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
        if heading := _heading(plain, position):
            parts.append((heading.writer, []))
            position = heading.below
        elif announced := _announcement(plain, position):
            parts.append((None, lines[position : position + announced]))
            position += announced
        else:
            parts[-1][1].append(lines[position])
            position += 1
    found = (quoted for writer, said in parts for quoted in _by_depth(writer, said))
    return [quoted for quoted in found if any(map(str.isalnum, quoted.text))]


def _heading(lines: list[str], position: int) -> Heading | None:
    """The heading of another mail that begins here: a program's title, the mail's headers, or both."""
    line = lines[position][:MAX_LINE]
    if memo := _memo(lines, position):
        return memo
    is_title = bool(_TITLE.match(line)) and position + 1 < len(lines) and _heads_a_mail(lines, position + 1)
    has_title = is_title or bool(_ORIGINAL.match(line))
    if not has_title and not _heads_a_mail(lines, position):
        return None
    return _from_headers(lines, position, has_title=has_title)


def _from_headers(lines: list[str], position: int, *, has_title: bool) -> Heading:
    """A heading by the headers below its title, or by these alone."""
    below, writer = position + has_title, None
    was_blank, has_begun = False, not has_title
    for number in range(below, min(len(lines), below + HEADING_LINES)):
        line = lines[number][:MAX_LINE]
        name, value = _header(line)
        if name or (has_title and _DASHES_END.search(line)):
            below, has_begun = number + 1, True
            writer = writer or (_name_of(value) if name == "from" else None)
        elif line.strip() and (was_blank or not has_begun):
            break
        was_blank = not line.strip()
    return Heading(below, writer)


def _header(line: str) -> tuple[str | None, str]:
    """Which of a mail's headers a line is, and what it says; None for any other line."""
    cut = line[:MAX_LINE]
    match = _HEADER.match(cut)
    return (match.lastgroup, cut[match.end() :]) if match else (None, "")


def _heads_a_mail(lines: list[str], position: int) -> bool:
    """Whether the headers of another mail begin here: From, and two of Sent, To and Subject with it.

    A journey has From, To and Date, too, and a report lists headers: a mail has a subject or an address, and where its
    sender isn't its first header, all of them or an address below nothing that leads in.
    """
    first, value = _header(lines[position])
    if first not in ("from", "sent", "subject"):
        return False
    found, blanks = {first: value}, 0
    for line in lines[position + 1 : position + HEADING_LINES]:
        name, value = _header(line)
        if name:
            found.setdefault(name, value)
        blanks += not line.strip()
        if (name is None and first != "from") or (blanks > 1 and len(found) < 3):
            break
    sender = found.get("from")
    if sender is None or _COUNTED.match(sender) or len(found.keys() & {"sent", "to", "subject"}) < 2:
        return False
    if first == "from":
        return "subject" in found or ("sent" in found and "@" in sender)
    above = next((line.rstrip() for line in reversed(lines[max(0, position - 4) : position]) if line.strip()), "")
    is_apart = not position or not lines[position - 1].strip() or bool(_RULE.match(lines[position - 1]))
    is_a_mails = "@" in "".join(found.values()) or {"sent", "to"} < found.keys()
    return is_apart and not above.endswith((":", "：")) and "subject" in found and is_a_mails


def _memo(lines: list[str], position: int) -> Heading | None:
    """A heading as Lotus Notes writes it: a name, day and hour, beside or below it, then To, cc and Subject."""
    line, following = lines[position][-MAX_LINE:], "".join(lines[position + 1 : position + 2])[-MAX_LINE:]
    if not line.strip() or not (_DATED.search(line) or (_DATED.match(following.lstrip()))):
        return None
    begin = position + (1 if _DATED.search(line) else 2)
    to = next((number for number, text in enumerate(lines[begin : begin + 3], begin) if text.strip()), None)
    if to is None or _header(lines[to])[0] != "to":
        return None
    if not any(_header(text)[0] == "subject" for text in lines[to + 1 : to + 8]):
        return None
    named = re.sub(r"[ \t]on[ \t]*$", "", _DATED.sub("", line)).strip()
    return Heading(_from_headers(lines, to, has_title=False).below, _name_of(named))


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
    """How many lines from here announce a quote: "On …, … wrote:"; 0 when none do.

    Without marks below it, a program's has two of a verb, an address and a day with its hour: a person's own sentence
    can end in "wrote:", too.
    """
    joined = ""
    first = lines[position].strip("- \t")
    opens = bool(_OPENER.match(first))
    goes_on = opens or _is_stamp(first) or "@" in first
    for count, line in enumerate(lines[position : position + ANNOUNCEMENT_LINES], start=1):
        joined = f"{joined} {line.strip()}".strip()
        if not line.strip() or line.lstrip().startswith(">") or len(joined) > MAX_LINE:
            return 0
        if _ENDS.search(joined):
            is_certain = _is_a_programs(joined, opens=opens)
            is_likely = is_certain or opens or len(joined.split()) <= SHORT_ANNOUNCEMENT
            is_marked = is_likely and _is_marked_below(lines, position + count)
            has_sign = bool(_VERB.search(joined) or _ADDRESS.search(joined))
            return count if is_certain or (is_marked and has_sign) else 0
        if not goes_on:
            return 0
    return 0


def _is_a_programs(text: str, *, opens: bool) -> bool:
    has_verb, has_address = bool(_VERB.search(text)), bool(_ADDRESS.search(text))
    is_precise = opens and bool(_YEAR.search(text) or _HOUR.search(text))
    return (has_address and (has_verb or _is_stamp(text))) or (has_verb and is_precise)


def _is_stamp(text: str) -> bool:
    return bool(_YEAR.search(text) and _HOUR.search(text))


def _is_marked_below(lines: list[str], position: int) -> bool:
    following = next((line for line in lines[position:] if line.strip()), "")
    return following.lstrip().startswith(">")
