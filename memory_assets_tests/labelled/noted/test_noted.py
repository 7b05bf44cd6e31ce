"""What a note's line is worth: in which order the lines of people come whom the model has never seen."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_assets.llm.local.extract import extract
from memory_assets.llm.local.note_worth import note_worth
from memory_assets.llm.tasks import SourceText, Statement, TurnText
from memory_assets.memory_file.candidates import FileRules
from memory_assets_tests.labelled.noted.examples import FROZEN, NOTES, Example, examples, rows

LEAST_AREA = {1: 0.81, 2: 0.86, 3: 0.88}
"""A little below what was measured on the frozen people, by the least worth that is asked for."""
LEAST_GAIN = 0.05
"""So much better than the order by how likely the words alone say that a line is needed again."""


@pytest.fixture(scope="module")
def frozen() -> list[Example]:
    return list(examples(FROZEN))


def area(found: list[Example], least: int, score: Callable[[Example], float]) -> float:
    """How often a line that is worth so much comes before one that isn't, person by person."""
    areas = []
    for owner in {one.owner for one in found}:
        scored = [(one.worth >= least, score(one)) for one in found if one.owner == owner]
        good, other = ([value for is_good, value in scored if is_good is wanted] for wanted in (True, False))
        assert good and other
        won = sum((a > b) + (a == b) / 2 for a in good for b in other)
        areas.append(won / (len(good) * len(other)))
    return sum(areas) / len(areas)


@pytest.mark.parametrize("least", LEAST_AREA)
def test_what_matters_comes_before_what_does_not(frozen: list[Example], least: int) -> None:
    by_model = area(frozen, least, lambda one: note_worth(*one.candidate, one.source))
    by_words = area(frozen, least, lambda one: one.candidate.verdict.durability)
    assert by_model >= LEAST_AREA[least] and by_model >= by_words + LEAST_GAIN, (by_model, by_words)


def test_nothing_is_learned_from_the_frozen() -> None:
    known, frozen = ({(row["writer"], row["owner"]) for row in rows(path)} for path in (NOTES, FROZEN))
    assert len(known) >= 9 and len(frozen) >= 2
    for of_known, of_frozen in zip(zip(*known, strict=True), zip(*frozen, strict=True), strict=True):
        assert set(of_known).isdisjoint(of_frozen)


def _statements(text: str) -> tuple[Statement, ...]:
    turns = (TurnText(index=0, speaker=None, text=text),)
    source = SourceText(source_type="note", title="Notes", started_at=None, owner_speaker=None, turns=turns)
    return extract(source).statements


def _noted(text: str) -> dict[str, float]:
    return {one.text: one.durability for one in _statements(text) if "worth a line" in one.judged}


def test_the_place_of_a_line_says_what_it_is_worth() -> None:
    of_health = _noted("## Health\n\n- Allergy: latex, badly\n- drank two glasses of water\n")
    assert of_health["Allergy: latex, badly"] > of_health["drank two glasses of water"] + 0.2
    said = "salt on the wooden boards"
    (rule,), (step,) = (
        _noted(f"## {above}\n\n- No {said}\n").values() for above in ("Rules for the assistant", "Soup")
    )
    assert rule > step


def test_a_task_keeps_its_own_worth() -> None:
    (task,) = _statements("- [ ] Pay the plumber by Friday\n")
    assert task.content_type == "task" and "worth a line" not in task.judged


@pytest.mark.parametrize("said", ["Мою жену зовут Анна.", "我住在上海。", "Alergia a la penicilina"])
def test_what_is_said_in_a_language_of_which_nothing_was_learned_may_be_in_a_file(said: str) -> None:
    (statement,) = _statements(f"{said}\n")
    assert "worth a line" not in statement.judged and statement.durability >= FileRules().least_retention
