"""Planted words over a real installation: a search through its bytes finds none of the erased, all of the others'."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from memory_assets_tests.erasure.planting import found, planted
from memory_assets_tests.support.installation import Installation, installation, write_conversation

pytestmark = [pytest.mark.own_engine, pytest.mark.slow]

NORA, OMAR, GONE, SAID = planted("nora"), planted("omar"), planted("gone"), planted("said", 10)
PERSON = ("Quentin", "Vasquelle")
PROJECT = "quentin-vasquelle-site"
OF_OTHERS = ["marmalade", "window seat", "lantern", "trellis", "canopy", *NORA, *OMAR]


def sentences(words: Iterable[str]) -> list[str]:
    """Something worth keeping about each word."""
    return [
        f"I decided that the {word.capitalize()} project starts on 12 October and costs 400 euros." for word in words
    ]


def write_all_kinds(inbox: Path, words: list[str], tag: str, friend: str) -> list[Path]:
    """A source of each kind, file names, titles and participants among the words."""
    inbox.mkdir(parents=True, exist_ok=True)
    ten = [words[start : start + 10] for start in range(0, 50, 10)]
    paths = [
        write_conversation(
            inbox / f"{ten[0][0]}-talk.jsonl",
            f"c-{tag}",
            "2026-10-01",
            [("user", friend, line) for line in sentences(ten[0])],
        )
    ]
    mail = EmailMessage()
    mail["From"], mail["To"] = f"{ten[1][0].capitalize()} Ray <{ten[1][1]}@example.org>", "me@example.org"
    mail["Subject"], mail["Date"] = f"About {ten[1][2]}", "Fri, 02 Oct 2026 09:00:00 +0000"
    mail["Message-ID"] = f"<{ten[1][3]}@example.org>"
    mail.set_content("\n\n".join(sentences(ten[1])))
    paths.append(inbox / f"{ten[1][4]}.eml")
    paths[-1].write_bytes(mail.as_bytes())
    paths.append(inbox / f"2026-10-03-{ten[2][0]}.md")
    paths[-1].write_text(f"# Plans for {ten[2][1]}\n\n" + "\n\n".join(sentences(ten[2])), encoding="utf-8")
    paths.append(inbox / f"{ten[3][0]}-call.vtt")
    cues = [
        f"00:{number:02d}:00.000 --> 00:{number:02d}:40.000\n<v {ten[3][1].capitalize()} Lee>{line}</v>\n"
        for number, line in enumerate(sentences(ten[3]))
    ]
    paths[-1].write_text("WEBVTT\n\n" + "\n".join(cues), encoding="utf-8")
    records = [
        {
            "record": "reflection",
            "agent": f"agent-{tag}",
            "id": f"r-{tag}-{number}",
            "title": f"On {word}",
            "text": line,
            "at": f"2026-10-05T09:{number:02d}:00Z",
        }
        for number, (word, line) in enumerate(zip(ten[4], sentences(ten[4]), strict=True))
    ]
    paths.append(inbox / f"{ten[4][0]}-records.jsonl")
    paths[-1].write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return paths


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with installation(tmp_path_factory.mktemp("house") / "home") as house:
        inbox = house.home / "inbox"
        write_all_kinds(inbox / "nora", NORA, "nora", "Nora Field")
        write_all_kinds(inbox / "omar", OMAR, "omar", "Omar Field")
        write_all_kinds(house.home / "inbox" / "nora" / "gone", GONE, "gone", "Nora Field")
        name = " ".join(PERSON)
        write_conversation(
            inbox / "nora" / "walk.jsonl",
            "walk",
            "2026-10-08",
            [
                ("user", "Nora Field", f"I told {name} that the marmalade recipe needs 900 grams of sugar."),
                *(("user", name, line) for line in sentences(SAID)),
                ("user", "Nora Field", "I prefer the early train on Fridays, always book a window seat."),
            ],
        )
        (inbox / "nora" / f"{name}.md").write_text("# Boat\n\nI decided that the lantern needs 12 kilos of wax.\n")
        (inbox / "nora" / f"{name} and me.md").write_text("I decided that the trellis costs 70 euros.\n")
        aside = house.home.parent / "aside.md"
        aside.write_text("# Aside\n\nI decided that the canopy costs 80 euros.\n")
        house.run("ingest", aside, "--user", "nora", "--project", PROJECT)
        house.run("tokens", "add", "--user", "nora", "--agent", "sailor", "--project", PROJECT)
        house.run("materialize")
        for user in ("nora", "omar"):
            house.run("recall", f"the {GONE[0]} project", "--user", user, "--all-projects")
        yield house


def sources_of(house: Installation, user: str, path: str) -> list[str]:
    return [line["id"] for line in house.json("sources", "--user", user) if path in (line["path"] or "")]


def test_a_source_goes_killed_in_the_middle_and_run_again(house: Installation) -> None:
    assert found(house.home, GONE) == set(GONE)
    ids = sources_of(house, "nora", "/gone/")
    assert len(ids) >= 5
    words = ("erase", *(word for identifier in ids for word in ("--source", identifier)), "--owner", "nora", "--inbox")
    planned = house.json(*words, "--dry-run")
    process = house.start(*words)
    while process.poll() is None and not (house.home / "erasure.json").exists():
        time.sleep(0.05)
    time.sleep(3)
    process.kill()
    process.wait()
    assert (house.home / "erasure.json").exists()
    other = house.run("erase", "--source", "000000000", "--owner", "nora", code=1)
    assert "run it again first" in other.stderr
    done = house.json(*words)
    assert done["found"] == {}
    assert (done["nodes"], done["sources"], done["words"]) == tuple(
        planned[name] for name in ("nodes", "sources", "words")
    )
    assert not (house.home / "erasure.json").exists()
    assert found(house.home, GONE, inbox=True) == set()
    assert found(house.home, [*NORA, *OMAR]) == {*NORA, *OMAR}
    house.run("materialize", "--user", "nora")
    assert found(house.home, GONE, inbox=True) == set()


def test_a_person_goes_and_what_others_said_stays(house: Installation) -> None:
    assert found(house.home, [*PERSON, *SAID]) == {*PERSON, *SAID}
    done = house.json("erase", "--person", " ".join(PERSON), "--owner", "nora")
    assert done["found"] == {}
    assert found(house.home, [*PERSON, *SAID]) == set()
    assert found(house.home, OF_OTHERS) == set(OF_OTHERS)
    assert [key["project"] for key in house.json("tokens", "list", "--user", "nora")] == ["erased-site"]
    assert {one["project"] for one in house.json("projects", "--user", "nora")} >= {"erased-site"}
    path = house.home / "inbox" / "nora" / "walk.jsonl"
    said = [("user", "Nora Field", "I saw the heron on 9 October."), ("user", " ".join(PERSON), sentences(SAID)[0])]
    lines = path.read_text()
    write_conversation(path, "walk", "2026-10-09", said)
    path.write_text(lines + path.read_text())
    house.run("ingest", house.home / "inbox" / "nora", "--user", "nora", "--force")
    house.run("materialize", "--user", "nora")
    assert found(house.home, [*PERSON, *SAID]) == set()
    assert found(house.home, [*OF_OTHERS, "heron"]) == {*OF_OTHERS, "heron"}, "what comes in later is read"
    assert len(sources_of(house, "nora", "walk.jsonl")) == 1


def test_an_owner_goes_with_all_there_is(house: Installation) -> None:
    refused = house.run("erase", "--owner", "omar", code=1)
    assert "--inbox" in refused.stderr
    done = house.json("erase", "--owner", "omar", "--inbox")
    assert done["found"] == {}
    assert found(house.home, OMAR, inbox=True) == set()
    assert found(house.home, NORA) == set(NORA)
    assert "omar" not in house.run("sources").stdout
    assert house.memory_file("nora").is_file() and not house.memory_file("omar").exists()
