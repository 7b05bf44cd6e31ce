"""What differs between a published file and the text on disk: tables of edits, and what always holds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.files.on_disk import decode
from memory_assets.text.lines import same_words
from memory_assets_tests.edits.edited_file import ENTRIES, PUBLISHED, WORDS, diff, edited, told


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
    "no speaker": edited("8 May, Caroline: Bring", "8 May: Bring"),
    "a speaker without a day": edited("8 May, Bob:", "Bob:"),
    "no lead at all": edited("8 May, Bob: ", ""),
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
    assert not len(edit)


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
    "changed, reference dropped": (
        edited("green tea [222222222]", "green teas"),
        {"changed": {"b": "I prefer green teas"}},
    ),
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
    "a line with a speaker changed": (
        edited("about the ladder", "about the roof"),
        {"changed": {"d": "8 May 2023, Caroline: Call Rob about the roof"}},
    ),
    "lengthened": (
        edited("the ladder", "the ladder (moved to June). Feed the cat"),
        {"changed": {"d": "8 May 2023, Caroline: Call Rob about the ladder (moved to June). Feed the cat"}},
    ),
    "changed without its lead": (
        edited("8 May, Bob: Pay the rent.", "Pay the whole rent."),
        {"changed": {"e": "8 May 2023, Bob: Pay the whole rent."}},
    ),
    "two lines made one": (
        edited(" [333333333]\n- 8 May, Caroline: Call Rob about the ladder [555555555]", "; Call Rob [333333333]"),
        {"changed": {"c": "8 May 2023, Caroline: Bring the cello; Call Rob"}, "removed": "d"},
    ),
    "all lines of a day removed": (
        "\n".join(line for line in PUBLISHED.split("\n") if "8 May" not in line),
        {"removed": "cde"},
    ),
    "somebody else said it": (edited("Bob: ", "Dana: "), {"changed": {"e": "8 May 2023, Dana: Pay the rent."}}),
    "words struck out": (edited("the rent", "~~the rent~~ Rob"), {"changed": {"e": "8 May 2023, Bob: Pay Rob."}}),
    "all words struck out behind the lead": (edited("Pay the rent.", "~~Pay the rent.~~"), {"removed": "e"}),
    "ticked behind the lead": (
        edited("Pay the", "[x] Pay the"),
        {"changed": {"e": "8 May 2023, Bob: [x] Pay the rent."}},
    ),
    "a line of its own changed": (
        edited("parcel by noon", "parcels by ten"),
        {"changed": {"f": "9 May 2023: Fetch the parcels by ten."}},
    ),
    "another day": (edited("9 May:", "10 May:"), {"changed": {"f": "10 May: Fetch the parcel by noon."}}),
    "the lead alone left": (edited(" Pay the rent. [666666666]", " [666666666]"), {"removed": "e"}),
    "emptied": ("", {"vanished": "abcdef"}),
    "white space alone": ("\n  \n\ufeff\n", {"vanished": "abcdef"}),
    "headings alone": ("# Memory of ana\n## Active Tasks\n", {"vanished": "abcdef"}),
    "replaced": (
        "My own notes stand here now.\n",
        {"added": [(None, "My own notes stand here now.")], "vanished": "abcdef"},
    ),
    "cut at a line": (PUBLISHED[: PUBLISHED.index("- 8 May")], {"vanished": "cdef"}),
    "another user's": (PUBLISHED.replace("of ana", "of ben") + "- Mine\n", {"vanished": "abcdef"}),
    "cut within a line": (PUBLISHED[: PUBLISHED.index("cello") + 3], {"vanished": "def"}),
}


@pytest.mark.parametrize("name", EDITS)
def test_what_an_edit_is(name: str) -> None:
    text, expected = EDITS[name]
    assert told(diff(PUBLISHED, ENTRIES, text)) == expected


def test_of_another_users_file_nothing_is_known_though_ours_had_no_line() -> None:
    edit = diff("# Memory of ana\n", [], "# Memory of ben\n- Mine\n")
    assert edit.is_foreign and not len(edit)
    assert not diff("# Memory of ana\n", [], "# Memory of ana\n- Mine\n").is_foreign


def test_a_short_file_that_was_cut_within_a_heading_is_asked_about() -> None:
    published = "## Personal Preferences\n- Tea [111111111]\n\n## Active Tasks\n- Bring the cello [333333333]\n"
    texts = (("a", "111111111", "preferences", "Tea"), ("c", "333333333", "tasks", "Bring the cello"))
    entries = [{"memory_id": m, "ref": r, "section": s, "text": x} for m, r, s, x in texts]
    assert told(diff(published, entries, published[: published.index("Tasks")])) == {"vanished": "c"}
    assert told(diff(published, entries, published[: published.index("\n\n##")])) == {"removed": "c"}


def test_half_of_a_short_file_may_be_removed_and_more_of_a_long_one_is_asked_about() -> None:
    entries = [
        {"memory_id": str(n), "ref": f"{n:09d}", "section": "insights", "text": f"Lamp {n} burns"} for n in range(10)
    ]
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


LINE = st.one_of(
    WORDS,
    WORDS.map(lambda words: f"- {words}"),
    WORDS.map(lambda words: f"  * {words} [222222222]"),
    st.sampled_from(["", "```", "~~~", "---", "# x", "## Active Tasks", "### 2023", "- ", "- [x] ", "| a | b |"]),
    st.sampled_from([line for line in PUBLISHED.split("\n") if line]),
)


@given(st.lists(LINE, max_size=14), st.sampled_from(["\n", "\r\n", "\r"]))
@settings(max_examples=150)
def test_each_line_of_an_edit_and_each_entry_is_accounted_for_once(lines: list[str], end: str) -> None:
    text = end.join(lines)
    edit = diff(PUBLISHED, ENTRIES, text)
    fates = [
        line.entry["memory_id"] for line in (*edit.removed, *edit.vanished, *(line for line, _, _ in edit.changed))
    ]
    assert len(fates) == len(set(fates)) and set(fates) <= set("abcdef")
    for entry in ENTRIES:
        is_there = same_words(entry["text"]).rstrip(".") in same_words(text.replace(end, " "))
        assert is_there or entry["memory_id"] in fates, "an entry whose words are gone has a fate"
    parts = [*edit.added, *(item for _, item in edit.same), *(item for _, item, _ in edit.changed)]
    assert len({item.line for item in parts}) == len(parts), "an item is one thing"
    assert all(any(map(str.isalnum, item.words)) for item in edit.added)


@given(st.permutations(PUBLISHED.rstrip("\n").split("\n")))
@settings(max_examples=60)
def test_no_order_of_the_lines_is_an_edit(lines: list[str]) -> None:
    assert told(diff(PUBLISHED, ENTRIES, "\n".join(lines) + "\n")) == {}
