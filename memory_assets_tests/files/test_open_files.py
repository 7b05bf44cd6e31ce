"""Files that stay open in a process: one at a path, none that somebody has removed, and not too many."""

from __future__ import annotations

from pathlib import Path

from memory_assets.files.sqlite_file import OpenFiles, SqliteFile


class Log(SqliteFile):
    """A file with one table."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "CREATE TABLE IF NOT EXISTS x (a)", RuntimeError)

    @property
    def is_open(self) -> bool:
        return self._connection is not None

    def use(self) -> Log:
        with self.transaction() as connection:
            connection.execute("INSERT INTO x VALUES (1)")
        return self


def test_a_file_is_opened_once_and_again_where_it_was_removed(tmp_path: Path) -> None:
    files = OpenFiles(Log)
    first = files.at(tmp_path / "a").use()
    assert files.at(tmp_path / "a") is first
    first.path.unlink()
    second = files.at(tmp_path / "a").use()
    assert second is not first and not first.is_open and second.path.exists()


def test_what_was_removed_is_closed_whichever_file_is_asked_for_next(tmp_path: Path) -> None:
    files = OpenFiles(Log)
    erased = files.at(tmp_path / "a").use()
    erased.path.unlink()
    files.at(tmp_path / "b")
    assert not erased.is_open, "its bytes would stay on the disk"


def test_the_file_that_was_not_used_for_longest_is_closed(tmp_path: Path) -> None:
    files = OpenFiles(Log, most=2)
    a, b = (files.at(tmp_path / name).use() for name in "ab")
    files.at(tmp_path / "a")
    files.at(tmp_path / "c").use()
    assert a.is_open and not b.is_open
    assert files.at(tmp_path / "b").use().is_open
