"""How much of what will be asked stands in a MEMORY.md, no question known in advance.

The share of LoCoMo's questions (categories 1 to 4) all of whose gold answer's content words stand,
stemmed, in the file; beside it the last 2,000 tokens of the conversation, random turns, and all of it.
Every one of these carries the sessions' days as a reader would have them ("8 May 2023"): the turns' headings
in the last tokens and in all of it, each turn's own lead among the random ones.
"""

from __future__ import annotations

import random
import re
import tempfile
from pathlib import Path

import snowballstemmer

from memory_assets.llm.tokens import count_tokens
from memory_assets_tests.bench.corpora import beam, corpora, locomo, write_beam, write_locomo
from memory_assets_tests.support.installation import installation

BUDGET = 2000
WISHES = ("instruction_following", "preference_following")
STOP_WORDS = frozenset(
    "a an the and or but of to in on at for from by with about as into is are was were be been being am do does did "
    "have has had i you he she it we they me him her us them my your his its our their this that these those there "
    "not no so if then than too very can could will would shall should may might must what which who whom when where "
    "why how".split()
)
STEMMER = snowballstemmer.stemmer("english")


def stems(text: str) -> set[str]:
    """The content words of a text, stemmed."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return set(STEMMER.stemWords([word for word in words if word not in STOP_WORDS]))


def answered(text: str, questions: list[dict]) -> float:
    """The percentage of questions whose answer's content words all stand in ``text``."""
    known = stems(text)
    asked = [q for q in questions if q.get("category") in (1, 2, 3, 4) and "answer" in q]
    return 100 * sum(stems(str(q["answer"])) <= known for q in asked) / len(asked)


def pack(turns: list[str]) -> str:
    """Whole turns up to the budget."""
    packed, used = [], 0
    for turn in turns:
        used += count_tokens(turn) + 1
        if used > BUDGET:
            break
        packed.append(turn)
    return "\n".join(packed)


def under_days(turns: list[tuple[str, str]]) -> list[str]:
    """Turns in the order given, each day written once above its own."""
    lines = []
    before = None
    for day, turn in turns:
        lines += [turn] if day == before else [day, turn]
        before = day
    return lines


def led_by_days(turns: list[tuple[str, str]]) -> list[str]:
    """Turns that each say their day."""
    return [f"{day}, {turn}" for day, turn in turns]


def behind(entries: list[str], messages: dict[int, str]) -> set[int]:
    """The messages that an entry of the file is word for word from."""
    plain = {number: in_words(text) for number, text in messages.items()}
    return {number for number, text in plain.items() if any(in_words(entry) in text for entry in entries)}


def in_words(text: str) -> str:
    """A text's words alone, between spaces."""
    return f" {' '.join(re.findall(r'[a-z0-9]+', text.lower()))} "


def gold_messages(question: dict) -> list[int]:
    """The ids of the messages that a question of BEAM rests on, in whatever lists or groups they stand."""
    ids = question.get("source_chat_ids", [])
    rows = ids.values() if isinstance(ids, dict) else [ids]
    return [number for row in rows for number in (row if isinstance(row, list) else [row])]


def main() -> None:
    """Print both halves: what conversations were about, and what assistants were told to heed."""
    facts()
    wishes()


def wishes() -> None:
    """BEAM: the questions about instructions and preferences with a gold message of the user's behind a line."""
    chats = beam()
    print(
        "\nInstructions and preferences (BEAM, questions with one, and with all, of the user's gold messages "
        "behind a line)"
    )
    if not chats:
        print(f"  not measured: no BEAM chats at {corpora()} (MEMORY_ASSETS_CORPORA)")
        return
    found = {ability: [0, 0, 0] for ability in WISHES}
    with tempfile.TemporaryDirectory() as scratch, installation(Path(scratch) / "home") as house:
        for number, chat, questions in chats:
            user = f"beam-{number}"
            said = write_beam(chat, Path(scratch) / user)
            house.run("ingest", Path(scratch) / user, "--user", user)
            house.run("materialize", "--user", user, timeout=900)
            (shown,) = house.json("show", "--user", user)
            held = behind([entry["text"] for entry in shown["entries"]], said)
            for ability in WISHES:
                for question in questions[ability]:
                    gold = [message for message in gold_messages(question) if message in said]
                    row = found[ability]
                    row[0] += 1
                    row[1] += any(message in held for message in gold)
                    row[2] += bool(gold) and all(message in held for message in gold)
    print(f"  {'':<24}{'asked':>7}{'one':>8}{'all':>8}")
    whole = [sum(column) for column in zip(*found.values(), strict=True)]
    for ability, (asked, one, every) in [*found.items(), ("both", whole)]:
        print(f"  {ability:<24}{asked:>7}{100 * one / asked:>8.1f}{100 * every / asked:>8.1f}")


def facts() -> None:
    """LoCoMo: one line per conversation and the mean."""
    samples = locomo()
    print("\nUsefulness of MEMORY.md (LoCoMo, % of questions whose answer's words stand in 2,000 tokens)")
    if not samples:
        print(f"  not measured: no LoCoMo conversations at {corpora()} (MEMORY_ASSETS_CORPORA)")
        return
    rows = []
    with tempfile.TemporaryDirectory() as scratch, installation(Path(scratch) / "home") as house:
        for sample in samples:
            user = sample["sample_id"].lower()
            turns = write_locomo(sample, Path(scratch) / user)
            house.run("ingest", Path(scratch) / user, "--user", user)
            house.run("materialize", "--user", user)
            (shown,) = house.json("show", "--user", user)
            ours = house.memory_file(user).read_text(encoding="utf-8")
            shuffled = random.Random(0).sample(turns, len(turns))
            texts = (pack(under_days(turns[::-1])), pack(led_by_days(shuffled)), ours, "\n".join(under_days(turns)))
            rows.append((user, shown["tokens"], *(answered(text, sample["qa"]) for text in texts)))
    print(f"  {'user':<12}{'tokens':>7}{'last':>8}{'random':>8}{'ours':>8}{'all':>8}")
    for name, tokens, *figures in rows:
        print(f"  {name:<12}{tokens:>7}" + "".join(f"{figure:>8.1f}" for figure in figures))
    means = [sum(row[i] for row in rows) / len(rows) for i in range(2, 6)]
    print(f"  {'mean':<19}" + "".join(f"{figure:>8.1f}" for figure in means))


if __name__ == "__main__":
    main()
