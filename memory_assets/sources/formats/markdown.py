"""Markdown as people keep it in vaults: front matter, links between notes, embeds, tags, callouts; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

import yaml

from memory_assets.sources.cleaning import one_line
from memory_assets.sources.dates import parse_instant, parse_written_date, within_bounds
from memory_assets.text.layout import FRONT_MATTER

MAX_FRONT_MATTER = 20_000
MAX_BRACKETS = 300
MAX_LINKS = 2_000

_FIELD = re.compile(r"^(\w[\w -]{0,40}):[ \t]*(.*)$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]{0,3}(?:>[ \t]?)*(```+|~~~+)")
_LINK = re.compile(r"(!?)\[\[([^\[\]\n|#^]{0,300})([#^][^\[\]\n|]{0,300})?(?:\\?\|([^\[\]\n]{0,300}))?\]\]")
_MARKDOWN_LINK = re.compile(
    r"(?<!!)\[([^\[\]\n]{1,300})\]\(<?([^()<>\n]{1,500}?\.md)(?:#[^()<>\n]{0,200})?>?\)", re.IGNORECASE
)
_CALLOUT = re.compile(r"^([ \t]*(?:>[ \t]?)+)\[!([\w-]{1,40})(?:\|[^\]\n]{0,80})?\][+-]?[ \t]*+(.*)$")
_COMMENT = re.compile(r"%%[^%]{0,5000}%%")
_BLOCK_ID = re.compile(r"(?<![ \t])[ \t]++\^[A-Za-z0-9-]{1,60}$")
_TAG = re.compile(r"(?<![\w/#&\\])#([^\W\d_][\w/-]{0,80}|\d[\w/-]*[^\W\d][\w/-]*)")
_CODE = re.compile(r"((?<!`)`++[^`\n]{1,2000}?`+)")
_URL = re.compile(r"https?://\S{1,2000}")
# Blocks that ask a program for a list: they say nothing themselves.
_ASKING = re.compile(r"^[ \t]{0,3}(?:```+|~~~+)[ \t]*(?:dataview|dataviewjs|query|tasks)\b", re.IGNORECASE)
DATES = ("date", "created", "created_at", "created at", "date created", "creation date", "datetime", "day")


@dataclass(frozen=True)
class FrontMatter:
    """What is above a note: its fields by their names in small letters, and where the note itself begins."""

    fields: Mapping[str, object] = field(default_factory=dict)
    end: int = 0


def front_matter(text: str) -> FrontMatter:
    """A note's front matter. Of broken YAML its plain lines are read; what has no field is text."""
    match = FRONT_MATTER.match(text[: MAX_FRONT_MATTER + 10])
    if match is None:
        return FrontMatter()
    # Anchors multiply and brackets nest: no person's front matter has them by the hundred.
    simple = "&" not in match[1] and match[1].count("[") + match[1].count("{") < MAX_BRACKETS
    try:
        loaded = yaml.load(match[1], Loader=_Loader) if simple else None
    except (yaml.YAMLError, ValueError, RecursionError, TypeError):
        loaded = None
    if not match[1].strip():
        return FrontMatter({}, match.end())
    if not isinstance(loaded, dict):
        loaded = {name: value.strip().strip("\"'") for name, value in _FIELD.findall(match[1])}
    fields = {str(name).strip().lower(): value for name, value in loaded.items()}
    return FrontMatter(fields, match.end()) if fields else FrontMatter()


class _Loader(yaml.SafeLoader):
    """Plain values only. Days stay as written: the parser knows days that no calendar has as errors."""


_Loader.yaml_implicit_resolvers = {
    start: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for start, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def title_in(fields: Mapping[str, object]) -> str:
    """The title that front matter gives."""
    value = fields.get("title")
    return one_line(str(value), 200) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def project_in(fields: Mapping[str, object]) -> str:
    """The name of the project that front matter gives."""
    value = fields.get("project")
    return re.sub(r"^\[\[|\]\]$", "", one_line(value, 200)) if isinstance(value, str) else ""


def date_in(fields: Mapping[str, object], names: Iterable[str] = DATES) -> datetime | None:
    """The day or instant that front matter gives, by whichever of its usual names."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, datetime | date):
            found = within_bounds(datetime.fromisoformat(value.isoformat()))
        else:
            text = re.sub(r"^\[\[|\]\]$", "", str(value).strip()) if isinstance(value, str) else ""
            found = parse_written_date(text) or parse_instant(text.replace(" ", "T", 1))
        if found is not None:
            return found
    return None


def words_in(fields: Mapping[str, object], *names: str) -> list[str]:
    """The words of a list in front matter, or of a line with commas: its tags, its aliases."""
    found: list[str] = []
    for name in names:
        value = fields.get(name)
        items = value if isinstance(value, list) else re.split(r",", value) if isinstance(value, str) else []
        found += [one_line(str(item), 80).lstrip("#") for item in items[:200] if isinstance(item, str | int | float)]
    return sorted({word for word in found if word})


def tags_in(fields: Mapping[str, object], body: str) -> list[str]:
    """The tags of front matter and text, without their signs."""
    tags = [tag for name in ("tags", "tag") for word in words_in(fields, name) for tag in word.split()]
    for line, is_code in _lines(body[:200_000]):
        if not is_code:
            tags += _TAG.findall(_URL.sub(" ", _LINK.sub(" ", _CODE.sub(" ", line))))[:50]
    return sorted(set(tags))[:200]


def links_in(body: str) -> tuple[str, ...]:
    """The names of the notes that a text links to or embeds, as :func:`note_name` writes them."""
    names: set[str] = set()
    for line, is_code in _lines(body):
        if is_code:
            continue
        bare = _CODE.sub(" ", line)
        names.update(note_name(match[2]) for match in _LINK.finditer(bare))
        names.update(
            note_name(match[2].replace("%20", " ")) for match in _MARKDOWN_LINK.finditer(bare) if "://" not in match[2]
        )
        if len(names) > MAX_LINKS:
            break
    return tuple(sorted(names - {""})[:MAX_LINKS])


def note_name(path: str) -> str:
    """How links call a note: its file's name without folder and ending, in small letters."""
    name = path.strip().rstrip("\\ ").replace("\\", "/").rpartition("/")[2]
    name = name[:-3] if name.lower().endswith(".md") else name.removesuffix(".markdown")
    return one_line(name, 200).casefold()


def readable(body: str) -> str:
    """Links by their words, embeds by name, callouts by their titles, tags as words; code stays as it is.

    What is commented out goes, and so do blocks that ask a program for a list.
    """
    out: list[str] = []
    asking = False
    for line, is_code in _lines(_uncommented(body)):
        if is_code:
            ends = asking and _FENCE.match(line) is not None
            asking = asking or _ASKING.match(line) is not None
            if not asking:
                out.append(line)
            asking = asking and not ends
            continue
        asking = False
        callout = _CALLOUT.match(line)
        if callout:
            line = f"{callout[1]}{callout[3].strip() or callout[2].replace('-', ' ').capitalize()}"
        pieces = _CODE.split(line)
        out.append("".join(piece if number % 2 else _plain(piece) for number, piece in enumerate(pieces)))
    return "\n".join(out)


def _uncommented(body: str) -> str:
    """Without the comments that go over lines of their own: from a line that begins with their mark to one that ends
    with it.

    One that is never closed is none, and code has no comments.
    """
    if "%%" not in body:
        return body
    visible: list[str] = []
    hidden: list[str] = []  # the lines of a comment that has begun
    for line, is_code in _lines(body):
        is_mark = not is_code and line.count("%%") == 1
        if hidden and is_mark and line.rstrip().endswith("%%"):
            hidden = []
        elif hidden or (is_mark and line.lstrip().startswith("%%")):
            hidden.append(line)
        else:
            visible.append(line)
    return "\n".join([*visible, *hidden])


def _plain(text: str) -> str:
    text = _COMMENT.sub("", text)
    text = _LINK.sub(_shown, text)
    text = _BLOCK_ID.sub("", text)
    return _TAG.sub(lambda match: match[1], text)


def _shown(match: re.Match[str]) -> str:
    embedded, target, part, label = match[1], match[2].strip().rstrip("\\ "), match[3] or "", (match[4] or "").strip()
    name = target.replace("\\", "/").rpartition("/")[2]
    name = name[:-3] if name.lower().endswith(".md") else name
    section = part.lstrip("#^").strip() if part.startswith("#") and not part.startswith("#^") else ""
    shown = " > ".join(word for word in (name, section) if word)
    if embedded and shown:
        return f"[embedded: {shown}]"
    return label or shown or match[0]


def _lines(body: str) -> Iterator[tuple[str, bool]]:
    """The lines of a text, and whether they are code."""
    fence = ""
    for line in body.split("\n"):
        mark = _FENCE.match(line)
        yield line, bool(fence or mark)
        if mark and mark[1].startswith(fence):
            fence = "" if fence else mark[1]
