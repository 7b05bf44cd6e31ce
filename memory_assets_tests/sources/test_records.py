"""What agents keep on record: the reader and the published schema agree; identity is stable when a file grows."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from memory_assets.llm.local.reading import is_agents_own, is_assistant, speakers
from memory_assets.model import OPEN_TASK
from memory_assets.sources import policy
from memory_assets.sources.formats import clean, recognise, record
from memory_assets.sources.formats.record import TYPES, json_schema
from memory_assets.sources.formats.streams import BrokenLineError
from memory_assets_tests.sources.exports import read, said

QUICK = settings(max_examples=150)
PUBLISHED = json.loads((Path(__file__).resolve().parents[2] / "docs/schemas/agent-record.schema.json").read_text())
SCHEMA = Draft202012Validator(PUBLISHED)

BELIEF = {
    "record": "belief",
    "id": "b1",
    "agent": "Harbor",
    "at": "2026-10-05T09:00:00Z",
    "text": "Maya prefers dates in ISO format.",
}
TASK = {
    "record": "task",
    "agent": "Harbor",
    "at": "2026-10-05T10:00:00Z",
    "text": "Order kelp.",
    "status": "open",
    "due": "2026-10-09",
}
SESSION = {
    "record": "session", "id": "s1", "agent": "Harbor", "title": "Morning check",
    "turns": [
        {"role": "user", "name": "Maya", "text": "Is the slip free?", "at": "2026-10-06T08:00:00Z"},
        {"role": "tool", "text": "{}"},
        {"role": "assistant", "text": "From noon on.", "at": "2026-10-06T08:01:00Z"},
    ],
}  # fmt: skip


def lines(*records: dict) -> str:
    return "\n".join(json.dumps(item) for item in records)


def test_the_published_schema_is_the_readers() -> None:
    assert PUBLISHED == json_schema()
    SCHEMA.check_schema(PUBLISHED)


values = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", " ", "text", "2026-10-05"])
)
turns = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "role": st.sampled_from(["user", "tool", "king"]) | values,
            "text": values,
            "name": values,
            "at": values,
        },
    ),
    max_size=2,
)
candidates = st.fixed_dictionaries(
    {"record": st.sampled_from([*TYPES, "rumour"]) | values},
    optional={
        "id": values,
        "agent": values,
        "at": values,
        "title": values,
        "text": values,
        "confidence": values,
        "status": values,
        "due": values,
        "about": st.lists(values, max_size=2) | values,
        "turns": turns | values,
        "keep": values,
        "state": st.sampled_from(["active", "archived", "gone"]) | values,
        "refers_to": st.lists(values, max_size=2) | values,
        "learned_from": st.lists(values, max_size=2) | values,
        "consolidated": values,
        "severity": st.sampled_from(["info", "low", "medium", "high", "critical"]) | values,
        "read": values,
        "critical": values,
        "active": values,
        "part": values,
        "more": values,
    },
)


def reads(value: object) -> bool:
    try:
        record.parse_record(json.dumps(value))
    except BrokenLineError:
        return False
    return True


@QUICK
@given(candidates | values | st.lists(candidates, max_size=1))
def test_the_reader_takes_what_the_schema_takes(value: object) -> None:
    assert reads(value) == SCHEMA.is_valid(value)


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_is_read(kind: str) -> None:
    item = SESSION if kind == "session" else BELIEF | {"record": kind}
    (source,), errors = read(lines(item), "x.txt")
    assert SCHEMA.is_valid(item) and errors == [] and source.source_type == "record"


def test_a_source_is_an_agents_type_and_day() -> None:
    later = BELIEF | {"id": "b2", "at": "2026-10-05T08:00:00Z", "text": "Ole is away on Mondays."}
    other = BELIEF | {"id": "b3", "at": "2026-10-06T08:00:00Z"}
    unknown = BELIEF | {"id": "b4", "at": "some day"}
    sources, errors = read(lines(BELIEF, TASK, later, other, unknown, SESSION), "x.jsonl")
    assert errors == []
    assert {source.key: [text for _, text in said(source)] for source in sources} == {
        "Harbor/belief/2026-10-05": ["Ole is away on Mondays.", "Maya prefers dates in ISO format."],
        "Harbor/task/2026-10-05": ["Task (open, due 2026-10-09): Order kelp."],
        "Harbor/belief/2026-10-06": ["Maya prefers dates in ISO format."],
        "Harbor/belief/undated": ["Maya prefers dates in ISO format."],
        "Harbor/session/s1": ["Is the slip free?", "From noon on."],
    }
    beliefs, session = sources[0], sources[-1]
    assert (beliefs.title, beliefs.participants, beliefs.owner_speaker) == (
        "Harbor: beliefs of 2026-10-05",
        ("Harbor",),
        None,
    )
    assert beliefs.started_at == datetime(2026, 10, 5, 8, tzinfo=UTC)
    assert (session.title, session.participants, session.owner_speaker) == ("Morning check", ("Harbor", "Maya"), "Maya")
    assert sources[3].started_at is None and sources[3].title == "Harbor: beliefs without a date"


@pytest.mark.parametrize(("part", "mark", "of"), [(None, "", ""), (1, "", ""), (2, "#2", ", part 2")])
def test_a_part_of_a_day_is_a_source(part: int | None, mark: str, of: str) -> None:
    whole, one = BELIEF | {"project": "harbor"}, BELIEF | {"id": "b2", "part": part, "project": "harbor"}
    sources, _ = read(lines(whole, one), "x.jsonl")
    assert (sources[-1].key, sources[-1].title) == (
        f"Harbor/belief/2026-10-05{mark}/harbor",
        f"Harbor: beliefs of 2026-10-05{of}",
    )
    assert len(sources) == (2 if mark else 1)


def test_a_turn_says_what_it_is_recorded_as() -> None:
    done = TASK | {"id": "t2", "status": "done"}
    sources, _ = read(lines(BELIEF, TASK, done, SESSION), "x.jsonl")
    turns = [turn for source in sources for turn in record.clean(source.raw_content).turns]
    assert sorted(str(turn.section) for turn in turns) == ["None", "None", "belief", OPEN_TASK, "task"]


def test_of_one_id_the_latest_is_read_and_both_are_kept() -> None:
    done = TASK | {"id": "t1", "status": "done", "at": "2026-10-05T17:00:00Z"}
    (source,), _ = read(lines(done, TASK | {"id": "t1"}), "x.jsonl")
    assert [text for _, text in said(source)] == ["Task (done, due 2026-10-09): Order kelp."]
    assert len(source.raw_content.split("\n")) == 2


BROKEN = [
    "{",
    "7",
    '{"record": "rumour", "text": "x"}',
    '{"record": "belief"}',
    '{"record": "belief", "text": " "}',
    '{"record": "session", "turns": []}',
    '{"record": "belief", "text": "x", "confidence": 2}',
    "[" * 100_000,
]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_line_costs_that_line(text: str) -> None:
    sources, errors = read(f"{lines(BELIEF)}\n{text}\n{lines(TASK)}", "x.jsonl")
    assert len(sources) == 2 and [error.line for error in errors] == [2]
    assert errors[0].reason.startswith("The line was left out: ")


REFUSED = [
    ("belief", {"confidence": -0.1}, "confidence"),
    ("synthesis", {"confidence": "high"}, "confidence"),
    ("analysis", {"severity": "medium"}, "severity"),
    ("notification", {"read": "yes"}, "read"),
    ("notification", {"critical": 1}, "critical"),
    ("reflection", {"consolidated": "no"}, "consolidated"),
    ("session", {"active": "true"}, "active"),
    ("task", {"status": 3}, "status"),
    ("memory", {"keep": "forever"}, "keep"),
    ("recommendation", {"state": "pruned"}, "state"),
    ("belief", {"refers_to": "b1"}, "refers_to"),
    ("belief", {"learned_from": [1]}, "learned_from.0"),
]


@pytest.mark.parametrize(("kind", "wrong", "field"), REFUSED, ids=lambda value: str(value)[:24])
def test_a_wrong_value_is_told_by_file_line_and_field(kind: str, wrong: dict, field: str) -> None:
    item = (SESSION if kind == "session" else BELIEF | {"record": kind}) | wrong
    sources, (error,) = read(lines(BELIEF, item), "x.jsonl")
    assert len(sources) == 1 and error.line == 2
    assert error.reason.startswith(f"The line was left out: {field}: ")


def test_a_session_that_goes_on_is_read_as_it_is_now() -> None:
    begun = SESSION | {"turns": SESSION["turns"][:1]}
    whole, piece = (read(lines(one), "x.jsonl")[0][0].raw_content for one in (SESSION, begun))
    for united in (record.merge(whole, piece), record.merge(piece, whole)):
        assert [turn.text for turn in clean("record", united).turns] == ["Is the slip free?", "From noon on."]


@QUICK
@given(
    *[
        st.lists(st.sampled_from([lines(BELIEF), lines(TASK), lines(BELIEF | {"at": 7}), "odd"]), max_size=4).map(
            "\n".join
        )
    ]
    * 3
)
def test_union_is_commutative_associative_and_idempotent(a: str, b: str, c: str) -> None:
    unite = record.merge
    assert unite(a, b) == unite(b, a)
    assert unite(unite(a, b), c) == unite(a, unite(b, c))
    assert unite(unite(a, b), b) == unite(a, b)


def test_the_local_model_takes_an_agent_for_no_person_and_its_records_for_knowledge() -> None:
    beliefs, session = read(lines(BELIEF, SESSION), "x.jsonl")[0]
    texts = [
        policy.source_text(vars(source) | {"source_type": "record"}, clean("record", source.raw_content))
        for source in (beliefs, session)
    ]
    assert [is_agents_own(text) for text in texts] == [True, False]
    assert speakers(texts[0]) == [] and not is_assistant(texts[0], "Harbor")
    assert is_assistant(texts[1], "Harbor") and not is_assistant(texts[1], "Maya")


def test_records_are_known_by_their_content() -> None:
    assert recognise(("oops\n" + lines(TASK)).encode(), "notes.txt") is record.FORMAT
