"""Calendar days in text, as people write them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.clock import MONTHS
from memory_assets.llm.local.days import day_of, days_in, weekday_of, without_days
from memory_assets.llm.local.gazetteer import months_of

NEWEST = date(2026, 11, 15)
AUTUMN = date(2026, 10, 2)
FORMS = {
    "en": "I must paint the gate by {day} {month} {year}.",
    "de": "Ich muss bis zum {day}. {month} {year} den Zaun streichen.",
    "es": "Tengo que pintar la valla antes del {day} de {month} de {year}.",
    "fr": "Je dois peindre la clôture avant le {day} {month} {year}.",
    "pt": "Tenho de pintar a cerca até {day} de {month} de {year}.",
    "zh": "我必须在{year}年{number}月{day}日之前粉刷大门。",
}


@pytest.mark.parametrize(
    ("text", "said", "days"),
    [
        ("Send it by 2026-11-03.", None, [date(2026, 11, 3)]),
        ("Send it by Friday 3 November.", date(2026, 10, 1), [date(2026, 11, 3)]),
        ("See you on 5 January.", date(2026, 12, 20), [date(2027, 1, 5)]),
        ("It was on December 28th.", date(2027, 1, 2), [date(2026, 12, 28)]),
        ("Born on 4 May, 1953.", date(2026, 1, 1), [date(1953, 5, 4)]),
        ("On 31 February or 2026-13-01.", date(2026, 1, 1), []),
        ("I may take 3 of them in March.", date(2026, 1, 1), []),
    ],
)
def test_days_are_read_as_people_write_them(text: str, said: date | None, days: list[date]) -> None:
    assert days_in(text, said) == days


def test_a_logs_line_is_of_its_own_day() -> None:
    assert day_of("2026-10-14: The database is PostgreSQL.", NEWEST) == date(2026, 10, 14)
    assert day_of("2027-10-14: A plan.", NEWEST) == NEWEST


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Ich muss bis zum 9. Dezember den Zaun streichen.", date(2026, 12, 9)),
        ("Bis 9.12. den Zaun streichen.", date(2026, 12, 9)),
        ("Bis 9. 12. 2026 zahlen, bis 9.12.2026.", date(2026, 12, 9)),
        ("Am 9.12.26 ist es fertig.", date(2026, 12, 9)),
        ("Am 3. Okt. um zehn.", date(2026, 10, 3)),
        ("Zum 1. Jänner kündigen.", date(2027, 1, 1)),
        ("Hay que pagarlo antes del 9 de diciembre.", date(2026, 12, 9)),
        ("Tengo que pagar el alquiler de la casa antes del 9/12/2026.", date(2026, 12, 9)),
        ("Payer le loyer avant le 3 mars.", date(2027, 3, 3)),
        ("Payer le loyer avant le 1er déc. 2026.", date(2026, 12, 1)),
        ("Pagar até 1º de dezembro.", date(2026, 12, 1)),
        ("12月5日之前粉刷大门。", date(2026, 12, 5)),
        ("十二月二十五日之前。", date(2026, 12, 25)),
        ("Due 12/13/2026.", date(2026, 12, 13)),
        ("On 9 December 5 people came.", date(2026, 12, 9)),
    ],
)
def test_days_are_read_in_six_languages(text: str, day: date) -> None:
    assert set(days_in(text, AUTUMN)) == {day}


@pytest.mark.parametrize(
    "text",
    [
        "Ringstr. 9 ist mein Haus.",
        "Lies Kapitel 3 bis morgen.",
        "We use Python 3.11.",
        "Release v9.12.2026 and 10.12.2026.5 are out.",
        "Um 9.12 Uhr geht der Zug, um 10:09 Mai mit.",
        "On May 5:30 it rang.",
        "Bring 3 Mars bars.",
        "We sold 7 out. Good.",
        "Due 9/12/2026.",
        "It was 9. December came.",
        "3月5个人来了。",
        "art. 12, n.º 5, av. 3",
    ],
)
def test_no_day_is_invented(text: str) -> None:
    assert days_in(text, AUTUMN) == [] and without_days(text) == text


@given(day=st.dates(date(1900, 1, 1), date(2199, 12, 31)), language=st.sampled_from(sorted(FORMS)))
def test_what_is_written_as_a_day_is_read_as_that_day(day: date, language: str) -> None:
    names = [MONTHS[day.month - 1]]
    if language not in ("en", "zh"):
        names = [name for name, number in months_of(language).items() if number == day.month]
    for month in names:
        text = FORMS[language].format(day=day.day, month=month, number=day.month, year=day.year)
        assert days_in(text, AUTUMN) == [day]
        assert str(day.year) not in without_days(text)


@given(
    st.lists(st.from_regex(r"\d{1,4}|[.:/ -]|[a-z]{1,4}|Str\. |Kapitel |v", fullmatch=True), max_size=12).map("".join)
)
def test_a_day_that_is_read_is_written(text: str) -> None:
    for day in days_in(text, AUTUMN):
        assert f"{day.day}" in text and (day.year in {2025, 2026, 2027} or f"{day.year % 100:02d}" in text)


@pytest.mark.parametrize(
    ("word", "language", "day"),
    [
        ("Friday", "en", 4),
        ("Tues.", "en", 1),
        ("mon", "en", 0),
        ("t", "en", None),
        ("mon", "fr", None),
        ("Mond", "de", None),
        ("tue", "de", None),
        ("Friday", "de", None),
        ("Freitag", "de", 4),
        ("freitag", "fr", None),
        ("vendredi", "fr", 4),
        ("domingo", "es", 6),
        ("domingo", "de", None),
        ("sexta-feira", "pt", 4),
        ("mon", "nl", None),
    ],
)
def test_a_day_of_the_week_is_named_in_the_texts_own_language(word: str, language: str, day: int | None) -> None:
    assert weekday_of(word, language) == day
