"""Sentences that a reader has taken for leaning on what was said before, or for independent: those that are restated.

``labels.tsv`` points to sentences of outside corpora (see :mod:`~memory_assets_tests.labelled.kinds.sentences`) that
made a statement before :mod:`~memory_assets.llm.local.leaning` was asked. What leans in a way that grammar does not
show ("We had a ton of fun") is labelled, too, so that many are missed; few independent ones may be left out.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from memory_assets.llm.local.language import parse
from memory_assets.llm.local.leaning import leans
from memory_assets.llm.local.standalone import quoted
from memory_assets_tests.bench.corpora import corpora
from memory_assets_tests.labelled.kinds.sentences import LabelledSentence, turns, words_of

LABELS = Path(__file__).with_name("labels.tsv")
LEANS, INDEPENDENT = "leans", "stands"


def _labelled() -> list[tuple[LabelledSentence, str]]:
    with LABELS.open(encoding="utf-8", newline="") as file:
        return [
            (
                LabelledSentence(
                    "train",
                    (row["corpus"], row["file"], row["place"]),
                    int(row["start"]),
                    int(row["end"]),
                    row["digest"],
                    "uniform",
                    ("", ""),
                ),
                row["label"],
            )
            for row in csv.DictReader(file, delimiter="\t")
        ]


def test_every_label_is_known() -> None:
    labels = [label for _, label in _labelled()]
    assert len(labels) > 500
    assert set(labels) == {LEANS, INDEPENDENT}


@pytest.mark.skipif(not corpora().is_dir(), reason=f"the corpora are not at hand: {corpora()}")
def test_few_sentences_that_stand_alone_are_taken_for_leaning() -> None:
    said = turns()
    some = [(text, label) for sentence, label in _labelled() if (text := words_of(sentence, said)) is not None]
    parsed = parse([text for text, _ in some])
    found = [label for (_, label), one in zip(some, parsed, strict=True) if leans(one, quoted(one))]
    assert found.count(LEANS) >= 0.75 * len(found), found
    assert found.count(LEANS) >= 0.22 * [label for _, label in some].count(LEANS)
