"""MEMORY.md is the old file or the new one, the owner's alone, and nobody's words are lost."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from memory_assets.files import publish as publishing
from memory_assets.files.publish import (
    PublishError,
    digest,
    keep_edited,
    look,
    open_folder,
    publish,
    write_new,
)

OLD, NEW = "# Memory of maria\n", "# Memory of maria\n\n## Key Insights\n- Ü [123456789]\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "files" / "maria" / "MEMORY.md"


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_first_file_is_the_owners_alone(path: Path) -> None:
    previous = os.umask(0)
    try:
        assert publish(path, NEW, ()).status == "written"
    finally:
        os.umask(previous)
    assert path.read_text(encoding="utf-8") == NEW
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    assert names(path) == ["MEMORY.md"]


def test_an_open_folder_and_file_are_closed_again(path: Path) -> None:
    publish(path, NEW, ())
    path.chmod(0o644)
    path.parent.chmod(0o755)
    assert publish(path, NEW, ()).status == "unchanged"
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)


def test_the_same_bytes_are_not_written_again(path: Path) -> None:
    publish(path, NEW, ())
    before = path.stat()
    assert publish(path, NEW, ()).status == "unchanged"
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_our_own_file_is_replaced_without_a_copy(path: Path) -> None:
    publish(path, OLD, ())
    done = publish(path, NEW, {digest(OLD)})
    assert (done.status, done.edited_copy) == ("written", None)
    assert names(path) == ["MEMORY.md"]


def test_somebodys_edit_is_kept_beside_the_file(path: Path) -> None:
    publish(path, OLD, ())
    path.write_text("my own words", encoding="utf-8")
    path.chmod(0o644)
    done = publish(path, NEW, {digest(OLD)})
    copy = path.with_name(f"MEMORY.md.edited-{digest('my own words')[:8]}")
    assert done.edited_copy == copy.name
    assert copy.read_text(encoding="utf-8") == "my own words"
    assert mode(copy) == 0o600
    assert path.read_text(encoding="utf-8") == NEW
    # The same edit again needs no second copy; another does.
    path.write_text("my own words", encoding="utf-8")
    assert publish(path, NEW, {digest(OLD)}).edited_copy == copy.name
    path.write_text("other words", encoding="utf-8")
    assert publish(path, NEW, {digest(OLD)}).edited_copy != copy.name
    assert len(names(path)) == 3


def test_a_copy_that_meets_another_file_of_its_name_gets_a_longer_one(path: Path) -> None:
    publish(path, "my own words", ())
    taken = path.with_name(f"MEMORY.md.edited-{digest('my own words')[:8]}")
    taken.write_text("not these words", encoding="utf-8")
    done = publish(path, NEW, ())
    assert done.edited_copy == f"MEMORY.md.edited-{digest('my own words')}"
    assert taken.read_text(encoding="utf-8") == "not these words"


def test_a_link_in_the_files_place_is_replaced_and_its_target_untouched(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("precious", encoding="utf-8")
    path.parent.mkdir(parents=True)
    path.symlink_to(target)
    assert publish(path, NEW, ()).status == "replaced a link"
    assert target.read_text(encoding="utf-8") == "precious"
    assert not path.is_symlink()
    assert path.read_text(encoding="utf-8") == NEW


def test_a_link_under_the_temporary_name_is_not_followed(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("precious", encoding="utf-8")
    path.parent.mkdir(parents=True)
    (path.parent / publishing.new_name(path.name)).symlink_to(target)
    publish(path, NEW, ())
    assert target.read_text(encoding="utf-8") == "precious"
    assert names(path) == ["MEMORY.md"]


def test_a_folder_that_is_a_link_is_refused(path: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path.parent.parent.mkdir()
    path.parent.symlink_to(elsewhere, target_is_directory=True)
    with pytest.raises(PublishError, match="not a link"):
        publish(path, NEW, ())
    assert list(elsewhere.iterdir()) == []


def test_a_folder_in_the_files_place_is_refused_with_the_way_out(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(PublishError, match="Move it away"):
        publish(path, NEW, ())


def test_a_pipe_in_the_files_place_does_not_stop_us(path: Path) -> None:
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    assert publish(path, NEW, ()).status == "written"
    assert path.read_text(encoding="utf-8") == NEW


@pytest.mark.parametrize("steps", range(4))
def test_a_stop_after_any_step_leaves_a_whole_file_and_the_next_run_goes_on(path: Path, steps: int) -> None:
    publish(path, "my own words", ())
    known = {digest(OLD), digest(NEW)}
    with open_folder(path.parent) as folder:
        standing = look(folder, path.name)
        sequence = [
            lambda: write_new(folder, path.name, NEW.encode()),
            lambda: keep_edited(folder, path.name, standing, known),
            lambda: publishing.replace(folder, path.name, standing, known),
        ]
        for step in sequence[:steps]:
            step()
    assert path.read_text(encoding="utf-8") in ("my own words", NEW)
    publish(path, NEW, known)
    assert path.read_text(encoding="utf-8") == NEW
    copy = f"MEMORY.md.edited-{digest('my own words')[:8]}"
    assert names(path) == ["MEMORY.md", copy]
    assert (path.parent / copy).read_text(encoding="utf-8") == "my own words"
    assert (path.parent / copy).stat().st_ino != path.stat().st_ino


def test_a_stop_in_the_middle_of_writing_is_cleaned_up(path: Path) -> None:
    publish(path, OLD, ())
    (path.parent / publishing.new_name(path.name)).write_text("half of the te", encoding="utf-8")
    publish(path, OLD, {digest(OLD)})
    assert names(path) == ["MEMORY.md"]


def test_a_pipe_in_a_folder_of_ones_own_stays(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    os.mkfifo(path)
    for attempt in (lambda: publishing.look_at(path), lambda: publish(path, NEW, (), private=False)):
        with pytest.raises(PublishError, match="is a pipe"):
            attempt()
    assert path.is_fifo()
