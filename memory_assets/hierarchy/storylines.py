"""One user's storylines: read anchors and sources, group, name, write."""

from __future__ import annotations

import calendar
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from memory_assets.clock import MONTHS, to_iso
from memory_assets.graph.graph import Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.owners import find_stage
from memory_assets.graph.statements import in_parts
from memory_assets.hierarchy import policy
from memory_assets.hierarchy.naming import (
    Due,
    Stated,
    shown_of,
    storyline_fingerprint,
    storyline_id,
    storyline_request,
)
from memory_assets.hierarchy.policy import RULES, Anchor, Story, StorySource, StoryStatement, statement_vector
from memory_assets.hierarchy.saved_vectors import DIGITS, STATEMENTS, read_vectors, save_vectors, shortened
from memory_assets.hierarchy.stage import Row, Stage, Task
from memory_assets.llm.local.lexicon import TIME_NOUNS
from memory_assets.llm.tasks import NAME_STORYLINE, StorylineName
from memory_assets.model import fingerprint
from memory_assets.text.content import content_words, weighed

TASK = Task("storylines", NAME_STORYLINE, StorylineName, "summary", policy.CODE_VERSION, RULES.most_a_run)
WRITTEN = (
    *("anchor_id", "title", "given_title", "summary", "source_count", "distinct_source_days", "first_source_at"),
    *("statement_ids", "last_source_at", "confidence", "token_count", "embedding", "model", "fingerprint"),
)
"""The properties that follow from what a storyline is made up of (``hierarchy/set_storylines``)."""
TIMES = content_words(" ".join((*MONTHS, *calendar.day_name, *TIME_NOUNS)))
"""What happens in one month or at one time of the day is not of one matter for it."""
NAMES = "names/changes"
"""The stage that says another word whenever a name comes to mean somebody else (entities/resolving.py)."""


def derive_storylines(stage: Stage, *, force: bool) -> Counter[str]:
    """Bring a user's storylines in line with the sources; counts of what that took."""
    extractions = stage.graph.read("hierarchy/list_extraction_fingerprints", user_id=stage.user)
    silent = {row["chunk_id"] for row in stage.graph.read("hierarchy/list_silent_statements", user_id=stage.user)}
    digest = _digest(stage, extractions, silent)
    if not force and stage.is_current(digest):
        return Counter(users_unchanged=1)
    anchors = _read_anchors(stage, extractions, force=force)
    chosen = policy.choose_anchors(anchors)
    grouped = [story for anchor in chosen for story in policy.group_storylines(anchor, now=stage.now)]
    stage.changes_at = policy.next_founding(chosen, grouped, now=stage.now)
    stories = {storyline_id(stage.user, story): story for story in policy.choose_storylines(grouped)}
    existing = {row["id"]: row for row in stage.graph.read("hierarchy/list_storylines", user_id=stage.user)}
    summaries = _read_summaries(stage, stories.values())
    stated = _read_stated(stage, stories.values(), silent)
    due = {}
    for key, story in sorted(stories.items()):
        request = storyline_request(story, summaries, stated)
        made_from = storyline_fingerprint(story, request, stage.recipe)
        due[key] = Due(key, made_from, request, story.anchor.id, story.first_at, story.last_at)
    named, counts = stage.name(
        list(due.values()), {key: row["properties"] for key, row in existing.items()}, force=force
    )
    named = stage.tell_apart(named, due)
    links = {row["id"]: row for row in stage.graph.read("hierarchy/list_storyline_links", user_id=stage.user)}
    rows = []
    for key in sorted(named):
        row = stage.row(due[key], named[key]) | _extent(stories[key], links.get(key, {}))
        if force or not _is_written(stage, row, existing.get(key)):
            rows.append(row)
    stage.write(rows, lambda part: _writes(stage, part))
    counts += Counter(
        anchors=len(anchors),
        stories=len(stories),
        told_twice_or_over=len(grouped) - len(stories),
        written=len(rows),
    )
    gone = [row for key, row in existing.items() if key not in stories]
    having = {stories[key].anchor.id for key in named}
    if len(named) < len(stories):
        # Nothing is retired for something that is not there yet.
        digest = ""
        gone = _replaced(gone, links, [stories[key] for key in named])
        going = {row["id"] for row in gone}
        having |= {row["properties"]["anchor_id"] for row in existing.values() if row["id"] not in going}
    promotions = {
        "user_id": stage.user,
        "promoted_ids": sorted({story.anchor.id for story in grouped}),
        "storyline_ids": sorted(having),
    }
    last = stage.retirements("retire_underived_storylines", gone, "the sources do not make it up any more")
    results = stage.complete(digest, [*last, Statement("hierarchy/set_anchor_promotions", promotions)])
    counts["retired"] = sum(map(len, results[: len(last)]))
    return counts


def _replaced(
    gone: Sequence[dict[str, Any]], links: Mapping[str, Mapping[str, Any]], written: Iterable[Story]
) -> list[dict[str, Any]]:
    """Of storylines that the sources make up no more, those of which a source is in a written one of the same
    anchor.
    """
    taken = {(story.anchor.id, source) for story in written for source in story.source_ids}
    return [
        row
        for row in gone
        if any(
            (row["properties"]["anchor_id"], source) in taken
            for source in links.get(row["id"], {}).get("source_ids", ())
        )
    ]


def _digest(stage: Stage, rows: Sequence[Mapping[str, Any]], silent: Collection[str]) -> str:
    """All that decides the storylines: extractions, the sources' descriptions, this code, what holds no longer, and
    what is too young.
    """
    parts = [
        f"{row['source_id']} {row['fingerprint']} {row['status']} {row['described']}"
        for row in sorted(rows, key=lambda r: r["source_id"])
    ]
    grown = stage.now - RULES.older_than
    first = (grown - timedelta(days=2)).date().isoformat()  # of which day a text is depends on its zone
    late = [row for row in rows if row["started_at"] and row["started_at"][:10] >= first]
    young = [row["source_id"] for row in late if datetime.fromisoformat(row["started_at"]) >= grown]
    named = find_stage(stage.graph, stage.user, NAMES) or ""
    told = [f"names {named}"] if named else []
    return fingerprint(stage.recipe, *parts, "young", *sorted(young), *told, "silent", *sorted(silent))


def _read_anchors(stage: Stage, extractions: Sequence[Mapping[str, Any]], *, force: bool) -> list[Anchor]:
    rows = stage.graph.read(
        "hierarchy/list_anchors_for_storylines",
        user_id=stage.user,
        least_sources=RULES.least_sources,
        least_days=RULES.least_days,
    )
    wanted = {source for row in rows for source in row["source_ids"]}
    sources = _read_sources(stage, wanted, extractions, force=force)
    stated = _read_statements(stage, sources, force=force)
    people = {row["id"]: content_words(" ".join(_names(row))) for row in rows if row["is_person"]}
    return [
        Anchor(
            row["id"],
            row["name"],
            row["confidence"],
            tuple(sources[key] for key in sorted(row["source_ids"]) if key in sources),
            tuple(_statements(row, sources, stated, people)),
            bool(row["is_person"]),
        )
        for row in rows
    ]


def _statements(
    anchor: Mapping[str, Any],
    sources: Mapping[str, StorySource],
    stated: Mapping[str, Sequence[Row]],
    people: Mapping[str, frozenset[str]],
) -> Iterator[StoryStatement]:
    """What the sources of an anchor state of it, or in its own words, compared without the names of the ``people`` that
    each is about. What holds no longer is grouped, too, though not told: a storyline is the same one when its first
    statement is superseded.
    """
    names = {name.casefold() for name in _names(anchor)}
    for source in sorted(anchor["source_ids"]):
        for row in stated.get(source, ()):
            if anchor["id"] in row["about"] or (row["speaker"] or "").casefold() in names:
                unsaid = {word for one in (anchor["id"], *row["about"]) for word in people.get(one, ())}
                vector = policy.without_words(row["vector"], unsaid)
                yield StoryStatement(row["chunk_id"], sources[source], vector)


def _names(anchor: Mapping[str, Any]) -> list[str]:
    return [anchor["name"], *(anchor["aliases"] or ())]


def _read_statements(stage: Stage, sources: Mapping[str, StorySource], *, force: bool) -> dict[str, list[Row]]:
    """What sources state, by source, each with the vector that it is compared by; from the graph only those whose
    vectors were not saved as they are now.
    """
    rows = [
        row
        for part in in_parts(sorted(sources))
        for row in stage.graph.read("hierarchy/list_statement_heads", user_id=stage.user, ids=list(part))
    ]
    marks = {
        row["chunk_id"]: fingerprint(policy.CODE_VERSION, stage.embedder.name, row["embedder"] or "")[:DIGITS]
        for row in rows
    }
    vectors = {} if force else read_vectors(stage.saved, marks, STATEMENTS)
    new = sorted(marks.keys() - vectors.keys())
    for part in in_parts(new):
        for row in stage.graph.read("hierarchy/list_statement_vectors", user_id=stage.user, ids=list(part)):
            # One by another embedder is comparable with none of these.
            known = row["embedding"] if row["embedder"] == stage.embedder.name else None
            words = {
                word: worth
                for word, worth in weighed(row["text"]).items()
                if word not in TIMES and not word[0].isdigit()
            }
            embedding = np.zeros(stage.embedder.width) if not known else np.asarray(known, np.float64)
            vectors[row["chunk_id"]] = statement_vector(embedding, words).astype(np.float32)
    if new:
        save_vectors(stage.saved, marks, vectors, STATEMENTS)
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row["chunk_id"] in vectors:
            found.setdefault(row["source_id"], []).append(row | {"vector": vectors[row["chunk_id"]]})
    return found


def _read_sources(
    stage: Stage, wanted: set[str], extractions: Sequence[Mapping[str, Any]], *, force: bool
) -> dict[str, StorySource]:
    """The sources with their vectors, by id: from the graph only those whose embeddings were not saved, or are
    others now.
    """
    marks = {
        row["source_id"]: fingerprint(row["described"], row["embedder"])[:DIGITS]
        for row in extractions
        if row["described"] and row["embedder"] == stage.embedder.name and row["source_id"] in wanted
    }
    vectors = {} if force else read_vectors(stage.saved, marks)
    times = {
        row["source_id"]: datetime.fromisoformat(row["started_at"]) if row["started_at"] else None
        for row in extractions
        if row["source_id"] in vectors
    }
    sources = {key: StorySource(key, times[key], _unit(vector)) for key, vector in vectors.items()}

    def take(row: dict[str, Any]) -> tuple[str, datetime | None, np.ndarray | None]:
        # One by another embedder (its source has not been processed again yet) is comparable with none of these.
        known = row["embedder"] == stage.embedder.name and row["embedding"]
        return row["id"], row["started_at"], shortened(known) if known else None

    is_new = False
    for part in in_parts(sorted(wanted - vectors.keys())):
        for key, at, vector in stage.graph.read_each(
            "hierarchy/list_sources_for_storylines", take, user_id=stage.user, ids=list(part)
        ):
            sources[key] = StorySource(key, at, None if vector is None else _unit(vector))
            if vector is not None and key in marks:
                vectors[key], is_new = vector, True
    if is_new:
        save_vectors(stage.saved, marks, vectors)
    return sources


def _read_summaries(stage: Stage, stories: Iterable[Story]) -> dict[str, str]:
    """The summaries that storylines are named by, by source."""
    ids = sorted({source.id for story in stories for source in shown_of(story)})
    found: dict[str, str] = dict.fromkeys(ids, "")
    for part in in_parts(ids):
        rows = stage.graph.read("hierarchy/list_summaries_for_storylines", user_id=stage.user, ids=list(part))
        found |= {row["id"]: row["summary"] or "" for row in rows}
    return found


def _read_stated(stage: Stage, stories: Iterable[Story], silent: Collection[str]) -> dict[str, list[Stated]]:
    """What the sources that storylines are named by state and holds, by source, in its order."""
    ids = sorted({source.id for story in stories for source in shown_of(story)})
    found: dict[str, list[Stated]] = {}
    for part in in_parts(ids):
        for row in stage.graph.read("hierarchy/list_statements_for_storylines", user_id=stage.user, ids=list(part)):
            if row["chunk_id"] not in silent:
                one = Stated(
                    row["chunk_id"], row["text"], row["speaker"], row["durability"] or 0.0, frozenset(row["about"])
                )
                found.setdefault(row["source_id"], []).append(one)
    return found


def _unit(embedding: np.ndarray) -> np.ndarray | None:
    """An embedding as a unit vector; None where no text was behind it."""
    vector = np.asarray(embedding, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    return vector / length if length else None


def _extent(story: Story, links: Mapping[str, Any]) -> Row:
    """How much a storyline includes; ``new_ids`` and ``gone_ids`` are the sources that its links lack and should."""
    linked = set(links.get("source_ids", ()))
    return {
        "source_count": len(story.sources),
        "distinct_source_days": story.days,
        "first_source_at": to_iso(story.first_at),
        "last_source_at": to_iso(story.last_at),
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
    ]
