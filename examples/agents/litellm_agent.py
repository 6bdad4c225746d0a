"""A loop on LiteLLM whose calls are checked; a script is the model. `python examples/agents/litellm_agent.py`"""

import asyncio
import os
import sys
from pathlib import Path

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # no download

from litellm import ModelResponse, acompletion
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from models import CUT_OFF, RIGHT, WRONG, openai, serve

from toolgen import compile_tools
from toolgen_adapters import loop
from toolgen_runtime import Conversation
from toolgen_transcripts.openai import encode_tools

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]
SERVER = StdioServerParameters(command=program, args=arguments)
URL = serve(openai, [WRONG, CUT_OFF, RIGHT])


async def main() -> None:
    async with stdio_client(SERVER) as streams, ClientSession(*streams) as session:
        await session.initialize()
        toolset = compile_tools(await session.list_tools())
        conversation, call = Conversation(toolset), session.call_tool
        messages: list[dict[str, object]] = [{"role": "user", "content": "Create an issue."}]
        while messages[-1]["role"] != "assistant":
            tools = encode_tools(toolset) or {}
            response = await acompletion("openai/script", messages, base_url=URL, api_key="none", **tools)
            assert isinstance(response, ModelResponse)
            results = await loop.aresults(response, conversation, call, provider="openai")
            messages += [response.model_dump()["choices"][0]["message"], *results]
            print(*(result["content"] for result in results), sep="\n")


asyncio.run(main())
