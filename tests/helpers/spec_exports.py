"""One tool in every shape that exporters write."""

from __future__ import annotations

from typing import Any

from helpers.support import JsonObject

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "maxLength": 80, "description": "One line."},
        "state": {"type": ["string", "null"], "enum": ["open", "closed", None]},
        "floor": {"type": "integer", "enum": [1, 2], "minimum": 0},
        "labels": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    },
    "required": ["title"],
}
GEMINI: JsonObject = {
    "type": "OBJECT",
    "properties": {
        "labels": {"type": "ARRAY", "items": {"type": "STRING"}, "minItems": "1"},
        "floor": {"type": "INTEGER", "format": "enum", "enum": ["1", "2"], "minimum": 0.0},
        "state": {"type": "STRING", "enum": ["open", "closed"], "nullable": True},
        "title": {"type": "STRING", "maxLength": "80", "description": "One line."},
    },
    "propertyOrdering": ["title", "state", "floor", "labels"],
    "required": ["title"],
}
GEMINI_SDK: JsonObject = {
    "type": "OBJECT",
    "nullable": None,
    "any_of": None,
    "properties": {
        "title": {"type": "STRING", "max_length": 80, "description": "One line.", "pattern": None},
        "state": {"type": "STRING", "enum": ["open", "closed"], "nullable": True},
        "floor": {"type": "INTEGER", "format": "enum", "enum": ["1", "2"], "minimum": 0.0},
        "labels": {"type": "ARRAY", "items": {"type": "STRING", "format": None}, "min_items": 1},
    },
    "required": ["title"],
}
HEAD = {"name": "file_issue", "description": "Files an issue."}
NULLS = {
    "title": None,
    "output_schema": None,
    "icons": None,
    "annotations": None,
    "meta": None,
    "execution": None,
}
CHAT = {"type": "function", "function": {**HEAD, "parameters": SCHEMA, "strict": False}}
TOOL_SPEC = {"toolSpec": {**HEAD, "inputSchema": {"json": SCHEMA}}}

SHAPES: dict[str, tuple[Any, str]] = {
    "mcp": ({"tools": [{**HEAD, "inputSchema": SCHEMA}]}, "/tools/0/inputSchema"),
    "mcp bare list": ([{**HEAD, "inputSchema": SCHEMA}], "/0/inputSchema"),
    "mcp one tool": ({**HEAD, "inputSchema": SCHEMA}, "/inputSchema"),
    "mcp json-rpc": (
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{**HEAD, "inputSchema": SCHEMA}]}},
        "/result/tools/0/inputSchema",
    ),
    "mcp pages": (
        [
            {
                "jsonrpc": "2.0",
                "id": 1,
                "result": {"tools": [{**HEAD, "inputSchema": SCHEMA}], "nextCursor": "2"},
            },
            {"jsonrpc": "2.0", "id": 2, "result": {"tools": []}},
        ],
        "/0/result/tools/0/inputSchema",
    ),
    "mcp snake case with nulls": (
        {"meta": None, "next_cursor": None, "tools": [{**HEAD, **NULLS, "input_schema": SCHEMA}]},
        "/tools/0/input_schema",
    ),
    "openai chat": ([CHAT], "/0/function/parameters"),
    "openai one chat tool": (CHAT, "/function/parameters"),
    "openai request": ({"model": "m", "messages": [], "tools": [CHAT]}, "/tools/0/function/parameters"),
    "openai responses": (
        [{"type": "function", **HEAD, "parameters": SCHEMA, "strict": True}],
        "/0/parameters",
    ),
    "openai functions": ({"functions": [{**HEAD, "parameters": SCHEMA}]}, "/functions/0/parameters"),
    "anthropic": ([{**HEAD, "input_schema": SCHEMA}], "/0/input_schema"),
    "anthropic request": (
        {"model": "m", "max_tokens": 1, "tools": [{**HEAD, "type": "custom", "input_schema": SCHEMA}]},
        "/tools/0/input_schema",
    ),
    "bedrock": (
        {"toolConfig": {"tools": [TOOL_SPEC], "toolChoice": {"auto": {}}}},
        "/toolConfig/tools/0/toolSpec/inputSchema/json",
    ),
    "bedrock inside": ({"tools": [TOOL_SPEC]}, "/tools/0/toolSpec/inputSchema/json"),
    "bedrock toolSpec alone": ({**HEAD, "inputSchema": {"json": SCHEMA}}, "/inputSchema/json"),
    "gemini request": (
        {
            "contents": [],
            "tools": [{"functionDeclarations": [{**HEAD, "parameters": GEMINI}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
        },
        "/tools/0/functionDeclarations/0/parameters",
    ),
    "gemini json schema": (
        {"functionDeclarations": [{**HEAD, "parametersJsonSchema": SCHEMA}]},
        "/functionDeclarations/0/parametersJsonSchema",
    ),
    "gemini sdk": (
        {
            "config": {
                "tools": [
                    {
                        "google_search": None,
                        "function_declarations": [
                            {
                                **HEAD,
                                "behavior": None,
                                "parameters": GEMINI_SDK,
                                "parameters_json_schema": None,
                            }
                        ],
                    }
                ]
            }
        },
        "/config/tools/0/function_declarations/0/parameters",
    ),
    "gemini one declaration": ({**HEAD, "parameters": GEMINI}, "/parameters"),
    "plain": ({**HEAD, "schema": SCHEMA}, "/schema"),
    "plain list": ([{**HEAD, "schema": SCHEMA}], "/0/schema"),
}
