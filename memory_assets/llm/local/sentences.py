"""A turn's text cut into what a person would call its sentences.

Markdown bullets are sentences; fenced code, abbreviations and links stay whole; decoration, greetings
before the point ("Wow, that's great! ...", "Yeah, ...") and machine blobs go; a long sentence is
its clauses (``clauses.py``). Everything that remains is a literal part of :func:`plain` of the
turn, but for a capitalised first letter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from memory_assets.llm.local.clauses import clauses
from memory_assets.llm.local.days import is_month
from memory_assets.llm.local.language import ENGLISH, abbreviations, is_word, language_of
from memory_assets.llm.local.lexicon import ABBREVIATIONS, ABBREVIATIONS_THAT_END
from memory_assets.llm.tokens import well_formed

LONGEST = 400
MOST_WORDS = 45
"""So many words a statement has at most, of one sentence or several: nobody remembers more as one thing."""
SHORT_CODE = 160
BLOB = 200


class Form(StrEnum):
    """How a piece stood in its text."""

    SENTENCE = "sentence"
    BULLET = "bullet"
    STEP = "step"
    TODO = "todo"
    DONE = "done"
    HEADING = "heading"
    CODE = "code"
    UNREAD = "unread"


_APART = (Form.CODE, Form.UNREAD)


@dataclass(frozen=True, slots=True)
class Piece:
    """One sentence or bullet. ``section`` is the heading or the "...:" line that it is under."""

    text: str
    form: Form
    section: str = ""


# Zero-width characters, directional marks, byte-order mark, soft hyphen, controls but tab and newline.
# The zero-width joiner stays: emoji are made with it.
_INVISIBLE = re.compile(
    "[\u00ad\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-"
    "\x84\x86-\x9f]"
)
_NOISE = re.compile(
    r"\{(?:disfmarker|vocalsound|nonvocalsound|gap|pause|comment|inaudible)\}|\[(?:inaudible|crosstalk|laughter|"
    r"applause|music)\]",
    re.I,
)
_INLINE = (
    (re.compile(r"!\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)"), r"\1"),
    (re.compile(r"\[([^\[\]]{1,300})\]\((https?://[^()\s]{1,300})\)"), r"\1 (\2)"),
    (re.compile(r"\*\*([^*\n]{1,400})\*\*"), r"\1"),
    (re.compile(r"(?<![\w_])__([^_\n]{1,400})__(?![\w_])"), r"\1"),
    (re.compile(r"(?<![\w*])\*([^\s*][^*\n]{0,400})\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w_])_([^\s_][^_\n]{0,400})_(?![\w_])"), r"\1"),
    (re.compile(r"~~([^~\n]{1,400})~~"), ""),
    (re.compile(r"(?<!`)`++([^`\n]{1,400})`+"), r"\1"),
    (re.compile(r"</?(?:br|p|b|i|em|strong|div|span|u|li|ul|ol)\s{0,3}/?>", re.I), " "),
)
# A log's line carries its second near its beginning, and says how bad it is, or what it is of; three of them are a log.
_LOG_LINE = re.compile(
    r".{0,40}?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d|"
    r"\b[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )"
)
_LOG_SIGN = re.compile(
    r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b|\b[\w.-]{1,40}=\S|\b[\w-]{1,40}\[\d+\]|"
    r'"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) /|\b\d{1,3}(?:\.\d{1,3}){3}\b'
)
_SHORTEST_LOG, LOG_HEAD = 3, 300
# Who would have an agent forget its instructions is nobody to listen to.
_ORDERS = (
    r"(?:instructions?|prompts?|orders|guidelines|rules|anweisungen|regeln|instrucciones|instruções|consignes|"
    r"directives)"
)
_FORMER = r"(?:previous|prior|above|earlier|preceding|foregoing|vorherigen|bisherigen|anteriores|précédentes)"
_OVERRIDE = re.compile(
    r"(?<!n't )(?<!not )(?<!never )\b(?:ignore|ignoriere|ignora|ignorez|disregard|forget|override|bypass)\b"
    r"[^.!?]{0,30}\b"
    rf"(?:{_FORMER}\b(?: \w+){{0,2}} {_ORDERS}|{_ORDERS} {_FORMER})\b|"
    r"(?:^|[.!?:;] {0,3}|\bplease )(?:ignore|disregard|override|bypass) (?:all|any|your)\b(?: \w+)? "
    rf"{_ORDERS}\b|忽略.{{0,6}}(?:之前|以上|先前|所有).{{0,6}}(?:指令|指示|规则)",
    re.IGNORECASE,
)
FENCE = re.compile(r"\s{0,6}(?:```|~~~)")
_FENCE_OF_LANGUAGE = re.compile(r"\s{0,6}(?:```|~~~)[a-zA-Z][\w+#-]{0,20}\s*$")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_BULLET = re.compile(r"\s*(?:[-*+•‣▪◦–—]|\(?\d{1,3}[.)]|\(?[a-zA-Z][)])\s+(.*)$")
_CHECKBOX = re.compile(r"\[([ xX✓✔])\]\s*(.*)$")
_RULE = re.compile(r"\s*+(?>(?:[-=*_~]\s*+){3,})$|\s*+\|?(?>(?:\s*+:?-{2,}+:?\s*+\|)+)\s*+:?-*+:?\s*+\|?\s*+$")
# ">1GB" is more than that.
_QUOTE_MARK = re.compile(r"\A\s{0,3}(?:>(?!\d)\s?)+")


def plain(text: str) -> str:
    """``text`` on one line, without invisible characters and Markdown decoration. Statements are parts of it."""
    return " ".join(line.text for line in lines(text) if line.text)


class Line(NamedTuple):
    """A line as it is written, its form (None: a line of a paragraph) and its undecorated text."""

    raw: str
    form: Form | None
    text: str


def lines(text: str) -> list[Line]:
    """The lines of a text; blank lines stay."""
    result: list[Line] = []
    raw_lines = _without_blobs(_INVISIBLE.sub("", well_formed(text))).splitlines()
    fences = [at for at, raw in enumerate(raw_lines) if FENCE.match(raw) and not _is_inline_fence(raw)]
    # One that never closes is none, and what follows is speech, unless it says its language: Markdown shows code
    # to the end then, and pasted code is often cut off there.
    lasting = len(fences) % 2 and _FENCE_OF_LANGUAGE.match(raw_lines[fences[-1]])
    closed = frozenset(fences if lasting else fences[: len(fences) // 2 * 2])
    unread = _unread(raw_lines)
    in_code = False
    for at, raw in enumerate(raw_lines):
        if at in closed:
            # A fence's language name is decoration; the fence ends what stood before it.
            in_code = not in_code
            result.append(Line(raw, None, ""))
        elif FENCE.match(raw):
            result.append(Line(raw, None, " ".join(raw.strip().strip("`~").split())))
        elif in_code or at in unread:
            result.append(Line(raw, Form.CODE if in_code else Form.UNREAD, " ".join(raw.split())))
        else:
            result.append(Line(raw, *_line(raw)))
    return result


def _unread(lines: Sequence[str]) -> frozenset[int]:
    """Which lines nobody says to be remembered: a log's, and what would give an agent other orders, by paragraphs and
    by items of a list.
    """
    logged = [at for at, line in enumerate(lines) if _LOG_LINE.match(line) and _LOG_SIGN.search(line[:LOG_HEAD])]
    found = set(logged) if len(logged) >= _SHORTEST_LOG else set()
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or not lines[at].strip() or _BULLET.match(lines[at]) or _HEADING.match(lines[at][:500]):
            if _OVERRIDE.search(" ".join(" ".join(lines[start:at]).split())):
                found.update(range(start, at))
            start = at
    return frozenset(found)


def _is_inline_fence(raw: str) -> bool:
    """Code between two fences on one line."""
    return raw.strip().endswith(("```", "~~~")) and len(raw.strip()) > 6


def _line(raw: str) -> tuple[Form | None, str]:
    raw = _QUOTE_MARK.sub("", raw, count=1)
    if _RULE.match(raw[:300]) and len(raw) < 300:
        return None, ""
    if heading := _HEADING.match(raw[:500]):
        return Form.HEADING, _inline(heading[1])
    if bullet := _BULLET.match(raw):
        if box := _CHECKBOX.match(bullet[1]):
            return (Form.TODO if box[1] == " " else Form.DONE), _inline(box[2])
        return (Form.STEP if raw.lstrip()[:1].isdigit() else Form.BULLET), _inline(bullet[1])
    if raw.lstrip().startswith("|") and raw.rstrip().endswith("|"):
        return Form.BULLET, _inline(raw.strip().strip("|"))
    return None, _inline(raw)


def _inline(line: str) -> str:
    line = _NOISE.sub(" ", line)
    for pattern, replacement in _INLINE:
        line = pattern.sub(replacement, line)
    return " ".join(line.split())


def _without_blobs(text: str) -> str:
    """Cut machine blobs (base64, minified code): long runs without a space in a script that has spaces."""

    def judge(match: re.Match[str]) -> str:
        sample = match[0][:2000]
        spaceless = sum(unicodedata.category(char) == "Lo" or char in "。！？，、" for char in sample)
        return match[0] if spaceless > len(sample) / 2 else "\n\n"

    return re.sub(rf"\S{{{BLOB},}}", judge, text)


def pieces(text: str) -> list[Piece]:
    """Cut a turn's text into sentences, bullets and headings, in order."""
    result: list[Piece] = []
    section = ""
    for form, block in _blocks(text):
        if form is Form.HEADING:
            section = block
            result.extend(Piece(part, form) for part in bounded(block))
            continue
        if form is Form.UNREAD:
            continue
        if form is Form.CODE:
            # A short command belongs to the sentence that announces it ("Deploy with: make deploy").
            if result and result[-1].text.endswith(":") and len(block) <= SHORT_CODE:
                joined = f"{result[-1].text} {block}"
                result[-1] = Piece(joined[:LONGEST], result[-1].form, result[-1].section)
            continue
        for sentence in split_sentences(block):
            parts = (part for clause in clauses(sentence) for part in bounded(clause))
            result.extend(Piece(part, form, section) for part in parts)
        if form is Form.SENTENCE:
            section = block if block.endswith(":") and len(block) < 80 else ("" if section.endswith(":") else section)
    return result


def _blocks(text: str) -> Iterable[tuple[Form, str]]:
    """Paragraphs, bullets with their continuation lines, headings, and code blocks in one string each."""
    form: Form | None = None
    held: list[str] = []
    for _, line_form, line in lines(text):
        continues = line_form is None and bool(line) and form not in (None, Form.HEADING, *_APART)
        if continues or (line_form in _APART and form is line_form):
            held.append(line)
            continue
        if form is not None and any(held):
            yield form, " ".join(part for part in held if part)
        form, held = (line_form or Form.SENTENCE, [line]) if line or line_form else (None, [])
    if form is not None and any(held):
        yield form, " ".join(part for part in held if part)


_END = re.compile(
    r"(?:(?<![.!?…])(?P<stop>[.!?…]++)(?P<close>[\"'”’)\]*]*)(?P<emoji>(?:\s?[\u2190-\u2bff\U0001f000-"
    r"\U0001faff\ufe0f\u200d])*)(?=\s|$)"
    r"|(?P<wide>[。！？]+[”’」』）]*)"
    r"|(?<![\u2600-\u27bf\U0001f300-\U0001faff\ufe0f\u200d])(?P<face>[\u2600-\u27bf\U0001f300-"
    r"\U0001faff\ufe0f\u200d]++)(?=\s+[A-Z\"“]))"
)
_LAST_WORD = re.compile(r"(?<![^\s(\[\"'“‘])[^\s(\[\"'“‘]++$")


def split_sentences(text: str) -> list[str]:
    """Cut at sentence ends: not after abbreviations or initials, also between chat's lower-case sentences.

    A German ordinal before a month and an abbreviation before a figure end nothing, whatever language the text is in,
    unless they are English words as well ("5. April", "art. 2"): then, and wherever its language counts, it is that of
    the one sentence, not of its neighbours.
    """
    result: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if match["stop"] and not _ends_here(text, start, match):
            continue
        part = text[start : match.end()].strip()
        if any(map(str.isalnum, part)):
            result.append(part)
            start = match.end()
        else:
            # Marks alone belong to what they follow; a long run of them to nothing (and must stay cheap).
            if result and len(result[-1]) < LONGEST:
                result[-1] = f"{result[-1]}{text[start : match.end()]}".rstrip()
            start = match.end()
    rest = text[start:].strip()
    if any(map(str.isalnum, rest)):
        result.append(rest)
    return result


WITH_DOTTED_ORDINALS = ("de",)
WITH_SMALL_NOUNS = ("es", "fr", "pt")
"""What is capitalised behind a capitalised abbreviation is its name there: "Sra. López"."""
_AROUND = 120
_NEXT_WORD = re.compile(r"\s*([^\W\d_]+)")
_GOES_ON = re.compile(r"\.?,?\s+[^\W\d_]")
_COUNTS = re.compile(r"\s*\d\S*+\s+[^\W\d_]")
_IN_DAY = re.compile(r"(?<![\w.,:])(?:\d{1,2}|(?P<month>\d{1,2}\. ?\d{1,2}))$")
_NUMBERED = re.compile(r"(?<![\w-])([\w-]{1,30})\. \d{1,2}$")
_SPACED_DAY = re.compile(r"(?<![\w.,:])\d{1,2}\. ?\d{1,2}\. ?(?:19|20|21)\d\d\b")


def _ends_here(text: str, start: int, match: re.Match[str]) -> bool:
    following = text[match.end() : match.end() + 3].strip()
    if not following:
        return True
    stop = match["stop"]
    if stop != ".":
        # "Yahoo! users", "Really?" she said: a lower-case word after a quote goes on.
        return not (match["close"] and following[0].islower()) and not (
            stop.startswith("..") and following[0].islower()
        )
    if match["close"].startswith(")") and following[0].islower():
        return False
    before = _LAST_WORD.search(text[max(0, match.start() - 30) : match.start()])
    written = before[0] if before else ""
    word = written.lower()
    if len(word) == 1 and word.isalpha() and word != "i" and written.isupper():
        return False
    if in_day := _IN_DAY.search(text, max(0, match.start() - 6), match.start()):
        return not _is_in_day(text, start, match, following, has_month=bool(in_day["month"]))
    if word in ABBREVIATIONS and not following[0].isdigit():
        return word in ABBREVIATIONS_THAT_END and following[0].isupper()
    return word not in ABBREVIATIONS and not _is_shortened(written, text, start, match, following)


def _is_in_day(text: str, start: int, match: re.Match[str], following: str, *, has_month: bool) -> bool:
    """Whether a point behind figures belongs to a day or an ordinal: "3. Mai", "9. 12. 2026", "bis 9.12. fertig"."""
    if following[0].isdigit():
        near = _SPACED_DAY.finditer(text, max(0, match.start() - 6), match.end() + 10)
        return any(day.start() < match.start() < day.end() for day in near)
    if not following[0].isalpha() or (has_month and not following[0].islower()):
        return False
    following_word = _NEXT_WORD.match(text, match.end())
    if not has_month and following_word and is_month(following_word[1], "de"):
        # "Lena is 5. April starts school": an English month may begin a sentence, where more words follow it.
        return (
            not is_month(following_word[1], ENGLISH)
            or not _GOES_ON.match(text, following_word.end())
            or _language_here(text, start, match) in WITH_DOTTED_ORDINALS
        )
    numbered = _NUMBERED.search(text, max(start, match.start() - 40), match.start())
    if numbered and (_known_short(numbered[1].rpartition("-")[2]) or "").istitle():
        return False  # "Ringstr. 3." is a number, no ordinal
    return _language_here(text, start, match) in WITH_DOTTED_ORDINALS


def _is_shortened(written: str, text: str, start: int, match: re.Match[str], following: str) -> bool:
    """Whether a word is an abbreviation of another language that goes on: "Str. 9", "bzw. die", "Sra. López"."""
    word = _known_short(written.rpartition("-")[2])
    if word is None:
        return False
    if following[0].isdigit():  # "I love art. 2 paintings hang here."
        is_said = word.islower() and len(word) > 2 and is_word(word)
        return not is_said or not _COUNTS.match(text, match.end()) or _language_here(text, start, match) != ENGLISH
    if following[0].islower():
        return not is_word(word) or _language_here(text, start, match) != ENGLISH
    return (
        written.istitle()
        and following[0].isupper()
        and (here := _language_here(text, start, match)) in WITH_SMALL_NOUNS
        and here in abbreviations()[word]
    )


def _known_short(written: str) -> str | None:
    """An abbreviation as it is listed; also at a sentence's beginning, and at the end of a compound: "Ringstr"."""
    known = abbreviations()
    # "Str" is written small, too; "so" is a word, and "So" is Sunday.
    as_written = (written, written[:1].lower() + written[1:], "" if is_word(written) else written.title())
    for word in as_written:
        if word in known:
            return word
    for at in range(1, len(written) - 1):
        end = written[at:].title()
        if end in known and not is_word(written, "de") and _VOWELLESS.match(end):
            return end if len(end) > 2 or is_word(written[:at], "de") else None
    return None


_VOWELLESS = re.compile(r"(?:(?![AEIOUYaeiouyÄÖÜäöü])[^\W\d_])+$")


def _language_here(text: str, start: int, match: re.Match[str]) -> str:
    """The language of the one sentence around a point, up to its next mark."""
    following = _END.search(text, match.end(), match.end() + _AROUND)
    end = following.end() if following else match.end() + _AROUND
    return language_of(text[max(start, match.start() - _AROUND) : end])


# Where an overlong sentence may be cut, best first: before a clause with its own subject, then looser.
_CUTS = (
    re.compile(
        "[;—] |,? (?=(?:and |so |but |because |also |then ){1,8}(?:I|we|he|she|they|it|my|our|please|can|"
        r"could)\b)|, (?=(?:I|we|can you|could you|please)\b)"
    ),
    re.compile(r", (?=(?:and|so|but|because|which|considering|while|where|or|given|with)\b)|: "),
    re.compile(r", | – | - "),
    re.compile(r"\s|(?<=[。，、])"),
)
_SHORTEST_CUT = 60
_MASK = re.compile(r"\[masked: [a-z ]{1,40}\]")


def bounded(sentence: str) -> list[str]:
    """A sentence whole, or, past the bound, in clauses that each fit it."""
    result: list[str] = []
    rest = sentence
    while len(rest) > LONGEST:
        cut = LONGEST
        for pattern in _CUTS:
            ends = [m.end() for m in pattern.finditer(rest, _SHORTEST_CUT, LONGEST)]
            if ends:
                cut = ends[-1]
                break
        cut = _beside_masks(rest, cut)
        result.append(rest[:cut].strip().rstrip(","))
        rest = rest[cut:].strip()
    if any(map(str.isalnum, rest)):
        result.append(rest)
    return result


def _beside_masks(text: str, cut: int) -> int:
    """The place of a cut, or before the mask that it would go through: "[masked: card number]" is read whole or not."""
    for mask in _MASK.finditer(text):
        if mask.start() < cut < mask.end():
            return mask.start() or mask.end()
    return cut


_LEAD_WORD = (
    "(?:oh|ah|aw+|wow|whoa|hey|hi|hello|hiya|yo|yeah|yea|yes|yep|yup|ya|nah|no|nope|ok|okay|k|sure|right|well|so|"
    "anyway|anyways|"
    "hm+|mm+|mhm|um+|uh+|er+|uh-huh|mm-hmm|haha+|hehe|lol|omg|gosh|man|dude|cool|nice|great|awesome|amazing|"
    "perfect|wonderful|"
    "excellent|fantastic|sweet|thanks|thank you|thx|cheers|absolutely|definitely|totally|exactly|indeed|certainly|"
    "of course|"
    r"for sure|got it|i see|you know|i mean|good point|good idea|true|fair enough|no worries|no problem|sounds good|"
    "that's (?:great|awesome|cool|amazing|nice|wonderful|so cool|so nice|true|right)|by the way|btw|honestly|"
    "actually|like)"
)
_JOINER = re.compile(
    r"(?:and|so|but|also|then|because|plus)\s+(?:then\s+)?(?=(?:I|we|he|she|they|it|my|our|please|always|never|can|"
    r"could)\b)",
    re.I,
)
_SEPARATOR = r"(?:\s*[,!…–—]+|\s*\.{1,3}|\s-)\s+"


def cut_lead_in(sentence: str, vocatives: Iterable[str] = ()) -> str:
    """Drop what only opens a sentence ("Wow, thanks, Mel! ..."), as long as four words remain."""
    names = "|".join(sorted((re.escape(name) for name in vocatives), key=lambda name: (-len(name), name)))
    who = (
        rf"(?:\s+(?:{names}|there|all|everyone|guys|team|man|so much|a lot|again))?"
        if names
        else r"(?:\s+(?:there|all|everyone|guys|team|man|so much|a lot|again))?"
    )
    opening = re.compile(
        rf"(?:{_LEAD_WORD}{who}{_SEPARATOR}" + (rf"|(?:{names}){_SEPARATOR}" if names else "") + ")", re.I
    )
    rest = sentence
    while match := opening.match(rest) or _JOINER.match(rest):
        if len(rest[match.end() :].split()) < 4:
            break
        rest = rest[match.end() :]
    return rest if rest is sentence else rest[:1].upper() + rest[1:]
