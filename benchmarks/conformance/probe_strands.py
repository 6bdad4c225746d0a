"""Strands: an `Agent` over `BedrockModel`, its tools recording with what they are run."""

from __future__ import annotations

import logging
from typing import Any

import harness
from cases import PDF, SIGNATURE, THOUGHT, WEATHER, Calls, History, Message, Results, Turn
from strands import Agent
from strands.models import BedrockModel
from strands.tools import PythonAgentTool

logging.disable(logging.CRITICAL)


def message(turn: Turn) -> dict[str, Any]:
    match turn:
        case Message(role, words, documents, cached):
            file = {"format": "pdf", "source": {"bytes": PDF}}
            read = [{"document": {**file, "name": name}} for name in documents]
            point = [{"cachePoint": {"type": "default"}}] if cached else []
            return {"role": role, "content": [*([{"text": words}] if words else []), *read, *point]}
        case Results(results):
            return {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": r.id,
                            "content": [{"text": r.text}] if r.text else [],
                            "status": "error" if r.error else "success",
                        }
                    }
                    for r in results
                ],
            }
        case Calls(calls, words, signed):
            text = {"text": THOUGHT, "signature": SIGNATURE}
            thought = [{"reasoningContent": {"reasoningText": text}}] if signed else []
            said = thought if words is None else [*thought, {"text": words}]
            made = [{"toolUse": {"toolUseId": c.id, "name": c.name, "input": c.input}} for c in calls]
            return {"role": "assistant", "content": [*said, *made]}


def agent(
    url: str, tools: Any, history: list[Any], ran: list[harness.Seen], id: str = harness.MODEL, **more: Any
) -> Agent:
    def tool(use: Any, **_: Any) -> Any:
        ran.append({"id": use.get("toolUseId"), "name": use.get("name"), "input": use.get("input")})
        return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"text": "grey"}]}

    def made(t: Any) -> PythonAgentTool:
        spec = {"name": t["name"], "description": t["description"], "inputSchema": {"json": t["schema"]}}
        return PythonAgentTool(t["name"], spec, tool)

    model = BedrockModel(model_id=id, endpoint_url=url, region_name="us-east-1", **more)
    return Agent(model=model, tools=[made(t) for t in tools], messages=history, callback_handler=None)


def send(url: str, history: History) -> None:
    if history.items:
        raise harness.NoFormError
    more = {}
    if history.thinking:
        thinking = {"type": "enabled", "budget_tokens": history.thinking}
        more = {"additional_request_fields": {"thinking": thinking}}
    turns = [message(turn) for turn in history.turns]
    agent(url, history.tools, turns, [], harness.model_of(history), **more)()


def receive(url: str) -> list[harness.Seen]:
    ran: list[harness.Seen] = []
    try:
        result = agent(url, [WEATHER], [], ran)("?")
    except Exception:
        if not ran:
            raise
        return [*ran, {"stop": "raises afterwards"}]
    return [*ran, {"stop": result.stop_reason}]


harness.run("strands-agents", send, receive)
