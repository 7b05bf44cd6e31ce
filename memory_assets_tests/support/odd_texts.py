"""Texts that nobody writes and that arrive all the same: long runs of one thing, nesting without end, one endless
line.
"""

from __future__ import annotations

import json

SIZE = 40_000


def odd_texts(size: int = SIZE) -> dict[str, str]:
    """Each kind of odd text under its name, of about ``size`` characters."""

    def run(unit: str) -> str:
        return unit * (size // len(unit))

    runs = {
        "letters": run("a"),
        "capitals": run("A"),
        "digits": run("7"),
        "spaces": "a" + run(" ") + "b",
        "newlines": "a" + run("\n") + "b",
        "blank lines": "a" + run(" \n") + "b",
        "tabs": "a" + run("\t") + "b",
        "dots": run("."),
        "dashes": run("-"),
        "hashes": run("#"),
        "underscores": run("_"),
        "stars": run("*"),
        "backticks": run("`"),
        "quotes": run('"'),
        "curly quotes": run("“"),
        "apostrophes": run("a'"),
        "brackets": run("("),
        "links": run("["),
        "braces": run("{"),
        "angles": run("<"),
        "quoted": run("> "),
        "pipes": run("|"),
        "rules": run("|--"),
        "colons": run(":"),
        "at signs": run("a@"),
        "slashes": run("/"),
        "backslashes": run("\\"),
        "han": run("漢"),
        "emoji": run("😀"),
        "combining": "e" + run("\u0301"),
        "joined": run("\u200d"),
        "no-break": "a" + run("\xa0") + "b",
        "zero": run("a\x00"),
        "names": run("Quarterly Infrastructure Modernization Steering "),
        "short names": run("Ana "),
        "initials": run("A. "),
        "hyphens": run("Ana-"),
        "camel": run("aB"),
        "addresses": run("http://a.b/"),
        "mails": run("ana@example.org, "),
        "numbers": run("3.14 "),
        "versions": run("1."),
        "times": run("0:00:00 "),
        "stamps": run("0:00 Ana: hi\n"),
        "dates": run("2026-10-05 "),
        "money": run("$1,000 "),
        "and": run("and "),
        "so": run("so really very "),
        "please": run("please, "),
        "not": run("no longer "),
        "passwords": run("my password is "),
        "pins": run("pin code "),
        "keys": run("api key = "),
        "secrets": run("password: aB3$xY9! "),
        "headings": run("# A\n"),
        "bullets": run("- a\n"),
        "boxes": run("- [ ] a\n"),
        "nested bullets": "\n".join(" " * (n % 200) + "- a" for n in range(size // 100)),
        "tables": run("| a | b |\n"),
        "fences": run("```\na\n"),
        "quotes within": run("“a "),
        "said": run('"Yes," said Ana. '),
        "questions": run("why? "),
        "markdown links": run("[a](b) "),
        "open links": run("[a]("),
        "images": run("![a]"),
        "wiki": run("[[a|"),
        "comments": run("<!-- "),
        "tags": run("<b>a"),
        "closing": run("</b>"),
        "headers": run("From: a\nSent: b\n"),
        "replies": run(">") + "\na",
        "forwarded": run("---- Original message ----\n"),
        "wrote": run("On 1 May Ana wrote:\n"),
        "commands": run("<command-name>"),
        "masks": run("[masked: api key] "),
        "front matter": "---\n" + run("a: b\n") + "---\n",
        "json": run('{"a": "'),
        "escaped": '{"a": "' + run('\\"'),
        "deep": "[" * (size // 2) + "]" * (size // 2),
        "base64": run("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo"),
    }
    return runs


def odd_files(size: int = SIZE) -> dict[str, bytes]:
    """The same as files of several formats, by their names."""
    files: dict[str, bytes] = {}
    for name, text in odd_texts(size).items():
        stem = name.replace(" ", "_")
        said = [{"role": "user", "content": text}, {"role": "assistant", "content": text}]
        files[f"{stem}.md"] = text.encode()
        files[f"{stem}.txt"] = f"Ana: hello\nBen: {text}\nAna: bye\n".encode()
        files[f"{stem}.vtt"] = f"WEBVTT\n\n00:00.000 --> 00:01.000\n{text}\n".encode()
        files[f"{stem}.jsonl"] = "\n".join(json.dumps(turn) for turn in said).encode()
        files[f"{stem}.eml"] = (
            f"From: ana@example.org\nTo: ben@example.org\nSubject: {text[:200]!a}\nDate: Mon, 5 Oct 2026 09:00:00 "
            f"+0000\n\n{text}\n"
        ).encode()
        files[f"{stem}_html.eml"] = (
            "From: ana@example.org\nTo: ben@example.org\nSubject: a\nContent-Type: text/html; "
            f"charset=utf-8\n\n<p>{text}</p>\n"
        ).encode()
    return files
