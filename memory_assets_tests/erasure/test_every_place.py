"""Words, and sentences of common words alone, in every place of a house on a service's models: none is left of an
erased owner, team or source, and all of the others'.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from dagster._core.scheduler.instigation import InstigatorType, TickData, TickStatus

from memory_assets.automation.alerts.alert import Alert
from memory_assets.automation.alerts.outbox import Outbox
from memory_assets.client.hook import FAILURES_FILE
from memory_assets.commands import connecting, correcting
from memory_assets.commands.context import context_for
from memory_assets.context.policy import Asked
from memory_assets.graph.graph import open_graph
from memory_assets.model import Agent
from memory_assets.privacy.projects import Within
from memory_assets.runtime.accesses import Access, AccessLog
from memory_assets.runtime.instance import open_instance
from memory_assets.sessions.working_memory import Sessions
from memory_assets.settings import Settings
from memory_assets_tests.erasure.planting import Garden, bytes_of, found_by_place
from memory_assets_tests.support.installation import NOW, Installation, installation, write_conversation
from memory_assets_tests.support.protocol_server import ProtocolServer

pytestmark = [pytest.mark.own_engine, pytest.mark.slow]

EARLIER, RESTED, CARRIED_OUT = "2026-06-20T12:00:00Z", "2026-11-18T12:00:00Z", "2026-11-19T12:00:00Z"
NORA, OMAR, HARBOR = Garden("nora"), Garden("omar"), Garden("team")
STAYS = "kelp for the lighthouse"
KINDS = {
    "Agent", "AgentKey", "Analysis", "Belief", "CompressedContext", "Concept", "Consolidation", "CurationAudit",
    "CurationCycleSummary", "Decision", "DuplicatePair", "Entity", "FileMigration", "FileVersion", "HeartbeatTask",
    "KnowledgeChunk", "Macro", "MemoryDraft", "MemoryEntry", "Note", "Notification", "Person", "Relationship",
    "Source", "SourceFile", "Storyline", "Task",
}  # fmt: skip


def write_slack(folder: Path, garden: Garden, place: str) -> None:
    """An export with names of a person and a channel, a thread with its subject, and a channel's day."""
    friend, channel = garden.word(place), garden.word(place).lower()
    (folder / channel).mkdir(parents=True)
    (folder / "users.json").write_text(json.dumps([{"id": "U1", "name": friend, "real_name": f"{friend} Ray"}]))
    (folder / "channels.json").write_text(json.dumps([{"id": "C1", "name": channel}]))
    texts = [f"{garden.word(place)} subject?", garden.said(place), garden.said(place)]
    messages = [
        {"type": "message", "user": "U1", "ts": f"17911908{at:02d}.000100", "text": text}
        for at, text in enumerate(texts)
    ]
    for one in messages[:2]:
        one["thread_ts"] = "1791190800.000100"
    (folder / channel / "2026-10-05.json").write_text(json.dumps(messages))


def write_story(folder: Path, garden: Garden, place: str) -> None:
    """An anchor of which five sources speak in May, and five in October: two storylines and a macro."""
    anchor = f"{garden.word(place)} Lighthouse"
    for month, other in (("05", "June"), ("10", "December")):
        for day in range(1, 6):
            lines = [
                f"We spoke of the {anchor} again. {garden.said(place)}",
                f"I will paint the {anchor} on {day} {other}. They like the {anchor} very much.",
            ]
            write_conversation(
                folder / f"{place}-{month}-{day}.jsonl",
                f"{anchor}-{month}-{day}",
                f"2026-{month}-{day * 2:02d}",
                [("user", "Field", line) for line in lines],
            )


def write_records(path: Path, garden: Garden, place: str) -> None:
    """Records of an agent: the same twice, nearly the same, a long archived one, and what has expired."""
    agent, twin, other = garden.word(place), garden.said(place), garden.said(place)
    long = " ".join(f"{garden.said(place)} It has {number} parts." for number in range(30))
    lines: list[dict[str, Any]] = [
        {"record": "belief", "id": "one", "at": "2026-06-01T09:00:00Z", "text": twin, "confidence": 0.5},
        {"record": "belief", "id": "two", "at": "2026-06-02T09:00:00Z", "text": twin, "confidence": 0.5},
        {"record": "belief", "id": "three", "at": "2026-06-03T09:00:00Z", "text": other, "confidence": 0.5},
        {"record": "belief", "id": "four", "at": "2026-06-04T09:00:00Z", "text": f"So {other[0].lower()}{other[1:]}"},
        {"record": "analysis", "id": "five", "at": "2026-06-04T09:00:00Z", "text": long, "state": "archived"},
        {"record": "notification", "id": "six", "at": "2026-06-05T09:00:00Z", "text": garden.said(place)},
        {
            "record": "task",
            "id": "seven",
            "at": "2026-06-05T09:00:00Z",
            "text": garden.said(place),
            "status": "completed",
        },
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(line | {"agent": agent}) for line in lines))


def write_dispute(folder: Path, garden: Garden, place: str) -> None:
    """A claim and its denial."""
    thing = garden.word(place)
    for day, said in ((1, f"I am allergic to {thing} nuts."), (2, f"I am not allergic to {thing} nuts.")):
        write_conversation(
            folder / f"{place}-{day}.jsonl", f"{thing}-{day}", f"2026-10-0{day}", [("user", "Field", said)]
        )


def at(house: Installation, now: str) -> Installation:
    return dataclasses.replace(house, variables=(*house.variables, ("MEMORY_ASSETS_NOW", now)))


def change_file(path: Path, *, add: str, change: str = "", to: str = "") -> None:
    """A line more, and a line with ``change`` otherwise."""
    text = path.read_text(encoding="utf-8")
    lines = [f"- {to}" if change and change in line else line for line in text.split("\n")]
    assert not change or f"- {to}" in lines, text
    path.write_text("\n".join([*lines, f"- {add}", ""]), encoding="utf-8")


def plant_in_dagster(house: Installation, user: str, garden: Garden) -> None:
    """What a source says, in a tick's cursor and reason, a run's tag, an alert and the log of accesses, too."""
    word, *phrases = garden.by_place["slack"][2:5]
    said = f"{word} {' '.join(phrases)}"
    settings = Settings(_env_file=None, home=house.home)
    now = datetime(2026, 11, 20, 12, tzinfo=UTC)
    with open_instance(settings) as instance:
        instance.add_run_tags(instance.get_runs(limit=1)[0].run_id, {f"note-{user}": said})
        instance.create_tick(
            TickData(
                user, user, InstigatorType.SENSOR, TickStatus.SKIPPED, now.timestamp(),
                cursor=json.dumps({"at": said}), skip_reason=said, selector_id=user,
            )
        )  # fmt: skip
    with closing(Outbox(settings.alerts_file, ["log"])) as outbox:
        alert = Alert(f"a-{user}", "run", "error", said, (said,), (user,), (), (), None, None, None, NOW)
        outbox.take(f"f-{user}", now, [alert], now)
    AccessLog(settings.accesses_file(user)).append([Access(user, "nothing", now, agent=word, session=said)])


def plant_of_agents(house: Installation, user: str, garden: Garden, folder: Path) -> None:
    """What agents leave: what they remember and hold against it, a session and what it was given, a key, an event that
    reached no server, a connection, and a project that all of it is of.
    """
    place, settings = "agents", Settings(_env_file=None, home=house.home, now=NOW)
    agent, project, session = (garden.word(place).lower() for _ in range(3))
    said = [f"The {garden.word(place)} boiler needs 12 parts. {garden.plain(place)}" for _ in range(3)]
    given = ("--user", user, "--agent", agent, "--project", project)
    first = house.json("remember", said[0], *given)["ref"]
    house.run("correct", first, "--text", said[1], "--reason", garden.said(place), "--user", user, "--agent", agent)
    second = house.json("remember", said[2], *given)["ref"]
    house.run("tokens", "add", *given)
    repository = folder / f"{user}-{garden.word(place).lower()}"
    repository.mkdir()
    with closing(open_graph(settings)) as graph:
        correcting.doubt(graph, settings, user, [second], agent)
        connecting.connect(graph, settings, user, Agent.CODEX, repository, "http://127.0.0.1:1")
        turns = [{"role": "user", "content": garden.said(place), "at": NOW} for _ in range(2)]
        Sessions.of(settings).add(user, session, turns, agent, followed=4096, project=project)
        for number in range(80):  # so many that some have left, and a state is beside the file
            turn = {"role": "assistant", "content": f"{number}. {said[0]}", "at": NOW}
            Sessions.of(settings).add(user, session, [turn], agent, project=project)
        asked = Asked(query=said[2], session=session, within=Within(project))
        assert context_for(graph, settings, user, asked, agent=agent)["entries"]
    reason = f"The key of {agent} is for the project {project} alone."
    missed = {"at": NOW, "agent": agent, "event": "prompt", "reason": reason}
    file = house.home / FAILURES_FILE
    file.parent.mkdir(exist_ok=True)
    with file.open("a") as lines:
        lines.write(json.dumps(missed) + "\n")


def plant(house: Installation, user: str, garden: Garden, folder: Path) -> None:
    """What is in the sources' files of an owner."""
    inbox = house.home / "inbox" / user
    write_slack(inbox / "slack", garden, "slack")
    if user == "nora":
        write_story(inbox, garden, "storylines")
        write_dispute(inbox, garden, "contradictions")
    write_records(inbox / "records.jsonl", garden, "records")
    (inbox / f"{garden.word('file set aside').lower()}.eml").write_bytes(bytes(range(256)) * 8)
    names = [f"{garden.word('names')} Ray", f"{garden.word('names')} Lee"]
    lines = [
        ("user", name, f"I met {name}. We like {name} in {garden.word('names')}. They saw {name}.") for name in names
    ]
    write_conversation(inbox / "names.jsonl", f"{user}-names", "2026-10-03", lines)
    tasks = [
        {
            "id": garden.word("tasks").lower(),
            "task_name": garden.said("tasks"),
            "schedule": "every 2 hours",
            "definition": garden.said("tasks"),
        }
        for _ in range(2)
    ]
    (folder / f"{user}.yaml").write_text(json.dumps(tasks))
    if user == "nora":
        (folder / f"{user}-MEMORY.md").write_text(
            f"# Memory\n\n- {garden.said('migration')}\n- {garden.said('migration')}\n"
        )


def keep_tasks_and_edit(house: Installation, user: str, garden: Garden, folder: Path) -> None:
    """Tasks, one of which fails and one of which is written by hand, and a line of one's own in the file."""
    house.run("heartbeat", "add", folder / f"{user}.yaml", "--user", user)
    house.run("heartbeat", "failed", garden.by_place["tasks"][0], "--user", user, "--reason", garden.said("tasks"))
    change_file(house.home / "files" / user / "HEARTBEAT.md", add=f"Every day: {garden.said('tasks')}")
    change_file(house.memory_file(user), add=garden.said("edits"))


def decide_and_curate(house: Installation, user: str, garden: Garden, folder: Path) -> None:
    """A file that moves in, a line changed, a contradiction and names decided, records curated, memories recalled."""
    house.run("migrate", folder / f"{user}-MEMORY.md", "--user", user)
    edited = next(word for word in garden.by_place["edits"] if " " not in word).capitalize()
    change_file(house.memory_file(user), add=garden.said("edits"), change=edited, to=garden.said("edits"))
    house.run("materialize", "--user", user)
    dispute = next(one for one in house.json("contradictions", "--user", user) if "allergic" in one["one"])
    house.run(
        "contradictions", "resolve", dispute["id"], "merged", "--text", garden.said("contradictions"), "--user", user
    )  # fmt: skip
    first, second = (word.capitalize() for word in garden.by_place["names"][:2])
    house.run("names", "merge", f"{first} Ray", f"{second} Lee", "--user", user)
    house.run("curate", "--user", user)
    house.run("recall", garden.by_place["slack"][0], "--user", user, "--all-projects")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("places")
    variables = {"MEMORY_ASSETS_LLM": "openai", "MEMORY_ASSETS_EMBEDDER": "openai", "OPENAI_API_KEY": "sk-none"}
    with (
        ProtocolServer() as server,
        installation(folder / "home", OPENAI_BASE_URL=server.base_url, **variables) as house,
    ):
        for user, garden in (("nora", NORA), ("omar", OMAR)):
            plant(house, user, garden, folder)
        team = house.home / "inbox" / "team-harbor"
        write_slack(team / "slack", HARBOR, "team")
        write_conversation(team / "talk.jsonl", "talk", "2026-10-08", [("user", "Field", HARBOR.said("team"))])
        write_conversation(
            team / "kelp.jsonl", "kelp", "2026-10-09", [("user", "Field", f"I always buy {STAYS} on Fridays.")]
        )
        at(house, EARLIER).run("team", "add", "harbor", "nora", "omar")
        at(house, EARLIER).run("materialize", "--with-team")
        at(house, RESTED).run("consolidate", "--user", "nora")
        at(house, CARRIED_OUT).run("consolidate", "--user", "nora", "--carry-out")
        for user, garden in (("nora", NORA), ("omar", OMAR)):
            keep_tasks_and_edit(house, user, garden, folder)
        decide_and_curate(house, "nora", NORA, folder)
        house.run("materialize", "--with-team")
        for user, garden in (("nora", NORA), ("omar", OMAR)):
            plant_of_agents(house, user, garden, folder)
            plant_in_dagster(house, user, garden)
        yield house


def assert_all_there(house: Installation, *gardens: Garden) -> None:
    for garden in gardens:
        wanted = {place: sorted(needles) for place, needles in garden.by_place.items()}
        assert found_by_place(house.home, garden.by_place) == wanted


def test_words_are_planted_in_every_place(house: Installation) -> None:
    assert_all_there(house, NORA, OMAR, HARBOR)
    query = "MATCH (n {user_id: 'nora'}) UNWIND labels(n) AS label RETURN DISTINCT label"
    assert {row["label"] for row in house.json("graph", "query", query)} >= KINDS


def erase(house: Installation, *words: str) -> None:
    done = house.json("erase", *words, "--inbox")
    assert done["found"] == {} and done["words"] > 0 and done["phrases"] > 0


def test_a_team_goes_and_what_its_members_have_of_it(house: Installation) -> None:
    assert STAYS.encode() in b"".join(bytes_of(house.home))
    erase(house, "--owner", "team-harbor")
    assert found_by_place(house.home, HARBOR.by_place, inbox=True) == {}
    assert STAYS.encode() not in b"".join(bytes_of(house.home, inbox=True))
    assert_all_there(house, NORA, OMAR)


def test_sources_go_with_their_phrases(house: Installation) -> None:
    gone = ("slack", "records")
    of = [
        row["id"] for row in house.json("sources", "--user", "nora") if any(one in (row["path"] or "") for one in gone)
    ]
    erase(house, *(word for identifier in of for word in ("--source", identifier)), "--owner", "nora")
    assert found_by_place(house.home, NORA.of(*gone), inbox=True) == {}
    for place in gone:
        del NORA.by_place[place]
    assert_all_there(house, NORA, OMAR)


def test_an_owner_goes_from_every_place(house: Installation) -> None:
    erase(house, "--owner", "nora")
    assert found_by_place(house.home, NORA.by_place, inbox=True) == {}
    # Of a graph that others use, too, owners who are called alike stay ("nora-u-…").
    named = [path for path in house.home.rglob("*nora*") if not re.search("nora-u-", str(path.relative_to(house.home)))]
    assert [path for path in named if path.is_file()] == []
    assert_all_there(house, OMAR)
