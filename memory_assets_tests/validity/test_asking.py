"""A service's model judges each pair; where it gives no answer the local opinion counts, and the pair waits."""

from __future__ import annotations

from typing import Any

import pytest

from memory_assets.errors import BudgetExceededError, ModelError
from memory_assets.llm.local import pairs
from memory_assets.llm.local.pairs import Relation
from memory_assets.llm.tasks import PairRequest, PairVerdict
from memory_assets.model import node_id, reference
from memory_assets.validity import asking
from memory_assets.validity.asking import Asker, opinion_of
from memory_assets.validity.judging import judge_statements
from memory_assets.validity.policy import Statement
from memory_assets.validity.reading import relations_of
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.scripted_models import ScriptedModel
from memory_assets_tests.validity.test_judging import outdated, say

FLAT = Statement("a", "We live in the flat above the bakery, and the dog is old.", ("2026-01-01T00:00:00.000Z", 0, 0))


def verdict(relation: str = "changed", **known: Any) -> PairVerdict:
    return PairVerdict(**{"relation": relation, "confidence": 9.0} | known)


@pytest.mark.parametrize(
    ("given", "relation", "lost", "is_certain"),
    [
        (
            verdict(lost="We live in the flat above the bakery"),
            Relation.CHANGED,
            "We live in the flat above the bakery",
            True,
        ),
        (verdict(lost="We live somewhere else"), Relation.CHANGED, FLAT.text, True),
        (verdict(confidence=3.0), Relation.CHANGED, FLAT.text, False),
        (verdict("both"), Relation.BOTH, FLAT.text, True),
    ],
)
def test_a_verdict_is_an_opinion_whose_lost_words_are_the_statements_own(
    given: PairVerdict, relation: Relation, lost: str, is_certain: bool
) -> None:
    opinion = opinion_of(FLAT, given)
    assert (opinion.relation, opinion.lost, opinion.is_certain) == (relation, lost, is_certain)


@pytest.mark.graph
def test_each_pair_reaches_the_model_in_order_of_time_and_its_word_counts(world: World) -> None:
    say(world, "A garden at last: we bought the house in Leibnitz, the bakery is far.", 20)
    say(world, "We live in the flat above the bakery in Graz, not in a house.", 1)
    model = ScriptedModel(
        lambda task, payload: verdict(lost="We live in the flat above the bakery in Graz", why="a house")
    )
    judged = _judge(world, Asker(model, world.user, "Ilse"))
    assert judged.pairs == len(model.asked) == 1
    ((_, asked),) = model.asked
    assert isinstance(asked, PairRequest)
    assert (asked.owner, asked.earlier.text[:7], asked.later.text[:8]) == ("Ilse", "We live", "A garden")
    assert set(outdated(world).values()) == {("in part", "")}


@pytest.mark.graph
@pytest.mark.parametrize(("error", "waits"), [(BudgetExceededError("spent"), 2), (ModelError("nonsense"), 0)])
def test_what_a_model_does_not_answer_is_judged_locally_and_waits_where_another_try_may_help(
    world: World, error: ModelError, waits: int
) -> None:
    say(world, "I live in Boston.", 1)
    say(world, "I moved from Boston to Denver.", 30)
    judged = _judge(world, Asker(ScriptedModel(lambda task, payload: error), world.user, "Ana"))
    assert judged.problems == (str(error),) and judged.left == waits // 2
    assert set(outdated(world)) == {"I live in Boston."}
    (relation,) = relations_of(world.graph, world.user, reference(node_id("chunk", world.user, "I live in Boston.")))
    assert relation["judged_by"] == pairs.MODEL, "whose opinion it is, not who was asked"
    assert len(world.graph.read("validity/list_unjudged", user_id=world.user)) == waits
    again = _judge(world, Asker(ScriptedModel(lambda task, payload: verdict("both")), world.user, "Ana"))
    assert again.statements == waits and (outdated(world) == {}) is bool(waits)


@pytest.mark.graph
def test_a_run_asks_so_much_and_leaves_the_rest_to_the_next(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_ASKED", 1)
    monkeypatch.setattr(asking, "AT_ONCE", 1)
    for place in range(3):
        say(world, f"The dentist in Porto asks {place + 7}0 euros.", place)
    model = ScriptedModel(lambda task, payload: verdict("both"))
    assert _judge(world, Asker(model, world.user, "Ana")).left == 2
    assert _judge(world, Asker(model, world.user, "Ana")).statements > 0


def _judge(world: World, asker: Asker) -> Any:
    index = world.settings.validity_index(world.user)
    return judge_statements(world.graph, world.user, world.now, index, "recipe", asker=asker)
