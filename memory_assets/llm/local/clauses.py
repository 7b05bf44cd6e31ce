"""Long sentences cut into what each says: first the wishes in them, then their other main clauses.

People who ask an assistant for something say what they prefer on the way: "I am setting up the new shop, so
I prefer plain tables over charts, can you build the page, considering that it has to be live by May?" The wish
holds for good, the request once, and a memory of both is too long for any file. So each is a statement of its
own, word for word. A wish that needs what was said before it ("If the gate is open, always call me") keeps that:
nothing holds without its condition, and nothing that was denied is said.
"""

from __future__ import annotations

import re
import sys

from memory_assets.llm.local.parts import QUOTED

SHORT = 80
"""A shorter sentence says its wish shortly enough."""
RUN_ON = 200
"""A longer one is cut before each clause that has a subject of its own: nobody remembers it as one thing."""
_FEWEST_WORDS = 3
_ENOUGH = re.compile(rf"\s*\S+(?:\s+\S+){{{_FEWEST_WORDS - 1}}}")

_ADVERBS = (
    "(?: (?:really|also|just|still|always|usually|generally|strongly|definitely|much|do|personally|normally|"
    "typically))*"
)
_SUBJECT = r"(?:I|we)"
_JOINED = (
    r"(?:(?:^|[,;:–—]\s|\s-\s|\.\s)(?:(?:and|but|so|because|since|as|also|plus|while|then|though|although)\s+)*"
    r"|\s(?:and|but|so|because|since|as|while|though|although)\s+(?:also\s+)?)"
)
# What opens a wish, after a mark or a word that joins clauses.
_WISH = re.compile(
    rf"{_JOINED}(?P<wish>{_SUBJECT}{_ADVERBS} (?:prefer|favou?r)(?!\w| not to say)"
    rf"|{_SUBJECT}(?:'d|’d| would){_ADVERBS} (?:rather|prefer)\b"
    r"|my (?:strong |general |personal |clear )?preference (?:is|would be|remains)\b"
    r"|please,? (?:always|never|don['’]t ever) \w+|(?:always|never) (?:use|keep|give(?! up)|write|answer|respond|"
    "reply|format|show|include|add|list|explain|provide|ask|send|mention|tell|call|report|avoid|suggest|start|end|"
    r"put|assume)\b"
    r"|from now on\b)",
    re.IGNORECASE,
)
# Where the next clause begins: a request, a question, a circumstance, or somebody who does something else.
_NEXT = re.compile(
    r",? (?=(?:(?:and|but|so) (?:also )?)?(?:can|could|would|will) (?:you|we|I)\b)"
    "|, (?=(?:and |but |so )?(?:how|what|which|where|when|why|who) (?:can|could|do|does|should|would|is|are|to|"
    r"kind|way)\b)"
    "|, (?=(?:and |but )?(?:considering|given|taking into account|especially|here's|here is|which is|as (?:I|we|"
    r"stated|mentioned))\b)"
    "|,? (?=(?:and|but|so|because|since) (?:then |also )?(?:I|I'm|I've|I'll|I'd|we|we're|we've|my|our|please|"
    r"let's|it|it's|that's|now|here's)(?:\b|['’]))"
    r"|, (?=and (?:also|then) )"
    r"|, (?=(?:I|I'm|I've|I'll|I'd|we|we're|we've|please)(?:\b|['’]))"
    r"|;\s|\s[–—-]\s",
    re.IGNORECASE,
)
# "My deadline is 12 April" says something of its own, "my fellow workers" (after "we called on our friends and") not.
_OWN = (
    r"(?:(?:I|we)(?:['’](?:m|ve|ll|d|re))?|(?:my|our)(?: [\w-]+){1,5}? (?:is|are|was|were|has|have|had|will|would|can|"
    r"could|does|do|did|needs?)|here['’]s)\s"
)
# The same for sentences without a wish: only where what follows can be understood alone.
_MAIN = re.compile(
    r",? (?:and |but |so )(?=(?:also )?(?:can|could|would|will) you\b)|, (?=(?:can|could|would|will) you\b)"
    r"|, (?:and |but |so )?(?=(?:how|what|which|where|when|why) (?:can|could|do|does|should|would|kind|way)\b)"
    rf"|,? (?:and|but|so) (?:then |also )?(?=please\s|{_OWN})"
    r"|, (?=(?:(?:I|we)(?:['’](?:m|ve|ll|d|re))?|please|here['’]s)\s)"
    rf"|, (?:especially )?(?:considering|given|since)(?: that)? (?={_OWN})"
    rf"|;\s|\s[–—-]\s(?=(?:(?:and|but|so|also) )?(?:please\s|{_OWN}|(?:can|could|would|will) you\b))",
    re.IGNORECASE,
)
# What is before the comma in "With regard to the pump, we regret ..." is where it holds, and no clause.
_LEADS = re.compile(
    rf"(?!\W{{0,9}}(?:(?:and|but|so|also|then|now) ){{0,3}}(?:@\S{{1,60}} )?(?:please\s|{_OWN}"
    r"|(?:can|could|would|will) you\b|(?:how|what|which|where|why|who)\b))",
    re.IGNORECASE,
)
# What is asked in passing at the end of a statement: "..., but I'm not sure if that holds".
_ASKED_AFTER = re.compile(
    r",? (?:and|but|so) (?:also |still )?(?=(?:can|could) you\b|here['’]s (?:my|the|what|a)\b"
    r"|I(?:['’]m| am) (?:still )?(?:not (?:\w+ )?(?:sure|certain)|unsure|wondering)\b"
    r"|I(?:['’]d| would)? (?:want|like|love|need) to (?:make sure|be sure|ensure|know|see|understand|confirm|check)\b)"
    r"|, (?=(?:can|could) you\b|here['’]s (?:my|the|what|a)\b)",
    re.IGNORECASE,
)


# What says when the words behind it hold: "If the gate is open, always call me". Not so before "so" or "but".
_WHEN = (
    "(?:(?:and|but|so|or|also|please|only|even|especially|except) )*(?:if|when(?:ever)?|unless|until|once|in case|"
    "as (?:long|soon) as|"
    r"provided|assuming|wherever|during|(?:every|any|each) ?time|should (?!I\b|we\b))\b"
)
_CONDITION = re.compile(
    rf"^\W*{_WHEN}(?:[^;]*[,–—-]\s+|[^,;]*(?:\s|,\s+and\s+))(?:please,?\s+)?$|"
    rf"[,:;–—] {_WHEN}[^,;]*(?:,\s+(?:and\s+)?)?$",
    re.IGNORECASE,
)
# Words that turn what follows into its opposite, or say nothing of whether it holds.
_DENIES = re.compile(
    r"(?:\b(?:not|never|nor|neither|whether|than|as if|as though|ignore|ignoring|forget|drop|disregard|override|"
    "despite|without|against|"
    r"contrary to|instead of|no longer|stop)|n['’]t)(?:,? (?:about|with|because|since|as))?\W*$",
    re.IGNORECASE,
)
_NEAR = 60
_MARKS = " ,;:–—-"


def clauses(sentence: str) -> list[str]:
    """A sentence as its independent clauses; one of up to :data:`SHORT` characters is whole.

    Every part but the first begins with a capital letter; marks and joining words between parts are dropped.
    """
    return [part for clause in wishes_apart(sentence) for part in run_on_apart(clause)]


def run_on_apart(sentence: str) -> list[str]:
    """A sentence of more than :data:`RUN_ON` characters, cut before each main clause, though not from what turns it
    ("but ..."), as long as both are no longer than that; a shorter one before what it asks.
    """
    if len(sentence) < SHORT:
        return [sentence]
    parts: list[str] = []
    begin = 0
    unquoted = _without_quotations(sentence)
    cuts = list((_MAIN if len(sentence) > RUN_ON else _ASKED_AFTER).finditer(unquoted))
    ends = [*(match.start() for match in cuts[1:]), len(sentence)]
    for match, end in zip(cuts, ends, strict=False):
        if (
            _is_enough(sentence, begin, match.start())
            and _is_enough(sentence, match.end())
            and not _needed(sentence[begin : match.end()])
            and not (end - begin <= RUN_ON and _is_contrast(unquoted, match))
            and not (match[0] == ", " and _LEADS.match(unquoted, begin))
        ):
            parts.append(sentence[begin : match.start()])
            begin = match.end()
    return _tidy([*parts, sentence[begin:]]) if parts else [sentence]


def _is_contrast(unquoted: str, cut: re.Match[str]) -> bool:
    """Whether what follows turns what is said before ("but I missed it"), and does not only ask."""
    return cut[0].strip(" ,").startswith("but") and _ASKED_AFTER.match(unquoted, cut.start()) is None


def wishes_apart(sentence: str) -> list[str]:
    """A long sentence as its clauses, each wish by itself, without its question mark; any other sentence whole."""
    if len(sentence) < SHORT:
        return [sentence]
    spans: list[tuple[int, int, bool]] = []
    begin = 0
    unquoted = _without_quotations(sentence)
    for match in _WISH.finditer(unquoted):
        opening = match.start("wish")
        if opening < begin:
            continue
        following = _NEXT.search(unquoted, opening + 1)
        end = following.start() if following else len(sentence)
        if following and not _is_enough(sentence, following.end()):
            end = len(sentence)  # too little for a clause
        before = sentence[begin : match.start()]
        if not _is_enough(before) or _needed(sentence[begin:opening]):
            opening = begin
        else:
            spans.append((begin, match.start(), False))
        spans.append((opening, end, True))
        begin = following.end() if following and end < len(sentence) else end
    if begin < len(sentence):
        spans.append((begin, len(sentence), False))
    if len(spans) < 2:
        return [sentence]
    parts = [
        sentence[start:end].rstrip("?") if is_wish and end == len(sentence) else sentence[start:end]
        for start, end, is_wish in spans
    ]
    return _tidy(parts)


def _tidy(parts: list[str]) -> list[str]:
    first, *others = [part.strip(_MARKS) for part in parts]
    return [first, *(part[:1].upper() + part[1:] for part in others)]


def _without_quotations(sentence: str) -> str:
    """A sentence of the same length in which nothing of what it quotes, or adds in brackets, opens a clause."""
    return QUOTED.sub(lambda match: match[0][0] + "x" * (len(match[0]) - 2) + match[0][-1], sentence)


def _needed(before: str) -> bool:
    """Whether what follows holds only with what is before it: under its condition, or not at all."""
    if _DENIES.search(before[-_NEAR:]):
        return True
    return len(before) <= RUN_ON * 2 and _CONDITION.search(before) is not None


def _is_enough(text: str, begin: int = 0, end: int = sys.maxsize) -> bool:
    """Whether this part of a text has words enough; the text behind them is not looked at."""
    return _ENOUGH.match(text, begin, end) is not None
