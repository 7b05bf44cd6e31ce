"""From values in the graph to a published file and back to its sources."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import dagster as dg
import pytest

from memory_assets.errors import UnknownReferenceError
from memory_assets.files import publish as publishing
from memory_assets.files.on_disk import is_as_published
from memory_assets.graph.owners import readable_owners
from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file import checks, drafts
from memory_assets.memory_file.assets import memory_draft, memory_file
from memory_assets.memory_file.drafts import inputs_fingerprint
from memory_assets.memory_file.render import references_in
from memory_assets.memory_file.reports import explain, show_files
from memory_assets.memory_file.user_files import default_of
from memory_assets.model import node_id, reference
from memory_assets.values.classify import classify_memories
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.memory_files import make_draft, show_file
from memory_assets_tests.support.partitions import add_partitions

pytestmark = pytest.mark.graph


def make(world: World) -> publishing.Published:
    """Everything from values to the published file, without Dagster."""
    classify_memories(world.graph, world.user, world.now)
    make_draft(world.graph, world.user, world.now)
    return drafts.publish_draft(world.graph, default_of(world.user, world.path), world.now)


def is_current(world: World) -> bool:
    """Whether the file follows from what is stored, and is as it was published."""
    (published,) = world.graph.read("memory_file/list_published", user_ids=[world.user]) or [None]
    draft = world.graph.read("memory_file/find_draft_fingerprint", user_id=world.user, id=node_id("draft", world.user))
    mark = inputs_fingerprint(world.graph, world.user, readable_owners(world.graph, world.user))
    return (
        published is not None
        and [row["fingerprint"] for row in draft] == [mark]
        and is_as_published(world.path, published["sha256"])
    )


def materialize(world: World, instance: dg.DagsterInstance, *assets: object) -> dg.ExecuteInProcessResult:
    add_partitions(instance, [world.user])
    return dg.materialize(
        [*(assets or (memory_draft, memory_file)), *checks.CHECKS],
        partition_key=world.user,
        resources=world.resources(),
        instance=instance,
        raise_on_error=False,
    )


def manifest_of(world: World) -> dict[str, object]:
    return world.graph.read("memory_file/find_manifest", user_id=world.user)[0]


def test_a_file_is_published_with_its_manifest(world: World) -> None:
    world.fill()
    world.add_source("jetty", 60, source_type="note")
    assert make(world).status == "written"
    text = world.path.read_text(encoding="utf-8")
    manifest = manifest_of(world)
    assert manifest["sha256"] == publishing.digest(text)
    assert manifest["current_tokens"] == count_tokens(text) <= 2000
    assert manifest["version"] == 1
    assert [line for line in text.splitlines() if line.startswith(("# ", "## "))] == [
        f"# Memory of {world.user}",
        "## Personal Preferences",
        "## Active Tasks",
        "## Key Insights",
        "## Recent Context",
    ]
    assert text.splitlines()[3].startswith("- Always answer me in metric units. [")
    listed = world.graph.read("seed/list_listed", user_id=world.user)
    entries = json.loads(manifest["entries"])
    assert [row["memory_id"] for row in listed] == [entry["memory_id"] for entry in entries]
    assert list(dict.fromkeys(entry["ref"] for entry in entries)) == references_in(text)
    assert "Ha ha" not in text


def test_a_second_run_changes_nothing(world: World) -> None:
    world.fill()
    assert not is_current(world)
    make(world)
    before, manifest = world.path.stat(), manifest_of(world)
    assert is_current(world)
    assert make_draft(world.graph, world.user, world.now) is False
    assert make(world).status == "unchanged"
    assert world.path.stat().st_mtime_ns == before.st_mtime_ns
    assert manifest_of(world) == manifest


@pytest.mark.parametrize("change", [{"said_by_owner": True}, {"turn": 4}, {"newer": True}])
def test_who_said_it_and_where_makes_the_file_stale(world: World, change: dict[str, Any]) -> None:
    world.fill()
    said, harbour = "The cello came from grandmother's attic in 1900.", world.sources[1]
    cello = world.add_statement(said, world.sources[0])
    saved = world.settings.home / "kept"
    classify_memories(world.graph, world.user, world.now, saved=saved)
    assert make_draft(world.graph, world.user, world.now)
    if change.pop("newer", False):
        world.graph.write("seed/add_statement_source", user_id=world.user, id=cello, source_id=harbour)
    else:
        world.graph.write(
            "seed/set_saying", user_id=world.user, id=cello, **{"said_by_owner": False, "turn": 0} | change
        )
    classify_memories(world.graph, world.user, world.now, saved=saved)
    assert make_draft(world.graph, world.user, world.now), "its line, or its place, is another"
    classify_memories(world.graph, world.user, world.now, saved=saved)
    assert not make_draft(world.graph, world.user, world.now)


def test_whatever_changes_makes_the_file_stale(world: World) -> None:
    world.fill()
    make(world)
    world.path.write_text("edited", encoding="utf-8")
    assert not is_current(world)
    done = make(world)
    assert done.edited_copy == f"MEMORY.md.edited-{publishing.digest('edited')[:8]}"
    assert is_current(world)
    world.add_source("something new")
    classify_memories(world.graph, world.user, world.now)
    assert not is_current(world)
    make(world)
    assert is_current(world)
    world.path.unlink()
    assert not is_current(world)


def test_a_new_text_is_a_new_version_and_a_day_on_which_nothing_passes_is_not(world: World) -> None:
    world.add_statement("The cello is old.", world.add_source("cello", 58))
    make(world)
    first = manifest_of(world)
    world.now += timedelta(days=1)
    make(world)
    second = manifest_of(world)
    assert (second["version"], second["generated_at"], second["sha256"]) == (1, first["generated_at"], first["sha256"])
    world.add_statement("A lighthouse keeper retired to Porto.", world.add_source("Porto"))
    make(world)
    assert manifest_of(world)["version"] == 2


def test_nothing_known_is_a_file_with_a_title(world: World) -> None:
    make(world)
    assert world.path.read_text(encoding="utf-8") == f"# Memory of {world.user}\n"
    assert show_file(world.graph, world.settings, world.user)["considered"] == 0


def test_show_accounts_for_everything_considered(world: World) -> None:
    world.fill()
    assert show_file(world.graph, world.settings, world.user) is None
    make(world)
    shown = show_file(world.graph, world.settings, world.user)
    text = world.path.read_text(encoding="utf-8")
    assert json.loads(json.dumps(shown)) == shown
    assert (shown["path"], shown["budget"], shown["unit"]) == (str(world.path), 2000, "tokens")
    assert shown["tokens"] == count_tokens(text)
    assert [entry["ref"] for entry in shown["entries"]] == references_in(text)
    lines = {found[0]: line for line in text.splitlines() if (found := references_in(line))}
    assert all(entry["text"] in lines[entry["ref"]] for entry in shown["entries"])
    assert shown["considered"] == len(shown["entries"]) + len(shown["left_out"]) == 63
    assert sum(row["reason"].startswith("small talk") for row in shown["left_out"]) == 12
    assert sum(section["budget"] for section in shown["sections"]) <= 2000


def test_every_entry_is_explained_down_to_a_source(world: World) -> None:
    world.fill()
    make(world)
    shown = show_file(world.graph, world.settings, world.user)
    for entry in shown["entries"]:
        found = explain(world.graph, world.user, entry["ref"])
        assert (found["ref"], found["text"]) == (entry["ref"], entry["text"])
        assert found["sources"] and all(source["path"] and source["occurred_at"] for source in found["sources"])
        assert {"retention", "uniqueness", "confidence", "frequency", "recency", "score", "tier"} <= set(found["value"])
        json.dumps(found)
    kinds = [explain(world.graph, world.user, reference(i))["sources"] for i in world.add_storyline()]
    assert [len(sources) for sources in kinds] == [12, 12]


def test_the_line_of_an_overview_says_its_title_once(world: World) -> None:
    for place, topic in enumerate(("harbour", "orchard", "violin")):
        world.add_source(topic, place)
    refs = {reference(one) for one in world.add_storyline()}
    make(world)
    entries = [entry for entry in show_file(world.graph, world.settings, world.user)["entries"] if entry["ref"] in refs]
    explained = {ref: explain(world.graph, world.user, ref)["text"] for ref in refs}
    assert set(explained.values()) == {
        "Music: Music grew from a wish into concerts at the harbour church.",
        "The cello became a weekly habit with a teacher.",
    }
    assert entries and all(explained[entry["ref"]] == entry["text"] for entry in entries)
    text = world.path.read_text(encoding="utf-8")
    assert all(f"- {entry['text']} [{entry['ref']}]" in text for entry in entries)


def test_each_statement_of_a_source_has_a_line_that_explains_it_alone(world: World) -> None:
    source = world.add_source("harbour", 57)
    said = ["The harbour froze in 1963.", "Grandmother's ladder stands in the lighthouse."]
    for text in said:
        world.add_statement(text, source)
    make(world)
    lines = world.path.read_text(encoding="utf-8").splitlines()
    refs = {}
    for text in said:
        (line,) = [line for line in lines if text in line]
        (refs[text],) = references_in(line)
        found = explain(world.graph, world.user, refs[text])
        assert found["text"] == text
        assert [(place["id"], place["excerpt"]) for place in found["sources"]] == [(source, text)]
        assert len(found["files"]) == 1
    assert len(set(refs.values())) == len(said)


def test_another_users_reference_is_unknown(world: World) -> None:
    world.fill()
    make(world)
    ref = references_in(world.path.read_text(encoding="utf-8"))[0]
    with pytest.raises(UnknownReferenceError, match="show --user"):
        explain(world.graph, "u-somebody-else", ref)
    with pytest.raises(UnknownReferenceError):
        explain(world.graph, world.user, "000000000")


def test_a_teams_source_is_in_its_members_file(world: World) -> None:
    team = f"team-{world.user}"
    world.join(team)
    source = world.add_source("rota", 55, owner=team)
    world.add_statement("The rota moved to Thursdays.", source)
    note = world.add_source("jetty", 56, owner=team, source_type="note")
    make(world)
    shown = show_file(world.graph, world.settings, world.user)
    assert {entry["section"] for entry in shown["entries"]} == {"insights", "recent"}
    found = {explain(world.graph, world.user, e["ref"])["sources"][0]["id"] for e in shown["entries"]}
    assert found == {source, note}


def test_a_draft_that_fails_a_check_never_reaches_the_file(world: World) -> None:
    world.fill()
    with dg.DagsterInstance.ephemeral() as instance:
        classify_memories(world.graph, world.user, world.now)
        good = materialize(world, instance)
        assert good.success
        judged = {evaluation.check_name for evaluation in good.get_asset_check_evaluations()}
        assert judged == {*checks.CLAIMS, "no_owner_was_held_up"}
        before = world.path.read_bytes()
        # A source of somebody else states one of this user's memories.
        foreign = world.add_source("secret", owner="u-somebody-else")
        world.add_statement(
            "Always answer me in metric units.", foreign, "task", is_instruction=True, said_by_owner=True
        )
        world.add_statement("A brand new telescope arrived.", world.add_source("news"))
        classify_memories(world.graph, world.user, world.now)
        bad = materialize(world, instance)
        assert not bad.success
        failed = [e for e in bad.get_asset_check_evaluations() if not e.passed]
        assert [e.check_name for e in failed] == ["no_foreign_sources"]
        assert "u-somebody-else" in failed[0].metadata["what_failed"].value
        assert bad.asset_materializations_for_node("memory_file") == []
        assert world.path.read_bytes() == before
        # Nor does the file's asset publish it when it is launched by itself.
        alone = dg.materialize(
            [memory_draft, memory_file],
            selection=[memory_file],
            partition_key=world.user,
            resources=world.resources(),
            instance=instance,
            raise_on_error=False,
        )
        assert not alone.success
        assert world.path.read_bytes() == before


def test_a_checked_draft_is_published_and_shown_in_the_metadata(world: World) -> None:
    world.fill()
    classify_memories(world.graph, world.user, world.now)
    with dg.DagsterInstance.ephemeral() as instance:
        done = materialize(world, instance)
        metadata = done.asset_materializations_for_node("memory_file")[0].metadata
        assert metadata["memory"].value == world.path.read_text(encoding="utf-8")
        draft = done.asset_materializations_for_node("memory_draft")[0].metadata
        assert draft["considered"].value == 63
        assert "| Personal Preferences |" in draft["sections"].value


@pytest.mark.parametrize("stop", ["before", "announced", "written", "recorded"])
def test_a_stop_at_any_step_ends_in_agreement_without_a_false_edit(world: World, stop: str) -> None:
    world.fill()
    make(world)
    world.add_statement("A lighthouse keeper retired to Porto.", world.add_source("Porto"))
    classify_memories(world.graph, world.user, world.now)
    make_draft(world.graph, world.user, world.now)
    file = default_of(world.user, world.path)
    draft = drafts.read_draft(world.graph, file)
    # The steps of publish_draft, up to the stop.
    if stop != "before":
        known = drafts.announce(world.graph, file, publishing.digest(draft.text), world.now)
        if stop != "announced":
            publishing.publish(world.path, draft.text, known)
            if stop == "recorded":
                drafts.record(world.graph, file, draft, world.now)
    # More arrives before the next run, which is stopped once more right after its announcement.
    world.add_statement("The marathon was moved to spring.", world.add_source("marathon"))
    classify_memories(world.graph, world.user, world.now)
    make_draft(world.graph, world.user, world.now)
    newer = drafts.read_draft(world.graph, file).text
    drafts.announce(world.graph, file, publishing.digest(newer), world.now)
    done = drafts.publish_draft(world.graph, default_of(world.user, world.path), world.now)
    assert done.edited_copy is None
    assert world.path.read_text(encoding="utf-8") == newer
    assert manifest_of(world)["sha256"] == publishing.digest(newer)
    assert [path.name for path in world.path.parent.iterdir()] == ["MEMORY.md"]
    assert is_current(world)


def test_what_has_come_since_the_file_was_made_says_so(world: World) -> None:
    world.fill()
    make(world)
    later = world.add_statement("The harbour opens at six from May on.", world.sources[0])
    classify_memories(world.graph, world.user, world.now)
    (shown,) = show_files(world.graph, world.settings, world.user)
    ref = next(row["ref"] for row in world.graph.read("memory_file/list_considered", user_id=world.user,
               user_ids=[world.user]) if row["memory_id"] == later)  # fmt: skip
    reasons = {row["ref"]: row["reason"] for row in shown["left_out"]}
    assert reasons[ref] == "it has come since the file was made: the next run weighs it"
