"""What kind of sentence a memory is."""

from __future__ import annotations

from datetime import date

import pytest

from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file import sentence_kinds
from memory_assets.memory_file.selection import select_entries
from memory_assets_tests.memory_file.pools import memory


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("They help me through the long days at the mill.", True),
        ("You really enjoy having herons in the garden!", True),
        ("Your help will make it happen.", True),
        ("It's been a hard winter, and I want to make the best of it.", True),
        ("That's how we will think of the old pier.", True),
        ("It needs a new rope before anybody climbs it.", False),
        ("You must send the papers.", False),
        ("They want me to bring the ladder.", False),
        ("It's due on Monday.", False),
        ("It's time to renew the passport.", False),
        ("It will be collected by Friday.", False),
        ("They collect the ladder on 30 September.", False),
        ("This week I'll tune the cello.", False),
        ("That invoice is to be paid.", False),
        ("Italian papers have to be renewed.", False),
        ("I'll mend it.", False),
        ("It looks like I need to replace the tyre.", False),
        ("They sent me the form, I still have to sign it.", False),
        ("It's my job to file the taxes.", False),
        ("That was kind, I love herons.", True),
        ("This is due, and that is to be paid.", False),
        ("That is to be paid.", False),
    ],
)
def test_what_only_tells_of_another_is_no_task(text: str, told: bool) -> None:
    assert sentence_kinds.tells_of_another(text, date(2026, 9, 1)) is told


def test_what_the_owner_only_tells_of_others_is_an_insight_unless_they_wrote_it_down_as_a_task() -> None:
    told = memory("They help me through the long days.", "tasks", label="Maria", said_by_owner=True)
    bens = memory("You carry the ladder to the pier.", "tasks", label="Ben")
    written = memory("It is all about the harbour.", "tasks", said_by_owner=True, by_editor=True)
    placed = {e.memory_id: e.section for e in select_entries("maria", [told, bens, written], count_tokens).entries}
    assert placed == {told.memory_id: "insights", bens.memory_id: "tasks", written.memory_id: "tasks"}
