"""What is in a user's file and why, for people and scripts. Reads only."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime
from typing import Any

from memory_assets.clock import in_utc
from memory_assets.errors import UnknownReferenceError
from memory_assets.files.on_disk import digest_on_disk
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.memory_file.candidates import parts_of, placed
from memory_assets.memory_file.items import WORTH_TOO_LITTLE
from memory_assets.memory_file.packing import ALREADY_SAID, NO_ROOM
from memory_assets.memory_file.passing import DAY_PASSED, NOT_RECENT
from memory_assets.memory_file.pool import POOL_SIZES
from memory_assets.memory_file.render import without_entries
from memory_assets.memory_file.user_files import MEMORY, UserFile, added_files, user_files
from memory_assets.settings import Settings
from memory_assets.text.lines import clean_text, shortened

SOURCES_OF = {
    "KnowledgeChunk": "graph/list_statement_sources",
    "Storyline": "memory_file/list_storyline_sources",
    "Macro": "memory_file/list_macro_sources",
    "Source": "memory_file/find_source",
}
EXCERPT_LENGTH = 500
_JSON = ("entries", "sections", "left_out", "limits", "sizes", "composition")
"""What of a manifest is stored as JSON text."""
_SHOWN_OF_THE_NEAREST = ("ref", "section", "value", "text", "reason")
# The last ones only where a later word has taken the rest of the memory back, and where a model has composed the line.
_SHOWN_OF_AN_ENTRY = ("ref", "section", "text", "tokens", "rest_superseded_by", "composed_by", "rests_on")
_SHOWN_OF_A_PART = ("ref", "text")
_VALUE = {
    "retention": "retention_score",
    "uniqueness": "uniqueness_score",
    "confidence": "confidence_score",
    "frequency": "access_frequency",
    "recency": "recency_score",
    "score": "value_score",
    "tier": "retention_tier",
}


def show_files(graph: Graph, settings: Settings, user: str) -> list[dict[str, Any]]:
    """The shape of ``show --json``: each published file of a user, the default one first, with everything it was chosen
    from: each memory considered is an entry or left out with its reason.

    ``tokens`` are the whole file's; ``budget``, and those of the sections, are in ``unit``, the first of its
    ``limits``. It costs what the user has: a row for each memory. :func:`show_briefly` costs the same at any size.
    """
    manifests = _manifests(graph, settings, user)
    if not manifests:
        return []
    readable, files = readable_owners(graph, user), []
    # What was considered when the file was made, and what has come since: each once.
    considered = graph.read("memory_file/list_considered", user_id=user, user_ids=readable)
    rows = {row["memory_id"]: row for row in considered}
    for manifest in manifests:
        reasons = {row["memory_id"]: row for row in manifest["left_out"]}
        listed = set(placed(manifest["entries"]))
        weighed = Counter(row["section"] for name, row in rows.items() if name in reasons or name in listed)
        for name, row in rows.items():
            why = reason_beyond_pool(row["section"], weighed[row["section"]])
            reasons.setdefault(name, {"ref": row["ref"], "reason": why})
        left_out = [{key: reasons[name][key] for key in ("ref", "reason")} for name in sorted(reasons.keys() - listed)]
        files.append(_show(user, manifest) | {"considered": len(listed) + len(left_out), "left_out": left_out})
    return files


def show_briefly(graph: Graph, settings: Settings, user: str, limit: int) -> list[dict[str, Any]]:
    """The same of a bounded part of what was left out, so that it costs the same however many memories there are.

    ``left_out`` has at most ``limit`` of those that were weighed for the file, the most valuable first, with their
    words; ``left_out_count`` and ``left_out_by_reason`` (an object: the reason without the reference in it, and how
    many) are of all. ``considered`` is of when the file was made.
    """
    files = []
    for manifest in _manifests(graph, settings, user):
        shown = _show(user, manifest)
        weighed = {row["memory_id"]: row for row in manifest["left_out"]}
        nearest = read_nearest(graph, user, weighed.values(), limit)
        listed = len(placed(manifest["entries"]))
        reasons = count_reasons(weighed.values(), manifest["considered"] - listed)
        left_out = reasons.total()
        shown |= {"considered": listed + left_out, "left_out_count": left_out}
        shown |= {"left_out": [{name: row[name] for name in _SHOWN_OF_THE_NEAREST} for row in nearest]}
        shown |= {"left_out_by_reason": dict(sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0])))}
        files.append(shown)
    return files


NOT_WEIGHED = "not among the best of its section, or small talk: not weighed"
"""Why most are left out: the choice is made among the best of each section, whatever there is."""
_REFERENCE = re.compile(r"\b\d{9}\b")
_SAYS_THE_SAME = re.compile(r"^(?:says the same as \d{9}: )+")
_TOO_LONG = "longer than its section's budget"
_KINDS_OF_REASONS = (ALREADY_SAID, NO_ROOM, WORTH_TOO_LITTLE, _TOO_LONG, DAY_PASSED, NOT_RECENT)


def reason_kind(reason: str) -> str:
    """A reason without the reference or number in it, to be counted."""
    plain = _SAYS_THE_SAME.sub("", reason)
    return next((start for start in _KINDS_OF_REASONS if plain.startswith(start)), _REFERENCE.sub("another", plain))


def count_reasons(left_out: Collection[Mapping[str, Any]], most: int) -> Counter[str]:
    """Why memories are not in a file, counted: of ``most`` those that were ``left_out`` of it, and all others."""
    reasons = Counter(reason_kind(row["reason"]) for row in left_out)
    if most > len(left_out):
        reasons[NOT_WEIGHED] += most - len(left_out)
    return reasons


def _manifests(graph: Graph, settings: Settings | None, user: str) -> list[dict[str, Any]]:
    """What was published of a user's files, the default one first, which is where the settings say."""
    own = {"path": str(settings.memory_file(user))} if settings else {}
    return [
        row | {name: json.loads(row[name] or "null") for name in _JSON} | (own if row["is_default"] else {})
        for row in graph.read("memory_file/find_manifest", user_id=user)
    ]


def _show(user: str, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What a manifest itself says of its file."""
    limits = _limits_of(manifest)
    shown = {"user": user, **{name: manifest[name] for name in ("path", "is_default", "preset")}}
    shown |= {"tokens": manifest["current_tokens"], "budget": limits[0]["limit"], "unit": limits[0]["unit"]}
    shown |= {"limits": limits, "sections": manifest["sections"], "entries": list(map(_shown, manifest["entries"]))}
    return shown | ({"composition": manifest["composition"]} if manifest["composition"] else {})


def _shown(entry: Mapping[str, Any]) -> dict[str, Any]:
    shown = {key: entry[key] for key in _SHOWN_OF_AN_ENTRY if key in entry}
    if entry.get("rests_on"):
        shown["rests_on"] = [{key: part[key] for key in _SHOWN_OF_A_PART} for part in parts_of([entry])]
    return shown


def _limits_of(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each limit that the file was published under, and what it used of it."""
    sizes, limits = manifest["sizes"], manifest["limits"]
    return [{"unit": unit, "used": sizes[unit], "limit": limit} for unit, limit in limits.items()]


def list_files(graph: Graph, settings: Settings, user: str) -> list[dict[str, Any]]:
    """The shape of ``files list --json``: every file of a user, published or not, with its limits and its state.

    ``state`` is ``published``, ``not published yet``, ``changed`` (the next run publishes it under its new ceiling),
    ``edited`` (somebody has written there since) or ``gone``.
    """
    manifests = {row["id"]: row for row in _manifests(graph, settings, user)}
    heartbeats = [file for file in added_files(graph, settings, user) if file.kind != MEMORY]
    return [
        {"user": user, "path": str(file.path)}
        | {name: getattr(file, name) for name in ("kind", "preset", "project", "is_default")}
        | _published(file, manifests.get(file.manifest_id))
        for file in [*user_files(graph, settings, user), *heartbeats]
    ]


def _published(file: UserFile, manifest: Mapping[str, Any] | None) -> dict[str, Any]:
    limits = [{"unit": unit, "used": None, "limit": limit} for unit, limit in file.ceiling.limits.items()]
    if file.kind != MEMORY:
        return {"limits": limits, "state": "published with the tasks"}
    if manifest is None:
        return {"limits": limits, "state": "not published yet"}
    published = _limits_of(manifest)
    if [(one["unit"], one["limit"]) for one in published] != list(file.ceiling.limits.items()):
        return {"limits": limits, "state": "changed"}
    on_disk = digest_on_disk(file.path)
    state = "published" if on_disk == manifest["sha256"] else "edited" if on_disk else "gone"
    return {"limits": published, "state": state}


def files_as_of(graph: Graph, user: str, day: date) -> list[dict[str, str]]:
    """The user's files as they were at the end of a day (UTC): path, the day on which each was published, text.

    Without the entries that rest on a source which was removed since: nobody reads that any more.
    """
    removed = {ref for row in graph.read("memory_file/list_removed_refs", user_id=user) for ref in row["refs"]}
    files = graph.read("memory_file/list_versions", user_id=user, day=day.isoformat())
    return [file | {"text": without_entries(file["text"], removed)} for file in files]


def first_stored_day(graph: Graph, user: str) -> str | None:
    """The first day (ISO 8601) of which a text of one of the user's files is stored."""
    return graph.read("memory_file/find_first_version", user_id=user)[0]["day"]


def reason_beyond_pool(section: str | None, weighed: int) -> str:
    """Why a memory was not even weighed against its section's others, of which so many were."""
    if section is None:
        return "small talk, or said in an abandoned branch alone"
    if weighed < POOL_SIZES[section]:
        return "it has come since the file was made: the next run weighs it"
    quality = "newest" if section == "recent" else "most valuable"
    return f"not among the {POOL_SIZES[section]} {quality} of its section"


def explain(graph: Graph, user: str, ref: str, settings: Settings | None = None) -> dict[str, Any]:
    """From a reference to the memory, its value, the sources that say it, and the files that it is in.

    ``text`` is what the file has, ``said`` the words themselves where these are others. Where a later word has
    taken some of a memory back, ``text`` is what still holds, as the file has it,
    ``whole`` what was said, and ``rest_superseded_by`` the later one's reference. ``composed`` are the lines of files
    that a model has composed from it, with all that they rest on, and what failed of those, with the reason. ``id`` is
    the memory's where it is the user's own.

    A reference that this user's memories do not hold, another user's among them, is unknown.
    """
    readable = readable_owners(graph, user)
    found = graph.read("graph/find_valued", user_id=user, user_ids=readable, ref=ref)
    if not found:
        raise UnknownReferenceError(
            f"No memory of {user} has the reference {ref!r}. References stand in brackets at the end of each "
            f"line of a MEMORY.md; see `memory-assets show --user {user}`."
        )
    manifests = _manifests(graph, settings, user)
    lines = [(row["path"], entry) for row in manifests for entry in row["entries"]]
    parts = list(parts_of(entry for _, entry in lines))
    # Of several memories with one reference (nine digits can meet), the one that is in a file.
    listed = {part["memory_id"] for part in parts}
    memory = next((row for row in found if row["memory_id"] in listed), found[0])
    about = {"user_ids": readable, "memory_id": memory["memory_id"]}
    about |= {"user_id": user} if memory["entity_type"] != "Source" else {}
    sources: dict[str, dict[str, Any]] = {}
    for row in graph.read(SOURCES_OF[memory["entity_type"]], **about):
        sources.setdefault(row["id"], _source_row(row))
    said = clean_text(memory["text"] or "")
    whole = clean_text(memory["statement"] or "") or said
    held: Mapping[str, Any] = next(
        (one for one in parts if one["memory_id"] == memory["memory_id"] and one.get("rest_superseded_by")), {}
    )
    return {
        "ref": ref,
        **({"id": memory["memory_id"]} if memory["owner"] == user else {}),
        "text": held.get("text", whole),
        **({"said": said} if said != whole else {}),
        **({"whole": whole, "rest_superseded_by": held["rest_superseded_by"]} if held else {}),
        # What is archived has no value.
        "value": {} if memory["value_score"] is None else {shown: memory[name] for shown, name in _VALUE.items()},
        "sources": list(sources.values()),
        "files": [
            {"path": str(path), "section": entry["section"]}
            for path, entry in lines
            if ref in {part["ref"] for part in parts_of([entry])}
        ],
        **({"composed": composed} if (composed := _composed_of(manifests, ref)) else {}),
    }


def _composed_of(manifests: Iterable[Mapping[str, Any]], ref: str) -> list[dict[str, Any]]:
    """The lines that a model has composed from the memory of a reference: those taken, and those that failed."""
    found = []
    for row in manifests:
        lines = [_shown(entry) for entry in row["entries"] if entry.get("rests_on")]
        found += [line for line in lines if ref in {part["ref"] for part in line["rests_on"]}]
        composition = row["composition"] or {"failed": []}
        by = {"composed_by": composition.get("model")}
        found += [by | failed for failed in composition["failed"] if ref in failed["refs"]]
    return found


def _source_row(row: Mapping[str, Any]) -> dict[str, Any]:
    excerpt = " ".join((row["excerpt"] or "").split())
    if len(excerpt) > EXCERPT_LENGTH:
        excerpt = excerpt[:EXCERPT_LENGTH] + " …"
    when = row["occurred_at"]
    if isinstance(when, datetime):
        when = in_utc(when).isoformat()
    return {
        **{key: row[key] for key in ("id", "kind", "title", "path")},
        "occurred_at": when,
        "excerpt": excerpt,
        **({"judged": row["judged"]} if row.get("judged") else {}),
    }


TEXT_LENGTH = 160
"""Characters of a text that is shown beside others."""


def read_nearest(graph: Graph, user: str, left_out: Iterable[Mapping[str, Any]], limit: int) -> list[dict[str, Any]]:
    """At most ``limit`` of the rows that a draft has left out, the most valuable first, each with its words and value.

    Rows of ``memory_id``, ``ref``, ``section``, ``value``, ``text`` and ``reason``. It costs what the draft has
    weighed. What is gone since is not among them, and what the user may read no more has no text.
    """
    weighed = {row["memory_id"]: row for row in left_out}
    if not weighed or not limit:
        return []
    best = graph.read("memory_file/list_best_left_out", user_id=user, memory_ids=list(weighed), limit=limit)
    ids = [row["memory_id"] for row in best]
    said = graph.read("memory_file/list_pool_memories", user_ids=readable_owners(graph, user), memory_ids=ids)
    texts = {row["memory_id"]: row["text"] for row in said}
    return [
        {name: weighed[row["memory_id"]][name] for name in ("memory_id", "ref", "reason")}
        | {"section": row["section"], "value": row["value_score"], "text": _shortened(texts.get(row["memory_id"]))}
        for row in best
    ]


def _shortened(text: str | None) -> str | None:
    return shortened(clean_text(text or ""), TEXT_LENGTH) or None
