"""Names on a running graph: joined, merged, split, the owner's profile; the same graph whatever the way there."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from memory_assets.clock import Clock
from memory_assets.curation.rails import judge_retirements
from memory_assets.entities.extraction import Extractor
from memory_assets.entities.people import Names, UnknownNameError
from memory_assets.errors import MemoryAssetsError, ModelError
from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.llm.tasks import SAME_PERSON, Extraction, SamePerson
from memory_assets.runtime.scope import RunScope
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel, named, stated
from memory_assets_tests.support.seeds import seed_sources, source_row

pytestmark = pytest.mark.graph
CLOCK = Clock(datetime(2026, 5, 1, 9, tzinfo=UTC))


def say(text: str) -> None:
    """Progress that nobody reads."""


def answer(names: list[str]) -> Extraction:
    """Each name with three subpoints, and a statement about it."""
    return Extraction(
        entities=tuple(named("person", name) for name in names),
        statements=tuple(stated(f"{name} likes tea.", name, speaker="Alex") for name in names),
    )


def extract(graph: Graph, user: str, said: dict[str, list[str]], votes: Any = None) -> ScriptedModel:
    """Extract sources that name the given names. ``votes``: what a model says of a pair."""
    model = ScriptedModel(lambda task, payload: votes if task == SAME_PERSON else answer(said[payload.title]))
    Extractor(graph, model, HashEmbedder(), CLOCK, user, say).run(RunScope())
    return model


def seed(graph: Graph, user: str, said: dict[str, list[str]], **change: Any) -> None:
    """Sources by title, a day apart."""
    seed_sources(
        graph,
        [
            source_row(
                f"{user}/{title}",
                user,
                title=title,
                started_at=f"2026-03-{number + 1:02d}T10:00:00Z",
                **change,
            )
            for number, title in enumerate(sorted(said))
        ],
    )


def exported(graph: Graph, user: str) -> list[str]:
    """The canonical export, whose ids hash the owner."""
    return [json.dumps(line, sort_keys=True) for line in export_user(graph, user, canonical=True)]


def who(graph: Graph, user: str) -> dict[str, list[str]]:
    """The names by person."""
    return {p.name: sorted(v["name"] for v in p.variants) for p in Names(graph, CLOCK, user).people()}


SAID = {"a": ["Robert Chen"], "b": ["Bob"], "c": ["R. Chen", "Zoe"], "d": ["Bobby"], "e": ["Robert Chen", "Bob"]}


def test_the_names_of_one_person_are_one_anchor(graph: Graph, user: str) -> None:
    seed(graph, user, SAID)
    extract(graph, user, SAID)
    assert who(graph, user) == {"Robert Chen": ["Bob", "Bobby", "R. Chen", "Robert Chen"], "Zoe": ["Zoe"]}
    (robert, _) = Names(graph, CLOCK, user).people()
    (node,) = graph.read("graph/list_owned_nodes", ids=[robert.id], user_ids=[user])
    assert node["properties"]["aliases"] == ["Bob", "Bobby", "R. Chen"]
    assert (node["properties"]["source_count"], node["properties"]["distinct_source_days"]) == (5, 5)
    assert graph.read("entities/list_unsupported_memories", user_id=user) == []
    audits = graph.read("curation/list_retirements", user_id=user)
    assert {audit["label"] for audit in audits} == {"Person"} and judge_retirements(audits) == []
    about = [line for line in exported(graph, user) if '"label": "ABOUT"' in line]
    assert len(about) == 5  # five statements; whichever name each uses, all but Zoe's are about one
    assert sum(robert.id in line for line in about) == 4


def test_pieces_and_order_give_the_same_graph(graph: Graph, user: str) -> None:
    seed(graph, user, SAID)
    extract(graph, user, SAID)
    whole = exported(graph, user)
    extract(graph, user, SAID)
    assert exported(graph, user) == whole
    for title in sorted(SAID, reverse=True):  # one source after the other is said anew
        seed_sources(graph, [source_row(f"{user}/{title}", user, title=title, text_fingerprint="gone")])
        extract(graph, user, dict.fromkeys(SAID, []))
    assert who(graph, user) == {}
    for title in reversed(SAID):
        number = sorted(SAID).index(title)
        at = f"2026-03-{number + 1:02d}T10:00:00Z"
        seed_sources(graph, [source_row(f"{user}/{title}", user, title=title, started_at=at)])
        extract(graph, user, SAID)
    assert exported(graph, user) == whole


def test_merge_and_split_undo_each_other(graph: Graph, user: str) -> None:
    seed(graph, user, SAID)
    extract(graph, user, SAID)
    before = exported(graph, user)
    assert Names(graph, CLOCK, user).merge("Zoe", ["R. Chen"])["mentions_moved"] > 0
    assert who(graph, user) == {"Zoe": ["Bob", "Bobby", "R. Chen", "Robert Chen", "Zoe"]}
    assert not Names(graph, CLOCK, user).merge("Zoe", ["R. Chen"])
    extract(graph, user, SAID)
    assert list(who(graph, user)) == ["Zoe"]
    Names(graph, CLOCK, user).split("Zoe")
    assert exported(graph, user) == before
    Names(graph, CLOCK, user).split("Bob")
    assert who(graph, user) == {"Robert Chen": ["Bobby", "R. Chen", "Robert Chen"], "Bob": ["Bob"], "Zoe": ["Zoe"]}
    assert not Names(graph, CLOCK, user).split("Bob")
    extract(graph, user, SAID)
    assert who(graph, user)["Bob"] == ["Bob"]
    Names(graph, CLOCK, user).merge("Robert Chen", ["Bob"])
    assert exported(graph, user) == before


def test_a_name_that_is_nobodys_or_severals_says_who_there_is(graph: Graph, user: str) -> None:
    seed(graph, user, SAID)
    extract(graph, user, SAID)
    names = Names(graph, CLOCK, user)
    with pytest.raises(UnknownNameError, match=r"names nobody.*Robert Chen \[\d{9}\]"):
        names.split("Anna Chen")
    with pytest.raises(UnknownNameError, match="a person by itself"):
        names.split("Zoe")
    (robert, zoe) = names.people()
    assert names.find(robert.ref) == names.find(robert.id) == names.find("robert chen") == robert.id
    assert names.find(zoe.ref) == zoe.id


def test_an_ambiguous_first_name_is_told_by_source(graph: Graph, user: str) -> None:
    said = {"a": ["Maria Lopez", "Maria"], "b": ["Maria Schmidt", "Maria"], "c": ["Maria"]}
    seed(graph, user, said)
    extract(graph, user, said)
    assert who(graph, user) == {
        "Maria Lopez": ["Maria", "Maria Lopez"],
        "Maria Schmidt": ["Maria", "Maria Schmidt"],
        "Maria": ["Maria"],
    }
    before = exported(graph, user)
    seed(graph, user, said, text_fingerprint="other", processed_fingerprint="p1")
    extract(graph, user, said)
    assert [line for line in exported(graph, user) if '"MENTIONS"' in line] == [
        line for line in before if '"MENTIONS"' in line
    ]


def test_nothing_of_another_owner_is_ever_read(graph: Graph, user: str) -> None:
    other = f"{user}x"
    for owner, said in ((user, {"a": ["Robert Chen"]}), (other, {"a": ["Bob"]})):
        seed(graph, owner, said)
        extract(graph, owner, said)
    assert (who(graph, user), who(graph, other)) == ({"Robert Chen": ["Robert Chen"]}, {"Bob": ["Bob"]})
    with pytest.raises(UnknownNameError):
        Names(graph, CLOCK, other).merge("Bob", ["Robert Chen"])


def test_a_model_is_asked_once_for_a_pair_and_its_evidence(graph: Graph, user: str) -> None:
    said = {"a": ["Bob"], "b": ["Robert"]}
    seed(graph, user, said)
    model = extract(graph, user, said, SamePerson(verdict="same", confidence=9))
    assert [task for task, _ in model.asked].count(SAME_PERSON) == 1
    assert who(graph, user) == {"Robert": ["Bob", "Robert"]} or who(graph, user) == {"Bob": ["Bob", "Robert"]}
    more = said | {"c": ["Zoe"]}
    seed(graph, user, more)
    again = extract(graph, user, more, ModelError("Nobody answers."))
    assert SAME_PERSON not in [task for task, _ in again.asked]
    assert len(who(graph, user)) == 2


@pytest.mark.parametrize(
    "vote",
    [
        ModelError("It was cut off."),
        SamePerson(verdict="unsure", confidence=9),
        SamePerson(verdict="same", confidence=5),
        SamePerson(verdict="different", confidence=10),
    ],
)
def test_whoever_is_not_sure_joins_nobody(graph: Graph, user: str, vote: Any) -> None:
    said = {"a": ["Bob"], "b": ["Robert"]}
    seed(graph, user, said)
    extract(graph, user, said, vote)
    assert set(who(graph, user)) == {"Bob", "Robert"}


def owner(graph: Graph, user: str) -> dict[str, Any]:
    """The owner's own Person."""
    (person,) = [person for person in Names(graph, CLOCK, user).people() if person.is_owner]
    (node,) = graph.read("graph/list_owned_nodes", ids=[person.id], user_ids=[user])
    return node["properties"]


def test_the_owner_is_from_the_profile_and_stays(graph: Graph, user: str) -> None:
    said = {"a": ["Alex Johnson", "Zoe"], "b": ["Alex"]}
    assert Names(graph, CLOCK, user).set_profile("Alex Johnson", ["aj@example.org"])
    assert not Names(graph, CLOCK, user).set_profile("Alex Johnson", ["aj@example.org"])
    first = owner(graph, user)
    assert (first["is_owner"], first["confidence"], first["salience"]) == (True, 1.0, 1.0)
    assert (first["state"], first["ttl_policy"], first["canonical_name"]) == ("core", "keep_forever", "alex-johnson")
    seed(graph, user, said)
    extract(graph, user, said)
    stored = owner(graph, user)
    assert (stored["name"], stored["source_count"], stored["aliases"], stored["confidence"]) == (
        "Alex Johnson",
        2,
        ["Alex"],
        1.0,
    )
    assert Names(graph, CLOCK, user).set_profile("Zoe", [])
    other = owner(graph, user)
    assert (other["id"], other["canonical_name"], other["source_count"]) == (first["id"], "zoe", 1)
    assert set(who(graph, user)) == {"Zoe", "Alex Johnson"}
    seed(graph, user, said, text_fingerprint="other")
    extract(graph, user, dict.fromkeys(said, []))
    assert owner(graph, user)["source_count"] == 0
    assert [row for row in graph.read("entities/list_unsupported_memories", user_id=user)] == []
    with pytest.raises(MemoryAssetsError, match="cannot be a name"):
        Names(graph, CLOCK, user).set_profile("  ", [])


def test_a_profile_takes_back_what_was_said_of_its_names_before(graph: Graph, user: str) -> None:
    said = {"a": ["Alex Johnson", "Zoe"], "b": ["Alex"]}
    seed(graph, user, said)
    extract(graph, user, said)
    Names(graph, CLOCK, user).set_profile("Alex Johnson", ["Alex"])
    Names(graph, CLOCK, user).split("Alex")
    assert set(who(graph, user)) == {"Alex Johnson", "Zoe", "Alex"}
    Names(graph, CLOCK, user).set_profile("Alex Johnson", ["Alex", "aj@example.org"])
    assert set(who(graph, user)) == {"Alex Johnson", "Zoe", "Alex"}, "nothing newer was said of Alex"
    Names(graph, CLOCK, user).set_profile("Zoe", [])
    Names(graph, CLOCK, user).set_profile("Alex Johnson", ["Alex"])
    assert (owner(graph, user)["source_count"], set(who(graph, user))) == (2, {"Alex Johnson", "Zoe"})


def test_a_profile_is_taken_up_by_what_is_there(graph: Graph, user: str) -> None:
    said = {"a": ["Alex Johnson"], "b": ["Alex"]}
    seed(graph, user, said)
    extract(graph, user, said)
    assert Names(graph, CLOCK, user).set_profile("Alex Johnson", [])
    assert (owner(graph, user)["source_count"], list(who(graph, user))) == (2, ["Alex Johnson"])


def test_a_profile_redoes_only_the_sources_whose_speaker_it_changes(graph: Graph, user: str) -> None:
    said = {"a": ["Zoe"], "b": ["Zoe"]}
    seed(graph, user, {"a": []}, owner_speaker="Alex")
    talk = [{"index": 0, "speaker": "Alex Johnson", "text": "I like tea.", "at": None}]
    seed_sources(
        graph, [source_row(f"{user}/b", user, title="b", owner_speaker=None, turns=talk, speakers=["Alex Johnson"])]
    )
    extract(graph, user, said)
    Names(graph, CLOCK, user).set_profile("Alex Johnson", ["Alex"])
    model = extract(graph, user, said)
    assert [payload.title for _, payload in model.asked] == ["b"]
    assert [payload.owner_speaker for _, payload in model.asked] == ["Alex Johnson"]
    assert extract(graph, user, said).asked == []
