"""ConverseStream events, as boto3 hands them over in `response["stream"]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.bedrock.wire import SERVER_TOOL_USE, UNKNOWN_MEMBER, WIRE
from toolgen_runtime.providers.shared.stream_events import mapping, number, words
from toolgen_runtime.providers.shared.stream_reader import Assembler
from toolgen_runtime.providers.shared.stream_result import Place, StreamError
from toolgen_runtime.validation.json_text import read as read_json


class StreamAssembler(Assembler):
    """One streamed Converse message."""

    wire = WIRE

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._natives: dict[Place, dict[str, Any]] = {}
        self._citations: dict[Place, list[Any]] = {}

    def take(self, event: Mapping[str, Any]) -> None:  # noqa: D102  inherited
        for name, value in event.items():
            if isinstance(name, str):
                self._event(name, mapping(value))
            else:
                self.message.damaged("an event came whose name is not a text")

    def _event(self, name: str, body: Mapping[str, Any]) -> None:
        match name:
            case "messageStart":
                self.message.start()
            case "contentBlockStart" | "contentBlockDelta" | "contentBlockStop":
                index = number(body, "contentBlockIndex")
                if index is None:
                    self.message.damaged(f"a {name} came without its contentBlockIndex")
                else:
                    self._block_event(name, (index,), body)
            case "messageStop":
                self.message.stop(body.get("stopReason"))
                self.message.note(_others(body, "stopReason"))
                self.message.end()
            case "metadata":
                self.message.usage = mapping(body.get("usage"))
                self.message.note(_others(body, "usage"))
            case _ if name.endswith("Exception"):
                self.message.note(_others(body, "message"))
                self.message.failed(StreamError(name, words(body, "message")))
            case _:
                self.message.skip(name)

    def _block_event(self, name: str, place: Place, body: Mapping[str, Any]) -> None:
        if name == "contentBlockStart":
            self._block_start(place, mapping(body.get("start")))
        elif name == "contentBlockDelta":
            self._block_delta(place, mapping(body.get("delta")))
        else:
            self._closed(place)
            self.message.close(place)

    def _closed(self, place: Place) -> None:
        """Return a block as it goes back: a text with its citations, an input as what its text stands for."""
        use = mapping(self._natives.get(place, {}).get("toolUse"))
        if isinstance(use, dict) and isinstance(text := use.get("input"), str):
            payload, issues = read_json(text)
            use["input"] = text if issues else payload
        if place in self._citations:
            text = self.message.heard(place)
            if not text:  # there is nothing that they could stand beside
                self.message.skip("citation")
            cited = {"content": [{"text": text}], "citations": self._citations[place]}
            self.message.keep(place, {"citationsContent": cited})

    def _block_start(self, place: Place, start: Mapping[str, Any]) -> None:
        use = mapping(start.get("toolUse"))
        if "toolUse" not in start or use.get("type") == SERVER_TOOL_USE:  # the server runs it itself
            kind = SERVER_TOOL_USE if use else _member(start)
            self._natives[place] = {key: dict(mapping(value)) for key, value in start.items()}
            self.message.native(place, self._natives[place], kind)
        else:
            self.message.call(place, use.get("toolUseId"), use.get("name"))

    def _block_delta(self, place: Place, delta: Mapping[str, Any]) -> None:
        if place in self._natives:
            _extend(self._natives[place], delta)
            return
        match delta:
            case {"citation": citation}:
                self._citations.setdefault(place, []).append(citation)
            case {"text": str(text)}:
                self.message.text(place, text)
            case {"toolUse": use}:
                self.message.arguments(place, mapping(use).get("input"))
            case {"reasoningContent": {"text": str(text)}}:
                self.message.reasoning(place, text)
            case {"reasoningContent": {"signature": str(signature)}}:
                self.message.reasoning(place, signature=signature)
            case {"reasoningContent": {"redactedContent": bytes() | str() as redacted}}:
                self.message.reasoning(place, redacted=redacted)
            case _:
                self.message.skip(_member(delta))
                self.message.cut(place, "a fragment of it cannot be read")


def _member(union: Mapping[str, Any]) -> object:
    """Return the name of a union's member that is set, by the service's name for it."""
    member = next(iter(union), "nothing")
    return words(mapping(union[member]), "name") if member == UNKNOWN_MEMBER else member


def _others(body: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return what an event says beside these members."""
    return {key: value for key, value in body.items() if key not in keys}


def _extend(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    """Add a fragment to a block that is kept as it is: the server's own call and its result, an image."""
    for kind, part in delta.items():
        members = block.setdefault(kind, {})
        if kind == "toolResult":
            members.setdefault("content", []).extend(part if isinstance(part, list) else [part])
        elif isinstance(text := mapping(part).get("input"), str):
            members["input"] = members.get("input", "") + text
        else:
            members.update(mapping(part))
