"""Bytes whose encoding nothing declares, as mails, notes and cut files have them, become the text that was written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.sources.encoding import Decoded, decode, guess, looks_binary

FRENCH = "Le café est déjà prêt à être servi, très bon, où êtes-vous ? "
WRITTEN = [
    *(("latin-1", words) for words in (
        "Café", "Größe", "Grüße\n", "GRÖSSE", "ÄÖÜ", "Rôti déjà prêt", "Zoë Ülker", "Señor Núñez mañana", "São João",
        "Ångström", "naïve", "Él dijo «sí»", FRENCH * 100, f"{'a' * 300_000} {FRENCH}",
    )),
    ("cp1252", "It costs 5€ – really"),
    ("cp1252", "l’été “déjà”"),
    ("cp1252", "Það er gott veður í dag og ég ætla að fara"),
    ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy."),
    ("cp1250", "Řeka je u města, děkuji"),
    ("cp1250", "Zażółć gęślą jaźń, proszę"),
    ("cp1250", "Árvíztűrő tükörfúrógép"),
    ("cp1250", "Što će čovjek raditi s đakom"),
    ("cp1254", "Bugün hava çok güzel, akşam dışarı çıkacağız"),
    ("cp1251", "Привет"),
    ("cp1251", "Отчёт готов. Пришлите замечания до пятницы."),
    ("cp1251", "Ole wrote at https://example.org/a/long/address/of/a/page: Отчёт готов, пришлите замечания"),
    ("cp1251", "мама дома, приходите за мной в три"),
    ("cp1254", "kâğıt çok pahalı"),
    ("koi8-r", "Отчёт готов. Пришлите замечания до пятницы."),
    ("cp1253", "Πότε θα έρθεις στην Αθήνα; Σε περιμένω αύριο."),
    ("cp1256", "مرحبا، الاجتماع يوم الجمعة صباحا إن شاء الله"),
    ("shift_jis", "会議は金曜日です。資料を送ってください。"),
    ("gb18030", "会议在星期五举行。请把资料发给我，谢谢。我们下周再见面讨论这个项目。"),
    ("big5", "會議在星期五舉行。請把資料發給我，謝謝。我們下週再見面討論這個項目。"),
    ("euc-kr", "회의는 금요일입니다. 자료를 보내 주세요. 감사합니다."),
    ("euc_jp", "会議は金曜日です。"),
    ("euc_jp", "ありがとう"),
    ("shift_jis", "カタカナです"),
    ("cp1255", "שלום, נפגשים ביום שישי"),
    ("cp1257", "Rīgā šodien līst lietus, tāpēc paliekam mājās"),
    ("cp1257", "Ačiū, susitiksime penktadienį"),
    ("cp1257", "Žõstov šahhimäng"),
    ("utf-16-le", "Grüße aus Köln und dem Süden"),
]  # fmt: skip


@pytest.mark.parametrize(("codec", "words"), WRITTEN, ids=[f"{codec}, {words[:20]}" for codec, words in WRITTEN])
def test_a_guess_is_the_text_that_was_written(codec: str, words: str) -> None:
    found = guess(words.encode(codec))
    assert found.text == words and found.guessed


@pytest.mark.parametrize(
    ("data", "declared", "expected"),
    [
        ("Anna mag Brötchen.\n".encode() + b"\xe2\x80", None, "Anna mag Brötchen.\n\ufffd"),
        ("Réunion ".encode() + b"\xc3", None, "Réunion \ufffd"),
        ("Grüße".encode() + b"\xff" + " aus Köln".encode(), None, "Grüße\ufffd aus Köln"),
        (b"Broken \xc3", "utf-8", "Broken \ufffd"),
    ],
)
def test_broken_utf8_loses_what_is_broken_only(data: bytes, declared: str | None, expected: str) -> None:
    assert decode(data, declared) == Decoded(expected, "utf-8", guessed=True)


def test_a_wrong_declaration_is_no_proof() -> None:
    assert decode("Café".encode("latin-1"), "utf-8").text == "Café"


@settings(max_examples=100)
@given(st.binary(max_size=60))
def test_any_bytes_are_some_text(data: bytes) -> None:
    """A guess never fails, and what is no guess loses nothing."""
    found = decode(data)
    assert bool(found.text) == bool(data) or found.guessed or found.encoding != "utf-8"
    if found.encoding == "utf-8" and not found.guessed and not data.startswith(b"\xef\xbb\xbf"):
        assert found.text.encode() == data


@pytest.mark.parametrize(
    ("codec", "text"),
    [("iso2022_jp", "明日の会議は十時です。"), ("iso2022_kr", "내일 회의는 열 시입니다. 사무실에서 만나요.")],
)
@pytest.mark.parametrize("declared", [None, "us-ascii", "utf-8"])
def test_japanese_and_korean_in_seven_bits_are_read_whatever_is_declared(
    codec: str, text: str, declared: str | None
) -> None:
    written = f"{text}\n".encode(codec)
    assert not looks_binary(written)
    assert decode(written, declared).text.strip() == text


def test_a_terminals_colours_are_no_other_letters() -> None:
    assert decode(b"\x1b[31mred\x1b[0m costs $B5\n").text == "\x1b[31mred\x1b[0m costs $B5\n"
