"""pydantic-ai: an `Agent` over `BedrockConverseModel`, its tools recording with what they are run."""

from __future__ import annotations

import asyncio
from typing import Any

import boto3
import harness
from cases import PDF, SIGNATURE, THOUGHT, WEATHER, Calls, History, Message, Results, Turn
from pydantic_ai import Agent, Tool
from pydantic_ai.messages import (
    BinaryContent,
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.bedrock import BedrockConverseModel, BedrockModelSettings
from pydantic_ai.providers.bedrock import BedrockProvider


def message(turn: Turn, names: dict[str, str]) -> ModelMessage:
    match turn:
        case Message("user", words, (), False):
            return ModelRequest([UserPromptPart(words)])
        case Message("user", words, documents, cached):
            read = [BinaryContent(PDF, media_type="application/pdf", identifier=name) for name in documents]
            said = [*([words] if words else []), *read, *([CachePoint()] if cached else [])]
            return ModelRequest([UserPromptPart(said)])
        case Message(_, words):
            return ModelResponse([TextPart(words)])
        case Results(results):
            return ModelRequest(
                [
                    ToolReturnPart(
                        names.get(r.id, "weather"),
                        r.text,
                        r.id,
                        outcome="failed" if r.error else "success",
                    )
                    for r in results
                ]
            )
        case Calls(calls, words, signed):
            names.update({call.id: call.name for call in calls})
            spoken = [] if words is None else [TextPart(words)]
            thought = ThinkingPart(THOUGHT, signature=SIGNATURE, provider_name="bedrock")
            return ModelResponse(
                [
                    *([thought] if signed else []),
                    *spoken,
                    *(ToolCallPart(c.name, c.input, c.id) for c in calls),
                ]
            )


def agent(url: str, tools: Any, ran: list[harness.Seen], id: str = harness.MODEL) -> Agent[None, str]:
    def made(spec: Any) -> Tool[None]:
        def tool(**arguments: Any) -> str:
            ran.append({"id": "", "name": spec["name"], "input": arguments})
            return "grey"

        return Tool.from_schema(tool, spec["name"], spec["description"], spec["schema"])

    client = boto3.client("bedrock-runtime", endpoint_url=url, region_name="us-east-1")
    model = BedrockConverseModel(id, provider=BedrockProvider(bedrock_client=client))
    return Agent(model, tools=[made(spec) for spec in tools])


def send(url: str, history: History) -> None:
    names: dict[str, str] = {}
    messages = [message(turn, names) for turn in history.turns]
    if history.items:
        raise harness.NoFormError
    settings = BedrockModelSettings()
    if history.thinking:
        thinking = {"type": "enabled", "budget_tokens": history.thinking}
        settings["bedrock_additional_model_requests_fields"] = {"thinking": thinking}
    asked = agent(url, history.tools, [], harness.model_of(history))
    asked.run_sync(message_history=messages, model_settings=settings)


def receive(url: str) -> list[harness.Seen]:
    ran: list[harness.Seen] = []

    async def run() -> None:
        async with agent(url, [WEATHER], ran).run_stream("?") as result:
            await result.get_output()

    try:
        asyncio.run(run())
    except Exception:
        if not ran:
            raise
        return [*ran, {"stop": "raises afterwards"}]
    return ran


harness.run("pydantic-ai-slim", send, receive)
