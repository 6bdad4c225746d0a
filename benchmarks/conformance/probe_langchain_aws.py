"""langchain-aws: `ChatBedrockConverse`."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import harness
from cases import PDF, SIGNATURE, THOUGHT, WEATHER, Calls, History, Message, Results, Turn
from langchain_aws import ChatBedrockConverse
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage


def messages(turn: Turn) -> list[BaseMessage]:
    match turn:
        case Message("user", words, (), False):
            return [HumanMessage(words)]
        case Message("user", words, documents, cached):
            said: list[Any] = [{"type": "text", "text": words}] if words else []
            data = b64encode(PDF).decode()
            file = {"type": "file", "mime_type": "application/pdf", "base64": data}
            said += [{**file, "extras": {"name": name}} for name in documents]
            return [HumanMessage([*said, *([{"cachePoint": {"type": "default"}}] if cached else [])])]
        case Message(_, words):
            return [AIMessage(words)]
        case Results(results):
            return [
                ToolMessage(r.text, tool_call_id=r.id, status="error" if r.error else "success")
                for r in results
            ]
        case Calls(calls, words, signed):
            inner = {"text": THOUGHT, "signature": SIGNATURE}
            thought: list[Any] = [{"type": "reasoning_content", "reasoning_content": inner}] if signed else []
            sound = [c for c in calls if not isinstance(c.input, str)]
            made = [{"name": c.name, "args": c.input, "id": c.id, "type": "tool_call"} for c in sound]
            broken = [
                {"name": c.name, "args": c.input, "id": c.id, "error": None, "type": "invalid_tool_call"}
                for c in calls
                if isinstance(c.input, str)
            ]
            spoken: Any = thought or words or ""
            return [AIMessage(spoken, tool_calls=made, invalid_tool_calls=broken)]


def model(url: str, tools: Any, id: str = harness.MODEL, **more: Any) -> Any:
    chat = ChatBedrockConverse(model=id, endpoint_url=url, region_name="us-east-1", **more)
    specs = [
        {
            "type": "function",
            "function": {"name": t["name"], "description": t["description"], "parameters": t["schema"]},
        }
        for t in tools
    ]
    return chat.bind_tools(specs) if specs else chat


def send(url: str, history: History) -> None:
    if history.items:
        raise harness.NoFormError
    more = {}
    if history.thinking:
        thinking = {"type": "enabled", "budget_tokens": history.thinking}
        more = {"additional_model_request_fields": {"thinking": thinking}}
    model(url, history.tools, harness.model_of(history), **more).invoke(
        [message for turn in history.turns for message in messages(turn)]
    )


def receive(url: str) -> list[harness.Seen]:
    whole: Any = None
    for chunk in model(url, [WEATHER]).stream([HumanMessage("?")]):
        whole = chunk if whole is None else whole + chunk
    calls = [{"id": c["id"], "name": c["name"], "input": c["args"]} for c in whole.tool_calls]
    broken = [{"id": c["id"], "name": c["name"], "input": c["args"]} for c in whole.invalid_tool_calls]
    return [*calls, *broken, {"stop": whole.response_metadata.get("stopReason")}]


harness.run("langchain-aws", send, receive)
