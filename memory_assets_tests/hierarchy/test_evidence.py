"""Which sentences of an answer become a storyline's, and whether those of whole statements always do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory_assets.hierarchy.evidence import MOST_SENTENCES, Evidence, fault_of, keys_of, numbered, take, unsupported
from memory_assets.hierarchy.naming import Stated, macro_asked, storyline_asked
from memory_assets.hierarchy.stories import Anchor, Story, StorySource
from memory_assets.hierarchy.themes import Part, Theme
from memory_assets.llm.local.names import name_macro, name_storyline
from memory_assets.llm.sentences import Sentence, read_sentences, text_of, written_sentences
from memory_assets.llm.tasks import DescribedSentence, StorylineName

MOVED = Evidence("c1", "s1", "Nora moved the release to Friday.", "Ana", "2026-05-03")
ROWS = Evidence("c2", "s2", "I row to the north pier.", "Ben", "2026-05-04")
TEA = Evidence("c3", "s2", "I drink tea.", "user", "2026-05-04")
WHOLE = Evidence("s3", "s3", "They talked of the sails. Nora sewed two of them.", None, "2026-05-05")


@pytest.mark.parametrize(
    ("text", "cited", "why"),
    [
        ("3 May 2026: Ana: Nora moved the release to Friday.", [MOVED], None),
        ("Ana: Nora moved the release to Friday", [MOVED], None),
        ("4 May 2026: Ben: I row to the north pier.", [ROWS], None),
        ("4 May 2026: I drink tea.", [TEA], None),  # nobody's name
        ("5 May 2026: Nora sewed two of them.", [WHOLE], None),
        ("4 May 2026: Ben rows to the north pier.", [ROWS], None),
        ("3 May 2026: Ana says that Nora moved the release to Friday.", [MOVED], None),
        # Another day, another's words, without whose they are, in another's name, with more.
        ("4 May 2026: Ana: Nora moved the release to Friday.", [MOVED], "names 2026-05-04"),
        ("4 May 2026: I row to the north pier.", [ROWS], "not in the third person"),
        ("3 May 2026: Nora moved the release to Friday.", [MOVED], "does not name Ana"),
        ("3 May 2026: Ana: Nora moved the release to Monday.", [MOVED], "'Monday'"),
        ("4 May 2026: Tom rows to the north pier.", [ROWS], "does not name Ben"),
        ("4 May 2026: Ben gladly rows to the north pier.", [ROWS], "'gladly'"),
        ("4 May 2026: Ben: I row to the north pier.", [MOVED], "not in the third person"),
    ],
)
def test_a_sentence_is_a_statement_or_says_what_it_cites(text: str, cited: list[Evidence], why: str | None) -> None:
    found = fault_of(text, cited)
    assert found is None if why is None else found is not None and why in found


SHOWN = numbered([MOVED, ROWS, WHOLE, MOVED])


def answer(*sentences: tuple[str, str]) -> StorylineName:
    return StorylineName(
        title="T", sentences=tuple(DescribedSentence(text=t, refs=tuple(r.split())) for t, r in sentences)
    )


@pytest.mark.parametrize(
    ("given_", "taken", "refused"),
    [
        ([("Ben rows to the north pier.", "2"), ("Nora sewed two of them.", "[3]")], [("c2",), ("s3",)], []),
        ([("Ben rows to the north pier.", "1")], [], ["does not name Ana, whose words it cites"]),
        ([("Ben rows to the north pier.", "")], [], ["cites nothing that it was shown"]),
        ([("Ben rows to the north pier.", "2 4")], [], ["cites nothing that it was shown"]),
        (
            [(f"{day}Ben rows to the north pier{end}", "2") for day in ("", "4 May 2026: ") for end in (".", "!", "")],
            [("c2",)] * MOST_SENTENCES,
            ["one too many"] * 2,
        ),
    ],
)
def test_what_is_taken_of_an_answer(
    given_: list[tuple[str, str]], taken: list[tuple[str, ...]], refused: list[str]
) -> None:
    sentences, why = take(answer(*given_), SHOWN)
    assert [one.cites for one in sentences] == taken and [reason for _, reason in why] == refused
    assert read_sentences(written_sentences(sentences)) == sentences


def test_of_a_stored_text_each_sentence_is_judged_by_what_is_there() -> None:
    taken = [Sentence("Ben rows to the north pier.", ("c2",), ("s2",)), Sentence("Nora sewed it.", ("c9",), ("s9",))]
    known = {one.key: one for one in (MOVED, ROWS)}
    text = text_of(taken)
    assert unsupported(taken, text, known) == [("Nora sewed it.", "cites what is there no more")]
    assert unsupported(taken[:1], "Ben rows.", known) == [("Ben rows.", "is not what its sentences say")]
    # In another source of the same statement the sentence is of another day.
    later = replace(ROWS, source_id="s4")
    assert unsupported(taken[:1], taken[0].text, {later.key: later}) != []
    assert unsupported([], "", known) == []


def at(day: int) -> datetime:
    return datetime(2026, 5, day, 9, tzinfo=UTC)


WORDS = st.lists(
    st.sampled_from(
        "Kestrel Nora the a plum frost moved moves I my was is to of and Graz, Riga yesterday 12 June 3 May 2026: "
        "because he it painted roof's ! : ? - # > 1. “ ” [123456789] not would <img paint".split()
    ),
    min_size=1,
    max_size=14,
).map(" ".join)
SPEAKERS = st.sampled_from(["Nora Weiss", "Idris Cole", "user", "assistant", None])
SAID = st.lists(st.tuples(st.integers(1, 9), SPEAKERS, WORDS), max_size=12)


@settings(max_examples=60)
@example([], ["[123456789] moved <img. # It was."] * 9)
@example([(1, "Nora Weiss", "1. The plum, of Graz,")], [""] * 9)
@given(SAID, st.lists(WORDS, min_size=9, max_size=9))
def test_whole_statements_always_follow_from_what_they_cite(
    said: list[tuple[int, str | None, str]], summaries: list[str]
) -> None:
    sources = tuple(StorySource(f"s{day}", at(day) if day % 4 else None) for day in range(1, 10))
    stated: dict[str, list[Stated]] = {}
    for number, (day, who, text) in enumerate(said):
        stated.setdefault(f"s{day}", []).append(Stated(f"c{number}", text, who, 0.5, frozenset()))
    pairs = tuple((source, one.id) for source, rows in stated.items() for one in rows)
    story = Story(Anchor("k", "Kestrel", 0.9, ()), sources, pairs)
    asked = storyline_asked(story, {one.id: text for one, text in zip(sources, summaries, strict=True)}, stated)
    named = name_storyline(asked.request)
    taken, refused = take(named, asked.evidence)
    assert refused == () and len(taken) == len({one.text for one in named.sentences})
    assert bool(taken) == bool(asked.evidence)
    known = {one.key: one for one in asked.evidence.values()}
    assert unsupported(taken, text_of(taken), known) == []
    parts = tuple(Part(n, "k", "Kestrel", 0.9, "T", text_of(taken) or "", at(1), at(9), 9, taken) for n in "ab")
    whole = macro_asked(Theme("k", "Kestrel", 0.9, parts), known)
    overview, refused = take(name_macro(whole.request), whole.evidence)
    assert refused == () and bool(overview) == bool(taken)
    assert {*keys_of(overview)} <= {*keys_of(taken)}
