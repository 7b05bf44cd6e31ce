"""One user's records brought up to date: read the sources that have changed, decide what each record says, write.

A record may be in several sources (the same id on two days, one file in two places): what holds is the latest of all
versions, so that the order of arrival does not show. A killed run leaves whole batches behind.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory_assets.batches import in_batches
from memory_assets.clock import Clock
from memory_assets.errors import BudgetExceededError, ModelError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts, ids_cut
from memory_assets.graph.retirement import retirement_rows
from memory_assets.graph.statements import in_parts, in_statements
from memory_assets.llm.model_client import Embedder, embed_each
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import fingerprint
from memory_assets.records import policy
from memory_assets.records.policy import Version

ASSET = "agent_records"
SOURCES_AT_ONCE = 32
CHARACTERS_AT_ONCE = 4_000_000
"""How much raw content is one transaction: what a kill can cost."""
UNRECORDED = "no source has it any more"

Row = dict[str, Any]


@dataclass
class _Batch:
    """Some sources that have changed: what their records say now, and what is known of these records."""

    sources: Sequence[Row]
    holding: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By record, which sources have it: those of the batch, and others that had it before."""
    versions: dict[str, Version] = field(default_factory=dict)
    merged_into: dict[str, str] = field(default_factory=dict)
    """By a merged record, the one that it was merged into: a source with its version counts as one of that record."""
    pruned: set[str] = field(default_factory=set)
    linked: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By record, to which sources of the batch it is linked now."""
    stored: dict[str, Row] = field(default_factory=dict)

    @property
    def touched(self) -> list[str]:
        return sorted({*self.holding, *self.linked})


class Recorder:
    """One user's records. The owner's lock is held."""

    def __init__(
        self, graph: Graph, embedder: Embedder, clock: Clock, user: str, say: Callable[[str], None] = lambda text: None
    ) -> None:
        self.graph, self.embedder, self.clock, self.user, self.say = graph, embedder, clock, user, say
        self.problems: list[str] = []
        self.failed: list[str] = []

    def run(self, given: Collection[str] | None = None) -> Counter[str]:
        """Record all that is due, or what is among the ``given`` sources, or as much as the budget allows; counts of
        what that took.
        """
        if given is None:
            heads = self.graph.read("records/list_sources", user_id=self.user)
        else:
            heads = self.graph.read("records/list_given_sources", user_id=self.user, ids=sorted(given))
        due = [head for head in heads if head["recorded"] != self._recorded(head)]
        counts: Counter[str] = Counter(due=len(due), standing=len(heads) - len(due))
        done = 0
        try:
            for sources in in_batches(due, SOURCES_AT_ONCE, lambda head: head["raw_size"] or 0, CHARACTERS_AT_ONCE):
                counts += self._record(sources)
                done += len(sources)
                self.say(f"{self.user}: records of {done} of {len(due)} sources")
        except BudgetExceededError as error:
            counts["left_by_budget"] = len(due) - done
            self.problems.append(f"the records of {len(due) - done} sources are left for the next run: {error}")
        return counts + self._link()

    def _recorded(self, head: Mapping[str, Any]) -> str | None:
        """The mark of a source with current records: of its content, the code and the embedder; None out of use."""
        recipe = recipe_of(self.embedder.name)
        return fingerprint(head["content_hash"], recipe) if head["is_in_use"] else None

    def _record(self, sources: Sequence[Row]) -> Counter[str]:
        batch = self._read(sources)
        written, again = self._decide(batch)
        embeddings, tokens = self._embed([*written, *again])
        rows = [policy.row_of(version, tokens[version.id], embeddings.get(version.id)) for version in written]
        new = [row for row in rows if row["id"] not in batch.stored]
        own_ids = sorted({row["record_id"] for row in new if row["record_id"] is not None})
        statements = [
            *self._statements("records/create_records", new, now=self._now),
            *self._statements("records/set_records", rows, embedder=self.embedder.name, now=self._now),
            *self._statements("records/unlink_references", [row for row in rows if row["id"] in batch.stored]),
            *self._statements("records/set_referring_unlinked", [{"record_id": name} for name in own_ids]),
            *self._statements(
                "records/set_record_embeddings",
                [{"id": version.id, "embedding": embeddings[version.id]} for version in again],
                embedder=self.embedder.name,
            ),
        ]
        linking, gone = self._placing(batch, {row["id"] for row in new})
        rows_gone = retirement_rows(self.user, gone, UNRECORDED, self.clock.now())
        retire = cuts("retire_unrecorded", rows_gone, user=self.user, now=self._now)
        recorded = [{"id": head["id"], "recorded": self._recorded(head)} for head in sources]
        statements += [*linking, *retire, *self._statements("records/set_sources_recorded", recorded)]
        results = self.graph.write_together(statements)
        retired = len(ids_cut(statements, results, "retire_unrecorded"))
        counts = {"new": len(new), "changed": len(rows) - len(new), "embedded_again": len(again)}
        return Counter(counts | {"retired": retired, "kept_by_a_rail": len(gone) - retired})

    def _read(self, sources: Sequence[Row]) -> _Batch:
        batch = _Batch(sources)
        ids = [head["id"] for head in sources]
        found = self._read_contents(batch, ids, None)
        for row in self.graph.read("records/list_recorded", user_id=self.user, ids=ids):
            batch.linked[row["id"]].add(row["source_id"])
        merged = self.graph.read_parts("graph/list_merged", batch.touched, user_id=self.user)
        batch.merged_into |= {row["id"]: row["kept_id"] for row in merged}
        stored = self.graph.read_parts("records/list_stored", batch.touched, user_id=self.user)
        batch.stored |= {row["id"]: row for row in stored}
        others = {source for row in batch.stored.values() for source in row["source_ids"]}
        # What was removed for good has no links to the sources that have later versions of it.
        named = {entry.partition("|")[0] for entry in batch.pruned}
        if removed := sorted(named & batch.holding.keys() - batch.stored.keys()):
            rows = self.graph.read("records/list_pruned_in", user_id=self.user, ids=removed)
            others.update(row["source_id"] for row in rows)
        for part in in_parts(sorted(others - set(ids)), SOURCES_AT_ONCE):
            found += self._read_contents(batch, part, {*batch.touched, *batch.merged_into})
        batch.versions = policy.latest(found)
        for gone, remaining in batch.merged_into.items():
            version = batch.versions.get(gone)
            if version is not None and version.pruned_as in batch.pruned:
                batch.holding[remaining] |= batch.holding.pop(gone)
        return batch

    def _read_contents(self, batch: _Batch, ids: Sequence[str], only: set[str] | None) -> list[Version]:
        """The versions in some sources, those of ``only`` these records; which sources have which is noted."""
        found = []
        for row in self.graph.read("records/list_contents", user_id=self.user, ids=list(ids)):
            batch.pruned.update(row["pruned_records"])
            for version in policy.read_versions(self.user, row["raw_content"] or "").values():
                if only is None or version.id in only:
                    found.append(version)
                    batch.holding[version.id].add(row["id"])
        return found

    def _decide(self, batch: _Batch) -> tuple[list[Version], list[Version]]:
        """Which versions are to be written, and which only need a new embedding."""
        written, again = [], []
        for version in batch.versions.values():
            stored = batch.stored.get(version.id)
            if version.pruned_as in batch.pruned:
                continue
            if stored is None or stored["fingerprint"] != version.fingerprint:
                written.append(version)
            elif not stored["is_living"] and version.id not in batch.merged_into:
                written.append(version)  # it was pruned while its source was out of use
            elif stored["is_living"] and stored["embedder"] != self.embedder.name:
                again.append(version)
        return written, again

    def _embed(self, versions: Sequence[Version]) -> tuple[dict[str, list[float]], dict[str, int]]:
        """The embeddings and lengths of versions by id; one that the service refuses has none, and is noted."""
        tokens = {version.id: count_tokens(version.text) for version in versions}
        texts = [version.text for version in versions]
        vectors = embed_each(self.embedder, texts, asset=ASSET, user_id=self.user) if texts else []
        found = {}
        for version, vector in zip(versions, vectors, strict=True):
            if isinstance(vector, ModelError):
                self.failed.append(f"{version.kind} {version.id} has no embedding: {vector}")
            else:
                found[version.id] = vector.tolist()
        return found, tokens

    def _placing(self, batch: _Batch, new: set[str]) -> tuple[list[Statement], list[Row]]:
        """Links of records to the sources of the batch, as they are now, and the records that no source has."""
        ids = {head["id"] for head in batch.sources}
        link, unlink, gone = [], [], []
        for record in batch.touched:
            stored = batch.stored.get(record)
            is_there = stored is not None or record in new
            has, had = batch.holding.get(record, set()) & ids, batch.linked.get(record, set())
            link += [{"id": record, "source_id": source} for source in sorted(has - had) if is_there]
            if had - has:
                unlink.append({"id": record, "gone_ids": sorted(had - has)})
            if stored is not None and stored["is_living"] and not batch.holding.get(record):
                gone.append(stored)
        return [
            *self._statements("records/link_sources", link),
            *cuts("retire_recordings", unlink, user=self.user),
        ], gone

    def _link(self) -> Counter[str]:
        """Link records to those that they refer to and that have come in by now."""
        waiting = self.graph.read("records/list_unlinked", user_id=self.user)
        linked = 0
        for part in in_parts(waiting):
            named: dict[str, set[str]] = defaultdict(set)
            names = sorted({name for row in part for name in [*(row["refers_to"] or []), *(row["learned_from"] or [])]})
            for row in self.graph.read("records/list_named", user_id=self.user, names=names):
                named[row["name"]].add(row["id"])
            links = policy.link_named(part, named)
            self.graph.write_together([one for name, rows in links.items() for one in self._statements(name, rows)])
            linked += len(links["records/set_linked"])
        return Counter(linked=linked, waiting_for_others=len(waiting) - linked)

    def _statements(self, name: str, rows: Sequence[Row], **params: Any) -> list[Statement]:
        return in_statements(name, rows, user_id=self.user, **params)

    @property
    def _now(self) -> str:
        return self.clock.now().isoformat()


def recipe_of(embedder: str) -> str:
    """What a source's records are made with: the code and the embedder."""
    return fingerprint(policy.CODE_VERSION, embedder)
