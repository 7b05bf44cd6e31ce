"""Mails of the outside world: what is read of them, and which of their words are their sender's own."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.model import SourceType
from memory_assets.sources.formats import FORMATS, clean, recognise
from memory_assets.sources.formats.base import Document, RawSource
from memory_assets_tests.sources.exports import html_reply_text, reply_text


def mail(data: bytes | str) -> RawSource:
    raw = data.encode() if isinstance(data, str) else data
    (source,) = FORMATS[SourceType.EMAIL].read(Document(io.BytesIO(raw), "a.eml", len(raw)))
    assert isinstance(source, RawSource)
    return source


def text(source: RawSource) -> str:
    return "\n\n".join(turn.text for turn in clean("email", source.raw_content).turns)


QUOTES = {
    "Outlook": (
        "From: Ole Berg <ole@example.org>\nSent: Monday, October 5, 2026 9:00 AM\nTo: Mara\nSubject: RE: Seeds\n\nOLD"
    ),
    "Outlook, bold": "*From:* Ole\n*Sent:* Monday, 5 October\n*To:* Mara\n*Subject:* Seeds\n\nOLD",
    "Outlook, below a rule": "________________________________\nFrom: Ole\nSent: Monday\nTo: Mara\nSubject: x\n\nOLD",
    "Outlook, German": "Von: Ole Berg\nGesendet: Montag, 5. Oktober 2026 09:00\nAn: Mara\nBetreff: AW: Saat\n\nOLD",
    "Outlook, French": "De : Ole Berg\nEnvoyé : lundi 5 octobre 2026 09:00\nÀ : Mara\nObjet : RE: Graines\n\nOLD",
    "Outlook, Spanish": "De: Ole Berg\nEnviado el: lunes, 5 de octubre\nPara: Mara\nAsunto: RE: Semillas\n\nOLD",
    "Outlook, Polish": "Od: Ole Berg\nWysłano: poniedziałek\nDo: Mara\nTemat: RE: Nasiona\n\nOLD",
    "Lotus": "Ole Berg@EXAMPLE\n10/05/2000 09:00 AM\nTo:\tMara Lind/HOU/EX@EX\ncc:\t \nSubject:\tPlan\n\nOLD",
    "Lotus, one line": (
        '"Ole Berg" <ole@example.org> on 10/05/2000 09:00:50 AM\nTo:\tMara\ncc:\t\nSubject:\tPlan\n\nOLD'
    ),
    "original message": "-----Original Message-----\nFrom: \tOle\nSent:\tMonday\n\nOLD",
    "original message, Spanish": "-----Mensaje original-----\nDe: Ole\n\nOLD",
    "forwarded by": "---------------------- Forwarded by Ole Berg/HOU on 10/05/2000 09:00 AM ---\n\nOLD",
    "begin forwarded": "Begin forwarded message:\n\nFrom: Ole\n\nOLD",
    "English": "On Mon, Oct 5, 2026 at 9:00 AM Ole Berg <ole@example.org> wrote:\n\n> OLD",
    "English, over two lines": "On Mon, Oct 5, 2026 at 9:00 AM Ole Berg <\nole@example.org> wrote:\n\n> OLD",
    "English, without marks": "On Mon, Oct 5, 2026 at 9:00 AM Ole Berg <ole@example.org> wrote:\n\nOLD\nOLD",
    "English, name first": "Ole Berg <ole@example.org> wrote:\n> OLD",
    "German": "Am Mo., 5. Okt. 2026 um 09:00 Uhr schrieb Ole Berg <ole@example.org>:\n\n> OLD",
    "French": "Le lun. 5 oct. 2026 à 09:00, Ole Berg <ole@example.org> a écrit :\n\n> OLD",
    "Spanish": "El lun, 5 oct 2026 a las 9:00, Ole Berg (<ole@example.org>) escribió:\n\n> OLD",
    "Italian": "Il giorno lun 5 ott 2026 alle ore 09:00 Ole Berg <ole@example.org> ha scritto:\n\n> OLD",
    "Portuguese": "Em seg., 5 de out. de 2026 às 09:00, Ole Berg <ole@example.org> escreveu:\n\n> OLD",
    "Dutch": "Op ma 5 okt 2026 om 09:00 schreef Ole Berg <ole@example.org>:\n\n> OLD",
    "Dutch, name first": "Ole Berg <ole@example.org> schreef op 5 okt 2026:\n\nOLD",
    "Swedish": "Den mån 5 okt. 2026 kl 09:00 skrev Ole Berg <ole@example.org>:\n\n> OLD",
    "Polish": "pon., 5 paź 2026 o 09:00 Ole Berg <ole@example.org> napisał(a):\n\n> OLD",
    "Zoho": "---- On Thu, 06 Mar 2025 15:14:00 +0100 Ole Berg <ole@example.org> wrote ----\n\nOLD",
    "Zoho, over two lines": "---- On Thu, 06 Mar 2025 15:14:00 +0100 Ole Berg\n<ole@example.org> wrote ----\n\nOLD",
    "day, hour and zone": "2025-03-06 15:14 GMT+01:00 Ole Berg <ole@example.org>:\n\n> OLD",
    "day, hour and zone, without marks": "2025-03-06 15:14 GMT+01:00 Ole Berg <ole@example.org>:\n\nOLD",
    "Finnish": "pe 9. lokakuuta 2026 klo 9.50 Ole Berg\n<ole@example.org> kirjoitti:\n\nOLD",
    "Russian, without a verb": "пт, 9 окт. 2026 г. в 15:19, Ole Berg <ole@example.org>:\n\nOLD",
    "Russian, day first": '09.10.2026 14:20 пользователь "ole@example.org" <\nole@example.org> написал:\n\n> OLD',
    "Italian, with a year": 'In data 9 ottobre 2026 21:11:31 "Ole Berg" <ole@example.org> ha scritto:\n\nOLD',
    "Danish, with a title": (
        "-------- Oprindelig besked --------\nFra: Ole <ole@example.org>\nDato: 09.10.2026 17.45\nTil: m@e.org\nEmne: "
        "Frø\n\nOLD"
    ),
    "the date first": (
        "Date: Fri, 9 Oct 2026 13:53:45 +0400\nSubject: Seeds\nFrom: ole@example.org\nTo: mara@example.org\n\nOLD"
    ),
    "Japanese": "2026年10月5日(月) 9:00 山田 <ole@example.jp>:\n\nOLD",
    "Korean": "2026년 10월 5일 (월) 오전 9:00, 김 <ole@example.kr>님이 작성:\n\nOLD",
    "Greek": "Στις Δευ 5 Οκτ 2026 στις 9:00 π.μ., ο χρήστης Ole <ole@example.gr> έγραψε:\n\n> OLD",
    "Romanian": "În lun., 5 oct. 2026 la 09:00, Ole <ole@example.ro> a scris:\n\n> OLD",
    "Ukrainian": "пн, 5 жовт. 2026 р. о 09:00 Оле <ole@example.ua> пише:\n\n> OLD",
    "Vietnamese": "Vào Th 2, 5 thg 10, 2026 vào lúc 09:00 Ole <ole@example.vn> đã viết:\n\n> OLD",
    "Catalan": "Missatge de Ole <ole@example.cat> del dia dl., 5 d'oct. 2026 a les 9:00:\n\n> OLD",
    "Mutt": "* Ole Berg <ole@example.org> [2026-10-05 09:00:12 +0200]:\n\n> OLD",
    "a webmailer": "Quoting Ole Berg <ole@example.org>:\n\n> OLD",
    "Outlook, Czech": "Od: Ole <o@e.cz>\nOdesláno: pondělí 5. října 2026 9:00\nKomu: Eva\nPředmět: RE: Semena\n\nOLD",
    "Outlook, Hungarian": "Feladó: Ole <o@e.hu>\nElküldve: 2026. október 5. 9:00\nCímzett: Anna\nTárgy: Mag\n\nOLD",
    "Outlook, Romanian": "De la: Ole <o@e.ro>\nTrimis: luni, 5 octombrie 2026 09:00\nCătre: Ana\nSubiect: RE: x\n\nOLD",
    "Outlook, Turkish": "Kimden: Ole <o@e.tr>\nGönderildi: 5 Ekim 2026 Pazartesi\nKime: Can\nKonu: YNT: x\n\nOLD",
    "Outlook, Ukrainian": "Від: Оле <o@e.ua>\nНадіслано: 5 жовтня 2026 р.\nКому: Оля\nТема: Re: x\n\nOLD",
    "Outlook, Arabic": "من: علي <o@e.sa>\nتم الإرسال: 05/أكتوبر/2026\nإلى: سارة\nالموضوع: رد\n\nOLD",
    "Outlook, Taiwan": "寄件者: 王偉 <o@e.tw>\n寄件日期: 2026年10月5日 上午 09:00\n收件者: 李娜\n主旨: 回覆\n\nOLD",
    "marks alone": "> OLD\n> OLD\n>\n>> OLD",
}
FOOTERS = {
    "telephone": "Sent from my iPhone",
    "telephone, German": "Von meinem iPhone gesendet",
    "Outlook": "Get Outlook for iOS",
    "dashes": "-- \nMara Lind\nGardens Ltd\n+49 30 1234",
    "regards": "Best regards,\nMara",
    "best": "Best\nMara",
    "thanks": "Thanks!\nMara",
    "thanks alone": "Thanks!",
    "cheers, name apart": "Cheers,\n\nMara",
    "closing, house and telephone": "All the best,\nMara Lind\n+49 30 123 456",
    "closing, German": "LG\nMara",
    "closing, German, from": "Viele Grüße aus Köln\nMara",
    "closing, French": "Bien à vous,\nMara",
    "closing, Italian": "Un abbraccio\nmara",
    "confidential": "This e-mail and any files transmitted with it are confidential and intended solely for the "
    "use of the individual or entity to whom they are addressed.",
    "confidential, headed": "CONFIDENTIALITY NOTICE\nThis message may contain privileged information. If you "
    "received this in error, delete it.",
    "confidential, German": "Diese E-Mail enthält vertrauliche Informationen. Wenn Sie nicht der richtige "
    "Empfänger sind, löschen Sie diese Nachricht.",
    "newsletter": "You are receiving this email because you signed up at example.org.\nUnsubscribe | Preferences",
    "newsletter, address below": "Unsubscribe from this list\n\nGardens Ltd, 1 Street, City",
    "mailing list": "_______________________________________________\nGarden mailing list\n"
    "Garden@example.org\nhttps://example.org/listinfo/garden",
    "two of them": "Sent from my iPad\n\nThis message is confidential and intended only for the addressee.",
}


@pytest.mark.parametrize("name", QUOTES)
def test_a_reply_comes_without_the_text_it_quotes(name: str) -> None:
    assert reply_text(f"Yes, Tuesday is fine.\n\n{QUOTES[name]}") == "Yes, Tuesday is fine."


@pytest.mark.parametrize("name", FOOTERS)
def test_what_nobody_wrote_is_no_body(name: str) -> None:
    assert reply_text(f"Yes, Tuesday is fine.\n\n{FOOTERS[name]}") == "Yes, Tuesday is fine."
    below = f"Yes, Tuesday is fine.\n\n{FOOTERS[name]}\n\n{QUOTES['Outlook']}"
    assert reply_text(below) == "Yes, Tuesday is fine."


OWN_WORDS = (
    "On Monday Ole wrote: we need soil. I agree with that.\n\nSecond paragraph.",
    "Trip plan\n\nFrom: Berlin\nTo: Oslo\n\nWe leave at ten.",
    "Warning: the pump is broken.\n\nPlease call the plumber.",
    "The price is confidential, tell nobody.\n\nThe seeds cost 5 euros.",
    "Please unsubscribe Ole from the newsletter, he has moved.",
    "Thanks,\nI will do that on Monday. Order 5512 must be paid.\n\nMore tomorrow: we need soil.",
    "In 2024 Ole wrote:\n\na book about seeds, and another one about soil.",
    "Subject: seeds\nThey are sown on Monday.",
    "To do:\n\n- one\n- two",
    "The journey\n\nFrom: Berlin\nTo: Oslo\nDate: 5 May\n\nWe leave at ten.",
    "The boxes are here.\n\nSent from the warehouse on Monday.",
    "Hello.\n\nChange your settings before Monday, then restart.",
    "Hello.\n\nYou received this message because you asked for the price: it is 5 euros.",
    "Thanks!",
    "Thanks!\nMara",
    "Hi Ole,\n\nThanks!\nMara",
    "It is paid.\n\nThanks!\nPlease bring the tent on Monday.",
    "It is paid.\n\nBest wine of the year:\nthe red one",
    "The house:\n\nBest\nwhat we saw, and the next one?",
    "---- On sale ----\n\nThe seeds cost 5 euros.",
    "2025-03-06 15:14 we met at the gate:\n\nit was closed.",
    "I sent from my account the whole sum, 300 euros.\n\nIt has arrived.",
    "The plan is fine.\n\nFrom my side that is all.",
    "Hello.\n\nDatum: 5. Mai\nBetreff: Treffen\nVon: 10 Uhr bis 12 Uhr\nAn: alle\n\nBitte kommt pünktlich.",
    "Termin am Dach:\n\nVon: 10 Uhr\nBis: 11 Uhr\n\nAn: alle\nBetreff: Dach\n\nBitte bringt Leitern.",
    "Two beds.\n\n-----\nThe Second Bed\nIt needs soil, ask ole@example.org for some.",
    "Please note:\n\nSend the report by 10 May 2025 10:00 to mara@example.org:\n\nThe seeds have come.",
    "Please note:\n\nThe talk of 5 May 2025 at 10:00 went as Ole wrote:\n\nThe seeds have come.",
)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("The gate is shut.\nThanks.", "The gate is shut."),
        ("The gate is shut.\nThx, Ole", "The gate is shut."),
        ("The gate is shut.\nBest,\nOle Berg\n+49 30 1234567", "The gate is shut."),
        ("The gate is shut.\nThanks, that helps.", "The gate is shut.\nThanks, that helps."),
        ("Films for Sunday:\n\nLove, Actually\nTitanic", "Films for Sunday:\n\nLove, Actually\nTitanic"),
        ("Hi Ole,\n\nThanks.", "Hi Ole,\n\nThanks."),
        ("Beds:\n\n- north\n    - kale", "Beds:\n\n- north\n    - kale"),
    ],
)
def test_closing_words_go_and_what_is_said_stays_as_it_is_laid_out(text: str, own: str) -> None:
    assert reply_text(text) == own


@pytest.mark.parametrize("words", OWN_WORDS)
def test_own_words_that_look_like_a_quote_stay(words: str) -> None:
    assert reply_text(words) == words


@pytest.mark.parametrize(
    ("announced", "first", "second"),
    [
        ("On Mon, Oct 5, 2026 Ole wrote:", "Tuesday at ten.", "In the greenhouse."),
        ("Am 5.10.2026 um 09:00 schrieb Ole Berg:", "Dienstag um zehn.", "Im Gewächshaus."),
    ],
)
def test_answers_between_quoted_lines_stay(announced: str, first: str, second: str) -> None:
    found = reply_text(f"Hi,\n\n{announced}\n> When?\n\n{first}\n\n> Where?\n> Exactly?\n\n{second}\n")
    assert found == f"Hi,\n\n{first}\n\n{second}"


WORDS = st.sampled_from("tea seed soil On Mara wrote: From: To: > -- Thanks, 12:30 confidential Subject: the".split())


@settings(max_examples=100)
@given(st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=12))
def test_nothing_is_made_up_and_something_always_stays(lines: list[str]) -> None:
    """What is left of a mail are words of that mail; a mail with words never becomes an empty one."""
    whole = "\n".join(lines)
    left = reply_text(whole)
    assert set(left.split()) <= set(whole.replace(">", " ").split()) | set(whole.split())
    assert bool(left) == bool(whole.replace(">", "").strip())


HTML = {
    "Gmail": '<div>Yes, fine.</div><div class="gmail_quote"><div class="gmail_attr">On Mon, Oct 5, 2026 at 9:00 AM '
    'Ole &lt;ole@example.org&gt; wrote:<br></div><blockquote class="gmail_quote">OLD<br>OLD</blockquote></div>',
    "Outlook": "<p>Yes, fine.</p><div style='border-top:solid'><p><b>From:</b> Ole<br><b>Sent:</b> Monday<br>"
    "<b>To:</b> Mara<br><b>Subject:</b> x</p></div><p>OLD</p>",
    "Apple": '<div>Yes, fine.<br><blockquote type="cite"><div>On 5 Oct 2026, at 09:00, Ole wrote:</div>OLD'
    "</blockquote></div>",
}


@pytest.mark.parametrize("name", HTML)
def test_html_comes_without_what_its_program_cited(name: str) -> None:
    assert html_reply_text(HTML[name]) == "Yes, fine."


def test_html_keeps_answers_quotations_of_the_sender_and_a_mail_that_is_only_a_quote() -> None:
    cited = '<blockquote type="cite">{}</blockquote>'
    assert html_reply_text(f"{cited.format('When?')}<p>Tuesday.</p>{cited.format('Where?')}<p>Here.</p>") == (
        "Tuesday.\n\nHere."
    )
    assert "Mehr Licht!" in html_reply_text("<p>He said:</p><blockquote>Mehr Licht!</blockquote>")
    assert html_reply_text(cited.format("All of it.")) == "All of it."


HEAD = (
    "From: Mara <mara@example.org>\nTo: ole@example.org\nSubject: Seeds\nDate: Mon, 5 Oct 2026 09:00:00 "
    "+0200\nMIME-Version: 1.0\n"
)
FORWARDED = (
    HEAD
    + """Content-Type: multipart/mixed; boundary=o

--o
Content-Type: text/plain

See the attached mail.
--o
Content-Type: message/rfc822

From: Ole <ole@example.org>
Subject: The hidden plan
Content-Type: multipart/alternative; boundary=i

--i
Content-Type: text/plain

NOT THE BODY
--i
Content-Type: text/html

<p>NOT THE BODY</p>
--i--
--o
Content-Type: text/calendar; method=REQUEST

BEGIN:VCALENDAR
--o--
"""
)


def test_an_attached_mail_and_an_invitation_are_no_body() -> None:
    source = mail(FORWARDED)
    assert text(source) == "See the attached mail." and "NOT THE BODY" not in source.raw_content
    assert source.provenance["attachments"] == ["The hidden plan", "text/calendar"]


BASE64 = {
    "a list's footer below it": (b"SGVsbG8gZnJvbSBhIGxpc3QuCg==\n____\nM\xfcller\n", "Hello from a list.", "Müller"),
    "a footer, no padding": (b"SGVsbG8gZnJvbSBhIGxpc3Qu\n\nThe list.\n", "Hello from a list.", "The list."),
    "several lines": (b"SGVsbG8gZnJv\nbSBhIGxpc3Qu\nCg==\nGarden\nhttps://x.example\n", "Hello from a list.", "Garden"),
    "no base64": (b"readable, not base64!\n", "readable, not base64!", ""),
    "no base64 below a word that could be": (b"Dear\nOle, it is paid.\n", "Dear\nOle, it is paid.", ""),
    "a lost padding": (b"SGVsbG8gZnJvbSBhIGxpc3Q", "Hello from a list", ""),
}


@pytest.mark.parametrize("name", BASE64)
def test_plain_text_in_base64_never_makes_it_garbage(name: str) -> None:
    written, body, below = BASE64[name]
    head = HEAD + "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
    found = json.loads(mail(head.encode() + written).raw_content)["body"]
    assert found.startswith(body) and below in found[len(body) :]
    assert found.strip() == body or below


def test_html_that_goes_on_where_the_text_ends_is_read_too() -> None:
    parts = HEAD + (
        "Content-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: text/plain\n\n{}\n--o\n"
        "Content-Type: image/png; name=plan.png\n\nx\n--o\nContent-Type: text/html\n\n<p>{}</p>\n--o--\n"
    )
    source = mail(parts.format("This is the first half of it.", "And this is the second half."))
    assert text(source) == "This is the first half of it.\n\nAnd this is the second half."
    assert json.loads(source.raw_content)["attachments"] == ["plan.png"]


HEADERS = {
    "RFC 2047": ("=?utf-8?B?R3LDvMOfZQ==?= =?iso-8859-1?Q?_aus_K=F6ln?=", "Grüße aus Köln"),
    "RFC 2047, folded": ("=?utf-8?Q?Gr=C3=BC=C3=9Fe?=\n =?utf-8?Q?_aus?=", "Grüße aus"),
    "raw UTF-8": ("Grüße", "Grüße"),
    "an unknown charset": ("=?x-klingon?Q?Tea?=", "Tea"),
    "cut within a letter": ("=?utf-8?Q?R=C3=A9union_de_lundi_=C3?=", "Réunion de lundi \ufffd"),
    "broken base64": ("=?utf-8?B?R3L?=", None),
    "controls": ("Tea\x07 \u202etime", "Tea time"),
    "nothing": ("", "E-mail from Mara"),
}


@pytest.mark.parametrize("name", HEADERS)
def test_a_subject_is_decoded_and_never_costs_the_mail(name: str) -> None:
    written, title = HEADERS[name]
    source = mail(f"From: Mara <mara@example.org>\nSubject: {written}\nTo: ole@example.org\n\nThe body.\n")
    assert text(source) == "The body." and (source.title == title or (title is None and source.title))


def test_headers_and_text_in_an_encoding_that_nothing_declares() -> None:
    written = "From: Jörg Große <j@example.org>\nSubject: Größe\nTo: ole@example.org\n\nGrüße\n"
    source = mail(written.encode("latin-1"))
    assert (source.title, text(source)) == ("Größe", "Grüße") and "Jörg Große" in source.participants
    assert source.provenance["encoding_guessed"] is True


def test_headers_and_text_in_seven_bits_of_japanese() -> None:
    written = "From: 山田 <taro@example.jp>\nSubject: 会議\nTo: ole@example.org\n\n会議は十時です。\n"
    source = mail(written.encode("iso2022_jp"))
    assert (source.title, text(source)) == ("会議", "会議は十時です。") and "山田" in source.participants


@pytest.mark.parametrize(
    "date",
    [
        "",
        "yesterday",
        "Mon, 99 Foo 2026",
        "0",
        "Thu, 01 Jan 0001 00:00:00 +0000",
        "-",
        "Thu, 01 Jan 1970 00:00:00 +0000",
        "Wed, 31 Dec 1969 19:00:00 -0500",
    ],
)
def test_an_unknown_date_stays_unknown(date: str) -> None:
    assert mail(f"From: Mara <m@example.org>\nSubject: x\nDate: {date}\n\nBody\n").started_at is None


@pytest.mark.parametrize("charset", ["windows-1252", "koi8-r", "shift_jis", "gb2312", "utf-7", "iso-2022-jp"])
def test_odd_charsets_are_read_as_declared(charset: str) -> None:
    words = {"koi8-r": "Привет, Мара", "shift_jis": "こんにちは", "gb2312": "你好吗", "iso-2022-jp": "こんにちは"}
    body = words.get(charset, "Grüße")
    head = f"From: Mara <m@example.org>\nSubject: x\nContent-Type: text/plain; charset={charset}\n\n".encode()
    assert text(mail(head + body.encode(charset))) == body


@pytest.mark.parametrize(
    "broken",
    [
        b"From: Mara <m@example.org>\nnot a header at all\nSubject: x\n\nBody\n",
        b"Received: x\n\tby y\nFrom: \xff\xfe <m@example.org>\nSubject: \xe4\n\nBody\n",
        b'From: "Mara <m@example.org>\nSubject: x\nMessage-ID: no brackets\nReferences: <a\n\nBody\n',
        b"From: Mara <m@example.org>\r\nSubject: x\r\nContent-Transfer-Encoding: base64\r\n\r\nBody\r\n",
        b'From: Mara <m@example.org>\nSubject: x\nContent-Type: text/plain; charset="\x80"\n\nBody\n',
        b"From: Mara <m@example.org>\nSubject: x\nContent-Type: /;;=\n\nBody\n",
    ],
)
def test_broken_headers_never_cost_the_mail(broken: bytes) -> None:
    source = mail(broken)
    assert source.title and clean("email", source.raw_content)
    assert b"base64" in broken or "Body" in source.raw_content


def test_headers_go_on_behind_a_line_that_is_none() -> None:
    source = mail(
        "From: Mara <m@example.org>\nlitter\nSubject: a long\nsubject\nDate: Mon, 5 Oct 2026 09:00:00 "
        "+0200\n\nBody: it\n"
    )
    assert (source.title, source.participants, text(source)) == ("a long subject", ("Mara",), "Body: it")
    assert source.started_at is not None


def test_ancestors_are_told_the_nearest_first() -> None:
    source = mail(
        "From: Mara <m@example.org>\nSubject: x\nMessage-ID: <d@x>\nIn-Reply-To: <c@x>\n"
        "References: <a@x> <b@x> <c@x> <d@x>\n\nBody\n"
    )
    assert (source.message_id, source.in_reply_to, source.thread_id) == ("d@x", "c@x", "a@x")
    assert source.ancestors == ("b@x", "a@x")


@pytest.mark.parametrize(
    "line",
    ["Sent from Windows Mail", "(sent from a phone)", "<<sent by galaxy>>", (
        "Hol dir Outlook für Android"
    ), "Отправлено с iPhone",
     "Télécharger Outlook pour iOS<https://e.org/x>", "iPhoneから送信", "Wysłane z iPhone'a", "從我的 iPhone 傳送",
     "Diese Nachricht wurde von meinem Android-Mobiltelefon mit K-9 Mail gesendet."],
)  # fmt: skip
def test_the_line_of_a_device_is_no_body(line: str) -> None:
    assert reply_text(f"The gate closes at nine.\n\n{line}") == "The gate closes at nine."


def test_a_report_that_lists_headers_keeps_what_follows() -> None:
    listed = (
        "It was about a mail with these headers:\n\nDate: Mon, 5 Oct 2026 09:00:00 +0200\nSubject: Seeds\nTo: "
        "mara@example.org\n\nNobody lives there."
    )
    assert "Nobody lives there." in reply_text(listed)


def test_a_meetings_date_subject_and_hours_head_no_quote() -> None:
    minutes = (
        "Please find the minutes.\n\nDate: 9 October 2026\nSubject: Seed order\nFrom: 9 to 11\n\nWe agreed on kale."
    )
    assert reply_text(minutes) == minutes


def test_a_ruler_breaks_the_line_above_a_quote() -> None:
    quoted = "<b>From: </b>ole@e.org<br><b>To: </b>m@e.org<br><b>Sent: </b>Friday<br><b>Subject: </b>Seeds<br><br>OLD"
    assert html_reply_text(f"<div>They grow.<div>Mara<hr>{quoted}</div></div>") == "They grow.\nMara"


def test_raw_bytes_in_an_encoded_word_are_of_its_charset() -> None:
    source = mail(b"From: m@e.org\r\nTo: o@e.org\r\nSubject: =?iso-8859-1?Q?Die_Fr\xf6sche?=\r\n\r\nx\r\n")
    assert source.title == "Die Frösche"


def test_a_header_with_letters_that_no_name_has_is_no_part_of_the_subject() -> None:
    source = mail(b"Subject: Seeds\nX-T\xf6: value\nFrom: m@e.org\nTo: o@e.org\n\nx\n")
    assert (source.title, source.participants) == ("Seeds", ("m", "o"))


MULTIPART = b'Content-Type: multipart/mixed; boundary="cut"\n\n--cut\nContent-Type: text/plain\n\nThey grow.\n'


@pytest.mark.parametrize("name", ["a.eml", "a.txt", "cut"])
def test_a_mail_of_which_only_the_contents_headers_are_left_is_a_mail(name: str) -> None:
    assert recognise(MULTIPART, name).kind is SourceType.EMAIL
    assert text(mail(MULTIPART)) == "They grow."


def test_bytes_that_are_no_text_cost_the_part_and_not_the_mail() -> None:
    binary = b"--cut\nContent-Type: image/png\nContent-Transfer-Encoding: binary\n\n\x89PNG\x00\x01\x00\n--cut--\n"
    data = b"From: m@e.org\nTo: o@e.org\nSubject: Seeds\n" + MULTIPART + binary
    assert recognise(data, "mail").kind is SourceType.EMAIL
    assert text(mail(data)) == "They grow."


@pytest.mark.parametrize("more", ["", '; boundary="other"', '; boundary=""'])
def test_parts_are_found_by_their_lines_where_the_boundary_is_wrong(more: str) -> None:
    parts = "--cut\nContent-Type: text/plain\n\nThey grow.\n--cut\nContent-Type: image/png\n\nxx\n--cut--\n"
    source = mail(f"From: m@e.org\nSubject: Seeds\nMIME-Version: 1.0\nContent-Type: multipart/mixed{more}\n\n{parts}")
    assert (text(source), source.provenance["attachments"]) == ("They grow.", ["image/png"])


def test_a_mails_only_text_is_read_though_it_has_a_files_name_unless_it_is_attached() -> None:
    head = 'From: m@e.org\nSubject: Seeds\nMIME-Version: 1.0\nContent-Type: text/plain; name="a.txt"\n'
    assert text(mail(head + "\nThey grow.")) == "They grow."
    attached = mail(head + 'Content-Disposition: attachment; filename="a.txt"\n\nThey grow.')
    assert (text(attached), attached.provenance["attachments"]) == ("", ["a.txt"])


@pytest.mark.parametrize(
    ("date", "hour"),
    [("Mon, 5 Oct 2026 09:00:00 -0800 (GMT-0800)", 17), ("Mon, 5 Oct 2026 19:00:00 CEST", 17), ("Mon, 5 Oct 2026 18:00:00 +0100 (CET)", 17),  # noqa: E501
     ("Monday, October 5, 2026 5:00 PM", 17), ("Mon, 5 Oct 2026 12:00:00 AM", 0), ("Mon, 5 Oct 2026 17:00:00 PM", 17), ("Mon, 5 Oct 2026 12:00:00 EST", 17)],  # noqa: E501
)  # fmt: skip
def test_zones_comments_and_halves_of_the_day_in_a_date(date: str, hour: int) -> None:
    source = mail(f"From: m@e.org\nTo: o@e.org\nSubject: Seeds\nDate: {date}\n\nx\n")
    assert source.started_at is not None
    assert source.started_at.isoformat() == f"2026-10-05T{hour:02d}:00:00+00:00"


HEADERS_OF = "From: m@e.org\nTo: o@e.org\nSubject: {}\n"
MAILBOXES = {
    "a sentence that begins with From": ("Hello\n\nFrom here on it rains in 2026\nyes\n", ""),
    "quoted lines": ("Hello\n\n>From here on it rains in 2026\nyes\n", ""),
    "a length": ("Hello\n\nFrom x@e.org Mon Oct  5 09:00:00 2026\nFrom: no header\n", "Content-Length: {}\n"),
    "a wrong length": ("Hello\n", "Content-Length: 7777\n"),
    "a length that ends elsewhere": ("Hello\n", "Content-Length: 3\n"),
}


def mailbox(data: str, name: str = "a.mbox") -> list[RawSource]:
    raw = data.encode()
    chosen = recognise(raw, name)
    assert chosen.kind is SourceType.EMAIL
    return [found for found in chosen.read(Document(io.BytesIO(raw), name, len(raw))) if isinstance(found, RawSource)]


@pytest.mark.parametrize("name", MAILBOXES)
@pytest.mark.parametrize(
    "line",
    [
        "From m@e.org Mon Oct  5 09:00:00 2026",
        "From - Mon Oct 05 09:00:00 2026",
        "From m at e.org  Mon Oct  5 09:00:00 2026",
    ],
)
def test_a_mailbox_is_cut_between_its_mails_and_nowhere_else(name: str, line: str) -> None:
    body, length = MAILBOXES[name]
    first = HEADERS_OF.format("One") + length.format(len(body)) + "\n" + body
    found = mailbox(f"{line}\n{first}\n{line}\n{HEADERS_OF.format('Two')}\nAnd two\n")
    assert [source.title for source in found] == ["One", "Two"]
    assert text(found[0]).replace("\n\n", "\n") == body.replace("\n\n", "\n").replace("\n>From", "\nFrom").strip()
    assert text(found[1]) == "And two"


def test_a_mailbox_whose_lines_between_mails_lack_something_is_cut_all_the_same() -> None:
    stamp = "From m@e.org Mon Oct  5 09:00:00 2026"
    no_empty_line = f"{stamp}\n{HEADERS_OF.format('One')}\nHello\n{stamp}\n{HEADERS_OF.format('Two')}\nAnd two\n"
    assert [source.title for source in mailbox(no_empty_line)] == ["One", "Two"]
    no_sender = (
        f"From - Mon Oct 05 09:00:00 2026\n{HEADERS_OF.format('One')}\nHello\n\nFrom \n{HEADERS_OF.format('Two')}\nAnd "
        "two\n"
    )
    assert [source.title for source in mailbox(no_sender)] == ["One", "Two"]
    no_headers = f"{stamp}\nHello\n\n{stamp}\nAnd two\n"
    assert [text(source) for source in mailbox(no_headers)] == ["Hello", "And two"]


def test_a_mail_below_its_length_ends_before_its_programs_notes() -> None:
    written = HEADERS_OF.format("One") + "\nHello\n"
    (source,) = mailbox(f"{len(written)}\n{written}<?xml version='1.0'?>\n<plist><dict/></plist>\n", "1.emlx")
    assert (source.title, text(source)) == ("One", "Hello")
    assert recognise(f"7\n{written}".encode(), "seven.txt").kind is SourceType.NOTE  # another number is no length


MEMBERS = (
    "Date: Mon, 5 Oct 2026 09:00:00 +0200\nFrom: Mara Lind <mara@example.org>\nSubject: Seeds\n"
    "Message-ID: <one@example.org>\n\nThe séeds have come.\n",
    "Date: Tue, 6 Oct 2026 09:00:00 +0200\nFrom: Ole <ole@example.org>\nSubject: Re: Seeds\n"
    "Message-ID: <two@example.org>\nIn-Reply-To: <one@example.org>\n\nGood.\n\n> The seeds have come.\n",
)
DIGEST_HEAD = "From: list@example.org\nSubject: Garden digest, Vol 1\nDate: Wed, 7 Oct 2026 09:00:00 +0200\n"


def digest_of(layout: str) -> str:
    if layout == "text":
        numbered = [f"Message: {number}\n{member}" for number, member in enumerate(MEMBERS, start=1)]
        listed = f"\n{'-' * 30}\n\n".join(numbered)
        return f"{DIGEST_HEAD}\nToday's topics.\n\n{'-' * 70}\n\n{listed}\n{'-' * 30}\n\nEnd of Garden digest\n"
    parts = "".join(
        f"--b\nContent-Type: message/rfc822\n\nContent-Type: text/plain; charset=utf-8\n{m}\n" for m in MEMBERS
    )
    return f"{DIGEST_HEAD}MIME-Version: 1.0\nContent-Type: multipart/digest; boundary=b\n\n{parts}--b--\n"


@pytest.mark.parametrize("layout", ["text", "parts"])
def test_the_mails_of_a_digest_are_mails(layout: str) -> None:
    raw = digest_of(layout).encode()
    own, first, second = FORMATS[SourceType.EMAIL].read(Document(io.BytesIO(raw), "a.eml", len(raw)))
    assert isinstance(own, RawSource) and isinstance(first, RawSource) and isinstance(second, RawSource)
    assert (own.title, text(own)) == ("Garden digest, Vol 1", "Today's topics." if layout == "text" else "")
    assert (first.title, first.participants, text(first)) == ("Seeds", ("Mara Lind",), "The séeds have come.")
    assert (second.in_reply_to, text(second)) == ("one@example.org", "Good.")
    assert str(second.started_at) == "2026-10-06 07:00:00+00:00" and second.provenance["digest"] == own.title


def test_a_mail_with_a_drawn_line_and_headers_below_it_is_no_digest() -> None:
    raw = f"{HEAD}\nThe minutes.\n\n{'-' * 70}\n\nFrom: Berlin\nDate: Monday\n\nBy train.\n"
    assert json.loads(mail(raw).raw_content)["body"].count("By train.") == 1


def test_a_line_drawn_within_a_mail_of_a_digest_loses_nothing() -> None:
    raw = digest_of("text").replace("séeds have come.\n", f"séeds have come.\n{'-' * 30}\nSow them in May.\n").encode()
    _, first, second = FORMATS[SourceType.EMAIL].read(Document(io.BytesIO(raw), "a.eml", len(raw)))
    assert isinstance(first, RawSource) and isinstance(second, RawSource)
    assert "Sow them in May." in text(first) and text(second) == "Good."


@pytest.mark.parametrize(
    "body",
    [
        "Here are the contacts:\n\n---\nMara Lind\nmara@example.org\n---\nOle Berg\nole@example.org",
        "The venue is:\n----\nHotel Adler\nTel +49 30 226100",
        "Venue\n-----\nHotel Adler\nTel +49 30 226100",
        "Hi,\n\nVacation:\nFrom: 12 May 2026\nTo: 16 May 2026\nSubject: annual leave\n\nPlease approve.",
        "Hello.\nQuoting Ole from his mail to sales@example.org:\nwe will pay in May.\n\nI agree with that.",
        (
            "Contacts:\n* Ole Berg <ole@example.org> [Sales department]:\n call him tomorrow\n* Mara Lind "
            "<mara@example.org> [Technics]:\n write to her"
        ),
    ],
)
def test_lists_of_people_and_days_off_are_the_mails_own(body: str) -> None:
    assert reply_text(body).split() == body.split()


def turns(source: RawSource) -> list[tuple[str | None, str]]:
    return [(turn.speaker, turn.text) for turn in clean("email", source.raw_content).turns]


def from_mara(subject: str, body: str, kind: str = "plain") -> RawSource:
    head = f"From: Mara Lind <mara@example.org>\nTo: eva@example.org\nSubject: {subject}\n"
    return mail(f"{head}MIME-Version: 1.0\nContent-Type: text/{kind}; charset=utf-8\n\n{body}\n")


OUTLOOK = "From: Ole Berg <ole@example.org>\nSent: Monday, October 5, 2026 9:00 AM\nTo: Mara\nSubject: Boat\n\n"
BOAT = "I have bought a boat."
FORWARDS = {
    "Gmail": f"---------- Forwarded message ---------\n{OUTLOOK}{BOAT}",
    "Outlook": f"-----Original Message-----\n{OUTLOOK}{BOAT}",
    "Outlook, below a rule": f"________________________________\n{OUTLOOK}{BOAT}",
    "Apple": (
        "Begin forwarded message:\n\n> From: Ole Berg <ole@example.org>\n> Date: 5 October 2026\n> To: Mara\n"
        f"> Subject: Boat\n>\n> {BOAT}"
    ),
    "German": (
        "-----Ursprüngliche Nachricht-----\nVon: Ole Berg [mailto:ole@example.org]\nGesendet: Montag\nAn: Mara\n"
        f"Betreff: Boot\n\n{BOAT}"
    ),
    "Lotus": (
        "---------------------- Forwarded by Mara Lind/HOU on 10/05/2000 \n09:00 AM ---------------------------\n\n\n"
        f"Ole Berg@EXAMPLE\n10/05/2000 08:00 AM\nTo:\tMara Lind/HOU/EX@EX\ncc:\t \nSubject:\tBoat\n\n{BOAT}"
    ),
    "Lotus, one line": (
        "---------------------- Forwarded by Mara Lind/HOU on 10/05/2000 09:00 AM ---\n"
        f'"Ole Berg" <ole@example.org> on 10/05/2000 08:00:50 AM\nTo:\tMara\ncc:\t\nSubject:\tBoat\n\n{BOAT}'
    ),
}


@pytest.mark.parametrize("subject", ["Fwd: Boat", "Boat"])
@pytest.mark.parametrize("name", FORWARDS)
def test_a_forward_without_a_comment_is_its_writers_word(name: str, subject: str) -> None:
    assert turns(from_mara(subject, FORWARDS[name])) == [("Ole Berg", BOAT)]


def test_a_comment_above_a_forward_is_the_forwarders() -> None:
    assert turns(from_mara("Fwd: Boat", f"A fine one.\n\nI envy him.\n\n{FORWARDS['Gmail']}")) == [
        ("Mara Lind", "A fine one."),
        ("Mara Lind", "I envy him."),
    ]


def test_what_a_forwarded_mail_quotes_is_not_its_writers_word() -> None:
    quoted = (
        f"{FORWARDS['Outlook']}\n\n-----Original Message-----\nFrom: Ben Ito\nSent: x\nTo: Ole\nSubject: x\n\nI sail."
    )
    assert turns(from_mara("Fwd: Boat", quoted)) == [("Ole Berg", BOAT), ("Ben Ito", "I sail.")]
    announced = "On Sun, Oct 4, 2026 at 9:00 AM Ben Ito <ben@example.org> wrote:"
    found = turns(from_mara("Fwd: Boat", f"{FORWARDS['Outlook']}\n\n{announced}\n> I sail."))
    assert found == [("Ole Berg", BOAT), (None, f"{announced}\nI sail.")]
    assert turns(from_mara("Fwd: Boat", f"{FORWARDS['Outlook']}\n\n> I sail.")) == [
        ("Ole Berg", BOAT),
        (None, "I sail."),
    ]


def test_a_heading_never_makes_words_the_senders_own() -> None:
    forged = FORWARDS["Gmail"].replace("Ole Berg", "Mara Lind")
    assert turns(from_mara("Fwd: Boat", forged)) == [(None, BOAT)]
    nameless = mail(f"Subject: Fwd: Boat\nTo: eva@example.org\nDate: Mon, 5 Oct 2026 09:00:00 +0200\n\n{forged}\n")
    assert turns(nameless) == [(None, BOAT)]


def test_a_mail_of_nothing_but_a_quote_is_nobodys_word() -> None:
    assert turns(from_mara("Boat", f"> {BOAT}")) == [(None, BOAT)]
    assert turns(from_mara("Boat", f'<blockquote type="cite">{BOAT}</blockquote>', "html")) == [(None, BOAT)]


def test_a_forward_in_html_is_its_writers_word() -> None:
    heading = "From: <b>Ole Berg</b> &lt;ole@example.org&gt;<br>Date: Mon, Oct 5, 2026<br>Subject: Boat<br>To: Mara<br>"
    cited = f"<div>Begin forwarded message:</div><div>{heading}</div><p>{BOAT}</p>"
    for html in (
        f"<div>---------- Forwarded message ---------<br>{heading}</div><p>{BOAT}</p>",
        f'<blockquote type="cite">{cited}</blockquote>',
    ):
        assert turns(from_mara("Fwd: Boat", html, "html")) == [("Ole Berg", BOAT)]


SAID_TO_BE_FORWARDED = (
    "Fwd: A boat", "FW: A boat", "Fw:A boat", "[Fwd: A boat]", "WG: Ein Boot", "[garden] Fwd: A boat",
    "[EXTERNAL] FW: A boat", "Fwd: Re: A boat", "A boat (fwd)", "TR: Un bateau", "RV: Un barco", "转发：船",
)  # fmt: skip


@pytest.mark.parametrize("subject", SAID_TO_BE_FORWARDED)
def test_of_a_forward_without_a_mark_the_opening_alone_is_the_forwarders(subject: str) -> None:
    source = from_mara(subject, f"Hi Eva,\n\nthis one is old but good.\n\n{BOAT}\n\nIt sank.")
    assert turns(source) == [
        ("Mara Lind", "Hi Eva,"),
        ("Mara Lind", "this one is old but good."),
        (None, BOAT),
        (None, "It sank."),
    ]
    assert turns(from_mara(subject, "See you on Friday.")) == [("Mara Lind", "See you on Friday.")]
    long = "\n".join([f"{number}:00 I sail on." for number in range(8)])
    assert turns(from_mara(subject, long)) == [(None, long)]


@pytest.mark.parametrize(
    "subject", ["Re: Fwd: A boat", "AW: WG: Ein Boot", "Re: A boat (fwd)", "Forward planning", "FWD"]
)
def test_an_answer_to_a_forward_is_its_senders_word(subject: str) -> None:
    assert turns(from_mara(subject, f"Thanks, Ole.\n\n{BOAT}")) == [("Mara Lind", "Thanks, Ole."), ("Mara Lind", BOAT)]


def test_html_below_a_forwarders_text_is_what_is_forwarded() -> None:
    parts = (
        "From: Mara Lind <mara@example.org>\nSubject: Fwd: Boat\nMIME-Version: 1.0\nContent-Type: multipart/mixed; "
        "boundary=o\n\n--o\nContent-Type: text/plain\n\nLook at this one, please.\n--o\n"
        f"Content-Type: image/png; name=boat.png\n\nx\n--o\nContent-Type: text/html\n\n<p>{BOAT}</p>\n--o--\n"
    )
    assert turns(mail(parts)) == [("Mara Lind", "Look at this one, please."), (None, BOAT)]


SENDER, MACHINE = "From: Ole Berg <ole@example.org>\n", "From: Berg Seeds <no-reply@example.org>\n"
SENT = [
    (SENDER, "The seeds are here.", False),
    (SENDER, "Please unsubscribe me from the list.", False),
    (SENDER + "List-Unsubscribe: <mailto:off@example.org>\n", "All seeds at half the price.", True),
    (SENDER + "List-Unsubscribe: <mailto:off@example.org>\nList-Post: <mailto:l@example.org>\n", "I disagree.", False),
    (SENDER + "List-Unsubscribe: <mailto:off@example.org>\nIn-Reply-To: <a@b>\n", "As you asked.", False),
    (SENDER + "Precedence: bulk\n", "Minutes of the meeting.", True),
    (SENDER + "Auto-Submitted: auto-replied (vacation)\nIn-Reply-To: <a@b>\n", "I am away until Monday.", True),
    (SENDER + "Auto-Submitted: no (a person)\n", "I am here.", False),
    (SENDER, "Shall we go?\n\nOn Mon, Oct 5, 2026 at 9:00 AM Berg Seeds wrote:\n> To unsubscribe click here", False),
    (SENDER, "How does one unsubscribe from the choir list?", False),
    (SENDER, "All seeds.\nTo unsubscribe please click here.", True),
    ("From: Ole Berg (Docs) <comments-noreply@example.org>\n", "I disagree.", False),
    (SENDER + "Auto-Submitted: no\n", "I am here.", False),
    (MACHINE, "Your order is on its way.", True),
    (SENDER, "All seeds at half the price.\n\nToo many mails? Unsubscribe here", True),
]


@pytest.mark.parametrize(("headers", "body", "is_bulk"), SENT)
def test_what_a_machine_sends_is_known(headers: str, body: str, is_bulk: bool) -> None:
    found = mail(f"{headers}To: Mara <mara@example.org>\nSubject: Seeds\n\n{body}\n")
    assert found.provenance.get("bulk", False) is is_bulk
