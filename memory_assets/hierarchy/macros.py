"""One user's macros: read storylines, group, name, write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Statement
from memory_assets.graph.retirement import retirement_rows
from memory_assets.hierarchy import policy
from memory_assets.hierarchy.backlog import Wanted
from memory_assets.hierarchy.macro_policy import RULES, Theme, Told, group_macros
from memory_assets.hierarchy.naming import macro_fingerprint, macro_id, macro_request
from memory_assets.hierarchy.stage import Named, Stage, Task, write_in_parts
from memory_assets.llm.tasks import NAME_MACRO, MacroName
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import fingerprint, reference

TASK = Task("macros", NAME_MACRO, MacroName, "overview", policy.CODE_VERSION, RULES.most_a_run)


def derive_macros(stage: Stage, *, force: bool) -> Counter[str]:
    """Bring a user's macros in line with the storylines; counts of what that took."""
    digest = _digest(stage)
    if not force and stage.is_current(digest):
        return Counter(users_unchanged=1)
    told = [Told(**row) for row in stage.graph.read("hierarchy/list_storylines_for_macros", user_id=stage.user)]
    themes = {macro_id(stage.user, theme): theme for theme in group_macros(told)}
    existing = {row["id"]: row for row in stage.graph.read("hierarchy/list_macros", user_id=stage.user)}
    wanted = [
        Wanted(key, macro_fingerprint(theme, stage.recipe), macro_request(theme), theme.anchor_id, theme.first_at)
        for key, theme in sorted(themes.items())
    ]
    named, counts = stage.name(wanted, {key: row["properties"] for key, row in existing.items()}, force=force)
    fingerprints = {item.id: item.fingerprint for item in wanted}
    rows = [_row(key, themes[key], named[key], fingerprints[key]) for key in sorted(named)]
    write_in_parts(stage.graph, rows, lambda part: _writes(stage, part, themes))
    counts += Counter(storylines=len(told), themes=len(themes))
    gone = [row for key, row in existing.items() if key not in themes]
    if len(named) < len(themes):
        standing = {row["properties"]["anchor_id"] for row in existing.values()}
        stage.pause([_anchors(stage, standing | {themes[key].anchor_id for key in named})])
        return counts
    results = stage.complete(
        digest, [*_retire(stage, gone), _anchors(stage, {theme.anchor_id for theme in themes.values()})]
    )
    counts["retired"] = len(results[0]) if gone else 0
    return counts


def _anchors(stage: Stage, having: Iterable[str]) -> Statement:
    return Statement("hierarchy/set_anchor_themes", {"user_id": stage.user, "anchor_ids": sorted(having)})


def _digest(stage: Stage) -> str:
    rows = stage.graph.read("hierarchy/list_storyline_fingerprints", user_id=stage.user)
    parts = [
        " ".join(
            str(part)
            for part in (
                row["id"],
                row["fingerprint"],
                row["confidence"],
                to_iso(row["first_source_at"]),
                to_iso(row["last_source_at"]),
            )
        )
        for row in sorted(rows, key=lambda row: row["id"])
    ]
    return fingerprint(stage.recipe, *parts)


def _row(key: str, theme: Theme, named: Named, made_from: str) -> dict[str, Any]:
    return {
        "id": key,
        "ref": reference(key),
        "anchor_id": theme.anchor_id,
        "title": named.title,
        "overview": named.text,
        "storyline_count": len(theme.storylines),
        "total_source_count": theme.total_source_count,
        "first_event_at": to_iso(theme.first_at),
        "last_event_at": to_iso(theme.last_at),
        "confidence": theme.confidence,
        "token_count": count_tokens(named.text),
        "embedding": named.embedding,
        "model": named.model,
        "fingerprint": made_from,
    }


def _writes(stage: Stage, rows: Any, themes: dict[str, Theme]) -> list[Statement]:
    kept = [{"id": row["id"], "kept_ids": [told.id for told in themes[row["id"]].storylines]} for row in rows]
    links = [{"id": row["id"], "storyline_id": told} for row in kept for told in row["kept_ids"]]
    owned = {"user_id": stage.user}
    dated = {"rows": list(rows), "now": to_iso(stage.now)} | owned
    return [
        Statement("hierarchy/upsert_macros", dated),
        Statement("hierarchy/set_macros", dated | {"embedder": stage.embedder.name}),
        Statement("hierarchy/link_macro_anchors", {"rows": list(rows)} | owned),
        Statement("curation/retire_macro_storylines", {"rows": kept} | owned),
        Statement("hierarchy/link_macro_storylines", {"rows": links} | owned),
    ]


def _retire(stage: Stage, gone: list[dict[str, Any]]) -> list[Statement]:
    rows = retirement_rows(stage.user, gone, "its storylines do not make it up any more", stage.now)
    params = {"rows": rows, "user_id": stage.user, "now": to_iso(stage.now)}
    return [Statement("curation/retire_underived_macros", params)] if rows else []
