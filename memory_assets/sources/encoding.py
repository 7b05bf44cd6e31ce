"""From bytes to text. An encoding is declared, proven or guessed; a guess always says that it is one."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from memory_assets.errors import SourceUnreadableError

HEAD_BYTES = 65_536
GUESS_BYTES = 262_144

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC = (
    b"%PDF", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"BZh", b"\xfd7zXZ",
    b"7z\xbc\xaf", b"\x7fELF", b"MZ\x90", b"SQLite format 3", b"OggS", b"ID3", b"RIFF", b"\xd0\xcf\x11\xe0",
)  # fmt: skip
_TEXT_CONTROLS = frozenset(b"\t\n\r\f\x08\x1b")
# Japanese and Korean in seven bits (RFC 1468, RFC 1557): what calls their letters is no other text.
_SEVEN_BITS = ((re.compile(rb"\x1b\$[@B]|\x1b\$\(D"), "iso2022_jp_2"), (re.compile(rb"\x1b\$\)C"), "iso2022_kr"))
_SHIFTS = b"\x0e\x0f"

_MARKS = "€–—‘’“”„…«»°§·•\u00a0"
# The letters beyond ASCII that a language writes, with its Windows code page; of equals the first is taken. Per
# language and not per code page: a page holds letters that no text has together. All of western Europe comes last,
# for what mixes its languages.
_LATIN = tuple(
    (codec, frozenset(letters + letters.upper() + _MARKS))
    for codec, letters in (
        ("cp1252", "äöüßéàêè"),
        ("cp1252", "àâæçéèêëîïôœùûüÿ"),
        ("cp1252", "áéíñóúü¡¿ªº"),
        ("cp1252", "àáâãçéêíóôõúüªº"),
        ("cp1252", "àèéìíòóùú"),
        ("cp1252", "åäöæøéü"),
        ("cp1250", "áčďéěíňóřšťúůýžäľĺôöü"),
        ("cp1250", "ąćęłńóśźżäöüßé"),
        ("cp1250", "áéíóöőúüűä"),
        ("cp1250", "ăâîşţ"),
        ("cp1250", "čćđšžöü"),
        ("cp1254", "çğıöşüİ"),
        ("cp1252", "áðéíóúýþæö"),
        ("cp1257", "āčēģīķļņšūž"),
        ("cp1257", "ąčęėįšųūž"),
        ("cp1257", "äõöüšž"),
        ("cp1254", "çğıöşüâîûİ"),  # its rare ones are the Baltic ones' usual ones
        ("cp1252", "àâäáãåæçéèêëíîïñóòôöõøúùûüœß¡¿´®©™ºª²³½¼£"),
    )
)
# Small letters only: one Cyrillic code page has its small letters where the other has its capitals.
_OTHER_SCRIPTS = tuple(
    (codec, frozenset(letters + _MARKS))
    for codec, letters in (
        ("cp1251", "абвгдеёжзийклмнопрстуфхцчшщъыьэюяєіїґў"),
        ("koi8-r", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"),
        ("cp1253", "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋ"),
    )
)
_USUAL_LATIN, _USUAL_OTHER = 0.9, 0.8
# No other script's bytes give kana, and much of a Japanese text is.
_JAPANESE = tuple((codec, frozenset(map(chr, range(0x3041, 0x30FF)))) for codec in ("euc_jp", "cp932"))
_USUAL_KANA = 0.3
# Hebrew's letters are Cyrillic's small ones, but each fifth of a Hebrew text is one of these three, which are each
# sixtieth of a Russian one (й, щ, ъ).
_HEBREW, _USUAL_HEBREW, _FEWEST_HEBREW = frozenset("אבגדהוזחטיךכלםמןנסעףפץצקרשת"), frozenset("ישת"), 6
_QUOTES = frozenset("“”„«»")
# Codecs in which any bytes are some text: they win over a short text's own.
_EBCDIC = ("cp037", "cp273", "cp424", "cp500", "cp875", "cp1026", "cp1140", "cp1006")
_WIDE = ("utf_16", "utf_16_le", "utf_16_be", "utf_32", "utf_32_le", "utf_32_be", "utf_7")
_HIGH = re.compile(rb"[\x80-\xff]")
_WORD = re.compile(rb"[\x80-\xff]{3,}")
_LONG_RUN = re.compile(rb"[\x80-\xff]{4,}")


@dataclass(frozen=True)
class Decoded:
    """Text with the encoding it was read in, and whether that was a guess."""

    text: str
    encoding: str
    guessed: bool = False

    @property
    def provenance(self) -> dict[str, object]:
        """What a source's provenance says of its encoding."""
        return {"encoding": self.encoding, "encoding_guessed": self.guessed}


def byte_order_mark(head: bytes) -> str | None:
    """The codec that a byte order mark announces."""
    return next((codec for mark, codec in _BOMS if head.startswith(mark)), None)


def looks_binary(head: bytes) -> bool:
    """Whether bytes are no text: a known signature, or more control bytes than text ever has."""
    if not head or byte_order_mark(head):
        return False
    if head.startswith(_MAGIC):
        return True
    if b"\x1b$)C" in head:
        head = head.translate(None, _SHIFTS)
    controls = sum(1 for byte in head if (byte < 32 and byte not in _TEXT_CONTROLS) or byte == 127)
    return controls > max(8, len(head) // 50)


def decode_head(head: bytes) -> str:
    """The beginning of a file as text, good enough to recognise its kind by."""
    return head.decode(byte_order_mark(head) or "utf-8", "replace")


def json_head(head: bytes) -> str:
    """The beginning of a file as text where it is that of a JSON array or object; else empty."""
    text = decode_head(head).lstrip("\ufeff \t\r\n")
    return text if text.startswith(("[", "{")) else ""


def has_list(json_text: str, name: str) -> bool:
    """Whether a name has a list in the beginning of a JSON text."""
    return re.search(rf'"{re.escape(name)}"\s*:\s*\[', json_text) is not None


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Bytes as text: as declared, else by their mark, else as UTF-8, else guessed and said so."""
    codec = _known_codec(declared) if declared else None
    seven = _in_seven_bits(data) if codec in (None, "ascii", "utf-8", "iso8859-1") else None
    for candidate in (seven, codec, byte_order_mark(data[:4]), "utf-8"):
        if candidate is None:
            continue
        try:
            return Decoded(data.decode(candidate), candidate.removesuffix("-sig"))
        except (UnicodeError, ValueError):
            continue
    return guess(data, is_declared_utf8=codec == "utf-8")


def _in_seven_bits(data: bytes) -> str | None:
    """The codec of Japanese or Korean in seven bits, which reads as ASCII with litter otherwise."""
    if b"\x1b$" not in data or _HIGH.search(data):
        return None
    return next((codec for calls, codec in _SEVEN_BITS if calls.search(data)), None)


def decode_file(data: bytes) -> Decoded:
    """A whole file as text, or :class:`SourceUnreadableError` when it is none."""
    if looks_binary(data[:HEAD_BYTES]):
        raise SourceUnreadableError("It is not text (a binary file); convert it to text first.")
    return decode(data)


def guess(data: bytes, *, is_declared_utf8: bool = False) -> Decoded:
    """The likeliest encoding: broken UTF-8, else a European code page by its letters, else charset-normalizer's.

    Statistics need long texts: of a name or a line they make another script. Latin-1 is what is left when nothing
    has an idea, as it loses no byte.
    """
    if _is_broken_utf8(data, is_declared=is_declared_utf8):
        return Decoded(data.decode("utf-8", "replace"), "utf-8", guessed=True)
    sample = _sample(data)
    encoding = _likeliest(sample, _JAPANESE, _USUAL_KANA) or _hebrew(sample) or _code_page(sample)
    if encoding is None:
        best = from_bytes(sample, cp_exclusion=[*_EBCDIC, *(() if 0 in sample else _WIDE)]).best()
        encoding = best.encoding if best is not None else "latin-1"
    return Decoded(data.decode(encoding, "replace"), encoding, guessed=True)


def _is_broken_utf8(data: bytes, *, is_declared: bool) -> bool:
    """Whether bytes are UTF-8 with some damage: more of its characters are whole than broken.

    A character that is cut off at the end is what a cut text has, and no sign against it. Where UTF-8 is declared,
    a lone first half of "ä" at the end is enough: the texts that are cut are short.
    """
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(data)
    broken = text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
    whole = len(text) - len(text.encode("ascii", "ignore")) - broken
    return whole > broken or (is_declared and broken == whole == 0 and data.endswith((b"\xc2", b"\xc3")))


def _sample(data: bytes) -> bytes:
    """The part to guess by: from a little before the first byte beyond ASCII on, as what is before says nothing."""
    first = _HIGH.search(data)
    start = max(0, first.start() - 1_000) if first and 0 not in data[:GUESS_BYTES] else 0
    return data[start : start + GUESS_BYTES]


def _hebrew(sample: bytes) -> str | None:
    """Hebrew's code page where the bytes are words of its letters, and among them those that Cyrillic seldom has."""
    letters = list(filter(_HEBREW.__contains__, sample.decode("cp1255", "replace")))
    usual = sum(character in _USUAL_HEBREW for character in letters)
    is_in_words = sum(map(len, _WORD.findall(sample))) * 2 > len(_HIGH.findall(sample))  # Latin letters are single
    is_likely = is_in_words and len(letters) >= _FEWEST_HEBREW and usual >= 0.08 * len(letters) and 0 not in sample
    return (
        "cp1255" if is_likely and _usual_share(sample, "cp1255", _HEBREW | frozenset(_MARKS)) >= _USUAL_LATIN else None
    )


def _code_page(sample: bytes) -> str | None:
    """The European code page in which the bytes are letters that one language writes; None for other scripts.

    Latin ones have few bytes beyond ASCII, and seldom many of them in a row.
    """
    high = len(_HIGH.findall(sample))
    if not high or 0 in sample:
        return None
    in_rows = sum(map(len, _LONG_RUN.findall(sample)))
    if in_rows * 2 <= high and (high * 3 <= len(sample) * 2 or high < 4):
        return _likeliest(sample, _LATIN, _USUAL_LATIN)
    return _likeliest(sample, _OTHER_SCRIPTS, _USUAL_OTHER)


def _likeliest(sample: bytes, alphabets: tuple[tuple[str, frozenset[str]], ...], least: float) -> str | None:
    scores = [(_usual_share(sample, codec, letters), codec) for codec, letters in alphabets]
    share, codec = max(scores, key=lambda score: score[0])
    return codec if share >= least else None


def _usual_share(sample: bytes, codec: str, letters: frozenset[str]) -> float:
    """How many of the characters beyond ASCII are usual, and are where such a character can be."""
    try:
        text = f" {sample.decode(codec)} "
    except UnicodeError:
        return 0.0
    beyond = [trio for trio in zip(text, text[1:], text[2:], strict=False) if trio[1] > "\x7f"]
    usual = 0
    for before, character, after in beyond:
        in_word = before.isalpha() and after.isalpha()
        misplaced = (character.isupper() and before.islower()) or (character in _QUOTES and in_word)
        usual += character in letters and not misplaced
    return usual / max(1, len(beyond))


def _known_codec(name: str) -> str | None:
    try:
        info = codecs.lookup(name.strip().strip("\"'")[:60])
        # Python also registers byte-to-byte codecs (zip, hex): those are not charsets.
        return info.name if info._is_text_encoding else None
    except (LookupError, ValueError):
        return None
