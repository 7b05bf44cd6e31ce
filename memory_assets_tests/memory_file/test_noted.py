"""What notes bring into a file, and whose it is by its title."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file import weighing
from memory_assets.memory_file.candidates import FileRules
from memory_assets.memory_file.ceilings import Ceiling
from memory_assets.memory_file.passing import State
from memory_assets.memory_file.pool import rewrite_summary, says_only
from memory_assets.memory_file.render import render_title
from memory_assets.memory_file.selection import choose
from memory_assets_tests.memory_file.pools import memory


def test_a_file_bears_its_owners_name() -> None:
    pool = [memory("The gate is green.")]
    assert choose("mara", pool, count_tokens).selection.text.startswith("# Memory of mara\n")
    named = choose("mara", pool, count_tokens, name="Mara Lindt").selection
    assert named.text.startswith("# Memory of Mara Lindt\n") and named.tokens == count_tokens(named.text)
    assert render_title("Mara\n## Forged [123456789]") == "# Memory of Mara ## Forged\n"


@pytest.mark.parametrize("ceiling", [Ceiling(tokens=10), Ceiling(characters=40), Ceiling(lines=9, bytes=40)])
def test_a_name_that_does_not_fit_is_no_title(ceiling: Ceiling) -> None:
    pool, rules, name = (
        [memory("The gate is green.")],
        FileRules(ceiling=ceiling),
        "Maria del Carmen Fernández de Cortez",
    )
    assert choose("mara", pool, count_tokens, rules, name=name).selection.text == "# Memory of mara\n"
    assert choose("mara", pool, count_tokens, name=name).selection.text.startswith(f"# Memory of {name}\n")


MOVED = "We moved to Porto in May because the rent in Lisbon was too high."
SUMMARIES = [
    (MOVED, "We moved to Porto in May because the rent…", True),
    (f"{MOVED} Ben sold the studio and bought a boat.", "We moved to Porto in May because the rent…", False),
    ("We moved. Ben sold it to Eva.", "We moved. Ben sold…", True),
    ("We moved to Porto in May.", "…", False),
    ("Thu 5 Nov", "Thu 5 Nov", True),
    ("Pony club, and Tilda was second.", "Pony club, and Tilda was…", True),
    ("Ana wrote about “lease”.", "Re: lease", True),
    ("The user talked with an assistant about the boat.", "Chat", True),
    ("Ana and Bo talked about the boat and the mooring.", "general", True),
    ("Ana wrote about the boat. It leaks.", "general", False),
    ("Ana wrote about moving to Lisbon with her sister Maria in March.", "general", False),
    ("Ana talked about her divorce, the flat going to Bo, and the rent.", "general", False),
    ("Ana wrote about “lease”. The rent goes up in May.", "Re: lease", False),
    ("Sizes: Tom 152, shoes 37.", "Sizes", False),
]


@pytest.mark.parametrize(("summary", "title", "only"), SUMMARIES)
def test_a_summary_that_says_no_more_than_its_title_is_known(summary: str, title: str, only: bool) -> None:
    assert says_only(summary, title) is only


def test_what_is_ticked_off_is_in_a_file_only_where_it_says_much() -> None:
    rules, owner = FileRules(), weighing.Owner("mara")
    done = memory("ordered the paint")
    for text in ("Gate: ordered the paint (done)", "Done: ordered the paint", "Task (done): order the paint"):
        one = replace(done, text=text, section="insights")
        assert weighing.least_retention_of(one, owner, rules, was_task=False) == rules.done_least_retention
    open_one = replace(done, text="Task (open): order the paint", section="insights")
    assert weighing.least_retention_of(open_one, owner, rules, was_task=False) == rules.least_retention


def test_a_day_without_a_year_in_an_undated_note_is_the_nearest_to_when_it_came_in() -> None:
    known = datetime(2026, 11, 26, tzinfo=UTC)
    task = replace(memory("The builder starts on 7 Sept."), section="tasks", occurred_at=None, known_at=known)
    end = weighing.end_of(task, "mara")
    assert end is not None and end.last == date(2026, 9, 7) and end.state(date(2026, 11, 26)) is State.PASSED
    undated = weighing.end_of(replace(task, text="Paint the gate."), "mara")
    assert undated is None


def test_what_a_summary_says_behind_its_lead_is_not_led_in_again() -> None:
    said = [("my gloves are 8", "Sizes: my gloves are 8")]
    assert rewrite_summary("Sizes: my gloves are 8", said) == ""
    assert rewrite_summary("I row.", [("I row.", "Mara rows.")]) == "Mara rows."


def test_of_one_long_list_some_tasks_come_first_and_the_rest_takes_what_is_left() -> None:
    packed = [
        replace(memory(f"Take the {name}"), section="tasks", source_id="list", occurred_at=None)
        for name in "harness torch spanner glove key tester pen earplug trouser jumper".split()
    ]
    others = [memory(f"The pump of room {n} was made in the yard of {n * 7} people.") for n in range(60)]
    few = FileRules(ceiling=Ceiling(tokens=400))
    by_section = Counter(one.section for one in choose("mara", [*packed, *others], count_tokens, few).selection.entries)
    assert few.tasks_of_a_source <= by_section["tasks"] < len(packed) and by_section["insights"] > few.tasks_of_a_source
    assert len(choose("mara", packed, count_tokens, few).selection.entries) == len(packed)
