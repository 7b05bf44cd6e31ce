"""A draft's way: made from the pool, stored, read back, judged, published. The steps behind the assets."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets import publish
from memory_assets.clock import to_iso
from memory_assets.errors import MemoryAssetsError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import find_stage, readable_owners, stage_made
from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file import verdicts
from memory_assets.memory_file.current import inputs_fingerprint
from memory_assets.memory_file.pool import read_pool, read_shelves
from memory_assets.memory_file.render import SECTIONS
from memory_assets.memory_file.selection import FileRules, Selection, select_entries
from memory_assets.model import node_id

RULES = FileRules()
PUBLICATION = "publication"


class DraftError(MemoryAssetsError):
    """There is no draft that could be published."""


@dataclass(frozen=True)
class StoredDraft:
    """A draft as the graph holds it."""

    content: verdicts.Draft
    tokens: int
    budget: int
    considered: int
    fingerprint: str


def make_draft(graph: Graph, user: str, now: datetime, *, force: bool = False) -> bool:
    """Store the draft that follows from the graph as it is; False when the stored one already does."""
    readable = readable_owners(graph, user)
    mark = inputs_fingerprint(graph, user, readable)
    stored = graph.read("memory_file/find_draft_fingerprint", user_id=user)
    if not force and stored and stored[0]["fingerprint"] == mark:
        return False
    chosen = select_entries(user, read_pool(graph, user, readable), count_tokens, RULES)
    considered = read_shelves(graph, user).considered
    graph.write(
        "memory_file/upsert_draft", **draft_row(user, chosen, considered, mark), user_id=user, now=to_iso(now)
    )
    return True


def draft_row(user: str, chosen: Selection, considered: int, mark: str) -> dict[str, Any]:
    """A selection as the properties of a ``MemoryDraft``; lists of maps travel as JSON text."""
    entries = [
        {"ref": e.ref, "memory_id": e.memory_id, "section": e.section, "text": e.text, "tokens": tokens}
        for e, tokens in zip(chosen.entries, chosen.entry_tokens, strict=True)
    ]
    return {
        "id": node_id("draft", user),
        "text": chosen.text,
        "sha256": publish.digest(chosen.text),
        "entries": to_json(entries),
        "sections": to_json([asdict(section) for section in chosen.sections]),
        "left_out": to_json([asdict(row) for row in chosen.left_out]),
        "tokens": chosen.tokens,
        "budget": RULES.max_tokens,
        "considered": considered,
        "fingerprint": mark,
    }


def read_draft(graph: Graph, user: str) -> StoredDraft:
    """The stored draft, or an error that says how to get one."""
    rows = graph.read("memory_file/find_draft", user_id=user)
    if not rows:
        raise DraftError(f"{user} has no draft yet: materialise memory_draft first.")
    row = rows[0]
    content = verdicts.Draft(
        row["text"], *(json.loads(row[name]) for name in ("entries", "sections", "left_out"))
    )
    return StoredDraft(content, row["tokens"], row["budget"], row["considered"], row["fingerprint"])


def drafted_users(graph: Graph) -> list[str]:
    """Every user who has a draft."""
    return [row["user_id"] for row in graph.read("memory_file/list_drafted_users")]


def judge_draft(graph: Graph, user: str) -> dict[str, list[verdicts.Problem]]:
    """Every verdict on the stored draft by its name; what the draft claims is read back from the graph."""
    draft = read_draft(graph, user).content
    readable = readable_owners(graph, user)
    identifiers = sorted({entry["memory_id"] for entry in draft.entries})
    memories = graph.read("memory_file/list_entry_memories", user_id=user, memory_ids=identifiers)
    sources = graph.read("memory_file/list_entry_sources", user_ids=readable, memory_ids=identifiers)
    owners = {row["memory_id"]: row["owner"] for row in memories}
    texts = {row["memory_id"]: row["text"] or "" for row in memories}
    return {
        "draft_is_within_budget": verdicts.draft_is_within_budget(draft, count_tokens),
        "sections_are_within_budget": verdicts.sections_are_within_budget(draft, count_tokens),
        "only_this_users_memories": verdicts.only_this_users_memories(draft, user, owners, readable),
        "no_foreign_sources": verdicts.no_foreign_sources(draft, sources),
        "entries_are_whole_and_explained": verdicts.entries_are_whole_and_explained(draft, texts),
    }


def publish_draft(graph: Graph, user: str, path: Path, now: datetime) -> publish.Published:
    """Judge, announce, write, record: see ``publish.py`` for the order and why."""
    problems = [p for found in judge_draft(graph, user).values() for p in found]
    if problems:
        first = problems[0]
        raise DraftError(
            f"The draft of {user} is not published: {first.what}. {len(problems)} problems in all, which the checks "
            f"of memory_draft show with their places; {first.remedy}."
        )
    draft = read_draft(graph, user)
    known = announce(graph, user, path, publish.digest(draft.content.text), now)
    published = publish.publish(path, draft.content.text, known)
    record(graph, user, path, draft, now)
    return published


def announce(graph: Graph, user: str, path: Path, wanted: str, now: datetime) -> set[str]:
    """Note which bytes may stand in the file from now on; returns the digests that are our own."""
    manifests = graph.read("memory_file/find_manifest", user_id=user)
    announced = find_stage(graph, user, PUBLICATION)
    ours = {row["sha256"] for row in manifests} | set((announced or "").split(","))
    with publish.open_folder(path.parent) as folder:
        standing = publish.look(folder, path.name).sha256
    possible = ",".join(sorted({wanted} | ({standing} & ours if standing else set())))
    if announced != possible:
        graph.write_together([stage_made(user, PUBLICATION, possible, now)])
    return ours


def record(graph: Graph, user: str, path: Path, draft: StoredDraft, now: datetime) -> bool:
    """Replace the manifest and its pointers in one transaction; False when it says all this already."""
    sha256 = publish.digest(draft.content.text)
    stored = graph.read("memory_file/find_manifest", user_id=user)
    same_text = bool(stored) and stored[0]["sha256"] == sha256
    if same_text and (stored[0]["inputs_fingerprint"], stored[0]["path"]) == (draft.fingerprint, str(path)):
        return False
    identifier = node_id("manifest", user)
    identifiers = [entry["memory_id"] for entry in draft.content.entries]
    owners = {
        row["memory_id"]: row["owner"]
        for row in graph.read("memory_file/list_entry_memories", user_id=user, memory_ids=identifiers)
    }
    manifest = {
        "id": identifier,
        "user_id": user,
        "path": str(path),
        "sha256": sha256,
        "version": stored[0]["version"] + (not same_text) if stored else 1,
        "max_tokens": draft.budget,
        "current_tokens": draft.tokens,
        "considered": draft.considered,
        "inputs_fingerprint": draft.fingerprint,
        "entries": to_json(draft.content.entries),
        "sections": to_json(draft.content.sections),
        "left_out": to_json(draft.content.left_out),
        "generated_at": stored[0]["generated_at"] if same_text else to_iso(now),
        "now": to_iso(now),
        **{
            name: [e["memory_id"] for e in draft.content.entries if e["section"] == name] for name in SECTIONS
        },
    }
    rows = [
        {
            "memory_id": e["memory_id"],
            "owner": owners[e["memory_id"]],
            "section": e["section"],
            "position": place,
        }
        for place, e in enumerate(draft.content.entries)
        if e["memory_id"] in owners
    ]
    graph.write_together(
        [
            Statement("memory_file/upsert_manifest", manifest),
            Statement(
                "memory_file/set_published_text", {"id": identifier, "user_id": user, "text": draft.content.text}
            ),
            Statement("curation/retire_manifest_pointers", {"id": identifier, "user_id": user}),
            Statement("memory_file/link_manifest", {"id": identifier, "user_id": user, "rows": rows}),
            stage_made(user, PUBLICATION, sha256, now),
        ]
    )
    return True


def reason_kind(reason: str) -> str:
    """A reason without the reference or number in it, to be counted."""
    for start in ("already said", "no room left in its section", "longer than its section's budget"):
        if reason.startswith(start):
            return start
    return reason


def to_json(value: Any) -> str:
    """Compact JSON text in a fixed form."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
