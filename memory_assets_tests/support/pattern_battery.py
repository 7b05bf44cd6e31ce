"""Runs every pattern of a package on the texts made against it, and prints as JSON which of them cost too much.

Processor time counts, never the clock on the wall, and an attack ends by itself: CPython's matcher looks for signals.
"""

from __future__ import annotations

import json
import re
import resource
import signal
import sys
import time
from typing import Any

from memory_assets_tests.support.attacks import attacks
from memory_assets_tests.support.patterns import Found, collect

SHORT, LONG = 4_000, 40_000
SUSPICIOUS = 0.004
"""Seconds for the short text that make the long one worth a try: a microsecond for each character."""
TOO_MUCH = 0.5
"""Seconds for the long text: ten times and more what any pattern takes whose work grows with the text alone."""
LIMIT = 1.0
TRIES = 3
SHORT_TEXTS = {
    "privacy/phrased.py": 600,
    "privacy/languages.py": 600,
    "privacy.masking._KEY_BEFORE": 200,
    "privacy.masking._SECRET_FIELD": 400,
    "text.lines._EMPHASIS": 2_000,
    "llm.prompt_files._FILE": 5_000,
    "graph.query_files._OPAQUE": 5_000,
}
"""Patterns that are shown no more of a text than this: a window around a word, a field's name, a file or a query of
our own.
"""


class _TooLong(Exception):
    pass


def _end(*_: object) -> None:
    raise _TooLong


def seconds(pattern: re.Pattern[Any], use: str, text: str) -> float:
    """Processor time of one use on one text, at most about :data:`LIMIT`."""
    given: Any = text if isinstance(pattern.pattern, str) else text.encode("utf-8")
    began = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
        try:
            if use == "fullmatch":
                pattern.fullmatch(given)
            elif use == "match":
                pattern.match(given)
            else:
                for _ in pattern.finditer(given):
                    pass
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except _TooLong:
        return LIMIT
    return time.process_time() - began


def least_seconds(pattern: re.Pattern[Any], use: str, text: str, bound: float) -> float:
    """The least of up to :data:`TRIES` measurements, or the first below the bound: a machine that stops a process for
    a while may count that as the process's own time.
    """
    least = LIMIT
    for _ in range(TRIES):
        if (least := min(least, seconds(pattern, use, text))) < bound:
            break
    return least


def worst(found: Found) -> tuple[float, str] | None:
    """The first attack on which a pattern takes too much, at each try."""
    window = min((size for place, size in SHORT_TEXTS.items() if place in found.name), default=LONG)
    tried = list(attacks(found.compiled))
    for use, bound in sorted((use, min(bound, window)) for use, bound in found.uses.items()):
        for attack in tried:
            short = attack.text(min(SHORT, bound))[:bound]
            if (cost := least_seconds(found.compiled, use, short, SUSPICIOUS)) < SUSPICIOUS:
                continue
            if cost >= LIMIT:  # the long text would take longer still
                return cost, short
            text = attack.text(min(LONG, bound))[:bound]
            if (cost := least_seconds(found.compiled, use, text, TOO_MUCH)) >= TOO_MUCH:
                return cost, text
    return None


def main(package: str, only: str) -> None:
    """Print how many patterns there are, and which cost too much."""
    signal.signal(signal.SIGVTALRM, _end)
    patterns = collect(package, only)
    slow = [
        {
            "where": one.name,
            "uses": one.uses,
            "pattern": repr(one.compiled.pattern),
            "seconds": round(cost[0], 2),
            "text": repr(cost[1][:60]) + " … " + repr(cost[1][-6:]),
        }
        for one in patterns.values()
        if (cost := worst(one))
    ]
    cpu = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    print(json.dumps({"patterns": len(patterns), "slow": slow, "cpu": round(cpu, 1)}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
