"""What the local model says of a subject: who or what it is, in whole sentences of its notes."""

from __future__ import annotations

import pytest

from memory_assets.llm.local.descriptions import describe_subject
from memory_assets.llm.tasks import DescriptionNote, DescriptionRequest

YEAR, MONTH, WEEK = 3, 2, 1


def request(name: str, *notes: tuple[str, int] | tuple[str, int, str], kind: str = "person") -> DescriptionRequest:
    return DescriptionRequest(
        kind=kind,
        name=name,
        entity_type=kind,
        current=("It was so.",),
        notes=tuple(
            DescriptionNote(
                ref=str(number),
                day=f"2026-05-{number:02}",
                text=f"{of[0]}: {text}" if of else text,
                statement=text,
                speaker=of[0] if of else None,
                lasting=lasting,
            )
            for number, (text, lasting, *of) in enumerate(notes, start=1)
        ),
    )


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        # Who somebody is comes before what passes.
        (
            request(
                "Anselm Drury",
                ("Anselm laughed and closed the door behind the pupil.", MONTH),
                ("Maya's cello teacher is Anselm Drury.", YEAR),
                ("Anselm comes tomorrow at nine.", WEEK),
            ),
            ["Maya's cello teacher is Anselm Drury."],
        ),
        (
            request("Priya Raman", ("Priya is ill today.", WEEK), ("Priya Raman owns the alert thresholds.", MONTH)),
            ["Priya Raman owns the alert thresholds."],
        ),
        # Behind the name of who says it.
        (
            request("Ada", ("Ada leads the harbour museum.", YEAR, "Ben Okafor")),
            ["Ben Okafor: Ada leads the harbour museum."],
        ),
        # Neither fragments, nor questions, nor lines of somebody's list, nor what speaks of somebody else.
        (request("Ada", ("Present for Ada (Ben, 2026-11-18)", MONTH), ("Where does Ada live?", YEAR)), []),
        (request("Ada", ("2026-05-01: Ada moved the launch to June.", YEAR), ("The boat is blue.", YEAR)), []),
        # Nobody's "I".
        (request("Ada", ("I still need a present for Ada.", YEAR)), []),
        # Of a concept one sentence, of words without spaces what is there.
        (
            request("siren", ("The siren stands on the wall.", YEAR), ("The siren is loud.", YEAR), kind="concept"),
            1,
        ),
        (request("玛雅", ("玛雅住在上海。", YEAR)), ["玛雅住在上海。"]),
        (request("Council of Skagness", ("The lamp of the ship is out.", YEAR), kind="entity"), []),
    ],
)
def test_a_subject_is_described_by_what_says_who_or_what_it_is(
    asked: DescriptionRequest, expected: list[str] | int
) -> None:
    sentences = [one.text for one in describe_subject(asked).sentences]
    assert len(sentences) == expected if isinstance(expected, int) else sentences[: len(expected) or None] == expected


def test_a_second_sentence_says_something_else() -> None:
    asked = request(
        "Elin Lindqvist",
        ("Elin marries Jonas on Saturday 12 December in Kråkvik.", YEAR),
        ("Elin is getting married to Jonas in Kråkvik on Saturday 12 December.", YEAR),
        ("Elin owns a red sailing boat.", YEAR),
    )
    sentences = [one.text for one in describe_subject(asked).sentences]
    assert len(sentences) == 2 and "Elin owns a red sailing boat." in sentences


def test_how_it_was_described_so_far_decides_nothing() -> None:
    asked = request("Ada", ("Ada leads the harbour museum.", YEAR), ("Ada paints.", WEEK))
    assert describe_subject(asked) == describe_subject(asked.model_copy(update={"current": ()}))
