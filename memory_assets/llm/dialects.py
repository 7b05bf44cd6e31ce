"""How an OpenAI-compatible service wants to be asked, learnt from what it refuses.

Services differ in the form of structured answers, in the name of the output limit, and in whether a
temperature or a reasoning effort may be given. A refusal (400 or 422) that names one of these changes
the dialect and the question is asked again; any other refusal is final. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

_REASONS_FIRST = re.compile(r"(?:.*/)?(?:o\d|gpt-5)", re.IGNORECASE)
_KNOWS_MINIMAL = re.compile(r"(?:.*/)?gpt-5(?:-mini|-nano)?(?:-\d{4}-\d{2}-\d{2})?$", re.IGNORECASE)
_REFUSALS = ("unknown", "unrecognized", "unsupported", "not permitted", "extra", "not supported", "unexpected")
_REASONING_TOKENS = 4_000  # thoughts count as output


@dataclass(frozen=True)
class Dialect:
    """One way to ask."""

    form: Literal["json_schema", "json_object", "text"] = "json_schema"
    temperature: float | None = 0.0
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    reasoning_effort: str | None = None
    reasoning_tokens: int = 0

    def output_limit(self, tokens: int) -> int:
        """The output limit to ask for when the answer itself may take ``tokens``."""
        return tokens + self.reasoning_tokens

    def request(
        self, model: str, messages: list[dict[str, str]], name: str, schema: dict[str, Any], tokens: int
    ) -> dict[str, Any]:
        """The arguments of one chat completion."""
        body = self._plain(model, messages, tokens)
        if self.form == "json_schema":
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": name, "strict": True, "schema": schema},
            }
            return body
        described = json.dumps(schema, separators=(",", ":"))
        rule = f"\n\nAnswer with one JSON object and nothing else. It must match this JSON schema:\n{described}"
        body["messages"] = [{**messages[0], "content": messages[0]["content"] + rule}, *messages[1:]]
        if self.form == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def tool_request(
        self, model: str, messages: list[dict[str, Any]], tools: list[dict[str, Any]], tokens: int
    ) -> dict[str, Any]:
        """The arguments of one chat completion that may call tools."""
        return self._plain(model, messages, tokens) | {"tools": tools}

    def _plain(self, model: str, messages: Sequence[dict[str, Any]], tokens: int) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": model,
            "messages": list(messages),
            self.limit_field: self.output_limit(tokens),
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.reasoning_effort:
            body["reasoning_effort"] = self.reasoning_effort
        return body

    def after_refusal(self, message: str, param: str | None) -> Dialect | None:
        """The dialect to try after a refusal, or None when the refusal was about something else."""
        about = f"{param or ''} {message}".lower()
        if self.reasoning_effort and "reasoning_effort" in about:
            return replace(self, reasoning_effort=None)
        if self.temperature is not None and "temperature" in about:
            return replace(self, temperature=None)
        if "max_completion_tokens" in about and self.limit_field == "max_tokens":
            return replace(self, limit_field="max_completion_tokens")
        if "max_completion_tokens" in about and any(word in about for word in _REFUSALS):
            return replace(self, limit_field="max_tokens")
        if any(word in about for word in ("response_format", "json_schema", "json_object", "structured output")):
            if self.form == "json_schema":
                return replace(self, form="json_object")
            if self.form == "json_object":
                return replace(self, form="text")
        return None


def dialect_for(model: str, *, is_openai: bool) -> Dialect:
    """The dialect to begin with."""
    reasons = bool(_REASONS_FIRST.match(model))
    return Dialect(
        temperature=None if reasons else 0.0,
        limit_field="max_completion_tokens" if is_openai or reasons else "max_tokens",
        reasoning_effort="minimal" if _KNOWS_MINIMAL.match(model) else None,
        reasoning_tokens=_REASONING_TOKENS if reasons else 0,
    )
