"""What kind of statement a sentence is, and how likely it is to be needed again.

Each table is a list of named patterns, read top to bottom; the first that holds decides. Text only
ever gets classified here: an order in it makes it a statement of its speaker's, nothing more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_assets.llm.local.language import Parsed, specificity
from memory_assets.llm.local.lexicon import DIRECTIVE_VERBS, NOT_DIRECTIVE_VERBS, PERSON_NOUNS, RELATIVES
from memory_assets.llm.local.polite import is_vow, standing_request
from memory_assets.llm.local.sentences import Form, Piece

Table = tuple[tuple[str, re.Pattern[str]], ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on one sentence; ``rule`` names the pattern that decided it."""

    content_type: str
    rule: str
    is_instruction: bool
    durability: float
    confidence: float


def _table(**patterns: str) -> Table:
    return tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in patterns.items())


def _first(table: Table, text: str) -> str | None:
    return next((name for name, pattern in table if pattern.search(text)), None)


_I = r"\b(?:i|we)"
_ADVERBS = r"(?: (?:really|also|just|still|always|usually|honestly|personally|actually|absolutely|generally|strongly|definitely|particularly|especially|truly|genuinely|much|kinda|do|so|simply|totally|mostly|even|both|normally|typically))*"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days"
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_WHEN = rf"(?:{_DAY}|tomorrow|tonight|today|eod|cob|noon|(?:the )?end of|next (?:week|month|year|quarter|sprint|{_DAY})|this (?:week|weekend|month|afternoon|evening|{_DAY})|{_MONTH}\.? \d|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|\d{{1,2}}(?::\d\d)? ?[ap]\.?m|\d{{1,2}}/\d{{1,2}}|\d{{4}}-\d\d-\d\d|q[1-4]\b|\d{{1,2}}(?:st|nd|rd|th))"

# Standing rules: a directive form is needed, not just the word "always".
INSTRUCTIONS = _table(
    please_standing=r"\bplease,? (?:always|never|do ?n[o']?t ever|do not ever)\b(?! mind)",
    no_ever=r"\b(?:do not|don'?t) (?:you )?ever\b(?! (?:give up|change|think|forget)\b)",
    from_now_on=r"\b(?:from now on|from here on(?: out)?|from this point (?:on|forward)|from today on)\b",
    going_forward=r"\bgoing forward\b.*\b(?:please|you|i(?:'d| would)? (?:like|want|prefer)|let's|always|never|we (?:should|will|use))\b|^(?:please|always|never)\b.*\bgoing forward\b",
    remember_that=r"^(?:please |and |also )*(?:remember|note|keep in mind|bear in mind|don'?t forget)(?:,? please)?(?:,|:| that)? (?:i\b|i'm|i've|my\b|we\b|our\b|never\b|always\b)(?! (?:told|said|mentioned|asked|used to|was|were|had|did|saw|went|talked|discussed)\b)",
    prefer=rf"{_I}{_ADVERBS} prefer(?! not to (?:say|talk))(?!red)\b",
    would_prefer=rf"{_I}(?:'d| would){_ADVERBS} (?:prefer|rather)(?= (?:that )?you\b)",
    my_preference=r"\bmy (?:strong |general |personal |clear )?preference (?:is|for|remains|would be)\b",
    want_you_to_always=rf"{_I}(?:'d| would)?{_ADVERBS} (?:like|love|want|need|expect|ask|prefer)(?: for)? you(?: to)? (?:please )?(?:always|never|only|not|stop|keep)\b",
    make_sure_always=r"\b(?:make sure|be sure|ensure)(?: that)?(?: you| to)?(?: you)? (?:always|never)\b",
    you_must_always=r"\byou (?:should|must|need to|have to|are to) (?:please )?(?:always|never|only)\b.*\b(?:me|my|i)\b",
    for_anything=r"^(?:also |and )?(?:please )?(?:always )?(?:use|keep|give|write|answer|respond|reply|format|show|include|add|list|explain)\b.*\b(?:for (?:anything|everything|any|every|all|whatever)\b.*\b(?:i|you)\b|(?:of |in )?what(?:ever)? you (?:draft|write|send|suggest))|^(?:also |and |please )*remember (?:this )?for (?:every|all|any)\b|\bevery time, (?:because|please|so)\b",
    call_me=r"^(?:please |just |and |but |you can |everyone |everybody |people |friends |hi,? )*(?:call(?:s)?|address) me (?-i:[A-Z][a-z]+|by)\b(?! (?:when|if|at|on|tomorrow|later)\b)(?<!Back)",
    pronouns=r"\bmy pronouns are\b|\b(?:address|refer to) me (?:as|by)\b",
    unless_i_ask=r"\b(?:do not|don'?t|never|no|stop|avoid) .*\b(?:unless (?:i|we)\b|without (?:asking|checking|telling|my|our|talking))",
    by_default=r"^(?:please )?(?:use|keep|give|write|answer|respond|reply|format|show|send|include|add|list|explain|start|end|cc|put|make|assume|provide)\b.*\b(?:by default|every time|each time|at all times|whenever|any ?time|when(?:ever)? i (?:ask|say|send|share|request|mention|write|tell)|if i (?:ask|say|send|share|request|mention))\b",
    whenever_please=r"^(?:and |so |also )?(?:whenever|every time|any ?time|each time|(?:when|if) (?:i|we)\b|when you (?:ask|write|reply|answer|respond|suggest|recommend|send|book|schedule|draft|give|show|list|explain)) .*[,;] ?(?:please|always|never|make sure|i(?:'d| would)? (?:like|want|need|expect) you|you (?:should|must|need to)|don'?t|do not)\b",
    my_answers=rf"\bi(?:'d| would)?{_ADVERBS} (?:like|want|need|prefer) (?:(?:all |every |any )?(?:of )?your (?:answers?|replies|reply|responses?|emails?|summaries|reports?|messages?|explanations?|code)|(?:all |every |any )(?:my |the )?(?:answers?|replies|responses?|emails?|summaries|reports?|messages?|explanations?|code)|(?:my|the) (?:answers|replies|explanations|summaries|emails|messages))\b.*\b(?:to be|to have|to include|in|as|short|brief)\b",
)
_PLEASE_DO_NOT = re.compile(
    r"\bplease,? (?:do not|don'?t|stop) (?!(?:hesitate|worry|mind|forget|get me|feel|wait|let me know|apologi[sz]e|be |think|take (?:this|it)|reply to this|respond to this|distribute|print|forward this|panic)\b)",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:me|my|i|i'm|ever|again|any ?more|unless|without|before \d|after \d|weekends?|evenings?|mornings?)\b",
    re.IGNORECASE,
)
_DIRECTIVE_OPENING = re.compile(
    r"^(?:(?:and|also|so|but|please|pls|then|again|ok|okay|rule|note|reminder|important)[,:]? )*(?:always|never)(?:,? ever,?)? (?P<verb>[\w'-]+)",
    re.IGNORECASE,
)
_CONDITION_OPENING = re.compile(
    r"^(?:and |so |also |but )?(?:when(?:ever)?|every time|any ?time|each time|if|for|before|after|in) [^,;]{3,160}[,;] (?:always |never |then |please )*(?P<verb>[\w'-]+)",
    re.IGNORECASE,
)
_STANDING_CONDITION = re.compile(
    r"^(?:and |so |also |but )?(?:whenever|every time|any ?time|each time|(?:when|if) (?:i|you) (?:ask|say|send|share|request|mention|write|tell|give|reply|answer|book|schedule|draft|suggest|recommend))\b|[,;] (?:always|never) ",
    re.IGNORECASE,
)
_FIRST_OR_SECOND = re.compile(
    r"\b(?:i|i'm|we|you|your|me|us|please|let's|always|never|my|our)\b", re.IGNORECASE
)
_THIRD = re.compile(r"\b(?:he|she|they|his|her|their|it)\b", re.IGNORECASE)
_MOTTO = re.compile(
    r"\bnever (?:mind|say never|give up|stop (?:believing|dreaming|learning)|know)\b|\balways (?:remember (?!that i\b|i\b|my\b)|believe|look on the bright|a pleasure|be yourself|follow your (?:heart|dream)|welcome|here for you|there for you)",
    re.IGNORECASE,
)

PREFERENCES = _table(
    likes=rf"\b(?<!would )(?<!'d )i{_ADVERBS} (?:like|love|hate|enjoy|dislike|adore|detest|despise|loathe|prefer|crave|value)\b(?! (?:it|this|that|these|those|them|how|hearing|seeing you|your|you|to (?:hear|see you|know|say|think)|what you|the (?:idea|way|sound|photo|pic|picture|colors?|look|vibe)s?)\b)(?! the \w+[.!])(?![.!?,]|$)",
    have_loved=r"\bi(?:'ve| have) (?:always |never |long )(?:\w+ly )?(?:loved|liked|hated|enjoyed|preferred|wanted|been (?:a|an|into|fond|drawn|fascinated|interested|obsessed|passionate))",
    favourite=r"\bmy (?:all-time |absolute |personal |very |current |new |second )*(?:favou?rites?|fave|go-to|dream job|pet peeve|comfort food)\b",
    leaning=rf"{_I}(?:'m| am|'re| are){_ADVERBS} (?:not )?(?:a )?(?:big |huge |real )?(?:leaning towards?|more comfortable|used to (?!be)|fan of|into (?!the)|(?:not )?fond of|keen on|partial to|obsessed with|passionate about|fascinated by|hooked on|addicted to|crazy about|interested in)\b",
    lightweight=rf"{_I}(?:'m| am|'re| are) trying to (?:keep|avoid|stick|minimi[sz]e|limit)\b",
    dietary=r"\bi(?:'m| am| have| suffer from|'ve been)(?: \w+){0,3} (?:allerg(?:y|ies|ic)|intolerant|vegan|vegetarian|pescatarian|lactose|gluten|c(?:o)?eliac|diabet(?:ic|es)|asthma(?:tic)?|afraid of|scared of|terrified of|dyslexi[ac]|colou?r-?blind|left-handed|migraines?)\b",
    allergic_to=r"\b(?:allergic to|allergy to)\b",
    cannot_stand=rf"{_I} (?:can'?t|cannot|can not) (?:stand|tolerate|eat|drink|live without)\b",
    does_not=rf"{_I} (?:don'?t|do not){_ADVERBS} (?:like|eat|drink|use|enjoy|care for|drive|smoke|wear|want (?:any|you|to (?:use|see|get|be called)))\b",
    wants_only=rf"{_I} only (?:want(?! to)|accept|use|take|drink|eat|fly|buy|need|read|work)\b",
    would_rather=rf"{_I}(?:'d| would){_ADVERBS} (?:rather|prefer)\b",
    favours=rf"{_I}{_ADVERBS} (?:favou?r (?!it\b|that\b|this\b)|lean (?:more )?towards?)\b|\bi(?:'ve| have)?(?: \w+ly)? preferred\b.*\b(?:over|to|rather than|instead of)\b",
    choice=r"\bi(?:'ve| have)? (?:(?:just|also|finally) )?(?:decided|cho(?:se|sen)|opted|picked(?! up\b)|settled (?:on|for)|(?:went|gone) (?:with|for))\b(?=.*\b(?:(?<!\bit )(?<!\bthat )over(?! (?:the (?:weekend|week|phone|years?|holidays?|bridge|summer|winter)|there|here|lunch|dinner|breakfast|coffee|time|it|with|to|a|an|\d\w*)\b)|instead of|rather than)\b)|\bi(?:'ve| have)? (?:just |also )?decided against\b",
    suits=r"\b(?:works? best for|suits?) me\b",
    identity_name=r"\bmy (?:full |first |last |middle |maiden |nick)?(?:name|birthday|pronouns|hometown|email(?: address)?|phone(?: number)?|address|blood type|native language|mother tongue|zodiac sign|time ?zone)(?:'s| is| was| are)\b",
    identity_family=rf"\bmy (?:\w+ )?(?:{RELATIVES})(?:'s name| named|,? [A-Z]\w+,)?(?:'s (?=an? |the |in |at |called|named|from|allergic|vegan|vegetarian|\d|(?-i:[A-Z]))| is| are| was born| lives?| works?| turned| turns| has| have)\b(?! (?:been (?:so|really|great)|so |really |very |such|doing|going|getting|being|having|coming|asking|waiting|loving))",
    identity_live=r"\bi(?:'ve)?(?: (?:currently|now|also|still|have|actually|mostly|mainly))* (?:live|lived|work|reside|grew up|was born|was raised|study|teach|commute|volunteer|major(?:ed)?)(?: \w+ly| remotely| part-time| full-time)? (?:in|at|as|for|near|on|from|to|out of)\b(?! (?:it|this|that|home|least|the moment|you|improving|it's)\b)",
    identity_from=r"\bi(?:'m| am)(?: \w+ly)? (?:from (?!the )|based in|married|divorced|widowed|engaged to|retired|originally|\d{1,2} years? old|\d{2}(?=[.,]|$)|in my (?:early |mid |late )?\d0s|fluent|bilingual|self-employed|single\b)",
    identity_have=r"\bi(?:'ve| have)(?: got)? (?:a|an|two|three|four|five|\d) (?:\w+[- ]){0,2}(?:kids?|child(?:ren)?|sons?|daughters?|dogs?|cats?|siblings?|brothers?|sisters?|wife|husband|pets?|puppy|grandchildren|snakes?|turtles?)\b",
    identity_speak=r"\bi(?:'m)? (?:\w+ly )?(?:speak|speaking) (?-i:[A-Z])\w+|\bi identify as\b",
    habit_every=rf"{_I} (?:\w+ ){{1,5}}(?:every|each) (?:single |other )?(?:morning|day|night|evening|week|weekend|month|year|{_DAY})\b|{_I} (?:\w+ ){{1,5}}(?:once|twice|\w+ times) an? (?:day|week|month|year)\b|\bon {_DAYS},? i\b",
)
_HABIT = re.compile(
    r"\bi (?:always|never|usually|typically|generally|normally|rarely|seldom|tend to|refuse to|avoid|stick (?:to|with)|try to (?:always|avoid|keep)|make a point of) (?P<verb>[\w'-]+)",
    re.IGNORECASE,
)
_I_AM_A = re.compile(
    r"\bi(?:'m| am)(?: \w+ly| also| just| still)* (?:an?|the) (?P<noun>(?:[\w'-]+ ){0,3}[\w'-]+)",
    re.IGNORECASE,
)
_PERSON_SUFFIX = re.compile(
    r"(?:[^\W\d]{3,}(?:ist|ian|eer|ologist|ographer|wright)|(?:teach|engin|design|develop|manag|writ|paint|danc|work|own|lead|own|found|research|programm|lectur|farm|bak|produc|report|volunt|train|trad|bank|mak|creat|edit|direct|doct|act|auth|consult|account|assist|lawy|sing|perform|own|play|run|lov|drink)(?:er|or|eer|ant))$",
    re.IGNORECASE,
)
_NOT_A_PERSON = re.compile(
    r"^(?:bit|little|lot|few|huge fan of (?:it|this|that)|mess|wreck|winner|goner|disaster)\b", re.IGNORECASE
)

# A sentence that leans on one before it.
LEANING = re.compile(r"^(?:that|this|these|those|it|they|he|she|them|him|such)\b", re.IGNORECASE)
_TELLING_LEANING = 0.6

NOT_TASKS = re.compile(
    r"\bi want to remember\b|\b(?:that|which|what|thing) i(?: want| would like|'d like|'ll| will) (?!have to|need to)|\b(?:we|i)(?:'d| would) (?:like|love) to (?:have you|thank|decide)\b|"
    r"\b(?:i|we)(?:'ll| will| shall) (?:not|never|end up|need no|miss)\b|\b(?:i|we) won't\b|\b(?:i|we)(?:'ll| will) (?:also |still |always )?be (?:an?|the|there|in|at|back|fine|ok|happy|(?!\w+ing\b)\w+ (?:to|of|with|and|in|for|by)|\w+$|[a-z]+[.!]$)\b|\b(?:i|we)(?:'ll| will) (?:also |still |always )?(?:feel|enjoy|stay|remain|find joy)\b|"
    r"\b(?:i|we) only have to be\b|\bwho(?:ever)? (?:needs|has|will)\b|^(?:my|the|our) (?:lesson|result|rule|truth)\b|^(?:result|rule|answer|hysteresis rule|observation|decided|decision|agreed|condition)\b[^:]{0,60}:|^the truth:|\bhas one condition\b|"
    r"\b(?:had to|have to laugh|have to tell you|has to learn|have to say)\b|\b(?:said|says) (?:nearly )?(?:the same|that)\b|\bi(?:'ve| have)? changed my mind\b|"
    r"\b(?:i (?:have|need|got|want) to (?:say|admit|confess|thank|be honest)|i must (?:say|admit|confess)|we'?ll see|i'?ll (?:be honest|admit|say|bet|never forget|always)|"
    r"i will (?:say|admit|never forget)|(?:should|must|could|would)(?:n't)? have|i'?d (?:like|love) to (?:hear|see (?:it|that|them|you|your|some)|know|think|say|thank)|let's (?:say|face|just say|see)|let me (?:know|see|think)|"
    r"i(?:'m| am) going to (?:be honest|miss)|will (?:always|never) (?:be|remember|forget)|you should (?:be proud|definitely|totally|try)|have to (?:wonder|laugh)|i would like to think)\b",
    re.IGNORECASE,
)
TASKS = _table(
    marker=r"^(?:todo|to-do|action items?|ai|fixme|next steps?|task|follow[- ]?up|reminder)\s*[:\-–(]|\b(?:action items?|to-?dos?) (?:is|are|for|:)",
    deadline=r"\b(?:deadline|due date)\b|\bdue (?:on|by|in|at|this|next|tomorrow|today)\b|\b(?:is|are) due\b|\brsvp\b",
    commitment=rf"{_I}(?:'ll| will|'ve got to| gotta|'m going to|'re going to| am going to| are going to|'m gonna|'re gonna| shall| must| have to| need to| needs to| ought to| should| plan(?:ned)? to|'m planning| am planning|'re planning| are planning|'m hoping to| am hoping to| hope to|'re hoping to| intend to| aim to| want to| promise(?:d)? to| agreed to| still need|'m about to|'m supposed to|'d like to|'d love to| would like to|'re aiming| can't wait to| have (?:a|an) (?:\w+ ){{0,3}}(?:appointment|interview|exam|meeting|flight))\b",
    adverb_commitment=rf"{_I}(?:'ll| will| need| have| want| should| must| plan)? (?:also|still|definitely|probably|just|really|now|then|only) (?:need|have|want|plan|should|must|be|send|make|write|call|check)(?: to)?\b",
    lets=r"^(?:ok,? |so |then |and )?let'?s (?!say|see|face|be honest|not\b|keep|make (?:it|this|great|the most|some)|hope|enjoy|stay|support|never|always)",
    please=r"(?:^|[,;:.] |\band |\bso |\bthen )(?:please|pls|kindly) (?!let (?:me|us) know if|feel|find|see|note|be advised|accept)\w+",
    let_me_know_by=r"\blet (?:me|us) know (?:by|before|when|which|whether|what time)\b",
    remember_to=r"\b(?:remember to|don'?t forget to|do not forget to|make sure (?:to|you|we|that|the)|be sure to|try to make sure)\b",
    request=r"\b(?:can|could|would|will) (?:you|u|someone|anyone|somebody) (?:please |also |just |maybe |possibly |kindly |quickly |then )*(?!imagine|believe|say|mind|like|be\b|have\b|ever)\w+|\bwould you mind \w+ing\b|\bi(?:'d| would)? (?:need|want|like) (?:you|your help|someone|some help|help)\b|\b(?:help me|i'm wondering if you|any chance you)\b",
    passive=r"\b(?:needs?|has|have|must|should|ought|is|are|remains?)(?: still)? (?:to )?be \w+(?:ed|en|nt|ne|de|lt|ut|ld|pt|ught|wn)\b",
    obligation=r"\b(?!(?:the|an?|it|this|that|there|these|those|we|i|you) will\b)(?:(?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)?|someone|somebody|everyone|the team|(?:our|my) \w+|he|she|they)(?: will| needs? to| must| has to| have to| is going to| are going to| agreed to| promised to| is responsible for| is supposed to| to (?-i:send|prepare|write|draft|check|call|review|update|book|follow)) (?!be (?:great|fun|awesome|amazing|nice|fine|ok|able|a |so )|love|enjoy|have (?:a|fun)|get better|always|never|see)\w+",
    by_then=rf"\b(?:will|to|must|should|needs?|please|going to|scheduled|planned|expected)\b.*\b(?:by|before|no later than) {_WHEN}|\b(?:will|must|should|needs? to|please|have to|has to)\b.*\buntil {_WHEN}",
    scheduled=rf"\b(?:is|are|'s) (?:scheduled|planned|set|booked|arranged|happening|taking place|going live) (?:for|on|to|in)\b|\b(?:meeting|call|appointment|launch|demo|interview|flight|exam|release|review|party|wedding) (?:is|will be|starts|begins) (?:on|at|in|next|this)?\s?{_WHEN}",
    upcoming=rf"{_I}(?:'m| am|'re| are) (?:\w+ )?(?:\w+ing)\b.*\b(?:tomorrow|tonight|next (?:week|month|year|weekend|{_DAY})|this (?:weekend|coming|{_DAY})|in (?:two|three|four|a few|\d+) (?:days|weeks|months))\b",
)
_REQUEST = dict(TASKS)["request"]
TASK_SECTION = re.compile(
    r"\b(?:action items?|to-?dos?|next steps?|tasks?|follow[- ]?ups?|open (?:items|points)|assignments?|checklist|homework)\b",
    re.IGNORECASE,
)
DECISION_SECTION = re.compile(
    r"\b(?:decisions?|decided|agreed|agreements?|resolutions?|outcomes?)\b", re.IGNORECASE
)
DECISION = re.compile(
    r"\b(?:we|i|they|he|she|you|team|board|committee|council|group)(?:'ve| have| has|'s| had)?(?: all| both| just| also| finally| unanimously)? (?:decided|agreed|chose|chosen|settled|concluded|picked|opted|voted|approved|committed|resolved|switched|signed)\b"
    r"|\bdecisions? (?:is|was|made|to|has)\b|^decisions?\s*[:\-–]|\b(?:decided|agreed|approved) (?:to|that|on|by|in)\b|\bgo(?:ing)? (?:ahead )?with\b.{1,60}\binstead\b|\b(?:we're|we are|i'm|i am) going with\b|\bwent with\b|\bturns? out\b|\bswitch(?:ed|ing)? (?:from|over)\b|\bno longer\b|\binstead of\b.*\b(?:will|now)\b|\bconclusion\b"
    r"|\bdecided(?: today| yesterday)?[:,]|\bit(?:'s| is) (?:decided|agreed|settled)\b|\b(?:moves?|moved|is moved|was moved|postponed) (?:from\b.{1,40}\b)?(?:to|until) (?:the )?\d|\b(?:moves?|moved|migrate[sd]?) from (?-i:[A-Z])\w+ to (?-i:[A-Z])"
    r"|\b(?:launch|release|pricing|price|database|cutover|contract|budget) (?:of (?:\w+ ?){1,4})?(?:is|are|stays|moves) (?!scheduled|planned|set |booked|due|in danger).*(?:\d|(?-i:[A-Z]))|^(?:agreed|accepted|approved|rejected) (?:with|by|to)\b",
    re.IGNORECASE,
)
CHITCHAT = _table(
    greeting=r"^(?:hey|hi|hello|hiya|yo|howdy|dear|good (?:morning|afternoon|evening|night|day)|welcome(?: back)?|greetings)\b.{0,45}$",
    how_are=r"\bhow(?:'s|'ve| are| have| is| was| were|'re)? (?:you|it|things|everything|life|about you|your (?:day|week|weekend))\b.{0,45}\?*$|\bwhat(?:'s| is| has)? (?:up|new|been (?:up|going on|happening)|going on)\b.{0,45}\?*|^(?:long time no|it's been (?:a while|ages|so long))|\banything (?:new|exciting|fun)\b|\bwhat about you\b|^(?:and )?(?:how about )?(?:you|yours?(?:elf)?)\?",
    thanks=r"^(?:many |much |ok |okay |oh |aww? )*(?:thanks|thank you|thx|cheers|appreciate|i (?:really )?appreciate|much appreciated|thanks again|grateful)\b",
    bye=r"(?:^|[,;] )have an? (?:great|good|nice|lovely|wonderful|safe|awesome)\b|\b(?:see (?:you|ya)|talk (?:to you )?(?:soon|later)|take care|catch (?:you|up) (?:later|soon)|good ?bye|bye|ttyl|enjoy (?:your|the rest)|keep in touch|stay (?:safe|in touch|strong|positive)|sleep well|good luck|best of luck|keep (?:it up|going|up|me posted|shining|pushing|on)|fingers crossed|rooting for|best (?:wishes|regards)|kind regards|warm(?:est)? regards|yours (?:truly|sincerely)|sincerely|looking forward to (?:hearing|it|seeing|your))\b",
    praise=r"\b(?:i'?m |i am |we'?re )?(?:so |really |very |super |just )*(?:happy|glad|proud|excited|thrilled|stoked|pumped|sorry|delighted|pleased) (?:for|of) (?:you|u|ya)\b|\b(?:glad|happy|sorry|good|great|nice|awesome|lovely|wonderful) to (?:hear|see|know|meet|chat|talk)\b|\bcongrat\w*\b|\bway to go\b|\b(?:great|good|nice|awesome|amazing|fantastic|excellent|well) (?:job|work|done|stuff|idea|point|question|choice|thinking|call|news)\b|\byou(?:'re| are)(?: \w+){0,3} (?:awesome|amazing|the best|welcome|right|inspiring|an inspiration|so (?:kind|sweet|lucky|brave|strong|talented)|doing (?:great|awesome|amazing))\b|\byou(?:'ve)? got this\b|\bmy pleasure\b|\b(?:no problem|no worries|anytime|don't mention it|of course)[.!]*$|\bhope (?:you|that|this|it|all)\b.{0,60}$|\b(?:let me know|feel free|don'?t hesitate|reach out)\b.{0,40}\b(?:if|any|questions?|anything|help)\b|\bplease (?:don'?t hesitate|feel free|find (?:attached|enclosed)|see (?:attached|below))\b|\bi'?(?:m| am) here (?:for|to help)\b",
    reaction=r"^(?:wow|whoa|omg|haha|hehe|lol|yay|aww+|ooh|oh|ah|ugh|yikes|oops|yeah|yep|yup|yes|no|nope|ok|okay|sure|right|cool|nice|great|awesome|amazing|perfect|exactly|absolutely|definitely|totally|true|indeed|agreed|same here|me too|got it|i see|makes sense|fair enough|sounds|will do|no way|for sure|uh-huh|mm-hmm|hmm|um|uh|certainly|of course|excellent|fantastic|wonderful|lovely|sweet|noted|understood|bummer|congrats|hooray|woohoo|so true|such a|what an?|how (?:cool|nice|great|awesome|amazing|exciting|wonderful|lovely|sweet|fun|inspiring|cute))\b.{0,70}$",
    that_is=r"^(?:that|this|it|those|these|they)(?:'s|'re| is| are| was| were| sounds?| looks?| must (?:be|have been|feel)| seems?| would be| will be|'ll be|'d be)(?: \w+)? (?:so |really |very |super |pretty |such |quite |absolutely |just |truly |totally |a |an )*(?:great|good|nice|awesome|amazing|cool|lovely|wonderful|fantastic|beautiful|sweet|fun|funny|interesting|true|right|fine|ok(?:ay)?|correct|inspiring|exciting|impressive|incredible|terrible|awful|tough|hard|rough|sad|perfect|special|adorable|cute|stunning|gorgeous|important|blast|relief|understandable|delicious|tasty|yummy|relaxing|peaceful|calming|neat|helpful|worth it|all)\b.{0,60}$",
    means_a_lot=r"\bmeans? (?:a lot|the world|so much|everything)\b|\byour (?:\w+ ){1,4}(?:is|are|'s|looks?|sounds?|will be)(?: \w+)? (?:so |really |very |super |such an? )*(?:inspiring|amazing|awesome|great|lucky|beautiful|lovely|incredible|stunning|adorable|cute|fantastic|contagious|admirable|impressive)\b|^so (?:cool|great|happy|glad|nice|sweet|true|proud|sorry|excited|awesome|fun)\b|^(?:loving|love|excited for|wishing you|happy for) (?:the|that|this|your|you|it)\b|^you(?:'ve| have)? (?:got|both|all|look|must|deserve|rock|should be proud)\b.{0,50}$|^(?:we|you)(?:'ve)? got this\b|\b(?:looks?|sounds?|seems?) (?:so |really |super |like (?:you had )?(?:so much |a |an )?)*(?:great|awesome|amazing|fun|cool|nice|good|delicious|fantastic|lovely|wonderful|beautiful|blast|incredible|interesting|tasty|yummy|perfect|relaxing|peaceful|exciting)(?: time)?(?:,? (?-i:[A-Z])\w+)?[!.]*$",
    love_that=r"^i (?:really |just |totally |absolutely |so )*(?:love|like|know|agree|hear|feel|understand|see|get|bet|can (?:see|imagine|tell|relate)|couldn't agree|hope so|guess(?: so)?|think so|can't wait)(?: (?:it|that|this|you|your|them|these|those|how|what|more|completely|totally|the feeling|so))?\b.{0,25}$",
)
# A reaction that says this much besides is a statement of its own.
_REACTIONS = frozenset({"that_is", "reaction", "love_that"})
_TELLING_REACTION = 0.6
_TELLING = 0.78
_QUESTION_WORD = re.compile(
    r"^(?:and |so |but |then )?(?:what|who|whom|whose|when|where|why|how|which|is|are|am|was|were|do|does|did|have|has|had|can|could|would|will|should|shall|any|isn't|aren't|don't|didn't)\b",
    re.IGNORECASE,
)
# What is asked of an assistant though no question mark says so: it is answered at once.
_ASKS_ASSISTANT = re.compile(
    r"^(?:and |so |but |then |also )*(?:i(?:'m| am) (?:(?:also |just |still )*(?:not (?:\w+ )?(?:sure|certain)|unsure|wondering|curious))\b|i wonder\b"
    r"|(?:how|what|which|where|when|why) (?:can|could|do|does|should|would) (?:i|we|you|the|my|it)\b|how to\b)",
    re.IGNORECASE,
)
_PASSING_WISH = re.compile(
    r"^(?:and |so |but |then |also )*i(?:'d| would)? (?:also |just |really |still )*(?:(?:want|need|like|love) to (?:make sure|be sure|ensure|know|see|understand|confirm|check|double-check|hear|learn|get)|appreciate|need (?:some |your )?help|need (?:an?|the|some) (?:example|explanation))\b",
    re.IGNORECASE,
)
HEDGES = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|might|i (?:think|guess|suppose|believe|assume)|not sure|i'm not certain|kind of|sort of|seems?|apparently|could be|hopefully|unsure|roughly|i wonder)\b",
    re.IGNORECASE,
)
HEARSAY = re.compile(
    r"\b(?:apparently|i(?:'ve)? heard|rumou?r|supposedly|allegedly|they say|reportedly|(?:he|she|they) (?:said|says|told|claims?))\b",
    re.IGNORECASE,
)
_ABOUT_SELF = re.compile(r"\b(?:i|i'm|i've|i'll|my|we|our|me)\b", re.IGNORECASE)
_TO_THE_OTHER = re.compile(r"you(?:'|’|r|\b)", re.IGNORECASE)
_FIGURE = re.compile(rf"\d|\b{_DAY}\b|\b{_MONTH} \d", re.IGNORECASE)

_DAY_NAMED = re.compile(rf"\b{_WHEN}", re.IGNORECASE)
BASE_DURABILITY = {"preference": 0.8, "task": 0.66, "insight": 0.66, "chitchat": 0.08}
DECISION_DURABILITY = 0.8
INSTRUCTION_DURABILITY = 0.95
QUESTION_FACTOR = 0.3
ASSISTANT_FACTOR = 0.4
HEADING_FACTOR = 0.5
TO_ASSISTANT_FACTOR = 0.35  # "Can you help me with ...": answered at once, seldom needed again
LEANING_FACTOR = 0.7  # "That is why it broke": true, but of what?
TO_THE_OTHER_FACTOR = 0.6  # "You have a caring heart" tells less than what people say of themselves


def judge(piece: Piece, parsed: Parsed, *, by_assistant: bool = False, to_assistant: bool = False) -> Verdict:
    """Classify one sentence. An assistant's own sentences are never anybody's preference or order."""
    text = _straight(piece.text)
    instruction = None if by_assistant else _instruction(text, parsed)
    asked = _is_question(text) or to_assistant and _ASKS_ASSISTANT.match(text) is not None
    question = asked and instruction is None
    if by_assistant:
        content_type, rule = _of_assistant(text)
    elif instruction:
        content_type, rule = "preference", instruction
    else:
        content_type, rule = _of_person(text, piece, parsed, question=question)
    decided = (
        content_type == "insight"
        and not question
        and (DECISION.search(text) is not None or DECISION_SECTION.search(piece.section) is not None)
    )
    if content_type == "task" and rule == "request":
        question = False  # a request asks for something to be done, not to be told
    value = _durability(content_type, parsed, piece, instruction, decided, question, by_assistant)
    if to_assistant and (rule in {"request", "imperative", "please"} or content_type == "task" and _PASSING_WISH.match(text)):
        value *= TO_ASSISTANT_FACTOR
    return Verdict(
        content_type,
        "decision" if decided else rule,
        instruction is not None,
        round(value, 3),
        round(_confidence(text, question, by_assistant), 1),
    )


def has_day(text: str) -> bool:
    """Whether a sentence names a day or a deadline."""
    return _DAY_NAMED.search(text) is not None


def _straight(text: str) -> str:
    return text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')


def _is_question(text: str) -> bool:
    return text.rstrip(" \"')*").endswith("?") or ("?" in text and _QUESTION_WORD.match(text) is not None)


def _instruction(text: str, parsed: Parsed) -> str | None:
    """The name of the standing-rule pattern that holds, if any."""
    if _MOTTO.search(text):
        return None
    if (polite := standing_request(text)) is not None:
        return polite
    if _is_question(text) and not re.search(
        r"\bi(?:'d)? (?:\w+ )?prefer|from now on|\b(?:always|never) \w+ .*\bplease", text, re.IGNORECASE
    ):
        return None
    if (rule := _first(INSTRUCTIONS, text)) is not None and (
        rule not in {"from_now_on", "prefer"} or _is_said_of_oneself(text, parsed)
    ):
        return rule
    if _PLEASE_DO_NOT.search(text) and _PERSONAL.search(text):
        return "please_do_not"
    opening = _DIRECTIVE_OPENING.match(text)
    if opening and _is_directive(opening["verb"], parsed, opening.start("verb")):
        return "always_or_never"
    condition = _CONDITION_OPENING.match(text)
    if (
        condition
        and _STANDING_CONDITION.search(text)
        and _is_directive(condition["verb"], parsed, condition.start("verb"))
    ):
        return "whenever"
    return None


def _is_said_of_oneself(text: str, parsed: Parsed) -> bool:
    """Whether "from now on" is said to somebody or of oneself; "he manages alone from now on" is news."""
    if _FIRST_OR_SECOND.search(text):
        return True
    if _THIRD.search(text):
        return False
    first, after = parsed.tokens[0], text.lower().find("from now on") + len("from now on")
    following = next((token for token in parsed.tokens if token.start >= after and token.text.isalpha()), None)
    return first.lower in DIRECTIVE_VERBS or (following is not None and following.tag == "VB")


def _is_directive(verb: str, parsed: Parsed, start: int) -> bool:
    """Whether the word at ``start`` is a bare verb that orders something."""
    if verb.lower() in NOT_DIRECTIVE_VERBS:
        return False
    token = next((token for token in parsed.tokens if token.start <= start < token.end), None)
    if verb.lower() in DIRECTIVE_VERBS:
        return True
    return token is not None and token.tag in {"VB", "VBP"} and token.lemma.lower() == verb.lower()


def _of_assistant(text: str) -> tuple[str, str]:
    if (rule := _first(CHITCHAT, text)) is not None:
        return "chitchat", rule
    return "insight", "fact"


def _of_person(text: str, piece: Piece, parsed: Parsed, *, question: bool) -> tuple[str, str]:
    if piece.form is Form.TODO:
        return "task", "checkbox"
    if piece.form is Form.DONE:
        return "insight", "done"
    told = 0.0 if question else specificity(parsed)
    chat = _first(CHITCHAT, text)
    if chat is not None and told < (_TELLING_REACTION if chat in _REACTIONS else _TELLING):
        return "chitchat", chat
    if not question and (preference := _preference(text, parsed)) is not None:
        return "preference", preference
    if is_vow(text) and not has_day(text):
        return "chitchat", "vow"
    if not NOT_TASKS.search(text):
        if question and _REQUEST.search(text):
            return "task", "request"
        if not question and (task := _first(TASKS, text)) is not None and not DECISION.search(text):
            if not (task in {"obligation", "passive"} and LEANING.match(text)):
                return "task", task
        if not question and piece.form is not Form.STEP and _is_imperative(piece, parsed):
            return "task", "imperative"
    if piece.form in {Form.BULLET, Form.STEP} and TASK_SECTION.search(piece.section):
        return "task", "section"
    if question and specificity(parsed) < 0.5:
        return "chitchat", "small_question"
    if len(text.split()) < 3 and told < 0.3:
        return "chitchat", "fragment"
    return "insight", "question" if question else "fact"


def _preference(text: str, parsed: Parsed) -> str | None:
    if LEANING.match(text) and specificity(parsed) < _TELLING_LEANING:
        return None  # "That is the bit I do not like": whatever that was, it does not say
    if (rule := _first(PREFERENCES, text)) is not None:
        return rule
    habit = _HABIT.search(text)
    if habit and _is_present(habit["verb"], parsed, habit.start("verb")):
        return "habit"
    person = _I_AM_A.search(text)
    if person and not _NOT_A_PERSON.match(person["noun"]):
        words = [word.lower() for word in person["noun"].split()]
        if any(word in PERSON_NOUNS or _PERSON_SUFFIX.search(word) for word in words):
            return "identity_is"
    return None


def _is_present(verb: str, parsed: Parsed, start: int) -> bool:
    if verb.lower() in {
        "thought",
        "knew",
        "mind",
        "know",
        "imagined",
        "expected",
        "realized",
        "realised",
        "been",
        "think",
        "forget",
        "felt",
        "feel",
        "seen",
        "give",
        "get",
        "want",
        "wanted",
        "struggle",
        "miss",
    }:
        return False
    token = next((token for token in parsed.tokens if token.start <= start < token.end), None)
    return token is not None and token.tag in {"VB", "VBP", "VBG"}


def _is_imperative(piece: Piece, parsed: Parsed) -> bool:
    """A sentence that starts with a bare verb ("Send the invoice to Anna."), and has an object."""
    if len(parsed.tokens) < 4 or piece.form is Form.HEADING:
        return False
    first = parsed.tokens[0]
    if first.lower in {
        "let",
        "hope",
        "thank",
        "see",
        "look",
        "sounds",
        "keep",
        "take",
        "enjoy",
        "guess",
        "miss",
        "love",
        "got",
        "say",
        "stay",
        "wish",
        "bet",
        "remember",
        "imagine",
        "speak",
        "talk",
        "be",
        "have",
        "do",
        "did",
        "does",
        "know",
        "wait",
    }:
        return False
    return (
        first.tag == "VB"
        and parsed.tokens[1].pos in {"DET", "NOUN", "PROPN", "PRON", "ADJ", "ADP", "NUM"}
        and parsed.tokens[1].lower not in {"i", "you", "it", "was", "like"}
    )


def _durability(
    content_type: str,
    parsed: Parsed,
    piece: Piece,
    instruction: str | None,
    decided: bool,
    question: bool,
    by_assistant: bool,
) -> float:
    told = specificity(parsed)
    if instruction:
        return INSTRUCTION_DURABILITY
    value = BASE_DURABILITY[content_type]
    if decided:
        value = DECISION_DURABILITY * (0.7 + 0.3 * told)
    elif content_type == "preference":
        value *= 0.6 + 0.4 * told
    elif content_type != "chitchat":
        value *= 0.15 + 0.85 * told
    if question:
        value *= QUESTION_FACTOR
    if by_assistant:
        value *= ASSISTANT_FACTOR
    if piece.form is Form.HEADING:
        value *= HEADING_FACTOR
    if _TO_THE_OTHER.match(piece.text):
        value *= TO_THE_OTHER_FACTOR
    if LEANING.match(piece.text):
        value *= LEANING_FACTOR
    return min(1.0, value)


def _confidence(text: str, question: bool, by_assistant: bool) -> float:
    value = 7.0
    if HEDGES.search(text):
        value -= 2.5
    if HEARSAY.search(text):
        value -= 1.5
    if _ABOUT_SELF.search(text) and not by_assistant:
        value += 1.5
    if _FIGURE.search(text):
        value += 0.5
    if question:
        value -= 3.0
    if by_assistant:
        value -= 1.0
    return max(0.0, min(10.0, value))
