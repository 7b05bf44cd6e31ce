"""A context as somebody reads it: any level, and from any level the original. Appends the access to the log, and
writes nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.compression.policy import FULL, KEYWORDS, LEVELS, RULES, SUMMARY, context_id, is_expired
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.privacy.projects import Within
from memory_assets.runtime.accesses import Access, record_accesses, waiting_accesses
from memory_assets.settings import Settings

ALONE = ("follows", "part_of")
SHOWN = ("id", "ref", "token_count", "compression_ratio", "access_tier", "contains_pii", "access_count")


def open_context(
    graph: Graph,
    settings: Settings,
    user: str,
    key: str,
    level: str | None,
    now: datetime,
    agent: str = "",
    session: str = "",
    within: Within | None = None,
) -> dict[str, Any]:
    """A level of the source behind ``key`` with its text and the way to the original, read by ``agent``.

    Without a ``level`` its summary, else the whole of it; where it has not been compressed, what it was described by.
    The whole of it, ``full``, is there without that, too.

    Accesses are those that the graph has counted and those that wait in the log, this one among them.

    ``key`` is a source's id or reference, a context's, or a statement's reference as a MEMORY.md has it. Raises
    :class:`UnknownReferenceError` where the user knows no such source, in the same words for one of somebody else's
    as for none, and ``within`` a project for one of another; where it has not been compressed yet, or has no such
    level, or none any more, and that is asked for.
    """
    owners = readable_owners(graph, user, within)
    found = graph.read("compression/find_source_of", key=key, user_id=user, user_ids=owners)
    sources = graph.read("compression/find_original", id=found[0]["source_id"], user_ids=owners) if found else []
    if not sources:
        raise UnknownReferenceError(
            f"Nothing of {user}'s has the reference or id {key!r}. `memory-assets sources --user {user}` lists "
            "sources; a MEMORY.md, `recall` and `open` give references."
        )
    source = sources[0]
    ids = {context_id(user, source["id"], name): name for name in LEVELS}
    rows = graph.read("compression/list_contexts", ids=list(ids), user_id=user)
    waiting = waiting_accesses(graph, settings, user, ids)
    for row in rows:
        row["properties"]["access_count"] += waiting.get(row["id"], 0)
    levels = {ids[row["id"]]: row["properties"] for row in rows if not is_expired(row["properties"], now)}
    if level is None:
        level = next((name for name in (SUMMARY, FULL) if name in levels), None)
    elif level not in levels and level != FULL:
        raise UnknownReferenceError(_missing(user, source, level, sorted(levels, key=LEVELS.index)))
    chosen = levels.get(level or "", {"content": source["summary"]})
    read = [*([chosen["id"]] if level in levels else []), *([source["id"]] if source["owner"] == user else [])]
    record_accesses(settings, [Access(user, one, now, agent=agent, session=session) for one in read])
    if level in levels:
        chosen["access_count"] += 1
    beside = _beside(graph, user, levels[FULL]["id"]) if FULL in levels else {}
    return {
        "source": {name: source[name] for name in ("id", "ref", "kind", "title", "path", "is_archived")}
        | {"occurred_at": to_iso(source["started_at"])},
        "level": level,
        "text": source["content"] if level == FULL else chosen["content"],
        **{name: chosen.get(name) for name in (*SHOWN, "content_type")},
        # What somebody has just read does not expire.
        "expires_at": None,
        "last_accessed": to_iso(now),
        "levels": [
            {"level": name, **{key: levels[name].get(key) for key in SHOWN}, "expires_at": _expiry(levels[name])}
            for name in LEVELS
            if name in levels
        ],
        "follows": beside.get("follows"),
        "followed_by": beside.get("followed_by", []),
        "part_of": beside.get("part_of"),
        "parts": beside.get("parts", []),
    }


def _beside(graph: Graph, user: str, identifier: str) -> dict[str, Any]:
    """The sources before, after, above and below one, by their ids."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in graph.read("compression/list_neighbours", id=identifier, user_id=user):
        found[row["relation"]].append(row["source_id"])
    return {name: ids[0] if name in ALONE else ids for name, ids in found.items()}


def _expiry(properties: dict[str, Any]) -> str | None:
    """What somebody has read does not expire."""
    return None if properties["access_count"] else to_iso(properties.get("expires_at"))


def _missing(user: str, source: dict[str, Any], level: str, there: list[str]) -> str:
    title = source["title"] or source["id"]
    if level == KEYWORDS and SUMMARY in there:  # whatever has a summary had keywords
        return (
            f"{title!r} has no keywords any more: they expired, because nobody had read them for "
            f"{RULES.keywords_days} days. There is {', '.join(there)} (--level)."
        )
    if there:
        return f"{title!r} has no {level}: it has too few words. There is {', '.join(there)} (--level)."
    return (
        f"{title!r} has not been compressed for {user} yet. `memory-assets sources open {source['id']} --user {user}` "
        f"extracts it where that is still to come, `memory-assets materialize --user {user}` compresses it."
    )
