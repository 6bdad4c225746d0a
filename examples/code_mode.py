"""Code mode with Monty, offline: a scripted model writes code that calls tools, and corrects it after a hint.

    pip install -e ./runtime -e '.[generator]' pydantic-monty
    python examples/code_mode.py

The model gets the stubs. Its code runs in Monty's sandbox, which type-checks it against the stubs; each call in it
is checked before it is sent.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pydantic_monty

from toolgen import compile_tools
from toolgen.commands.export.stubs import stubs
from toolgen.compiler.schema.lower import LowerOptions
from toolgen.compiler.specs.load import read_value
from toolgen_runtime import Conversation

SPEC = {
    "name": "create-relations",
    "description": "Relate people.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "relations": {
                "type": "array",
                "maxItems": 2,
                "items": {
                    "type": "object",
                    "properties": {"from": {"type": "string"}, "to": {"type": "string"}},
                    "required": ["from", "to"],
                },
            }
        },
        "required": ["relations"],
    },
}
WRITTEN = (  # the code of the model: first with too many relations, which no type forbids; then with two
    'await create_relations(relations=[{"from": "Ann", "to": name} for name in ["Bo", "Cy", "Di"]])',
    'await create_relations(relations=[{"from": "Ann", "to": name} for name in ["Bo", "Cy"]])',
)


async def send(name: str, arguments: Any) -> str:
    """Replace the session of an MCP server."""
    return f"{name}: {len(arguments['relations'])} relations"


async def main() -> None:
    signatures = stubs(read_value([SPEC]).tools, "python-stubs", LowerOptions())
    print(f"The model sees:\n{signatures}")
    functions = Conversation(compile_tools([SPEC])).functions(send)
    async with pydantic_monty.AsyncMonty() as pool:
        for code in WRITTEN:
            async with pool.checkout(type_check=True, type_check_stubs=signatures) as session:
                try:
                    print("result:", await session.feed_run(code, external_lookup=functions))
                except pydantic_monty.MontyError as error:
                    print("the model is told:", str(error).splitlines()[-1])


if __name__ == "__main__":
    asyncio.run(main())
