"""What programs, companies and lists put below or above a mail without its sender writing it; pure."""

from __future__ import annotations

import re

MAX_FOOTER_LINES = 25
MAX_LINE = 2_000

_DEVICE = re.compile(
    r"^[ \t]*[(<]{0,2}(?:sent from (?:my |an? )[\w .,'’®™/-]{1,40}"
    r"|from (?:my |an? )(?:[\w'’-]{1,20} ){0,3}(?:i-?phone|i-?pad|phone|mobile|cell(?:phone)?|smartphone|handset|handheld|tablet|laptop|mac(?:book)?|pc|"
    r"android|blackberry|galaxy|pixel|samsung|nokia|treo|palm|windows phone|device)(?:[ -][\w®™-]{1,15}){0,2}"
    r"|sent (?:from|via|with|by) (?:the )?(?:mail for windows|windows mail|outlook|yahoo|gmail|samsung|galaxy|blackberry|iphone|ipad"
    r"|android|mobile|mailbox|proton ?mail|airmail|spark|mailbird|shortwave|superhuman|thunderbird|aol|hotmail|tutanota)\b[\w .'’®™/-]{0,40}"
    r"|(?:get|télécharge[rz]|obtenir|hole?n? (?:dir|sie(?: sich)?)|descarga[r]?|obtener|obter o|scarica|ottieni|download|hämta|hent|pobierz) outlook"
    r" (?:for|pour|für|para|per|voor|för|til|dla) (?:ios|android|mac)\b.{0,80}"
    r"|(?:(?:diese (?:nachricht|e-?mail) wurde )?von meinem [\w .-]{1,60} gesendet|gesendet (?:von|mit) [\w .-]{1,40})"
    r"|отправлено (?:с|из|от) [\w .-]{1,40}|(?:發自|从|從|发自)我的 ?[\w .-]{1,30}(?:傳送|发送|寄出)?|\w{1,12}から送信"
    r"|envoyé (?:de|depuis) mon [\w .-]{1,40}|enviado (?:desde|do) (?:mi|meu) [\w .-]{1,40}"
    r"|inviato da(?:l mio)? [\w .-]{1,40}|verzonden vanaf mijn [\w .-]{1,40}|skickat från min [\w .-]{1,40}"
    r"|wysłane z [\w .'’-]{1,40}|outlook (?:for|für) (?:ios|android).{0,60})(?:[ \t]*+<https?://[^<>]{1,200}>)?[)>]{0,2}[ \t]*+[.!]?[ \t]*+$",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"confidential|privileged|proprietary|vertraulich|confidentiel|confidencial|riservat|vertrouwelijk", re.IGNORECASE
)
_RECIPIENT = re.compile(
    r"intended (?:solely |only )?(?:for|recipient)|intended for|received this (?:e-?mail|message|communication|transmission)"
    r"|in error|addressee|named above|(?:e-?mail|message|transmission|communication).{0,80}(?:may contain|is confidential)"
    r"|unauthori[sz]ed|empfänger|irrtümlich|destinataire|destinatari|par erreur|por error|per errore|geadresseerde",
    re.IGNORECASE,
)
_THIS_MAIL = re.compile(
    r"\b(?:this|the|any)\b.{0,40}\b(?:e-?mail|message|communication|transmission|information)\b|^[ \t*]*(?:confidentiality|disclaimer|legal)"
    r"|\bdiese?\b.{0,20}\b(?:e-?mail|nachricht)\b|\bce (?:message|courriel)\b|\best[ea] (?:mensaje|correo|mensagem)\b"
    r"|\bquest[oa] (?:messaggio|e-?mail)\b|\bdit bericht\b",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"^[ \t>*|\[(]*(?:(?:click here |please click here |you (?:can|may) )?(?:to )?unsubscribe(?:[ \t]*(?:[|:<(\]\u00b7•]|$| from (?:this|these|our|the|all|future)| here\b| at any time|\.|,| or )|[ \t]+https?:)"
    r"|(?:if you (?:no longer wish|would like|wish|want) .{0,80}(?:unsubscribe|opt.?out|receive))"
    r"|you(?:'re|’re| are| have)? (?:receiv(?:ing|ed)|getting) this (?:e-?mail|message|newsletter|digest|notification)\b"
    r".{0,40}\b(?:because|as|since|from|due)\b.{0,200}\b(?:subscri|signed up|registered|opted|member of|list\b|group\b"
    r"|notification|account|thread|mentioned|repository|customer)"
    r"|this (?:e-?mail|message|newsletter) was sent (?:(?:to|by|from) \S{1,80}@|because\b)"
    r"|(?:manage|update|change) (?:your )?(?:e-?mail |notification |subscription |mailing )*(?:preferences|settings|subscription)[ \t]*(?:$|[|:<(\]])"
    r"|view (?:this|it) (?:e-?mail |message |newsletter )?(?:in|on) (?:your |a |the )?(?:browser|web)[ \t]*(?:$|[|:<(\]])"
    r"|to (?:unsubscribe|stop receiving (?:e-?mails|these)|opt out|view this discussion)\b"
    r"|(?:newsletter )?abmelden\b[ \t]*(?:[|:<(]|$)|(?:um|wenn sie) .{0,60}(?:newsletter|e-?mails?) .{0,40}abbestellen"
    r"|se désabonner|se désinscrire|pour vous désabonner|darse de baja|cancelar (?:la )?suscripción|annulla l.iscrizione)",
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
    r"\b(?:originated (?:from )?outside|external (?:sender|source|e-?mail)|outside (?:of )?(?:the|your) (?:organi[sz]ation|company)|externen? absender)",
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
        return _first_of_notice(lines)
    for number, line in enumerate(lines):
        cut = line[:MAX_LINE]
        if _LIST.match(cut) or _ADVERT.match(cut):
            return number
        if _DEVICE.match(cut) and number == len(lines) - 1:
            return number
    if _RULE.match(lines[0]) and any(_LIST_MAIL.search(line[:MAX_LINE]) for line in lines):
        return 0
    return None


def _first_of_notice(lines: list[str]) -> int | None:
    """The line at which a confidentiality notice begins: the first one that speaks of the mail itself."""
    for number, line in enumerate(lines):
        if _THIS_MAIL.search(line[:MAX_LINE]) or _SECRET.search(line[:MAX_LINE]):
            rest = " ".join(lines[number:])[: MAX_LINE * 3]
            if number and not _RECIPIENT.search(rest):
                continue
            return number
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
