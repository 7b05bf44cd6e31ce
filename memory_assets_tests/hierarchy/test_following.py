"""Every sentence of a storyline and macro is stored with what it rests on; a check finds one that does not follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest

from memory_assets.clock import to_iso
from memory_assets.entities.extraction import Extractor
from memory_assets.entities.policy import statement_id
from memory_assets.errors import UnusableAnswerError
from memory_assets.graph.graph import Graph
from memory_assets.hierarchy import macros, reading, storylines
from memory_assets.hierarchy.reading import JUDGED, unsupported_macros, unsupported_storylines
from memory_assets.hierarchy.stage import STATEMENTS, Stage
from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.sentences import read_sentences
from memory_assets.llm.tasks import NAME_STORYLINE, DescribedSentence, Extraction, StorylineName
from memory_assets.runtime.scope import RunScope
from memory_assets_tests.hierarchy.test_promotion import CLOCK, MOORING, SAILS, TOPICS, materialize, script, seed
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel, stated
from memory_assets_tests.support.storylines import stored_storylines

pytestmark = pytest.mark.graph
NOW = CLOCK.now()


DONE = (
    ("tested", "in the north harbour"),
    ("mended", "with two sailmakers"),
    ("washed", "behind the old mill"),
    ("lent", "to a neighbour from Riga"),
    ("insured", "for 900 crowns"),
    ("sold", "at the spring market"),
)
"""What is done on a day, and how."""


class TopicEmbedder(HashEmbedder):
    """One vector for all that is said of a topic; notes the texts that it embeds."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], *, asset: str, user_id: str) -> np.ndarray:
        self.texts += texts
        topics = [next((topic for topic in TOPICS if topic in text), text) for text in texts]
        return super().embed(topics, asset=asset, user_id=user_id)


def words_of(title: str) -> str:
    """What a source of this name says."""
    name = title.rpartition("/")[2]
    done, how = DONE[int(name[-3:]) % len(DONE)]
    return f"I {done} the new {name[:-3]} of the boat {how}."


def saying(task: str, payload: Any) -> Any:
    """In each source Alex says one thing of the boat."""
    given = script(task, payload)
    if not isinstance(given, Extraction):
        return given
    said = stated(words_of(payload.title), "Boat", speaker="Alex")
    return given.model_copy(update={"statements": (said,)})


def derive(
    graph: Graph, user: str, language: Any, embedder: Any = None, events: Sequence[tuple[str, int]] = SAILS
) -> tuple[Stage, Counter[str]]:
    seed(graph, user, events)
    Extractor(graph, ScriptedModel(saying), TopicEmbedder(), CLOCK, user, lambda _: None).run(RunScope())
    stage = Stage(storylines.TASK, graph, language, embedder or TopicEmbedder(), CLOCK, user)
    return stage, storylines.derive_storylines(stage, force=False)


def sentences_of(graph: Graph, user: str) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """The sentences of a user's only storyline, with what they cite and in which sources."""
    (row,) = stored_storylines(graph, user)
    sentences = read_sentences(row["properties"]["sentences"])
    assert row["properties"]["summary"] == " ".join(one.text for one in sentences)
    return [(one.text, one.cites, one.sources) for one in sentences]


def answering(sentences: Callable[[Any], Sequence[tuple[str, str | None]]]) -> ScriptedModel:
    def answer(task: str, payload: Any) -> Any:
        assert task == NAME_STORYLINE
        given = [DescribedSentence(text=text, refs=(ref or "",)) for text, ref in sentences(payload)]
        return StorylineName(title="The boat", sentences=tuple(given))

    return ScriptedModel(answer)


def cited(user: str, *days: int) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """What of these days' sources is cited: the statement, and the source."""
    names = [f"{user}/sails{day:03}" for day in days]
    return [((statement_id(user, "Alex", words_of(name)),), (name,)) for name in names]


@pytest.mark.parametrize("language", [LocalModel(), answering(lambda asked: [("The boat sank.", "1")])])
def test_without_a_model_and_where_it_adds_to_what_is_said_whole_statements_are_the_text(
    graph: Graph, user: str, language: Any
) -> None:
    stage, counts = derive(graph, user, language)
    found = sentences_of(graph, user)
    assert 2 <= len(found) <= 4
    for text, (statement,), (source,) in found:
        assert statement == statement_id(user, "Alex", words_of(source))
        assert text == f"{int(source[-3:]) + 1} January 2026: Alex: {words_of(source)}"
    (row,) = stored_storylines(graph, user)
    is_local = isinstance(language, LocalModel)
    assert row["properties"]["model"] == (language.name if is_local else STATEMENTS)
    assert row["properties"]["title"] != "The boat", "a title of what does not hold is not taken"
    assert counts["refused"] == stage.refused.total() == (0 if is_local else 1)
    assert unsupported_storylines(graph, user, NOW) == []


def test_what_a_model_refuses_is_said_in_whole_statements(graph: Graph, user: str) -> None:
    refusing = ScriptedModel(lambda task, payload: UnusableAnswerError("no"))
    _, counts = derive(graph, user, refusing)
    assert (counts["named"], counts["refused"], counts["failed"]) == (1, 1, 0)
    assert len(sentences_of(graph, user)) >= 2


GOOD = ("Alex tested the new sails in the north harbour.", "Alex insured the new sails for 900 crowns.")


def test_a_sentence_of_a_model_that_does_not_follow_is_left_out(graph: Graph, user: str) -> None:
    def sentences(asked: Any) -> list[tuple[str, str | None]]:
        refs = [one.ref for source in asked.sources for one in source.said]
        return [
            (GOOD[0], refs[0]),
            ("Alex mended the new sails with three sailmakers.", refs[1]),
            (GOOD[1], refs[2]),
            (GOOD[1], refs[4]),
        ]

    stage, counts = derive(graph, user, answering(sentences))
    found = sentences_of(graph, user)
    assert [text for text, *_ in found] == list(GOOD)
    assert [rest for _, *rest in found] == [list(pair) for pair in cited(user, 0, 4)]
    assert counts["refused"] == stage.refused.total() == 2
    assert unsupported_storylines(graph, user, NOW) == []


def test_the_check_finds_what_does_not_follow_unless_it_is_due(graph: Graph, user: str) -> None:
    derive(graph, user, LocalModel())
    (row,) = stored_storylines(graph, user)
    line = row["properties"]

    def write(**change: str) -> list[dict[str, Any]]:
        times = {name: to_iso(line[name]) for name in ("first_source_at", "last_source_at")}
        tampered = [line | times | change]
        graph.write("hierarchy/set_storylines", tampered, user_id=user, embedder=HashEmbedder.name, now=to_iso(NOW))
        return unsupported_storylines(graph, user, NOW)

    other = {name: line[name].replace("the new sails", "the old sails") for name in ("sentences", "summary")}
    found = write(**other)
    assert len(found) == len(read_sentences(other["sentences"]))
    assert {(one["memory_id"], one["title"]) for one in found} == {(row["id"], line["title"])}
    assert unsupported_storylines(graph, f"{user}-other", NOW) == []
    assert unsupported_storylines(graph, user, NOW + JUDGED * 2) == []
    assert [one["why"] for one in write(summary="Alex left.")] == ["is not what its sentences say"]
    seed(graph, user, [*SAILS, ("sails", 5)])
    Extractor(graph, ScriptedModel(saying), TopicEmbedder(), CLOCK, user, lambda _: None).run(RunScope())
    assert write(**other) == [], "its anchor has changed: it is to be made anew"


def test_the_check_judges_the_last_texts_that_were_made(
    graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    derive(graph, user, LocalModel(), events=SAILS + MOORING)
    older, newer = sorted(stored_storylines(graph, user), key=lambda row: row["id"])

    def write(row: dict[str, Any], at: datetime) -> None:
        line = row["properties"]
        times = {name: to_iso(line[name]) for name in ("first_source_at", "last_source_at")}
        tampered = [line | times | {"summary": "Alex left."}]
        graph.write("hierarchy/set_storylines", tampered, user_id=user, embedder=HashEmbedder.name, now=to_iso(at))

    write(older, NOW - timedelta(milliseconds=1))
    write(newer, NOW)
    assert [one["memory_id"] for one in unsupported_storylines(graph, user, NOW)] == [older["id"], newer["id"]]
    monkeypatch.setattr(reading, "MOST_JUDGED", 1)
    assert [one["memory_id"] for one in unsupported_storylines(graph, user, NOW)] == [newer["id"]]


def test_a_macro_rests_on_what_its_storylines_rest_on(graph: Graph, user: str) -> None:
    derive(graph, user, LocalModel(), events=SAILS + MOORING)
    stage = Stage(macros.TASK, graph, LocalModel(), TopicEmbedder(), CLOCK, user)
    assert macros.derive_macros(stage, force=False)["named"] == 1
    (row,) = graph.read("hierarchy/list_macros", user_id=user)
    macro = row["properties"]
    below = {
        pair
        for line in stored_storylines(graph, user)
        for one in read_sentences(line["properties"]["sentences"])
        for pair in zip(one.cites, one.sources, strict=True)
    }
    sentences = read_sentences(macro["sentences"])
    assert 2 <= len(sentences) <= 4 and macro["overview"] == " ".join(one.text for one in sentences)
    assert {pair for one in sentences for pair in zip(one.cites, one.sources, strict=True)} <= below
    assert unsupported_macros(graph, user, NOW) == unsupported_storylines(graph, user, NOW) == []
    times = {name: to_iso(macro[name]) for name in ("first_event_at", "last_event_at")}
    tampered = [macro | times | {"overview": "Alex left."}]
    graph.write("hierarchy/set_macros", tampered, user_id=user, embedder=HashEmbedder.name, now=to_iso(NOW))
    assert [one["sentence"] for one in unsupported_macros(graph, user, NOW)] == ["Alex left."]


def test_a_text_that_is_as_it_was_is_not_embedded_again(graph: Graph, user: str) -> None:
    same = answering(lambda asked: [(f"Alex: {one.text}", one.ref) for row in asked.sources[:2] for one in row.said])
    embedder = TopicEmbedder()
    _, counts = derive(graph, user, same, embedder)
    assert (counts["named"], counts["embedded"], len(embedder.texts)) == (1, 1, 1)
    before = stored_storylines(graph, user)[0]["properties"]
    _, counts = derive(graph, user, same, embedder, [*SAILS, ("sails", 5)])
    after = stored_storylines(graph, user)[0]["properties"]
    assert (after["source_count"], after["summary"]) == (6, before["summary"])
    assert (counts["named"], counts["embedded"], len(embedder.texts)) == (1, 0, 1)
    assert list(after["embedding"]) == list(before["embedding"])
    other = answering(lambda asked: [(f"Alex: {one.text}", one.ref) for row in asked.sources[1:3] for one in row.said])
    _, counts = derive(graph, user, other, embedder, [*SAILS, ("sails", 5), ("sails", 6)])
    assert (counts["embedded"], len(embedder.texts)) == (1, 2)


def test_macros_are_embedded_for_other_texts_alone(graph: Graph, user: str) -> None:
    seed(graph, user, SAILS + MOORING)
    _, themes = materialize(graph, user)
    assert themes["embedded"] == 1
    seed(graph, user, [("mooring", 50)])
    _, themes = materialize(graph, user)
    assert (themes["named"], themes["embedded"]) == (1, 0)
