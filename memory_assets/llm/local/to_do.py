"""Whether a sentence tells of something that is to be done: a commitment, a request, a deadline, an order."""

from __future__ import annotations

import re

from memory_assets.llm.local.language import Parsed
from memory_assets.llm.local.patterns import DAY, I_OR_WE, WHEN, table
from memory_assets.llm.local.sentences import Form, Piece

NOT_TASKS = re.compile(
    r"\bi want to remember\b|\b(?:that|which|what|thing) i(?: want| would like|'d like|'ll| will) (?!have to|"
    r"need to)|\b(?:we|i)(?:'d| would) (?:like|love) to (?:have you|thank|decide)\b|"
    r"\b(?:i|we)(?:'ll| will| shall) (?:not|never|end up|need no|miss)\b|\b(?:i|we) won't\b|\b(?:i|we)(?:'ll|"
    r" will) (?:also |still |always )?be (?:an?|the|there|in|at|back|fine|ok|happy|(?!\w+ing\b)\w+ (?:to|of|with|"
    r"and|in|for|by)|\w+$|[a-z]+[.!]$)\b|\b(?:i|we)(?:'ll| will) (?:also |still |always )?(?:feel|enjoy|stay|"
    r"remain|find joy)\b|"
    r"\b(?:i|we) only have to be\b|\bwho(?:ever)? (?:needs|has|will)\b|^(?:my|the|our) (?:lesson|result|rule|"
    r"truth)\b|^(?:result|rule|answer|hysteresis rule|observation|decided|decision|agreed|condition)\b[^:]{0,60}:|"
    r"^the truth:|\bhas one condition\b|"
    r"\b(?:had to|have to laugh|have to tell you|has to learn|have to say)\b|\b(?:said|"
    r"says) (?:nearly )?(?:the same|that)\b|\bi(?:'ve| have)? changed my mind\b|"
    r"\b(?:i (?:have|need|got|want) to (?:say|admit|confess|thank|be honest)|i must (?:say|admit|confess)|"
    "we'?ll see|i'?ll (?:be honest|admit|say|bet|never forget|always)|"
    "i will (?:say|admit|never forget)|(?:should|must|could|would)(?:n't)? have|i'?d (?:like|love) to (?:hear|"
    "see (?:it|that|them|you|your|some)|know|think|say|thank)|let's (?:say|face|just say|see)|let me (?:know|see|"
    "think)|"
    "i(?:'m| am) going to (?:be honest|miss)|will (?:always|never) (?:be|remember|forget)|you should (?:be proud|"
    r"definitely|totally|try)|have to (?:wonder|laugh)|i would like to think)\b",
    re.IGNORECASE,
)
TASKS = table(
    marker=(
        r"^(?:todo|to-do|action items?|ai|fixme|next steps?|task|follow[- ]?up|reminder)\s*[:\-–(]|\b(?:action items?|"
        "to-?dos?) (?:is|are|for|:)"
    ),
    deadline=r"\b(?:deadline|due date)\b|\bdue (?:on|by|in|at|this|next|tomorrow|today)\b|\b(?:is|are) due\b|\brsvp\b",
    commitment=(
        f"{I_OR_WE}(?:'ll| will|'ve got to| gotta|'m going to|'re going to| am going to| are going to|'m gonna|"
        "'re gonna| shall| must| have to| need to| needs to| ought to| should| plan(?:ned)? to|'m planning|"
        " am planning|'re planning| are planning|'m hoping to| am hoping to| hope to|'re hoping to| intend to|"
        " aim to| want to| promise(?:d)? to| agreed to| still need|'m about to|'m supposed to|'d like to|'d love to|"
        rf" would like to|'re aiming| can't wait to| have (?:a|an) (?:\w+ ){{0,3}}(?:appointment|interview|exam|"
        r"meeting|flight))\b"
    ),
    adverb_commitment=(
        f"{I_OR_WE}(?:'ll| will| need| have| want| should| must| plan)? (?:also|still|definitely|probably|just|really|"
        r"now|then|only) (?:need|have|want|plan|should|must|be|send|make|write|call|check)(?: to)?\b"
    ),
    lets=(
        r"^(?:ok,? |so |then |and )?let'?s (?!say|see|face|be honest|not\b|keep|make (?:it|this|great|the most|some)|"
        "hope|enjoy|stay|support|never|always)"
    ),
    please=(
        r"(?:^|[,;:.] |\band |\bso |\bthen )(?:please|pls|kindly) (?!let (?:me|us) know if|feel|find|see|note|"
        r"be advised|accept)\w+"
    ),
    let_me_know_by=r"\blet (?:me|us) know (?:by|before|when|which|whether|what time)\b",
    remember_to=(
        r"\b(?:remember to|don'?t forget to|do not forget to|make sure (?:to|you|we|that|the)|be sure to|"
        r"try to make sure)\b"
    ),
    request=(
        r"\b(?:can|could|would|will) (?:you|u|someone|anyone|somebody) (?:please |also |just |maybe |possibly |kindly |"
        r"quickly |then )*(?!imagine|believe|say|mind|like|be\b|have\b|ever)\w+|\bwould you mind \w+ing\b|\bi(?:'d|"
        r" would)? (?:need|want|like) (?:you|your help|someone|some help|help)\b|\b(?:help me|i'm wondering if you|"
        r"any chance you)\b"
    ),
    passive=(
        r"\b(?:needs?|has|have|must|should|ought|is|are|remains?)(?: still)? (?:to )?be \w+(?:ed|en|nt|ne|de|lt|ut|ld|"
        r"pt|ught|wn)\b"
    ),
    obligation=(
        r"\b(?!(?:the|an?|it|this|that|there|these|those|we|i|you) will\b)(?:(?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)?|"
        r"someone|somebody|everyone|the team|(?:our|my) \w+|he|she|they)(?: will| needs? to| must| has to| have to|"
        " is going to| are going to| agreed to| promised to| is responsible for| is supposed to| to (?-i:send|prepare|"
        "write|draft|check|call|review|update|book|follow)) (?!be (?:great|fun|awesome|amazing|nice|fine|ok|able|a |"
        r"so )|love|enjoy|have (?:a|fun)|get better|always|never|see)\w+"
    ),
    by_then=(
        r"\b(?:will|to|must|should|needs?|please|going to|scheduled|planned|expected)\b.*\b(?:by|before|"
        rf"no later than) {WHEN}|\b(?:will|must|should|needs? to|please|have to|has to)\b.*\buntil {WHEN}"
    ),
    scheduled=(
        r"\b(?:is|are|'s) (?:scheduled|planned|set|booked|arranged|happening|taking place|going live) (?:for|on|to|"
        r"in)\b|\b(?:meeting|call|appointment|launch|demo|interview|flight|exam|release|review|party|wedding) (?:is|"
        rf"will be|starts|begins) (?:on|at|in|next|this)?\s?{WHEN}"
    ),
    upcoming=(
        rf"{I_OR_WE}(?:'m| am|'re| are) (?:\w+ )?(?:\w+ing)\b.*\b(?:tomorrow|tonight|next (?:week|month|year|weekend|"
        rf"{DAY})|this (?:weekend|coming|{DAY})|in (?:two|three|four|a few|\d+) (?:days|weeks|months))\b"
    ),
)
REQUEST = dict(TASKS)["request"]
TASK_SECTION = re.compile(
    r"\b(?:action items?|to-?dos?|next steps?|tasks?|follow[- ]?ups?|open (?:items|points)|assignments?|checklist|"
    r"homework)\b",
    re.IGNORECASE,
)

PASSING_WISH = re.compile(
    "^(?:and |so |but |then |also )*i(?:'d| would)? (?:also |just |really |still )*(?:(?:want|need|like|"
    "love) to (?:make sure|be sure|ensure|know|see|understand|confirm|check|double-check|hear|learn|get)|"
    r"appreciate|need (?:some |your )?help|need (?:an?|the|some) (?:example|explanation))\b",
    re.IGNORECASE,
)


_NO_ORDER = frozenset(
    (
        "let hope thank see look sounds keep take enjoy guess miss love got say stay wish bet remember imagine speak "
        "talk be have do did does know wait"
    ).split()
)


def is_imperative(piece: Piece, parsed: Parsed) -> bool:
    """A sentence that starts with a bare verb ("Send the invoice to Anna."), and has an object."""
    if len(parsed.tokens) < 4 or piece.form is Form.HEADING:
        return False
    first = parsed.tokens[0]
    if first.lower in _NO_ORDER:
        return False
    return (
        first.tag == "VB"
        and parsed.tokens[1].pos in {"DET", "NOUN", "PROPN", "PRON", "ADJ", "ADP", "NUM"}
        and parsed.tokens[1].lower not in {"i", "you", "it", "was", "like"}
    )
