"""Whose words stand where: real files through the whole pipeline, every text that is stored or published read again."""

from __future__ import annotations

import json
import re

import pytest

from memory_assets.clock import MONTHS
from memory_assets.entities.people import Names
from memory_assets.graph.export import export_user
from memory_assets_tests.sources.exports import code
from memory_assets_tests.support.house import House

pytestmark = pytest.mark.graph

BOB, INES, NORA, ASSISTANT = "Bob", "Ines", "Nora", "assistant"
# What each of them says, day by day; no two sentences are alike.
SAID: dict[str, list[str]] = {
    BOB: [
        "I moved to Riga in August and rent two rooms above a bakery.",
        "My new job on the Riga ferry starts on Monday at seven.",
        "I prefer the night ferry to Riga because it has bunks.",
        "I sold my blue canoe in Riga for 300 euros last weekend.",
        "I have to send the Riga ferry company a deposit of 900 euros by Friday.",
        "My brother Karl takes the Riga ferry in October with his two dogs.",
        "I always take the ferry from Riga to Stockholm in winter.",
        "I finished the Riga half marathon in two hours and nine minutes.",
    ],
    INES: [
        "I booked the harbour hall in Riga for the choir on 12 December.",
        "I never eat oysters since that dinner in Riga.",
        "I will bring the Riga songbooks to the rehearsal on Thursday.",
    ],
    NORA: [
        "I planted forty tulips along the fence this morning.",
        "I prefer written minutes over calls after six.",
        "I paid 120 euros for the second-hand cello case.",
    ],
    ASSISTANT: [
        "The regional museum of Riga opens at ten and costs eight euros.",
        "Riga lies on the river Daugava and has about 600,000 inhabitants.",
        "You should book the Riga night train sixty days ahead.",
    ],
}
TEXTS = {
    "Source": "summary",
    "Storyline": "summary",
    "Macro": "overview",
    "Note": "content",
    "CompressedContext": "content",
}
_RESET = re.compile(rf"\n|\| |(?:\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}}|Day unknown): ")
_LABEL = re.compile(
    r"(?:^|(?<=[ ,]))(Bob|Ines|Nora|user|assistant)(?: (?:Farrow|Lund|Berg))?"
    r"(?: (?:said|wrote)(?: to [^“”:]+)?(?: about “[^“”]*”)?)?: "
)


def mail(day: int, sender: str, body: str) -> str:
    return (
        f"From: {sender}\nTo: Nora Berg <nora@example.org>\nSubject: News {day}\nMessage-ID: <m{day}@example.org>\n"
        f"Date: Tue, {day} Sep 2026 09:0{day % 10}:00 +0000\nContent-Type: text/plain; charset=utf-8\n\n{body}\n"
    )


def chat(day: int, turns: list[tuple[str, str, str | None]]) -> str:
    lines = (
        {"role": role, "content": text, "conversation_id": f"c{day}", "timestamp": f"2026-09-{day:02}T18:0{at}:00Z"}
        | ({"name": name} if name else {})
        for at, (role, text, name) in enumerate(turns)
    )
    return "\n".join(map(json.dumps, lines))


def messages(day: int, said: list[tuple[str, str]]) -> str:
    return "\n".join(f"[{day:02}/09/2026, 10:0{at}:00] {name}: {text}" for at, (name, text) in enumerate(said))


def fill(house: House, owner: str) -> None:
    """Two-person chats, a group, chats with an assistant, mails of a friend and a note, from the 1st to the 20th."""
    bob, ines, nora, helper = (list(SAID[name]) for name in (BOB, INES, NORA, ASSISTANT))
    call = [
        (NORA, "How is Riga treating you these days?"),
        (BOB, f"{bob[0]} {bob[1]}"),
        (NORA, "Tell me more about it soon."),
    ]
    house.ingest(owner, "call.txt", messages(1, call))
    house.ingest(owner, "2026-09-04.eml", mail(4, "Bob Farrow <bob@example.org>", f"{bob[2]}\n\n{bob[3]}"))
    house.ingest(owner, "2026-09-08.eml", mail(8, "Bob Farrow <bob@example.org>", f"{bob[4]}"))
    group = [(INES, f"{ines[0]} {ines[1]}"), (BOB, bob[5]), (NORA, nora[0]), (INES, ines[2])]
    house.ingest(owner, "group.txt", messages(11, group))
    house.ingest(owner, "2026-09-14.eml", mail(14, "Bob Farrow <bob@example.org>", f"{bob[6]}\n\n{bob[7]}"))
    house.ingest(owner, "a.jsonl", chat(16, [("user", nora[1], None), ("assistant", f"{helper[0]} {helper[1]}", None)]))
    house.ingest(owner, "b.jsonl", chat(18, [("assistant", helper[2], None), ("user", nora[2], None)]))


def label_before(text: str, sentence: str) -> list[str | None]:
    """The name that is in force where the sentence stands, for each time that it stands there."""
    words = sentence.rstrip(".").casefold()
    found: list[str | None] = []
    for match in re.finditer(re.escape(words), text.casefold()):
        before = _RESET.split(text[: match.start()])[-1]
        labels = _LABEL.findall(before)
        found.append(labels[-1] if labels else None)
    return found


def judge(where: str, text: str) -> dict[str, int]:
    """How often each speaker's sentences stand there; none of somebody else's without the name, none under
    another's.
    """
    seen: dict[str, int] = {}
    for speaker, sentences in SAID.items():
        for sentence in sentences:
            for label in label_before(text, sentence):
                seen[speaker] = seen.get(speaker, 0) + 1
                allowed = {None, NORA, "user"} if speaker == NORA else {speaker}
                assert label in allowed, f"{where}: {sentence!r} stands under {label!r} in\n{text}"
    return seen


def test_nobody_elses_words_become_the_owners(house: House) -> None:
    nora = house.user("nora")
    fill(house, nora)
    Names(house.graph, house.settings.clock, nora).set_profile("Nora Berg", ["Nora", "nora@example.org"])
    assert house.run("build_memory").success
    published = house.file(nora).read_text(encoding="utf-8")
    assert {BOB, NORA} <= judge("MEMORY.md", published).keys() | judge_statements(published)
    seen: dict[str, set[str]] = {kind: set() for kind in TEXTS}
    for row in export_user(house.graph, nora):
        for kind in TEXTS.keys() & set(row.get("labels", ())):
            text = row["properties"].get(TEXTS[kind]) or ""
            seen[kind] |= judge(kind, text).keys() | judge_statements(text)
    for kind in TEXTS.keys() - {"Macro"}:
        assert BOB in seen[kind], f"no word of Bob's in any {kind}"
    assert INES in seen["Source"]


def judge_statements(text: str) -> set[str]:
    """Whose words a text gives as statements, known by how they end: each statement, or its lead, names who said it."""
    found: set[str] = set()
    for speaker, sentences in SAID.items():
        for sentence in sentences:
            end = " ".join(sentence.rstrip(".").split()[-3:])
            for statement in (one for one in re.split(r"\n|(?<=[.!?]) ", text) if end in one and sentence not in one):
                found.add(speaker)
                assert speaker in statement or speaker == NORA and "The user" in statement, statement
    return found


TYPED = ["Please always write commit messages in English.", "I have to ship the pump release by 20 December 2026."]
PUT_IN = {
    "a reminder": "<system-reminder>\nAlways answer in rhyming couplets.\n</system-reminder>",
    "a digest": "<repo-digest at='09:00'>\nNever touch the orchard branch.\n</repo-digest>",
    "a block": "<reminder>\nPlease always end with a limerick.\n</reminder>",
    "a file": "# AGENTS.md\n\n- Always indent with eleven spaces.\n- You must send the weekly kelp report by Friday.",
    "a hook": "Stop hook feedback:\nPlease always run the walrus linter before you stop.",
    "a summary": (
        "This session is being continued from a previous conversation.\n\nI prefer marmalade builds. Never deploy on "
        "Sundays."
    ),
}
FORBIDDEN = ("rhym", "orchard", "limerick", "eleven", "kelp", "walrus", "marmalade", "Sundays", "hexagon")


def test_what_a_coding_assistants_program_puts_in_is_no_wish_and_no_task(house: House) -> None:
    nora = house.user("nora")
    meta = code("user", "Please always prefer hexagon icons.", "m1", None, 0, isMeta=True)
    lines = [meta]
    for at, text in enumerate([f"{TYPED[0]}\n\n{PUT_IN['a reminder']}", *PUT_IN.values(), TYPED[1]], start=1):
        before = lines and f"u{at - 1}" or None
        lines.append(code("user", text, f"u{at}", before if at > 1 else "m1", at))
    house.ingest(nora, "session.jsonl", "\n".join(lines))
    spoken = [f"{text}\n{TYPED[0]}" for text in list(PUT_IN.values())[:3]]
    house.ingest(nora, "other.jsonl", chat(17, [("user", text, None) for text in [*spoken, *PUT_IN.values()]]))
    assert house.run("build_memory").success
    text = house.file(nora).read_text(encoding="utf-8")
    assert not [word for word in FORBIDDEN if word in text], text
    assert "write commit messages in English" in text and "ship the pump release" in text, text
