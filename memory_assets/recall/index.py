"""The words of one user's readable sources in a folder of the installation: made from the graph, never its owner.

Tantivy finds candidates (each passage with its own words and its neighbours'); what ranks them is read from columns
mapped into memory (:mod:`columns`); texts, sources and how often each term occurs are in SQLite, whose commit is the
one moment at which a change is there. What a kill leaves of a change before that moment is overwritten by the next one.
The folder can be removed at any time: the next recall makes it again.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import tantivy
from filelock import FileLock

from memory_assets.errors import MemoryAssetsError
from memory_assets.files.sqlite_file import SqliteFile
from memory_assets.llm.local_embedder import WIDTH, LocalEmbedder
from memory_assets.llm.tokens import count_tokens
from memory_assets.privacy.projects import Within
from memory_assets.recall import policy, ranking
from memory_assets.recall.columns import Columns
from memory_assets.recall.likenesses import Likenesses
from memory_assets.recall.policy import Found, Passage, RecallRules
from memory_assets.recall.ranking import Candidates, Query
from memory_assets.text.words import rarity

VERSION = 5
"""Raise it when the same source would be indexed differently."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sources (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  mark TEXT NOT NULL,
  first INTEGER NOT NULL,
  count INTEGER NOT NULL,
  project TEXT
);
CREATE TABLE IF NOT EXISTS passages (
  number INTEGER PRIMARY KEY, turn INTEGER NOT NULL, speaker INTEGER, said_at TEXT, text TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS speakers (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS terms (term INTEGER PRIMARY KEY, passages INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS gone (number INTEGER PRIMARY KEY);
"""
RECIPE = f"{VERSION}/{LocalEmbedder.name}"
"""An index that was made with another one is made anew."""
_HEAP = 50_000_000
_MOST_LOOKED_AT = 20_000
"""Passages whose names are compared with one that nobody has said."""
_WORD = re.compile(r"[^\W\d_]+")
_MOST_SOURCES_KNOWN = 50_000
_MOST_TERMS_OF_ONE = 65_535
NO_DAY = -1_000_000
"""The day of unknown times: before all others."""
OF_NONE = " "
"""The name under which what is of no project is indexed: no project can have it."""
_EPOCH = date(1970, 1, 1).toordinal()


class IndexFileError(MemoryAssetsError):
    """The index cannot be used."""


class SourceText(NamedTuple):
    """What is indexed of a source: ``mark`` says what it was made from."""

    mark: str
    started_at: datetime | None
    passages: Sequence[Passage]
    project: str | None = None


@dataclass(frozen=True)
class Span:
    """What a search is restricted to: days (both included), names that are said in a passage or beside it, and a
    ``project``, which includes what is of no project.
    """

    since: date | None = None
    until: date | None = None
    about: tuple[str, ...] = ()
    project: str | None = None

    @property
    def is_all(self) -> bool:
        """Whether neither days nor names restrict it."""
        return not (self.since or self.until or self.about)

    def has(self, day: date | None) -> bool:
        """Whether a day is one of these; one that nobody knows comes before all others."""
        if day is None:
            return self.since is None
        return (self.since or day) <= day <= (self.until or day)


ALL = Span()


def span_of(within: Within | None) -> Span:
    """All that was said in that project, or in none."""
    return ALL if within is None else Span(project=within.project)


class PassageIndex:
    """One user's index in ``folder``; one process writes at a time, while others read."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self._file = SqliteFile(self.folder / "passages.sqlite3", _SCHEMA, self._unusable)
        self._columns = Columns(self.folder, WIDTH)
        self._words: tantivy.Index | None = None
        self._searcher: Any = None
        self._generation = -1
        self._speakers: dict[int, str] = {}
        self._sources: dict[int, tuple[str, str | None]] = {}
        """Sources that were looked up in this generation: the id and the project of each, by its number."""
        self._embedder = LocalEmbedder()

    def is_gone(self) -> bool:
        """Whether the file was replaced since it was opened."""
        return self._file.is_gone()

    def recipe(self) -> str | None:
        """What code and embedder it was made with; None of a new one."""
        return self._facts().get("recipe")

    def begin(self) -> None:
        """Record that it is made with this code and embedder."""
        with self._file.transaction() as connection:
            _set(connection, {"recipe": RECIPE})

    def lock(self) -> FileLock:
        """The lock that a writer holds."""
        self.folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return FileLock(f"{self.folder}.lock", mode=0o600)

    def mark(self) -> tuple[str | None, float]:
        """What the whole was last brought up to date with, and when (seconds of the machine since it began); with
        nothing where it was made by other code or another embedder.
        """
        facts = self._facts()
        return facts.get("mark") if facts.get("recipe") == RECIPE else None, float(facts.get("looked_at") or 0)

    def set_mark(self, mark: str, looked_at: float = 0) -> None:
        """Record what the whole is up to date with."""
        with self._file.transaction() as connection:
            _set(connection, {"mark": mark, "looked_at": looked_at})

    def marks(self, ids: Sequence[str] | None = None) -> dict[str, str]:
        """What each indexed source was indexed from; of these, where some are given."""
        with self._file.reading() as connection:
            if ids is None:
                return {row["id"]: row["mark"] for row in connection.execute("SELECT id, mark FROM sources")}
            asked = "SELECT mark FROM sources WHERE id = ?"
            found = {name: connection.execute(asked, (name,)).fetchone() for name in ids}
            return {name: row["mark"] for name, row in found.items() if row is not None}

    def size(self) -> dict[str, int]:
        """How many sources and passages it holds, and the bytes of its files."""
        facts = self._facts()
        with self._file.reading() as connection:
            sources = connection.execute("SELECT count(*) AS n FROM sources").fetchone()["n"]
        size = sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        return {"sources": sources, "passages": int(facts.get("living", 0)), "bytes": size}

    def changed_at(self) -> datetime | None:
        """When something was indexed or dropped last, as its files say; None of a new one."""
        try:
            return datetime.fromtimestamp((self.folder / "words" / "meta.json").stat().st_mtime, UTC)
        except OSError:
            return None

    def is_wasteful(self) -> bool:
        """Whether most of what the files hold is of sources that are gone: then it is better made anew."""
        facts = self._facts()
        return int(facts.get("rows", 0)) > 10_000 + 2 * int(facts.get("living", 0))

    def clear(self) -> None:
        """Remove all of it."""
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def replace(self, sources: Mapping[str, SourceText], gone: Iterable[str] = ()) -> None:
        """Index these sources and drop those that are ``gone``, in one step for readers; under the lock."""
        facts = self._facts()
        rows, terms = int(facts.get("rows", 0)), int(facts.get("terms", 0))
        with self._file.reading() as connection:
            known = {row["name"]: row["number"] for row in connection.execute("SELECT number, name FROM speakers")}
            dead = [row["number"] for row in connection.execute("SELECT number FROM gone")]
            last = connection.execute("SELECT coalesce(max(number), 0) AS n FROM sources").fetchone()["n"]
        last = max(last, int(facts.get("last_source", 0)))
        writer = self._open_words().writer(_HEAP, 1)
        schema = _words_schema()
        # What was written by somebody who did not come to the end, and what is gone since.
        writer.delete_documents_by_query(tantivy.Query.range_query(schema, "number", _U64, rows, None))
        for number in dead:
            writer.delete_documents_by_query(tantivy.Query.range_query(schema, "source", _U64, number, number))
        counts: Counter[int] = Counter()
        made: list[tuple[Any, ...]] = []
        texts: list[tuple[Any, ...]] = []
        batch = _Batch(rows, terms)
        for identifier, one in sources.items():
            last += 1
            made.append((last, identifier, one.mark, batch.row, len(one.passages), one.project))
            for number, document in batch.add(last, one, known, counts):
                writer.add_document(tantivy.Document.from_dict({"number": number} | document, schema))
            texts += batch.texts
            batch.texts = []
        vectors = self._embedder.embed(batch.spoken, asset="recall_index", user_id="")
        self._columns.append(rows, terms, batch.rows, batch.terms, vectors)
        writer.commit()
        writer.wait_merging_threads()
        replaced = [*gone, *sources]
        with self._file.transaction() as connection:
            old = [
                row
                for name in replaced
                for row in connection.execute("SELECT number, first, count FROM sources WHERE id = ?", (name,))
            ]
            living = int(facts.get("living", 0)) + len(batch.rows) - sum(row["count"] for row in old)
            lengths = int(facts.get("length", 0)) + len(batch.terms)
            for row in old:
                places = range(row["first"], row["first"] + row["count"])
                for found in self._columns.terms_of(places, rows, terms):
                    counts.subtract(set(found.tolist()))
                    lengths -= len(found)
                connection.execute("DELETE FROM passages WHERE number BETWEEN ? AND ?", (places.start, places.stop - 1))
                connection.execute("DELETE FROM sources WHERE number = ?", (row["number"],))
            connection.execute("DELETE FROM gone")
            connection.executemany("INSERT INTO gone (number) VALUES (?)", [(row["number"],) for row in old])
            named = [(number, name) for name, number in known.items()]
            connection.executemany("INSERT OR IGNORE INTO speakers (number, name) VALUES (?, ?)", named)
            connection.executemany("INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?)", made)
            connection.executemany("INSERT INTO passages VALUES (?, ?, ?, ?, ?)", texts)
            connection.executemany(
                "INSERT INTO terms (term, passages) VALUES (?, ?)"
                " ON CONFLICT (term) DO UPDATE SET passages = passages + excluded.passages",
                [(term, count) for term, count in counts.items() if count],
            )
            connection.execute("DELETE FROM terms WHERE passages <= 0")
            now = {"rows": batch.row, "terms": batch.term, "living": living, "length": lengths, "last_source": last}
            _set(connection, now | {"generation": int(facts.get("generation", 0)) + 1})

    def search(
        self,
        question: str,
        span: Span = ALL,
        rules: RecallRules = policy.RULES,
        limit: int = policy.MOST_FOUND,
        model: ranking.Model | None = None,
        owner: Set[str] = frozenset(),
    ) -> policy.Answered:
        """The passages that most likely answer a question, best first, at most ``limit``; and how sure that is.

        ``owner``: the words of the names of whose memory it is. Every passage is about them: they find none.
        """
        model = model or ranking.learned()
        with self._file.reading() as connection:
            connection.execute("BEGIN")
            try:
                if (seen := self._seen(connection, question, span, rules, owner)) is None:
                    return policy.Answered((), 0.0)
                numbers, ids, found, query = seen
                scores, confidence = ranking.score(
                    found, query, model, lambda best: self._near(connection, numbers[best], query)
                )
                turns = self._turns(connection, numbers)
                scores = ranking.turns_first(scores, found.source, turns, found.place)
                names = np.array([ids[source] for source in found.source.tolist()])
                order = np.lexsort((found.place, names, -scores))[:limit]
                passages = self._passages(connection, numbers[order], ids, scores[order])
                return policy.Answered(tuple(passages), confidence, confidence >= ranking.LEAST_SURE)
            finally:
                connection.execute("COMMIT")

    def candidates(
        self, question: str, owner: Set[str] = frozenset()
    ) -> tuple[Candidates, Query, list[tuple[str, int]]] | None:
        """What the ranking sees of a question, and the source and turn of each candidate: for its training."""
        with self._file.reading() as connection:
            if (seen := self._seen(connection, question, ALL, policy.RULES, owner)) is None:
                return None
            numbers, ids, found, query = seen
            turns = self._turns(connection, numbers).tolist()
        return found, query, [(ids[source], turn) for source, turn in zip(found.source.tolist(), turns, strict=True)]

    def likely_meant(self, names: Sequence[str], project: str | None = None) -> list[str]:
        """What those of some names that nobody has said likely mean: words with a capital in the latest passages of
        that project and of none, and speakers; whether any of them may be shown is not checked.
        """
        with self._file.reading() as connection:
            marks = "SELECT 1 FROM terms WHERE term = ?"
            unknown = [
                word
                for name in names
                for word in _WORD.findall(name)
                if any(
                    connection.execute(marks, (crc32(term.encode()),)).fetchone() is None
                    for one in policy.words_of(word)
                    for term in policy.query_terms(one)
                )
            ]
            rows = connection.execute(
                "SELECT p.text, k.name FROM (SELECT first, count FROM sources"
                " WHERE ? IS NULL OR project IS NULL OR project = ? ORDER BY number DESC LIMIT ?) AS s"
                " CROSS JOIN passages AS p ON p.number BETWEEN s.first AND s.first + s.count - 1"
                " LEFT JOIN speakers AS k ON k.number = p.speaker LIMIT ?",
                (project, project, *2 * [_MOST_LOOKED_AT if unknown else 0]),
            )
            said = {word for row in rows for part in row if part for word in _WORD.findall(part) if word[0].isupper()}
        return list(dict.fromkeys(one for word in unknown for one in policy.likely_meant(word, said)))

    def saying(self, name: str, span: Span) -> list[Found]:
        """The passages of a span that say a name, or that a speaker of this name says."""
        words = set(policy.words_of(name))
        found = self.search(name, replace(span, about=(name,))).found
        return [one for one in found if words.issubset(policy.words_of(policy.spoken(one)))]

    def beginnings(self, ids: Sequence[str]) -> dict[str, str]:
        """The first passage of each of these sources, by its id; nothing of what is not indexed."""
        marks = ",".join("?" * len(ids))
        asked = (
            f"SELECT s.id, p.text FROM sources AS s JOIN passages AS p ON p.number = s.first WHERE s.id IN ({marks})"
        )
        with self._file.reading() as connection:
            return {row["id"]: row["text"] for row in connection.execute(asked, ids)}

    def of_turns(self, turns: Iterable[tuple[str, int]], around: int) -> list[Found]:
        """The passages of these turns of their sources, and so many turns before and after them; scored by nearness."""
        best: dict[tuple[str, int], Found] = {}
        with self._file.reading() as connection:
            for source_id, turn in turns:
                rows = connection.execute(
                    "SELECT s.id AS source_id, p.number - s.first AS place, p.turn, k.name AS speaker, p.said_at,"
                    " p.text,"
                    " 1.0 / (1 + abs(p.turn - ?)) AS score FROM sources AS s"
                    " JOIN passages AS p ON p.number BETWEEN s.first AND s.first + s.count - 1"
                    " LEFT JOIN speakers AS k ON k.number = p.speaker"
                    " WHERE s.id = ? AND p.turn BETWEEN ? AND ? ORDER BY place",
                    (turn, source_id, turn - around, turn + around),
                )
                for row in rows:
                    passage = Found(**dict(row))
                    key = passage.source_id, passage.place
                    if key not in best or best[key].score < passage.score:
                        best[key] = passage
        return sorted(best.values(), key=lambda p: (-p.score, p.source_id, p.place))

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        self._columns.close()
        self._words = self._searcher = None
        self._generation = -1

    def _seen(
        self, connection: Any, question: str, span: Span, rules: RecallRules, owner: Set[str]
    ) -> tuple[np.ndarray, dict[int, str], Candidates, Query] | None:
        """What the ranking sees of a question: the passages' numbers, their sources' ids, and what is read of them."""
        facts = self._facts()
        if not facts.get("living"):
            return None
        self._reload(connection, facts)
        query = self._query(connection, question, facts, owner)
        numbers, ids = self._living(connection, self._candidates(query, span, rules, facts), span.project)
        return (numbers, ids, self._read(numbers, query), query) if len(numbers) else None

    def _facts(self) -> dict[str, Any]:
        with self._file.reading() as connection:
            return {row["name"]: row["value"] for row in connection.execute("SELECT name, value FROM facts")}

    def _unusable(self, reason: str) -> Exception:
        return IndexFileError(
            f"The index {self.folder} cannot be used: {reason}. It follows from the graph: remove it, and recall again."
        )

    def _open_words(self) -> tantivy.Index:
        if self._words is None:
            folder = self.folder / "words"
            try:
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                self.folder.chmod(0o700)
                self._words = tantivy.Index(_words_schema(), path=str(folder))
                self._words.register_tokenizer("spaced", _SPACED)
            except (ValueError, OSError) as error:
                raise self._unusable(str(error)) from error
        return self._words

    def _reload(self, connection: Any, facts: Mapping[str, Any]) -> None:
        generation = int(facts["generation"])
        if self._generation != generation:
            words = self._open_words()
            words.reload()
            self._searcher = words.searcher()
            if self._searcher.num_docs < int(facts["living"]):
                raise self._unusable("words are missing")
            rows = connection.execute("SELECT number, name FROM speakers")
            self._speakers = {row["number"]: row["name"] for row in rows}
            self._columns.open(int(facts["rows"]), int(facts["terms"]))
            self._sources = {}
            self._generation = generation

    def _query(self, connection: Any, question: str, facts: Mapping[str, Any], owner: Set[str]) -> Query:
        rare = {
            term: rarity(word.replace(" ", ""))
            for word in policy.search_terms(question, owner=owner)
            for term in policy.query_terms(word)
        }
        hashes = {crc32(term.encode()): term for term in rare}
        known: dict[int, int] = {}
        if hashes:
            marks = ",".join("?" * len(hashes))
            found = connection.execute(f"SELECT term, passages FROM terms WHERE term IN ({marks})", list(hashes))
            known = {row["term"]: row["passages"] for row in found}
        asked = set(policy.words_of(question))
        named = {number: names for number, name in self._speakers.items() if (names := policy.name_words(name) & asked)}
        if own := policy.names_in(question, owner):  # of a chat with a model its user is the owner
            named |= {at: own for at, name in self._speakers.items() if name.casefold() in policy.ROLES_OF_USERS}
        names = own.union(*named.values())
        meant = policy.telling_words(question, names)
        (vector,) = self._embedder.embed([meant], asset="recall", user_id="")
        living = int(facts["living"])
        return Query(
            question=question,
            terms=dict(sorted(hashes.items())),
            passages=np.array([known.get(term, 0) for term in sorted(hashes)], dtype=np.int64),
            rarity=np.array([rare[hashes[term]] for term in sorted(hashes)]),
            living=living,
            mean_length=max(1.0, int(facts["length"]) / living),
            vector=vector,
            speakers=np.array(list(named), dtype=np.uint32),
            names_owner=bool(own),
            words=tuple(words := policy.meant_words(question, names)),
            worth=np.array([rarity(word) for word in words]),
        )

    def _candidates(self, query: Query, span: Span, rules: RecallRules, facts: Mapping[str, Any]) -> np.ndarray:
        """The numbers of the passages that are ranked: of few all that are there, else the best by words."""
        rows = int(facts["rows"])
        if span.is_all and rows <= rules.all_of:
            return np.arange(rows, dtype=np.int64)
        numbers = self._best_by_words(query.terms.values(), span, rules)
        return numbers[numbers < rows]

    def _best_by_words(self, words: Iterable[str], span: Span, rules: RecallRules) -> np.ndarray:
        schema, q, occur = _words_schema(), tantivy.Query, tantivy.Occur
        any_of = [
            q.boost_query(q.term_query(schema, name, word, index_option="freq"), boost)
            for word in words
            for name, boost in (("own", 1.0), ("near", rules.near_boost))
        ]
        if any_of and span != ALL or not span.is_all:
            within = []
            if span.project is not None:
                either = [(occur.Should, q.term_query(schema, "project", name)) for name in (span.project, OF_NONE)]
                within.append((occur.Must, q.boolean_query(either)))
            if span.since or span.until:
                first = _day(span.since) if span.since else NO_DAY - 1
                last = _day(span.until) if span.until else 10_000_000
                within.append((occur.Must, q.range_query(schema, "day", tantivy.FieldType.Integer, first, last)))
            for name in span.about:
                for word in policy.words_of(name):
                    for term in policy.query_terms(word):
                        either = [(occur.Should, q.term_query(schema, one, term)) for one in ("own", "near")]
                        within.append((occur.Must, q.boolean_query(either)))
            should = [(occur.Should, one) for one in any_of]
            wanted = q.boolean_query([*((o, q.const_score_query(w, 0.0)) for o, w in within), *should])
        elif any_of:
            wanted = q.boolean_query([(occur.Should, one) for one in any_of])
        else:
            return np.zeros(0, dtype=np.int64)
        hits = self._searcher.search(wanted, limit=rules.candidates, count=False).hits
        found = self._searcher.fast_field_values("number", [address for _, address in hits])
        return np.array(sorted(found), dtype=np.int64)

    def _living(
        self, connection: Any, numbers: np.ndarray, project: str | None = None
    ) -> tuple[np.ndarray, dict[int, str]]:
        """Those of the passages whose sources are there, and in the project; and the sources' ids by their numbers."""
        sources = self._columns.sources(numbers)
        asked = np.unique(sources).tolist()
        if len(self._sources) > _MOST_SOURCES_KNOWN:
            self._sources = {}
        known = self._sources
        if unknown := [number for number in asked if number not in known]:
            marks = ",".join("?" * len(unknown))
            rows = connection.execute(f"SELECT number, id, project FROM sources WHERE number IN ({marks})", unknown)
            known |= {row["number"]: (row["id"], row["project"]) for row in rows}
        found = {number: known[number] for number in asked if number in known}
        ids = {number: name for number, (name, of) in found.items() if project is None or of in (None, project)}
        return numbers[np.isin(sources, list(ids))], ids

    def _read(self, numbers: np.ndarray, query: Query) -> Candidates:
        return self._columns.read(
            numbers, np.fromiter(query.terms, dtype=np.uint32, count=len(query.terms)), ranking.REACH
        )

    def _near(self, connection: Any, numbers: np.ndarray, query: Query) -> np.ndarray:
        asked = "SELECT text FROM passages WHERE number = ?"
        texts = [connection.execute(asked, (number,)).fetchone()["text"] for number in numbers.tolist()]
        return Likenesses(texts).near(query.words)

    def _turns(self, connection: Any, numbers: np.ndarray) -> np.ndarray:
        """The turns that some passages are of."""
        marks = ",".join("?" * len(numbers))
        asked = f"SELECT number, turn FROM passages WHERE number IN ({marks})"
        turns = {row["number"]: row["turn"] for row in connection.execute(asked, numbers.tolist())}
        return np.array([turns[number] for number in numbers.tolist()])

    def _passages(
        self, connection: Any, numbers: np.ndarray, ids: Mapping[int, str], scores: np.ndarray
    ) -> Iterable[Found]:
        marks = ",".join("?" * len(numbers))
        asked = f"SELECT number, turn, speaker, said_at, text FROM passages WHERE number IN ({marks})"
        rows = {row[0]: tuple(row) for row in connection.execute(asked, numbers.tolist())}
        heads = self._columns.heads(numbers)
        of = (numbers, heads["source"], heads["place"], scores, heads["tokens"])
        for number, source, place, score, tokens in zip(*(values.tolist() for values in of), strict=True):
            _, turn, speaker, said_at, text = rows[number]
            yield Found(ids[source], place, turn, self._speakers.get(speaker), said_at, text, score, tokens)


_U64 = tantivy.FieldType.Unsigned
_SPACED = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()


def _words_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("own", "near"):
        builder.add_text_field(name, tokenizer_name="spaced", index_option="freq")
    for name in ("number", "source"):
        builder.add_unsigned_field(name, fast=name == "number", indexed=True)
    builder.add_integer_field("day", fast=True, indexed=True)
    builder.add_text_field("project", tokenizer_name="raw", index_option="basic")
    return builder.build()


class _Batch:
    """The columns of some sources while they are made: from ``row`` and ``term`` on."""

    def __init__(self, row: int, term: int) -> None:
        self.row, self.term = row, term
        self.rows: list[tuple[int, ...]] = []
        self.terms: list[int] = []
        self.spoken: list[str] = []
        self.texts: list[tuple[Any, ...]] = []

    def add(
        self, source: int, one: SourceText, speakers: dict[str, int], counts: Counter[int]
    ) -> Iterable[tuple[int, dict[str, Any]]]:
        """Add a source; the document for tantivy of each passage, by its number."""
        words = [policy.index_terms(policy.spoken(passage)) for passage in one.passages]
        is_chat = any(_role(passage) in policy.ROLES_OF_MODELS for passage in one.passages)
        for place, (passage, own) in enumerate(zip(one.passages, words, strict=True)):
            own = own[:_MOST_TERMS_OF_ONE]
            hashes = [crc32(word.encode()) for word in own]
            counts.update(set(hashes))
            speaker = speakers.setdefault(passage.speaker, len(speakers) + 1) if passage.speaker else 0
            said = policy.day_said(passage.said_at, one.started_at)
            day = _day(said) if said else NO_DAY
            near = [word for at in policy.beside(place, len(words)) for word in words[at]]
            tokens = min(count_tokens(policy.line(passage.speaker, passage.text) + "\n"), 65_535)
            self.rows.append((source, place, self.term, len(own), tokens, _flags(passage, is_chat), speaker, day))
            self.terms += hashes
            self.spoken.append(passage.text)
            self.texts.append((self.row, passage.turn, speaker or None, passage.said_at, passage.text))
            document = {"source": source, "day": day, "project": one.project or OF_NONE}
            yield self.row, document | {"own": " ".join(own), "near": " ".join(near)}
            self.row += 1
            self.term += len(own)


_WHEN = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|last|next|this|since|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday|week|weekend|month|year|january|february|march|april|may|june|july|august|september|october|november"
    r"|december)\b",
    re.IGNORECASE,
)


def _role(passage: Passage) -> str:
    return (passage.speaker or "").casefold()


def _flags(passage: Passage, is_chat: bool) -> int:
    """What a passage is; in a chat with a model every other speaker is its user, under any name."""
    role = _role(passage)
    is_user = role in policy.ROLES_OF_USERS or (is_chat and role not in policy.ROLES_OF_MODELS)
    return (
        (ranking.ASKS if policy.asks(passage.text) else 0)
        | (ranking.IS_USER if is_user else 0)
        | (ranking.IS_ASSISTANT if role in policy.ROLES_OF_MODELS else 0)
        | (ranking.SAYS_NUMBER if re.search(r"\d", passage.text) else 0)
        | (ranking.SAYS_WHEN if _WHEN.search(passage.text) else 0)
    )


def _day(day: date) -> int:
    return day.toordinal() - _EPOCH


def _set(connection: Any, facts: Mapping[str, Any]) -> None:
    connection.executemany("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", list(facts.items()))
