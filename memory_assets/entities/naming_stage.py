"""The naming of one owner's extraction: whom a batch's names mean already, and all of them anew where that is due.

Of pairs that no rule decides a large model is asked, once for each pair and its evidence. The local model is never
sure, so nothing is asked where it answers. Whatever fails leaves a pair as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from memory_assets.clock import Clock, to_iso
from memory_assets.entities import resolving
from memory_assets.entities.naming.records import PERSON
from memory_assets.entities.naming.resolve import VERSION
from memory_assets.entities.rows import name_key
from memory_assets.errors import BudgetExceededError, ModelError
from memory_assets.graph.decisions import recorded
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage
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


def name_anew(
    graph: Graph, language: LanguageModel, clock: Clock, user: str, owners: Sequence[str], problems: list[str]
) -> Counter[str]:
    """Resolve all names of an owner, where something has changed since that was done last: what that took. Why a model
    was not asked is added to ``problems``.
    """
    recipe = fingerprint("names", VERSION, language.name, prompts().prompt_hash(SAME_PERSON))
    if find_stage(graph, user, resolving.STAGE) in (None, recipe):
        return Counter()
    known = resolving.read_known(graph, user, owners)
    counts: Counter[str] = Counter()
    decisions = {row["id"]: row for row in _ask(graph, language, user, known, counts, problems)}
    now = clock.now()
    rows = [row | {"at": to_iso(now)} for row in decisions.values()]
    said = [resolving.name_decision(user, row, None, "a model's word on two names", "name_pair") for row in rows]
    known = replace(known, decisions={**known.decisions, **decisions})
    first = recorded(user, said, now)
    return counts + resolving.apply_names(graph, user, owners, known, now, recipe=recipe, first=first)


def _ask(
    graph: Graph, language: LanguageModel, user: str, known: resolving.Known, counts: Counter[str], problems: list[str]
) -> Iterator[Row]:
    """The model's word on each unclear pair that it has not judged by the same evidence before, as decisions."""
    pairs = _first(known, known.resolve().unclear) if not language.name.startswith("local/") else []
    if not pairs:
        return
    ids = sorted({key for pair in pairs for key in pair})
    said = {
        row["id"]: tuple(row["statements"])
        for row in graph.read("entities/list_name_statements", user_id=user, keys=[name_key(key) for key in ids])
    }
    wording = prompts().prompt_hash(SAME_PERSON)
    payloads: list[NamePair] = []
    rows: list[Row] = []
    for one, other in pairs:
        first, second = (
            NamedPerson(name=known.names[key]["name"], statements=said.get(key, ())) for key in (one, other)
        )
        payload = NamePair(one=first, other=second)
        evidence = fingerprint(wording, language.name, payload.model_dump_json())
        key = resolving.decision_id(user, one, other)
        before = known.decisions.get(key)
        if before is None or (before["decided_by"] != PERSON and before["evidence"] != evidence):
            payloads.append(payload)
            rows.append({"id": key, "one_id": one, "other_id": other, "keep_id": None, "evidence": evidence, "at": ""})
    is_told = False
    answers = language.ask_many(SAME_PERSON, payloads, SamePerson, asset=ASSET, user_id=user) if payloads else []
    for row, answer in zip(rows, answers, strict=True):
        if isinstance(answer, ModelError):
            if isinstance(answer, BudgetExceededError) and not is_told:
                is_told = True
                problems.append(f"Names that may be one person's were not asked about: {answer}")
            counts["pairs_not_asked"] += 1
            continue
        counts.update(cost_of(answer))
        counts["pairs_asked"] += 1
        same = answer.value.verdict == "same" and answer.value.confidence >= LEAST_CONFIDENCE
        yield row | {"same": same, "decided_by": answer.model}


def _first(known: resolving.Known, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    sources = Counter(row["name_id"] for row in known.mentions)
    return sorted(pairs, key=lambda pair: (-min(sources[pair[0]], sources[pair[1]]), pair))[:MOST_PAIRS]


def cost_of(answer: Answer[Any]) -> dict[str, int]:
    """What an answer adds to a run's figures; one from the cache was paid before."""
    if answer.cached:
        return {"cached": 1}
    return {"tokens_in": answer.tokens_in, "tokens_out": answer.tokens_out, "microdollars": round(answer.usd * 1e6)}
