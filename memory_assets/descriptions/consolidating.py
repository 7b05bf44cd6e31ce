"""One user's descriptions: find who is due, read what holds, ask in batches, check, write a batch at a time.

A killed run leaves whole batches behind; a subject that was not written is due as before, and what was asked is not
paid again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any

from memory_assets.clock import Clock, day_of, to_iso
from memory_assets.descriptions import policy
from memory_assets.descriptions.policy import RULES, DescriptionRules, Noted, Subject
from memory_assets.descriptions.reading import read_notes, read_subjects
from memory_assets.errors import BudgetExceededError, ModelError, UnusableAnswerError
from memory_assets.graph.due_keys import due_key, find_first
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage, stage_made
from memory_assets.graph.statements import id_rows, in_parts, in_statements
from memory_assets.llm.local.descriptions import describe_subject
from memory_assets.llm.model_client import Embedder, LanguageModel, embed_each, first_service_failure
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.sentences import Sentence, text_of, written_sentences
from memory_assets.llm.tasks import DESCRIBE_SUBJECT, SubjectDescription
from memory_assets.model import fingerprint

ASSET = "descriptions"
SUBJECTS_PER_BATCH = 25
"""So many are read, asked about and written together: what a kill can cost."""


@dataclass(frozen=True)
class Described:
    """A subject as it is described now: the sentences, who wrote them, and from what; ``embedding`` only where the
    text has changed.
    """

    subject: Subject
    sentences: tuple[Sentence, ...]
    model: str | None
    made_from: str
    stale_key: str | None
    embedding: list[float] | None = None

    @property
    def text(self) -> str | None:
        """Its text; None where nothing is noted that can be told."""
        return text_of(self.sentences)

    @property
    def is_new(self) -> bool:
        """It says something else than before."""
        return self.text != self.subject.description


class Consolidator:
    """One user's consolidation."""

    def __init__(
        self,
        graph: Graph,
        language: LanguageModel,
        embedder: Embedder,
        clock: Clock,
        user: str,
        say: Callable[[str], None],
        rules: DescriptionRules = RULES,
    ) -> None:
        self.graph, self.language, self.embedder = graph, language, embedder
        self.user, self.now, self.say, self.rules = user, clock.now(), say, rules
        self.recipe = fingerprint(
            prompts().prompt_hash(DESCRIBE_SUBJECT), language.name, embedder.name, policy.CODE_VERSION
        )
        self.force = False
        self.problems: list[str] = []
        self.left: list[str] = []
        """Who waits for the next run because this one has done enough."""
        self.latest: list[dict[str, str]] = []
        """Whose description has changed: before and after."""
        self.refused: Counter[str] = Counter()
        """Why sentences of a model were not taken."""

    def run(self, *, force: bool = False) -> Counter[str]:
        """Describe the subjects that are due, as many as a run may; counts of what that took."""
        self.force = force
        self._want_all()
        due = self._due()
        now = due if force else due[: self.rules.most_a_run]
        left = due[len(now) :]
        counts: Counter[str] = Counter(due=len(due), left=len(left))
        if left:
            self.left.append(f"{len(left)} descriptions wait for the next run, which does {self.rules.most_a_run}")
        for part in in_parts(now, SUBJECTS_PER_BATCH):
            counts += self._consolidate(part)
            counts["refused"] = self.refused.total()
            if len(now) > SUBJECTS_PER_BATCH:
                self.say(f"{self.user}: {counts['done']} of {len(now)} descriptions looked at")
            if counts["left_by_budget"]:
                counts["left_by_budget"] = len(now) - counts["done"] - counts["failed"]
                break
        return counts

    def next_change(self) -> datetime | None:
        """When time alone makes a description due; None where it never does."""
        first, last = policy.stale_key(self.user, self.now), policy.end_of_keys(self.user)
        key = find_first(self.graph, "descriptions/find_next_stale", self.user, first, last)
        return policy.instant_of(key) if key else None

    def _want_all(self) -> None:
        """All that is described is due where prompt, model or code are others than those it was made with."""
        known = find_stage(self.graph, self.user, ASSET)
        if known != self.recipe or self.force:
            if known is not None:
                subjects = self.graph.read("descriptions/list_subject_ids", user_id=self.user)
                rows = id_rows(row["id"] for row in subjects)
                self.graph.write("descriptions/set_dirty", rows, user_id=self.user, now=to_iso(self.now))
            self.graph.write_together([stage_made(self.user, ASSET, self.recipe, self.now)])

    def _due(self) -> list[str]:
        first, last = policy.stale_key(self.user), policy.stale_key(self.user, self.now)
        rows = self.graph.read("descriptions/list_due", user_id=self.user, first=first, last=last)
        used = self.graph.read_parts("descriptions/list_uses", [row["id"] for row in rows], user_id=self.user)
        uses = {row["id"]: row["source_accessed_at"] for row in used}
        rows = [row | {"source_accessed_at": uses.get(row["id"])} for row in rows]
        return policy.in_turn(rows, self.now, self.rules)

    def _consolidate(self, ids: Sequence[str]) -> Counter[str]:
        """A batch of subjects: read, ask about what has changed, check, embed, write."""
        subjects = read_subjects(self.graph, self.user, ids)
        notes = read_notes(self.graph, self.user, ids)
        grounds = {one.id: policy.grounds(notes.get(one.id, ()), self.now) for one in subjects}
        wanted = {one.id: policy.made_from(one, (*grounds[one.id], [])[0], self.recipe) for one in subjects}
        known = [one for one in subjects if self._is_known(one, wanted[one.id])]
        told = [self._told(one, grounds[one.id], wanted[one.id]) for one in known]
        settled = [one for one in told if not one.is_new]
        asked, counts = self._ask([one for one in subjects if one not in known], grounds, wanted)
        described = self._embed([*(one for one in told if one.is_new), *asked], counts)
        self._write([*settled, *described])
        self.latest += [
            {"name": one.subject.name, "kind": one.subject.kind}
            | {"before": one.subject.description or "", "after": one.text or ""}
            for one in described
            if one.is_new
        ]
        changed = sum(one.is_new for one in described)
        counts.update(
            done=len(settled) + len(described), consolidated=changed, unchanged=len(settled) + len(described) - changed
        )
        return counts

    def _is_known(self, subject: Subject, made_from: str) -> bool:
        """Whether what a model would be asked about is what it was asked about before."""
        is_embedded = subject.description is None or subject.embedder == self.embedder.name
        return subject.described_from == made_from and is_embedded and not self.force

    def _told(self, subject: Subject, grounds: Sequence[Sequence[Noted]], made_from: str) -> Described:
        """A description of whom no model is asked about again: as it was where it rests on what comes first. Else that
        could not be told, and what comes behind it may be other notes than before.
        """
        is_as_it_was = bool(grounds) and policy.rests_on(subject, grounds[0])
        sentences = subject.sentences if is_as_it_was else self._said(subject, grounds)
        key = policy.due_again(self.user, sentences, chain.from_iterable(grounds), self.now)
        return Described(subject, sentences, None if is_as_it_was else "notes", made_from, key)

    def _ask(
        self, subjects: Sequence[Subject], grounds: Mapping[str, Sequence[Sequence[Noted]]], wanted: Mapping[str, str]
    ) -> tuple[list[Described], Counter[str]]:
        """The descriptions of these now. Where nothing is noted, there is none, and no model is asked."""
        counts: Counter[str] = Counter()
        speaking = [one for one in subjects if grounds[one.id]]
        # By force all is asked as the first time, so that cached answers count.
        asked = [replace(one, sentences=()) if self.force else one for one in speaking]
        requests = [policy.request_for(one, grounds[one.id][0], self.rules) for one in asked]
        answers = (
            self.language.ask_many(DESCRIBE_SUBJECT, requests, SubjectDescription, asset=ASSET, user_id=self.user)
            if requests
            else []
        )
        if out_of_service := first_service_failure(answers):
            raise out_of_service
        found = [Described(one, (), None, wanted[one.id], None) for one in subjects if not grounds[one.id]]
        for subject, answer in zip(speaking, answers, strict=True):
            if isinstance(answer, BudgetExceededError):
                counts["left_by_budget"] += 1
                self.problems.append(f"{subject.name!r} is left for the next run: {answer}")
                continue
            if isinstance(answer, ModelError) and not isinstance(answer, UnusableAnswerError):
                counts["failed"] += 1
                self.problems.append(f"{subject.name!r} could not be described: {answer}")
                continue
            notes = grounds[subject.id]
            taken: tuple[Sentence, ...] = ()
            model = "notes"
            if isinstance(answer, UnusableAnswerError):
                # It would refuse the same notes every night: they are not asked about until there are others.
                self.refused["no answer of use"] += 1
            else:
                taken, refused = policy.take(subject.kind, answer.value, policy.shown(notes[0], self.rules))
                self.refused.update(why for _, why in refused)
                model = answer.model
            if not taken:
                # Where all fail, whole sentences of the notes are taken.
                taken, model = self._said(subject, notes), "notes"
            key = policy.due_again(self.user, taken, chain.from_iterable(notes), self.now)
            found.append(Described(subject, taken, model, wanted[subject.id], key))
        return found, counts

    def _said(self, subject: Subject, grounds: Iterable[Sequence[Noted]]) -> tuple[Sentence, ...]:
        """Whole sentences of the first notes that can be told."""
        for notes in grounds:
            answer = describe_subject(policy.request_for(subject, notes, self.rules))
            if taken := policy.take(subject.kind, answer, policy.shown(notes, self.rules))[0]:
                return taken
        return ()

    def _embed(self, described: Sequence[Described], counts: Counter[str]) -> list[Described]:
        """With the embeddings of the texts that have changed, or that another embedder has embedded."""
        due = [
            one
            for one in described
            if one.text is not None and (one.is_new or one.subject.embedder != self.embedder.name)
        ]
        if not due:
            return list(described)
        texts = [f"{one.subject.name}: {one.text}" for one in due]
        try:
            vectors = embed_each(self.embedder, texts, asset=ASSET, user_id=self.user)
        except BudgetExceededError as error:
            vectors = [error] * len(texts)
        by_id = dict(zip((one.subject.id for one in due), vectors, strict=True))
        done = []
        for one in described:
            vector = by_id.get(one.subject.id)
            if isinstance(vector, ModelError):
                counts["left_by_budget" if isinstance(vector, BudgetExceededError) else "failed"] += 1
                self.problems.append(f"{one.subject.name!r} is left for the next run: {vector}")
            else:
                counts["embedded"] += vector is not None
                done.append(one if vector is None else replace(one, embedding=vector.tolist()))
        return done

    def _write(self, described: Sequence[Described]) -> None:
        """One transaction: how these are described, and on what that rests."""
        whose = {"user_id": self.user}
        rows = [self._row(one) for one in described]
        notes = [
            {"id": one.subject.id, "note_id": key}
            for one in described
            for key in sorted({key for sentence in one.sentences for key in sentence.cites})
        ]
        self.graph.write_together(
            [
                *in_statements("descriptions/unlink_cited", id_rows(row["id"] for row in rows), **whose),
                *in_statements("descriptions/set_descriptions", rows, **whose, now=to_iso(self.now)),
                *in_statements("descriptions/link_cited", notes, **whose),
            ]
        )

    def _row(self, one: Described) -> dict[str, Any]:
        is_said = one.text is not None
        subject, key = one.subject, due_key(self.user, day_of(self.now), one.subject.id) if is_said else None
        row: dict[str, Any] = {"id": subject.id, "dirty_at": to_iso(subject.dirty_at)}
        row |= {name: getattr(one, name) for name in ("is_new", "model", "embedding", "stale_key")}
        row |= {"description": one.text, "sentences": written_sentences(one.sentences), "described_key": key}
        is_made_anew = one.is_new or one.made_from != subject.described_from
        row |= {"described_from": one.made_from, "is_made_anew": is_made_anew}
        row |= {"is_embedded": one.embedding is not None or not is_said}
        return row | {"embedder": self.embedder.name if is_said else None}
