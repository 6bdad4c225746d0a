"""What the providers' own SDKs make of a stream's events: the whole message, as the API has it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

Event = dict[str, Any]

QUESTION: Any = [{"role": "user", "content": "q"}]


def told(value: Any) -> Any:
    """Return a message without what says nothing: SDKs fill their objects up with null."""
    if isinstance(value, dict):
        told_of = {key: told(member) for key, member in value.items()}
        return {key: member for key, member in told_of.items() if member not in (None, [], "")}
    return [told(member) for member in value] if isinstance(value, list) else value


def _served(events: Iterable[Event], client: str = "httpx") -> Any:
    """Return an HTTP client whose every answer is a stream of these events."""
    httpx = import_module(client)
    frames = (f"event: {event.get('type', '')}\ndata: {json.dumps(event)}\n\n" for event in events)
    body = "".join(frames) + "data: [DONE]\n\n"

    def answer(_: Any) -> Any:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=body.encode())

    return httpx.Client(transport=httpx.MockTransport(answer))


def _anthropic(events: list[Event]) -> Event:
    import anthropic

    client = anthropic.Anthropic(
        api_key="k", base_url="http://127.0.0.1", http_client=_served(events, "httpx2")
    )
    with client.beta.messages.stream(model="m", max_tokens=9, messages=QUESTION) as stream:
        return json.loads(stream.get_final_message().model_dump_json())  # type: ignore[no-any-return]


def _openai(events: list[Event]) -> Event:
    import openai

    client = openai.OpenAI(api_key="k", base_url="http://127.0.0.1", http_client=_served(events))
    with client.chat.completions.stream(model="m", messages=QUESTION) as stream:
        response: Event = json.loads(stream.get_final_completion().model_dump_json())
    message = response["choices"][0]["message"]
    if "executed_tools" in message:  # Groq says them twice, and the SDK joins the two
        raise ValueError("the SDK doubles what the server ran")
    message["role"] = "assistant"  # the SDK joins it if every chunk has it
    for call in message.get("tool_calls") or ():  # what only the pieces have
        del call["index"]
    for detail in message.get("reasoning_details", ()):  # the SDK joins it as if it were a text
        detail["format"] = detail["format"][: len(detail["format"]) // (detail["format"].count("-v1") or 1)]
    return response


def _openai_responses(events: list[Event]) -> Event:
    import openai

    client = openai.OpenAI(api_key="k", base_url="http://127.0.0.1", http_client=_served(events))
    with client.responses.stream(model="m", input="q") as stream:
        return json.loads(stream.get_final_response().model_dump_json())  # type: ignore[no-any-return]


def _gemini(events: list[Event]) -> Event:
    """google-genai keeps the chunks of a chat apart: their texts in a row are joined here."""
    from google.genai import types

    parts: list[Any] = []
    reason = None
    for event in events:
        dumped = types.GenerateContentResponse.model_validate(event).model_dump(
            mode="json", by_alias=True, exclude_none=True
        )
        for candidate in dumped.get("candidates", ()):
            reason = candidate.get("finishReason", reason)
            for part in candidate.get("content", {}).get("parts", ()):
                if "thoughtSignature" in part:  # pydantic's base64 is the other one
                    part["thoughtSignature"] = part["thoughtSignature"].translate({45: 43, 95: 47})
                if parts and {*part} == {*parts[-1]} <= {"text", "thought"}:
                    parts[-1]["text"] += part["text"]
                elif part != {"text": ""}:
                    parts.append(part)
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}]}


def _bedrock(events: list[Event]) -> Event:
    """boto3 hands the events over as they are: they are put together as its documentation says."""
    blocks: dict[int, Event] = {}
    reason = None
    for event in events:
        (body,) = event.values()
        reason = body.get("stopReason", reason)
        block = blocks.setdefault(body["contentBlockIndex"], {}) if "contentBlockIndex" in body else {}
        for kind, part in (*body.get("start", {}).items(), *body.get("delta", {}).items()):
            if kind == "text":
                block["text"] = block.get("text", "") + part
            elif kind == "citation":
                block.setdefault("citations", []).append(part)
            elif kind == "toolResult" and isinstance(part, list):
                block[kind]["content"] = part
            elif "input" in part:
                block[kind]["input"] = block[kind].get("input", "") + part["input"]
            else:
                block[kind] = dict(part)
    for index, block in blocks.items():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"] or "{}")
        if "citations" in block:
            cited = {"content": [{"text": block["text"]}], "citations": block["citations"]}
            blocks[index] = {"citationsContent": cited}
    content = [block for _, block in sorted(blocks.items()) if block]
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": reason}


ACCUMULATED: dict[str, tuple[str, Callable[[list[Event]], Event]]] = {
    "anthropic": ("anthropic", _anthropic),
    "bedrock": ("boto3", _bedrock),
    "gemini": ("google.genai", _gemini),
    "openai": ("openai", _openai),
    "openai_responses": ("openai", _openai_responses),
}
"""By provider, its SDK and what returns the response that the SDK makes of a stream."""
