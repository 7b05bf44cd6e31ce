"""Tables of named patterns, read top to bottom, and the pieces that many patterns share: speakers, adverbs, days."""

from __future__ import annotations

import re

Table = tuple[tuple[str, re.Pattern[str]], ...]


def table(**patterns: str) -> Table:
    """The patterns under their names, in this order; upper and lower case are one."""
    return tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in patterns.items())


def first_of(patterns: Table, text: str) -> str | None:
    """The name of the first pattern that holds of a text; None when none does."""
    return next((name for name, pattern in patterns if pattern.search(text)), None)


I_OR_WE = r"\b(?:i|we)"
ADVERBS = r"(?: (?:really|also|just|still|always|usually|honestly|personally|actually|absolutely|generally|strongly|definitely|particularly|especially|truly|genuinely|much|kinda|do|so|simply|totally|mostly|even|both|normally|typically))*"
DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days"
MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
WHEN = rf"(?:{DAY}|tomorrow|tonight|today|eod|cob|noon|(?:the )?end of|next (?:week|month|year|quarter|sprint|{DAY})|this (?:week|weekend|month|afternoon|evening|{DAY})|{MONTH}\.? \d|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}|\d{{1,2}}(?::\d\d)? ?[ap]\.?m|\d{{1,2}}/\d{{1,2}}|\d{{4}}-\d\d-\d\d|q[1-4]\b|\d{{1,2}}(?:st|nd|rd|th))"
