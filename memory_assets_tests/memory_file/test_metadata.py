"""What memory_draft and memory_file show: budgets, what was left out, and what changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memory_assets.files.publish import Published
from memory_assets.graph.graph import Graph
from memory_assets.memory_file import drafts, metadata, reports
from memory_assets.memory_file.reports import TEXT_LENGTH, read_nearest
from memory_assets.memory_file.user_files import default_of
from memory_assets.memory_file.verdicts import Draft
from memory_assets.model import reference
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.memory_files import make_draft
from memory_assets_tests.support.pictures import picture_in
from memory_assets_tests.support.values import classify_memories

FIRST = """# Memory of ana

## Active Tasks
### 2026
- Fetch the cello. [000000001]
- Water the beds. [000000002]

## Key Insights
### 2026
- The harbour opens at seven. [000000003]
"""
SECOND = FIRST.replace("- Fetch the cello. [000000001]\n", "").replace("seven. [000000003]", "eight. [000000004]")


def draft(**change: object) -> Draft:
    entries = [{"ref": "1", "memory_id": "m1", "section": "tasks", "text": "x", "tokens": 9}]
    sections = [{"name": "preferences", "tokens": 0, "budget": 500}, {"name": "tasks", "tokens": 450, "budget": 1300}]
    left = [
        {"ref": "2", "memory_id": "m2", "reason": "already said by 1"},
        {"ref": "3", "memory_id": "m3", "reason": "already said by 1"},
        {"ref": "4", "memory_id": "m4", "reason": "no room"},
    ]
    given = {"tokens": 460, "considered": 10, "fingerprint": "f"} | change
    return Draft(FIRST, entries, sections, left, **given)


BEST = [
    {
        "memory_id": "m4",
        "ref": "4",
        "section": "tasks",
        "value": 0.8,
        "text": "Sow | water",
        "reason": "no room",
    },
    {"memory_id": "m2", "ref": "2", "section": "insights", "value": 0.5, "text": None, "reason": "already said by 1"},
]


def test_a_draft_shows_its_budgets_and_what_was_left_out() -> None:
    shown = metadata.describe_draft(draft(), BEST, made_anew=True)
    assert {name: shown[name] for name in ("tokens", "budget", "entries", "considered", "left_out", "made_anew")} == {
        "tokens": 460, "budget": 2000, "entries": 1, "considered": 10, "left_out": 9, "made_anew": True,
    }  # fmt: skip
    assert shown["sections"].splitlines() == [
        "| section | entries | tokens | effective budget | used |  |",
        "|---|---:|---:|---:|---|---|",
        "| Personal Preferences | 0 | 0 | 500 | 0% | ░░░░░░░░░░░░░░░░░░░░ |",
        "| Active Tasks | 1 | 450 | 1300 | 35% | ███████░░░░░░░░░░░░░ |",
    ]
    assert shown["left_out_by_reason"].splitlines()[2:] == [
        f"| {reports.NOT_WEIGHED} | 6 |",
        "| already said | 2 |",
        "| no room | 1 |",
    ]
    assert shown["best_left_out"].splitlines()[2:] == [
        r"| 4 | tasks | 0.8 | Sow \| water | no room |",
        "| 2 | insights | 0.5 |  | already said by 1 |",
    ]
    words, _ = picture_in(shown["budget_plot"])
    assert words == "460 of 2000 tokens used (23%): Personal Preferences 0 of 500, Active Tasks 450 of 1300"
    assert picture_in(metadata.budget_use(draft(tokens=2000)))[1] != picture_in(shown["budget_plot"])[1]


def test_a_file_shows_itself_and_how_it_differs() -> None:
    published = Published("written", "MEMORY.md.edited-1234")
    shown = metadata.describe_file(Path("/home/ana/MEMORY.md"), published, draft(), [], SECOND)
    assert (shown["path"], shown["publication"], shown["edited_copy"]) == (
        Path("/home/ana/MEMORY.md"), "written", "MEMORY.md.edited-1234",
    )  # fmt: skip
    assert (shown["entries_added"], shown["entries_removed"]) == (2, 1)
    assert shown["memory"] == FIRST
    assert shown["difference"].startswith("The file had been edited by somebody")
    assert "best_left_out" not in shown


def test_the_difference_is_by_entries_under_their_places() -> None:
    assert metadata.difference(FIRST, SECOND).splitlines() == [
        "```diff",
        "@@ Active Tasks, 2026 @@",
        "-- Fetch the cello. [000000001]",
        "@@ Key Insights, 2026 @@",
        "-- The harbour opens at seven. [000000003]",
        "+- The harbour opens at eight. [000000004]",
        "```",
    ]
    assert metadata.changed_entries(FIRST, SECOND) == (1, 2)


@pytest.mark.parametrize(
    ("previous", "said"),
    [
        (None, "This is the first publication."),
        (FIRST, "Nothing has changed since the last publication."),
        (FIRST.replace("\n\n", "\n\n\n"), "Nothing has changed since the last publication."),
    ],
)
def test_without_a_difference_there_is_a_sentence(previous: str | None, said: str) -> None:
    assert metadata.difference(previous, FIRST) == said


def test_a_secret_that_was_in_an_edited_file_is_masked_in_the_difference() -> None:
    shown = metadata.difference(FIRST + "- The router password is Gr4nite-Fox\n", FIRST, was_edited=True)
    assert "-- The router password is [masked: password]" in shown.splitlines()


def test_an_entry_that_moved_is_neither_new_nor_gone() -> None:
    lines = FIRST.splitlines()
    lines[4], lines[5] = lines[5], lines[4]
    assert metadata.changed_entries(FIRST, "\n".join(lines)) == (0, 0)


TEXTS = st.text(alphabet=st.one_of(st.sampled_from("-#`+@ \n\r~|[]x"), st.characters()), max_size=500)


@given(TEXTS, TEXTS)
@example("- a\n```\n# out of the block", "- b\n ````diff\n")
@example("x" * 100_000, "- \n" * 100_000)
@example("\n".join(f"- {n:0120}" for n in range(5000)), "\n".join(f"- {n:0120}" for n in range(9000, 14_000)))
def test_any_difference_is_one_bounded_block(previous: str, current: str) -> None:
    shown = metadata.difference(previous, current)
    kinds = [token.type for token in MarkdownIt("commonmark").parse(shown) if token.level == 0]
    sentence = ["paragraph_open", "paragraph_close"]
    assert kinds in (["fence"], sentence, [*sentence, "fence"], [*sentence, *sentence])
    assert len(shown) < (metadata.LINES_SHOWN + 5) * (metadata.LINE_LENGTH + 10)


@pytest.mark.graph
def test_a_real_draft_names_the_best_of_what_it_left_out(world: World) -> None:
    source = world.add_source("cello")
    for place in range(40):
        words = f"The {place} instruments of orchestra number {place} are tuned to {400 + place} hertz " * 12
        world.add_statement(f"{words}in hall {place}.", source)
    made = {row.memory_id: row for row in classify_memories(world.graph, world.user, world.now)["made"]}
    make_draft(world.graph, world.user, world.now)
    stored = drafts.read_draft(world.graph, default_of(world.user))
    best = metadata.read_best_left_out(world.graph, world.user, stored)
    assert 0 < len(best) <= metadata.EXAMPLES < len(stored.left_out)
    weighed = [made[row["memory_id"]].value_score for row in stored.left_out]
    assert [row["value"] for row in best] == sorted(weighed, reverse=True)[: len(best)]
    said = {row["memory_id"]: row["text"] for row in best}
    assert all(text.startswith("The ") and len(text) == TEXT_LENGTH and text.endswith("…") for text in said.values())
    shown = metadata.describe_draft(stored, best, made_anew=True)
    assert shown["left_out"] == stored.considered - len(stored.entries)
    assert len(shown["best_left_out"].splitlines()) == 2 + len(best)


@pytest.mark.graph
def test_nobody_is_shown_the_words_of_what_they_may_not_read(world: World) -> None:
    other = replace(world, user=f"{world.user}-other", sources=[])
    mine = world.add_statement("The cello is old.", world.add_source("cello"))
    theirs = other.add_statement("The harp is stolen.", other.add_source("harp"))
    assert theirs in {one.memory_id for one in classify_memories(world.graph, other.user, world.now)["made"]}
    row = next(one for one in classify_memories(world.graph, world.user, world.now)["made"] if one.memory_id == mine)
    listed = [{"memory_id": name, "ref": reference(name), "reason": "no room"} for name in (mine, theirs, "chunk:none")]
    (shown,) = read_nearest(world.graph, world.user, listed, 9)
    assert shown == {
        "memory_id": mine, "ref": reference(mine), "section": "insights", "value": row.value_score,
        "text": "The cello is old.", "reason": "no room",
    }  # fmt: skip
    assert [one["text"] for one in read_nearest(world.graph, other.user, listed, 9)] == ["The harp is stolen."]
    assert read_nearest(world.graph, world.user, listed, 0) == read_nearest(world.graph, world.user, [], 9) == []


@pytest.mark.graph
def test_the_nearest_cost_two_short_answers_however_many_there_are(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = world.add_source("cello")
    for place in range(60):
        world.add_statement(f"Number {place} of the orchestra's instruments is tuned to {400 + place} hertz.", source)
    made = classify_memories(world.graph, world.user, world.now)["made"]
    listed = [{"memory_id": row.memory_id, "ref": "1", "reason": "no room"} for row in made]
    answers: dict[str, int] = {}
    read = Graph.read

    def counted(self: Graph, name: str, **params: object) -> list[dict[str, object]]:
        rows = read(self, name, **params)
        answers[name] = len(rows)
        return rows

    monkeypatch.setattr(Graph, "read", counted)
    assert len(read_nearest(world.graph, world.user, listed, 5)) == 5
    assert answers["memory_file/list_best_left_out"] == answers["memory_file/list_pool_memories"] == 5


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("superseded by 499251336", "superseded by another"),
        ("tells what 499251336 has taken back", "tells what another has taken back"),
        ("already said by 499251336", "already said"),
        ("no room: it needs 31 tokens, 4 are left", "no room"),
        ("says the same as 499251336: no room: it needs 31 tokens, 4 are left", "no room"),
        ("says nothing in words", "says nothing in words"),
    ],
)
def test_reasons_are_counted_by_their_kind(reason: str, kind: str) -> None:
    assert reports.reason_kind(reason) == kind
