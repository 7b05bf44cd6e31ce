"""Files into the graph: read what is new, store it, remember what was read (specification 004, Phase 0).

Sources are stored first, then the owner's source mark, then the file that they came from is remembered as read:
whatever stops an ingestion, the next one goes on. A file that nobody has touched since is known by its stamp and
not opened.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from memory_assets.clock import Clock, to_iso
from memory_assets.errors import GraphUnavailableError, SourceOverrunError, SourceUnreadableError
from memory_assets.files.repositories import known_by
from memory_assets.graph.graph import Graph
from memory_assets.graph.knife import cut
from memory_assets.graph.owners import noted_mark, source_mark
from memory_assets.graph.retirement import removal_rows
from memory_assets.model import SourceType
from memory_assets.privacy.masking import count_masks, mask_text
from memory_assets.privacy.projects import checked_project
from memory_assets.sources import archives, disk_files, seen_files, source_rows, walking
from memory_assets.sources.cleaning import one_line
from memory_assets.sources.encoding import HEAD_BYTES
from memory_assets.sources.erased import ErasedError, read_door
from memory_assets.sources.formats import broken_json, recognise, slack
from memory_assets.sources.formats.base import MAX_WHOLE_FILE, Document, Found, LineError, RawSource
from memory_assets.sources.policy import project_of_path
from memory_assets.sources.seen_files import FileState, IngestReport, KnownFile
from memory_assets.sources.source_rows import Row
from memory_assets.sources.store import SourceStore
from memory_assets.work_limit import WorkLimit

SetAside = Callable[[str, str], None]
"""Takes a file of a unit that cannot be read, and why; the rest of the unit is read."""


def read_unit(
    unit: disk_files.Unit, state: FileState, kind: SourceType | None, set_aside: SetAside, limit: WorkLimit
) -> Iterator[Found]:
    """Every source of a unit, of ``kind`` where somebody says so. A reader's own failure is the file's, never the
    run's.

    Raises :class:`SourceUnreadableError` and OSError for what cannot be read, also in between. A file that changes
    while it is read loses the fingerprint in ``state``.
    """
    found = _found(unit, state, kind, set_aside)
    while True:
        try:
            item = limit.run(lambda: next(found, None), state.size)
        except (SourceUnreadableError, OSError):
            raise
        except Exception as error:  # noqa: BLE001
            raise SourceUnreadableError(
                f"The reader failed on it ({type(error).__name__}: {one_line(str(error), 160)}); "
                "give the kind with --kind, or report it with the file."
            ) from error
        if item is None:
            return
        yield item


def _found(unit: disk_files.Unit, state: FileState, kind: SourceType | None, set_aside: SetAside) -> Iterator[Found]:
    if unit.days:
        yield from _channel(unit, set_aside)
    elif unit.is_source:
        with disk_files.opened(unit.path) as stream:
            before = disk_files.state_of(stream)
            yield from _file(unit, stream, kind)
            if disk_files.state_of(stream) != before or before[0] != state.size:
                state.content_fingerprint = ""  # read again the next time, and whole then
                raise SourceUnreadableError("It was changed while it was read; ingest it again.")


def _file(unit: disk_files.Unit, stream: BinaryIO, kind: SourceType | None) -> Iterator[Found]:
    path = unit.path
    size = os.fstat(stream.fileno()).st_size
    if size == 0:
        raise SourceUnreadableError("It is empty.")
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    name = disk_files.printable(os.path.basename(path))
    if archives.is_archive(head):
        yield from archives.read(stream, name, size, kind)
        return
    try:
        chosen = recognise(head, name, kind or unit.kind)
    except SourceUnreadableError:
        broken = broken_json(stream.read(MAX_WHOLE_FILE)) if size <= MAX_WHOLE_FILE else None
        if broken is None:
            raise
        raise SourceUnreadableError(broken) from None
    if size > chosen.max_bytes:
        raise SourceUnreadableError(f"It is larger than {chosen.max_bytes >> 20} MB; split it.")
    yield from chosen.read(Document(stream, name, size, *walking.slack_context(path)))


def _channel(unit: disk_files.Unit, set_aside: SetAside) -> Iterator[Found]:
    """A channel's days as one; a day that cannot be read is set aside by itself."""
    days: list[slack.DayFile] = []
    for path in unit.days:
        try:
            with disk_files.opened(path) as stream:
                data = disk_files.read_whole(stream, slack.FORMAT.max_bytes)
            days.append(slack.read_day(disk_files.printable(os.path.basename(path)), data))
        except SourceUnreadableError as error:
            set_aside(path, str(error))
        except OSError as error:
            set_aside(path, disk_files.reason_of(error))
    channel = disk_files.printable(os.path.basename(unit.path))
    yield from slack.read_channel(channel, days, walking.read_users(unit.users))


Progress = Callable[[int, int], None]


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
    project: str | None = None,
    projects_in: Path | None = None,
    keep_originals: bool = False,
    limit: WorkLimit | None = None,
    alone: bool = False,
) -> IngestReport:
    """Read all files under ``paths`` into ``owner``'s sources. No file ever stops the others.

    Secrets are masked before anything else is done with a source. ``sensitivity`` (low, normal, high) is said of all of
    them, and which ``project`` they are of; what lies in a folder of ``projects_in`` is of the project of that name.
    ``keep_originals`` stores what was masked in the owner's own sources.
    ``alone``: nothing is asked about any other file or source, so that it costs the same beside many. What follows from
    all of them (an agent's transcript that came in as a conversation, originals that are kept no longer) is a run's;
    the caller indexes them for recall.

    Files that changed less than ``settle_seconds`` ago may still be growing: they are left for the next time.
    """
    chosen = SourceType(kind) if kind else None
    ingestion = _Ingestion(
        graph,
        owner,
        chosen,
        clock,
        force,
        settle_seconds,
        sensitivity,
        keep_originals,
        limit or WorkLimit(),
        checked_project(project),
        projects_in,
        alone,
    )
    return ingestion.run(paths, on_progress)


@dataclass
class _Ingestion:
    """One pass over the given paths."""

    graph: Graph
    owner: str
    kind: SourceType | None
    clock: Clock
    force: bool
    settle_seconds: float
    sensitivity: str | None
    keep_originals: bool
    limit: WorkLimit
    project: str | None = None
    projects_in: Path | None = None
    alone: bool = False

    def __post_init__(self) -> None:
        self._kind_name = self.kind.value if self.kind else None
        # What is said of the sensitivity or the project of a file must reach its sources, also when they are known.
        self.force = self.force or self.sensitivity is not None or self.project is not None
        self._version = seen_files.reader_version(self.keep_originals)
        self._mark = noted_mark if self.alone else source_mark
        self._now = self.clock.now()
        # Taken before anything is looked at: files look younger than they are, never older.
        self._file_time = self.clock.file_time()
        self._store = SourceStore(self.graph, self.owner)
        self._door = read_door(self.graph, self.owner)
        self._report = IngestReport()
        self._records: list[Row] = []
        # The sources that were a file's before and no file's now.
        self._replaced: set[str] = set()
        self._taken: set[str] = set()
        self._seen_files: set[str] = set()
        self._unmarked = False

    def run(self, paths: Iterable[str | Path], on_progress: Progress | None) -> IngestReport:
        """Go through all units; then report."""
        if not self.keep_originals and not self.alone:
            rows = [{"id": row["id"]} for row in self.graph.read("sources/list_originals", user_id=self.owner)]
            cut(self.graph, "retire_originals", rows, user=self.owner)
        found = walking.walk(paths, group_slack=self.kind in (None, SourceType.SLACK))
        given = [seen_files.file_id(self.owner, os.fsencode(unit.path)) for unit in found.units] if self.alone else None
        self._known = seen_files.known_files(self.graph, self.owner, given)
        # How many files are read as each source.
        self._readers = Counter(key for known in self._known.values() for key in set(known.source_ids))
        self._report.ignored = found.ignored
        for path, reason in found.set_aside:
            self._set_aside(path, reason)
        for number, unit in enumerate(found.units, start=1):
            self._take(unit)
            if self._store.is_full() or len(self._records) >= 500:
                self._flush()
            if on_progress is not None:
                on_progress(number, len(found.units))
        self._forget_missing(found)
        self._flush()
        self._report.source_ids = frozenset(self._store.seen)
        self._report.sources, self._report.new = len(self._store.seen), len(self._store.new)
        self._report.unchanged = self._report.sources - self._report.new
        self._report.set_aside.sort(key=lambda entry: entry["path"])
        return self._report

    def _take(self, unit: disk_files.Unit) -> None:
        state = FileState(unit.path)
        identifier = seen_files.file_id(self.owner, os.fsencode(unit.path))
        stamp = disk_files.stamp_of(unit)
        if stamp is not None and not seen_files.is_settled(stamp.changed_at, self._file_time, self.settle_seconds):
            self._leave(unit, identifier)
            return
        self._report.files += 1
        known = None if self.force else self._known.get(identifier)
        try:
            if stamp is not None and seen_files.is_untouched(known, stamp.text, self._version, self._kind_name):
                self._repeat(unit, identifier)
                return
            state.size, state.content_fingerprint = seen_files.identity_of(unit)
            if stamp is not None and seen_files.is_trusted(stamp.changed_at, self._file_time):
                state.stamp = stamp.text
            if seen_files.is_unchanged(known, state.content_fingerprint, self._version, self._kind_name):
                self._repeat(unit, identifier)
                self._renew(identifier, state)
                return
            self._read(unit, state)
        except GraphUnavailableError:
            raise
        except SourceUnreadableError as error:
            state.reason = str(error)
        except OSError as error:
            state.reason, state.content_fingerprint = disk_files.reason_of(error), ""
        self._remember(state)

    def _read(self, unit: disk_files.Unit, state: FileState) -> None:
        """Every source of a unit into the store."""
        overrun: SourceOverrunError | None = None
        for item in read_unit(unit, state, self.kind, self._set_aside, self.limit):
            if isinstance(item, LineError):
                state.line_errors.append(item)
                continue
            try:
                self._keep(item, state)
            except SourceOverrunError as error:
                overrun = overrun or SourceOverrunError(
                    f"{one_line(item.title, 80)!r} in it could not be masked. {error}"
                )
            if self._store.is_full():
                self._flush()
        if overrun is not None:
            raise overrun
        if not state.source_ids and not state.erased and unit.is_source:
            first = next((f"line {error.line}: {error.reason}" for error in state.line_errors), None)
            nothing = "It holds nothing that could be read."
            raise SourceUnreadableError(f"None of its lines could be read; {first}" if first else nothing)

    def _set_aside(self, path: str, reason: str) -> None:
        self._remember(FileState(path, reason=reason))

    def _keep(self, source: RawSource, state: FileState) -> None:
        if source.folder and not source.project:
            source = replace(source, project=known_by(source.folder))
        try:
            row = self.limit.run(
                lambda: source_rows.source_row(
                    source,
                    owner=self.owner,
                    path=disk_files.printable(state.path),
                    now=self._now,
                    sensitivity=self.sensitivity,
                    project=self.project or project_of_path(state.path, self.projects_in),
                    keep_originals=self.keep_originals,
                    door=self._door,
                ),
                len(source.raw_content),
            )
        except ErasedError:
            state.erased = True
            return
        if self._door.is_erased(row["id"]):
            state.erased = True
            return
        if (earlier := self._earlier_form(source)) is not None:
            state.source_ids.append(earlier)
            self._store.seen.add(earlier)
            return
        self._taken.add(row["id"])
        self._report.masked += count_masks(row["masked"])
        if source.provenance.get("encoding_guessed"):
            state.guessed = str(source.provenance.get("encoding"))
        state.source_ids.append(row["id"])
        self._store.add(row)
        self._unmarked = True

    def _earlier_form(self, source: RawSource) -> str | None:
        """The id of the source that is the same session in another form, where one came in before."""
        others = source_rows.other_forms(self.owner, source)
        return next((other for other in others if other in self._taken or self._readers[other] > 0), None)

    def _leave(self, unit: disk_files.Unit, identifier: str) -> None:
        """Leave what is known of a file that has not settled, and of a channel's days, as it is."""
        self._report.waiting += 1
        self._seen_files.add(identifier)
        self._seen_files |= {seen_files.file_id(self.owner, os.fsencode(path)) for path in unit.days}

    def _renew(self, identifier: str, state: FileState) -> None:
        """Remember the stamp of a file that was touched and has the same content."""
        known = self._known[identifier]
        if state.stamp is not None and state.stamp != known.stamp:
            self._record(identifier, replace(known, stamp=state.stamp), state.size)

    def _repeat(self, unit: disk_files.Unit, identifier: str) -> None:
        """Report an unchanged file as it was reported the last time."""
        known = self._known[identifier]
        self._seen_files.add(identifier)
        self._store.seen.update(known.source_ids)
        self._report_faults(known)
        for path in unit.days:
            day = seen_files.file_id(self.owner, os.fsencode(path))
            if day in self._known and self._known[day].status == seen_files.FILE_SET_ASIDE:
                self._seen_files.add(day)
                self._report_faults(self._known[day])

    def _remember(self, state: FileState) -> None:
        identifier = seen_files.file_id(self.owner, os.fsencode(state.path))
        file = seen_files.read_file(state, self._version, self._kind_name, self._door)
        self._report_faults(file)
        if state.guessed is not None:
            self._report.guessed.append({"path": file.path, "encoding": state.guessed})
        self._seen_files.add(identifier)
        self._replace(identifier, state)
        self._record(identifier, file, state.size)

    def _record(self, identifier: str, file: KnownFile, size: int = 0) -> None:
        self._records.append({"id": identifier, "size": size, "seen_at": to_iso(self._now), **vars(file)})

    def _report_faults(self, file: KnownFile) -> None:
        """Report that a file is set aside, and which of its lines were left out."""
        if file.status == seen_files.FILE_SET_ASIDE:
            self._report.set_aside.append({"path": file.path, "reason": file.reason or ""})
        for line, _, reason in (error.partition(": ") for error in file.line_errors):
            self._report.line_errors.append({"path": file.path, "line": int(line), "reason": reason})

    def _replace(self, identifier: str, state: FileState) -> None:
        """Count a file's readings; where this version reads the same bytes as other sources, note the earlier ones."""
        known = self._known.get(identifier)
        if known is None or not state.source_ids or state.reason is not None:
            return
        self._readers.subtract(set(known.source_ids))
        self._readers.update(set(state.source_ids))
        same = known.content_fingerprint == state.content_fingerprint != "" and known.kind == self._kind_name
        if same and known.reader_version != self._version:
            self._replaced |= set(known.source_ids) - set(state.source_ids)

    def _forget_missing(self, found: walking.Walk) -> None:
        """Forget files that were set aside under the given paths and are no longer there."""
        roots = [mask_text(disk_files.printable(root)) for root in found.roots]
        for identifier, known in sorted(self._known.items()):
            if known.status != seen_files.FILE_SET_ASIDE or identifier in self._seen_files:
                continue
            if any(known.path == root or known.path.startswith(root.rstrip(os.sep) + os.sep) for root in roots):
                gone = KnownFile(known.path, "", self._version, None, seen_files.FILE_GONE, None, [], [])
                self._record(identifier, gone)

    def _flush(self) -> None:
        """Write sources, then the files that they came from; set the mark before and after the sources are written.

        The one before is for a run that ends in between, after which the files may be taken away; the one after is for
        what was read in between.
        """
        if self._unmarked:
            self.graph.write_together([self._mark(self.owner, self._now)])
        self._store.flush()
        if self._unmarked:
            self.graph.write_together([self._mark(self.owner, self._now)])
            self._unmarked = False
        replaced = {key for key in self._replaced if self._readers[key] <= 0}
        if replaced:
            rows = removal_rows(
                self.owner, replaced, "its file is read as other sources by this version", self._now, "reader"
            )
            cut(self.graph, "set_sources_removed", rows, user=self.owner, now=self._now)
            self.graph.write_together([source_mark(self.owner, self._now)])
        self._replaced = set()
        if self._records:
            self.graph.write("sources/upsert_source_files", self._records, user_id=self.owner)
        self._records = []
