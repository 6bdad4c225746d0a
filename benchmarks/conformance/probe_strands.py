"""Strands: an `Agent` over `BedrockModel`, whose tools record their inputs."""

from __future__ import annotations

import logging
from typing import Any

import harness
from api_cases import GEMINI, Request
from cases import PDF, SIGNATURE, THOUGHT, WEATHER, Calls, History, Message, Results, Turn
from strands import Agent
from strands.models import BedrockModel
from strands.models.anthropic import AnthropicModel
from strands.models.gemini import GeminiModel
from strands.models.openai import OpenAIModel
from strands.models.openai_responses import OpenAIResponsesModel
from strands.tools import PythonAgentTool

logging.disable(logging.CRITICAL)


def message(turn: Turn, api: str = "") -> dict[str, Any]:
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
            thought = [{"reasoningContent": {"reasoningText": text}}] if signed and api != GEMINI else []
            mark = {"reasoningSignature": SIGNATURE} if signed and api == GEMINI else {}
            said = thought if words is None else [*thought, {"text": words}]
            made = [{"toolUse": {"toolUseId": c.id, "name": c.name, "input": c.input, **mark}} for c in calls]
            return {"role": "assistant", "content": [*said, *made]}


def agent(
    url: str, tools: Any, history: list[Any], ran: list[harness.Seen], id: str = harness.MODEL, **more: Any
) -> Agent:
    model = BedrockModel(model_id=id, endpoint_url=url, region_name="us-east-1", **more)
    return agent_of(model, tools, history, ran)


def agent_of(model: Any, tools: Any, history: list[Any], ran: list[harness.Seen]) -> Agent:
    def tool(use: Any, **_: Any) -> Any:
        ran.append({"id": use.get("toolUseId"), "name": use.get("name"), "input": use.get("input")})
        return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"text": "grey"}]}

    def made(t: Any) -> PythonAgentTool:
        spec = {"name": t["name"], "description": t["description"], "inputSchema": {"json": t["schema"]}}
        return PythonAgentTool(t["name"], spec, tool)

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


def model_of(url: str, case: Request) -> Any:
    client = {"base_url": url, "api_key": "fake", "max_retries": 0}
    match case.api:
        case "openai":
            return OpenAIModel(client_args=client, model_id=case.model_id)
        case "openai_responses":
            return OpenAIResponsesModel(client_args=client, model_id=case.model_id)
        case "anthropic":
            thinking = (
                {"thinking": {"type": "enabled", "budget_tokens": case.thinking}} if case.thinking else {}
            )
            return AnthropicModel(
                client_args=client, model_id=case.model_id, max_tokens=4000, params=thinking
            )
    options = {"api_key": "fake", "http_options": {"base_url": url}}
    return GeminiModel(client_args=options, model_id=case.model_id)


def request(url: str, case: Request) -> None:
    if case.strict or not case.turns:
        raise harness.NoFormError
    turns = [message(turn, case.api) for turn in case.turns]
    agent_of(model_of(url, case), case.tools, turns, [])()


harness.run(("strands-agents",), send, receive, request)
