"""Who is described next, from what, and which sentences stand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.descriptions import policy
from memory_assets.descriptions.policy import DescriptionRules, Noted, Subject
from memory_assets.llm.local.descriptions import describe_subject
from memory_assets.llm.sentences import Sentence, read_sentences, text_of, written_sentences
from memory_assets.llm.tasks import DescribedSentence, SubjectDescription
from memory_assets.text.attribution import Words, attributed

NOW = datetime(2026, 11, 24, 3, 45, tzinfo=UTC)
DAY = timedelta(days=1)


def noted(number: int, words: str, **change: Any) -> Noted:
    """A note of a statement that is understood by itself, of the owner's unless somebody else says it."""
    speaker = change.pop("speaker", None)
    given = {
        "id": f"note:{number}",
        "content": attributed(Words(words, speaker, speaker is None)),
        "lifetime": "year",
        "noted_at": NOW - 30 * DAY + number * DAY,
        "expires_at": NOW + 300 * DAY,
        "is_outdated": False,
        "words": words,
        "statement": words,
        "speaker": speaker or "Maya",
        "is_owners": speaker is None,
    }
    return Noted(**(given | change))


ELIN = noted(
    1,
    "My sister Elin marries Jonas on Saturday 12 December in Kråkvik.",
    statement="Maya's sister Elin marries Jonas on Saturday 12 December in Kråkvik.",
)
OWNS = noted(2, "Priya Raman now owns the alert thresholds.", speaker="Ben Okafor")
NEVER = noted(3, "Ana never eats meat.")
THREE = noted(4, "Ana has 3 cats.")
ALL = [ELIN, OWNS, NEVER, THREE]


@pytest.mark.parametrize(
    ("text", "cited", "why"),
    [
        # Word for word, with and without its point.
        ("My sister Elin marries Jonas on Saturday 12 December in Kråkvik.", [ELIN], None),
        ("Ben Okafor: Priya Raman now owns the alert thresholds", [OWNS], None),
        # Said otherwise, and what it cites says so.
        ("Maya's sister Elin marries Jonas on 12 December in Kråkvik.", [ELIN], None),
        ("Ben says Priya Raman now owns the alert thresholds.", [OWNS], None),
        ("Ana never eats meat and has 3 cats.", [NEVER, THREE], None),
        # Names, numbers, days, denials, words of its own, whose word it is.
        ("Maya's sister Elin marries Tom on 12 December in Kråkvik.", [ELIN], "names 'Tom'"),
        ("Ana has 4 cats.", [THREE], "says 4"),
        ("Maya's sister Elin marries Jonas on 13 December in Kråkvik.", [ELIN], "names 2026-12-13"),
        ("Ana eats meat.", [NEVER], "leaves out a denial"),
        ("Ana has 3 cats and loves them dearly.", [THREE], "says 'loves'"),
        ("Priya Raman owns the alert thresholds.", [OWNS], "does not name Ben Okafor"),
        ("I have 3 cats.", [THREE], "not in the third person"),
        # It is in another note than the one that it cites.
        ("Ana has 3 cats.", [NEVER], "says 3"),
    ],
)
def test_a_sentence_stands_where_it_is_a_note_or_says_what_it_cites(text: str, cited: list[Noted], why: str) -> None:
    found = policy.fault_of(text, cited)
    assert found is None if why is None else found is not None and why in found


def answer(*sentences: tuple[str, str]) -> SubjectDescription:
    return SubjectDescription(sentences=tuple(DescribedSentence(text=text, refs=(ref,)) for text, ref in sentences))


@pytest.mark.parametrize(
    ("kind", "given", "taken", "refused"),
    [
        ("person", [("Ana has 3 cats.", "4"), ("Ana never eats meat.", "3")], 2, []),
        ("concept", [("Ana has 3 cats.", "4"), ("Ana never eats meat.", "3")], 1, ["one too many"]),
        ("person", [("Ana has 3 cats.", "[4]")], 1, []),
        ("person", [("Ana has 3 cats.", "9")], 0, ["cites nothing that it was shown"]),
        ("person", [("Ana has 3 cats.", "0")], 0, ["cites nothing that it was shown"]),
        ("person", [("Ana has 3 cats.", "")], 0, ["cites nothing that it was shown"]),
        ("person", [("Ana has 3 cats.", "4"), ("Ana has 3 cats.", "4")], 1, []),
        ("person", [], 0, []),
    ],
)
def test_what_is_taken_of_an_answer(kind: str, given: Any, taken: int, refused: list[str]) -> None:
    sentences, why = policy.take(kind, answer(*given), ALL)
    assert len(sentences) == taken and [reason for _, reason in why] == refused


def row(name: str, asked: float | None = None, source: float | None = None, waits: float = 1) -> dict[str, Any]:
    def ago(days: float | None) -> datetime | None:
        return None if days is None else NOW - days * DAY

    key = {"stale_key": policy.stale_key("ana"), "dirty_since": ago(waits)}
    return {"id": name, "accessed_at": ago(asked), "source_accessed_at": ago(source), **key}


def timed(name: str, days: float) -> dict[str, Any]:
    """Of what time alone has made due."""
    return row(name) | {"dirty_since": None, "stale_key": policy.stale_key("ana", NOW - days * DAY)}


@pytest.mark.parametrize(
    ("rows", "turn"),
    [
        # The specification's seven days, by the subject or a source of it; then the oldest debt.
        ([row("a"), row("b", asked=7)], "ba"),
        ([row("a"), row("b", asked=7.01)], "ab"),
        ([row("a"), row("b", source=2)], "ba"),
        ([row("a", waits=1), row("b", waits=3), row("c", asked=1, waits=0)], "cba"),
        ([row("a", asked=1, waits=1), row("b", asked=6, waits=2)], "ba"),
        ([row("b"), row("a")], "ab"),
        ([timed("a", 2), row("b", waits=3), row("c", waits=1)], "bac"),
        ([row("a") | {"dirty_since": None}, row("b", waits=1)], "ba"),
        # So long nobody waits behind what is asked for.
        ([row("a", asked=1, waits=2), row("b", waits=7), row("c", waits=7.01)], "cab"),
    ],
)
def test_who_was_asked_for_comes_first_then_who_has_waited_longest(rows: list[dict[str, Any]], turn: str) -> None:
    assert "".join(policy.in_turn(rows, NOW)) == turn
    assert policy.in_turn(rows[::-1], NOW) == policy.in_turn(rows, NOW)


@pytest.mark.parametrize("are_asked_for", [False, True])
def test_everybody_noted_every_day_has_a_turn(are_asked_for: bool) -> None:
    rules, since = policy.DescriptionRules(most_a_run=10), dict.fromkeys(map(str, range(45)), NOW)
    described = set()
    for night in range(12):
        now = NOW + night * DAY
        asked = {"accessed_at": now, "source_accessed_at": None}
        rows = [
            row(name) | {"dirty_since": at} | (asked if are_asked_for and int(name) < 30 else {})
            for name, at in since.items()
        ]
        for name in policy.in_turn(rows, now, rules)[: rules.most_a_run]:
            since[name] = now + DAY
            described.add(name)
    assert described == since.keys()


@pytest.mark.parametrize(
    ("ends", "outdated", "found"),
    [
        # What holds: without an end, or with one to come; then by the day on which each expired, the last first.
        ([None, 1, 5], "", ["123"]),
        ([None, -1, 5], "", ["13", "2"]),
        ([0, -2, -2, 3], "", ["4", "1", "23"]),
        ([-9, -2, -5], "", ["2", "3", "1"]),
        # What is outdated is told no more, however late it expired.
        ([-9, -2, -5, None], "24", ["3", "1"]),
        ([1, -1], "12", []),
        ([], "", []),
    ],
)
def test_what_a_description_may_follow_from(ends: list[int | None], outdated: str, found: list[str]) -> None:
    notes = [
        noted(
            number,
            str(number),
            expires_at=None if end is None else NOW + end * DAY,
            is_outdated=str(number) in outdated,
        )
        for number, end in enumerate(ends, start=1)
    ]
    assert ["".join(one.words for one in part) for part in policy.grounds(notes, NOW)] == found


@given(
    st.lists(st.tuples(st.one_of(st.none(), st.integers(-3, 40)), st.booleans(), st.integers(-1, 60)), max_size=8),
    st.lists(st.integers(0, 50), max_size=6),
)
def test_whichever_nights_there_were_the_same_is_told(
    given_: list[tuple[int | None, bool, int]], nights: list[int]
) -> None:
    """Each night leaves what has not expired, and what was told; of each ground the first that can be told is. What
    comes in late, however long it has expired, is told as if it had always been there.
    """
    every = [
        noted(
            number, f"{number}", expires_at=None if end is None else NOW + end * DAY, statement="yes" if tells else ""
        )
        for number, (end, tells, _) in enumerate(given_)
    ]
    comes = {one.id: day for one, (_, _, day) in zip(every, given_, strict=True)}

    def told(notes: list[Noted], night: int) -> list[Noted]:
        parts = policy.grounds(notes, NOW + night * DAY)
        return next((some for part in parts if (some := [one for one in part if one.statement][:1])), [])

    left: list[Noted] = []
    last = -2
    for night in [*sorted(nights), 60]:
        left = sorted([*left, *(one for one in every if last < comes[one.id] <= night)], key=every.index)
        now, last = told(left, night), night
        ends = NOW + night * DAY
        left = [one for one in left if one in now or one.expires_at is None or one.expires_at > ends]
    assert now == told(every, 60)


def test_a_description_rests_on_the_notes_that_hold_all_that_it_cites() -> None:
    said = tuple(Sentence(text, cites) for text, cites in (("a", ("note:1",)), ("b", ("note:1", "note:2"))))
    subject = Subject("p", "person", "Ana", "person", sentences=said)
    assert policy.rests_on(subject, [noted(1, "a"), noted(2, "b"), noted(3, "c")])
    assert not policy.rests_on(subject, [noted(1, "a"), noted(3, "c")])
    assert not policy.rests_on(subject, [])
    undescribed = Subject("p", "person", "Ana", "person")
    assert not policy.rests_on(undescribed, [noted(1, "a")]), "what comes behind may be told"


def note_row(note_id: str, content: str, day: int | None = 1, rests_on: Sequence[str] = ()) -> dict[str, Any]:
    at = None if day is None else datetime(2026, 5, day, tzinfo=UTC)
    row = {"subject_id": "p", "note_id": note_id, "source_id": "s", "content": content, "rests_on": [*rests_on]}
    return row | {"lifetime": "year", "noted_at": at, "expires_at": None}


def stated(chunk: str, words: str, outdated: str | None = None) -> dict[str, Any]:
    row = {"source_id": "s", "chunk_id": chunk, "words": words, "statement": f"{words}", "speaker": "Ben"}
    return row | {"said_by_owner": False, "outdated": outdated}


@pytest.mark.parametrize(
    ("statements", "left_out", "is_outdated"),
    [
        ([], set(), False),
        ([stated("c1", "I live in Oslo.")], set(), False),
        ([stated("c1", "I live in Oslo.", "wholly")], set(), True),
        ([stated("c1", "I live in Oslo.", "in part")], set(), True),
        ([stated("c1", "I live in Oslo.", "perhaps")], set(), True),
        ([stated("c1", "I live in Bergen.", "wholly")], set(), False),
        ([stated("c1", "I live in Oslo.")], {"c1"}, True),
    ],
)
def test_a_note_stands_and_falls_with_the_words_that_it_has(
    statements: list[dict[str, Any]], left_out: set[str], is_outdated: bool
) -> None:
    ((one,),) = policy.notes_by_subject([note_row("n", "Ben: I live in Oslo.")], statements, left_out).values()
    assert one.is_outdated is is_outdated


@pytest.mark.parametrize(("outdated", "left_out"), [(None, set()), ("wholly", set()), (None, {"c1"})])
def test_an_insight_stands_and_falls_with_what_it_rests_on(outdated: str | None, left_out: set[str]) -> None:
    statements = [stated("c1", "My home is Oslo.", outdated), stated("c2", "My boat is in Oslo.", "wholly")]
    rows = [note_row("n", "Ben's home is Oslo.", rests_on=["c1"])]
    rows = [*rows, rows[0] | {"source_id": "a source of the cluster that says something else"}]
    ((one,),) = policy.notes_by_subject(rows, statements, left_out).values()
    assert one.is_outdated is bool(outdated or left_out)


def test_notes_stand_by_their_day_each_once() -> None:
    rows = [note_row("n3", "c", 3), note_row("n1", "a", 1), note_row("n0", "z", None), note_row("n1", "a", 1)]
    assert [one.id for one in policy.notes_by_subject(rows, [], set())["p"]] == ["n0", "n1", "n3"]


def test_a_description_is_due_again_when_the_next_note_under_it_expires() -> None:
    ends = [
        noted(1, "a", expires_at=NOW + 9 * DAY),
        noted(2, "b", expires_at=NOW + 2 * DAY),
        noted(3, "c", expires_at=None),
    ]
    said = [Sentence("a", ("note:1",)), Sentence("c", ("note:3",))]
    key = policy.due_again("ana", said, ends, NOW)
    assert key is not None and policy.instant_of(key) == NOW + 9 * DAY
    assert policy.due_again("ana", said[1:], ends, NOW) is None
    assert policy.due_again("ana", said, ends, NOW + 9 * DAY) is None, "what was known last stays"
    assert policy.stale_key("ana") <= policy.stale_key("ana", NOW) < key < policy.end_of_keys("ana")
    assert policy.end_of_keys("ana-b") < policy.stale_key("ana"), "no user's keys are within another's"


def test_a_model_is_shown_a_bounded_number_of_notes_by_their_day_and_only_what_is_still_supported() -> None:
    many = [noted(number, f"Ana says {number}.", lifetime="week" if number % 2 else "year") for number in range(1, 21)]
    subject = Subject(
        "p", "person", "Ana", "person", sentences=(Sentence("Gone.", ("x",)), Sentence("Is.", ("note:2",)))
    )
    request = policy.request_for(subject, many, DescriptionRules(most_notes=12))
    assert len(request.notes) == 12 and request.current == ("Is.",)
    assert [note.day for note in request.notes] == sorted(note.day or "" for note in request.notes)
    assert sum(note.lasting == 3 for note in request.notes) == 10, "what lasts before what passes"


WORDS = st.lists(
    st.sampled_from("Ana Ben never eats meat has 3 cats owns the boat in Oslo not 14 May".split()), min_size=1
)
NOTES = st.lists(WORDS.map(lambda words: " ".join(words).capitalize() + "."), min_size=1, max_size=6)


@given(NOTES)
def test_the_local_answer_follows_from_its_notes_and_from_nothing_else(texts: list[str]) -> None:
    notes = [noted(number, text, speaker="Ben" if number % 2 else None) for number, text in enumerate(texts)]
    subject = Subject("p", "person", "Ana", "person")
    request = policy.request_for(subject, notes)
    answer = describe_subject(request)
    taken, refused = policy.take("person", answer, policy.shown(notes))
    assert len(taken) == len(answer.sentences) <= 2 and not refused, "all that it says is taken"
    assert all(policy.fault_of(one.text, [note for note in notes if note.id in one.cites]) is None for one in taken)
    described = Subject("p", "person", "Ana", "person", text_of(taken), taken)
    assert policy.unsupported(described, notes) == []
    rest = [note for note in notes if taken and note.id not in taken[0].cites]
    assert not taken or policy.unsupported(described, rest), "what it cites must be there"
    assert read_sentences(written_sentences(taken)) == taken


@given(st.permutations(range(4)))
def test_what_a_description_is_made_from_knows_no_order(order: list[int]) -> None:
    rows = [note_row(f"n{number}", f"Ana has {number} cats.", number + 1) for number in range(4)]
    found = [policy.notes_by_subject([rows[at] for at in places], [], set())["p"] for places in (order, range(4))]
    subject = Subject("p", "person", "Ana", "person")
    one, other = (policy.made_from(subject, notes, "r") for notes in found)
    assert one == other != policy.made_from(subject, found[0][1:], "r")
