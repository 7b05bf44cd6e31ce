"""ZIP archives, maildirs and vaults on a running engine: the same sources as loose files, and nothing leads astray."""

from __future__ import annotations

import io
import itertools
import json
import os
import random
import stat
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_assets.clock import Clock
from memory_assets.errors import SourceUnreadableError
from memory_assets.graph.graph import Graph
from memory_assets.model import SourceType
from memory_assets.sources import archives
from memory_assets.sources.formats.base import Found, LineError, RawSource
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.walking import walk
from memory_assets_tests.sources import exports

CLOCK = Clock(datetime(2026, 11, 20, 12, tzinfo=UTC))
USERS = json.dumps([{"id": "U1AA", "profile": {"real_name": "Mara Lind"}}])
MAIL = "From: Mara <mara@example.org>\nTo: ole@example.org\nSubject: {0}\nMessage-ID: <{0}@x>\n{1}\nThe text of {0}.\n"


def day(ts: str, text: str, **more: object) -> str:
    return json.dumps([{"type": "message", "user": "U1AA", "ts": ts, "text": text, **more}])


EXPORT = {
    "export/users.json": USERS,
    "export/channels.json": "[]",
    "export/garden/2026-10-05.json": day("1791190800.1", "Tea?", thread_ts="1791190800.1"),
    "export/garden/2026-10-06.json": day("1791277200.1", "Milk", thread_ts="1791190800.1"),
    "export/beds/2026-10-05.json": day("1791190800.2", "Kale"),
    "vault/Seeds.md": "---\ndate: 2026-10-01\n---\nSee [[Beds|the beds]].\n",
    "vault/plans/Beds.md": "# Beds\n\nFour of them.\n",
    "vault/.obsidian/app.json": "{}",
    "vault/.trash/old.md": "Old.",
    "box/cur/1204680122.27c448e8:2,S": MAIL.format("one", ""),
    "box/new/1204680123.27c448e8": MAIL.format("two", "In-Reply-To: <one@x>\n"),
    "box/tmp/1204680124.27c448e8": MAIL.format("half", ""),
    "talk.jsonl": '{"role": "user", "content": "Hello"}\n{broken\n',
}


def zipped(path: Path, files: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def unpacked(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


def ingest(graph: Graph, user: str, *paths: Path):
    return ingest_paths(graph, user, paths, None, CLOCK)


def all_of(graph: Graph, user: str) -> list[tuple[object, ...]]:
    rows = graph.query_read_only(
        "MATCH (s:Source {user_id: $user})-[:HAS_RAW_CONTENT]->(t) RETURN t.text AS raw, s.title AS title, "
        "s.started_at AS at, s.participants AS people, s.channel AS channel",
        {"user": user},
    )
    return sorted((r["raw"], r["title"], str(r["at"]), tuple(r["people"]), r["channel"] or "") for r in rows)


def links(graph: Graph, user: str, kind: str) -> set[tuple[str, str]]:
    rows = graph.query_read_only(
        f"MATCH (a:Source {{user_id: $user}})-[:{kind}]->(b:Source) RETURN a.title AS a, b.title AS b", {"user": user}
    )
    assert len(rows) == len({(row["a"], row["b"]) for row in rows})
    return {(row["a"], row["b"]) for row in rows}


def found_in(data: bytes, kind: SourceType | None = None) -> list[Found]:
    return list(archives.read(io.BytesIO(data), "garden.zip", len(data), kind))


@pytest.mark.graph
def test_an_archive_and_its_folder_give_the_same_sources(graph: Graph, user: str, tmp_path: Path) -> None:
    report = ingest(graph, user, zipped(tmp_path / "all.zip", EXPORT))
    other = f"{user}-folder"
    ingest(graph, other, unpacked(tmp_path / "all", EXPORT))
    assert all_of(graph, user) == all_of(graph, other) and len(all_of(graph, user)) == 7
    assert links(graph, user, "LINKS_TO") == links(graph, other, "LINKS_TO") == {("Seeds", "Beds")}
    assert links(graph, user, "REPLIES_TO") == links(graph, other, "REPLIES_TO") == {("two", "one")}
    assert report.set_aside == [] and [e["reason"][:18] for e in report.line_errors] == ["talk.jsonl, line 2"]
    assert {row[3] for row in all_of(graph, user) if row[4]} == {("Mara Lind",)}
    again = ingest(graph, user, tmp_path / "all.zip")
    assert (again.new, again.unchanged) == (0, 7)


def hostile() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("../out.md", "/etc/absolute.md", "C:\\windows.md", "a/../../b.md"):
            archive.writestr(name, "astray")
        link = zipfile.ZipInfo("link.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("inner.zip", b"PK\x05\x06" + b"\0" * 18)
        archive.writestr("hidden.dat", b"PK\x05\x06" + b"\0" * 18)
        archive.writestr("bomb.md", b"0" * (8 << 20))
        archive.writestr("board.canvas", '{"nodes": []}')
        archive.writestr("empty.md", "")
        archive.writestr("good.md", "Turn the compost.")
        archive.writestr("__MACOSX/._good.md", "litter")
    data = bytearray(buffer.getvalue())
    return bytes(data)


def test_hostile_members_cost_themselves_only() -> None:
    found = found_in(hostile())
    assert [f.raw_content for f in found if isinstance(f, RawSource)] == ["Turn the compost."]
    reasons = {f.reason.partition(" was left out: ")[0]: f.reason for f in found if isinstance(f, LineError)}
    assert len(reasons) == 10
    for name, word in {
        "../out.md": "leads out", "/etc/absolute.md": "leads out", "C:/windows.md": "leads out",
        "a/../../b.md": "leads out", "link.md": "a link", "inner.zip": "archive in an archive", "bomb.md": "ZIP bomb",
        "board.canvas": "canvas", "empty.md": "empty", "hidden.dat": "not text",
    }.items():  # fmt: skip
        assert word in reasons[name]


def test_an_encrypted_and_a_damaged_member_cost_themselves_only() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("secret.md", "Hidden words.")
        archive.writestr("broken.md", "Damaged words.")
        archive.writestr("good.md", "Good words.")
    data = bytearray(buffer.getvalue())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + flags] |= 1
    position = data.index(b"Damaged words.")
    data[position] ^= 0xFF
    found = found_in(bytes(data))
    assert [f.raw_content for f in found if isinstance(f, RawSource)] == ["Good words."]
    assert [("encrypted" in f.reason, "broken" in f.reason) for f in found if isinstance(f, LineError)] == [
        (True, False), (False, True)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "word"),
    [({"[Content_Types].xml": "<x/>", "word/document.xml": "<x/>"}, "office document"), ({"mimetype": "x"}, "package")],
)
def test_an_office_document_is_no_archive_of_sources(files: dict[str, str], word: str, tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadableError, match=word):
        found_in(zipped(tmp_path / "x.docx", files).read_bytes())


def test_what_is_no_archive_or_too_many_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SourceUnreadableError, match="broken ZIP"):
        found_in(b"PK\x03\x04" + b"\0" * 100)
    monkeypatch.setattr(archives, "MAX_MEMBERS", 3)
    with pytest.raises(SourceUnreadableError, match="is the most that is read"):
        found_in(hostile())
    monkeypatch.setattr(archives, "MAX_MEMBERS", 300)
    monkeypatch.setattr(archives, "MAX_TOTAL", 1000)
    with pytest.raises(SourceUnreadableError, match="ZIP bomb"):
        found_in(hostile())


@pytest.mark.parametrize("seed", range(5))
def test_no_damage_to_an_archive_is_more_than_a_reason(seed: int, tmp_path: Path) -> None:
    data = bytearray(zipped(tmp_path / "x.zip", EXPORT).read_bytes())
    chance = random.Random(seed)
    for _ in range(40):
        broken = bytearray(data)
        for _ in range(chance.randint(1, 8)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        try:
            assert all(
                isinstance(found, RawSource | LineError)
                for found in found_in(bytes(broken[: chance.choice([-1, 9999])]))
            )
        except SourceUnreadableError as error:
            assert str(error)


def test_a_channels_days_in_an_archive_alone_are_the_channel_of_its_name(tmp_path: Path) -> None:
    days = {"2026-10-05.json": day("1791190800.1", "Tea?"), "users.json": USERS}
    (source,) = found_in(zipped(tmp_path / "garden.zip", days).read_bytes())
    assert isinstance(source, RawSource) and (source.channel, source.participants) == ("garden", ("Mara Lind",))
    root = unpacked(tmp_path / "garden", days)
    (unit, part) = walk([root]).units
    assert unit.days and not part.is_source


def test_a_maildir_is_known_by_its_structure(tmp_path: Path) -> None:
    box = unpacked(tmp_path / "Mail", {
        "cur/1204680122.27c448e8:2,S": "X-Odd: 1\n\nA mail without the usual headers.",
        "new/1204680123.27c448e8": MAIL.format("two", ""), "tmp/1204680124.27c448e8": "half",
        "dovecot-uidlist": "3 V1", "dovecot.index.log": "x", ".Sent/cur/1204680125.a:2,": MAIL.format("sent", ""),
        ".Sent/new/.keep": "", ".Sent/tmp/.keep": "", ".notmuch/x": "x",
    })  # fmt: skip
    found = walk([box])
    assert {(os.path.basename(u.path), u.kind) for u in found.units if u.is_source} == {
        (name, SourceType.EMAIL) for name in ("1204680122.27c448e8:2,S", "1204680123.27c448e8", "1204680125.a:2,")
    }  # fmt: skip
    assert found.set_aside == []
    plain = walk([unpacked(tmp_path / "notes", {"cur/a.md": "x", "new/b.md": "y", "tmp.md": "z"})])
    assert all(unit.kind is None for unit in plain.units if unit.is_source) and len(plain.units) == 3


@pytest.mark.graph
def test_a_maildirs_mails_survive_new_flags(graph: Graph, user: str, tmp_path: Path) -> None:
    files = {
        "cur/1204680122.x:2,": MAIL.format("one", ""),
        "new/1204680123.x": MAIL.format("two", ""),
        "tmp/1.x": "half",
    }
    box = unpacked(tmp_path / "Mail", files)
    before = ingest(graph, user, box)
    (box / "new/1204680123.x").rename(box / "cur/1204680123.x:2,RS")
    after = ingest(graph, user, box)
    assert (before.sources, before.new, after.sources, after.new) == (2, 2, 2, 0)


VAULT = {
    "A.md": "To [[B]] and [[sub/C#Part|see]], not to [[Nowhere]] or `[[D]]`.\n",
    "B.md": "Back to [[a]], embeds ![[D]].\n",
    "sub/C.md": "Nothing.\n",
    "D.md": "Of [B](B.md) and [the web](https://example.org/A.md).\n",
    "D copy.md": "Of [B](B.md) and [the web](https://example.org/A.md).\n",
    "E.md": "To the [[D copy]] and to itself, [[E]].\n",
}


@pytest.mark.graph
def test_notes_are_linked_whatever_arrives_first(graph: Graph, user: str, tmp_path: Path) -> None:
    root = unpacked(tmp_path / "vault", VAULT)
    ingest(graph, user, root)
    whole = links(graph, user, "LINKS_TO")
    assert whole == {("A", "B"), ("A", "Nothing."), ("B", "A"), ("B", "D"), ("D", "B"), ("E", "D")}
    for number, seed in enumerate((1, 2)):
        other = f"{user}-{number}"
        files = sorted(root.rglob("*.md"))
        random.Random(seed).shuffle(files)
        for path in (*files, files[0]):
            ingest(graph, other, path)
        assert links(graph, other, "LINKS_TO") == whole


@pytest.mark.graph
def test_a_missing_parent_is_stood_in_for_until_it_arrives(graph: Graph, user: str, tmp_path: Path) -> None:
    """Whatever the order of arrival, each mail answers the nearest of its thread that is there."""
    head = "From: Mara <m@example.org>\nSubject: {0}\nMessage-ID: <{0}@x>\n{1}\nText of {0}.\n"
    mails = {
        "a": head.format("a", ""),
        "b": head.format("b", "In-Reply-To: <a@x>\nReferences: <a@x>\n"),
        "c": head.format("c", "In-Reply-To: <b@x>\nReferences: <a@x> <b@x>\n"),
        "d": head.format("d", "In-Reply-To: <c@x>\nReferences: <a@x> <b@x> <c@x>\n"),
    }
    for name, text in mails.items():
        (tmp_path / f"{name}.eml").write_text(text)
    orders = list(itertools.permutations(mails))
    for number, order in enumerate(random.Random(7).sample(orders, 3)):
        owner = f"{user}-{number}"
        for count, name in enumerate(order, start=1):
            ingest(graph, owner, tmp_path / f"{name}.eml")
            there = order[:count]
            expected = {
                (reply, max(above)) for reply in there if (above := [other for other in there if other < reply])
            }
            assert links(graph, owner, "REPLIES_TO") == expected


@pytest.mark.graph
def test_what_is_dropped_of_a_day_that_grows_is_counted_over_all_of_it(graph: Graph, user: str, tmp_path: Path) -> None:
    joined = {"type": "message", "user": "U1AA", "subtype": "channel_join", "text": "joined"}
    said = json.loads(day("1791190800.1", "Tea?"))
    for name, ts in (("one", "1791190801.1"), ("two", "1791190802.1")):
        unpacked(tmp_path / name, {"garden/2026-10-05.json": json.dumps([*said, {**joined, "ts": ts}])})
        ingest(graph, user, tmp_path / name)
    (row,) = graph.query_read_only("MATCH (s:Source {user_id: $user}) RETURN s.provenance AS p", {"user": user})
    assert json.loads(row["p"])["dropped"] == {"channel_join": 2}


def test_a_source_in_an_archive_says_where_it_lay(tmp_path: Path) -> None:
    (source,) = found_in(zipped(tmp_path / "x.zip", {"deep/2026-10-05 note.md": "# Kale\n\nGrows."}).read_bytes())
    assert isinstance(source, RawSource) and source.provenance["member"] == "deep/2026-10-05 note.md"
    assert source.started_at == datetime(2026, 10, 5, tzinfo=UTC)


EXPORTED = {
    "gpt/conversations.json": json.dumps([exports.forked()]),
    **{f"gpt/{name}.json": "[]" for name in ("message_feedback", "model_comparisons", "shopping", "sora")},
    "gpt/chat.html": "<html>Hello</html>",
    "gpt/user.json": '{"id": "user-1", "email": "x@example.org"}',
    "gpt/shared_conversations.json": '[{"id": "x", "title": "Sourdough"}]',
    "gpt/group_chats.json": '{"chats": []}',
    "claude/conversations.json": json.dumps([exports.claude("c", [exports.claude_message("m", "human", "Hello", 0)])]),
    "claude/users.json": '[{"uuid": "acc", "full_name": "Nora"}]',
    "claude/projects.json": '[{"uuid": "p", "docs": [{"content": "Clay."}]}]',
    "claude/memories.json": '[{"conversations_memory": "Nora gardens"}]',
}


def test_what_an_export_brings_beside_conversations_is_no_alarm(tmp_path: Path) -> None:
    """Its settings are ignored; what holds words that are not read is named as what it is."""
    found = walk([unpacked(tmp_path / "all", EXPORTED)])
    assert sum(not unit.is_source for unit in found.units) == 9
    names = ["conversations.json", "memories.json", "projects.json", "conversations.json"]
    assert [os.path.basename(u.path) for u in found.units if u.is_source] == names and not found.set_aside
    packed = found_in(zipped(tmp_path / "all.zip", EXPORTED).read_bytes())
    assert [one for one in packed if isinstance(one, LineError)] == []
    notes = [(one.title, one.raw_content) for one in packed if isinstance(one, RawSource) and one.source_type == "note"]
    assert notes == [("Claude's memory", "Nora gardens"), ("Document", "Clay.")]


@pytest.mark.parametrize("name", ["projects", "memories"])
def test_a_part_in_a_form_that_is_not_known_is_named_as_what_it_is(tmp_path: Path, name: str) -> None:
    files = EXPORTED | {f"claude/{name}.json": '[{"version": 9, "items": {}}]'}
    ((path, reason),) = walk([unpacked(tmp_path / "all", files)]).set_aside
    assert os.path.basename(path) == f"{name}.json" and reason.startswith(f"It holds an export's {name} in a form")
    (left_out,) = [
        one for one in found_in(zipped(tmp_path / "x.zip", files).read_bytes()) if isinstance(one, LineError)
    ]
    assert reason in left_out.reason
    empty = walk([unpacked(tmp_path / "empty", EXPORTED | {f"claude/{name}.json": "[]"})])
    assert not empty.set_aside


def test_files_of_such_names_elsewhere_are_read(tmp_path: Path) -> None:
    files = {"user.json": "{}", "chat.html": "x", "conversations.json": '[{"id": 1}]', "deep/projects.json": "[1]"}
    found = walk([unpacked(tmp_path / "all", files)])
    assert len(found.units) == 4 and all(unit.is_source for unit in found.units) and not found.set_aside
