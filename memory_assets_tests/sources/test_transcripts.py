"""Transcripts: what of speech is left out in writing, and that nothing else ever is."""

from __future__ import annotations

import io
import re
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.model import SourceType
from memory_assets.sources.formats import FORMATS, clean, recognise, transcript
from memory_assets.sources.formats.base import Document, RawSource
from memory_assets.sources.formats.disfluencies import HESITATIONS, REPEATED, SOUNDS, clean_turns, without_disfluencies


def said(text: str) -> list[tuple[str | None, str]]:
    return [(turn.speaker, turn.text) for turn in clean("transcript", text).turns]


SPOKEN = {
    "Um, we should, uh, call Ole.": "We should, call Ole.",
    "So, um, the the seeds are here.": "So, the seeds are here.",
    "I I think we we can go.": "I think we can go.",
    "I, I think so.": "I think so.",
    "You know, the soil, I mean, the new one is dry.": "the soil, the new one is dry.",
    "w- we need th- the soil": "we need the soil",
    "[crosstalk] Yes. (laughs) {vocalsound} Fine [inaudible 00:12:03].": "Yes. Fine .",
    "Äh, ja, und und dann": "Ja, und dann",
    "Hmm... maybe.": "Maybe.",
    # and what stays
    "Wir sehen uns um acht, um zu reden, ähm, im Garten.": "Wir sehen uns um acht, um zu reden, im Garten.",
    "Um amigo meu, um só, não vem.": "Um amigo meu, um só, não vem.",
    "Did you know, Ole, that it rains?": "Did you know, Ole, that it rains?",
    "You know that I mean the soil.": "You know that I mean the soil.",
    "Um Kulthum sang.": "Um Kulthum sang.",
    "He studied at UM and works in the ER.": "He studied at UM and works in the ER.",
    "We saw The The in Leeds.": "We saw The The in Leeds.",
    "I had had enough, very very much so, that that was it.": "I had had enough, very very much so, that that was it.",
    "Come in in the evening.": "Come in in the evening.",
    'The title is "Um, uh, the the end".': 'The title is "Um, uh, the the end".',
    "The uh-oh moment of Uh-Oh Records.": "The uh-oh moment of Uh-Oh Records.",
    "[the greenhouse] and (Wales)": "[the greenhouse] and (Wales)",
    "Write to um@example.org or see um.example.": "Write to um@example.org or see um.example.",
    "A follow-up of X- and Y-axes": "A follow-up of X- and Y-axes",
}


@pytest.mark.parametrize("spoken", SPOKEN)
def test_speech_as_it_would_have_been_written(spoken: str) -> None:
    assert without_disfluencies(spoken) == SPOKEN[spoken]


WORDS = st.sampled_from(
    [*HESITATIONS, *REPEATED, "you know,", "I mean,", "Um", "tea", "seeds,", "Ole", "rain.", "why?", '"', "[laughter]",
     "[the plan]", "mm-hmm", "Uh,", "1999", "w-", "we", "very", "that", "UM", "-", "…", "no"]
)  # fmt: skip
MARKERS = re.compile(rf"\[(?:{SOUNDS})\]")
GONE = {*HESITATIONS, *REPEATED, "you", "know", "mean", "mm-hmm", "w"}


def words_of(text: str) -> Counter[str]:
    return Counter(re.findall(r"[\w'’]+(?:-[\w'’]+)*", MARKERS.sub(" ", text).casefold()))


@settings(max_examples=200)
@given(st.lists(WORDS, max_size=25).map(" ".join))
def test_only_what_is_listed_is_ever_removed(text: str) -> None:
    """And of a word that is said twice, one stays; nothing is added."""
    before, after = words_of(text), words_of(without_disfluencies(text))
    assert set(before - after) <= GONE and not after - before
    assert all(after[word] for word in REPEATED if before[word] and word not in ("i",))


@settings(max_examples=100)
@given(st.lists(st.tuples(st.sampled_from(["Mara", "Ole"]), st.lists(WORDS, max_size=6).map(" ".join)), max_size=8))
def test_no_turn_with_a_content_word_is_lost(turns: list[tuple[str, str]]) -> None:
    content = {"tea", "seeds", "ole", "rain", "why", "1999", "very", "that", "no", "plan"}
    before = sum((words_of(text) for _, text in turns), Counter())
    after = sum((words_of(text) for _, text in clean_turns(turns)), Counter())
    assert {word: before[word] for word in content} == {word: after[word] for word in content}


def test_backchannels_go_and_the_turn_goes_on() -> None:
    text = (
        "Mara: We went to the\nOle: Mm-hmm.\nMara: greenhouse.\nOle: [laughter]\nMara: Is it open?\nOle: "
        "Mm-hmm.\nMara: Good.\n"
    )
    assert said(text) == [("Mara", "We went to the greenhouse. Is it open?"), ("Ole", "Mm-hmm."), ("Mara", "Good.")]
    (source,) = FORMATS[SourceType.TRANSCRIPT].read(Document(io.BytesIO(text.encode()), "x.txt", len(text)))
    assert (
        isinstance(source, RawSource) and source.participants == ("Mara", "Ole") and source.raw_content == text.strip()
    )


def test_a_transcript_of_hesitations_alone_is_not_empty() -> None:
    assert said("Mara: Um.\nOle: Uh.\n") == [("Mara", "Um."), ("Ole", "Uh.")]


def test_overlapping_cues_are_in_the_order_of_their_times() -> None:
    cues = (
        "00:05.000 --> 00:09.000\n<v Ole>Second.",
        "00:01.000 --> 00:06.000\n<v Mara>First.",
        "00:08.000 --> 00:09.000\n<v Mara>Third.",
    )
    assert said("WEBVTT\n\n" + "\n\n".join(cues)) == [("Mara", "First."), ("Ole", "Second."), ("Mara", "Third.")]
    numbered = [f"{n}\n00:{cue.replace('.000', ',000').replace('--> ', '--> 00:')}" for n, cue in enumerate(cues, 1)]
    assert said("\n\n".join(numbered)) == said("WEBVTT\n\n" + "\n\n".join(cues))


def test_a_speaker_and_a_time_may_stand_above_what_is_said() -> None:
    text = "Mara Lind  0:03\nWe sow: on Monday.\nAll of it.\n\nOle Berg  0:10\nFine.\n\nMara Lind  1:02\nGood.\n"
    assert recognise(text.encode(), "x.txt").kind is SourceType.TRANSCRIPT
    assert said(text) == [("Mara Lind", "We sow: on Monday. All of it."), ("Ole Berg", "Fine."), ("Mara Lind", "Good.")]
    for plan in (
        "Lunch 12:30\nDinner 18:00\nLunch 19:00\n",
        "Lunch 12:30\nSoup.\nDinner 18:00\nBread.\nTea 19:00\nMilk.\n",
    ):
        assert recognise(plan.encode(), "x.txt").kind is SourceType.NOTE


LAYOUTS = {
    "a chat of Zoom": (
        "09:01:12\t From Nora Berg to Everyone:\n\tSee you at 9:30\n"
        "09:01:20 From  Olaf Stone  to  Nora Berg (Direct Message):\n\tYes.\n",
        [("Nora Berg", "See you at 9:30"), ("Olaf Stone", "Yes.")],
    ),
    "an older chat of Zoom": (
        "09:01:12\t From  Nora Berg : Can you?\n"
        "09:01:20\t From  Olaf to  Everyone : Yes.\n09:01:40\t From  Nora Berg : Good.\n",
        [("Nora Berg", "Can you?"), ("Olaf", "Yes."), ("Nora Berg", "Good.")],
    ),
    "captions that Zoom saved": (
        "[Nora Berg] 09:00:12\nPumps.\n\n[Olaf Stone] 09:00:20\nAnd: hoses.\n",
        [("Nora Berg", "Pumps."), ("Olaf Stone", "And: hoses.")],
    ),
    "Google Meet": (
        "Garden sync (2025-03-06 09:00 GMT+1) - Transcript\nAttendees\nNora, Olaf\nTranscript\n00:00:00\n\n"
        "Nora: Pumps.\nOlaf: Hoses.\nNora: Good.\n00:05:00\n\nOlaf: See you.\n",
        [("Nora", "Pumps."), ("Olaf", "Hoses."), ("Nora", "Good."), ("Olaf", "See you.")],
    ),
    "WhatsApp on Android": (
        "06.03.25, 09:00 - Nora created the group\n06.03.25, 09:01 - Nora Berg: Are you there?\n"
        "06.03.25, 09:02 - Olaf: Yes\nShopping: cake\n"
        "06.03.25, 09:03 - Nora Berg: <Media omitted>\n06.03.25, 09:04 - +43 660 1234567: Me too\n",
        [(None, "Nora created the group"), ("Nora Berg", "Are you there?"), ("Olaf", "Yes\n\nShopping: cake"),
         ("+43 660 1234567", "Me too")],
    ),
    "WhatsApp on an iPhone": (
        "[3/6/25, 9:01:12\u202fAM] Nora Berg: Hello\n\u200e[3/6/25, 9:02:00\u202fAM] ~\u202fOlaf: Hi: there\n",
        [("Nora Berg", "Hello"), ("Olaf", "Hi: there")],
    ),
    "Otter": (
        "Garden Board\nThu, Mar 6, 2025 9:00AM • 34:12\n\nSUMMARY KEYWORDS\npumps\n\nSPEAKERS\nNora Berg, Olaf\n\n"
        "Nora Berg  00:02\nThe budget.\n\nOlaf  00:10\n400 euros.\n\nTranscribed by https://otter.ai\n",
        [("Nora Berg", "The budget."), ("Olaf", "400 euros.")],
    ),
    "Teams": (
        "Weekly-20250306_100000-Meeting Recording\n\nMarch 6, 2025, 9:00AM\n34m 12s\n\n"
        "Nora Berg started transcription\n\nNora Berg   0:03\nPumps.\n\n"
        "Stone, Olaf (Ext)   0:12\nMonday.\nAll six.\n\nNora Berg   0:40\nGood.\n",
        [("Nora Berg", "Pumps."), ("Stone, Olaf (Ext)", "Monday. All six."), ("Nora Berg", "Good.")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_who_says_what_is_known_in_every_programs_layout(name: str) -> None:
    text, turns = LAYOUTS[name]
    assert recognise(text.encode(), "x.txt").kind is SourceType.TRANSCRIPT
    assert said(text) == turns
    (source,) = FORMATS[SourceType.TRANSCRIPT].read(Document(io.BytesIO(text.encode()), "x.txt", len(text)))
    assert isinstance(source, RawSource) and source.participants == tuple(sorted({who for who, _ in turns if who}))
    day = (
        datetime(2025, 3, 6, tzinfo=UTC)
        if name in ("Otter", "Teams", "Google Meet") or name.startswith("WhatsApp")
        else None
    )
    assert source.started_at == day


@pytest.mark.parametrize(
    ("stamps", "day"),
    [
        (("31/12/25, 23:59", "01/01/26, 00:02"), "2025-12-31"),
        (("12/31/25, 23:59", "1/1/26, 00:02"), "2025-12-31"),
        (("01/02/25, 09:00", "28/02/25, 09:00"), "2025-02-01"),
        (("01/02/25, 09:00", "02/02/25, 09:00"), None),  # January the second and February the second, or two days
        (("01.02.25, 09:00", "02.02.25, 09:00"), "2025-02-01"),
        (("1/2/25, 9:00 AM", "2/2/25, 9:00 PM"), "2025-01-02"),
        (("03/03/2025, 09:00", "03/03/2025, 09:01"), "2025-03-03"),
        (("40/40/25, 09:00", "41/41/25, 09:00"), None),
    ],
)
def test_a_messengers_first_day_is_known_where_something_tells_day_from_month(
    stamps: tuple[str, str], day: str | None
) -> None:
    text = "".join(f"{stamp} - {name}: Hello there\n" for stamp, name in zip(stamps, ("Nora", "Olaf"), strict=True))
    (source,) = FORMATS[SourceType.TRANSCRIPT].read(Document(io.BytesIO(text.encode()), "x.txt", len(text)))
    assert isinstance(source, RawSource)
    assert (str(source.started_at.date()) if source.started_at else None) == day


NOTES = {
    "a diary": "06.03.25, 09:01 - Garden: beans\n07.03.25, 10:00 - Garden: watered\n",
    "a diary of days and times": "2025-03-06 09:01 - Mood: good, slept well\n2025-03-07 09:01 - Food: had soup\n"
    "2025-03-08 09:01 - Mood: I moved to Lisbon\n",
    "a diary below its heading": "# Diary\n\n2025-03-06 09:01 - Mood: good\n2025-03-07 09:01 - Food: had soup\n",
    "a work log": "[2025-03-06 09:01] Deploy: shipped the pump\n[2025-03-06 10:01] Review: Tom wants tests\n",
    "a log": "2025-03-06 09:01:12 ERROR: failed\n2025-03-06 09:01:13 INFO: started\n2025-03-06 09:01:14 DEBUG: x\n",
    "a program of a day": "[Welcome] 09:00\nCoffee.\n[Talks] 10:00\nThree.\n",
    "times to remember": "0:30\n1:00\n\nLater: call Ole\nSoon: write\n",
    "a letter": "From Nora to Olaf:\nThe pumps.\nFrom Olaf to Nora:\nThe hoses.\n",
    "telephone numbers": "+43 660 1234567: Nora\n+43 660 7654321: Olaf\n+43 660 1111111: Mara\n+43 660 2222222: Ole\n",
}


@pytest.mark.parametrize("name", NOTES)
def test_what_only_looks_alike_stays_a_note(name: str) -> None:
    assert recognise(NOTES[name].encode(), "x.txt").kind is SourceType.NOTE


def test_many_lines_above_the_first_speaker_are_no_head() -> None:
    above = "".join(f"Thought {n}.\n" for n in range(20))
    text = above + "Mara  0:03\nA.\nOle  0:10\nB.\nMara  0:20\nC.\n"
    assert said(text)[:2] == [(None, "Thought 0."), (None, "Thought 1.")] and len(said(text)) == 23


def test_a_date_in_what_is_said_is_not_the_transcripts() -> None:
    text = "Mara: Since when?\nOle: Since\nMarch 6, 2024\nMara: So long?\nOle: Yes.\n"
    (source,) = FORMATS[SourceType.TRANSCRIPT].read(Document(io.BytesIO(text.encode()), "x.txt", len(text)))
    assert isinstance(source, RawSource) and source.started_at is None


def test_character_references_in_captions_are_decoded_once() -> None:
    cues = ("<v R&amp;D>I &lt;3 it, 5&nbsp;k &amp;lt;", "Ole: a &lt;b&gt; c &#39;d&#39;", "/?a=1&section=2&copy")
    text = "WEBVTT\n\n" + "\n\n".join(f"00:0{n}.000 --> 00:0{n + 1}.000\n{cue}" for n, cue in enumerate(cues))
    assert said(text) == [("R&D", "I <3 it, 5 k &lt;"), ("Ole", "a <b> c 'd'"), (None, "/?a=1&section=2&copy")]


def test_captions_that_roll_say_each_line_once() -> None:
    text = (
        "WEBVTT\nKind: captions\nLanguage: en\n\n00:00.000 --> 00:02.000\n \nhello<00:01.000><c> world</c>\n\n"
        "00:02.000 --> 00:02.010\nhello world\n \n\n00:02.010 --> 00:04.000\nhello world\nit<c> rains</c>\n"
    )
    assert " ".join(words for _, words in said(text)) == "hello world it rains"


@pytest.mark.parametrize(
    "unit", ["um ", "um, ", "I I ", "you know, ", "w- ", "[", "[laughter]", '"', "the, the, ", ", ", "mm-hmm "]
)
def test_no_repetition_is_a_trap(unit: str) -> None:
    assert isinstance(without_disfluencies(unit * 5_000), str)


AROUND = {
    "the time before the name": (
        "[00:00:01] Mara Lind\nBeans.\n\n[00:00:09] Ole Berg\nAnd kale.\n\n[00:01:02] Mara Lind\nFine.\n"
    ),
    "the time before the name, bare": (
        "00:00:01 Mara Lind\nBeans.\n\n00:00:09 Ole Berg\nAnd kale.\n\n00:01:02 Mara Lind\nFine.\n"
    ),
    "a day and an hour": (
        "Mara Lind (10/05/2026, 11:58 AM)\nBeans.\n\nOle Berg (10/05/2026, 12:02 PM)\nAnd kale.\n\nMara Lind "
        "(10/05/2026, 1:03 PM)\nFine.\n"
    ),
    "lines of their own": "Mara Lind\n00:12\nBeans.\n\nOle Berg\n00:15\nAnd kale.\n\nMara Lind\n00:20\nFine.\n",
    "a line between": "00:12 | Mara Lind: Beans.\n00:15 | Ole Berg: And kale.\n00:20 | Mara Lind: Fine.\n",
    "cues without a head": (
        "0:0:5.1 --> 0:0:8.250\nMara Lind\nBeans.\n\n0:0:8.5 --> 0:0:10.3\nOle Berg\nAnd kale.\n\n0:0:11.0 --> "
        "0:0:12.0\nMara Lind\nFine.\n"
    ),
    "tags around the name": (
        "1\n00:00:01,000 --> 00:00:02,000\nMara Lind: Beans.\n\n2\n00:00:03,000 --> 00:00:04,000\n<i>Ole Berg:</i> And "
        "kale.\n\n3\n00:00:05,000 --> 00:00:06,000\nMara Lind: Fine.\n"
    ),
    "a program's head": "📖 Transcript\nOct 5, 2026\n\nGarden call\n\n00:00:00\n\nMara Lind: Beans.\nOle Berg: And "
        "kale.\n\n00:05:00\n\nMara Lind: Fine.\n\nMeeting ended after 00:06:02 👋\n\nThis editable transcript was "
        "computer generated and might contain errors.\n",
    "a title with its day": "Garden call (2026-10-05 at 06:01 GMT-8) - Transcript\n\nAttendees\n\nMara Lind, Ole "
        "Berg\n\nTranscript\n\nThis editable transcript was computer generated and might contain errors.\n\nMara "
        "Lind: Beans.\n\nOle Berg: And kale.\n\nMara Lind: Fine.\n",
}  # fmt: skip
DATED_AROUND = ("a day and an hour", "a program's head", "a title with its day")


@pytest.mark.parametrize("name", AROUND)
def test_whatever_stands_around_what_is_said_each_speaker_says_their_words(name: str) -> None:
    data = AROUND[name].encode()
    assert recognise(data, "call.txt").kind is SourceType.TRANSCRIPT
    (source,) = transcript.read(Document(io.BytesIO(data), "call.txt", len(data)))
    assert isinstance(source, RawSource)
    turns = [(turn.speaker, turn.text) for turn in transcript.clean(source.raw_content).turns]
    assert turns == [("Mara Lind", "Beans."), ("Ole Berg", "And kale."), ("Mara Lind", "Fine.")]
    day = source.started_at and source.started_at.date().isoformat()
    assert day == ("2026-10-05" if name in DATED_AROUND else None)


@pytest.mark.parametrize(
    "text",
    ["00:00 Sowing\n00:45 Watering\n02:10 Harvest\n", "Sowing\n00:45\nWatering\n02:10\n", "Duration: 45 minutes\nHost: Mara\n"],  # noqa: E501
)  # fmt: skip
def test_a_list_of_times_is_no_transcript(text: str) -> None:
    assert recognise(text.encode(), "list.txt").kind is SourceType.NOTE


def test_a_host_speaks_too() -> None:
    said = [("Host", "Welcome to the show."), ("Guest", "I grow beans."), ("Host", "Really?"), ("Guest", "All year.")]
    text = "\n".join(f"{speaker}: {words}" for speaker, words in said)
    assert recognise(text.encode(), "show.txt").kind is SourceType.TRANSCRIPT
    assert [(turn.speaker, turn.text) for turn in transcript.clean(text).turns] == said


def test_a_heading_of_speakers_is_no_programs_head() -> None:
    text = "Beans 2026\nMy impressions were great.\nSPEAKERS\nMara: a keynote about beans\n"
    assert recognise(text.encode(), "beans.txt").kind is SourceType.NOTE


def test_captions_as_youtube_gives_them_to_their_author() -> None:
    written = "0:00:00.378,0:00:11.378\nWe plant beans.\n\n0:00:11.378,0:00:12.305\nAnd kale\nby the wall.\n"
    assert recognise(written.encode(), "garden.sbv").kind is SourceType.TRANSCRIPT
    assert [turn.text for turn in clean("transcript", written).turns] == ["We plant beans.", "And kale by the wall."]


SAID = [("Mara", "We plant beans."), ("Ole", "And kale."), ("Mara", "By the wall?"), ("Ole", "Yes.")]
OTHER_LAYOUTS = {
    "WhisperX": ("[{}]: {}\n", SAID),
    "Rev": ("{} (00:0#):\n{}\n\n", SAID),
    "a wide colon": ("{}：{}\n", SAID),
    "Telegram": ("{}, [05.10.2026 10:0#]\n{}\n\n", SAID),
    "Discord": ("[05-Oct-26 10:0# AM] {}#1234\n{}\n\n", SAID),
    "Whisper": ("[00:0#.000 --> 00:0#.900]  {1}\n", [(None, words) for _, words in SAID]),
    "a video's, copied": ("0:0#\n{1}\n", [(None, words) for _, words in SAID]),
}


@pytest.mark.parametrize("name", OTHER_LAYOUTS)
def test_who_says_what_in_other_programs_layouts(name: str) -> None:
    line, said = OTHER_LAYOUTS[name]
    written = "".join(line.replace("0#", f"0{number}").format(*one) for number, one in enumerate(SAID))
    assert recognise(written.encode(), "garden.txt").kind is SourceType.TRANSCRIPT
    assert [(turn.speaker, turn.text) for turn in clean("transcript", written).turns] == said


def test_a_chats_day_is_told_by_its_first_message() -> None:
    written = b"Mara, [05.10.2026 10:00]\nBeans.\n\nOle, [05.10.2026 10:01]\nKale.\n\nMara, [06.10.2026 09:01]\nGood.\n"
    (source,) = transcript.read(Document(io.BytesIO(written), "chat.txt", len(written)))
    assert isinstance(source, RawSource) and source.started_at == datetime(2026, 10, 5, tzinfo=UTC)
    assert source.participants == ("Mara", "Ole")


def test_meets_notes_with_headings_of_times() -> None:
    written = (
        "Notes\n\nOct 5, 2026\n\n## Garden - Transcript\n\n### 00:00:00\n\n**Mara:** We plant beans.\n**Ole:** And "
        "kale.\n\n### 00:01:04\n\n**Mara:** By the wall?\n**Ole:** Yes.\n\n### Transcription ended after "
        "00:02:02\n\n*This editable transcript was computer generated and might contain errors.*\n"
    )
    assert recognise(written.encode(), "garden.md").kind is SourceType.TRANSCRIPT
    assert [(turn.speaker, turn.text) for turn in clean("transcript", written).turns] == SAID


def test_a_plan_of_a_day_is_a_note() -> None:
    written = b"09:00\nArrival\n10:00\nThe talk of Mara\n11:30\nBeans\n12:00\nLunch\n"
    assert recognise(written, "plan.txt").kind is SourceType.NOTE
    assert (
        recognise(b"[Mara]: asks\n\nThe rest is a note.\nIt has lines.\nNothing more.\n", "a.md").kind
        is SourceType.NOTE
    )


@pytest.mark.parametrize(
    "text",
    [
        "[main]: started\n[worker-1]: got job 1\n[worker-2]: got job 2\n[worker-1]: done\n[main]: stopped\n",
        "Seeds[a] and soil[b].\n\n[a]: see below\n[a]: and above\n[b]: a third\n[b]: a fourth\n",
        "[Added]: beans\n[Fixed]: the gate\n[Added]: kale\n[Fixed]: the wall\n",
        "姓名：王伟\n电话：123\n姓名：李娜\n电话：456\n",
        "时间：周一10点\n地点：会议室\n时间：周二10点\n地点：线上\n内容：预算\n",
        "日時：10月5日\n場所：会議室A\n日時：10月6日\n場所：会議室B\n",
        "Name: Ole\nPhone: 123\nName: Mara\nPhone: 456\n",
        "Monday: ran 5 km\nTuesday: rest\nMonday: ran 6 km\nTuesday: rest\n",
        "I said: come with me.\nShe said: not today.\nI said: the sea is free.\nShe said: go away.\n",
        "0:30\nplank\n1:00\nsquats\n1:30\nrest\n2:00\nplank\n",
        "0:00\nIntro\n1:30\nSetup\n5:00\nDemo\n10:00\nBye\n",
        "0:12\n0:25\n0:37\n0:50\n",
    ],
)
def test_logs_fields_diaries_and_exercises_are_notes(text: str) -> None:
    assert recognise(text.encode(), "garden.txt").kind is SourceType.NOTE


@pytest.mark.parametrize(
    "text", ["[05-Oct-26 10:00] a" + " " * 60_000 + "x", "   \n" * 25_000, "Mara, [05.10.2026 10:00]" + "\n" * 60_000]
)
def test_blanks_are_no_trap(text: str) -> None:
    assert "".join(turn.text for turn in clean(SourceType.TRANSCRIPT, text).turns).strip() == " ".join(text.split())


def test_um_is_a_word_where_the_language_has_it_and_the_turn_does_not_say_which() -> None:
    german = "Mara: Wann kommt ihr?\nOle: Um acht.\nMara: Gut, dann um acht.\nOle: Um neun auch.\n"
    assert said(german) == [
        ("Mara", "Wann kommt ihr?"),
        ("Ole", "Um acht."),
        ("Mara", "Gut, dann um acht."),
        ("Ole", "Um neun auch."),
    ]
    mixed = "Mara: Wann kommt ihr?\nOle: Kickoff um 8 for Team Nord.\n"
    assert said(mixed)[1] == ("Ole", "Kickoff um 8 for Team Nord.")
    english = "Mara: What is it that we do?\nOle: Um, kale.\nMara: And the beans?\nOle: Beans, um, maybe.\n"
    assert said(english)[1::2] == [("Ole", "Kale."), ("Ole", "Beans, maybe.")]


def test_what_a_messenger_writes_in_somebodys_place_is_nobodys_word() -> None:
    chat = (
        "[12/1/25, 9:01:12\u202fAM] Garden Club: \u200eMessages and calls are end-to-end encrypted.\n"
        "[12/1/25, 9:02:13\u202fAM] Mara: Who brings spades?\n"
        "\u200e[12/1/25, 9:03:13\u202fAM] Ole: \u200evideo omitted\n"
        "\u200e[12/1/25, 9:05:20\u202fAM] Ole: \u200ePOLL:\nWhen?\n\u200eOPTION: Friday (3 votes)\n"
        "[12/1/25, 9:06:20\u202fAM] Mara: This message was deleted.\n"
    )
    data = chat.encode()
    (source,) = recognise(data, "chat.txt").read(Document(io.BytesIO(data), "chat.txt", len(data)))
    assert isinstance(source, RawSource)
    assert source.participants == ("Mara", "Ole")
    assert said(chat) == [("Mara", "Who brings spades?"), ("Ole", "POLL:\n\nWhen?\n\nOPTION: Friday (3 votes)")]


def test_what_stands_below_a_messengers_placeholder_is_its_senders_word() -> None:
    chat = (
        "06.03.25, 09:01 - Mara: Hello\n06.03.25, 09:02 - Tom: Hi\n"
        "06.03.25, 09:03 - Mara: \u200eIMG-1.jpg (file attached)\nMy first cake\n"
        "06.03.25, 09:04 - Tom: \u200eSONDAGE :\nEncore ?\n"
    )
    assert said(chat) == [("Mara", "Hello"), ("Tom", "Hi"), ("Mara", "My first cake"), ("Tom", "SONDAGE :\n\nEncore ?")]


def test_a_dash_before_the_time_is_not_of_the_name() -> None:
    text = "Mara Lind - 00:03\nWe plant beans.\n\nOle Berg - 00:09\nAnd kale.\n\nMara Lind – 01:02\nGood.\n"
    assert said(text) == [("Mara Lind", "We plant beans."), ("Ole Berg", "And kale."), ("Mara Lind", "Good.")]


# Android and iPhone, by points, by AM and PM, with the year in front, Telegram: each a day, a time and a name.
MESSENGERS = (
    "{:%d.%m.%y, %H:%M} - {}: {}",
    "[{:%d.%m.%y, %H:%M:%S}] {}: {}",
    "[{:%m/%d/%y, %I:%M:%S\u202f%p}] {}: {}",
    "{:%Y-%m-%d %H:%M} - {}: {}",
    "{1}, [{0:%d.%m.%Y %H:%M}]\n{2}\n",
)
SENT = [
    (datetime(2026, 5, 1, 20, 1), "Otto", "I bought a red kayak"),
    (datetime(2026, 5, 1, 20, 2), "Ann", "Nice"),
    (datetime(2026, 11, 12, 23, 10), "Otto", "I sold the kayak to Ben"),
    (datetime(2026, 11, 12, 23, 12), "Otto", "It was red"),
    (datetime(2026, 11, 13, 9, 10), "Otto", "Lena has swimming on Fridays now"),
    (datetime(2026, 11, 15, 0, 12), "Ann", "ok"),
]


@pytest.mark.parametrize("layout", MESSENGERS)
def test_each_message_has_its_own_time_and_ends_with_its_line(layout: str) -> None:
    chat = "\n".join(layout.format(*one) for one in SENT) + "\n"
    assert recognise(chat.encode(), "chat.txt").kind is SourceType.TRANSCRIPT
    assert [(turn.at or "")[:16] for turn in clean("transcript", chat).turns] == [
        "2026-05-01T20:01", "2026-05-01T20:02", "2026-11-12T23:10", "2026-11-13T09:10", "2026-11-15T00:12",
    ]  # fmt: skip
    assert said(chat)[2:4] == [
        ("Otto", "I sold the kayak to Ben\n\nIt was red"),
        ("Otto", "Lena has swimming on Fridays now"),
    ]
    (source,) = transcript.read(Document(io.BytesIO(chat.encode()), "chat.txt", len(chat)))
    assert isinstance(source, RawSource) and source.started_at == datetime(2026, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize("name", ["Mara Lind", "+49 170 1234567"])
def test_somebody_who_writes_tells_a_chat_from_a_work_log(name: str) -> None:
    chat = f"[2025-03-06 09:01] {name}: shipped the pump\n[2025-03-06 10:01] Mama: good\n"
    assert recognise(chat.encode(), "x.txt").kind is SourceType.TRANSCRIPT


def test_a_turn_has_one_day() -> None:
    chat = "13.06.25, 23:58 - Otto: Beans\n13.06.25, 23:59 - Otto: Kale\n14.06.25, 00:01 - Otto: Good\n"
    assert [(turn.at, turn.text) for turn in clean("transcript", chat).turns] == [
        ("2025-06-13T23:58:00.000Z", "Beans\n\nKale"), ("2025-06-14T00:01:00.000Z", "Good"),
    ]  # fmt: skip


def test_where_nothing_tells_day_from_month_messages_have_no_time_and_stay_apart() -> None:
    chat = "3/6/25, 12:10 - Otto: Beans\n4/7/25, 12:10 - Otto: Kale\n4/7/25, 12:11 - Ann: Good\n"
    assert [(turn.at, turn.text) for turn in clean("transcript", chat).turns] == [
        (None, "Beans"), (None, "Kale"), (None, "Good"),
    ]  # fmt: skip
    with_a_mistake = "13.06.25, 25:10 - Otto: Beans\n14.06.25, 12:10 - Ann: Good\n"
    assert [turn.at for turn in clean("transcript", with_a_mistake).turns] == [None, "2025-06-14T12:10:00.000Z"]


@given(st.lists(st.tuples(st.integers(0, 900), st.sampled_from(["Otto", "Ann"])), min_size=3, max_size=12))
def test_no_turn_is_longer_than_messages_follow_each_other(sent: list[tuple[int, str]]) -> None:
    """Every message's words are in a turn of its sender's that began at most five minutes before."""
    at, messages = datetime(2026, 10, 13, 22, 50, tzinfo=UTC), []
    for number, (minutes, name) in enumerate(sent):
        at += timedelta(minutes=minutes)
        messages.append((at, name, f"w{number}"))
    chat = "\n".join(f"{at:%d.%m.%y, %H:%M} - {name}: {word}" for at, name, word in messages) + "\n"
    turns = clean("transcript", chat).turns
    found = {word: turn for turn in turns for word in turn.text.split("\n\n")}
    assert sum(len(turn.text.split("\n\n")) for turn in turns) == len(messages)
    for at, name, word in messages:
        began = datetime.fromisoformat(found[word].at or "")
        assert found[word].speaker == name and timedelta(0) <= at - began <= transcript.SOON
