"""Kills, full disks, folders of the user's own, and edits under our hands: the old file or the new one, and a clear
word.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_assets.files import publish as publishing
from memory_assets.files.publish import PublishError, digest, publish
from memory_assets_tests.support.killed_publication import NEW, OURS

EDITED = "my own words\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A place in a folder that is the user's own, open to others as such folders are."""
    folder = tmp_path.resolve() / "project"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    return folder / "CLAUDE.md"


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def copy_of(text: str, path: Path) -> str:
    return f"{path.name}.edited-{digest(text)[:8]}"


@pytest.mark.parametrize("standing", [OURS, EDITED, ""], ids=["ours", "edited", "nothing"])
def test_a_kill_at_any_step_leaves_the_old_file_or_the_new_one(tmp_path: Path, standing: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "memory_assets_tests.support.killed_publication", str(tmp_path), standing],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    kills = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [kill["killed"] for kill in kills] == [True] * (len(kills) - 1) + [False]
    assert {kill["found"] for kill in kills} == {standing or None, NEW}
    copies = [f"MEMORY.md.edited-{digest(EDITED)[:8]}"] if standing == EDITED else []
    for kill in kills:
        assert (kill["after"], kill["names"]) == (NEW, ["MEMORY.md", *copies])


def test_a_full_disk_leaves_the_old_file_and_says_so(path: Path) -> None:
    path.write_text(OURS, encoding="utf-8")
    script = (
        "import resource, sys; from pathlib import Path; from memory_assets.files.publish import *\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try: publish(Path(sys.argv[1]), 'long ' * 2000, (), private=False)\n"
        "except PublishError as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert str(path) in ran.stdout
    assert "Make room on the disk" in ran.stdout
    assert path.read_text(encoding="utf-8") == OURS
    assert names(path) == ["CLAUDE.md"]


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.EROFS, "writable for you"),
        (errno.EACCES, "writable for you"),
        (errno.EDQUOT, "Make room"),
        (errno.EIO, "run it again"),
    ],
)
def test_what_the_system_refuses_is_told_with_the_way_out(
    path: Path, monkeypatch: pytest.MonkeyPatch, number: int, remedy: str
) -> None:
    path.write_text(OURS, encoding="utf-8")
    real = os.open

    def refusing(name: str, flags: int, *rest: object, **how: object) -> int:
        if flags & os.O_CREAT:
            raise OSError(number, os.strerror(number))
        return real(name, flags, *rest, **how)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refusing)
        with pytest.raises(PublishError, match=remedy) as refused:
            publish(path, NEW, (), private=False)
    assert os.strerror(number) in str(refused.value)
    assert (names(path), path.read_text(encoding="utf-8")) == (["CLAUDE.md"], OURS)


def test_a_folder_that_goes_away_while_we_write_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(folder: int, name: str, *rest: object) -> None:
        path.parent.rmdir()
        real(folder, name, *rest)

    real = publishing.write_new
    monkeypatch.setattr(publishing, "write_new", gone)
    with pytest.raises(PublishError, match="could not be written"):
        publish(path, NEW, (), private=False)
    assert not path.parent.exists()


def test_a_folder_of_the_users_own_stays_as_it_is(path: Path) -> None:
    assert publish(path, NEW, (), private=False).status == "written"
    assert (mode(path), mode(path.parent)) == (0o600, 0o755)
    path.chmod(0o644)
    assert publish(path, NEW, (), private=False).status == "unchanged"
    assert publish(path, OURS, {digest(NEW)}, private=False).edited_copy is None
    assert (mode(path), mode(path.parent)) == (0o644, 0o755)
    assert names(path) == ["CLAUDE.md"]


@pytest.mark.parametrize(("before", "after"), [(0o644, 0o600), (0o640, 0o600), (0o666, 0o600), (0o400, 0o400)])
def test_a_file_that_was_there_before_is_kept_beside_for_its_owner_alone(path: Path, before: int, after: int) -> None:
    path.write_text(EDITED, encoding="utf-8")
    path.chmod(before)
    assert publish(path, NEW, (), private=False).edited_copy == copy_of(EDITED, path)
    copy = path.with_name(copy_of(EDITED, path))
    assert (copy.read_text(encoding="utf-8"), mode(copy), mode(path)) == (EDITED, after, after)


def test_an_edited_file_keeps_the_mode_that_its_owner_gave_it_and_its_copy_is_the_owners(path: Path) -> None:
    publish(path, OURS, (), private=False)
    path.write_text(EDITED, encoding="utf-8")
    path.chmod(0o644)
    copy = path.with_name(copy_of(EDITED, path))
    assert publish(path, NEW, {digest(OURS)}, private=False).edited_copy == copy.name
    assert (mode(path), mode(copy)) == (0o644, 0o600)


def test_a_folder_that_is_missing_is_not_made(path: Path) -> None:
    missing = path.parent / "gone" / "CLAUDE.md"
    with pytest.raises(PublishError, match="There is no folder"):
        publish(missing, NEW, (), private=False)
    assert names(path) == []


@pytest.mark.parametrize("depth", [0, 1])
def test_a_folder_that_leads_through_a_link_is_refused(path: Path, depth: int) -> None:
    nested = path.parent / "a" / "b"
    nested.mkdir(parents=True)
    moved = [nested, nested.parent][depth]
    moved.rename(path.parent / "elsewhere")
    moved.symlink_to(path.parent / "elsewhere", target_is_directory=True)
    with pytest.raises(PublishError, match="link"):
        publish(nested / "CLAUDE.md", NEW, (), private=False)
    assert not list((path.parent / "elsewhere").rglob("CLAUDE.md"))


def test_a_path_below_a_file_is_refused(path: Path) -> None:
    path.write_text(EDITED, encoding="utf-8")
    with pytest.raises(PublishError, match="no folder"):
        publish(path / "CLAUDE.md", NEW, (), private=False)
    assert path.read_text(encoding="utf-8") == EDITED


def test_a_folder_that_everybody_may_write_to_is_refused_unless_it_is_sticky(path: Path) -> None:
    path.parent.chmod(0o777)
    with pytest.raises(PublishError, match="chmod o-w"):
        publish(path, NEW, (), private=False)
    assert names(path) == []
    path.parent.chmod(0o1777)
    assert publish(path, NEW, (), private=False).status == "written"


def test_another_users_folder_is_refused(path: Path) -> None:
    others = Path("/usr/lib")
    if os.geteuid() == 0:
        os.chown(path.parent, 12345, -1)
        others = path.parent
    before = sorted(others.iterdir())
    with pytest.raises(PublishError, match="belongs to another user"):
        publish(others / "CLAUDE.md", NEW, (), private=False)
    assert sorted(others.iterdir()) == before


def test_a_link_in_the_files_place_is_replaced_and_named(path: Path) -> None:
    target = path.with_name("AGENTS.md")
    target.write_text(EDITED, encoding="utf-8")
    path.symlink_to("AGENTS.md")
    done = publish(path, NEW, (), private=False)
    assert (done.status, done.link_target) == ("replaced a link", "AGENTS.md")
    assert (target.read_text(encoding="utf-8"), path.read_text(encoding="utf-8")) == (EDITED, NEW)
    assert names(path) == ["AGENTS.md", "CLAUDE.md"]


def saved(path: Path) -> None:
    """As editors save: a new file takes the name."""
    path.with_suffix(".tmp").write_text(EDITED, encoding="utf-8")
    path.with_suffix(".tmp").rename(path)


def written(path: Path) -> None:
    """As agents write: into the file that is there."""
    path.write_text(EDITED, encoding="utf-8")


@pytest.fixture(params=["swapped", "renamed"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With a system that can swap two names, and with one that cannot."""
    if request.param == "renamed":
        monkeypatch.setattr(publishing, "_function", lambda: None)
    return request.param


@pytest.mark.parametrize("edit", [saved, written])
@pytest.mark.parametrize("standing", [OURS, "", "other words"], ids=["ours", "nothing", "edited"])
@pytest.mark.parametrize("moment", ["write_new", "keep_edited"])
def test_an_edit_under_our_hands_is_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch, way: str, edit: Callable[[Path], None], standing: str, moment: str
) -> None:
    if standing:
        path.write_text(standing, encoding="utf-8")
    step, edits = getattr(publishing, moment), [edit]

    def edited_after(*given: object, **how: object) -> object:
        result = step(*given, **how)
        if edits:
            edits.pop()(path)
        return result

    monkeypatch.setattr(publishing, moment, edited_after)
    done = publish(path, NEW, {digest(OURS)}, private=False)
    assert path.read_text(encoding="utf-8") == NEW
    assert copy_of(EDITED, path) in (done.edited_copy or "")
    assert path.with_name(copy_of(EDITED, path)).read_text(encoding="utf-8") == EDITED
    assert not [name for name in names(path) if "memory-assets-new" in name]


def test_a_file_removed_under_our_hands_is_written_anew(path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    path.write_text(OURS, encoding="utf-8")
    step = publishing.write_new

    def removed_after(*given: object) -> None:
        step(*given)
        path.unlink(missing_ok=True)

    monkeypatch.setattr(publishing, "write_new", removed_after)
    assert publish(path, NEW, {digest(OURS)}, private=False).status == "written"
    assert (names(path), path.read_text(encoding="utf-8")) == (["CLAUDE.md"], NEW)


def test_who_changes_it_again_and_again_keeps_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "_function", lambda: None)
    step, turns = publishing.write_new, []

    def edited_after(*given: object) -> None:
        step(*given)
        turns.append(1)
        path.write_text(f"turn {len(turns)}", encoding="utf-8")

    monkeypatch.setattr(publishing, "write_new", edited_after)
    with pytest.raises(PublishError, match="again and again"):
        publish(path, NEW, (), private=False)
    assert path.read_text(encoding="utf-8") == f"turn {publishing.ATTEMPTS}"
    assert publishing.new_name(path.name) not in names(path)


def test_a_folder_put_in_the_files_place_under_our_hands_stays(
    path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    path.write_text(OURS, encoding="utf-8")
    step = publishing.write_new

    def turned_after(*given: object) -> None:
        step(*given)
        path.unlink()
        path.mkdir()
        (path / "precious").touch()

    monkeypatch.setattr(publishing, "write_new", turned_after)
    with pytest.raises(PublishError, match="is a folder"):
        publish(path, NEW, {digest(OURS)}, private=False)
    assert (path / "precious").exists()


def test_where_a_file_has_one_name_its_copy_is_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    path.write_text(EDITED, encoding="utf-8")
    path.chmod(0o640)
    monkeypatch.setattr(os, "link", refusing)
    assert publish(path, NEW, (), private=False).edited_copy == copy_of(EDITED, path)
    copy = path.with_name(copy_of(EDITED, path))
    assert (copy.read_text(encoding="utf-8"), mode(copy)) == (EDITED, 0o600)
