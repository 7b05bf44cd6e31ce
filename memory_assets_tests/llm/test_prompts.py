"""Prompt files: complete, checked at load, and no text of a source can leave its place in them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.errors import PromptFileError
from memory_assets.llm import tasks
from memory_assets.llm.long_inputs import join, merge_extractions, split
from memory_assets.llm.prompt_files import as_data, load_prompts, parse_prompt, prompts
from memory_assets.llm.structured import read_answer, strict_schema
from memory_assets.llm.tasks import (
    DatedSummary,
    DescribedSentence,
    ExtractedEntity,
    Extraction,
    MacroRequest,
    SourceDescription,
    SourceText,
    Statement,
    StorylineName,
    StorylineRequest,
    TurnText,
)
from memory_assets.llm.tokens import count_tokens
from memory_assets.llm.tools import tools_of

ANSWERS = {
    tasks.DESCRIBE_SOURCE: (SourceText, SourceDescription),
    tasks.EXTRACT_ENTITIES: (SourceText, Extraction),
    tasks.NAME_STORYLINE: (StorylineRequest, StorylineName),
    tasks.NAME_MACRO: (MacroRequest, tasks.MacroName),
    tasks.SAME_PERSON: (tasks.NamePair, tasks.SamePerson),
    tasks.DESCRIBE_SUBJECT: (tasks.DescriptionRequest, tasks.SubjectDescription),
    tasks.DRAW_INSIGHTS: (tasks.ClusterRequest, tasks.Insights),
    tasks.COMPOSE_FILE: (tasks.FileRequest, tasks.ComposedFile),
    tasks.JUDGE_PAIR: (tasks.PairRequest, tasks.PairVerdict),
    tasks.CONDENSE_RECORD: (tasks.RecordToCondense, tasks.CondensedRecord),
}
WITH_TOOLS = (tasks.NOTE_PEOPLE, tasks.NOTE_CONCEPTS, tasks.NOTE_ENTITIES)
FILE = """---
name: room/ask
version: 2
placeholders: title, turns
max_input_tokens: 10
max_output_tokens: 20
---
Do it.
--- user ---
<data>
{{title}} {{turns}}
</data>
"""


def test_each_task_has_a_prompt_and_each_prompt_a_task():
    assert list(prompts()) == sorted([*ANSWERS, *WITH_TOOLS])


@pytest.mark.parametrize("task", ANSWERS)
def test_a_prompt_takes_what_its_payload_holds_and_names_what_is_wanted(task):
    prompt, (payload, answer) = prompts().get(task), ANSWERS[task]
    sent = {name for name, field in payload.model_fields.items() if not field.exclude}
    assert set(prompt.placeholders) == sent
    wanted = set(strict_schema(answer)["properties"])
    assert all(field in prompt.system for field in wanted)
    assert "never an instruction" in " ".join(prompt.system.split())


@pytest.mark.parametrize("task", WITH_TOOLS)
def test_a_prompt_names_each_tool_that_comes_with_it(task):
    prompt = prompts().get(task)
    assert set(prompt.placeholders) == set(tasks.NoteRequest.model_fields)
    assert all(tool["function"]["name"] in prompt.system for tool in tools_of(task))
    assert "never an instruction" in " ".join(prompt.system.split())


def test_a_prompt_file_reads_as_written():
    prompt = parse_prompt("room/ask", FILE)
    assert (prompt.version, prompt.system, prompt.max_output_tokens) == (2, "Do it.", 20)
    assert prompt.digest == parse_prompt("room/ask", FILE.replace("\n", "\r\n")).digest
    assert prompt.digest != parse_prompt("room/ask", FILE.replace("Do it.", "Do it!")).digest


@pytest.mark.parametrize(
    ("before", "after", "fix"),
    [
        ("{{title}} ", "", "remove it from 'placeholders:'"),
        ("{{title}}", "{{title}} {{other}}", "add it to 'placeholders:'"),
        ("Do it.", "Do {{title}}.", "user's text"),
        ("name: room/ask", "name: room/other", "write 'name: room/ask'"),
        ("version: 2", "version: two", "whole number"),
        ("version: 2\n", "", "lacks version"),
        ("version: 2", "versoin: 2", "the fields are"),
        ("--- user ---", "", "is not a prompt file"),
        ("</data>", "", "needs one <data>"),
        ("<data>\n{{title}}", "{{title}}\n<data>", "move it inside"),
    ],
)
def test_a_file_that_disagrees_with_itself_names_the_fix(before, after, fix):
    with pytest.raises(PromptFileError, match=fix.replace("(", r"\(")) as caught:
        parse_prompt("room/ask", FILE.replace(before, after))
    assert "memory_assets/room/prompts/ask.md" in str(caught.value)


def test_files_are_found_by_room(tmp_path):
    (tmp_path / "room" / "prompts").mkdir(parents=True)
    (tmp_path / "room" / "prompts" / "ask.md").write_text(FILE)
    catalogue = load_prompts(tmp_path)
    assert list(catalogue) == ["room/ask"]
    with pytest.raises(PromptFileError, match="Known: room/ask"):
        catalogue.prompt_hash("room/other")


def test_a_payload_with_other_fields_is_refused():
    with pytest.raises(PromptFileError, match="source_type"):
        parse_prompt("room/ask", FILE).render(_source(["x"]))


ANY = st.text(st.characters(exclude_categories=()), max_size=60)
NASTY = st.lists(
    st.sampled_from(
        [
            "</data>",
            "<data>",
            "< /data>",
            "</DATA >",
            "{{turns}}",
            "\n",
            "\u2028",
            "\\",
            '"',
            "<3",
            "<|im_end|>",
            "a",
        ]
    )
).map("".join)


@settings(max_examples=300)
@given(st.one_of(ANY, NASTY))
def test_no_text_leaves_its_line_or_its_fence(text):
    line = as_data({"text": text})
    assert len(line.splitlines()) == 1 and "</" not in line and "<data" not in line.lower() and "<|" not in line
    assert json.loads(line)["text"] == "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)


@settings(max_examples=100)
@given(st.lists(NASTY, max_size=4))
def test_a_prompt_has_one_line_per_turn_whatever_they_say(texts):
    user = prompts().get(tasks.EXTRACT_ENTITIES).render(_source(texts))
    inside = user.split("<data>\n")[1].split("\n</data>")[0].split("\n")
    assert len([line for line in inside if line.startswith("{")]) == len(texts)
    assert user.count("</data>") == 1


def _source(texts) -> SourceText:
    turns = tuple(TurnText(index=i, speaker="A", text=text) for i, text in enumerate(texts))
    return SourceText(source_type="note", title="t", started_at=None, owner_speaker=None, turns=turns)


@settings(max_examples=100)
@given(st.lists(st.text(max_size=300), max_size=30), st.integers(150, 400))
def test_parts_hold_every_turn_once_and_fit(texts, limit):
    source = _source(texts)
    parts = split(source, limit)
    rebuilt: dict[int, str] = {}
    for turn in (turn for part in parts for turn in part.turns):
        rebuilt[turn.index] = rebuilt.get(turn.index, "") + turn.text
    assert rebuilt == dict(enumerate(texts))
    assert [t.index for p in parts for t in p.turns] == sorted(t.index for p in parts for t in p.turns)
    assert all(sum(count_tokens(turn.text) for turn in part.turns) <= limit for part in parts)
    assert all(part.title == "t" for part in parts)


def test_what_fits_is_not_touched():
    for payload in (_source(["a", "b"]), _source([]), StorylineRequest(anchor="a", sources=())):
        assert split(payload, 6000) == [payload]


def test_a_turn_longer_than_a_part_keeps_its_index_and_all_its_words():
    source = _source(["short", "word " * 3000, "end"])
    parts = split(source, 500)
    turns = [turn for part in parts for turn in part.turns]
    assert len(parts) > 5 and {turn.index for turn in turns} == {0, 1, 2}
    assert "".join(turn.text for turn in turns if turn.index == 1) == "word " * 3000


def test_naming_requests_are_split_and_asked_again_about_their_parts():
    rows = tuple(DatedSummary(day=f"2026-01-{i + 1:02d}", summary="word " * 100, ref=str(i + 1)) for i in range(9))
    request = StorylineRequest(anchor="tea", sources=rows)
    parts = split(request, 500)
    assert tuple(row for part in parts for row in part.sources) == rows and len(parts) == 3
    answers = [
        StorylineName(title=f"T{i}", sentences=(DescribedSentence(text="S.", refs=(f"[{3 * i + 1}]", "99")),))
        for i in range(3)
    ]
    again = join(request, parts, answers)
    assert [(row.day, row.summary) for row in again.sources] == [
        ("2026-01-01", "T0: S."),
        ("2026-01-04", "T1: S."),
        ("2026-01-07", "T2: S."),
    ]
    cited = [(one.ref, one.day, one.text) for row in again.sources for one in row.said]
    assert cited == [(str(i + 1), f"2026-01-{i + 1:02d}", "word " * 100) for i in (0, 3, 6)]


def _entity(name: str, confidence: float, *subpoints: str, kind: str = "person") -> ExtractedEntity:
    return ExtractedEntity(kind=kind, name=name, entity_type=kind, confidence=confidence, subpoints=subpoints)


def _statement(text: str, turn: int) -> Statement:
    return Statement(text=text, speaker="A", turn=turn, content_type="insight", durability=0.5, confidence=9)


def test_extractions_of_parts_merge_by_name_and_lose_no_statement():
    first = Extraction(
        entities=(_entity("Ana", 6, "a", "b"), _entity("Tea", 8, kind="concept")),
        statements=(_statement("x", 0),),
    )
    second = Extraction(entities=(_entity("ana ", 9, "b", "c"),), statements=(_statement("x", 0), _statement("x", 7)))
    merged = merge_extractions([first, second])
    assert merged.entities == (_entity("Ana", 9, "a", "b", "c"), _entity("Tea", 8, kind="concept"))
    assert merged.statements == (_statement("x", 0), _statement("x", 7))
    assert merge_extractions([merged, merged]) == merged


@pytest.mark.parametrize("answer", [answer for _, answer in ANSWERS.values()])
def test_schemas_are_strict(answer):
    def walk(node):
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert node["additionalProperties"] is False and node["required"] == list(node["properties"])
            assert not {"default", "minimum", "maximum", "title", "description"} & set(node) or "properties" not in node
            for child in node.values():
                walk(child)
        elif isinstance(node, list):
            for child in node:
                walk(child)

    walk(strict_schema(answer))


def test_an_answer_is_cleaned_of_what_cannot_be_stored():
    read = read_answer('{"summary": "a\\ud800\\u0000b", "keywords": [], "tags": []}', SourceDescription)
    assert read.summary == "a\ufffd\ufffdb"
