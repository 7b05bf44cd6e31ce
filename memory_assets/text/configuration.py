"""Entries in other programs' configuration, put in and taken out as text: every other byte is as it was. Pure.

JSON is edited where an item begins and ends, so that its layout, its order and the way numbers are written stay. TOML
gets a table at its end. Both keep the file's line ends and its byte order mark. A JSON file with comments is refused.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json import JSONDecoder
from typing import Any

from memory_assets.errors import MemoryAssetsError

MARK = "\ufeff"
Path = Sequence[str | int]
_decoder = JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*+")
_INDENT = re.compile(r"\n([ \t]++)\S")


class ConfigurationError(MemoryAssetsError):
    """A configuration that cannot be edited without harm to what else it says."""


@dataclass(frozen=True)
class _Item:
    """A member or an element: ``start`` is its key's where it has one."""

    key: str | int
    start: int
    value: int
    end: int


@dataclass(frozen=True)
class Json:
    """A document, as text. Blank text is an empty object."""

    text: str

    def parsed(self) -> dict[str, Any]:
        """What it says. Raises :class:`ConfigurationError`."""
        try:
            found = json.loads(self.text.removeprefix(MARK).strip() or "{}")
        except RecursionError:
            raise ConfigurationError("is nested too deeply") from None
        except ValueError as error:
            raise ConfigurationError(
                f"is no plain JSON ({error}); comments and trailing commas are not edited"
            ) from None
        if not isinstance(found, dict):
            raise ConfigurationError("is JSON, but no object")
        return found

    def at(self, path: Path) -> Any:
        """The value at a path; None where there is none."""
        found: Any = self.parsed()
        for key in path:
            fits = isinstance(found, list) if isinstance(key, int) else isinstance(found, dict)
            if not fits or (key not in found if isinstance(key, str) else key >= len(found)):
                return None
            found = found[key]
        return found

    def put(self, path: Sequence[str], value: Any) -> Json:
        """With ``value`` at ``path``, in objects that are made where there are none."""
        *parents, key = path
        if (found := self.at(path)) == value and found is not None:
            return self
        if parents and self.at(parents) is None and not self.has(parents):
            return self.put(parents, {key: value})
        text = self._text()
        start, items, end = self._inside(text, parents, "{")
        for item in items:
            if item.key == key:
                written = _written(value, _unit(text), len(path), _line_end(text))
                return Json(text[: item.value] + written + text[item.end :])
        return Json(_inserted(text, start, items, end, len(path), value, key))

    def append(self, path: Sequence[str], value: Any) -> Json:
        """With ``value`` as the last element of the list at ``path``, which is made where there is none."""
        if not self.has(path):
            return self.put(path, [value])
        text = self._text()
        start, items, end = self._inside(text, path, "[")
        return Json(_inserted(text, start, items, end, len(path) + 1, value, None))

    def remove(self, path: Path) -> Json:
        """Without the item at ``path``, which there is."""
        text = self._text()
        start, items, end = self._inside(text, path[:-1], "[" if isinstance(path[-1], int) else "{")
        number = max(number for number, item in enumerate(items) if item.key == path[-1])
        if number > 0:
            text = text[: items[number - 1].end] + text[items[number].end :]
        elif len(items) > 1:
            text = text[: items[0].start] + text[items[1].start :]
        else:
            text = text[: start + 1] + text[end:]
        left = Json(text)
        return left.remove(path) if isinstance(path[-1], str) and left.has(path) else left

    def has(self, path: Path) -> bool:
        """Whether an object has the member at a path."""
        parent = self.at(path[:-1]) if len(path) > 1 else self.parsed()
        return isinstance(parent, dict) and path[-1] in parent

    def _text(self) -> str:
        if self.text.removeprefix(MARK).strip():
            return self.text
        mark = MARK if self.text.startswith(MARK) else ""
        return mark + "{}" + _line_end(self.text)

    def _inside(self, text: str, path: Path, bracket: str) -> tuple[int, list[_Item], int]:
        """Where the object or list at a path begins, its items, and where it ends."""
        at = _skip(text, len(MARK) if text.startswith(MARK) else 0)
        for key in path:
            found = [item for item in _items(text, at)[0] if item.key == key] if text[at] in "{[" else []
            if not found:
                raise ConfigurationError(f"has no {_named(path)}")
            at = found[-1].value  # of two members of one name, parsers take the last
        if text[at] != bracket:
            raise ConfigurationError(f"has a {_named(path)} that is no {'object' if bracket == '{' else 'list'}")
        items, end = _items(text, at)
        return at, items, end


def _items(text: str, at: int) -> tuple[list[_Item], int]:
    """The items of the object or list that begins at ``at``, and where its closing bracket is."""
    is_object, closing = text[at] == "{", "}" if text[at] == "{" else "]"
    items: list[_Item] = []
    at = _skip(text, at + 1)
    while text[at] != closing:
        start, key = at, len(items)
        if is_object:
            key, at = _decoder.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        value = at
        _, end = _decoder.raw_decode(text, at)
        items.append(_Item(key, start, value, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return items, at


def _inserted(text: str, start: int, items: list[_Item], end: int, depth: int, value: Any, key: str | None) -> str:
    unit, line = _unit(text), _line_end(text)
    named = "" if key is None else json.dumps(key, ensure_ascii=False) + (": " if unit else ":")
    piece = named + _written(value, unit, depth, line)
    break_before = line + unit * depth if unit else ""
    if items:
        return text[: items[-1].end] + "," + break_before + piece + text[items[-1].end :]
    return text[: start + 1] + break_before + piece + (line + unit * (depth - 1) if unit else "") + text[end:]


def _written(value: Any, unit: str, depth: int, line: str) -> str:
    if not unit:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", line + unit * depth)


def _unit(text: str) -> str:
    """By what each level is indented; nothing where all is on one line."""
    if (found := _INDENT.search(text)) is not None:
        return found[1]
    body = text.removeprefix(MARK).strip()
    return "" if len(body) > 2 and "\n" not in body else "  "


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _named(path: Path) -> str:
    return ".".join(map(str, path))


def parsed_toml(text: str) -> dict[str, Any]:
    """What a TOML file says. Raises :class:`ConfigurationError`."""
    try:
        return tomllib.loads(text.removeprefix(MARK))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationError(f"is no TOML ({error})") from None


def with_table(text: str, path: tuple[str, str], table: Mapping[str, Any]) -> str:
    """With a table of text and of tables of text at its end, in the place of the one of this name."""
    parent, name = path
    before, tables = _tables(text, path)
    if tables.get(name) == table:
        return text
    if name in tables:
        text = without_table(text, path)
        before, tables = _tables(text, path)
    line = _line_end(text)
    lines = [f"[{parent}.{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
    joint = "" if not text.removeprefix(MARK) else line if text.endswith("\n") else line * 2
    edited = text + joint + line.join(lines) + line
    return _checked(edited, before | {parent: tables | {name: dict(table)}}, path)


def without_table(text: str, path: tuple[str, str]) -> str:
    """Without the table of this name and those below it, and without the empty line before it."""
    parent, name = path
    before, tables = _tables(text, path)
    if name not in tables:
        return text
    header = re.compile(rf"\[\[?\s*{re.escape(parent)}\s*\.\s*[\"']?{re.escape(name)}[\"']?\s*[.\]]")
    remaining: list[str] = []
    is_inside = False
    for line in text.splitlines(keepends=True):
        if line.lstrip(MARK + " \t").startswith("["):
            starts = header.match(line.lstrip(MARK + " \t")) is not None
            if starts and not is_inside and remaining and not remaining[-1].strip():
                remaining.pop()
            is_inside = starts
        if not is_inside:
            remaining.append(line)
    mark = MARK if text.startswith(MARK) and not "".join(remaining).startswith(MARK) else ""
    left = {key: value for key, value in tables.items() if key != name}
    expected = {key: value for key, value in before.items() if key != parent} | ({parent: left} if left else {})
    return _checked(mark + "".join(remaining), expected, path)


def _tables(text: str, path: tuple[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a file says, and the tables of the parent."""
    before = parsed_toml(text)
    tables = before.get(path[0], {})
    if not isinstance(tables, dict):
        raise ConfigurationError(f"has a {path[0]} that is no table")
    return before, tables


def _checked(text: str, expected: dict[str, Any], path: Path) -> str:
    """The text, if it says what it has to: a table that is written inline, or within a string, is not edited."""
    try:
        found = parsed_toml(text)
    except ConfigurationError:
        found = {}
    parent = path[0]
    if {key: found[key] for key in found if found[key] or key != parent} != expected:
        raise ConfigurationError(f"has {_named(path)} in a form that is not edited: write it as [{_named(path)}]")
    return text


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
