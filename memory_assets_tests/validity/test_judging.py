"""What is judged of statements in the graph, what people decide about it, and what has become of them since a day."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memory_assets.errors import UnknownReferenceError
from memory_assets.model import Resolution, node_id, reference
from memory_assets.validity import decisions
from memory_assets.validity.judging import judge_statements
from memory_assets.validity.reading import counts_of, read_diff, relations_of
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.seeds import seed_readers

pytestmark = pytest.mark.graph


def judge(world: World, **options: bool) -> Any:
    return judge_statements(
        world.graph, world.user, world.now, world.settings.validity_index(world.user), "recipe", **options
    )


def outdated(world: World) -> dict[str, tuple[str, str]]:
    return {
        row["content"]: (row["outdated"], (row["valid_to"] or "")[:10])
        for row in world.graph.read("seed/list_validity", user_id=world.user)
        if row["outdated"]
    }


def say(world: World, text: str, day: int, **known: Any) -> str:
    return world.add_statement(text, world.add_source(f"{text} {day}", day), said_by_owner=True, **known)


def test_what_a_later_statement_changes_is_over_from_that_day_on(world: World) -> None:
    say(world, "I live in Boston.", 1)
    say(world, "The cello is old.", 2)
    assert judge(world).statements == 2
    assert outdated(world) == {}
    say(world, "I moved from Boston to Denver.", 30)
    judged = judge(world)
    assert (judged.statements, judged.found) == (1, {"wholly": 1})
    assert outdated(world) == {"I live in Boston.": ("wholly", "2026-10-21")}
    assert judge(world).statements == 0


def test_what_was_superseded_holds_again_when_the_later_statement_goes(world: World) -> None:
    say(world, "I live in Boston.", 1)
    later = say(world, "I moved from Boston to Denver.", 30)
    judge(world)
    assert set(outdated(world)) == {"I live in Boston."}
    world.graph.write("seed/set_chunk_archived", user_id=world.user, id=later)
    judge(world)
    assert set(outdated(world)) == {"I live in Boston."}, "what has faded was said all the same"
    world.graph.write("seed/set_chunk_archived", user_id=world.user, id=later)
    world.graph.write("seed/unlink_statement", user_id=world.user, id=later)
    judge(world)
    assert outdated(world) == {}


def test_another_order_of_arrival_gives_the_same(world: World) -> None:
    say(world, "I moved from Boston to Denver.", 30)
    judge(world)
    say(world, "I live in Boston.", 1)
    judge(world)
    first = outdated(world)
    judge(world, force=True)
    assert outdated(world) == first and set(first) == {"I live in Boston."}


def test_an_index_that_is_lost_is_made_again(world: World) -> None:
    say(world, "I live in Boston.", 1)
    judge(world)
    world.settings.validity_index(world.user).unlink()
    say(world, "I moved from Boston to Denver.", 30)
    assert judge(world).statements == 1
    assert set(outdated(world)) == {"I live in Boston."}


def contradictions(world: World) -> list[dict[str, Any]]:
    return decisions.open_contradictions(world.graph, world.user)


def test_a_contradiction_is_resolved_by_a_person_and_opened_again(world: World) -> None:
    first = say(world, "I am allergic to nuts.", 1)
    other = say(world, "I am not allergic to nuts.", 2)
    judge(world)
    (found,) = contradictions(world)
    assert (found["one_id"], found["other_id"], found["kind"]) == (first, other, "negation")
    short = found["id"].partition(":")[2][:8]
    decisions.resolve(world.graph, world.user, short, Resolution.A_WINS, "asked the doctor", world.now)
    assert contradictions(world) == []
    assert outdated(world) == {"I am not allergic to nuts.": ("wholly", "2026-11-20")}
    judge(world, force=True)
    assert set(outdated(world)) == {"I am not allergic to nuts."}, "a decision outlives a judgement"
    (made,) = decisions.read_decisions(world.graph, world.user)
    decisions.undo(world.graph, world.user, made, world.now)
    assert outdated(world) == {} and [row["id"] for row in contradictions(world)] == [found["id"]]
    assert decisions.read_decisions(world.graph, world.user) == {}


@pytest.mark.parametrize("is_first", [True, False])
def test_two_values_of_one_instant_contradict_each_other_whichever_came_in_first(
    world: World, *, is_first: bool
) -> None:
    texts = ["I am allergic to nuts.", "I am not allergic to nuts."]
    ids = [say(world, text, 1) for text in (texts if is_first else reversed(texts))]
    assert judge(world).found == {"contradictions": 1}
    (found,) = contradictions(world)
    assert [found["one_id"], found["other_id"]] == sorted(ids) and outdated(world) == {}


def test_what_is_said_at_one_instant_in_two_sources_changes_nothing(world: World) -> None:
    say(world, "I live in Boston.", 1)
    say(world, "I moved from Boston to Denver.", 1)
    assert judge(world).pairs == 1
    assert outdated(world) == {} and contradictions(world) == []


def test_both_may_hold_and_a_merger_says_how(world: World) -> None:
    say(world, "I am allergic to nuts.", 1)
    say(world, "I am not allergic to nuts.", 2)
    judge(world)
    (found,) = contradictions(world)
    with pytest.raises(decisions.ContradictionError, match="holds of both"):
        decisions.resolve(world.graph, world.user, found["id"], Resolution.MERGED, " ", world.now)
    decisions.resolve(world.graph, world.user, found["id"], Resolution.BOTH_VALID, "", world.now)
    assert contradictions(world) == [] and outdated(world) == {}


def test_a_note_that_merges_both_supersedes_both_until_that_is_taken_back(world: World) -> None:
    first = say(world, "I am allergic to nuts.", 1)
    other = say(world, "I am not allergic to nuts.", 2)
    judge(world)
    (found,) = contradictions(world)

    def store(note: str) -> tuple[str, str]:
        memory_id = say(world, note, 60)
        return world.sources[-1], memory_id

    note = "I am allergic to hazelnuts, not to other nuts."
    decisions.resolve(world.graph, world.user, found["id"], Resolution.MERGED, "asked", world.now, store, note)
    judge(world)
    assert contradictions(world) == []
    assert outdated(world) == {text: ("wholly", "2026-11-20") for text in (found["one"], found["other"])}
    relations = relations_of(world.graph, world.user, reference(node_id("chunk", world.user, note)))
    assert {row["ref"] for row in relations if row["relation"] == "supersedes"} == {reference(first), reference(other)}
    judge(world, force=True)
    assert len(outdated(world)) == 2, "and no judgement says otherwise"
    (made,) = decisions.read_decisions(world.graph, world.user)
    decisions.undo(world.graph, world.user, made, world.now)
    assert outdated(world) == {}, "at once, before the next judgement"
    judge(world)
    assert found["id"] in {row["id"] for row in contradictions(world)}


def test_the_days_diff_says_what_is_new_changed_and_contradicted(world: World) -> None:
    say(world, "I live in Boston.", 1)
    say(world, "I am allergic to nuts.", 1)
    judge(world)
    before = world.now
    world.now += timedelta(days=1)
    say(world, "I moved from Boston to Denver.", 30)
    say(world, "I am not allergic to nuts.", 31)
    judge(world)
    found = read_diff(world.graph, world.user, before + timedelta(hours=1))
    assert {kind: [row["text"] for row in rows] for kind, rows in found.items() if rows} == {
        "new": ["I moved from Boston to Denver.", "I am not allergic to nuts."],
        "changed": ["I live in Boston."],
        "contradicted": ["I am allergic to nuts."],
    }
    assert counts_of(found) == "2 new, 1 changed, 1 contradicted"


def test_the_days_diff_and_relations_give_nothing_that_may_no_longer_be_read(world: World) -> None:
    team = f"team-{world.user}"
    world.join(team)
    theirs = world.add_source("theirs", 31, owner=team)
    mine = [say(world, text, 1) for text in ("I live in Boston.", "I am allergic to nuts.")]
    for text in ("I moved from Boston to Denver.", "I am not allergic to nuts."):
        world.add_statement(text, theirs, said_by_owner=True)
    judge(world)

    def told() -> tuple[str, int]:
        counted = counts_of(read_diff(world.graph, world.user, world.now - timedelta(hours=1)))
        return counted, sum(len(relations_of(world.graph, world.user, reference(one))) for one in mine)

    assert told() == ("4 new, 1 changed, 1 contradicted", 2)
    seed_readers(world.graph, team, theirs, ["somebody"])
    assert told() == ("2 new", 0)


def test_nobody_reads_or_decides_anothers_contradictions(world: World) -> None:
    say(world, "I am allergic to nuts.", 1)
    say(world, "I am not allergic to nuts.", 2)
    judge(world)
    (found,) = contradictions(world)
    assert decisions.open_contradictions(world.graph, "eve") == []
    with pytest.raises(UnknownReferenceError):
        decisions.resolve(world.graph, "eve", found["id"], Resolution.A_WINS, "", world.now)
    assert relations_of(world.graph, "eve", found["one_ref"]) == []
    assert [row["relation"] for row in relations_of(world.graph, world.user, found["one_ref"])] == ["contradicts"]
