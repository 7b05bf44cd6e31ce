"""One user's macros: read storylines, group, name, write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.statements import id_rows
from memory_assets.hierarchy import policy
from memory_assets.hierarchy.evidence import keys_of
from memory_assets.hierarchy.naming import Due, macro_asked, macro_id
from memory_assets.hierarchy.reading import read_evidence
from memory_assets.hierarchy.stage import Row, Stage, Task
from memory_assets.hierarchy.themes import MACRO_RULES, Part, Theme, group_macros
from memory_assets.llm.local.names import name_macro
from memory_assets.llm.sentences import read_sentences
from memory_assets.llm.tasks import NAME_MACRO, MacroName
from memory_assets.model import fingerprint

TASK = Task("macros", NAME_MACRO, MacroName, name_macro, "overview", policy.CODE_VERSION, MACRO_RULES.most_a_run)


def derive_macros(stage: Stage, *, force: bool) -> Counter[str]:
    """Bring a user's macros in line with the storylines; counts of what that took."""
    digest = _digest(stage)
    if not force and stage.is_current(digest):
        return Counter(users_unchanged=1)
    found = stage.graph.read("hierarchy/list_storylines_for_macros", user_id=stage.user)
    parts = [Part(**row | {"sentences": read_sentences(row["sentences"])}) for row in found]
    themes = {macro_id(stage.user, theme): theme for theme in group_macros(parts)}
    existing = {row["id"]: row for row in stage.graph.read("hierarchy/list_macros", user_id=stage.user)}
    due = _due(stage, themes)
    named, counts = stage.name(
        list(due.values()), {key: row["properties"] for key, row in existing.items()}, force=force
    )
    named = stage.with_distinct_titles(named, due)
    rows = [stage.row(due[key], named[key]) | _extent(themes[key]) for key in sorted(named)]
    written = [row for row in rows if force or not _is_written(stage, row, themes[row["id"]], existing.get(row["id"]))]
    stage.write(written, lambda some: _writes(stage, some, themes))
    counts += Counter(storylines=len(parts), themes=len(themes))
    # An anchor has one macro: none that waits for its words takes the place of one that goes.
    gone = {key: row for key, row in existing.items() if key not in themes}
    last = stage.retirements("retire_underived_macros", gone.values(), "its storylines do not make it up any more")
    is_whole = len(named) == len(themes)
    having = {themes[key].anchor_id for key in themes if key in named or key in existing}
    results = stage.complete(digest if is_whole else "", [*last, _anchors(stage, having)])
    counts["retired"] = sum(map(len, results[: len(last)]))
    return counts


def _due(stage: Stage, themes: Mapping[str, Theme]) -> dict[str, Due]:
    below = (one for theme in themes.values() for part in theme.storylines for one in part.sentences)
    known = read_evidence(stage.graph, stage.user, keys_of(below))
    due = {}
    for key, theme in sorted(themes.items()):
        asked = macro_asked(theme, known)
        made_from = asked.fingerprint(stage.recipe, (part.id for part in theme.storylines))
        due[key] = Due(key, made_from, asked, theme.anchor_id, theme.first_at, theme.last_at)
    return due


def _anchors(stage: Stage, having: Iterable[str]) -> Statement:
    return Statement("hierarchy/set_anchor_themes", {"user_id": stage.user, "anchor_ids": sorted(having)})


def _digest(stage: Stage) -> str:
    rows = stage.graph.read("hierarchy/list_storyline_fingerprints", user_id=stage.user)
    times = ("first_source_at", "last_source_at", "ingested_at")
    parts = [
        " ".join(map(str, (row["id"], row["fingerprint"], row["confidence"], *(to_iso(row[name]) for name in times))))
        for row in sorted(rows, key=lambda row: row["id"])
    ]
    return fingerprint(stage.recipe, *parts)


def _extent(theme: Theme) -> Row:
    return {
        "storyline_count": len(theme.storylines),
        "total_source_count": theme.total_source_count,
        "first_event_at": to_iso(theme.first_at),
        "last_event_at": to_iso(theme.last_at),
        "confidence": theme.confidence,
    }


def _is_written(stage: Stage, row: Row, theme: Theme, stored: Row | None) -> bool:
    """Whether a macro is in the graph, with all that it groups, as it would be written."""
    if stored is None or set(stored["grouped_ids"]) != {part.id for part in theme.storylines}:
        return False
    is_as_old = stored["arrived_at"] == stored["properties"].get("ingested_at")
    return is_as_old and stage.is_stored(row, stored["properties"], row.keys() - {"id", "ref"})


def _writes(stage: Stage, rows: Sequence[Row], themes: dict[str, Theme]) -> list[Statement]:
    included = [{"id": row["id"], "kept_ids": [part.id for part in themes[row["id"]].storylines]} for row in rows]
    links = [{"id": row["id"], "storyline_id": part} for row in included for part in row["kept_ids"]]
    owned = {"user_id": stage.user}
    dated = {"rows": list(rows), "now": to_iso(stage.now)} | owned
    return [
        Statement("hierarchy/upsert_macros", dated),
        Statement("hierarchy/set_macros", dated | {"embedder": stage.embedder.name}),
        Statement("hierarchy/link_macro_anchors", {"rows": list(rows)} | owned),
        *cuts("retire_macro_storylines", included, user=stage.user),
        Statement("hierarchy/link_macro_storylines", {"rows": links} | owned),
        Statement("hierarchy/set_arrivals", {"rows": id_rows(row["id"] for row in rows)} | owned),
    ]
