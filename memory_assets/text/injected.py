"""The marks around what a memory gives to an agent, and how marked text is cut out of what is read. Pure.

What was injected is in the agent's transcript. Read as if somebody had said it, each memory would found the next
one: so everything between the marks is cut out of every source before it is read.
"""

from __future__ import annotations

import re

_NAME = "memory-assets-context"
OPENING, CLOSING = f"<{_NAME}>", f"</{_NAME}>"
_MARK = re.compile(rf"</?(?={_NAME}|system-reminder)")
_BEGINS = re.compile(rf"{OPENING}\r?\n")


def mark_injected(text: str) -> str:
    """``text`` between the marks. Marks within it, a source's or those of agents' programs, mark nothing any more."""
    unmarked = _MARK.sub(" ", text)  # a space costs no token more than what it replaces: the text was counted before
    return f"{OPENING}\n{unmarked}\n{CLOSING}"


def without_injected(text: str, *, is_cut_off: bool = False) -> str:
    """``text`` without what is between the marks; where its end may be cut off, also without what has no end.

    A person who writes of a mark loses no word: that line goes on behind it, and no mark ends it.
    """
    if OPENING not in text:
        return text
    rest, at = [], 0
    while (begins := _BEGINS.search(text, at)) is not None:
        end = text.find(CLOSING, begins.end())
        if end < 0:  # nor has any later one an end
            break
        rest.append(text[at : begins.start()])
        at = end + len(CLOSING)
        at += text.startswith("\n", at)
    rest.append(text[at : begins.start() if begins is not None and is_cut_off else None])
    return "".join(rest)
