"""A draft's way: made from the pool, stored, read back, judged, published. The steps behind the assets."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, time
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from memory_assets.clock import day_of, to_iso
from memory_assets.errors import BudgetExceededError, MemoryAssetsError, ModelError, ModelServiceError
from memory_assets.files import publish
from memory_assets.files.on_disk import changed_on_disk
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.owners import find_stage, names_of, readable_owners, stage_made
from memory_assets.graph.projects import offered
from memory_assets.llm.model_client import LanguageModel
from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import COMPOSE_FILE, ComposedFile
from memory_assets.llm.tokens import count_tokens
from memory_assets.memory_file import selection, verdicts
from memory_assets.memory_file.candidates import Composition, FileRules, Memory, Selection, parts_of, placed
from memory_assets.memory_file.composition import CODE_VERSION, candidates_of, composed, request_of
from memory_assets.memory_file.pool import read_pool, read_shelves, read_summaries
from memory_assets.memory_file.render import SECTIONS
from memory_assets.memory_file.selection import Choice, choose
from memory_assets.memory_file.user_files import UserFile
from memory_assets.memory_file.verdicts import Draft
from memory_assets.model import fingerprint, is_team, node_id
from memory_assets.privacy.projects import Within

ASSET = "memory_draft"


class DraftError(MemoryAssetsError):
    """There is no draft that could be published."""


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
    if composer:
        inputs = fingerprint(inputs, fingerprint(*recipe(composer), name))
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
            choice = choose(user, pool, count_tokens, FileRules(file.ceiling), day_of(now), name)
            chosen = compose(composer, user, name, choice, pool) if composer else choice.selection
            is_open = chosen.composition is not None and chosen.composition.is_open
            row = draft_row(file, chosen, considered, fingerprint(mark, "not composed") if is_open else mark)
            graph.write("memory_file/upsert_draft", **row, user_id=user, now=to_iso(now))
    return stale


def recipe(model: LanguageModel) -> tuple[str, ...]:
    """What a composed file is made with: another one where the same memories would be composed otherwise."""
    return prompts().prompt_hash(COMPOSE_FILE), model.name, CODE_VERSION


def compose(model: LanguageModel, user: str, name: str | None, choice: Choice, pool: Iterable[Memory]) -> Selection:
    """One question for a file, asked once; without a usable answer the local choice, which says why.

    The owner is called by ``name``, as the profile does, else as most words are signed.
    """
    candidates = candidates_of(choice)
    if not candidates:
        return choice.selection
    owner = name or _signed(pool) or user
    request = request_of(choice, candidates, owner)
    answer = model.ask_many(COMPOSE_FILE, [request], ComposedFile, asset=ASSET, user_id=user)[0]
    if isinstance(answer, ModelError):
        is_open = answer.retryable or isinstance(answer, BudgetExceededError | ModelServiceError)
        return replace(choice.selection, composition=Composition(model.name, why_not=str(answer), is_open=is_open))
    return composed(choice, candidates, owner, answer.value, answer.model)


def _signed(pool: Iterable[Memory]) -> str | None:
    labels = Counter(memory.label for memory in pool if memory.said_by_owner and memory.label)
    return min(labels, key=lambda label: (-labels[label], label), default=None)


def _mark_of(file: UserFile, inputs: str) -> str:
    """What a file's draft is made from."""
    if file.is_default:
        return inputs
    limits = chain.from_iterable(file.ceiling.limits.items())
    return fingerprint(inputs, *limits, *([file.project] if file.project else []))


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
    composition = to_json(asdict(chosen.composition)) if chosen.composition else None
    row: dict[str, Any] = {"id": file.draft_id, "path": str(file.path), "limits": to_json(file.ceiling.limits)}
    row |= {"text": chosen.text, "sha256": publish.digest(chosen.text), "tokens": count_tokens(chosen.text)}
    row |= {"sections": to_json(list(map(asdict, chosen.sections))), "entries": to_json(entries)}
    row |= {"left_out": to_json(list(map(asdict, chosen.left_out)))}
    row |= {"composition": composition, "changes_at": to_iso(changes_at)}
    return row | {"considered": considered, "fingerprint": mark}


def read_draft(graph: Graph, file: UserFile) -> Draft:
    """The stored draft of a file; or an error that says how to get one."""
    rows = graph.read("memory_file/find_draft", user_id=file.user, id=file.draft_id)
    if not rows:
        raise DraftError(f"{file.whose} has no draft yet: materialise memory_draft first.")
    row = rows[0]
    lists = {name: json.loads(row[name] or "null") for name in ("entries", "sections", "left_out", "composition")}
    figures = {name: row[name] for name in ("text", "tokens", "considered", "fingerprint", "changes_at")}
    return Draft(**lists, **figures, ceiling=file.ceiling)


def drafted_files(graph: Graph, files: Iterable[UserFile]) -> list[UserFile]:
    """Those of a user's files that have a draft: one that was added since the last run has none."""
    return [
        file for file in files if graph.read("memory_file/find_draft_fingerprint", user_id=file.user, id=file.draft_id)
    ]


class _Judged:
    """A stored draft as verdicts look at it: what it claims is read back from the graph, as each asks for it."""

    def __init__(self, graph: Graph, file: UserFile) -> None:
        self.graph, self.user, self.draft = graph, file.user, read_draft(graph, file)
        self.identifiers = sorted(set(placed(self.draft.entries)))

    @cached_property
    def readable(self) -> list[str]:
        return readable_owners(self.graph, self.user)

    @cached_property
    def memories(self) -> list[dict[str, Any]]:
        return self.graph.read("memory_file/list_entry_memories", user_id=self.user, memory_ids=self.identifiers)

    def only_this_users_memories(self) -> list[verdicts.Problem]:
        owners = {row["memory_id"]: row["owner"] for row in self.memories}
        return verdicts.only_this_users_memories(self.draft, self.user, owners, self.readable)

    def no_foreign_sources(self) -> list[verdicts.Problem]:
        asked = {"user_ids": self.readable, "memory_ids": self.identifiers}
        return verdicts.no_foreign_sources(self.draft, self.graph.read("memory_file/list_entry_sources", **asked))

    def entries_are_whole_and_explained(self) -> list[verdicts.Problem]:
        words = {row["memory_id"]: row["text"] or "" for row in self.memories}
        revised = read_summaries(self.graph, self.user, self.readable, self.memories)
        texts = {
            key: revised.get(key) or row["statement"] or words[key]
            for row in self.memories
            for key in [row["memory_id"]]
        }
        return verdicts.entries_are_whole_and_explained(self.draft, texts, words)


_VERDICTS: dict[str, Callable[[_Judged], list[verdicts.Problem]]] = {
    "draft_is_within_budget": lambda one: verdicts.draft_is_within_budget(one.draft, count_tokens),
    "sections_are_within_budget": lambda one: verdicts.sections_are_within_budget(one.draft, count_tokens),
    "only_this_users_memories": _Judged.only_this_users_memories,
    "no_foreign_sources": _Judged.no_foreign_sources,
    "entries_are_whole_and_explained": _Judged.entries_are_whole_and_explained,
}


def judge_draft(graph: Graph, file: UserFile, *names: str) -> list[verdicts.Problem]:
    """What verdicts of these names say of a stored draft; all of them, without a name."""
    judged = _Judged(graph, file)
    return [problem for name in names or _VERDICTS for problem in _VERDICTS[name](judged)]


def publish_draft(graph: Graph, file: UserFile, now: datetime, taken_in: Collection[str] = ()) -> publish.Published:
    """Judge, announce, write, record: see ``publish.py`` for the order and why.

    A file that was edited leaves no copy where all its words are in the graph: its digest is in ``taken_in``.
    """
    if problems := judge_draft(graph, file):
        first = problems[0]
        raise DraftError(
            f"The draft of {file.whose} is not published: {first.what}. {len(problems)} problems in all, which the "
            f"checks of memory_draft show with their places; {first.remedy}."
        )
    draft = read_draft(graph, file)
    known = announce(graph, file, publish.digest(draft.text), now)
    published = publish.publish(file.path, draft.text, known.union(taken_in), private=file.is_private)
    record(graph, file, draft, now)
    return published


def announce(graph: Graph, file: UserFile, wanted: str, now: datetime) -> set[str]:
    """Note which bytes the file may have from now on; returns the digests that are our own."""
    stored = find_manifest(graph, file)
    announced = find_stage(graph, file.user, file.publication_stage)
    ours = {stored["sha256"]} if stored else set()
    ours |= set(filter(None, (announced or "").split(",")))
    with publish.open_folder(file.path.parent, private=file.is_private) as folder:
        on_disk = publish.look(folder, file.path.name).sha256
    possible = ",".join(sorted({wanted} | ({on_disk} & ours if on_disk else set())))
    if announced != possible:
        graph.write_together([stage_made(file.user, file.publication_stage, possible, now)])
    return ours


def find_manifest(graph: Graph, file: UserFile) -> dict[str, Any] | None:
    """The manifest of one file; None when nothing was published there."""
    rows = graph.read("memory_file/find_manifest", user_id=file.user)
    return next((row for row in rows if row["id"] == file.manifest_id), None)


def record(graph: Graph, file: UserFile, draft: Draft, now: datetime) -> None:
    """Replace a file's manifest and its pointers in one transaction, unless it says all this already."""
    sha256 = publish.digest(draft.text)
    stored = find_manifest(graph, file)
    same_text = stored is not None and stored["sha256"] == sha256
    said = {"inputs_fingerprint": draft.fingerprint, "path": str(file.path), "preset": file.preset}
    said |= {"limits": to_json(file.ceiling.limits)}
    if stored and same_text and all(stored[name] == value for name, value in said.items()):
        return
    mine = {"id": file.manifest_id, "user_id": file.user}
    identifiers = placed(draft.entries)
    owners = {
        row["memory_id"]: row["owner"]
        for row in graph.read("memory_file/list_entry_memories", user_id=file.user, memory_ids=identifiers)
    }
    manifest: dict[str, Any] = {**mine, **said, "sizes": to_json(draft.sizes), "is_default": file.is_default}
    manifest |= {"sha256": sha256, "version": stored["version"] + (not same_text) if stored else 1}
    manifest |= {"max_tokens": file.ceiling.tokens, "current_tokens": draft.tokens, "considered": draft.considered}
    manifest |= {name: to_json(getattr(draft, name)) for name in ("entries", "sections", "left_out")}
    manifest |= {"composition": to_json(draft.composition) if draft.composition else None, "now": to_iso(now)}
    manifest |= {"generated_at": stored["generated_at"] if stored and same_text else to_iso(now)}
    manifest |= {name: placed(e for e in draft.entries if e["section"] == name) for name in SECTIONS}
    rows = [
        {"memory_id": part["memory_id"], "owner": owners[part["memory_id"]], "section": e["section"], "position": place}
        for place, e in enumerate(draft.entries)
        for part in parts_of([e])
        if part["memory_id"] in owners
    ]
    day = now.date().isoformat()
    version: dict[str, Any] = {
        "id": node_id("file-version", file.manifest_id, day),
        "manifest_id": file.manifest_id,
        "day": day,
    }
    version |= {"path": str(file.path), "user_id": file.user, "text": draft.text, "now": to_iso(now)}
    graph.write_together(
        [
            Statement("memory_file/upsert_manifest", manifest),
            Statement("memory_file/keep_version", version),
            Statement("memory_file/set_published_text", mine | {"text": draft.text}),
            *cuts("retire_manifest_pointers", None, user=file.user, id=file.manifest_id),
            Statement("memory_file/link_manifest", mine | {"rows": rows}),
            stage_made(file.user, file.publication_stage, sha256, now),
        ]
    )


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
    rows = graph.read("memory_file/list_published", user_ids=users)
    return changed_on_disk((row["user_id"], Path(row["path"]), row["sha256"]) for row in rows)
