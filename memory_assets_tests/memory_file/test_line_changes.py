"""What becomes of a line that holds several memories: who is said to have said what, and what its leads are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.memory_file import render
from memory_assets.memory_file.edits import diff
from memory_assets.model import reference
from memory_assets_tests.memory_file.edited_file import WORDS, told

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


TASKS = ("I need to tune the cello.", "Oil the garden gate", "Oil the garden gate again", "Call the plumber.")
SHARED = "- 2 May: I need to tune the cello. Oil the garden gate; Oil the garden gate again | Bob: Call the plumber. [555555555]"
TICKED_OFF: dict[str, tuple[str, str, dict[str, Any]]] = {
    "the first struck out": ("I need to tune the cello.", "~~I need to tune the cello.~~", {"removed": "0"}),
    "the second one struck out": ("Oil the garden gate;", "~~Oil the garden gate~~;", {"removed": "1"}),
    "another's struck out": ("Call the plumber.", "~~Call the plumber.~~", {"removed": "3"}),
    "words of one struck out": ("the plumber", "~~the plumber~~ Rob", {"changed": {"3": "2 May 2026, Bob: Call Rob."}}),
    "the first ticked off": (" I need", " [x] I need", {"changed": {"0": "2 May 2026: [x] I need to tune the cello."}}),
    "a longer one ticked off": ("; Oil", "; [X] Oil", {"changed": {"2": "2 May 2026: [x] Oil the garden gate again"}}),
    "another's done": ("plumber.", "plumber. (done)", {"changed": {"3": "2 May 2026, Bob: [x] Call the plumber."}}),
    "all of them ticked off": (
        "- 2",
        "- [x] 2",
        {"changed": {str(n): f"2 May 2026{', Bob' * (n == 3)}: [x] {text}" for n, text in enumerate(TASKS)}},
    ),
}


@pytest.mark.parametrize("name", TICKED_OFF)
def test_of_a_line_of_several_tasks_one_can_be_struck_out_or_ticked_off(name: str) -> None:
    old, new, expected = TICKED_OFF[name]
    published = f"# Memory of ana\n\n## Active Tasks\n### 2026\n{SHARED}\n"
    entries = [{"memory_id": str(n), "ref": "555555555", "section": "tasks", "text": text} for n, text in enumerate(TASKS)]
    assert SHARED.count(old) == 1
    assert told(diff(published, entries, published.replace(SHARED, SHARED.replace(old, new)))) == expected


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
@settings(max_examples=80)
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
@settings(max_examples=80)
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
