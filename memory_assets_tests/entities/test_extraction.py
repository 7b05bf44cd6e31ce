"""Extraction on a running graph: order, repetition, failure and change leave what the set implies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_assets.clock import Clock
from memory_assets.commands.sources import remove_source
from memory_assets.curation.rails import judge_retirements
from memory_assets.entities.extraction import Extractor
from memory_assets.entities.metadata import read_failures
from memory_assets.entities.team_sources import list_unrequested, request_sources
from memory_assets.errors import BudgetExceededError, ModelError, ModelServiceError, ModelUnavailableError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import add_members
from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.tasks import EXTRACT_ENTITIES, ExtractedEntity, Extraction, SourceText, Statement
from memory_assets.model import node_id
from memory_assets.runtime.scope import RunScope
from memory_assets.validity.reading import read_diff
from memory_assets.work_limit import WorkLimit
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel
from memory_assets_tests.support.seeds import picture, seed_properties, seed_readers, seed_sources, source_row

pytestmark = pytest.mark.graph
CLOCK = Clock(datetime(2026, 5, 1, 9, tzinfo=UTC))


def say(text: str) -> None:
    """Progress that nobody reads."""


def entity(name: str, confidence: float = 8, kind: str = "person", points: int = 3) -> ExtractedEntity:
    return ExtractedEntity(
        kind=kind,
        name=name,
        entity_type=kind,
        confidence=confidence,
        subpoints=tuple(f"{name} {n}" for n in range(points)),
    )


def statement(text: str, about: tuple[str, ...] = (), **change: Any) -> Statement:
    given = {"speaker": "Alex", "turn": 0, "content_type": "insight", "durability": 0.5, "confidence": 8}
    return Statement(text=text, about=about, **(given | change))


ANSWERS = {
    "s1": Extraction(
        entities=(entity("Maria"), entity("Tea", kind="concept")),
        statements=(
            statement("I prefer tea.", ("Tea",), content_type="preference", is_instruction=True),
            statement("Maria likes tea", ("Maria", "Tea")),
        ),
    ),
    "s2": Extraction(
        entities=(entity("maria", 9), entity("Harbour", kind="entity")),
        statements=(
            statement("i prefer TEA", durability=0.9),
            statement("The harbour opens in May", ("Harbour",)),
        ),
    ),
    "s3": Extraction(
        entities=(entity("Maria"), entity("Tea", 6, kind="concept")),
        statements=(statement("I prefer tea!", ("Maria",)),),
    ),
    "s4": Extraction(entities=(entity("maria"),), statements=()),
}
TIMES = {"s1": "2026-03-01T10:00:00Z", "s2": "2026-03-01T12:00:00Z", "s3": None, "s4": "2026-01-05T10:00:00Z"}


def scripted(answers: dict[str, Any] | None = None) -> ScriptedModel:
    def script(task: str, payload: SourceText) -> Any:
        return (answers or ANSWERS)[payload.title.partition(" ")[0]]

    return ScriptedModel(script)


def rows(user: str, names: Iterable[str], **change: Any) -> list[dict[str, Any]]:
    """Sources whose ids hold the user's, so that tests do not meet, and whose titles are the plain names."""
    return [
        source_row(f"{user}/{name}", user, **({"started_at": TIMES.get(name), "title": name} | change))
        for name in names
    ]


def extract(graph: Graph, user: str, model: ScriptedModel | None = None, **window: Any) -> Counter[str]:
    extractor = Extractor(graph, model or scripted(), HashEmbedder(), CLOCK, user, say)
    return extractor.run(RunScope(**window))


def chunk(graph: Graph, user: str, text: str) -> dict[str, Any] | None:
    key = node_id("chunk", user, "alex", text)
    found = graph.read("graph/list_owned_nodes", ids=[key], user_ids=[user])
    return found[0]["properties"] if found else None


def forgotten(graph: Graph, user: str) -> list[str]:
    return sorted(row["text"] for row in read_diff(graph, user, CLOCK.now())["forgotten"])


def anchor(graph: Graph, user: str, name: str, kind: str = "person") -> dict[str, Any] | None:
    key = node_id(kind, user, name, *([kind] if kind == "entity" else []))
    found = graph.read("graph/list_owned_nodes", ids=[key], user_ids=[user])
    return found[0]["properties"] if found else None


def test_what_a_memory_is_follows_from_all_of_its_sources(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, TIMES))
    counts = extract(graph, user)
    assert (counts["due"], counts["extracted"], counts["failed"]) == (4, 4, 0)
    maria = anchor(graph, user, "maria")
    assert maria is not None
    # Two sources on one day, one on another, one of unknown time: four sources, two days.
    assert (maria["source_count"], maria["distinct_source_days"]) == (4, 2)
    assert maria["first_mentioned_at"] == datetime(2026, 1, 5, 10, tzinfo=UTC)
    assert maria["last_mentioned_at"] == datetime(2026, 3, 1, 12, tzinfo=UTC)
    # Two sources each write Maria and maria: of equals, the first in text order.
    assert (maria["name"], maria["confidence"], maria["state"]) == ("Maria", 0.9, "candidate")
    tea = chunk(graph, user, "i prefer tea")
    assert tea is not None
    assert (tea["content"], tea["source_count"]) == ("I prefer tea!", 3)
    assert (tea["content_type"], tea["durability"], tea["is_instruction"]) == ("insight", 0.9, True)
    assert tea["occurred_at"] == datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "lasting"), [((0.2, 0.6), 0.6), ((0.6, 0.2), 0.6), ((0.2, None), None), ((None, 0.2), None)]
)
def test_what_somebody_states_who_is_not_judged_is_not_judged(
    graph: Graph, user: str, said: tuple[float | None, float | None], lasting: float | None
) -> None:
    answers = {
        name: Extraction(entities=(), statements=(statement("The harbour opens in May", lasting=one),))
        for name, one in zip(("s1", "s2"), said, strict=True)
    }
    seed_sources(graph, rows(user, answers))
    extract(graph, user, scripted(answers))
    harbour = chunk(graph, user, "the harbour opens in may")
    assert harbour is not None and harbour["source_count"] == 2 and harbour.get("lasting") == lasting


def test_neither_order_nor_pieces_nor_repetition_show(graph: Graph, user: str) -> None:
    whole, pieces, again = (f"{user}{suffix}" for suffix in "abc")
    seed_sources(graph, rows(whole, TIMES))
    extract(graph, whole)
    for name in reversed(TIMES):
        seed_sources(graph, rows(pieces, [name]))
        extract(graph, pieces)
    seed_sources(graph, rows(again, reversed(TIMES)))
    for _ in range(2):
        extract(graph, again, force=True)

    def comparable(owner: str) -> list[list[str]]:
        # Ids hash their owner: compared by what they identify instead.
        nodes, links = picture(graph, owner)
        names = {}
        for line in nodes:
            names.update(_identity(line))
        return [sorted(_renamed(line, names) for line in part) for part in (nodes, links)]

    assert comparable(whole) == comparable(pieces) == comparable(again)


def _identity(line: str) -> dict[str, str]:
    import json

    node = json.loads(line)
    if node["labels"] == ["AnchorName"]:
        return {node["id"]: f"AnchorName:{node['properties']['kind']}:{node['properties']['name']}"}
    inside = node["properties"]
    name = (
        inside.get("canonical_name")
        or inside.get("stage")
        or inside.get("source_id")
        or inside.get("content")
        or node["id"]
    )
    return {node["id"]: f"{node['labels'][0]}:{name}", str(inside.get("ref")): "REF"}


def _renamed(line: str, names: dict[str, str]) -> str:
    for key, name in names.items():
        line = line.replace(f'"{key}"', f'"{name}"')
    return line


def test_a_rerun_asks_no_model_and_changes_nothing(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, TIMES))
    extract(graph, user)
    before = picture(graph, user)
    model = scripted()
    counts = extract(graph, user, model)
    assert (model.asked, counts["due"], counts["standing"]) == ([], 0, 4)
    assert picture(graph, user) == before


def test_own_sources_are_marked_extracted_again_after_a_forced_processing(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, ["s1"]))
    extract(graph, user)
    seed_sources(graph, rows(user, ["s1"]))
    model = scripted()
    extract(graph, user, model)
    (status,) = [
        row["processing_status"] for row in graph.read("entities/list_sources_for_extraction", user_ids=[user])
    ]
    assert (model.asked, status) == ([], "extracted")


def test_another_description_asks_nothing_and_another_text_does(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, ["s1"], text_fingerprint="t1"))
    extract(graph, user)
    seed_sources(graph, rows(user, ["s1"], text_fingerprint="t1", processed_fingerprint="p2"))
    model = scripted()
    assert extract(graph, user, model)["standing"] == 1 and model.asked == []
    seed_sources(graph, rows(user, ["s1"], text_fingerprint="t2", processed_fingerprint="p3"))
    assert extract(graph, user, model)["extracted"] == 1


def test_what_no_source_says_any_more_is_retired_with_an_audit(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, ["s1", "s4"]))
    extract(graph, user)
    seed_sources(graph, rows(user, ["s1"], processed_fingerprint="p2"))
    answers = ANSWERS | {"s1": Extraction(entities=(entity("Harbour", kind="entity"),), statements=())}
    counts = extract(graph, user, scripted(answers))
    # Tea and both statements are gone; Maria is still in the other source.
    assert counts["retired"] == 3
    assert anchor(graph, user, "tea", "concept") is None
    assert chunk(graph, user, "i prefer tea") is None
    maria = anchor(graph, user, "maria")
    assert maria is not None and maria["source_count"] == 1
    audits = graph.read("curation/list_retirements", user_id=user)
    assert sorted(audit["label"] for audit in audits) == ["Concept", "KnowledgeChunk", "KnowledgeChunk"]
    assert judge_retirements(audits) == []
    assert graph.read("entities/list_unsupported_memories", user_id=user) == []


@pytest.mark.parametrize("rail", [{"access_count": 1}, {"ttl_policy": "keep_forever"}, {"state": "core"}])
def test_a_closed_rail_keeps_what_no_source_says_any_more(graph: Graph, user: str, rail: dict[str, Any]) -> None:
    seed_sources(graph, rows(user, ["s1"]))
    extract(graph, user)
    for key in (node_id("concept", user, "tea"), node_id("chunk", user, "alex", "i prefer tea")):
        seed_properties(graph, user, key, **rail)
    seed_sources(graph, rows(user, ["s1"], processed_fingerprint="p2"))
    extract(graph, user, scripted(ANSWERS | {"s1": Extraction(entities=(), statements=())}))
    assert anchor(graph, user, "tea", "concept") is not None
    assert chunk(graph, user, "i prefer tea") is not None
    assert anchor(graph, user, "maria") is None


def test_a_failed_source_is_reported_and_tried_again(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, ["s1", "s2"]))
    counts = extract(graph, user, scripted(ANSWERS | {"s1": ModelError("The answer was cut off.")}))
    assert (counts["extracted"], counts["failed"]) == (1, 1)
    (failed,) = read_failures(graph, user)
    assert failed == {"source_id": f"{user}/s1", "title": "s1", "error": "The answer was cut off."}
    counts = extract(graph, user)
    assert (counts["due"], counts["waiting"], counts["standing"]) == (0, 1, 1), "asking the same again is no use"
    assert extract(graph, user, retry=True)["extracted"] == 1
    assert read_failures(graph, user) == []


def test_where_no_call_can_work_no_source_has_failed(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, TIMES))
    down = ModelServiceError("Nobody answers.")
    with pytest.raises(ModelServiceError, match="Nobody answers"):
        extract(graph, user, scripted(ANSWERS | {"s2": down, "s3": ModelError("No answer.")}))
    made = graph.read("graph/list_extractions", user_id=user)
    assert [row["status"] for row in made] == ["extracted"] * 2
    assert extract(graph, user)["due"] == 2


def test_the_budget_leaves_the_rest_for_the_next_run(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, TIMES))
    stop = BudgetExceededError("The budget is spent.")
    counts = extract(graph, user, scripted(ANSWERS | {"s2": stop, "s3": stop}))
    assert (counts["extracted"], counts["failed"], counts["left_by_budget"]) == (2, 0, 2)
    assert extract(graph, user)["extracted"] == 2


def test_a_window_is_one_of_events(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, TIMES))
    assert extract(graph, user, since="2026-02-01", until="2026-03-01T11:00:00Z")["due"] == 1
    assert extract(graph, user, since="2026-02-01", until="2026-03-01T11:00:00Z", force=True)["due"] == 1
    assert extract(graph, user)["due"] == 3


def test_each_member_of_a_team_has_memories_of_their_own(graph: Graph, user: str) -> None:
    team, other = f"team-{user}", f"{user}b"
    add_members(graph, CLOCK, user, [user, other])
    seed_sources(graph, [source_row(f"{team}/s1", team, started_at=TIMES["s1"], title="s1")])
    for member in (user, other):
        assert extract(graph, member)["due"] == 0, "nobody needs it yet"
        assert request_sources(graph, member, [f"{team}/s1"], CLOCK.now()) == [f"{team}/s1"]
        assert request_sources(graph, member, [f"{team}/s1"], CLOCK.now()) == []
        assert extract(graph, member)["extracted"] == 1
        tea = chunk(graph, member, "i prefer tea")
        assert tea is not None and (tea["said_by_owner"], tea["is_instruction"]) == (False, False)
        assert graph.read("entities/list_foreign_links", user_id=member) == []
    (source,) = graph.read("entities/list_sources_for_extraction", user_ids=[team])
    assert source["processing_status"] == "processed"
    outsider = f"{user}c"
    assert request_sources(graph, outsider, [f"{team}/s1"], CLOCK.now()) == []
    assert extract(graph, outsider)["due"] == 0
    assert graph.read("graph/list_extractions", user_id=outsider) == []


def test_what_was_extracted_for_a_member_is_done_anew_when_it_changes_and_never_lost(graph: Graph, user: str) -> None:
    team = f"team-{user}"
    add_members(graph, CLOCK, user, [user, f"{user}b"])
    seed_sources(graph, [source_row(f"{team}/{name}", team, started_at=TIMES[name], title=name) for name in TIMES])
    request_sources(graph, user, [f"{team}/s1"], CLOCK.now())
    assert extract(graph, user)["extracted"] == 1
    before = picture(graph, user)
    counts = extract(graph, user)
    assert (counts["due"], counts["standing"], counts["of_teams_not_asked_for"], counts["retired"]) == (0, 1, 3, 0)
    assert picture(graph, user) == before
    changed = source_row(f"{team}/s1", team, started_at=TIMES["s1"], title="s1", text_fingerprint="another")
    seed_sources(graph, [changed])
    assert extract(graph, user)["extracted"] == 1
    assert request_sources(graph, user, list_unrequested(graph, user), CLOCK.now()) == [
        f"{team}/s2",
        f"{team}/s3",
        f"{team}/s4",
    ]
    assert request_sources(graph, user, list_unrequested(graph, user), CLOCK.now()) == []
    assert extract(graph, user)["extracted"] == 3
    assert graph.read("graph/list_extractions", user_id=f"{user}b") == []


def test_what_may_pass_is_tried_again_at_its_time_and_waits_longer_each_time(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, ["s1"]))
    busy = scripted(ANSWERS | {"s1": ModelUnavailableError("Come back later.")})

    def at(hours: float, model: ScriptedModel) -> Counter[str]:
        clock = Clock(CLOCK.now() + timedelta(hours=hours))
        extractor = Extractor(graph, model, HashEmbedder(), clock, user, say)
        counts = extractor.run(RunScope())
        again.append(extractor.next_attempt()[1])
        return counts

    again: list[datetime | None] = []
    for hours, due in ((0, 1), (0.5, 0), (1, 1), (4.5, 0), (5, 1)):
        assert at(hours, busy)["due"] == due, hours
    hours_from_now = [1, 1, 5, 5, 21]  # 1 h after the first, 4 h after the second, 16 h after the third
    assert again == [CLOCK.now() + timedelta(hours=hours) for hours in hours_from_now]
    assert at(21, scripted())["extracted"] == 1 and again[-1] is None


def test_an_extraction_that_fails_anew_leaves_what_the_last_one_made(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, ["s1"]))
    extract(graph, user)
    tea = chunk(graph, user, "i prefer tea")
    assert extract(graph, user, scripted(ANSWERS | {"s1": ModelError("No.")}), force=True)["failed"] == 1
    assert tea is not None and chunk(graph, user, "i prefer tea") == tea
    assert extract(graph, user, retry=True)["extracted"] == 1
    assert chunk(graph, user, "i prefer tea") == tea


def test_an_own_source_tells_when_its_extraction_began_and_ended(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, ["s1"]))
    extract(graph, user)
    found = graph.query_read_only(
        "MATCH (s:Source {user_id: $user}), (x:Extraction {user_id: $user}) RETURN s.extraction_started_at AS started, "
        "s.extraction_completed_at AS completed, x.started_at AS begun, x.completed_at AS made",
        {"user": user},
    )
    assert found == [dict.fromkeys(("started", "completed", "begun", "made"), CLOCK.now())]


def test_what_may_no_longer_be_read_is_forgotten_and_comes_back(graph: Graph, user: str) -> None:
    """A team's source becomes one of high sensitivity: of those who took no part in it nothing of it is left."""
    team, other = f"team-{user}", f"{user}-b"
    add_members(graph, CLOCK, user, [user, other])
    key = f"{team}/s1"
    seed_sources(graph, [source_row(key, team, started_at=TIMES["s1"], title="s1")])
    for member in (user, other):
        request_sources(graph, member, [key], CLOCK.now())
        assert extract(graph, member)["extracted"] == 1
    seed_readers(graph, team, key, [user])
    assert extract(graph, user)["withheld"] == 0 and chunk(graph, user, "i prefer tea") is not None
    assert extract(graph, other)["withheld"] == 1 and chunk(graph, other, "i prefer tea") is None
    assert anchor(graph, other, "maria") is None
    assert forgotten(graph, other) == ["a statement"] * 2, "what it said is not theirs to read any more"
    assert extract(graph, other)["withheld"] == 0
    seed_readers(graph, team, key, None)
    assert extract(graph, other)["extracted"] == 1 and chunk(graph, other, "i prefer tea") is not None


def test_what_a_source_had_stated_before_it_failed_goes_with_it(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, ["s1"]))
    extract(graph, user)
    assert extract(graph, user, scripted(ANSWERS | {"s1": ModelError("No.")}), force=True)["failed"] == 1
    assert remove_source(graph, CLOCK, user, f"{user}/s1")
    assert extract(graph, user)["withheld"] == 1 and chunk(graph, user, "i prefer tea") is None
    assert extract(graph, user)["withheld"] == 0


def test_what_own_sources_alone_said_and_say_no_more_is_told(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, ["s1"]))
    extract(graph, user)
    assert extract(graph, user, scripted({"s1": ANSWERS["s4"]}), force=True)["retired"]
    assert forgotten(graph, user) == ["I prefer tea.", "Maria likes tea"]


def test_a_statement_with_personal_data_is_marked(graph: Graph, user: str) -> None:
    seed_sources(graph, rows(user, ["s1", "s3"]))
    said = {
        "s1": Extraction(entities=(), statements=(statement("I write to nora.berg@example.org.", ()),)),
        "s3": Extraction(entities=(), statements=(statement("I prefer tea!", ()),)),
    }
    extract(graph, user, scripted(said))
    marked = {
        row["text"]: row["personal"]
        for row in graph.query_read_only(
            "MATCH (c:KnowledgeChunk {user_id: $user}) RETURN c.content AS text, c.has_personal_data AS personal",
            {"user": user},
        )
    }
    assert marked == {"I write to nora.berg@example.org.": True, "I prefer tea!": False}


def test_a_long_chat_with_many_statements_fits_the_default_heap(graph: Graph, user: str) -> None:
    # Counted once for every statement, its text would be 400 times two megabytes: more than the heap of the engine.
    words = "word " * 200_000
    turns = [{"index": 0, "speaker": "Alex", "text": words, "at": None}]
    long = source_row(f"{user}/long", user, title="long", turns=turns)
    seed_sources(graph, [long])
    said = tuple(statement(f"The harbour opens at gate {n}", ("Maria",), turn=0) for n in range(400))
    counts = extract(graph, user, scripted({"long": Extraction(entities=(entity("Maria"),), statements=said)}))
    assert (counts["extracted"], counts["statements"]) == (1, 400)
    stated = graph.read("notes/list_source_statements", ids=[long["id"]], user_id=user)
    order = [(row["turn"], row["chunk_id"]) for row in stated]
    assert order == sorted(order)
    assert {row["content"] for row in stated} == {one.text for one in said}


STUCK = re.compile(r"(?:a+)+$")


def never_ends(source: SourceText) -> Extraction:
    """A rule of the local model that has no end on some texts."""
    STUCK.match(source.turns[0].text)
    return Extraction(entities=(entity("Maria"),), statements=())


def test_a_source_on_which_a_rule_never_ends_holds_up_nobody(graph: Graph, user: str) -> None:
    texts = {"s1": "We met Maria.", "s2": "a" * 64 + "!", "s4": "Maria again."}
    turns = {name: [{"index": 0, "speaker": "Alex", "text": text, "at": None}] for name, text in texts.items()}
    seed_sources(graph, [row for name in texts for row in rows(user, [name], turns=turns[name])])
    limit = WorkLimit(0.5)
    model = LocalModel(limit=limit, more={EXTRACT_ENTITIES: (SourceText, never_ends)})
    extractor = Extractor(graph, model, HashEmbedder(), CLOCK, user, say, limit)
    counts = extractor.run(RunScope())
    assert (counts["extracted"], counts["failed"]) == (2, 1)
    assert (
        len(extractor.failed) == 1
        and "'s2' could not be extracted: The work on it was ended after 0.5" in extractor.failed[0]
    )
    assert extractor.next_attempt() == ([f"{user}/s2"], None), (
        "it waits for another text, prompt, model or code, or for somebody"
    )
    again = Extractor(graph, model, HashEmbedder(), CLOCK, user, say, limit)
    assert again.run(RunScope())["waiting"] == 1
    assert extract(graph, user, scripted(), retry=True)["extracted"] == 3, "another model: all of them, that one, too"


SAID_AT = "2026-03-02T10:00:00.000Z"


def test_what_an_agent_says_again_is_no_new_statement(graph: Graph, user: str) -> None:
    """Whichever model answers: what it was given until then, and what was said in its source. What was there first
    stays, and the owner's words are the owner's.
    """
    tea, honey = "Alex drinks tea with mountain honey.", "Honey of the mountain keeps for years."
    kettle, oven = "The kettle of the harbour office leaks.", "The oven of the harbour office is hot."
    answers = {
        "first": Extraction(entities=(), statements=(_by_agent(tea, turn=1), _by_agent(honey))),
        "owner": Extraction(entities=(), statements=(statement(tea, turn=0), statement(oven, turn=0))),
        "later": Extraction(
            entities=(),
            statements=(
                _by_agent(f"- {tea[:-1]} [482915037]"),
                _by_agent(f"- {honey}"),
                statement(f"Again: {tea}", turn=0),
                _by_agent(kettle),
                _by_agent(f"- {kettle}", turn=3),
                _by_agent(f"Reverted: {tea}"),
                _by_agent(f"- {oven}"),
            ),
        ),
    }
    model = scripted(answers)
    spoken = enumerate(["Alex", "assistant"] * 2)
    turns = [{"index": at, "speaker": name, "text": f"Words {at}.", "at": SAID_AT} for at, name in spoken]

    def read(*names: str, shown: Mapping[str, datetime] = {}, **how: Any) -> dict[str, set[str]]:  # noqa: B006
        seed_sources(graph, rows(user, names, turns=turns))
        Extractor(graph, model, HashEmbedder(), CLOCK, user, say, shown=lambda: shown).run(RunScope(**how))
        asked = "MATCH (s:Source)-[r:STATES {user_id: $user}]->(c) RETURN s.id AS id, r.content AS said, c.id AS memory"
        found: dict[str, set[str]] = {}
        for row in graph.query_read_only(asked, {"user": user}):
            found.setdefault(row["id"].rpartition("/")[2], set()).add(row["said"])
            ids[row["said"]] = row["memory"]
        return found

    ids: dict[str, str] = {}
    first = read("first", "owner")
    assert first == {"first": {tea, honey}, "owner": {tea, oven}}
    at = datetime.fromisoformat(SAID_AT)
    shown = {ids[tea]: at, ids[oven]: at + timedelta(seconds=1)}
    new = {f"- {honey}", f"Again: {tea}", kettle, f"Reverted: {tea}", f"- {oven}"}
    assert read("later", shown=shown) == first | {"later": new}, "it was given the honey never, the oven later"
    before = picture(graph, user)
    read(shown=dict.fromkeys(ids.values(), at), force=True)
    assert picture(graph, user) == before


def _by_agent(text: str, turn: int = 1) -> Statement:
    return statement(text, speaker="assistant", turn=turn)
