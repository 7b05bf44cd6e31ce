"""What an edit decides: what is superseded, retired, asked about, and what is left out of a file thereafter."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_assets.edits.policy import confirm_rows, dismissed
from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file.edit_decisions import decide, leads_of, sources_undone, undo_rows, written_in
from memory_assets.memory_file.pool import sentence_keys, taken_out
from memory_assets.memory_file.verdicts import Draft, entries_are_whole_and_explained
from memory_assets.runtime.edited_files import EditedFile, PublishedFile, Row, decision_of, edit_row
from memory_assets.text.lines import leading_day
from memory_assets_tests.edits.edited_file import AT, ENTRIES, PUBLISHED, diff, edited
from memory_assets_tests.memory_file.pools import memory
from memory_assets_tests.support.memory_files import select_entries

NO_DECISION = dict.fromkeys(edit_row("edit:m", "m", "retired", path="/f", at=AT, mark="s"))
SAID_BY = {"label": "Caroline", "said_by_owner": False, "occurred_at": datetime(2023, 5, 8, tzinfo=UTC)}


def known_row(memory_id: str, action: str, text: str, **more: Any) -> dict[str, Any]:
    row = {
        "id": f"edit:{memory_id}",
        "memory_id": memory_id,
        "action": action,
        "published_text": text,
        "entity_type": "KnowledgeChunk",
        "path": "/f",
    }
    return {**NO_DECISION, **SAID_BY, **row, "at": AT, **more}


def decided(
    text: str, known: list[dict[str, Any]] | None = None, outdated: frozenset[str] = frozenset(), **more: Any
) -> list[Row]:
    """The rows of an edit; a new line's memory is called by its words, unless ``new`` says how."""
    published, source = more.pop("published", PUBLISHED), more.pop("source", "s")
    edit, new = diff(published, more.pop("entries", ENTRIES), text), more.pop("new", None)
    file = PublishedFile("ana", Path("/f"), "", "1", frozenset(), (), outdated)
    written = written_in(edit, known or [])
    ids = [one.again["memory_id"] if one.again else new or f"new:{one.text}" for one in written]
    return decide(EditedFile(file, edit, "state", AT), written, ids, source, known or [], **more)


def rows_of(text: str, known: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, tuple[str, Any, Any]]:
    """What an edit decides: memory to action, by whom, and conflict."""
    rows = decided(text, known, **more)
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["memory_id"]: (row["action"], row["by_memory_id"], row["conflict"]) for row in rows}


def test_a_changed_line_supersedes_and_a_removed_one_is_retired() -> None:
    text = edited("green tea", "coffee").replace("- 8 May, Bob: Pay the rent. [666666666]\n", "") + "- Water the fern\n"
    assert rows_of(text) == {
        "b": ("superseded", "new:I prefer coffee", None),
        "e": ("retired", None, None),
        "new:I prefer coffee": ("added", None, None),
        "new:Water the fern": ("added", None, None),
    }


def test_what_has_vanished_is_asked_about_and_not_retired() -> None:
    assert {action for action, _, _ in rows_of("").values()} == {"vanished"}


def test_a_line_is_gone_with_what_it_had_replaced_until_that_was_taken_back() -> None:
    text = PUBLISHED.replace("- 8 May, Bob: Pay the rent. [666666666]\n", "")
    known = [
        known_row("first", "undone", "Pay the rent in cash", by_memory_id="e"),
        known_row("other", "superseded", "Pay", by_memory_id="e"),
    ]
    assert rows_of(text, known) == {"e": ("retired", None, None), "first": ("retired", None, None)}
    beside = [known_row("b", "undone", "I prefer green tea", by_memory_id="e")]
    assert rows_of(text, beside) == {"e": ("retired", None, None)}, "b has a line of its own"
    elsewhere = [*known, known_row("e", "superseded", "Pay the rent", by_memory_id="x", path="/other")]
    assert "first" not in rows_of(text, elsewhere)


def test_a_line_that_is_there_again_takes_its_retirement_back() -> None:
    known = [known_row("old", "retired", "Water the fern"), known_row("gone", "superseded", "I prefer cocoa")]
    assert rows_of(PUBLISHED + "- Caroline: Water the fern\n", known) == {"old": ("restored", None, None)}
    assert rows_of(edited("green tea", "cocoa"), known) == {
        "b": ("superseded", "gone", None),
        "gone": ("restored", None, None),
    }


def test_an_edit_of_what_is_not_so_any_more_is_a_conflict() -> None:
    text = edited("green tea", "coffee").replace("metric", "imperial")
    rows = rows_of(text, missing={"b"}, outdated=frozenset("a"))
    assert rows["a"][2] == "something newer had taken the line's place meanwhile"
    assert rows["b"][2] == "what the line said had been retired meanwhile"


def test_words_that_say_the_same_as_the_memory_decide_nothing() -> None:
    assert decided(edited("green tea", "GREEN TEA"), new="b") == []


NEW_WORDS = {
    "Caroline: Water the fern": True,
    "8 May: Water the fern": True,
    "8 May 2023, Caroline: Water the fern": True,
    "Monday only: Water the fern": False,
    "9 May: Water the fern": False,
    "8 May, Bob: Water the fern": False,
}


@pytest.mark.parametrize("text", NEW_WORDS)
def test_what_comes_before_a_retired_line_and_is_no_lead_of_it_is_new(text: str) -> None:
    rows = rows_of(f"{PUBLISHED}- {text}\n", [known_row("old", "retired", "Water the fern")])
    assert rows == ({"old": ("restored", None, None)} if NEW_WORDS[text] else {f"new:{text}": ("added", None, None)})


def test_an_edited_line_keeps_its_day_and_says_it_once_however_often_it_is_edited() -> None:
    edited_at, owners = datetime(2027, 1, 22, 12, tzinfo=UTC), {"by_editor": True, "section": "recent"}
    new = memory("22 November 2026: Tomas moved to Brno yesterday.", occurred_at=edited_at, **owners)
    to_come = memory("22 November 2028, Ana: The lease of the mill ends.", occurred_at=edited_at, **owners)
    chosen = select_entries("ana", [new, to_come], count_tokens)
    assert "### 2026\n- 22 November: Tomas moved to Brno yesterday. (yesterday = 21 November)" in chosen.text
    assert "### 2027\n- 22 January: 22 November 2028, Ana: The lease of the mill ends." in chosen.text
    texts = {one.memory_id: one.text for one in (new, to_come)}
    entries = [{"ref": e.ref, "memory_id": e.memory_id, "section": e.section, "text": e.text} for e in chosen.entries]
    assert entries_are_whole_and_explained(Draft(chosen.text, entries, (), ()), texts) == []
    once_more = diff(chosen.text, entries, chosen.text.replace("Brno", "Graz"))
    assert [after for _, _, after in once_more.changed] == ["22 November 2026: Tomas moved to Graz yesterday."]
    lead = leads_of({"text": new.text, "label": None, "said_by_owner": False, "occurred_at": edited_at})
    assert {"22 November:", "22 January:"} <= lead


@pytest.mark.parametrize(
    "text", ["31 February 2026: It rained.", "22 November: It rained.", "1 May 2026: ", "In 2026: It rained."]
)
def test_what_begins_with_no_whole_day_has_none_of_its_own(text: str) -> None:
    assert leading_day(text) is None


def test_a_memory_without_day_and_speaker_has_no_lead() -> None:
    assert leads_of({"label": "user", "said_by_owner": True, "occurred_at": None}) == frozenset()
    assert leads_of({"label": None, "said_by_owner": False, "occurred_at": None}) == frozenset()


def test_what_vanishes_stays_what_it_was_when_that_is_taken_back() -> None:
    known = [
        known_row("a", "added", "Always answer in metric units.", source_id="s0", in_place_of="z"),
        known_row("b", "retired", "I prefer green tea"),
        known_row("c", "vanished", "Bring the cello", action_before="restored"),
    ]
    rows = {row["memory_id"]: row for row in decided("", known)}
    assert {key: (row["action"], row["action_before"]) for key, row in rows.items()} == {
        "a": ("vanished", "added"),
        "c": ("vanished", "restored"),
        **dict.fromkeys("def", ("vanished", None)),
    }
    stored = [{**row, "at": AT} for row in rows.values()]
    undone = [dismissed(row, AT) for row in stored]
    assert [row["action"] for row in undone] == ["added", "restored", *["dismissed"] * 3]
    assert (undone[0]["in_place_of"], undone[0]["source_id"]) == ("z", "s0")
    assert undone[0]["edited_text"] == "Always answer in metric units."


def test_two_files_that_say_otherwise_are_a_conflict_with_both_texts() -> None:
    first = edited("green tea", "coffee")
    known = [
        known_row(
            "b", "superseded", "I prefer green tea", path="/g", by_memory_id="new:cocoa", edited_text="I prefer cocoa"
        ),
        known_row("new:cocoa", "added", "I prefer cocoa", path="/g", in_place_of="b"),
    ]
    assert rows_of(first, known) == {"new:I prefer coffee": ("added", None, "another of your files says otherwise")}
    gone = edited("- I prefer green tea [222222222]\n", "")
    assert rows_of(gone, known) == {"b": ("superseded", "new:cocoa", "another of your files says otherwise")}
    here = [{**row, "path": "/f"} for row in known]
    assert rows_of(first, here)["b"] == ("superseded", "new:I prefer coffee", None), (
        "the same file may say something new"
    )
    second = known_row(
        "new:coffee", "added", "I prefer coffee", in_place_of="b", conflict="x", edited_text="I prefer coffee"
    )
    both = [*known, second]

    def one_undone(number: int) -> dict[str, tuple[str, Any]]:
        return {row["memory_id"]: (row["action"], row["by_memory_id"]) for row in undo_rows(both, both[number], AT)}

    assert one_undone(0) == {"b": ("undone", None), "new:cocoa": ("retired", None), "new:coffee": ("retired", None)}
    assert one_undone(1) == {
        "new:cocoa": ("retired", None),
        "b": ("superseded", "new:coffee"),
        "new:coffee": ("added", None),
    }
    assert one_undone(2) == {"new:coffee": ("retired", None)}


PARTS = {"b": "I drink green tea", "y": "I drink no coffee", "z": "I like cocoa"}
COMPOSED = [
    {**entry, "rests_on": [{**entry, "memory_id": memory_id, "text": text} for memory_id, text in PARTS.items()]}
    if entry["memory_id"] == "b"
    else entry
    for entry in ENTRIES
]


def stored(rows: Iterable[Row], known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All decisions there are, once these rows are written."""
    said = {**SAID_BY, "entity_type": "KnowledgeChunk", "at": AT}
    return [{**one, **said} for one in {row["memory_id"]: row for row in [*known, *rows]}.values()]


def actions_of(rows: list[dict[str, Any]]) -> dict[str, str]:
    return {row["memory_id"]: row["action"] for row in rows}


def undone(known: list[dict[str, Any]], memory_id: str) -> dict[str, str]:
    """What has been decided about each memory once the decision about one is taken back."""
    (row,) = [row for row in known if row["memory_id"] == memory_id]
    rows = undo_rows(known, row, AT)
    assert len({row["memory_id"] for row in rows}) == len(rows)
    return actions_of(stored(rows, known))


def changed_twice(first: str) -> list[dict[str, Any]]:
    """A line becomes coffee, or coffee is added, and then it becomes cocoa: each edit is a source of its own."""
    text, published = edited("green tea", "coffee"), edited("green tea", "coffee")
    entries = [
        entry | ({"memory_id": "coffee", "text": "I prefer coffee"} if entry["memory_id"] == "b" else {})
        for entry in ENTRIES
    ]
    if first == "added":
        text, published = PUBLISHED + "- I prefer coffee\n", PUBLISHED + "- I prefer coffee [999999999]\n"
        line = {"memory_id": "coffee", "ref": "999999999", "section": "tasks", "text": "I prefer coffee"}
        entries = [*ENTRIES, line]
    known = stored(decided(text, new="coffee", source="s1"), [])
    how: dict[str, Any] = {"new": "cocoa", "source": "s2", "published": published, "entries": entries}
    return stored(decided(published.replace("coffee", "cocoa"), known, **how), known)


@pytest.mark.parametrize(
    ("first", "order"), [("changed", ["b"]), ("changed", ["coffee", "b"]), ("added", ["coffee", "coffee"])]
)
def test_a_line_that_was_changed_twice_is_what_it_was_whichever_change_is_taken_back_first(
    first: str, order: list[str]
) -> None:
    known = changed_twice(first)
    gone = set[str]()
    for memory_id in order:
        (row,) = [row for row in known if row["memory_id"] == memory_id]
        rows = undo_rows(known, row, AT)
        assert len({row["memory_id"] for row in rows}) == len(rows)
        gone |= sources_undone(known, rows)
        known = stored(rows, known)
    assert gone == {"s1", "s2"}, "nothing of either edit is read any more"
    assert set(actions_of(known).values()) == {"undone"}
    assert not any(decision_of(row)["is_in_force"] or decision_of(row)["is_out"] for row in known)


def test_the_first_change_is_as_it_was_once_the_second_is_taken_back() -> None:
    before = {
        row["memory_id"]: row for row in stored(decided(edited("green tea", "coffee"), new="coffee", source="s1"), [])
    }
    known = changed_twice("changed")
    (row,) = [row for row in known if row["memory_id"] == "coffee"]
    after = {row["memory_id"]: row for row in stored(undo_rows(known, row, AT), known)}
    same = ("action", "by_memory_id", "in_place_of", "action_before", "published_text", "edited_text", "source_id")
    assert [{name: after[key][name] for name in same} for key in before] == [
        {name: before[key][name] for name in same} for key in before
    ]
    assert decision_of(after["coffee"])["is_in_force"] is False, "it is listed with what it has replaced"


@pytest.mark.parametrize("part", PARTS)
def test_a_composed_line_that_has_one_memorys_words_again_replaces_the_others(part: str) -> None:
    others = PARTS.keys() - {part}
    rows = decided(edited("I prefer green tea", PARTS[part]), new=part, entries=COMPOSED)
    assert actions_of(rows) == {part: "added"} | dict.fromkeys(others, "superseded")
    assert {row["by_memory_id"] for row in rows if row["memory_id"] in others} == {part}
    known = stored(rows, [])
    known = stored(confirm_rows(known, AT, "retired", {part: "no room"}), known)
    for one in PARTS:  # it stood there before: taken back, it is no more its editor's, and lives
        assert undone(known, one) == {part: "dismissed"} | dict.fromkeys(others, "undone")


def test_one_memorys_own_words_stay_their_editors_where_they_were_before() -> None:
    known = [known_row("y", "restored", PARTS["y"])]
    rows = decided(edited("I prefer green tea", PARTS["y"]), known, new="y", entries=COMPOSED)
    assert undone(stored(rows, known), "y") == {"b": "undone", "y": "restored", "z": "undone"}


@pytest.mark.parametrize("elsewhere", PARTS)
@pytest.mark.parametrize("is_first", [True, False])
def test_taking_back_a_changed_composed_line_leaves_what_another_file_says(elsewhere: str, *, is_first: bool) -> None:
    other = [
        known_row(
            elsewhere, "superseded", PARTS[elsewhere], path="/g", by_memory_id="new:other", edited_text="I drink water"
        ),
        known_row("new:other", "added", "I drink water", path="/g", in_place_of=elsewhere, edited_text="I drink water"),
    ]
    first = other if is_first else []
    known = stored(decided(edited("green tea", "milk"), first, new="milk", entries=COMPOSED), first)
    if not is_first:  # the other file's words stand beside these
        known = stored(other[1:], known)
    after = dict.fromkeys(PARTS, "undone") | {elsewhere: "superseded", "new:other": "added", "milk": "undone"}
    assert undone(known, "milk") == after
    for part in PARTS.keys() - {elsewhere}:
        assert undone(known, part) == after


def test_taking_back_a_changed_composed_line_leaves_out_what_another_file_had_retired() -> None:
    known = [known_row("y", "retired", PARTS["y"], path="/g")]
    rows = decided(edited("green tea", "milk"), known, new="milk", entries=COMPOSED)
    assert undone(stored(rows, known), "milk") == {"b": "undone", "y": "retired", "z": "undone", "milk": "undone"}
    assert undone(stored(rows, known), "y")["y"] == "undone", "it can be had back by itself"


def test_what_was_confirmed_is_no_question_while_its_reason_stays() -> None:
    row = known_row("m", "added", "Water the fern", edited_text="Water the fern")
    (seen,) = confirm_rows([row], AT, "retired", {"m": "no room"})
    assert (seen["action"], seen["seen"]) == ("added", "no room")
    again = {**row, **seen, "at": AT}
    assert confirm_rows([again], AT, "retired", {"m": "no room"}) == []
    assert len(confirm_rows([again], AT, "retired", {"m": "superseded by 111111111"})) == 1


def test_an_audit_has_no_words_that_were_not_the_editors() -> None:
    rows = decided(edited("green tea", "coffee"))
    assert rows and all("green tea" not in row["snapshot"] for row in rows)


OVERVIEW = "Tomas lives in Brno and repairs violins. Ana: We agreed that the rent is 900 euros a month."
CORRECTED = (
    "1 November 2026: Tomas lives in Brno and repairs violins. Ana: We agreed that the rent is 950 euros a month."
)


@pytest.mark.parametrize(
    ("action", "after", "out", "stays"),
    [
        (
            "superseded",
            CORRECTED,
            ["We agreed that the rent is 900 euros a month", OVERVIEW],
            ["We agreed that the rent is 950 euros a month."],
        ),
        (
            "retired",
            None,
            ["Tomas lives in Brno and repairs violins.", "We agreed that the rent is 900 euros a month."],
            ["The rent is due."],
        ),
        ("restored", None, [], ["Tomas lives in Brno and repairs violins.", OVERVIEW]),
    ],
)
def test_what_a_summarys_line_had_said_does_not_come_back_as_a_statement(
    action: str, after: str | None, out: list[str], stays: list[str]
) -> None:
    gone = taken_out([{"is_out": action != "restored", "published_text": OVERVIEW, "edited_text": after}])
    assert all(not gone.isdisjoint(sentence_keys(text)) for text in out)
    assert all(gone.isdisjoint(sentence_keys(text)) for text in stays)


def test_a_summary_that_says_a_retired_statement_among_others_is_out_too_and_a_short_answer_is_not() -> None:
    gone = taken_out(
        [{"is_out": True, "published_text": "We agreed that the rent is 900 euros a month.", "edited_text": None}]
    )
    assert not gone.isdisjoint(sentence_keys(OVERVIEW))
    assert not gone.isdisjoint(
        sentence_keys("Rent and Brno: 3 May 2026: We agreed that the rent is 900 euros a month.")
    )
    assert gone.isdisjoint(sentence_keys("Yes. No. We agreed."))


@pytest.mark.parametrize(
    "phrase",
    ["Let me know what you think.", "Sounds good to me!", "I think that is a great idea.", "So it's what I have."],
)
def test_what_is_said_beside_anything_takes_nothing_else_out(phrase: str) -> None:
    gone = taken_out([{"is_out": True, "published_text": f"The rent is 900 euros. {phrase}", "edited_text": None}])
    assert gone.isdisjoint(sentence_keys(f"The lease is in the drawer. {phrase}"))
    assert not gone.isdisjoint(sentence_keys(f"{phrase} The rent is 900 euros."))
    alone = taken_out([{"is_out": True, "published_text": phrase, "edited_text": None}])
    assert not alone.isdisjoint(sentence_keys(phrase)), "the very same words are out"
    assert alone.isdisjoint(sentence_keys(f"The lease is in the drawer. {phrase}"))
