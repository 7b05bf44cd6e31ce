"""Structured answers: a pydantic model as a strict JSON schema, and back from what a model wrote."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from memory_assets.llm.tokens import well_formed

A = TypeVar("A", bound=BaseModel)

# What strict structured outputs know everywhere. Bounds and defaults are checked when we read.
_ALLOWED = ("type", "enum", "const", "properties", "items", "anyOf", "$ref", "$defs")
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?[^\S\n]*+\n(.*)```", re.DOTALL)
_REASONS = 5


class WrongAnswerError(ValueError):
    """What a model wrote is not the answer that was asked for. Its text says why, and quotes nothing."""


def strict_schema(answer: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of an answer as strict structured outputs want it; of its short form where it has one.

    Every object is closed, every property required, and nothing is in it that a server may not know.
    """
    return _strict(getattr(answer, "asked_as", answer).model_json_schema())


def _strict(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    strict: dict[str, Any] = {key: node[key] for key in _ALLOWED if key in node}
    for group in ("properties", "$defs"):
        if group in strict:
            strict[group] = {name: _strict(child) for name, child in strict[group].items()}
    if "items" in strict:
        strict["items"] = _strict(strict["items"])
    if "anyOf" in strict:
        strict["anyOf"] = [_strict(child) for child in strict["anyOf"]]
    if strict.get("type") == "object":
        strict["required"] = list(strict.get("properties", {}))
        strict["additionalProperties"] = False
    return strict


def schema_name(task: str) -> str:
    """A task's name as a schema name: ``[a-zA-Z0-9_-]``, at most 64 characters."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", task)[:64]


def read_answer(text: str, answer: type[A]) -> A:
    """The answer in ``text``, or :class:`WrongAnswerError` with the reasons (never with the content)."""
    document = _json_in(text)
    try:
        return answer.model_validate(_clean(document))
    except (OverflowError, RecursionError):
        raise WrongAnswerError("a number in it is too large, or it is nested too deeply") from None
    except ValidationError as error:
        reasons = [
            f"{'.'.join(map(str, item['loc'])) or 'answer'}: {item['msg']}"
            for item in error.errors(include_input=False, include_url=False, include_context=False)
        ]
        more = f" and {len(reasons) - _REASONS} more" if len(reasons) > _REASONS else ""
        raise WrongAnswerError("; ".join(reasons[:_REASONS]) + more) from None


def _json_in(text: str) -> Any:
    """The JSON document in a model's text: by itself, in a code fence, or after its thoughts."""
    text = _THOUGHT.sub("", text).strip()
    if fenced := _FENCED.fullmatch(text):
        text = fenced[1]
    try:
        return json.loads(text, strict=False)
    except RecursionError:
        raise WrongAnswerError("it is nested too deeply") from None
    except ValueError as error:
        start = text.find("{")
        if start > 0:
            try:
                return json.JSONDecoder(strict=False).raw_decode(text, start)[0]
            except (ValueError, RecursionError):
                pass
        place = f" (character {error.pos})" if isinstance(error, json.JSONDecodeError) else ""
        raise WrongAnswerError(f"it is not valid JSON{place}") from None


def _clean(value: Any) -> Any:
    """No lone surrogates and no NUL: neither the cache nor the graph can hold them."""
    if isinstance(value, str):
        return well_formed(value).replace("\x00", "\ufffd")
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {well_formed(key): _clean(item) for key, item in value.items()}
    return value
