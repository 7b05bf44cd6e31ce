"""One user's storylines: read anchors and sources, group, name, write."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Statement
from memory_assets.graph.owners import find_stage
from memory_assets.hierarchy import policy
from memory_assets.hierarchy.naming import storyline_fingerprint, storyline_id, storyline_request
from memory_assets.hierarchy.policy import RULES, Anchor, Story, StorySource
from memory_assets.hierarchy.stage import Named, Stage, Task, Wanted, in_parts, write_in_parts
from memory_assets.llm.tasks import NAME_STORYLINE, StorylineName
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import fingerprint, reference
from memory_assets.retirement import retirement_rows

TASK = Task("storylines", NAME_STORYLINE, StorylineName, "summary", policy.CODE_VERSION)
IDS_PER_READ = 500
NAMES = "names/changes"
"""The stage that says another word whenever a name comes to mean somebody else (entities/resolving.py)."""


def derive_storylines(stage: Stage, *, force: bool) -> Counter[str]:
    """Bring a user's storylines in line with the sources; counts of what that took."""
    digest = _digest(stage)
    if not force and stage.is_current(digest):
        return Counter(users_unchanged=1)
    anchors = _read_anchors(stage)
    grouped = [
        story
        for anchor in policy.choose_anchors(anchors)
        for story in policy.group_storylines(anchor, now=stage.now)
    ]
    stage.changes_at = policy.next_founding(policy.choose_anchors(anchors), now=stage.now)
    stories = {storyline_id(stage.user, story): story for story in policy.choose_storylines(grouped)}
    existing = {row["id"]: row for row in stage.graph.read("hierarchy/list_storylines", user_id=stage.user)}
    wanted = [
        Wanted(key, storyline_fingerprint(story, stage.recipe), storyline_request(story))
        for key, story in sorted(stories.items())
    ]
    named, counts = stage.name(wanted, {key: row["properties"] for key, row in existing.items()}, force=force)
    fingerprints = {item.id: item.fingerprint for item in wanted}
    rows = [_row(key, stories[key], named[key], fingerprints[key]) for key in sorted(named)]
    write_in_parts(stage.graph, rows, lambda part: _writes(stage, part, stories))
    counts += Counter(
        anchors=len(anchors), stories=len(stories), told_twice_or_over=len(grouped) - len(stories)
    )
    if len(named) < len(stories):
        # Nothing is retired for something that is not there yet.
        return counts
    gone = [row for key, row in existing.items() if key not in stories]
    results = stage.complete(
        digest,
        [
            *_retire(stage, gone),
            Statement(
                "hierarchy/set_anchor_promotions",
                {
                    "user_id": stage.user,
                    "promoted_ids": sorted({story.anchor.id for story in grouped}),
                    "storyline_ids": sorted({story.anchor.id for story in stories.values()}),
                },
            ),
        ],
    )
    counts["retired"] = len(results[0]) if gone else 0
    return counts


def _digest(stage: Stage) -> str:
    """All that decides the storylines: extractions, the sources' descriptions, this code, and what is too young."""
    rows = stage.graph.read("hierarchy/list_extraction_fingerprints", user_id=stage.user)
    parts = [
        f"{row['source_id']} {row['fingerprint']} {row['status']} {row['described']}"
        for row in sorted(rows, key=lambda r: r["source_id"])
    ]
    young = [
        row["source_id"]
        for row in rows
        if row["source_started_at"] and stage.now - row["source_started_at"] <= RULES.older_than
    ]
    named = find_stage(stage.graph, stage.user, NAMES) or ""
    return fingerprint(stage.recipe, *parts, "young", *sorted(young), *([f"names {named}"] if named else []))


def _read_anchors(stage: Stage) -> list[Anchor]:
    rows = stage.graph.read(
        "hierarchy/list_anchors_for_storylines",
        user_id=stage.user,
        least_sources=RULES.least_sources,
        least_days=RULES.least_days,
        most=RULES.most_anchors,
    )
    ids = sorted({source for row in rows for source in row["source_ids"]})
    sources: dict[str, StorySource] = {}
    for part in in_parts(ids, IDS_PER_READ):
        for row in stage.graph.read(
            "hierarchy/list_sources_for_storylines", user_id=stage.user, ids=list(part)
        ):
            sources[row["id"]] = StorySource(
                row["id"], row["started_at"], row["summary"] or "", _vector(row, stage.embedder.name)
            )
    return [
        Anchor(
            row["id"],
            row["name"],
            row["confidence"],
            tuple(sources[key] for key in sorted(row["source_ids"]) if key in sources),
        )
        for row in rows
    ]


def _vector(row: dict[str, Any], embedder: str) -> np.ndarray | None:
    """An embedding as a unit vector; None where there is none, or no text was behind it.

    One by another embedder (its source has not been processed again yet) is comparable with none of these.
    """
    vector = np.asarray((row["embedder"] == embedder and row["embedding"]) or (), dtype=np.float64)
    length = float(np.linalg.norm(vector))
    return vector / length if length else None


def _row(key: str, story: Story, named: Named, made_from: str) -> dict[str, Any]:
    return {
        "id": key,
        "ref": reference(key),
        "anchor_id": story.anchor.id,
        "title": named.title,
        "summary": named.text,
        "source_count": len(story.sources),
        "distinct_source_days": story.days,
        "first_source_at": to_iso(story.first_at),
        "last_source_at": to_iso(story.last_at),
        "confidence": story.anchor.confidence,
        "token_count": count_tokens(named.text),
        "embedding": named.embedding,
        "model": named.model,
        "fingerprint": made_from,
    }


def _writes(stage: Stage, rows: Any, stories: dict[str, Story]) -> list[Statement]:
    kept = [{"id": row["id"], "kept_ids": sorted(stories[row["id"]].source_ids)} for row in rows]
    links = [
        {"id": row["id"], "anchor_id": row["anchor_id"], "source_id": source}
        for row, includes in zip(rows, kept, strict=True)
        for source in includes["kept_ids"]
    ]
    owned = {"user_id": stage.user}
    dated = {"rows": list(rows), "now": to_iso(stage.now)} | owned
    return [
        Statement("hierarchy/upsert_storylines", dated),
        Statement("hierarchy/set_storylines", dated | {"embedder": stage.embedder.name}),
        Statement("hierarchy/link_storyline_anchors", {"rows": list(rows)} | owned),
        Statement("curation/retire_storyline_sources", {"rows": kept} | owned),
        Statement("hierarchy/link_storyline_sources", {"rows": links} | owned),
    ]


def _retire(stage: Stage, gone: list[dict[str, Any]]) -> list[Statement]:
    rows = retirement_rows(stage.user, gone, "the sources do not make it up any more", stage.now)
    params = {"rows": rows, "user_id": stage.user, "now": to_iso(stage.now)}
    return [Statement("curation/retire_underived_storylines", params)] if rows else []
