"""HEARTBEAT.md keeps to its budget whatever there is, and names what it leaves out as a count."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.heartbeat.heartbeat_file import MOST_LINES
from memory_assets.heartbeat.render import (
    BUDGET,
    MOST_PENDING,
    Heartbeat,
    deferred_tasks,
    pending_tasks,
    quick_tasks,
    render,
)
from memory_assets.heartbeat.tasks import to_json
from memory_assets.llm.tokens import count_tokens

words = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=200)
rows = st.fixed_dictionaries({"task_key": words, "schedule": st.just("every 2 hours"), "text": words})


def rendered(quick: list[dict], deferred: list[dict], pending: list[dict], more: int = 0, idle: int = 0) -> Heartbeat:
    def stored(found: list[dict]) -> list[dict]:
        return [
            row | {"definition_json": to_json(row["text"]), "definition_hash": "0123456789ab", "shelf_key": str(place)}
            for place, row in enumerate(found)
        ]

    return render(
        "ben",
        len(quick) + len(deferred) + 2 * more + idle,
        "0" * 15,
        "2026-11-20T12:00Z",
        quick_tasks(stored(quick), len(quick) + more),
        deferred_tasks(stored(deferred), len(deferred) + more),
        pending_tasks(stored(pending)),
    )


@settings(max_examples=60)
@given(
    st.lists(rows, max_size=20),
    st.lists(rows, max_size=20),
    st.lists(rows, max_size=MOST_PENDING),
    st.sampled_from([0, 1, 100_000]),
)
def test_no_registry_breaks_the_budget(quick: list[dict], deferred: list[dict], pending: list[dict], more: int) -> None:
    made = rendered(quick, deferred, pending, more)
    assert made.tokens == count_tokens(made.text) <= BUDGET
    assert made == rendered(quick, deferred, pending, more)
    left = len(quick) + more - made.quick_shown
    assert (f"- and {left:,} more" in made.text) >= (left > 0)


def test_no_active_task_costs_nothing() -> None:
    assert rendered([], [], [], idle=3).text == ""


def test_a_full_file_gives_room_to_all_three() -> None:
    many = [
        {"task_key": f"task-{n:03d}", "schedule": "daily", "text": "Look after it."} for n in range(MOST_LINES["quick"])
    ]
    made = rendered(many, many[: MOST_LINES["deferred"]], many[:MOST_PENDING], more=100_000)
    assert made.quick_shown > 5 and made.deferred_shown > 2
    assert "## Pending Changes\n- task-000" in made.text
    assert made.quick_through == str(made.quick_shown), "the first that did not fit is where the next one looks"
    assert made.tokens > BUDGET * 0.8
