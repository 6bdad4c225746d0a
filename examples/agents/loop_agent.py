"""A loop on OpenAI's client whose calls are checked; a script is the model. `python examples/agents/loop_agent.py`"""

import asyncio
import sys
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from models import CUT_OFF, RIGHT, WRONG, openai, serve
from openai import AsyncOpenAI

from toolgen import compile_tools
from toolgen_adapters import loop
from toolgen_runtime import Conversation
from toolgen_transcripts import codec_for
from toolgen_transcripts.openai import encode_tools

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]
SERVER = StdioServerParameters(command=program, args=arguments)
client = AsyncOpenAI(base_url=serve(openai, [WRONG, CUT_OFF, RIGHT]), api_key="none")


async def main() -> None:
    async with stdio_client(SERVER) as streams, ClientSession(*streams) as session:
        await session.initialize()
        toolset = compile_tools(await session.list_tools())
        conversation, codec, call = Conversation(toolset), codec_for("openai"), session.call_tool
        tools = encode_tools(toolset, strict="auto", codec=codec) or {}
        messages: list[Any] = [{"role": "user", "content": "Create an issue."}]
        while messages[-1]["role"] != "assistant":
            response = await client.chat.completions.create(model="script", messages=messages, **tools)
            results = await loop.aresults(response, conversation, call, provider="openai", codec=codec)
            messages += [response.choices[0].message.to_dict(), *results]
            print(*(result["content"] for result in results), sep="\n")


asyncio.run(main())
