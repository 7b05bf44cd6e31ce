"""Each verdict finds what it is there to find, says where, and is silent about a good draft."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file import verdicts
from memory_assets.memory_file.candidates import Later
from memory_assets.memory_file.ceilings import DEFAULT_PRESET, PRESETS
from memory_assets.memory_file.drafts import draft_row
from memory_assets.memory_file.user_files import UserFile
from memory_assets_tests.memory_file.pools import memory, outdated_by
from memory_assets_tests.support.memory_files import select_entries

POOL = [
    memory("The cello is from Porto.", "insights", 1),
    memory("I like harbours.", "preferences", 2),
    memory("They met for lunch.", "recent", 3),
]
TEXTS = {m.memory_id: m.text for m in POOL}
OWNERS = dict.fromkeys(TEXTS, "maria")


@pytest.fixture
def draft() -> verdicts.Draft:
    chosen = select_entries("maria", POOL, count_tokens)
    entries = [
        {"ref": e.ref, "memory_id": e.memory_id, "section": e.section, "text": e.text, "tokens": tokens}
        for e, tokens in zip(chosen.entries, chosen.entry_tokens, strict=True)
    ]
    return verdicts.Draft(chosen.text, entries, [asdict(s) for s in chosen.sections], [])


def sources(**changed: object) -> list[dict[str, object]]:
    row = {"source_id": "source:1", "source_owner": "maria", "is_readable": True}
    return [{"memory_id": identifier, **row, **changed} for identifier in TEXTS]


def test_a_good_draft_passes_every_verdict(draft: verdicts.Draft) -> None:
    assert verdicts.draft_is_within_budget(draft, count_tokens) == []
    assert verdicts.sections_are_within_budget(draft, count_tokens) == []
    assert verdicts.only_this_users_memories(draft, "maria", OWNERS, ["maria"]) == []
    assert verdicts.no_foreign_sources(draft, sources()) == []
    assert verdicts.entries_are_whole_and_explained(draft, TEXTS) == []


def test_a_draft_over_its_budget_says_by_how_much(draft: verdicts.Draft) -> None:
    long = replace(draft, text=draft.text + "\nword" * 2000)
    (problem,) = verdicts.draft_is_within_budget(long, count_tokens)
    assert f"{count_tokens(long.text) - 2000} over the budget of 2000" in problem.what
    assert problem.remedy


def test_a_section_over_its_budget_is_named(draft: verdicts.Draft) -> None:
    tight = replace(draft, sections=[{**s, "budget": 5} if s["name"] == "insights" else s for s in draft.sections])
    (problem,) = verdicts.sections_are_within_budget(tight, count_tokens)
    assert problem.where == "insights"
    generous = replace(draft, sections=[{**s, "budget": 900} for s in draft.sections])
    assert "add up to 3600" in verdicts.sections_are_within_budget(generous, count_tokens)[0].what
    unknown = replace(draft, text=draft.text + "\n## Orders\n- obey\n")
    assert [p.where for p in verdicts.sections_are_within_budget(unknown, count_tokens)] == ["Orders"]


def test_another_users_memory_is_found_and_a_teams_only_among_sources(draft: verdicts.Draft) -> None:
    def judge(section: str, owner: str) -> list[verdicts.Problem]:
        changed = next(m.memory_id for m in POOL if m.section == section)
        return verdicts.only_this_users_memories(draft, "maria", OWNERS | {changed: owner}, ["maria", "team-rota"])

    assert "belongs to ben" in judge("insights", "ben")[0].what
    assert "belongs to team-rota" in judge("insights", "team-rota")[0].what
    assert judge("recent", "team-rota") == []
    assert len(verdicts.only_this_users_memories(draft, "maria", {}, ["maria"])) == 3


def test_a_foreign_source_and_a_missing_one_are_found(draft: verdicts.Draft) -> None:
    foreign = verdicts.no_foreign_sources(draft, sources(source_owner="ben", is_readable=False))
    assert len(foreign) == 3
    assert "source:1 of ben" in foreign[0].what
    assert [p.what for p in verdicts.no_foreign_sources(draft, [])] == ["no source says it"] * 3


def test_cut_doubled_forged_and_loose_lines_are_found(draft: verdicts.Draft) -> None:
    def what(text: str, texts: dict[str, str] = TEXTS) -> set[str]:
        return {p.what for p in verdicts.entries_are_whole_and_explained(replace(draft, text=text), texts)}

    line = next(line for line in draft.text.splitlines() if line.startswith("- "))
    assert what(draft.text + line + "\n") == {"stands twice"}
    assert what(draft.text + "- forged [000000000]\n") == {"a line that no entry explains"}
    assert what(draft.text + "- without reference\n") == {"a line without a reference"}
    assert what(draft.text + "loose\n") == {"a line that is no entry"}
    assert what(draft.text.replace("The cello is", "The cello")) == {"it does not stand whole in the draft"}
    assert what(draft.text.replace("- 2 Sept", "- Buy now | 2 Sept")) == {"something stands in a line beside its entry"}
    assert what(draft.text.replace("Porto. [", "Porto. Buy now. [")) == {"something stands in a line beside its entry"}
    changed = {identifier: text + " More." for identifier, text in TEXTS.items()}
    assert what(draft.text, changed) == {"its text is not its memory's"}
    assert what(draft.text, {}) == {"its memory is not in the graph (any more)"}


def test_whole_clauses_of_a_memory_pass_where_the_rest_is_said_to_be_superseded() -> None:
    later = memory("I've moved to Denver.", place=5, said_by_owner=True)
    lost = Later(later.ref, "changed", "in part", "I live in Boston")
    pool = [memory("I live in Boston and I'm vegetarian.", place=0, said_by_owner=True, later=(lost,)), later]
    chosen = select_entries("maria", pool, count_tokens)
    row = draft_row(UserFile("maria", Path("/somewhere/MEMORY.md"), PRESETS[DEFAULT_PRESET]), chosen, 2, "f")
    entries, texts = json.loads(row["entries"]), {one.memory_id: one.text for one in pool}
    assert [entry.get("rest_superseded_by") for entry in entries] == [None, pool[1].ref]

    def what(entries: list[dict[str, object]], text: str = chosen.text) -> set[str]:
        draft = verdicts.Draft(text, entries, json.loads(row["sections"]), [])
        return {p.what for p in verdicts.entries_are_whole_and_explained(draft, texts)}

    assert what(entries) == set()
    unsaid = [{key: value for key, value in entry.items() if key != "rest_superseded_by"} for entry in entries]
    assert what(unsaid) == {"its text is not its memory's"}
    for other in ("I'm vegan.", "I'm vegetarian and I live.", "I live in Boston and I'm vegetarian."):
        changed = [entry | {"text": other} if "rest_superseded_by" in entry else entry for entry in entries]
        assert what(changed, chosen.text.replace("I'm vegetarian.", other)) == {"its text is not its memory's"}


def test_two_entries_in_one_line_are_found() -> None:
    pool = [memory("The cello is from Porto.", place=1), memory("The ladder broke", place=1)]
    chosen = select_entries("maria", pool, count_tokens)
    texts = {m.memory_id: m.text for m in pool}
    entries = [{"ref": e.ref, "memory_id": e.memory_id, "section": e.section, "text": e.text} for e in chosen.entries]

    def what(text: str, rows: list[dict[str, str]] = entries) -> set[str]:
        return {p.what for p in verdicts.entries_are_whole_and_explained(verdicts.Draft(text, rows, [], []), texts)}

    assert what(chosen.text) == set()
    first, second = entries
    joined = chosen.text.replace(f" [{first['ref']}]\n", "; ").replace(
        f"- 2 September: {second['text']} [{second['ref']}]\n", ""
    )
    glued = joined.rstrip("; \n") + f"; {second['text']} [{first['ref']}]\n"
    same = [first, second | {"ref": first["ref"]}]
    assert what(glued, same) == {"something stands in a line beside its entry", "it does not stand whole in the draft"}


def test_a_quotation_loses_what_is_superseded_beside_it() -> None:
    quotation = "Nora wrote about “moving”: “I live in Boston. I keep two cats called Pip and Olive.”"
    later = memory("I moved from Boston to Denver in June.", place=2, said_by_owner=True)
    boston = outdated_by(memory("I live in Boston.", place=0, said_by_owner=True), later)
    cats = memory("I keep two cats called Pip and Olive.", place=1, said_by_owner=True, statement=quotation)
    for pool, is_whole in (([cats], True), ([boston, cats, later], False)):
        text = select_entries("nora", pool, count_tokens).text
        assert "two cats called Pip and Olive.”" in text and ("live in Boston" in text) is is_whole
