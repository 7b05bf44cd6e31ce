"""What leads a published line in, and what is its memory: who is said to have said what."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.memory_file import render
from memory_assets.model import reference
from memory_assets_tests.edits.edited_file import WORDS, diff, told

BEHIND = {
    "a name that has signs": (
        "8 May, Dr. Smith; Son!: Rest a week",
        "a week",
        "two weeks",
        "8 May 2023, Dr. Smith; Son!: Rest two weeks",
    ),
    "an address": ("8 May, bob@example.org: It rained.", "rained", "snowed", "8 May 2023, bob@example.org: It snowed."),
    "another speaker": (
        "8 May, Wow: The pump; the hose",
        "Wow: ",
        "x@y.org: ",
        "8 May 2023, x@y.org: The pump; the hose",
    ),
    "another day": ("8 May, Bob: It rained.", "8 May", "9 May", "9 May, Bob: It rained."),
    "a note that is no speaker": (
        "8 May: It rained.",
        "rained.",
        "rained. Note: dig",
        "8 May 2023: It rained. Note: dig",
    ),
    "a speaker without a day": ("Bob: It rained.", "rained", "snowed", "Bob: It snowed."),
    "a bar": ("8 May, Bob: It rained | snowed", "snowed", "hailed", "8 May 2023, Bob: It rained | hailed"),
}


@pytest.mark.parametrize("name", BEHIND)
def test_a_changed_line_is_of_its_day_and_speaker(name: str) -> None:
    line, old, new, expected = BEHIND[name]
    text = line.partition(": ")[2]
    published = f"# Memory of ana\n\n## Key Insights\n### 2023\n- {line} [555555555]\n"
    entries = [{"memory_id": "a", "ref": "555555555", "section": "insights", "text": text}]
    assert line.count(old) == 1
    assert told(diff(published, entries, published.replace(old, new))) == {"changed": {"a": expected}}


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


@given(st.lists(MEMORY, min_size=1, max_size=8), st.sampled_from([None, "8 May 2023"]))
@settings(max_examples=80)
def test_what_the_renderer_writes_is_no_edit_of_itself(
    memories: list[tuple[str, str, int, str | None]], day: str | None
) -> None:
    """Anything in lines, with and without days and speakers."""
    entries = [
        render.Entry(reference(f"{section} {place}"), str(place), section, text, label, day)
        for place, (text, section, _, label) in enumerate(memories)
    ]
    entries.sort(key=lambda entry: render.SECTIONS.index(entry.section))
    rows = [{"memory_id": e.memory_id, "ref": e.ref, "section": e.section, "text": e.text} for e in entries]
    text = render.render("ana", entries)
    assert told(diff(text, rows, text)) == {}
    gone = diff(text, rows, text.replace(entries[0].line + "\n", "", 1))
    assert [line.entry["memory_id"] for line in (*gone.removed, *gone.vanished)] == [entries[0].memory_id]
    assert not gone.added and not gone.changed
