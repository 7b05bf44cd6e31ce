"""What curation wrote down of itself goes after 30 days, but for what something living needs."""

from __future__ import annotations

from datetime import timedelta

from memory_assets.clock import to_iso
from memory_assets.curation.cycle import Removed, remove_old
from memory_assets.curation.policy import CURATION
from memory_assets.curation.restoring import list_cuts, restore
from memory_assets.graph.graph import Graph
from memory_assets_tests.curation.records import record, run, seed
from memory_assets_tests.curation.test_tombstones import DUE, NOW, audits, carry_out, prune, remove, rows_to_cut

A_MOMENT = timedelta(milliseconds=1)


def archive(graph: Graph, user: str, key: str) -> None:
    rows = [row | dict.fromkeys(DUE) for row in rows_to_cut(graph, user, [key], "archive")]
    assert carry_out(graph, user, "archive_records", rows) == {key}


def test_audits_stay_for_thirty_days_and_longer_where_something_needs_them(graph: Graph, user: str) -> None:
    tombstone, removed, archived, back, event = (f"{user}:{name}" for name in ("t", "r", "a", "b", "e"))
    seed(graph, user, [record(key) for key in (tombstone, removed, archived, back)] + [record(event, "Notification")])
    prune(graph, user, [tombstone, removed])
    for key in (archived, back):
        archive(graph, user, key)
    carry_out(graph, user, "remove_records", rows_to_cut(graph, user, [event], "remove"))
    (of_back,) = [row["id"] for row in list_cuts(graph, user) if row["memory_id"] == back]
    restore(graph, user, NOW, audits=[of_back])
    assert remove_old(graph, user, NOW + CURATION.audits) == Removed(), "to the day"
    remove(graph, user, [removed], NOW + CURATION.audits)
    later = NOW + CURATION.audits + A_MOMENT
    assert remove_old(graph, user, later, dry_run=True) == Removed(audits=3)
    assert remove_old(graph, f"{user}-x", later) == Removed()
    assert remove_old(graph, user, later) == Removed(audits=3)
    assert remove_old(graph, user, later) == Removed()
    left = sorted((one["memory_id"], one["action"]) for one in audits(graph, user))
    assert left == sorted([(tombstone, "prune"), (removed, "prune"), (removed, "remove"), (archived, "archive")]), (
        "the archival that was taken back, its restoration and the event's removal went"
    )
    restore(graph, user, later, since=NOW)
    remove_old(graph, user, later + CURATION.audits + A_MOMENT)
    assert audits(graph, user) == [], "nothing is cut any more"


def test_figures_of_cycles_stay_for_thirty_days(graph: Graph, user: str) -> None:
    for days in (29, 30, 31):
        run(graph, "seed_cycle", id=f"{user}:{days}", user_id=user, at=to_iso(NOW - timedelta(days=days)))
    assert remove_old(graph, user, NOW) == Removed(cycles=1)
    assert remove_old(graph, user, NOW) == Removed()
