"""Connecting an agent: a key of its own, and the entries in its configuration by which it reaches the server.

The agent's files are its user's own. What stood in them is beside each as ``NAME.edited-DIGEST``, they are replaced in
one step, and what was done is on the disk before it is done (``HOME/connections``), so that it can be undone after a
stop at any point.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from filelock import FileLock

from memory_assets.client.hook import KEYS_FOLDER, key_file, stored_key
from memory_assets.client.transport import project_header
from memory_assets.errors import MemoryAssetsError, UnknownReferenceError, WrongUseError
from memory_assets.files.publish import digest, publish
from memory_assets.graph.graph import Graph
from memory_assets.keys.issuing import add_key, find_caller, revoke_keys
from memory_assets.keys.policy import KeyRefusedError, Scope
from memory_assets.model import Agent
from memory_assets.sessions.log import put
from memory_assets.settings import Settings, env_file
from memory_assets.text.configuration import ConfigurationError, Json, with_table, without_table

ENTRY = "memory-assets"
"""What the server is called in an agent's configuration."""
HIDDEN = "mem_…"
DAYS = 365
CURSORS_FOLDER = "${workspaceFolder}"
"""What Cursor puts the folder of a window in."""
HOOK_SECONDS = 5
"""When the agent ends a hook; it ends by itself long before."""
TOOLS = "Read|Edit|MultiEdit|Write|NotebookEdit|Bash"
HOOKS: dict[Agent, dict[str, str | None]] = {
    Agent.CLAUDE_CODE: {
        "SessionStart": None,
        "UserPromptSubmit": None,
        "PostToolUse": TOOLS,
        "PostToolUseFailure": None,
        "Stop": None,
        "PreCompact": None,
        "SessionEnd": None,
        "CwdChanged": None,
    },
    # It has no event of a command that failed, and of files those of patches alone.
    Agent.CODEX: {
        "SessionStart": None,
        "UserPromptSubmit": None,
        "PostToolUse": "apply_patch",
        "Stop": None,
        "PreCompact": None,
        "SessionEnd": None,
    },
}
"""The events of each agent that are sent to the server, and after which tools."""


class ConnectError(MemoryAssetsError):
    """An agent's configuration cannot be changed; nothing of it was."""


@dataclass(frozen=True)
class Entries:
    """What a file gets: values at paths, and elements of lists at paths; ``token`` is the key in one of them."""

    path: Path
    values: tuple[tuple[tuple[str, ...], Any], ...]
    elements: tuple[tuple[tuple[str, ...], Any], ...] = ()
    token: str = ""
    is_of_machine: bool = False
    """What it gets is of use on this machine alone, where others may have the file, too."""

    @property
    def is_toml(self) -> bool:
        """In which of the two formats it is written."""
        return self.path.suffix == ".toml"

    def described(self) -> Iterator[str]:
        """Each change as a line, without the key."""
        for path, value in self.values:
            line = f"{'.'.join(path)} = {json.dumps(value, ensure_ascii=False)}"
            yield line.replace(self.token, HIDDEN) if self.token else line
        for path, value in self.elements:
            yield f"{'.'.join(path)} += {json.dumps(value, ensure_ascii=False)}"

    def put_into(self, text: str) -> str:
        """The file's text with the entries."""
        if self.is_toml:
            for (parent, name), value in self.values:
                text = with_table(text, (parent, name), value)
            return text
        document = Json(text)
        for path, value in self.values:
            document = document.put(path, value)
        for path, value in self.elements:
            if value not in (document.at(path) or ()):
                document = document.append(path, value)
        return document.text


@dataclass
class FileRecord:
    """What was done to a file: its digests before (None: there was none) and after, and what is ours in it."""

    path: str
    before: str | None
    after: str
    mode: int | None
    folders: list[str]
    values: list[list[str]]
    elements: list[list[Any]]
    made: list[list[str]]
    """The objects and lists that were made for the entries."""


@dataclass
class Connection:
    """An agent's connection as it is on the disk; its key is in a file of its own."""

    agent: str
    user: str
    project: str | None
    key_id: str
    url: str
    files: list[FileRecord] = field(default_factory=list)


@dataclass(frozen=True)
class Change:
    """What became of a file; ``copy`` is where its former bytes are."""

    path: Path
    what: str
    copy: str | None = None


def connection_name(agent: Agent, project: Path | None) -> str:
    """By what a connection's files in HOME are called: an agent has one for all its projects, and one for each."""
    return agent.value if project is None else f"{agent.value}-{hashlib.sha256(str(project).encode()).hexdigest()[:12]}"


def connection_of(settings: Settings, agent: Agent, project: Path | None) -> Connection | None:
    """An agent's connection, if it has one: whose memory, and which files were changed."""
    return _load(settings, connection_name(agent, project))


def entries_for(settings: Settings, agent: Agent, project: Path | None, url: str, token: str) -> list[Entries]:
    """What an agent's files get, in its own form.

    The entry of one project says which it is. One for all of them starts the tools as a process, which knows in which
    folder the agent works. OpenClaw works in no folder.
    """
    home, environ, server = Path.home(), os.environ, {"url": f"{url}/mcp"}
    headers = {"Authorization": f"Bearer {token}"} | (project_header(str(project)) if project else {})
    if agent is Agent.CURSOR:
        path = (project or home) / ".cursor" / "mcp.json"
        # It starts a process in the home folder, and says the folder in which it works in the words of the command.
        entry = server | {"headers": headers} if project else _process(settings, token, "--project", CURSORS_FOLDER)
        return [Entries(path, ((("mcpServers", ENTRY), entry),), token=token)]
    if agent is Agent.CODEX:
        folder = project / ".codex" if project else Path(environ.get("CODEX_HOME") or home / ".codex")
        entry = server | {"http_headers": headers} if project else _process(settings, token)
        tools = Entries(folder / "config.toml", ((("mcp_servers", ENTRY), entry),), token=token)
        return [
            tools,
            Entries(folder / "hooks.json", (), _hooks(settings, agent, project), is_of_machine=project is not None),
        ]
    if agent is Agent.OPENCLAW:
        if project is not None:
            raise WrongUseError("OpenClaw has one configuration for all projects: leave --project out.")
        path = Path(environ.get("OPENCLAW_CONFIG_PATH") or home / ".openclaw" / "openclaw.json")
        entry = server | {"transport": "streamable-http", "headers": headers}
        return [Entries(path, ((("mcp", "servers", ENTRY), entry),), token=token)]
    given = environ.get("CLAUDE_CONFIG_DIR")
    own = Path(given) if given else home / ".claude"
    # A project's servers that are its user's alone go into the user's file: .mcp.json is committed.
    within = ("projects", str(project)) if project else ()
    entry = server | {"headers": headers} if project else _process(settings, token)
    servers = (((*within, "mcpServers", ENTRY), {"type": "http" if project else "stdio"} | entry),)
    hooks = _hooks(settings, agent, project)
    return [
        Entries((own if given else home) / ".claude.json", servers, token=token),
        Entries(project / ".claude" / "settings.local.json" if project else own / "settings.json", (), hooks),
    ]


def _process(settings: Settings, token: str, *more: str) -> dict[str, Any]:
    """The tools over standard streams (:mod:`~memory_assets.client.bridge`), with the settings of this installation."""
    words = ["-P", "-m", "memory_assets.client.bridge", *more]
    home = os.path.abspath(settings.home)
    environment = {"MEMORY_ASSETS_TOKEN": token, "MEMORY_ASSETS_HOME": home, "MEMORY_ASSETS_ENV_FILE": env_file()}
    return {"command": sys.executable, "args": words, "env": environment}


def _hooks(settings: Settings, agent: Agent, project: Path | None) -> tuple[tuple[tuple[str, ...], Any], ...]:
    """The commands that hand an agent's events on, each at its place in the agent's configuration."""
    found = []
    for event, tools in HOOKS[agent].items():
        words = [sys.executable, "-P", "-m", "memory_assets.client.hook", agent.value, event]
        words += ["--home", str(settings.home), "--env-file", env_file()]
        if project is not None:
            words += ["--connection", connection_name(agent, project)]
        hooks = [{"type": "command", "command": shlex.join(words), "timeout": HOOK_SECONDS}]
        entry = {"hooks": hooks} if tools is None else {"matcher": tools, "hooks": hooks}
        found.append((("hooks", event), entry))
    return tuple(found)


def preview(settings: Settings, agent: Agent, project: Path | None, url: str) -> list[tuple[Path, list[str]]]:
    """What connecting would change in which file, the key hidden. Raises what it would raise; changes nothing."""
    name = connection_name(agent, project)
    found = []
    for entries in entries_for(settings, agent, project, url, stored_key(key_file(settings.home, name)) or HIDDEN):
        text = _read(entries.path)[1]
        _refuse_versioned(entries, project)
        if _edited(entries, text) != text:
            found.append((entries.path, list(entries.described())))
    return found


def connect(graph: Graph, settings: Settings, user: str, agent: Agent, project: Path | None, url: str) -> list[Change]:
    """Give an agent its key and its entries; no change where it has them. A former connection is undone first.

    Raises :class:`ConnectError` with nothing changed, neither in files nor among keys.
    """
    with _alone(settings):
        name, now = connection_name(agent, project), settings.clock.now()
        former = _load(settings, name)
        token = stored_key(key_file(settings.home, name))
        if former is not None:
            if token and _lets_in(graph, token, user, now) and not preview(settings, agent, project, url):
                return []
        for entries in entries_for(settings, agent, project, url, HIDDEN):
            _edited(entries, _read(entries.path)[1])
            _refuse_versioned(entries, project)
        if former is not None:
            _undo(graph, settings, name, former)
        key_id, token = add_key(graph, user, agent.value, [Scope.READ, Scope.WRITE], now, now + timedelta(days=DAYS))
        connection = Connection(agent.value, user, str(project) if project else None, key_id, url)
        plans = [_planned(entries) for entries in entries_for(settings, agent, project, url, token)]
        connection.files = [record for record, _, _ in plans if record.before != record.after]
        put(key_file(settings.home, name), f"{token}\n".encode())
        put(_record_file(settings, name), f"{json.dumps(asdict(connection), indent=2)}\n".encode())
        try:
            return [
                _carry_out(record, text, holds_key) for record, text, holds_key in plans if record in connection.files
            ]
        except BaseException:
            _undo(graph, settings, name, connection)
            raise


def disconnect(graph: Graph, settings: Settings, agent: Agent, project: Path | None) -> list[Change]:
    """Give an agent's files back as they were and revoke its key. Where somebody has changed a file since, only our
    entries leave it.
    """
    with _alone(settings):
        name = connection_name(agent, project)
        connection = _load(settings, name)
        return [] if connection is None else _undo(graph, settings, name, connection)


def _planned(entries: Entries) -> tuple[FileRecord, str, bool]:
    real, text, mode = _read(entries.path)
    edited = _edited(entries, text)
    made = [] if entries.is_toml else _missing(Json(text), entries)
    folders = [str(folder) for folder in (real.parent, *real.parent.parents) if not folder.exists()]
    values = [list(path) for path, _ in entries.values]
    elements = [[list(path), value] for path, value in entries.elements]
    before = None if mode is None else digest(text)
    record = FileRecord(str(real), before, digest(edited), mode, folders, values, elements, made)
    return record, edited, bool(entries.token)


def _missing(document: Json, entries: Entries) -> list[list[str]]:
    parents = {path[:depth] for path, _ in entries.values for depth in range(1, len(path))}
    parents |= {path[:depth] for path, _ in entries.elements for depth in range(1, len(path) + 1)}
    return [list(path) for path in sorted(parents, key=len, reverse=True) if not document.has(path)]


def _carry_out(record: FileRecord, text: str, holds_key: bool) -> Change:
    real = Path(record.path)
    _, there, mode = _read(real)
    if (None if mode is None else digest(there)) != record.before:  # an agent at work writes its file, too
        raise ConnectError(f"{real} was changed at this moment by somebody else. Nothing was connected: try again.")
    for folder in reversed(record.folders):
        Path(folder).mkdir(mode=0o700, exist_ok=True)
    published = publish(real, text, (), private=False)
    if record.mode is not None and not holds_key:
        real.chmod(record.mode)
    return Change(real, "made" if record.before is None else "changed", published.edited_copy)


def _undo(graph: Graph, settings: Settings, name: str, connection: Connection) -> list[Change]:
    changes = [_put_back(record) for record in reversed(connection.files)]
    with suppress(UnknownReferenceError):  # erased with its user
        revoke_keys(graph, connection.user, connection.key_id, settings.clock.now())
    key_file(settings.home, name).unlink(missing_ok=True)
    _record_file(settings, name).unlink(missing_ok=True)
    return changes


def _put_back(record: FileRecord) -> Change:
    real = Path(record.path)
    try:
        content = real.read_bytes()
        text = content.decode()
    except FileNotFoundError:
        _remove_folders(record)
        return Change(real, "is not there any more" if record.before else "as it was")
    except (OSError, UnicodeDecodeError) as error:
        return Change(real, f"left as it is ({error}): take {ENTRY} out by hand")
    found = hashlib.sha256(content).hexdigest()
    copy = _copy_of(record)
    if found == record.after and record.before is None:
        real.unlink()
        _remove_folders(record)
        return Change(real, "removed: there was none before")
    if found == record.before or (found == record.after and copy is not None):
        if copy is not None:
            publish(real, copy.read_bytes().decode(), {record.after}, private=False)
            copy.unlink()
        real.chmod(record.mode or 0o600)  # closed where a stop came between the copy and the change
        return Change(real, "as it was")
    try:
        left = _without_entries(record, text)
    except ConfigurationError as error:
        return Change(real, f"left as it is, since it {error}: take {ENTRY} out by hand")
    if left != text:
        publish(real, left, {found}, private=False)
    return Change(real, "was changed since: only our entries were taken out", copy.name if copy else None)


def _without_entries(record: FileRecord, text: str) -> str:
    if record.path.endswith(".toml"):
        for parent, name in record.values:
            text = without_table(text, (parent, name))
        return text
    document = Json(text)
    for path in record.values:
        if document.has(path):
            document = document.remove(path)
    for path, ours in record.elements:
        document = _without_hooks(document, path, [hook["command"] for hook in ours["hooks"]])
    for path in record.made:
        if document.at(path) in ({}, []):
            document = document.remove(path)
    return document.text


def _without_hooks(document: Json, path: list[str], commands: list[str]) -> Json:
    """Without the hooks that run one of the commands, also where somebody has put others beside them."""
    groups = document.at(path)
    for number in reversed(range(len(groups) if isinstance(groups, list) else 0)):
        hooks = groups[number].get("hooks") if isinstance(groups[number], dict) else None
        ours = [
            place
            for place, hook in enumerate(hooks if isinstance(hooks, list) else ())
            if isinstance(hook, dict) and hook.get("command") in commands
        ]
        if ours and len(ours) == len(hooks or ()):
            document = document.remove([*path, number])
            continue
        for place in reversed(ours):
            document = document.remove([*path, number, "hooks", place])
    return document


def _copy_of(record: FileRecord) -> Path | None:
    """The copy of a file's former bytes, by the name that it was given when it was published."""
    for length in (8, 64):
        copy = Path(f"{record.path}.edited-{(record.before or '')[:length]}")
        with suppress(OSError):
            if hashlib.sha256(copy.read_bytes()).hexdigest() == record.before:
                return copy
    return None


def _remove_folders(record: FileRecord) -> None:
    for folder in record.folders:
        with suppress(OSError):  # somebody has put something there
            Path(folder).rmdir()


def _read(path: Path) -> tuple[Path, str, int | None]:
    """A file behind its links, its text, and its mode; no text and None where there is none."""
    try:
        real = path.resolve()
        found = real.lstat()
        if not stat.S_ISREG(found.st_mode):
            raise ConnectError(f"{path} is no regular file. Move it away, and connect again.")
        if not found.st_mode & stat.S_IWUSR:
            raise ConnectError(f"{path} may not be changed: it is read-only. Make it writable, and connect again.")
        return real, real.read_bytes().decode(), stat.S_IMODE(found.st_mode)
    except FileNotFoundError:
        return real, "", None
    except UnicodeDecodeError:
        raise ConnectError(f"{path} is no UTF-8 text, so it is left as it is.") from None
    except (OSError, RuntimeError) as error:  # links in a circle are a RuntimeError
        raise ConnectError(f"{path} cannot be read ({error}).") from None


def _edited(entries: Entries, text: str) -> str:
    try:
        return entries.put_into(text)
    except ConfigurationError as error:
        wanted = "\n".join(f"  {line}" for line in entries.described())
        raise ConnectError(
            f"{entries.path} {error}. It is left as it is. Mend it and connect again, or add by hand, with a key of "
            f"`memory-assets tokens add`:\n{wanted}"
        ) from None


def _refuse_versioned(entries: Entries, project: Path | None) -> None:
    """A key in a file that a repository has, or gets with the next commit, would be everybody's who has that; so would
    hooks that call this machine's programs.
    """
    if not entries.token and not entries.is_of_machine:
        return
    what = "the key in it" if entries.token else "the hooks in it, which call programs of this machine,"
    is_of_project = project is not None and entries.path.is_relative_to(project)
    for path in {entries.path, entries.path.resolve()}:
        if path.is_file() and _git(path, "ls-files", "--error-unmatch") == 0:
            way_out = "Connect without --project, or take" if project else "Take"
            raise ConnectError(
                f"{path} is under version control, and {what} would be everybody's who has it. "
                f"{way_out} the file out of the repository."
            )
        if is_of_project and _git(path, "check-ignore", "-q") == 1:
            raise ConnectError(
                f"{path} is in a repository that does not ignore it: the next commit could make {what} "
                f"everybody's. Add {path.relative_to(path.parent.parent)} to its .gitignore or .git/info/exclude, or "
                "connect without --project."
            )


def _git(path: Path, *words: str) -> int | None:
    """How a question about a file ends, of the repository that it is or would be in; None where there is no git."""
    folder = next(place for place in path.parents if place.is_dir())
    with suppress(OSError):
        asked = ["git", "-C", str(folder), *words, "--", str(path.relative_to(folder))]
        return subprocess.run(asked, capture_output=True, check=False).returncode
    return None


def _lets_in(graph: Graph, token: str, user: str, now: datetime) -> bool:
    try:
        return find_caller(graph, token, now).user == user
    except KeyRefusedError:
        return False


def _record_file(settings: Settings, name: str) -> Path:
    return settings.home / KEYS_FOLDER / f"{name}.json"


def _load(settings: Settings, name: str) -> Connection | None:
    path = _record_file(settings, name)
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return Connection(**stored | {"files": [FileRecord(**one) for one in stored["files"]]})
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ConnectError(
            f"{path} cannot be read ({error}): it says what to undo. Move it away to begin anew."
        ) from None


@contextmanager
def _alone(settings: Settings) -> Iterator[None]:
    """Hold the lock of all connections."""
    folder = settings.home / KEYS_FOLDER
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with FileLock(folder / "connections.lock"):
        yield
