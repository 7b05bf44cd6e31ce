"""What is to be erased, and what goes with it: read from the graph, before anything is changed."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import dagster as dg

from memory_assets.entities.people import Names
from memory_assets.erasure.choosing import Links, Node, choose_gone, choose_untouched, counted, node_of
from memory_assets.erasure.places import connections
from memory_assets.erasure.sessions import erase_from_sessions, session_terms
from memory_assets.erasure.words import MADE, WORDED, phrases_in, terms_in, texts_of, worded, words_in
from memory_assets.errors import MemoryAssetsError, UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import find_stage
from memory_assets.heartbeat.heartbeat_file import copy_stage
from memory_assets.memory_file.user_files import HEARTBEAT, added_files
from memory_assets.model import SourceType, is_team, reference, source_text_ids
from memory_assets.privacy.redaction import OPEN, Door, words_of
from memory_assets.runtime.chain import members_of
from memory_assets.runtime.owners import check_known, stored_owners
from memory_assets.settings import PACKAGE, Settings
from memory_assets.sources.erased import ErasedError, read_door
from memory_assets.sources.formats import clean, describe
from memory_assets.sources.formats.base import RawSource
from memory_assets.sources.policy import turns_json
from memory_assets.sources.source_rows import Row, source_row

Kind = Literal["source", "person", "owner"]
TEXT_KINDS = ("raw_content", "original_content", "content", "turns")
GIVEN = frozenset({"Source", "SourceText", "HeartbeatTask", "MemoryFile", "User", "Team", "Agent", "AgentKey"})
"""Labels of what people gave: its words are theirs, all other nodes are made of them or describe them."""


class ErasureError(MemoryAssetsError):
    """An erasure that cannot begin, or that has to be run again; says what to do."""


@dataclass(frozen=True)
class Asked:
    """What somebody wants erased, of whom."""

    kind: Kind
    owner: str
    what: tuple[str, ...] = ()
    """Sources by their ids or references, a person's name; nothing for an owner as a whole."""

    @property
    def name(self) -> str:
        """A person's name."""
        return " ".join(self.what)


@dataclass(frozen=True)
class Plan:
    """What goes: stored in HOME until it has gone, so that an erasure that was killed goes on; then it goes itself."""

    asked: Asked
    users: tuple[str, ...]
    """Whose derived state it is in."""
    source_ids: tuple[str, ...]
    ids: tuple[str, ...]
    """All nodes that go."""
    words: tuple[str, ...]
    """The words that only the erased had."""
    wordings: tuple[str, ...]
    """The phrases that only it had and that hold none of these words, and the words of what was made of it alone.
    A model may write them again of something else: what it does is nobody's secret."""
    names: tuple[str, ...]
    """A person's names that are redacted."""
    shared_names: tuple[str, ...]
    """Those that somebody else bears, too, and that stay."""
    nodes: dict[str, int]
    """How many nodes of each label go."""
    files: tuple[str, ...]
    """Where the files were that the sources came from."""
    published: dict[str, list[str]]
    """The files outside of HOME of an owner who is erased as a whole, and the digests that they may have of us."""

    def save(self, path: Path) -> None:
        """Write it for its owner alone, on disk when this returns."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(asdict(self), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)

    @classmethod
    def load(cls, path: Path) -> Plan | None:
        """The plan of an erasure that has not come to its end; None without one."""
        if not path.is_file():
            return None
        stored = json.loads(path.read_text(encoding="utf-8"))
        lists = {name: tuple(value) for name, value in stored.items() if isinstance(value, list)}
        return cls(**stored | lists | {"asked": Asked(**stored["asked"] | {"what": tuple(stored["asked"]["what"])})})


@dataclass(frozen=True)
class Seen:
    """The graph as a plan is made from it."""

    nodes: list[Node]
    properties: dict[str, dict[str, Any]]
    """Of what people gave, by id."""


def look(graph: Graph) -> Seen:
    """Every node, with the properties of those that people gave."""
    given: dict[str, dict[str, Any]] = {}

    def take(row: dict[str, Any]) -> Node:
        if GIVEN.intersection(row["labels"]):
            given[row["id"]] = row["properties"]
        return node_of(row)

    return Seen(graph.read_each("curation/list_everything", take), given)


def make_plan(graph: Graph, settings: Settings, asked: Asked, seen: Seen) -> Plan:
    """What goes for what is asked. Raises a :class:`MemoryAssetsError` where there is nothing to erase, or not so."""
    check_known(graph, settings, [asked.owner])
    own = [node for node in seen.nodes if node.owner == asked.owner]
    names: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    staying: set[str] = set()
    same: set[str] = set()  # the sources whose content does not name the person: they stay
    door = OPEN
    users = affected(graph, asked.owner)
    if asked.kind == "owner":
        sources = [node.id for node in own if node.label == "Source"]
        begin = {node.id for node in own if node.label != "Erasure"}
    elif asked.kind == "source":
        sources = sorted({_find_source(own, asked.owner, wanted) for wanted in asked.what})
        begin = {*sources, *texts_of_sources(asked.owner, sources)}
    else:
        names, shared = names_of(graph, settings, asked)
        door = read_door(graph, asked.owner).with_names(names)
        candidates = {node.id: seen.properties[node.id] for node in own if node.label == "Source"}
        replaced = {
            key: row
            for key in sorted(candidates)
            if (row := redacted_row(graph, settings, asked.owner, key, candidates[key], door))
        }
        sources = list(replaced)
        same = {key for key, row in replaced.items() if row["id"] == key and not candidates[key].get("grows")}
        going = set(sources) - same
        begin = {*going, *texts_of_sources(asked.owner, going)}
        staying = set().union(*(_terms_of(row) for row in replaced.values() if row["id"]))
        if not sources and not erase_from_sessions(settings.home, asked.owner, (), door, dry_run=True):
            raise UnknownReferenceError(f"No source of {asked.owner} names {asked.name!r}: there is nothing to erase.")
    links = Links.of(graph.read("curation/list_every_link", user_ids=sorted({asked.owner, *users})))
    concerned = [node for node in seen.nodes if node.owner in {asked.owner, *users}]
    gone = choose_gone(concerned, links, begin)
    tasks = {node.id for node in own if node.label in ("HeartbeatTask", "AgentKey") and asked.kind == "person"} | same
    said_in_tasks = set().union(*(worded(seen.properties[key], terms_in) for key in tasks))
    staying |= said_in_tasks - set().union(*map(terms_in, names))
    erased = set().union(*(worded(seen.properties[key], terms_in) for key in begin if key in seen.properties))
    erased |= set().union(*map(terms_in, (*names, asked.owner if asked.kind == "owner" else "")))
    for user in stored_owners(graph):
        if (user, asked.kind) == (asked.owner, "owner"):
            continue
        staying |= terms_in(user)  # it is in the paths of what is theirs
        if not is_team(user):
            staying |= session_terms(settings.home, user, sources, door if user == asked.owner else OPEN)
    for path in connections(settings, lambda user: (user, asked.kind) != (asked.owner, "owner")):
        staying |= terms_in(path.read_text(encoding="utf-8", errors="replace"))
    files = [
        row["path"]
        for row in graph.read("sources/list_source_files", user_id=asked.owner)
        if set(row["source_ids"]).intersection(sources)
    ]
    erased |= set().union(*map(words_in, files))
    # What is said of the redacted sources may be said as it was of the old ones: of a person it is no remnant.
    made = set() if asked.kind == "person" else _terms_of_made(graph, gone - seen.properties.keys()) - erased
    wanted = (erased | made) - staying - words_of_program() - words_in(str(settings.home))
    concerns = {node.id for node in concerned} - choose_untouched(concerned, links, gone)
    wanted -= _said_elsewhere(graph, gone | tasks, concerns, wanted)
    words = {term for term in wanted & erased if " " not in term}
    phrases = {term for term in wanted - words if words.isdisjoint(term.split())}
    phrases -= phrases_of_program(phrases)
    return Plan(
        *(asked, users, tuple(sorted(sources)), tuple(sorted(gone)), tuple(sorted(words)), tuple(sorted(phrases))),
        *(names, shared, counted(seen.nodes, gone), tuple(sorted(set(files)))),
        _published(graph, settings, asked.owner) if asked.kind == "owner" else {},
    )


def _published(graph: Graph, settings: Settings, owner: str) -> dict[str, list[str]]:
    """An owner's files outside of HOME, and the digests that they may have of us; none where nothing was published."""
    files = [file for file in added_files(graph, settings, owner) if not file.is_private]
    stages = {file.path: copy_stage(file.path) if file.kind == HEARTBEAT else file.publication_stage for file in files}
    announced = {path: find_stage(graph, owner, stage) or "" for path, stage in stages.items()}
    return {str(path): [digest for digest in said.split(",") if digest] for path, said in announced.items()}


def affected(graph: Graph, owner: str) -> tuple[str, ...]:
    """Whose derived state rests on an owner's sources: the owner's own, or the team's members'."""
    if not is_team(owner):
        return (owner,)
    return tuple(sorted(members_of(graph, stored_owners(graph), [owner])))


def _terms_of(row: Row) -> set[str]:
    """The terms of a source's row, as it came and as it is read."""
    read = clean(row["source_type"], row["raw_content"])
    texts = [row["raw_content"], read.content, turns_json(read), *(turn.text for turn in read.turns)]
    return worded({**row, "text": texts}, terms_in)


def _terms_of_made(graph: Graph, made: Collection[str]) -> set[str]:
    """The terms of nodes that were made of what goes."""

    def look_at(row: dict[str, Any]) -> set[str]:
        return worded(row["properties"], terms_in, MADE) if row["id"] in made else set()

    return set().union(*graph.read_each("curation/list_everything", look_at))


def _said_elsewhere(
    graph: Graph, gone: Collection[str], concerns: Collection[str], wanted: Collection[str]
) -> set[str]:
    """Which terms are in what people gave and that stays, or in anything that is not concerned."""

    def look_at(row: dict[str, Any]) -> set[str]:
        if row["id"] in gone:
            return set()
        if row["id"] in concerns:
            given = GIVEN.intersection(row["labels"])
            return worded(row["properties"], terms_in).intersection(wanted) if given else set()
        texts = (text for value in row["properties"].values() for text in texts_of(value))
        return set().union(*(terms_in(text).intersection(wanted) for text in texts))

    return set().union(*graph.read_each("curation/list_everything", look_at))


def phrases_of_program(wanted: Collection[str]) -> set[str]:
    """Which phrases the programs themselves write."""
    return set().union(*(phrases_in(text).intersection(wanted) for text in _texts_of_program())) if wanted else set()


@cache
def words_of_program() -> frozenset[str]:
    """The words that the programs themselves write: ours, and Dagster's. They say nothing about anybody's memory."""
    return frozenset().union(*map(words_in, _texts_of_program()))


def _texts_of_program() -> Iterator[str]:
    for folder in (PACKAGE, PACKAGE.parent / "cypher", Path(dg.__file__).parent):
        for path in folder.rglob("*"):
            if path.suffix in (".py", ".md", ".cypher", ".yaml"):
                yield path.read_text(encoding="utf-8", errors="replace").replace("_", " ")


_SAID_ONCE = (
    *("started_at", "ended_at", "owner_speaker", "message_id", "in_reply_to"),
    *("thread_id", "conversation_id", "channel"),
)


def raw_source(graph: Graph, owner: str, source_id: str, said: dict[str, Any]) -> RawSource:
    """A stored source as it was found, so far as the graph keeps it."""
    (stored,) = graph.read("sources/list_raw_contents", ids=[source_id], user_id=owner)
    if said.get("grows"):
        return describe(said["source_type"], stored["raw_content"])
    names = said.get("note_names") or [None]
    known: dict[str, Any] = {name: said.get(name) for name in _SAID_ONCE}
    known |= {name: tuple(said.get(name) or ()) for name in ("participants", "ancestors", "links")}
    known |= {"provenance": json.loads(said.get("provenance") or "{}"), "note_name": names[0]}
    return RawSource(SourceType(said["source_type"]), said["title"], stored["raw_content"], **known)


NOTHING_LEFT: Row = {"id": "", "raw_content": "", "path": ""}


def redacted_row(
    graph: Graph, settings: Settings, owner: str, source_id: str, said: dict[str, Any], door: Door
) -> Row | None:
    """A source's row without erased people; None where it names none, :data:`NOTHING_LEFT` where nothing is left."""
    source = raw_source(graph, owner, source_id, said)
    is_out_of_use = said.get("removed_at") is not None or said.get("withdrawn_at") is not None
    try:
        how = {"path": said["path"], "sensitivity": said["sensitivity"], "project": said.get("project")}
        row = source_row(source, owner=owner, now=settings.clock.now(), door=door, **how)
    except ErasedError:
        return NOTHING_LEFT
    same = all(row[name] == said[name] for name in ("content_hash", "title", "path"))
    same = same and not any(door.names_in(text) for name in WORDED for text in texts_of(said.get(name)))
    if not same and is_out_of_use:
        return NOTHING_LEFT  # nobody reads it: stored anew, it would be back
    return None if same and sorted(row["participants"]) == sorted(said.get("participants") or ()) else row


def names_of(graph: Graph, settings: Settings, asked: Asked) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A person's names, and of these those that somebody else bears, too."""
    if is_team(asked.owner):
        return (asked.name,), ()
    people = Names(graph, settings.clock, asked.owner).people()
    called = {person.id: {person.name, *(str(one["name"]) for one in person.variants)} for person in people}
    wanted = words_of(asked.name)
    meant = [person for person in people if any(words_of(name) == wanted for name in called[person.id])]
    if len(meant) > 1:
        several = "; ".join(f"{person.name} [{person.ref}]" for person in meant)
        raise ErasureError(f"{asked.name!r} means several people: {several}. Say a name that one of them bears alone.")
    if meant and meant[0].is_owner:
        raise ErasureError(f"{asked.name!r} is {asked.owner}: `memory-assets erase --owner {asked.owner}` erases all.")
    if not meant:
        return (asked.name,), ()
    borne = {" ".join(words_of(name)) for key, of in called.items() if key != meant[0].id for name in of}
    mine = {asked.name, *called[meant[0].id]}
    shared = {name for name in mine if " ".join(words_of(name)) in borne and words_of(name) != wanted}
    return tuple(sorted(mine - shared)), tuple(sorted(shared))


def texts_of_sources(owner: str, sources: Iterable[str]) -> set[str]:
    """The ids of the texts of some sources."""
    return {one for source in sources for one in source_text_ids(owner, source, *TEXT_KINDS).values()}


def _find_source(own: Iterable[Node], owner: str, wanted: str) -> str:
    for node in own:
        if node.label == "Source" and wanted in (node.id, reference(node.id)):
            return node.id
    raise UnknownReferenceError(
        f"No source {wanted!r} belongs to {owner}. `memory-assets sources` lists them with their owners."
    )
