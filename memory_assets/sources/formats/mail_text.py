"""What of a mail's text its sender wrote, and HTML as text; pure.

``mail_quotes`` finds what is quoted; signatures, closing words, footers, banners and disclaimers are found here.
"""

from __future__ import annotations

import re

from inscriptis import get_text
from inscriptis.model.config import ParserConfig
from lxml.html import HtmlElement, document_fromstring, tostring

from memory_assets.sources.cleaning import clean_text
from memory_assets.sources.formats.mail_quotes import Words, own_lines, quoted_parts, unmarked

MAX_FOOTER_LINES = 25
MAX_LINE = 2_000

_DEVICE = re.compile(
    r"^[ \t]*[(<]{0,2}(?:sent from (?:my |an? )[\w .,'’®™/-]{1,40}"
    r"|from (?:my |an? )(?:[\w'’-]{1,20} ){0,3}(?:i-?phone|i-?pad|phone|mobile|cell(?:phone)?|smartphone|handset|"
    "handheld|tablet|laptop|mac(?:book)?|pc|"
    r"android|blackberry|galaxy|pixel|samsung|nokia|treo|palm|windows phone|device)(?:[ -][\w®™-]{1,15}){0,2}"
    "|sent (?:from|via|with|by) (?:the )?(?:mail for windows|windows mail|outlook|yahoo|gmail|samsung|galaxy|"
    "blackberry|iphone|ipad"
    "|android|mobile|mailbox|proton ?mail|airmail|spark|mailbird|shortwave|superhuman|thunderbird|aol|hotmail|"
    r"tutanota)\b[\w .'’®™/-]{0,40}"
    "|(?:get|télécharge[rz]|obtenir|hole?n? (?:dir|sie(?: sich)?)|descarga[r]?|obtener|obter o|scarica|ottieni|"
    "download|hämta|hent|pobierz) outlook"
    r" (?:for|pour|für|para|per|voor|för|til|dla) (?:ios|android|mac)\b.{0,80}"
    r"|(?:(?:diese (?:nachricht|e-?mail) wurde )?von meinem [\w .-]{1,60} gesendet|gesendet (?:von|mit) [\w .-]{1,40})"
    r"|отправлено (?:с|из|от) [\w .-]{1,40}|(?:發自|从|從|发自)我的 ?[\w .-]{1,30}(?:傳送|发送|寄出)?|\w{1,12}から送信"
    r"|envoyé (?:de|depuis) mon [\w .-]{1,40}|enviado (?:desde|do) (?:mi|meu) [\w .-]{1,40}"
    r"|inviato da(?:l mio)? [\w .-]{1,40}|verzonden vanaf mijn [\w .-]{1,40}|skickat från min [\w .-]{1,40}"
    r"|wysłane z [\w .'’-]{1,40}|outlook (?:for|für) (?:ios|"
    r"android).{0,60})(?:[ \t]*+<https?://[^<>]{1,200}>)?[)>]{0,2}[ \t]*+[.!]?[ \t]*+$",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"confidential|privileged|proprietary|vertraulich|confidentiel|confidencial|riservat|vertrouwelijk", re.IGNORECASE
)
_RECIPIENT = re.compile(
    "intended (?:solely |only )?(?:for|recipient)|intended for|received this (?:e-?mail|message|communication|"
    "transmission)"
    "|in error|addressee|named above|(?:e-?mail|message|transmission|communication).{0,80}(?:may contain|"
    "is confidential)"
    r"|unauthori[sz]ed|empfänger|irrtümlich|destinataire|destinatari|par erreur|por error|per errore|geadresseerde",
    re.IGNORECASE,
)
_THIS_MAIL = re.compile(
    r"\b(?:this|the|any)\b.{0,40}\b(?:e-?mail|message|communication|transmission|information)\b|"
    r"^[ \t*]*(?:confidentiality|disclaimer|legal)"
    r"|\bdiese?\b.{0,20}\b(?:e-?mail|nachricht)\b|\bce (?:message|courriel)\b|\best[ea] (?:mensaje|correo|mensagem)\b"
    r"|\bquest[oa] (?:messaggio|e-?mail)\b|\bdit bericht\b",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"^[ \t>*|\[(]*(?:(?:click here |please click here |you (?:can|"
    r"may) )?(?:to )?unsubscribe(?:[ \t]*(?:[|:<(\]\u00b7•]|$| from (?:this|these|our|the|all|future)| here\b|"
    r" at any time|\.|,| or )|[ \t]+https?:)"
    r"|(?:if you (?:no longer wish|would like|wish|want) .{0,80}(?:unsubscribe|opt.?out|receive))"
    "|you(?:'re|’re| are| have)? (?:receiv(?:ing|ed)|getting) this (?:e-?mail|message|newsletter|digest|"
    r"notification)\b"
    r".{0,40}\b(?:because|as|since|from|due)\b.{0,200}\b(?:subscri|signed up|registered|opted|member of|list\b|group\b"
    r"|notification|account|thread|mentioned|repository|customer)"
    r"|this (?:e-?mail|message|newsletter) was sent (?:(?:to|by|from) \S{1,80}@|because\b)"
    "|(?:manage|update|change) (?:your )?(?:e-?mail |notification |subscription |mailing )*(?:preferences|"
    r"settings|subscription)[ \t]*(?:$|[|:<(\]])"
    r"|view (?:this|it) (?:e-?mail |message |newsletter )?(?:in|on) (?:your |a |the )?(?:browser|web)[ \t]*(?:$|"
    r"[|:<(\]])"
    r"|to (?:unsubscribe|stop receiving (?:e-?mails|these)|opt out|view this discussion)\b"
    r"|(?:newsletter )?abmelden\b[ \t]*(?:[|:<(]|$)|(?:um|wenn sie) .{0,60}(?:newsletter|e-?mails?) .{0,40}abbestellen"
    "|se désabonner|se désinscrire|pour vous désabonner|darse de baja|cancelar (?:la )?suscripción|"
    "annulla l.iscrizione)",
    re.IGNORECASE,
)
_LIST_MAIL = re.compile(r"\bmailing list\b|^https?://\S+/(?:mailman/)?listinfo/", re.IGNORECASE)
_ADVERT = re.compile(
    r"^[ \t]*(?:do you yahoo!\?|get your free download of msn|get free e-?mail at|join the world.s largest e-?mail"
    r"|send and receive hotmail|virus-free\.? www\.|this (?:e-?mail|message) (?:has been|was) (?:scanned|checked)"
    r"|please consider the environment before printing|diese e-?mail wurde (?:von|auf).{0,40}(?:viren|avast))",
    re.IGNORECASE,
)
_BANNER = re.compile(
    r"^[ \t*\[(]*(?:caution|warning|external(?: e-?mail)?|achtung)\b[ \t\])*:!-]*.{0,40}"
    r"\b(?:originated (?:from )?outside|external (?:sender|source|e-?mail)|outside (?:of )?(?:the|"
    "your) (?:organi[sz]ation|company)|externen? absender)",
    re.IGNORECASE,
)
_RULE = re.compile(r"^[ \t]*[-_=*~#]{3,}[ \t]*$")


def without_footers(text: str) -> str:
    """``text`` without what nobody wrote in it: devices, disclaimers, lists, advertisements, banners.

    Only at the end, and a warning's banner at the beginning; never all of it.
    """
    paragraphs = re.split(r"\n[ \t]*\n", text)
    while len(paragraphs) > 1 and _BANNER.match(paragraphs[0][:MAX_LINE].replace("\n", " ")):
        paragraphs.pop(0)
    while True:
        lines = paragraphs[-1].split("\n") if paragraphs else []
        cut = _cut(lines)
        if cut is None:
            above = _list_footer(paragraphs)
            if above is None:
                break
            paragraphs = paragraphs[:above]
            continue
        if cut:
            paragraphs[-1] = "\n".join(lines[:cut])
        elif len(paragraphs) > 1:
            paragraphs.pop()
        else:
            break
    return "\n\n".join(paragraphs)


def _cut(lines: list[str]) -> int | None:
    """The line at which a last paragraph turns into a footer; None when it doesn't."""
    if not any(line.strip() for line in lines) or all(_RULE.match(line) for line in lines if line.strip()):
        return 0
    if len(lines) > MAX_FOOTER_LINES:
        return None
    whole = " ".join(line.strip() for line in lines)[: MAX_LINE * 3]
    if _SECRET.search(whole) and _RECIPIENT.search(whole) and _THIS_MAIL.search(whole):
        return next(
            (n for n, line in enumerate(lines) if _THIS_MAIL.search(line[:MAX_LINE]) or _SECRET.search(line)), 0
        )
    for number, line in enumerate(lines):
        cut, is_last = line[:MAX_LINE], number == len(lines) - 1
        if _LIST.match(cut) or _ADVERT.match(cut) or (is_last and _DEVICE.match(cut)):
            return number
    if _RULE.match(lines[0]) and any(_LIST_MAIL.search(line[:MAX_LINE]) for line in lines):
        return 0
    return None


def _list_footer(paragraphs: list[str]) -> int | None:
    """The paragraph at which a list's or a newsletter's footer of several paragraphs begins."""
    budget = MAX_FOOTER_LINES
    for number in range(len(paragraphs) - 1, 0, -1):
        lines = paragraphs[number].split("\n")
        budget -= len(lines)
        if budget < 0:
            return None
        if _LIST.match(lines[0][:MAX_LINE]) and all(len(part) < 200 for part in paragraphs[number + 1 :]):
            return number
    return None


MAX_HTML = 4_000_000
# A signature is short: a longer "signature" is a body that happens to follow a "Best regards".
MAX_SIGNATURE_LINES, MAX_SIGNATURE_CHARACTERS = 12, 800

# How people close a mail; the lines of name, house and telephone are below.
_CLOSING = re.compile(
    r"(?:(?:all the |with )?best(?: wishes)?|many thanks|thanks(?: again| a lot| so much| in advance| and regards)?"
    r"|thank you(?: very much| so much| again| in advance)?|thx|cheers|yours(?: truly| sincerely| faithfully)?"
    r"|sincerely(?: yours)?|take care|talk soon|see you(?: soon)?|love"
    r"|(?:with )?(?:(?:best|kind|kindest|warm|warmest) )?(?:regards|rgds)|br|kr"
    r"|lg|vg|bg|mfg|glg|(?:mit )?(?:(?:viele|vielen|liebe|lieben|beste|besten|schöne|schönen|herzliche|herzlichen"
    r"|freundliche|freundlichen|sonnige) )?(?:grüße|grüßen|grüsse|grüssen|gruß|gruss)(?: aus [\w-]{1,30})?"
    r"|(?:vielen |besten |herzlichen )?dank|danke(?: dir| euch| ihnen)?|bis (?:bald|dann|morgen)"
    "|bien à (?:vous|toi)|(?:bien |très )?(?:cordialement|amicalement)|merci(?: beaucoup| d'avance| bien)?|bises|"
    "bisous"
    r"|à (?:bientôt|plus)|(?:un |muchos )?(?:cordial |cordiales )?saludos?|(?:un |um )?(?:abrazo|abraço|abbraccio)"
    r"|(?:muchas )?gracias|atentamente|(?:cordiali |distinti |tanti )?saluti|(?:mille )?grazie|a presto|obrigad[oa]"
    r"|atenciosamente|cumprimentos|(?:met )?(?:vriendelijke )?groet(?:en|jes)?|mvg|bedankt|mvh"
    "|(?:med )?(?:vänliga|venlig|vennlig) (?:hälsningar|hilsen)|hälsningar|hilsen|pozdrawiam|pozdrowienia|"
    "z poważaniem|dziękuję|с уважением|спасибо)"
    r"[ \t]*[,.!]*",
    re.IGNORECASE,
)
_IN_NAMES = frozenset("von van de der den da di du la le of and & | - – — /".split())
_REACHED_AT = re.compile(
    r"(?<!\S)(?=\S+@\S)\S++|(?:https?://|www\.)\S+|(?:[A-Za-z]{1,9}[.:]{1,2}[ \t]?)?[+(]?\d[\d ()/.-]{6,}"
)
_GREETING = re.compile(
    r"(?:hi|hey|hello|dear|hallo|moin|liebe[rs]?|guten|bonjour|salut|hola|ciao|buongiorno|hej|beste)\b", re.IGNORECASE
)
MAX_CLOSING_LINES, MAX_CLOSING_LINE = 4, 40
_CITED = "[cited]"
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
# A ruler is no element that the converter breaks a line at.
_RULER = re.compile(r"<hr\b[^<>]{0,500}>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{0,5000}>")
_HTML_CONFIG = ParserConfig(display_images=False, deduplicate_captions=True, display_links=False, display_anchors=False)


# How a subject says that the mail is forwarded, behind the mark of a list ("[garden] Fwd: Seeds") or at its end.
_FORWARDED = re.compile(
    r"[ \t]*+(?:\[[^\[\]]{1,40}\][ \t]*+){0,2}\[?[ \t]*+"
    r"(?:fwd?|wg|tr|rv|enc|vb|vl|doorst|转发|轉寄|전달)[ \t]*+[:：]",
    re.IGNORECASE,
)
_FORWARDED_LAST = re.compile(r"(?!(?:re|aw|sv|antw|rif|odp)[ \t]*+(?:\[\d+\])?:).*\(fwd?\)[ \t]*+", re.IGNORECASE)
# What a forwarder writes above unmarked words is short: a longer opening is what is forwarded.
MAX_NOTE_LINES, MAX_NOTE_CHARACTERS = 4, 400


def is_forwarded(subject: str) -> bool:
    """Whether a subject says first of all that the mail is forwarded: "Re: Fwd: Seeds" answers one."""
    cut = subject.strip()[:MAX_LINE]
    return bool(_FORWARDED.match(cut) or _FORWARDED_LAST.fullmatch(cut))


def reply_words(text: str, *, forwarded: bool = False) -> list[Words]:
    """The sender's own words; those of the quote when there is nothing else.

    Where the mail says that it is ``forwarded`` and nothing in it marks what is, its opening alone is the sender's.
    """
    own = _own(text)
    if not own:
        return _quoted_words(text)
    return _note_and_rest(own) if forwarded and _is_whole(text) else [Words(own)]


def _own(text: str) -> str:
    own = _unclosed(_above_dashes(without_footers(own_lines(text))))
    return clean_text(without_footers(clean_text(own))) if own.strip() else ""


def _is_whole(text: str) -> bool:
    """Whether nothing in a mail is marked as another's."""
    return _letters(own_lines(text)) == _letters(text)


def _letters(text: str) -> list[str]:
    return [word for word in text.split() if any(character.isalnum() for character in word)]


def _quoted_words(text: str) -> list[Words]:
    """A mail of nothing but quotes. A mere signature is its sender's: a mail with words never becomes an empty one."""
    whole = clean_text(unmarked(text))
    if not whole or _is_whole(text):
        return [Words(whole)]
    parts = (part._replace(text=clean_text(part.text)) for part in quoted_parts(text))
    return [part for part in parts if part.text] or [Words(whole, False)]


def _note_and_rest(text: str) -> list[Words]:
    """The sender's note at the head of a forward without marks, below a greeting, and the rest, which is nobody's."""
    parts = re.split(r"\n[ \t]*\n", text)
    count = 1 + (len(parts) > 1 and _only_greets(parts[0].strip()))
    note = "\n\n".join(parts[:count])
    if note.count("\n") >= MAX_NOTE_LINES + 2 * (count - 1) or len(note) > MAX_NOTE_CHARACTERS:
        return [Words(text, False)]
    rest = "\n\n".join(parts[count:])
    return [Words(note), Words(rest, False)] if rest else [Words(note)]


def _above_dashes(text: str) -> str:
    """What is above the last "-- " that is followed by a signature's few lines."""
    lines = text.split("\n")
    for number in range(len(lines) - 1, max(0, len(lines) - 2 - MAX_SIGNATURE_LINES), -1):
        below = sum(map(len, lines[number + 1 :]))
        if lines[number].rstrip() == "--" and below <= MAX_SIGNATURE_CHARACTERS:
            return "\n".join(lines[:number])
    return text


def _unclosed(text: str) -> str:
    """Without the closing words at its end and the name below them: a mail that says nothing else keeps them."""
    lines = text.rstrip().split("\n")
    filled = [number for number, line in enumerate(lines) if line.strip()][-MAX_CLOSING_LINES:]
    for start in filled:
        line, *below = (lines[number].strip() for number in filled if number >= start)
        above = "\n".join(lines[:start]).strip()
        head, comma, behind = line.partition(",")
        closes = len(line) <= MAX_CLOSING_LINE and _CLOSING.fullmatch(head if behind and not below else line)
        apart = comma or line.endswith((".", "!")) or (start and not lines[start - 1].strip())
        signed = [name for name in (behind.strip(), *below) if name]
        if closes and apart and all(map(_signs, signed)) and not _only_greets(above):
            return above
    return text


def _signs(line: str) -> bool:
    """Whether a line is a name, a house or where somebody is reached, and no sentence."""
    if len(line) > MAX_CLOSING_LINE or line.endswith((":", "?")):
        return False
    words = line.split()
    name = len(words) <= 4 and all(word[0].isupper() or word in _IN_NAMES for word in words)
    return name or (len(words) == 1 and line.isalpha()) or bool(_REACHED_AT.fullmatch(line))


def _only_greets(text: str) -> bool:
    """Whether nothing is said but "Hi Ole,": the closing words are what such a mail says."""
    if "\n" in text or len(text.split()) > 5:
        return False
    return not text or text.endswith(",") or bool(_GREETING.match(text))


def html_reply_words(html: str, *, forwarded: bool = False) -> list[Words]:
    """The words of an HTML mail, as of a text: what its programs mark as cited is a quote."""
    marked = _INDENT.sub("", html_to_text(html, mark_cited=True))  # how deep a box lies in others says nothing
    if _own(marked):
        return reply_words(marked, forwarded=forwarded)
    whole = html_to_text(html)
    words = _quoted_words(whole)
    is_cited = _CITED in marked and _CITED not in whole
    return [part._replace(is_own=False) for part in words] if is_cited else words


def html_to_text(html: str, *, mark_cited: bool = False) -> str:
    """HTML as a person would read it; markup that cannot be parsed loses its tags and keeps its text.

    ``mark_cited`` puts a line with a quote's mark in the place of each block that a mail program cited.
    """
    html = _RULER.sub("<br>", html[:MAX_HTML].replace("\x00", ""))
    if mark_cited:
        html = _with_marks(html)
    try:
        return clean_text(get_text(html, _HTML_CONFIG))
    except Exception:  # noqa: BLE001 - lxml and inscriptis raise many kinds of errors on hostile markup
        return clean_text(_TAG.sub(" ", html))


def _with_marks(html: str) -> str:
    if "<blockquote" not in html.lower():
        return html
    try:
        tree = document_fromstring(html)
        cited = [block for block in tree.iter("blockquote") if _is_cited(block)]
        for block in cited:
            tail = block.tail
            block.clear()
            block.tag, block.text, block.tail = "div", f"> {_CITED}", tail
        return tostring(tree, encoding="unicode")
    except Exception:  # noqa: BLE001 - lxml raises many kinds of errors on hostile markup
        return html


def _is_cited(block: HtmlElement) -> bool:
    """Whether a block is a mail program's quote, and no quotation of the sender's."""
    if (block.get("type") or "").lower() == "cite" or "quote" in (block.get("class") or "").lower():
        return True
    return any("quote" in (parent.get("class") or "").lower() for parent in block.iterancestors())
