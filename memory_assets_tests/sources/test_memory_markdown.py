"""A file of memories in any habit: every line is accounted for, and no word of a statement is lost."""

from __future__ import annotations

import re
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.sources.formats import memory_words as words
from memory_assets.sources.formats.memory_blocks import BLANK, HEADING, SKIPPED, STATEMENT, split

HABITS = {
    "a heading leads in what says nothing alone": ("## Home city\n\n- Berlin", ["Home city: Berlin"]),
    "a heading that says nothing does not": ("# MEMORY.md\n## Preferences\n- Dark mode", ["Dark mode"]),
    "a whole sentence": ("## Falcon\n- We ship it on Fridays only.", ["We ship it on Fridays only."]),
    "a nested item keeps its parent's words": (
        "- Food:\n  - Likes: ramen\n  - No coriander\n    - not even a little",
        ["Food: Likes: ramen", "Food: No coriander: not even a little"],
    ),
    "a parent that says something is one itself": (
        "- We moved the office to Porto in May.\n  - lease: 5 years",
        ["We moved the office to Porto in May.", "We moved the office to Porto in May: lease: 5 years"],
    ),
    "boxes": ("- [ ] Call the dentist\n- [x] File the taxes", ["Call the dentist", "Done: File the taxes"]),
    "numbered lists": ("1. Renew the old passport.\n2) Book it.", ["Renew the old passport.", "Book it."]),
    "a wrapped paragraph": (
        "The importer went live after we had fixed the parser for the third time,\nand nobody has complained since "
        "then.",
        [
            (
                "The importer went live after we had fixed the parser for the third time, and nobody has complained "
                "since then."
            )
        ],
    ),
    "lines that were broken on purpose": (
        "Name: Alex\nCity: Berlin\nEmployer: Acme",
        ["Name: Alex", "City: Berlin", "Employer: Acme"],
    ),
    "a table": (
        "| Name | City |\n|---|---|\n| Ana | Porto |\n| Tom | |",
        ["Name: Ana; City: Porto", "Name: Tom"],
    ),
    "code, whole, with what leads it in": (
        "To deploy:\n\n```bash\nmake all\nmake go\n```",
        ["To deploy: make all\nmake go"],
    ),
    "a quote": ("> Never push on Fridays.\n> Nor on Mondays.", ["Never push on Fridays.", "Nor on Mondays."]),
    "a comment": ("<!-- keep this short -->\n\n- Tea, no milk, ever.", ["keep this short", "Tea, no milk, ever."]),
    "front matter": (
        "---\nname: Kim\ntags:\n  - a\n  - b\n---\nWe like short answers.",
        ["name: Kim", "tags: a, b", "We like short answers."],
    ),
    "a heading that is a sentence": (
        "## Decision: keep Postgres\n- because of JSONB",
        ["Decision: keep Postgres", "because of JSONB"],
    ),
    "a heading with nothing below it": (
        "## Facts\n\n### Allergic to nuts\n\n## Other\n- It is all fine here.",
        ["Allergic to nuts", "It is all fine here."],
    ),
    "signs before and bold print": ("### 🍜 **Food**\n- **Ramen**", ["Food: Ramen"]),
    "CRLF": ("# Memory\r\n- We use tabs, not spaces.\r\n", ["We use tabs, not spaces."]),
    "a reference": ("[docs]: https://example.com/a", ["[docs]: https://example.com/a"]),
    "another script": ("## 好み\n- ラーメン", ["好み: ラーメン"]),
}


@pytest.mark.parametrize("habit", HABITS)
def test_a_habit_becomes_statements(habit: str) -> None:
    text, expected = HABITS[habit]
    found = [one.text for one in split(text).statements]
    assert found == expected


@pytest.mark.parametrize(
    "text",
    [
        "Lead:\n```\n" + "".join(f"line {n} = {n}\n" for n in range(3000)) + "```\n",
        "---\n" + "".join(f"key{n}: value {n}\n" for n in range(3000)) + "---\n",
    ],
    ids=["code", "fields above the largest front matter"],
)
def test_a_long_block_becomes_parts_that_tell_their_own_lines_alone(text: str) -> None:
    found = split(text).statements
    assert len(found) > 5
    assert sum(one.last - one.first + 1 for one in found) <= 3000 + 2 * len(found), "no part has every line"
    for one in found[:-1]:
        numbers = set(range(one.first, one.last + 1))
        lines = text.split("\n")
        assert words.words_in(one.text) - {"lead"} <= words.words_in("\n".join(lines[number - 1] for number in numbers))


def test_long_prose_becomes_sentences_each_with_its_lines() -> None:
    text = (
        "The old importer wrote its rows one by one, which took nine hours for the whole catalogue of spare\n"
        "parts. Maria replaced it by a bulk load in March. That took four minutes.\n"
    )
    found = [(one.first, one.last, one.text[:12]) for one in split(text).statements]
    assert found == [(1, 2, "The old impo"), (2, 2, "Maria replac")]
    assert split(text).statements[1].text.endswith("That took four minutes.")


PROSE = {
    "German ordinals and letters one by one": (
        "Ich arbeite seit dem 3. März 2019 bei der Reederei in Hamburg, z. B. an den Plänen für die neue Fähre, und "
        "zwar mit Dr. Peters aus der Abteilung für Antriebe. Meine Schwester kommt bis zum 24. Dezember p. ex. aus "
        "Lyon und u. a. aus Köln.",
        ["Ich arbeite seit", "Meine Schwester kommt"],
    ),
    "French quotation marks": (
        "« Pas de viande le soir ! » dit-il souvent à table. Nous partons en Bretagne chaque été, p. ex. à Quimper, "
        "où M. Girard loue une maison près de la plage. Elle coûte 900 euros par semaine, et nous la prenons depuis "
        "2012 déjà.",
        ["« Pas de viande", "Nous partons en", "Elle coûte 900"],
    ),
    "signs that are nearly words": (
        "私は東京に住んでいて、毎朝六時に起きて散歩をします。妹は大阪で医者をしていて、二人の子供がいます。来年の四月に家族で京都へ引っ越す予定です。"
        "肉は食べませんが、魚は好きです。",
        ["私は東京に", "妹は大阪で", "来年の四月", "肉は食べま"],
    ),
    "a narrow editor's lines": (
        "my narrow notes are broken by\nan editor at thirty columns and\ngo on for some lines until they\nend here.",
        ["my narrow notes are broken by an editor at thirty columns and go on for some lines until they end here."],
    ),
    "short lines that are a list": (
        "milk and honey\nbread\neggs and butter",
        ["milk and honey", "bread", "eggs and butter"],
    ),
}


@pytest.mark.parametrize("name", PROSE)
def test_prose_of_any_language_becomes_its_sentences(name: str) -> None:
    text, begins = PROSE[name]
    found = [one.text for one in split(text).statements]
    assert [one[: len(begin)] for one, begin in zip(found, begins, strict=True)] == begins


@pytest.mark.parametrize("word", ["wander ", "Wander, ", "漢字", "漢字、", "x"])
@pytest.mark.parametrize("sign", ["", "- ", "> "])
def test_prose_without_an_end_is_cut_to_a_readable_size(word: str, sign: str) -> None:
    found = [one.text for one in split(sign + word * (6000 // len(word))).statements]
    assert max(map(len, found)) <= 400 and len(found) >= 15
    assert "".join(filter(str.isalnum, "".join(found))) == "".join(filter(str.isalnum, word)) * (6000 // len(word))


_SENTENCES = st.builds(
    lambda parts, end: " ".join([parts[0].capitalize(), *parts[1:]]) + end,
    st.lists(
        st.sampled_from(
            "the engine Ana lives in Köln since March, z. B. with Dr. Peters と 東京 l'été never paints twice".split()
        ),
        min_size=1,
        max_size=40,
    ),
    st.sampled_from([".", "!", "?", "。", "", ":", " …"]),
)
_PARAGRAPHS = st.builds(
    lambda parts, width: "\n".join(textwrap.wrap(" ".join(parts), width)) if width else " ".join(parts),
    st.lists(_SENTENCES, min_size=1, max_size=12),
    st.sampled_from([0, 28, 40, 72, 100]),
)


@given(st.lists(_PARAGRAPHS, min_size=1, max_size=5))
@settings(max_examples=60)
def test_the_words_of_prose_are_the_words_of_its_statements_paragraph_by_paragraph(paragraphs: list[str]) -> None:
    result = split("\n\n".join(paragraphs))
    starts = [
        number for number, line in enumerate(result.lines, 1) if number == 1 or not result.lines[number - 2].strip()
    ]
    of_paragraph: dict[int, list[str]] = {start: [] for start in starts}
    for one in result.statements:
        (start,) = {max(s for s in starts if s <= number) for number in (one.first, one.last)}
        of_paragraph[start].append(one.text)
    assert max(len(one.text) for one in result.statements) <= 400 + 2 * words.LONGEST_LEAD
    for paragraph, said in zip(paragraphs, of_paragraph.values(), strict=True):
        written = re.findall(r"[^\W_]+", " ".join(said))
        there = iter(written)
        assert all(word in there for word in re.findall(r"[^\W_]+", paragraph)), "in their order, and none is missing"


def test_days_come_from_headings_items_and_front_matter() -> None:
    text = (
        "---\nupdated: 2026-01-05\n---\n# Log\n- undated thing here\n## 2026-03-01 (Sunday)\nWe shipped it.\n- "
        "2026-03-02: met Tom\n### Notes\nAll was well then.\n## Setup (2 April 2026)\n- It runs.\n"
    )
    result = split(text)
    assert result.day == "2026-01-05"
    days = {one.text: one.day for one in result.statements}
    assert days["We shipped it."] == "2026-03-01"
    assert days["2026-03-02: met Tom"] == "2026-03-02"
    assert days["All was well then."] == "2026-03-01"
    assert days["Setup: It runs."] == "2026-04-02"
    assert days["undated thing here"] is None


def test_fates_of_lines() -> None:
    text = "# Memory\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\n```\nx = 1\n```\n🎉\n"
    assert [fate.kind for fate in split(text).fates] == [
        HEADING, BLANK, HEADING, SKIPPED, STATEMENT, BLANK, SKIPPED, BLANK, SKIPPED, STATEMENT, SKIPPED, SKIPPED,
    ]  # fmt: skip


def test_sections_are_the_headings_above() -> None:
    (one,) = split("# Me\n## Tasks\n### Home\n- [ ] Paint the whole fence").statements
    assert (one.section, one.is_open) == ("Me > Tasks > Home > To do", True)


def test_a_block_of_many_lines_is_cut_between_them() -> None:
    body = "\n".join(f"line {number} of the log" for number in range(1000))
    parts = [one.text for one in split(f"```\n{body}\n```").statements]
    assert max(map(len, parts)) <= 6_000 and len(parts) > 3
    assert words.words_in(" ".join(parts)) == words.words_in(body)


_SIGNS = [
    "",
    "- ",
    "* ",
    "1. ",
    "# ",
    "## ",
    "- [ ] ",
    "- [x] ",
    "| ",
    "```",
    "> ",
    "<div> ",
    "<!-- ",
    "2026-03-01: ",
    "Name: ",
    "---",
]
_WORDS = (
    "Berlin likes never 2026-03-01 Ana: x https://a.b/c **bold** `code` Übung 東京に住んでいます。 e.g. done. yes! 🏠 | - [x] "  # noqa: E501
    "<br> a_b __init__ \\ _x_ Dr. 3. 1) # key: ::: &amp; [link](u) ![i](p) > --> ``` ~~~ --- === :--- \u200b"
).split(" ")
LINES = st.builds(
    lambda indent, sign, parts: indent + sign + " ".join(parts),
    st.sampled_from(["", "", "  ", "    ", "\t", "> "]),
    st.sampled_from(_SIGNS),
    st.lists(st.sampled_from(_WORDS), max_size=8),
)


@given(st.lists(LINES, max_size=14).map("\n".join) | st.text(max_size=120))
@settings(max_examples=300)
def test_every_line_has_a_fate_and_the_words_of_its_statements(text: str) -> None:
    result = split(text)
    assert len(result.fates) == len(result.lines)
    stated: dict[int, str] = {}
    for one in result.statements:
        assert 1 <= one.first <= one.last <= len(result.lines) and words.has_words(one.text)
        for number in range(one.first, one.last + 1):
            stated[number] = f"{stated.get(number, '')} {one.text}"
    for number, (line, fate) in enumerate(zip(result.lines, result.fates, strict=True), 1):
        assert fate.kind in (HEADING, BLANK, STATEMENT, SKIPPED)
        assert (fate.kind == BLANK) == (not line.strip())
        assert (fate.reason is not None) == (fate.kind == SKIPPED)
        if fate.kind == STATEMENT:
            plain = words.unmarked(line).replace("<br>", " ").replace("<div>", " ")
            assert words.words_in(words.inline(plain)) <= words.words_in(stated[number])


@pytest.mark.parametrize(
    ("text", "is_heading", "day"),
    [
        ("2026-03-01: moved house", False, "2026-03-01"),
        ("Moved house (2026-03-01)", False, "2026-03-01"),
        ("Renew the domain before 2026-12-01", False, None),
        ("Notes of 2026-03-01", True, "2026-03-01"),
    ],
)
def test_the_day_of_a_line_is_not_a_day_that_it_speaks_of(text: str, is_heading: bool, day: str | None) -> None:
    assert words.split_day(text, is_heading=is_heading)[0] == day


def test_a_divider_between_entries_is_no_word_of_either() -> None:
    result = split("Speak French with Nora.\n\u00a7\nThe ladder is in the shed.\n\u00a7\n")
    assert [(one.first, one.last, one.text) for one in result.statements] == [
        (1, 1, "Speak French with Nora."),
        (3, 3, "The ladder is in the shed."),
    ]
    assert [result.fates[number].kind for number in (1, 3)] == ["skipped", "skipped"]


def test_a_file_that_is_one_block_of_code_is_read_line_by_line() -> None:
    result = split("```markdown\n# Garden\n- The hose is green.\n- Water at night.\n\n```sh\nopen tap\n```\n```\n")
    assert [(one.first, one.text) for one in result.statements] == [
        (3, "The hose is green."),
        (4, "Garden: Water at night."),
        (7, "Garden: open tap"),
    ]
    assert [result.fates[number].kind for number in (0, 8)] == ["skipped", "skipped"]
    half = split("```markdown\n- one thing\n```\nand another\n```\nopen tap\n")
    assert "and another" in [one.text for one in half.statements]
