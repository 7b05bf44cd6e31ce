"""From files to Source nodes on a running engine: idempotent, in any order, one bad file never stops others."""

from __future__ import annotations

import json
import mailbox
import os
import random
import socket
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_assets.clock import Clock
from memory_assets.graph.graph import Graph
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.seen_files import has_new_files, judge_inbox
from memory_assets.work_limit import WorkLimit

pytestmark = pytest.mark.graph

CLOCK = Clock(datetime(2026, 11, 20, 12, tzinfo=UTC))


def line(role: str, content: str, **more: object) -> str:
    return json.dumps({"role": role, "content": content, **more}) + "\n"


def stored(graph: Graph, user: str) -> dict[str, dict]:
    rows = graph.read("sources/list_sources_to_process", user_id=user, recipe="-", force=True, retry=False, now=None)
    contents = graph.read("sources/list_raw_contents", ids=[row["id"] for row in rows], user_id=user)
    return {row["id"]: row for row in contents}


def ingest(graph: Graph, user: str, *paths: Path, **options: object):
    return ingest_paths(graph, user, paths, options.pop("kind", None), CLOCK, **options)


def mail(identifier: str, subject: str, answers: str = "") -> str:
    reply = f"In-Reply-To: <{answers}>\nReferences: <{answers}>\n" if answers else ""
    return (
        f"From: Mara Lind <mara@example.org>\nTo: Ole <ole@example.org>\nSubject: {subject}\n"
        f"Date: Mon, 5 Oct 2026 09:00:00 +0200\nMessage-ID: <{identifier}>\n{reply}\nThe text of {subject}.\n"
    )


def slack_message(ts: str, text: str, user: str = "U1AA", thread: str | None = None) -> dict:
    return {"type": "message", "ts": ts, "user": user, "text": text} | ({"thread_ts": thread} if thread else {})


def write_slack(root: Path) -> Path:
    """A channel with a thread that crosses two days."""
    channel = root / "export" / "garden"
    channel.mkdir(parents=True)
    days = {
        "2026-10-05.json": [
            slack_message("1791190800.000100", "Who waters the beds?", thread="1791190800.000100"),
            slack_message("1791190900.000100", "Unthreaded remark"),
            slack_message("1791190950.000100", "I can on Monday", "U2BB", thread="1791190800.000100"),
        ],
        "2026-10-06.json": [
            slack_message("1791277200.000100", "And I on Tuesday, <@U2BB>", thread="1791190800.000100"),
            slack_message("1791277300.000100", "Another day"),
        ],
    }
    for name, messages in days.items():
        (channel / name).write_text(json.dumps(messages))
    (root / "export" / "users.json").write_text(
        json.dumps([{"id": "U1AA", "profile": {"real_name": "Mara Lind"}}, {"id": "U2BB", "name": "ole"}])
    )
    return channel


def write_inbox(root: Path) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    (root / "chat.jsonl").write_text(
        line("user", "Hello", name="Mara", timestamp="2026-10-01T08:00:00Z", conversation_id="a")
        + line("user", "Elsewhere", timestamp="0000-00-00", conversation_id="b")
        + "{broken\n"
        + line("assistant", "Hi", conversation_id="a")
    )
    (root / "reply.eml").write_text(mail("two@x", "Re: seeds", "one@x"))
    (root / "seeds.eml").write_text(mail("one@x", "seeds"))
    (root / "2026-10-09 call.txt").write_text("Mara: We plant beans.\nOle: And kale.\nMara: Fine.\nOle: Good.\n")
    (root / "note.md").write_text("# Compost\n\nTurn it every second week.\n")
    write_slack(root)
    return root


def test_an_inbox_becomes_sources_once(graph: Graph, user: str, tmp_path: Path) -> None:
    inbox = write_inbox(tmp_path / "inbox")
    first = ingest(graph, user, inbox)
    assert (first.sources, first.new, first.unchanged, first.set_aside) == (9, 9, 0, [])
    assert [(error["line"], Path(error["path"]).name) for error in first.line_errors] == [(3, "chat.jsonl")]
    assert not has_new_files(graph, user, [inbox])
    for force in (False, True):
        again = ingest(graph, user, inbox, force=force)
        assert (again.sources, again.new, again.unchanged) == (9, 0, 9)
        assert again.line_errors == first.line_errors
    assert len(stored(graph, user)) == 9


def test_mails_are_linked_in_either_order_of_arrival(graph: Graph, user: str, tmp_path: Path) -> None:
    inbox = write_inbox(tmp_path / "inbox")
    ingest(graph, user, inbox / "reply.eml")
    ingest(graph, user, inbox / "seeds.eml")
    other = f"{user}-b"
    ingest(graph, other, inbox / "seeds.eml")
    ingest(graph, other, inbox / "reply.eml")
    for owner in (user, other):
        rows = graph.query_read_only(
            "MATCH (a:Source {user_id: $user})-[:REPLIES_TO]->(b:Source) RETURN a.title AS a, b.title AS b, "
            "a.thread_id AS t",
            {"user": owner},
        )
        assert rows == [{"a": "Re: seeds", "b": "seeds", "t": "one@x"}]


@pytest.mark.parametrize("seed", range(3))
def test_pieces_in_any_order_end_in_the_same_sources(graph: Graph, user: str, tmp_path: Path, seed: int) -> None:
    inbox = write_inbox(tmp_path / "inbox")
    ingest(graph, user, inbox)
    whole = stored(graph, user)
    other = f"{user}-pieces"
    files = sorted(path for path in inbox.rglob("*") if path.is_file())
    random.Random(seed).shuffle(files)
    for path in files:
        ingest(graph, other, path)
    pieces = stored(graph, other)
    plain = lambda rows: sorted((r["raw_content"], r["title"], str(r["started_at"])) for r in rows.values())  # noqa: E731
    assert plain(pieces) == plain(whole)


def test_four_ingestions_at_once_end_in_the_same_sources(graph: Graph, user: str, tmp_path: Path) -> None:
    inbox = write_inbox(tmp_path / "inbox")
    ingest(graph, user, inbox)
    other = f"{user}-together"
    days = sorted((inbox / "export" / "garden").iterdir())
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda path: ingest(graph, other, path), [inbox, days[0], days[1], inbox]))
    contents = [sorted(row["raw_content"] for row in stored(graph, owner).values()) for owner in (user, other)]
    assert contents[0] == contents[1]


def test_the_smaller_of_two_file_dates_stands(graph: Graph, user: str, tmp_path: Path) -> None:
    names = ["undated.md", "2026-10-09.md", "2026-10-02.md", "2026-10-05.md"]
    for name in names:
        (tmp_path / name).write_text("The same words.")
        report = ingest(graph, user, tmp_path / name)
        assert report.new == (name == "undated.md")
    assert [row["started_at"] for row in stored(graph, user).values()] == [datetime(2026, 10, 2, tzinfo=UTC)]


def test_what_has_rested_and_turns_out_to_be_earlier_is_settled_anew(graph: Graph, user: str, tmp_path: Path) -> None:
    for name, is_due in (("2026-10-05.md", True), ("2026-10-09.md", False), ("2026-10-02.md", True)):
        (tmp_path / name).write_text("The same words.")
        ingest(graph, user, tmp_path / name)
        (key,) = stored(graph, user)
        assert [row["memory_id"] for row in graph.read("lifecycle/list_unaged", user_id=user)] == [key] * is_due
        settled = {"id": key, "fade_key": None, "rest_key": None, "back_as": None, "is_valued": False}
        graph.write("lifecycle/set_fading", [settled], user_id=user)
        rested = {"id": key, "rest_key": None, "rested_key": f"{user}|2026-10-05|{key}"}
        graph.write("consolidation/set_resting", [rested], user_id=user)


def test_hostile_files_are_set_aside_and_the_good_ones_are_in(
    graph: Graph, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "good.txt").write_text("A good note.")
    (inbox / "empty.txt").write_bytes(b"")
    (inbox / "blank.txt").write_bytes(b" \n\t\n")
    (inbox / "binary.txt").write_bytes(bytes(range(256)) * 40)
    (inbox / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"x" * 100)
    (inbox / "data.json").write_text('{"what": "is this"}')
    (inbox / "bomb.eml").write_bytes(mail_bomb(5000))
    os.mkfifo(inbox / "pipe.jsonl")
    listener = socket.socket(socket.AF_UNIX)
    monkeypatch.chdir(inbox)  # a socket's path is short
    listener.bind("socket")
    outside = tmp_path / "outside.txt"
    outside.write_text("Secret of somebody else.")
    (inbox / "leads-out.txt").symlink_to(outside)
    (inbox / "loop").symlink_to(inbox)
    (inbox / "circle").symlink_to("circle")
    (inbox / "nowhere").symlink_to("gone")
    (inbox / ".hidden").write_text("hidden")
    odd = os.fsencode(inbox) + b"/odd-\xff\xfe\n;MATCH (n) DETACH DELETE n.txt"
    with open(odd, "wb") as file:
        file.write("Right \u202eto left, zero\u200bwidth, nul\x00 and ' \" ` $ {}".encode())
    (inbox / "wild.jsonl").write_bytes(
        b'{"role": "user", "content": "lone \\ud800 surrogate and nul \\u0000", "timestamp": '
        b'"9999-12-31T23:59:59-23:00"}\n'
        b'{"role": "user", "content": "year zero \xc3\xa9", "timestamp": "0000-01-01"}\n'
        b'{"role": "user", "content": "\xff"}\n'
        b'{"role": "user", "content": ' + b"[" * 100_000 + b"\n"
        b'{"role": "user", "content": "last"}\n'
    )
    report = ingest(graph, user, inbox)
    listener.close()
    aside = {Path(entry["path"]).name: entry["reason"] for entry in report.set_aside}
    assert set(aside) == {
        "empty.txt", "blank.txt", "binary.txt", "picture.png", "data.json", "bomb.eml", "pipe.jsonl", "socket",
        "leads-out.txt", "circle", "nowhere",
    }  # fmt: skip
    assert all(reason.endswith(".") for reason in aside.values())
    assert report.sources == report.new == 3
    assert [error["line"] for error in report.line_errors] == [3, 4]
    contents = " ".join(row["raw_content"] for row in stored(graph, user).values())
    assert "A good note." in contents and "last" in contents and "year zero" in contents
    assert "Secret" not in contents and "hidden" not in contents
    verdict = judge_inbox(graph, user, inbox)
    assert not verdict.passed_over and len(verdict.set_aside) == 11


def mail_bomb(depth: int) -> bytes:
    lines = ["From: a@b.c", "To: d@e.f", "Subject: bomb", "MIME-Version: 1.0"]
    for level in range(depth):
        lines += [f'Content-Type: multipart/mixed; boundary="b{level}"', "", f"--b{level}"]
    return "\n".join([*lines, "Content-Type: text/plain", "", "boom"]).encode()


def test_a_set_aside_file_is_tried_again_when_it_changes(graph: Graph, user: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("{}")
    good = tmp_path / "note.md"
    good.write_text("A note.")
    assert len(ingest(graph, user, tmp_path).set_aside) == 1
    again = ingest(graph, user, tmp_path)
    assert (len(again.set_aside), again.unchanged) == (1, 1)
    path.write_text(json.dumps([slack_message("1791190800.000100", "now it is Slack")]))
    third = ingest(graph, user, tmp_path)
    assert (third.set_aside, third.new) == ([], 1)
    assert len(ingest(graph, user, path, kind="note").set_aside) == 0


def test_a_file_that_is_gone_is_no_longer_set_aside(graph: Graph, user: str, tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(b"\x00" * 1000)
    assert len(ingest(graph, user, tmp_path).set_aside) == 1
    path.unlink()
    assert ingest(graph, user, tmp_path).set_aside == []
    rows = graph.read("sources/list_source_files", user_id=user)
    assert [row["status"] for row in rows] == ["gone"]


def test_a_path_that_does_not_exist_is_set_aside(graph: Graph, user: str, tmp_path: Path) -> None:
    report = ingest(graph, user, tmp_path / "nothing")
    assert [entry["reason"] for entry in report.set_aside] == ["It does not exist."]


def test_a_bad_day_does_not_cost_the_channel(graph: Graph, user: str, tmp_path: Path) -> None:
    channel = write_slack(tmp_path)
    (channel / "2026-10-07.json").write_text("[{]")
    report = ingest(graph, user, tmp_path)
    assert [Path(entry["path"]).name for entry in report.set_aside] == ["2026-10-07.json"]
    assert report.new == 3
    again = ingest(graph, user, tmp_path)
    assert (again.unchanged, again.set_aside) == (3, report.set_aside)


def test_a_very_long_line_costs_itself_only(graph: Graph, user: str, tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.write(b'{"role": "user", "content": "')
        for _ in range(80):
            file.write(b"x" * (1 << 20))
        file.write(b'"}\n' + line("user", "After the long line").encode())
    report = ingest(graph, user, path)
    assert (report.new, len(report.line_errors), report.line_errors[0]["line"]) == (1, 1, 1)
    assert "80 MB" in report.line_errors[0]["reason"]


def test_a_mailbox_is_as_many_sources_as_mails(graph: Graph, user: str, tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "box.mbox")
    for number in range(3):
        box.add(mail(f"{number}@x", f"subject {number}") + "\nFrom here on it is body.\n")
    box.close()
    report = ingest(graph, user, tmp_path / "box.mbox")
    assert (report.new, report.set_aside) == (3, [])
    assert all("From here on" in row["raw_content"] for row in stored(graph, user).values())


def test_a_guessed_encoding_is_reported(graph: Graph, user: str, tmp_path: Path) -> None:
    text = "Das Gärtnern im Frühjahr macht Vergnügen. Wir säen Möhren, Kürbisse und Rüben in die größten Beete. " * 5
    (tmp_path / "umlaut.txt").write_bytes(text.encode("cp1252"))
    report = ingest(graph, user, tmp_path)
    assert len(report.guessed) == 1 and report.guessed[0]["path"].endswith("umlaut.txt")
    assert "Gärtnern" in next(iter(stored(graph, user).values()))["raw_content"]


def test_a_teams_sources_are_the_teams(graph: Graph, user: str, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("For the team.")
    ingest(graph, f"team-{user}", tmp_path)
    rows = graph.query_read_only(
        "MATCH (s:Source {user_id: $owner}) RETURN s.team_id AS team, s.ref AS ref", {"owner": f"team-{user}"}
    )
    assert rows[0]["team"] == user and len(rows[0]["ref"]) == 9


def test_a_source_that_takes_too_long_to_read_is_set_aside_and_the_others_are_in(
    graph: Graph, user: str, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("Alpha.")
    long = [line("user", f"password: aB{n}$xY9! is mine, write to ana{n}@example.org") for n in range(3_000)]
    (tmp_path / "long.jsonl").write_text("\n".join(long))
    (tmp_path / "z.md").write_text("Omega.")
    ingest(graph, f"{user}-w", tmp_path / "a.md")  # whatever is loaded at first is
    report = ingest(graph, user, tmp_path, limit=WorkLimit(0.3))
    assert (report.new, [Path(entry["path"]).name for entry in report.set_aside]) == (2, ["long.jsonl"])
    assert "ended after 0." in report.set_aside[0]["reason"] and "memory-assets retry" in report.set_aside[0]["reason"]
    again = ingest(graph, user, tmp_path, limit=WorkLimit(0.3))
    assert (again.new, again.set_aside) == (0, report.set_aside), "it is not tried again before something changes"
    assert ingest(graph, user, tmp_path, force=True).set_aside == []
