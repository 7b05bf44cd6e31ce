"""One cycle of curation for one user: what is due is read, decided, and written, the rails in every transaction.

A dry run stops after the decisions: its list is what the run then does. What somebody writes meanwhile is left, and
looked at by the next cycle. A cycle that is killed has done some of it, and the next one goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from textwrap import shorten
from time import monotonic
from typing import Any, TypeVar

from memory_assets.clock import to_iso
from memory_assets.curation import policy
from memory_assets.curation.cadences import Cadence
from memory_assets.curation.condensing import Condensed, condense
from memory_assets.curation.duplicates import deduplicate
from memory_assets.curation.facts import Facts
from memory_assets.curation.merging import united
from memory_assets.curation.policy import CURATION, DESTRUCTIVE, CurationRules, Proposal, Step
from memory_assets.curation.rails import closed_rails
from memory_assets.curation.reading import KEYS, Plan, due_key, due_now, last_key, list_tiers
from memory_assets.curation.restoring import RESTORABLE, RETIRE
from memory_assets.curation.snapshots import whole_snapshots
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cut, cuts
from memory_assets.graph.statements import id_rows, in_parts, in_statements
from memory_assets.llm.model_client import LanguageModel
from memory_assets.model import node_id

PAGE = 200
"""So many memories are one transaction."""
MOST_IN_A_TIER = 20_000
GONE = 2
TURNS: Mapping[Step | None, int] = {Step.ARCHIVE: 1, Step.PRUNE: GONE, Step.REMOVE: GONE}
"""When something is done: first what stays (0), then what is archived, at last what goes."""
TEXT_LENGTH = 100
"""So much of a memory's text is in the table of what was done."""
Row = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class Done:
    """One thing that a cycle did, or would do: to which memory, what, and why."""

    facts: Facts
    proposal: Proposal

    def as_row(self) -> Row:
        """As tables and JSON show it."""
        facts, proposal = self.facts, self.proposal
        change = f"{facts.tier} to {proposal.tier}" if proposal.tier else ""
        if proposal.confidence is not None:
            change = f"confidence {facts.confidence:.2f} to {proposal.confidence:.2f}"
        text = shorten(facts.text, TEXT_LENGTH, placeholder="…")
        row = {"step": proposal.step.value, "ref": facts.ref, "kind": facts.kind, "agent": facts.agent}
        return row | {"why": proposal.reason, "change": change, "text": text, "id": facts.id}


@dataclass
class Cycle:
    """What a cycle came to."""

    id: str
    cadence: Cadence
    scanned: int = 0
    done: list[Done] = field(default_factory=list)
    overtaken: int = 0
    """Somebody wrote them, or a rail closed, between the decision and the write: they are looked at again."""
    left: int = 0
    """Due, and beyond what one cycle does: at least so many."""
    counts: Counter[str] = field(default_factory=Counter)
    merged: list[Row] = field(default_factory=list)
    """As ``Deduplicated.merged`` has them."""
    condensed: list[Condensed] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """What a model could not do now: the next cycle asks again."""
    tiers: dict[str, int] = field(default_factory=dict)
    """Tokens of each tier after it."""
    seconds: float = 0.0

    @property
    def steps(self) -> Counter[str]:
        """How many of each step."""
        return Counter(one.proposal.step.value for one in self.done) + self.counts


def run_cycle(
    graph: Graph,
    user: str,
    cadence: Cadence,
    now: datetime,
    *,
    dry_run: bool = False,
    rules: CurationRules = CURATION,
    mode: str | None = None,
    language: LanguageModel | None = None,
    vectors: Path | None = None,
    plan: Plan | None = None,
) -> Cycle:
    """Do what a cadence has to do for a user. The owner's lock is held.

    ``language`` is asked about pairs that words leave open, and to condense what is archived and long; ``vectors`` is
    the file of the user's vectors, by which duplicates are found; ``plan`` is what dry runs of other cadences would
    have left, to which a dry run adds (``plan_cycles``).
    """
    began = monotonic()
    cycle = Cycle(node_id("cycle", user, cadence.value, to_iso(now)), cadence)
    curator = _Curator(graph, user, now, rules, cycle, dry_run, plan if plan is not None and dry_run else Plan())
    curator.look()
    if cadence is Cadence.SIX_HOURS:
        curator.remove_tombstones()
        curator.merge_duplicates(language, vectors)
        curator.condense(language)
        curator.remove_old()
    curator.enforce_budgets()
    cycle.seconds = round(monotonic() - began, 3)
    if not dry_run and (cycle.scanned or any(cycle.steps.values())):
        curator.record(mode)
    return cycle


@dataclass(frozen=True)
class _Curator:
    """A cycle at work."""

    graph: Graph
    user: str
    now: datetime
    rules: CurationRules
    cycle: Cycle
    dry_run: bool
    plan: Plan
    """What dry runs before would have left; of a run it is empty."""

    def look(self) -> None:
        """Decide what is due of this cadence, all before any of it is written, and do it page by page.

        First what stays, then what is archived: what goes says to those that it is linked to that they are to be
        looked at again, and that must not be overwritten by what was decided before.
        """
        due = self.plan.list_due(self.graph, self.user, self.now, self.cycle.cadence, self.rules.most + 1)
        facts = self._facts(self._bounded(due, self.rules.most))
        self.cycle.scanned += len(facts)
        decided = {one.id: policy.decide(one, self.now, self.cycle.cadence, self.rules) for one in facts}
        for page in in_parts(sorted(facts, key=lambda one: TURNS.get(_step_of(decided[one.id]), 0)), PAGE):
            self._carry_out(page, decided)

    def _bounded(self, due: Sequence[T], most: int) -> Sequence[T]:
        """The first ``most`` of the rows; the cycle's ``left`` counts the others."""
        self.cycle.left += max(0, len(due) - most)
        return due[:most]

    def _facts(self, ids: Sequence[str]) -> list[Facts]:
        """Memories as they are, or as dry runs would have left them by now."""
        return self.plan.list_facts(self.graph, self.user, ids)

    def enforce_budgets(self) -> None:
        """Bring the owner's tiers within their budgets (001, Token Budget Enforcement).

        What a tier holds is read as it is stored; what refers to a memory only of those that would be archived.
        """
        held = self._held()
        protected: set[str] = set()
        while True:
            moves, self.cycle.tiers = policy.enforce_budgets(held, self.now, self.rules, protected)
            last = [one.id for one, proposal in moves if proposal.step is Step.ARCHIVE and one.id not in protected]
            whole = {one.id: one for one in self._facts(last)}
            railed = {name for name in last if name not in whole or closed_rails(whole[name].as_memory(), self.now)}
            if not railed:
                break
            protected |= railed
        known = {one.id: one for one in self._facts([one.id for one, _ in moves])}
        there = [(known[one.id], proposal) for one, proposal in moves if one.id in known]
        for page in in_parts(there, PAGE):
            self._carry_out([one for one, _ in page], {one.id: proposal for one, proposal in page})

    def _held(self) -> list[Facts]:
        """What the owner's tiers hold; in a dry run as what was decided would leave them."""
        held = list_tiers(self.graph, self.user, MOST_IN_A_TIER)
        full = Counter(one.tier for one in held).values()
        self.cycle.left += sum(count == MOST_IN_A_TIER for count in full)
        left = {one.id: one for one in held} | self.plan.left
        return [one for one in left.values() if one is not None and not one.is_archived]

    def remove_tombstones(self) -> None:
        """What was a tombstone for 30 days goes, with an audit that holds it whole."""
        asked = {"user_id": self.user, "last": last_key(self.now), "limit": self.rules.most + 1}
        due = self._bounded(self.graph.read("curation/list_tombstones_due", **asked), self.rules.most)
        if self.dry_run:
            self.cycle.counts["tombstones_removed"] += len(due)
            self.plan.cut(self.graph, self.user, ids := [row["id"] for row in due], removed=ids)
            return
        for page in in_parts(due, PAGE):
            snapshots = whole_snapshots(self.graph, self.user, [row["id"] for row in page])
            rows = [
                {**row, "audit_id": self._audit_id(row["id"], "remove"), "cycle_id": self.cycle.id}
                | {"snapshot": snapshots[row["id"]], "action": "remove"}
                for row in page
            ]
            removed = self.graph.write_together(self._cuts("remove_tombstones", rows))
            self.cycle.counts["tombstones_removed"] += sum(map(len, removed))

    def merge_duplicates(self, language: LanguageModel | None, vectors: Path | None) -> None:
        """What came in and says the same as something else of its kind is one with it (001, Deduplication)."""
        asked = language if language is not None and not getattr(language, "works_here", False) else None
        how: Row = {"file": vectors, "judge_model": asked, "cycle_id": self.cycle.id}
        done = deduplicate(self.graph, self.user, (), self.now, **how, plan=self.plan, dry_run=self.dry_run)
        if self.dry_run:
            ids = [row[side] for row in done.merged for side in ("kept", "gone")]
            known = {one.id: one for one in self._facts(ids)}
            for row in done.merged:
                survivor = united(known[row["kept"]], known[row["gone"]])
                self.plan.cut(self.graph, self.user, [row["gone"]])
                self.plan.keep(survivor, dict.fromkeys(Cadence, due_now(self.user, survivor.id)))
        self.cycle.left += done.waiting
        self.cycle.merged += done.merged
        self.cycle.problems += done.problems
        self.cycle.counts += Counter(merge=len(done.merged), compare=done.compared, list_pair=done.listed)

    def condense(self, language: LanguageModel | None) -> None:
        """Condense what is archived and long; a dry run asks nobody, and lists what would be asked."""
        done = condense(self.graph, language, self.user, self.now, plan=self.plan, dry_run=self.dry_run)
        self.cycle.condensed += done
        self.cycle.counts["condense"] += sum(not one.why for one in done)

    def remove_old(self) -> None:
        """Remove audits and figures of cycles after 30 days (001, Risks: audit bloat)."""
        removed = remove_old(self.graph, self.user, self.now, needed_by=self.plan.gone, dry_run=self.dry_run)
        self.cycle.left += removed.left
        self.cycle.counts += Counter(audits_removed=removed.audits, cycles_removed=removed.cycles)

    def record(self, mode: str | None) -> None:
        """Keep the cycle's figures (CurationCycleSummary)."""
        cycle = self.cycle
        row: Row = {"id": cycle.id, "cadence": cycle.cadence.value, "mode": mode}
        row |= {name: getattr(cycle, name) for name in ("scanned", "overtaken", "left", "seconds")}
        row |= {f"{name}_count": count for name, count in sorted(cycle.steps.items())}
        row |= {f"{tier.lower()}_tokens": tokens for tier, tokens in cycle.tiers.items()}
        self.graph.write("curation/record_cycle", [row], user_id=self.user, now=to_iso(self.now))

    def _carry_out(self, facts: Sequence[Facts], decided: Mapping[str, Proposal | None]) -> None:
        """One transaction: what was decided of some memories, and when to look at them next."""
        if self.dry_run:
            self.cycle.done += [Done(one, p) for one in facts if (p := decided[one.id]) is not None]
            self._plan(facts, decided)
            return
        cut = [one for one in facts if _step_of(decided[one.id]) in DESTRUCTIVE]
        snapshots = whole_snapshots(self.graph, self.user, [one.id for one in cut])
        rows = {one.id: self._cut(one, decided[one.id], snapshots) for one in cut}
        staying = [self._staying(one, decided[one.id]) for one in facts if one.id not in rows]
        writes = in_statements("curation/set_curated", staying, user_id=self.user, now=to_iso(self.now))
        for step, name in DESTRUCTIVE.items():
            writes += self._cuts(name, [rows[one.id] for one in cut if _step_of(decided[one.id]) is step])
        written = {row["id"] for part in self.graph.write_together(writes) for row in part}
        self.cycle.done += [Done(one, p) for one in facts if one.id in written and (p := decided[one.id]) is not None]
        self.cycle.overtaken += sum(one.id not in written for one in facts)

    def _plan(self, facts: Sequence[Facts], decided: Mapping[str, Proposal | None]) -> None:
        """What a transaction would leave of some memories."""
        gone = [one.id for one in facts if TURNS.get(_step_of(decided[one.id])) == GONE]
        for one in facts:
            if one.id not in gone:
                left = policy.after(one, decided[one.id], self.now)
                self.plan.keep(left, self._due(left))
        self.plan.archived.update(one.id for one in facts if _step_of(decided[one.id]) is Step.ARCHIVE)
        removed = [name for name in gone if _step_of(decided[name]) is Step.REMOVE]
        self.plan.cut(self.graph, self.user, gone, removed=removed)

    def _cuts(self, name: str, rows: Sequence[Row]) -> list[Statement]:
        born_before = to_iso(self.now - policy.GRACE)
        return cuts(name, rows, user=self.user, now=self.now, born_before=born_before)

    def _audit_id(self, memory_id: str, action: str) -> str:
        return node_id("audit", self.user, memory_id, action, to_iso(self.now))

    def _cut(self, facts: Facts, proposal: Proposal | None, snapshots: Mapping[str, str]) -> Row:
        """What a destructive statement writes of a memory, and of the audit."""
        assert proposal is not None
        action = proposal.step.value
        row: Row = {"id": facts.id, "version": facts.version, "label": facts.kind}
        row |= {"audit_id": self._audit_id(facts.id, action), "action": action, "reason": proposal.reason}
        row |= {"snapshot": snapshots.get(facts.id), "cycle_id": self.cycle.id}
        row |= {"remove_at": due_key(self.user, facts.id, self.now + self.rules.tombstone)}
        return row | self._keys(policy.after(facts, proposal, self.now))

    def _staying(self, facts: Facts, proposal: Proposal | None) -> Row:
        """What is written of a memory that stays."""
        row: Row = {"id": facts.id, "version": facts.version, **self._keys(policy.after(facts, proposal, self.now))}
        row |= {"needs_consolidation": True if _step_of(proposal) is Step.FLAG else None}
        if proposal is None:
            return row | {"tier": None, "confidence": None, "by_budget": False, "curation_action": None}
        row |= {name: getattr(proposal, name) for name in ("tier", "confidence", "by_budget")}
        return row | {"curation_action": proposal.step.value}

    def _keys(self, facts: Facts) -> Row:
        """When each cadence is to look at a memory next."""
        return {KEYS[cadence]: key for cadence, key in self._due(facts).items()}

    def _due(self, facts: Facts) -> dict[Cadence, str | None]:
        return {
            cadence: due_key(self.user, facts.id, policy.looks_at(facts, self.now, cadence, self.rules))
            for cadence in Cadence
        }


def plan_cycles(
    graph: Graph,
    user: str,
    cadences: Iterable[Cadence],
    now: datetime,
    *,
    rules: CurationRules = CURATION,
    language: LanguageModel | None = None,
    vectors: Path | None = None,
) -> list[Cycle]:
    """Dry runs of several cadences, each on what the ones before would have left: what runs in that order then do.

    But for what a model makes of something: nobody is asked.
    """
    run = partial(run_cycle, graph, user, now=now, dry_run=True, rules=rules, language=language, vectors=vectors)
    plan = Plan()
    return [run(cadence, plan=plan) for cadence in cadences]


def _step_of(proposal: Proposal | None) -> Step | None:
    return proposal.step if proposal is not None else None


MOST = 10_000
"""So many of each go at once; the next cycle takes the rest."""
OF_MEMORIES = (*RESTORABLE, RETIRE, "restore")
"""The audits of memories. Those of decisions (edits, tasks, names) stay with them."""


@dataclass(frozen=True)
class Removed:
    """How many audits and figures of cycles went, and how many are ``left``, at least."""

    audits: int = 0
    cycles: int = 0
    left: int = 0


def remove_old(
    graph: Graph, user: str, now: datetime, *, needed_by: Collection[str] = (), dry_run: bool = False
) -> Removed:
    """Remove what is older than 30 days and needed by nothing; with ``dry_run`` only count it, without what the
    memories would need that it has made tombstones. Repeating it changes nothing.
    """
    before = to_iso(now - CURATION.audits)
    asked = {"user_id": user, "before": before, "limit": MOST + 1}
    old = graph.read("curation/list_old_audits", actions=list(OF_MEMORIES), **asked)
    cycles = [row["id"] for row in graph.read("curation/list_old_cycles", **asked)]
    left = max(0, len(old) - MOST) + max(0, len(cycles) - MOST)
    audits, cycles = [row["id"] for row in old[:MOST] if row["memory_id"] not in needed_by], cycles[:MOST]
    if not dry_run:
        cut(graph, "retire_audits", id_rows(audits), user=user, before=before)
        cut(graph, "retire_cycles", id_rows(cycles), user=user, before=before)
    return Removed(len(audits), len(cycles), left)
