"""Secrets in markup, headers and commands, and passwords that are named in other languages than English."""

from __future__ import annotations

import pytest

from memory_assets.privacy.masking import mask_text

KEY = "".join(f"{letter}{number}" for number, letter in enumerate("aBcDeFgHiJkLmNoPqRsT"))
STRUCTURED = (
    "<apiKey>{}</apiKey>",
    "<api-key>{}</api-key>",
    "<auth:clientSecret>{}</auth:clientSecret>",
    "<accessToken>{}</accessToken>",
    "<key>apiKey</key>\n  <string>{}</string>",
    "<key>Password</key>\n\t<string>{}</string>",
    '<add key="ApiKey" value="{}" />',
    '<property name="db.password" value="{}"/>',
    "Authorization: Token {}",
    "Cookie: lang=de; sessionid={}; theme=dark",
    "https://store.example.org/box?sv=2022-11-02&sp=r&sig={}",
    "curl --user admin:{} https://example.org",
    "sshpass -p {} ssh ole@example.org",
    "docker login registry.example.org -u ole -p {}",
    "az login -u ole@example.org -p {}",
    "redis-cli -h cache -a {}",
    "htpasswd -b users ole {}",
    "echo {} | docker login --password-stdin",
    "openssl enc -aes-256-cbc -k {}",
    "ldapsearch -D cn=admin -w {} -b dc=example",
    "Password\n{}\n",
    "The admin pass for the press is {}, tell nobody.",
    "dp.pt.{}",
)
ELSEWHERE = (
    "mdp : {}",
    "le mdp est {}",
    "le mot de passe du wifi, c'est {}",
    "code wifi : {}",
    "la clave del wifi es {}",
    "la mia password è {}",
    "palavra-passe: {}",
    "kodeord: {}",
    "passordet mitt er {}",
    "salasanani on {}",
    "moje hasło to {}",
    "moje heslo je {}",
    "a jelszavam {}",
    "parola mea este {}",
    "пароль от вайфая {}",
    "ο κωδικός είναι {}",
    "הסיסמה היא {}",
    "كلمة المرور: {}",
    "Passwort geändert auf {}",
    "das neue Kennwort heißt {}",
    "Zugangsdaten: ole / {}",
)


@pytest.mark.parametrize("written", STRUCTURED)
def test_a_secret_is_told_by_its_element_its_header_or_its_program(written: str) -> None:
    value = f"{KEY}{KEY}"
    masked = mask_text(f"We met.\n{written.format(value)}\nThe soil is here.")
    assert KEY not in masked and "[masked: " in masked
    assert masked.startswith("We met.\n") and masked.endswith("\nThe soil is here.")


@pytest.mark.parametrize("written", [one for one in STRUCTURED if one.startswith("<")][:6])
def test_markup_is_read_as_slack_and_html_write_it(written: str) -> None:
    escaped = written.replace("<", "&lt;").replace(">", "&gt;")
    assert mask_text(escaped.format(f"{KEY}{KEY}")).count("[masked: ") == 1
    assert KEY not in mask_text(escaped.format(f"{KEY}{KEY}"))


@pytest.mark.parametrize("written", ELSEWHERE)
@pytest.mark.parametrize("value", ["Kxrohrs99!", "9f!kQ2#z"])
def test_a_password_in_another_language(written: str, value: str) -> None:
    masked = mask_text(written.format(value))
    assert value.rstrip("!") not in masked and "[masked: password]" in masked


@pytest.mark.parametrize(
    ("written", "masked"),
    [
        ("Türcode: 4417", "Türcode: [masked: password]"),
        ("le code de la porte est A4471", "le code de la porte est [masked: password]"),
        ("Ihr Bestätigungscode lautet 772913.", "Ihr Bestätigungscode lautet [masked: password]."),
        ("OTP 551830", "OTP [masked: password]"),
        ("验证码：551830", "验证码：[masked: password]"),
    ],
)
def test_a_code_in_another_language(written: str, masked: str) -> None:
    assert mask_text(written) == masked


def test_a_token_of_github_with_its_long_prefix() -> None:
    assert mask_text(f"github_pat_{KEY}") == "[masked: access token]"


@pytest.mark.parametrize(
    "written",
    [
        "security code 2024 edition",
        "The access codes 2023 report is out.",
        "<token>House12</token> <token>went</token>",
        "<secret>of the garden</secret>",
        "Die Zugangsdaten kommen am 12.03.2026",
        "Passwort geändert am 12.03.2026 um 10:30",
        "Das Passwort muss mindestens 12 Zeichen haben",
        "Bestätigungscode kommt per SMS an 0171 2345678",
        "le mot de passe est oublié",
        "Mijn wachtwoord is vergeten",
        "hasło musi mieć 8 znaków",
        "senha tem 8 dígitos",
        "docker login -u me -p $PASS",
        "docker run -it --user node:node18 image",
        "commit private key rotation e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "Cookie: consent=yes",
        "zip -r archive2024.zip folder",
        "parola chiave: seo2024",
    ],
)
def test_what_only_looks_like_one_stays(written: str) -> None:
    assert mask_text(written) == written


@pytest.mark.parametrize(
    "text",
    [
        "The bus pass for March was EUR49.90 last year.",
        "The boarding pass for LH2054 was gate-B32 first.",
        "unzip -p backup2024.zip db.sql",
        "ldapsearch -x -W uid=jdoe2 -b dc=acme",
        "The OTP rollout on 2026-05-04 went well.",
        "OTP 250 is in the repo.",
        "Bestätigungscode: 2026-11-22",
        "Das Passwort ist 12-stellig.",
        "Das Passwort auf 12-stellig geändert.",
        "Zugangsdaten Office365-Konto sind da.",
        "Zugangscode 1000 Stück bestellt",
        'The token <token id="12">COVID-19-related</token> was tagged.',
        'curl -X POST https://example.org --user "alice:x" ; sshpass -p "$SSHPASS1" ssh host',
        "sshpass -p %PASS1% ssh host",
        "docker login -p $TOKEN1 registry",
        "Authorization: key your-api-key-goes-here-1",
    ],
)
def test_amounts_days_lengths_files_and_variables_are_no_secrets(text: str) -> None:
    assert mask_text(text) == text


def test_the_flags_of_a_command_are_read_in_time_linear_in_their_length() -> None:
    text = "htpasswd -" + "b" * 100_000
    assert mask_text(text) == text
