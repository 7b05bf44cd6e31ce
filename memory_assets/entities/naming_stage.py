"""The naming of one owner's extraction: whom a batch's names mean already, and all of them anew where that is due.

Of pairs that no rule decides a large model is asked, once for each pair and its evidence. The local model is never
sure, so nothing is asked where it answers. Whatever fails leaves a pair as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from memory_assets.clock import Clock, to_iso
from memory_assets.entities import resolving
from memory_assets.entities.naming.records import PERSON, Profile
from memory_assets.entities.rows import name_key
from memory_assets.errors import BudgetExceededError, ModelError
from memory_assets.graph.decisions import recorded
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.owners import find_stage, stage_made
from memory_assets.graph.statements import Row
from memory_assets.llm.model_client import Answer, LanguageModel
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import SAME_PERSON, NamedPerson, NamePair, SamePerson
from memory_assets.model import fingerprint

ASSET = "extracted_entities"
MOST_PAIRS = 50
"""Of an owner at a time, those first that most sources speak of: a bound on what a run may cost."""
LEAST_CONFIDENCE = 8.0
"""Of 10. Two people made one cost more than one that stays two."""


class Naming:
    """An owner's names, as an extraction needs them."""

    def __init__(
        self,
        graph: Graph,
        language: LanguageModel,
        clock: Clock,
        user: str,
        owners: Sequence[str],
        profile: Profile | None,
    ) -> None:
        self.graph, self.language, self.clock = graph, language, clock
        self.user, self.owners, self.profile = user, owners, profile
        self.problems: list[str] = []
        self.recipe = resolving.recipe_of(language.name, prompts().prompt_hash(SAME_PERSON))

    def read_batch(self, names: Sequence[str], seen: Sequence[str]) -> tuple[dict[str, str], list[str]]:
        """Whom a batch's names mean already, and the names that its sources used before."""
        rows = self.graph.read("entities/list_name_targets", user_id=self.user, keys=[name_key(key) for key in names])
        before = self.graph.read("entities/list_linked_names", user_id=self.user, ids=list(seen)) if seen else []
        return {row["id"]: row["resolved_id"] for row in rows}, [row["id"] for row in before]

    def due_again(self, now: datetime) -> Statement:
        """The write that says so, in the transaction of a batch: a killed run resolves its names the next time."""
        return stage_made(self.user, resolving.STAGE, resolving.DUE, now)

    def run(self) -> Counter[str]:
        """Resolve all names of the owner, where something has changed since that was done last."""
        if find_stage(self.graph, self.user, resolving.STAGE) in (None, self.recipe):
            return Counter()
        known = resolving.read_known(self.graph, self.user, self.owners, self.profile)
        asked = ask(self.graph, self.language, self.user, known)
        self.problems += asked.problems
        now = self.clock.now()
        rows = [row | {"at": to_iso(now)} for row in asked.decisions.values()]
        said = [
            resolving.name_decision(self.user, row, None, "a model's word on two names", "name_pair") for row in rows
        ]
        first = recorded(self.user, said, now)
        known = replace(known, decisions={**known.decisions, **asked.decisions})
        return asked.counts + resolving.apply_names(
            self.graph, self.user, self.owners, known, now, recipe=self.recipe, first=first
        )


@dataclass
class Asked:
    """What the model said now: decisions by id, to be stored; what it cost; what could not be asked."""

    decisions: dict[str, Row] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def ask(graph: Graph, language: LanguageModel, user: str, known: resolving.Known) -> Asked:
    """The model's word on each unclear pair that it has not judged by the same evidence before."""
    asked = Asked()
    pairs = _first(known, known.resolve().unclear) if not language.name.startswith("local/") else []
    if not pairs:
        return asked
    ids = sorted({key for pair in pairs for key in pair})
    said = {
        row["id"]: tuple(row["statements"])
        for row in graph.read("entities/list_name_statements", user_id=user, keys=[name_key(key) for key in ids])
    }
    wording = prompts().prompt_hash(SAME_PERSON)
    payloads: list[NamePair] = []
    rows: list[Row] = []
    for one, other in pairs:
        payload = NamePair(one=_person(known, one, said), other=_person(known, other, said))
        evidence = fingerprint(wording, language.name, payload.model_dump_json())
        key = resolving.decision_id(user, one, other)
        before = known.decisions.get(key)
        if before is None or (before["decided_by"] != PERSON and before["evidence"] != evidence):
            payloads.append(payload)
            rows.append({"id": key, "one_id": one, "other_id": other, "keep_id": None, "evidence": evidence, "at": ""})
    answers = language.ask_many(SAME_PERSON, payloads, SamePerson, asset=ASSET, user_id=user) if payloads else []
    for row, answer in zip(rows, answers, strict=True):
        if isinstance(answer, ModelError):
            asked.counts["pairs_not_asked"] += 1
            if isinstance(answer, BudgetExceededError) and not asked.problems:
                asked.problems.append(f"Names that may be one person's were not asked about: {answer}")
            continue
        asked.counts.update(cost_of(answer))
        asked.counts["pairs_asked"] += 1
        same = answer.value.verdict == "same" and answer.value.confidence >= LEAST_CONFIDENCE
        asked.decisions[row["id"]] = row | {"same": same, "decided_by": answer.model}
    return asked


def _first(known: resolving.Known, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    sources = Counter(row["name_id"] for row in known.mentions)
    return sorted(pairs, key=lambda pair: (-min(sources[pair[0]], sources[pair[1]]), pair))[:MOST_PAIRS]


def _person(known: resolving.Known, key: str, said: Mapping[str, tuple[str, ...]]) -> NamedPerson:
    return NamedPerson(name=known.names[key]["name"], statements=said.get(key, ()))


def cost_of(answer: Answer[Any]) -> dict[str, int]:
    """What an answer adds to a run's figures; one from the cache was paid before."""
    if answer.cached:
        return {"cached": 1}
    return {"tokens_in": answer.tokens_in, "tokens_out": answer.tokens_out, "microdollars": round(answer.usd * 1e6)}
