"""The file of a session: one line for each thing that happened, on the disk before its caller goes on.

``HOME/sessions/<owner>/<session>.jsonl`` is the truth and only ever grows. A line is whole or nothing: what a kill left
half-written is cut off before the next one. ``<session>.state`` says what the first so many bytes come to, so that
nobody reads a long session from its beginning; it follows from the file, and is made again where it is missing. One
writer at a time holds ``<session>.lock``; readers need none. No file stays open.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from memory_assets.errors import MemoryAssetsError, WrongUseError
from memory_assets.files import publish
from memory_assets.files.on_disk import replace_cache
from memory_assets.model import check_user, fingerprint
from memory_assets.sessions import policy
from memory_assets.sessions.policy import Node, Passage, Sentence, SessionRules, Turn, WorkingMemory

LOG, STATE, LOCK = ".jsonl", ".state", ".lock"
PATIENCE_SECONDS = 30
STATE_BEHIND = 1 << 16
"""Bytes after which a state is written although nothing has left."""
_VERSION = 4
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,119}")
_ID_DIGITS = 16

Line = dict[str, Any]


class SessionError(MemoryAssetsError):
    """A session that cannot be used so; says what to do."""


class InputError(SessionError, WrongUseError):
    """What was given can be no session's name, no agent's, or no turn."""


class SessionBusyError(SessionError):
    """Somebody else has been writing the session for long."""

    retryable = True


def check_name(name: str, what: str = "a session") -> str:
    """A session's or an agent's name that can be a file's, or a :class:`InputError`."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name[:130]!r} cannot be the name of {what}: 1 to 120 letters, digits and _ . -, the first of them "
            "no dot or dash."
        )
    return name


def name_for(identifier: str) -> str:
    """The name of the session of any caller's id: itself where it can be a file's, else one that follows from it. An
    empty id is nobody's, and names none.
    """
    return identifier if not identifier or _NAME.fullmatch(identifier) else f"id-{fingerprint(identifier)}"


def log_path(home: Path, owner: str, session: str) -> Path:
    """Where a session's file lies; raises for names that are none."""
    return home / "sessions" / check_user(owner) / f"{check_name(session)}{LOG}"


@dataclass
class Session:
    """A session as its file says, up to ``size`` bytes of it.

    ``offsets`` says where the line with each turn of the working memory begins, ``ids`` are digests of all turns' own
    ids, one after another.
    """

    memory: WorkingMemory
    size: int
    offsets: dict[int, int]
    ids: str

    def has(self, turn_id: str) -> bool:
        """Whether a turn with this id of its own was added."""
        return _digest(turn_id) in self.ids

    def apply(self, line: Line, offset: int, rules: SessionRules) -> None:
        """What one line says."""
        if turns := _turns_of(line):
            projects = tuple(dict.fromkeys((*self.memory.projects, line.get("project"))))
            self.memory = replace(policy.with_turns(self.memory, turns), projects=projects)
            self.offsets |= {turn.number: offset for turn in turns}
            self.ids += "".join(_digest(turn.id) for turn in turns if turn.id is not None)
        if recalled := line.get("recalled"):
            self.memory = policy.with_passages(self.memory, [Passage(**one) for one in recalled], rules)
        if used := line.get("used"):
            self.memory = policy.with_used(self.memory, used)
        injected = () if line.get("compacted") else self.memory.injected
        injected = tuple(dict.fromkeys((*injected, *line.get("injected", ()))))
        self.memory = replace(
            self.memory,
            injected=injected,
            agent=line.get("agent") or self.memory.agent,
            ended_at=line.get("ended", self.memory.ended_at),
            followed=line.get("followed", self.memory.followed),
        )
        if "left" in line:
            self.move(line["left"], rules)

    def move(self, left: int, rules: SessionRules) -> None:
        """The pointer moves; what left whole episodes ago is only in the file."""
        self.memory = policy.evicted(self.memory, left, rules)
        first = self.memory.waiting[0].number if self.memory.waiting else self.memory.left
        self.offsets = {number: at for number, at in self.offsets.items() if number >= first}


def read(path: Path, rules: SessionRules) -> Session | None:
    """The session in a file; None where there is no whole line of one."""
    try:
        with _opened(path) as file:
            found = _read_state(path, file, rules) or Session(WorkingMemory(), 0, {}, "")
            file.seek(found.size)
            for offset, line in _lines(file):
                if not offset and line.get("session") != path.stem:
                    raise SessionError(f"{path} is the file of the session {line.get('session')!r}.")
                found.apply(line, offset, rules)
                found.memory = policy.trimmed(found.memory, rules)
                found.size = file.tell()
            return found if found.size else None
    except FileNotFoundError:
        return None


def turns_in(path: Path) -> Iterator[Turn]:
    """Every turn of a session, in order, as it was added."""
    return (turn for _, turn in turns_by_project(path))


def turns_by_project(path: Path) -> Iterator[tuple[str | None, Turn]]:
    """Every turn of a session, in order, each behind the project in which it was added; None: in none."""
    return ((line.get("project"), turn) for line in _lines_in(path) for turn in _turns_of(line))


def logs_of(home: Path, owner: str) -> list[Path]:
    """The files of an owner's sessions."""
    return sorted((home / "sessions" / owner).glob(f"*{LOG}"))


def has_passages(path: Path) -> bool:
    """Whether passages were recalled for a session."""
    return any(line.get("recalled") for line in _lines_in(path))


def projects_in(path: Path) -> set[str]:
    """The projects that a session is of."""
    return {line["project"] for line in _lines_in(path) if line.get("project")}


def rewrite(path: Path, turns: Mapping[int, Turn], projects: Mapping[str, str | None]) -> None:
    """Write the file anew with these turns in the place of those of their numbers, these projects in the place of those
    of their names, and without recalled passages.
    """
    with _alone(path):
        data = b"".join(_encoded(_with(line, turns, projects)) for line in _lines_in(path))
        path.with_suffix(STATE).unlink(missing_ok=True)
        put(path, data)


def remove(path: Path) -> None:
    """A session goes, with all files beside its own."""
    with _alone(path):
        for suffix in (LOG, STATE, LOCK):
            path.with_suffix(suffix).unlink(missing_ok=True)


def put(file: Path, data: bytes) -> None:
    """A whole file in one step, for its owner alone, on the disk when this returns."""
    with publish.write_errors_of(file), publish.open_folder(file.parent) as folder:
        publish.write_new(folder, file.name, data)
        os.rename(publish.new_name(file.name), file.name, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)


@contextmanager
def writing(
    path: Path, rules: SessionRules, patience: float = PATIENCE_SECONDS
) -> Iterator[tuple[Session, Callable[[Line], None]]]:
    """The session, and what appends a line to it: durable when that returns, or not there at all.

    Raises :class:`SessionBusyError` where somebody else writes it for longer than ``patience``, in seconds.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(path, patience):
        session = read(path, rules) or Session(WorkingMemory(), 0, {}, "")
        yield session, lambda line: _append(path, session, line, rules)


@contextmanager
def _alone(path: Path, patience: float = PATIENCE_SECONDS) -> Iterator[None]:
    lock = FileLock(path.with_suffix(LOCK), timeout=patience, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        raise SessionBusyError(f"The session {path.stem} is being written by somebody else; try again.") from None
    try:
        yield
    finally:
        lock.release()


def _with(line: Line, turns: Mapping[int, Turn], projects: Mapping[str, str | None]) -> Line:
    said = [_said(turns.get(turn.number, turn)) for turn in _turns_of(line)]
    rest = {name: value for name, value in line.items() if name not in ("recalled", "used", "turns")}
    if (project := rest.get("project")) is not None:
        rest["project"] = projects.get(project, project)
    return rest | ({"turns": said} if said else {})


def _said(turn: Turn) -> Line:
    """A turn as a line has it."""
    return {name: value for name, value in vars(turn).items() if value is not None and name not in ("number", "agent")}


def _encoded(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


def _append(path: Path, session: Session, line: Line, rules: SessionRules) -> None:
    before, is_new = session.size, not session.size
    if is_new:
        line = {"session": path.stem} | line
    left = session.memory.left
    session.apply(line, before, rules)
    if (going := policy.decide_left(session.memory, rules)) > left:
        line = {**line, "left": going}
        session.move(going, rules)
    session.memory = policy.trimmed(session.memory, rules)
    data = _encoded(line)
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        os.ftruncate(descriptor, before)  # what a kill has left half-written
        os.lseek(descriptor, before, os.SEEK_SET)
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, before)
            raise
    finally:
        os.close(descriptor)
    if is_new:
        _sync_folders(path.parent)
    session.size = before + len(data)
    if going > left or session.size // STATE_BEHIND > before // STATE_BEHIND:
        _write_state(path, session)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _sync_folders(folder: Path) -> None:
    """A new file's name is on the disk, and that of its folder."""
    for place in (folder, folder.parent):
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _opened(path: Path) -> Any:
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")


def _lines_in(path: Path) -> Iterator[Line]:
    with _opened(path) as file:
        for _, line in _lines(file):
            yield line


def _lines(file: Any) -> Iterator[tuple[int, Line]]:
    """The whole lines from where the file is, each with where it begins; what was half-written at the end is none."""
    offset = file.tell()
    broken = None
    while raw := file.readline():
        if broken is not None:
            raise SessionError(f"{file.name} is damaged at byte {broken}: put it back from a copy, or move it away.")
        try:
            line = json.loads(raw.decode("utf-8", "surrogatepass")) if raw.endswith(b"\n") else None
        except ValueError:
            line = None
        if isinstance(line, dict):
            yield offset, line
        else:
            broken = offset
        offset += len(raw)


def _turns_of(line: Mapping[str, Any]) -> list[Turn]:
    first, agent = line.get("first", 0), line.get("agent", "")
    return [Turn(number=first + at, agent=agent, **said) for at, said in enumerate(line.get("turns", ()))]


def _digest(turn_id: str) -> str:
    return fingerprint(turn_id)[:_ID_DIGITS]


def _write_state(path: Path, session: Session) -> None:
    memory = session.memory
    state: dict[str, Any] = {"version": _VERSION, "session": path.stem, "size": session.size, "ids": session.ids}
    state |= {"offset": min(session.offsets.values(), default=session.size), "waiting": len(memory.waiting)}
    state["memory"] = asdict(replace(memory, turns=(), waiting=()))  # which are in the file
    data = json.dumps(state, ensure_ascii=False).encode("utf-8", "surrogatepass")
    with suppress(OSError):  # it follows from the file
        replace_cache(path.with_suffix(STATE), lambda file: file.write(data))


def _read_state(path: Path, file: Any, rules: SessionRules) -> Session | None:
    """The session by its stored state, with its turns from the file; None where there is none to be used."""
    try:
        with _opened(path.with_suffix(STATE)) as stored:
            state = json.loads(stored.read().decode("utf-8", "surrogatepass"))
        if state["version"] != _VERSION or state["session"] != path.stem:
            return None
        if state["size"] > os.fstat(file.fileno()).st_size:
            return None
        known = state["memory"]
        first = known["left"] - state["waiting"]
        file.seek(state["offset"])
        turns: list[Turn] = []
        offsets: dict[int, int] = {}
        for offset, line in _lines(file):
            if offset >= state["size"]:
                break
            for turn in _turns_of(line):
                if turn.number >= first:
                    turns.append(turn)
                    offsets[turn.number] = offset
        nodes = (Node(one["level"], tuple(Sentence(**said) for said in one["sentences"])) for one in known["nodes"])
        known |= {"nodes": tuple(nodes), "recalled": tuple(Passage(**one) for one in known["recalled"])}
        known |= {"injected": tuple(known["injected"]), "projects": tuple(known["projects"])}
        known |= {"waiting": tuple(turns[: state["waiting"]]), "turns": tuple(turns[state["waiting"] :])}
        return Session(WorkingMemory(**known), state["size"], offsets, state["ids"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
