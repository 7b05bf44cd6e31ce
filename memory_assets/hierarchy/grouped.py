"""What the sources of each anchor make up, in a file of the installation between runs, so that a run groups those alone
of which something has changed, and looks at no other storyline but those beside theirs.

A convenience: what is not in it, or not what the stage was completed with, is grouped from the graph.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.errors import MemoryAssetsError
from memory_assets.files.sqlite_file import SqliteFile
from memory_assets.hierarchy.policy import MOST_PER_ANCHOR
from memory_assets.hierarchy.stories import RULES, Anchor, Checkpoint, Named, Story, StorySource
from memory_assets.hierarchy.titles import Titled, stem

FILE = "groups.sqlite3"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS made (mark TEXT PRIMARY KEY, at TEXT, is_whole INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS named (id TEXT PRIMARY KEY, words TEXT, is_person INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS anchors (id TEXT PRIMARY KEY, last_at TEXT, known TEXT, checkpoints TEXT) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS anchors_by_time ON anchors (last_at);
CREATE TABLE IF NOT EXISTS stories (
  id TEXT PRIMARY KEY, anchor TEXT, founder TEXT, until TEXT, size INTEGER, first_at TEXT, last_at TEXT,
  is_told INTEGER DEFAULT 0, is_chosen INTEGER DEFAULT 0, is_named INTEGER DEFAULT 0,
  given_title TEXT, stem TEXT, title TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS stories_by_anchor ON stories (anchor, until);
CREATE INDEX IF NOT EXISTS stories_by_stem ON stories (stem);
CREATE TABLE IF NOT EXISTS contents (id TEXT PRIMARY KEY, made TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS story_sources (source TEXT, id TEXT, PRIMARY KEY (source, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS heads (id TEXT PRIMARY KEY, anchor TEXT) WITHOUT ROWID;
"""
TABLES = ("made", "named", "anchors", "stories", "contents", "story_sources", "heads")
_STORIES = """
SELECT s.id, s.is_told, c.made, a.id, a.known
FROM stories s JOIN contents c ON c.id = s.id JOIN anchors a ON a.id = s.anchor
"""
_THESE = "(SELECT value FROM json_each(?))"


class GroupFileError(MemoryAssetsError):
    """The file cannot be used."""


@dataclass(frozen=True)
class Group:
    """What is known of an anchor that was grouped: when the last of its sources was, from where on grouping can be
    resumed, and what it is called; without its sources and what they state.
    """

    anchor: Anchor
    last_at: datetime | None
    checkpoints: tuple[Checkpoint, ...] = ()
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, anchor: Anchor, checkpoints: tuple[Checkpoint, ...] = (), names: frozenset[str] = frozenset()) -> Group:
        """That of an anchor with its sources, all or from where it was resumed."""
        bare = Anchor(anchor.id, anchor.name, anchor.confidence, (), (), anchor.is_person, anchor.breadth)
        times = [source.started_at for source in anchor.sources if source.started_at]
        before = anchor.resumed.checkpoint.last_at if anchor.resumed else None
        return cls(bare, max(times, default=before), checkpoints, names)


@dataclass(frozen=True)
class News:
    """What a run has made otherwise than the file has it; storylines by their ids."""

    groups: Mapping[str, Group]
    """The anchors that were grouped again."""
    lost: Collection[str]
    """Those that are none any more."""
    named: Mapping[str, Named]
    """The names of people and entities that statements are compared without: of all, or of those that have changed."""
    made: Mapping[str, Story]
    """What they make up, all or since they were resumed."""
    stories: Mapping[str, Story]
    """Those of them that are new or include something else."""
    before: Mapping[str, Story]
    """Those that these replace, or that are there no more."""
    told: Mapping[str, bool] = field(default_factory=dict)
    """Which are told otherwise."""
    chosen: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By anchor, all of its storylines that are chosen."""

    def anchor_of(self, story: Story) -> Anchor:
        """The anchor of a storyline, as it is by now."""
        group = self.groups.get(story.anchor.id)
        return group.anchor if group else story.anchor


class GroupFile(SqliteFile):
    """The file of one user. Its reader has seen to it that it is of the graph's mark."""

    def __init__(self, folder: Path) -> None:
        def unusable(reason: str) -> GroupFileError:
            remedy = "It follows from the graph, and is made anew: is there room on the disk?"
            return GroupFileError(f"{folder / FILE} cannot be used: {reason}. {remedy}")

        super().__init__(folder / FILE, _SCHEMA, unusable)

    def is_made(self, mark: str | None) -> bool:
        """Whether a stage with this mark was completed with it."""
        return bool(mark) and bool(self._rows("SELECT 1 FROM made WHERE mark = ?", mark))

    def is_whole(self) -> bool:
        """Whether all that is chosen has been written."""
        return bool(self._rows("SELECT 1 FROM made WHERE is_whole"))

    def is_empty(self) -> bool:
        """Whether no run has made anything."""
        return not self._rows("SELECT 1 FROM made")

    def young(self, now: datetime) -> set[str]:
        """The anchors of which time alone may have made something else: with a source that was, or is, too young."""
        ((made_at,),) = self._rows("SELECT at FROM made")
        at = datetime.fromisoformat(made_at)
        since = to_iso(min(at, now) - RULES.older_than)
        return set() if at == now else self._ids("SELECT id FROM anchors WHERE last_at >= ?", since)

    def totals(self) -> tuple[int, int, int, int]:
        """How many anchors, storylines, chosen ones, and storylines in the graph there are."""
        counts = ("anchors", "stories", "stories WHERE is_chosen", "heads")
        anchors, stories, chosen, heads = (self._rows(f"SELECT count(*) FROM {what}")[0][0] for what in counts)
        return anchors, stories, chosen, heads

    def groups(self, ids: Iterable[str]) -> dict[str, Group]:
        """Those that are known of these anchors."""
        rows = self._rows(f"SELECT id, last_at, known, checkpoints FROM anchors WHERE id IN {_THESE}", _listed(ids))
        return {key: _read_group(key, *row) for key, *row in rows}

    def named(self, ids: Iterable[str]) -> dict[str, Named]:
        """The names, of these people and entities, that statements are compared without."""
        rows = self._rows(f"SELECT id, words, is_person FROM named WHERE id IN {_THESE}", _listed(ids))
        return {key: Named(frozenset(json.loads(words)), bool(is_person)) for key, words, is_person in rows}

    def stories_since(self, anchor: str, checkpoint: Checkpoint | None) -> dict[str, Story]:
        """The storylines of an anchor that its sources after a checkpoint may make up otherwise; without one all."""
        rows = (
            self._rows(f"{_STORIES} WHERE s.anchor = ?", anchor)
            if checkpoint is None
            else self._rows(
                f"{_STORIES} WHERE s.anchor = ? AND (s.until > ? OR s.founder IN {_THESE})",
                *(anchor, to_iso(checkpoint.at), _listed(checkpoint.counts)),
            )
        )
        return {key: _read_story(*row) for key, _, *row in rows}

    def stories_beside(self, story: Story) -> dict[str, tuple[Story, bool]]:
        """The storylines that share a source with one, and whether they are told."""
        sharing = f"SELECT id FROM story_sources WHERE source IN {_THESE}"
        rows = self._rows(f"{_STORIES} WHERE s.id IN ({sharing})", _listed(story.source_ids))
        return {key: (_read_story(*row), bool(is_told)) for key, is_told, *row in rows}

    def told(self, ids: Iterable[str]) -> set[str]:
        """Those of these storylines that are told."""
        return self._ids(f"SELECT id FROM stories WHERE is_told AND id IN {_THESE}", _listed(ids))

    def best(self, anchor: str, but: Collection[str]) -> dict[str, Story]:
        """The storylines of an anchor that are told and may be chosen, without some."""
        order = "ORDER BY s.size DESC, s.last_at DESC, s.founder LIMIT ?"
        told = f"{_STORIES} WHERE s.anchor = ? AND s.is_told AND s.id NOT IN {_THESE}"
        return {
            key: _read_story(*row)
            for key, _, *row in self._rows(f"{told} {order}", anchor, _listed(but), MOST_PER_ANCHOR)
        }

    def chosen(self, anchors: Iterable[str]) -> set[str]:
        """The chosen storylines of these anchors."""
        return self._ids(f"SELECT id FROM stories WHERE is_chosen AND anchor IN {_THESE}", _listed(anchors))

    def unnamed(self) -> set[str]:
        """The chosen storylines that have no words yet, or others."""
        return self._ids("SELECT id FROM stories WHERE is_chosen AND NOT is_named")

    def stories(self, ids: Iterable[str]) -> dict[str, Story]:
        """These storylines."""
        return {
            key: _read_story(*row) for key, _, *row in self._rows(f"{_STORIES} WHERE s.id IN {_THESE}", _listed(ids))
        }

    def stems(self, ids: Iterable[str]) -> set[str]:
        """The stems of the titles that these storylines were given."""
        return self._ids(f"SELECT stem FROM stories WHERE stem IS NOT NULL AND id IN {_THESE}", _listed(ids))

    def worded(self) -> int:
        """How many of the chosen storylines have their words."""
        return int(self._rows("SELECT count(*) FROM stories WHERE is_chosen AND is_named")[0][0])

    def worded_of(self, *, ids: Iterable[str] = (), anchors: Iterable[str] = ()) -> set[str]:
        """Those of them that are among some, or of some anchors."""
        these = f"(id IN {_THESE} OR anchor IN {_THESE})"
        return self._ids(
            f"SELECT id FROM stories WHERE is_chosen AND is_named AND {these}", _listed(ids), _listed(anchors)
        )

    def titles(self, stems: Iterable[str]) -> dict[str, tuple[Titled, str]]:
        """What those that have their words, and a title with one of these stems, were given, and what they are called:
        two that can be called the same have one stem.
        """
        rows = self._rows(
            "SELECT s.id, s.given_title, json_extract(a.known, '$[0]'), s.first_at, s.last_at, s.title "
            f"FROM stories s JOIN anchors a ON a.id = s.anchor WHERE s.is_chosen AND s.is_named AND s.stem IN {_THESE}",
            _listed(stems),
        )
        return {
            key: (Titled(given, anchor, _instant(first), _instant(last)), title)
            for key, given, anchor, first, last, title in rows
        }

    def unchosen_heads(self) -> dict[str, str]:
        """The storylines in the graph that are not chosen any more, with their anchors."""
        chosen = "SELECT 1 FROM stories s WHERE s.id = h.id AND s.is_chosen"
        return dict(map(tuple, self._rows(f"SELECT h.id, h.anchor FROM heads h WHERE NOT EXISTS ({chosen})")))

    def heads(self, *, of: Iterable[str] = (), ids: Iterable[str] = ()) -> dict[str, str]:
        """The storylines in the graph, with their anchors: those of some anchors, and some by id."""
        wanted = f"SELECT id, anchor FROM heads WHERE anchor IN {_THESE} OR id IN {_THESE}"
        return dict(map(tuple, self._rows(wanted, _listed(of), _listed(ids))))

    def having(self, anchors: Iterable[str], but: Iterable[str]) -> set[str]:
        """Those of these anchors that have storylines, chosen or not; without some."""
        having = f"SELECT DISTINCT anchor FROM stories WHERE anchor IN {_THESE} AND id NOT IN {_THESE}"
        return self._ids(having, _listed(anchors), _listed(but))

    def begin(self, heads: Mapping[str, str]) -> None:
        """Forget all but which storylines are in the graph."""
        with self.transaction() as connection:
            _clear(connection)
            connection.executemany("INSERT INTO heads VALUES (?, ?)", heads.items())

    def save(
        self,
        news: News,
        named: Mapping[str, tuple[str, str]],
        unnamed: Collection[str],
        retired: Collection[str],
        made: tuple[str, datetime, bool],
        after: str | None,
    ) -> None:
        """Write what a run has made ``after`` what another had, with the given titles and the titles of what is
        ``named``, and what it was ``made`` as; nothing is left where yet another has written in between.
        """
        with self.transaction() as connection:
            marks = [row[0] for row in connection.execute("SELECT mark FROM made")]
            if marks != ([after] if after else []):
                _clear(connection)
                return
            _save(connection, news)
            run = connection.executemany
            run("UPDATE stories SET is_named = 0 WHERE id = ?", ((key,) for key in unnamed))
            run(
                "UPDATE stories SET is_named = 1, given_title = ?, stem = ?, title = ? WHERE id = ?",
                ((given, stem(given), title, key) for key, (given, title) in named.items()),
            )
            run("INSERT OR REPLACE INTO heads SELECT id, anchor FROM stories WHERE id = ?", ((key,) for key in named))
            run("DELETE FROM heads WHERE id = ?", ((key,) for key in retired))
            mark, at, is_whole = made
            connection.execute("DELETE FROM made")
            connection.execute("INSERT INTO made VALUES (?, ?, ?)", (mark, at.isoformat(), is_whole))

    def remove(self) -> None:
        """Remove the file and what SQLite keeps beside it."""
        self.close()
        for ending in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + ending).unlink(missing_ok=True)

    def _rows(self, sql: str, *given: Any) -> list[Any]:
        with self.reading() as connection:
            return connection.execute(sql, given).fetchall()

    def _ids(self, sql: str, *given: Any) -> set[str]:
        return {row[0] for row in self._rows(sql, *given)}


@contextmanager
def opened(folder: Path | None, mark: str | None) -> Iterator[tuple[GroupFile, bool]]:
    """The file of a folder, and whether it is what the stage was completed with; else it is made anew, and so is one
    that could not be read, when it is opened next. Without a folder, or where there can be none, one for the time
    being.
    """
    with TemporaryDirectory() as passing:
        file, is_made = GroupFile(folder or Path(passing)), False
        with suppress(GroupFileError):
            is_made = file.is_made(mark)
        if not is_made:
            try:
                file.remove()
                file.is_empty()
            except (GroupFileError, OSError):
                file = GroupFile(Path(passing))
        try:
            yield file, is_made
        except (GroupFileError, ValueError):
            with suppress(OSError):
                file.remove()
            raise
        finally:
            file.close()


def _clear(connection: sqlite3.Connection) -> None:
    for table in TABLES:
        connection.execute(f"DELETE FROM {table}")


def _save(connection: sqlite3.Connection, news: News) -> None:
    run = connection.executemany
    gone = [(key,) for key in news.before.keys() - news.stories.keys()]
    run("DELETE FROM stories WHERE id = ?", gone)
    run("DELETE FROM contents WHERE id = ?", gone)
    run(
        "DELETE FROM story_sources WHERE source = ? AND id = ?",
        ((source, key) for key, story in news.before.items() for source in story.source_ids),
    )
    run("DELETE FROM anchors WHERE id = ?", ((key,) for key in news.lost))
    run("DELETE FROM named WHERE id = ?", ((key,) for key in {*news.lost, *news.groups} - news.named.keys()))
    run(
        "INSERT OR REPLACE INTO named VALUES (?, ?, ?)",
        ((key, _listed(one.words), one.is_person) for key, one in news.named.items()),
    )
    run("INSERT OR REPLACE INTO anchors VALUES (?, ?, ?, ?)", map(_group_row, news.groups.values()))
    run(
        "INSERT INTO stories (id, anchor, founder, until, size, first_at, last_at) VALUES (?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (id) DO UPDATE SET until = excluded.until, size = excluded.size, first_at = excluded.first_at, "
        "last_at = excluded.last_at, is_named = 0",
        (_story_row(key, story) for key, story in news.stories.items()),
    )
    run("INSERT OR REPLACE INTO contents VALUES (?, ?)", ((key, _made(story)) for key, story in news.stories.items()))
    run(
        "INSERT INTO story_sources VALUES (?, ?)",
        ((source, key) for key, story in news.stories.items() for source in story.source_ids),
    )
    run("UPDATE stories SET is_told = ? WHERE id = ?", ((is_told, key) for key, is_told in news.told.items()))
    run("UPDATE stories SET is_chosen = 0 WHERE is_chosen AND anchor = ?", ((key,) for key in news.chosen))
    run(
        "UPDATE stories SET is_chosen = 1 WHERE id = ?",
        ((key,) for chosen in news.chosen.values() for key in sorted(chosen)),
    )
    run(
        "UPDATE stories SET is_named = 0, given_title = NULL, stem = NULL, title = NULL "
        "WHERE anchor = ? AND NOT is_chosen AND (is_named OR title IS NOT NULL)",
        ((key,) for key in news.chosen),
    )


def _listed(given: Iterable[str]) -> str:
    return json.dumps(sorted(given))


def _group_row(group: Group) -> tuple[Any, ...]:
    one = group.anchor
    checkpoints = [[to_iso(at.at), to_iso(at.last_at), at.counts, at.waiting] for at in group.checkpoints]
    known = [one.name, one.confidence, one.is_person, one.breadth, sorted(group.names)]
    return one.id, to_iso(group.last_at), json.dumps(known), json.dumps(checkpoints)


def _read_group(key: str, last_at: str | None, known: str, checkpoints: str) -> Group:
    resumable = tuple(
        Checkpoint(
            *(datetime.fromisoformat(at), datetime.fromisoformat(last), counts),
            tuple((source, statement) for source, statement in waiting),
        )
        for at, last, counts, waiting in json.loads(checkpoints)
    )
    return Group(_read_anchor(key, known), _instant(last_at), resumable, frozenset(json.loads(known)[-1]))


def _read_anchor(key: str, known: str) -> Anchor:
    name, confidence, is_person, breadth, _ = json.loads(known)
    return Anchor(key, name, confidence, (), (), is_person, breadth)


def _story_row(key: str, story: Story) -> tuple[Any, ...]:
    times = (to_iso(story.first_at), to_iso(story.last_at))
    return key, story.anchor.id, story.founder, to_iso(story.until), len(story.sources), *times


def _made(story: Story) -> str:
    places = {source.id: place for place, source in enumerate(story.sources)}
    stated = [[places[source], statement] for source, statement in story.statements]
    return json.dumps([[[one.id, to_iso(one.started_at)] for one in story.sources], stated])


def _read_story(made: str, key: str, known: str) -> Story:
    given, stated = json.loads(made)
    sources = tuple(StorySource(one, _instant(at)) for one, at in given)
    return Story(_read_anchor(key, known), sources, tuple((sources[place].id, one) for place, one in stated))


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
