"""What a file is chosen from: a bounded pool per section, read by indexed queries."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from memory_assets.graph.due_keys import LAST
from memory_assets.graph.graph import Graph
from memory_assets.graph.said import held_memories
from memory_assets.graph.values import read_instant
from memory_assets.llm.local import addressing
from memory_assets.llm.local.sentences import split_sentences
from memory_assets.llm.tasks import LETTERS
from memory_assets.memory_file.candidates import Later, Memory
from memory_assets.text import content as words
from memory_assets.text.lines import clean_text, same_words
from memory_assets.text.words import SENTENCE_END

POOL_SIZES: Mapping[str, int] = {"preferences": 300, "tasks": 300, "insights": 900, "recent": 100}


STANDING = "standing"
"""The shelf of what must always hold (``values/policy.py``)."""
CHANNELS = ("slack",)
"""Of them what is of no project is a conversation of a few."""
MANY = 3
"""So many people are more than two, as the source names them."""
SAID = ("conversation", "transcript", *LETTERS)
OWN_LINES = ("file-edit", "memory-file")
"""Kinds of sources whose lines a person wrote as lines."""
_BY_ITS_STATEMENTS = "what people write to each other is in a file by what it says, not by its summary"
NEVER_RECENT: Mapping[str, str] = {
    **dict.fromkeys(OWN_LINES, "a file of memories: each of its lines is a memory"),
    **dict.fromkeys(LETTERS, _BY_ITS_STATEMENTS),
}
"""Kinds of sources that are no recent context, and why: of 29 summaries of mails and channels readers found 4 good."""
FEWEST_WORDS = 3
"""A sentence of fewer words ("Yes, please.") says nothing by itself."""
DISTINCTIVE = 3.0
"""Nor does one whose words are less rare together (``words.rarity``), and that has no name or number: "Let me know
what you think.", "Sounds good to me." are said of the most different things.
"""
FROM_A_MACHINE = "a machine has sent it: a newsletter, a receipt, a notice"
_ENDS = ".!?…。！？"
_PLAIN_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_LEAD = re.compile(r"[^:.]{1,60}: \S+ \S+ ")


@dataclass(frozen=True)
class Shelves:
    """How many memories a user's file is chosen from, and the keys between which the first of each shelf lie."""

    user: str
    considered: int = 0
    ends: Mapping[str, str] = field(default_factory=dict)

    def bounds(self, shelf: str) -> dict[str, str]:
        """The first and last key of a shelf, as far as its best thousand: reading it costs the same at any size."""
        first = f"{self.user}|{shelf}|"
        return {"first": first, "last": self.ends.get(shelf, first + LAST)}


def read_shelves(graph: Graph, user: str) -> Shelves:
    """What was noted when the memories were last scored; nothing of a user who has none."""
    rows = graph.read("memory_file/count_considered", user_id=user)
    return Shelves(user, rows[0]["considered"], json.loads(rows[0]["shelf_ends"])) if rows else Shelves(user)


def _read_shelves_memories(graph: Graph, user: str, readable: list[str]) -> list[dict[str, Any]]:
    """The first memories of each shelf: what must always hold, each section's best, the newest sources; and what people
    have written into files.

    Files of memories and edits of them are no recent context: each of their lines is a memory of its own.
    """
    shelves, most = read_shelves(graph, user), POOL_SIZES["preferences"]
    listed = graph.read("graph/list_standing_shelf", user_id=user, limit=most, **shelves.bounds(STANDING))
    for section, most in POOL_SIZES.items():
        listed += graph.read("memory_file/list_section_shelf", user_id=user, limit=most, **shelves.bounds(section))
    listed += graph.read("memory_file/list_edited_shelf", user_id=user, limit=POOL_SIZES["preferences"])
    ids = sorted({row["memory_id"] for row in listed})
    stored = graph.read("memory_file/list_pool_memories", user_ids=readable, memory_ids=ids)
    said = {row["memory_id"]: row for row in stored}
    rows = [row | said[row["memory_id"]] for row in listed if row["memory_id"] in said]
    for row in rows:
        row.pop("owner")
        row |= {name: read_instant(row[name]) for name in ("occurred_at", "known_at")}
        if row.pop("is_bulk"):
            row["excluded"] = FROM_A_MACHINE
        kind = row.pop("source_type")
        if row["section"] == "recent":
            row["is_said"] = kind in SAID
            if kind in NEVER_RECENT:
                row["excluded"] = NEVER_RECENT[kind]
    summaries = read_summaries(graph, user, readable, rows)
    for row in rows:
        row["statement"] = summaries.get(row["memory_id"], row["statement"])
        wordings = {row["text"] or "", row["statement"] or row["text"] or ""}
        if (title := row.pop("source_title")) is not None and any(says_only(summary, title) for summary in wordings):
            row.setdefault("excluded", "its summary says no more than its title, or who speaks of what")
    return rows


def read_summaries(graph: Graph, user: str, readable: list[str], rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """How the summaries among memories that say "I" are published, by id: a source is summarised before it is known who
    "I" is, but its statements say it. A sentence that says "I" and that no statement rewrites is left out.
    """
    spoken = {
        row["memory_id"]: row["text"]
        for row in rows
        if row["memory_id"].startswith("source:") and addressing.means_speaker(row["text"] or "")
    }
    if not spoken:
        return {}
    said: dict[str, list[tuple[str, str]]] = {}
    asked = {"user_id": user, "user_ids": readable, "memory_ids": sorted(spoken)}
    for row in graph.read("memory_file/list_summary_statements", **asked):
        said.setdefault(row["memory_id"], []).append((row["text"], row["statement"]))
    return {memory_id: rewrite_summary(text, said.get(memory_id, ())) for memory_id, text in spoken.items()}


def rewrite_summary(summary: str, statements: Iterable[tuple[str, str]]) -> str:
    """A summary with statements in place of the words that they rewrite, and without what still says "I"."""
    for text, statement in sorted(statements, key=lambda pair: (-len(pair[0]), pair)):
        new = statement if text[-1:] in _ENDS else statement.rstrip(_ENDS)
        summary = summary.replace(text, new) if new and new not in summary else summary
    return " ".join(part for part in split_sentences(summary) if not addressing.means_speaker(part))


def says_only(summary: str, title: str) -> bool:
    """Whether a source's summary says no more than what the source is called, with the rest of a sentence that its
    title cuts, or who talked about what.
    """
    said, called = key_of(summary), key_of(title)
    begun = key_of(title.rstrip("…")) if title.endswith("…") else ""
    return (
        said == called
        or bool(begun and said.startswith(begun) and len(SENTENCE_END.split(said[len(begun) :])) == 1)
        or addressing.is_opening(summary)
    )


def read_pool(graph: Graph, user: str, readable: list[str]) -> list[Memory]:
    """The most valuable memories of each section, the newest sources, and every standing instruction."""
    common: dict[str, Any] = {"user_id": user, "user_ids": readable}
    rows = _read_shelves_memories(graph, user, readable)
    statements = sorted({row["memory_id"] for row in rows if row["entity_type"] == "KnowledgeChunk"})
    changes = _changes(graph.read("memory_file/list_pool_changes", user_id=user, memory_ids=statements))
    said_in = places(graph.read("memory_file/list_pool_places", memory_ids=statements, **common))
    overviews = sorted({row["memory_id"] for row in rows if row["entity_type"] in ("Macro", "Storyline")})
    for memory_id, held in held_memories(graph, user, readable, [row["memory_id"] for row in rows]).items():
        said_in[memory_id] = said_in.get(memory_id, {}) | {"held": held}
    for row in graph.read("memory_file/list_overview_kinds", memory_ids=overviews, **common):
        kinds = set(row["source_types"])
        said_in[row["memory_id"]] = {"is_letter": kinds.issubset(LETTERS), "is_said": kinds.issubset(SAID)}
    edits = graph.read("memory_file/list_edited_texts", user_id=user)
    # Out, too: the same words of somebody else, a summary that repeats them, a statement that a summary had said.
    out = taken_out(edits)
    written = {row["memory_id"] for row in edits if row["is_written"]}
    found = {}
    for row in rows:
        memory_id, is_written = row["memory_id"], row["memory_id"] in written
        said = sentence_keys(row["text"] or "") | sentence_keys(row["statement"] or "") if out else set()
        known = said_in.get(memory_id, {}) | row
        known |= {"text": row["text"] or "", "by_editor": is_written, "later": changes.get(memory_id, ())}
        if is_written:
            known["excluded"] = None
        elif not out.isdisjoint(said):
            known["excluded"] = "an edit of a file has taken it out"
        found[memory_id] = Memory(**known)
    return list(found.values())


def taken_out(edits: Iterable[Mapping[str, Any]]) -> set[str]:
    """What edits have taken out of the user's files: sentences of retired lines, and of changed ones what went."""
    out: set[str] = set()
    for row in edits:
        if row["is_out"]:
            out |= sentence_keys(row["published_text"]) - sentence_keys(row["edited_text"] or "")
    return out


def key_of(text: str) -> str:
    """The form in which two memories say the same: case and closing punctuation don't count either."""
    return same_words(clean_text(text)).casefold().rstrip(" .!…。")


def sentence_keys(text: str) -> set[str]:
    """The same of a text as a whole and of each of its sentences, with and without who is said to have said it."""
    flat = clean_text(text)
    said = [part for part in SENTENCE_END.split(flat) if _is_distinctive(part)]
    parts = {flat, *said, *(rest for part in said for rest in _behind_leads(part))}
    return {key for part in parts if (key := key_of(part))}


def _behind_leads(part: str) -> Iterator[str]:
    """A sentence without its lead, and without the ones behind it: an overview's title, a day, a speaker."""
    while _LEAD.match(part):
        part = part.partition(": ")[2]
        yield part


def _is_distinctive(sentence: str) -> bool:
    """Whether a sentence beside others is by itself something that can be taken out."""
    if not sentence.isascii():
        return True
    said = sentence.split()
    if len(said) < FEWEST_WORDS:
        return False
    if any(map(str.isdigit, sentence)) or any(
        word[:1].isupper() and len(word) > 1 and word[1] != "'" for word in said[1:]
    ):
        return True
    known = set(_PLAIN_WORD.findall(sentence.casefold())) - words.STOP_WORDS
    return sum(map(words.rarity, known)) >= DISTINCTIVE


def _changes(rows: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Later, ...]]:
    """What later statements have made of each, the latest last."""
    found: dict[str, tuple[Later, ...]] = {}
    for row in rows:
        later = Later(row["ref"], row["reason"], row["outdated"], row["lost"])
        found[row["memory_id"]] = (*found.get(row["memory_id"], ()), later)
    return found


def places(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The source of a statement, of several the last that said it: as a :class:`Memory` has it, by id.

    ``rows`` are those of ``list_pool_places``, one for each source; of a statement that is twice in it, the first
    place counts.
    """
    newest: dict[str, tuple[tuple[float, str, int, int], dict[str, Any]]] = {}
    to_few: set[str] = set()
    by_people: set[str] = set()
    for row in rows:
        if not row["is_bulk"]:
            by_people.update(row["memory_ids"])
        if not _is_to_many(row):
            to_few.update(row["memory_ids"])
        started = read_instant(row["started_at"])
        stated = zip(row["memory_ids"], row["turns"], row["positions"], row["said_at"], strict=True)
        for memory_id, turn, position, at in stated:
            said = read_instant(at or None)
            order = (-math.inf if said is None else said.timestamp(), row["source_id"], -turn, -position)
            known = newest.get(memory_id)
            if known is None or order > known[0]:
                kind = row["source_type"]
                place = {"source_id": row["source_id"], "source_at": started and started.timestamp()}
                place |= {"turn": turn, "position": position, "is_own_line": kind in OWN_LINES}
                newest[memory_id] = (order, place | {"is_letter": kind in LETTERS, "is_said": kind in SAID})
    return {
        memory_id: place
        | {"is_to_many": memory_id not in to_few}
        | ({} if memory_id in by_people else {"excluded": FROM_A_MACHINE})
        for memory_id, (_, place) in newest.items()
    }


def _is_to_many(row: Mapping[str, Any]) -> bool:
    is_channel = row["source_type"] in CHANNELS and bool(row["project"])
    return is_channel or (row["source_type"] in LETTERS and row["people"] >= MANY)
