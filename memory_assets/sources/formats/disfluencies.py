"""What speech has and writing hasn't: hesitations, markers of sounds, words said twice, "mm-hmm"; pure.

Removed is only what is listed here. A word that means something stays, even where it is said twice; what is in
quotation marks stays, and a hesitation that is a name ("Um Kulthum", "UM", "the ER") is none. So is "um" where it
is a word: at or about in German ("um acht") and Icelandic, one in Portuguese.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

HESITATIONS = tuple("um umm ummm umh uh uhh uhm erm ehm hm hmm mhm äh ähm öhm euh".split())
BACKCHANNELS = frozenset({"mm", "mmm", "mhmm", "mm-hmm", "mm-hm", "mm hmm", "uh-huh", "uh huh", *HESITATIONS})
# Said twice by accident only: "that that", "had had", "in in" and "it it" can be grammar, "very very" is meant.
REPEATED = (
    "i", "the", "a", "an", "and", "but", "or", "we", "she", "they", "of", "my", "our", "their", "if", "because",
    "i'm", "we're", "they're", "she's", "i've", "we've", "i'll", "we'll", "i'd", "der", "und", "ich", "wir", "le", "je",
    "et", "el", "yo",
)  # fmt: skip
# What a transcriber writes in brackets of what is heard and not said, by its last words.
SOUNDS = (
    r"cross[ -]?talk|overlapping(?: speech)?|overtalk(?:ing)?|laugh(?:s|ing|ter)?|chuckl(?:e|es|ing)|giggles"
    "|applause|clapping|inaudible|unintelligible|indiscernible|unclear|music|(?:background )?noise|silence"
    "|(?:long )?pause|cough(?:s|ing)?|sighs?|sneezes?|breath(?:ing)?|clears throat|vocalsound|nonvocalsound"
    "|disfmarker|gap|blank_audio|no audio|lachen|gelächter|rires"
)

# Small words by which languages that have the word "um" differ from English; none that both have.
_WITH_UM = frozenset(
    "der das und ist nicht ich wir ihr sie ein eine einen zu auf für dem im von auch bei noch nach uhr uns sich "
    "haben sind wenn aber oder kann ja nein dann wie geht kommt wird zum zur mir dir dat vun "
    "o que não uma para da eu por mais foi é está tem você vocês ele ela mas meu minha sim já aqui dois três tenho "
    "og að í á ekki við það hann hún sem þetta".split()
)
_ENGLISH = frozenset(
    "the and to of is it that you we i for not have are be this with on but they what my your it's i'm can if".split()
)

_MARKER = re.compile(rf"[\[({{<](?:(?:{SOUNDS})(?:[ \t]+\d[\d:.]*)?\.?)[\])}}>]|\{{comment\}}", re.IGNORECASE)
_QUOTED = re.compile(r'("[^"\n]{1,500}+"|“[^“”\n]{1,500}+”|«[^«»\n]{1,500}+»|„[^„“”\n]{1,500}+[“”])')
_WORD = r"(?<![\w'’.@/-])"
_END = r"(?![\w'’@/-]|\.\w)"
_HESITATION = re.compile(
    rf"{_WORD}(?P<word>{'|'.join(sorted(HESITATIONS, key=len, reverse=True))}){_END}(?P<after>[ \t]*(?:,|\.{{2,}}|"
    rf"…|-{{1,2}}(?=\s))?)",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    rf"(?P<before>^|[.!?,][ \t]+|[ \t],[ \t]*){_WORD}(?P<word>you know|i mean)[ \t]*,(?=[ \t])[ \t]*", re.IGNORECASE
)
_TWICE = re.compile(
    rf"{_WORD}(?P<word>{'|'.join(re.escape(w) for w in sorted(REPEATED, key=len, reverse=True))})"
    rf"(?:[ \t]*+(?:(?:,|-{{1,2}}|…|\.{{3}})[ \t]++|(?<=[ \t]))(?P<again>(?P=word)){_END})+",
    re.IGNORECASE,
)
_CUT_OFF = re.compile(r"(?<![\w'’-])([^\W\d_]{1,4})-{1,2}[ \t]+(?=\1[^\W\d_])")
_SENTENCE_END = re.compile(r"[.!?…:]['\")\]]*[ \t]*$")


def without_disfluencies(text: str, word_um: bool = False) -> str:
    """``text`` as it would have been written: markers, hesitations, asides and accidental repetitions gone.

    ``word_um``: whether "um" is a word where the text doesn't show its own language.
    """
    spared = "um" if has_word_um(text, word_um) else ""
    pieces = _QUOTED.split(re.sub(r"[ \t]{2,}", " ", text))  # what follows is quadratic in a run of blanks
    cleaned = "".join(
        piece if number % 2 else _clean(piece, number == 0, spared) for number, piece in enumerate(pieces)
    )
    return re.sub(r"[ \t]{2,}", " ", cleaned).strip()


def has_word_um(text: str, otherwise: bool = False) -> bool:
    """Whether a text is in a language that has the word "um"; ``otherwise`` where it doesn't show its language.

    One English word more decides nothing: "Kickoff um 8 for Team Nord" is said among German ones.
    """
    words = set(re.findall(r"(?<![\w'’-])[^\W\d_]+(?:['’][^\W\d_]+)?(?![\w'’-])", text.casefold()))
    margin = len(words & _WITH_UM) - len(words & _ENGLISH)
    return margin > 0 or (otherwise and margin >= -1)


def _clean(piece: str, first: bool, spared: str) -> str:
    before = piece
    piece = _MARKER.sub(" ", piece)
    piece = _without_hesitations(piece, first, spared)
    piece = _ASIDE.sub(lambda match: match["before"], piece)
    piece = _CUT_OFF.sub("", piece)
    piece = _TWICE.sub(_once, piece)
    return _tidy(piece) if piece != before else piece


def _without_hesitations(piece: str, first: bool, spared: str) -> str:
    parts: list[str] = []
    position = 0
    raised = False
    for match in _HESITATION.finditer(piece):
        written = match["word"]
        before = "".join(parts) + piece[position : match.start()]
        starts = bool(_SENTENCE_END.search(before)) or (first and not before.strip(" \t,.-…"))
        following = piece[match.end() :].lstrip()
        if written.casefold() == spared or not _is_hesitation(written, starts, bool(match["after"].strip()), following):
            continue
        parts.append(_raised(piece[position : match.start()], raised))
        raised = starts and written[0].isupper()
        position = match.end()
    parts.append(_raised(piece[position:], raised))
    return "".join(parts)


def _raised(text: str, raised: bool) -> str:
    """``text`` beginning a sentence, when the hesitation before it did."""
    bare = text.lstrip(" \t,")
    return text[: len(text) - len(bare)] + bare[:1].upper() + bare[1:] if raised and bare[:1].islower() else text


def _is_hesitation(written: str, starts: bool, paused: bool, following: str) -> bool:
    """Whether it is said and not named: small, or at the beginning of a sentence and not before another name."""
    if written.islower():
        return True
    if written[1:] != written[1:].lower() or not starts:
        return False
    following_word = re.match(r"[\w'’]+", following)
    named = following_word is not None and following_word[0][:1].isupper() and not following_word[0].startswith("I")
    return paused or not named


def _once(match: re.Match[str]) -> str:
    """The last of the words, as it began: "The The" is a band, "The the" is not."""
    word, again = match["word"], match["again"]
    if word.lower() not in ("i", "i'm", "i've", "i'll", "i'd") and again[:1].isupper():
        return match[0]
    return word


def _tidy(text: str) -> str:
    text = re.sub(r"[ \t]+", " ", text)
    text = re.sub(r"(?:,[ ]?){2,}", ", ", text)
    text = re.sub(r"[ ]?,[ ]?(?=[.!?])", "", text)
    text = re.sub(r"^[ ]*(?:[,;][ ]*)+", "", text)
    text = re.sub(r"(?<=[.!?])[ ]+,[ ]*", " ", text)
    return re.sub(r"^[ ]*(?:\.{2,}|…)[ ]*", "", text)


def is_backchannel(text: str) -> bool:
    """Whether a turn only shows that its speaker listens."""
    bare = re.sub(r"(?<![\s.,!…-])[\s.,!…-]+$", "", re.sub(r"^[\s.,…-]+", "", text)).casefold()
    words = [word for word in re.split(r"[\s,.…]+", bare) if word]
    return bare in BACKCHANNELS or bool(words) and all(word in BACKCHANNELS for word in words)


Voice = TypeVar("Voice")


def clean_turns(turns: Iterable[tuple[Voice, str]]) -> Iterator[tuple[Voice, str]]:
    """Turns without disfluencies, by whom and whenever. "Mm-hmm" goes, unless it answers a question."""
    asked = False
    all_turns = list(turns)
    word_um = has_word_um(" ".join(text for _, text in all_turns))
    for speaker, text in all_turns:
        words = _MARKER.sub(" ", text).strip()
        silent = is_backchannel(words) and not (
            re.search(r"\bum\b", words, re.IGNORECASE) and has_word_um(words, word_um)
        )
        if silent and not (asked and not _is_only_hesitation(words)):
            continue
        left = words if silent else without_disfluencies(text, word_um)
        if not re.search(r"\w", left) and re.search(r"\w", text):
            continue
        asked = left.rstrip(" \"'”").endswith("?")
        yield speaker, left


def _is_only_hesitation(words: str) -> bool:
    return (
        all(word in HESITATIONS for word in re.findall(r"[^\s.,…]+", words.casefold())) and "hm" not in words.casefold()
    )
