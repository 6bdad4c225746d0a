"""The words of each provider, to write any history in, a broken one too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Message = dict[str, Any]


class Words:
    """How a provider writes what a history is made of; each part stands in a message of its role."""

    def __init__(
        self,
        text: Callable[[str], Any],
        call: Callable[[str | None], Any],
        result: Callable[[str | None], Any],
        document: Callable[[str], Any],
        wrap: Callable[[str, list[Any]], list[Message]],
    ) -> None:
        self.text, self.call, self.result, self.document, self.wrap = text, call, result, document, wrap

    def said(self, *parts: Any) -> list[Message]:
        """Return what the model says."""
        return self.wrap("assistant", list(parts))

    def answered(self, *parts: Any) -> list[Message]:
        """Return what the user, or a tool, says."""
        return self.wrap("user", list(parts))


def _chat(role: str, parts: list[Any]) -> list[Message]:
    """OpenAI: calls stand beside the content, results are messages of their own."""
    results = [part for part in parts if part.get("role") == "tool"]
    calls = [part for part in parts if part.get("type") in ("function", "custom")]
    content = (
        [part for part in parts if part not in calls and part.get("role") != "tool"] if not calls else None
    )
    said = [{"role": role, "content": content, **({"tool_calls": calls} if calls else {})}]
    return [*(said if calls or content or not results else []), *results]


def _items(message: Callable[[str], Message]) -> Callable[[str, list[Any]], list[Message]]:
    """OpenAI Responses, Gemini's Interactions: all are items."""

    def wrap(role: str, parts: list[Any]) -> list[Message]:
        is_item = [part["type"].startswith("function") for part in parts]
        return [
            p if own else {**message(role), "content": [p]} for p, own in zip(parts, is_item, strict=True)
        ]

    return wrap


def _step(role: str) -> Message:
    return {"type": "model_output" if role == "assistant" else "user_input"}


PROVIDERS: dict[str, Words] = {
    "bedrock": Words(
        lambda text: {"text": text},
        lambda id: {"toolUse": {"toolUseId": id, "name": "t", "input": {}}},
        lambda id: {"toolResult": {"toolUseId": id, "content": [{"text": "x"}]}},
        lambda name: {"document": {"format": "txt", "name": name, "source": {"bytes": b"x"}}},
        lambda role, parts: [{"role": role, "content": parts}],
    ),
    "anthropic": Words(
        lambda text: {"type": "text", "text": text},
        lambda id: {"type": "tool_use", "id": id, "name": "t", "input": {}},
        lambda id: {"type": "tool_result", "tool_use_id": id, "content": "x"},
        lambda name: {
            "type": "document",
            "title": name,
            "source": {"type": "text", "media_type": "text/plain", "data": "x"},
        },
        lambda role, parts: [{"role": role, "content": parts}],
    ),
    "openai": Words(
        lambda text: {"type": "text", "text": text},
        lambda id: {"id": id, "type": "function", "function": {"name": "t", "arguments": "{}"}},
        lambda id: {"role": "tool", "tool_call_id": id, "content": "x"},
        lambda name: {"type": "file", "file": {"filename": name, "file_data": "data:text/plain;base64,eA=="}},
        _chat,
    ),
    "openai_responses": Words(
        lambda text: {"type": "input_text", "text": text},
        lambda id: {"type": "function_call", "call_id": id, "name": "t", "arguments": "{}"},
        lambda id: {"type": "function_call_output", "call_id": id, "output": "x"},
        lambda name: {"type": "input_file", "filename": name, "file_data": "data:text/plain;base64,eA=="},
        _items(lambda role: {"type": "message", "role": role}),
    ),
    "gemini_interactions": Words(
        lambda text: {"type": "text", "text": text},
        lambda id: {"type": "function_call", "id": id, "name": "t", "arguments": {}},
        lambda id: {"type": "function_result", "call_id": id, "result": "x"},
        lambda name: {"type": "document", "mime_type": "text/plain", "data": "eA=="},
        _items(_step),
    ),
    "gemini": Words(
        lambda text: {"text": text},
        lambda id: {"functionCall": {"name": "t", "args": {}, **({"id": id} if id else {})}},
        lambda id: {"functionResponse": {"name": "t", "response": {"r": 1}, **({"id": id} if id else {})}},
        lambda name: {"inlineData": {"mimeType": "text/plain", "data": "eA==", "displayName": name}},
        lambda role, parts: [{"role": {"assistant": "model"}.get(role, role), "parts": parts}],
    ),
}
