"""Where the embedded engine keeps the texts of sources: in a file of their own, out of the records.

The engine reads a whole record for every step of a query that passes it, and counts it once for every row that holds
it in an ORDER BY, a DISTINCT or a grouping (``queryMaxHeapRAM``, half of the heap). A long chat has thousands of
statements and up to four copies of its text, so a record with its texts inside would be read, and counted, in
gigabytes. Properties declared EXTERNAL leave an address of 12 bytes in the record; queries read them as before, and
only when they ask for them.
"""

from __future__ import annotations

from typing import Any

LARGE_TEXTS = {"Source": ("raw_content", "content", "turns", "original_content")}
"""The properties that may be megabytes long, by label."""

REBUILD_ROWS = 16
"""How many records of an older graph are rewritten in one transaction: each may have several times MAX_PART of text."""


def keep_apart(database: Any) -> list[str]:
    """Declare the large texts of ``database`` external, and rewrite records from before; the labels changed now.

    Idempotent. The declaration is the last thing to become visible of a label that has no records; where rewriting is
    interrupted, what is left is read as before, and rewritten when it next changes.
    """
    from jpype import JClass

    text = JClass("com.arcadedb.schema.Type").STRING
    java = database.get_java_database()
    schema = java.getSchema()
    changed = []
    for label, names in LARGE_TEXTS.items():
        kind = schema.getOrCreateVertexType(label)
        inside = [name for name in names if not kind.getOrCreateProperty(name, text).isExternal()]
        for name in inside:
            kind.getProperty(name).setExternal(True)
        if inside:
            changed.append(label)
            if java.countType(label, True):
                database.command("sql", f"REBUILD TYPE {label} POLYMORPHIC WITH batchSize = {REBUILD_ROWS}")
    return changed
