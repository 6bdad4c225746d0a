"""langchain-aws: `ChatBedrockConverse`."""

from __future__ import annotations

from typing import Any

import harness
from cases import WEATHER, Calls, History, Message, Results, Turn
from langchain_aws import ChatBedrockConverse
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage


def messages(turn: Turn) -> list[BaseMessage]:
    match turn:
        case Message("user", words):
            return [HumanMessage(words)]
        case Message(_, words):
            return [AIMessage(words)]
        case Results(results):
            return [
                ToolMessage(r.text, tool_call_id=r.id, status="error" if r.error else "success")
                for r in results
            ]
        case Calls(calls, words):
            sound = [c for c in calls if not isinstance(c.input, str)]
            made = [{"name": c.name, "args": c.input, "id": c.id, "type": "tool_call"} for c in sound]
            broken = [
                {"name": c.name, "args": c.input, "id": c.id, "error": None, "type": "invalid_tool_call"}
                for c in calls
                if isinstance(c.input, str)
            ]
            return [AIMessage(words or "", tool_calls=made, invalid_tool_calls=broken)]


def model(url: str, tools: Any) -> Any:
    chat = ChatBedrockConverse(model=harness.MODEL, endpoint_url=url, region_name="us-east-1")
    specs = [
        {
            "type": "function",
            "function": {"name": t["name"], "description": t["description"], "parameters": t["schema"]},
        }
        for t in tools
    ]
    return chat.bind_tools(specs) if specs else chat


def send(url: str, history: History) -> None:
    model(url, history.tools).invoke([message for turn in history.turns for message in messages(turn)])


def receive(url: str) -> list[harness.Seen]:
    whole: Any = None
    for chunk in model(url, [WEATHER]).stream([HumanMessage("?")]):
        whole = chunk if whole is None else whole + chunk
    calls = [{"id": c["id"], "name": c["name"], "input": c["args"]} for c in whole.tool_calls]
    broken = [{"id": c["id"], "name": c["name"], "input": c["args"]} for c in whole.invalid_tool_calls]
    return [*calls, *broken, {"stop": whole.response_metadata.get("stopReason")}]


harness.run("langchain-aws", send, receive)
