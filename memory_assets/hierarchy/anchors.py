"""The anchors that storylines are of, as they are compared: with their sources, what these state of them, and vectors.
Reads only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from memory_assets.clock import END_OF_TIME, to_iso
from memory_assets.graph.statements import in_parts
from memory_assets.hierarchy import policy
from memory_assets.hierarchy.grouped import GroupFile
from memory_assets.hierarchy.matters import RECENT_STATEMENTS
from memory_assets.hierarchy.stage import Row, Stage
from memory_assets.hierarchy.stories import RULES, Anchor, Named, Resumed, StorySource, StoryStatement
from memory_assets.llm.local.nearness import compared_words, said_names, statement_vector, without_words
from memory_assets.text.content import content_words

NOTHING = frozenset[str]()


def note_change(changed: dict[str, datetime | None], anchor: str, since: datetime | None) -> None:
    """Note that something of an anchor has changed from an instant on; None is all of it."""
    before = changed.get(anchor, END_OF_TIME)
    changed[anchor] = None if since is None or before is None else min(since, before)


def read_anchors(
    stage: Stage, file: GroupFile, changed: dict[str, datetime | None] | None
) -> tuple[list[Anchor], dict[str, frozenset[str]], dict[str, Named]]:
    """The anchors that meet the counters, with what their sources state, what each is called, and the names of all, or
    of those that have changed, that statements are compared without.

    Of those that have ``changed`` alone, to which those are added whose storylines follow from a name that has; of each
    what is needed to go on from its last checkpoint before that.
    """
    if changed is None:
        least = {"least_sources": RULES.least_sources, "least_days": RULES.least_days}
        rows = stage.graph.read("hierarchy/list_anchors_for_storylines", user_id=stage.user, **least)
        named = _named(rows)
    else:
        rows, named = _read_changed(stage, file, changed)
    rows = [row for row in rows if _meets_counters(row)]
    names = {row["id"]: frozenset(name.casefold() for name in _names(row)) for row in rows}
    is_name = {row["id"]: _is_name(row["name"]) for row in rows}
    groups = file.groups(changed or ())
    resumed: dict[str, Resumed] = {}
    for key, since in (changed or {}).items():
        group = groups.get(key)
        if (
            group is None
            or since is None
            or group.names != names.get(key)
            or is_name.get(key) != _is_name(group.anchor.name)
        ):
            continue
        if (checkpoint := policy.choose_checkpoint(group.checkpoints, since, stage.now)) is not None:
            resumed[key] = checkpoint.resumed(tuple(file.stories_since(key, checkpoint).values()))

    def named_of(ids: Iterable[str]) -> dict[str, Named]:
        # What has changed and has no name now, has none that goes.
        return {key: one for key, one in file.named(ids).items() if key not in (changed or ())} | named

    anchors = _with_sources(stage, rows, named_of, resumed)
    # What is not there any more was taken away without a word.
    lacking = {
        one.id
        for one in anchors
        if one.resumed and one.resumed.needed(RECENT_STATEMENTS) - {s.key for s in one.statements}
    }
    if lacking:
        again = _with_sources(stage, [row for row in rows if row["id"] in lacking], named_of, {})
        anchors = [*(one for one in anchors if one.id not in lacking), *again]
    return anchors, names, named


def _read_changed(
    stage: Stage, file: GroupFile, changed: dict[str, datetime | None]
) -> tuple[list[Row], dict[str, Named]]:
    """The people, concepts and entities that have ``changed``, with those whose statements are compared without a name
    that has, which are added to these; and the names among theirs that statements are compared without.
    """
    rows: list[Row] = []
    named: dict[str, Named] = {}
    known: set[str] = set()
    while due := sorted(changed.keys() - known):
        known.update(due)
        read = list(stage.graph.read_parts("hierarchy/list_changed_anchors_for_storylines", due, user_id=stage.user))
        rows += read
        named |= _named(read)
        before = file.named(due)
        # What is there beside may have been renamed meanwhile, too.
        renamed = sorted(key for key in due if named.get(key) != before.get(key))
        for row in stage.graph.read_parts("hierarchy/list_anchors_beside", renamed, user_id=stage.user):
            note_change(changed, row["id"], row["since"])
        changed.update(dict.fromkeys(renamed))
    return rows, named


def _with_sources(
    stage: Stage,
    rows: Iterable[Row],
    named_of: Callable[[Iterable[str]], Mapping[str, Named]],
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
    named = named_of(about)
    anchors = []
    for row in rows:
        key = row["id"]
        own = [source for source in mentioning.get(key, ()) if source in sources]
        before = sorted({source for source, _ in needed.get(key, ())} & sources.keys() - {*own})
        said = [
            *statements_of(row, own, sources, stated, named),
            *(one for one in statements_of(row, before, sources, stated, named) if one.key in needed[key]),
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


def _named(rows: Iterable[Row]) -> dict[str, Named]:
    """The names that statements are compared without: of people who meet the counters, and of entities that anybody
    writes with a capital; a concept is a matter itself.
    """
    return {
        row["id"]: Named(content_words(" ".join(_names(row))), bool(row["is_person"]))
        for row in rows
        if (_meets_counters(row) if row["is_person"] else not row["is_concept"] and any(map(_is_name, _names(row))))
    }


def _meets_counters(row: Row) -> bool:
    return policy.meets_counters(row["source_count"], row["distinct_source_days"])


def _name_words(anchor: Mapping[str, Any]) -> frozenset[str]:
    """The words of what an anchor is called; none of a concept's, which is a matter itself."""
    is_named = anchor["is_person"] or _is_name(anchor["name"])
    return content_words(" ".join(_names(anchor))) if is_named else frozenset()


def _is_name(name: str) -> bool:
    """Whether it is written as a name, not as a concept."""
    return name != name.lower()


def statements_of(
    anchor: Mapping[str, Any],
    stating: Iterable[str],
    sources: Mapping[str, StorySource],
    stated: Mapping[str, Sequence[Row]],
    named: Mapping[str, Named],
) -> Iterator[StoryStatement]:
    """What sources of an anchor state of it, or in its own words of nobody else, compared without its name and those of
    people, of the ``named``, that each is about. What holds no longer is grouped, too, but in no summary: a storyline
    is the same one when its first statement is superseded.
    """
    names = {name.casefold() for name in _names(anchor)}
    own = _name_words(anchor)
    for source in stating:
        for row in stated.get(source, ()):
            others = [named[one] for one in row["about"] if one in named and one != anchor["id"]]
            is_of_others = any(one.is_person for one in others)
            is_own = (row["speaker"] or "").casefold() in names
            # "I married Nora", told as what Ana did, names Ana.
            if anchor["id"] in row["about"] or (
                is_own and not (is_of_others and own.isdisjoint(content_words(row["statement"])))
            ):
                people, things = own, NOTHING
                for one in others:
                    people, things = (people | one.words, things) if one.is_person else (people, things | one.words)
                vector = without_words(row["vector"], people)
                said = (row["chunk_id"], sources[source], vector, row["text"], people)
                yield StoryStatement(*said, said_names(things, row["text"]))


def _names(anchor: Mapping[str, Any]) -> list[str]:
    return [anchor["name"], *(anchor["aliases"] or ())]


def _read_statements(stage: Stage, sources: Sequence[str], given: Iterable[tuple[str, str]]) -> dict[str, list[Row]]:
    """What sources state, and statements that are ``given`` with one of their sources, by source, each with the vector
    that it is compared by.
    """

    def take(row: Row) -> Row:
        # One by another embedder is comparable with none of these.
        known = row.pop("embedding") if row["embedder"] == stage.embedder.name else None
        embedding = np.zeros(stage.embedder.width) if not known else np.asarray(known, np.float64)
        return row | {"vector": statement_vector(embedding, compared_words(row["text"])).astype(np.float32)}

    found: dict[str, list[Row]] = {}
    asked: list[tuple[str, dict[str, Any]]] = [
        *(("hierarchy/list_statement_vectors", {"ids": list(part)}) for part in in_parts(sources)),
        *(("hierarchy/list_given_statement_vectors", {"rows": list(part)}) for part in in_parts(as_rows(given))),
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


def as_rows(given: Iterable[tuple[str, str]]) -> list[Row]:
    """Statements, each with one of its sources, as queries take them."""
    return [{"source_id": source, "chunk_id": chunk} for source, chunk in sorted(given)]


def _unit(embedding: Sequence[float]) -> np.ndarray | None:
    """An embedding as a unit vector; None where no text was behind it."""
    vector = np.asarray(embedding, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    return vector / length if length else None
