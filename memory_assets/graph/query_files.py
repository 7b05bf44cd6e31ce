"""The catalogue: every file in ``cypher/``, read once, its header checked against its text; and what people type in,
checked to only read.

A statement that disagrees with its own header never reaches an engine. What several statements say alike is a fragment,
``cypher/fragments/<name>.cypher``, and each of them includes it as ``@name(arguments)``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Literal, cast

from memory_assets.errors import QueryFileError, ReadOnlyError

PACKAGE = Path(__file__).resolve().parents[1]
MODES = ("read", "write", "schema")
OWNER_PARAMETERS = frozenset({"user_id", "user_ids"})
WRITE_WORDS = frozenset(
    {"CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE", "DROP", "FOREACH", "LOAD", "ALTER", "INSERT"}
)

FRAGMENTS = "fragments"

_HEADER_KEYS = ("mode", "params", "returns", "owner")
_HEADER_LINE = re.compile(r"(mode|params|returns|owner)\s*:\s*(.*)")
_NAME = re.compile(r"[A-Za-z_]\w*")
# What may hold any character without meaning it: one alternative each, tried from left to right. What has no end goes
# to the end of the text, so that no beginning is tried again; no engine takes such a statement.
_OPAQUE = re.compile(
    r"""//[^\n]*            # line comment
      | /\*.*?(?:\*/|\Z)    # block comment
      | '(?>(?:\\.|[^'\\])*)(?:'|\Z)   # strings
      | "(?>(?:\\.|[^"\\])*)(?:"|\Z)
      | \$`(?>(?:``|[^`])*)(?:`|\Z)    # a parameter with a quoted name
      | `(?>(?:``|[^`])*)(?:`|\Z)      # a quoted name
    """,
    re.VERBOSE | re.DOTALL,
)
# The inclusion of a fragment: its arguments are expressions without brackets or commas of their own.
_INCLUSION = re.compile(rf"(?:{_OPAQUE.pattern})|@(?P<name>\w+)\((?P<given>[^()]*)\)", re.VERBOSE | re.DOTALL)
_TAKES = re.compile(r"//\s*takes\s*:\s*(.*)")
_PARAMETER = re.compile(r"\$(\w+)")
# A word that is neither a property, a label, a parameter nor a map key.
_WORD = re.compile(r"(?<![\w.$:|])([A-Za-z]+)(?!\w)(?!\s*:)")
_APPLIED_TWICE = re.compile(r"\w+ (?:INDEX|CONSTRAINT) (?:\w+|`[^`]+`) IF NOT EXISTS\b")

Mode = Literal["read", "write", "schema"]


@dataclass(frozen=True)
class Fragment:
    """A piece of Cypher that statements share: ``takes`` are the words that a statement's arguments replace."""

    takes: tuple[str, ...]
    text: str


Fragments = Mapping[str, Fragment]


@dataclass(frozen=True)
class Query:
    """One statement with what its header promises; of mode schema several, separated by semicolons."""

    name: str
    path: Path
    mode: Mode
    params: frozenset[str]
    returns: tuple[str, ...]
    owned: bool
    description: str
    text: str

    @property
    def statements(self) -> list[str]:
        """The statements of the text, without their comments."""
        return [part.strip() for part in _split(bare(self.text, keep_strings=True)) if part.strip()]

    @property
    def checksum(self) -> str:
        """A digest of the statements, blind to comments and white space."""
        return hashlib.sha256(" ".join(bare(self.text, keep_strings=True).split()).encode()).hexdigest()[:32]


def cypher_folder() -> Path:
    """The installed package's ``cypher/``, else the checkout's; never the working directory."""
    for folder in (PACKAGE / "_cypher", PACKAGE.parent / "cypher"):
        if folder.is_dir():
            return folder
    raise QueryFileError(
        f"No Cypher files: neither {PACKAGE / '_cypher'} nor {PACKAGE.parent / 'cypher'} exists. "
        "Install the package again, or run from a complete checkout."
    )


@cache
def catalogue() -> Mapping[str, Query]:
    """Every shipped statement by its name, ``<room>/<verb_object>``; read once per process."""
    return load(cypher_folder())


def load(folder: Path) -> dict[str, Query]:
    """Parse every ``*.cypher`` under ``folder``, or raise :class:`QueryFileError` naming the first bad one."""
    fragments = load_fragments(folder)
    paths = [path for path in sorted(folder.rglob("*.cypher")) if path.parent != folder / FRAGMENTS]
    return {query.name: query for query in (parse(path, folder, fragments) for path in paths)}


def load_fragments(folder: Path) -> dict[str, Fragment]:
    """Every fragment under ``folder``, by its name."""
    return {path.stem: _fragment(path, folder) for path in sorted((folder / FRAGMENTS).glob("*.cypher"))}


def parse(path: Path, folder: Path, fragments: Fragments | None = None) -> Query:
    """One file as a :class:`Query`; the header is the comment lines at its top."""
    name, where, source = _source(path, folder)
    source = included(source, load_fragments(folder) if fragments is None else fragments, where)
    header, description = _header(source, where)
    mode = header["mode"]
    if mode not in MODES:
        raise QueryFileError(f'{where} has mode {mode!r}. Write "// mode: read", "write" or "schema".')
    query = Query(
        name=name,
        path=path,
        mode=cast(Mode, mode),
        params=frozenset(_names(header["params"], "params", where)),
        returns=tuple(_names(header["returns"], "returns", where)),
        owned=_owned(header.get("owner"), where),
        description=description,
        text=source,
    )
    if (problem := next(_problems(query), None)) is not None:
        raise QueryFileError(f"{where} {problem}")
    return query


def included(text: str, fragments: Fragments, where: str) -> str:
    """``text`` with the fragments that it names in their places, and with those that they name."""

    def replace(match: re.Match[str]) -> str:
        name = match["name"]
        if name is None:
            return match.group()
        if name not in fragments:
            raise QueryFileError(
                f"{where} names @{name}, but there is no cypher/{FRAGMENTS}/{name}.cypher. Add it, or name another."
            )
        fragment = fragments[name]
        given = [argument.strip() for argument in match["given"].split(",")] if match["given"].strip() else []
        if len(given) != len(fragment.takes):
            raise QueryFileError(
                f"{where} gives @{name} {len(given)} arguments, but it takes {len(fragment.takes)}. Give these."
            )
        # A fragment that names itself, by others or not, names what isn't there.
        others = {key: value for key, value in fragments.items() if key != name}
        return included(_filled(fragment.text, dict(zip(fragment.takes, given, strict=True))), others, where)

    return _INCLUSION.sub(replace, text)


def bare(text: str, *, keep_strings: bool = False) -> str:
    """``text`` without comments, and with strings and quoted names emptied (unless ``keep_strings``)."""

    def replace(match: re.Match[str]) -> str:
        found = match.group()
        if found.startswith(("//", "/*")):
            return " "
        return found if keep_strings else f"{found[0]}{found[-1]}"

    return _OPAQUE.sub(replace, text)


def _split(text: str) -> Iterator[str]:
    """The parts of ``text`` between semicolons; those in strings and quoted names count for nothing."""
    hidden = _OPAQUE.sub(lambda match: " " * len(match.group()), text)
    start = 0
    for found in re.finditer(r";|\Z", hidden):
        yield text[start : found.start()]
        start = found.end()


def parameters_in(text: str) -> frozenset[str]:
    """The names of the parameters that ``text`` uses."""
    quoted = {
        match.group()[2:-1].replace("``", "`") for match in _OPAQUE.finditer(text) if match.group().startswith("$`")
    }
    return frozenset(_PARAMETER.findall(bare(text))) | frozenset(quoted)


def words_in(text: str) -> Iterator[str]:
    """The plain words of ``text`` in upper case: keywords, functions, variables."""
    return (word.upper() for word in _WORD.findall(bare(text)))


def write_words_in(text: str) -> list[str]:
    """The words of ``text`` that change a graph or read files, sorted."""
    return sorted(WRITE_WORDS.intersection(words_in(text)))


def _source(path: Path, folder: Path) -> tuple[str, str, str]:
    name = path.relative_to(folder).with_suffix("").as_posix()
    where = f"cypher/{name}.cypher"
    try:
        return name, where, path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise QueryFileError(f"{where} is not UTF-8 ({error.reason}). Save it as UTF-8.") from None


def _fragment(path: Path, folder: Path) -> Fragment:
    _, where, source = _source(path, folder)
    lines = source.splitlines()
    header = list(takewhile(lambda line: line.startswith("//"), lines))
    said = [found[1].strip() for line in header if (found := _TAKES.fullmatch(line.strip()))]
    if len(said) != 1 or len(header) < 2:
        raise QueryFileError(
            f'{where} is a fragment: begin it with what it says, then "// takes:" and names ("-" for none).'
        )
    text = bare("\n".join(lines[len(header) :]), keep_strings=True).strip()
    takes = tuple(_names(said[0], "takes", where))
    for name in takes:
        if _filled(text, {name: ""}) == text:
            raise QueryFileError(f'{where} lists {name} under "takes:" but does not use it. Use it or remove it.')
    return Fragment(takes, text)


def _filled(text: str, values: Mapping[str, str]) -> str:
    """``text`` with words replaced where they are variables: no properties, labels, parameters, keys or strings."""
    words = "|".join(map(re.escape, values)) or r"(?!)"
    pattern = re.compile(rf"(?:{_OPAQUE.pattern})|(?<![\w.$:@])(?P<word>{words})(?!\w|\s*:)", re.VERBOSE | re.DOTALL)
    return pattern.sub(lambda match: match.group() if match["word"] is None else values[match["word"]], text)


def _header(source: str, where: str) -> tuple[dict[str, str], str]:
    values: dict[str, str] = {}
    description: list[str] = []
    for line in source.splitlines():
        if not line.startswith("//"):
            break
        comment = line.removeprefix("//").strip()
        if found := _HEADER_LINE.fullmatch(comment):
            key, value = found.groups()
            if key in values:
                raise QueryFileError(f'{where} states "{key}:" twice. Keep one of them.')
            values[key] = value.strip()
        elif comment and "owner" not in values:
            description.append(comment)
    for key in _HEADER_KEYS[:3]:
        if not values.get(key):
            raise QueryFileError(f'{where} has no "// {key}:" line in its header. Add it ("-" for none).')
    if not description:
        raise QueryFileError(f"{where} does not say what it does. Begin it with a comment line that does.")
    return values, " ".join(description)


def _names(value: str, key: str, where: str) -> list[str]:
    if value == "-":
        return []
    names = [name.strip() for name in value.split(",")]
    for name in names:
        if not _NAME.fullmatch(name):
            raise QueryFileError(
                f'{where} lists {name!r} under "{key}:". Write names separated by commas, or "-" for none.'
            )
    if len(set(names)) != len(names):
        raise QueryFileError(f'{where} lists a name twice under "{key}:". Keep one.')
    return names


def _owned(value: str | None, where: str) -> bool:
    if value is None:
        return True
    if not re.match(r"no\b.*\w{3}", value):
        raise QueryFileError(f'{where} has "owner: {value}". Write "owner: no" and, after it, the reason.')
    return False


def _problems(query: Query) -> Iterator[str]:
    """What of a file is not as its header or its folder says, the first first."""
    used, writes = parameters_in(query.text), write_words_in(query.text)
    for name in sorted(used - query.params):
        yield f'uses ${name} but its header does not list it. Add it to "params:" or remove it.'
    for name in sorted(query.params - used):
        yield f'lists {name} under "params:" but does not use ${name}. Use it or remove it.'
    if not query.statements:
        yield "holds no statement. Write one below the header."
    is_of_schema = query.name.startswith("schema/")
    if query.mode == "schema":
        if not is_of_schema:
            yield 'has "mode: schema". Put its statements into a file of cypher/schema/.'
        for statement in query.statements:
            if not _APPLIED_TWICE.match(statement):
                yield (
                    f"holds {' '.join(statement.split())[:60]!r}. A schema file is applied again whenever it changes: "
                    "begin each statement with CREATE INDEX or CREATE CONSTRAINT, a name and IF NOT EXISTS."
                )
        return
    if len(query.statements) > 1:
        yield "holds more than one statement. Give each a file of its own."
    if is_of_schema:
        yield 'is no schema file. Give it "// mode: schema", or put it into its room.'
    if query.mode == "read" and writes:
        yield f'says "mode: read" but contains {", ".join(writes)}. Say "mode: write", or only read.'
    if query.mode == "write" and not writes:
        yield 'says "mode: write" but writes nothing. Say "mode: read".'
    if query.returns and "RETURN" not in set(words_in(query.text)):
        yield 'lists columns under "returns:" but has no RETURN. Write "-" there.'
    if query.mode == "read" and not query.returns:
        yield 'reads but lists no columns under "returns:". Name them.'
    if query.owned and not OWNER_PARAMETERS & query.params:
        yield 'takes neither user_id nor user_ids. Add one, or "// owner: no" with the reason.'


# Procedures that only look; all others are refused, because any of them may write.
READING_PROCEDURES = frozenset(
    {"db.labels", "db.relationshiptypes", "db.propertykeys", "db.info", "db.ping",
     "db.schema.visualization", "db.schema.nodetypeproperties", "db.schema.reltypeproperties",
     "db.index.vector.querynodes", "db.index.fulltext.querynodes", "dbms.components"}
)  # fmt: skip
_CALL = re.compile(r"\bCALL\b\s*([^\s({]*(?:\s*\.\s*[^\s({]+)*)\s*([({]?)", re.IGNORECASE)
_FIRST = re.compile(r"(?:EXPLAIN|PROFILE|MATCH|OPTIONAL|UNWIND|WITH|RETURN|CALL|SHOW)\b", re.IGNORECASE)


def check_read_only(cypher: str) -> None:
    """Raise :class:`ReadOnlyError` unless ``cypher`` is one statement that can only read."""
    text = bare(cypher).strip()
    if not text:
        raise ReadOnlyError("The query is empty. Write one that begins with MATCH and ends with RETURN.")
    if ";" in text.rstrip("; \n\t"):
        raise ReadOnlyError("Only one statement at a time. Send each on its own.")
    if "\\" in text:
        raise ReadOnlyError("A backslash outside of a string is not let through: it could hide a word.")
    writes = write_words_in(cypher)
    if writes:
        raise ReadOnlyError(f"This door only reads: {', '.join(writes)} is not let through.")
    if not _FIRST.match(text):
        raise ReadOnlyError(
            f"This door only reads: a query begins with MATCH, UNWIND, WITH, RETURN, CALL or SHOW, "
            f"not with {text.split()[0]!r}."
        )
    for name, opening in _CALL.findall(text):
        procedure = re.sub(r"[\s`]", "", name).lower()
        if procedure and procedure not in READING_PROCEDURES:
            raise ReadOnlyError(f"This door only reads: the procedure {procedure!r} is not let through.")
        if not procedure and not opening:
            raise ReadOnlyError("This door only reads: CALL needs a subquery or a known procedure.")
