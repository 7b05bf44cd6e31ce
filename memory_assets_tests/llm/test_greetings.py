"""Greetings, thanks and closings bring no names but those of people."""

from __future__ import annotations

import pytest

from memory_assets.entities.policy import decide
from memory_assets.llm.local.extract import extract
from memory_assets.llm.local.greetings import opening_line
from memory_assets.llm.tasks import SourceText, TurnText

BODY = (
    "The rehearsal starts at seven in the big hall. Please bring the blue songbook and a pencil. The hall is cold, so "
    "wear something warm."
)


def named(*turns: str, kind: str = "email", sender: str = "Rosa Lund") -> set[str]:
    """The people and things that are found in a source, but for its sender."""
    source = SourceText(
        source_type=kind, title="", started_at=None, owner_speaker=sender if kind == "conversation" else None,
        turns=tuple(TurnText(index=at, speaker=sender, text=text) for at, text in enumerate(turns)),
    )  # fmt: skip
    mentions = decide(extract(source), source.turns, source.owner_speaker, user="u", count_tokens=len).mentions
    return {mention.name for mention in mentions if mention.kind != "concept" and mention.name != sender}


NOBODY = [
    "Hi there!", "Good Morning!", "Dear All,", "Dear Hiring Manager,", "Dear Valued Customer,", (
        "Dear Customer Service,"
    ),
    "Dear Neighbours,", "Hi Beautiful People!", "Hey Lovely,", "Hi Doctor,", "Hello Team Falcon,", "Greetings Team,",
    "Thank You So Much!", "Dear Sir or Madam,", "Hallo Zusammen,", "Servus Beinand,", (
        "Good Evening Everyone,"
    ), "Welcome Back!",
    "Dear Esteemed Members,", "Hi Sleepy Heads!", "Good Day Fellow Gardeners,", "Hey Superstar!",
]  # fmt: skip


@pytest.mark.parametrize("greeting", NOBODY)
def test_a_greeting_names_nobody(greeting: str) -> None:
    for turns in ((greeting, BODY), (f"{greeting}\n{BODY}",), (BODY, greeting)):
        assert named(*turns) == set(), turns


@pytest.mark.parametrize(
    ("greeting", "name"),
    [
        ("Hi Marlene!", "Marlene"), ("Dear Oskar,", "Oskar"), ("Thanks Bob!", "Bob"), ("Bonjour Camille,", "Camille"),
        ("Good Day Mr. Pim,", "Pim"), ("Dear Zofka,", "Zofka"), ("Morning Anselm,", "Anselm"), ("Congratulations Ada!", "Ada"),  # noqa: E501
    ],
)  # fmt: skip
def test_the_name_behind_a_greeting_is_a_name(greeting: str, name: str) -> None:
    assert named(f"{greeting}\n{BODY}") == {name}


@pytest.mark.parametrize(
    ("closing", "name"), [("Best Wishes, Oskar", "Oskar"), ("Warm Regards,\nPetra", "Petra"), ("Many Thanks", None)]
)
def test_who_signs_is_named_without_the_closing(closing: str, name: str | None) -> None:
    assert named(BODY, closing) <= {name} if name else named(BODY, closing) == set()


def test_a_program_that_is_spoken_to_is_no_person() -> None:
    source = SourceText(
        source_type="conversation", title="", started_at=None, owner_speaker="user",
        turns=(TurnText(index=0, speaker="user", text=f"Hey Siri, set a timer for ten minutes. {BODY}"),),
    )  # fmt: skip
    mentions = decide(extract(source), source.turns, "user", user="u", count_tokens=len).mentions
    assert "Siri" not in {mention.name for mention in mentions if mention.kind == "person"}


def test_a_name_that_a_statement_is_about_stays_though_it_is_greeted_too() -> None:
    text = "Team Falcon has won the regatta. We met Team Falcon at the quay, and Team Falcon sails again in May."
    assert "Team Falcon" in named("Hello Team Falcon,", text)


@pytest.mark.parametrize(
    ("text", "line"), [("Hallo zusammen,\nwir", "Hallo zusammen,"), ("It rains\nin May", ""), ("Go! Now", "")]
)
def test_the_line_that_calls(text: str, line: str) -> None:
    assert opening_line(text) == line
