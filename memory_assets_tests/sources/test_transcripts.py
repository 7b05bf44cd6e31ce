"""Transcripts: what of speech is left out in writing, and that nothing else ever is."""

from __future__ import annotations

import io
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.model import SourceType
from memory_assets.sources.formats import FORMATS, clean, recognise
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
    "Did you know, Ole, that it rains?": "Did you know, Ole, that it rains?",
    "You know that I mean the soil.": "You know that I mean the soil.",
    "Um Kulthum sang.": "Um Kulthum sang.",
    "He studied at UM and works in the ER.": "He studied at UM and works in the ER.",
    "We saw The The in Leeds.": "We saw The The in Leeds.",
    "I had had enough, very very much so, that that was it.": "I had had enough, very very much so, that that was it.",
    "Come in in the evening.": "Come in in the evening.",
    "The title is \"Um, uh, the the end\".": "The title is \"Um, uh, the the end\".",
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
MARKERS = re.compile(r"\[(?:" + "|".join(map(re.escape, SOUNDS)) + r")\]")
GONE = {*HESITATIONS, *REPEATED, "you", "know", "mean", "mm-hmm", "w"}


def words_of(text: str) -> Counter[str]:
    return Counter(re.findall(r"[\w'’]+(?:-[\w'’]+)*", MARKERS.sub(" ", text).casefold()))


@settings(max_examples=200, deadline=None)
@given(st.lists(WORDS, max_size=25).map(" ".join))
def test_only_what_is_listed_is_ever_removed(text: str) -> None:
    """And of a word that is said twice, one stays; nothing is added."""
    before, after = words_of(text), words_of(without_disfluencies(text))
    assert set(before - after) <= GONE and not after - before
    assert all(after[word] for word in REPEATED if before[word] and word not in ("i",))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["Mara", "Ole"]), st.lists(WORDS, max_size=6).map(" ".join)), max_size=8))
def test_no_turn_with_a_content_word_is_lost(turns: list[tuple[str, str]]) -> None:
    content = {"tea", "seeds", "ole", "rain", "why", "1999", "very", "that", "no", "plan"}
    before = sum((words_of(text) for _, text in turns), Counter())
    after = sum((words_of(text) for _, text in clean_turns(turns)), Counter())
    assert {word: before[word] for word in content} == {word: after[word] for word in content}


def test_backchannels_go_and_the_turn_goes_on() -> None:
    text = "Mara: We went to the\nOle: Mm-hmm.\nMara: greenhouse.\nOle: [laughter]\nMara: Is it open?\nOle: Mm-hmm.\nMara: Good.\n"
    assert said(text) == [("Mara", "We went to the greenhouse. Is it open?"), ("Ole", "Mm-hmm."), ("Mara", "Good.")]
    (source,) = FORMATS[SourceType.TRANSCRIPT].read(Document(io.BytesIO(text.encode()), "x.txt", len(text)))
    assert isinstance(source, RawSource) and source.participants == ("Mara", "Ole") and source.raw_content == text.strip()


def test_a_transcript_of_hesitations_alone_is_not_empty() -> None:
    assert said("Mara: Um.\nOle: Uh.\n") == [("Mara", "Um."), ("Ole", "Uh.")]


def test_overlapping_cues_are_in_the_order_of_their_times() -> None:
    cues = ("00:05.000 --> 00:09.000\n<v Ole>Second.", "00:01.000 --> 00:06.000\n<v Mara>First.", "00:08.000 --> 00:09.000\n<v Mara>Third.")
    assert said("WEBVTT\n\n" + "\n\n".join(cues)) == [("Mara", "First."), ("Ole", "Second."), ("Mara", "Third.")]
    numbered = [f"{n}\n00:{cue.replace('.000', ',000').replace('--> ', '--> 00:')}" for n, cue in enumerate(cues, 1)]
    assert said("\n\n".join(numbered)) == said("WEBVTT\n\n" + "\n\n".join(cues))


def test_a_speaker_and_a_time_may_stand_above_what_is_said() -> None:
    text = "Mara Lind  0:03\nWe sow: on Monday.\nAll of it.\n\nOle Berg  0:10\nFine.\n\nMara Lind  1:02\nGood.\n"
    assert recognise(text.encode(), "x.txt").kind is SourceType.TRANSCRIPT
    assert said(text) == [("Mara Lind", "We sow: on Monday. All of it."), ("Ole Berg", "Fine."), ("Mara Lind", "Good.")]
    for plan in ("Lunch 12:30\nDinner 18:00\nLunch 19:00\n", "Lunch 12:30\nSoup.\nDinner 18:00\nBread.\nTea 19:00\nMilk.\n"):
        assert recognise(plan.encode(), "x.txt").kind is SourceType.NOTE


def test_captions_that_roll_say_each_line_once() -> None:
    text = (
        "WEBVTT\nKind: captions\nLanguage: en\n\n00:00.000 --> 00:02.000\n \nhello<00:01.000><c> world</c>\n\n"
        "00:02.000 --> 00:02.010\nhello world\n \n\n00:02.010 --> 00:04.000\nhello world\nit<c> rains</c>\n"
    )
    assert " ".join(words for _, words in said(text)) == "hello world it rains"


@pytest.mark.parametrize("unit", ["um ", "um, ", "I I ", "you know, ", "w- ", "[", "[laughter]", '"', "the, the, ", ", ", "mm-hmm "])
def test_no_repetition_is_a_trap(unit: str) -> None:
    assert isinstance(without_disfluencies(unit * 5_000), str)
