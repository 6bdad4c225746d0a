"""pydantic-ai: an `Agent` over `BedrockConverseModel`, its tools recording with what they are run."""

from __future__ import annotations

import asyncio
from typing import Any

import boto3
import harness
from cases import WEATHER, Calls, History, Message, Results, Turn
from pydantic_ai import Agent, Tool
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.bedrock import BedrockConverseModel
from pydantic_ai.providers.bedrock import BedrockProvider


def message(turn: Turn, names: dict[str, str]) -> ModelMessage:
    match turn:
        case Message("user", words):
            return ModelRequest([UserPromptPart(words)])
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
        case Calls(calls, words):
            names.update({call.id: call.name for call in calls})
            said = [] if words is None else [TextPart(words)]
            return ModelResponse([*said, *(ToolCallPart(c.name, c.input, c.id) for c in calls)])


def agent(url: str, tools: Any, ran: list[harness.Seen]) -> Agent[None, str]:
    def made(spec: Any) -> Tool[None]:
        def tool(**arguments: Any) -> str:
            ran.append({"id": "", "name": spec["name"], "input": arguments})
            return "grey"

        return Tool.from_schema(tool, spec["name"], spec["description"], spec["schema"])

    client = boto3.client("bedrock-runtime", endpoint_url=url, region_name="us-east-1")
    model = BedrockConverseModel(harness.MODEL, provider=BedrockProvider(bedrock_client=client))
    return Agent(model, tools=[made(spec) for spec in tools])


def send(url: str, history: History) -> None:
    names: dict[str, str] = {}
    messages = [message(turn, names) for turn in history.turns]
    agent(url, history.tools, []).run_sync(message_history=messages)


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
