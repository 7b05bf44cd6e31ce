"""The labelled material of our own: every record has its fields, no text is there twice, the halves are both of some
size.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

from memory_assets_tests.labelled.kinds.sentences import KINDS

FOLDER = Path(__file__).parent


def records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def test_every_written_sentence_has_a_kind_and_how_long_it_lasts() -> None:
    written = records("kinds/written.jsonl")
    assert all(list(one) == ["lang", "label", "lasting", "where", "before", "text"] and one["text"] for one in written)
    assert all(one["label"] in KINDS and one["lasting"] in ("", "d", "w", "y") for one in written)
    assert all((one["label"] == "N") == (one["lasting"] == "") for one in written)
    assert max(Counter((one["lang"], one["text"]) for one in written).values()) == 1
    assert min(Counter(one["lang"] for one in written).values()) >= 190
    assert {one["lang"] for one in written} == {"en", "de", "fr", "es", "pt", "zh"}


def test_every_pair_says_which_words_are_lost() -> None:
    pairs = records("validity/pairs.jsonl")
    assert len({one["id"] for one in pairs}) == len(pairs) == 600
    for one in pairs:
        earlier, later = one["earlier"], one["later"]
        assert list(earlier) == list(later) == ["speaker", "day", "text"]
        assert date.fromisoformat(earlier["day"]) <= date.fromisoformat(later["day"])
        assert one["label"] in ("changed", "done", "same", "both")
        assert one["lost"] in earlier["text"] and bool(one["lost"]) == (one["label"] in ("changed", "done"))
    assert Counter(one["half"] for one in pairs) == {"train": 300, "test": 300}


def test_every_pair_of_a_written_kind_has_a_language_and_says_which_words_are_lost() -> None:
    pairs = records("validity/written.jsonl")
    assert max(Counter((one["earlier"]["text"], one["later"]["text"]) for one in pairs).values()) == 1
    for one in pairs:
        assert list(one) == ["label", "kind", "language", "earlier", "later", "lost"] and one["kind"]
        assert one["label"] in ("changed", "done", "same", "both", "contradicts")
        assert date.fromisoformat(one["earlier"]["day"]) <= date.fromisoformat(one["later"]["day"])
        assert one["lost"] in one["earlier"]["text"] and bool(one["lost"]) == (one["label"] in ("changed", "done"))
    assert min(Counter(one["label"] for one in pairs).values()) >= 100
    assert {one["language"] for one in pairs} == {"en", "de", "es", "fr", "pt", "zh"}
