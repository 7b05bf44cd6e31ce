"""The kinds of secrets, and the keys, tokens and numbers of cards that their own shape or check gives away.

The patterns are detect-secrets' (Yelp, Apache 2.0), plugin by plugin: its ``denylist`` is searched for places,
because its ``analyze_string`` gives values only. Its verification over the network is never called; its entropy and
keyword plugins are left out: in prose they hit ordinary words. ``_LATER`` are documented prefixes that its last
release (1.5.0) lacks, or knows in fewer forms.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple

from detect_secrets.plugins.base import RegexBasedDetector

API_KEY = "api key"
ACCESS_TOKEN = "access token"
PRIVATE_KEY = "private key"
PASSWORD = "password"
CARD_NUMBER = "card number"
WEBHOOK = "webhook address"
KINDS = (API_KEY, ACCESS_TOKEN, PRIVATE_KEY, PASSWORD, CARD_NUMBER, WEBHOOK)
"""Every kind of secret, in the words that a mask shows."""


class Span(NamedTuple):
    """Characters ``start`` to ``end`` (exclusive) of a text are a secret of ``kind``."""

    start: int
    end: int
    kind: str


# A plugin, the kind of what it finds, and the words (lower case) of which one must be in a text that it can hit.
_BORROWED: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("aws.AWSKeyDetector", API_KEY, ("akia", "asia", "abia", "acca", "a3t", "aws")),
    ("artifactory.ArtifactoryDetector", API_KEY, ("akc",)),
    ("azure_storage_key.AzureStorageKeyDetector", API_KEY, ("accountkey=",)),
    ("cloudant.CloudantDetector", API_KEY, ("cloudant",)),
    ("ibm_cloud_iam.IbmCloudIamDetector", API_KEY, ("ibm", "bluemix")),
    ("ibm_cos_hmac.IbmCosHmacDetector", API_KEY, ("cos_", "cos-", "ibm")),
    ("mailchimp.MailchimpDetector", API_KEY, ("-us",)),
    ("sendgrid.SendGridDetector", API_KEY, ("sg.",)),
    ("softlayer.SoftlayerDetector", API_KEY, ("softlayer",)),
    ("square_oauth.SquareOAuthDetector", API_KEY, ("sq0csp",)),
    ("twilio.TwilioKeyDetector", API_KEY, ("ac", "sk")),
    ("discord.DiscordBotTokenDetector", ACCESS_TOKEN, (".",)),
    ("gitlab_token.GitLabTokenDetector", ACCESS_TOKEN, ("gl", "gr1348941")),
    ("jwt.JwtTokenDetector", ACCESS_TOKEN, ("eyj",)),
    ("npm.NpmDetector", ACCESS_TOKEN, ("_authtoken",)),
    ("pypi_token.PypiTokenDetector", ACCESS_TOKEN, ("pypi-",)),
    ("telegram_token.TelegramBotTokenDetector", ACCESS_TOKEN, (":aa",)),
)

# These match more than the secret: the name before it as well, or the whole line. Only the group counts.
_GROUPED = frozenset({"aws", "cloudant", "ibm_cloud_iam", "ibm_cos_hmac", "npm", "softlayer"})


def _plugin(module: str, name: str) -> RegexBasedDetector:
    found: RegexBasedDetector = getattr(import_module(f"detect_secrets.plugins.{module}"), name)()
    return found


_PLUGINS = tuple(
    (_plugin(*place.split(".")), place.partition(".")[0] in _GROUPED, kind, words) for place, kind, words in _BORROWED
)

_EDGE = r"(?<![A-Za-z0-9_])"
_LATER = (
    (API_KEY, ("sk-",), _EDGE + r"sk-(?:ant|proj|svcacct|admin|or-v1|lf|live|test)-[A-Za-z0-9_-]{16,}"),
    (API_KEY, ("sk-",), _EDGE + r"sk-(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}"),
    (API_KEY, ("aiza",), r"AIza[0-9A-Za-z_-]{35}"),
    (API_KEY, ("gocspx-",), r"GOCSPX-[\w-]{20,}"),
    (API_KEY, ("k_live_", "k_test_"), _EDGE + r"[rsp]k_(?:live|test)_[0-9A-Za-z]{10,}"),
    (API_KEY, ("whsec_",), r"whsec_[A-Za-z0-9+/=]{20,}"),
    (API_KEY, ("key-",), _EDGE + r"key-[0-9a-f]{32}\b"),
    (API_KEY, ("gsk_", "pplx-", "xai-"), _EDGE + r"(?:gsk_|pplx-|xai-)[A-Za-z0-9]{30,}"),
    (API_KEY, ("r8_",), _EDGE + r"r8_[A-Za-z0-9]{30,}"),
    (API_KEY, ("lin_api_", "figd_", "tskey-", "sntrys_", "phc_", "phx_"),
     _EDGE + r"(?:lin_api_|figd_|tskey-[a-z]+-|sntrys_|ph[cx]_)[\w-]{16,}"),
    (API_KEY, ("sq0atp-", "eaaa"), _EDGE + r"(?:sq0atp-[\w-]{22,}|EAAA[\w-]{56,})"),
    (ACCESS_TOKEN, ("gh", "github_pat_"), _EDGE + r"(?:github_pat_\w{22,}|gh[pousr]_[A-Za-z0-9]{30,})"),
    (API_KEY, ("dp.", "pmak-", "nrak-", "glsa_"),
     _EDGE + (
         r"(?:dp\.(?:pt|st|ct|sa|scim)\.[\w.-]{40,}|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|NRAK-[A-Z0-9]{27}|"
         "glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8})"
     )),
    (API_KEY, ("q~",), r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~-])"),
    (ACCESS_TOKEN, ("eaa",), _EDGE + r"EAA[A-Z](?=[A-Za-z]*\d)[A-Za-z0-9]{90,}"),
    (ACCESS_TOKEN, ("hf_",), _EDGE + r"hf_[A-Za-z0-9]{30,}"),
    (ACCESS_TOKEN, ("xox", "xapp-"), _EDGE + (
        r"(?:xox[a-z]-(?=[A-Za-z-]*\d)[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,})"
    )),
    (ACCESS_TOKEN, ("do",), _EDGE + r"do[oprs]_v1_[a-f0-9]{64}"),
    (ACCESS_TOKEN, ("shp",), _EDGE + r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    (ACCESS_TOKEN, ("dckr_pat_", "npm_"), _EDGE + r"(?:dckr_pat_[\w-]{20,}|npm_[A-Za-z0-9]{36})"),
    (ACCESS_TOKEN, ("ntn_", "secret_"), _EDGE + r"(?:ntn_|secret_)[A-Za-z0-9]{40,}"),
    (ACCESS_TOKEN, ("hvs.", "hvb."), _EDGE + r"hv[sb]\.[\w-]{20,}"),
    (ACCESS_TOKEN, ("atatt3", "atctt3"), r"AT[AC]TT3[\w=-]{40,}"),
    (ACCESS_TOKEN, ("ya29.",), r"ya29\.[\w-]{20,}"),
    (ACCESS_TOKEN, ("eyj",), _EDGE + r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
    (ACCESS_TOKEN, ("bearer",), r"\b[Bb]earer\s+(?=[\w.~+/-]*\d)([\w.~+/-]{16,}=*)"),
    (ACCESS_TOKEN, ("basic",), r"\b[Aa]uthorization\W{1,4}[Bb]asic\s+([A-Za-z0-9+/]{8,}={0,2})"),
    (PRIVATE_KEY, ("age-secret-key-",), r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    (WEBHOOK, ("hooks.slack.com",), r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/]{10,}"),
    (WEBHOOK, ("/api/webhooks/",), r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}"),
    (WEBHOOK, ("webhook.office.com",), r"https://[\w.-]+\.webhook\.office\.com/webhookb2/[\w@/-]{20,}"),
)  # fmt: skip
_COMPILED = tuple((kind, words, re.compile(pattern)) for kind, words, pattern in _LATER)

# A block with its last line; a block that is cut off goes on as long as lines of base64 do. Between two lines may be
# whatever a quote, a caption's times or a JSON string inside of a string puts there.
_KEY_BLOCK = re.compile(
    "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.{0,8000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: "
    "BLOCK)?-----",
    re.DOTALL,
)
_KEY_BEGIN = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:\\[rn]|[\s>|\"])*[A-Za-z0-9+/=]{16,}[A-Za-z0-9+/=]*)*"
)
_PUTTY = re.compile(r"PuTTY-User-Key-File-\d.{0,8000}?Private-MAC: *[0-9a-f]+", re.DOTALL)


def find_tokens(text: str, low: str) -> Iterator[Span]:
    """Keys and tokens in ``text``; ``low`` is the same in lower case."""
    if "private key" in low:
        for pattern in (_KEY_BLOCK, _KEY_BEGIN):
            yield from (Span(*match.span(), PRIVATE_KEY) for match in pattern.finditer(text))
    if "putty-user-key-file" in low:
        yield from (Span(*match.span(), PRIVATE_KEY) for match in _PUTTY.finditer(text))
    for plugin, grouped, kind, words in _PLUGINS:
        if any(word in low for word in words):
            for pattern in plugin.denylist:
                yield from _found(pattern, text, kind, grouped, getattr(plugin, "is_formally_valid", None))
    for kind, words, pattern in _COMPILED:
        if any(word in low for word in words):
            yield from _found(pattern, text, kind, pattern.groups > 0, None)


def _found(pattern: re.Pattern[str], text: str, kind: str, grouped: bool, is_valid: object) -> Iterator[Span]:
    for match in pattern.finditer(text):
        group = next((n for n in range(pattern.groups, 0, -1) if match[n]), 0) if grouped else 0
        start, end = match.span(group)
        while start < end and text[start] in ' \t\n=:"':
            start += 1
        while start < end and text[end - 1] in ' \t\n"':
            end -= 1
        if start < end and (is_valid is None or is_valid(text[start:end])):  # type: ignore[operator]
            yield Span(start, end, WEBHOOK if "://hooks." in text[start:end] else kind)


# 13 to 19 digits, written together or in the groups in which cards are printed; not in a path, an id or a decimal.
_CARD = re.compile(
    r"(?<![\w/.+-])(?:\d{4}([ -]|\. ?)\d{4}\1\d{4}\1\d{1,7}|\d(?: \d){12,18}|\d{4} \d{4} \d{8}|"
    r"\d{4}([ -])\d{6}\2\d{4,5}|\d{13,19})(?![\w-]|\.\d)"
)
# First digits and lengths of the issuers (ISO/IEC 7812, as the issuers publish them).
_ISSUERS = (
    (("4",), (13, 16, 19)),
    (("51", "52", "53", "54", "55", *(str(number) for number in range(2221, 2721))), (16,)),
    (("34", "37"), (15,)),
    (("6011", "65", *(str(number) for number in range(644, 650))), (16, 19)),
    (tuple(str(number) for number in range(3528, 3590)), (16,)),
    (("36", "38", "39", *(str(number) for number in range(300, 306))), (14,)),
    (("62",), (16, 17, 18, 19)),
)
# A private key as wallets export it, alone (WIF) or with all that follow from it (BIP 32): base 58, the last four bytes
# a check.
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_WALLET = re.compile(rf"(?<![A-Za-z0-9])(?:[5KL9c][{_BASE58}]{{50,51}}|[xyzt]prv[{_BASE58}]{{107,108}})(?![A-Za-z0-9])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{1,4}){3,9}(?![A-Za-z0-9])")


def find_cards(text: str) -> Iterator[Span]:
    """Numbers of payment cards: an issuer's first digits, a length of its cards, and a right check digit (Luhn)."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if any(len(digits) in lengths and digits.startswith(first) for first, lengths in _ISSUERS) and luhn(digits):
            yield Span(*match.span(), CARD_NUMBER)


def find_wallets(text: str) -> Iterator[Span]:
    """Private keys of Bitcoin wallets with a right check (the first four bytes of SHA-256, taken twice)."""
    for match in _WALLET.finditer(text):
        number = 0
        for letter in match[0]:
            number = number * 58 + _BASE58.index(letter)
        data = number.to_bytes((number.bit_length() + 7) // 8, "big")
        if hashlib.sha256(hashlib.sha256(data[:-4]).digest()).digest()[:4] == data[-4:]:
            yield Span(*match.span(), PRIVATE_KEY)


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of those before it (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0 and len(set(digits)) > 1


def count_ibans(text: str) -> int:
    """How many account numbers with a right check (ISO 13616, modulo 97) are in a text."""
    found = 0
    for match in _IBAN.finditer(text):
        account = match[0].replace(" ", "")
        moved = account[4:] + account[:4]
        if 15 <= len(account) <= 34 and int("".join(str(int(c, 36)) for c in moved)) % 97 == 1:
            found += 1
    return found
