"""A published file with its entries, and what an edit of it says: what the tests of edits start from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from memory_assets.edits import policy
from memory_assets.memory_file.edited_lines import read, texts_of
from memory_assets.runtime.edited_files import Base, Edit

PUBLISHED = """# Memory of ana

## Personal Preferences
- Always answer in metric units. [111111111]
- I prefer green tea [222222222]

## Active Tasks
### 2023
- 8 May, Caroline: Bring the cello [333333333]
- 8 May, Caroline: Call Rob about the ladder [555555555]
- 8 May, Bob: Pay the rent. [666666666]
- 9 May: Fetch the parcel by noon. [444444444]
"""
TEXTS = (
    ("a", "111111111", "preferences", "Always answer in metric units."),
    ("b", "222222222", "preferences", "I prefer green tea"),
    ("c", "333333333", "tasks", "Bring the cello"),
    ("d", "555555555", "tasks", "Call Rob about the ladder"),
    ("e", "666666666", "tasks", "Pay the rent."),
    ("f", "444444444", "tasks", "Fetch the parcel by noon."),
)
ENTRIES = [{"memory_id": m, "ref": r, "section": s, "text": t} for m, r, s, t in TEXTS]
AT = datetime(2026, 11, 20, 12, tzinfo=UTC)


def diff(published: str, entries: list[dict[str, Any]], edited: str) -> Edit:
    """An edit of a MEMORY.md."""
    return policy.diff(published, edited, read(Base(published, entries), edited))


def told(edit: Edit) -> dict[str, Any]:
    """An edit by what a person would say of it; only what there is."""
    parts = {
        "added": [(heading, text) for _, text, heading in texts_of(edit)],
        "changed": {line.entry["memory_id"]: after for line, _, after in edit.changed},
        "removed": "".join(line.entry["memory_id"] for line in edit.removed),
        "vanished": "".join(line.entry["memory_id"] for line in edit.vanished),
    }
    return {name: part for name, part in parts.items() if part}


def edited(old: str, new: str) -> str:
    assert old in PUBLISHED
    return PUBLISHED.replace(old, new)


WORDS = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=40)
