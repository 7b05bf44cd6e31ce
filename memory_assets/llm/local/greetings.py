"""Greetings, thanks and closings: which of their words name somebody. By place and shape, for nobody's name is a
greeting. Pure.

Where a turn opens or ends with words that only greet, capitals say nothing ("Dear Hiring Manager," "Many Thanks").
A word in them is a name where it is one by itself: somebody's first or last name, or no word of the language at
all.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory_assets.llm.local import lexicon
from memory_assets.llm.local.gazetteer import is_given_name, is_surname
from memory_assets.llm.local.language import Parsed, Token, rarity
from memory_assets.llm.local.patterns import first_of, table

MOST_WORDS = 6
HARDLY_A_WORD = 4.6
"""What is capitalised only where every word would be has to be rarer than this."""

_GREETS = frozenset({"greeting", "thanks", "bye", "praise"})
_PHRASE_END = frozenset(",!:;.–—")
_VERBS = frozenset({"VBZ", "VBD", "MD"})
_NO_NAMES = lexicon.NOT_NAMES | lexicon.VAGUE_NOUNS | lexicon.PERSON_NOUNS | lexicon.KIN_AND_ROLES | lexicon.TITLES


def opening_line(text: str) -> str:
    """The first line of a turn where it calls somebody ("Hallo zusammen,"), whatever its language; else nothing."""
    line = text.lstrip().partition("\n")[0].strip()
    return line if line[-1:] in (",", "!") and len(line.split()) < MOST_WORDS else ""


def greeting_end(parsed: Parsed, line: str = "") -> int:
    """How many tokens of a turn's first or last sentence greet; 0 where they tell something.

    Words that are known to greet do so up to the first mark; others where nothing but them stands before it, in the
    whole sentence or on the ``line`` that opens the turn.
    """
    tokens = parsed.tokens
    end = next((at for at, token in enumerate(tokens) if token.text[:1] in _PHRASE_END), len(tokens))
    phrase = tokens[:end]
    if not 0 < end <= MOST_WORDS or any(token.tag in _VERBS for token in phrase):
        return 0
    if first_of(CHITCHAT, parsed.text[: phrase[-1].end]) in _GREETS:
        # "Many thanks, Petra", "Best wishes, Oskar and Ines": whoever signs greets, too.
        return len(tokens) if len(tokens) <= MOST_WORDS else end
    stops = end < len(tokens) and tokens[end].text[:1] in ",!"
    alone = len(tokens) == end + 1 or (
        line != "" and parsed.text.startswith(line[:-1]) and tokens[end].start == len(line) - 1
    )
    return end if stops and alone else 0


def is_known_name(token: Token) -> bool:
    """Whether somebody is called so, and nothing else that people are greeted as."""
    return (
        token.is_capitalised and token.lower not in _NO_NAMES and (is_given_name(token.text) or is_surname(token.text))
    )


def name_among(tokens: Sequence[Token]) -> tuple[int, int]:
    """From where to where words of a greeting are a name, counted within ``tokens``; nowhere when some are none.

    The greeting word itself, and a title, are no part of it: no language greets with a first name. Of several words
    one at least is somebody's name ("Servus beinand" is none).
    """
    start = 0
    while start < len(tokens) and (
        tokens[start].lower.rstrip(".") in _NO_NAMES
        or (not is_known_name(tokens[start]) and any(is_known_name(token) for token in tokens[start + 1 :]))
    ):
        start += 1
    named = tokens[start:]
    known = sum(map(is_known_name, named))
    if not all(is_known_name(token) or _is_no_word(token) for token in named) or len(named) > 1 and not known:
        return 0, 0
    return start, len(tokens)


def _is_no_word(token: Token) -> bool:
    return token.is_capitalised and token.lower not in _NO_NAMES and rarity(token.lower) >= HARDLY_A_WORD


CHITCHAT = table(
    greeting=(
        "^(?:hey|hi|hello|hiya|yo|howdy|dear|good (?:morning|afternoon|evening|night|day)|welcome(?: back)?|"
        r"greetings)\b.{0,45}$"
    ),
    how_are=(
        r"\bhow(?:'s|'ve| are| have| is| was| were|'re)? (?:you|it|things|everything|life|about you|your (?:day|week|"
        r"weekend))\b.{0,45}\?*$|\bwhat(?:'s| is| has)? (?:up|new|been (?:up|going on|happening)|going on)\b.{0,45}\?*|"
        r"^(?:long time no|it's been (?:a while|ages|so long))|\banything (?:new|exciting|fun)\b|\bwhat about you\b|"
        r"^(?:and )?(?:how about )?(?:you|yours?(?:elf)?)\?"
    ),
    thanks=(
        "^(?:many |much |ok |okay |oh |aww? )*(?:thanks|thank you|thx|cheers|appreciate|i (?:really )?appreciate|"
        r"much appreciated|thanks again|grateful)\b"
    ),
    bye=(
        r"(?:^|[,;] )have an? (?:great|good|nice|lovely|wonderful|safe|awesome)\b|\b(?:see (?:you|ya)|"
        "talk (?:to you )?(?:soon|later)|take care|catch (?:you|up) (?:later|soon)|good ?bye|bye|ttyl|enjoy (?:your|"
        "the rest)|keep in touch|stay (?:safe|in touch|strong|positive)|sleep well|good luck|best of luck|"
        "keep (?:it up|going|up|me posted|shining|pushing|on)|fingers crossed|rooting for|best (?:wishes|regards)|"
        "kind regards|warm(?:est)? regards|yours (?:truly|sincerely)|sincerely|looking forward to (?:hearing|it|"
        r"seeing|your))\b"
    ),
    praise=(
        r"\b(?:i'?m |i am |we'?re )?(?:so |really |very |super |just ){0,6}(?:happy|glad|proud|excited|thrilled|stoked|"
        r"pumped|sorry|delighted|pleased) (?:for|of) (?:you|u|ya)\b|\b(?:glad|happy|sorry|good|great|nice|awesome|"
        r"lovely|wonderful) to (?:hear|see|know|meet|chat|talk)\b|\bcongrat\w*\b|\bway to go\b|\b(?:great|good|nice|"
        "awesome|amazing|fantastic|excellent|well) (?:job|work|done|stuff|idea|point|question|choice|thinking|call|"
        r"news)\b|\byou(?:'re| are)(?: \w+){0,3} (?:awesome|amazing|the best|welcome|right|inspiring|an inspiration|"
        r"so (?:kind|sweet|lucky|brave|strong|talented)|doing (?:great|awesome|amazing))\b|\byou(?:'ve)? got this\b|"
        r"\bmy pleasure\b|\b(?:no problem|no worries|anytime|don't mention it|of course)[.!]*$|\bhope (?:you|that|this|"
        r"it|all)\b.{0,60}$|\b(?:let me know|feel free|don'?t hesitate|reach out)\b.{0,40}\b(?:if|any|questions?|"
        r"anything|help)\b|\bplease (?:don'?t hesitate|feel free|find (?:attached|enclosed)|see (?:attached|below))\b|"
        r"\bi'?(?:m| am) here (?:for|to help)\b"
    ),
    reaction=(
        "^(?:wow|whoa|omg|haha|hehe|lol|yay|aww+|ooh|oh|ah|ugh|yikes|oops|yeah|yep|yup|yes|no|nope|ok|okay|sure|right|"
        "cool|nice|great|awesome|amazing|perfect|exactly|absolutely|definitely|totally|true|indeed|agreed|same here|"
        "me too|got it|i see|makes sense|fair enough|sounds|will do|no way|for sure|uh-huh|mm-hmm|hmm|um|uh|certainly|"
        "of course|excellent|fantastic|wonderful|lovely|sweet|noted|understood|bummer|congrats|hooray|woohoo|so true|"
        "such a|what an?|how (?:cool|nice|great|awesome|amazing|exciting|wonderful|lovely|sweet|fun|inspiring|"
        r"cute))\b.{0,70}$"
    ),
    that_is=(
        "^(?:that|this|it|those|these|they)(?:'s|'re| is| are| was| were| sounds?| looks?| must (?:be|have been|feel)|"
        r" seems?| would be| will be|'ll be|'d be)(?: \w+)? (?:so |really |very |super |pretty |such |quite |"
        "absolutely |just |truly |totally |a |an )*(?:great|good|nice|awesome|amazing|cool|lovely|wonderful|fantastic|"
        "beautiful|sweet|fun|funny|interesting|true|right|fine|ok(?:ay)?|correct|inspiring|exciting|impressive|"
        "incredible|terrible|awful|tough|hard|rough|sad|perfect|special|adorable|cute|stunning|gorgeous|important|"
        "blast|relief|understandable|delicious|tasty|yummy|relaxing|peaceful|calming|neat|helpful|worth it|"
        r"all)\b.{0,60}$"
    ),
    means_a_lot=(
        r"\bmeans? (?:a lot|the world|so much|everything)\b|\byour (?:\w+ ){1,4}(?:is|are|'s|looks?|sounds?|"
        r"will be)(?: \w+)? (?:so |really |very |super |such an? )*(?:inspiring|amazing|awesome|great|lucky|beautiful|"
        r"lovely|incredible|stunning|adorable|cute|fantastic|contagious|admirable|impressive)\b|^so (?:cool|great|"
        r"happy|glad|nice|sweet|true|proud|sorry|excited|awesome|fun)\b|^(?:loving|love|excited for|wishing you|"
        r"happy for) (?:the|that|this|your|you|it)\b|^you(?:'ve| have)? (?:got|both|all|look|must|deserve|rock|"
        r"should be proud)\b.{0,50}$|^(?:we|you)(?:'ve)? got this\b|\b(?:looks?|sounds?|seems?) (?:so |really |super |"
        "like (?:you had )?(?:so much |a |an )?)*(?:great|awesome|amazing|fun|cool|nice|good|delicious|fantastic|"
        "lovely|wonderful|beautiful|blast|incredible|interesting|tasty|yummy|perfect|relaxing|peaceful|"
        r"exciting)(?: time)?(?:,? (?-i:[A-Z])\w+)?[!.]*$"
    ),
    love_that=(
        "^i (?:really |just |totally |absolutely |so )*(?:love|like|know|agree|hear|feel|understand|see|get|bet|"
        "can (?:see|imagine|tell|relate)|couldn't agree|hope so|guess(?: so)?|think so|can't wait)(?: (?:it|that|this|"
        r"you|your|them|these|those|how|what|more|completely|totally|the feeling|so))?\b.{0,25}$"
    ),
)
# A reaction that says this much besides is a statement of its own.
REACTIONS = frozenset({"that_is", "reaction", "love_that"})
TELLING_REACTION = 0.6
TELLING = 0.78
"""From this specificity (0 to 1) any other sentence in passing is a statement."""
