"""What a plan looks for: the words and phrases that only the erased had, and those that were made of it alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.clock import Clock
from memory_assets.erasure.erasing import Erasure
from memory_assets.erasure.planning import Asked, Plan, look, make_plan
from memory_assets.erasure.words import phrases_in
from memory_assets.files.publish import digest, publish
from memory_assets.graph.graph import Graph
from memory_assets.heartbeat.heartbeat_file import publish_copies
from memory_assets.memory_file.drafts import announce
from memory_assets.memory_file.user_files import add_file, remove_file
from memory_assets.runtime.instance import open_instance
from memory_assets.settings import Settings
from memory_assets_tests.support.seeds import seed_sources, source_row

pytestmark = pytest.mark.graph

ALONE = "So they came for it then, and we had no more."
SHARED = "Then it was not to be on with her at all."
MADE = "Of them no more was to come late."


def turn(text: str) -> list[dict[str, object]]:
    return [{"index": 0, "speaker": "Alex", "text": text, "at": None}]


def plan(graph: Graph, tmp_path: Path, user: str, asked: Asked) -> Plan:
    (tmp_path / "home" / "inbox" / user).mkdir(parents=True)
    return make_plan(graph, Settings(_env_file=None, home=tmp_path / "home"), asked, look(graph))


def test_phrases_that_only_the_erased_had_and_what_was_made_of_it(graph: Graph, user: str, tmp_path: Path) -> None:
    other = f"{user}-other"
    rows = [
        source_row(
            f"{user}/gone", user, turns=turn(f"The drexelquam. {ALONE} {SHARED}"), summary=f"Zorvexquil. {MADE}"
        ),
        source_row(f"{user}/stays", user, turns=turn("Something else."), summary="Yes."),
    ]
    seed_sources(graph, rows)
    seed_sources(graph, [source_row(f"{other}/of", other, turns=turn("Nothing."), summary=SHARED)])
    made = plan(graph, tmp_path, user, Asked("source", user, (f"{user}/gone",)))
    assert "drexelquam" in made.words and "zorvexquil" in {*made.words, *made.wordings}
    assert phrases_in(ALONE) | phrases_in(MADE) <= set(made.wordings)
    assert phrases_in(SHARED).isdisjoint(made.wordings), "somebody else has it, whatever made it"
    assert not any("drexelquam" in phrase for phrase in made.wordings), "the word finds it"
    made.save(tmp_path / "erasure.json")
    assert Plan.load(tmp_path / "erasure.json") == made


def test_what_the_same_owners_other_sources_say_is_no_secret(graph: Graph, user: str, tmp_path: Path) -> None:
    rows = [source_row(f"{user}/{name}", user, turns=turn(f"{name} {SHARED}")) for name in ("gone", "stays")]
    seed_sources(graph, rows)
    made = plan(graph, tmp_path, user, Asked("source", user, (f"{user}/gone",)))
    assert phrases_in(SHARED).isdisjoint(made.wordings)


def test_an_owners_files_outside_of_home_are_still_known_when_the_graph_knows_them_no_more(
    graph: Graph, user: str, tmp_path: Path
) -> None:
    settings, now = Settings(_env_file=None, home=tmp_path / "home"), Clock().now()
    seed_sources(graph, [source_row(f"{user}/one", user, turns=turn("The klyfynwem."))])
    text = "- The klyfynwem [123456789]\n"
    names = {"memory": "CLAUDE.local.md", "heartbeat": "HEARTBEAT.md"}
    for kind, name in names.items():
        for folder in (tmp_path / "as published", tmp_path / "edited"):
            folder.mkdir(exist_ok=True)
            file = add_file(graph, settings, user, folder / name, now, preset="claude-code", kind=kind)
            if kind == "memory":
                announce(graph, file, digest(text), now)
                publish(file.path, text, set(), private=False)
                file.path.with_name(f"{name}.edited-1").write_text(text)
    publish_copies(graph, user, text, now)
    for name in names.values():
        (tmp_path / "edited" / name).write_text(f"{text}- mine\n")
    made = plan(graph, tmp_path, user, Asked("owner", user))
    assert made.published == {
        str(tmp_path / folder / name): [digest(text)]
        for folder in ("as published", "edited")
        for name in names.values()
    }
    made.save(settings.home / "erasure.json")
    assert Plan.load(settings.home / "erasure.json") == made
    for path in made.published:
        assert remove_file(graph, settings, user, path, now)
    would = Erasure(graph, settings, made.asked, lambda *_: [], open_instance, inbox=True).dry_run()
    assert would["edited_files"] == [str(tmp_path / "edited" / name) for name in sorted(names.values())]
    assert (would["places"]["copies of published files"], would["places"]["the owner's files"]) == (2, 2)
