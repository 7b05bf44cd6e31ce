"""The marks around what a memory gives to an agent, and their way out of whatever is read afterwards. Pure.

What was injected stands in the agent's transcript. Read as if somebody had said it, each memory would found the next
one: so everything between the marks is cut out of every source before it is read.
"""

from __future__ import annotations

import re

_NAME = "memory-assets-context"
OPENING, CLOSING = f"<{_NAME}>", f"</{_NAME}>"
_MARK = re.compile(rf"<(?=/?{_NAME})")
_INJECTED = re.compile(rf"{OPENING}.*?(?:{CLOSING}|\Z)\n?", re.DOTALL)


def mark_injected(text: str) -> str:
    """``text`` between the marks; one that stands in it already, a source's, marks nothing any more."""
    return f"{OPENING}\n{_MARK.sub('‹', text)}\n{CLOSING}"


def without_injected(text: str) -> str:
    """``text`` without what stands between the marks; where the end is cut off, without all that follows."""
    return _INJECTED.sub("", text) if OPENING in text else text
