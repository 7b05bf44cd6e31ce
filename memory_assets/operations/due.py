"""What is due, asked with a few cheap queries before any run is started, and again by each of its steps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import dagster as dg

from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import MARK, stage_made, teams_of
from memory_assets.heartbeat.heartbeat_file import expected_files
from memory_assets.llm.opening import open_models
from memory_assets.memory_file.current import stands_as_published
from memory_assets.model import check_user, is_team
from memory_assets.operations.instance import add_owners, keep_in_step
from memory_assets.operations.known import check_known, known_names
from memory_assets.operations.marks import DERIVED, Chain, due_steps
from memory_assets.operations.recipes import recipes_of
from memory_assets.settings import Settings
from memory_assets.sources.known import has_new_files

FILE, HEARTBEAT = "memory_file", "heartbeat_file"


def prepare_owners(
    instance: dg.DagsterInstance, graph: Graph, settings: Settings, user: str | None
) -> list[str]:
    """The owners to work on: the user's teams and the user, or everybody; teams first.

    Inbox folders and owners in the graph become partitions by it.
    """
    if user is not None:
        check_known(graph, settings, [check_user(user)])
        chosen = [*teams_of(graph, user), user]
        add_owners(instance, chosen)
        return chosen
    return everybody(instance, graph, settings)


def everybody(instance: dg.DagsterInstance, graph: Graph, settings: Settings) -> list[str]:
    """All owners, teams first. They become partitions by it, and a partition of nobody, added by hand, goes."""
    known = known_names(graph, settings)
    keep_in_step(instance, known)
    return sorted(known, key=lambda name: (not is_team(name), name))


def read_chain(graph: Graph, recipes: Mapping[str, str], owners: Sequence[str], now: datetime) -> Chain:
    """The marks of ``owners`` and their teams under today's ``recipes``: two queries, a row per owner and asset."""
    users = [owner for owner in owners if not is_team(owner)]
    teams: dict[str, list[str]] = {}
    for row in graph.read("operations/list_memberships", user_ids=users):
        teams.setdefault(row["user_id"], []).append(row["team_owner"])
    everyone = sorted({*owners, *(team for of_user in teams.values() for team in of_user)})
    rows = graph.read("operations/list_marks", user_ids=everyone)
    marks = {(row["user_id"], row["stage"].removeprefix(MARK)): row["fingerprint"] for row in rows}
    return Chain(marks, recipes, teams, now)


def members_of(graph: Graph, owners: Iterable[str], teams: Collection[str]) -> set[str]:
    """Who of ``owners`` belongs to one of these teams: what the team's sources bring is theirs to extract."""
    if not any(is_team(team) for team in teams):
        return set()
    users = [owner for owner in owners if not is_team(owner)]
    rows = graph.read("operations/list_memberships", user_ids=users)
    return {row["user_id"] for row in rows if row["team_owner"] in teams}


def record_mark(graph: Graph, settings: Settings, owner: str, step: str, mark: str) -> None:
    """Remember what ``step`` was made from for ``owner``."""
    graph.write_together([stage_made(owner, MARK + step, mark, settings.clock.now())])


def find_new_files(graph: Graph, settings: Settings, owners: Iterable[str]) -> list[str]:
    """The owners in whose inboxes there are files that no ingestion has read."""
    inboxes = ((owner, settings.inbox / owner) for owner in owners)
    return [owner for owner, inbox in inboxes if inbox.is_dir() and has_new_files(
        graph, owner, [inbox], keep_originals=settings.keep_originals
    )]


def changed_files(graph: Graph, owners: Sequence[str]) -> dict[str, list[Path]]:
    """The published files that are not as they were published, by user: edited by somebody, replaced or gone."""
    users = [owner for owner in owners if not is_team(owner)]
    changed: dict[str, list[Path]] = {}
    for row in graph.read("memory_file/list_published", user_ids=users):
        if not stands_as_published(path := Path(row["path"]), row["sha256"]):
            changed.setdefault(row["user_id"], []).append(path)
    return changed


def find_changed_files(graph: Graph, owners: Sequence[str]) -> list[str]:
    """The users of whom a published file is not as it was published."""
    return list(changed_files(graph, owners))


def changed_heartbeats(graph: Graph, owners: Sequence[str]) -> dict[str, list[Path]]:
    """The same of every HEARTBEAT.md; one that was added and never written is due by it, too."""
    users = [owner for owner in owners if not is_team(owner)]
    changed: dict[str, list[Path]] = {}
    for user, path, sha256 in expected_files(graph, users):
        if not stands_as_published(path, sha256):
            changed.setdefault(user, []).append(path)
    return changed


def what_is_due(
    graph: Graph, settings: Settings, owners: Sequence[str], steps: Iterable[str] = DERIVED
) -> dict[str, str]:
    """In a few words, what a run of ``steps`` would do, for each owner for whom it would do something.

    A published file that somebody changed is due with the step that publishes it. New files in an inbox are
    not looked for: see :func:`find_new_files`.
    """
    chain = read_chain(graph, recipes_of(open_models(settings)), owners, settings.clock.now())
    wanted = tuple(steps)
    reasons = {}
    for owner in owners:
        if due := due_steps(chain, owner, wanted):
            reasons[owner] = f"{due[0]} is due: {chain.reason(owner, due[0])}."
    if FILE in wanted:
        for user, paths in changed_files(graph, owners).items():
            which = "its MEMORY.md" if paths == [settings.memory_file(user)] else ", ".join(map(str, paths))
            reasons.setdefault(user, f"{which} has been changed or removed by somebody.")
    if HEARTBEAT in wanted:
        for user, paths in changed_heartbeats(graph, owners).items():
            reasons.setdefault(user, f"{', '.join(map(str, paths))} has been changed or removed by somebody.")
    return reasons
