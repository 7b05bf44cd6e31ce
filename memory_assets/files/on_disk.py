"""Published files as they stand on the disk: whether they are as published, their digest and their text. Reads only."""

from __future__ import annotations

from pathlib import Path

from memory_assets.files import publish


def stands_as_published(path: Path, sha256: str) -> bool:
    """Whether the file holds what was published: nobody has edited, replaced or removed it since."""
    return digest_on_disk(path) == sha256


def digest_on_disk(path: Path) -> str | None:
    """The SHA-256 of the regular file that stands there; None for anything else, or nothing."""
    try:
        with publish.open_to_read(path.parent) as folder:
            return publish.look(folder, path.name).sha256
    except (OSError, publish.PublishError):
        return None


def text_on_disk(path: Path, limit: int = 1_000_000) -> str | None:
    """The first ``limit`` bytes of the regular file that stands there, as far as they are text; else None."""
    if digest_on_disk(path) is None:
        return None
    with publish.open_to_read(path.parent) as folder:
        return publish.read(folder, path.name, limit).decode("utf-8", "replace")
