"""What a sentence shows of itself, whatever it states: a question, a day, doubt, or what a heading makes of a list."""

from __future__ import annotations

import re

DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?)"
)

TASK_SECTION = re.compile(
    r"\b(?:action(?:s| items?)|to-?dos?|next steps?|tasks?|follow[- ]?ups?|open (?:items|points)|assignments?|"
    r"checklist|homework)\b|^to do\b",
    re.IGNORECASE,
)
"""A heading whose list is to be done."""

HEDGES = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|might|i (?:think|guess|suppose|believe|assume)|not sure|i'm not certain|"
    r"kind of|sort of|seems?|apparently|could be|hopefully|unsure|roughly|i wonder)\b",
    re.IGNORECASE,
)
HEARSAY = re.compile(
    r"\b(?:apparently|i(?:'ve)? heard|rumou?r|supposedly|allegedly|they say|reportedly|(?:he|she|they) (?:said|"
    r"says|told|claims?))\b",
    re.IGNORECASE,
)
ABOUT_SELF = re.compile(r"\b(?:i|i'm|i've|i'll|my|we|our|me)\b", re.IGNORECASE)

FIGURE = re.compile(rf"\d|\b{DAY}\b|\b{MONTH} \d", re.IGNORECASE)


def is_question(text: str) -> bool:
    """Whether a sentence asks something, by its mark at the end."""
    return text.rstrip(" \"')*").endswith("?")
