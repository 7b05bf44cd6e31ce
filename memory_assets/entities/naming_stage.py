"""The naming of one owner's extraction: whom a batch's names mean already, and all of them anew where that is due."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memory_assets.clock import Clock
from memory_assets.entities import votes
from memory_assets.entities.naming.records import Profile
from memory_assets.entities.resolving import DUE, STAGE, apply_names, read_known, recipe_of
from memory_assets.entities.rows import Write, in_statements, name_key
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage, stage_made
from memory_assets.llm.model_client import LanguageModel
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import SAME_PERSON


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
        self.recipe = recipe_of(language.name, prompts().prompt_hash(SAME_PERSON))

    def read_batch(self, names: Sequence[str], seen: Sequence[str]) -> tuple[dict[str, str], list[str]]:
        """Whom a batch's names mean already, and the names that its sources used before."""
        rows = self.graph.read("entities/list_name_targets", user_id=self.user, keys=[name_key(key) for key in names])
        before = self.graph.read("entities/list_linked_names", user_id=self.user, ids=list(seen)) if seen else []
        return {row["id"]: row["resolved_id"] for row in rows}, [row["id"] for row in before]

    def due_again(self, now: datetime) -> Write:
        """The write that says so, in the transaction of a batch: a killed run resolves its names the next time."""
        return stage_made(self.user, STAGE, DUE, now)

    def run(self) -> Counter[str]:
        """Resolve all names of the owner, where something has changed since that was done last."""
        if find_stage(self.graph, self.user, STAGE) in (None, self.recipe):
            return Counter()
        known = read_known(self.graph, self.user, self.owners, self.profile)
        asked = votes.ask(self.graph, self.language, self.user, known)
        self.problems += asked.problems
        now = self.clock.now()
        rows = [row | {"at": None} for row in asked.decisions.values()]
        first = in_statements("entities/upsert_name_decisions", rows, user_id=self.user, now=now.isoformat())
        known = replace(known, decisions={**known.decisions, **asked.decisions})
        return asked.counts + apply_names(
            self.graph, self.user, self.owners, known, now, recipe=self.recipe, first=first
        )
