"""The choice: whole entries, within budgets, nothing twice, the same from the same pool."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file import weighing
from memory_assets.memory_file.candidates import FileRules, Memory, Selection
from memory_assets.memory_file.ceilings import DEFAULT_PRESET, PRESETS, Ceiling
from memory_assets.memory_file.packing import effective_budgets
from memory_assets.memory_file.passing import State
from memory_assets.memory_file.render import (
    SECTIONS,
    clean_text,
    is_line_of,
    references_in,
    split_sections,
)
from memory_assets.memory_file.reports import reason_kind
from memory_assets.text.lines import is_day_line
from memory_assets_tests.memory_file.pools import START, memory, outdated_by, pools
from memory_assets_tests.support.memory_files import select_entries

NOUNS = "cello harbour ladder pottery lighthouse vaccine mortgage telescope orchard saddle quarry violin".split()


OWNER = weighing.Owner("maria", frozenset({"maria"}), frozenset({"ben", "ana"}))


def choose(*memories: Memory) -> Selection:
    return select_entries("maria", memories, count_tokens)


def lines(chosen: Selection) -> list[str]:
    return [line for line in chosen.text.splitlines() if line.startswith("- ")]


def reason_of(chosen: Selection, one: Memory) -> str | None:
    return next((row.reason for row in chosen.left_out if row.memory_id == one.memory_id), None)


def crowd(count: int, section: str, seed: int = 1, **known: object) -> list[Memory]:
    """Many different sentences of pseudo-words."""
    rng = random.Random(seed)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    made = []
    for place in range(count):
        text = " ".join("".join(rng.choices(syllables, k=3)) for _ in range(rng.randint(6, 18)))
        made.append(memory(text.capitalize() + ".", section, place, **known))
    return made


@settings(max_examples=60)
@given(pools(), st.randoms(use_true_random=False))
def test_any_pool_gives_a_bounded_file_of_whole_explained_entries(pool: list[Memory], rng: random.Random) -> None:
    chosen = choose(*pool)
    known = {m.memory_id: m for m in pool}
    assert chosen.tokens == count_tokens(chosen.text) <= 2000
    # Whole entries, each a line of its own that leads back to its memory.
    found = lines(chosen)
    assert (
        references_in(chosen.text)
        == [entry.ref for entry in chosen.entries]
        == [known[e.memory_id].ref for e in chosen.entries]
    )
    assert found == [entry.line for entry in chosen.entries]
    assert all(is_line_of(line, entry.text) for line, entry in zip(found, chosen.entries, strict=True))
    assert len(set(references_in(chosen.text))) == len(found)
    assert len({entry.memory_id for entry in chosen.entries}) == len(chosen.entries)
    for entry in chosen.entries:
        assert entry.text == clean_text(known[entry.memory_id].text)
    others = [line for line in chosen.text.splitlines() if line and not line.startswith(("- ", "## "))]
    assert others[0] == "# Memory of maria" and all(is_day_line(line) for line in others[1:])
    # Budgets.
    title = count_tokens("# Memory of maria\n")
    assert sum(section.budget for section in chosen.sections) <= 2000 - title
    blocks = split_sections(chosen.text)
    for section in chosen.sections:
        assert section.tokens == (count_tokens(blocks[section.name]) if section.name in blocks else 0)
        assert section.tokens <= section.budget
    # Everything in the pool is accounted for, once.
    accounted = Counter([e.memory_id for e in chosen.entries] + [row.memory_id for row in chosen.left_out])
    assert accounted == Counter(list(known))
    assert all(row.reason for row in chosen.left_out)
    # The same bytes from the same set.
    shuffled = list(pool)
    rng.shuffle(shuffled)
    assert choose(*shuffled) == chosen


@settings(max_examples=25)
@given(
    pools(),
    st.one_of(
        st.sampled_from(sorted(PRESETS)).map(PRESETS.__getitem__),
        st.builds(
            Ceiling,
            tokens=st.integers(1, 3000),
            lines=st.one_of(st.none(), st.integers(1, 60)),
            bytes=st.one_of(st.none(), st.integers(1, 9000)),
        ),
        st.builds(Ceiling, lines=st.integers(1, 60)),
        st.builds(Ceiling, characters=st.integers(1, 4000)),
    ),
)
def test_every_ceiling_holds_with_whole_entries(pool: list[Memory], ceiling: Ceiling) -> None:
    chosen = select_entries("maria", pool, count_tokens, FileRules(ceiling))
    assert ceiling.exceeded(chosen.text, count_tokens) == {}
    unit, limit = next(iter(ceiling.limits.items()))
    assert sum(section.budget for section in chosen.sections) <= limit
    for section in chosen.sections:
        block = split_sections(chosen.text).get(section.name, "")
        assert section.tokens == ceiling.measure(block, count_tokens)[unit] <= section.budget
    texts = {m.memory_id: clean_text(m.text) for m in pool}
    whole = {found[0]: line for line in chosen.text.splitlines() if (found := references_in(line))}
    behind = {entry.ref: entry.text for entry in chosen.entries}
    assert len(whole) == len(behind) == len(chosen.entries)
    assert all(is_line_of(line, behind[ref]) for ref, line in whole.items())
    assert all(entry.text == texts[entry.memory_id] for entry in chosen.entries)


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_every_preset_is_filled(preset: str) -> None:
    pool = [m for day in range(40) for m in crowd(15, "insights", day, source_id=f"s:{day}")]
    ceiling = PRESETS[preset]
    chosen = select_entries("maria", pool, count_tokens, FileRules(ceiling))
    used = ceiling.measure(chosen.text, count_tokens)
    assert max(used[unit] / limit for unit, limit in ceiling.limits.items()) > 0.95


def test_sections_share_a_ceiling_in_fixed_parts() -> None:
    assert PRESETS[DEFAULT_PRESET].budgets == {"preferences": 500, "tasks": 800, "insights": 500, "recent": 200}
    assert Ceiling(lines=200, bytes=25_000).budgets == {
        "preferences": 50,
        "tasks": 80,
        "insights": 50,
        "recent": 20,
    }


def test_a_file_limited_in_lines_alone_does_not_grow_in_width() -> None:
    known = {"source_id": "s", "occurred_at": START}
    pool = [m for day in range(4) for m in crowd(100, "insights", day, **known)]
    chosen = select_entries("maria", pool, count_tokens, FileRules(Ceiling(lines=20)))
    assert len(chosen.text) <= 20 * 125


@pytest.mark.parametrize("section", ["insights", "preferences", "tasks"])
def test_every_memory_of_a_source_has_a_line_and_a_reference_of_its_own(section: str) -> None:
    known = {"section": section, "source_id": "source:9", "occurred_at": START}
    mine = {"label": "Maria", "said_by_owner": True} | known
    said = [
        memory("The cello is from Porto", turn=1, **mine),
        memory("Harbours freeze in January.", turn=2, label="Ben", **known),
        memory("Nobody plays the violin.", turn=3, **mine),
    ]
    owner, other = ("", "") if section == "preferences" else ("1 September: ", "1 September, Ben: ")
    chosen = choose(*said)
    if section == "preferences":  # what others like is no preference of the owner's
        assert lines(chosen)[:2] == [f"- {one.text} [{one.ref}]" for one in (said[0], said[2])]
        return
    assert lines(chosen) == [
        f"- {owner}The cello is from Porto [{said[0].ref}]",
        f"- {other}Harbours freeze in January. [{said[1].ref}]",
        f"- {owner}Nobody plays the violin. [{said[2].ref}]",
    ]


def test_likes_are_each_a_line_orders_first_then_the_newest() -> None:
    known = {"section": "preferences", "label": "user", "said_by_owner": True}
    likes = [
        memory(f"I love the {noun}.", place=place, source_id=f"s:{place}", **known)
        for place, noun in enumerate(NOUNS[:6])
    ]
    order = memory("Always write dates in full.", place=2, source_id="s:2", is_standing=True, **known)
    assert lines(choose(*likes, order)) == [f"- {one.text} [{one.ref}]" for one in (order, *reversed(likes))]


def test_lines_that_a_person_wrote_come_in_their_order() -> None:
    known = {"source_id": "s:1", "occurred_at": START, "is_own_line": True}
    listed = [memory(f"The {noun} was bought in {1990 + turn}.", turn=turn, **known) for turn, noun in enumerate(NOUNS)]
    assert lines(choose(*reversed(listed))) == [f"- 1 September: {one.text} [{one.ref}]" for one in listed]


def test_a_full_history_fills_the_file() -> None:
    for section in ("insights", "tasks", "preferences"):
        chosen = choose(*crowd(300, section))
        assert 1900 <= chosen.tokens <= 2000, section


def test_imported_history_of_low_value_fills_the_file_too() -> None:
    chosen = choose(*crowd(300, "insights", tier="ARCHIVE", value_score=0.2, occurred_at=None))
    assert chosen.tokens >= 1900


def test_every_section_keeps_its_own_budget_when_all_are_full() -> None:
    pool = [m for place, section in enumerate(SECTIONS) for m in crowd(200, section, place)]
    chosen = choose(*pool)
    budgets = {section.name: section.budget for section in chosen.sections}
    assert chosen.tokens >= 1900
    assert budgets["recent"] >= 150 and budgets["preferences"] >= 400 and budgets["tasks"] >= 700
    assert budgets["insights"] >= 450


def test_unused_budget_flows_to_insights_first() -> None:
    chosen = choose(*crowd(200, "insights"), *crowd(200, "tasks", 2))
    sections = {section.name: section for section in chosen.sections}
    assert sections["insights"].tokens > 1000
    assert sections["tasks"].tokens <= 800
    assert sections["preferences"].tokens == sections["recent"].tokens == 0


def test_effective_budgets_add_up_whatever_flowed() -> None:
    base = {"preferences": 500, "tasks": 794, "insights": 500, "recent": 200}
    used = {"preferences": 40, "tasks": 0, "insights": 1500, "recent": 100}
    made = effective_budgets(used, base, 1994)
    assert sum(section.budget for section in made) == 1994
    assert [section.budget for section in effective_budgets(dict.fromkeys(base, 0), base, 1994)] == list(base.values())


def test_the_owners_standing_instructions_come_first_and_are_not_crowded_out() -> None:
    rule = memory(
        "Always answer me in metric units.",
        "preferences",
        is_standing=True,
        said_by_owner=True,
        value_score=0.1,
    )
    wish = memory("I like the harbour.", "preferences", 1, said_by_owner=True, value_score=0.1)
    chosen = choose(rule, wish, *crowd(200, "preferences", value_score=0.9, tier="KEEP"))
    assert lines(chosen)[0].startswith("- Always answer me in metric units.")
    assert wish.ref in references_in(chosen.text)


def test_more_instructions_than_their_section_holds_are_the_first_to_get_what_is_left() -> None:
    chosen = choose(*crowd(40, "preferences", is_standing=True, said_by_owner=True), *crowd(300, "insights", 2))
    used = {section.name: section.tokens for section in chosen.sections}
    assert used["preferences"] > 800
    assert used["insights"] > 400


def test_an_instruction_is_left_out_only_for_one_that_says_it_whole() -> None:
    known = {"is_standing": True, "said_by_owner": True, "occurred_at": START}
    do = memory("Call me Bob.", "preferences", 1, **known)
    never = memory("Never call me Bob.", "preferences", 2, **known)
    again = memory("call me BOB.", "preferences", 3, **known)
    chosen = choose(do, never, again)
    assert {do.ref, never.ref} <= set(references_in(chosen.text)) or {again.ref, never.ref} <= set(
        references_in(chosen.text)
    )
    assert len(chosen.entries) == 2
    assert chosen.left_out[0].reason.startswith("already said by ")


def test_of_what_says_the_same_the_newest_is_there_and_says_so() -> None:
    one = memory("The cello lesson in Porto is on Mondays.", place=1, embedding=[1.0, 0.0], value_score=0.9)
    two = memory("Mondays: the cello lesson in Porto.", place=2, embedding=[0.93, 0.367], value_score=0.3)
    chosen = choose(one, two)
    assert reason_of(chosen, one) == f"already said by {two.ref}"
    assert [entry.ref for entry in chosen.entries] == [two.ref]


def test_what_an_entry_repeats_counts_for_it() -> None:
    """A repetition of little value by itself takes the place that the first one had earned."""
    first = memory("The cello lesson in Porto is on Mondays.", embedding=[1.0, 0.0], value_score=0.9)
    again = memory("Mondays: the cello lesson in Porto.", place=9, embedding=[0.93, 0.367], value_score=0.1)
    chosen = choose(first, again, *crowd(300, "insights"))
    assert again.ref in references_in(chosen.text)


def test_what_has_no_room_takes_what_says_the_same_with_it() -> None:
    first = memory("The cello lesson in Porto is on Mondays.", embedding=[1.0, 0.0], value_score=0.1)
    again = memory("Mondays: the cello lesson in Porto.", place=9, embedding=[0.93, 0.367], value_score=0.1)
    chosen = choose(first, again, *crowd(400, "insights"))
    reason = reason_of(chosen, first) or ""
    assert reason == f"says the same as {again.ref}: {reason_of(chosen, again)}"
    assert reason_kind(reason) == "no room"


@settings(max_examples=40)
@given(pools())
def test_every_reason_is_true_of_the_finished_file(pool: list[Memory]) -> None:
    chosen = choose(*pool)
    entries = {entry.ref: entry for entry in chosen.entries}
    known = {m.memory_id: m for m in pool}
    left = FileRules().ceiling.limit - chosen.tokens
    for row in chosen.left_out:
        if (said := re.fullmatch(r"already said by ([\d, ]+)", row.reason)) is not None:
            assert set(said[1].split(", ")) <= set(entries)
        if (room := re.match(r"no room: it needs (\d+) tokens, (\d+) are left", row.reason)) is not None:
            assert int(room[1]) > int(room[2]) and abs(int(room[2]) - left) <= 3
        if (below := re.search(r"its value of ([\d.]+) is below the ([\d.]+)", row.reason)) is not None:
            section = {known[e.memory_id].value_score for e in entries.values()}
            assert float(below[1]) <= float(below[2]) and min(section) <= float(below[2]) + 0.001


def test_what_is_worth_too_little_is_in_no_file_whatever_room_there_is() -> None:
    empty = memory("So it goes.", retention=0.1, value_score=0.6)
    order = memory("Call me Bo.", "preferences", 1, retention=0.1, is_standing=True, said_by_owner=True)
    written = memory("The spare key is at Ana's.", place=2, retention=0.1, by_editor=True)
    listed = memory("The ladder is Ben's.", place=3, retention=0.1, is_own_line=True)
    chosen = choose(empty, order, written, listed)
    assert {entry.ref for entry in chosen.entries} == {order.ref, written.ref, listed.ref}
    assert reason_of(chosen, empty) == "worth too little for a file: its retention is 0.100, the least is 0.3"


BARS = [
    ({"said_by_owner": True}, "insights", 0.3),
    ({}, "insights", 0.3),
    ({"label": "Ben"}, "insights", 0.65),
    ({"label": "Ben"}, "preferences", 0.65),
    ({"said_by_owner": True, "is_said": True}, "preferences", 0.6),
    ({"label": "Ben", "is_said": True, "is_letter": True}, "insights", 0.7),
    ({"label": "Ben", "is_said": True, "is_letter": True, "lasting": 0.9}, "insights", 0.5),
    ({"said_by_owner": True, "is_said": True}, "insights", 0.6),
    ({"said_by_owner": True, "is_said": True, "is_letter": True, "is_standing": True}, "preferences", 0.7),
    ({"said_by_owner": True, "label": "Ana"}, "tasks", 0.65),  # of September, and nobody knows whether it was done
    ({"entity_type": "Storyline", "label": "Boats"}, "insights", 0.3),
    ({"entity_type": "Storyline", "label": "Boats", "is_said": True}, "insights", 0.6),
]


@pytest.mark.parametrize(("known", "section", "least"), BARS)
def test_more_is_asked_of_what_is_not_the_owners_own_to_themselves(
    known: dict[str, object], section: str, least: float
) -> None:
    above, below = (
        memory("The keel of Marigold is oak.", section, retention=r, **known) for r in (least, least - 0.01)
    )
    today = date(2026, 12, 24)
    assert len(select_entries("ana", [above], count_tokens, today=today).entries) == 1
    assert not select_entries("ana", [below], count_tokens, today=today).entries


def test_no_overview_of_what_people_write_to_many_is_in_a_file() -> None:
    overviews = {
        is_letter: memory(
            "Boats: the keel is oak.", retention=0.9, entity_type="Storyline", label="Boats", is_letter=is_letter
        )
        for is_letter in (True, False)
    }
    assert [entry.ref for entry in choose(*overviews.values()).entries] == [overviews[False].ref]


def test_the_most_valuable_are_chosen_however_much_they_have_in_common() -> None:
    best = [memory(f"The harbour cello number {n} was sold.", place=n, value_score=0.9) for n in range(20)]
    chosen = choose(*best, *crowd(300, "insights", 3))
    assert {one.ref for one in best} <= set(references_in(chosen.text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The dentist is at 3 on Friday.", "The dentist is at 4 on Friday."),
        ("Ben eats cheese.", "Ben never eats cheese."),
    ],
)
def test_texts_that_differ_in_a_number_or_a_denial_are_not_near_duplicates(one: str, other: str) -> None:
    first = memory(one, "preferences", 1, embedding=[1.0, 0.0], is_standing=True, said_by_owner=True)
    second = memory(other, "preferences", 2, embedding=[1.0, 0.0], is_standing=True, said_by_owner=True)
    assert len(choose(first, second).entries) == 2


def test_what_another_holds_whole_is_not_said_again_and_what_only_shares_its_words_is() -> None:
    whole = memory("Ana moved the old cello to the harbour lighthouse.", place=2, embedding=[1.0, 0.0])
    part = memory("The old cello is in the lighthouse, says Ana.", place=1, embedding=[0.9, 0.436])
    other = memory("Ana, the lighthouse, an old cello: a fine picture.", place=3, embedding=[0.5, 0.866])
    chosen = choose(whole, replace(part, text="Ana moved the old cello to the lighthouse."), other)
    assert [entry.ref for entry in chosen.entries] == [other.ref, whole.ref]
    assert chosen.left_out[0].reason == f"already said by {whole.ref}"
    assert choose(whole, replace(part, embedding=[0.5, 0.866])).left_out == ()


def test_what_has_the_highest_tier_comes_first() -> None:
    ladder = memory("The plain old ladder.", tier="KEEP", value_score=0.8)
    assert ladder.ref in references_in(choose(ladder, *crowd(400, "insights", value_score=0.79)).text)


def test_open_and_recent_tasks_come_before_done_and_old_ones() -> None:
    old = crowd(100, "tasks", occurred_at=START - timedelta(days=400))
    new = crowd(20, "tasks", 2, occurred_at=START)
    done = [memory(f"[x] Oil the {noun}", "tasks", 1, occurred_at=START) for noun in NOUNS]
    chosen = choose(*old, *new, *done, *crowd(300, "insights", 3, occurred_at=START))
    found = set(references_in(chosen.text))
    assert sum(m.ref in found for m in new) > 3 * sum(m.ref in found for m in old)
    assert sum(m.ref in found for m in done) <= 1  # what is left of the room may be enough for one


def test_recent_context_is_by_event_time_newest_first_and_unknown_last() -> None:
    pool = [
        memory(f"Summary of the {noun} day.", "recent", place, occurred_at=START + timedelta(days=place))
        for place, noun in enumerate(NOUNS)
    ]
    unknown = memory("Summary without a day.", "recent", occurred_at=None)
    chosen = choose(unknown, *pool)
    refs = references_in(chosen.text)
    assert refs[0] == pool[-1].ref
    assert refs == [m.ref for m in [*reversed(pool), unknown] if m.ref in refs]
    assert "### 2026\n- 12 September: Summary of the violin day." in chosen.text


def test_a_source_of_which_the_file_tells_what_is_worth_telling_is_no_recent_context() -> None:
    talk, beside = (
        memory("They talked about the boat.", "recent", 9),
        memory("They talked about the mast.", "recent", 8),
    )
    said = [memory(f"Ana sold the {noun}.", place=at, source_id=talk.memory_id) for at, noun in enumerate(NOUNS[:3])]

    def recent(*pool: Memory) -> list[str]:
        return [one.text for one in choose(talk, beside, *pool).entries if one.section == "recent"]

    assert recent() == [talk.text, beside.text] and recent(*said) == [beside.text]
    told = [one.ref for one in choose(talk, beside, *said).entries if one.section == "insights"]
    reason = reason_of(choose(talk, beside, *said), talk) or ""
    assert reason.startswith("already said, a third or more of what is worth a line, by ")
    assert set(re.findall(r"\d{9}", reason)) == set(told)
    assert recent(replace(said[0], statement=""), *said[1:]) == [beside.text]
    kept = choose(replace(talk, by_editor=True), *said)
    assert [one.text for one in kept.entries if one.section == "recent"] == [talk.text], "a person has written it back"
    crowded = crowd(250, "insights", source_id=talk.memory_id, value_score=0.1)
    assert recent(*crowded) == [talk.text, beside.text], "most of what is worth telling of it has no room"


def test_a_talk_in_which_nothing_is_worth_a_line_is_no_recent_context() -> None:
    talk, note = memory("They talked about the boat.", "recent", 9, is_said=True), memory("A walk.", "recent", 8)
    said = memory("Ana sold the harbour.", source_id=talk.memory_id, retention=0.1)
    for beside in (said, replace(said, retention=0.9, excluded="a machine has sent it"), replace(said, statement="")):
        chosen = choose(talk, note, beside)
        assert [one.text for one in chosen.entries] == [note.text]
        assert reason_of(chosen, talk) == "worth too little for a file: none of its statements may be in one"
    assert len(choose(talk, note).entries) == 2, "nothing is known of what is said in it"
    written = replace(talk, by_editor=True)
    assert len(choose(written, note, said).entries) == 2, "a person has written it back"


def test_of_recent_context_the_newest_ten_come_first_and_no_others() -> None:
    pool = [memory(f"They talked about the {noun}.", "recent", place) for place, noun in enumerate(NOUNS)]
    chosen = choose(*pool)
    assert references_in(chosen.text) == [one.ref for one in reversed(pool[2:])]
    assert {reason_of(chosen, one) for one in pool[:2]} == {"not among the 10 newest sources"}
    short = [memory(f"A longer day of {' '.join(NOUNS)} {place}.", "recent", place) for place in range(9)]
    filled = references_in(choose(*short, *crowd(300, "insights"), *crowd(100, "tasks")).text)
    assert [ref for ref in filled if ref in {one.ref for one in short}] == [one.ref for one in short[:-6:-1]]


def test_an_overview_of_which_the_file_says_most_sentences_is_left_out() -> None:
    said = [memory("The cello is sold.", place=1), memory("A ladder leans on the lighthouse.", place=2)]
    summary = memory(
        "The cello is sold. A ladder leans on the lighthouse. The quarry is shut.",
        entity_type="Storyline",
        occurred_at=START,
    )
    chosen = choose(*said, summary)
    assert set(re.findall(r"\d{9}", reason_of(chosen, summary) or "")) == {one.ref for one in said}
    for fresh in ("The violin and the quarry. The cello is sold. A saddle.", "A cello, a ladder, a lighthouse."):
        assert replace(summary, text=fresh).ref in references_in(choose(*said, replace(summary, text=fresh)).text)


@pytest.mark.parametrize(
    "summary",
    [
        "Ana wrote: “The cello is sold.” Ana wrote: “A ladder leans on the lighthouse.”",
        "Ana wrote about “cello”. Ana: The cello is sold.",
    ],
)
def test_a_source_whose_quoted_sentences_the_file_has_is_left_out(summary: str) -> None:
    words = "Ana wrote: “The cello is sold. A ladder leans on the lighthouse.”"
    said = memory("The cello is sold.", place=1, statement=words)
    source = memory(summary, "recent", 2, entity_type="Source")
    chosen = choose(said, source)
    assert reason_of(chosen, source) == f"already said by {said.ref}"
    other = replace(source, text=summary.replace("sold", "bought").replace("leans", "stands"))
    assert other.ref in references_in(choose(said, other).text)


def test_what_is_chosen_with_unused_budget_takes_the_place_of_the_overview_that_it_says() -> None:
    others = [
        memory(f"The {noun} {at} is in shed {at}{at}.", place=at, value_score=0.9) for noun in NOUNS for at in range(4)
    ]
    said = memory("Ana Holt has sold the ferry.", place=9, value_score=0.1)
    source = memory(said.text, "recent", 9, entity_type="Source")
    chosen = choose(*others, said, source)
    budget = PRESETS[DEFAULT_PRESET].budgets["insights"]
    assert next(one.tokens for one in chosen.sections if one.name == "insights") > budget, "some come later"
    assert source.ref not in references_in(chosen.text) and said.ref in references_in(chosen.text)
    assert reason_of(chosen, source) == f"already said by {said.ref}"


@pytest.mark.parametrize("kind", ["Macro", "Storyline"])
def test_of_two_overviews_of_nearly_the_same_one_is_there(kind: str) -> None:
    shared = "3 May 2026: Nora sold the saddle. 9 May 2026: Nora bought a violin from the quarry."
    one = memory(
        f"Nora and the violin: {shared}", entity_type="Storyline", occurred_at=START, label="Nora and the violin"
    )
    title = "The violin from the quarry"
    other = memory(f"{title}: {shared} 12 May 2026: It snowed.", entity_type=kind, occurred_at=START, label=title)
    apart = memory(
        "The pier: 2 May 2026: Idris painted the pier.", entity_type=kind, occurred_at=START, label="The pier"
    )
    refs = set(references_in(choose(one, other, apart).text))
    assert apart.ref in refs and len(refs & {one.ref, other.ref}) == 1


@pytest.mark.parametrize("kind", ["Macro", "Source"])
def test_an_overview_does_not_say_what_a_later_word_has_taken_back(kind: str) -> None:
    at = START.replace(year=2026, month=9, day=21)
    first = memory("The launch of the ferry is on 3 November.", place=1, occurred_at=at)
    later = memory(
        "The launch moves to 1 December, because the harbour is closed.", place=2, occurred_at=at + timedelta(42)
    )
    section = "recent" if kind == "Source" else "insights"
    overview = memory(
        "21 September 2026: The launch of the ferry is on 3 November. The orchard has a new ladder.",
        section,
        3,
        entity_type=kind,
        occurred_at=at,
    )
    chosen = choose(outdated_by(first, later), later, overview)
    assert reason_of(chosen, first) == f"superseded by {later.ref}"
    assert reason_of(chosen, overview) == f"tells what {later.ref} has taken back"
    assert "3 November" not in chosen.text
    assert overview.ref in references_in(choose(later, overview).text)


def test_an_entry_that_does_not_fit_leaves_its_place_to_the_next_that_does() -> None:
    long = memory("quarry " + " ".join(f"word{i}" for i in range(70)), "recent", 9)
    short = [memory(f"A {noun}.", "recent", place) for place, noun in enumerate(NOUNS[:3])]
    chosen = choose(long, memory("saddle " + " ".join(f"text{i}" for i in range(40)), "recent", 10), *short)
    assert all(m.ref in references_in(chosen.text) for m in short)


def test_an_entry_longer_than_its_section_is_left_out_whole_and_says_so() -> None:
    long = memory(" ".join(f"quarry{i}" for i in range(600)), "insights", tier="KEEP", value_score=1.0)
    huge = memory("many words " * 20_000, "insights", 1)
    chosen = choose(long, huge, memory("The cello."))
    assert "longer than its section's budget of 500 tokens" in (reason_of(chosen, long) or "")
    assert "longer than a file" in (reason_of(chosen, huge) or "")
    assert len(chosen.entries) == 1


def test_entries_say_who_and_when_but_preferences_hold_at_any_time() -> None:
    chosen = choose(
        memory("I paint lighthouses.", "insights", label="Caroline"),
        memory("I like tea.", "preferences", label="Maria", said_by_owner=True),
        memory("I like milk.", "preferences", label="Ben"),
        memory("Ship the orchard.", "tasks", label="Maria", said_by_owner=True),
    )
    assert [line.rsplit(" [", 1)[0] for line in chosen.text.splitlines()[1:] if line] == [
        "## Personal Preferences",
        "- I like tea.",
        "## Active Tasks",
        "### 2026",
        "- 1 September: Ship the orchard.",
        "## Key Insights",
        "### 2026",
        *sorted(
            ["- 1 September, Ben: I like milk.", "- 1 September, Caroline: I paint lighthouses."], key=chosen.text.index
        ),
    ]


def test_one_more_memory_changes_few_lines_of_a_full_file() -> None:
    pool = [m for day in range(30) for m in crowd(12, "insights", day, occurred_at=START + timedelta(days=day))]
    pool = [replace(m, source_id=f"s:{m.occurred_at}") for m in pool]
    before = lines(choose(*pool))
    after = lines(choose(*pool, memory("The lighthouse keeper sold his boat in 1963.", place=99)))
    assert len(set(after) - set(before)) <= 4
    assert [line for line in after if line in before] == [line for line in before if line in after]


def test_a_new_memory_does_not_shuffle_the_others() -> None:
    pool = [memory(f"The {noun} is by the sea.", place=place) for place, noun in enumerate(NOUNS)]
    before = references_in(choose(*pool).text)
    after = references_in(choose(*pool, memory("A new cottage.", place=99)).text)
    assert [ref for ref in after if ref in before] == before


def test_standing_instructions_come_before_what_is_liked() -> None:
    owners = {"said_by_owner": True, "is_standing": True, "section": "preferences"}
    order = memory("Always name the river when I ask about a valley.", **owners)
    other = memory("I love cold lakes in autumn.", "preferences", 4, said_by_owner=True)
    chosen = choose(other, order)
    assert [entry.text for entry in chosen.entries] == [order.text, other.text]
    assert weighing.rank_of(order) < weighing.rank_of(other)


def test_what_is_ticked_off_is_no_task() -> None:
    for box in ("- [x] Oil the harbour crane", "* [X] Oil the harbour crane"):
        assert weighing.placed(memory(box, "tasks", said_by_owner=True), State.OPEN, OWNER).section == "insights"
    one = memory("- [ ] Oil the harbour crane", "tasks", said_by_owner=True)
    assert weighing.placed(one, State.OPEN, OWNER).section == "tasks"


def test_a_wish_said_again_is_there_as_it_was_first_said() -> None:
    owners = {"said_by_owner": True, "is_standing": True, "section": "preferences"}
    first = memory("I prefer plain, wooden shelves", place=0, **owners)
    again = memory(
        "I prefer plain and wooden shelves to keep the harbour office light and easy to clean", place=1, **owners
    )
    other = memory("I prefer plain, painted walls to keep the harbour office light", place=2, **owners)
    chosen = choose(again, other, first)
    assert {entry.text for entry in chosen.entries} == {first.text, other.text}
    assert reason_of(chosen, again) == f"already said by {first.ref}"
    # Taken back in between, it is a new word.
    changed = memory("From now on I prefer painted shelves instead of plain, wooden shelves", place=1, **owners)
    later = replace(again, occurred_at=START + timedelta(days=2))
    assert later.text in {entry.text for entry in choose(outdated_by(first, changed), changed, later).entries}
    # What a person has written into the file is left out for no repetition.
    written = replace(again, by_editor=True)
    assert written.text in {entry.text for entry in choose(first, written).entries}


@pytest.mark.parametrize(
    ("text", "label", "said_by_owner", "share"),
    [
        ("I sold my boat.", "Ben", False, FileRules().others_own_weight),
        ("I sold my boat.", "Maria", True, 1.0),
        ("I sold my boat.", None, False, 1.0),
        ("The launch moves to 3 May.", "Ben", False, 1.0),
        ("You and I meet on 3 May.", "Ben", False, 1.0),
    ],
)
def test_what_others_tell_of_themselves_is_worth_less(
    text: str, label: str | None, said_by_owner: bool, share: float
) -> None:
    one = memory(text, "insights", 1, label=label, said_by_owner=said_by_owner)
    worth = weighing.worth_of(one, OWNER, None, FileRules(), was_task=False)
    assert worth == pytest.approx(one.value_score * share)


@pytest.mark.parametrize(
    ("days", "known", "share"),
    [
        (0, {}, 1.0),
        (30, {}, 0.7),
        (60, {}, 0.4),
        (600, {}, 0.4),
        (600, {"section": "tasks"}, 1.0),
        (600, {"is_standing": True}, 1.0),
        (600, {"lasting": None}, 1.0),
        (600, {"by_editor": True}, 1.0),
        (600, {"is_own_line": True}, 1.0),
    ],
)
def test_what_is_said_holds_less_and_less_for_two_months(days: int, known: dict[str, Any], share: float) -> None:
    one = replace(memory("Ben leads the choir."), **({"section": "insights", "lasting": 0.4} | known))
    newest = weighing.in_utc(one.occurred_at) + timedelta(days=days) if one.occurred_at else None
    assert newest is not None and weighing.held_by(one, newest, FileRules()) == pytest.approx(share)
    assert weighing.held_by(one, None, FileRules()) == 1.0


def test_one_memory_of_a_far_day_makes_no_other_old() -> None:
    known = START + timedelta(days=1)
    keels = [
        replace(memory(f"The keel of {noun} is oak.", place=n), known_at=known) for n, noun in enumerate(NOUNS[:4])
    ]
    keels = [replace(one, occurred_at=START, retention=0.7, lasting=0.4) for one in keels]
    far = replace(
        memory("You have won the harbour.", place=9), occurred_at=START + timedelta(days=4000), known_at=known
    )
    assert weighing.newest_of([*keels, far]) == known and weighing.newest_of([]) is None
    assert weighing.newest_of([*keels, replace(far, known_at=None, excluded="sent by a machine")]) == START
    assert {one.ref for one in keels} <= set(references_in(choose(*keels, far).text))


def test_what_likely_holds_no_longer_is_in_no_file() -> None:
    plan, fact, new = (
        replace(memory(text, place=place, retention=0.8, lasting=lasting), occurred_at=START + timedelta(days=day))
        for place, (text, lasting, day) in enumerate(
            [("The dentist is on Tuesday.", 0.2, 0), ("The keel is oak.", 0.9, 0), ("The mast came down.", 0.2, 90)]
        )
    )
    chosen = choose(plan, fact, new)
    assert {entry.ref for entry in chosen.entries} == {fact.ref, new.ref}
    why = "worth too little for a file: its retention is 0.800, and by now it holds at 20%"
    assert reason_of(chosen, plan) == why and reason_kind(why) == "worth too little for a file"
    assert choose(plan).entries, "alone it is the newest"
    letter = replace(fact, retention=0.5, lasting=0.8, is_letter=True, is_said=True)
    assert letter.ref not in references_in(choose(letter, new).text)
    assert letter.ref in references_in(choose(replace(letter, is_to_many=True), new).text)


def test_in_a_talk_no_less_is_asked_of_the_owners_matters_and_others_own_are_in_no_file() -> None:
    owner = weighing.Owner("maria", frozenset({"maria"}), frozenset({"ben"}), frozenset({"talk"}))
    rules = FileRules()

    def least(text: str, label: str | None, source: str = "talk", **known: object) -> float:
        said = {"label": label, "said_by_owner": label == "Maria", "is_said": True, "source_id": source} | known
        one = memory(text, "insights", 1, **said)
        return weighing.least_retention_of(one, owner, rules, was_task=False)

    assert least("I sold my boat.", "Maria") == rules.said_least_retention
    assert least("I sold my boat.", "Maria", "chat with an assistant") == rules.wish_least_retention
    assert least("I sold my boat.", "Ben", statement="Ben sold their boat.") == weighing.NONE_MAY
    assert least("It was red.", "Ben", statement="Ben sold a boat. It was red.") == weighing.NONE_MAY
    assert least("I sold you my boat.", "Ben", statement="Ben sold Maria their boat.") == rules.said_least_retention
    statement = "Ben told Maria of their boat."
    assert least("I told Maria of my boat.", "Ben", statement=statement) == rules.said_least_retention
    statement = "Ben drove Maria home after the surgery."
    assert least("I drove her home after the surgery.", "Ben", statement=statement) == rules.said_least_retention
    statement = "Since Ben and Maria's last chat, Ben sold it."
    assert least("Since our last chat, I sold it.", "Ben", statement=statement) == weighing.NONE_MAY
    assert least("The launch moves to 3 May.", "Ben") == rules.said_least_retention
    answer = "Asked by Maria “How long have you had a boat?”, Ben said: “It has been mine for eleven years.”"
    assert least("It has been mine for eleven years.", "Ben", statement=answer) == weighing.NONE_MAY
    assert least("I sold my boat.", "Ben", is_letter=True) == rules.letter_least_retention


@pytest.mark.parametrize(
    ("text", "label", "statement", "is_allowed"),
    [
        ("I sold my boat.", "Ben", "Ben sold their boat.", False),
        ("I start the new course in May.", "Ben", None, False),
        ("I sold my boat.", "Maria", "Maria sold their boat.", True),
        ("I sold my boat.", None, None, True),
        ("@Maria I sold my boat.", "Ben", "Ben sold their boat.", True),
        ("I told her of my boat.", "Ben", "Ben told Maria of their boat.", True),
        ("I sold you my boat.", "Ben", None, True),
        ("Our lease ends on 31 May, my landlord says.", "Ben", None, True),
        ("The launch moves to 3 May.", "Ben", None, True),
        ("The I/O limits of the cluster were raised to 4 TB.", "Ben", None, True),
        ("Deploys are frozen until Monday, i.e. until 3 May.", "Ben", None, True),
        ("Set it in my.cnf to 4 GB on all replicas.", "Ben", None, True),
        ("Lanseringen flyttas till den 3 maj i Stockholm.", "Ben", None, True),
        ("@channel I moved the retro to Thursday 5 May at 10.", "Ben", None, True),
        ("I start the new course in May.", "Maria Lindqvist", None, True),
        ("i'll move it to caddy on 3 May.", "Ben", None, False),
    ],
)
@pytest.mark.parametrize("is_to_many", [True, False])
def test_what_others_say_to_many_of_themselves_alone_is_in_no_file(
    text: str, label: str | None, statement: str | None, is_allowed: bool, is_to_many: bool
) -> None:
    known = {"said_by_owner": label == "Maria", "is_said": True, "is_letter": True, "is_to_many": is_to_many}
    one = memory(text, "insights", 1, label=label, statement=statement, **known)
    assert weighing.is_anothers_own(one, OWNER) is (is_to_many and not is_allowed)
    least = weighing.least_retention_of(one, OWNER, FileRules(), was_task=False)
    assert (least == weighing.NONE_MAY) is (is_to_many and not is_allowed)
    by_hand = replace(one, by_editor=True)
    assert weighing.least_retention_of(by_hand, OWNER, FileRules(), was_task=False) == 0.0


def test_an_owner_talks_with_people_where_somebody_else_speaks_who_is_no_assistant() -> None:
    said = [("Maria", True, "walk"), ("Ben", False, "walk"), ("Maria", True, "chat"), ("assistant", False, "chat")]
    pool = [
        memory(f"{n}.", "insights", n, label=who, said_by_owner=own, source_id=source)
        for n, (who, own, source) in enumerate(said)
    ]
    assert weighing.Owner.of("maria", pool).talks == {"walk"}


@pytest.mark.parametrize(
    ("title", "share"), [("Ben and the boat", 0.8), ("Maria and the boat", 1.0), ("The boat", 1.0)]
)
def test_an_overview_of_somebody_else_is_worth_less(title: str, share: float) -> None:
    one = memory(f"{title}: it was sold.", "insights", 1, entity_type="Storyline", label=title)
    worth = weighing.worth_of(one, OWNER, None, FileRules(), was_task=False)
    assert worth == pytest.approx(one.value_score * FileRules().overview_weight * share)


@pytest.mark.parametrize(
    ("text", "is_hers"),
    [
        ("I will interview eight residents by 29 September.", False),
        ("I need the sound of each level by 19 October.", False),
        ("Ben needs to interview eight residents.", False),
        ("Ana, can you respond to the request?", False),
        ("@Ana please fix the crane.", False),
        ("I will send you the final texts by 18 November.", True),
        ("I wait for the texts that Maria writes.", True),
        ("Please publish the causes, Ruth likes plain words.", True),
        ("Maria, can you take the Sundays?", True),
        ("Everybody watches the rehearsal on Thursday.", True),
        ("Bring the ladder on Saturday.", True),
    ],
)
def test_what_others_mean_to_do_is_no_task_of_the_owners_unless_it_concerns_her(text: str, is_hers: bool) -> None:
    one = memory(text, "tasks", label="Ben")
    mine = memory("The cello is from Porto.", label="Maria", said_by_owner=True)
    chosen = {entry.memory_id: entry.section for entry in choose(one, mine, memory("So be it.", label="Ana")).entries}
    assert chosen[one.memory_id] == ("tasks" if is_hers else "insights")
    assert {e.section for e in choose(one).entries} == {"tasks"}, "nobody knows whose file it is"


def test_an_overview_does_not_say_the_statement_of_what_a_later_word_has_taken_back() -> None:
    at = START.replace(year=2026, month=9, day=21)
    first = memory(
        "My launch is on 3 November.", place=1, occurred_at=at, statement="The launch of Ana's ferry is on 3 November."
    )
    later = memory(
        "The launch moves to 1 December, because the harbour is closed.", place=2, occurred_at=at + timedelta(42)
    )
    text = "The ferry: 21 September 2026: The launch of Ana's ferry is on 3 November. The orchard has a new ladder."
    overview = memory(text, "insights", 3, entity_type="Macro", occurred_at=at)
    chosen = choose(outdated_by(first, later), later, overview)
    assert reason_of(chosen, first) == f"superseded by {later.ref}"
    assert reason_of(chosen, overview) == f"tells what {later.ref} has taken back"


@pytest.mark.parametrize(
    ("label", "text", "is_anothers"),
    [
        ("Ben held an art show", "3 May 2026: Ben held an art show.", True),
        ("Maria held an art show", "3 May 2026: Maria held an art show.", False),
        (None, "Ben and the art show: it was in May.", True),
    ],
)
def test_whose_an_overview_is_says_its_title_though_its_line_has_none(
    label: str | None, text: str, is_anothers: bool
) -> None:
    overview = memory(text, entity_type="Storyline", label=label)
    assert weighing.is_of_another(overview, OWNER) is is_anothers
