"""Passwords and codes that are named in other languages than English: "mdp : …", "la clave del wifi es …", "jelszavam
…".

`spoken` reads the names that are written like its own. Here a name is a word of its language, a few words may be
between it and the value, and only a value that no word could be counts; a code of a door or a message is digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_assets.privacy.spoken import UNITS, find_forms, form, is_strong, places_of
from memory_assets.privacy.tokens import Span

_WIFI = r"(?:wi-?fi|wlan|wifi|internet|red|réseau|rete|rede|router|routeur|box)"
_PASSWORDS = (
    r"mdp|mots? de passe|pass(?:wort|wörter)|kennw(?:ort|örter)|zugangsdaten|anmeldedaten|contraseñas?|"
    rf"claves?(?=\s*:|\s+(?:de|del|para)\s+(?:la\s+|el\s+)?(?:{_WIFI}|\w*cuenta|correo|usuario|acceso))|"
    f"code (?:du |de la )?{_WIFI}|"
    rf"password(?=[^.!?\n]{{0,30}}\sè\s)|parola d['’]ordine|chiave (?:del |della )?{_WIFI}|senhas?|palavras?-passe|"
    "wachtwoord(?:en)?|"
    "lösenord(?:et)?|adgangskoden?|kodeord(?:et)?|passord(?:et)?|salasana(?:ni|si|mme)?|hasł[oa]|hesl[oa]|"
    "jelsz(?:ó|avam|ava|avunk|avad)|"
    r"parolă|parola|şifre(?:m|si|miz)?|парол[ьяюе]|lozinka|geslo|slaptažodis|parole|salasõna|"
    r"κωδικός|συνθηματικό|סיסמה|הסיסמה|كلمة\s+(?:المرور|السر)|รหัสผ่าน|mật khẩu|kata sandi|पासवर्ड"
)
_CODES = (
    r"(?:tür|tor|haus|garagen|alarm|zugangs|bestätigungs|verifizierungs|sicherheits|einmal|freischalt)-?(?:code|pin)|"
    "code (?:de (?:la )?|du |d['’])(?:porte|portail|immeuble|alarme|entrée|digicode|coffre|garage|vérification|"
    "validation|confirmation)|"
    r"digicode|codice (?:del |della |di )(?:portone|porta|cancello|allarme|verifica|conferma|sicurezza)|"
    "código (?:de(?:l| la| o)? |da |do )(?:puerta|portal|alarma|verificación|seguridad|porta|portão|alarme|"
    "verificação|segurança|confirmación|confirmação)|"
    r"(?:deur|poort|alarm|verificatie|beveiligings)code|kod (?:do |weryfikacyjny)\w*|код (?:от|"
    r"подтверждения)\s?\w*|otp(?: code| is)?(?=\D{0,45}\d{4})|"
    r"验证码|驗證碼|認証コード|인증번호"
)
_IS = (
    "(?:c['’]est|est|ist|lautet|heißt|heisst|wäre|es|é|è|sono|són|is|er|är|on|jest|to|je|este|e|είναι|это|теперь|"
    "היא|هي|هو|"
    r"adalah|là|ini|jetzt|nun|auf|ahora|adesso|maintenant|nu)"
)
# No compound of words ("Windows-11-PC", "Office365-Konto") right behind the name: what an access is to.
_V = (
    r"[\"'“„«`]?(?:(?<=[:：=])|(?<=[:：=]\s)|(?!(?-i:[A-ZÄÖÜ][a-zäöüß]+\d{0,4}(?:-\d{1,4})?-[A-ZÄÖÜ][A-Za-zäöüß]+)"
    r"[\"'”»`*_~)\]},.;:?]*(?:\s|\Z)))(?P<value>[!-~€£äöüßéèáíóúñçåøæ]{4,100})"
)
_BETWEEN = r"[^.!?;:：\n|<>\d]{0,40}?"
_ANCHOR = re.compile(
    r"mdp|passe\b|passwor|passwör|kennw|daten|contrase|clave|code|codice|código|kod\b|kodeord|код|chiave|parol|"
    "senha|wachtwoord|lösenord|"
    "adgangskode|passord|salasan|salasõn|hasł|hesl|jelsz|şifre|парол|lozink|geslo|slaptaž|κωδικ|συνθημ|סיסמ|كلمة|"
    "รหัส|mật khẩu|"
    r"sandi|पासवर्ड|otp|验证码|驗證碼|認証|인증|password"
)
_DATE = re.compile(r"(?:19|20)\d\d-\d{1,2}-\d{1,2}|\d{1,2}-\d{1,2}-(?:19|20)\d\d")
_NAME_AND_NUMBER = re.compile(r"[A-Za-zÀ-ÿ]+(?:-[A-Za-zÀ-ÿ]+)*[-_]?\d{1,4}")


def _is_mixed(value: str, after: str) -> bool:
    return (
        5 <= len(value) <= 64
        and is_strong(value)
        and bool(re.search(r"\d", value) and re.search(r"[^\W\d_]", value))
        and not _NAME_AND_NUMBER.fullmatch(value.rstrip(".,!?"))
        and "://" not in value
        and not re.match(r"[^\s@]+@[^\s@]+\.\w+", value)
    ) or bool(re.fullmatch(r"[A-Za-z]{3,}\d{1,4}[!$%&?*#+@]{1,3}", value))


def _is_code(value: str, after: str) -> bool:
    digits = re.sub(r"\D", "", value)
    return (
        3 <= len(digits) <= 8
        and not UNITS.match(after)
        and not re.fullmatch(r"(?:19|20)\d\d", value)
        and not _DATE.fullmatch(value)
    )


_NAMED = rf"(?<![^\W_])(?:{_PASSWORDS})"
_FORMS = (
    form(rf"{_NAMED}(?![^\W_])(?:{_BETWEEN}(?:\s|,\s?){_IS}|{_BETWEEN}\s?[:：=]|,?)\s+(?:{_IS}\s+)?{_V}", _is_mixed),
    form(rf"{_NAMED}(?![^\W_]){_BETWEEN}\s?[:：=]\s*(?:[\w.@-]{{2,40}}\s*[/|]\s*){_V}", _is_mixed),
    form(rf"{_NAMED}(?:\s(?:от|для|do|k|für|fürs|zum|du|del)\s[^\W\d_]+)?[ \t]*[:：]?[ \t]*{_V}", _is_mixed),
    form(
        rf"(?<![^\W_])(?:{_CODES})(?:(?![^\W_])|(?<=[码碼ド호]))(?:{_BETWEEN}(?:\s{_IS}|\s?[:：=])\s*|\s*)"
        r"(?P<value>#?[A-Z]?\d[\d#*-]{2,9}[A-Z]?#?)(?![\w.,/]*\d)",
        _is_code,
    ),
)


def find_in_languages(text: str, low: str) -> Iterator[Span]:
    """Secrets that are named in other languages; ``low`` is the text in lower case."""
    yield from find_forms(text, _FORMS, places_of(_ANCHOR, low))
