"""Several files of one user: each within its own ceiling, with a draft, checks and a manifest of its own."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.files import publish as publishing
from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file import checks, drafts
from memory_assets.memory_file.assets import memory_draft, memory_file
from memory_assets.memory_file.ceilings import PRESETS, Ceiling
from memory_assets.memory_file.drafts import changed_files
from memory_assets.memory_file.render import references_in
from memory_assets.memory_file.reports import explain, list_files, show_briefly, show_files
from memory_assets.memory_file.user_files import UserFile, add_file, back_up_foreign, remove_file, user_files
from memory_assets.values.classify import classify_memories
from memory_assets_tests.memory_file.world import TOPICS, World
from memory_assets_tests.support.memory_files import show_file
from memory_assets_tests.support.partitions import add_partitions

pytestmark = pytest.mark.graph
CEILINGS = {
    **{f"{name}.md": ceiling for name, ceiling in PRESETS.items()},
    "lines.md": Ceiling(lines=6),
    "bytes.md": Ceiling(bytes=400, tokens=5000),
    "all.md": Ceiling(tokens=300, lines=12, bytes=900, characters=700),
    "title.md": Ceiling(tokens=40),
}


def add(world: World, path: Path, ceiling: Ceiling) -> UserFile:
    return add_file(world.graph, world.settings, world.user, path, world.now, ceiling=ceiling)


def files_of(world: World) -> list[UserFile]:
    return user_files(world.graph, world.settings, world.user)


def make(world: World) -> list[publishing.Published]:
    classify_memories(world.graph, world.user, world.now)
    files = files_of(world)
    drafts.make_drafts(world.graph, world.user, files, world.now)
    return [drafts.publish_draft(world.graph, file, world.now) for file in files]


def much(world: World) -> None:
    """Far more than any preset holds, in several scripts."""
    for topic in TOPICS:
        source = world.add_source(topic, 5)
        for place in range(20):
            number = place * 12 + TOPICS.index(topic)
            world.add_statement(
                f"The {topic} of harbour master number {number} was repaired in Størholm für {number} 円, "
                f"and its {TOPICS[place % 12]} went to the museum of {topic}s, hall {place}.",
                source,
                ["insight", "task", "preference"][place % 3],
            )


def test_every_file_is_within_all_of_its_limits_and_full_of_use(world: World, tmp_path: Path) -> None:
    much(world)
    for name, ceiling in CEILINGS.items():
        preset = next((preset for preset in PRESETS if f"{preset}.md" == name), None)
        own = {"preset": preset} if preset else {"ceiling": ceiling}
        add_file(world.graph, world.settings, world.user, tmp_path / name, world.now, **own)
    assert [done.status for done in make(world)] == ["written"] * (len(CEILINGS) + 1)
    manifests = {row["path"]: row for row in world.graph.read("memory_file/find_manifest", user_id=world.user)}
    texts = {}
    for file in files_of(world):
        raw = file.path.read_bytes()
        text = texts[file.path.name] = raw.decode()
        sizes = {
            "tokens": count_tokens(text),
            "lines": len(text.splitlines()),
            "bytes": len(raw),
            "characters": len(text),
        }
        assert all(sizes[unit] <= limit for unit, limit in file.ceiling.limits.items()), file
        assert drafts.judge_draft(world.graph, file) == []
        manifest = manifests.pop(str(file.path))
        assert manifest["sha256"] == publishing.digest(text)
        assert json.loads(manifest["sizes"]) == {unit: sizes[unit] for unit in file.ceiling.limits}
        assert list(dict.fromkeys(entry["ref"] for entry in json.loads(manifest["entries"]))) == references_in(text)
        if file.preset:
            # Entries are whole, and sections keep their shares: some room may be left.
            assert max(sizes[unit] / limit for unit, limit in file.ceiling.limits.items()) > 0.5, file
    assert manifests == {}
    assert texts["memory-assets.md"] == texts["MEMORY.md"]
    assert len({texts[f"{preset}.md"] for preset in PRESETS}) == len(PRESETS)


def test_a_second_run_changes_no_file_and_another_ceiling_only_its_own(world: World, tmp_path: Path) -> None:
    world.fill()
    hermes = add(world, tmp_path / "hermes.md", PRESETS["hermes"])
    make(world)
    before = hermes.path.stat().st_mtime_ns
    assert drafts.make_drafts(world.graph, world.user, files_of(world), world.now) == [False, False]
    assert [done.status for done in make(world)] == ["unchanged", "unchanged"]
    assert hermes.path.stat().st_mtime_ns == before
    smaller = add(world, hermes.path, Ceiling(characters=400))
    # Until its draft is made anew, the old one is refused.
    with pytest.raises(drafts.DraftError, match="characters, .* over the budget of 400"):
        drafts.publish_draft(world.graph, smaller, world.now)
    assert hermes.path.stat().st_mtime_ns == before
    assert [done.status for done in make(world)] == ["unchanged", "written"]
    assert len(hermes.path.read_text(encoding="utf-8")) <= 400
    (manifest,) = [
        row for row in world.graph.read("memory_file/find_manifest", user_id=world.user) if not row["is_default"]
    ]
    assert (manifest["version"], json.loads(manifest["limits"])) == (2, {"characters": 400})


def test_show_and_explain_tell_of_each_file(world: World, tmp_path: Path) -> None:
    world.fill()
    small = add(world, tmp_path / "small.md", Ceiling(lines=60, bytes=1500))
    make(world)
    default, other = show_files(world.graph, world.settings, world.user)
    assert default == show_file(world.graph, world.settings, world.user)
    assert (default["path"], default["is_default"], default["unit"], default["budget"]) == (
        str(world.path),
        True,
        "tokens",
        2000,
    )
    assert (other["path"], other["is_default"], other["unit"], other["budget"]) == (str(small.path), False, "lines", 60)
    assert other["limits"] == [
        {"unit": "lines", "used": len(small.path.read_text().splitlines()), "limit": 60},
        {"unit": "bytes", "used": small.path.stat().st_size, "limit": 1500},
    ]
    assert default["considered"] == other["considered"] == len(other["entries"]) + len(other["left_out"])
    assert other["left_out"][0]["reason"]
    briefly = show_briefly(world.graph, world.settings, world.user, 5)
    for whole, brief in zip((default, other), briefly, strict=True):
        left_out = brief.pop("left_out")
        assert brief.pop("left_out_count") == sum(brief.pop("left_out_by_reason").values()) == len(whole["left_out"])
        assert len(left_out) == 5, "no more than asked for, however many there are"
        assert all({"ref": row["ref"], "reason": row["reason"]} in whole["left_out"] for row in left_out)
        assert all(row["text"] and row["section"] and 0 < row["value"] < 1 for row in left_out)
        assert brief == {name: value for name, value in whole.items() if name != "left_out"}
    assert [file["left_out"] for file in show_briefly(world.graph, world.settings, world.user, 0)] == [[], []]
    ref = other["entries"][0]["ref"]
    places = explain(world.graph, world.user, ref, world.settings)["files"]
    assert {place["path"] for place in places} >= {str(small.path)}
    alone = next(e["ref"] for e in default["entries"] if e["ref"] not in {e["ref"] for e in other["entries"]})
    assert [p["path"] for p in explain(world.graph, world.user, alone, world.settings)["files"]] == [str(world.path)]


def test_a_removed_file_keeps_its_bytes_and_loses_draft_and_manifest(world: World, tmp_path: Path) -> None:
    world.fill()
    small = add(world, tmp_path / "small.md", PRESETS["hermes"])
    make(world)
    text = small.path.read_text(encoding="utf-8")
    remove_file(world.graph, world.settings, world.user, small.path, world.now)
    assert small.path.read_text(encoding="utf-8") == text
    assert [row["path"] for row in world.graph.read("memory_file/list_published", user_ids=[world.user])] == [
        str(world.path)
    ]
    with pytest.raises(drafts.DraftError, match=r"small\.md has no draft"):
        drafts.read_draft(world.graph, small)
    assert [done.status for done in make(world)] == ["unchanged"]
    # Added again, what is there is somebody's: it is copied.
    add(world, small.path, PRESETS["hermes"])
    small.path.write_text(f"{text}more\n", encoding="utf-8")
    assert make(world)[1].edited_copy == f"small.md.edited-{publishing.digest(text + 'more' + chr(10))[:8]}"


def test_what_was_there_before_is_copied_when_the_file_is_added(world: World, tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("our house rules", encoding="utf-8")
    path.chmod(0o644)
    file = add(world, path, PRESETS["claude-code"])
    copy = back_up_foreign(world.graph, file)
    assert copy == f"CLAUDE.md.edited-{publishing.digest('our house rules')[:8]}"
    assert path.read_text(encoding="utf-8") == path.with_name(copy).read_text(encoding="utf-8") == "our house rules"
    world.fill()
    assert make(world)[1].edited_copy == copy
    assert path.with_name(copy).read_text(encoding="utf-8") == "our house rules"
    assert path.read_text(encoding="utf-8").startswith("# Memory of")
    assert back_up_foreign(world.graph, file) is None
    assert {stat.S_IMODE(one.stat().st_mode) for one in (path, path.with_name(copy))} == {0o600}


def test_each_file_that_somebody_changed_is_noticed(world: World, tmp_path: Path) -> None:
    world.fill()
    small = add(world, tmp_path / "small.md", PRESETS["hermes"])
    make(world)
    assert changed_files(world.graph, [world.user]) == {}
    small.path.write_text("edited", encoding="utf-8")
    assert changed_files(world.graph, [world.user]) == {world.user: [small.path]}
    world.path.unlink()
    assert changed_files(world.graph, [world.user])[world.user] == sorted([small.path, world.path])
    assert [row["state"] for row in list_files(world.graph, world.settings, world.user)] == ["gone", "edited"]
    make(world)
    assert changed_files(world.graph, [world.user]) == {}


def test_one_file_that_cannot_be_published_holds_up_no_other_and_is_named(world: World, tmp_path: Path) -> None:
    world.fill()
    folder = tmp_path / "project"
    folder.mkdir()
    lost = add(world, folder / "CLAUDE.md", PRESETS["hermes"])
    small = add(world, tmp_path / "small.md", PRESETS["hermes"])
    folder.rmdir()
    classify_memories(world.graph, world.user, world.now)
    with dg.DagsterInstance.ephemeral() as instance:
        add_partitions(instance, [world.user])

        def materialize() -> dg.ExecuteInProcessResult:
            return dg.materialize(
                [memory_draft, memory_file, *checks.CHECKS],
                partition_key=world.user, resources=world.resources(), instance=instance, raise_on_error=False,
            )  # fmt: skip

        failed = materialize()
        assert not failed.success
        error = failed.failure_data_for_node("memory_file").error.cause.message
        assert f"There is no folder {folder}" in error and f"Published: {world.path}, {small.path}." in error
        assert not folder.exists()
        assert world.path.exists() and small.path.exists()
        judged = failed.get_asset_check_evaluations()
        assert {e.metadata["files"].value for e in judged if e.check_name in checks.CLAIMS} == {3}
        remove_file(world.graph, world.settings, world.user, lost.path, world.now)
        done = materialize()
    assert done.success
    shown = done.asset_materializations_for_node("memory_file")[0].metadata
    assert shown["memory"].value == world.path.read_text(encoding="utf-8")
    assert shown[f"memory of {small.path}"].value == small.path.read_text(encoding="utf-8")
    assert "of 2200 characters" in shown["files"].value
