"""Tables of named patterns, read top to bottom, the pieces that many of them share (speakers, adverbs, days), and
what a sentence shows of itself, whatever it states: a question, a decision, a day, doubt, or that it leans on
another.
"""

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
ADVERBS = (
    "(?: (?:really|also|just|still|always|usually|honestly|personally|actually|absolutely|generally|strongly|"
    "definitely|particularly|especially|truly|genuinely|much|kinda|do|so|simply|totally|mostly|even|both|normally|"
    "typically))*"
)
DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days"
MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?)"
)
WHEN = (
    f"(?:{DAY}|tomorrow|tonight|today|eod|cob|noon|(?:the )?end of|next (?:week|month|year|quarter|sprint|{DAY})|"
    rf"this (?:week|weekend|month|afternoon|evening|{DAY})|{MONTH}\.? \d|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}|"
    rf"\d{{1,2}}(?::\d\d)? ?[ap]\.?m|\d{{1,2}}/\d{{1,2}}|\d{{4}}-\d\d-\d\d|q[1-4]\b|\d{{1,2}}(?:st|nd|rd|th))"
)

# A sentence that leans on one before it.
LEANING = re.compile(r"^(?:that|this|these|those|it|they|he|she|them|him|such)\b", re.IGNORECASE)

DECISION_SECTION = re.compile(r"\b(?:decisions?|decided|agreed|agreements?|resolutions?|outcomes?)\b", re.IGNORECASE)
DECISION = re.compile(
    r"\b(?:we|i|they|he|she|you|team|board|committee|council|group)(?:'ve| have| has|'s| had)?(?: all| both| just|"
    " also| finally| unanimously)? (?:decided|agreed|chose|chosen|settled|concluded|picked|opted|voted|approved|"
    r"committed|resolved|switched|signed)\b"
    r"|\bdecisions? (?:is|was|made|to|has)\b|^decisions?\s*[:\-–]|\b(?:decided|agreed|approved) (?:to|that|on|by|"
    r"in)\b|\bgo(?:ing)? (?:ahead )?with\b.{1,60}\binstead\b|\b(?:we're|we are|i'm|i am) going with\b|"
    r"\bwent with\b|\bturns? out\b|\bswitch(?:ed|ing)? (?:from|over)\b|\bno longer\b|\binstead of\b.*\b(?:will|"
    r"now)\b|\bconclusion\b"
    r"|\bdecided(?: today| yesterday)?[:,]|\bit(?:'s| is) (?:decided|agreed|settled)\b|\b(?:moves?|moved|is moved|"
    r"was moved|postponed) (?:from\b.{1,40}\b)?(?:to|until) (?:the )?\d|\b(?:moves?|moved|"
    r"migrate[sd]?) from (?-i:[A-Z])\w+ to (?-i:[A-Z])"
    r"|\b(?:launch|release|pricing|price|database|cutover|contract|budget) (?:of \w+(?: \w+){0,3} ?)?(?:is|are|"
    r"stays|moves) (?!scheduled|planned|set |booked|due|in danger).*(?:\d|(?-i:[A-Z]))|^(?:agreed|accepted|"
    r"approved|rejected) (?:with|by|to)\b",
    re.IGNORECASE,
)

_QUESTION_WORD = re.compile(
    "^(?:and |so |but |then )?(?:what|who|whom|whose|when|where|why|how|which|is|are|am|was|were|do|does|did|have|"
    r"has|had|can|could|would|will|should|shall|any|isn't|aren't|don't|didn't)\b",
    re.IGNORECASE,
)
# What is asked of an assistant though no question mark says so: it is answered at once.
ASKS_ASSISTANT = re.compile(
    r"^(?:and |so |but |then |also )*(?:i(?:'m| am) (?:(?:also |just |still )*(?:not (?:\w+ )?(?:sure|certain)|"
    r"unsure|wondering|curious))\b|i wonder\b"
    r"|(?:how|what|which|where|when|why) (?:can|could|do|does|should|would) (?:i|we|you|the|my|it)\b|how to\b)",
    re.IGNORECASE,
)

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

_DAY_NAMED = re.compile(rf"\b{WHEN}", re.IGNORECASE)


def has_day(text: str) -> bool:
    """Whether a sentence names a day or a deadline."""
    return _DAY_NAMED.search(text) is not None


def is_question(text: str) -> bool:
    """Whether a sentence asks something: by its mark at the end, or by its first word with a mark in it."""
    return text.rstrip(" \"')*").endswith("?") or ("?" in text and _QUESTION_WORD.match(text) is not None)
