"""Each format by itself: what it recognises, what it reads, and what is left after cleaning."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.errors import SourceUnreadableError
from memory_assets.model import SourceType
from memory_assets.sources.formats import FORMATS, clean, recognise, slack
from memory_assets.sources.formats.base import MAX_PART, Document, LineError, RawSource
from memory_assets.sources.formats.mail_text import html_to_text
from memory_assets.sources.source_rows import source_id
from memory_assets_tests.sources.exports import reply_text


def read(kind: str, data: bytes | str, name: str = "file") -> tuple[list[RawSource], list[LineError]]:
    raw = data.encode() if isinstance(data, str) else data
    found = list(FORMATS[SourceType(kind)].read(Document(io.BytesIO(raw), name, len(raw))))
    return [f for f in found if isinstance(f, RawSource)], [f for f in found if isinstance(f, LineError)]


def one(kind: str, data: bytes | str, name: str = "file") -> RawSource:
    (source,), errors = read(kind, data, name)
    assert errors == []
    return source


def said(kind: str, raw_content: str) -> list[tuple[str | None, str]]:
    return [(turn.speaker, turn.text) for turn in clean(kind, raw_content).turns]


MAIL = b"From: Mara <mara@example.org>\nSubject: Seeds\nTo: ole@example.org\n"
KINDS = {
    "conversation": (b'{"role": "user", "content": "hi"}\n', "x.txt"),
    "conversation, first line broken": (b'oops\n{"role": "user", "content": "hi"}\n', "x"),
    "conversation, one endless line": (b'{"role": "user", "content": "' + b"x" * 70_000, "x"),
    "conversation, a list": (b'[\n {\n  "role": "user",\n  "content": "hi"\n }\n]', "x"),
    "conversation, a list on one line": (b'[{"content": "hi", "role": "user"}, {"role": "assistant"', "x.json"),
    "conversation, a list of one endless message": (b'[{"role": "user", "content": "' + b"x" * 70_000, "x.json"),
    "conversation, a list after something else": (b'[{"version": 1}, {"role": "user", "content": "hi"}]', "x.json"),
    "conversation, lines after a log's": (b'[info] started\n{"role": "user", "content": "hi"}\n', "x"),
    "conversation, UTF-16": ('{"role": "user", "content": "hi"}\n'.encode("utf-16"), "x"),
    "slack": (b'[{"type": "message", "user": "U1", "ts": "1.2", "text": "hi"}]', "x.json"),
    "slack, an empty day": (b"[]", "2026-10-05.json"),
    "email": (MAIL + b"\nBody", "x.txt"),
    "email, mailbox": (b"From mara@example.org Mon Oct  5 09:00:00 2026\n" + MAIL + b"\nBody", "x"),
    "transcript, vtt": (b"WEBVTT\n\n00:00.000 --> 00:01.000\nhi", "x.txt"),
    "transcript, srt": (b"1\n00:00:00,000 --> 00:00:01,000\nhi", "x"),
    "transcript, lines": (b"Date: 2026-10-05\n\nMara: Hi.\nOle: Hi.\nMara: So?\nOle: Yes.\n", "x.txt"),
    "transcript, stamps": (b"[00:00:01] Mara: Hi.\n[00:00:05] Ole: Hi.\n", "x.txt"),
    "transcript, a messenger's, one writes": (
        b"06.03.25, 09:01 - Mara: Hello there\n07.03.25, 09:02 - Mara: Are you there?\n",
        "x.txt",
    ),
    "note": (b"# Heading\n\nText: with a colon.", "x.md"),
    "note, a list with colons": (b"Milk: two litres\nBread: one\nTODO: call Ole\nTODO: write\n", "x.txt"),
    "note, front matter": (b"---\ndate: 2026-10-05\ntitle: A\n---\nMara: x\nOle: y\nMara: z\nOle: w", "x.md"),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_recognised_by_its_content(name: str) -> None:
    data, file_name = KINDS[name]
    assert recognise(data[:65_536], file_name).kind == name.partition(",")[0]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"%PDF-1.7", "a.txt"),
        (b"\x00\x01\x02" * 50, "a"),
        (b'{"a": 1}', "a.json"),
        (b"a,b\n", "a.csv"),
        (b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n", "a.ics"),
        (b"\xef\xbb\xbfBEGIN:VCARD\n", "a.txt"),
    ],
)
def test_what_is_no_source_is_refused(data: bytes, name: str) -> None:
    with pytest.raises(SourceUnreadableError):
        recognise(data, name)


# --- conversations

MESSAGES = [
    ('{"role": "user", "content": "plain"}', [("user", "plain")]),
    (
        '{"role": "user", "name": "Mara", "content": [{"type": "text", "text": "a"}, {"type": "image"}, "b"]}',
        [("Mara", "a\nb")],
    ),
    ('{"role": "assistant", "content": null, "tool_calls": []}', []),
    ('{"role": "system", "content": "rules"}', []),
    ('{"role": "tool", "content": "output"}', []),
    ('{"role": "user", "content": "bad date", "timestamp": "yesterday"}', [("user", "bad date")]),
    ('{"role": "user", "content": "nul\\u0000 \\u202eand\\u200b \\ud800"}', [("user", "nul and \ufffd")]),
    ('{"role": "user", "content": "", "name": 7}', []),
]


@pytest.mark.parametrize(("text", "turns"), MESSAGES)
def test_a_message_is_read_and_cleaned(text: str, turns: list) -> None:
    source = one("conversation", text + "\n")
    assert source.raw_content == text
    assert said("conversation", source.raw_content) == turns


BROKEN = [
    "not json", "[1]", '"text"', '{"role": "user"}', '{"content": "x"}', '{"role": "king", "content": "x"}',
    '{"role": "user", "content": 7}', "{" * 50_000, "[" * 200_000, '{"role": "user", "content": "x"',
]  # fmt: skip


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_line_costs_that_line(text: str) -> None:
    good = '{"role": "user", "content": "good"}'
    sources, errors = read("conversation", f"{good}\n{text}\n\n{good}")
    assert [source.raw_content for source in sources] == [f"{good}\n{good}"]
    assert [error.line for error in errors] == [2]
    assert errors[0].reason.startswith("The line was left out: ")


def test_a_number_that_python_refuses_does_not_cost_the_message() -> None:
    source = one("conversation", '{"role": "user", "content": "hi", "timestamp": ' + "9" * 5000 + "}\n")
    assert (said("conversation", source.raw_content), source.started_at) == ([("user", "hi")], None)


def test_interleaved_conversations_are_sources_of_their_own() -> None:
    lines = [
        json.dumps({"role": "user", "content": str(n), "conversation_id": key, "timestamp": f"2026-10-0{n + 1}"})
        for n, key in enumerate(["a", "b", None, "a", 7, "b"])
    ]
    sources, _ = read("conversation", "\n".join(lines))
    assert {source.conversation_id: source.raw_content.split("\n") for source in sources} == {
        "a": [lines[0], lines[3]], "b": [lines[1], lines[5]], None: [lines[2]], "7": [lines[4]],
    }  # fmt: skip
    first = sources[0]
    assert (first.started_at, first.ended_at) == (
        datetime(2026, 10, 1, tzinfo=UTC),
        datetime(2026, 10, 4, tzinfo=UTC),
    )


@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=20), st.sampled_from([None, "a", "b"])),
        min_size=1, max_size=6,
    ),
    st.sampled_from([None, 1]),
)  # fmt: skip
def test_a_list_of_messages_is_read_as_lines_of_them_are(
    exchange: list[tuple[str, str, str | None]], indent: int | None
) -> None:
    messages = [
        {"role": role, "content": text, "timestamp": f"2026-10-01T09:0{at}:00Z"}
        | ({"conversation_id": key} if key else {})
        for at, (role, text, key) in enumerate(exchange)
    ]
    of_list, _ = read("conversation", json.dumps(messages, indent=indent))
    of_lines, _ = read("conversation", "\n".join(map(json.dumps, messages)))
    assert [(one.key, one.title, said("conversation", one.raw_content)) for one in of_list] == [
        (one.key, one.title, said("conversation", one.raw_content)) for one in of_lines
    ]


def test_lines_behind_one_that_begins_like_a_list_are_read() -> None:
    (source,), errors = read("conversation", '[info] started\n{"role": "user", "content": "hi"}\n')
    assert (said("conversation", source.raw_content), [error.line for error in errors]) == ([("user", "hi")], [1])


def test_a_broken_message_of_a_list_costs_that_one() -> None:
    text = (
        '[{"role": "user", "content": "hi"},\n{"role": "user", "content": nothing},\n{"role": "poet", "content": "o"},'
    )
    (source,), errors = read("conversation", text + '{"role": "assistant", "content": "Hello."}]')
    assert said("conversation", source.raw_content) == [("user", "hi"), ("assistant", "Hello.")]
    assert [error.line for error in errors] == [2, 3]


def test_a_long_conversation_becomes_several_sources_and_loses_no_line() -> None:
    words = "word " * 10_000
    lines = [json.dumps({"role": "user", "content": f"{n} {words}", "conversation_id": "c"}) for n in range(50)]
    sources, errors = read("conversation", "\n".join(lines))
    assert errors == []
    assert [line for source in sources for line in source.raw_content.split("\n")] == lines
    assert [len(source.raw_content) <= MAX_PART for source in sources] == [True, True, True]
    assert [source.key for source in sources] == ["id/c", "id/c/part 2", "id/c/part 3"]


@pytest.mark.parametrize(
    ("names", "owner"),
    [
        ([("user", "Mara"), ("assistant", "Bot")], "Mara"),
        ([("user", None)], "user"),
        ([("user", "A"), ("user", "B")], None),
        ([("assistant", "B")], None),
    ],
)
def test_the_only_user_is_the_owner(names: list, owner: str | None) -> None:
    text = "\n".join(
        json.dumps({"role": role, "content": "x"} | ({"name": name} if name else {})) for role, name in names
    )
    assert one("conversation", text).owner_speaker == owner


@pytest.mark.parametrize(
    "stamp",
    [
        "0000-01-01",
        "9999-12-31T23:59:59-23:59",
        "0999-01-01",
        "2500-01-01",
        1e300,
        -1e300,
        True,
        {},
        [],
        "x" * 9999,
    ],
)
def test_a_date_that_cannot_be_meant_is_unknown(stamp: object) -> None:
    assert one("conversation", json.dumps({"role": "user", "content": "x", "timestamp": stamp})).started_at is None


# --- mails


def test_a_mail_is_decoded_as_declared() -> None:
    mail = (
        "From: =?iso-8859-1?q?M=E4ra?= <m@example.org>\nTo: Ole <o@e.org>, =?utf-8?b?w4VzZQ==?= <a@e.org>\n"
        "Subject: =?utf-8?b?R3LDvMOfZQ==?=\n =?utf-8?q?_aus_Bern?=\nDate: Mon, 05 Oct 2026 09:00:00 +0200\n"
        "Message-ID: <c@x>\nIn-Reply-To: <b@x>\nReferences: <a@x>\n <b@x>\nReceived: by somebody\n"
        "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nSch\xf6ne Gr\xfc\xdfe\n"
    ).encode("latin-1")
    source = one("email", mail)
    assert source.title == "Grüße aus Bern"
    assert source.participants == ("Mära", "Ole", "Åse")
    assert source.started_at == datetime(2026, 10, 5, 7, tzinfo=UTC)
    assert (source.message_id, source.in_reply_to, source.thread_id) == ("c@x", "b@x", "a@x")
    assert source.provenance["encoding_guessed"] is False
    assert said("email", source.raw_content) == [("Mära", "Schöne Grüße")]
    assert "Received" not in source.raw_content


@pytest.mark.parametrize(
    ("charset", "guessed"), [("utf-8", False), ("x-unknown-7", False), ("iso-2022-jp", False), ("zip", False)]
)
def test_an_odd_charset_never_costs_the_mail(charset: str, guessed: bool) -> None:
    mail = MAIL + f"Content-Type: text/plain; charset={charset}\n\n".encode() + "Grüße, Größe, Übermut".encode()
    source = one("email", mail)
    assert "Größe" in source.raw_content and source.provenance["encoding_guessed"] is guessed


def test_a_guess_is_on_record() -> None:
    text = "Die Gärtnerin säte Möhren, Kürbisse und Rüben in die größten Beete. " * 5
    source = one("email", MAIL + b"Content-Type: text/plain; charset=utf-8\n\n" + text.encode("cp1252"))
    assert source.provenance["encoding_guessed"] is True and "Gärtnerin" in source.raw_content


MULTIPART = (
    MAIL
    + b"""MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=o

--o
Content-Type: multipart/alternative; boundary=i

--i
Content-Type: text/plain

%s
--i
Content-Type: text/html; charset=utf-8

<html><head><style>p {}</style></head><body><p>Hello <b>you</b> &amp; all</p><script>x()</script></body></html>
--i--
--o
Content-Type: text/plain
Content-Disposition: attachment; filename="../../etc/passwd"

not the body
--o--
"""
)


@pytest.mark.parametrize(
    ("plain", "text"), [(b"The plain text of it.", "The plain text of it."), (b"", "Hello you & all")]
)
def test_plain_text_goes_before_html_and_attachments_are_no_body(plain: bytes, text: str) -> None:
    raw = one("email", MULTIPART % plain).raw_content
    assert said("email", raw) == [("Mara", text)]
    assert json.loads(raw)["attachments"] == ["../../etc/passwd"] and "not the body" not in raw


BOMBS = {
    "nested": b"".join(b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(3000)),
    "flat": b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 20_000,
    "messages": b"Content-Type: message/rfc822\n\n" * 3000,
    "header": b"Content-Type: text/plain" + b"; a=b" * 100_000 + b"\n\nx",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_mail_bomb_is_refused_or_read(name: str) -> None:
    try:
        assert len(read("email", MAIL + BOMBS[name])[0]) == 1
    except SourceUnreadableError as error:
        assert "mail bomb" in str(error)


def test_a_body_may_begin_like_a_header() -> None:
    source = one("email", "TO:  All who take part in the plan, an error was made.\nIt was corrected.\n")
    assert json.loads(source.raw_content)["headers"] == {}
    assert "an error was made" in said("email", source.raw_content)[0][1]
    assert json.loads(one("email", "Subject: plan\n\nIt is red.\n").raw_content)["headers"] == {"Subject": "plan"}


@pytest.mark.parametrize("boundary", ["", "; boundary=", "; boundary=never-seen"])
def test_a_multipart_without_its_boundary_is_text(boundary: str) -> None:
    mail = f"From: ann@example.org\nSubject: plan\nContent-Type: multipart/mixed{boundary}\n\nThe plan is red.\n"
    source = one("email", mail)
    assert said("email", source.raw_content) == [("ann", "The plan is red.")]


def test_thousands_of_addresses_are_read() -> None:
    everybody = b", ".join(b"Person %d <p%d@example.org>" % (n, n) for n in range(5000))
    assert "Mara" in one("email", MAIL + b"Cc: " + everybody + b"\n\nHello").participants


def test_a_file_without_headers_is_a_body() -> None:
    source = one("email", "Dear all,\n\nthe text.\n")
    assert said("email", source.raw_content) == [(None, "Dear all,"), (None, "the text.")]


REPLIES = [
    ("Fine.\n\nOn Mon, Oct 5, 2026 at 9:00 AM Mara <m@e.org> wrote:\n> old\n> older", "Fine."),
    ("On Mon, Oct 5, 2026 at 9:00 AM Mara <m@e.org> wrote:\n> Tea?\nYes.\n> Milk?\nNo.", "Yes.\n\nNo."),
    ("Fine.\n-- \nOle Berg\nGardens Ltd", "Fine."),
    ("Fine.\n\nBest regards,\nOle", "Fine."),
    ("Fine.\n\n-----Original Message-----\nFrom: Mara\nSent: Monday\nTo: Ole\nSubject: Tea\n\nold", "Fine."),
    ("To do:\n\n- one\n- two", "To do:\n\n- one\n- two"),
    ("> nothing but a quote\n> of two lines", "nothing but a quote\nof two lines"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "own"), REPLIES)
def test_only_the_senders_own_words_are_left(text: str, own: str) -> None:
    assert reply_text(text) == own


@pytest.mark.parametrize(
    "unit",
    [
        "On ",
        "> ",
        "\n",
        "\n\n ___",
        "sent from my ",
        "CAUTION: mail ",
        "From: \n",
        "- a\n",
        "<div>",
        "\u3000\n",
    ],
)
def test_no_repetition_is_a_trap(unit: str) -> None:
    """Each of these once took a parser hours: that it ends is the claim."""
    assert isinstance(reply_text(unit * 20_000), str)
    assert isinstance(html_to_text(unit * 20_000), str)


# --- Slack


def message(ts: str, text: str, user: str = "U1AA", **more: object) -> dict:
    return {"type": "message", "ts": ts, "user": user, "text": text, **more}


def channel(*days: tuple[str, list]) -> list[RawSource]:
    files = [slack.read_day(name, json.dumps(items).encode()) for name, items in days]
    users = {"U1AA": "Mara", "U2BB": "Ole"}
    return [found for found in slack.read_channel("garden", files, users) if isinstance(found, RawSource)]


def test_threads_cross_days_and_the_rest_is_by_day() -> None:
    sources = channel(
        (
            "2026-10-05.json",
            [message("1791190800.1", "root", thread_ts="1791190800.1"), message("1791190900.1", "alone")],
        ),
        (
            "2026-10-06.json",
            [
                message("1791277200.1", "reply", "U2BB", thread_ts="1791190800.1"),
                message("1791277300.1", "other"),
            ],
        ),
    )
    assert [[text for _, text in said("slack", source.raw_content)] for source in sources] == [
        ["root", "reply"],
        ["alone"],
        ["other"],
    ]
    thread = sources[0]
    assert thread.started_at is not None and thread.started_at.date().isoformat() == "2026-10-05"
    assert (thread.participants, thread.channel, thread.title) == (("Mara", "Ole"), "garden", "#garden: root")


def test_what_arrives_later_is_united_in_any_order() -> None:
    whole = channel(("2026-10-05.json", [message("1.0", "a", thread_ts="1.0"), message("2.0", "b", thread_ts="1.0")]))[
        0
    ]
    parts = [
        channel(("2026-10-05.json", [message(ts, text, thread_ts="1.0")]))[0]
        for ts, text in (("1.0", "a"), ("2.0", "b"))
    ]
    for first, second in (parts, parts[::-1]):
        assert slack.merge(first.raw_content, second.raw_content) == whole.raw_content
        assert source_id("u", first) == source_id("u", second) == source_id("u", whole)


def test_where_a_message_belongs_does_not_depend_on_other_files() -> None:
    first = ("2026-10-05.json", [message("1.0", "a question that does not know of its answers")])
    second = ("2026-10-06.json", [message("2.0", "an answer", thread_ts="1.0")])
    whole = {source_id("u", source): source.raw_content for source in channel(first, second)}
    parts = {source_id("u", source): source.raw_content for day in (first, second) for source in channel(day)}
    assert whole == parts


SPOKEN = [
    (message("1.0", (
        "Hi <@U2BB>, see <http://e.org|the page> &amp; <#C1|beds> <!here> <http://e.org>"
    )), [("Mara", "Hi @Ole, see the page (http://e.org) & #beds @here http://e.org")]),
    (message("1.0", "<@U1AA> has joined", subtype="channel_join"), []),
    (message("1.0", "beep", subtype="bot_message", bot_id="B1"), []),
    (message("1.0", "beep", bot_id="B1"), []),
    (message("1.0", "who?", "U9ZZ", user_profile={"real_name": "Åse"}), [("Åse", "who?")]),
    (message("1.0", "who?", "U9ZZ"), [("U9ZZ", "who?")]),
    ({"ts": "1.0", "text": None}, []),
]  # fmt: skip


@pytest.mark.parametrize(("item", "turns"), SPOKEN)
def test_only_people_speak_and_markup_becomes_text(item: dict, turns: list) -> None:
    (source,) = channel(("2026-10-05.json", [item]))
    assert said("slack", source.raw_content) == turns
    assert json.loads(source.raw_content)["messages"] == [item]


# --- transcripts and notes

TRANSCRIPTS = [
    (
        "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Mara>Hello <b>you</b>\n\n00:01.000 --> 00:02.000\n<v "
        "Mara>all.\n\n00:02.000 --> 00:03.000\n<v.loud Ole Berg>Hi.</v>\n",
        [("Mara", "Hello you all."), ("Ole Berg", "Hi.")],
    ),
    (
        "1\n00:00:00,000 --> 00:00:01,500\nMara: Hello\nthere.\n\n2\n00:00:02,000 --> 00:00:03,000\nMara: "
        "Again.\n\n3\n00:00:04,000 --> 00:00:05,000\nOle: Hi.\n",
        [("Mara", "Hello there. Again."), ("Ole", "Hi.")],
    ),
    (
        "Date: 2026-10-05\nTitle: Beds\n\n[00:01:02] Mara Lind: Hello.\nGoing on.\n00:02 Ole: Hi: there.\n",
        [("Mara Lind", "Hello. Going on."), ("Ole", "Hi: there.")],
    ),
    ("WEBVTT\n\nbroken --> cue\ntext", [(None, "text")]),
    ("no speakers\n\nat all", [(None, "no speakers"), (None, "at all")]),
]


@pytest.mark.parametrize(("text", "turns"), TRANSCRIPTS, ids=range(len(TRANSCRIPTS)))
def test_cues_of_one_speaker_are_one_turn(text: str, turns: list) -> None:
    assert said("transcript", one("transcript", text).raw_content) == turns


DATES = [
    (
        "transcript",
        "Date: 2026-10-05\nMara: x\nOle: y",
        "2020-01-01 call.txt",
        datetime(2026, 10, 5, tzinfo=UTC),
    ),
    ("transcript", "Date: 5 October 2026\nMara: x\nOle: y", "call.txt", datetime(2026, 10, 5, tzinfo=UTC)),
    ("transcript", "Mara: x\nOle: y", "call_20261005_1.txt", datetime(2026, 10, 5, tzinfo=UTC)),
    ("transcript", "Mara: x\nOle: y", "call.txt", None),
    ("transcript", "Date: 05/10/2026\nMara: x\nOle: y", "call.txt", None),
    ("note", "---\ndate: 2026-10-05\n---\ntext", "2020-01-01.md", datetime(2026, 10, 5, tzinfo=UTC)),
    ("note", "text", "2026-10-05-idea.md", datetime(2026, 10, 5, tzinfo=UTC)),
    ("note", "text", "2026-13-45 99999999.md", None),
    ("note", "text", "0000-01-01.md", None),
]


@pytest.mark.parametrize(("kind", "text", "name", "day"), DATES)
def test_a_day_stands_in_the_text_or_in_the_name_or_is_unknown(
    kind: str, text: str, name: str, day: datetime | None
) -> None:
    assert one(kind, text, name).started_at == day


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("intro\n\n## Heading ##\n\ntext", "Heading"),
        ("first line\nsecond", "first line"),
        ("---\ntitle: 'Given'\n---\n# Other", "Given"),
    ],
)
def test_a_notes_title_is_its_heading_or_first_line(text: str, title: str) -> None:
    assert one("note", text, "x.md").title == title


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_marks_of_an_encoding_are_believed(codec: str) -> None:
    if codec == "utf-16-le":
        data = b"\xff\xfe" + "Grüße".encode(codec)
    else:
        data = "Grüße".encode(codec)
    source = one("note", data, "x.txt")
    assert source.raw_content == "Grüße" and source.provenance["encoding_guessed"] is False


def test_a_mail_with_megabytes_of_text_is_set_aside_and_never_cut() -> None:
    with pytest.raises(SourceUnreadableError, match="larger than 8 MB"):
        read("email", MAIL + b"Content-Type: text/plain\n\n" + b"all of it counts\n" * 600_000)
