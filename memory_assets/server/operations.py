"""The operations that agents have, once for every protocol: what each takes, and what it answers.

Whose memory it is follows from the key, never from a parameter. Every text is within its budget.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import cached_property, partial
from typing import Any

from memory_assets.clock import check_order
from memory_assets.commands import correcting, decisions
from memory_assets.commands.citing import count_cited, note_used
from memory_assets.commands.consolidating import DONE, WORKING, Consolidations
from memory_assets.commands.context import check_surface, context_for, predict_for
from memory_assets.commands.hooks import Files, act
from memory_assets.commands.projects import project_at
from memory_assets.commands.reading import BELOW, explain, explore_for, history, read_file
from memory_assets.commands.reading import open_memory as opened_for
from memory_assets.commands.remembering import PATIENCE, local_models, remember
from memory_assets.commands.sessions import end_session, keep_recalled, readable, turns_about
from memory_assets.commands.sources import recall_for
from memory_assets.context.policy import limits_of
from memory_assets.curation.metadata import read_value
from memory_assets.curation.restoring import list_cuts
from memory_assets.errors import MemoryAssetsError, UnknownReferenceError
from memory_assets.graph.decisions import find_corrections
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.graph.projects import offered_refs, readable_refs
from memory_assets.hooks.policy import Action, answer, read_event
from memory_assets.keys.policy import Caller, Scope
from memory_assets.llm.ledger import Ledger
from memory_assets.llm.model_client import Models
from memory_assets.llm.opening import open_ledger
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import AccessKind, Granularity
from memory_assets.privacy.masking import mask_text
from memory_assets.privacy.projects import is_offered
from memory_assets.recall.index import Span
from memory_assets.recall.marking import named_in, without_references
from memory_assets.recall.policy import Found
from memory_assets.runtime.accesses import Access, Given, record_accesses
from memory_assets.runtime.owners import owner_lock
from memory_assets.server.parts import as_text, part_of
from memory_assets.server.requests import (
    MOST_TOKENS,
    OPENED_TOKENS,
    ConsolidateRequest,
    ContextRequest,
    CorrectRequest,
    PredictRequest,
    RecallRequest,
    RememberRequest,
    ResolveRequest,
    TurnsRequest,
    UsedRequest,
)
from memory_assets.server.status import status_of
from memory_assets.sessions.log import name_for
from memory_assets.sessions.working_memory import Sessions
from memory_assets.settings import Settings
from memory_assets.sources.following import folder_in
from memory_assets.text.held import Held
from memory_assets.validity.decisions import (
    find_open,
    find_settled,
    is_about,
    names_of,
    open_contradictions,
    settled_contradictions,
)

Answer = dict[str, Any]
MOST_LISTED = 200
DRY_RUN_SECONDS = 15.0
"""So long the answer to a dry run waits for its end: of a small memory it is there by then."""
HISTORY, WHY = OF_IT = ("history", "why")
"""What is told of a memory in place of its words."""
CONTRADICTION = "contradiction"
"""By what a session knows one that was injected, before its id."""


class OperationError(MemoryAssetsError):
    """An operation does not take what it was given."""


class Operations:
    """What a server does for its callers. Safe for several threads."""

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self.graph, self.settings = graph, settings
        self._files = Files()
        self._consolidations = Consolidations(graph, settings)

    @cached_property
    def _ledger(self) -> Ledger:
        return open_ledger(self.settings)

    @cached_property
    def _models(self) -> Models:
        return local_models(self.settings)

    def recall(self, caller: Caller, asked: RecallRequest) -> Answer:
        """What was said, decided and done, for a question: ``text`` within the budget, its ``tokens``, what it is
        from, ``more`` (the page that goes on, or None), and ``took_ms``. ``abstained``: nothing relevant was found, and
        the text gives the ``nearest``, whose references these are. ``partial``: the deadline was met with what was
        ready.
        """
        self._enter(caller, Scope.READ, asked.session)
        check_surface(asked.limits)
        check_order(asked.since, asked.until)
        began = time.perf_counter()
        limits = limits_of(asked.limits).capped(asked.budget)
        how: Answer = {"archived": asked.archived, "page": asked.more, "characters": limits.characters}
        how |= {"within": caller.within(all_projects=asked.all_projects)}
        how |= {"agent": caller.agent, "session": asked.session}
        find = self._said if asked.level is Granularity.SAID else self._explored
        answer = find(caller, asked, limits.tokens or asked.budget, how)
        return answer | {"took_ms": round(1000 * (time.perf_counter() - began), 1)}

    def context(self, caller: Caller, asked: ContextRequest) -> Answer:
        """What to know before starting, in four tiers (:func:`commands.context.context_for`)."""
        self._enter(caller, Scope.READ, asked.session)
        within = replace(asked.asked, within=caller.within())
        return context_for(*self._memory_of(caller), within, agent=caller.agent)

    def predict(self, caller: Caller, asked: PredictRequest) -> Answer:
        """What will be needed next, each with how likely (:func:`commands.context.predict_for`)."""
        self._enter(caller, Scope.READ, asked.session)
        return predict_for(*self._memory_of(caller), replace(asked.asked, within=caller.within()), asked.at)

    def _said(self, caller: Caller, asked: RecallRequest, budget: int, how: Answer) -> Answer:
        span = Span(asked.since, asked.until, tuple(asked.about))
        how |= {"span": span, "thorough": asked.thorough, "deadline_ms": asked.deadline_ms}
        found, _ = recall_for(*self._memory_of(caller), asked.question, budget, asked.as_of, **how)
        recalled = found.recalled
        if asked.session and not (asked.as_of or asked.archived or asked.thorough):  # what is relevant now
            keep_recalled(self._sessions, caller.user, asked.session, recalled)
        sources = [
            {"ref": head.ref, "kind": head.kind, "title": head.title, "occurred_at": head.started_at}
            | ({"superseded_by": by} if (by := _superseding(passages)) else {})
            for head, passages in recalled.passages
        ]
        return {
            "text": recalled.text,
            "tokens": recalled.tokens,
            "sources": sources,
            "abstained": recalled.abstained,
            "nearest": [one["ref"] for one in sources] if recalled.abstained else [],
            "partial": found.is_partial,
            "more": asked.more + 1 if recalled.has_more else None,
        } | ({"did_you_mean": list(found.meant)} if found.meant else {})

    def _explored(self, caller: Caller, asked: RecallRequest, budget: int, how: Answer) -> Answer:
        if asked.thorough or asked.as_of or asked.deadline_ms:
            raise OperationError("thorough, as_of and deadline_ms go with what was said: leave level out.")
        how |= {"days": (asked.since, asked.until), "about": asked.about}
        found = explore_for(*self._memory_of(caller), asked.question, asked.level, budget, **how)
        return {
            "text": found.packed.text,
            "tokens": found.packed.tokens,
            asked.level.value: [card.row for card in found.packed.cards],
            "abstained": not found.matched,
            "more": asked.more + 1 if found.packed.has_more else None,
        }

    def open(
        self,
        caller: Caller,
        ref: str,
        budget: int = OPENED_TOKENS,
        level: str | None = None,
        session: str = "",
        more: str = "",
        *,
        whole: bool = False,
    ) -> Answer:
        """One memory with what is below it, the latest first, and what it is part of: the part that begins at
        ``more``, within the budget (:func:`server.parts.part_of`). ``whole``: of a source all of its words. Raises
        :class:`UnknownReferenceError` for somebody else's in the same words as for none. ``level``: how much of a
        source's text; or ``history``, what has become of it, or ``why`` it is worth its place. Or a contradiction, as
        contexts name one.
        """
        self._enter(caller, Scope.READ, session)
        key = ref.strip("[]")
        try:
            if level in OF_IT:
                shown = self._of_it(caller, key, budget, level, session, more)
            else:
                how: Answer = {"within": caller.bound, "agent": caller.agent, "session": session, "whole": whole}
                how["shown"] = lambda found: part_of(_latest_first(found), budget, more)
                shown = opened_for(*self._memory_of(caller), key, None, level, **how)
        except UnknownReferenceError:
            dispute = self._dispute(caller, key)
            if dispute is None:
                raise
            return part_of(dispute, budget, more)
        given = Given(caller.user, self.settings.clock.now(), count_tokens(as_text(shown)), caller.agent)
        record_accesses(self.settings, [], given)
        return shown

    def _dispute(self, caller: Caller, name: str) -> Answer | None:
        """A contradiction that the caller's key reaches, open or settled, by its id or the first digits of that."""
        owners = self._owners(caller)
        found = find_settled(self.graph, caller.user, name, owners)
        status = "open" if found is None else "resolved"
        try:
            found = found or find_open(self.graph, caller.user, name, owners)
        except UnknownReferenceError:
            return None
        return {"ref": name, "kind": CONTRADICTION, "status": status, CONTRADICTION: _contradiction(found)}

    def _of_it(self, caller: Caller, ref: str, budget: int, level: str, session: str, more: str) -> Answer:
        of = *self._memory_of(caller), ref
        if level == WHY:
            caller.within(all_projects=True)  # its sources, and the files that it is in, may be of any
            kind, found = explain(*of, agent=caller.agent, session=session)
            return part_of({"ref": ref, "kind": kind} | found, budget, more)
        opened = opened_for(*of, None, within=caller.bound, agent=caller.agent, session=session, shown=_head)
        rows = history(self.graph, caller.user, self._owners(caller), ref)
        return part_of(opened | {"history": rows}, budget, more)

    def value(self, caller: Caller, ref: str) -> Answer:
        """What curation holds a memory to be worth: its ``score``, what that asks for, and its ``terms``."""
        caller.check(Scope.READ)
        key = ref.strip("[]")
        found = None
        if not caller.bound or self._offered(caller, [key]):
            found = read_value(self.graph, self.settings, caller.user, key, self.settings.clock.now())
        if found is None:
            raise correcting.unknown(caller.user, key)
        return found

    def remember(self, caller: Caller, asked: RememberRequest) -> Answer:
        """Write it down as a record of the caller's; ``contradicts`` is what it cannot be true beside. What it
        ``supersedes`` is corrected by it, with the scopes of that. ``project``: the one that it is of; None for all.
        """
        caller.check(Scope.WRITE)
        for ref in asked.supersedes:
            self._check_correcting(caller, ref)
        project = caller.writes_in(asked.visibility)
        what: Answer = {"kind": asked.kind, "key": asked.idempotency_key, "project": project}
        correcting.check_superseded(*self._memory_of(caller), asked.supersedes, asked.text, caller.agent, **what)
        done = remember(
            self.graph,
            self.settings,
            caller.user,
            asked.text,
            about=asked.about,
            agent=caller.agent,
            models=self._models,
            held=Held(asked.valid_from, asked.valid_to),
            **what,
        )
        known = self._offered(caller, [one["ref"] for one in done.contradicts])
        done = replace(done, contradicts=tuple(one for one in done.contradicts if one["ref"] in known))
        superseded = correcting.supersede(
            *self._memory_of(caller), asked.supersedes, asked.text, done, caller.agent, self._models
        )
        return done.as_json(superseded) | {"project": project}

    def _memory_of(self, caller: Caller) -> tuple[Graph, Settings, str]:
        """What every command begins with."""
        return self.graph, self.settings, caller.user

    def _enter(self, caller: Caller, scope: Scope, session: str = "") -> None:
        """Raise where the caller's key does not permit it, or the session is of a project that it does not reach: in
        the words for one that is not there.
        """
        caller.check(scope)
        if caller.bound and session and not is_offered(self._sessions.projects(caller.user, session), caller.bound):
            raise self._sessions.unknown(caller.user, session)

    def _owners(self, caller: Caller) -> list[str]:
        """By which keys the caller reads, where the key binds it to a project; else none are needed."""
        return readable_owners(self.graph, caller.user, caller.bound) if caller.bound else []

    def _offered(self, caller: Caller, refs: Iterable[str]) -> set[str]:
        """Those of some references that the caller's key reaches."""
        return offered_refs(self.graph, caller.user, self._owners(caller), {ref.strip("[]") for ref in refs})

    def _shown(self, caller: Caller, names: Iterable[str]) -> set[str]:
        """Those of what a session holds that the caller's key reaches: each a reference or a source's id, perhaps with
        a passage's place behind it; or an open contradiction.
        """
        refs = {name: name.partition("/")[0] for name in names}
        owners = self._owners(caller)
        known = self._offered(caller, refs.values()) | readable_refs(self.graph, owners, set(refs.values()))
        shown = {name for name, ref in refs.items() if ref in known}
        if CONTRADICTION in refs.values():
            found = open_contradictions(self.graph, caller.user, owners)
            shown |= refs.keys() & {f"{CONTRADICTION}/{name}" for row in found for name in names_of(row["id"])}
        return shown

    def _check_correcting(self, caller: Caller, ref: str) -> None:
        if caller.bound and not self._offered(caller, [ref]):
            raise correcting.unknown(caller.user, ref)
        is_own = correcting.is_own(self.graph, caller.user, ref, caller.agent)
        caller.check(Scope.WRITE if is_own else Scope.CURATE)

    def correct(self, caller: Caller, ref: str, asked: CorrectRequest) -> Answer:
        """Replace or retire a memory: an agent's own records with ``write``, whatever else with ``curate``. Or take the
        last of these back.
        """
        if asked.ref.strip("[]") not in ("", ref.strip("[]")):
            raise OperationError(f"ref: it is not {ref}, which the address says.")
        if asked.undo:
            return self.undo(caller, ref)
        self._check_correcting(caller, ref)
        how: Answer = {"text": asked.text, "reason": asked.reason, "agent": caller.agent, "models": self._models}
        return asdict(correcting.correct(*self._memory_of(caller), ref, **how))

    def undo(self, caller: Caller, ref: str) -> Answer:
        """Take a correction back, by a reference or the id of its audit; the scopes are the same. Or what has settled a
        contradiction, by the id of that or of the audit.
        """
        key = ref.strip("[]")
        if find_settled(self.graph, caller.user, key, self._owners(caller)):
            caller.check(Scope.CURATE)
            with owner_lock(self.settings, caller.user, PATIENCE):
                if settled := find_settled(self.graph, caller.user, key, self._owners(caller)):
                    decisions.reopen(self.graph, self.settings, caller.user, settled, caller.agent)
                    return {"id": settled["id"], "status": "open"}
        if caller.bound:
            found = find_corrections(self.graph, caller.user, key)
            refs = {row[side] for row in found for side in ("ref", "by_ref") if row[side]}
            if not refs or self._offered(caller, refs) != refs:
                raise correcting.not_corrected(caller.user, ref)
        is_own = correcting.is_own_correction(self.graph, caller.user, ref, caller.agent)
        caller.check(Scope.WRITE if is_own else Scope.CURATE)
        return asdict(correcting.take_back(*self._memory_of(caller), ref, caller.agent, self._models))

    def used(self, caller: Caller, asked: UsedRequest) -> Answer:
        """Count what was cited, ignored and wrong; of what is wrong a contradiction is open from now on, and that
        is all. ``unknown`` are references that no memory has, and of what is wrong no record or statement.
        """
        self._enter(caller, Scope.WRITE, asked.session)
        wrong = {ref.strip("[]") for ref in asked.wrong}
        reached = sorted(self._offered(caller, wrong))
        doubted = set(correcting.doubt(*self._memory_of(caller), reached, caller.agent))
        wanted = {ref.strip("[]"): AccessKind.IGNORED for ref in asked.ignored}
        wanted |= {ref.strip("[]"): AccessKind.CITED for ref in asked.cited}
        known = sorted(self._offered(caller, wanted.keys() | doubted))
        rows = self.graph.read("graph/list_referenced", user_id=caller.user, refs=known)
        ids = {row["ref"]: row["id"] for row in rows}
        now = self.settings.clock.now()
        said = [*wanted.items(), *((ref, AccessKind.WRONG) for ref in sorted(doubted))]
        action = mask_text(asked.action)
        accesses = [
            Access(caller.user, ids[ref], now, kind, caller.agent, asked.session, action)
            for ref, kind in said
            if ref in ids
        ]
        record_accesses(self.settings, accesses)
        cited = [ref for ref, kind in wanted.items() if kind is AccessKind.CITED and ref in ids]
        note_used(self.settings, caller.user, asked.session, cited)
        counts = {
            kind.value: sum(one.kind is kind for one in accesses) for kind in (AccessKind.CITED, AccessKind.IGNORED)
        }
        return counts | {"wrong": len(doubted), "unknown": sorted((wanted.keys() - ids.keys()) | (wrong - doubted))}

    def hook(self, caller: Caller, agent: str, event: str, payload: dict[str, Any]) -> Answer:
        """Do what an event of an agent asks for, and answer in the agent's own form. A key of one project follows no
        transcript of another.
        """
        caller.check(Scope.READ)
        caller.check(Scope.WRITE)
        found = read_event(agent, event, payload)
        self._enter(caller, Scope.WRITE, found.session)
        if caller.bound and found.action in (Action.FOLLOW, Action.END):  # what it says would be of the key's project
            for folder in (found.folder, folder_in(found.transcript)):
                caller.working_in(project_at(folder))
        how: Answer = {"within": caller.within(), "deadline_ms": self.settings.hook_deadline_ms}
        return answer(found, act(*self._memory_of(caller), found, self._files, caller.agent, **how).text)

    def file(self, caller: Caller) -> Answer:
        """The published MEMORY.md: where it is, its text, its tokens. It holds what is of all projects: a key that is
        for one of them does not reach it.
        """
        caller.check(Scope.READ)
        caller.within(all_projects=True)
        return read_file(self.settings, caller.user)

    def curation(self, caller: Caller, budget: int = MOST_TOKENS, more: str = "") -> Answer:
        """What curation has cut and can bring back, the latest first, within the budget."""
        caller.check(Scope.READ)
        rows = list_cuts(self.graph, caller.user)
        if caller.bound:
            known = self._offered(caller, [row["ref"] for row in rows if row["ref"]])
            rows = [row for row in rows if row["ref"] in known]
        names = {"at": "cut_at", "id": "audit"}
        shown = ("at", "action", "label", "ref", "reason", "restored_at", "id")
        cuts = [{names.get(name, name): row[name] for name in shown} for row in rows[:MOST_LISTED]]
        return part_of({"cuts": cuts}, budget, more)

    def contradictions(
        self, caller: Caller, budget: int = MOST_TOKENS, more: str = "", *, settled: bool = False, about: str = ""
    ) -> Answer:
        """The open contradictions, or those that somebody has ``settled``, perhaps ``about`` a name or a reference:
        each with its id, its kind, and both statements, within the budget.
        """
        caller.check(Scope.READ)
        read = settled_contradictions if settled else open_contradictions
        rows = read(self.graph, caller.user, self._owners(caller))
        if about:
            rows = [row for row in rows if is_about(row, about)]
        return part_of({"contradictions": [_contradiction(row) for row in rows]}, budget, more)

    def resolve(self, caller: Caller, identifier: str, asked: ResolveRequest) -> Answer:
        """Settle one: which references are ``superseded``, which one holds instead (``ref``; None where neither or both
        do), and the audit. ``undo`` takes it back, by the contradiction's id or the audit's.
        """
        caller.check(Scope.CURATE)
        with owner_lock(self.settings, caller.user, PATIENCE):
            find_open(self.graph, caller.user, identifier, self._owners(caller))
            memory, how = self._memory_of(caller), (asked.resolution, asked.note, caller.agent)
            found = decisions.resolve(*memory, identifier, *how, text=asked.text)
        shown = {name: found[name] for name in ("superseded", "ref", "audit_id")}
        return {"id": found["id"], "resolution": asked.resolution.value} | shown

    def consolidate(self, caller: Caller, asked: ConsolidateRequest, budget: int = MOST_TOKENS) -> Answer:
        """Ask for a run that consolidates and curates all of the caller's memory, or says what it would do. While one
        is at work, that one is answered. A dry run that is started by this and ends within :data:`DRY_RUN_SECONDS` is
        answered as :meth:`operation` does; any other at once, with its ``operation`` and the ``state`` working.
        """
        caller.check(Scope.CURATE)
        caller.within(all_projects=True)
        how: Answer = {"dry_run": asked.dry_run, "older_than": asked.older_than}
        patience = DRY_RUN_SECONDS if asked.dry_run else 0.0
        found = self._consolidations.ask(caller.user, caller.agent, **how, seconds=patience)
        return found if found["state"] == WORKING else self._ended(caller, found, budget)

    def operation(self, caller: Caller, operation: str, budget: int = MOST_TOKENS, more: str = "") -> Answer:
        """How far a consolidation is, and in the end what it has done (:func:`commands.consolidating.figures`) and how
        many contradictions are open, within the budget.
        """
        caller.check(Scope.CURATE)
        caller.within(all_projects=True)
        return self._ended(caller, self._consolidations.look(caller.user, operation), budget, more)

    def _ended(self, caller: Caller, found: Answer, budget: int, more: str = "") -> Answer:
        if found["state"] == DONE:
            found["contradictions_found"] = len(open_contradictions(self.graph, caller.user))
        return part_of(found, budget, more)

    def add_turns(self, caller: Caller, session: str, asked: TurnsRequest) -> Answer:
        """Append turns to a session of the caller's user, by any id of the caller's, whichever agent began it; on the
        disk when this answers. What they cite is counted.
        """
        name = name_for(session)
        self._enter(caller, Scope.WRITE, name)
        project = caller.project or caller.works_in
        added = self._sessions.add(caller.user, name, asked.turns, caller.agent, project=project)
        if fresh := [asked.turns[place] for place in added.pop("fresh")]:
            first = int(added["ref"]) + 1 - len(fresh)

            def before() -> list[Answer]:
                return [vars(turn) for turn in self._sessions.before(caller.user, name, first)]

            count_cited(*self._memory_of(caller), session, fresh, caller.agent, before)
        return added | {"session": session}

    def session(self, caller: Caller, session: str, budget: int = MOST_TOKENS, more: str = "") -> Answer:
        """The working memory: turns, the summary of those that left, what was retrieved and may be read still, and what
        was injected, within the budget. A key of one project sees of both what it could have by itself.
        """
        name = name_for(session)
        self._enter(caller, Scope.READ, name)
        may_read = partial(readable, self.graph, caller.user, within=caller.bound)
        found = self._sessions.look(caller.user, name, may_read) | {"session": session}
        retrieved = found.pop("recalled")
        injected = found.pop("injected")
        if caller.bound:
            named = {ref for one in retrieved for ref in named_in(one["text"])}
            known = self._shown(caller, {*injected, *named})
            injected = [name for name in injected if name in known]
            retrieved = [one | {"text": without_references(one["text"], named - known)} for one in retrieved]
        return part_of(found | {"retrieved": retrieved, "injected": injected}, budget, more)

    def turns(
        self,
        caller: Caller,
        session: str,
        refs: Sequence[str] = (),
        about: str = "",
        budget: int = MOST_TOKENS,
        more: str = "",
    ) -> Answer:
        """Turns by their references (``17``, ``3-9``), those that left and are likely ``about`` a question, the best
        first, or without either all that left: as they were stored, within the budget.
        """
        name = name_for(session)
        self._enter(caller, Scope.READ, name)
        if refs and about:
            raise OperationError("Give refs or about, one of them.")
        if about:
            found = turns_about(self._sessions, caller.user, name, about)
        else:
            found = self._sessions.back(caller.user, name, refs)
        return part_of({"turns": found}, budget, more)

    def end_session(self, caller: Caller, session: str) -> Answer:
        """End it: it becomes a source."""
        self._enter(caller, Scope.WRITE, name_for(session))
        return end_session(*self._memory_of(caller), session, caller.agent)

    @property
    def _sessions(self) -> Sessions:
        return Sessions.of(self.settings)

    def status(self, caller: Caller) -> Answer:
        """How far the caller's sources have come, and what it has cost (:func:`server.status.status_of`)."""
        caller.check(Scope.READ)
        disputes = len(open_contradictions(self.graph, caller.user, self._owners(caller)))
        return status_of(self.graph, self.settings, self._ledger, caller, disputes)


def _head(opened: Answer) -> Answer:
    return {name: opened[name] for name in ("ref", "kind", "title", "text", "id") if name in opened}


def _superseding(passages: Iterable[Found]) -> list[str]:
    return list(dict.fromkeys(ref for one in passages for ref in one.superseded_by))


def _latest_first(opened: Answer) -> Answer:
    found = {name: one for name, one in opened.items() if name != "left_out"}
    is_ordered = opened["kind"] in ("source", "statement")
    return found if is_ordered else found | {name: found[name][::-1] for name in BELOW if name in found}


def _contradiction(row: dict[str, Any]) -> Answer:
    names = {"ref": "_ref", "text": "", "said_at": "_at", "by": "_speaker"}
    one, other = ({name: row[side + ending] for name, ending in names.items()} for side in ("one", "other"))
    shown = {"id": row["id"], "kind": row["kind"], "detected_at": row["found_at"], "a": one, "b": other}
    return shown | ({"resolution": row["resolution"]} if "resolution" in row else {})
