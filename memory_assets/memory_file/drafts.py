"""A draft's way: made from the pool, stored, read back, judged, published. The steps behind the assets."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

from memory_assets.clock import day_of, to_iso
from memory_assets.errors import MemoryAssetsError
from memory_assets.files import publish
from memory_assets.files.on_disk import is_as_published
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.owners import find_stage, names_of, readable_owners, stage_made
from memory_assets.graph.projects import offered
from memory_assets.llm.model_client import LanguageModel
from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file import selection, verdicts
from memory_assets.memory_file.candidates import Composition, Failed, FileRules, Memory, Selection, parts_of, placed
from memory_assets.memory_file.ceilings import DEFAULT_PRESET, PRESETS, Ceiling
from memory_assets.memory_file.composing import composer_for
from memory_assets.memory_file.items import WORTH_TOO_LITTLE
from memory_assets.memory_file.packing import ALREADY_SAID, NO_ROOM
from memory_assets.memory_file.passing import DAY_PASSED, NOT_RECENT
from memory_assets.memory_file.pool import read_pool, read_shelves, read_summaries
from memory_assets.memory_file.render import SECTIONS
from memory_assets.memory_file.selection import choose
from memory_assets.memory_file.user_files import UserFile
from memory_assets.model import fingerprint, is_team, node_id
from memory_assets.privacy.projects import Within


class DraftError(MemoryAssetsError):
    """There is no draft that could be published."""


@dataclass(frozen=True)
class StoredDraft:
    """A draft as the graph holds it. ``budget`` is the ceiling's limit in its first unit."""

    content: verdicts.Draft
    tokens: int
    budget: int
    considered: int
    fingerprint: str
    ceiling: Ceiling = PRESETS[DEFAULT_PRESET]
    changes_at: datetime | None = None
    """When time alone may make another one of the same memories."""
    composition: Composition | None = None

    @property
    def unit(self) -> str:
        """The ceiling's first unit, in which budgets are reported."""
        return next(iter(self.ceiling.limits))

    @property
    def sizes(self) -> dict[str, int]:
        """How large the text is in each limited unit."""
        return self.ceiling.measure(self.content.text, count_tokens) | (
            {"tokens": self.tokens} if self.ceiling.tokens is not None else {}
        )


def default_of(user: str, path: Path = Path("MEMORY.md")) -> UserFile:
    """The file that everybody has, where only its path or not even that is known."""
    return UserFile(user, path, PRESETS[DEFAULT_PRESET], DEFAULT_PRESET, is_default=True, is_private=True)


def make_drafts(
    graph: Graph,
    user: str,
    files: Sequence[UserFile],
    now: datetime,
    *,
    force: bool = False,
    composer: LanguageModel | None = None,
) -> list[bool]:
    """Store the drafts that follow from the graph as it is by now; for each file, False when the stored one already
    does.

    What they are chosen from is read once for all files. A ``composer`` is asked to compose them of the best of that.
    """
    readable = readable_owners(graph, user)
    inputs, name = inputs_fingerprint(graph, user, readable), next(iter(names_of(graph, user)), None)
    author = composer_for(graph, user, composer) if composer else None
    if author:
        inputs = fingerprint(inputs, author.mark)
    marks = [_mark_of(file, inputs) for file in files]
    stale = [force or not _is_current(graph, file, mark, now) for file, mark in zip(files, marks, strict=True)]
    if not any(stale):
        return stale
    pools: dict[str | None, list[Memory]] = {None: read_pool(graph, user, readable)}
    considered = read_shelves(graph, user).considered
    for file, mark, is_stale in zip(files, marks, stale, strict=True):
        if is_stale:
            if file.project is not None and file.project not in pools:
                pools[file.project] = _of_project(graph, user, pools[None], file.project)
            pool = pools[file.project]
            choice = choose(user, pool, count_tokens, FileRules.of(file.ceiling), day_of(now), name)
            chosen = author.compose(choice, pool) if author else choice.selection
            is_open = chosen.composition is not None and chosen.composition.is_open
            row = draft_row(file, chosen, considered, fingerprint(mark, "not composed") if is_open else mark)
            graph.write("memory_file/upsert_draft", **row, user_id=user, now=to_iso(now))
    return stale


def _mark_of(file: UserFile, inputs: str) -> str:
    """What a file's draft is made from."""
    if file.is_default:
        return inputs
    return fingerprint(inputs, *_limits(file.ceiling), *([file.project] if file.project else []))


def _of_project(graph: Graph, user: str, pool: Sequence[Memory], project: str) -> list[Memory]:
    """What of a pool is of a project, and of none. Nothing that a source of another says: others work in its folder."""
    owners = readable_owners(graph, user, Within(project, is_bound=True))
    allowed = offered(graph, user, owners, [one.memory_id for one in pool])
    return [one for one in pool if one.memory_id in allowed]


def _is_current(graph: Graph, file: UserFile, mark: str, now: datetime) -> bool:
    """Whether the stored draft is made from what ``mark`` says, and time alone has made no other of it since."""
    rows = graph.read("memory_file/find_draft_fingerprint", user_id=file.user, id=file.draft_id)
    return any(row["fingerprint"] == mark and (row["changes_at"] is None or now < row["changes_at"]) for row in rows)


def draft_row(file: UserFile, chosen: Selection, considered: int, mark: str) -> dict[str, Any]:
    """A selection as the properties of a ``MemoryDraft``; lists of maps travel as JSON text."""
    entries = [
        {"ref": e.ref, "memory_id": e.memory_id, "section": e.section, "text": e.text, "tokens": tokens}
        | ({"rest_superseded_by": e.rest_superseded_by} if e.rest_superseded_by else {})
        | ({"composed_by": e.composed_by, "rests_on": [asdict(one) for one in e.rests_on]} if e.rests_on else {})
        for e, tokens in zip(chosen.entries, chosen.entry_tokens, strict=True)
    ]
    changes_at = datetime.combine(chosen.changes_on, time(), UTC) if chosen.changes_on else None
    limits = file.ceiling.limits
    row = {
        "id": file.draft_id,
        "path": str(file.path),
        "limits": to_json(limits),
        "budget": next(iter(limits.values())),
    }
    row |= {"text": chosen.text, "sha256": publish.digest(chosen.text), "tokens": count_tokens(chosen.text)}
    row |= {"sections": to_json(list(map(asdict, chosen.sections))), "entries": to_json(entries)}
    row |= {"left_out": to_json(list(map(asdict, chosen.left_out)))}
    row |= {"composition": _composition_row(chosen.composition), "changes_at": to_iso(changes_at)}
    return row | {"considered": considered, "fingerprint": mark}


def _composition_row(composition: Composition | None) -> str | None:
    return to_json(asdict(composition)) if composition else None


def read_composition(stored: str | None) -> Composition | None:
    """What a model has made of a file, as a draft or manifest has it."""
    if not stored:
        return None
    found = json.loads(stored)
    failed = tuple(Failed(row["text"], tuple(row["refs"]), row["why"]) for row in found.pop("failed"))
    return Composition(failed=failed, **found)


def _limits(ceiling: Ceiling) -> Iterator[object]:
    for unit, limit in ceiling.limits.items():
        yield from (unit, limit)


def read_draft(graph: Graph, user: str, file: UserFile | None = None) -> StoredDraft:
    """The stored draft of one file, the default one if none is named; or an error that says how to get one."""
    file = file or default_of(user)
    rows = graph.read("memory_file/find_draft", user_id=user, id=file.draft_id)
    if not rows:
        whose = user if file.is_default else f"{user}'s {file.path}"
        raise DraftError(f"{whose} has no draft yet: materialise memory_draft first.")
    row = rows[0]
    content = verdicts.Draft(row["text"], *(json.loads(row[name]) for name in ("entries", "sections", "left_out")))
    figures = {name: row[name] for name in ("tokens", "budget", "considered", "fingerprint", "changes_at")}
    return StoredDraft(content, ceiling=file.ceiling, composition=read_composition(row["composition"]), **figures)


def drafted_users(graph: Graph) -> list[str]:
    """Every user who has a draft."""
    return [row["user_id"] for row in graph.read("memory_file/list_drafted_users")]


def drafted_files(graph: Graph, files: Iterable[UserFile]) -> list[UserFile]:
    """Those of a user's files that have a draft: one that was added since the last run has none."""
    return [
        file for file in files if graph.read("memory_file/find_draft_fingerprint", user_id=file.user, id=file.draft_id)
    ]


def judge_draft(graph: Graph, user: str, file: UserFile | None = None) -> dict[str, list[verdicts.Problem]]:
    """Every verdict on a stored draft by its name; what the draft claims is read back from the graph."""
    file = file or default_of(user)
    draft = read_draft(graph, user, file).content
    readable = readable_owners(graph, user)
    identifiers = sorted(set(placed(draft.entries)))
    memories = graph.read("memory_file/list_entry_memories", user_id=user, memory_ids=identifiers)
    sources = graph.read("memory_file/list_entry_sources", user_ids=readable, memory_ids=identifiers)
    owners = {row["memory_id"]: row["owner"] for row in memories}
    words = {row["memory_id"]: row["text"] or "" for row in memories}
    revised = read_summaries(graph, user, readable, memories)
    texts = {key: revised.get(key) or row["statement"] or words[key] for row in memories for key in [row["memory_id"]]}
    return {
        "draft_is_within_budget": verdicts.draft_is_within_budget(draft, count_tokens, file.ceiling),
        "sections_are_within_budget": verdicts.sections_are_within_budget(draft, count_tokens, file.ceiling),
        "only_this_users_memories": verdicts.only_this_users_memories(draft, user, owners, readable),
        "no_foreign_sources": verdicts.no_foreign_sources(draft, sources),
        "entries_are_whole_and_explained": verdicts.entries_are_whole_and_explained(draft, texts, words),
    }


def publish_draft(
    graph: Graph, user: str, path: Path, now: datetime, *, file: UserFile | None = None, taken_in: Collection[str] = ()
) -> publish.Published:
    """Judge, announce, write, record: see ``publish.py`` for the order and why.

    A file that was edited leaves no copy where all its words are in the graph: its digest is in ``taken_in``.

    ``path`` is that of the default file; ``file`` names another one, whose path is its own.
    """
    file = file or default_of(user, path)
    problems = [p for found in judge_draft(graph, user, file).values() for p in found]
    if problems:
        first = problems[0]
        whose = user if file.is_default else f"{user}'s {file.path}"
        raise DraftError(
            f"The draft of {whose} is not published: {first.what}. {len(problems)} problems in all, which the checks "
            f"of memory_draft show with their places; {first.remedy}."
        )
    draft = read_draft(graph, user, file)
    known = announce(graph, user, path, publish.digest(draft.content.text), now, file=file)
    known |= set(taken_in)
    published = publish.publish(file.path, draft.content.text, known, private=file.is_private)
    record(graph, user, path, draft, now, file=file)
    return published


def announce(
    graph: Graph, user: str, path: Path, wanted: str, now: datetime, *, file: UserFile | None = None
) -> set[str]:
    """Note which bytes the file may have from now on; returns the digests that are our own."""
    file = file or default_of(user, path)
    stored = find_manifest(graph, file)
    announced = find_stage(graph, user, file.publication_stage)
    ours = {stored["sha256"]} if stored else set()
    ours |= set(filter(None, (announced or "").split(",")))
    with publish.open_folder(file.path.parent, private=file.is_private) as folder:
        on_disk = publish.look(folder, file.path.name).sha256
    possible = ",".join(sorted({wanted} | ({on_disk} & ours if on_disk else set())))
    if announced != possible:
        graph.write_together([stage_made(user, file.publication_stage, possible, now)])
    return ours


def find_manifest(graph: Graph, file: UserFile) -> dict[str, Any] | None:
    """The manifest of one file; None when nothing was published there."""
    rows = graph.read("memory_file/find_manifest", user_id=file.user)
    return next((row for row in rows if row["id"] == file.manifest_id), None)


def record(
    graph: Graph, user: str, path: Path, draft: StoredDraft, now: datetime, *, file: UserFile | None = None
) -> bool:
    """Replace a file's manifest and its pointers in one transaction; False when it says all this already."""
    file = file or default_of(user, path)
    sha256 = publish.digest(draft.content.text)
    stored = find_manifest(graph, file)
    same_text = stored is not None and stored["sha256"] == sha256
    limits = to_json(file.ceiling.limits)
    said = (draft.fingerprint, str(file.path), limits, file.preset)
    if stored and same_text and tuple(stored[name] for name in _SAID) == said:
        return False
    identifier = file.manifest_id
    identifiers = placed(draft.content.entries)
    owners = {
        row["memory_id"]: row["owner"]
        for row in graph.read("memory_file/list_entry_memories", user_id=user, memory_ids=identifiers)
    }
    manifest: dict[str, Any] = {"id": identifier, "user_id": user, "is_default": file.is_default, "now": to_iso(now)}
    manifest |= {"path": str(file.path), "limits": limits, "sizes": to_json(draft.sizes), "preset": file.preset}
    manifest |= {"sha256": sha256, "version": stored["version"] + (not same_text) if stored else 1}
    manifest |= {"max_tokens": file.ceiling.tokens, "current_tokens": draft.tokens, "considered": draft.considered}
    manifest |= {name: to_json(getattr(draft.content, name)) for name in ("entries", "sections", "left_out")}
    manifest |= {"inputs_fingerprint": draft.fingerprint, "composition": _composition_row(draft.composition)}
    manifest |= {"generated_at": stored["generated_at"] if stored and same_text else to_iso(now)}
    manifest |= {name: placed(e for e in draft.content.entries if e["section"] == name) for name in SECTIONS}
    rows = [
        {"memory_id": part["memory_id"], "owner": owners[part["memory_id"]], "section": e["section"], "position": place}
        for place, e in enumerate(draft.content.entries)
        for part in parts_of([e])
        if part["memory_id"] in owners
    ]
    day = now.date().isoformat()
    mine, text = {"id": identifier, "user_id": user}, draft.content.text
    version: dict[str, Any] = {"id": node_id("file-version", identifier, day), "manifest_id": identifier}
    version |= {"path": str(file.path), "user_id": user, "day": day, "text": text, "now": to_iso(now)}
    graph.write_together(
        [
            Statement("memory_file/upsert_manifest", manifest),
            Statement("memory_file/keep_version", version),
            Statement("memory_file/set_published_text", mine | {"text": text}),
            *cuts("retire_manifest_pointers", None, user=user, id=identifier),
            Statement("memory_file/link_manifest", mine | {"rows": rows}),
            stage_made(user, file.publication_stage, sha256, now),
        ]
    )
    return True


_SAID = ("inputs_fingerprint", "path", "limits", "preset")


NOT_WEIGHED = "not among the best of its section, or small talk: not weighed"
"""Why most are left out: the choice is made among the best of each section, whatever there is."""


_REFERENCE = re.compile(r"\b\d{9}\b")
_SAYS_THE_SAME = re.compile(r"^(?:says the same as \d{9}: )+")
_TOO_LONG = "longer than its section's budget"
_KINDS_OF_REASONS = (ALREADY_SAID, NO_ROOM, WORTH_TOO_LITTLE, _TOO_LONG, DAY_PASSED, NOT_RECENT)


def reason_kind(reason: str) -> str:
    """A reason without the reference or number in it, to be counted."""
    plain = _SAYS_THE_SAME.sub("", reason)
    return next((start for start in _KINDS_OF_REASONS if plain.startswith(start)), _REFERENCE.sub("another", plain))


def to_json(value: Any) -> str:
    """Compact JSON text in a fixed form."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def inputs_fingerprint(graph: Graph, user: str, readable: list[str]) -> str:
    """A digest of all that the file follows from, down to the sources, and of this code.

    The day is no part of it: a file from which nothing has changed needs no other order tomorrow.
    """
    rows = graph.read("memory_file/list_inputs", user_id=user)
    marks = sorted((row["kind"], row["id"], row["mark"]) for row in rows)
    return fingerprint(
        selection.CODE_VERSION, *names_of(graph, user), *readable, *(value for mark in marks for value in mark)
    )


def changed_files(graph: Graph, owners: Sequence[str]) -> dict[str, list[Path]]:
    """The published files that are not as they were published, by user: edited by somebody, replaced or gone."""
    users = [owner for owner in owners if not is_team(owner)]
    changed: dict[str, list[Path]] = {}
    for row in graph.read("memory_file/list_published", user_ids=users):
        if not is_as_published(path := Path(row["path"]), row["sha256"]):
            changed.setdefault(row["user_id"], []).append(path)
    return changed
