"""What storylines save of one run for the next: only what has changed is read and written, with the same result as from
scratch.
"""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_assets.clock import Clock, to_iso
from memory_assets.entities.extraction import Extractor
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage, stage_made
from memory_assets.hierarchy import matters, policy, storylines
from memory_assets.hierarchy.grouped import FILE, TABLES, Group, GroupFile, News, opened
from memory_assets.hierarchy.stage import Stage
from memory_assets.hierarchy.stories import Anchor, Checkpoint, Named, Story, StorySource
from memory_assets.hierarchy.titles import Titled
from memory_assets.llm.tasks import Extraction
from memory_assets.model import source_text_ids
from memory_assets.runtime.scope import RunScope
from memory_assets_tests.hierarchy.test_promotion import CLOCK, SAILS, START, script, seed
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel, named, stated
from memory_assets_tests.support.seeds import decide_out, seed_sources, source_row
from memory_assets_tests.support.storylines import stored_storylines

SOURCES = (
    StorySource("a", datetime(2026, 5, 1, 9, tzinfo=UTC)),
    StorySource("b", None),
    StorySource("ü", datetime(2026, 5, 4, 9, tzinfo=UTC)),
)
BOAT, CREW = Anchor("x", "Boat", 0.8, (), (), False, 3), Anchor("y", "Ana Berg", 0.3, (), (), True, 1)
STORIES = {"s": Story(BOAT, SOURCES, (("a", "s1"), ("ü", "s1"))), "t": Story(BOAT, SOURCES[1:])}
CHECKPOINT = Checkpoint(START, START - timedelta(days=1), {STORIES["s"].founder: 1}, (("b", "s2"), ("a", "s3")))
GROUPS = {
    "x": Group(BOAT, SOURCES[2].started_at, (CHECKPOINT,), frozenset({"boat", "ü"})),
    "y": Group(CREW, SOURCES[0].started_at),
}
NAMED = {"x": Named(frozenset({"boat"}), False), "y": Named(frozenset({"ana", "berg"}), True)}


def saved(folder: Path, at: datetime = START) -> GroupFile:
    """A file in which a run has left two storylines of the boat's, one of which has its words."""
    file = GroupFile(folder)
    told, chosen = {"s": True, "t": True}, {"x": frozenset("st")}
    news = News(GROUPS, (), NAMED, STORIES, STORIES, {}, told, chosen)
    file.save(news, {"s": ("Given", "Title")}, {"t"}, (), ("m", at, False), None)
    return file


def sources_read(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the sources that are read for storylines from here on."""
    read: list[str] = []
    read_each = graph.read_each

    def noted(name: str, make: Any, **params: Any) -> list[Any]:
        if name == "hierarchy/list_sources_for_storylines":
            read.extend(params["ids"])
        return read_each(name, make, **params)

    monkeypatch.setattr(graph, "read_each", noted)
    return read


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    saved(tmp_path).close()
    with opened(tmp_path, "m") as (file, is_made):
        assert is_made and not file.is_whole() and not file.is_empty()
        assert (file.groups("xyz"), file.named("xyz")) == (GROUPS, NAMED)
        assert file.stories("st") == file.stories_since("x", None) == STORIES
        assert file.stories_beside(Story(CREW, SOURCES[:1])) == {"s": (STORIES["s"], True)}
        assert (file.chosen("xy"), file.unnamed(), file.told("st")) == ({"s", "t"}, {"t"}, {"s", "t"})
        given = Titled("Given", "Boat", STORIES["s"].first_at, STORIES["s"].last_at)
        assert (file.titles({"given"}), file.heads(of="x")) == ({"s": (given, "Title")}, {"s": "x"})
        assert (file.titles({"title"}), file.stems("st")) == ({}, {"given"})
        assert (file.worded(), file.worded_of(ids="t"), file.worded_of(anchors="x")) == (1, set(), {"s"})
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    for mark in ("another", None, ""):
        with opened(tmp_path, mark) as (_, is_made):
            assert not is_made


def test_a_checkpoint_asks_for_what_was_live_or_came_later(tmp_path: Path) -> None:
    late, early = Story(BOAT, SOURCES[2:], (("ü", "s4"),)), Story(BOAT, SOURCES[:1], (("a", "s5"),))
    file = saved(tmp_path)
    more = {"late": late, "early": early}
    file.save(News({}, (), {}, more, more, {}), {}, (), (), ("n", START, True), "m")
    at = Checkpoint(datetime(2026, 5, 2, tzinfo=UTC), START, {STORIES["s"].founder: 1}, ())
    assert file.stories_since("x", at).keys() == {"s", "t", "late"}


def test_what_another_run_has_written_is_not_mixed_with(tmp_path: Path) -> None:
    file = saved(tmp_path)
    file.save(News({}, (), {}, {}, {}, {}), {}, (), (), ("n", START, True), "another")
    assert file.is_empty() and not file.groups("xy") and not file.totals()[-1]


@pytest.mark.parametrize("mark", ["m", None])
def test_what_is_no_file_is_made_anew(tmp_path: Path, mark: str | None) -> None:
    (tmp_path / FILE).write_bytes(b"harmed" * 1000)
    with opened(tmp_path, mark) as (file, is_made):
        assert not is_made and file.is_empty() and file.path == tmp_path / FILE


def test_where_no_file_can_be_there_is_one_for_the_time_being(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with opened(tmp_path, "m") as (file, is_made):
        assert not is_made and file.is_empty() and file.path != tmp_path / FILE


def test_what_cannot_be_read_in_a_run_is_made_anew_by_the_next(tmp_path: Path) -> None:
    saved(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as file, file:
        file.execute("UPDATE contents SET made = '['")
    with pytest.raises(ValueError, match="Expecting"), opened(tmp_path, "m") as (harmed, is_made):
        assert is_made and harmed.stories("st")
    with opened(tmp_path, "m") as (anew, is_made):
        assert not is_made and anew.is_empty()


@pytest.mark.parametrize(
    ("made_after", "asked_after", "young"),
    [(2, 2, set()), (2, 2.5, {"x"}), (2, 30, {"x"}), (4, 30, set()), (4, 2, {"x"}), (30, 2, {"x"})],
)
def test_time_alone_may_change_what_was_or_is_too_young(
    tmp_path: Path, made_after: float, asked_after: float, young: set[str]
) -> None:
    last = SOURCES[2].started_at
    assert last is not None
    file = saved(tmp_path, last + timedelta(days=made_after))
    assert file.young(last + timedelta(days=asked_after)) - {"y"} == young


def content_of(graph: Graph, user: str) -> list[Any]:
    hidden = {"created_at", "updated_at", "unscored"}
    return [
        {name: value for name, value in row["properties"].items() if name not in hidden}
        | {"sources": sorted(row["source_ids"]), "anchors": row["anchor_ids"]}
        for row in stored_storylines(graph, user)
    ]


@pytest.mark.graph
def test_only_what_has_changed_is_read_and_written(
    graph: Graph, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(task: str, payload: Any) -> Any:
        given = script(task, payload)
        if not isinstance(given, Extraction) or "mooring" not in payload.title:
            return given
        pier = given.entities[0].model_copy(update={"name": "Pier"})
        return given.model_copy(update={"entities": (pier,)})

    def derive(folder: Path | None, *, force: bool = False) -> int:
        Extractor(graph, ScriptedModel(answer), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())
        stage = Stage(storylines.TASK, graph, ScriptedModel(script), HashEmbedder(), CLOCK, user, folder)
        return storylines.derive_storylines(stage, force=force)["written"]

    seed(graph, user, SAILS + [("mooring", day) for day in range(200, 206)])
    assert derive(tmp_path) == 2
    read = sources_read(graph, monkeypatch)
    seed(graph, user, [("mooring", 206)])
    assert derive(tmp_path) == 1
    assert read == [f"{user}/mooring{day}" for day in range(200, 207)]
    (line,) = [row for row in content_of(graph, user) if row["source_count"] == 7]
    assert line["last_source_at"] == START + timedelta(days=206) and f"{user}/mooring206" in line["sources"]
    # From the graph alone, and all of it written once more: the same.
    before = content_of(graph, user)
    read.clear()
    assert derive(None, force=True) == 2
    assert (len(read), content_of(graph, user)) == (12, before)


NAMES = (
    ("concept", "Boat"), ("concept", "Garden"),
    ("person", "Ana Berg"), ("person", "Tomasz Wilk"), ("entity", "Kestrel"),
)  # fmt: skip
TEXTS = (
    "Ana Berg sands the hull of the boat.", "The hull of the boat leaks again.", "Tomasz Wilk paints the hull.",
    "The garden needs tulips.", "Ana Berg plants tulips in the garden.", "Tulips grow beside the boat.",
    "The Kestrel and her hull leak.", "Ana Berg likes the hull of the Kestrel.",
)  # fmt: skip


class World:
    """A user's sources, what each is said to be about, and the clock: all that storylines follow from."""

    def __init__(self, graph: Graph, user: str, chance: random.Random, *, everywhere: bool = False) -> None:
        self.graph, self.user, self.chance = graph, user, chance
        self.everywhere = everywhere
        """Whether every source names Ana Berg."""
        self.sources: dict[str, tuple[datetime, int]] = {}
        self.said: dict[str, Extraction] = {}
        self.now = START + timedelta(days=60)
        self.recipe = ""

    def answer(self, task: str, payload: Any) -> Any:
        return self.said[payload.title] if hasattr(payload, "title") else script(task, payload)

    def put(self, key: str, at: datetime) -> None:
        """A source that is new, or says something else now."""
        names = self.chance.sample(NAMES, self.chance.randint(1, 3))
        if self.everywhere:
            names = list(dict.fromkeys([NAMES[2], *names]))
        # Whether it is written as a name, changes with what is there.
        names = [
            (kind, name.lower() if kind == "entity" and self.chance.random() < 0.97 else name) for kind, name in names
        ]
        entities = tuple(named(kind, name) for kind, name in names)
        texts = self.chance.sample(TEXTS, self.chance.randint(1, 3))
        if self.chance.random() < 0.8:  # else it states the same as others
            texts = [f"{text[:-1]} {key[-3:]}." for text in texts]
        said = tuple(
            stated(
                text,
                *(name for _, name in names if name.split()[-1].casefold() in text.casefold()),
                speaker=self.chance.choice(("Ana Berg", "Alex")),
                content_type=self.chance.choice(("insight", "insight", "chitchat")),
            )
            for text in texts
        )
        self.said[key] = Extraction(entities=entities, statements=said)
        turns = [{"index": 0, "speaker": one.speaker, "text": one.text, "at": None} for one in said]
        version = self.sources.get(key, (at, 0))[1] + 1
        self.sources[key] = (at, version)
        row = source_row(
            key,
            self.user,
            started_at=to_iso(at),
            processed_fingerprint=f"p{version}",
            **({"turns": turns} if turns else {}),
        )
        seed_sources(self.graph, [row | {"embedding": [1.0, 0.0], "embedder": HashEmbedder.name}])

    def describe(self, key: str) -> None:
        """A source that is summarised otherwise, and states the same."""
        version = f"p{self.sources[key][1]}"
        row = {"id": key, "title": key, "content_hash": key, "started_at": to_iso(self.sources[key][0])}
        row |= {"content": "-", "turns": "[]", "keywords": [], "tags": [], "speakers": None, "addresses": None}
        row |= {"summary": f"Told otherwise {self.chance.random()}", "model": "m", "token_count": 1}
        row |= {"embedding": [0.0, 1.0], "embedder": HashEmbedder.name, "processed_recipe": "r"}
        row |= {"processed_fingerprint": f"{version}'", "text_fingerprint": version}
        row |= {"started": to_iso(self.now), "completed": to_iso(self.now)}
        row |= source_text_ids(self.user, key, "content", "turns")
        assert self.graph.write("sources/set_sources_processed", [row], user_id=self.user)

    def step(self) -> str:
        """Something happens."""
        kind = self.chance.choice(("new", "new", "another", "moved", "described", "left out", "later", "nothing"))
        known = sorted(self.sources)
        if kind == "new":
            for _ in range(self.chance.randint(1, 4)):
                day = self.chance.choice((self.chance.randint(0, 60), (self.now - START).days))
                self.put(f"{self.user}/{len(self.sources):03}", START + timedelta(days=day))
        elif kind == "another":
            key = self.chance.choice(known)
            self.put(key, self.sources[key][0])
        elif kind == "moved":  # more of it has arrived, from earlier
            key = self.chance.choice(known)
            self.sources[key] = (
                self.sources[key][0] - timedelta(days=self.chance.randint(1, 20)),
                self.sources[key][1],
            )
            self.put(key, self.sources[key][0])
        elif kind == "described":
            self.describe(self.chance.choice(known))
        elif kind == "left out":
            ids = [row["memory_id"] for row in self.graph.read("values/list_memories", user_id=self.user)]
            if ids:
                decide_out(self.graph, self.user, min(ids), self.now, is_out=self.chance.random() < 0.5)
        elif kind == "later":
            self.now += timedelta(days=self.chance.randint(1, 5))
        return kind

    def derive(self, folder: Path | None) -> Any:
        clock, model = Clock(self.now), ScriptedModel(self.answer)
        Extractor(self.graph, model, HashEmbedder(), clock, self.user, lambda _: None).run(RunScope())
        stage = Stage(storylines.TASK, self.graph, model, HashEmbedder(), clock, self.user, folder)
        counts, self.recipe = storylines.derive_storylines(stage, force=False), stage.recipe
        return counts, stage.changes_at, find_stage(self.graph, self.user, storylines.TASK.stage)


def content_of_file(folder: Path) -> dict[str, list[Any]]:
    """All that a file holds but for what says from where on its grouping can be resumed, and the run."""
    asked = {table: f"SELECT * FROM {table}" for table in TABLES if table != "made"}
    asked["anchors"] = "SELECT id, last_at, known FROM anchors"
    with closing(sqlite3.connect(folder / FILE)) as file:
        return {table: sorted(file.execute(query).fetchall()) for table, query in asked.items()}


@pytest.mark.graph
@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("everywhere", [False, True])
def test_whatever_happens_it_comes_to_what_scratch_gives(
    graph: Graph, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, everywhere: bool, number: int
) -> None:
    """Also of a person whom every source names, whose statements are grouped from the last checkpoint on."""
    if everywhere:
        monkeypatch.setattr(matters, "WORTH_A_CHECKPOINT", 10)
    went_on: list[bool] = []
    choose = policy.choose_checkpoint

    def noted(*given: Any) -> Checkpoint | None:
        found = choose(*given)
        went_on.append(found is not None)
        return found

    monkeypatch.setattr(policy, "choose_checkpoint", noted)
    world = World(graph, user, random.Random(number), everywhere=everywhere)
    for day in range(40):
        world.put(f"{user}/{day:03}", START + timedelta(days=day))
    most, (_, _, last) = 0, world.derive(tmp_path)
    for step in range(8):
        with opened(tmp_path, last) as (_, is_made):
            assert is_made, "the last run's groups are at hand"
        happened = world.step()
        counts, changes_at, last = world.derive(tmp_path)
        before = content_of(graph, user)
        folder = tmp_path / f"scratch {step}"
        scratch, all_changes_at, _ = world.derive(folder)
        assert (scratch["written"], scratch["retired"], content_of(graph, user)) == (0, 0, before), happened
        if not counts["users_unchanged"]:
            assert (changes_at, counts["stories"]) == (all_changes_at, scratch["stories"]), happened
            assert content_of_file(tmp_path) == content_of_file(folder), happened
        graph.write_together([stage_made(user, storylines.TASK.stage, last, world.now)])
        most = max(most, scratch["stories"])
    assert most >= 3 and (any(went_on) or not everywhere)


@pytest.mark.graph
def test_what_is_written_while_a_run_works_is_the_next_ones(
    graph: Graph, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def derive() -> Any:
        stage = Stage(storylines.TASK, graph, ScriptedModel(script), HashEmbedder(), CLOCK, user, tmp_path)
        return storylines.derive_storylines(stage, force=False)

    def extract() -> None:
        Extractor(graph, ScriptedModel(script), HashEmbedder(), CLOCK, user, lambda _: None).run(RunScope())

    seed(graph, user, SAILS)
    extract()
    derive()
    seed(graph, user, [("sails", 5)])
    extract()
    complete = Stage.complete

    def late(self: Stage, *args: Any) -> Any:
        monkeypatch.setattr(Stage, "complete", complete)
        seed(graph, user, [("sails", 6)])
        extract()
        return complete(self, *args)

    monkeypatch.setattr(Stage, "complete", late)
    derive()
    assert [row["source_count"] for row in content_of(graph, user)] == [6]
    derive()
    assert [row["source_count"] for row in content_of(graph, user)] == [7]


@pytest.mark.graph
@pytest.mark.parametrize("harm", ["made = '['", "made = CAST(X'ff' AS TEXT)"])
def test_a_run_that_cannot_read_what_was_saved_goes_on_without_it(
    graph: Graph, user: str, tmp_path: Path, harm: str
) -> None:
    world = World(graph, user, random.Random(0))
    for day in range(40):
        world.put(f"{user}/{day:03}", START + timedelta(days=day))
    world.derive(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as file, file:
        file.execute(f"UPDATE contents SET {harm}")
    world.put(f"{user}/new", START + timedelta(days=40))
    counts, *_ = world.derive(tmp_path)
    before = content_of(graph, user)
    assert counts["stories"] == len(before) >= 2
    assert world.derive(None)[0]["written"] == 0 and content_of(graph, user) == before


def says(names: tuple[tuple[str, str], ...], text: str, *about: str) -> Extraction:
    said = stated(text, *about, speaker="Alex")
    return Extraction(entities=tuple(named(kind, name) for kind, name in names), statements=(said,))


@pytest.mark.graph
@pytest.mark.parametrize("news", ["another name", "said again elsewhere"])
def test_what_changes_for_others_is_read_again_for_them(
    graph: Graph, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, news: str
) -> None:
    """Boat's statements are compared without any of Ana's names; one that is said of the garden, too, is about both."""
    boat, garden, ana, *_ = NAMES
    world = World(graph, user, random.Random(0))
    for day in range(6):
        key = f"{user}/{day:03}"
        seed_sources(graph, [source_row(key, user, started_at=to_iso(START + timedelta(days=day)))])
        names = (boat, ana) if day < 5 else (boat,)
        world.said[key] = says(names, f"Ana Berg sands the hull of the boat {day}.", *(name for _, name in names))
    world.derive(tmp_path)
    read = sources_read(graph, monkeypatch)
    seed_sources(graph, [source_row(f"{user}/new", user, started_at=to_iso(START + timedelta(days=7)))])
    names, text = ((ana,), "Ana Berg sings.") if news == "another name" else (
        (garden,), "Ana Berg sands the hull of the boat 5."
    )  # fmt: skip
    world.said[f"{user}/new"] = says(names, text, names[0][1])
    if news == "another name":
        with closing(sqlite3.connect(tmp_path / FILE)) as file, file:
            assert file.execute("UPDATE named SET words = ? WHERE is_person", ('["ana"]',)).rowcount == 1
    world.derive(tmp_path)
    assert {f"{user}/{day:03}" for day in range(6)} <= set(read)
    before = content_of(graph, user)
    assert world.derive(None)[0]["written"] == 0
    assert content_of(graph, user) == before
