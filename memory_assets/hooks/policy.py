"""What an event of an agent is, what is done about it, and how the answer looks. Pure (interface for agents, hook)."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath
from typing import Any

from memory_assets.clock import END_OF_TIME, in_utc
from memory_assets.errors import WrongUseError
from memory_assets.text.content import content_words, weighed
from memory_assets.text.lines import clean_text, files_of_patch, shortened
from memory_assets.text.words import SENTENCE_END

AGENTS = frozenset({"claude-code", "codex"})
"""Whose events are understood; others have the tools."""
PATCH = "apply_patch"
FILE_TOOLS = frozenset({"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", PATCH})
CHANGING_TOOLS = FILE_TOOLS - {"Read"}
COMMAND_TOOLS = frozenset({"Bash", "PowerShell"})
LONGEST = 4_000
"""Characters of a prompt or an error that the memory is asked with."""
SHOWN = 300
"""Characters of what was going on before a compaction, each."""
MOST_FILES = 8
MOST_KEPT = 5
"""Decisions and open tasks, each."""
PASSAGE = 600
"""Characters within which an assistant says a memory."""
WHERE_IT_WAS = "## Where it was"
MOST_CITED = 1_000
"""References in one reading of a transcript."""
COMMAND = "memory-assets"
"""Who runs it asks the memory, or tells it something: a reference in that is no use of the memory."""
_REFERENCE = re.compile(r"(?<!\w)\d{9}(?!\w)", re.ASCII)
_CALL = re.compile(r"^\[(?P<tool>\w+): (?P<path>[^\]\n]+)\]$", re.MULTILINE)
_FAILED = re.compile(r"^\[.{1,60} failed: .+\]$", re.MULTILINE)


@dataclass(frozen=True)
class EchoRules:
    """From when on a memory is in what an assistant says, in the rarity of words (0 for "the", 6 for an unheard-of
    one): a false citation is worse than a missed one.
    """

    fewest_words: int = 3
    rare: float = 2.0
    """So rare is a word that is distinctive."""
    least_worth: float = 7.0
    """Of the distinctive words that are said of a memory, together."""
    least_share: float = 0.75
    """Of the worth of all its distinctive words that nobody else has said."""
    same_share: float = 0.8
    """Two memories of which one has so many of the other's words are forms of one: a record and its statement."""


RULES = EchoRules()


@dataclass(frozen=True)
class Shown:
    """A memory that was shown: its text, and since when."""

    text: str
    at: datetime


class HookError(WrongUseError):
    """An event that cannot be read."""


class Action(StrEnum):
    """What is done about an event."""

    OPEN = "open"
    """A conversation begins: what to know before anything is asked."""
    RESUME = "resume"
    """The agent's context was emptied: where it was, then what to know."""
    PROMPT = "prompt"
    FILE = "file"
    ERROR = "error"
    FOLLOW = "follow"
    """The transcript's new lines go to the session."""
    END = "end"
    """The same, and the session becomes a source."""
    PREFETCH = "prefetch"
    """What will be asked for next is looked for already; nothing is given."""
    NOTHING = "nothing"


@dataclass(frozen=True)
class Limit:
    """The most that is injected: tokens, and entries (0: as many as fit)."""

    tokens: int
    entries: int = 0


LIMITS = {
    Action.OPEN: Limit(2_000),
    Action.RESUME: Limit(2_000),
    Action.PROMPT: Limit(1_500),
    Action.FILE: Limit(400, 3),
    Action.ERROR: Limit(600, 5),
}
MOST_CHARACTERS = 10_000
"""Claude Code shows no more of a hook's answer."""


@dataclass(frozen=True)
class Event:
    """One event of an agent; what it doesn't say is ""."""

    name: str
    action: Action
    session: str
    folder: str = ""
    prompt: str = ""
    file: str = ""
    error: str = ""
    transcript: str = ""


def read_event(agent: str, name: str, payload: Mapping[str, Any]) -> Event:
    """The event of an agent's own JSON. Raises :class:`HookError` for an unknown agent, or without a session."""
    if agent not in AGENTS:
        raise HookError(f"The events of {agent[:64]!r} are not known: hooks are for {', '.join(sorted(AGENTS))}.")
    session = _text(payload, "session_id")
    if not session:
        raise HookError("The event has no session_id.")
    tool_input = payload.get("tool_input")
    given = tool_input if isinstance(tool_input, Mapping) else {}
    file = _text(given, "file_path") or _text(given, "notebook_path") or _text(payload, "file_path")
    if payload.get("tool_name") == PATCH:
        file = next(iter(files_of_patch(_text(given, "command"))), "")
    error = _error_of(payload)
    action, transcript = _action_of(name, payload, file, error), _text(payload, "transcript_path")
    folder, prompt = _text(payload, "new_cwd") or _text(payload, "cwd"), _text(payload, "prompt")[:LONGEST]
    return Event(name, action, session, folder, prompt, _relative(file, folder), error[:LONGEST], transcript)


def _action_of(name: str, payload: Mapping[str, Any], file: str, error: str) -> Action:
    match name:
        case "SessionStart":
            return Action.RESUME if _text(payload, "source") in ("compact", "clear") else Action.OPEN
        case "UserPromptSubmit":
            return Action.PROMPT if _text(payload, "prompt").strip() else Action.NOTHING
        case "PostToolUseFailure":
            return Action.ERROR if error.strip() else Action.NOTHING
        case "PostToolUse" if _text(payload, "tool_name") in FILE_TOOLS and file:
            return Action.FILE
        case "PostToolUse" if _text(payload, "tool_name") in COMMAND_TOOLS and error.strip():
            return Action.ERROR
        case "Stop" | "PreCompact":
            return Action.FOLLOW
        case "SessionEnd":
            return Action.END
        case "CwdChanged":
            return Action.PREFETCH
        case "FileChanged" if file:
            return Action.PREFETCH
    return Action.NOTHING


def _error_of(payload: Mapping[str, Any]) -> str:
    """What went wrong: the error of a failed tool, or what a command that failed wrote."""
    if payload.get("is_interrupt") is True:  # a person has stopped it
        return ""
    if error := _text(payload, "error"):
        return error
    given = payload.get("tool_response")
    response = given if isinstance(given, Mapping) else {}
    failed = response.get("is_error") is True or any(response.get(key) for key in ("exit_code", "exitCode"))
    return (_text(response, "stderr") or _text(response, "stdout")) if failed else ""


def _relative(file: str, folder: str) -> str:
    """A file as people speak of it: by its path in the agent's folder where it is in there."""
    path, root = PurePath(file), PurePath(folder)
    return str(path.relative_to(root)) if file and folder and path.is_relative_to(root) else file


def _text(of: Mapping[str, Any], name: str) -> str:
    value = of.get(name)
    return value if isinstance(value, str) else ""


@dataclass(frozen=True)
class Was:
    """One thing of what was going on; ``ref``: of the memory that it is."""

    name: str
    text: str
    ref: str = ""

    @property
    def line(self) -> str:
        """The line of the text."""
        return f"- {self.name}: {shortened(self.text, SHOWN)}" + (f" [{self.ref}]" if self.ref else "")


def where_it_was(
    turns: Iterable[Mapping[str, Any]],
    decided: Iterable[Mapping[str, Any]] = (),
    tasks: Iterable[Mapping[str, Any]] = (),
) -> list[Was]:
    """What an agent was at before its context was emptied, the most needed first: from the turns of the session
    (``role``, ``content``) the first and the last thing it was asked, the files that it changed, the last error; what
    was ``decided`` in it, and the open ``tasks`` (each a ``ref`` and its ``text``). Nothing of a session without turns.
    Of the turns, which may be any number, it holds no more than it says.
    """
    asked: list[str] = []
    files: dict[str, None] = {}
    failed, has_begun = "", False
    for turn in turns:
        has_begun = True
        if turn["role"] == "user" and turn["content"].strip():
            asked = [*asked[:1], turn["content"]]
        elif turn["role"] == "tool":
            for found in _CALL.finditer(turn["content"]):
                if found["tool"] in CHANGING_TOOLS:
                    files.pop(found["path"], None)
                    files[found["path"]] = None
                    if len(files) > MOST_FILES:
                        del files[next(iter(files))]
            failed = (_FAILED.findall(turn["content"]) or [failed])[-1]
    rows = [
        Was("Began with", asked[0] if len(asked) > 1 else ""),
        Was("Asked last", asked[-1] if asked else ""),
        Was("Files in flight", ", ".join(reversed(files))),
        Was("Last error", failed.strip("[]")),
        *(Was("Decided", clean_text(row["text"]), row["ref"]) for row in decided if has_begun),
        *(Was("Still to do", clean_text(row["text"]), row["ref"]) for row in tasks if has_begun),
    ]
    return [row for row in rows if row.text.strip()]


def cited_in(turns: Iterable[Mapping[str, Any]]) -> dict[str, datetime]:
    """What may be references in the assistant's turns and calls, as [482915037], each with when it was named last, as
    far as that is known; whose they are the memory knows. A call that asks the memory itself cites nothing.
    """
    found: dict[str, datetime] = {}
    for turn in turns:
        for ref in _REFERENCE.findall(said_by_assistant(turn)):
            if ref in found or len(found) < MOST_CITED:
                found[ref] = _said_at(turn)
    return found


def said_by_assistant(turn: Mapping[str, Any]) -> str:
    """What an assistant says in a turn, or gives to a tool; nothing in any other's."""
    if turn["role"] == "assistant":
        return str(turn["content"])
    given = str(turn.get("given") or "") if turn["role"] == "tool" else ""
    return "" if COMMAND in given else given


def heard_in(turns: Iterable[Mapping[str, Any]]) -> set[str]:
    """The content words of what an assistant has from elsewhere: what its user says, what it gives to tools (a path, a
    command) and what these give back.
    """
    return {word for turn in turns if turn["role"] != "assistant" for word in content_words(_heard(turn))}


def _heard(turn: Mapping[str, Any]) -> str:
    return f"{turn.get('gave') or turn['content']}\n{turn.get('given') or ''}"


def echoed_in(
    turns: Iterable[Mapping[str, Any]],
    shown: Mapping[str, Shown],
    heard: Collection[str] = (),
    rules: EchoRules = RULES,
) -> set[str]:
    """Which memories that were ``shown`` (by any key) an assistant cites in these turns without naming them: it says
    several of a memory's rare words after that, which neither it has from elsewhere (``heard`` words, and those of the
    turns) nor another memory has that was shown. In doubt none.
    """
    weights = {key: weighed(one.text) for key, one in shown.items()}
    having: dict[str, list[str]] = defaultdict(list)
    for key, words in weights.items():
        for word in words:
            having[word].append(key)
    known, cited, elsewhere = set(heard), set[str](), dict[str, set[str]]()
    for turn in turns:
        if turn["role"] != "assistant":
            known |= content_words(_heard(turn))
            continue
        for passage in _passages(turn["content"]):
            fresh = content_words(passage) - known
            common = Counter(key for word in fresh for key in having.get(word, ()))
            for key in (key for key, count in common.items() if count >= rules.fewest_words and key not in cited):
                if _said_at(turn) < shown[key].at:
                    continue
                others = elsewhere.get(key) or elsewhere.setdefault(key, _elsewhere(key, weights, rules))
                own = {word: weight for word, weight in weights[key].items() if not (word in known or word in others)}
                if _is_said(fresh, own, rules):
                    cited.add(key)
    return cited


def _said_at(turn: Mapping[str, Any]) -> datetime:
    """When a turn was said; what is of an unknown time was said last."""
    at = turn.get("at")
    return in_utc(datetime.fromisoformat(str(at))) if at else END_OF_TIME


def _passages(said: str) -> Iterator[str]:
    """Whole sentences of a turn that stand together: in a long text words meet that have nothing to do with each
    other.
    """
    passage = ""
    for line in said.splitlines():
        for sentence in SENTENCE_END.split(line):
            for start in range(0, len(sentence), PASSAGE):
                if passage and len(passage) + len(sentence) > PASSAGE:
                    yield passage
                    passage = ""
                passage += f"{sentence[start : start + PASSAGE]}\n"
    yield passage


def _elsewhere(key: str, weights: Mapping[str, Mapping[str, float]], rules: EchoRules) -> set[str]:
    """The words of the other memories, but of those that are mostly this one in another form."""
    mine = weights[key].keys()
    found: set[str] = set()
    for other, words in weights.items():
        if other != key and len(mine & words.keys()) < rules.same_share * min(len(mine), len(words)):
            found |= words.keys()
    return found


def _is_said(fresh: Collection[str], own: Mapping[str, float], rules: EchoRules) -> bool:
    """Whether ``fresh`` words say a memory: enough of its ``own`` ones that are rare."""
    rare = {word: weight for word, weight in own.items() if weight >= rules.rare}
    said = sorted(weight for word, weight in rare.items() if word in fresh)
    least = max(rules.least_worth, rules.least_share * math.fsum(sorted(rare.values())))
    return len(said) >= rules.fewest_words and math.fsum(said) >= least


def answer(event: Event, text: str) -> dict[str, Any]:
    """The answer in the agent's own form; nothing to inject is an empty object."""
    if not text:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}
