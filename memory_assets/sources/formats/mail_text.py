"""What of a mail's text its sender wrote, and HTML as text; pure.

``mail-parser-reply`` knows the headers, signatures and disclaimers of the mail programs. Its regular
expressions are quadratic in a line's length, so it never sees long lines or very long mails.
"""

from __future__ import annotations

import re

from inscriptis import get_text
from inscriptis.model.config import ParserConfig
from mailparser_reply import EmailMessage

from memory_assets.sources.cleaning import clean_text

MAX_PARSED = 100_000
MAX_LINE = 240
MAX_HTML = 4_000_000
# A signature is short: a longer "signature" is a body that happens to follow a "Best regards".
MAX_SIGNATURE_LINES, MAX_SIGNATURE_CHARACTERS = 12, 800

_QUOTED = re.compile(r"^\s*>")
_WROTE = re.compile(r"^(On|Am|Le|El)\b.{0,300}\b(wrote|schrieb|a écrit|escribió)\s*:?\s*$", re.DOTALL)
_ORIGINAL = re.compile(
    r"^\s*-{2,}\s*(Original Message|Forwarded (message|by)\b.*|Ursprüngliche Nachricht)\s*-*", re.I
)
_HOLD = "\ue000{}\ue001"
_HELD = re.compile("\ue000(\\d+)\ue001")
_TAG = re.compile(r"<[^<>]{0,5000}>")
_HTML_CONFIG = ParserConfig(
    display_images=False, deduplicate_captions=True, display_links=False, display_anchors=False
)


def reply_text(text: str) -> str:
    """The sender's own words in a clean mail text; the quote itself when there is nothing else."""
    own = _own_words(text) if len(text) <= MAX_PARSED else _without_quotes(text)
    if own.strip():
        return clean_text(own)
    return clean_text("\n".join(re.sub(r"^\s*(>\s?)+", "", line) for line in text.split("\n")))


def _own_words(text: str) -> str:
    held: list[str] = []

    def hold(line: str) -> str:
        if len(line) <= MAX_LINE and "\ue000" not in line:
            return line
        held.append(line)
        return _HOLD.format(len(held) - 1)

    # Blank means blank: the parser is quadratic in runs of white space, too.
    shortened = clean_text("\n".join(hold(line) if line.strip() else "" for line in text.split("\n")))
    # Hyphen lists are content: without the flag the parser takes "- one" for a signature.
    message = EmailMessage(text=shortened, languages=["en", "de", "fr", "es"], keep_hyphen_lists=True).read()
    kept: list[str] = []
    for number, reply in enumerate(message.replies):
        header = (reply.headers or "").strip()
        if number and not _answers_inline(header, reply.content):
            break
        kept.append(
            _without_quotes(
                _unsigned(reply.content.replace(header, "", 1), reply.signatures, reply.disclaimers)
            )
        )
    return _HELD.sub(
        lambda match: held[int(match[1])] if int(match[1]) < len(held) else "", "\n\n".join(kept)
    )


def _answers_inline(header: str, content: str) -> bool:
    """Whether a fragment below "… wrote:" mixes quoted lines with the sender's answers."""
    return (
        header.rstrip().endswith(":") and "wrote" in header and any(map(_QUOTED.match, content.split("\n")))
    )


def _unsigned(content: str, signature: str, disclaimers: list[str]) -> str:
    for disclaimer in disclaimers:
        if disclaimer:
            content = content.replace(disclaimer, "")
    short = signature.count("\n") < MAX_SIGNATURE_LINES and len(signature) <= MAX_SIGNATURE_CHARACTERS
    if signature and short and content.endswith(signature):
        content = content[: -len(signature)]
    return content


def _without_quotes(text: str) -> str:
    """Without lines that begin with ">" and without all below "-- " or an original message's header."""
    kept: list[str] = []
    for line in text.split("\n"):
        if line.rstrip() == "--" and kept or _ORIGINAL.match(line):
            break
        if _QUOTED.match(line):
            while kept and (not kept[-1].strip() or _WROTE.match(kept[-1].strip())):
                wrote = bool(kept[-1].strip())
                kept.pop()
                if wrote:
                    break
            kept.append("")
            continue
        kept.append(line)
    return "\n".join(kept)


def html_to_text(html: str) -> str:
    """HTML as a person would read it; markup that cannot be parsed loses its tags and keeps its text."""
    html = html[:MAX_HTML].replace("\x00", "")
    try:
        return clean_text(get_text(html, _HTML_CONFIG))
    except Exception:  # noqa: BLE001 - lxml and inscriptis raise many kinds of errors on hostile markup
        return clean_text(_TAG.sub(" ", html))
