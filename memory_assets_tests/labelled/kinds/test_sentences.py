"""The labelled sentences: every line can be read, no file is in both halves, agreement is what its definition says."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from pathlib import Path

import pytest

from memory_assets_tests.labelled.kinds.sentences import (
    KINDS,
    LabelledSentence,
    Turn,
    agreement,
    labelled,
    turns,
    words_of,
)


def test_every_label_is_of_the_guide_and_no_file_is_in_both_halves() -> None:
    sentences = labelled()
    assert len(sentences) > 4000
    halves = defaultdict(set)
    for sentence in sentences:
        assert sentence.half in ("train", "test") and sentence.sampled in ("uniform", "signal", "model")
        assert sentence.labels[0] and (sentence.labels[1] or sentence.half == "train")
        for label in filter(None, sentence.labels):
            assert label == "N" or (label[0] in KINDS and label[1:] in ("d", "w", "y"))
        if sentence.place[0] != "slack":  # one long channel: its halves are its earlier and its later part
            halves[sentence.place[:2]].add(sentence.half)
    assert all(len(found) == 1 for found in halves.values())
    assert {sentence.half for sentence in sentences} == {"train", "test"}


@pytest.mark.parametrize(
    ("pairs", "same", "kappa"),
    [
        ([("N", "N"), ("F", "F")], 1.0, 1.0),
        ([("N", "N"), ("N", "N")], 1.0, 1.0),
        ([("N", "F"), ("F", "N")], 0.0, -1.0),
        # Cohen's own example of two raters and two categories: 20, 5, 10, 15 of 50.
        ([("Y", "Y")] * 20 + [("Y", "N")] * 5 + [("N", "Y")] * 10 + [("N", "N")] * 15, 0.7, 0.4),
    ],
)
def test_agreement(pairs: list[tuple[str, str]], same: float, kappa: float) -> None:
    assert agreement(pairs) == pytest.approx((same, kappa))


def test_words_are_read_where_the_corpus_is_and_another_release_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_ASSETS_CORPORA", str(tmp_path))
    assert turns() == {}
    (tmp_path / "qmsum").mkdir()
    said = [{"speaker": "Ana", "content": "Good. We meet on Monday."}, {"speaker": "Ben", "content": "Fine."}]
    (tmp_path / "qmsum" / "val12.jsonl").write_text(json.dumps({"meeting_transcripts": said}) + "\n", encoding="utf-8")
    place = ("qmsum", "0", "0")
    assert turns() == {
        place: Turn("Good. We meet on Monday.", "Ana"),
        ("qmsum", "0", "1"): Turn("Fine.", "Ben", said[0]["content"]),
    }
    digest = hashlib.sha256(b"We meet on Monday.").hexdigest()[:12]
    sentence = LabelledSentence("train", place, 6, 24, digest, "uniform", ("Fd", "Fd"))
    assert words_of(sentence, turns()) == "We meet on Monday."
    assert (
        words_of(LabelledSentence("train", ("slack", "x", "0"), 0, 1, digest, "uniform", ("N", "N")), turns()) is None
    )
    with pytest.raises(ValueError, match="qmsum/0/0 holds another sentence at 5"):
        words_of(LabelledSentence("train", place, 5, 23, digest, "uniform", ("Fd", "Fd")), turns())
