"""A user's list of files: what can be added, what cannot and why, and that a path has one owner."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.errors import MemoryAssetsError, WrongUseError
from memory_assets.graph.owners import find_stage
from memory_assets.memory_file.ceilings import PRESETS, Ceiling
from memory_assets.memory_file.user_files import (
    FILES_STAGE,
    HEARTBEAT,
    UserFile,
    UserFileError,
    add_file,
    added_files,
    chosen_ceiling,
    default_file,
    remove_file,
    resolve_path,
    user_files,
)
from memory_assets_tests.memory_file.world import World


def add(world: World, path: Path | str, **how: object) -> UserFile:
    return add_file(world.graph, world.settings, world.user, path, world.now, **how)


def files_of(world: World) -> list[UserFile]:
    return user_files(world.graph, world.settings, world.user)


@pytest.mark.graph
def test_a_user_has_one_file_without_adding_it(world: World) -> None:
    (file,) = files_of(world)
    assert (file.path, file.ceiling, file.preset, file.is_default) == (
        world.path, Ceiling(tokens=2000), "memory-assets", True,
    )  # fmt: skip


@pytest.mark.graph
@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_a_preset_gives_its_ceiling(world: World, tmp_path: Path, preset: str) -> None:
    added = add(world, tmp_path / "CLAUDE.md", preset=preset)
    assert (added.ceiling, added.preset, added.is_default) == (PRESETS[preset], preset, False)
    assert files_of(world) == [default_file(world.settings, world.user), added]


@pytest.mark.graph
def test_the_same_again_changes_nothing_and_another_ceiling_changes_the_mark(world: World, tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    first = add(world, path, ceiling=Ceiling(lines=20, bytes=900))
    mark = find_stage(world.graph, world.user, FILES_STAGE)
    assert mark
    assert add(world, path, ceiling=Ceiling(lines=20, bytes=900)) == first
    assert find_stage(world.graph, world.user, FILES_STAGE) == mark
    second = add(world, path, ceiling=Ceiling(characters=500))
    assert files_of(world)[1:] == [second]
    assert second.ceiling.limits == {"characters": 500}
    assert find_stage(world.graph, world.user, FILES_STAGE) != mark


@pytest.mark.graph
def test_a_file_removed_is_no_more_and_its_bytes_stay(world: World, tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("words", encoding="utf-8")
    add(world, path, preset="hermes")
    assert remove_file(world.graph, world.settings, world.user, path, world.now) is True
    assert remove_file(world.graph, world.settings, world.user, path, world.now) is False
    assert files_of(world) == [default_file(world.settings, world.user)]
    assert path.read_text(encoding="utf-8") == "words"


@pytest.mark.graph
def test_a_path_has_one_owner(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "alias").symlink_to(folder, target_is_directory=True)
    add(world, folder / "MEMORY.md")
    other = World(world.graph, f"{world.user}-b", world.settings)
    with pytest.raises(UserFileError, match="another user") as refused:
        add(other, tmp_path / "alias" / "MEMORY.md")
    assert world.user not in str(refused.value).replace(str(tmp_path), "")
    assert files_of(other) == [default_file(other.settings, other.user)]
    # Once it is nobody's any more, it can be another's.
    remove_file(world.graph, world.settings, world.user, folder / "MEMORY.md", world.now)
    assert add(other, folder / "MEMORY.md").user == other.user


@pytest.mark.graph
def test_the_default_file_cannot_be_added_with_another_ceiling(world: World) -> None:
    assert add(world, world.path, preset="memory-assets") == default_file(world.settings, world.user)
    with pytest.raises(UserFileError, match="has anyway"):
        add(world, world.path, preset="codex")
    with pytest.raises(UserFileError, match="has anyway"):
        add(world, world.settings.heartbeat_file(world.user))
    assert len(files_of(world)) == 1


@pytest.mark.graph
@pytest.mark.parametrize("place", ["MEMORY.md", "inbox/MEMORY.md", "files/somebody-else/MEMORY.md", "graph/x/y.md"])
def test_the_installations_own_folders_are_refused(world: World, place: str) -> None:
    with pytest.raises(UserFileError, match="keeps its own"):
        add(world, world.settings.home / place)


@pytest.mark.graph
def test_a_place_where_nothing_can_be_published_is_refused_at_once(world: World, tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    (tmp_path / "folder.md").mkdir()
    for place, says in (
        ("gone/MEMORY.md", "There is no folder"),
        ("open/MEMORY.md", "chmod o-w"),
        ("CLAUDE.md", "a link to AGENTS.md"),
        ("folder.md", "is a folder"),
    ):
        with pytest.raises(MemoryAssetsError, match=says):
            add(world, tmp_path / place)
    assert len(files_of(world)) == 1


@pytest.mark.graph
def test_a_second_file_can_be_beside_the_default(world: World) -> None:
    assert add(world, world.path.with_name("CLAUDE.md"), preset="claude-code") in files_of(world)


@pytest.mark.graph
def test_a_heartbeat_file_is_of_its_own_kind(world: World, tmp_path: Path) -> None:
    added = add(world, tmp_path / "HEARTBEAT.md", ceiling=Ceiling(tokens=500), kind=HEARTBEAT)
    assert len(files_of(world)) == 1
    assert added_files(world.graph, world.settings, world.user) == [added] and added not in files_of(world)


@pytest.mark.graph
def test_a_ceiling_below_the_title_is_refused(world: World, tmp_path: Path) -> None:
    with pytest.raises(UserFileError, match="cannot even hold its title"):
        add(world, tmp_path / "MEMORY.md", ceiling=Ceiling(lines=10, characters=8))


@pytest.mark.parametrize(
    "path", ["", ".", "..", "/tmp/", "/tmp/.", "/tmp/x/..", "/tmp/\udcff.md", "/tmp/a\nb.md", "/tmp/\0"]
)
def test_what_names_no_file_is_refused(path: str) -> None:
    with pytest.raises(UserFileError):
        resolve_path(path)


def test_a_relative_path_is_made_absolute_and_its_folders_links_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path / "dotfiles"
    real.mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".claude").symlink_to(real, target_is_directory=True)
    (real / "CLAUDE.md").symlink_to(real / "elsewhere.md")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "home")
    expected = real.resolve() / "CLAUDE.md"
    assert resolve_path(".claude/CLAUDE.md") == expected
    assert resolve_path("~/.claude/CLAUDE.md") == expected
    assert resolve_path("../home/.claude/../dotfiles/CLAUDE.md") == expected


@pytest.mark.parametrize(
    ("preset", "ceiling", "says"),
    [("no-such", None, "claude-code"), ("codex", Ceiling(tokens=9), "not both")],
)
def test_a_ceiling_that_is_none_says_what_there_is(preset: str, ceiling: Ceiling | None, says: str) -> None:
    with pytest.raises(WrongUseError, match=says):
        chosen_ceiling(preset, ceiling)


@pytest.mark.parametrize(
    ("preset", "limits"),
    [
        ("memory-assets", {"tokens": 2000}),
        ("claude-code", {"lines": 200, "bytes": 25_000}),
        ("openclaw", {"characters": 10_000}),
        ("hermes", {"characters": 2_200}),
        ("codex", {"tokens": 5_000}),
    ],
)
def test_each_preset_is_what_its_agent_loads(preset: str, limits: dict[str, int]) -> None:
    assert PRESETS[preset].limits == limits


def test_a_ceiling_measures_every_unit_and_says_what_is_over() -> None:
    ceiling = Ceiling(tokens=3, lines=2, bytes=10, characters=8)
    text = "häuser\nund\nrest"
    assert ceiling.measure(text, lambda value: len(value.split())) == {
        "tokens": 3, "lines": 3, "bytes": 16, "characters": 15,
    }  # fmt: skip
    assert ceiling.exceeded(text, lambda value: len(value.split())) == {"lines": 1, "bytes": 6, "characters": 7}
    assert ceiling.measure("", len)["lines"] == 0
    with pytest.raises(ValueError, match="at least one limit"):
        Ceiling()
    with pytest.raises(ValueError, match="at least one limit"):
        Ceiling(tokens=0)
