"""Calendar days in text: which ones it names, and its words without them. Pure.

Days are read in English, German, Spanish, French, Portuguese and Chinese, whatever language a text is taken for.
Figures alone are one where nothing else is written so: with a year of four digits; without one only in German behind a
word that goes before days ("bis 9.12."). Which figure of "3/4/2026" is the day follows from the text's language, but
not in English.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import lru_cache

from memory_assets.clock import MONTHS
from memory_assets.llm.local.gazetteer import months_of, weekdays_of
from memory_assets.llm.local.language import ENGLISH, WITH_ABBREVIATIONS, abbreviations, is_word, language_of

# Also cut off anywhere behind the third letter: "Sept".
_MONTH = "|".join(
    f"{name[:3]}{''.join(f'(?:{letter}' for letter in name[3:])}{')?' * len(name[3:])}" for name in MONTHS
)
_YEAR = r"(?:19|20|21)\d\d"
ISO_DAY = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_ENGLISH = re.compile(rf"(?:{_MONTH})$", re.I)
# Neither the end of "3.11" nor the beginning of "5:30".
_MONTH_FIRST = re.compile(
    rf"\b(?P<month>{_MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?![.:,]\d)(?:,? (?P<year>{_YEAR})\b)?", re.I
)
_DAY_FIRST = re.compile(
    r"(?<!\w)(?<!\d[.:,])(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.?[ºo°]|(?P<dot>\.))? ?(?:(?:of|de) )?"
    rf"(?P<month>[^\W\d_]{{3,10}})\b(?P<point>\.?)(?:,? (?:de )?(?P<year>{_YEAR})\b)?",
    re.I,
)
_CHINESE = re.compile(
    rf"(?:(?P<year>{_YEAR}) ?年 ?)?"
    rf"(?<![\d一二三四五六七八九十])(?P<month>\d{{1,2}}|[一二三四五六七八九十]{{1,2}}) ?月 ?"
    r"(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3}) ?[日号號]"
)
_BEFORE_DAY = re.compile(r"\b(?:am|bis|zum|vom|den|dem) $", re.I)
_FIGURES = re.compile(
    r"(?<![\w.,:/-])"
    rf"(?:(?P<d1>\d{{1,2}})\. ?(?P<m1>\d{{1,2}})\.(?: ?(?P<y1>{_YEAR}|\d\d)\b(?! ?Uhr))?(?!\w|\.\d)"
    rf"|(?P<d2>\d{{1,2}})(?P<sign>[/-])(?P<m2>\d{{1,2}})(?P=sign)(?P<y2>{_YEAR})(?![\w/-]))",
    re.I,
)
_ENGLISH_DAYS = tuple(name.lower() for name in calendar.day_name)
_SHORT = (3, 4, 5)
_REPEATED = re.compile(
    r"\b(?:jede[mnrs]?|immer|chaque|toujours|tou(?:te)?s les|cada|siempre|sempre|tod[oa]s l?[oa]s|every)\b", re.I
)
_NO_COMING = frozenset(
    "los le letzte letzten letzter vorigen voriger vergangene vergangenen pasado passado último última dernier".split()
)
"""Beside a day of the week, these make it one that has passed or that returns: "letzten Freitag", "los viernes"."""
_CALLED = frozenset({"herr", "herrn", "frau"})
_A_FIGURE = re.compile(r"\d|十?[一二三四五六七八九十]月")
_THEN = re.compile(rf"\b(?:last (?!name)\w+|ago|yesterday|(?:back )?then|once|in (?:(?:19|20)\d\d|{_MONTH}))\b", re.I)


def day_of(text: str, said: date | None) -> date | None:
    """The day that a memory is of: a log's line begins with its own ("2026-10-14: The database is ...")."""
    match = ISO_DAY.match(text)
    is_logged = match is not None and text.startswith(": ", match.end())
    own = _date(int(match[1]), int(match[2]), int(match[3])) if match and is_logged else None
    return own if own is not None and (said is None or own <= said) else said


def days_in(text: str, said: date | None) -> list[date]:
    """The calendar days that ``text`` names; without a year, the one nearest to the day it was said."""
    found = []
    for _, year, month, day in _named(text):
        if year:
            found.append(_date(year, month, day))
        elif said is not None:
            near = [_date(said.year + step, month, day) for step in (-1, 0, 1)]
            found.append(min((d for d in near if d), key=lambda d: abs((d - said).days), default=None))
    return [day for day in found if day is not None]


def without_days(text: str, mark: str = " ") -> str:
    """The text without the calendar days that it names: a ``mark`` is where each of them was."""
    for start, end in sorted((match.span() for match, *_ in _named(text)), reverse=True):
        text = f"{text[:start]}{mark}{text[end:]}"
    return text


def weekday_of(word: str, language: str) -> int | None:
    """The day of the week that a word names in a language, Monday 0; None for any other word. English ones also in
    short: "mon" is French, and "tue" German, for something else.
    """
    word = word.casefold().rstrip(".")
    if language != ENGLISH:
        return weekdays_of(language).get(word) if language in WITH_ABBREVIATIONS else None
    named = [
        at for at, name in enumerate(_ENGLISH_DAYS) if name == word or len(word) in _SHORT and name.startswith(word)
    ]
    return named[0] if len(named) == 1 else None


def coming_weekdays(text: str, said: date) -> Iterator[date]:
    """The days that a text in another language than English means by those of the week: "am Freitag", "el viernes".

    None where something in it recurs. Where days are written small, one with a capital may be a name ("Domingo").
    """
    language = language_of(text)
    if language == ENGLISH or _REPEATED.search(text):
        return
    words = [word.strip(".,;:!?()\"'") for word in text.split()]
    for at, word in enumerate(words):
        day = weekday_of(word, language)
        beside = {other.casefold() for other in (*words[max(0, at - 1) : at], *words[at + 1 : at + 2])}
        is_called = at > 0 and words[at - 1].casefold() in _CALLED
        is_name = is_called if language == "de" else word[:1].isupper()
        if day is not None and not is_name and not beside & _NO_COMING:
            yield next_weekday(day, said)


def next_weekday(weekday: int, said: date) -> date:
    """The next such day of the week (Monday 0) after a day."""
    return said + timedelta(days=(weekday - said.weekday() - 1) % 7 + 1)


def is_of_then(text: str) -> bool:
    """Whether a text says that it is of a time: "last year", "in June"."""
    return _THEN.search(text) is not None


def is_month(word: str, language: str) -> bool:
    """Whether a word, without its point, is a month in a language, also in short: in German it is a day's behind a
    figure with a point.
    """
    if language == ENGLISH:
        return _ENGLISH.match(word) is not None
    return language in WITH_ABBREVIATIONS and _month(word, language, is_short=True) is not None


def _named(text: str) -> Iterator[tuple[re.Match[str], int, int, int]]:
    """Where a text names a day, with its year (0: none), month and day; no two of them overlap."""
    if not _A_FIGURE.search(text):
        return
    taken = bytearray(len(text))
    for pattern, read in _FORMS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if not any(taken[start:end]) and (day := read(match, text)):
                taken[start:end] = b"\x01" * (end - start)
                yield match, *day


def _year_of(match: re.Match[str]) -> int:
    return int(match["year"] or 0)


def _read_day_first(match: re.Match[str], text: str) -> tuple[int, int, int] | None:
    word, is_short = match["month"], bool(match["point"])
    if match["dot"]:
        month = _month(word, "de", is_short=is_short)
    elif _ENGLISH.match(word):
        month = _english(word)
    else:
        month = next((found for one in WITH_ABBREVIATIONS if (found := _month(word, one, is_short=is_short))), None)
        if month and is_word(word) and language_of(text) == ENGLISH:
            return None  # "Three Mars bars" are no day of March.
    return (_year_of(match), month, int(match["day"])) if month else None


def _month(word: str, language: str, *, is_short: bool) -> int | None:
    """The month that a word is in a language, also shortened ("Dez", "févr") if it ``is_short``."""
    word = word.lower()
    return months_of(language).get(word) or (_shortened(language).get(word) if is_short else None)


@lru_cache(maxsize=8)
def _shortened(language: str) -> dict[str, int]:
    """The abbreviations of months: those of the language that only one of its months begins with."""
    found: dict[str, int] = {}
    for word in (written.lower() for written, of in abbreviations().items() if language in of and len(written) > 2):
        begun = {month for name, month in months_of(language).items() if name.startswith(word)}
        if len(begun) == 1:
            found[word] = begun.pop()
    return found


def _english(word: str) -> int:
    return next(number for number, name in enumerate(MONTHS, 1) if name.startswith(word[:3].title()))


def _number(written: str) -> int:
    """A number in figures, or up to 99 in Chinese: 二十五."""
    if written.isdecimal():
        return int(written)
    tens, ten, ones = written.rpartition("十")
    value = [int(unicodedata.numeric(part)) if len(part) == 1 else 0 for part in (tens, ones)]
    return 10 * (value[0] or 1) + value[1] if ten else value[1]


def _read_figures(match: re.Match[str], text: str) -> tuple[int, int, int] | None:
    """The year (0: none), month and day in figures, where it is known which is which."""
    if match["d1"]:
        year = match["y1"] or ""
        if len(year) < 4 and not _BEFORE_DAY.search(text, max(0, match.start() - 5), match.start()):
            return None
        return int(f"20{year}" if len(year) == 2 else year or 0), int(match["m1"]), int(match["d1"])
    first, second = int(match["d2"]), int(match["m2"])
    if max(first, second) <= 12 and first != second and language_of(text) not in WITH_ABBREVIATIONS:
        return None
    day, month = (second, first) if second > 12 else (first, second)
    return int(match["y2"]), month, day


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], tuple[int, int, int] | None]], ...] = (
    (ISO_DAY, lambda match, _: (int(match[1]), int(match[2]), int(match[3]))),
    (_DAY_FIRST, _read_day_first),
    (_MONTH_FIRST, lambda match, _: (_year_of(match), _english(match["month"]), int(match["day"]))),
    (_CHINESE, lambda match, _: (_year_of(match), _number(match["month"]), _number(match["day"]))),
    (_FIGURES, _read_figures),
)
"""How a day is written, and the year (0: none), month and day that are read."""
