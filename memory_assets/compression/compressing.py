"""One user's contexts: read what is due, decide, write a batch at a time, then link all to each other.

No model is asked. A killed run leaves whole batches behind; the next one goes on with what lacks a fingerprint, or
has another place than it should.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from itertools import chain
from typing import Any

from memory_assets.batches import event_order
from memory_assets.clock import to_iso
from memory_assets.compression import policy
from memory_assets.compression.arrangement import Head, arrange, series_of
from memory_assets.compression.policy import FULL, LEVELS, SUMMARY, Context, Material, Said
from memory_assets.graph.due_keys import find_first
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts, ids_cut
from memory_assets.graph.owners import find_stage, readable_owners, stage_made
from memory_assets.graph.retirement import retirement_rows
from memory_assets.graph.statements import ROWS_PER_STATEMENT, Row, id_rows, in_parts, in_statements
from memory_assets.model import fingerprint, reference
from memory_assets.privacy.personal import read_personal

SOURCES_PER_BATCH = 64
"""How many sources share a transaction: what a kill can cost."""
EXTRACTED = "extracted"
STAGE, TAKEN = "contexts", "taken"
"""What all that is not marked was made from; and the mark of what a run has taken up."""
SERIES = {
    "thread": ("threads",),
    "channel": ("channels",),
    "file": ("paths",),
    "conversation": ("conversations", "threads"),
}
"""What a source is called by that is of a series, by its kind (arrangement.py)."""
CONTEXT_BEGINS = {"state": "candidate", "ttl_policy": "decay", "access_count": 0}


class Compressor:
    """One user's contexts; ``read_lately`` says which of some somebody has read since accesses were counted."""

    def __init__(
        self,
        graph: Graph,
        user: str,
        now: datetime,
        say: Callable[[str], None],
        read_lately: Callable[[Collection[str]], Collection[str]] = frozenset().intersection,
    ) -> None:
        self.graph, self.user, self.now, self.say = graph, user, now, say
        self.read_lately = read_lately
        self.owners = readable_owners(graph, user)

    def run(self, *, force: bool = False) -> Counter[str]:
        """Make all contexts that are due and retire those without a source; counts of what that took.

        Looked at is what has changed since the last run, by its marks; everything where ``force`` says so, or where
        contexts are made from something else by now.
        """
        if force or find_stage(self.graph, self.user, STAGE) != policy.CODE_VERSION:
            everything = Statement("compression/set_all_uncompressed", {"user_id": self.user})
            made = stage_made(self.user, STAGE, policy.CODE_VERSION, self.now)
            self.graph.write_together([everything, made])
        taken: dict[str, Any] = {"user_id": self.user, "taken": f"{self.user} {TAKEN}"}
        marked = [row["id"] for row in self.graph.read("compression/list_uncompressed", **taken)]
        changed = sorted(self._linked(marked).union(marked))
        self.graph.write("compression/take_sources", id_rows(changed), **taken)
        rows, stored = self._heads(changed), self._stored(changed)
        orphans = sorted(stored.keys() - rows.keys())
        counts: Counter[str] = Counter(retired=self._retire(orphans))
        known = _whole(stored)
        due = [
            (row["id"], made_from)
            for row in sorted(rows.values(), key=event_order)
            if row["status"] == EXTRACTED
            and ((made_from := _made_from(row)) != known.get(row["id"], {}).get("fingerprint") or force)
        ]
        counts["due"] = len(due)
        for start in range(0, len(due), SOURCES_PER_BATCH):
            counts += self._make(dict(due[start : start + SOURCES_PER_BATCH]), known)
            if len(due) > SOURCES_PER_BATCH:
                self.say(f"{self.user}: {min(start + SOURCES_PER_BATCH, len(due))} of {len(due)} sources compressed")
        counts["placed"] = self._place(rows)
        self.graph.write("compression/set_compressed", id_rows(changed), **taken)
        counts["expired"] = self._expire()
        return counts

    def next_expiry(self) -> datetime | None:
        """When the next of the user's contexts expires; None where none ever does."""
        first, last = f"{self.user} {to_iso(self.now)}", f"{self.user} ~"
        key = find_first(self.graph, "compression/find_next_expiry", self.user, first, last)
        return policy.expiry_of(key) if key else None

    def _heads(self, ids: Iterable[str]) -> dict[str, Row]:
        """Those of some sources that the user has extracted, or tried to, by their ids."""
        whose = {"user_id": self.user, "user_ids": self.owners}
        return {row["id"]: row for row in self.graph.read_parts("compression/list_heads", sorted(ids), **whose)}

    def _stored(self, ids: Iterable[str]) -> dict[str, Row]:
        """Those of some sources of which there are contexts, by their ids."""
        contexts = [policy.context_id(self.user, key, level) for key in sorted(ids) for level in LEVELS]
        found: dict[str, Row] = {}
        for row in self.graph.read_parts("compression/list_compressed", contexts, user_id=self.user, level=FULL):
            found[row["source_id"]] = max(row, found.get(row["source_id"], row), key=lambda one: one["id"] is not None)
        return found

    def _linked(self, ids: Iterable[str]) -> set[str]:
        """The sources beside which these are placed."""
        full = [policy.context_id(self.user, key, FULL) for key in ids]
        found = self.graph.read_parts("compression/list_linked_sources", full, user_id=self.user)
        return {row["id"] for row in found}

    def _beside(self, rows: Iterable[Row]) -> set[str]:
        """The sources among which these find their places."""
        names: dict[str, set[tuple[str, str]]] = {what: set() for what in chain.from_iterable(SERIES.values())}
        ids = []
        for row in rows:
            ids.append(row["id"])
            owner, kind, name = series_of(_head(row)) or (row["owner"], "", "")
            for what in SERIES.get(kind, ()):
                names[what].add((owner, name))
        found: set[str] = set()
        whose = {"user_ids": self.owners}
        asked = {
            what: [{"owner": owner, "name": name} for owner, name in sorted(given)] for what, given in names.items()
        }
        for start in range(0, max(len(ids), *map(len, asked.values())), ROWS_PER_STATEMENT):
            part = slice(start, start + ROWS_PER_STATEMENT)
            some = {what: given[part] for what, given in asked.items()}
            found |= {row["id"] for row in self.graph.read("compression/list_series", ids=ids[part], **some, **whose)}
        return found

    def _make(self, batch: Mapping[str, str], known: Mapping[str, Row]) -> Counter[str]:
        """Compress a batch of sources: one transaction. ``batch`` is what each is made from, by its id."""
        materials = self._read(list(batch))
        made = {row["id"]: policy.compress(material) for row, material in materials}
        rows = [
            self._row(row, context, batch[row["id"]], [one.level for one in made[row["id"]]])
            for row, _ in materials
            for context in made[row["id"]]
        ]
        whose, now = {"user_id": self.user}, to_iso(self.now)
        links = [
            {"from_id": row["parent_context_id"], "id": row["id"], "compression_ratio": row["compression_ratio"]}
            for row in rows
            if row["compression_level"] != FULL
        ]
        originals = [row for row in rows if row["compression_level"] == FULL]
        short = {
            policy.context_id(self.user, key, level)
            for key, contexts in made.items()
            if key in known
            for level in LEVELS[len(contexts) :]
        }
        self.graph.write_together(
            [
                *in_statements("compression/create_contexts", rows, **whose, beginning=CONTEXT_BEGINS, now=now),
                *in_statements("compression/set_contexts", rows, **whose, now=now),
                *in_statements("compression/link_levels", links, **whose),
                *in_statements("compression/link_originals", originals, **whose, user_ids=self.owners),
                *self._retired(self._to_retire(short, "its source has too few words for it")),
            ]
        )
        return Counter(compressed=len(made), contexts=len(rows))

    def _read(self, ids: Sequence[str]) -> list[tuple[Row, Material]]:
        """What the contexts of these sources are made from."""
        said, names = defaultdict(list), defaultdict(list)
        for row in self.graph.read("compression/list_said", ids=list(ids), user_id=self.user):
            said[row.pop("source_id")].append(Said(**row))
        for row in self.graph.read("compression/list_named", ids=list(ids), user_id=self.user):
            names[row["source_id"]].append((-float(row["confidence"] or 0), row["name"] or ""))
        found = self.graph.read(
            "compression/list_materials", ids=list(ids), user_ids=self.owners, opening=policy.OPENING
        )
        return [(row, _material(row, said[row["id"]], names[row["id"]])) for row in found]

    def _row(self, row: Row, context: Context, made_from: str, levels: Sequence[str]) -> Row:
        def other(level: str) -> str:
            return policy.context_id(self.user, row["id"], level)

        place = LEVELS.index(context.level)
        below = LEVELS[place + 1] if place + 1 < len(levels) else None
        is_full = context.level == FULL
        expires = policy.expires_at(context.level, self.now)
        identifier = other(context.level)
        return {
            **{key: value for key, value in vars(context).items() if key != "level"},
            "id": identifier,
            "ref": reference(identifier),
            "compression_level": context.level,
            "source_id": row["id"],
            "source_owner": row["owner"],
            "occurred_at": row["started_at"],
            "expires_at": expires,
            "due_key": policy.due_key(self.user, expires),
            # The place of a full context among others is decided when all are there.
            "parent_context_id": None if is_full else other(LEVELS[place - 1]),
            "child_context_ids": None if is_full else [other(below)] if below else [],
            "has_summary": SUMMARY in levels if is_full else None,
            "fingerprint": made_from if is_full else None,
        }

    def _place(self, changed: Mapping[str, Row]) -> int:
        """Give the full contexts of what has changed, and of what is beside it, the places that all sources say;
        how many had another.
        """
        heads = dict(changed)
        moved = {*heads, *self._beside(heads.values())}
        # Each of them finds its place among what is beside it.
        heads |= self._heads(moved - heads.keys())
        heads |= self._heads(self._beside(heads.values()) - heads.keys())
        known = _whole(self._stored(heads))
        placed = [
            _head(row)
            for row in heads.values()
            # What could not be extracted anew stays as it was.
            if row["id"] in known
        ]
        places = arrange(self.user, placed, (key for key, row in known.items() if row["has_summary"]))
        rows = [
            {**vars(place), "children": list(place.children), "arrangement": place.digest, "before": before}
            for key, place in places.items()
            if key in moved and place.digest != (before := known[key]["arrangement"])
        ]
        for part in in_parts(rows):
            statements = (
                ("compression/unplace_contexts", id_rows(row["id"] for row in part if row["before"])),
                ("compression/link_following", [row for row in part if row["previous"]]),
                ("compression/link_parts", [row for row in part if row["parent"]]),
                ("compression/place_contexts", part),
            )
            self.graph.write_together(
                [one for name, given in statements for one in in_statements(name, given, user_id=self.user)]
            )
        return len(rows)

    def _retire(self, orphans: Sequence[str]) -> int:
        """Retire the contexts of sources that are gone, or that the user may no longer read.

        The words and what they were made from go in any case: a rail keeps a memory, and gives nobody a right to read
        it. Whatever is left is empty, and is made again with its other levels once the source is there again.
        """
        retired = 0
        for part in in_parts(orphans, SOURCES_PER_BATCH):
            ids = sorted(policy.context_id(self.user, key, level) for key in part for level in LEVELS)
            reason = "its source is gone, or may no longer be read"
            before = [
                *cuts("withhold_contexts", id_rows(ids), user=self.user),
                *self._retired(self._to_retire(ids, reason)),
            ]
            results = self.graph.write_together(before)
            retired += len(ids_cut(before, results, "retire_contexts"))
        return retired

    def _expire(self) -> int:
        """Retire what has expired unread, with an audit; how many. The levels above it, and the source, stay."""
        expired = 0
        whose = {"user_id": self.user}
        window = {"first": f"{self.user} ", "last": policy.due_key(self.user, self.now), "limit": ROWS_PER_STATEMENT}
        while found := self.graph.read("compression/list_expired", **whose, **window):
            read = self.read_lately([row["id"] for row in found])
            unread = [row for row in found if row["id"] not in read]
            if not unread:
                break  # once that is counted, a rail keeps them
            above = [{"id": parent} for row in unread if (parent := row["properties"].get("parent_context_id"))]
            reason = f"it expired: nobody had read it for {policy.RULES.keywords_days} days"
            statements = [
                *self._retired(self._retirements(unread, reason)),
                *in_statements("compression/set_children", above, **whose),
            ]
            retired, *_ = self.graph.write_together(statements)
            if not retired:
                break  # a rail has closed since: the next run looks again
            expired += len(retired)
        return expired

    def _retired(self, rows: Sequence[Row]) -> list[Statement]:
        return cuts("retire_contexts", rows, user=self.user, now=self.now)

    def _to_retire(self, ids: Collection[str], reason: str) -> list[Row]:
        """Rows for the retirement of those among these contexts that are there."""
        found = self.graph.read("compression/list_contexts", ids=sorted(ids), user_id=self.user) if ids else []
        return self._retirements(found, reason)

    def _retirements(self, found: Sequence[Row], reason: str) -> list[Row]:
        """Their words are left out of the audit: they may not outlive the right to read the source they follow from."""
        for row in found:
            row["properties"].pop("content", None)
        return retirement_rows(self.user, found, reason, self.now)


def _head(row: Row) -> Head:
    return Head(**{field.name: row[field.name] for field in fields(Head)})


def _whole(stored: Mapping[str, Row]) -> dict[str, Row]:
    """Those that have their full context."""
    return {key: row for key, row in stored.items() if row["id"] is not None}


def _made_from(row: Mapping[str, Any]) -> str:
    """All that a source's contexts follow from, in short."""
    names = ("extraction", "processed", "text", "sensitivity", "personal_data", "owner")
    return fingerprint(policy.CODE_VERSION, *(row[name] for name in names), to_iso(row["started_at"]))


def _material(row: Mapping[str, Any], said: Sequence[Said], names: Sequence[tuple[float, str]]) -> Material:
    known: dict[str, Any] = {name: row[name] or "" for name in ("title", "summary", "opening")}
    known |= {"names": tuple(dict.fromkeys(name for _, name in sorted(names) if name)), "said": tuple(said)}
    known |= {"keywords": tuple(row["keywords"]), "token_count": row["token_count"] or 0}
    known |= {"sensitivity": row["sensitivity"], "has_personal_data": bool(read_personal(row["personal_data"]))}
    return Material(**known)
