"""What time alone changes: a task's day passes, a source is recent no longer, and between two such days nothing
changes.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file.candidates import FileRules, Memory, Selection
from memory_assets.memory_file.passing import End, State, next_change, open_through, recent_through
from memory_assets.memory_file.render import references_in, split_sections
from memory_assets.text.held import Held
from memory_assets_tests.edits.edited_file import diff
from memory_assets_tests.memory_file.pools import memory
from memory_assets_tests.support.memory_files import select_entries

TODAY = date(2026, 11, 15)


@pytest.mark.parametrize(
    ("text", "age", "state"),
    [
        ("Send the draft by 15 November.", 5, State.OPEN),
        ("Send the draft by 14 November.", 5, State.OVERDUE),
        ("Send the draft by 8 November.", 9, State.OVERDUE),
        ("Send the draft by 7 November.", 9, State.PASSED),
        ("Send the draft by 29 September.", 40, State.PASSED),
        ("Send the draft by 29 November.", 40, State.OPEN),
        ("Keep it from 3 October to 20 November.", 43, State.OPEN),
        ("Wait until 9999-12-31.", 3, State.OPEN),
        ("Call Ana tomorrow.", 1, State.OPEN),
        ("Call Ana tomorrow.", 3, State.OVERDUE),
        ("Call Ana tomorrow.", 10, State.PASSED),
        ("Bring biscuits on Saturday.", 1, State.OPEN),
        ("Bring biscuits on Saturday.", 5, State.OVERDUE),
        ("Bring biscuits on Saturday.", 9, State.PASSED),
        ("Bring biscuits next Saturday.", 5, State.OPEN),
        ("List all sales since 30 September, 1999.", 5, State.OPEN),
        ("Fix the boiler, it has been broken since Monday.", 9, State.OPEN),
        ("It has been broken since Monday, so call Ana tomorrow.", 3, State.OVERDUE),
        ("Call Ana today.", 0, State.OPEN),
        ("Call Ana today.", 1, State.OVERDUE),
        ("Sort the crates this week.", 6, State.OPEN),
        ("Sort the crates this week.", 7, State.OVERDUE),
        ("Sort the crates next week.", 7, State.OPEN),
        ("I'm going to a fair this month.", 14, State.OPEN),
        ("I'm going to a fair this month.", 17, State.PASSED),
        ("I'm going to a fair next month.", 20, State.OPEN),
        ("Pay on Tuesday or on Thursday.", 6, State.OVERDUE),
        ("Send the report every Friday.", 12, State.OPEN),
        ("Bitte am Samstag Kekse mitbringen.", 1, State.OPEN),
        ("Bitte am Samstag Kekse mitbringen.", 5, State.OVERDUE),
        ("Am Freitag Frau Mayer anrufen.", 5, State.OVERDUE),
        ("Il faut appeler Ana samedi.", 9, State.PASSED),
        ("Tengo que llamar a Ana el sábado.", 5, State.OVERDUE),
        ("Jeden Freitag den Bericht an Ana schicken.", 12, State.OPEN),
        ("Ship it by 7 Sept.", 70, State.PASSED),
        ("Order a ladder.", 10, State.OPEN),
        ("Order a ladder.", 21, State.OPEN),
        ("Order a ladder.", 22, State.INSIGHT),
        ("Order a ladder.", 300, State.INSIGHT),
    ],
)
def test_a_task_is_open_overdue_for_a_week_and_then_gone(text: str, age: int, state: State) -> None:
    end = open_through(text, TODAY - timedelta(days=age))
    assert end is not None and end.state(TODAY) is state


@pytest.mark.parametrize(
    "text",
    [
        "I must paint the gate by 9 December.",
        "Ich muss bis zum 9. Dezember den Zaun streichen.",
        "Bis 9.12.2026 den Zaun streichen.",
        "Tengo que pintar la valla antes del 9 de diciembre.",
        "Je dois peindre la clôture avant le 9 décembre.",
        "Tenho de pintar a cerca até 9 de dezembro.",
        "我必须在12月9日之前粉刷大门。",
    ],
)
def test_a_task_of_a_day_is_open_through_it_in_six_languages(text: str) -> None:
    assert open_through(text, date(2026, 10, 2)) == End(date(2026, 12, 9), is_due=True)


def test_since_when_a_thing_is_to_be_done_is_not_by_when() -> None:
    for text in ("Seit dem 1. Juni streiche ich.", "Pinto desde el 1 de junio.", "Je peins depuis le 1er juin."):
        assert open_through(text, date(2026, 10, 2)) == End(date(2026, 10, 23), State.INSIGHT)


@pytest.mark.parametrize(
    "text",
    [
        "Il faut appeler mon père pour la facture.",
        "Ich tue das Buch in den Schrank, bitte.",
        "Den Mond mit der Kamera aufnehmen.",
        "Die Rechnung von letzten Freitag bezahlen.",
        "Tengo que pagar la cena del sábado pasado.",
        "Il faut payer la facture de vendredi dernier.",
        "Immer den Bericht am Freitag an Ana schicken.",
        "Am Freitag jede Woche den Bericht schicken.",
        "Il faut envoyer le rapport chaque semaine, vendredi.",
        "Tengo que enviar el informe cada semana, el viernes.",
        "Tengo que enviar el informe todos los viernes.",
        "Tengo que enviar el informe los viernes.",
        "Il faut envoyer le rapport tous les mois, vendredi.",
        "Tengo que llamar a Domingo por la factura.",
        "Ich muss Herrn Freitag wegen der Rechnung anrufen.",
    ],
)
def test_a_word_that_names_no_day_to_come_sets_no_end(text: str) -> None:
    assert open_through(text, TODAY) == End(TODAY + timedelta(days=21), State.INSIGHT)


def test_without_any_dates_nothing_passes() -> None:
    assert open_through("Call Ana tomorrow.", None) is None
    assert open_through("List all sales since September 30, 1999.", None) is None
    assert recent_through(None) is None
    assert open_through("Order a ladder.", TODAY, is_own=False) == End(TODAY + timedelta(days=10), State.INSIGHT)


ENDS = st.builds(
    End, st.dates(date(2026, 1, 1), date(2026, 12, 31)), st.sampled_from([State.PASSED, State.INSIGHT]), st.booleans()
)


@given(ENDS, st.dates(date(2025, 12, 1), date(2027, 2, 1)))
def test_a_state_changes_on_the_days_that_are_named_and_on_no_other(end: End, today: date) -> None:
    before = end.state(today - timedelta(days=1))
    assert (end.state(today) is not before) is (today in set(end.changes()))


def test_the_next_change_is_the_first_to_come() -> None:
    days = [TODAY + timedelta(days=days) for days in (-3, 0, 9, 4)]
    assert next_change(days, TODAY) == TODAY + timedelta(days=4)
    assert next_change(days[:2], TODAY) is None


def test_what_holds_between_two_days_is_in_the_file_on_these_alone() -> None:
    held = replace(FACT, held=Held(TODAY, TODAY + timedelta(days=2)))
    for days, why in ((-1, "holds from 2026-11-15"), (0, None), (2, None), (3, "held until 2026-11-17")):
        chosen = choose(TODAY + timedelta(days=days), held)
        assert (FACT.ref in chosen.text) is (why is None)
        assert [row.reason for row in chosen.left_out] == ([] if why is None else [why])


@given(st.dates(), st.dates(), st.dates(date(2, 1, 1), date(9998, 1, 1)))
def test_what_holds_changes_on_the_days_that_are_named_and_on_no_other(one: date, other: date, day: date) -> None:
    held = Held(min(one, other), max(one, other))
    before = held.note(day - timedelta(days=1))
    assert (held.note(day) != before) is (day in set(held.changes()))


BOLTS = memory("Order six bronze keel bolts by 20 November.", "tasks", 70)  # of 10 November
CALL = memory("Call Ana about the berth tomorrow.", "tasks", 70)
LADDER = memory("Order a ladder for the orchard.", "tasks", 70, label="Maria")
SAID = memory("They spoke of the harbour and of its cranes.", "recent", 70)
FACT = memory("The winter berth costs 412 pounds a month.", place=70)
SAID_ON = date(2026, 11, 10)


def choose(today: date | None, *pool: Memory) -> Selection:
    return select_entries("maria", pool, count_tokens, FileRules(), today)


def outcomes(today: date) -> dict[str, str]:
    """What became of each memory by a day: its line, or why it has none."""
    pool = (BOLTS, CALL, LADDER, SAID, FACT)
    chosen = choose(today, *pool)
    lines = {references_in(line)[0]: line for line in chosen.text.splitlines() if references_in(line)}
    sections = {entry.memory_id: entry.section for entry in chosen.entries}
    reasons = {row.memory_id: row.reason for row in chosen.left_out}
    return {
        one.text.split()[-1].strip("."): f"{sections[one.memory_id]}: {lines[one.ref].rpartition(' [')[0]}"
        if one.memory_id in sections
        else reasons[one.memory_id]
        for one in pool
    }


def test_the_file_follows_the_clock_alone() -> None:
    first = outcomes(SAID_ON)
    assert first["November"] == "tasks: - 10 November: Order six bronze keel bolts by 20 November."
    assert first["tomorrow"].endswith("tomorrow. (tomorrow = 11 November)")
    assert {name: line.partition(":")[0] for name, line in first.items()} == {
        "November": "tasks", "tomorrow": "tasks", "orchard": "tasks", "cranes": "recent", "month": "insights",
    }  # fmt: skip
    assert outcomes(date(2026, 11, 20))["November"] == first["November"]
    late = outcomes(date(2026, 11, 21))
    assert late["November"] == first["November"] + " (overdue)"
    assert late["tomorrow"] == "its day passed on 11 November 2026"
    assert outcomes(date(2026, 11, 18))["tomorrow"].endswith("tomorrow. (overdue, tomorrow = 11 November)")
    december = outcomes(date(2026, 12, 10))
    assert december["November"] == "its day passed on 20 November 2026"
    assert december["orchard"].startswith("insights: ") and december["cranes"] == first["cranes"]
    february = outcomes(date(2027, 2, 3))
    assert february["cranes"] == "no longer recent after 10 December 2026"
    assert february["month"] == first["month"]


def test_a_day_on_which_nothing_passes_makes_the_same_file() -> None:
    """From one change to the next the file has the same bytes: it names the day of the next one."""
    pool = (BOLTS, CALL, LADDER, SAID, FACT)
    today, changes = SAID_ON, choose(SAID_ON, *pool).changes_on
    before = choose(SAID_ON, *pool)
    while today < date(2027, 3, 1):
        today += timedelta(days=1)
        now = choose(today, *pool)
        if changes is None or today < changes:
            assert now == before
        else:
            assert today == changes
            before, changes = now, now.changes_on
    assert changes is None


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 90)), max_size=12), st.integers(0, 200))
def test_what_is_passed_over_was_the_same_all_along(tasks: list[tuple[int, int]], days: int) -> None:
    pool = [
        memory(f"Paint boat {place} by {START + timedelta(days=due):%Y-%m-%d}.", "tasks", said)
        for place, (said, due) in enumerate(tasks)
    ]
    today = START + timedelta(days=days)
    now = choose(today, *pool)
    until = (now.changes_on or today + timedelta(days=40)) - timedelta(days=1)
    assert choose(until, *pool) == now


START = date(2026, 9, 1)


def test_what_a_person_wrote_without_a_day_stays() -> None:
    for written in (replace(LADDER, by_editor=True), replace(LADDER, is_own_line=True)):
        assert "## Active Tasks" in choose(date(2027, 2, 3), written).text
    assert "## Active Tasks" not in choose(date(2027, 2, 3), replace(BOLTS, by_editor=True)).text


def test_overdue_is_our_word_and_no_edit_of_anybodys() -> None:
    chosen = choose(date(2026, 11, 22), BOLTS, FACT)
    entries = [{"ref": e.ref, "memory_id": e.memory_id, "section": e.section, "text": e.text} for e in chosen.entries]
    assert "(overdue)" in split_sections(chosen.text)["tasks"]
    for edited in (chosen.text, chosen.text.replace(" (overdue)", "")):
        found = diff(chosen.text, entries, edited)
        assert (found.added, found.changed, found.removed) == ((), (), ())
    found = diff(chosen.text, entries, chosen.text.replace("six", "eight"))
    assert [after for _, _, after in found.changed] == [
        "10 November 2026: Order eight bronze keel bolts by 20 November."
    ]
