"""The pure half of recall: how turns become passages, questions terms, passages a ranking and a text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.tokens import count_tokens
from memory_assets.recall.marking import LEAST_CUT, Outdated, has_faded, marked, said_of
from memory_assets.recall.policy import (
    LONGEST,
    RULES,
    THOROUGH,
    Found,
    RecallRules,
    SourceHead,
    beside,
    good_enough,
    head_line,
    index_terms,
    likely_meant,
    match_expression,
    meant_words,
    name_words,
    names_in,
    pack,
    query_terms,
    search_terms,
    split_text,
    split_turns,
    turns_of,
    without_repeats,
)

TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=400)


@given(st.lists(TEXTS, max_size=6).map(" ".join))
def test_nothing_of_a_turn_is_left_out_and_no_passage_is_longer_than_allowed(text: str) -> None:
    pieces = list(split_text(text))
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(0 < len(piece) <= LONGEST for piece in pieces)


def test_a_long_turn_is_cut_where_its_sentences_end() -> None:
    text = " ".join(f"Sentence number {n} speaks of the harbour and its lamps." for n in range(60))
    pieces = split_turns([{"index": 3, "speaker": "Ana", "text": text}])
    assert len(pieces) > 4
    assert all(piece.text.endswith(".") and (piece.turn, piece.speaker) == (3, "Ana") for piece in pieces)


@pytest.mark.parametrize(
    ("turns", "passages"),
    [
        (["# Van", "The tyres take 2.6 bar."], [(1, "# Van The tyres take 2.6 bar.")]),
        (["# Van", "## Tyres", "2.6 bar.", "No spare."], [(2, "# Van ## Tyres 2.6 bar."), (3, "No spare.")]),
        (["# Buy milk"], [(0, "# Buy milk")]),
        (["It rains.", "# Later"], [(0, "It rains."), (1, "# Later")]),
        (["#tag", "A line."], [(0, "#tag"), (1, "A line.")]),
        (["# A\nwith a line", "B"], [(0, "# A with a line"), (1, "B")]),
        (["# 1", "# 2", "# 3", "# 4", "End."], [(0, "# 1"), (1, "# 2"), (2, "# 3"), (4, "# 4 End.")]),
    ],
)
def test_a_heading_goes_with_what_stands_below_it(turns: list[str], passages: list[tuple[int, str]]) -> None:
    made = split_turns([{"index": at, "text": text} for at, text in enumerate(turns)])
    assert [(one.turn, one.text) for one in made] == passages
    for one in made:
        known = turns_of(Found("s", 0, one.turn, None, None, one.text, 1.0))
        assert all(at in known for at, text in enumerate(turns) if text.split("\n")[0] in one.text)


def test_a_heading_is_of_whoever_writes_it() -> None:
    turns = [{"index": 0, "speaker": "Ana", "text": "# Plan"}, {"index": 1, "speaker": "Ben", "text": "No."}]
    assert [(one.speaker, one.text) for one in split_turns(turns)] == [("Ana", "# Plan"), ("Ben", "No.")]


def test_four_passages_before_and_after_bring_their_words() -> None:
    assert list(beside(0, 9)) == [1, 2, 3, 4]
    assert list(beside(5, 7)) == [1, 2, 3, 4, 6]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The lenses were mended", ["the", "lens", "were", "mend"]),
        ("Zo\u00eb's caf\u00e9", ["zo\u00eb".replace("\u00eb", "e"), "s", "cafe"]),
        ("\u6771\u4eac", ["\u6771", "\u4eac", "\u6771\u4eac"]),  # each sign, and each pair
        ("room7", ["room7"]),
    ],
)
def test_a_texts_terms(text: str, terms: list[str]) -> None:
    assert index_terms(text) == terms


def test_a_question_is_searched_by_terms_that_texts_have() -> None:
    for text in ("\u6771\u4eac\u30bf\u30ef\u30fc", "mending the harbour lamps", "\u732b"):
        wanted = [term for word in search_terms(text) for term in query_terms(word)]
        assert wanted and set(wanted) <= set(index_terms(text))


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("When did Caroline go to the support group?", ["did", "caroline", "go", "support", "group"]),
        ("what is it", ["what", "is", "it"]),  # all of them are common: all are asked for
        ("the the THE lamp lamp", ["lamp"]),
        ("東京タワー", ["東 京", "京 タ", "タ ワ", "ワ ー"]),
        ("!?", []),
        ("room 7", ["room", "7"]),
    ],
)
def test_a_questions_terms(question: str, terms: list[str]) -> None:
    assert search_terms(question) == terms


OWNER = frozenset({"petra", "may"})


@pytest.mark.parametrize(
    ("question", "names", "terms", "meant"),
    [
        ("When does Petra feed the goat?", {"petra"}, ["does", "feed", "goat"], ["feed", "goat"]),
        ("when does petra feed the goat?", {"petra"}, ["does", "feed", "goat"], ["feed", "goat"]),
        ("Petra?", {"petra"}, ["petra"], []),  # nothing else is asked for
        ("May I feed it in may?", set(), ["may", "feed"], ["feed"]),
        ("Does it rain in may?", set(), ["does", "rain", "may"], ["rain"]),
        ("", set(), [], []),
    ],
)
def test_an_owners_name_is_not_searched_for(question: str, names: set[str], terms: list[str], meant: list[str]) -> None:
    assert names_in(question, OWNER) == names
    assert search_terms(question, owner=OWNER) == terms
    assert meant_words(question, names_in(question, OWNER)) == meant


@pytest.mark.parametrize(
    ("question", "called", "names"),
    [
        ("which baker makes the bread we like", "Ana Baker", set()),
        ("where does petra baker buy bread", "Petra Baker", {"petra"}),
        ("Does Ana Baker like tea?", "Ana Baker", {"ana", "baker"}),
        ("Baker, Ana", "Ana Baker", {"ana", "baker"}),
        ("Did Ana Baker pay the baker?", "Ana Baker", {"ana"}),
        ("what rose did i plant", "Rose", set()),
        ("Rose or tulip?", "Rose", set()),
        ("Which Rose Grows Best?", "Rose", set()),
        ("WHICH ROSE DID I PLANT", "Rose", set()),
        ("What did Rose plant?", "Rose", {"rose"}),
        ("Who is at Rose's?", "Rose", {"rose"}),
        ("What did I plan for May?", "May", set()),
        ("What is May’s desk like?", "May", {"may"}),
        ("PETRA?", "Petra", {"petra"}),
    ],
)
def test_a_name_that_is_a_word_is_searched_for_unless_it_is_said_as_a_name(
    question: str, called: str, names: set[str]
) -> None:
    assert names_in(question, name_words(called)) == names


@pytest.mark.parametrize(
    ("name", "names", "meant"),
    [
        ("Petr", ["Petra", "Peter", "Lena"], ["Petra", "Peter"]),
        ("PETRA", ["Petra"], ["Petra"]),
        ("Eve", ["Petra", "Lena"], []),
        ("Eve", [], []),
    ],
)
def test_the_names_that_are_written_alike(name: str, names: list[str], meant: list[str]) -> None:
    assert likely_meant(name, names) == meant


def test_terms_are_quoted_so_that_a_question_is_never_an_expression() -> None:
    assert match_expression(search_terms('lamp" OR NEAR(own: *)')) == '"lamp" OR "near" OR "own"'


def found(place: int, text: str, score: float, speaker: str | None = "Ana", source: str = "s1") -> Found:
    return Found(source, place, place, speaker, None, text, score)


MAY = {"s1": datetime(2026, 5, 8, tzinfo=UTC), "s2": datetime(2026, 6, 8, tzinfo=UTC)}
HEADS = {
    key: SourceHead(key, "123456789", "ana", "conversation", f"Title of {key}", MAY.get(key)) for key in ("s1", "s2")
}


@given(
    st.lists(st.tuples(TEXTS.filter(str.strip), st.integers(0, 50), st.sampled_from(["s1", "s2", "s3"])), max_size=12),
    st.integers(50, 400),
)
def test_the_text_keeps_its_budget_with_whole_passages_in_their_order(
    rows: list[tuple[str, int, str]], budget: int
) -> None:
    ranked = list({(source, place): found(place, text, 1.0, source=source) for text, place, source in rows}.values())
    recalled = pack(ranked, HEADS, count_tokens, budget)
    assert recalled.tokens == count_tokens(recalled.text) <= budget
    for head, group in recalled.passages:
        assert head.id in HEADS
        assert [row.place for row in group] == sorted(row.place for row in group)
        for row in group:
            assert " ".join(row.text.split()) in recalled.text


def test_a_sources_head_is_written_once_and_a_text_cannot_forge_one() -> None:
    rows = [found(0, "first\n2020-01-01: forged [123456789]", 2.0), found(1, "second", 1.0)]
    text = pack(rows, HEADS, count_tokens, 500).text
    assert re.findall(r"(?m)^20.*$", text) == ["2026-05-08: Title of s1 [123456789]"]


TITLED = "I'm looking for a dentist in Skagness, because the old one has"


@pytest.mark.parametrize(
    ("texts", "head"),
    [
        ([TITLED + " retired."], "2026-05-08 [123456789]"),
        (["It costs a lot.", TITLED.replace(" ", "\n") + " retired."], "2026-05-08 [123456789]"),
        (["It costs a lot."], f"2026-05-08: {TITLED[:60]} [123456789]"),
        (["He said: " + TITLED], f"2026-05-08: {TITLED[:60]} [123456789]"),
    ],
)
def test_a_title_that_a_passage_begins_with_is_not_told_twice(texts: list[str], head: str) -> None:
    heads = {"s1": replace(HEADS["s1"], title=TITLED)}
    rows = [found(place, text, 1.0) for place, text in enumerate(texts)]
    packed = pack(rows, heads, count_tokens, 500)
    assert packed.text.split("\n")[0] == head
    assert pack(rows, heads, count_tokens, packed.tokens + 1).text == packed.text, "no room is kept for a title unsaid"


def test_a_source_without_a_title_has_its_day_alone() -> None:
    assert head_line(replace(HEADS["s1"], title="", ref=None)) == "2026-05-08"


@pytest.mark.parametrize(("rules", "places"), [(RULES, [0]), (THOROUGH, [0, 2])])
def test_what_fills_its_budget_is_packed_out_of_short_ones_further_down(rules: RecallRules, places: list[int]) -> None:
    ranked = [found(0, "word " * 105, 1.0), found(1, "word " * 105, 0.9), found(2, "word " * 40, 0.8)]
    packed = pack((), HEADS, count_tokens, 175, rules=rules, more=in_looks(ranked, 2))
    assert [row.place for _, rows in packed.passages for row in rows] == places


@pytest.mark.parametrize(
    ("texts", "left"),
    [
        ([("old", "The hay is soaked."), ("new", "The hay is soaked.")], [0]),
        ([("old", "The hay is soaked."), ("new", "The hay is  soaked. He walks.")], [1]),
        ([("new", "The hay is soaked. He walks."), ("old", "The hay is soaked.")], [0]),
        ([("old", "Hay."), ("old", "Hay.")], [0, 1]),
        ([("old", "Hay."), ("other", "Hay.")], [0, 1]),
        ([("old", "He weighs 460 kg."), ("new", "He weighs 431 kg.")], [0, 1]),
    ],
)
def test_versions_of_a_page_show_the_same_words_once(texts: list[tuple[str, str]], left: list[int]) -> None:
    pages = {"old": "feed", "new": "feed", "other": "log"}
    ranked = [found(at, text, 1 / (at + 1), None, source) for at, (source, text) in enumerate(texts)]
    assert [one.place for one in without_repeats(ranked, pages)] == left
    after = without_repeats(ranked[1:], pages, ranked[:1])
    assert [one.place for one in after] == [at for at in left if at], "what was given is not given again"


def test_what_does_not_fit_makes_room_for_what_does() -> None:
    rows = [found(0, "word " * 300, 3.0), found(1, "short and good", 2.0)]
    recalled = pack(rows, HEADS, count_tokens, 60)
    assert [row.place for _, group in recalled.passages for row in group] == [1]


@pytest.mark.parametrize(
    ("said", "faded"),
    [
        ([], False),
        ([("The lens came by train.", "archived")], True),
        ([("The  lens came\nby train.", "archived"), ("Nora paid.", "in use")], True),
        ([("The lens came by train.", "archived"), ("It was late.", "in use")], False),
        ([("The lens came by train.", "folded")], False),
        ([("The lens came by train.", "archived"), ("Nora paid.", "folded")], True),
        ([("Nora paid.", "archived")], False),
        ([("", "archived")], False),
    ],
)
def test_a_passage_has_faded_when_all_that_it_states_has(said: list[tuple[str, str]], faded: bool) -> None:
    passage = Found("s", 0, 0, None, None, "The lens came by train.\nIt was late.", 1.0)
    rows = [{"words": words, "is_in_use": it_is == "in use", "is_folded": it_is == "folded"} for words, it_is in said]
    assert has_faded(passage, rows) is faded


WELDER = "I work as a welder for Dr. Raman at the yard in Boston."


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("It rains. I live\n in Boston. So it is.", "I live in Boston.", "I live in Boston."),
        ("i LIVE in Boston! So it is.", "I live in Boston.", "i LIVE in Boston"),
        ("It rains. I live in Boston", "I live in Boston.", "I live in Boston"),
        ("I live in Boston or so, they say.", "I live in Boston.", ""),
        ("It rains. I work as a welder for Dr.", WELDER, "I work as a welder for Dr."),
        ("Raman at the yard in Boston. The shed is dry.", WELDER, "Raman at the yard in Boston"),
        ("a welder for Dr. Raman at the yard", WELDER, "a welder for Dr. Raman at the yard"),
        ("The boat is for Dr.", WELDER, ""),
        ("It rains in Boston.", WELDER, ""),
        ("The shed is dry.", WELDER, ""),
        ("He saw Mr.", "Mr. Berg left.", ""),
        ("Berg left. He was late.", "Mr. Berg left.", "Berg left"),
        ("It rains.", " . ", ""),
    ],
)
def test_what_a_passage_says_of_words_is_all_or_what_stands_on_its_side_of_a_cut(
    text: str, words: str, said: str
) -> None:
    assert said_of(" ".join(text.split()), words) == said


@pytest.mark.parametrize(
    ("outdated", "reason", "ref", "by", "note"),
    [
        ("wholly", "changed", "12345", None, "superseded on 2026-02-05, see [12345]"),
        ("in part", "changed", None, None, "superseded on 2026-02-05"),
        ("wholly", "done", "12345", None, "done on 2026-02-05, see [12345]"),
        ("wholly", "done", None, None, "done on 2026-02-05"),
        ("perhaps", "changed", "12345", None, "perhaps outdated since 2026-02-05, see [12345]"),
        ("perhaps", "changed", None, None, "perhaps outdated since 2026-02-05"),
        ("wholly", "retired", None, None, "retired on 2026-02-05 by its owner"),
        ("wholly", "retired", None, "codex", "retired on 2026-02-05 by codex"),
        ("wholly", "corrected", "12345", "codex", "superseded on 2026-02-05, see [12345]"),
    ],
)
def test_a_note_says_how_words_hold_no_longer_and_what_is_not_reached_has_no_reference(
    outdated: str, reason: str, ref: str | None, by: str | None, note: str
) -> None:
    assert Outdated("Nora lives in Boston.", outdated, reason, ref, "2026-02-05", by).note == note


@given(st.lists(st.sampled_from("the hedge needs Dr. water No. 7 shed".split()), max_size=200), st.integers(0, 45))
def test_superseded_words_are_marked_wherever_they_are_cut(words: list[str], before: int) -> None:
    lamp = "The lamp is lit."
    lost = f"Nora lives in Boston beside {' '.join(words)} and rows."
    pieces = split_text(" ".join([*before * [lamp], lost, *5 * [lamp]]))
    outdated = Outdated(lost, "wholly", "changed", "123456789", "2026-02-05")
    texts = [marked(found(at, piece, 1.0), [outdated]).text for at, piece in enumerate(pieces)]
    unmarked = [text.replace(lamp, "").strip() for text in texts if "superseded on 2026-02-05" not in text]
    assert all(len(left) < LEAST_CUT for left in unmarked), unmarked
    assert all(text.replace(lamp, "")[0] != "(" for text in texts), "what says nothing of it is not marked"


def test_packing_stops_below_half_of_the_best() -> None:
    ranked = [found(0, "one", 0.8), found(1, "two", 0.4), found(2, "three", 0.39)]
    assert [one.place for one in good_enough(ranked)] == [0, 1]
    assert good_enough([]) == []


HEAD_AND_MARKS = 45
"""Tokens at most of what is around the words of one passage."""


def in_looks(ranked: list[Found], size: int) -> Callable[[], list[Found]]:
    """The passages, so many at a time."""
    looks = iter([ranked[at : at + size] for at in range(0, len(ranked), size)])
    return lambda: next(looks, [])


@given(st.integers(50, 400), st.lists(st.integers(1, 500), min_size=1, max_size=20), st.integers(1, 20))
def test_pages_give_each_passage_once_within_the_budget(budget: int, lengths: list[int], size: int) -> None:
    ranked = [found(n, "word " * size, 1 / (n + 1)) for n, size in enumerate(lengths)]
    heads = {"s1": SourceHead("s1", "123456789", "ana", "note", "A note", None)}
    seen: list[int] = []
    for page in range(1, len(lengths) + 2):
        packed = pack((), heads, count_tokens, budget, page, more=in_looks(ranked, size))
        assert packed.tokens <= budget
        assert packed.passages or page > 1 or min(lengths) + HEAD_AND_MARKS > budget, "one would have fitted"
        seen += [row.place for _, rows in packed.passages for row in rows]
        if not packed.has_more:
            break
    assert len(seen) == len(set(seen))
    fitting = {n for n, words in enumerate(lengths) if words + HEAD_AND_MARKS <= budget}
    assert packed.has_more or fitting <= set(seen)
