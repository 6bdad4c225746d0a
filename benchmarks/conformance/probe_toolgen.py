"""toolgen: `repair`, `encode_tools` and the stream assembler around the bare boto3."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from importlib import import_module
from typing import Any

import boto3
import harness
from api_cases import CHAT, GEMINI, RESPONSES, Request
from cases import PDF, SIGNATURE, THOUGHT, WEATHER, Calls, History, Message, Results, Turn, items_of

from toolgen_runtime.validation.tool import Tool
from toolgen_transcripts import (
    CachePoint,
    Media,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    Turn as NeutralTurn,
    bedrock,
    encode_request,
    repair,
)
from toolgen_transcripts.codec.names import Codec, codec_for
from toolgen_transcripts.codec.wire import WireRule

ANYTHING = WireRule(r"[\s\S]+", 1_000)


def neutral(turn: Turn) -> NeutralTurn:
    match turn:
        case Message(role, words, documents, cached):
            read = [Media("document", "application/pdf", PDF, name=name) for name in documents]
            said = (*([Text(words)] if words else []), *read, *([CachePoint()] if cached else []))
            return NeutralTurn(role, said)  # type: ignore[arg-type]
        case Results(results):
            return NeutralTurn("tool", tuple(ToolResult(r.id, (Text(r.text),), r.error) for r in results))
        case Calls(calls, words, signed):
            thought = (Reasoning(THOUGHT, SIGNATURE),) if signed else ()
            said = thought if words is None else (*thought, Text(words))
            return NeutralTurn("assistant", (*said, *(ToolCall(c.id, c.name, c.input) for c in calls)))


def toolset(tools: Any) -> dict[str, Tool[Any]]:
    def unused(*_: Any) -> Any:
        raise NotImplementedError

    return {
        t["name"]: Tool(
            name=t["name"],
            description=t["description"],
            schema=json.dumps(t["schema"]),
            validate=unused,
            payload_type=unused,
        )
        for t in tools
    }


def client(url: str) -> Any:
    return boto3.client("bedrock-runtime", endpoint_url=url, region_name="us-east-1")


def send(url: str, history: History) -> None:
    if history.items:
        request = {"input": history.items, "tools": history.item_tools, "model": "gpt-5"}
        made = encode_request(request, None, "bedrock", model=harness.MODEL, origin="openai_responses")
        client(url).converse(**made.request)
        return
    model, fields = harness.model_of(history), {}
    if history.thinking:
        thinking = {"type": "enabled", "budget_tokens": history.thinking}
        fields = {"additionalModelRequestFields": {"thinking": thinking}}
    codec = codec_for("bedrock", (t["name"] for t in history.tools))
    messages = bedrock.encode_messages(Transcript(tuple(map(neutral, history.turns))), codec=codec).messages
    config = bedrock.encode_tools(toolset(history.tools), codec=codec)
    repaired = repair(messages, "bedrock", tools=config, model=model, thinking=bool(history.thinking))
    tools = {"toolConfig": repaired.tools} if repaired.tools else {}
    client(url).converse(modelId=model, messages=repaired.messages, **tools, **fields)


def receive(url: str) -> list[harness.Seen]:
    assembler = bedrock.StreamAssembler()
    question = [{"role": "user", "content": [{"text": "?"}]}]
    config = bedrock.encode_tools(toolset([WEATHER]))
    events = client(url).converse_stream(modelId=harness.MODEL, messages=question, toolConfig=config)[
        "stream"
    ]
    for _ in assembler.read(events):
        pass
    done = assembler.finish()
    reasons = [done.why, *(problem for made in done.calls for problem in made.problems)]
    reasons += [issue.constraint for made in done.calls for issue in made.issues]
    calls = [{"id": made.id, "name": made.name, "input": made.input} for made in done.ready_calls]
    return [*calls, {"stop": next(filter(None, reasons), done.stop_reason)}]


def native_messages(case: Request) -> list[Any]:
    """Return the history in its API's form, without repairs, as a caller keeps it."""
    if case.api == RESPONSES:
        return list(case.items or items_of(case.turns))
    module = import_module(f"toolgen_transcripts.{case.api}")
    turns = tuple(map(neutral, case.turns))
    made: list[Any] = module.encode_messages(Transcript(turns), codec=Codec(ANYTHING, ANYTHING)).messages
    signed = any(turn.signed for turn in case.turns if isinstance(turn, Calls))
    for message in made if signed else ():
        if case.api == CHAT and "tool_calls" in message:
            message["reasoning_content"] = THOUGHT
        for part in message.get("parts", ()) if case.api == GEMINI else ():
            if "functionCall" in part:
                part["thoughtSignature"] = SIGNATURE
    return made


def request(url: str, case: Request) -> list[int]:
    thinking = {"thinking": {"type": "enabled", "budget_tokens": case.thinking}} if case.thinking else {}
    made = encode_request(
        native_messages(case),
        toolset(case.tools),
        case.api,
        model=case.model_id,
        origin=case.api,
        strict=case.strict,
        extra=thinking,
        moved=case.moved,
    )
    body = json.dumps(made.request).encode()
    headers = {"Content-Type": "application/json"}
    try:
        urllib.request.urlopen(urllib.request.Request(url, body, headers)).close()
    except urllib.error.HTTPError as error:
        error.close()
    return [violation.rule for violation in made.remaining]


harness.run(("toolgen",), send, receive, request)
