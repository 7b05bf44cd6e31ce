"""Things and subjects that are written in two ways: Tide Watch and Tidewatch, Harper Medical Ltd, crop rotations. Pure."""

from __future__ import annotations

import re

from memory_assets.entities.naming.forms import fold

_LEGAL = frozenset("ltd limited inc incorporated corp corporation co company gmbh ag llc plc sa bv oy ab as kg".split())
_SPELT = {"&": "and", "dept": "department", "st": "saint", "mt": "mount", "intl": "international", "colour": "color"}
_NO_NAME = frozenset({"", "project", "the"})


def thing_key(kind: str, entity_type: str, name: str) -> str:
    """What is equal for two ways to write one thing's name: without spaces, legal forms, a subject's plural."""
    words = [_SPELT.get(word, word) for word in re.findall(r"[^\W_]+|&", fold(name).replace("'s", "s"))]
    if kind == "entity":
        while len(words) > 1 and words[-1] in _LEGAL:
            words = words[:-1]
        if entity_type == "project":
            named = [word for word in words if word != "project"]
            words = named or words
    elif words and len(words[-1]) > 3 and words[-1].endswith("s") and not words[-1].endswith(("ss", "us", "is")):
        words = [*words[:-1], words[-1][:-1]]
    key = "".join(words)
    return "" if key in _NO_NAME else f"{kind} {entity_type if kind == 'entity' else ''} {key}"
