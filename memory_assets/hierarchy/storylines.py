"""One user's storylines: read anchors and sources, group, name, write."""

from __future__ import annotations

import calendar
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np

from memory_assets.clock import END_OF_TIME, MONTHS, to_iso
from memory_assets.graph.graph import Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.owners import find_stage
from memory_assets.graph.statements import id_rows, in_parts
from memory_assets.hierarchy import policy
from memory_assets.hierarchy.choosing import choose
from memory_assets.hierarchy.grouped import Group, GroupFile, GroupFileError, News, opened
from memory_assets.hierarchy.matters import RECENT_STATEMENTS, statement_vector, without_words
from memory_assets.hierarchy.naming import Asked, Due, Stated, shown_of, storyline_asked, storyline_id
from memory_assets.hierarchy.stage import Row, Stage, Task, as_stored
from memory_assets.hierarchy.stories import RULES, Anchor, Resumed, Story, StorySource, StoryStatement
from memory_assets.llm.local.lexicon import TIME_NOUNS
from memory_assets.llm.local.names import name_storyline
from memory_assets.llm.tasks import NAME_STORYLINE, StorylineName, StorylineRequest
from memory_assets.text.content import content_words, weighed

TASK = Task(
    "storylines", NAME_STORYLINE, StorylineName, name_storyline, "summary", policy.CODE_VERSION, RULES.most_a_run
)
WRITTEN = (
    *("anchor_id", "title", "given_title", "summary", "source_count", "distinct_source_days", "first_source_at"),
    *("statement_ids", "last_source_at", "confidence", "token_count", "embedding", "model", "fingerprint", "sentences"),
)
"""The properties that follow from what a storyline is made up of (``hierarchy/set_storylines``)."""
TIMES = content_words(" ".join((*MONTHS, *calendar.day_name, *TIME_NOUNS)))
"""What happens in one month or at one time of the day is not of one matter for it."""


def derive_storylines(stage: Stage, *, force: bool) -> Counter[str]:
    """Bring a user's storylines in line with the sources; counts of what that took.

    Anchors are grouped again of which something has changed since the last run: each query that writes what
    storylines follow from marks it (``untold``). Without what that run has saved, and when forced, all are.
    Both write the same.
    """
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
    chosen = {key for some in news.chosen.values() for key in some}
    chosen_before = file.chosen(news.chosen)
    not_any_more = chosen_before - chosen
    due_ids = chosen - chosen_before | file.unnamed() - not_any_more
    due_ids |= {key for anchor in news.groups for key in news.chosen[anchor]}
    stories = {**news.made, **file.stories(due_ids - news.made.keys())}
    stories = {key: replace(story, anchor=news.anchor_of(story)) for key, story in stories.items()}
    due = _due(stage, {key: stories[key] for key in due_ids})
    gone_ids = file.unchosen_heads() | file.heads(ids=not_any_more)
    gone_ids = {key: anchor for key, anchor in gone_ids.items() if key not in chosen}
    whole = _read_whole(stage, due.keys() | gone_ids.keys())
    named, counts = stage.name(
        list(due.values()), {key: row["properties"] for key, row in whole.items() if key in due}, force=force
    )
    known = {key: one for key, one in file.titles().items() if key not in due.keys() | not_any_more}
    counts["named_before"] += len(known)
    titles = stage.titles(named, due, {key: titled for key, (titled, _) in known.items()})
    retitled = {key for key, (_, title) in known.items() if titles[key] != title}
    rewritten = _read_whole(stage, retitled)
    stories |= file.stories(retitled)
    for key, row in rewritten.items():
        named[key] = as_stored(row["properties"])
        nothing = Asked(StorylineRequest(anchor=stories[key].anchor.name, sources=()), {})
        due[key] = _due_of(key, stories[key], row["properties"]["fingerprint"], nothing)
    rows = []
    for key in sorted(named):
        stored = whole.get(key) or rewritten.get(key)
        row = stage.row(due[key], replace(named[key], title=titles[key])) | _extent(stories[key], stored or {})
        if force or not _is_written(stage, row, stored):
            rows.append(row)
    stage.write(rows, lambda part: _writes(stage, part))
    gone = [row for key, row in whole.items() if key in gone_ids]
    is_whole = due.keys() <= named.keys()
    if not is_whole:
        # Nothing is retired for something that is not there yet.
        there = {key: story for key, story in stories.items() if key in named}
        beside = file.chosen(gone_ids.values()) & known.keys()
        gone = _replaced(gone, [*there.values(), *file.stories(beside).values()])
    retired = stage.retirements("retire_underived_storylines", gone, "the sources do not make it up any more")
    going = {row["id"]: row["properties"]["anchor_id"] for row in gone}
    promotions = Statement("hierarchy/set_anchor_promotions", _promotions(stage, file, news, going, named, due))
    done = "" if stage.was_overtaken() else f"{stage.recipe} {uuid4().hex}"
    results = stage.complete(done, [*retired, promotions])
    retired_ids = [row["id"] for rows in results[: len(retired)] for row in rows]
    counts["retired"] = len(retired_ids)
    given = {key: (one.words.title, titles[key]) for key, one in named.items()}
    counts["written"] = len(rows)
    with suppress(GroupFileError):  # where there is no room, the next run groups all again
        file.save(news, given, due.keys() - named.keys(), retired_ids, (done, stage.now, is_whole), last)
        anchored, grouped, taken, _ = file.totals()
        counts += Counter(anchors=anchored, stories=taken, told_twice_or_over=grouped - taken)
    return counts


def _group(stage: Stage, file: GroupFile, changed: dict[str, datetime | None] | None) -> tuple[News, Sequence[Anchor]]:
    """What the anchors that have ``changed``, or all, make up, and what is chosen of that; and these anchors."""
    anchors, names, people = _read_anchors(stage, file, changed)
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
    return choose(file, News(groups, lost, people, made, differing, before)), anchors


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
    written.
    """
    written = {due[key].anchor_id for key in named}
    asked = {*news.groups, *news.lost, *gone.values(), *(one.anchor_id for one in due.values())}
    if file.is_empty():
        asked |= {row["id"] for row in stage.graph.read("hierarchy/list_promoted_anchors", user_id=stage.user)}
    promoted = {story.anchor.id for story in news.made.values()} | file.having(asked, but=news.before)
    there = {anchor for key, anchor in file.heads(of=asked).items() if key not in gone}
    return {
        "user_id": stage.user,
        "ids": sorted(asked),
        "promoted_ids": sorted(promoted & asked),
        "storyline_ids": sorted((written | there) & asked),
        "now": to_iso(stage.now),
    }


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
            _note(changed, row["memory_id"], row["since"])
    for row in stage.graph.read_parts("hierarchy/list_stating_anchors", sorted(stated), user_id=stage.user):
        _note(changed, row["id"], stated[row["chunk_id"]])
    return changed


def _note(changed: dict[str, datetime | None], anchor: str, since: datetime | None) -> None:
    before = changed.get(anchor, END_OF_TIME)
    changed[anchor] = None if since is None or before is None else min(since, before)


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


def _read_anchors(
    stage: Stage, file: GroupFile, changed: dict[str, datetime | None] | None
) -> tuple[list[Anchor], dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """The anchors that meet the counters, with what their sources state, what each is called, and the words of the
    names of those that are people.

    Of those that have ``changed`` alone, to which those are added whose storylines follow from a name that has; of each
    what is needed to go on from its last checkpoint before that.
    """
    least = {"least_sources": RULES.least_sources, "least_days": RULES.least_days}
    read = partial(stage.graph.read_parts, user_id=stage.user)
    if changed is None:
        rows = stage.graph.read("hierarchy/list_anchors_for_storylines", user_id=stage.user, **least)
        people = _people(rows)
    else:
        query = "hierarchy/list_changed_anchors_for_storylines"
        rows = [*read(query, sorted(changed), **least)]
        people, before = _people(rows), file.people(changed)
        # What is said of somebody is compared without that name, in whosoever's storylines.
        renamed = sorted(key for key in changed if people.get(key) != before.get(key))
        known = set(changed)
        for row in read("hierarchy/list_anchors_beside", renamed):
            _note(changed, row["id"], row["since"])
        changed.update(dict.fromkeys(renamed))
        rows += read(query, sorted(changed.keys() - known), **least)
        people = _people(rows)
    names = {row["id"]: frozenset(name.casefold() for name in _names(row)) for row in rows}
    groups = file.groups(changed or ())
    resumed: dict[str, Resumed] = {}
    for key, since in (changed or {}).items():
        group = groups.get(key)
        if group is None or since is None or group.names != names.get(key):
            continue
        if (checkpoint := policy.choose_checkpoint(group.checkpoints, since, stage.now)) is not None:
            resumed[key] = checkpoint.resumed(tuple(file.stories_since(key, checkpoint).values()))

    def words_of(ids: Iterable[str]) -> dict[str, frozenset[str]]:
        # Who has changed and is nobody now, is nobody whose name goes.
        return {key: words for key, words in file.people(ids).items() if key not in (changed or ())} | people

    anchors = _with_sources(stage, rows, words_of, resumed)
    # What is not there any more was taken away without a word.
    lacking = {
        one.id
        for one in anchors
        if one.resumed and one.resumed.needed(RECENT_STATEMENTS) - {s.key for s in one.statements}
    }
    if lacking:
        again = _with_sources(stage, [row for row in rows if row["id"] in lacking], words_of, {})
        anchors = [*(one for one in anchors if one.id not in lacking), *again]
    return anchors, names, people


def _with_sources(
    stage: Stage,
    rows: Iterable[Row],
    words_of: Callable[[Iterable[str]], Mapping[str, frozenset[str]]],
    resumed: Mapping[str, Resumed],
) -> list[Anchor]:
    """Anchors with their sources and statements: all, or from where each is ``resumed``, with those of before that are
    still compared.
    """
    wanted = [
        {"id": row["id"], "since": to_iso(resumed[row["id"]].checkpoint.at) if row["id"] in resumed else None}
        for row in rows
    ]
    mentioning = {
        row["id"]: sorted(row["source_ids"])
        for part in in_parts(wanted)
        for row in stage.graph.read("hierarchy/list_sources_of_anchors", user_id=stage.user, rows=list(part))
    }
    needed = {key: one.needed(RECENT_STATEMENTS) for key, one in resumed.items()}
    whole = {source for ids in mentioning.values() for source in ids}
    sources = _read_sources(stage, whole)
    before_that = {key for keys in needed.values() for key in keys if key[0] not in whole}
    stated = _read_statements(stage, sorted(sources), before_that)
    # Of sources of before, what they state says when it was.
    sources |= {key: StorySource(key, rows[0]["started_at"]) for key, rows in stated.items() if key not in sources}
    about = {key for some in stated.values() for one in some for key in one["about"]}
    people = words_of(about | {row["id"] for row in rows})
    anchors = []
    for row in rows:
        key = row["id"]
        own = [source for source in mentioning.get(key, ()) if source in sources]
        before = sorted({source for source, _ in needed.get(key, ())} & sources.keys() - {*own})
        said = [
            *_statements(row, own, sources, stated, people),
            *(one for one in _statements(row, before, sources, stated, people) if one.key in needed[key]),
        ]
        anchors.append(
            Anchor(
                *(key, row["name"], row["confidence"], tuple(sources[one] for one in own), tuple(said)),
                *(bool(row["is_person"]), row["source_count"], resumed.get(key)),
            )
        )
    return _with_vectors(stage, anchors)


def _with_vectors(stage: Stage, anchors: Sequence[Anchor]) -> list[Anchor]:
    """The same, and with the vectors of their sources those of which nothing is stated: they alone are compared by
    these.
    """
    unstated = {one.id for one in anchors if policy.is_whole(one)}
    vectors = _read_vectors(stage, {source.id for one in anchors if one.id in unstated for source in one.sources})
    return [
        replace(one, sources=tuple(replace(source, vector=vectors.get(source.id)) for source in one.sources))
        if one.id in unstated
        else one
        for one in anchors
    ]


def _people(rows: Iterable[Row]) -> dict[str, frozenset[str]]:
    """The words of the names of those anchors that are people."""
    return {row["id"]: content_words(" ".join(_names(row))) for row in rows if row["is_person"]}


def _statements(
    anchor: Mapping[str, Any],
    stating: Iterable[str],
    sources: Mapping[str, StorySource],
    stated: Mapping[str, Sequence[Row]],
    people: Mapping[str, frozenset[str]],
) -> Iterator[StoryStatement]:
    """What sources of an anchor state of it, or in its own words, compared without the names of the ``people`` that
    each is about. What holds no longer is grouped, too, but in no summary: a storyline is the same one when its
    first statement is superseded.
    """
    names = {name.casefold() for name in _names(anchor)}
    for source in stating:
        for row in stated.get(source, ()):
            if anchor["id"] in row["about"] or (row["speaker"] or "").casefold() in names:
                unsaid = {word for one in (anchor["id"], *row["about"]) for word in people.get(one, ())}
                vector = without_words(row["vector"], unsaid)
                yield StoryStatement(row["chunk_id"], sources[source], vector)


def _names(anchor: Mapping[str, Any]) -> list[str]:
    return [anchor["name"], *(anchor["aliases"] or ())]


def _read_statements(stage: Stage, sources: Sequence[str], given: Iterable[tuple[str, str]]) -> dict[str, list[Row]]:
    """What sources state, and statements that are ``given`` with one of their sources, by source, each with the vector
    that it is compared by.
    """

    def take(row: Row) -> Row:
        # One by another embedder is comparable with none of these.
        known = row.pop("embedding") if row["embedder"] == stage.embedder.name else None
        words = {
            word: worth for word, worth in weighed(row["text"]).items() if word not in TIMES and not word[0].isdigit()
        }
        embedding = np.zeros(stage.embedder.width) if not known else np.asarray(known, np.float64)
        return row | {"vector": statement_vector(embedding, words).astype(np.float32)}

    found: dict[str, list[Row]] = {}
    asked: list[tuple[str, dict[str, Any]]] = [
        *(("hierarchy/list_statement_vectors", {"ids": list(part)}) for part in in_parts(sources)),
        *(("hierarchy/list_given_statement_vectors", {"rows": list(part)}) for part in in_parts(_pairs(given))),
    ]
    for query, params in asked:
        for row in stage.graph.read_each(query, take, user_id=stage.user, **params):
            found.setdefault(row["source_id"], []).append(row)
    return found


def _read_sources(stage: Stage, wanted: Iterable[str]) -> dict[str, StorySource]:
    """The sources, by id, without their vectors."""
    rows = stage.graph.read_parts("hierarchy/list_sources_for_storylines", sorted(wanted), user_id=stage.user)
    return {row["id"]: StorySource(row["id"], row["started_at"]) for row in rows}


def _read_vectors(stage: Stage, wanted: Iterable[str]) -> dict[str, np.ndarray | None]:
    """The vectors of sources, by id."""

    def take(row: Row) -> tuple[str, np.ndarray | None]:
        # One by another embedder (its source has not been processed again yet) is comparable with none of these.
        known = row["embedder"] == stage.embedder.name and row["embedding"]
        return row["id"], _unit(known) if known else None

    found: dict[str, np.ndarray | None] = {}
    for part in in_parts(sorted(wanted)):
        asked = {"user_id": stage.user, "ids": list(part)}
        found.update(stage.graph.read_each("hierarchy/list_source_vectors", take, **asked))
    return found


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
    for part in in_parts(_pairs(wanted)):
        rows += stage.graph.read(query, user_id=stage.user, rows=list(part))
    found: dict[str, list[Stated]] = {}
    for row in sorted(rows, key=_place):
        if row["chunk_id"] not in left_out:
            about = frozenset(row["about"])
            said = (row["chunk_id"], row["text"], row["speaker"], row["durability"] or 0.0)
            one = Stated(*said, about, bool(row["is_owners"]))
            found.setdefault(row["source_id"], []).append(one)
    return found


def _pairs(given: Iterable[tuple[str, str]]) -> list[Row]:
    """Statements, each with one of its sources, as queries take them."""
    return [{"source_id": source, "chunk_id": chunk} for source, chunk in sorted(given)]


def _place(row: Row) -> tuple[str, bool, int, int, str]:
    """Where a source states something; an unknown turn last."""
    return row["source_id"], row["turn"] is None, row["turn"] or 0, row["position"], row["chunk_id"]


def _unit(embedding: Sequence[float]) -> np.ndarray | None:
    """An embedding as a unit vector; None where no text was behind it."""
    vector = np.asarray(embedding, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    return vector / length if length else None


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
    known = stored["properties"]
    if known.get("embedder") != stage.embedder.name or known.get("is_dirty"):
        return False
    return all(
        row[name] == (to_iso(value) if isinstance(value := known.get(name), datetime) else value) for name in WRITTEN
    )


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
