"""pydantic-ai: an `Agent` with functions that each take a model, and a model that makes the call."""

from __future__ import annotations

from frame import Call, Written, run
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


async def ask(tools: list[Written], call: Call) -> str | None:
    told: list[str] = []

    def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        told.extend(p.model_response_str() for p in messages[-1].parts if isinstance(p, ToolReturnPart))
        if len(messages) > 1:
            return ModelResponse([TextPart("Done.")])
        return ModelResponse([ToolCallPart(call.tool, call.payload if call.text is None else call.text)])

    agent = Agent(FunctionModel(model), tools=[tool.of_model() for tool in tools])
    await agent.run("Make the call.")
    return told[0] if told else None


if __name__ == "__main__":
    run("pydantic-ai-slim", ask)
