"""One user's storylines: read anchors and sources, group, name, write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from memory_assets.clock import END_OF_TIME, to_iso
from memory_assets.graph.graph import Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.owners import find_stage
from memory_assets.graph.statements import id_rows, in_parts, in_statements
from memory_assets.hierarchy import policy
from memory_assets.hierarchy.anchors import as_rows, note_change, read_anchors
from memory_assets.hierarchy.choosing import choose
from memory_assets.hierarchy.grouped import Group, GroupFile, GroupFileError, News, opened
from memory_assets.hierarchy.naming import Asked, Due, Stated, shown_of, storyline_asked, storyline_id
from memory_assets.hierarchy.stage import Row, Stage, Task, as_stored
from memory_assets.hierarchy.stories import RULES, Anchor, Story
from memory_assets.hierarchy.titles import stem
from memory_assets.llm.local.names import name_storyline
from memory_assets.llm.tasks import NAME_STORYLINE, StorylineName, StorylineRequest

TASK = Task(
    "storylines", NAME_STORYLINE, StorylineName, name_storyline, "summary", policy.CODE_VERSION, RULES.most_a_run
)
WRITTEN = (
    *("anchor_id", "title", "given_title", "summary", "source_count", "distinct_source_days", "first_source_at"),
    *("statement_ids", "last_source_at", "confidence", "token_count", "embedding", "model", "fingerprint", "sentences"),
)
"""The properties that follow from what a storyline is made up of (``hierarchy/set_storylines``)."""


def derive_storylines(stage: Stage, *, force: bool) -> Counter[str]:
    """Bring a user's storylines in line with the sources; counts of what that took.

    Anchors are grouped again of which something has changed since the last run: each query that writes what
    storylines follow from marks it (``untold``). Without what that run has saved, and when forced, all are.
    Both write the same, and a run that cannot read what was saved goes on without it.
    """
    try:
        return _derive_storylines(stage, force=force)
    except (GroupFileError, ValueError):
        return _derive_storylines(stage, force=force)


def _derive_storylines(stage: Stage, *, force: bool) -> Counter[str]:
    mark = find_stage(stage.graph, stage.user, TASK.stage)
    with opened(stage.saved, mark if mark and mark.startswith(stage.recipe) else None) as (file, is_made):
        news = stage.graph.read("hierarchy/list_changed", user_id=stage.user)
        goes_on = is_made and not force and file.totals()[-1] == _heads_there(stage)
        young = file.young(stage.now) if goes_on else set()
        if goes_on and file.is_whole() and not news and not young:
            return Counter(users_unchanged=1)
        stage.begin()
        news = _clear(stage, news)
        if not goes_on:
            file.begin(_read_heads(stage))
        changed = _changed_anchors(stage, news, young) if goes_on else None
        return _derive(stage, file, mark if goes_on else None, changed, force=force)


def _heads_there(stage: Stage) -> int:
    """How many storylines are in the graph: whoever removed or restored some of them has not said so."""
    return int(stage.graph.read("hierarchy/count_all_storylines", user_id=stage.user)[0]["storylines"])


def _read_heads(stage: Stage) -> dict[str, str]:
    rows = stage.graph.read("hierarchy/list_storyline_heads", user_id=stage.user)
    return {row["id"]: row["anchor_id"] for row in rows}


def _derive(
    stage: Stage, file: GroupFile, last: str | None, changed: dict[str, datetime | None] | None, *, force: bool
) -> Counter[str]:
    """What a run does after ``last``: with the anchors that have ``changed``, or with all."""
    news, anchors = _group(stage, file, changed)
    stage.changes_at = policy.next_founding(anchors, news.made.values(), now=stage.now)
    stories, not_any_more = _chosen_anew(file, news)
    due = _due(stage, stories)
    gone_ids = file.unchosen_heads() | file.heads(ids=not_any_more)
    gone_ids = {key: anchor for key, anchor in gone_ids.items() if key not in stories}
    whole = _read_whole(stage, due.keys() | gone_ids.keys())
    named, counts = stage.name(
        list(due.values()), {key: row["properties"] for key, row in whole.items() if key in due}, force=force
    )
    anew = due.keys() | not_any_more
    stems = file.stems(anew) | {stem(one.words.title) for one in named.values()}
    known = {key: one for key, one in file.titles(stems).items() if key not in anew}
    counts["named_before"] += file.worded() - len(file.worded_of(ids=anew))
    titles = stage.titles(named, due, {key: titled for key, (titled, _) in known.items()})
    retitled = {key for key, (_, title) in known.items() if titles[key] != title}
    rewritten = _read_whole(stage, retitled)
    stories |= file.stories(retitled)
    for key, row in rewritten.items():
        named[key] = as_stored(row["properties"])
        nothing = Asked(StorylineRequest(anchor=stories[key].anchor.name, sources=()), {})
        due[key] = _due_of(key, stories[key], row["properties"]["fingerprint"], nothing)
    rows, older = [], []
    for key in sorted(named):
        stored = whole.get(key) or rewritten.get(key)
        row = stage.row(due[key], replace(named[key], title=titles[key])) | _extent(stories[key], stored or {})
        if force or not _is_written(stage, row, stored):
            rows.append(row)
        elif not _is_as_old(stored):
            older.append(key)
    stage.write(rows, lambda part: _writes(stage, part))
    gone = [row for key, row in whole.items() if key in gone_ids]
    is_whole = due.keys() <= named.keys()
    if not is_whole:
        # Nothing is retired for something that is not there yet.
        there = {key: story for key, story in stories.items() if key in named}
        beside = file.worded_of(anchors=gone_ids.values()) - anew
        gone = _replaced(gone, [*there.values(), *file.stories(beside).values()])
    retired = stage.retirements("retire_underived_storylines", gone, "the sources do not make it up any more")
    going = {row["id"]: row["properties"]["anchor_id"] for row in gone}
    promotions = Statement("hierarchy/set_anchor_promotions", _promotions(stage, file, news, going, named, due))
    arrivals = in_statements("hierarchy/set_arrivals", id_rows(older), user_id=stage.user)
    done = "" if stage.was_overtaken() else f"{stage.recipe} {uuid4().hex}"
    results = stage.complete(done, [*retired, promotions, *arrivals])
    retired_ids = [row["id"] for rows in results[: len(retired)] for row in rows]
    counts["retired"] = len(retired_ids)
    given = {key: (one.words.title, titles[key]) for key, one in named.items()}
    counts["written"] = len(rows)
    with suppress(GroupFileError):  # where there is no room, the next run groups all again
        file.save(news, given, due.keys() - named.keys(), retired_ids, (done, stage.now, is_whole), last)
        anchored, grouped, taken, _ = file.totals()
        counts += Counter(anchors=anchored, stories=taken, told_twice_or_over=grouped - taken)
    return counts


def _chosen_anew(file: GroupFile, news: News) -> tuple[dict[str, Story], set[str]]:
    """The chosen storylines that may need other words: of the anchors that were grouped, those that were not chosen
    before, and those that wait for theirs; and the ids of those that are not chosen any more.
    """
    chosen = {key for some in news.chosen.values() for key in some}
    before = file.chosen(news.chosen)
    wanted = chosen - before | file.unnamed() - (before - chosen)
    wanted |= {key for anchor in news.groups for key in news.chosen[anchor]}
    found = {key: news.made[key] for key in wanted & news.made.keys()} | file.stories(wanted - news.made.keys())
    return {key: replace(story, anchor=news.anchor_of(story)) for key, story in found.items()}, before - chosen


def _group(stage: Stage, file: GroupFile, changed: dict[str, datetime | None] | None) -> tuple[News, Sequence[Anchor]]:
    """What the anchors that have ``changed``, or all, make up, and what is chosen of that; and these anchors."""
    anchors, names, named = read_anchors(stage, file, changed)
    known = file.groups(changed or ())
    groups: dict[str, Group] = {}
    made: dict[str, Story] = {}
    before: dict[str, Story] = {}
    for anchor in anchors:
        last = known.get(anchor.id)
        stories, checkpoints = policy.replay(anchor, last.checkpoints if last and anchor.resumed else (), now=stage.now)
        groups[anchor.id] = Group.of(anchor, checkpoints, names[anchor.id])
        bare = groups[anchor.id].anchor
        made |= {storyline_id(stage.user, story): replace(story, anchor=bare) for story in stories}
        before |= file.stories_since(anchor.id, anchor.resumed.checkpoint if anchor.resumed else None)
        if last and policy.is_ordered_otherwise(last.anchor, bare):
            ended = file.stories_since(anchor.id, None)
            made = {key: replace(story, anchor=bare) for key, story in ended.items() if key not in before} | made
            before |= ended
    lost = (changed or {}).keys() - groups.keys()
    for key in lost & known.keys():
        before |= file.stories_since(key, None)
    differing = {key: story for key, story in made.items() if not _is_same(story, before.get(key))}
    before = {key: story for key, story in before.items() if key in differing or key not in made}
    return choose(file, News(groups, lost, named, made, differing, before)), anchors


def _is_same(story: Story, other: Story | None) -> bool:
    return (
        other is not None
        and (story.sources, story.statements) == (other.sources, other.statements)
        and not policy.is_ordered_otherwise(story.anchor, other.anchor)
    )


def _promotions(
    stage: Stage, file: GroupFile, news: News, gone: Mapping[str, str], named: Iterable[str], due: Mapping[str, Due]
) -> Row:
    """What follows for the anchors of which something has changed, or all: which of them have storylines, made up or
    written, and since when.
    """
    written = {due[key].anchor_id for key in named}
    asked = {*news.groups, *news.lost, *gone.values(), *(one.anchor_id for one in due.values())}
    if file.is_empty():
        asked |= {row["id"] for row in stage.graph.read("hierarchy/list_promoted_anchors", user_id=stage.user)}
    promoted = {story.anchor.id for story in news.made.values()} | file.having(asked, but=news.before)
    there = {anchor for key, anchor in file.heads(of=asked).items() if key not in gone}
    since = _confirmed_since(stage, file, news, promoted & asked)
    rows = [
        {
            "id": anchor,
            "is_promoted": anchor in promoted,
            "has_meso": anchor in written | there,
            "promoted_at": to_iso(since.get(anchor)),
        }
        for anchor in sorted(asked)
    ]
    return {"user_id": stage.user, "rows": rows}


def _confirmed_since(stage: Stage, file: GroupFile, news: News, promoted: Iterable[str]) -> dict[str, datetime]:
    """Since when the mentions of those of these anchors suffice of which that is not known."""
    candidates = stage.graph.read_parts("hierarchy/list_unconfirmed", sorted(promoted), user_id=stage.user)
    stories: dict[str, dict[str, Story]] = {}
    for anchor in (row["id"] for row in candidates):
        before = file.stories_since(anchor, None)
        stories[anchor] = {key: one for key, one in before.items() if key not in news.before}
    for key, story in news.made.items():
        if story.anchor.id in stories:
            stories[story.anchor.id][key] = story
    included = sorted({key for some in stories.values() for one in some.values() for key in one.source_ids})
    read = stage.graph.read_parts("hierarchy/list_sources_for_storylines", included, user_id=stage.user)
    arrived = {row["id"]: row["arrived_at"] for row in read}
    there = {
        anchor: [policy.suffices_at(one, arrived) for one in some.values() if one.source_ids <= arrived.keys()]
        for anchor, some in stories.items()
    }
    return {anchor: min([stage.now, *found]) for anchor, found in there.items()}


def _clear(stage: Stage, news: Sequence[Row]) -> list[Row]:
    """Clear the marks of the news, so that what is written after this is the next run's; the news, each with its first
    event as it is by now. A stop on the way leaves the stage begun, so that everything is grouped again.
    """
    since: dict[str, datetime | None] = {}
    for query, key in (
        ("hierarchy/set_changes_followed", "memory_id"),
        ("hierarchy/set_retirements_followed", "audit_id"),
    ):
        rows = [{"id": row[key]} for row in news if bool(row["audit_id"]) == (key == "audit_id")]
        cleared = stage.graph.write(query, rows, user_id=stage.user) if rows else []
        since |= {row["id"]: row.get("since") for row in cleared}
    return [row | {"since": since.get(row["memory_id"])} for row in news]


def _changed_anchors(stage: Stage, news: Iterable[Row], young: Iterable[str]) -> dict[str, datetime | None]:
    """The anchors whose storylines may have changed, by themselves or with a statement of their sources; each with the
    first event that this concerns, None for all of them.
    """
    changed: dict[str, datetime | None] = dict.fromkeys(young, END_OF_TIME)
    stated: dict[str, datetime | None] = {}
    for row in news:
        if row["is_statement"]:
            stated[row["memory_id"]] = row["since"]
        else:
            note_change(changed, row["memory_id"], row["since"])
    for row in stage.graph.read_parts("hierarchy/list_stating_anchors", sorted(stated), user_id=stage.user):
        note_change(changed, row["id"], stated[row["chunk_id"]])
    return changed


def _due(stage: Stage, stories: Mapping[str, Story]) -> dict[str, Due]:
    summaries = _read_summaries(stage, stories.values())
    stated = _read_stated(stage, stories.values())
    due = {}
    for key, story in sorted(stories.items()):
        asked = storyline_asked(story, summaries, stated)
        due[key] = _due_of(key, story, asked.fingerprint(stage.recipe, story.source_ids), asked)
    return due


def _due_of(key: str, story: Story, made_from: str, asked: Asked) -> Due:
    return Due(key, made_from, asked, story.anchor.id, story.first_at, story.last_at)


def _read_whole(stage: Stage, ids: Iterable[str]) -> dict[str, Row]:
    """Storylines as they are stored, with their links, by id."""
    rows = stage.graph.read_parts("hierarchy/list_whole_storylines", sorted(ids), user_id=stage.user)
    return {row["id"]: row for row in rows}


def _replaced(gone: Sequence[Row], written: Iterable[Story]) -> list[Row]:
    """Of storylines that the sources make up no more, those of which a source is in a written one of the same
    anchor.
    """
    taken = {(story.anchor.id, source) for story in written for source in story.source_ids}
    return [
        row for row in gone if any((row["properties"]["anchor_id"], source) in taken for source in row["source_ids"])
    ]


def _read_summaries(stage: Stage, stories: Iterable[Story]) -> dict[str, str]:
    """The summaries that storylines are named by, by source."""
    ids = sorted({source.id for story in stories for source in shown_of(story)})
    rows = stage.graph.read_parts("hierarchy/list_summaries_for_storylines", ids, user_id=stage.user)
    return dict.fromkeys(ids, "") | {row["id"]: row["summary"] or "" for row in rows}


def _read_stated(stage: Stage, stories: Iterable[Story]) -> dict[str, list[Stated]]:
    """What of storylines the sources state, and holds, that they are named by: by source, in its order."""
    wanted: set[tuple[str, str]] = set()
    for story in stories:
        shown = {source.id for source in shown_of(story)}
        wanted |= {(source, chunk) for source, chunk in story.stated if source in shown}
    left_out = {row["memory_id"] for row in stage.graph.read("graph/list_left_out", user_id=stage.user)}
    query, rows = "hierarchy/list_statements_for_storylines", list[Row]()
    for part in in_parts(as_rows(wanted)):
        rows += stage.graph.read(query, user_id=stage.user, rows=list(part))
    found: dict[str, list[Stated]] = {}
    for row in sorted(rows, key=_place):
        if row["chunk_id"] not in left_out:
            about = frozenset(row["about"])
            said = (row["chunk_id"], row["text"], row["speaker"], row["durability"] or 0.0)
            one = Stated(*said, about, bool(row["is_owners"]), row["said_at"])
            found.setdefault(row["source_id"], []).append(one)
    return found


def _place(row: Row) -> tuple[str, bool, int, int, str]:
    """Where a source states something; an unknown turn last."""
    return row["source_id"], row["turn"] is None, row["turn"] or 0, row["position"], row["chunk_id"]


def _extent(story: Story, links: Mapping[str, Any]) -> Row:
    """How much a storyline includes; ``new_ids`` and ``gone_ids`` are the sources that its links lack and should."""
    linked = set(links.get("source_ids", ()))
    extent: dict[str, Any] = {"source_count": len(story.sources), "distinct_source_days": story.days}
    extent |= {"first_source_at": to_iso(story.first_at), "last_source_at": to_iso(story.last_at)}
    return {
        **extent,
        "confidence": story.anchor.confidence,
        "statement_ids": list(dict.fromkeys(statement for _, statement in story.statements)),
        "is_about_it": links.get("anchor_ids") == [story.anchor.id],
        "new_ids": sorted(story.source_ids - linked),
        "gone_ids": sorted(linked - story.source_ids),
    }


def _is_written(stage: Stage, row: Mapping[str, Any], stored: Mapping[str, Any] | None) -> bool:
    """Whether a storyline is in the graph, with all its links, as it would be written."""
    if stored is None or not row["is_about_it"] or row["new_ids"] or row["gone_ids"]:
        return False
    return stage.is_stored(row, stored["properties"], WRITTEN)


def _is_as_old(stored: Mapping[str, Any] | None) -> bool:
    """Whether a storyline that is in the graph fades from when the last of its sources arrived."""
    return stored is not None and stored["arrived_at"] == stored["properties"].get("ingested_at")


def _writes(stage: Stage, rows: Sequence[Mapping[str, Any]]) -> list[Statement]:
    about = [{"id": row["id"], "anchor_id": row["anchor_id"]} for row in rows]
    gone = [{"id": row["id"], "gone_ids": row["gone_ids"]} for row in rows if row["gone_ids"]]
    links = [
        {"id": row["id"], "anchor_id": row["anchor_id"], "source_id": key} for row in rows for key in row["new_ids"]
    ]
    written = [{name: row[name] for name in ("id", "ref", *WRITTEN)} for row in rows]
    owned = {"user_id": stage.user}
    dated = {"rows": written, "now": to_iso(stage.now)} | owned
    return [
        Statement("hierarchy/upsert_storylines", dated),
        Statement("hierarchy/set_storylines", dated | {"embedder": stage.embedder.name}),
        Statement("hierarchy/link_storyline_anchors", {"rows": about} | owned),
        *cuts("retire_storyline_sources", gone, user=stage.user),
        Statement("hierarchy/link_storyline_sources", {"rows": links} | owned),
        Statement("hierarchy/set_arrivals", {"rows": id_rows(row["id"] for row in rows)} | owned),
    ]
