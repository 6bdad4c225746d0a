"""OpenAI Agents: function tools, called with the arguments as the model wrote them."""

from __future__ import annotations

import json

from agents import function_tool
from agents.tool_context import ToolContext
from frame import Call, Written, run


async def ask(tools: list[Written], call: Call) -> str | None:
    tool = next((tool for tool in tools if tool.name == call.tool), None)
    if tool is None:  # an unknown tool ends the run
        return None
    text = json.dumps(call.payload) if call.text is None else call.text
    made = function_tool(tool.function, strict_mode=False, name_override=tool.name)
    context = ToolContext(context=None, tool_name=call.tool, tool_call_id="call_1", tool_arguments=text)
    return str(await made.on_invoke_tool(context, text))


if __name__ == "__main__":
    run("openai-agents", ask)
