"""Turns of all kinds, as strategies: short and long, any signs, at any time and place."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from memory_assets.clock import Clock
from memory_assets.sessions.policy import ROLES, SessionRules

RULES = SessionRules(budget=1200)
"""So small that a few turns are too many."""
BEGAN = datetime(2026, 5, 3, 9, tzinfo=UTC)
CLOCK = Clock(BEGAN)

WORDS = st.lists(
    st.sampled_from(
        "the boat leaves on Friday Maya wants tea not coffee hello thanks 900 grams why? Yes. 船 明日".split()
    ),
    min_size=1,
    max_size=60,
).map(" ".join)
CONTENTS = st.one_of(
    WORDS, WORDS.map(lambda text: f"{text}. " * 9), st.text(max_size=80), st.text(max_size=8).map(lambda t: t * 300)
)


def turn(role: str, content: str, minutes: int = 0, **more: Any) -> dict[str, Any]:
    """A turn as it is added."""
    return {"role": role, "content": content, "at": (BEGAN + timedelta(minutes=minutes)).isoformat(), **more}


TURNS = st.builds(
    turn,
    st.sampled_from(ROLES),
    CONTENTS,
    st.integers(0, 5000),
    name=st.one_of(st.none(), st.text(min_size=1, max_size=20)),
    place=st.sampled_from([None, "main", "fix/login"]),
)
