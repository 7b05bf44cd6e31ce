"""Storylines and macros on a running graph: formed, named once, extended, taken back, any way round."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memory_assets.clock import Clock, to_iso
from memory_assets.curation.rails import judge_retirements
from memory_assets.entities.extraction import Extractor
from memory_assets.entities.policy import statement_id
from memory_assets.errors import BudgetExceededError, ModelError, ModelServiceError
from memory_assets.graph.graph import Graph
from memory_assets.hierarchy import macros, storylines
from memory_assets.hierarchy.reading import unsupported_storylines
from memory_assets.hierarchy.stage import Stage
from memory_assets.lifecycle.ageing import age_memories
from memory_assets.lifecycle.folding import recount
from memory_assets.llm.sentences import read_sentences
from memory_assets.llm.tasks import (
    NAME_MACRO,
    NAME_STORYLINE,
    ExtractedEntity,
    Extraction,
    MacroName,
    SaidOfIt,
    StorylineName,
)
from memory_assets.llm.tasks import Statement as Spoken
from memory_assets.model import node_id
from memory_assets.runtime.accesses import AccessLog, waiting_accesses
from memory_assets.runtime.scope import RunScope
from memory_assets.settings import Settings
from memory_assets_tests.support.accesses import access, fold
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel
from memory_assets_tests.support.seeds import decide_out, picture, seed_properties, seed_sources, source_row
from memory_assets_tests.support.storylines import first_words, stored_storylines

pytestmark = pytest.mark.graph
CLOCK = Clock(datetime(2026, 12, 1, 9, tzinfo=UTC))
START = datetime(2026, 1, 1, 9, tzinfo=UTC)
TOPICS = {"sails": [1.0, 0.0], "mooring": [0.0, 1.0]}

SAILS = [("sails", day) for day in range(5)]
MOORING = [("mooring", day) for day in range(40, 45)]


def script(task: str, payload: Any) -> Any:
    """Every source is about the boat; a name says what it was made from."""
    if task == NAME_STORYLINE:
        return StorylineName(title=f"{payload.anchor} {len(payload.sources)}", sentences=first_words(payload.sources))
    if task == NAME_MACRO:
        return MacroName(title=payload.anchor, sentences=first_words(payload.storylines))
    boat = ExtractedEntity(kind="concept", name="Boat", entity_type="concept", confidence=8, subpoints=("a", "b", "c"))
    return Extraction(entities=(boat,), statements=())


def seed(graph: Graph, user: str, events: Sequence[tuple[str, int]], **change: Any) -> None:
    rows = [
        source_row(
            f"{user}/{topic}{day:03}",
            user,
            **{"started_at": to_iso(START + timedelta(days=day)), "summary": f"{topic} {day}"}
            | {"embedding": TOPICS[topic], "embedder": HashEmbedder.name}
            | change,
        )
        for topic, day in events
    ]
    seed_sources(graph, rows)


def materialize(
    graph: Graph,
    user: str,
    model: ScriptedModel | None = None,
    *,
    force: bool = False,
    folder: Path | None = None,
    clock: Clock = CLOCK,
) -> tuple[Counter[str], Counter[str]]:
    """All three stages, as a run does; what storylines and macros report. ``folder``: for what is grouped."""
    model = model or ScriptedModel(script)
    Extractor(graph, ScriptedModel(script), HashEmbedder(), clock, user, lambda _: None).run(RunScope())
    stage = Stage(storylines.TASK, graph, model, HashEmbedder(), clock, user, folder)
    counts = storylines.derive_storylines(stage, force=force)
    themes = macros.derive_macros(Stage(macros.TASK, graph, model, HashEmbedder(), clock, user), force=force)
    return counts, themes


def titles(graph: Graph, user: str) -> list[tuple[str, str, int]]:
    """Each title with the first sentence below it, and how many sources it includes."""
    rows = [row["properties"] for row in stored_storylines(graph, user)]
    return sorted((row["title"], read_sentences(row["sentences"])[0].text, row["source_count"]) for row in rows)


def boat(graph: Graph, user: str) -> dict[str, Any]:
    key = node_id("concept", user, "boat")
    return graph.read("graph/list_owned_nodes", ids=[key], user_ids=[user])[0]["properties"]


def test_five_sources_on_three_days_promote_an_anchor(graph: Graph, user: str) -> None:
    seed(graph, user, SAILS[:4])
    materialize(graph, user)
    assert titles(graph, user) == []
    assert (boat(graph, user)["state"], boat(graph, user)["has_meso"]) == ("candidate", False)
    seed(graph, user, SAILS)
    counts, themes = materialize(graph, user)
    assert (counts["named"], themes["named"]) == (1, 0)
    assert titles(graph, user) == [("Boat 5", "sails 0", 5)]
    assert (boat(graph, user)["state"], boat(graph, user)["has_meso"]) == ("active", True)
    (row,) = stored_storylines(graph, user)
    line = row["properties"]
    assert (line["state"], line["distinct_source_days"], line["is_dirty"]) == ("active", 5, False)
    assert line["first_source_at"] == START and line["last_source_at"] == START + timedelta(days=4)
    assert line["id"] == node_id("storyline", user, node_id("concept", user, "boat"), f"{user}/sails000")


def test_what_is_made_anew_fades_from_when_its_sources_arrived(graph: Graph, user: str) -> None:
    def arrivals() -> list[datetime]:
        rows = [*stored_storylines(graph, user), *graph.read("hierarchy/list_macros", user_id=user)]
        return [row["properties"]["ingested_at"] for row in rows]

    seed(graph, user, SAILS + MOORING)
    materialize(graph, user)
    first = arrivals()
    assert len(first) == 3
    later = Clock(CLOCK.now() + timedelta(days=300))
    counts, themes = materialize(graph, user, ScriptedModel(script), force=True, clock=later)
    assert (counts["named"], themes["named"], arrivals()) == (2, 1, first)


def test_what_grows_is_as_old_as_its_last_arrival_and_told_as_before(graph: Graph, user: str, tmp_path: Path) -> None:
    def found() -> dict[str, tuple[datetime, datetime]]:
        rows = [*stored_storylines(graph, user), *graph.read("hierarchy/list_macros", user_id=user)]
        told = {row["id"]: row["properties"] for row in rows}
        return {key: (one["ingested_at"], one["generated_at"]) for key, one in told.items()}

    seed(graph, user, SAILS + MOORING)
    materialize(graph, user, folder=tmp_path)
    first = found()
    age_memories(graph, user, CLOCK.now())
    later = CLOCK.now() + timedelta(days=100)
    seed(graph, user, SAILS[2:3], text_fingerprint="grown", ingested_at=to_iso(later))
    counts, _ = materialize(graph, user, folder=tmp_path, clock=Clock(later))
    assert (counts["named_before"], counts["written"]) == (2, 0)
    macro, grown = sorted(key for key, (at, _) in found().items() if at == later)
    assert (macro.split(":")[0], grown.split(":")[0]) == ("macro", "storyline")
    assert found()[grown][1] == first[grown][1], "not a word of it is written anew"
    assert {row["memory_id"] for row in graph.read("lifecycle/list_unaged", user_id=user)} >= {grown, macro}


def arrive(graph: Graph, user: str, events: Sequence[tuple[str, int]]) -> None:
    """Each source comes in an hour after it was written."""
    for topic, day in events:
        seed(graph, user, [(topic, day)], created_at=to_iso(START + timedelta(days=day, hours=1)))


@pytest.mark.parametrize("nights", [(5, 6, 7, 8), (8,)])
def test_mentions_confirm_an_anchor_from_when_they_suffice(graph: Graph, user: str, nights: tuple[int, ...]) -> None:
    for night in nights:
        at = START + timedelta(days=night)
        arrive(graph, user, [event for event in SAILS + [("sails", 5), ("sails", 6)] if event[1] < night])
        materialize(graph, user, clock=Clock(at))
    fifth = START + timedelta(days=4, hours=1)
    assert (boat(graph, user)["state"], boat(graph, user)["promoted_at"]) == ("active", fifth)
    materialize(graph, user, force=True, clock=Clock(CLOCK.now() + timedelta(days=30)))
    assert boat(graph, user)["promoted_at"] == fifth


@pytest.mark.parametrize(
    ("nights", "counted", "changed"),
    [
        # The first night that finds the mentions counts anew, where the retrieval was counted by then.
        ((5, 6, 7, 8), 6, []),
        ((5, 6, 7, 8), 8, []),
        ((7, 8), 6, [7]),
        ((7, 8), 8, []),
        ((8,), 6, [8]),
        ((8,), 8, [8]),
    ],
)
def test_a_retrieval_between_the_mentions_and_the_night_that_finds_them_is_one_of_what_they_had_confirmed(
    graph: Graph, user: str, tmp_path: Path, nights: tuple[int, ...], counted: int, changed: list[int]
) -> None:
    settings, key = Settings(_env_file=None, home=tmp_path), node_id("concept", user, "boat")
    for topic, day in SAILS:
        arrive(graph, user, [(topic, day)])
        read_at = Clock(START + timedelta(days=day, hours=1))
        Extractor(graph, ScriptedModel(script), HashEmbedder(), read_at, user, lambda _: None).run(RunScope())
    asked = START + timedelta(days=5, hours=20)
    access(settings, user, key, at=asked)
    found = []
    for night in (5, 6, 7, 8):
        now = START + timedelta(days=night)
        if night == counted:
            fold(graph, settings, user, now)
        if night in nights:
            materialize(graph, user, clock=Clock(now))
            with closing(AccessLog(settings.accesses_file(user))) as log:
                found += [night] * recount(graph, log, user, now)
                assert recount(graph, log, user, now) == 0
            age_memories(graph, user, now)
    assert found == changed
    (row,) = graph.read("graph/list_lives", user_id=user, memory_ids=[key])
    since = START + timedelta(days=4, hours=1)  # the last source
    at_once = 0.5 * math.exp(-0.02 * ((asked - since) / timedelta(days=1))) + 0.1
    assert (row["state"], row["access_count"], row["promoted_at"]) == ("active", 1, since)
    assert row["salience"] == pytest.approx(at_once, abs=1e-9)


def test_what_is_archived_is_confirmed_by_mentions_too(graph: Graph, user: str) -> None:
    arrive(graph, user, SAILS[:2])
    materialize(graph, user)
    key = node_id("concept", user, "boat")
    seed_properties(graph, user, key, state="archived")
    arrive(graph, user, SAILS[2:])
    materialize(graph, user)
    assert (boat(graph, user)["state"], boat(graph, user)["archived_from"]) == ("archived", "active")
    assert boat(graph, user)["promoted_at"] == START + timedelta(days=4, hours=1)
    assert age_memories(graph, user, CLOCK.now()).back == 1 and boat(graph, user)["state"] == "active"


def test_a_storyline_is_named_by_what_its_sources_state_about_the_anchor(graph: Graph, user: str) -> None:
    said = [("Alex", "Ana rigs the boat.", ("Boat",), "insight"), ("Alex", "It rains.", (), "insight"),
            ("Alex", "Nice boat!", ("Boat",), "chitchat")]  # fmt: skip

    def state(task: str, payload: Any) -> Any:
        given = script(task, payload)
        if not isinstance(given, Extraction):
            return given
        rows = [
            Spoken(text=text, speaker=who, turn=0, content_type=kind, durability=0.5, confidence=8, about=about)
            for who, text, about, kind in said
        ]
        return given.model_copy(update={"statements": tuple(rows)})

    seed(graph, user, SAILS)
    model = ScriptedModel(script)
    Extractor(graph, ScriptedModel(state), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())
    storylines.derive_storylines(Stage(storylines.TASK, graph, model, HashEmbedder(), CLOCK, user), force=False)
    (asked,) = [payload for task, payload in model.asked if task == NAME_STORYLINE]
    assert [source.said for source in asked.sources] == [
        (SaidOfIt(speaker="Alex", text="Ana rigs the boat.", ref=str(number)),) for number in range(1, 6)
    ]
    assert {source.ref for source in asked.sources} == {None}, "a summary tells what else was spoken of"

    def derive() -> Any:
        line = Stage(storylines.TASK, graph, again := ScriptedModel(script), HashEmbedder(), CLOCK, user)
        storylines.derive_storylines(line, force=False)
        return [{source.said for source in payload.sources} for _, payload in again.asked]

    assert derive() == [], "nothing has changed"
    said_of_it = statement_id(user, "Alex", "Ana rigs the boat.")
    decide_out(graph, user, said_of_it, CLOCK.now())
    assert derive() == [{()}], "what somebody has taken out is in no storyline"
    decide_out(graph, user, said_of_it, CLOCK.now(), is_out=False)
    assert [len(said) for said in derive()] == [5]


def test_an_entry_of_a_log_is_told_with_its_own_day(graph: Graph, user: str) -> None:
    def state(task: str, payload: Any) -> Any:
        given = script(task, payload)
        if not isinstance(given, Extraction):
            return given
        said = {"turn": 0, "content_type": "insight", "durability": 0.5, "confidence": 8, "about": ("Boat",)}
        entry = Spoken(text="2026-01-02: Ana paints the boat.", speaker=None, **said)
        return given.model_copy(update={"statements": (entry,)})

    seed(graph, user, SAILS)
    model = ScriptedModel(script)
    Extractor(graph, ScriptedModel(state), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())
    storylines.derive_storylines(Stage(storylines.TASK, graph, model, HashEmbedder(), CLOCK, user), force=False)
    (asked,) = [payload for task, payload in model.asked if task == NAME_STORYLINE]
    told = [(one.text, one.day) for source in asked.sources for one in source.said]
    # On the first day that was still to come, on the second it is of that day.
    text = "Ana paints the boat."
    assert told == [(f"2026-01-02: {text}", None), (text, None), *[(text, "2026-01-02")] * 3]
    (row,) = stored_storylines(graph, user)
    (entry,) = {key for one in read_sentences(row["properties"]["sentences"]) for key in one.cites}
    cited = [{"id": entry, "source_id": f"{user}/sails{day:03}"} for day in range(5)]
    own = datetime(2026, 1, 2, tzinfo=UTC)
    at = {row["source_id"]: row["at"] for row in graph.read("hierarchy/list_evidence", user_id=user, rows=cited)}
    assert [at[one["source_id"]] for one in cited] == [START, START + timedelta(days=1), own, own, own]
    assert unsupported_storylines(graph, user, CLOCK.now()) == []


def test_two_storylines_of_one_title_say_when_each_was(graph: Graph, user: str) -> None:
    seed(graph, user, SAILS + MOORING)
    materialize(graph, user)
    both = ["Boat 5, 1 to 5 January 2026", "Boat 5, 10 to 14 February 2026"]
    assert [title for title, _, _ in titles(graph, user)] == both
    seed(graph, user, [("sails", 5)])
    counts, themes = materialize(graph, user)
    assert (counts["named"], themes["named"]) == (1, 1)
    assert [title for title, _, _ in titles(graph, user)] == ["Boat 5", "Boat 6"]


def test_two_storylines_over_a_month_make_a_macro(graph: Graph, user: str) -> None:
    seed(graph, user, SAILS + MOORING)
    counts, themes = materialize(graph, user)
    assert (counts["named"], themes["named"]) == (2, 1)
    (row,) = graph.read("hierarchy/list_macros", user_id=user)
    macro = row["properties"]
    assert macro["overview"] == "sails 0 mooring 40"
    assert (macro["storyline_count"], macro["total_source_count"]) == (2, 10)
    assert (macro["first_event_at"], macro["last_event_at"]) == (START, START + timedelta(days=44))
    assert boat(graph, user)["has_macro"] is True
    for check in ("list_weak_storylines", "list_weak_macros"):
        limits = {
            "list_weak_storylines": {"least_sources": 5, "least_days": 3},
            "list_weak_macros": {"least_storylines": 2, "least_days": 30},
        }
        assert graph.read(f"hierarchy/{check}", user_id=user, **limits.get(check, {})) == []
    assert graph.read("hierarchy/list_weak_macros", user_id=user, least_storylines=2, least_days=45) != []
    assert graph.read("hierarchy/list_weak_storylines", user_id=user, least_sources=6, least_days=3) != []
    graph.write("curation/erase_nodes", ids=[f"{user}/sails000"], user_ids=[user])
    (weak,) = graph.read("hierarchy/list_weak_storylines", user_id=user, least_sources=5, least_days=3)
    assert weak["sources"] == 4, "by what it includes, whatever is recorded"


def test_only_a_macro_that_has_changed_is_written(graph: Graph, user: str) -> None:
    def each(task: str, payload: Any) -> Any:
        if task in (NAME_STORYLINE, NAME_MACRO):
            return script(task, payload)
        name = "Sails" if "sails" in str(payload) else "Mooring"
        found = ExtractedEntity(kind="concept", name=name, entity_type="concept", confidence=8, subpoints=tuple("abc"))
        return Extraction(entities=(found,), statements=())

    def night(clock: Clock) -> list[str]:
        Extractor(graph, ScriptedModel(each), HashEmbedder(), clock, user, lambda _: None).run(RunScope())
        made = []
        for task, derive in ((storylines.TASK, storylines.derive_storylines), (macros.TASK, macros.derive_macros)):
            stage = Stage(task, graph, ScriptedModel(each), HashEmbedder(), clock, user)
            derive(stage, force=False)
            made = stage.written
        return made

    of_both = [(topic, day) for topic in TOPICS for day in (*range(5), *range(120, 125))]
    seed(graph, user, of_both)
    assert len(night(CLOCK)) == 2
    seed(graph, user, [("sails", 125)])
    later = Clock(CLOCK.now() + timedelta(days=1))
    (changed,) = night(later)
    rows = {row["id"]: row["properties"] for row in graph.read("hierarchy/list_macros", user_id=user)}
    assert {name: one["generated_at"] for name, one in rows.items() if one["generated_at"] == later.now()}.keys() == {
        changed
    }
    assert rows[changed]["total_source_count"] == 11


def test_a_rerun_with_nothing_new_reads_what_is_new_and_asks_nobody(graph: Graph, user: str, tmp_path: Path) -> None:
    seed(graph, user, SAILS + MOORING)
    materialize(graph, user, folder=tmp_path)
    before = picture(graph, user)
    model = ScriptedModel(script)
    counts, themes = materialize(graph, user, model, folder=tmp_path)
    assert (counts, themes) == (Counter(users_unchanged=1), Counter(users_unchanged=1))
    assert model.asked == []
    assert picture(graph, user) == before


def test_only_what_changed_is_named_again(graph: Graph, user: str) -> None:
    seed(graph, user, SAILS + MOORING)
    materialize(graph, user)
    seed(graph, user, [("mooring", 50)])
    model = ScriptedModel(script)
    counts, _ = materialize(graph, user, model)
    assert (counts["named"], counts["named_before"]) == (1, 1)
    assert [task for task, _ in model.asked] == [NAME_STORYLINE, NAME_MACRO]
    assert titles(graph, user) == [("Boat 5", "sails 0", 5), ("Boat 6", "mooring 40", 6)]


def test_pieces_in_any_order_come_to_the_same(graph: Graph, user: str) -> None:
    seed(graph, user, SAILS + MOORING)
    materialize(graph, user)
    whole = picture(graph, user)
    wipe_and_compare = [
        [MOORING, SAILS],
        [SAILS[1:] + MOORING[:2], MOORING[2:4], [SAILS[0], MOORING[4]]],
        [[event] for event in reversed(SAILS + MOORING)],
    ]
    for number, pieces in enumerate(wipe_and_compare):
        other = f"{user}x{number}"
        for piece in pieces:
            seed(graph, other, piece)
            materialize(graph, other)
        assert [len(part) for part in picture(graph, other)] == [len(part) for part in whole]
        assert titles(graph, other) == titles(graph, user)
        assert judge_retirements(graph.read("curation/list_retirements", user_id=other)) == []


def test_what_the_sources_no_longer_make_up_is_taken_back(graph: Graph, user: str) -> None:
    seed(graph, user, SAILS + MOORING)
    materialize(graph, user)

    def silent(task: str, payload: Any) -> Any:
        return Extraction(entities=(), statements=())

    seed(graph, user, SAILS[:2], processed_fingerprint="p2")
    Extractor(graph, ScriptedModel(silent), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())
    counts, themes = materialize(graph, user)
    assert (counts["retired"], themes["retired"]) == (1, 1)
    assert titles(graph, user) == [("Boat 5", "mooring 40", 5)]
    assert boat(graph, user)["has_macro"] is False
    seed(graph, user, MOORING[:2], processed_fingerprint="p2")
    Extractor(graph, ScriptedModel(silent), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())
    materialize(graph, user)
    assert (boat(graph, user)["state"], boat(graph, user)["has_meso"]) == ("candidate", False)
    audits = graph.read("curation/list_retirements", user_id=user)
    assert Counter(audit["label"] for audit in audits) == {"Storyline": 2, "Macro": 1}
    assert judge_retirements(audits) == []


def test_a_storyline_that_somebody_recalled_stays(graph: Graph, user: str) -> None:
    seed(graph, user, SAILS)
    materialize(graph, user)
    (row,) = stored_storylines(graph, user)
    seed_properties(graph, user, row["id"], access_count=1, state="active")
    seed(graph, user, [("sails", -1)])
    counts, _ = materialize(graph, user)
    assert counts["retired"] == 0
    assert titles(graph, user) == [("Boat 5", "sails 0", 5), ("Boat 6", "sails -1", 6)]


def test_a_storyline_that_somebody_has_just_read_stays(graph: Graph, user: str, tmp_path: Path) -> None:
    seed(graph, user, SAILS)
    materialize(graph, user)
    (row,) = stored_storylines(graph, user)
    settings = Settings(_env_file=None, home=tmp_path)
    access(settings, user, row["id"], at=CLOCK.now())
    seed(graph, user, [("sails", -1)])
    Extractor(graph, ScriptedModel(script), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())
    read_lately = partial(waiting_accesses, graph, settings, user)
    stage = Stage(storylines.TASK, graph, ScriptedModel(script), HashEmbedder(), CLOCK, user, read_lately=read_lately)
    assert storylines.derive_storylines(stage, force=False)["retired"] == 0
    assert row["id"] in {one["id"] for one in stored_storylines(graph, user)}
    fold(graph, settings, user, CLOCK.now())
    (life,) = graph.read("graph/list_lives", user_id=user, memory_ids=[row["id"]])
    assert life["access_count"] == 1


def test_other_descriptions_are_told_although_the_extractions_stand(graph: Graph, user: str) -> None:
    seed(graph, user, SAILS, text_fingerprint="t")
    materialize(graph, user)
    model = ScriptedModel(script)
    seed(graph, user, SAILS, text_fingerprint="t", processed_fingerprint="p2")
    counts, _ = materialize(graph, user, model)
    assert (counts["named_before"], model.asked) == (1, []), "the same words are no reason to ask"
    seed(graph, user, SAILS, text_fingerprint="t", processed_fingerprint="p3", summary="sails, told anew")
    counts, _ = materialize(graph, user, model)
    assert counts["named"] == 1
    assert titles(graph, user) == [("Boat 5", "sails, told anew", 5)]


def test_a_source_whose_extraction_failed_first_is_told_once_it_is_there(graph: Graph, user: str) -> None:
    seed(graph, user, [*SAILS, ("sails", -1)])

    def cut_off(task: str, payload: Any) -> Any:
        return ModelError("cut off") if payload.title.endswith("-01") else script(task, payload)

    scripted = ScriptedModel(cut_off)
    Extractor(graph, scripted, HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())
    storylines.derive_storylines(
        Stage(storylines.TASK, graph, ScriptedModel(script), HashEmbedder(), CLOCK, user), force=False
    )
    assert titles(graph, user) == [("Boat 5", "sails 0", 5)]
    Extractor(graph, ScriptedModel(script), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope(retry=True))
    materialize(graph, user)
    assert titles(graph, user) == [("Boat 6", "sails -1", 6)]


def test_vectors_of_another_embedder_are_compared_with_none(graph: Graph, user: str) -> None:
    seed(graph, user, SAILS)
    seed(graph, user, [("sails", day) for day in (5, 6)], embedding=[1.0, 0.0, 0.0], embedder="other/3")
    seed(graph, user, [("sails", 7)], embedding=[0.0, 1.0], embedder="other/2")
    materialize(graph, user)
    assert [count for _, _, count in titles(graph, user)] == [8]


def test_where_no_call_can_work_the_stage_says_so(graph: Graph, user: str) -> None:
    seed(graph, user, SAILS)
    with pytest.raises(ModelServiceError, match="Nobody answers"):
        materialize(graph, user, ScriptedModel(lambda task, payload: ModelServiceError("Nobody answers.")))
    assert materialize(graph, user)[0]["named"] == 1


@pytest.mark.parametrize("error", [BudgetExceededError("spent"), ModelError("cut off")])
def test_without_an_answer_the_stage_is_not_complete(graph: Graph, user: str, error: ModelError) -> None:
    seed(graph, user, SAILS)
    materialize(graph, user)
    seed(graph, user, [*MOORING, ("sails", -1)])
    counts, _ = materialize(graph, user, ScriptedModel(lambda task, payload: error))
    assert counts["left_by_budget"] + counts["failed"] == 2
    # The storyline that would be replaced is still there.
    assert titles(graph, user) == [("Boat 5", "sails 0", 5)]
    counts, _ = materialize(graph, user)
    assert (counts["named"], counts["retired"]) == (2, 1)
    assert titles(graph, user) == [("Boat 5", "mooring 40", 5), ("Boat 6", "sails -1", 6)]


def test_a_kill_between_transactions_is_made_good(
    graph: Graph, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed(graph, user, SAILS + MOORING)
    with monkeypatch.context() as patch:

        def killed(self: Stage, *args: Any) -> None:
            raise KeyboardInterrupt

        patch.setattr(Stage, "complete", killed)
        with pytest.raises(KeyboardInterrupt):
            materialize(graph, user, folder=tmp_path)
    model = ScriptedModel(script)
    counts, themes = materialize(graph, user, model, folder=tmp_path)
    assert (counts["named"], counts["named_before"], themes["named"]) == (0, 2, 1)
    assert boat(graph, user)["state"] == "active"
    assert materialize(graph, user, folder=tmp_path) == (Counter(users_unchanged=1), Counter(users_unchanged=1))


def test_a_macros_figures_follow_a_new_and_an_old_source_in_the_same_run(graph: Graph, user: str) -> None:
    """004, Step 4.5: counts and ends are those of the sources, whichever of them came last."""
    seed(graph, user, SAILS + MOORING)
    materialize(graph, user)

    def figures() -> tuple[int, int, datetime, datetime]:
        (row,) = graph.read("hierarchy/list_macros", user_id=user)
        macro = row["properties"]
        return macro["storyline_count"], macro["total_source_count"], macro["first_event_at"], macro["last_event_at"]

    assert figures() == (2, 10, START, START + timedelta(days=44))
    (anchor,) = [boat(graph, user)]
    assert (anchor["source_count"], anchor["distinct_source_days"]) == (10, 10)
    seed(graph, user, [*SAILS, *MOORING, ("mooring", 60)])
    materialize(graph, user)
    assert figures() == (2, 11, START, START + timedelta(days=60))
    seed(graph, user, [*SAILS, *MOORING, ("mooring", 60), ("sails", -5)])
    materialize(graph, user)
    assert figures() == (2, 12, START - timedelta(days=5), START + timedelta(days=60))
    assert (boat(graph, user)["source_count"], boat(graph, user)["distinct_source_days"]) == (12, 12)
    attached = {
        row["properties"]["summary"]: row["properties"]["source_count"] for row in stored_storylines(graph, user)
    }
    assert sorted(attached.values()) == [6, 6]
