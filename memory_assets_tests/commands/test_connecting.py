"""An agent is connected and disconnected: its files byte for byte, its key, and what happened meanwhile."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client

from memory_assets.client.hook import key_file
from memory_assets.commands import connecting
from memory_assets.commands.connecting import HOOKS, Change, ConnectError
from memory_assets.commands.projects import project_at
from memory_assets.erasure.places import Gone, erase_owner_files
from memory_assets.erasure.searching import Finder
from memory_assets.errors import WrongUseError
from memory_assets.files.publish import PublishError
from memory_assets.graph.graph import Graph
from memory_assets.keys.issuing import find_caller, list_keys
from memory_assets.model import Agent
from memory_assets.server.host import application
from memory_assets.settings import Settings
from memory_assets_tests.server.conftest import served

pytestmark = pytest.mark.own_engine
URL = "http://127.0.0.1:4747"
BOM = b"\xef\xbb\xbf"
FILES = {
    Agent.CLAUDE_CODE: (".claude.json", ".claude/settings.json"),
    Agent.CURSOR: (".cursor/mcp.json",),
    Agent.CODEX: (".codex/config.toml", ".codex/hooks.json"),
    Agent.OPENCLAW: (".openclaw/openclaw.json",),
}
JSON_FILES = {
    "missing": None,
    "empty": b"",
    "blank": b" \n\n",
    "object": b"{}",
    "CRLF": b'{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "docs": {"url": "x"}\r\n  }\r\n}\r\n',
    "BOM": BOM + b'{"a": 1.50, "hooks": {"Stop": []}}',
    "one line": b'{"mcp":{"servers":{"docs":{"url":"x"}}},"numStartups":7}',
    "nested": b'{\n    "projects": {"/a": {"mcpServers": {"memory-assets": {}}}},\n    "mcpServers": {}\n}',
    "ours": b'{"mcpServers": {"memory-assets": {"command": "theirs"}}}',
    "no newline": '{\n\t"größe": "ü\\u00fc",\n\t"x": [1,\n 2]}'.encode(),
}
TOML_FILES = {
    "missing": None,
    "empty": b"",
    "comments": b'# mine\nmodel = "o"  # the best\n\n[mcp_servers.docs] # docs\nurl = "x"\n',
    "CRLF": b'model = "o"\r\n[mcp_servers.docs]\r\nurl = "x"\r\n',
    "BOM": BOM + b"x = 1",
    "ours": b'[mcp_servers.memory-assets]\nurl = "theirs"\n[z]\na = 1\n',
}


@pytest.fixture
def ours(tmp_path: Path) -> Settings:
    return Settings(_env_file=None, home=tmp_path / "home")


def all_of(place: Path) -> dict[str, tuple[bytes, int]]:
    """Every file of a folder with its bytes and mode, and every folder."""
    found = {}
    for path in place.rglob("*"):
        mode = stat.S_IMODE(path.lstat().st_mode)
        content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(place))] = (content, mode)
    return found


def cases() -> Iterator[tuple[Agent, str, bytes | None]]:
    for agent in Agent:
        for name, content in (TOML_FILES if agent is Agent.CODEX else JSON_FILES).items():
            yield agent, name, content


@pytest.mark.parametrize(("agent", "name", "content"), [pytest.param(*one, id=f"{one[0]}-{one[1]}") for one in cases()])
def test_undoing_gives_every_byte_back(
    graph: Graph, person: Path, ours: Settings, user: str, agent: Agent, name: str, content: bytes | None
) -> None:
    contents = dict.fromkeys(FILES[agent], content)
    if agent is Agent.CODEX and content is not None:  # the second of its files is JSON
        contents[FILES[agent][1]] = b'{"hooks": {"Stop": []}}'
    for place, there in contents.items():
        if there is not None:
            (person / place).parent.mkdir(exist_ok=True)
            (person / place).write_bytes(there)
            (person / place).chmod(0o640)
    before = all_of(person)
    changes = connecting.connect(graph, ours, user, agent, None, URL)
    assert [change.path for change in changes] == [person / place for place in FILES[agent]]
    token = key_file(ours.home, agent.value).read_text().strip()
    caller = find_caller(graph, token, ours.clock.now())
    assert (caller.user, caller.agent) == (user, agent.value)
    holder = person / FILES[agent][0]
    assert token.encode() in holder.read_bytes() and stat.S_IMODE(holder.stat().st_mode) == 0o600
    assert b"docs" not in (content or b"") or b"docs" in holder.read_bytes()
    if content is not None:
        copies = [
            path.with_name(str(change.copy)) for path, change in zip([c.path for c in changes], changes, strict=True)
        ]
        assert [copy.read_bytes() for copy in copies] == list(contents.values())
    # Again: nothing changes.
    connected = all_of(person)
    assert connecting.connect(graph, ours, user, agent, None, URL) == []
    assert connecting.preview(ours, agent, None, URL) == []
    assert all_of(person) == connected and len(list_keys(graph, user)) == 1
    # Back, and again.
    connecting.disconnect(graph, ours, agent, None)
    assert all_of(person) == before
    assert list_keys(graph, user)[0]["revoked_at"] is not None
    assert connecting.disconnect(graph, ours, agent, None) == []
    assert all_of(person) == before and connecting.connection_of(ours, agent, None) is None


def test_what_the_agents_read_is_what_they_understand(graph: Graph, person: Path, ours: Settings, user: str) -> None:
    for agent in Agent:
        connecting.connect(graph, ours, user, agent, None, URL)
    keys = {agent: key_file(ours.home, agent.value).read_text().strip() for agent in Agent}
    read = {agent: json.loads((person / FILES[agent][0]).read_text()) for agent in Agent if agent is not Agent.CODEX}

    def process(agent: Agent, *more: str) -> dict:
        own = {"MEMORY_ASSETS_HOME": str(ours.home), "MEMORY_ASSETS_ENV_FILE": os.devnull}
        words = ["-P", "-m", "memory_assets.client.bridge", *more]
        return {"command": sys.executable, "args": words, "env": {"MEMORY_ASSETS_TOKEN": keys[agent]} | own}

    assert read[Agent.CLAUDE_CODE] == {"mcpServers": {"memory-assets": {"type": "stdio"} | process(Agent.CLAUDE_CODE)}}
    cursors = process(Agent.CURSOR, "--project", "${workspaceFolder}")
    assert read[Agent.CURSOR] == {"mcpServers": {"memory-assets": cursors}}
    assert read[Agent.OPENCLAW]["mcp"]["servers"]["memory-assets"] == {
        "url": f"{URL}/mcp",
        "transport": "streamable-http",
        "headers": {"Authorization": f"Bearer {keys[Agent.OPENCLAW]}"},
    }
    assert tomllib.loads((person / ".codex" / "config.toml").read_text()) == {
        "mcp_servers": {"memory-assets": process(Agent.CODEX)}
    }
    files = {Agent.CLAUDE_CODE: ".claude/settings.json", Agent.CODEX: ".codex/hooks.json"}
    hooks = {agent: json.loads((person / file).read_text())["hooks"] for agent, file in files.items()}
    assert {agent: set(events) for agent, events in hooks.items()} == {agent: set(HOOKS[agent]) for agent in files}
    for event, (group,) in [*hooks[Agent.CLAUDE_CODE].items(), *hooks[Agent.CODEX].items()]:
        (hook,) = group["hooks"]
        assert hook["type"] == "command" and hook["timeout"] <= 10 and "mem_" not in hook["command"]
        assert f"--home {ours.home} --env-file {os.devnull}" in hook["command"]
        if event == "SessionStart":
            continue  # it would start a server (client/test_hook.py), which would outlive this test
        # The shell runs it, and it ends well where no server runs.
        done = subprocess.run(hook["command"], shell=True, input=b"{}", capture_output=True, timeout=60, cwd=person)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), event
    assert "Read" in hooks[Agent.CLAUDE_CODE]["PostToolUse"][0]["matcher"]
    assert hooks[Agent.CODEX]["PostToolUse"][0]["matcher"] == "apply_patch"
    assert "client.hook codex Stop" in hooks[Agent.CODEX]["Stop"][0]["hooks"][0]["command"]


def test_a_project_has_its_own_connection(
    graph: Graph, person: Path, ours: Settings, user: str, tmp_path: Path
) -> None:
    project = tmp_path.resolve() / "the project"
    project.mkdir()
    (person / ".claude.json").write_text(json.dumps({"projects": {str(project): {"allowedTools": []}}}, indent=2))
    before = all_of(person), all_of(project)
    connecting.connect(graph, ours, user, Agent.CLAUDE_CODE, None, URL)
    everywhere = all_of(person)
    connecting.connect(graph, ours, user, Agent.CLAUDE_CODE, project, URL)
    assert not (project / ".mcp.json").exists()
    own = json.loads((person / ".claude.json").read_text())["projects"][str(project)]
    assert own["allowedTools"] == [] and own["mcpServers"]["memory-assets"]["type"] == "http"
    command = json.loads((project / ".claude" / "settings.local.json").read_text())["hooks"]["Stop"][0]["hooks"][0]
    assert connecting.connection_name(Agent.CLAUDE_CODE, project) in command["command"]
    connecting.disconnect(graph, ours, Agent.CLAUDE_CODE, project)
    assert all_of(person) == everywhere and all_of(project) == before[1]
    connecting.disconnect(graph, ours, Agent.CLAUDE_CODE, None)
    assert all_of(person) == before[0]
    with pytest.raises(WrongUseError, match="--project"):
        connecting.connect(graph, ours, user, Agent.OPENCLAW, project, URL)


def entry_of(agent: Agent, person: Path, project: Path) -> tuple[str, dict[str, str]]:
    """The address and the headers by which an agent in a project reaches the tools."""
    if agent is Agent.CODEX:
        entry = tomllib.loads((project / ".codex" / "config.toml").read_text())["mcp_servers"]["memory-assets"]
        return entry["url"], entry["http_headers"]
    own, theirs = project / ".cursor" / "mcp.json", person / ".claude.json"
    read = json.loads((own if agent is Agent.CURSOR else theirs).read_text())
    entry = (read if agent is Agent.CURSOR else read["projects"][str(project)])["mcpServers"]["memory-assets"]
    return entry["url"], entry["headers"]


def asked(entry: tuple[str, dict[str, str]], tool: str, **arguments: object) -> str:
    """What a tool says to the client of an entry."""
    url, headers = entry

    async def run() -> str:
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            async with streamable_http_client(url, http_client=http) as streams:
                async with ClientSession(streams[0], streams[1]) as session:
                    await session.initialize()
                    result = await session.call_tool(tool, arguments)
                    assert not result.is_error, result
                    return "".join(part.text for part in result.content)

    return asyncio.run(run())


@pytest.mark.parametrize("agent", [Agent.CLAUDE_CODE, Agent.CURSOR, Agent.CODEX])
def test_what_is_remembered_in_one_project_is_offered_in_no_other(
    graph: Graph, person: Path, ours: Settings, user: str, tmp_path: Path, agent: Agent
) -> None:
    repository, other = tmp_path / "checkout", tmp_path / "der größte Garten 50%41"
    (repository / ".git").mkdir(parents=True)
    (repository / ".git" / "config").write_text('[remote "origin"]\n\turl = git@example.org:acme/harbor.git\n')
    other.mkdir()
    with served(application(graph, ours)) as url:
        entries = []
        for project in (repository, other):
            connecting.connect(graph, ours, user, agent, project, url)
            entries.append(entry_of(agent, person, project))
        assert all(value.isascii() and value.isprintable() for _, headers in entries for value in headers.values())
        names = [json.loads(asked(entry, "status"))["project"] for entry in entries]
        # The same as the agent's hooks work in.
        assert names == [project_at(str(repository)), project_at(str(other))] == ["harbor", "der-grösste-garten-50-41"]
        for (own, foreign), place in zip(permutations(entries), ("gate", "hut"), strict=True):
            words = f"In src/{place}.py the latch of the {place} is closed first."
            said = asked(own, "remember", text=words, kind="decision")
            assert '"recallable":true' in said
            question, files = f"When is the latch of the {place} closed?", [f"src/{place}.py"]
            assert words in asked(own, "recall", question=question, thorough=True)
            assert words in asked(own, "context", files=files)
            assert words not in asked(foreign, "recall", question=question, thorough=True)
            assert words not in asked(foreign, "context", files=files)
            assert words in asked(foreign, "recall", question=question, thorough=True, all_projects=True)


def test_a_key_does_not_get_into_a_repository(graph: Graph, person: Path, ours: Settings, user: str) -> None:
    (person / ".cursor").mkdir()
    (person / ".cursor" / "mcp.json").write_text("{}")
    connecting.connect(graph, ours, user, Agent.CURSOR, person, URL)
    connecting.disconnect(graph, ours, Agent.CURSOR, person)
    subprocess.run(["git", "-C", str(person), "init", "-q"], check=True)
    for agent in (Agent.CURSOR, Agent.CODEX):  # the folder of the other one is not there yet
        with pytest.raises(ConnectError, match=r"does not ignore it.*Add \.\w+/[\w.]+ to its \.gitignore"):
            connecting.connect(graph, ours, user, agent, person, URL)
        with pytest.raises(ConnectError, match="does not ignore it"):
            connecting.preview(ours, agent, person, URL)
    (person / ".gitignore").write_text(".codex/config.toml\n")
    with pytest.raises(ConnectError, match=r"could make the hooks in it.*Add \.codex/hooks\.json to its \.gitignore"):
        connecting.connect(graph, ours, user, Agent.CODEX, person, URL)
    (person / ".gitignore").write_text(".cursor/mcp.json\n.codex/\n")
    for agent in (Agent.CURSOR, Agent.CODEX):
        assert connecting.connect(graph, ours, user, agent, person, URL)
        connecting.disconnect(graph, ours, agent, person)
    subprocess.run(["git", "-C", str(person), "add", "-f", ".cursor/mcp.json"], check=True)
    with pytest.raises(ConnectError, match="version control"):
        connecting.connect(graph, ours, user, Agent.CURSOR, person, URL)
    assert len(list_keys(graph, user)) == 3


def test_what_codex_writes_into_its_own_file_stays(graph: Graph, person: Path, ours: Settings, user: str) -> None:
    connecting.connect(graph, ours, user, Agent.CODEX, None, URL)
    config = person / ".codex" / "config.toml"
    theirs = '\n[hooks.state]\n\n[hooks.state."hooks.json:stop:0:0"]\ntrusted_hash = "sha256:69"\n'
    config.write_text('model = "gpt"\n' + config.read_text() + theirs)
    changes = connecting.disconnect(graph, ours, Agent.CODEX, None)
    assert [change.what for change in changes][1] == "was changed since: only our entries were taken out"
    assert tomllib.loads(config.read_text()) == {"model": "gpt", "hooks": tomllib.loads(theirs)["hooks"]}
    assert not (person / ".codex" / "hooks.json").exists()


def test_a_stop_before_a_file_was_changed_is_undone(graph: Graph, person: Path, ours: Settings, user: str) -> None:
    (person / ".claude.json").write_text(THEIRS)
    (person / ".claude.json").chmod(0o644)
    before = all_of(person)
    connecting.connect(graph, ours, user, Agent.CLAUDE_CODE, None, URL)
    # As it is between the copy, which is another name of the same file, and the change; the second file never began.
    (copy,) = person.glob(".claude.json.edited-*")
    (person / ".claude.json").unlink()
    os.link(copy, person / ".claude.json")
    (person / ".claude" / "settings.json").unlink()
    connecting.disconnect(graph, ours, Agent.CLAUDE_CODE, None)
    assert all_of(person) == before


THEIRS = '{"a": 1, "mcpServers": {"docs": {"url": "x"}}}'


def test_what_was_changed_since_stays_and_only_our_entries_leave(
    graph: Graph, person: Path, ours: Settings, user: str
) -> None:
    (person / ".claude.json").write_text(THEIRS)
    (person / ".claude").mkdir()
    (person / ".claude" / "settings.json").write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}')
    connecting.connect(graph, ours, user, Agent.CLAUDE_CODE, None, URL)
    # Claude Code writes its file anew; somebody adds a hook beside ours, and one of their own.
    document = json.loads((person / ".claude.json").read_text())
    (person / ".claude.json").write_text(json.dumps({"numStartups": 7} | document, indent=2, sort_keys=True))
    document = json.loads((person / ".claude" / "settings.json").read_text())
    document["hooks"]["SessionStart"][0]["hooks"].append({"type": "command", "command": "date"})
    document["hooks"]["Notification"] = []
    (person / ".claude" / "settings.json").write_text(json.dumps(document))
    changes = connecting.disconnect(graph, ours, Agent.CLAUDE_CODE, None)
    assert all("only our entries" in change.what and change.copy for change in changes)
    assert json.loads((person / ".claude.json").read_text()) == json.loads(THEIRS) | {"numStartups": 7}
    assert json.loads((person / ".claude" / "settings.json").read_text()) == {
        "hooks": {
            "Stop": [{"hooks": [{"type": "command"}]}],
            "SessionStart": [{"hooks": [{"type": "command", "command": "date"}]}],
            "Notification": [],
        }
    }
    assert list_keys(graph, user)[0]["revoked_at"] is not None


def test_a_file_that_is_gone_or_broken_since_does_not_keep_the_key_alive(
    graph: Graph, person: Path, ours: Settings, user: str
) -> None:
    (person / ".claude.json").write_text(THEIRS)
    connecting.connect(graph, ours, user, Agent.CLAUDE_CODE, None, URL)
    (person / ".claude.json").write_text("{ // broken")
    (person / ".claude" / "settings.json").unlink()
    changes = connecting.disconnect(graph, ours, Agent.CLAUDE_CODE, None)
    assert "by hand" in changes[1].what and (person / ".claude.json").read_text() == "{ // broken"
    assert list_keys(graph, user)[0]["revoked_at"] is not None and not (person / ".claude").exists()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"a": 1, // mine\n}', "comments"),
        (b'{"mcpServers": []}', "mcpServers"),
        (b"\xff\xfe", "UTF-8"),
        (b"[]", "no object"),
        (None, "no regular file"),
    ],
)
def test_what_cannot_be_edited_is_left_and_no_key_is_made(
    graph: Graph, person: Path, ours: Settings, user: str, content: bytes | None, why: str
) -> None:
    (person / ".claude").mkdir()
    (person / ".claude" / "settings.json").write_text("{}")
    if content is None:
        (person / ".claude.json").mkdir()
    else:
        (person / ".claude.json").write_bytes(content)
    before = all_of(person)
    with pytest.raises(ConnectError, match=why) as refused:
        connecting.connect(graph, ours, user, Agent.CLAUDE_CODE, None, URL)
    assert ".claude.json" in str(refused.value)
    assert all_of(person) == before and list_keys(graph, user) == []


def test_a_file_that_is_read_only_is_left(graph: Graph, person: Path, ours: Settings, user: str) -> None:
    (person / ".cursor").mkdir()
    (person / ".cursor" / "mcp.json").write_text("{}")
    (person / ".cursor" / "mcp.json").chmod(0o444)
    with pytest.raises(ConnectError, match="read-only"):
        connecting.connect(graph, ours, user, Agent.CURSOR, None, URL)
    assert (person / ".cursor" / "mcp.json").read_text() == "{}" and list_keys(graph, user) == []


def test_a_folder_that_is_everybodys_undoes_what_was_done(
    graph: Graph, person: Path, ours: Settings, user: str
) -> None:
    (person / ".claude.json").write_text(THEIRS)
    (person / ".claude").mkdir()
    (person / ".claude").chmod(0o777)
    before = all_of(person)
    with pytest.raises(PublishError, match="chmod"):
        connecting.connect(graph, ours, user, Agent.CLAUDE_CODE, None, URL)
    assert all_of(person) == before
    assert all(key["revoked_at"] for key in list_keys(graph, user))


def test_a_link_stays_one(graph: Graph, person: Path, ours: Settings, user: str) -> None:
    (person / "dotfiles").mkdir()
    (person / "dotfiles" / "cursor.json").write_text(THEIRS)
    (person / ".cursor").mkdir()
    (person / ".cursor" / "mcp.json").symlink_to("../dotfiles/cursor.json")
    before = all_of(person)
    connecting.connect(graph, ours, user, Agent.CURSOR, None, URL)
    assert (person / ".cursor" / "mcp.json").is_symlink()
    assert "memory-assets" in (person / "dotfiles" / "cursor.json").read_text()
    connecting.disconnect(graph, ours, Agent.CURSOR, None)
    assert all_of(person) == before
    (person / ".cursor" / "mcp.json").unlink()
    (person / ".cursor" / "mcp.json").symlink_to("mcp.json")
    with pytest.raises(ConnectError, match="cannot be read"):
        connecting.connect(graph, ours, user, Agent.CURSOR, None, URL)


def test_another_user_or_address_takes_the_place_and_the_first_bytes_come_back(
    graph: Graph, person: Path, ours: Settings, user: str
) -> None:
    (person / ".openclaw").mkdir()
    (person / ".openclaw" / "openclaw.json").write_text(THEIRS)
    before = all_of(person)
    connecting.connect(graph, ours, user, Agent.OPENCLAW, None, URL)
    connecting.connect(graph, ours, user, Agent.OPENCLAW, None, "http://127.0.0.1:5000")
    connecting.connect(graph, ours, f"{user}-b", Agent.OPENCLAW, None, "http://127.0.0.1:5000")
    assert [bool(key["revoked_at"]) for key in list_keys(graph, user)] == [True, True]
    assert "5000" in (person / ".openclaw" / "openclaw.json").read_text()
    connecting.disconnect(graph, ours, Agent.OPENCLAW, None)
    assert all_of(person) == before
    # Where the agent starts the tools itself, these find the server.
    connecting.connect(graph, ours, user, Agent.CURSOR, None, URL)
    assert connecting.connect(graph, ours, user, Agent.CURSOR, None, "http://127.0.0.1:5000") == []


def test_a_preview_shows_what_would_be_changed_without_a_key_and_changes_nothing(
    graph: Graph, person: Path, ours: Settings, user: str
) -> None:
    (person / ".claude.json").write_text('{"apiKey": "sk-of-theirs"}')
    before = all_of(person)
    shown = connecting.preview(ours, Agent.CLAUDE_CODE, None, URL)
    assert [path for path, _ in shown] == [person / place for place in FILES[Agent.CLAUDE_CODE]]
    lines = [line for _, lines in shown for line in lines]
    assert (
        len(lines) == 1 + len(HOOKS[Agent.CLAUDE_CODE])
        and '"MEMORY_ASSETS_TOKEN": "mem_…"' in lines[0]
        and "sk-of" not in str(lines)
    )
    assert all_of(person) == before and list_keys(graph, user) == [] and not ours.home.exists()
    connecting.connect(graph, ours, user, Agent.CLAUDE_CODE, None, URL)
    token = key_file(ours.home, "claude-code").read_text().strip()
    (person / ".claude.json").write_text("{}")
    again = connecting.preview(ours, Agent.CLAUDE_CODE, None, URL)
    assert again and token not in str(again)


def test_the_key_is_in_no_file_but_two(graph: Graph, person: Path, ours: Settings, user: str) -> None:
    changes = connecting.connect(graph, ours, user, Agent.CLAUDE_CODE, None, URL)
    token = key_file(ours.home, "claude-code").read_text().strip()
    holders = [
        path
        for place in (person, ours.home)
        for path in place.rglob("*")
        if path.is_file() and token in path.read_text()
    ]
    assert holders == [person / ".claude.json", key_file(ours.home, "claude-code")]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in holders) and token not in str(changes)
    assert changes == [Change(person / place, "made") for place in FILES[Agent.CLAUDE_CODE]]


def test_what_an_agent_writes_at_this_moment_is_not_overwritten(person: Path, ours: Settings) -> None:
    (person / ".claude.json").write_text("{}")
    entries = connecting.entries_for(ours, Agent.CLAUDE_CODE, None, URL, "mem_x")[0]
    record, text, holds_key = connecting._planned(entries)
    (person / ".claude.json").write_text(THEIRS)
    with pytest.raises(ConnectError, match="somebody else"):
        connecting._carry_out(record, text, holds_key)
    assert (person / ".claude.json").read_text() == THEIRS


def test_an_owner_who_is_erased_leaves_no_key(graph: Graph, person: Path, ours: Settings, user: str) -> None:
    connecting.connect(graph, ours, user, Agent.CURSOR, None, URL)
    connecting.connect(graph, ours, f"{user}-b", Agent.CODEX, None, URL)
    gone = Gone(ours, frozenset(), Finder(frozenset()), (user,), user)
    assert erase_owner_files(gone, dry_run=True) == erase_owner_files(gone, dry_run=False) == 2
    left = {path.name for path in (ours.home / "connections").iterdir()} - {"connections.lock"}
    assert left == {"codex.json", "codex.key"}


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(st.text(max_size=5) | st.just("mcpServers"), st.dictionaries(st.text(max_size=5), st.integers())),
    st.sampled_from([None, 2, "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_any_file_comes_back(
    graph: Graph, person: Path, ours: Settings, user: str, document: dict, indent: object, line: str, mark: bool
) -> None:
    content = (BOM if mark else b"") + json.dumps(document, indent=indent).replace("\n", line).encode()
    (person / ".cursor").mkdir(exist_ok=True)
    (person / ".cursor" / "mcp.json").write_bytes(content)
    before = all_of(person)
    connecting.connect(graph, ours, user, Agent.CURSOR, None, URL)
    assert json.loads((person / ".cursor" / "mcp.json").read_bytes().decode("utf-8-sig"))["mcpServers"]["memory-assets"]
    connecting.disconnect(graph, ours, Agent.CURSOR, None)
    assert all_of(person) == before
