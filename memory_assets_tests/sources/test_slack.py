"""Slack exports of the outside world: who speaks, what is said, what is dropped, and which day is which workspace's."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.model import SourceType
from memory_assets.sources import archives, walking
from memory_assets.sources.formats import clean, recognise, slack
from memory_assets.sources.formats.base import RawSource
from memory_assets.sources.source_rows import source_id


def message(ts: str, text: str, user: str = "U1AA", **more: object) -> dict:
    return {"type": "message", "ts": ts, "user": user, "text": text, **more}


def channel(items: list, users: dict | None = None, day: str = "2026-10-05.json") -> list[RawSource]:
    files = [slack.read_day(day, json.dumps(items).encode())]
    found = slack.read_channel("garden", files, {"U1AA": "Mara", "U2BB": "Ole"} if users is None else users)
    return [source for source in found if isinstance(source, RawSource)]


def said(source: RawSource) -> list[tuple[str | None, str]]:
    return [(turn.speaker, turn.text) for turn in clean("slack", source.raw_content).turns]


PROFILE = {"real_name": "Åse Berg", "display_name": "aase"}
RICH = [
    {
        "type": "rich_text",
        "elements": [
            {
                "type": "rich_text_section",
                "elements": [
                    {"type": "text", "text": "Hello "},
                    {"type": "user", "user_id": "U2BB"},
                    {"type": "link", "url": "http://e.org"},
                ],
            }
        ],
    }
]
WORDS = {
    "a file": (message("1.0", "", files=[{"name": "plan.pdf"}]), ("Mara", "[file: plan.pdf]")),
    "a file with words": (
        message("1.0", "The plan", subtype="file_share", files=[{"title": "P"}]),
        ("Mara", "The plan\n[file: P]"),
    ),
    ("an attachment alone"): (
        message("1.0", "", attachments=[{"fallback": "a &amp; b"}]),
        ("Mara", "[attachment: a & b]"),
    ),
    "an attachment below words": (message("1.0", "See", attachments=[{"title": "T"}]), ("Mara", "See")),
    "blocks alone": (message("1.0", "", blocks=RICH), ("Mara", "Hello @Ole http://e.org")),
    "a date": (message("1.0", "<!date^1392734382^{date}|Feb 18>"), ("Mara", "Feb 18")),
    "a group": (message("1.0", "<!subteam^S1|@team> <!channel>"), ("Mara", "@team @channel")),
    "a link and its words": (
        message("1.0", ("<http://e.org/a?b=1&amp;c=2|page>")),
        ("Mara", "page (http://e.org/a?b=1&c=2)"),
    ),
    "a profile": (message("1.0", "hi", "U9ZZ", user_profile=PROFILE), ("Åse Berg", "hi")),
    ("the name that is shown"): (
        message("1.0", "hi", "U9ZZ", user_profile={"real_name": "", "display_name": "aase"}),
        ("aase", "hi"),
    ),
    "nobody known": (message("1.0", "hi", "U9ZZ"), ("U9ZZ", "hi")),
    "no user": ({"ts": "1.0", "text": "hi"}, ("unknown", "hi")),
}


@pytest.mark.parametrize("name", WORDS)
def test_what_a_message_says(name: str) -> None:
    item, turn = WORDS[name]
    (source,) = channel([item])
    assert said(source) == [turn]


def test_a_name_that_a_message_brings_along_resolves_mentions_too() -> None:
    (source,) = channel([message("1.0", "hi", "U9ZZ", user_profile=PROFILE), message("2.0", "<@U9ZZ>?", "U1AA")])
    assert said(source) == [("Åse Berg", "hi"), ("Mara", "@Åse Berg?")]
    (source,) = channel([message("1.0", "hi", "U9ZZ", user_profile=PROFILE)], {"U9ZZ": "Of the export"})
    assert said(source) == [("Of the export", "hi")]


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ({"id": "U1AA", "name": "mara", "profile": {"real_name": "Mara Lind", "display_name": "m"}}, "Mara Lind"),
        ({"id": "U1AA", "name": "mara", "profile": {"real_name": "", "display_name": "m"}}, "m"),
        ({"id": "U1AA", "name": "mara", "real_name": "Mara Lind", "profile": {}}, "Mara Lind"),
        ({"id": "U1AA", "name": "mara"}, "mara"),
        ({"id": "U1AA", "profile": 3, "name": None}, None),
    ],
)
def test_users_are_called_by_their_real_name_first(record: dict, name: str | None) -> None:
    assert slack.read_users(json.dumps([record, None, 3]).encode()) == ({"U1AA": name} if name else {})


def test_what_nobody_said_is_dropped_and_counted() -> None:
    items = [
        message("1.0", "<@U1AA> has joined", subtype="channel_join"),
        message("2.0", "<@U2BB> has left", subtype="channel_leave"),
        message("3.0", "set the topic", subtype="channel_topic"),
        message("4.0", "beep", subtype="bot_message", bot_id="B1"),
        message("5.0", "beep", bot_id="B1"),
        message("6.0", "reminder", "USLACKBOT"),
        message("7.0", "Tea?"),
    ]
    (source,) = channel(items)
    assert said(source) == [("Mara", "Tea?")]
    dropped = {"bot_message": 3, "channel_join": 1, "channel_leave": 1, "channel_topic": 1}
    assert source.provenance["dropped"] == dropped
    assert len(json.loads(source.raw_content)["messages"]) == 7


def test_an_edited_message_is_said_once_and_in_its_last_version() -> None:
    edited = message("1.0", "Coffee?", edited={"user": "U1AA", "ts": "9.0"})
    changed = {
        "ts": "12.0",
        "subtype": "message_changed",
        "hidden": True,
        "message": message("1.0", "Water?", edited={"ts": "12.0"}),
    }
    first, second = channel([message("1.0", "Tea?")])[0], channel([edited])[0]
    for one, other in ((first, second), (second, first)):
        assert said(slack.source_of(slack.merge(one.raw_content, other.raw_content), {})) == [("Mara", "Coffee?")]
    assert said(channel([message("1.0", "Tea?"), edited, changed])[0]) == [("Mara", "Water?")]
    removed = {"ts": "13.0", "subtype": "message_deleted", "hidden": True, "deleted_ts": "1.0"}
    assert said(channel([message("1.0", "Tea?"), message("2.0", "Milk"), removed])[0]) == [("Mara", "Milk")]


def test_a_message_is_said_once_when_only_its_count_of_replies_has_changed() -> None:
    one, other = (channel([message("1.0", "Tea?", reply_count=n, thread_ts="1.0")])[0] for n in (1, 2))
    assert said(slack.source_of(slack.merge(one.raw_content, other.raw_content), {})) == [("Mara", "Tea?")]


def test_two_workspaces_with_a_channel_and_a_day_of_one_name_are_two_sources() -> None:
    ours = channel([message("1.0", "joined", subtype="channel_join"), message("2.0", "ours", team="T0OURS")])
    more = channel([message("2.0", "ours", team="T0OURS"), message("3.0", "of a guest", team="T0GUEST")])
    theirs = channel([message("2.5", "theirs", team="T0THEIRS")])
    ids = [source_id("u", source) for source in (*ours, *more, *theirs)]
    assert ids[0] == ids[1] != ids[2]
    united = slack.source_of(slack.merge(ours[0].raw_content, more[0].raw_content), {})
    assert source_id("u", united) == ids[0] and [text for _, text in said(united)] == ["ours", "of a guest"]


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["ts", "user", "text", "subtype", "files", "blocks", "attachments", "edited", "message", "user_profile", "team",
     "thread_ts", "deleted_ts", "reply_count"]
)  # fmt: skip


@settings(max_examples=50)
@given(st.lists(st.dictionaries(FIELDS, JSON, max_size=6), max_size=5))
def test_no_shape_of_a_message_costs_the_channel(items: list) -> None:
    sources = channel([message("1.0", "Tea?"), *items])
    assert any(("Mara", "Tea?") in said(source) for source in sources)
    assert sum(len(json.loads(s.raw_content)["messages"]) for s in sources) >= 1


@pytest.mark.parametrize("name", ["D0DIRECT01", "mpdm-mara--ole-1"])
def test_a_conversation_of_a_few_is_called_by_who_speaks_in_it(name: str) -> None:
    items = [message("1791190800.0", "Hello"), message("1791190900.0", "Yes", "U2BB")]
    files = [slack.read_day("2026-10-05.json", json.dumps(items).encode())]
    users = {"U1AA": "Mara", "U2BB": "Ole"}
    (source,) = [one for one in slack.read_channel(name, files, users) if isinstance(one, RawSource)]
    assert (source.title, source.channel, source.key) == ("Mara, Ole: 2026-10-05", name, f"{name}/2026-10-05")
    (public,) = [one for one in slack.read_channel("garden", files, users) if isinstance(one, RawSource)]
    assert public.title == "#garden: 2026-10-05"


def said_in(message: dict[str, object], users: dict[str, str] | None = None) -> list[tuple[str | None, str]]:
    """The turns of a channel's day with one message."""
    day = slack.read_day("2026-10-05.json", json.dumps([message]).encode())
    (source,) = slack.read_channel("beds", [day], users or {})
    assert isinstance(source, RawSource)
    return [(turn.speaker, turn.text) for turn in slack.clean(source.raw_content).turns]


def test_a_comment_on_a_file_is_its_authors_word() -> None:
    comment = {"user": "U2", "comment": "Thanks <@U1>"}
    message = {
        "type": "message", "subtype": "file_comment", "text": (
            "<@U2> commented on <@U1>'s file <http://e.org|plan>: Thanks <@U1>"
        ),
        "file": {"name": "plan.pdf"}, "comment": comment, "ts": "1791190800.000100",
    }  # fmt: skip
    assert said_in(message, {"U1": "Mara", "U2": "Ole"}) == [("Ole", "Thanks @Mara\n[file: plan.pdf]")]


@pytest.mark.parametrize(("commented", "words"), [(" and commented: for Tuesday", "for Tuesday\n"), ("", "")])
def test_an_old_exports_upload_says_what_was_commented_alone(commented: str, words: str) -> None:
    text = f"<@U1|mara> uploaded a file: <http://e.org/plan.pdf|plan.pdf>{commented}"
    message = {
        "type": "message",
        "subtype": "file_share",
        "user": "U1",
        "text": text,
        "file": {"name": "plan.pdf"},
        "ts": "1791190800.0",
    }
    assert said_in(message, {"U1": "Mara"}) == [("Mara", f"{words}[file: plan.pdf]")]


def test_a_block_whose_type_is_no_text_says_what_it_holds() -> None:
    block = {"type": ["header"], "text": {"type": {}, "text": "Beans"}}
    message = {"type": "message", "user": "U1", "text": "", "ts": "1791190800.0", "blocks": [block]}
    assert said_in(message, {"U1": "Mara"}) == [("Mara", "Beans")]


def test_blocks_say_whom_and_what_they_name() -> None:
    line = [
        {"type": "broadcast", "range": "here"}, {"type": "text", "text": " ask "}, {"type": "user", "user_id": "U2"},
        {"type": "text", "text": " in "}, {"type": "channel", "channel_id": "C1"}, {"type": "text", "text": " "},
        {"type": "emoji", "name": "seedling"},
    ]  # fmt: skip
    items = [{"type": "rich_text_section", "elements": [{"type": "text", "text": word}]} for word in ("beans", "kale")]
    elements = [{"type": "rich_text_section", "elements": line}, {"type": "rich_text_list", "elements": items}]
    table = {"type": "table", "rows": [[{"type": "rich_text", "elements": [items[0]]}]]}
    message = {
        "type": "message",
        "user": "U1",
        "text": "",
        "ts": "1791190800.0",
        "blocks": [{"type": "rich_text", "elements": elements}, table],
    }
    names = {"U1": "Mara", "U2": "Ole", "C1": "beds"}
    assert said_in(message, names) == [("Mara", "@here ask @Ole in #beds :seedling:\nbeans\nkale\nbeans")]


def test_a_channel_is_named_where_its_mention_has_no_words() -> None:
    message = {"type": "message", "user": "U1", "text": "See <#C1> and <#C1|> and <#C9>", "ts": "1791190800.0"}
    assert said_in(message, {"U1": "Mara", "C1": "beds"}) == [("Mara", "See #beds and #beds and #C9")]


def test_a_channel_that_is_one_object_is_read_with_the_replies_in_it() -> None:
    reply = {
        "type": "message",
        "user": "U2",
        "ts": "1791190900.0001",
        "thread_ts": "1791190800.0001",
        "files": [{"name": "plan.pdf"}],
    }
    first = {
        "type": "message",
        "user": "U1",
        "text": "Who waters?",
        "ts": "1791190800.0001",
        "thread_ts": "1791190800.0001",
    }
    export = {
        "channel_id": "C1",
        "name": "beds",
        "messages": [{**first, "reply_count": 1, "slackdump_thread_replies": [reply]}],
    }
    data = json.dumps(export).encode()
    assert recognise(data, "C1.json").kind is SourceType.SLACK
    day = slack.read_day("C1.json", data)
    assert day.channel == "beds"
    (source,) = slack.read_channel("beds", [day], {})
    assert isinstance(source, RawSource)
    assert [turn.text for turn in slack.clean(source.raw_content).turns] == ["Who waters?", "[file: plan.pdf]"]


@pytest.mark.parametrize("packed", [False, True])
def test_names_of_users_and_channels_are_looked_up_beside_the_channels_folder(tmp_path: Path, packed: bool) -> None:
    files = {
        "org_users.json": [{"id": "U1", "profile": {"real_name": "Mara Lind"}}],
        "groups.json": [{"id": "G1", "name": "seeds"}],
        "beds/canvas_in_the_conversation.json": [{"id": "F1", "title": "Plan"}],
        "beds/2026-10-05.json": [{"type": "message", "user": "U1", "text": "See <#G1>", "ts": "1791190800.0"}],
    }
    for name, content in files.items():
        path = tmp_path / "export" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    if packed:
        with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
            for name, content in files.items():
                archive.writestr(name, json.dumps(content))
        data = (tmp_path / "export.zip").read_bytes()
        (source,) = archives.read(io.BytesIO(data), "export.zip", len(data), None)
    else:
        unit, canvas = walking.walk([tmp_path / "export" / "beds"]).units  # the channel's folder alone
        assert unit.days and not canvas.is_source
        days = [slack.read_day("2026-10-05.json", Path(unit.days[0]).read_bytes())]
        (source,) = slack.read_channel("beds", days, walking.read_users(unit.users))
    assert isinstance(source, RawSource)
    assert [(turn.speaker, turn.text) for turn in slack.clean(source.raw_content).turns] == [
        ("Mara Lind", "See #seeds")
    ]


QUOTING = {
    "a line": ("&gt; I have bought a boat\nIs it red?", ("Mara", "Is it red?")),
    "lines, no space": ("&gt;I have bought a boat\n>and a net\nIs it red?", ("Mara", "Is it red?")),
    "below an answer": ("Yes.\n&gt; Is it red?", ("Mara", "Yes.")),
    "a block": ("Ole said:\n&gt;&gt;&gt; I have bought a boat\n\nIt is red.", ("Mara", "Ole said:")),
    "code": (
        "It says:\n```\n&gt; (sail 1)\n```\n&gt; does it?\nYes.",
        ("Mara", "It says:\n```\n> (sail 1)\n```\n\nYes."),
    ),
    "a comparison": ("a boat &gt; a net", ("Mara", "a boat > a net")),
    "more than": ("&gt;1GB of sand is in the boat", ("Mara", ">1GB of sand is in the boat")),
    "nothing else": ("&gt; I have bought a boat\n&gt; &lt;red&gt;", (None, "I have bought a boat\n<red>")),
    "nothing else, a block": (
        "&gt;&gt;&gt; I have bought a boat\nIt is red.",
        (None, "I have bought a boat\nIt is red."),
    ),
}


@pytest.mark.parametrize("name", QUOTING)
def test_what_a_message_quotes_is_not_its_writers_word(name: str) -> None:
    text, turn = QUOTING[name]
    assert said(channel([message("1.0", text)])[0]) == [turn]


def test_a_quote_in_blocks_is_not_its_writers_word() -> None:
    elements = [
        {"type": kind, "elements": [{"type": "text", "text": text}]}
        for kind, text in (("rich_text_quote", "I have bought a boat"), ("rich_text_section", "Is it red?"))
    ]
    unquoted = [{"type": "rich_text", "elements": elements}]
    quote = [{"type": "rich_text", "elements": elements[:1]}]
    source = channel([message("1.0", "", blocks=unquoted), message("2.0", "", blocks=quote)])[0]
    assert said(source) == [("Mara", "Is it red?"), (None, "I have bought a boat")]


def test_a_file_below_a_quote_is_what_its_writer_says() -> None:
    source = channel([message("1.0", "&gt; the plan?", files=[{"name": "plan.pdf"}])])[0]
    assert said(source) == [("Mara", "[file: plan.pdf]")]
