"""ZIP archives: their members are read as the same files in a folder would be, without unpacking any to the disk.

An archive is somebody else's: names that lead elsewhere, links, encrypted members, archives in it and bombs cost
themselves and are named, never the rest. A channel of Slack's export is one unit here, too.
"""

from __future__ import annotations

import io
import posixpath
import re
import stat
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.cleaning import one_line
from memory_assets.sources.disk_files import printable
from memory_assets.sources.encoding import HEAD_BYTES
from memory_assets.sources.formats import FORMATS, recognise, slack
from memory_assets.sources.formats.base import MAX_WHOLE_FILE, MEGABYTE, Document, Format, Found, LineError, RawSource
from memory_assets.sources.walking import LITTER, export_parts, is_maildir_name, slack_days

MAX_ARCHIVE = 4096 * MEGABYTE
MAX_MEMBERS = 200_000
MAX_TOTAL = 8192 * MEGABYTE
# Text shrinks to a tenth, a log to a fiftieth; a bomb to a thousandth.
MAX_RATIO = 250
RATIO_FROM = 4 * MEGABYTE

_PACKAGES = ("[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF", "AndroidManifest.xml")
_BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError)
_ELSEWHERE = re.compile(r"^(?:[/\\]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)")


@dataclass(frozen=True)
class Member:
    """A file in an archive: its place (counted from 1), and its name with forward slashes as it is shown."""

    number: int
    info: zipfile.ZipInfo
    name: str

    @property
    def folder(self) -> str:
        """The folder that it lies in; empty for the archive itself."""
        return posixpath.dirname(self.name)

    @property
    def base(self) -> str:
        """Its name without folders."""
        return posixpath.basename(self.name)


def is_archive(head: bytes) -> bool:
    """Whether a file's first bytes are a ZIP archive's."""
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def read(stream: BinaryIO, name: str, size: int, kind: SourceType | None) -> Iterator[Found]:
    """The sources of an archive; what of it cannot be read, by its number, its name and the reason.

    Raises :class:`SourceUnreadableError` when it is no archive of sources, or a bomb as a whole.
    """
    if size > MAX_ARCHIVE:
        raise SourceUnreadableError(f"It is an archive larger than {MAX_ARCHIVE // MEGABYTE} MB; split it.")
    try:
        archive = zipfile.ZipFile(stream)
    except _BROKEN as error:
        raise SourceUnreadableError(f"It is a broken ZIP archive ({one_line(str(error), 120)}).") from None
    with archive:
        infos = archive.infolist()
        _refuse(infos)
        members: list[Member] = []
        for number, info in enumerate(infos, start=1):
            member = Member(number, info, printable(info.filename.replace("\\", "/")))
            if info.is_dir() or _is_litter(member.name):
                continue
            if reason := why_refused(info):
                yield _left_out(member, reason)
            else:
                members.append(member)
        yield from _Reading(archive, name, kind, members).run()


def _refuse(infos: Sequence[zipfile.ZipInfo]) -> None:
    if len(infos) > MAX_MEMBERS:
        raise SourceUnreadableError(
            f"It is an archive of {len(infos)} files and {MAX_MEMBERS} is the most that is read; split it."
        )
    if sum(info.file_size for info in infos) > MAX_TOTAL:
        raise SourceUnreadableError(
            f"Unpacked it would be larger than {MAX_TOTAL // MEGABYTE} MB; it looks like a ZIP bomb."
        )
    if {info.filename for info in infos[:50]} & set(_PACKAGES):
        raise SourceUnreadableError("It is a program's package or an office document; save it as text first.")


def why_refused(info: zipfile.ZipInfo) -> str | None:
    """Why a member is not read, for a person; None when nothing speaks against it."""
    if _ELSEWHERE.search(info.filename):
        return "its name leads out of the archive."
    if stat.S_ISLNK(info.external_attr >> 16):
        return "it is a link."
    if info.flag_bits & 0x1:
        return "it is encrypted; unpack the archive with its password."
    if info.file_size > RATIO_FROM and info.file_size > MAX_RATIO * max(1, info.compress_size):
        return f"it is packed more than {MAX_RATIO} to one; it looks like a ZIP bomb."
    if info.filename.lower().endswith((".zip", ".gz", ".7z", ".rar", ".tar", ".bz2", ".xz")):
        return "it is an archive in an archive; unpack it and ingest it by itself."
    return None


def _check_size(member: Member, form: Format) -> None:
    if member.info.file_size > form.max_bytes:
        raise SourceUnreadableError(f"It is larger than {form.max_bytes // MEGABYTE} MB; split it.")


def _left_out(member: Member, why: str | Exception) -> LineError:
    """A member that is not read, and why: a reason, or what was raised."""
    is_reason = isinstance(why, str | SourceUnreadableError)
    reason = str(why) if is_reason else f"it is broken ({one_line(str(why), 100)})."
    return LineError(member.number, f"{one_line(member.name)} was left out: {reason}")


def _is_litter(name: str) -> bool:
    """Hidden files and what operating systems leave behind; a maildir's folders have names with a dot in front."""
    parts = name.split("/")
    maildir = next((n for n, part in enumerate(parts[:-1]) if part in ("cur", "new")), None)
    hidden = [
        n for n, part in enumerate(parts) if part.startswith((".", "~$")) and part != ".." and n != (maildir or 0) - 1
    ]
    return bool(hidden) or any(part.lower() in LITTER for part in parts)


class _Reading:
    """One pass over the members that may be read."""

    def __init__(self, archive: zipfile.ZipFile, name: str, kind: SourceType | None, members: Sequence[Member]) -> None:
        self._archive, self._name, self._kind = archive, name, kind
        self._members = members
        self._folders: dict[str, list[Member]] = defaultdict(list)
        for member in members:
            self._folders[member.folder].append(member)

    def run(self) -> Iterator[Found]:
        """Channels of Slack as one each, everything else file by file, in the order of their names."""
        taken: set[int] = set()
        for folder in sorted(self._folders):
            named = sorted(self._folders[folder], key=lambda member: member.base)
            if self._kind in (None, SourceType.SLACK) and (days := slack_days(named, lambda m: m.base, self._head_of)):
                taken |= {member.number for member in days}
                yield from self._channel(folder, days)
        exports = {member.folder for member in self._members if member.number in taken}
        parts = {
            member: reason
            for members in self._folders.values()
            for member, reason in export_parts(members, lambda m: m.base, self._head_of)
        }
        for member in sorted(self._members, key=lambda member: (member.name, member.number)):
            if member.number in taken:
                continue
            if reason := parts.get(member):
                yield _left_out(member, reason)
            if member in parts or self._is_auxiliary(member, exports):
                continue
            if self._is_in_maildir(member, "tmp"):
                continue
            try:
                for found in self._file(member):
                    yield self._placed(found, member)
            except (SourceUnreadableError, *_BROKEN) as error:
                yield _left_out(member, error)

    def _placed(self, found: Found, member: Member) -> Found:
        if isinstance(found, RawSource):
            return replace(found, provenance={**found.provenance, "member": member.name})
        return LineError(member.number, f"{one_line(member.name)}, line {found.line}: {found.reason}")

    def _file(self, member: Member) -> Iterator[Found]:
        size = member.info.file_size
        if size == 0:
            raise SourceUnreadableError("It is empty.")
        is_mail = self._kind is None and self._is_in_maildir(member, "cur", "new")
        head = self._data(member, HEAD_BYTES)
        chosen = FORMATS[SourceType.EMAIL] if is_mail else recognise(head, member.base, self._kind)
        _check_size(member, chosen)
        held = io.BytesIO(self._data(member)) if size <= MAX_WHOLE_FILE else self._archive.open(member.info)
        folder = (self._channel_name(member.folder), partial(self._users, member.folder))
        with held as stream:
            yield from chosen.read(Document(stream, member.base, size, *folder))  # type: ignore[arg-type]

    def _is_in_maildir(self, member: Member, *names: str) -> bool:
        """Whether a member lies in a folder of one of these names in a maildir."""
        if not member.folder.endswith(names):
            return False
        mails = [posixpath.join(posixpath.dirname(member.folder), name) for name in ("cur", "new")]
        named = [one.base for folder in mails for one in self._folders.get(folder, ())]
        return bool(named) and (all(self._folders.get(folder) for folder in mails) or any(map(is_maildir_name, named)))

    def _data(self, member: Member, limit: int = -1) -> bytes:
        with self._archive.open(member.info) as stream:
            return stream.read(limit)

    def _head_of(self, member: Member, limit: int = HEAD_BYTES) -> bytes:
        """A member's first bytes; none when it is broken."""
        try:
            return self._data(member, limit)
        except _BROKEN:
            return b""

    def _channel(self, folder: str, members: Sequence[Member]) -> Iterator[Found]:
        days: list[slack.DayFile] = []
        for member in members:
            try:
                _check_size(member, slack.FORMAT)
                days.append(slack.read_day(member.base, self._data(member)))
            except (SourceUnreadableError, *_BROKEN) as error:
                yield _left_out(member, error)
        for found in slack.read_channel(self._channel_name(folder), days, self._users(folder)):
            yield self._placed(found, members[0])

    def _channel_name(self, folder: str) -> str:
        """A channel's name is its folder's; days that lie in the archive itself are the channel it is called by."""
        return posixpath.basename(folder) or re.sub(r"\.zip$", "", self._name, flags=re.IGNORECASE)

    def _users(self, folder: str) -> Mapping[str, str]:
        for place in dict.fromkeys((folder, posixpath.dirname(folder))):
            parts = {one.base: one for one in self._folders.get(place, ()) if one.info.file_size <= MAX_WHOLE_FILE}
            if users := next((name for name in slack.USERS if name in parts), None):
                named = (self._head_of(parts[name], -1) for name in (*slack.CHANNELS, users) if name in parts)
                return {key: name for data in named for key, name in slack.read_users(data).items()}
        return {}

    def _is_auxiliary(self, member: Member, channels: set[str]) -> bool:
        if self._kind not in (None, SourceType.SLACK) or member.base.lower() not in slack.AUXILIARY:
            return False
        return any(member.folder in (channel, posixpath.dirname(channel)) for channel in channels)
