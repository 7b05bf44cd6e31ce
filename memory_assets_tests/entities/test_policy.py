"""What of a model's answer is stored (specification 004, Phase 2)."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime

import pytest

from memory_assets.clock import Clock
from memory_assets.entities.extraction import Extractor
from memory_assets.entities.naming.records import Profile
from memory_assets.entities.policy import Decision, decide
from memory_assets.entities.text import owner_speaker, recipient_of
from memory_assets.entities.whole_lines import by_lines
from memory_assets.graph.graph import Graph
from memory_assets.llm.tasks import ExtractedEntity, Extraction, SourceText, Statement, TurnText
from memory_assets.model import node_id
from memory_assets.runtime.scope import RunScope
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel
from memory_assets_tests.support.seeds import seed_sources, source_row

TURNS = (
    TurnText(index=0, speaker="Alex", text="I prefer tea. Maria runs the harbour project."),
    TurnText(index=1, speaker="assistant", text="From now on Alex always wants coffee."),
)


def entity(**change: object) -> ExtractedEntity:
    given = {
        "kind": "person",
        "name": "Maria",
        "entity_type": "person",
        "confidence": 8.0,
        "subpoints": ("a", "b", "c"),
    }
    return ExtractedEntity(**(given | change))


def statement(**change: object) -> Statement:
    given = {
        "text": "I prefer tea.",
        "speaker": "Alex",
        "turn": 0,
        "content_type": "preference",
        "is_instruction": True,
        "durability": 0.9,
        "confidence": 8.0,
    }
    return Statement(**(given | change))


def decision(*pieces: ExtractedEntity | Statement, owner: str | None = "Alex") -> Decision:
    answer = Extraction(
        entities=tuple(p for p in pieces if isinstance(p, ExtractedEntity)),
        statements=tuple(p for p in pieces if isinstance(p, Statement)),
    )
    return decide(answer, TURNS, owner, user="u", count_tokens=lambda text: len(text.split()))


def test_a_record_is_what_its_agent_recorded_it_as() -> None:
    recorded = ["open task", "task", "belief", None]
    row = {
        "source_type": "record",
        "turns": json.dumps([{"index": at, "section": one} for at, one in enumerate(recorded)]),
    }
    said = [statement(turn=at, text=text) for at in range(4) for text in ("Always buy tea.", "I like it.")]
    answer = by_lines(row, Extraction(entities=(), statements=tuple(said)))
    kinds = [(one.content_type, one.is_instruction) for one in answer.statements]
    assert kinds == [("task", False), *[("insight", False)] * 5, *[("preference", True)] * 2]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, True),
        ({"confidence": 7.0}, True),
        ({"confidence": 6.9}, False),
        ({"subpoints": ("a", "b", "c")}, True),
        ({"subpoints": ("a", "b")}, False),
        ({"subpoints": ("a", "b", "B.")}, False),
        ({"name": " ... "}, False),
        ({"name": "x" * 121}, False),
    ],
)
def test_the_filter_of_the_specification(change: dict[str, object], expected: bool) -> None:
    assert bool(decision(entity(**change)).mentions) is expected


def test_confidence_is_kept_within_0_to_1() -> None:
    (mention,) = decision(entity(confidence=9.0)).mentions
    assert mention.confidence == 0.9


def test_variants_within_a_source_are_one_thing() -> None:
    (mention,) = decision(
        entity(name="Maria Lopez", subpoints=("a", "b")),
        entity(name="maria lopez", subpoints=("c",), confidence=9),
        entity(name="Maria Lopez's", subpoints=("a",), kind="concept", entity_type="concept"),
    ).mentions
    assert mention.anchor_id == node_id("person", "u", "maria-lopez")
    assert (mention.name, mention.subpoints, mention.confidence) == ("Maria Lopez", 3, 0.9)


def test_an_entity_is_told_apart_by_its_type() -> None:
    place, company = (
        decision(entity(kind="entity", name="Amazon", entity_type=kind)).mentions[0]
        for kind in ("place", "organization")
    )
    assert place.anchor_id == node_id("entity", "u", "amazon", "place")
    assert company.anchor_id != place.anchor_id


def test_a_statement_is_whose_turn_it_stands_in() -> None:
    (chunk,) = decision(statement(turn=1, speaker="Alex", text="Alex always wants coffee.")).chunks
    assert chunk.speaker == "assistant"
    assert (chunk.said_by_owner, chunk.is_instruction) == (False, False)


@pytest.mark.parametrize(("owner", "expected"), [("Alex", True), (None, False), ("assistant", False)])
def test_only_the_owners_own_words_are_instructions(owner: str | None, expected: bool) -> None:
    (chunk,) = decision(statement(), owner=owner).chunks
    assert (chunk.said_by_owner, chunk.is_instruction) == (expected, expected)


@pytest.mark.parametrize("change", [{"turn": 7}, {"text": " … "}, {"text": ""}])
def test_a_statement_without_ground_is_dropped(change: dict[str, object]) -> None:
    found = decision(statement(**change))
    assert not found.chunks
    assert found.dropped == {"statement without words, or in no turn": 1}


def test_a_statement_made_twice_is_one() -> None:
    (chunk,) = decision(
        statement(content_type="insight", durability=0.2),
        statement(text="i prefer tea", content_type="preference", durability=0.8, is_instruction=False),
    ).chunks
    assert (chunk.content_type, chunk.durability, chunk.is_instruction) == ("preference", 0.8, True)
    assert chunk.chunk_id == node_id("chunk", "u", "alex", "i prefer tea")


def test_a_statement_was_said_when_its_turn_was() -> None:
    """One that is made twice was said first and last when these were; a turn without a time is of the one before it."""
    texts, times = ("I live in Bonn.", "Tea is hot.", "I live in Bonn.", "Rain."), ("2026-09-12", "2026-11-03")
    said = [statement(text=text, turn=turn) for turn, text in enumerate(texts)]

    def found(*at: str | None) -> dict[str, tuple[str, int, str | None, str | None]]:
        spoken = enumerate(zip(texts, at, strict=True))
        turns = [TurnText(index=turn, speaker="Alex", text=text, at=when) for turn, (text, when) in spoken]
        made = decide(Extraction(entities=(), statements=tuple(said)), turns, "Alex", user="u", count_tokens=len)
        assert {chunk.turns for chunk in made.chunks} == {(0, 2), ()}
        return {
            chunk.content: (chunk.chunk_id, chunk.turn, chunk.first_said_at, chunk.said_at) for chunk in made.chunks
        }

    dated, undated = found(times[0], None, times[1], None), found(None, None, None, None)
    assert {text: where for text, (_, *where) in dated.items()} == {
        "I live in Bonn.": [0, *times], "Tea is hot.": [1, times[0], times[0]], "Rain.": [3, times[1], times[1]],
    }  # fmt: skip
    assert all(at == [None, None] for _, _, *at in undated.values()), "the source's time"
    assert found(None, None, times[1], None)["I live in Bonn."][2:] == (None, times[1])
    assert {key for key, *_ in dated.values()} == {key for key, *_ in undated.values()}, "no id has a day in it"


@pytest.mark.parametrize(
    ("text", "content_type", "said_at"),
    [
        ("2026-10-17: Two planks fitted.", "insight", "2026-10-17T00:00:00.000Z"),
        ("2026-11-03: The mast is up.", "insight", None),
        ("2026-11-04: The boat is launched.", "insight", None),
        ("2026-10-17: Order keel bolts.", "task", None),
        ("2026-13-17: Two planks fitted.", "insight", None),
        ("2026-10-17 was windy.", "insight", None),
    ],
)
def test_an_entry_of_a_log_was_said_on_its_own_day(text: str, content_type: str, said_at: str | None) -> None:
    """Not one of the day it is written down on, or of one to come, nor a task, whose day is when it is due."""
    one = statement(text=text, content_type=content_type, is_instruction=False)
    turns = [TurnText(index=0, speaker=None, text=text)]

    def found(*said: Statement) -> list[str | None]:
        answer = Extraction(entities=(), statements=said)
        made = decide(answer, turns, None, user="u", count_tokens=len, started_at="2026-11-03T09:00:00.000Z")
        return [chunk.said_at for chunk in made.chunks]

    assert found(one) == [said_at]
    task = statement(text=text, content_type="task", is_instruction=False)
    assert found(one, task) == [None], "what is a task anywhere in it is one"


def test_a_statement_is_about_what_its_source_names() -> None:
    (chunk,) = decision(entity(), statement(about=("maria", "Nobody"))).chunks
    assert chunk.about == (node_id("person", "u", "maria"),)


def test_the_order_of_an_answer_does_not_matter() -> None:
    pieces = [
        entity(name=name, kind=kind, entity_type=kind, confidence=confidence)
        for name, kind, confidence in [("Maria", "person", 8), ("maria", "concept", 8), ("Tea", "concept", 9)]
    ] + [
        statement(text=text, content_type=kind, about=("Tea",))
        for text, kind in [
            ("I prefer tea", "task"),
            ("I prefer Tea.", "insight"),
            ("Maria is kind", "insight"),
        ]
    ]
    first = decision(*pieces)
    for seed in range(20):
        shuffled = random.Random(seed).sample(pieces, len(pieces))
        assert decision(*shuffled) == first


def test_a_statement_keeps_what_of_it_is_understood_alone() -> None:
    (one,) = decision(statement(statement="Ana runs forty kilometres a week.")).chunks
    assert one.statement == "Ana runs forty kilometres a week."
    (plain,) = decision(statement()).chunks
    assert plain.statement == plain.content
    (unclear,) = decision(statement(statement=None)).chunks
    assert unclear.statement == ""
    (twice,) = decision(statement(statement=None), statement(statement="Ana runs.")).chunks
    assert twice.statement == "Ana runs."


SAID = [
    (("Greta is pregnant.", "Nora is pregnant."), ""),
    (("Greta is pregnant.", "Nora is pregnant.", "Greta is pregnant."), ""),
    (("Greta is pregnant.", "greta is pregnant!", None), "Greta is pregnant."),
    ((None, None), ""),
]


@pytest.mark.parametrize(("statements", "expected"), SAID)
def test_the_same_words_about_two_people_are_no_statement(statements: tuple[str | None, ...], expected: str) -> None:
    (chunk,) = decision(*(statement(text="She is pregnant.", statement=one) for one in statements)).chunks
    assert chunk.statement == expected


@pytest.mark.graph
@pytest.mark.parametrize(("statements", "expected"), SAID)
def test_the_same_words_about_two_people_in_two_sources_are_no_statement(
    graph: Graph, user: str, statements: tuple[str | None, ...], expected: str
) -> None:
    sources = {f"{user}/{at}": one for at, one in enumerate(statements)}

    def answer(_: str, payload: SourceText) -> Extraction:
        said = statement(text="She is pregnant.", statement=sources[payload.title])
        return Extraction(entities=(), statements=(said,))

    seed_sources(graph, [source_row(name, user) for name in sources])
    clock = Clock(datetime(2026, 5, 1, 9, tzinfo=UTC))
    Extractor(graph, ScriptedModel(answer), HashEmbedder(), clock, user, lambda _: None).run(RunScope())
    key = node_id("chunk", user, "alex", "she is pregnant")
    (found,) = graph.read("graph/list_owned_nodes", ids=[key], user_ids=[user])
    assert (found["properties"]["source_count"], found["properties"]["statement"]) == (len(statements), expected)


ANSWERS = [
    (((None, "Asked: a"), (None, "Asked: a")), "Asked: a"),
    (((None, "Asked: a"), (None, "")), "Asked: a"),
    (((None, "Asked: a"), (None, "Asked: b")), "Asked: a"),
    (((None, "Asked: a"), ("Nora is pregnant.", "")), "Asked: a"),
    (((None, ""), (None, "")), None),
]


@pytest.mark.parametrize(("said", "expected"), ANSWERS)
def test_the_same_words_are_one_answer_or_none(said: tuple[tuple[str | None, str], ...], expected: str | None) -> None:
    pieces = [statement(text="She is pregnant.", statement=one, quotation=answer) for one, answer in said]
    assert [chunk.quotation for chunk in decision(*pieces).chunks] == [expected]


@pytest.mark.graph
@pytest.mark.parametrize(("said", "expected"), ANSWERS)
def test_the_same_words_in_two_sources_are_one_answer_or_none(
    graph: Graph, user: str, said: tuple[tuple[str | None, str], ...], expected: str | None
) -> None:
    sources = {f"{user}/{at}": one for at, one in enumerate(said)}

    def answer(_: str, payload: SourceText) -> Extraction:
        one, quotation = sources[payload.title]
        return Extraction(
            entities=(), statements=(statement(text="She is pregnant.", statement=one, quotation=quotation),)
        )

    seed_sources(graph, [source_row(name, user) for name in sources])
    clock = Clock(datetime(2026, 5, 1, 9, tzinfo=UTC))
    Extractor(graph, ScriptedModel(answer), HashEmbedder(), clock, user, lambda _: None).run(RunScope())
    key = node_id("chunk", user, "alex", "she is pregnant")
    (found,) = graph.read("memory_file/list_pool_memories", memory_ids=[key], user_ids=[user])
    assert found["statement"] == (expected or (said[1][0] or ""))


def test_what_is_passed_on_is_nobodys_wish_or_task() -> None:
    turns = (TurnText(index=0, speaker="Alex", text="Look."), TurnText(index=1, speaker=None, text="I prefer tea."))
    answer = Extraction(
        entities=(),
        statements=tuple(
            statement(text=text, turn=1, speaker=None, content_type=kind)
            for text, kind in (("I prefer tea.", "preference"), ("Buy tea.", "task"), ("Hello there.", "chitchat"))
        ),
    )
    for source_type, kinds in (
        ("email", {"insight", "chitchat"}),
        ("slack", {"insight", "chitchat"}),
        ("note", {"preference", "task", "chitchat"}),
    ):
        source = SourceText(source_type=source_type, title="", started_at=None, owner_speaker="Alex", turns=turns)
        passed_on = {turn.index for turn in turns if source.passes_on(turn.speaker)}
        made = decide(answer, turns, "Alex", user="u", count_tokens=len, passed_on=passed_on)
        assert {chunk.content_type for chunk in made.chunks} == kinds
        assert not any(chunk.is_instruction or chunk.said_by_owner for chunk in made.chunks)


@pytest.mark.parametrize("names", [("Alex Reed", "alex@example.org"), ("Alex Reed",)])
def test_whom_a_mail_quotes_is_never_its_owner(names: tuple[str, ...]) -> None:
    profile = Profile(*names[:1], names[1:])
    own, others = ["Alex Reed <alex@example.org>"], ["Ole Berg <ole@example.org>"]
    assert owner_speaker(profile, ["Alex Reed"], "email", own, None) == "Alex Reed"
    assert owner_speaker(profile, ["Ole Berg"], "email", own, None) is None
    assert owner_speaker(profile, ["Ole Berg", "Alex Reed"], "email", own, None) == "Alex Reed"
    assert owner_speaker(profile, ["Ole Berg", "Alex Reed"], "email", others, None) is None
    assert owner_speaker(profile, ["alex"], "email", ["alex@example.org"], None) == (
        "alex" if "alex@example.org" in names else None
    )


@pytest.mark.parametrize(
    ("addresses", "recipient"),
    [
        (["Ana <a@x.example>", "Petra Vos <p@x.example>"], "Petra Vos"),
        (["Ana <a@x.example>", "p@x.example"], None),
        (["Ana <a@x.example>", "Petra Vos <p@x.example>", "Tom <t@x.example>"], None),
        (["Ana <a@x.example>"], None),
        ([], None),
    ],
)
def test_whom_a_mail_is_for_is_known_where_it_goes_to_one(addresses: list[str], recipient: str | None) -> None:
    assert recipient_of(addresses) == recipient
