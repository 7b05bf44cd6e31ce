"""Notes of vaults: front matter, links, embeds, tags and callouts, however they are broken."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.formats import FORMATS, clean, recognise
from memory_assets.sources.formats.base import Document, RawSource
from memory_assets.sources.formats.markdown import links_in, readable, tags_in


def note(text: str, name: str = "A note.md") -> RawSource:
    data = text.encode()
    (source,) = FORMATS[SourceType.NOTE].read(Document(io.BytesIO(data), name, len(data)))
    assert isinstance(source, RawSource)
    return source


def text_of(text: str) -> str:
    return "\n\n".join(turn.text for turn in clean("note", text).turns)


DAY = datetime(2024, 5, 1, tzinfo=UTC)
MATTER = {
    "title: Plan\ndate: 2024-05-01": ("Plan", DAY),
    "title: 'Plan: the beds'\ncreated: 2024-05-01": ("Plan: the beds", DAY),
    "date: 2024-05-01T10:00:00+02:00": ("A note", datetime(2024, 5, 1, 8, tzinfo=UTC)),
    "date: 2024-05-01 10:00": ("A note", datetime(2024, 5, 1, 10, tzinfo=UTC)),
    'date: "[[2024-05-01]]"': ("A note", DAY),
    "date: 1 May 2024": ("A note", DAY),
    "date: 2024-13-77": ("A note", None),
    "date: someday\ncreated: 2024-05-01": ("A note", DAY),
    "date: [2024]": ("A note", None),
    "title: [a, b": ("[a, b", None),
    "title: {{title}}\ndate: {{date}}": ("{{title}}", None),
    "title: !!python/object/apply:os.system [id]": ("!!python/object/apply:os.system [id]", None),
    "a: &a [x]\nb: [*a, *a]": ("A note", None),
    "title: 5": ("5", None),
    "title:": ("A note", None),
    "title: Plan\n\tdate: 2024-05-01": ("Plan", None),
}


@pytest.mark.parametrize("matter", MATTER)
def test_front_matter_tells_title_and_day_and_is_never_an_error(matter: str) -> None:
    source = note(f"---\n{matter}\n---\nBody\n")
    assert (source.title, source.started_at) == MATTER[matter]
    assert text_of(source.raw_content) == "Body"


def test_what_is_no_front_matter_is_text() -> None:
    for text in ("---\nno field here\n---\nBody", "---\ntitle: x\nnever closed", "--- \n\nBody", "----\na: b\n----\n"):
        assert note(text).raw_content == text.strip("\n") and text_of(text)
    assert "no field here" in text_of("---\nno field here\n---\nBody")


@pytest.mark.parametrize(("name", "day"), [("2024-05-01.md", DAY), ("2024-05-01 Beds.md", DAY), ("Beds.md", None)])
def test_the_day_of_a_daily_note_is_its_files(name: str, day: datetime | None) -> None:
    assert note("Sown.", name).started_at == day
    assert note("---\ndate: 2020-01-02\n---\nSown.", name).started_at == datetime(2020, 1, 2, tzinfo=UTC)


READ = {
    "See [[Beds]], [[Beds|the beds]], [[plans/Beds#North]] and [[#Here]].": "See Beds, the beds, Beds > North and Here.",  # noqa: E501
    "![[plan.png]] and ![[Beds#North|400]]": "[embedded: plan.png] and [embedded: Beds > North]",
    "Of #garden/beds and #2024-plan, but issue #12 and C#.": "Of garden/beds and 2024-plan, but issue #12 and C#.",
    "> [!warning]- Frost\n> Cover them.": "> Frost\n> Cover them.",
    "> [!todo]\n> Sow.": "> Todo\n> Sow.",
    "Sown. ^block-1": "Sown.",
    "Sown %%a comment%% today": "Sown  today",
    "| [[Beds\\|beds]] | 4 |": "| beds | 4 |",
    "`[[code]] #x` and [[Beds]]": "`[[code]] #x` and Beds",
    "```\n[[code]] #x\n```": "```\n[[code]] #x\n```",
    "# Heading\n\n#tag": "# Heading\n\ntag",
    "[[]] [[|x]] [[a\nb]] [[[x]]]": "[[]] x [[a\nb]] [x]",
}


@pytest.mark.parametrize("text", READ)
def test_a_vaults_signs_become_words(text: str) -> None:
    assert text_of(text) == READ[text]


def test_links_tags_and_aliases_are_told() -> None:
    source = note(
        "---\ntags: [garden, '#beds']\naliases:\n  - The plan\n---\n"
        "[[Beds|x]] [[plans/Kale#Part]] ![[Pic.png]] [y](sub/My%20note.md) `[[no]]` #inline\n```\n[[no]] #no\n```\n",
        "Plan.md",
    )
    assert source.links == ("beds", "kale", "my note", "pic.png") and source.note_name == "plan"
    assert source.provenance["tags"] == ["beds", "garden", "inline"] and source.provenance["aliases"] == ["The plan"]
    assert note("[[Beds]]", "plain.txt").note_name is None


def test_a_vaults_note_of_dialogue_is_a_note() -> None:
    text = "---\ntitle: Talk\n---\nMara: Hi.\nOle: Hi.\nMara: So?\nOle: Yes.\n"
    assert recognise(text.encode(), "Talk.md").kind is SourceType.NOTE


@settings(max_examples=150)
@given(st.text("-[]|#^!`>%:\n abc&*{}'\"~", max_size=200))
def test_no_text_is_an_error(text: str) -> None:
    whole = f"x{text}\n\nLast words"
    assert text_of(whole) and isinstance(links_in(whole), tuple)
    assert text_of(f"---\n{text}\n---\nLast words").endswith("Last words")


@pytest.mark.parametrize("unit", ["[[", "[[a|", "![[", "#a", "%%", "`", "> ", "---\n", "- &a [*a]\n", "{", "a: "])
def test_no_repetition_is_a_trap(unit: str) -> None:
    text = unit * 10_000
    assert isinstance(text_of(text), str) and isinstance(text_of(f"---\n{text}\n---\n"), str)
    assert isinstance(links_in(text), tuple)


CANVAS = {
    "nodes": [
        {"id": "b", "type": "text", "text": "Then [[Kale]].", "x": 0, "y": 300},
        {"id": "a", "type": "text", "text": "First the #beans.", "x": 0, "y": 0},
        {"id": "g", "type": "group", "label": "Beds", "x": -10, "y": -20},
        {"id": "f", "type": "file", "file": "plans/Spring.md", "x": 0, "y": 600},
        {"id": "l", "type": "link", "url": "https://e.org/frost", "x": 500, "y": 600},
    ],
    "edges": [{"id": "e", "fromNode": "a", "toNode": "b", "label": "two weeks later"}],
}


def found(data: bytes, name: str) -> RawSource:
    chosen = recognise(data, name)
    (source,) = chosen.read(Document(io.BytesIO(data), name, len(data)))
    assert isinstance(source, RawSource)
    return source


@pytest.mark.parametrize("name", ["Beds.canvas", "Beds.json"])
def test_a_canvas_is_a_note_of_its_cards_words(name: str) -> None:
    source = found(json.dumps(CANVAS).encode(), name)
    assert source.links == ("kale", "spring")
    assert source.provenance["tags"] == ["beans"]
    words = [turn.text for turn in clean("note", source.raw_content).turns]
    assert words[1:] == [
        "Beds",
        "First the beans.",
        "Then Kale.",
        "[embedded: Spring]",
        "https://e.org/frost",
        "two weeks later",
    ]


@pytest.mark.parametrize(
    "canvas",
    [
        b"{}",
        b'{"nodes": [], "edges": []}',
        b'{"nodes": [{"type": "file", "file": "a.md"}]}',
        b'{"nodes": [null, 3',
        b'{"nodes": [{"type": "text", "text": 7, "y": "x"}]}',
    ],
)
def test_a_canvas_without_words_or_a_broken_one_is_set_aside(canvas: bytes) -> None:
    with pytest.raises(SourceUnreadableError, match="canvas"):
        found(canvas, "Beds.canvas")


def readable_lines(text: str) -> list[str]:
    return [line for line in readable(text).split("\n") if line.strip()]


def test_comments_over_lines_and_lists_that_a_program_makes_are_not_read() -> None:
    text = (
        "Beans.\n\n%%\nprivate\n%%\n\n```dataview\nLIST FROM #bed\n```\nKale.\n\n%% settings\nmore %%\n100%% "
        "sure.\n```python\nx = 1\n```"
    )
    assert readable_lines(text) == ["Beans.", "Kale.", "100%% sure.", "```python", "x = 1", "```"]
    assert readable_lines("%%\nnever closed") == ["%%", "never closed"]
    between = "Growth 100%%\n%%\nprivate\n%%\nWords between.\n%%\nprivate, too\n%%\nEnd."
    assert readable_lines(between) == ["Growth 100%%", "Words between.", "End."]
    code = "```tex\n%%\nx\n%%\n```"
    assert readable_lines(code) == code.split("\n")


@pytest.mark.parametrize(
    ("line", "tags"),
    [("See [[Beds#North side]] and #bed", ["bed"]), ("\\#no and #yes", ["yes"]), ("https://e.org/(a)#part", [])],
)
def test_what_looks_like_a_tag_and_is_none(line: str, tags: list[str]) -> None:
    assert tags_in({}, line) == tags


def test_links_in_a_table_and_in_front_matter_are_links() -> None:
    source = found(b'---\nup: "[[Garden]]"\n---\n| a | ![[plan.png \\| 300]] |\n', "Beds.md")
    assert source.links == ("garden", "plan.png")
    assert "[embedded: plan.png]" in clean("note", source.raw_content).content


@pytest.mark.parametrize(
    "text, title",
    [
        ("---\naliases: [Anna]\n---\nRoofer from Kassel.\n", "Anna Vogel"),
        ("## Log\n\nMet [[Rolf]].\n", "Anna Vogel"),
        ("---\ntags: [a]\n---\n# The roof\n", "The roof"),
        ("The roof\n========\n\nMet [[Rolf]].\n", "The roof"),
        ("## Log\n\nNothing of a vault.\n", "Log"),
    ],
)
def test_a_vaults_note_without_a_title_is_called_as_its_file_is(text: str, title: str) -> None:
    assert note(text, "Anna Vogel.md").title == title
