"""pydantic-ai: an `Agent` over `BedrockConverseModel`, whose tools record their inputs."""

from __future__ import annotations

import asyncio
from typing import Any

import boto3
import harness
from anthropic import AsyncAnthropic
from api_cases import GEMINI, Request
from cases import PDF, SIGNATURE, THOUGHT, WEATHER, Calls, History, Message, Results, Turn
from openai import AsyncOpenAI
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
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.models.bedrock import BedrockConverseModel, BedrockModelSettings
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.bedrock import BedrockProvider
from pydantic_ai.providers.deepseek import DeepSeekProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.moonshotai import MoonshotAIProvider
from pydantic_ai.providers.openai import OpenAIProvider


def thinking_part(api: str, maker: str) -> ThinkingPart:
    match api:
        case "openai":
            return ThinkingPart(THOUGHT, id="reasoning_content", provider_name=maker)
        case "openai_responses":
            return ThinkingPart(THOUGHT, id="rs_1", signature=SIGNATURE, provider_name=maker)
    return ThinkingPart(THOUGHT, signature=SIGNATURE, provider_name=maker)


def message(turn: Turn, names: dict[str, str], api: str = "", maker: str = "bedrock") -> ModelMessage:
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
            marked = signed and api == GEMINI
            beside = {"provider_name": maker, "provider_details": {"thought_signature": SIGNATURE}}
            more: dict[str, Any] = beside if marked else {}
            return ModelResponse(
                [
                    *([thinking_part(api, maker)] if signed and not marked else []),
                    *spoken,
                    *(ToolCallPart(c.name, c.input, c.id, **more) for c in calls),
                ],
                provider_name=maker if signed else None,
            )


def agent(url: str, tools: Any, ran: list[harness.Seen], id: str = harness.MODEL) -> Agent[None, str]:
    client = boto3.client("bedrock-runtime", endpoint_url=url, region_name="us-east-1")
    return agent_of(BedrockConverseModel(id, provider=BedrockProvider(bedrock_client=client)), tools, ran)


def agent_of(model: Any, tools: Any, ran: list[harness.Seen], strict: bool = False) -> Agent[None, str]:
    def made(spec: Any) -> Tool[None]:
        def tool(**arguments: Any) -> str:
            ran.append({"id": "", "name": spec["name"], "input": arguments})
            return "grey"

        built = Tool.from_schema(tool, spec["name"], spec["description"], spec["schema"])
        built.strict = strict or None
        return built

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


def model_of(url: str, case: Request) -> tuple[Any, str]:
    """Return the model, and the provider name in its own parts."""
    client: Any = AsyncOpenAI(base_url=url, api_key="fake", max_retries=0)
    match case.api:
        case "openai" if case.model_id.startswith("deepseek"):
            return OpenAIChatModel(case.model_id, provider=DeepSeekProvider(openai_client=client)), "deepseek"
        case "openai" if case.model_id.startswith("kimi"):
            return OpenAIChatModel(
                case.model_id, provider=MoonshotAIProvider(openai_client=client)
            ), "moonshotai"
        case "openai":
            return OpenAIChatModel(case.model_id, provider=OpenAIProvider(openai_client=client)), "openai"
        case "openai_responses":
            return OpenAIResponsesModel(
                case.model_id, provider=OpenAIProvider(openai_client=client)
            ), "openai"
        case "anthropic":
            own = AsyncAnthropic(base_url=url, api_key="fake", max_retries=0)
            return AnthropicModel(
                case.model_id, provider=AnthropicProvider(anthropic_client=own)
            ), "anthropic"
    name = "google-cloud" if case.moved else "google"
    return GoogleModel(case.model_id, provider=GoogleProvider(api_key="fake", base_url=url)), name


def request(url: str, case: Request) -> None:
    if not case.turns:
        raise harness.NoFormError
    model, maker = model_of(url, case)
    names: dict[str, str] = {}
    turns = [message(turn, names, case.api, maker) for turn in case.turns]
    settings = AnthropicModelSettings(max_tokens=4000)
    if case.thinking:
        settings["anthropic_thinking"] = {"type": "enabled", "budget_tokens": case.thinking}
    asked = agent_of(model, case.tools, [], case.strict)
    asked.run_sync(message_history=turns, model_settings=settings)


harness.run(("pydantic-ai-slim",), send, receive, request)
