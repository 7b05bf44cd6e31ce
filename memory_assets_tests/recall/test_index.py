"""The index by itself: days and names, what is unsure, a writer that is killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.recall import ranking
from memory_assets.recall.index import PassageIndex, SourceText, Span
from memory_assets.recall.policy import Passage, RecallRules

SAID = {
    "may": [("Nora", "Where did we leave the ladder of the lighthouse?"), ("Ben", "Behind the boathouse, I think.")],
    "june": [("Nora", "The lens for the lighthouse came from Bergen."), ("Ada", "It cost 240 euros.")],
    "undated": [("Ben", "A lighthouse needs two keepers.")],
}
DAYS = {"may": datetime(2026, 5, 8, tzinfo=UTC), "june": datetime(2026, 6, 1, tzinfo=UTC), "undated": None}


@pytest.fixture
def index(tmp_path: Path) -> PassageIndex:
    made = PassageIndex(tmp_path / "said")
    made.replace(
        {
            key: SourceText(key, DAYS[key], [Passage(turn, name, None, text) for turn, (name, text) in enumerate(said)])
            for key, said in SAID.items()
        }
    )
    return made


@pytest.mark.parametrize(
    ("span", "sources"),
    [
        (Span(), {"may", "june", "undated"}),
        (Span(since=date(2026, 5, 9)), {"june"}),
        (Span(since=date(2026, 6, 1)), {"june"}),
        (Span(until=date(2026, 5, 8)), {"may", "undated"}),
        (Span(since=date(2026, 5, 8), until=date(2026, 5, 31)), {"may"}),
        (Span(about=("Ada",)), {"june"}),
        (Span(about=("ben",)), {"may", "undated"}),
        (Span(about=("Ben", "ladder")), {"may"}),
        (Span(about=("Eve",)), set()),
    ],
)
def test_days_and_names_narrow_what_is_found(index: PassageIndex, span: Span, sources: set[str]) -> None:
    assert {one.source_id for one in index.search("lighthouse", span).found} == sources


def test_a_named_speaker_and_meaning_rank_and_another_life_is_unsure(index: PassageIndex) -> None:
    assert index.search("What did Ben say of the lighthouse keepers?").found[0].source_id == "undated"
    assert index.search("What was the price in euros?").found[0].text == "It cost 240 euros."
    assert index.search("ladder of the lighthouse").is_sure
    assert not index.search("Which violin did Caroline buy in Paris for her daughter's wedding?").is_sure


def test_of_a_long_turn_one_passage_stands_for_it(tmp_path: Path) -> None:
    long = [
        Passage(0, "model", None, f"The lighthouse lens is cleaned in {month}.") for month in ("May", "June", "July")
    ]
    other = [Passage(1, "Ada", None, "The lighthouse lens has a crack in it, from the storm of last winter.")]
    made = PassageIndex(tmp_path / "long")
    made.replace({"talk": SourceText("1", None, [*long, *other])})
    found = made.search("lighthouse lens").found
    assert len(found) == 4 and {one.turn for one in found[:2]} == {0, 1}


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.floats(0.001, 1)), min_size=1, max_size=12))
def test_the_best_of_each_turn_keeps_its_score(rows: list[tuple[int, int, float]]) -> None:
    source, turn, scores = (np.array(column) for column in zip(*rows, strict=True))
    found = ranking.turns_first(scores, source, turn, np.arange(len(rows)))
    for key in set(zip(source.tolist(), turn.tolist(), strict=True)):
        of_turn = (source == key[0]) & (turn == key[1])
        assert found[of_turn].max() == scores[of_turn].max()
        assert np.isclose(np.sort(found[of_turn])[:-1], ranking.AGAIN * np.sort(scores[of_turn])[:-1]).all()


def test_candidates_by_words_alone_are_those_that_have_them(index: PassageIndex) -> None:
    few = RecallRules(all_of=0)
    assert {one.source_id for one in index.search("Bergen", rules=few).found} == {"june"}
    assert index.search("violin", rules=few).found == ()


PROJECTS = ["harbor", "garden", None]


@given(
    st.lists(st.sampled_from(PROJECTS), min_size=1, max_size=12),
    st.sampled_from([*PROJECTS, "elsewhere"]),
    st.sampled_from([0, 2_000]),
)
@settings(max_examples=15, deadline=None)
def test_a_project_is_searched_before_the_best_are_chosen(of: list[str | None], asked: str | None, all_of: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = PassageIndex(Path(folder) / "said")
        said = [Passage(0, "Nora", None, "The lighthouse is white.")]
        index.replace({f"{at:02}": SourceText("m", None, said, project) for at, project in enumerate(of)})
        # So few candidates that those of another project would take all places.
        wanted = {f"{at:02}" for at, project in enumerate(of) if asked is None or project in (None, asked)}
        rules = RecallRules(all_of=all_of, candidates=max(1, len(wanted)))
        found = index.search("lighthouse", Span(project=asked), rules=rules).found
        index.close()
    assert {one.source_id for one in found} == wanted


def test_an_index_that_is_removed_is_noticed(index: PassageIndex) -> None:
    assert index.mark() == (None, 0) and not index.is_gone()
    shutil.rmtree(index.folder)
    assert index.is_gone()


def test_what_is_replaced_leaves_the_words_with_the_next_change(tmp_path: Path) -> None:
    index = PassageIndex(tmp_path / "said")
    assert index.changed_at() is None
    for batch in batches(4):
        index.replace(batch)
    changed = index.changed_at()
    index.search("lamp")
    assert changed is not None and index.changed_at() == changed, "who asks changes nothing"
    index.replace({})
    index.search("lamp")
    assert index._searcher.num_docs == index.size()["passages"] == 25


WRITER = """
import sys
from pathlib import Path
from memory_assets_tests.recall.test_index import batches
from memory_assets.recall.index import PassageIndex
index = PassageIndex(Path(sys.argv[1]))
index.search("warm")
print("ready", flush=True)
with index.lock():
    for batch in batches():
        index.replace(batch)
        print("written", flush=True)
"""


def batches(count: int = 12) -> list[dict[str, SourceText]]:
    """Each says anew, in other words, what half of the one before said, and more."""
    return [
        {
            f"s{key}": SourceText(f"{number}", None, [Passage(0, None, None, f"word{number} lamp harbour {key}")])
            for key in range(number * 5, number * 5 + 10)
        }
        for number in range(count)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("written", [0, 1, 3, 6])
def test_a_writer_that_is_killed_leaves_no_half(tmp_path: Path, written: int) -> None:
    folder = tmp_path / "killed"
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert process.stdout is not None
    for _ in range(written + 1):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    index, fresh = PassageIndex(folder), PassageIndex(tmp_path / "fresh")
    done = index.marks()
    whole = {
        key: one for batch in batches()[: 1 + max(map(int, done.values()), default=-1)] for key, one in batch.items()
    }
    assert done == {key: one.mark for key, one in whole.items()}, "whole batches, none in part"
    found = index.search("lamp", rules=RecallRules(all_of=0))
    assert sorted(one.text for one in found.found) == sorted(one.passages[0].text for one in whole.values())
    for batch in batches():
        index.replace(batch)
        fresh.replace(batch)
    assert index.search("lamp word3", rules=RecallRules(all_of=0)) == fresh.search(
        "lamp word3", rules=RecallRules(all_of=0)
    )


def test_a_chat_and_a_mail_are_ranked_on_one_scale(tmp_path: Path) -> None:
    chat = [
        ("Maya", "I decided something about the cello and the wedding."),
        ("assistant", "A smaller room and a warmer audience. What made you decide?"),
        ("assistant", "That is good advice for more than the cello."),
    ]
    mail = [("Elin", "Play the cello at the dinner, and at the wedding you just stand next to me.")]
    passages = PassageIndex(tmp_path / "said")
    passages.replace(
        {
            name: SourceText("", None, [Passage(turn, who, None, text) for turn, (who, text) in enumerate(said)])
            for name, said in (("chat", chat), ("mail", mail))
        }
    )
    found = passages.search("Who plays the cello at the wedding?").found
    passages.close()
    assert found[0].source_id == "mail"
