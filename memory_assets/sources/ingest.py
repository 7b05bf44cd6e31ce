"""Files into the graph: read what is new, store it, remember what was read (specification 004, Phase 0).

Sources are stored first, then the owner's source mark, then the file that they came from is remembered as
read: whatever stops an ingestion, the next one goes on, and what is built on the sources learns of them.
Storing is idempotent, so that it may go on from the beginning.

A file that nobody has touched since it was read is known by its stamp (sizes, times, inode) and not opened.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory_assets.clock import Clock, to_iso
from memory_assets.errors import GraphUnavailableError, SourceUnreadableError
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import source_mark
from memory_assets.model import SourceType
from memory_assets.privacy.masking import count_masks, mask_text
from memory_assets.retirement import removal_rows
from memory_assets.sources import archives, policy, readers
from memory_assets.sources.cleaning import one_line
from memory_assets.sources.encoding import HEAD_BYTES
from memory_assets.sources.formats import READER_VERSION, recognise, slack
from memory_assets.sources.formats.base import Document, Found, LineError, RawSource
from memory_assets.sources.known import identity_of, known_files
from memory_assets.sources.policy import IngestReport, Row
from memory_assets.sources.remasking import aliases, mask_stored
from memory_assets.sources.store import SourceStore

Progress = Callable[[int, int], None]


@dataclass
class _FileState:
    """What is learned of one unit while it is read."""

    path: str
    size: int = 0
    content_fingerprint: str = ""
    stamp: str | None = None
    reason: str | None = None
    line_errors: list[LineError] = field(default_factory=list)
    source_ids: list[str] = field(default_factory=list)
    guessed: str | None = None


def ingest_paths(
    graph: Graph,
    owner: str,
    paths: Iterable[str | Path],
    kind: str | None,
    clock: Clock,
    force: bool = False,
    on_progress: Progress | None = None,
    settle_seconds: float = 0,
    sensitivity: str | None = None,
    keep_originals: bool = False,
) -> IngestReport:
    """Read all files under ``paths`` into ``owner``'s sources. No file ever stops the others.

    Secrets are masked before anything else is done with a source. ``sensitivity`` (low, normal, high) is said of all of
    them; ``keep_originals`` keeps what was masked in the owner's own sources.

    Files that changed less than ``settle_seconds`` ago may still be growing: they are left for the next time.
    """
    chosen = SourceType(kind) if kind else None
    privacy = _Privacy(sensitivity, keep_originals)
    return _Ingestion(graph, owner, chosen, clock, force, settle_seconds, privacy).run(paths, on_progress)


@dataclass(frozen=True)
class _Privacy:
    """What is said of the sensitivity of all sources of a pass, and whether what is masked is kept beside them."""

    sensitivity: str | None
    keep_originals: bool


class _Ingestion:
    """One pass over the given paths."""

    def __init__(
        self,
        graph: Graph,
        owner: str,
        kind: SourceType | None,
        clock: Clock,
        force: bool,
        settle_seconds: float,
        privacy: _Privacy,
    ) -> None:
        self._graph, self._owner, self._kind, self._privacy = graph, owner, kind, privacy
        # What is said of the sensitivity of a file must reach its sources, also when they are known.
        self._force = force or privacy.sensitivity is not None
        self._version = policy.reader_version(privacy.keep_originals)
        self._settle_seconds = settle_seconds
        self._now = clock.now()
        # Taken before anything is looked at: files look younger than they are, never older.
        self._file_time = clock.file_time()
        self._store = SourceStore(graph, owner)
        self._known = known_files(graph, owner)
        self._report = IngestReport()
        self._records: list[Row] = []
        # How many files are read as each source, and the sources that were one's before and no file's now.
        self._told = Counter(key for known in self._known.values() for key in set(known.source_ids))
        self._replaced: set[str] = set()
        self._seen_files: set[str] = set()
        self._unstored = 0
        self._unmarked = False
        self._aliases: Mapping[str, str] = {}

    def run(self, paths: Iterable[str | Path], on_progress: Progress | None) -> IngestReport:
        """Go through all units; then report."""
        self._report.masked_before = mask_stored(
            self._graph, self._owner, self._now, self._privacy.keep_originals
        )
        self._aliases = aliases(self._graph, self._owner)
        found = readers.walk(paths, group_slack=self._kind in (None, SourceType.SLACK))
        self._report.ignored = found.ignored
        for path, reason in found.set_aside:
            self._remember(_FileState(path, reason=reason))
        for number, unit in enumerate(found.units, start=1):
            self._take(unit)
            if self._store.is_full() or self._unstored >= 500:
                self._flush()
            if on_progress is not None:
                on_progress(number, len(found.units))
        self._forget_missing(found)
        self._flush()
        self._report.sources = len(self._store.seen)
        self._report.new = len(self._store.new)
        self._report.unchanged = self._report.sources - self._report.new
        self._report.set_aside.sort(key=lambda entry: entry["path"])
        return self._report

    def _take(self, unit: readers.Unit) -> None:
        state = _FileState(unit.path)
        identifier = policy.file_id(self._owner, os.fsencode(unit.path))
        stamp = readers.stamp_of(unit)
        if stamp is not None and not policy.is_settled(stamp.changed_at, self._file_time, self._settle_seconds):
            self._leave(unit, identifier)
            return
        self._report.files += 1
        known = None if self._force else self._known.get(identifier)
        kind = self._kind.value if self._kind else None
        try:
            if stamp is not None and policy.is_untouched(known, stamp.text, self._version, kind):
                self._repeat(unit, identifier)
                return
            state.size, state.content_fingerprint = identity_of(unit)
            if stamp is not None and policy.is_trusted(stamp.changed_at, self._file_time):
                state.stamp = stamp.text
            if policy.is_unchanged(known, state.content_fingerprint, self._version, kind):
                self._repeat(unit, identifier)
                self._renew(identifier, state)
                return
            self._read(unit, state)
        except GraphUnavailableError:
            raise
        except SourceUnreadableError as error:
            state.reason = str(error)
        except OSError as error:
            state.reason, state.content_fingerprint = readers.reason_of(error), ""
        self._remember(state)

    def _read(self, unit: readers.Unit, state: _FileState) -> None:
        """Every source of a unit into the store. A reader's own failure is the file's, never the run's."""
        found = self._found(unit, state)
        while True:
            try:
                item = next(found, None)
            except (SourceUnreadableError, OSError):
                raise
            except Exception as error:  # noqa: BLE001
                raise SourceUnreadableError(
                    f"The reader failed on it ({type(error).__name__}: {one_line(str(error), 160)}); "
                    "give the kind with --kind, or report it with the file."
                ) from error
            if item is None:
                break
            if isinstance(item, LineError):
                state.line_errors.append(item)
                continue
            self._keep(item, state)
            if self._store.is_full():
                self._flush()
        if not state.source_ids and not isinstance(unit, readers.PartUnit):
            raise SourceUnreadableError(_nothing_found(state.line_errors))

    def _keep(self, source: RawSource, state: _FileState) -> None:
        row = policy.source_row(
            source,
            owner=self._owner,
            path=mask_text(readers.printable(state.path)),
            now=self._now,
            reader_version=READER_VERSION,
            sensitivity=self._privacy.sensitivity,
            keep_originals=self._privacy.keep_originals,
        )
        row["id"] = self._aliases.get(row["id"], row["id"])
        self._report.masked += count_masks(row["masked"])
        if source.provenance.get("encoding_guessed"):
            state.guessed = str(source.provenance.get("encoding"))
        state.source_ids.append(row["id"])
        self._store.add(row)
        self._unmarked = True

    def _found(self, unit: readers.Unit, state: _FileState) -> Iterator[Found]:
        if isinstance(unit, readers.SlackUnit):
            yield from self._channel(unit)
        elif isinstance(unit, readers.FileUnit):
            with readers.opened(unit.path) as stream:
                before = readers.state_of(stream)
                yield from self._file(unit, stream)
                if readers.state_of(stream) != before or before[0] != state.size:
                    state.content_fingerprint = ""  # read again the next time, and whole then
                    raise SourceUnreadableError("It was changed while it was read; ingest it again.")

    def _file(self, unit: readers.FileUnit, stream: Any) -> Iterator[Found]:
        path = unit.path
        size = os.fstat(stream.fileno()).st_size
        if size == 0:
            raise SourceUnreadableError("It is empty.")
        head = stream.read(HEAD_BYTES)
        stream.seek(0)
        name = readers.printable(os.path.basename(path))
        if archives.is_archive(head):
            yield from archives.read(stream, name, size, self._kind)
            return
        chosen = recognise(head, name, self._kind or unit.kind)
        if size > chosen.max_bytes:
            raise SourceUnreadableError(f"It is larger than {chosen.max_bytes >> 20} MB; split it.")
        if chosen.kind is SourceType.SLACK:
            channel, users = readers.slack_context(path)
            data = stream.read()
            yield from slack.read_channel(slack.channel_in(data) or channel, [(name, data)], users)
        else:
            yield from chosen.read(Document(stream, name, size))

    def _channel(self, unit: readers.SlackUnit) -> Iterator[Found]:
        """A channel's days as one; a day that cannot be read is set aside by itself."""
        days: list[tuple[str, bytes]] = []
        for path in unit.days:
            name = readers.printable(os.path.basename(path))
            try:
                with readers.opened(path) as stream:
                    data = readers.read_whole(stream, slack.FORMAT.max_bytes)
                slack.read_day(name, data)
            except SourceUnreadableError as error:
                self._remember(_FileState(path, reason=str(error)))
            except OSError as error:
                self._remember(_FileState(path, reason=readers.reason_of(error)))
            else:
                days.append((name, data))
        channel = readers.printable(os.path.basename(unit.path))
        yield from slack.read_channel(channel, days, readers.read_users(unit.users))

    def _leave(self, unit: readers.Unit, identifier: str) -> None:
        """Leave what is known of a file that has not settled, and of a channel's days, as it is."""
        self._report.waiting += 1
        self._seen_files.add(identifier)
        if isinstance(unit, readers.SlackUnit):
            self._seen_files |= {policy.file_id(self._owner, os.fsencode(path)) for path in unit.days}

    def _renew(self, identifier: str, state: _FileState) -> None:
        """Remember the stamp of a file that was touched and is what it was."""
        known = self._known[identifier]
        if state.stamp is None or state.stamp == known.stamp:
            return
        self._unstored += 1
        self._records.append(
            {
                "id": identifier,
                "path": known.path,
                "size": state.size,
                "content_fingerprint": known.content_fingerprint,
                "stamp": state.stamp,
                "reader_version": known.reader_version,
                "status": known.status,
                "reason": known.reason,
                "line_errors": list(known.line_errors),
                "kind": known.kind,
                "source_ids": list(known.source_ids),
                "seen_at": to_iso(self._now),
            }
        )

    def _repeat(self, unit: readers.Unit, identifier: str) -> None:
        """Report an unchanged file as it was reported the last time."""
        known = self._known[identifier]
        self._seen_files.add(identifier)
        self._store.seen.update(known.source_ids)
        if known.status == policy.FILE_SET_ASIDE:
            self._report.set_aside.append({"path": known.path, "reason": known.reason or ""})
        self._report.line_errors += _line_errors(known.path, known.line_errors)
        if isinstance(unit, readers.SlackUnit):
            for path in unit.days:
                day = policy.file_id(self._owner, os.fsencode(path))
                if day in self._known and self._known[day].status == policy.FILE_SET_ASIDE:
                    self._seen_files.add(day)
                    self._report.set_aside.append(
                        {"path": self._known[day].path, "reason": self._known[day].reason or ""}
                    )

    def _remember(self, state: _FileState) -> None:
        shown = mask_text(readers.printable(state.path))
        errors = [f"{error.line}: {mask_text(error.reason)}" for error in state.line_errors]
        state.reason = state.reason and mask_text(state.reason)
        kept = errors[: policy.MAX_LINE_ERRORS]
        if len(errors) > len(kept):
            kept.append(f"0: and {len(errors) - len(kept)} more")
        if state.reason is not None:
            self._report.set_aside.append({"path": shown, "reason": state.reason})
        if state.guessed is not None:
            self._report.guessed.append({"path": shown, "encoding": state.guessed})
        self._report.line_errors += _line_errors(shown, kept)
        identifier = policy.file_id(self._owner, os.fsencode(state.path))
        self._seen_files.add(identifier)
        self._replace(identifier, state)
        self._unstored += 1
        self._records.append(
            {
                "id": identifier,
                "path": shown,
                "size": state.size,
                "content_fingerprint": state.content_fingerprint,
                "stamp": state.stamp if state.content_fingerprint else None,
                "reader_version": self._version,
                "status": policy.FILE_READ if state.reason is None else policy.FILE_SET_ASIDE,
                "reason": state.reason,
                "line_errors": kept,
                "kind": self._kind.value if self._kind else None,
                "source_ids": list(dict.fromkeys(state.source_ids)),
                "seen_at": to_iso(self._now),
            }
        )

    def _replace(self, identifier: str, state: _FileState) -> None:
        """The same bytes, read as other sources than by an earlier version: those that they are not any more, go."""
        known = self._known.get(identifier)
        if known is None or not state.source_ids or state.reason is not None:
            return
        self._told.subtract(set(known.source_ids))
        self._told.update(set(state.source_ids))
        same = known.content_fingerprint == state.content_fingerprint != "" and known.kind == (self._kind.value if self._kind else None)
        if same and known.reader_version != self._version:
            self._replaced |= set(known.source_ids) - set(state.source_ids)

    def _forget_missing(self, found: readers.Walk) -> None:
        """Files that were set aside under the given paths and are no longer there."""
        roots = [mask_text(readers.printable(root)) for root in found.roots]
        for identifier, known in sorted(self._known.items()):
            if known.status != policy.FILE_SET_ASIDE or identifier in self._seen_files:
                continue
            if any(
                known.path == root or known.path.startswith(root.rstrip(os.sep) + os.sep) for root in roots
            ):
                row = {
                    "id": identifier,
                    "path": known.path,
                    "size": 0,
                    "content_fingerprint": "",
                    "stamp": None,
                    "reason": None,
                }
                row |= {"reader_version": self._version, "status": policy.FILE_GONE, "line_errors": []}
                self._records.append(row | {"kind": None, "source_ids": [], "seen_at": to_iso(self._now)})

    def _flush(self) -> None:
        """Sources, then the files that they came from; a mark tells of the sources before and after they are there.

        The one before is for an end in between, after which the files may be taken away; the one after is for whoever
        looked in between.
        """
        if self._unmarked:
            self._graph.write_together([source_mark(self._owner, self._now)])
        self._store.flush()
        if self._unmarked:
            self._graph.write_together([source_mark(self._owner, self._now)])
            self._unmarked = False
        replaced = {key for key in self._replaced if self._told[key] <= 0}
        if replaced:
            rows = removal_rows(self._owner, replaced, "its file is read as other sources by this version", self._now, "reader")
            self._graph.write("curation/set_sources_removed", rows, user_id=self._owner, now=to_iso(self._now))
            self._graph.write_together([source_mark(self._owner, self._now)])
        self._replaced = set()
        if self._records:
            self._graph.write("sources/upsert_source_files", self._records, user_id=self._owner)
        self._records = []
        self._unstored = 0


def _line_errors(path: str, errors: Iterable[str]) -> list[Mapping[str, Any]]:
    pairs = (error.partition(": ") for error in errors)
    return [{"path": path, "line": int(line), "reason": reason} for line, _, reason in pairs]


def _nothing_found(errors: list[LineError]) -> str:
    if not errors:
        return "It holds nothing that could be read."
    return f"None of its lines could be read; line {errors[0].line}: {errors[0].reason}"
