"""LangChain: tools with the models as their arguments, in an agent whose model makes the call."""

from __future__ import annotations

from typing import Any

from frame import Call, Written, run
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool


class Model(GenericFakeChatModel):
    """A model that returns the given messages; the agent knows the tools."""

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        """Return the model unchanged."""
        return self


async def ask(tools: list[Written], call: Call) -> str | None:
    if call.text is not None:
        return None
    made = [
        StructuredTool.from_function(
            tool.function, name=tool.name, description=tool.description, args_schema=tool.model
        )
        for tool in tools
    ]
    request = AIMessage("", tool_calls=[{"name": call.tool, "args": call.payload, "id": "call_1"}])
    agent = create_agent(Model(messages=iter([request, AIMessage("Done.")])), made)
    result = await agent.ainvoke({"messages": [HumanMessage("Make the call.")]})
    return next(str(m.content) for m in result["messages"] if isinstance(m, ToolMessage))


if __name__ == "__main__":
    run("langchain", ask)
