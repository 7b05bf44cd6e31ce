"""Standing rules in a polite dress, and what only looks like one."""

from __future__ import annotations

import pytest

from memory_assets.llm.local.instructions import standing_request
from memory_assets.llm.local.language import parse
from memory_assets.llm.local.sentence_features import BY_ASSISTANT, TO_ASSISTANT, Setting
from memory_assets.llm.local.sentences import pieces
from memory_assets.llm.local.statements import judge


@pytest.mark.parametrize(
    "text",
    [
        "Could you please make sure to never use emojis with me?",
        "Could you always answer me in metric units, please?",
        "Can you please stop using bullet points?",
        "Can you from now on write dates for me as ISO?",
        "Would you mind always giving me the source?",
        "Mind not using jargon with me?",
        "Would it be possible for you to always include the price?",
        "Could I ask you to never use my full name?",
        "Please refrain from using emojis.",
        "I'd appreciate it if you always cited your sources.",
        "I would appreciate it if you kept your answers short.",
        "I'd prefer it if you wrote in British English.",
        "It's important to me that you never share my data.",
        "I never want to see code without comments.",
        "I only want answers in bullet points.",
        "Under no circumstances share my address.",
        "Make it a rule to confirm before booking.",
        "In future, use 24-hour times.",
        "For future reference, I want prices in euros.",
        "You can skip the pleasantries in all your replies.",
        "Kindly keep all replies under 100 words.",
        "Please don't use any tables in your answers.",
        "Let's always use tabs for indentation.",
        "No emojis, please.",
        "Remember to remind me a day before any appointment.",
    ],
)
def test_a_rule_is_heard_however_politely_it_is_put(text: str) -> None:
    piece = pieces(text)[0]
    found = judge(piece, parse([piece.text])[0], Setting(TO_ASSISTANT))
    assert (found.content_type, found.is_instruction) == ("preference", True), found
    assert not judge(piece, parse([piece.text])[0], Setting(BY_ASSISTANT)).is_instruction


@pytest.mark.parametrize(
    "text",
    [
        "Could you please make sure the door is closed?",
        "Can you always take the bus there?",
        "Could you always see the sea from there?",
        "Could you please stop by tomorrow?",
        "Could you please never mind that?",
        "Do you always eat lunch at noon?",
        "Would you mind not parking there?",
        "Would you ever move to Spain?",
        "It would be great if you could come on Friday.",
        "I'd appreciate it if you sent me the file by Friday.",
        "In future, robots will do this.",
        "In the future I want to live in Spain.",
        "In the future I want a dog.",
        "Please avoid driving through Graz tomorrow.",
        "Please write all answers on the worksheet before Monday.",
        "Can you stop asking me today?",
        "I never want to see him again.",
        "Let's never do that again.",
        "Remember to send me the report.",
        "No worries, please go on.",
        "Answer in German.",
    ],
)
def test_what_is_asked_for_once_is_no_rule(text: str) -> None:
    assert standing_request(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "I'll make a difference in the world",
        "I'll leave a lasting impact",
        "I'll celebrate my successes and learn from my mistakes",
        "If I run into more problems, I'll definitely ask.",
        "I'll also be willing to take risks and try new approaches",
        "I'll stay motivated and focused on my goal",
        "I will keep that in mind.",
    ],
)
def test_a_good_intention_is_no_task(text: str) -> None:
    piece = pieces(text)[0]
    assert judge(piece, parse([piece.text])[0], Setting(TO_ASSISTANT)).content_type != "task"


@pytest.mark.parametrize(
    "text",
    [
        "I'll be ready to leave by 8 on Friday.",
        "I will send Anna the contract.",
        "I'll ask Leonie whether the hall is free in December, and book it for the whole weekend.",
        "I'll ask Anna about the keys.",
        "I'll get back to you about the contract.",
        "I'll reach out to the landlord.",
        "I'll do my best to finish the report.",
    ],
)
def test_what_can_be_ticked_off_is_no_vow(text: str) -> None:
    piece = pieces(text)[0]
    assert judge(piece, parse([piece.text])[0], Setting(TO_ASSISTANT)).rule != "vow"
