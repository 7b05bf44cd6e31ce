"""The levels of a context by the specification's figures, and what holds of them whatever a source says."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.compression import policy
from memory_assets.compression.policy import FULL, KEYWORDS, SUMMARY, Material, Said, allowance, compress
from memory_assets.llm.tokens import count_tokens

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SEVERAL = (
    ("Ana", "I always sail the Lighthouse cutter on Sundays in spring", "preference"),
    ("Ben", "The cutter's mainsail was torn near the harbour of Bergen", "insight"),
    ("Ana", "Ask Tomasz Wilk to mend the mainsail before the regatta", "task"),
    ("Ben", "Lovely weather today, isn't it", "chitchat"),
)


def said(text: str, kind: str = "insight", turn: int = 0, speaker: str | None = "Ana", **more: object) -> Said:
    return Said(text, speaker, turn, kind, 0.5, 0.8, count_tokens(text), **more)  # type: ignore[arg-type]


def material(tokens: int = 1000, **change: object) -> Material:
    given_: dict[str, object] = {
        "title": "Sails",
        "summary": "The sails of the Lighthouse were mended. Tomasz mended them.",
        "keywords": ("sails", "Lighthouse"),
        "names": ("Tomasz Wilk",),
        "said": tuple(said(text, kind, turn, who) for turn, (who, text, kind) in enumerate(SEVERAL)),
        "token_count": tokens,
        "opening": "Hello, the sails of the Lighthouse were mended yesterday.",
    }
    return Material(**(given_ | change))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("level", "full", "tokens"),
    [
        (FULL, 13_000, 13_000),
        (SUMMARY, 13_000, 1_300),
        (KEYWORDS, 13_000, 390),
        (SUMMARY, 1_009, 100),
        (KEYWORDS, 1_000, 30),
        (SUMMARY, 299, 30),  # the floor: a tenth would be 29
        (KEYWORDS, 333, 10),  # the floor: three hundredths would be 9
        (SUMMARY, 12, 12),  # never more than the source
        (KEYWORDS, 7, 7),
        (SUMMARY, 0, 0),
    ],
)
def test_a_level_has_a_tenth_and_three_hundredths_of_the_source(level: str, full: int, tokens: int) -> None:
    assert allowance(level, full) == tokens


@pytest.mark.parametrize(("level", "days"), [(FULL, None), (SUMMARY, None), (KEYWORDS, 45)])
def test_keywords_expire_after_45_days_and_nothing_else_ever(level: str, days: int | None) -> None:
    assert policy.expires_at(level, NOW) == (NOW + timedelta(days=days) if days else None)


def test_what_expires_is_found_by_owner_and_instant_in_the_order_of_text() -> None:
    early, late = policy.due_key("ana", NOW), policy.due_key("ana", NOW + timedelta(days=1))
    assert early and late and "ana " < early < late < (policy.due_key("ana-b", NOW) or "")
    assert policy.due_key("ana", None) is None


@pytest.mark.parametrize(
    ("kinds", "about"),
    [
        ((), "chitchat"),
        (("chitchat",) * 3, "chitchat"),
        (("chitchat",) * 9 + ("task",), "task"),
        (("insight", "insight", "task"), "insight"),
        (("insight", "task", "preference"), "preference"),
        (("insight", "task"), "task"),
    ],
)
def test_a_source_is_small_talk_only_where_nothing_else_is_said(kinds: tuple[str, ...], about: str) -> None:
    assert policy.content_type_of(said(f"Word {n}", kind) for n, kind in enumerate(kinds)) == about


@pytest.mark.parametrize(
    ("sensitivity", "personal", "tier"),
    [
        (None, False, "PUBLIC"),
        ("low", False, "PUBLIC"),
        ("normal", False, "PUBLIC"),
        ("high", False, "SENSITIVE"),
        ("normal", True, "SENSITIVE"),
    ],
)
def test_high_sensitivity_and_personal_data_are_sensitive(sensitivity: str | None, personal: bool, tier: str) -> None:
    assert policy.access_tier(sensitivity, personal) == tier


def test_personal_data_makes_the_level_that_holds_it_sensitive_and_no_other() -> None:
    made = compress(material(said=(said("Write to tomasz@lighthouse.example", has_personal_data=True),), summary=""))
    assert [(one.level, one.contains_pii, one.access_tier) for one in made] == [
        (FULL, True, "SENSITIVE"), (SUMMARY, True, "SENSITIVE"), (KEYWORDS, False, "PUBLIC"),
    ]  # fmt: skip


def test_a_summary_goes_on_in_whole_statements_told_in_the_order_of_saying() -> None:
    full, summary, keywords = compress(material())
    assert full.content is None and full.token_count == 1000
    assert summary.content == (
        "The sails of the Lighthouse were mended. Tomasz mended them.\n"
        "Ana: I always sail the Lighthouse cutter on Sundays in spring.\n"
        "Ben: The cutter's mainsail was torn near the harbour of Bergen.\n"
        "Ana: Ask Tomasz Wilk to mend the mainsail before the regatta."
    ), "and no small talk"
    assert keywords.content == "sails, Lighthouse, Tomasz Wilk"
    assert (summary.token_count, keywords.token_count) == (
        count_tokens(summary.content),
        count_tokens(keywords.content),
    )
    assert summary.compression_ratio == summary.token_count / 1000 <= 0.1 and keywords.compression_ratio <= 0.03


def test_what_does_not_fit_whole_is_left_out_the_least_telling_first() -> None:
    (_, summary, _) = compress(material(420))
    assert summary.token_count <= 42 and summary.content is not None
    assert summary.content.startswith("The sails of the Lighthouse were mended. Tomasz mended them.\n")
    said = [text for _, text, _ in SEVERAL if text in summary.content]
    assert len(said) == 1


def test_a_summary_that_is_too_long_keeps_whole_sentences() -> None:
    long = "The sails were mended in May. " + "Then the ropes were mended as well, one after the other. " * 9
    (_, summary, _) = compress(material(300, summary=long, said=()))
    assert summary.content == "The sails were mended in May. Then the ropes were mended as well, one after the other."


@pytest.mark.parametrize("text", ["Hi", "🦄", "Gut.", "東京へ行きました。", "I prefer tea."])
def test_the_shortest_source_still_says_something(text: str) -> None:
    alone = material(count_tokens(text), summary=text, keywords=(), names=(), said=(), title="", opening=text)
    made = compress(alone)
    assert [one.level for one in made] == [FULL, SUMMARY, KEYWORDS]
    assert all(one.content for one in made[1:])


def test_a_source_without_a_word_has_no_summary() -> None:
    assert [one.level for one in compress(material(0))] == [FULL]


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=80)
STATEMENTS = st.lists(
    st.builds(
        said, TEXT, st.sampled_from(["preference", "task", "insight", "chitchat"]), st.integers(0, 20), st.none() | TEXT
    ),
    max_size=12,
)


@given(st.integers(0, 3000), TEXT, st.lists(TEXT, max_size=8), st.lists(TEXT, max_size=8), STATEMENTS, TEXT)
def test_whatever_is_said_every_level_keeps_its_share_and_the_level_above(
    tokens: int, summary: str, keywords: list[str], names: list[str], statements: list[Said], opening: str
) -> None:
    given_ = material(
        tokens, summary=summary, keywords=tuple(keywords), names=tuple(names), said=tuple(statements), opening=opening
    )
    made = compress(given_)
    assert [one.level for one in made] == list(policy.LEVELS[: len(made)])
    for above, one in zip(made[:-1], made[1:], strict=True):
        assert one.content and count_tokens(one.content) == one.token_count
        assert one.token_count <= min(above.token_count, allowance(one.level, tokens))
    backwards = replace(given_, said=tuple(reversed(statements)))
    assert compress(backwards) == made, "in which order statements are read says nothing"
