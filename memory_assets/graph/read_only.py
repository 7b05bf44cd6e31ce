"""The refusal of everything but reading, for statements that people type in.

Neither engine's word is needed for it: whoever reads this file knows what gets through.
"""

from __future__ import annotations

import re

from memory_assets.errors import GraphQueryError
from memory_assets.graph.query_files import bare, write_words_in

# Procedures that only look; all others are refused, because any of them may write.
READING_PROCEDURES = frozenset(
    {"db.labels", "db.relationshiptypes", "db.propertykeys", "db.info", "db.ping",
     "db.schema.visualization", "db.schema.nodetypeproperties", "db.schema.reltypeproperties",
     "db.index.vector.querynodes", "db.index.fulltext.querynodes", "dbms.components"}
)  # fmt: skip
_CALL = re.compile(r"\bCALL\b\s*([^\s({]*(?:\s*\.\s*[^\s({]+)*)\s*([({]?)", re.IGNORECASE)
_FIRST = re.compile(r"(?:EXPLAIN|PROFILE|MATCH|OPTIONAL|UNWIND|WITH|RETURN|CALL|SHOW)\b", re.IGNORECASE)


def check_read_only(cypher: str) -> None:
    """Raise :class:`GraphQueryError` unless ``cypher`` is one statement that can only read."""
    text = bare(cypher).strip()
    if not text:
        raise GraphQueryError("The query is empty. Write one that begins with MATCH and ends with RETURN.")
    if ";" in text.rstrip("; \n\t"):
        raise GraphQueryError("Only one statement at a time. Send each on its own.")
    if "\\" in text:
        raise GraphQueryError("A backslash outside of a string is not let through: it could hide a word.")
    writes = write_words_in(cypher)
    if writes:
        raise GraphQueryError(f"This door only reads: {', '.join(writes)} is not let through.")
    if not _FIRST.match(text):
        raise GraphQueryError(
            f"This door only reads: a query begins with MATCH, UNWIND, WITH, RETURN, CALL or SHOW, "
            f"not with {text.split()[0]!r}."
        )
    for name, opening in _CALL.findall(text):
        procedure = re.sub(r"[\s`]", "", name).lower()
        if procedure and procedure not in READING_PROCEDURES:
            raise GraphQueryError(f"This door only reads: the procedure {procedure!r} is not let through.")
        if not procedure and not opening:
            raise GraphQueryError("This door only reads: CALL needs a subquery or a known procedure.")
