"""Scripts that are written without spaces (Thai, Lao, Burmese, Khmer, Chinese, Japanese): where words can't be told. Pure.

Whoever counts or looks for words takes pairs of signs in their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_SIGN = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
UNSPACED_SIGN = re.compile(_SIGN)
UNSPACED_RUN = re.compile(f"{_SIGN}+")
PAIR_RARITY = 2.0
"""What a pair is worth where words are worth how rare they are: as much as a middling one."""


def pairs(run: str) -> Iterator[str]:
    """Each two signs of ``run`` that follow each other; one sign alone is its own pair."""
    return (run[place : place + 2] for place in range(max(1, len(run) - 1)))
