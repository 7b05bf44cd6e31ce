"""The connection to an OpenAI-compatible service, and its failures in our words.

The ``openai`` client retries what can pass by itself (429, 5xx, time-outs, lost connections), waits as
long as ``Retry-After`` says (up to two minutes), and gives up on the rest at once.
"""

from __future__ import annotations

import ipaddress
import os
import re
import threading
from functools import cached_property
from urllib.parse import urlsplit

import httpx2
import openai

from memory_assets.errors import ModelError, ModelServiceError, ModelUnavailableError, SettingsError
from memory_assets.settings import Settings

OPENAI_URL = "https://api.openai.com/v1"
TIMEOUT_SECONDS = 120.0
MAX_RETRIES = 5
WORKERS = 8

# What a call can fail with: the client's errors, and what it stumbles over when a service that is
# something else answers 200 (HTML, half a document, no choices).
PROTOCOL_FAILURES = (openai.OpenAIError, httpx2.HTTPError, ValueError, TypeError, AttributeError, IndexError)

_KEY_LIKE = re.compile(r"\b(?:sk|pk|key|Bearer)[-_ ][\w*.-]{4,}", re.IGNORECASE)
_CREDENTIALS = re.compile(r"//[^/@\s]+@")
_MESSAGE_LENGTH = 300


class Connection:
    """Where the service is and how to speak to it. Neither its text nor its errors hold the key."""

    def __init__(
        self,
        base_url: str | None,
        api_key: str | None,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        max_retries: int = MAX_RETRIES,
    ) -> None:
        self._base_url = base_url or OPENAI_URL
        self._api_key = api_key
        self._timeout_seconds = timeout_seconds
        self._max_retries = max_retries
        self._opening = threading.Lock()
        if not self.host:
            raise SettingsError("OPENAI_BASE_URL is not an address: write it like https://host/v1.")
        if not api_key and self.is_openai:
            raise SettingsError(
                "The model service needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a service without "
                "one, or MEMORY_ASSETS_LLM=local and MEMORY_ASSETS_EMBEDDER=local for none."
            )

    def __repr__(self) -> str:
        return f"Connection({self.host})"

    @property
    def host(self) -> str:
        """The service's host, for messages."""
        try:
            return urlsplit(self._base_url).hostname or ""
        except ValueError:
            return ""

    @property
    def address(self) -> tuple[str, ...]:
        """What distinguishes this service's answers from another's of a model of the same name: host, port and path,
        without any login. Empty for OpenAI's own address, so that stored answers from there remain valid.
        """
        parts = urlsplit(self._base_url)
        scheme, port = parts.scheme.lower(), f":{parts.port}" if parts.port else ""
        address = f"{scheme}://{self.host.lower()}{port}{parts.path.rstrip('/')}"
        return () if address == OPENAI_URL else (address,)

    @property
    def is_openai(self) -> bool:
        """Whether this is a service that takes money for every token, by OpenAI's prices."""
        return self.host.endswith(("openai.com", ".azure.com"))

    @property
    def is_loopback(self) -> bool:
        """Whether the service runs on this machine."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def client(self) -> openai.OpenAI:
        """The client, made on first use. Under pytest only a service on this machine is spoken to."""
        if "PYTEST_CURRENT_TEST" in os.environ and not self.is_loopback:
            raise ModelError(
                f"A test may not call {self.host}: it could cost money. Point OPENAI_BASE_URL at a server on "
                "127.0.0.1 (memory_assets_tests/support/protocol_server.py)."
            )
        with self._opening:
            return self._client

    @cached_property
    def _client(self) -> openai.OpenAI:
        # A proxy from the environment must not come between us and a service on this machine.
        own = openai.DefaultHttpx2Client(trust_env=False) if self.is_loopback else None
        return openai.OpenAI(
            base_url=self._base_url,
            api_key=self._api_key or "none",
            timeout=openai.Timeout(self._timeout_seconds, connect=min(10.0, self._timeout_seconds)),
            max_retries=self._max_retries,
            http_client=own,
        )

    def explain(self, error: Exception, model: str) -> ModelError:
        """A failure of the client as one of ours: what happened, and the way out."""
        said = self.redact(_message(error))
        match error:
            case openai.APITimeoutError():
                return ModelUnavailableError(
                    f"{self.host} did not answer within {self._timeout_seconds:g} seconds, after "
                    f"{self._max_retries + 1} tries. Run again later."
                )
            case openai.APIConnectionError() if isinstance(error.__cause__, httpx2.ConnectError):
                return UnreachableError(f"{self.host} cannot be reached. Check OPENAI_BASE_URL and the network.")
            case openai.APIConnectionError():
                return ModelUnavailableError(
                    f"{self.host} ended the connection before its answer. Check OPENAI_BASE_URL and the network."
                )
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                return RefusedKeyError(f"{self.host} refused the key ({error.status_code}). Check OPENAI_API_KEY.")
            case openai.NotFoundError():
                return UnknownModelError(
                    f"{self.host} does not know the model {model!r} (404: {said}). Check "
                    "MEMORY_ASSETS_LLM_MODEL, MEMORY_ASSETS_EMBEDDER_MODEL and OPENAI_BASE_URL."
                )
            case openai.RateLimitError() if error.code == "insufficient_quota":
                return NoQuotaError(f"The account at {self.host} has no quota left (429: {said}). Check its billing.")
            case openai.RateLimitError():
                return ModelUnavailableError(f"{self.host} asks us to come back later (429: {said}). Run again later.")
            case openai.APIStatusError() if error.status_code >= 500:
                return ModelUnavailableError(f"{self.host} failed ({error.status_code}: {said}). Run again later.")
            case openai.APIStatusError():
                if error.code in ("model_not_found", "model_not_supported"):
                    return UnknownModelError(
                        f"{self.host} does not know the model {model!r}. Check MEMORY_ASSETS_LLM_MODEL."
                    )
                return ModelError(f"{self.host} refused the request to {model!r} ({error.status_code}: {said}).")
        return ForeignAnswerError(
            f"{self.host} gave an answer that is not OpenAI's protocol ({type(error).__name__}). Check OPENAI_BASE_URL."
        )

    def redact(self, text: str) -> str:
        """A service's message without anything secret, in one line, not longer than a message should be."""
        if self._api_key:
            text = text.replace(self._api_key, "…")
        text = _CREDENTIALS.sub("//", _KEY_LIKE.sub("…", " ".join(text.split())))
        return text if len(text) <= _MESSAGE_LENGTH else text[:_MESSAGE_LENGTH] + "…"


class ForeignAnswerError(ModelUnavailableError):
    """What came is not the protocol: a proxy's page, half a document. The next one may be."""


class RefusedKeyError(ModelServiceError):
    """The service refused the key."""


class UnknownModelError(ModelServiceError):
    """The service does not know the model."""


class NoQuotaError(ModelServiceError):
    """The account has no quota left."""


class UnreachableError(ModelServiceError, ModelUnavailableError):
    """Nobody answers at the address, however often it is tried."""


class ServiceDownError(ModelServiceError, ModelUnavailableError):
    """The service failed one question after the other."""


def open_connection(settings: Settings) -> Connection:
    """The connection that the settings name."""
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    return Connection(settings.openai_base_url, key, timeout_seconds=settings.llm_timeout_seconds)


def _message(error: Exception) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        return body["message"]
    return str(getattr(error, "message", "") or type(error).__name__)
