"""What was cut comes back as it was, whatever it was linked to, and nothing else changes."""

from __future__ import annotations

import random
import re
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memory_assets.clock import to_iso
from memory_assets.curation import merging
from memory_assets.curation.likeness import Likeness, Verdict
from memory_assets.curation.merging import Pair
from memory_assets.curation.restoring import EVIDENCE, LINKS, MADE_AGAIN, Audit, Restored, in_order, list_cuts, restore
from memory_assets.curation.snapshots import encode, read_whole
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.graph.query_files import catalogue
from memory_assets.model import RECORD_KINDS
from memory_assets_tests.curation.records import record, run, seed
from memory_assets_tests.curation.test_tombstones import (
    DUE,
    NOW,
    audits,
    carry_out,
    prune,
    remove,
    rows_to_cut,
)

LATER = NOW + timedelta(days=40)
BOOKKEEPING = {
    "version",
    "restored_at",
    "unaged",
    "uncounted",
    "uncounted_with",
    "unscored",
    "unjudged",
    "uncompared",
    "untold",
    "untold_from_at",
    *DUE,
}
KINDS = (
    *("Belief", "Reflection", "Task", "Analysis", "Recommendation", "Synthesis", "Notification", "SessionContext"),
    *("MemoryEntry", "KnowledgeChunk"),
)
NUMBERS = count()
# What neither a record nor a statement is an end of.
OF_OTHERS = {
    "CONTEXT_OF", "DESCRIBED_BY", "FOLLOWS", "GROUPS", "HAS_CONTENT", "HAS_KEY", "HAS_NOTE", "HAS_ORIGINAL_CONTENT",
    "HAS_RAW_CONTENT", "HAS_TURNS", "INCLUDES", "LINKS_TO", "MEMBER_OF", "MENTIONS", "PART_OF", "RELATES_FROM",
    "RELATES_TO", "REPLIES_TO", "ROOTED_IN", "SUMMARIZED_TO", "SUPPORTS", "TAKEN_FROM",
}  # fmt: skip


def picture(graph: Graph, user: str, ids: list[str]) -> dict[str, str]:
    """Each memory whole, without what says when it was written."""
    found = {}
    for key, one in read_whole(graph, user, ids).items():
        own = {name: value for name, value in one.properties.items() if name not in BOOKKEEPING}
        found[key] = encode(type(one)(one.labels, own, one.links))
    return found


def exported(graph: Graph, user: str) -> list[dict[str, Any]]:
    return list(export_user(graph, user, canonical=True))


def world(graph: Graph, user: str, chance: random.Random) -> list[str]:
    """Records of all kinds with random links, and a source of each."""
    ids = [f"{user}:{number:02}" for number in range(chance.randint(12, 24))]
    rows, links = [], []
    for key in ids:
        embedding = [chance.uniform(-1, 1) for _ in range(8)]
        more = {"embedding": embedding, "embedder": "static", "about": ["a", "b"], "recent_accesses": []}
        more |= {"restored_at": "2026-02-01T00:00:00Z"} if chance.random() < 0.2 else {}
        rows.append(record(key, chance.choice(KINDS), access_count=chance.randint(0, 3), **more))
        rows.append(record(f"{key}:source", "Source"))
        links.append((key, "RECORDED_IN", f"{key}:source"))
        links += [(f"{key}:source", "STATES", key)] if rows[-2]["label"] == "KnowledgeChunk" else []
    for _ in range(len(ids) * 2):
        links.append((chance.choice(ids), chance.choice(["REFERS_TO", "LEARNED_FROM", "ABOUT"]), chance.choice(ids)))
    seed(graph, user, rows, links)
    return [*ids, *(f"{key}:source" for key in ids)]


@settings(
    max_examples=12, phases=[Phase.generate], deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(0, 2**32), st.sampled_from(["pruned", "removed", "some removed"]), st.booleans())
def test_what_was_cut_and_is_restored_is_what_it_was(
    graph: Graph, user: str, number: int, how: str, by_cycle: bool
) -> None:
    owner, chance = f"{user}-{next(NUMBERS)}", random.Random(number)
    ids = world(graph, owner, chance)
    before, canonical = picture(graph, owner, ids), exported(graph, owner)
    due = chance.sample([key for key in ids if not key.endswith("source")], 6)
    gone = prune(graph, owner, due)
    if how != "pruned":
        remove(graph, owner, sorted(gone) if how == "removed" else sorted(gone)[::2])
    asked = {"cycle": f"cycle:{owner}"} if by_cycle else {"since": NOW}
    planned = restore(graph, owner, LATER, **asked, dry_run=True)
    done = restore(graph, owner, LATER, **asked)
    assert {one.memory_id for one in done.back} == gone == {one.memory_id for one in planned.back}
    assert picture(graph, owner, ids) == before
    assert exported(graph, owner) == canonical
    for key, one in read_whole(graph, owner, sorted(gone)).items():
        if "KnowledgeChunk" in one.labels:
            marks = one.properties.get("untold"), one.properties.get("untold_from_at")
            assert marks == (owner, None), f"storylines tell {key} again from its first source on"
    again = restore(graph, owner, LATER + timedelta(hours=1), **asked)
    assert again.back == [] and picture(graph, owner, ids) == before
    assert prune(graph, owner, sorted(gone), LATER + timedelta(hours=23)) == set(), "it has a day of grace again"


def test_every_kind_comes_back_long_after_it_was_removed(graph: Graph, user: str) -> None:
    assert set(RECORD_KINDS) < set(KINDS)
    ids = [f"{user}:{kind}" for kind in KINDS]
    events = [f"{user}:event {kind}" for kind in ("Notification", "SessionContext")]
    rows = [record(key, key.rpartition(":")[2].removeprefix("event ")) for key in [*ids, *events]]
    seed(graph, user, rows, [(one, "REFERS_TO", other) for one in ids for other in events])
    before = picture(graph, user, [*ids, *events])
    assert prune(graph, user, ids) == set(ids) == remove(graph, user, ids)
    assert carry_out(graph, user, "remove_records", rows_to_cut(graph, user, events, "remove")) == set(events)
    assert read_whole(graph, user, [*ids, *events]) == {}
    assert len(restore(graph, user, LATER, since=NOW).back) == len(before)
    assert picture(graph, user, [*ids, *events]).keys() == before.keys()
    for key, one in read_whole(graph, user, ids).items():
        assert one.labels == tuple(sorted(("Memory", key.rpartition(":")[2])))
        assert {link.place for link in one.links} == {("REFERS_TO", "out", other) for other in events}


def test_every_relationship_that_a_memory_can_have_comes_back_or_is_made_again() -> None:
    text = " ".join(part for query in catalogue().values() if query.mode == "write" for part in query.statements)
    types = {name for names in re.findall(r"\[\w*:([A-Z_|]+)", text) for name in names.split("|")}
    assert types == LINKS | {EVIDENCE} | MADE_AGAIN | OF_OTHERS, "restore it, or say here that no such memory has it"


def test_what_was_restored_is_looked_at_again_and_comes_in_again(graph: Graph, user: str) -> None:
    near, source = f"{user}:near", f"{user}:source"
    rows = [record(user), record(near), record(source, "Source")]
    seed(graph, user, rows, [(near, "REFERS_TO", user), (user, "RECORDED_IN", source)])
    prune(graph, user, [user])
    assert read_whole(graph, user, [source])[source].properties["pruned_records"]
    (audit,) = list_cuts(graph, user)
    done = restore(graph, user, LATER, audits=[audit["id"].removeprefix("audit:")])
    assert [(one.audit, one.action, one.what) for one in done.back] == [(audit["id"], "prune", "it is back")]
    after = read_whole(graph, user, [user, near, source])
    assert "pruned_records" not in after[source].properties
    for key in (user, near):
        assert {after[key].properties[name] for name in DUE} == {f"0|{user}|{key}"}
    assert after[user].properties["restored_at"] == LATER
    (audited,) = [one for one in audits(graph, user) if one["action"] == "restore"]
    assert audited["restores"] == [audit["id"]] and audited["memory_id"] == user


def test_a_link_to_what_is_gone_for_good_is_told(graph: Graph, user: str) -> None:
    other = f"{user}:other"
    seed(graph, user, [record(user), record(other, "Notification")], [(user, "REFERS_TO", other)])
    prune(graph, user, [user])
    carry_out(graph, user, "remove_records", rows_to_cut(graph, user, [other], "remove"))
    remove(graph, user, [user])
    (audit,) = [row["id"] for row in list_cuts(graph, user) if row["action"] == "prune"]
    (entry,) = restore(graph, user, LATER, audits=[audit]).back
    assert entry.what == "it is back, without 1 links whose other end is gone"
    (late,) = [row["id"] for row in list_cuts(graph, user) if row["memory_id"] == other]
    assert restore(graph, user, LATER + timedelta(hours=1), audits=[late]).back[0].what == "it is back"
    assert [link.place for link in read_whole(graph, user, [user])[user].links] == [("REFERS_TO", "out", other)]


def test_what_came_in_anew_stays_as_it_is(graph: Graph, user: str) -> None:
    event = f"{user}:event"
    seed(graph, user, [record(user), record(event, "Notification")])
    prune(graph, user, [user])
    remove(graph, user, [user])
    carry_out(graph, user, "remove_records", rows_to_cut(graph, user, [event], "remove"))
    anew = [record(user, text="Another text."), record(event, "Notification", text="Another one.")]
    seed(graph, user, anew)
    before = picture(graph, user, [user, event])
    done = restore(graph, user, LATER, since=NOW - timedelta(days=1))
    assert done.back == [] and {one.what for one in done.left} == {
        "it came in anew since, and lives: it stays as it is"
    }
    assert picture(graph, user, [user, event]) == before


def test_the_removal_of_a_tombstone_brings_back_what_it_was_before(graph: Graph, user: str) -> None:
    other = f"{user}:other"
    seed(graph, user, [record(user, state="active"), record(other)], [(other, "REFERS_TO", user)])
    before = picture(graph, user, [user, other])
    prune(graph, user, [user])
    remove(graph, user, [user])
    (removal,) = [one for one in list_cuts(graph, user) if one["action"] == "remove"]
    restore(graph, user, LATER, audits=[removal["id"]])
    assert picture(graph, user, [user, other]) == before
    assert {one["action"]: bool(one.get("restored_at")) for one in audits(graph, user)} == {
        "prune": True,
        "remove": True,
        "restore": False,
    }


def merge(graph: Graph, user: str, gone: str, survivor: str, now: datetime = NOW) -> None:
    """As curation merges."""
    verdict = Verdict(Likeness.MERGE, "the same")
    one = Pair(f"duplicate:{gone}", "Belief", *sorted((survivor, gone)), verdict, 1.0, "words")
    audit, why = merging.merge(graph, user, one, survivor, now, reason="the same", decided_by="a test")
    assert audit is not None, why


@pytest.mark.parametrize("removed", [False, True])
def test_a_merge_comes_apart_and_what_came_since_stays(graph: Graph, user: str, removed: bool) -> None:
    gone, survivor, one, two, since = (f"{user}:{name}" for name in ("gone", "kept", "one", "two", "since"))
    rows = [record(gone, access_count=3), record(survivor, access_count=4), *(record(key) for key in (one, two, since))]
    links = [
        (gone, "REFERS_TO", one),
        (two, "REFERS_TO", gone),
        (survivor, "REFERS_TO", two),
        (gone, "REFERS_TO", survivor),
    ]
    links += [(survivor, "REFERS_TO", one)]
    seed(graph, user, rows, links)
    ids = [gone, survivor, one, two, since]
    before, canonical = picture(graph, user, ids), exported(graph, user)
    merge(graph, user, gone, survivor)
    assert read_whole(graph, user, [survivor])[survivor].properties["access_count"] == 7
    if removed:
        remove(graph, user, [gone])
    (audit,) = [row for row in list_cuts(graph, user) if row["action"] == "merge"]
    seed(graph, user, [record(f"{user}:x")], [(since, "REFERS_TO", survivor)])
    restore(graph, user, LATER, audits=[audit["id"]])
    found = {link.place for link in read_whole(graph, user, [survivor])[survivor].links}
    assert ("REFERS_TO", "in", since) in found
    run(graph, "drop_link", start_id=since, end_id=survivor, user_id=user)
    assert picture(graph, user, ids) == before
    assert [line for line in exported(graph, user) if line["id"] not in (f"{user}:x", f"duplicate:{gone}")] == canonical


def test_a_merge_into_what_was_merged_comes_apart_in_order(graph: Graph, user: str) -> None:
    ids = [f"{user}:{name}" for name in "abcd"]
    a, b, c, d = ids
    seed(graph, user, [record(key, access_count=2) for key in ids], [(a, "REFERS_TO", d)])
    before = picture(graph, user, ids)
    merge(graph, user, a, b)
    merge(graph, user, b, c)
    merged = read_whole(graph, user, [c])[c]
    assert merged.properties["access_count"] == 6 and [link.other_id for link in merged.links] == [d]
    assert len(restore(graph, user, LATER, since=NOW).back) == 2
    assert picture(graph, user, ids) == before


def test_what_was_read_since_a_merge_stays_with_the_kept_one(graph: Graph, user: str) -> None:
    gone, survivor = f"{user}:gone", f"{user}:kept"
    seed(graph, user, [record(gone, access_count=3), record(survivor, access_count=4)])
    merge(graph, user, gone, survivor)
    run(graph, "access_record", id=survivor, user_id=user)
    run(graph, "change_record", id=survivor, user_id=user, text="What an agent has learned since.")
    restore(graph, user, LATER, since=NOW)
    found = read_whole(graph, user, [gone, survivor])
    assert (found[gone].properties["access_count"], found[survivor].properties["access_count"]) == (3, 5)
    assert found[survivor].properties["text"] == "What an agent has learned since."


class Meddling:
    """A graph in which an agent writes a record each time before something is written, so many times."""

    def __init__(self, graph: Graph, user: str, record_id: str, times: int) -> None:
        self.graph, self.user, self.record_id, self.times = graph, user, record_id, times

    def __getattr__(self, name: str) -> Any:
        return getattr(self.graph, name)

    def write_together(self, statements: Any) -> Any:
        if self.times:
            self.times -= 1
            run(self.graph, "access_record", id=self.record_id, user_id=self.user)
        return self.graph.write_together(statements)


@pytest.mark.parametrize(("times", "back"), [(1, True), (4, True), (5, False)])
def test_what_an_agent_writes_meanwhile_is_read_again_and_nothing_is_half_done(
    graph: Graph, user: str, times: int, back: bool
) -> None:
    gone, survivor = f"{user}:gone", f"{user}:kept"
    seed(graph, user, [record(gone, access_count=3), record(survivor, access_count=4)])
    merge(graph, user, gone, survivor)
    meddling: Any = Meddling(graph, user, survivor, times)
    done = restore(meddling, user, LATER, since=NOW)
    found = read_whole(graph, user, [gone, survivor])
    assert bool(done.back) is back is ("tombstone" not in found[gone].properties)
    assert found[survivor].properties["access_count"] == 4 + times + (0 if back else 3)
    if not back:
        assert done.left[0].what == "somebody is writing it: try again"
        assert {one["action"] for one in audits(graph, user)} == {"merge"}


def test_what_was_archived_is_back_in_use(graph: Graph, user: str) -> None:
    tiered, source = f"{user}:tiered", f"{user}:source"
    seed(graph, user, [record(tiered, state="active", tier="COLD"), record(source, "Source")])
    before = picture(graph, user, [tiered, source])
    rows = [row | dict.fromkeys(DUE) for row in rows_to_cut(graph, user, [tiered], "archive")]
    assert carry_out(graph, user, "archive_records", rows) == {tiered}
    faded = rows_to_cut(graph, user, [source], "archive")[0]
    faded |= {"access_count": 0, "folded_by": None, "kept_turns": None, "is_valued": False, "snapshot": "{}"}
    faded["since"] = to_iso(NOW)
    assert carry_out(graph, user, "archive_memories", [faded]) == {source}
    assert len(restore(graph, user, LATER, since=NOW).back) == 2
    after = read_whole(graph, user, [tiered, source])
    assert after[source].properties["salience_at"] == LATER, "it fades from now on"
    run(graph, "set_salience_at", id=source, user_id=user, at="2026-01-02T03:04:05.678Z")
    assert picture(graph, user, [tiered, source]) == before
    assert restore(graph, user, LATER, since=NOW).back == []


@pytest.mark.parametrize(("times", "back"), [(1, True), (2, True), (5, False)])
def test_what_an_agent_writes_of_an_archived_record_meanwhile_is_read_again(
    graph: Graph, user: str, times: int, back: bool
) -> None:
    seed(graph, user, [record(user, state="active", tier="COLD", access_count=3)])
    rows = [row | dict.fromkeys(DUE) for row in rows_to_cut(graph, user, [user], "archive")]
    assert carry_out(graph, user, "archive_records", rows) == {user}
    meddling: Any = Meddling(graph, user, user, times)
    done = restore(meddling, user, LATER, since=NOW)
    found = read_whole(graph, user, [user])[user].properties
    assert bool(done.back) is back is (found["state"] == "active")
    assert found["access_count"] == 3 + times
    assert [one.what for one in done.left] == ([] if back else ["somebody is writing it: try again"])
    assert [one["action"] for one in audits(graph, user)].count("restore") == back


def test_what_does_not_come_back_says_why(graph: Graph, user: str) -> None:
    seed(graph, user, [record(user, "KnowledgeChunk")])
    retirement = rows_to_cut(graph, user, [user], "retire")
    assert carry_out_plain(graph, user, "retire_unstated_chunks", retirement) == {user}
    (audit,) = audits(graph, user)
    (left,) = restore(graph, user, LATER, audits=[audit["id"]]).left
    assert "they make it again" in left.what
    for asked in ({"audits": ["audit:unknown"]}, {"cycle": "cycle:unknown"}):
        with pytest.raises(UnknownReferenceError):
            restore(graph, user, LATER, **asked)
    with pytest.raises(UnknownReferenceError):
        restore(graph, f"{user}-x", LATER, audits=[audit["id"]])
    assert restore(graph, user, LATER, since=NOW) == Restored()


def carry_out_plain(graph: Graph, user: str, name: str, rows: list[dict[str, Any]]) -> set[str]:
    return {row["id"] for row in graph.write(f"curation/{name}", rows, user_id=user, now=to_iso(NOW))}


def test_the_order_of_audits_is_the_latest_first_and_chains_from_their_end() -> None:
    def audit(name: str, into: str | None, at: datetime) -> Audit:
        return Audit(name, name, "Belief", "merge", None, at, kept_id=into)

    chain = [audit("a", "b", NOW), audit("b", "c", NOW), audit("c", None, NOW), audit("d", "a", NOW)]
    chain += [audit("e", "x", LATER)]
    assert [one.id for one in in_order(reversed(chain))] == ["e", "c", "b", "a", "d"]
