"""What a MEMORY.md holds of what it is for: the wishes that an assistant was to heed, and how it is spent.

Wishes are BEAM's: the questions about instructions and preferences with a gold message of the user's behind a line.
Of LoCoMo's conversations: how many lines the file has, and why other memories are not there.
How many answers' words stand in the file is printed beside it to find what is missing. It is no goal: readers answered
46 % of the questions from a hand-written file with 32 % of the words, and 32 % from a packed one with 47 %.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from pathlib import Path

import snowballstemmer

from memory_assets.memory_file.reports import reason_kind
from memory_assets_tests.bench.corpora import beam, corpora, gold_messages, locomo, write_beam, write_locomo
from memory_assets_tests.support.installation import installation

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


def behind(entries: list[str], messages: dict[int, str]) -> set[int]:
    """The messages that an entry of the file is word for word from."""
    plain = {number: in_words(text) for number, text in messages.items()}
    return {number for number, text in plain.items() if any(in_words(entry) in text for entry in entries)}


def in_words(text: str) -> str:
    """A text's words alone, between spaces."""
    return f" {' '.join(re.findall(r'[a-z0-9]+', text.lower()))} "


def main() -> None:
    """Print both: what assistants were told to heed, and what the files of conversations are made of."""
    wishes()
    contents()


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


def contents() -> None:
    """LoCoMo: one line per conversation, and why memories were left out of all of them."""
    samples = locomo()
    print("\nWhat a MEMORY.md is made of (LoCoMo; words: % of questions whose answer's words all stand there, no goal)")
    if not samples:
        print(f"  not measured: no LoCoMo conversations at {corpora()} (MEMORY_ASSETS_CORPORA)")
        return
    reasons: Counter[str] = Counter()
    print(f"  {'':<12}{'tokens':>7}{'lines':>7}{'left out':>10}{'words':>8}")
    with tempfile.TemporaryDirectory() as scratch, installation(Path(scratch) / "home") as house:
        for sample in samples:
            user = sample["sample_id"].lower()
            write_locomo(sample, Path(scratch) / user)
            house.run("ingest", Path(scratch) / user, "--user", user)
            house.run("materialize", "--user", user)
            (shown,) = house.json("show", "--user", user)
            reasons.update(reason_kind(row["reason"]) for row in shown["left_out"])
            share = answered(house.memory_file(user).read_text(encoding="utf-8"), sample["qa"])
            figures = f"{shown['tokens']:>7}{len(shown['entries']):>7}{len(shown['left_out']):>10}{share:>8.1f}"
            print(f"  {user:<12}{figures}")
    for reason, count in reasons.most_common():
        print(f"  {count:>7}  {reason}")


if __name__ == "__main__":
    main()
