"""Asks a service's model what later statements mean for earlier ones; without its word the local opinion counts.

One question for a pair, so that an answer is cached by the two texts whatever else is asked beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory_assets.errors import ModelError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import names_of
from memory_assets.graph.statements import in_parts
from memory_assets.llm.local import pairs
from memory_assets.llm.local.pairs import PairOpinion, Relation
from memory_assets.llm.model_client import Answer, LanguageModel, Models
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import JUDGE_PAIR, DatedStatement, PairRequest, PairVerdict
from memory_assets.model import fingerprint
from memory_assets.runtime.failures import waits
from memory_assets.validity import policy
from memory_assets.validity.policy import Statement

ASSET = "statement_validity"
MOST_ASKED = 1000
"""So many pairs a run may ask about: what is left waits for the next run."""
AT_ONCE = 50
LEAST_CONFIDENCE = 6.0
"""Of 10: below it an earlier statement is perhaps outdated."""

Pair = tuple[Statement, Statement]


def recipe_of(models: Models) -> str:
    """What opinions follow from: with another one, everything is judged again."""
    asked = (models.judge.name, prompts().prompt_hash(JUDGE_PAIR)) if models.judge else ()
    return fingerprint(policy.CODE_VERSION, pairs.MODEL, *asked)


def asker_of(models: Models, graph: Graph, user: str) -> Asker | None:
    """Who asks a service's model for a user, called as the profile says; None where no model is to be asked."""
    if models.judge is None:
        return None
    return Asker(models.judge, user, next(iter(names_of(graph, user)), user))


@dataclass
class Asker:
    """Asks a model about :data:`MOST_ASKED` pairs that it has not judged before, and a few more."""

    model: LanguageModel
    user: str
    name: str
    asked: int = 0
    problems: list[str] = field(default_factory=list)
    """Why pairs were not judged, once for each reason."""
    left: int = 0
    """So many pairs wait for another run."""

    def opinions(self, pairs_asked: Sequence[Pair]) -> list[PairOpinion | None]:
        """The model's opinion of each pair, in order; None where there is none now, or where it waits."""
        found: list[PairOpinion | None] = []
        for part in in_parts(pairs_asked, AT_ONCE):
            if self.asked >= MOST_ASKED:
                self.left += len(part)
                found += [None] * len(part)
                continue
            payloads = [
                PairRequest(owner=self.name, earlier=_dated(earlier), later=_dated(later)) for earlier, later in part
            ]
            answers = self.model.ask_many(JUDGE_PAIR, payloads, PairVerdict, asset=ASSET, user_id=self.user)
            found += [self._opinion(pair[0], answer) for pair, answer in zip(part, answers, strict=True)]
        return found

    def _opinion(self, earlier: Statement, answer: Answer[PairVerdict] | ModelError) -> PairOpinion | None:
        if not isinstance(answer, ModelError):
            self.asked += not answer.cached  # what was answered before costs nothing
            return opinion_of(earlier, answer.value)
        if waits(answer):
            self.left += 1
        if str(answer) not in self.problems:
            self.problems.append(str(answer))
        return None


def _dated(statement: Statement) -> DatedStatement:
    return DatedStatement(day=statement.at[0][:10], speaker=statement.speaker, text=statement.text)


def opinion_of(earlier: Statement, verdict: PairVerdict) -> PairOpinion:
    """A model's verdict as an opinion: words that are none of the earlier statement are all of it."""
    lost = verdict.lost.strip()
    return PairOpinion(
        Relation(verdict.relation),
        round(verdict.confidence / 10, 3),
        verdict.confidence >= LEAST_CONFIDENCE,
        verdict.kind.strip().lower()[:40],
        lost if lost and lost in earlier.text else earlier.text,
        (verdict.why.strip()[:200],) if verdict.why.strip() else (),
    )
