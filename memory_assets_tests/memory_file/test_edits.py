"""What differs between a published file and the text on disk: tables of edits, and what always holds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file import render
from memory_assets.memory_file.edit_decisions import confirm_rows, decide, edit_row, leads_of, plan_edit, undo_rows
from memory_assets.memory_file.edit_kinds import Edit
from memory_assets.memory_file.edited_text import decode, items_of, same_words, sentence_keys, split_lines, told_day
from memory_assets.memory_file.edits import diff
from memory_assets.memory_file.pool import taken_out
from memory_assets.memory_file.selection import select_entries
from memory_assets.memory_file.verdicts import Draft, entries_are_whole_and_explained
from memory_assets.model import reference
from memory_assets_tests.memory_file.pools import memory

PUBLISHED = """# Memory of ana

## Personal Preferences
- Always answer in metric units. [111111111]
- I prefer green tea [222222222]

## Active Tasks
### 2023
- 8 May, Caroline: Bring the cello; Call Rob about the ladder | Bob: Pay the rent. [333333333]
- 9 May: Fetch the parcel by noon. [444444444]
"""
TEXTS = (
    ("a", "111111111", "preferences", "Always answer in metric units."),
    ("b", "222222222", "preferences", "I prefer green tea"),
    ("c", "333333333", "tasks", "Bring the cello"),
    ("d", "333333333", "tasks", "Call Rob about the ladder"),
    ("e", "333333333", "tasks", "Pay the rent."),
    ("f", "444444444", "tasks", "Fetch the parcel by noon."),
)
ENTRIES = [{"memory_id": m, "ref": r, "section": s, "text": t} for m, r, s, t in TEXTS]
AT = datetime(2026, 11, 20, 12, tzinfo=UTC)


def told(edit: Edit) -> dict[str, Any]:
    """An edit by what a person would say of it; only what there is."""
    parts = {
        "added": [(one.heading, one.text) for one in edit.added],
        "changed": {one.memory_id: one.after for one in edit.changed},
        "removed": "".join(one.memory_id for one in edit.removed),
        "vanished": "".join(one.memory_id for one in edit.vanished),
    }
    return {name: part for name, part in parts.items() if part}


def edited(old: str, new: str) -> str:
    assert old in PUBLISHED
    return PUBLISHED.replace(old, new)


def swapped() -> str:
    first, rest = PUBLISHED.split("## Active Tasks")
    return "## Active Tasks" + rest + first


SAME = {
    "nothing": PUBLISHED,
    "crlf": PUBLISHED.replace("\n", "\r\n"),
    "old mac": PUBLISHED.replace("\n", "\r"),
    "no last line end": PUBLISHED.rstrip("\n"),
    "trailing space": PUBLISHED.replace("\n", "  \n"),
    "blank lines": PUBLISHED.replace("\n", "\n\n"),
    "no blank lines": PUBLISHED.replace("\n\n", "\n"),
    "other bullets": PUBLISHED.replace("- ", "* "),
    "indented": PUBLISHED.replace("- ", "    - "),
    "emphasis": edited("I prefer green tea", "**I prefer green tea**"),
    "a word in bold": edited("metric units", "_metric units_"),
    "unticked": edited("- 9 May", "- [ ] 9 May"),
    "no references": PUBLISHED.replace(" [111111111]", "").replace(" [222222222]", "").replace(" [444444444]", ""),
    "no day line": edited("### 2023\n", ""),
    "renamed heading": edited("## Active Tasks", "## To do"),
    "no headings": edited("## Active Tasks\n", "").replace("## Personal Preferences\n", ""),
    "moved": edited("- I prefer green tea [222222222]\n", "") + "- I prefer green tea [222222222]\n",
    "sections swapped": swapped(),
    "no day": edited("9 May: ", "").replace("8 May, Caroline: ", ""),
    "members reordered": edited("Bring the cello; Call Rob about the ladder", "Call Rob about the ladder; Bring the cello"),
    "no speaker": edited("8 May, Caroline:", "8 May:"),
    "a line twice": edited("- I prefer green tea [222222222]\n", "- I prefer green tea [222222222]\n" * 2),
    "wrapped": edited("metric units.", "metric\n  units."),
    "a rule and a comment": PUBLISHED + "\n---\n<!-- checked -->\n",
    "the last reference cut": PUBLISHED[:-5],
    "the last line cut": PUBLISHED[: PUBLISHED.index("by noon")],
}


@pytest.mark.parametrize("name", SAME)
def test_what_is_no_edit(name: str) -> None:
    edit = diff(PUBLISHED, ENTRIES, SAME[name])
    assert told(edit) == {}
    assert not edit


PROSE = "The deploy window moved, because the harbour is closed on Mondays and nobody told the\npeople who drive there."
EDITS: dict[str, tuple[str, dict[str, Any]]] = {
    "added to a section": (
        edited("## Active Tasks", "- No meetings before ten\n\n## Active Tasks"),
        {"added": [("Personal Preferences", "No meetings before ten")]},
    ),
    "added at the end": (PUBLISHED + "- Water the fern", {"added": [("Active Tasks", "Water the fern")]}),
    "under a renamed heading": (
        edited("## Active Tasks", "## To do") + "- Water the fern\n",
        {"added": [("Active Tasks", "Water the fern")]},
    ),
    "under a new heading": (
        PUBLISHED + "## Shopping\n- milk\n- a new ladder for the old mill\n",
        {"added": [("Shopping", "Shopping: milk"), ("Shopping", "a new ladder for the old mill")]},
    ),
    "above the sections": (
        edited("## Personal", "The office is in Porto\n\n## Personal"),
        {"added": [(None, "The office is in Porto")]},
    ),
    "wrapped prose": (PUBLISHED + "\n" + PROSE, {"added": [("Active Tasks", PROSE.replace("\n", " "))]}),
    "code": (
        PUBLISHED + "```sh\nmake all\n\nmake test\n```\n",
        {"added": [("Active Tasks", "make all\n\nmake test")]},
    ),
    "code without an end": (PUBLISHED + "```\nmake all", {"added": [("Active Tasks", "make all")]}),
    "a table": (
        PUBLISHED + "| host | port |\n|---|---|\n| mill | 22 |\n",
        {"added": [("Active Tasks", "| host | port |"), ("Active Tasks", "| mill | 22 |")]},
    ),
    "changed": (edited("green tea", "black coffee"), {"changed": {"b": "I prefer black coffee"}}),
    "changed beyond likeness": (edited("I prefer green tea", "Espresso!"), {"changed": {"b": "Espresso!"}}),
    "changed, reference dropped": (edited("green tea [222222222]", "green teas"), {"changed": {"b": "I prefer green teas"}}),
    "ticked": (edited("- 9 May", "- [x] 9 May"), {"changed": {"f": "[x] 9 May: Fetch the parcel by noon."}}),
    "removed": (edited("- I prefer green tea [222222222]\n", ""), {"removed": "b"}),
    "struck out": (edited("I prefer green tea", "~~I prefer green tea~~"), {"removed": "b"}),
    "struck out with its reference": (
        edited("I prefer green tea [222222222]", "~~I prefer green tea [222222222]~~"),
        {"removed": "b"},
    ),
    "emptied line": (edited("I prefer green tea [222222222]", "[222222222]"), {"removed": "b"}),
    "a copy changed": (
        PUBLISHED + "- I prefer mint tea [222222222]\n",
        {"added": [("Active Tasks", "I prefer mint tea")]},
    ),
    "an older line": (
        PUBLISHED + "- The mill is sold [999999999]\n",
        {"added": [("Active Tasks", "The mill is sold")]},
    ),
    "a member removed": (edited("; Call Rob about the ladder", ""), {"removed": "d"}),
    "a member changed": (
        edited("Call Rob about the ladder", "Call Rob about the roof"),
        {"changed": {"d": "8 May 2023, Caroline: Call Rob about the roof"}},
    ),
    "a member lengthened": (
        edited("Call Rob about the ladder", "Call Rob about the ladder (moved to June)"),
        {"changed": {"d": "8 May 2023, Caroline: Call Rob about the ladder (moved to June)"}},
    ),
    "a member added": (
        edited("Pay the rent. [", "Pay the rent. Feed the cat at noon ["),
        {"added": [("Active Tasks", "Bob: Feed the cat at noon")]},
    ),
    "a member changed, one gone, one new": (
        edited("Bring the cello; Call Rob about the ladder", "Bring the violin; Order seven new lamps"),
        {
            "added": [("Active Tasks", "Caroline: Order seven new lamps")],
            "changed": {"c": "8 May 2023, Caroline: Bring the violin"},
            "removed": "d",
        },
    ),
    "a whole group removed": (
        "\n".join(line for line in PUBLISHED.split("\n") if "cello" not in line),
        {"removed": "cde"},
    ),
    "somebody else said it": (
        edited("Caroline: ", "Dana: "),
        {"changed": {"c": "8 May 2023, Dana: Bring the cello", "d": "8 May 2023, Dana: Call Rob about the ladder"}},
    ),
    "a line of its own changed": (
        edited("parcel by noon", "parcels by ten"),
        {"changed": {"f": "9 May 2023: Fetch the parcels by ten."}},
    ),
    "another day": (edited("9 May:", "10 May:"), {"changed": {"f": "10 May: Fetch the parcel by noon."}}),
    "a speaker's part removed": (edited(" | Bob: Pay the rent.", ""), {"removed": "e"}),
    "emptied": ("", {"vanished": "abcdef"}),
    "white space alone": ("\n  \n\ufeff\n", {"vanished": "abcdef"}),
    "headings alone": ("# Memory of ana\n## Active Tasks\n", {"vanished": "abcdef"}),
    "replaced": ("My own notes stand here now.\n", {"added": [(None, "My own notes stand here now.")], "vanished": "abcdef"}),
    "cut at a line": (PUBLISHED[: PUBLISHED.index("- 8 May")], {"vanished": "cdef"}),
    "cut within a line": (PUBLISHED[: PUBLISHED.index("cello; ") + 3], {"vanished": "cdef"}),
}


@pytest.mark.parametrize("name", EDITS)
def test_what_an_edit_is(name: str) -> None:
    text, expected = EDITS[name]
    assert told(diff(PUBLISHED, ENTRIES, text)) == expected


def test_half_of_a_short_file_may_be_removed_and_more_of_a_long_one_is_asked_about() -> None:
    entries = [{"memory_id": str(n), "ref": f"{n:09d}", "section": "insights", "text": f"Lamp {n} burns"} for n in range(10)]
    lines = [f"- {entry['text']} [{entry['ref']}]" for entry in entries]
    published = "\n".join(lines) + "\n"
    for gone in range(11):
        edit = diff(published, entries, "\n".join(["Mine", *lines[gone:]]) + "\n")
        assert (len(edit.removed), len(edit.vanished)) == ((gone, 0) if gone <= 5 else (0, gone))


BYTES = {
    "utf-8": "é€漢".encode(),
    "utf-8 with a mark": b"\xef\xbb\xbf" + "é€漢".encode(),
    "utf-16": "é€漢".encode("utf-16"),
    "utf-16 the other way": b"\xfe\xff" + "é€漢".encode("utf-16-be"),
    "a letter cut in two": "é€漢語".encode()[:-1],
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes_of_any_editor_are_text(name: str) -> None:
    assert decode(BYTES[name]) == "é€漢"


def test_bytes_of_old_editors_are_text_and_binaries_are_none() -> None:
    assert decode("naïve €".encode("cp1252")) == "naïve €"
    assert decode(b"caf\xe9\x81 au lait") == "caf\xe9\x81 au lait"
    assert decode(b"\x89PNG\0\0") is None
    assert decode(b"") == ""


WORDS = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=40)
LINE = st.one_of(
    WORDS,
    WORDS.map(lambda words: f"- {words}"),
    WORDS.map(lambda words: f"  * {words} [222222222]"),
    st.sampled_from(["", "```", "~~~", "---", "# x", "## Active Tasks", "### 2023", "- ", "- [x] ", "| a | b |"]),
    st.sampled_from([line for line in PUBLISHED.split("\n") if line]),
)


@given(st.lists(LINE, max_size=14), st.sampled_from(["\n", "\r\n", "\r"]))
@settings(max_examples=150, deadline=None)
def test_each_line_of_an_edit_and_each_entry_is_accounted_for_once(lines: list[str], end: str) -> None:
    text = end.join(lines)
    edit = diff(PUBLISHED, ENTRIES, text)
    assert sorted(edit.became) == list(range(1, len(split_lines(text)) + 1))
    fates = [one.memory_id for one in (*edit.changed, *edit.removed, *edit.vanished)]
    assert len(fates) == len(set(fates)) and set(fates) <= set("abcdef")
    for entry in ENTRIES:
        stands = same_words(entry["text"]).rstrip(".") in same_words(text.replace(end, " "))
        assert stands or entry["memory_id"] in fates, "an entry whose words are gone has a fate"
    items = {item.line: item for item in items_of(text)}
    said = {number for item in items.values() if edit.became[item.line] == "added" for number in item.lines}
    assert said >= {one.line for one in edit.added if edit.became[one.line] == "added"}
    for one in edit.added:
        assert any(map(str.isalnum, one.text)) and one.line in edit.became


@given(st.permutations(PUBLISHED.rstrip("\n").split("\n")))
@settings(max_examples=60, deadline=None)
def test_no_order_of_the_lines_is_an_edit(lines: list[str]) -> None:
    assert told(diff(PUBLISHED, ENTRIES, "\n".join(lines) + "\n")) == {}


AROUND = (
    "- 8 May, bob@example.org: The gate is broken. It rained. | Dr. Smith; Son!: Rest a week; Drink tea"
    " | Wow: The pump; the hose [555555555]"
)
IN_IT = ("The gate is broken.", "It rained.", "Rest a week", "Drink tea", "The pump; the hose")
LINE_OF: dict[str, tuple[str, str, dict[str, Any]]] = {
    "the first sentence removed": ("The gate is broken. ", "", {"removed": "0"}),
    "the second one removed": (" It rained.", "", {"removed": "1"}),
    "a speaker's words and the bar removed": ("The gate is broken. It rained. | ", "", {"removed": "01"}),
    "a bar removed, and what stood before it": (" It rained. | ", " ", {"removed": "1"}),
    "the words between two speakers removed": ("Rest a week; Drink tea | ", "", {"removed": "23"}),
    "words added": (" | Dr.", " All is well. | Dr.", {"added": "bob@example.org: All is well."}),
    "words added behind a name of the line": ("tea", "tea; Milk helps", {"added": "Dr. Smith; Son!: Milk helps"}),
    "a note that is no speaker": ("rained.", "rained. Wow. Note: dig", {"added": "bob@example.org: Wow. Note: dig"}),
    "a change": ("broken", "mended", {"changed": {"0": "8 May 2023, bob@example.org: The gate is mended."}}),
    "a new speaker": ("Wow: ", "x@y.org: ", {"changed": {"4": "8 May 2023, x@y.org: The pump; the hose"}}),
    "what has a semicolon in it": (
        "the hose",
        "the hose and the tap",
        {"changed": {"4": "8 May 2023, Wow: The pump; the hose and the tap"}},
    ),
}


@pytest.mark.parametrize("name", LINE_OF)
def test_what_leads_words_in_is_no_memory(name: str) -> None:
    old, new, expected = LINE_OF[name]
    published = f"# Memory of ana\n\n## Key Insights\n### 2023\n{AROUND}\n"
    entries = [
        {"memory_id": str(place), "ref": "555555555", "section": "insights", "text": said} for place, said in enumerate(IN_IT)
    ]
    assert AROUND.count(old) == 1
    found = told(diff(published, entries, published.replace(AROUND, AROUND.replace(old, new))))
    assert found == ({"added": [("Key Insights", expected["added"])]} if "added" in expected else expected)


@pytest.mark.parametrize("lead", ["8 May, bob@example.org:", "8 May:", "Dr. Smith:"])
def test_a_line_of_which_its_lead_alone_is_left_says_nothing(lead: str) -> None:
    entries = [{"memory_id": "a", "ref": "555555555", "section": "insights", "text": "It rained."}]
    published = f"## Key Insights\n### 2023\n- {lead} It rained. [555555555]\n"
    assert told(diff(published, entries, published.replace(" It rained.", ""))) == {"removed": "a"}


MEMORY = st.tuples(
    WORDS.map(render.clean_text).filter(lambda text: any(map(str.isalnum, text))),
    st.sampled_from(["tasks", "insights"]),
    st.integers(0, 4),
    st.sampled_from([None, "Ana Maria", "Caroline", "bob@example.org", "Dr. Smith", "Wow! It; is", "anna.b"]),
)
SENTENCE = st.text(st.sampled_from("abcd "), min_size=3, max_size=12).map(lambda text: f"X{text.strip()}".strip() + ".")


@given(
    st.lists(st.tuples(SENTENCE, MEMORY.map(lambda row: row[3])), min_size=2, max_size=6, unique_by=lambda row: row[0]),
    st.sampled_from([None, "8 May 2023"]),
    st.data(),
)
@settings(max_examples=80, deadline=None)
def test_whatever_is_deleted_of_a_line_no_lead_of_it_becomes_a_memory(
    said: list[tuple[str, str | None]], day: str | None, data: st.DataObject
) -> None:
    """Some memories of a line, and perhaps the bars between speakers: two leads may stand in a row then."""
    entries = [
        render.Entry("555555555", str(place), "insights", text, label, day)
        for place, (text, label) in enumerate(sorted(said, key=lambda row: row[1] or ""))
    ]
    rows = [{"memory_id": e.memory_id, "ref": e.ref, "section": e.section, "text": e.text} for e in entries]
    text = render.render("ana", entries)
    gone = data.draw(st.sets(st.sampled_from(entries), min_size=1))
    with_bar = data.draw(st.booleans())
    line = " " + render.render_line(entries)
    for entry in gone:
        where = f" {entry.text}"
        assert where in line
        line = line.replace(f"{where} |" if with_bar and f"{where} |" in line else where, "", 1)
    edit = diff(text, rows, text.replace(render.render_line(entries), line.strip()))
    removed = {one.memory_id for one in (*edit.removed, *edit.vanished)}
    assert removed == {entry.memory_id for entry in gone}
    assert not edit.added
    # Whoever stands before the words now has said them; the words are the same.
    assert all(one.after.endswith(one.before) for one in edit.changed)


@given(st.lists(MEMORY, min_size=1, max_size=8), st.sampled_from([None, "8 May 2023"]))
@settings(max_examples=80, deadline=None)
def test_what_the_renderer_writes_is_no_edit_of_itself(
    memories: list[tuple[str, str, int, str | None]], day: str | None
) -> None:
    """Whatever stands in lines, alone or together, with and without days and speakers."""
    ordered = sorted(memories, key=lambda row: (row[1], row[2], row[3] or ""))
    entries = [
        render.Entry(reference(f"{section} {source}"), str(place), section, text, label, day)
        for place, (text, section, source, label) in enumerate(ordered)
    ]
    entries.sort(key=lambda entry: render.SECTIONS.index(entry.section))
    rows = [{"memory_id": e.memory_id, "ref": e.ref, "section": e.section, "text": e.text} for e in entries]
    text = render.render("ana", entries)
    assert told(diff(text, rows, text)) == {}
    first = [entry for entry in entries if entry.ref == entries[0].ref]
    gone = diff(text, rows, text.replace(render.render_line(first) + "\n", "", 1))
    assert {one.memory_id for one in (*gone.removed, *gone.vanished)} == {entry.memory_id for entry in first}
    assert not gone.added and not gone.changed


NO_WORDS = {"published_text": "", "edited_text": None, "section": None}
NO_DECISION = dict.fromkeys(edit_row("ana", "m", "retired", path="/f", at="", source_id=None, **NO_WORDS))
SAID_BY = {"label": "Caroline", "said_by_owner": False, "occurred_at": datetime(2023, 5, 8, tzinfo=UTC)}


def known_row(memory_id: str, action: str, text: str, **more: Any) -> dict[str, Any]:
    row = {"memory_id": memory_id, "action": action, "published_text": text, "entity_type": "KnowledgeChunk", "path": "/f"}
    return {**NO_DECISION, **SAID_BY, **row, "at": AT, **more}


def rows_of(text: str, known: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, tuple[str, Any, Any]]:
    """What an edit decides: memory to action, by whom, and conflict."""
    edit = diff(PUBLISHED, ENTRIES, text)
    plan = plan_edit(edit, known or [], render.HEADINGS)
    ids = [f"new:{one.text}" for one in plan.told]
    rows = decide("ana", edit, plan, ids, source_id="s", path="/f", at=AT, known=known or [], **more)
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["memory_id"]: (row["action"], row["by_memory_id"], row["conflict"]) for row in rows}


def test_a_changed_line_supersedes_and_a_removed_one_is_retired() -> None:
    text = edited("green tea", "coffee").replace(" | Bob: Pay the rent.", "") + "- Water the fern\n"
    assert rows_of(text) == {
        "b": ("superseded", "new:I prefer coffee", None),
        "e": ("retired", None, None),
        "new:I prefer coffee": ("added", None, None),
        "new:Water the fern": ("added", None, None),
    }


def test_what_has_vanished_is_asked_about_and_not_retired() -> None:
    assert {action for action, _, _ in rows_of("").values()} == {"vanished"}


def test_a_line_that_is_there_again_takes_its_retirement_back() -> None:
    known = [known_row("old", "retired", "Water the fern"), known_row("gone", "superseded", "I prefer cocoa")]
    assert rows_of(PUBLISHED + "- Caroline: Water the fern\n", known) == {"old": ("restored", None, None)}
    assert rows_of(edited("green tea", "cocoa"), known) == {
        "b": ("superseded", "gone", None),
        "gone": ("restored", None, None),
    }


def test_an_edit_of_what_is_not_so_any_more_is_a_conflict() -> None:
    text = edited("green tea", "coffee").replace("metric", "imperial")
    rows = rows_of(text, missing={"b"}, outdated={"a"})
    assert rows["a"][2] == "something newer had taken the line's place meanwhile"
    assert rows["b"][2] == "what the line said had been retired meanwhile"


def test_words_that_say_the_same_as_the_memory_decide_nothing() -> None:
    edit = diff(PUBLISHED, ENTRIES, edited("green tea", "GREEN TEA"))
    plan = plan_edit(edit, [], render.HEADINGS)
    assert decide("ana", edit, plan, ["b"], source_id="s", path="/f", at=AT) == []


NEW_WORDS = {
    "Caroline: Water the fern": True,
    "8 May: Water the fern": True,
    "8 May 2023, Caroline: Water the fern": True,
    "Monday only: Water the fern": False,
    "9 May: Water the fern": False,
    "8 May, Bob: Water the fern": False,
}


@pytest.mark.parametrize("text", NEW_WORDS)
def test_what_stands_before_a_retired_line_and_is_no_lead_of_it_is_new(text: str) -> None:
    rows = rows_of(f"{PUBLISHED}- {text}\n", [known_row("old", "retired", "Water the fern")])
    assert rows == ({"old": ("restored", None, None)} if NEW_WORDS[text] else {f"new:{text}": ("added", None, None)})


def test_an_edited_line_keeps_its_day_and_tells_it_once_however_often_it_is_edited() -> None:
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
    assert [one.after for one in once_more.changed] == ["22 November 2026: Tomas moved to Graz yesterday."]
    lead = leads_of({"text": new.text, "label": None, "said_by_owner": False, "occurred_at": edited_at})
    assert {"22 November:", "22 January:"} <= lead


@pytest.mark.parametrize("text", ["31 February 2026: It rained.", "22 November: It rained.", "1 May 2026: ", "In 2026: It rained."])
def test_what_begins_with_no_whole_day_has_none_of_its_own(text: str) -> None:
    assert told_day(text) is None


def test_a_memory_without_day_and_speaker_has_no_lead() -> None:
    assert leads_of({"label": "user", "said_by_owner": False, "occurred_at": None}) == frozenset()


def test_what_vanishes_stays_what_it_was_when_that_is_taken_back() -> None:
    known = [
        known_row("a", "added", "Always answer in metric units.", source_id="s0", in_place_of="z"),
        known_row("b", "retired", "I prefer green tea"),
        known_row("c", "vanished", "Bring the cello", action_before="restored"),
    ]
    edit = diff(PUBLISHED, ENTRIES, "")
    plan = plan_edit(edit, known, render.HEADINGS)
    decided = decide("ana", edit, plan, [], source_id=None, path="/f", at=AT, known=known)
    rows = {row["memory_id"]: row for row in decided}
    assert {key: (row["action"], row["action_before"]) for key, row in rows.items()} == {
        "a": ("vanished", "added"),
        "c": ("vanished", "restored"),
        **dict.fromkeys("def", ("vanished", None)),
    }
    stored = [{**row, "at": AT} for row in rows.values()]
    undone = [undo_rows("ana", stored, row, AT)[0] for row in stored]
    assert [row["action"] for row in undone] == ["added", "restored", *["dismissed"] * 3]
    assert (undone[0]["in_place_of"], undone[0]["source_id"]) == ("z", "s0")
    assert undone[0]["edited_text"] == "Always answer in metric units."


def test_two_files_that_say_otherwise_are_a_conflict_with_both_texts() -> None:
    first = edited("green tea", "coffee")
    known = [
        known_row("b", "superseded", "I prefer green tea", path="/g", by_memory_id="new:cocoa", edited_text="I prefer cocoa"),
        known_row("new:cocoa", "added", "I prefer cocoa", path="/g", in_place_of="b"),
    ]
    assert rows_of(first, known) == {"new:I prefer coffee": ("added", None, "another of your files says otherwise")}
    gone = edited("- I prefer green tea [222222222]\n", "")
    assert rows_of(gone, known) == {"b": ("superseded", "new:cocoa", "another of your files says otherwise")}
    here = [{**row, "path": "/f"} for row in known]
    assert rows_of(first, here)["b"] == ("superseded", "new:I prefer coffee", None), "the same file may say something new"
    second = known_row("new:coffee", "added", "I prefer coffee", in_place_of="b", conflict="x", edited_text="I prefer coffee")
    both = [*known, second]

    def undone(number: int) -> dict[str, tuple[str, Any]]:
        return {row["memory_id"]: (row["action"], row["by_memory_id"]) for row in undo_rows("ana", both, both[number], AT)}

    assert undone(0) == {"b": ("restored", None), "new:cocoa": ("retired", None), "new:coffee": ("retired", None)}
    assert undone(1) == {"new:cocoa": ("retired", None), "b": ("superseded", "new:coffee"), "new:coffee": ("added", None)}
    assert undone(2) == {"new:coffee": ("retired", None)}


def test_what_was_confirmed_is_no_question_while_its_reason_stays() -> None:
    row = known_row("m", "added", "Water the fern", edited_text="Water the fern")
    (seen,) = confirm_rows("ana", [row], AT, {"m": "no room"})
    assert (seen["action"], seen["seen"]) == ("added", "no room")
    again = {**row, **seen, "at": AT}
    assert confirm_rows("ana", [again], AT, {"m": "no room"}) == []
    assert len(confirm_rows("ana", [again], AT, {"m": "superseded by 111111111"})) == 1


def test_an_audit_has_no_words_that_were_not_the_editors() -> None:
    edit = diff(PUBLISHED, ENTRIES, edited("green tea", "coffee"))
    rows = decide("ana", edit, plan_edit(edit, [], render.HEADINGS), ["n"], source_id="s", path="/f", at=AT)
    assert rows and all("green tea" not in row["snapshot"] for row in rows)


OVERVIEW = "Tomas lives in Brno and repairs violins. Ana: We agreed that the rent is 900 euros a month."
CORRECTED = "1 November 2026: Tomas lives in Brno and repairs violins. Ana: We agreed that the rent is 950 euros a month."


@pytest.mark.parametrize(
    ("action", "after", "out", "stays"),
    [
        ("superseded", CORRECTED, ["We agreed that the rent is 900 euros a month", OVERVIEW], ["We agreed that the rent is 950 euros a month."]),
        ("retired", None, ["Tomas lives in Brno and repairs violins.", "We agreed that the rent is 900 euros a month."], ["The rent is due."]),
        ("restored", None, [], ["Tomas lives in Brno and repairs violins.", OVERVIEW]),
    ],
)
def test_what_a_summarys_line_had_said_does_not_come_back_as_a_statement(
    action: str, after: str | None, out: list[str], stays: list[str]
) -> None:
    gone = taken_out([{"action": action, "published_text": OVERVIEW, "edited_text": after}])
    assert all(not gone.isdisjoint(sentence_keys(text)) for text in out)
    assert all(gone.isdisjoint(sentence_keys(text)) for text in stays)


def test_a_summary_that_says_a_retired_statement_among_others_is_out_too_and_a_short_answer_is_not() -> None:
    gone = taken_out([{"action": "retired", "published_text": "We agreed that the rent is 900 euros a month.", "edited_text": None}])
    assert not gone.isdisjoint(sentence_keys(OVERVIEW))
    assert gone.isdisjoint(sentence_keys("Yes. No. We agreed."))


@pytest.mark.parametrize("phrase", ["Let me know what you think.", "Sounds good to me!", "I think that is a great idea.", "So it's what I have."])
def test_what_is_said_beside_anything_takes_nothing_else_out(phrase: str) -> None:
    gone = taken_out([{"action": "retired", "published_text": f"The rent is 900 euros. {phrase}", "edited_text": None}])
    assert gone.isdisjoint(sentence_keys(f"The lease is in the drawer. {phrase}"))
    assert not gone.isdisjoint(sentence_keys(f"{phrase} The rent is 900 euros."))
    alone = taken_out([{"action": "retired", "published_text": phrase, "edited_text": None}])
    assert not alone.isdisjoint(sentence_keys(phrase)), "the very same words are out"
    assert alone.isdisjoint(sentence_keys(f"The lease is in the drawer. {phrase}"))
