"""The audits of retirements, archivals and cycles, and that nothing archived is published."""

from datetime import datetime, timedelta

import dagster as dg

from memory_assets.curation.assets import curated_memories
from memory_assets.curation.policy import CURATION
from memory_assets.curation.rails import judge_archivals, judge_cuts, judge_retirements
from memory_assets.curation.reading import cut_range
from memory_assets.curation.stops import judged, resumed_at, set_judged, stop
from memory_assets.graph.graph import Graph
from memory_assets.graph.retirement import archival_id
from memory_assets.graph.statements import in_parts
from memory_assets.runtime.judging import users_check

A_DAY = timedelta(days=1)


def judge_retired(graph: Graph, user: str) -> list[dict[str, str]]:
    """The retirements that a rule forbids; each row as it comes: audits hold what a memory was."""
    each = graph.read_each("curation/list_retirements", lambda row: judge_retirements([row]), user_id=user)
    return [violation for violations in each for violation in violations]


no_railed_memory_is_retired = users_check(
    "macros",
    "no_railed_memory_is_retired",
    "No memory was retired that a rule protects: what somebody has recalled or wants forever, what is core, open "
    "tasks. Judged by what the audit of each retirement has recorded of the memory.",
    lambda graph, user, now: judge_retired(graph, user),
    "memories were retired that a rule protects",
    "report it: a memory was retired that a rule protects; its audit in the graph holds what the memory was",
    additional_deps=["extracted_entities", "notes", "current_notes", "storylines", "compressed_contexts"],
)


def judge_archived(graph: Graph, user: str) -> list[dict[str, str]]:
    """The archived memories that a rule protects, or that have no audit of when they were archived."""
    violations: list[dict[str, str]] = []
    for part in in_parts(graph.read("curation/list_archived", user_id=user)):
        ids = [archival_id(user, row["memory_id"], row["archived_at"]) for row in part if row["archived_at"]]
        violations += judge_archivals(part, graph.read("curation/list_archivals", user_id=user, ids=ids))
    return violations


every_archival_passed_the_rails = users_check(
    "memory_states",
    "every_archival_passed_the_rails",
    "Each archived memory has an audit of when it was archived, and by that audit no rule protected it. Rules: new, "
    "kept forever, the owner, open tasks, agents and what is theirs.",
    lambda graph, user, now: judge_archived(graph, user),
    "memories were archived that should not be",
    "report it: a memory was archived that a rule protects, or without an audit; an access brings it back",
)
nothing_archived_is_published = users_check(
    "memory_file",
    "nothing_archived_is_published",
    "No published file lists a memory that is archived; one that somebody is editing waits for the next run.",
    "curation/list_archived_entries",
    "entries of published files are archived",
    "materialize memory_draft and memory_file of this user again",
    dg.AssetCheckSeverity.WARN,
)


def judge_new_cuts(graph: Graph, user: str, now: datetime) -> list[dict[str, str]]:
    """What was cut of an owner's in spite of a rail since that was last asked, and no person has looked at since.

    Where there is any, curation stops for the owner, and the next judgement begins where this one did.
    """
    before = judged(graph, user)
    since = before.since(now, CURATION.audits)
    is_whole, resumed = since == now - CURATION.audits, resumed_at(graph, user)
    begin = max(since, resumed or since)
    found: list[dict[str, str]] = []
    is_news = is_whole
    # A day at a time, and each row as it comes: audits hold what a memory was.
    for first in (begin + at * A_DAY for at in range(max(0, (now - begin) // A_DAY) + 1)):
        last = first + A_DAY if first + A_DAY <= now else None
        each = graph.read_each("curation/list_cuts", lambda row: judge_cuts([row]), **cut_range(user, first, last))
        found += [violation for violations in each for violation in violations]
        is_news = is_news or bool(each)
    if found:
        stop(graph, user, "something was cut that a rule protects", now)
    elif is_news:
        set_judged(graph, user, before, now, is_whole=is_whole)
    return found


no_rail_was_passed = users_check(
    curated_memories,
    "no_rail_was_passed",
    "Nothing was pruned, merged, archived or removed that a rule protects, by what its audit has seen. Where something "
    "was, curation stops for that owner until a person has looked. A run judges what was cut since the last one, and "
    "once a day all that audits hold.",
    judge_new_cuts,
    "memories were cut that a rule protects",
    "curation is stopped for them: bring back what should be there (`memory-assets audits`, `memory-assets restore`), "
    "report it, then `memory-assets curation resume`",
)
