"""An erasure from its beginning to its proof; killed anywhere, it is run again and goes on.

What goes is written down first, in HOME (``erasure.json``), with the words that only the erased had; then what may not
come in again. The graph lets go of what rests on the erased alone, the ordinary steps make again what rests on others,
too, and every place is cleaned of the words; the engine writes itself anew. The list goes last, and a search through
the bytes of all files says what is found.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dagster as dg
from filelock import FileLock, Timeout

from memory_assets.automation.jobs import AT_WORK
from memory_assets.clock import to_iso
from memory_assets.erasure import planning, words
from memory_assets.erasure.choosing import Links, choose_gone, node_of
from memory_assets.erasure.places import (
    CACHES,
    PLACES,
    Gone,
    compact,
    copies_beside,
    drop_old_bytes,
    edited_files,
    erase_owner_files,
    erase_runs,
    holding_runs,
)
from memory_assets.erasure.searching import Finder, counts_by_file, files_in, search
from memory_assets.files.resident import HOST_LOCK
from memory_assets.graph.graph import Graph
from memory_assets.graph.knife import cut
from memory_assets.graph.owners import TASKS_STAGE, source_mark, stage_made
from memory_assets.graph.statements import in_parts
from memory_assets.model import ProcessingStatus, is_team, node_id, reference, source_text_ids
from memory_assets.privacy.masking import change_raw
from memory_assets.privacy.projects import project_name
from memory_assets.privacy.redaction import MARK, OPEN, Door
from memory_assets.runtime.instance import close_abandoned_runs, remove_owners
from memory_assets.runtime.owners import owner_lock
from memory_assets.settings import Settings
from memory_assets.sources.erased import read_door
from memory_assets.sources.source_rows import grown_row
from memory_assets.sources.store import SourceStore

PLAN = "erasure.json"
NODES_AT_ONCE = 1000
SWEEPS = 4
REMOVED_BY_WORD = frozenset(
    {"CurationAudit", "MetricsSnapshot", "Extraction", "Note", "Consolidation", "FileMigration"}
)
"""Nodes that go as a whole where they hold an erased word; memories do, too. Of all others the word goes."""

ANCHORS = frozenset({"Person", "Concept", "Entity"})
REDACTED = frozenset({"HeartbeatTask", "Decision", "Consolidation"})
"""Nodes of people's own words beside their sources: a person's names in them become the mark."""

WRITTEN_AGAIN = frozenset({"title", "participants", "owner_speaker", "provenance"})
"""What the content of a source that grows says of it, and is written with that."""

Run = Callable[[dg.DagsterInstance, Sequence[str]], list[str]]
"""Runs the ordinary steps for some owners; returns what failed."""
OpenInstance = Callable[[Settings], AbstractContextManager[dg.DagsterInstance]]


@dataclass
class Erasure:
    """One erasure of an installation."""

    graph: Graph
    settings: Settings
    asked: planning.Asked
    run: Run
    open_instance: OpenInstance
    by: str = ""
    inbox: bool = False
    say: Callable[[str], None] = field(default=lambda _: None)

    @property
    def _plan_file(self) -> Path:
        return self.settings.home / PLAN

    @property
    def _places(self) -> list[tuple[str, Callable[[Gone, bool], int]]]:
        """Where something of it can be: an owner's own files go with the owner alone."""
        return [one for one in PLACES if self.asked.kind == "owner" or one[1] is not erase_owner_files]

    def dry_run(self) -> dict[str, Any]:
        """What would go, by place, with counts. Changes nothing."""
        plan, gone = self._planned()
        found = holding_runs(gone)
        with self.open_instance(self.settings) as instance:
            places = {"runs": erase_runs(instance, found, True)}
        places |= {name: place(gone, True) for name, place in self._places}
        return self._report(plan, gone) | {"places": places}

    def erase(self) -> dict[str, Any]:
        """Erase it all, and search for it. Raises :class:`ErasureError` where that has to be run again."""
        with self._alone():
            plan, gone = self._planned()
            with self.open_instance(self.settings) as instance:
                self._must_be_idle(instance)
            report = self._report(plan, gone)
            plan.save(self._plan_file)
            self._close_door(plan, report)
            caches, gone = self._erase_from_graph(plan, gone)
            found = holding_runs(gone)
            with self.open_instance(self.settings) as instance:
                if plan.asked.kind == "owner":
                    remove_owners(instance, [plan.asked.owner])
                places = {"runs": erase_runs(instance, found, False), CACHES[0]: caches}
            for name, place in self._places[1:]:
                self.say(f"cleaning: {name}")
                places[name] = place(gone, False)
            self._erase_from_inbox(plan, gone)
            compact(gone)
            self.say("having the graph drop old bytes")
            report["kept_by_engine"] = drop_old_bytes(self.graph, self.settings)
            self._plan_file.unlink(missing_ok=True)
            self.say("searching for what is left")
            return report | {"places": places, "found": self._verify(gone)}

    def _planned(self) -> tuple[planning.Plan, Gone]:
        seen = planning.look(self.graph)
        plan = self._plan(seen)
        return plan, self._gone(plan, seen)

    def _plan(self, seen: planning.Seen) -> planning.Plan:
        plan = planning.Plan.load(self._plan_file)
        if plan is not None and plan.asked != self.asked:
            raise planning.ErasureError(
                f"An erasure of {plan.asked.owner} ({plan.asked.kind}) was stopped before its end: run it again first. "
                f"{self._plan_file} says which."
            )
        plan = plan or planning.make_plan(self.graph, self.settings, self.asked, seen)
        folder = self.settings.inbox / plan.asked.owner
        if plan.asked.kind == "owner" and not self.inbox and folder.is_dir():
            raise planning.ErasureError(
                f"{folder} makes {plan.asked.owner} an owner again. Give --inbox to erase it, or take it away first."
            )
        return plan

    def _gone(self, plan: planning.Plan, seen: planning.Seen) -> Gone:
        going = set(plan.ids)
        stays = (words.worded(said, words.every_word_in) for key, said in seen.properties.items() if key not in going)
        known = planning.words_of_program().union(*stays)
        terms = frozenset(plan.words + plan.wordings)
        is_owner = plan.asked.kind == "owner"
        users = sorted({*plan.users, *([plan.asked.owner] if is_owner else [])})
        own = [Path(said["path"]) for said in seen.properties.values() if "path" in said and "preset" in said]
        paths: dict[Path, Collection[str]] = {path: () for path in own if path.is_absolute()}
        paths |= {Path(name): digests for name, digests in plan.published.items()}
        owner, finder, door = plan.asked.owner if is_owner else None, Finder(terms, known - terms), self._door(plan)
        return Gone(self.settings, terms, finder, tuple(users), owner, frozenset(plan.ids), paths, door)

    def _report(self, plan: planning.Plan, gone: Gone) -> dict[str, Any]:
        """What goes, by place: counts, and no word of it."""
        report = {"erases": plan.asked.kind, "owner": plan.asked.owner, "sources": len(plan.source_ids)}
        report |= {"words": len(plan.words), "phrases": len(plan.wordings), "nodes": plan.nodes}
        report |= {"inbox": self._inbox_files(plan), "is_inbox_erased": self.inbox}
        report |= {"edited_files": list(map(str, edited_files(gone.own_files)))}
        return report | {"names_that_others_bear": len(plan.shared_names)}

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No UI, and with it no daemon that starts runs, and no server for agents while words are on their way out."""
        home, server = self.settings.home, self.settings.server_home
        server.mkdir(parents=True, exist_ok=True, mode=0o700)
        with ExitStack() as stack:
            for lock, what in (
                (home / "ui.lock", "The UI runs, and with it what starts runs: end it"),
                (server / HOST_LOCK, "The server runs, and agents write through it: `memory-assets server stop`"),
            ):
                try:
                    stack.enter_context(FileLock(lock).acquire(blocking=False))
                except Timeout:
                    raise planning.ErasureError(f"{what} first, then erase.") from None
            yield

    def _must_be_idle(self, instance: dg.DagsterInstance) -> None:
        close_abandoned_runs(instance)
        if instance.get_runs_count(dg.RunsFilter(statuses=list(AT_WORK))):
            raise planning.ErasureError("Runs are at work: wait for their end, or end them, then erase.")

    def _close_door(self, plan: planning.Plan, report: dict[str, Any]) -> None:
        """Write down that this is erased, and by which digests it is known when it comes again."""
        owner, now = plan.asked.owner, to_iso(self.settings.clock.now())
        door = read_door(self.graph, owner)
        named = door.with_names(plan.names)
        is_owner = plan.asked.kind == "owner"
        stays = set(self._replaced_ids(plan)) if plan.asked.kind == "person" else set()
        self.graph.write(
            "curation/record_erasure",
            id=node_id("erasure", owner, door.digest("\n".join(plan.source_ids)), plan.asked.kind),
            user_id="erased" if is_owner else owner,
            kind=plan.asked.kind,
            by=door.digest(self.by) if is_owner else self.by,
            counts=json.dumps({name: report[name] for name in ("sources", "words", "phrases", "nodes")}),
            key=None if is_owner else door.key,
            # Not of what stays, without a person: more of it may still come in.
            source_digests=[] if is_owner else sorted(map(door.digest, set(plan.source_ids) - stays)),
            name_digests=[] if is_owner else sorted(named.names),
            longest=0 if is_owner else named.longest,
            now=now,
        )

    def _erase_from_graph(self, plan: planning.Plan, gone: Gone) -> tuple[int, Gone]:
        """What rests on the erased alone; the ordinary steps for all else; and what they have left of it.

        Returns how many files of caches went, and what is still to be erased elsewhere: no wording that the ordinary
        steps have found again in what stays.
        """
        owner = plan.asked.owner
        whose = sorted({owner, *plan.users})
        runs_for = [user for user in plan.users if user != gone.owner]
        if plan.asked.kind == "person":
            with owner_lock(self.settings, owner):
                self._replace_sources(plan)
            self._run([owner, *runs_for])
        self.say(f"cleaning: {CACHES[0]}")
        caches = CACHES[1](gone, False)
        self.say("erasing from the graph")
        with ExitStack() as stack:
            for name in whose:
                stack.enter_context(owner_lock(self.settings, name))
            self._remove(self._still_gone(plan, whose), whose)
            if plan.asked.kind == "source":
                self._settle_files(plan)
            if gone.owner is None or is_team(owner):
                marks = [name for name in whose if name != gone.owner]
                self.graph.write_together([source_mark(name, self.settings.clock.now()) for name in marks])
        for sweep in range(SWEEPS):
            if runs_for:
                self._run(runs_for)
            if sweep:
                gone = gone.without(self._terms_left(frozenset(plan.wordings), "curation/list_everything", whose))
            if not self._sweep(plan, gone, whose):
                return caches, gone
        raise planning.ErasureError(
            "Words of it are made again and again by the ordinary steps: run the erasure again."
        )

    def _terms_left(self, terms: Collection[str], query: str, whose: Collection[str] | None = None) -> set[str]:
        """Which terms the graph still has, in nodes of some owners or of all."""

        def look_at(row: dict[str, Any]) -> set[str]:
            texts = (text for value in row["properties"].values() for text in words.texts_of(value))
            is_meant = whose is None or row["owner"] in whose
            return set().union(*(words.terms_in(text).intersection(terms) for text in texts)) if is_meant else set()

        return set().union(*self.graph.read_each(query, look_at)) if terms else set()

    def _run(self, owners: Sequence[str]) -> None:
        self.say(f"making again what rests on others, too: {', '.join(dict.fromkeys(owners))}")
        with self.open_instance(self.settings) as instance:
            failed = self.run(instance, list(dict.fromkeys(owners)))
        if failed:
            raise planning.ErasureError(
                f"The run failed: {'; '.join(failed)}. Mend that, and run the same erasure again."
            )

    def _still_gone(self, plan: planning.Plan, whose: Sequence[str]) -> set[str]:
        """What goes now: of a person not what the redacted sources say as well."""
        if plan.asked.kind != "person":
            return set(plan.ids)
        nodes = [node_of(row) for row in self.graph.read("curation/list_everything") if row["owner"] in whose]
        stored = {node.id for node in nodes}
        left = set(self._replaced_ids(plan))
        begin = {key for key in plan.source_ids if key not in left}
        texts = planning.texts_of_sources(plan.asked.owner, begin)
        links = Links.of(self.graph.read("curation/list_every_link", user_ids=list(whose)))
        return choose_gone(nodes, links, (begin | texts) & stored)

    def _door(self, plan: planning.Plan) -> Door:
        return read_door(self.graph, plan.asked.owner).with_names(plan.names) if plan.names else OPEN

    def _stored(self, plan: planning.Plan) -> dict[str, dict[str, Any]]:
        wanted = set(plan.source_ids)
        return {key: said for key, said in planning.look(self.graph).properties.items() if key in wanted}

    def _replaced_ids(self, plan: planning.Plan) -> list[str]:
        """The sources that keep their id although somebody was erased from them: those that can still grow, and those
        whose content does not name them.
        """
        door, owner = self._door(plan), plan.asked.owner
        rows = {
            key: (said, planning.redacted_row(self.graph, self.settings, owner, key, said, door))
            for key, said in self._stored(plan).items()
        }
        return [
            key
            for key, (said, row) in rows.items()
            if row is None or row["id"] == key or (said.get("grows") and row is not planning.NOTHING_LEFT)
        ]

    def _replace_sources(self, plan: planning.Plan) -> None:
        """The sources without the person: stored beside the old ones first, so that what both say stays as it is."""
        owner, door = plan.asked.owner, self._door(plan)
        store = SourceStore(self.graph, owner)
        became: dict[str, str] = {}
        for key, said in sorted(self._stored(plan).items()):
            row = planning.redacted_row(self.graph, self.settings, owner, key, said, door)
            if row is None or row is planning.NOTHING_LEFT:
                continue
            became[key] = row["id"]
            if said.get("grows"):
                grown = grown_row(row, row["raw_content"], said["content_hash"])
                grown |= source_text_ids(owner, row["id"], "raw_content")
                self.graph.write("sources/set_source_contents", [grown], user_id=owner)
                cut(self.graph, "retire_originals", [{"id": row["id"]}], user=owner)
            elif row["id"] != key:
                store.add(row)
            if row["id"] == key:
                self._redact_properties(owner, row, said, door)
        self.graph.write_together([source_mark(owner, self.settings.clock.now())])
        store.flush()
        self._settle_files(plan, became)
        self.graph.write_together([source_mark(owner, self.settings.clock.now())])

    def _redact_properties(self, owner: str, row: planning.Row, said: dict[str, Any], door: Door) -> None:
        """What is said of a source that is the same: its path, its project, its thread."""
        less = _without_names(said, door)
        if "project" in less:
            less["project"] = row["project"]
        if said.get("grows"):
            less = {name: value for name, value in less.items() if name not in WRITTEN_AGAIN}
        else:
            less |= {"title": row["title"], "participants": row["participants"], "participant_keys": row["reader_keys"]}
            less["processing_status"] = ProcessingStatus.RAW.value
        cut(self.graph, "erase_words", [{"id": row["id"]} | less], user=None, user_ids=[owner])

    def _settle_files(self, plan: planning.Plan, became: dict[str, str] | None = None) -> None:
        """Files of erased sources are remembered by their digests alone: they are not read again."""
        owner, door, changed = plan.asked.owner, self._door(plan), became or {}
        rows = []
        for file in self.graph.read("sources/list_source_files", user_id=owner):
            if not set(file["source_ids"]).intersection(plan.source_ids):
                continue
            left = [changed.get(key, key) for key in file["source_ids"] if key in changed or key not in plan.source_ids]
            path = door.redacted(file["path"]) if left else MARK
            rows.append({"id": file["id"], "path": path, "source_ids": left})
        if rows:
            self.graph.write("curation/settle_files", rows, user_id=owner)

    def _remove(self, ids: Iterable[str], whose: Sequence[str]) -> None:
        for part in in_parts(sorted(ids), NODES_AT_ONCE):
            cut(self.graph, "erase_nodes", None, user=None, ids=list(part), user_ids=list(whose))

    def _sweep(self, plan: planning.Plan, gone: Gone, whose: Sequence[str]) -> bool:
        """Remove what was made with erased words, and the words from what stays; whether a memory went."""
        door = self._door(plan)
        ids = set(plan.ids)
        refs = set(map(reference, ids))
        removed: list[str] = []
        changed: list[dict[str, Any]] = []
        memories = 0
        tasks = False
        for row in self.graph.read("curation/list_everything"):
            labels, said = set(row["labels"]), row["properties"]
            if row["owner"] not in whose or "Erasure" in labels:
                continue
            if "FileVersion" in labels:
                text = words.without_terms(
                    door.redacted(words.without_lines(said["text"], gone.terms, refs)), gone.terms
                )
                if text != said["text"]:
                    changed.append({"id": row["id"], "text": text})
                continue
            if "AgentKey" in labels and plan.names and door.names_in(said.get("project") or ""):
                changed.append({"id": row["id"], "project": project_name(door.redacted(said["project"]))})
                continue
            if plan.names and labels & REDACTED and (less := _without_names(said, door)):
                changed.append({"id": row["id"]} | less)
                tasks = tasks or "HeartbeatTask" in labels
                said = said | less
            if "Decision" in labels and plan.asked.kind == "source" and said.get("by_memory_id") in ids:
                less = dict.fromkeys({"edited_text", "about"} & said.keys(), MARK)
                changed.append({"id": row["id"]} | less)
                said = said | less
            if not any(words.has_terms(text, gone.terms) for value in said.values() for text in words.texts_of(value)):
                continue
            is_memory = "Memory" in labels and "Source" not in labels and not said.get("is_owner")
            names = (text for name in ("name", "canonical_name", "also") for text in words.texts_of(said.get(name)))
            if labels & ANCHORS and not words.has_terms("\n".join(names), gone.terms):
                is_memory = False  # it is named in what stays: what is said of it loses the terms
            if is_memory or labels & REMOVED_BY_WORD:
                removed.append(row["id"])
                memories += is_memory
            else:
                changed.append({"id": row["id"]} | words.changed_properties(said, gone.terms))
        self._remove(removed, whose)
        for part in in_parts(changed, 100):
            cut(self.graph, "erase_words", list(part), user=None, user_ids=list(whose))
        if tasks:
            now = self.settings.clock.now()
            self.graph.write_together([stage_made(plan.asked.owner, TASKS_STAGE, secrets.token_hex(8), now)])
        others = [name for name in whose if name != gone.owner]
        if memories:
            self.graph.write_together([source_mark(name, self.settings.clock.now()) for name in others])
        return bool((memories or tasks) and others)

    def _inbox_files(self, plan: planning.Plan) -> list[dict[str, Any]]:
        """How many of the files that the sources came from are still there, and what becomes of them."""
        if plan.asked.kind == "owner":
            folder = self.settings.inbox / plan.asked.owner
            return [{"files": sum(1 for path in folder.rglob("*") if path.is_file()), "stays": False}]
        there = [path for name in plan.files if (path := Path(name)).is_file()]
        inside = [path for path in there if path.is_relative_to(self.settings.inbox)]
        goes = self.inbox and plan.asked.kind == "source"
        return [{"files": len(inside), "stays": not goes}, {"files": len(there) - len(inside), "stays": True}]

    def _erase_from_inbox(self, plan: planning.Plan, gone: Gone) -> None:
        """The inbox's files of erased sources; one that holds others', too, stays.

        Where no file that was read is left in a folder, what was beside them (an export's list of names) goes.
        """
        if not self.inbox:
            return
        inbox = self.settings.inbox
        if plan.asked.kind == "owner":
            if (folder := inbox / plan.asked.owner).is_dir():
                _remove_folder(folder)
            return
        if plan.asked.kind != "source":
            return
        used = {row["path"] for row in self.graph.read("sources/list_source_files", user_id=plan.asked.owner)}
        going = [path for path in map(Path, plan.files) if path.is_relative_to(inbox) and str(path) not in used]
        for path in going:
            _remove_folder(path) if path.is_dir() else path.unlink(missing_ok=True)
        folders = {folder for path in going for folder in path.parents if inbox in folder.parent.parents}
        for folder in sorted(folders, reverse=True):
            if folder.is_dir() and not any(Path(name).is_relative_to(folder) for name in used):
                for path in files_in(folder):
                    if gone.finder.in_file(path):
                        path.unlink()
                with suppress(OSError):  # something else is in it
                    folder.rmdir()

    def _verify(self, gone: Gone) -> dict[str, int]:
        """How many of the erased terms each file still holds, and a graph whose files are a server's.

        A file that stays in the inbox is none of them; an owner's outside of HOME, and what is beside it, are. In the
        database's files the end of one text and the beginning of the next can make a phrase: there it counts where a
        node or a relationship says it.
        """
        without = [] if self.inbox else [self.settings.inbox]
        found = search(files_in(self.settings.home, without=without), gone.finder)
        outside = {one for path, digests in gone.own_files.items() if digests for one in (path, *copies_beside(path))}
        found |= {path: gone.finder.in_file(path) for path in outside if path.is_file()}
        databases = {path for path in found if path.is_relative_to(self.settings.graph_home)}
        asked = {term for path in databases for term in found[path] if " " in term}
        if self.graph.engine != "embedded":
            asked = set(gone.terms)
        everywhere = ("curation/list_everything", "curation/list_link_properties")
        said = set().union(*(self._terms_left(asked, query) for query in everywhere))
        for path in databases:
            found[path] = {term for term in found[path] if " " not in term or term in said}
        report = counts_by_file({path: terms for path, terms in found.items() if terms}, self.settings.home)
        return report if self.graph.engine == "embedded" or not said else report | {"graph": len(said)}


def _without_names(said: dict[str, Any], door: Door) -> dict[str, Any]:
    """The texts of a node that hold an erased name, without it."""
    texts = {name: value for name, value in said.items() if name in words.WORDED | words.DECIDED}
    return words.changed(texts, lambda text: change_raw(text, door.redacted))


def _remove_folder(folder: Path) -> None:
    """Remove a folder and what is in it, also behind a link; what somebody else removes meanwhile is gone, too."""
    for path in sorted(folder.rglob("*"), reverse=True):
        with suppress(FileNotFoundError):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    with suppress(FileNotFoundError):
        folder.unlink() if folder.is_symlink() else folder.rmdir()
