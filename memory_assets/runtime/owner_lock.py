"""Who may write an owner's derived state now: one at a time, across processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock

from memory_assets.model import check_owner
from memory_assets.settings import Settings


@contextmanager
def owner_lock(settings: Settings, owner: str) -> Iterator[None]:
    """Hold the right to write an owner's derived state; waits for whoever holds it now.

    Raw sources need none: their writes merge by content. Derived state is replaced as a whole, and two replacements of
    one owner must not interleave.
    """
    check_owner(owner)  # a partition can be added by hand in the UI, under any name
    folder = settings.home / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with FileLock(folder / f"{owner}.lock"):
        yield
