"""A Strands agent whose calls are checked. `python examples/agents/strands_agent.py`

`FakeBedrock` replaces the model: `BedrockModel()` without arguments asks Bedrock.
"""

import logging
import os
import sys
from pathlib import Path
from typing import cast

from mcp import StdioServerParameters, stdio_client
from strands import Agent
from strands.models import BedrockModel
from strands.tools.mcp import MCPClient
from strands.tools.mcp.mcp_types import MCPTransport

from toolgen_adapters.strands import ToolgenHooks
from toolgen_transcripts.testing import FakeBedrock, Reply, call, text

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]
SERVER = StdioServerParameters(command=program, args=arguments)
SCRIPT = [
    Reply([call("1", "create_issue", {"Title": "Login is broken", "priority": "HIGH", "labels": "auth"})]),
    Reply([call("2", "create_issue", '{"title": "Login is broken", "priority": "high", "lab')]),
    Reply([call("3", "create_issue", {"title": "Login is broken", "priority": "high", "labels": ["auth"]})]),
    Reply([text("done")]),
]
os.environ |= {"AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none"}
logging.getLogger("strands").setLevel(logging.ERROR)

with FakeBedrock(*SCRIPT) as bedrock, MCPClient(lambda: cast(MCPTransport, stdio_client(SERVER))) as mcp:
    model = BedrockModel(region_name="us-east-1", endpoint_url=bedrock.url, model_id="script")
    agent = Agent(model=model, tools=mcp.list_tools_sync(), hooks=[ToolgenHooks()], callback_handler=None)
    agent("Create an issue.")
    for message in agent.messages:
        for block in message["content"]:
            if "toolResult" in block:
                print(block["toolResult"]["content"][0].get("text"))
