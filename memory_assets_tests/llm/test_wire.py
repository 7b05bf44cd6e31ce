"""The short form of an extraction: what goes over the wire says the same as the long one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.structured import WrongAnswerError, read_answer, strict_schema
from memory_assets.llm.tasks import DESCRIBE_SOURCE, ExtractedEntity, Extraction, SourceText, Statement, TurnText
from memory_assets_tests.support.short_answers import shorten

SHORT = {
    "entities": ["1 Person 9 Ana Lopes", "2 product 8 Tidewatch", "3 concept 7 tides"],
    "statements": {
        "preference": [],
        "instruction": ["4 99 Never call Ana Lopes before nine."],
        "task": [],
        "insight": ["2 68 [3, 2,2,99] ana lopes wrote Tidewatch.", "3 38 It rained."],
        "chitchat": [],
    },
}


def statement(text, turn, kind, *about, durability=0.5, confidence=8, instruction=False):
    return Statement(
        text=text, speaker=None, turn=turn, content_type=kind, is_instruction=instruction,
        durability=durability, confidence=confidence, about=about,
    )  # fmt: skip


def entity(kind, refined, name, confidence, *points):
    return ExtractedEntity(kind=kind, entity_type=refined, name=name, confidence=confidence, subpoints=points)


def test_a_short_answer_is_read_as_a_whole_one():
    never, wrote = "Never call Ana Lopes before nine.", "ana lopes wrote Tidewatch."
    assert read_answer(json.dumps(SHORT), Extraction) == Extraction(
        entities=(
            entity("person", "person", "Ana Lopes", 9, never, wrote),
            entity("entity", "product", "Tidewatch", 8, wrote),
            entity("concept", "concept", "tides", 7, wrote),
        ),
        statements=(
            statement(never, 4, "preference", "Ana Lopes", durability=0.9, confidence=9, instruction=True),
            statement(wrote, 2, "insight", "Ana Lopes", "Tidewatch", "tides", durability=0.6),
            statement("It rained.", 3, "insight", durability=0.3),
        ),
    )


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"insight": ["2 It rained."]}, "statements.insight.0"),
        ({"insight": ["2.5 38 It rained."]}, "statements.insight.0"),
        ({"insight": ["2 38 "]}, "statements.insight.0"),
        ({"insight": [[2, 38, "It rained."]]}, "statements.insight.0"),
        ({"task": ["2 8 It rained."]}, "two digits"),
        ({"task": ["2 08 It rained."]}, "two digits"),
        ({"task": ["2 100 It rained."]}, "two digits"),
        ({"task": ["It rained."]}, "statements.task.0"),
        ({"colour": []}, "colour"),
    ],
)
def test_a_row_that_is_none_is_named_without_its_words(change, place):
    with pytest.raises(WrongAnswerError) as wrong:
        read_answer(json.dumps(SHORT | {"statements": SHORT["statements"] | change}), Extraction)
    assert place in str(wrong.value) and "rained" not in str(wrong.value)
    with pytest.raises(WrongAnswerError, match="entities.0"):
        read_answer(json.dumps(SHORT | {"entities": ["person Ana"]}), Extraction)


def test_the_schema_that_is_asked_for_is_the_short_one_and_strict():
    schema = strict_schema(Extraction)
    assert set(schema["properties"]) == {"entities", "statements"} == set(schema["required"])
    rows = schema["$defs"]["StatementLines"]
    assert rows["additionalProperties"] is False and set(rows["required"]) == set(rows["properties"])
    assert not any(word in json.dumps(schema) for word in ("prefixItems", "minItems", "default"))


texts = st.text(min_size=1, max_size=20).map(str.strip).filter(lambda text: text and not text.startswith("["))


@given(
    st.lists(st.tuples(texts, st.integers(1, 9), st.integers(0, 9), st.booleans()), max_size=6),
    st.lists(texts.map(str.casefold), unique=True, max_size=4),
)
def test_nothing_is_lost_on_the_way_and_what_is_named_is_meant(said, names):
    statements = tuple(
        statement(
            text,
            n,
            "preference" if last else "insight",
            *names[: n % 3],
            durability=d / 10,
            confidence=c,
            instruction=last,
        )
        for n, (text, d, c, last) in enumerate(said)
    )
    whole = Extraction(entities=tuple(entity("person", "person", name, 9) for name in names), statements=statements)
    fields = whole.model_dump(mode="json")
    again = Extraction.model_validate(json.loads(json.dumps(shorten(fields["entities"], fields["statements"]))))
    read = sorted(again.statements, key=lambda one: one.turn)
    assert [one.model_copy(update={"about": ()}) for one in read] == [
        one.model_copy(update={"about": ()}) for one in statements
    ]
    for one, before in zip(read, statements, strict=True):
        assert set(before.about) <= set(one.about) <= set(names)
        assert all(name in one.text.casefold() for name in set(one.about) - set(before.about))
    for named in again.entities:
        assert set(named.subpoints) == {one.text for one in read if named.name in one.about}
    assert Extraction.model_validate_json(whole.model_dump_json()) == whole


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Ben Carter met Ben.", ["Ben Carter", "Ben"]),
        ("Ben Carter's boat leaks.", ["Ben Carter"]),
        ("The Bennett house is for sale.", []),
        ("BEN left.", ["Ben"]),
        ("4 37 boats came, Ben counted them.", ["Ben"]),
    ],
)
def test_the_longest_name_in_the_words_is_meant(text, about):
    entities = ["1 person 9 Ben Carter", "2 person 9 Ben"]
    lines = {"preference": [], "instruction": [], "task": [], "insight": [f"0 59 {text}"], "chitchat": []}
    (one,) = Extraction.model_validate({"entities": entities, "statements": lines}).statements
    assert list(one.about) == about


def test_a_turn_says_its_day_once_and_nothing_unknown():
    times = ("2026-03-01T09:00:00Z", "2026-03-01T10:00:00Z", None, "2026-03-02T09:00:00Z")
    turns = tuple(TurnText(index=n, speaker="Ana" if n else None, text="x", at=at) for n, at in enumerate(times))
    shown = (
        prompts()
        .get(DESCRIBE_SOURCE)
        .render(SourceText(source_type="note", title="t", started_at=None, owner_speaker=None, turns=turns))
    )
    rows = [json.loads(line) for line in shown.split("\n") if line.startswith("{")]
    assert [row.get("at") for row in rows] == [times[0], None, None, times[3]]
    assert "speaker" not in rows[0] and [row["index"] for row in rows] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "answer",
    [
        '{"entities": ["1 person 1e999 Ann"], "statements": {}}',
        '{"entities": ["1 person 99 Ann"], "statements": {}}',
        '{"entities": [], "statements": {"task": ["' + "9" * 5000 + ' 59 x"]}}',
        '{"entities": [], "statements": {"task": [1e999]}}',
    ],
)
def test_a_number_beyond_all_bounds_is_a_wrong_answer(answer):
    with pytest.raises(WrongAnswerError):
        read_answer(answer, Extraction)
