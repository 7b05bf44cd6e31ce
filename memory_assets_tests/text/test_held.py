"""Between which days words hold, by the records that say them, or something like them."""

from __future__ import annotations

from datetime import date

import pytest

from memory_assets.text.held import ALWAYS, Held, held_by, says

ENDED = Held(last=date(2026, 11, 10))
ALSO = Held(date(2026, 11, 1), date(2026, 11, 30))
SHORT, LONG = "Deploys need two approvals", "Deploys need two approvals until the audit is over."


@pytest.mark.parametrize(
    ("words", "records", "expected"),
    [
        (SHORT, [(SHORT, ALWAYS), (LONG, ENDED)], ALWAYS),
        (LONG, [(SHORT, ALWAYS), (LONG, ENDED)], ENDED),
        (SHORT, [(SHORT, ENDED), (LONG, ALWAYS)], ENDED),
        (SHORT, [(LONG, ENDED)], ENDED),
        (SHORT + ".", [("Mind this. " + SHORT + "!", ENDED), (LONG, ALWAYS)], ENDED),
        (f"{SHORT}. {LONG}", [(SHORT, ALWAYS), (LONG, ENDED)], ENDED),
        (f"Codex says: {LONG}", [(SHORT, ALWAYS), (LONG, ENDED)], ENDED),
        ("The Casino.", [("No. The pier is closed.", ENDED)], ALWAYS),
        ("A casino is shut", [("A casino is shut in", ENDED), ("A casino is shut out", ALSO)],
         Held(date(2026, 11, 1), date(2026, 11, 10))),
        ("", [("", ENDED)], ALWAYS),
        ("埠は閉鎖", [("埠は閉鎖中。", ENDED)], ENDED),
    ],
)  # fmt: skip
def test_words_hold_as_the_closest_of_the_records_says(
    words: str, records: list[tuple[str, Held]], expected: Held
) -> None:
    assert held_by(words, records) == held_by(words, records[::-1]) == expected


def test_whole_words_are_said() -> None:
    assert says("It is  so.\nNo. Never.", "so. No.") and says("港が閉鎖", "閉鎖")
    assert not says("The Casino. It is open.", "No.") and not says("Casino. It is.", "no.") and not says("x", " ")
