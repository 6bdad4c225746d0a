"""The number of real tools that support strict mode, whether another program compiles their schemas, and round trips.

    pip install -e ./runtime -e '.[dev]' llguidance
    python benchmarks/strict/share.py FOLDER

FOLDER has one file of tools per server (`{"tools": [...]}` or a list). Each server is one request. If llguidance is
installed, it compiles each strict schema. Payloads of each strict tool, valid and invalid, are sent in its form and
read back; `changed` counts those that are then not equal.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from helpers.schemas import payloads
from helpers.support import same_json

from toolgen_transcripts import check, codec_for
from toolgen_transcripts.codec.names import Codec
from toolgen_transcripts.tools.definitions import ToolDefinition

PROVIDERS = ("openai", "openai_responses", "anthropic", "bedrock")
PAYLOADS = 200
"""The number of payloads of a tool."""


def servers(folder: Path) -> Iterator[list[ToolDefinition]]:
    """Yield the tools of each file."""
    for file in sorted(folder.glob("*.json")):
        value = json.loads(file.read_text(encoding="utf-8"))
        listed = value["tools"] if isinstance(value, dict) else value
        yield [ToolDefinition(t["name"], t.get("description", ""), t["inputSchema"]) for t in listed]


def compiles(schema: Any) -> bool | None:
    """Return whether llguidance compiles a schema; None if it is not installed."""
    if importlib.util.find_spec("llguidance") is None:
        return None
    matcher = importlib.import_module("llguidance").LLMatcher
    return not matcher.validate_grammar(matcher.grammar_from_json_schema(json.dumps(schema)))


def counted(provider: str, folder: Path) -> Counter[str]:
    """Return the numbers of tools, of those that are strict as they are or rewritten, and of schemas that compile."""
    module = importlib.import_module(f"toolgen_transcripts.{provider}")
    hello: Any = [{"text": "Hello."} if provider == "bedrock" else {"type": "text", "text": "Hello."}]
    messages = [{"role": "user", "content": "Hello." if provider.startswith("openai") else hello}]
    counts: Counter[str] = Counter()
    for tools in servers(folder):
        counts["tools"] += len(tools)
        as_is = module.decode_tools(module.encode_tools(tools, strict=True))
        codec = codec_for(provider)
        block = module.encode_tools(tools, strict="auto", codec=codec)
        strict = [tool for tool in module.decode_tools(block) if tool.strict]
        counts["as they are"] += sum(tool.strict for tool in as_is)
        counts["auto"] += len(strict)
        counts["compiled"] += sum(compiles(tool.schema) is True for tool in strict)
        counts["rules broken"] += len(check(messages, provider, tools=block))
        names = {codec.decode_name(tool.name) for tool in strict}
        for tool in tools:
            if tool.name in names:
                counts.update(there_and_back(tool, codec))
    return counts


def there_and_back(tool: ToolDefinition, codec: Codec) -> Counter[str]:
    """Return the numbers of valid and invalid payloads of a tool, and of those that come back changed."""
    counts: Counter[str] = Counter()
    is_valid = jsonschema_rs.validator_for(tool.schema).is_valid
    for payload in payloads(tool.schema, 1, PAYLOADS):
        kind = "valid" if is_valid(payload) else "invalid"
        counts[kind] += 1
        back = codec.decode_input(codec.encode_input(payload, tool.name), tool.name)
        counts[f"{kind}, changed"] += not same_json(back, payload)
    return counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="a folder with one file of tools for each server")
    folder = parser.parse_args().folder
    if not folder.is_dir():
        parser.error(f"{folder} is not a folder")
    for name in PROVIDERS:
        print(name, dict(counted(name, folder)))
