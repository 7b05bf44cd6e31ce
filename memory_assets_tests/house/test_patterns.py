"""No pattern of the package works harder than its text is long, whatever the text is."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memory_assets_tests.house.test_house_rules import MODULES, place, text_of
from memory_assets_tests.support.attacks import attacks

ROOT = Path(__file__).resolve().parents[2]


def battery(folder: Path, package: str, only: str = "") -> dict:
    """What the battery found in a package, in a process of its own that cannot take more than ten minutes of
    processor.
    """
    command = [sys.executable, "-m", "memory_assets_tests.support.pattern_battery", package, only]
    done = subprocess.run(command, cwd=ROOT, env=_environment(folder), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def _environment(folder: Path) -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT)))}


@pytest.mark.slow
def test_every_pattern_is_linear_or_sees_a_short_text() -> None:
    found = battery(ROOT, "memory_assets")
    assert found["patterns"] > 600  # or they are no longer collected
    slow = [f"{one['where']}: {one['seconds']} s for {one['text']}" for one in found["slow"]]
    assert not slow, "rewrite them (possessive quantifiers, bounds, a lookbehind): " + "\n".join(slow)


POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{[\d,]*\})\+")
"""Python before 3.11.5 goes on at a wrong place after the last turn of such a group: ``(?>(?:…)*)`` says the same."""


def test_no_group_is_repeated_possessively() -> None:
    assert POSSESSIVE_GROUP.search("(?:ab)*+") and not POSSESSIVE_GROUP.search("(?>(?:ab)*)")
    found = {
        place(path): lines
        for path in MODULES
        if (lines := [line for line in text_of(path).splitlines() if POSSESSIVE_GROUP.search(line)])
    }
    assert not found


SLOW = {
    "two repetitions in one another": r'NAME = re.compile(r"(?:[^\W\d_]+[\'’.-]?)+(?: (?:[^\W\d_]+[\'’.-]?)+){0,3}$")',
    "a run that begins anew at each character": r'NAME = re.compile(r"[ \t]+\^x$")',
    "two runs of the same": r'NAME = re.compile(r"^a[ \t]*:?[ \t]*b")',
    "lazy with a tail": r'NAME = re.compile(r"<a>\s*(.*?)\s*</a>", re.S)',
    "in a table": r'TABLE = {"a": (1, [re.compile(r"(a|b|ab)*c")])}',
    "in a function": "def f(text, word):\n    return re.sub(rf'{word}(x+x+)+y', '', text)",
    "of bytes": r'NAME = re.compile(rb"(\d+)*x")',
}
FAST = {
    "possessive": r'NAME = re.compile(r"^a[ \t]*+:?[ \t]*+b")',
    "a word": "def f(text):\n    return re.findall(r'\\w+', text)",
    "matched at the beginning alone": "NAME = re.compile(r'\\s+x')\ndef f(text):\n    return NAME.match(text)",
    "of a short piece": "NAME = re.compile(r'\\s+x')\ndef f(text):\n    return NAME.search(text[:200])",
}


@pytest.mark.parametrize(("written", "is_slow"), [(SLOW, True), (FAST, False)], ids=["slow", "fast"])
def test_a_new_pattern_is_judged_wherever_it_is_written(tmp_path: Path, written: dict[str, str], is_slow: bool) -> None:
    package = tmp_path / "package_of_patterns"
    package.mkdir()
    (package / "__init__.py").touch()
    for number, text in enumerate(written.values()):
        (package / f"m{number}.py").write_text(f"import re\n{text}\n", encoding="utf-8")
    slow = {re.search(r"m(\d+)\.py", one["where"])[1] for one in battery(tmp_path, package.name)["slow"]}  # type: ignore[index]
    assert slow == ({str(number) for number in range(len(written))} if is_slow else set())


def test_a_pattern_that_no_test_can_see_is_refused(tmp_path: Path) -> None:
    package = tmp_path / "package_of_secrets"
    package.mkdir()
    (package / "__init__.py").write_text(
        "import re\ndef f(made, text):\n    return re.search(made() + 1, text)\n", encoding="utf-8"
    )
    with pytest.raises(AssertionError, match="a pattern that no test can see"):
        battery(tmp_path, package.name)


def test_attacks_hold_what_each_repetition_takes() -> None:
    found = list(attacks(re.compile(r"x(?:ab)*\d{3,}[ ]+$")))
    made = [one.text(100) for one in found]
    assert any("x" + "ab" * 50 in one for one in made)
    assert any("000" * 20 in one for one in made)
    assert any(" " * 100 in one for one in made)
    assert found == list(attacks(re.compile(r"x(?:ab)*\d{3,}[ ]+$")))
