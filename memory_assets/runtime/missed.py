"""Which events of agents came to nothing, by whose memory they were for: a hook writes them down by its connection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from memory_assets.client.hook import KEYS_FOLDER, missed
from memory_assets.runtime.owners import connected_user


def events_missed(home: Path, users: Collection[str], since: str) -> Iterator[dict[str, Any]]:
    """What the agents of some users have missed since an instant: a row for each user, agent and reason."""
    counts = Counter(
        (user, row["agent"], row["reason"])
        for row in missed(home, since)
        if (user := connected_user(home / KEYS_FOLDER / f"{Path(row.get('connection', '')).name}.json")) in users
    )
    for (user, agent, reason), events in sorted(counts.items()):
        yield {"user": user, "agent": agent, "events": events, "why": reason}
