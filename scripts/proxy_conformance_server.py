"""An MCP server with what MCP's conformance suite looks for: `python proxy_conformance_server.py PORT`, with mcp 2.x.

It speaks both generations of the protocol over streamable HTTP. The suite's scenarios name the tools, prompts and
resources, and their contents.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any, Final

import uvicorn
from mcp import MCPError, types
from mcp.server.lowlevel import Server

Json = dict[str, Any]
Tool = Callable[[Any, types.CallToolRequestParams], Awaitable[Json]]

PAUSE: Final = 0.05
"""The seconds between two notifications."""
PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
SILENCE: Final = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
IMAGE: Final = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
MISSING_CAPABILITY: Final = -32021


def text(value: str) -> Json:
    """Return a text as content."""
    return {"type": "text", "text": value}


def embedded(uri: str, value: str, mime: str = "text/plain") -> Json:
    """Return a resource as content."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": value}}


def form(message: str, *required: str, **properties: Json) -> Json:
    """Return the parameters of a question for the user."""
    schema = {"type": "object", "properties": properties, "required": [*required]}
    return {"message": message, "requestedSchema": schema}


FIXED: Final[dict[str, list[Json]]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [{"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}],
    "test_embedded_resource": [embedded("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        IMAGE,
        embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
    "test_headers_tool": [text("The header arrived.")],
    "json_schema_2020_12_tool": [text("The arguments are valid.")],
}
"""The content that each of these tools always returns."""


async def fail(_: Any, __: types.CallToolRequestParams) -> Json:
    """Return an error."""
    return {"isError": True, "content": [text("This tool intentionally returns an error for testing")]}


async def log(context: Any, _: types.CallToolRequestParams) -> Json:
    """Send three log messages."""
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", line, related_request_id=context.request_id)
        await asyncio.sleep(PAUSE)
    return {"content": [text("logged")]}


async def report_progress(context: Any, _: types.CallToolRequestParams) -> Json:
    """Report progress three times."""
    for part in (0, 50, 100):
        await context.session.report_progress(part, 100)
        await asyncio.sleep(PAUSE)
    return {"content": [text("reported")]}


async def sample(context: Any, params: types.CallToolRequestParams) -> Json:
    """Ask the client's model."""
    content = types.TextContent(type="text", text=str((params.arguments or {})["prompt"]))
    said = await context.session.create_message(
        [types.SamplingMessage(role="user", content=content)],
        max_tokens=100,
        related_request_id=context.request_id,
    )
    return {"content": [text(f"LLM response: {said.content.text}")]}


def ask(question: Callable[[Json], Json]) -> Tool:
    """Return a tool that asks the client's user, with a request of its own."""

    async def run(context: Any, params: types.CallToolRequestParams) -> Json:
        asked = question(params.arguments or {})
        said = await context.session.elicit_form(
            asked["message"], asked["requestedSchema"], related_request_id=context.request_id
        )
        return {
            "content": [
                text(f"Elicitation completed: action={said.action}, content={json.dumps(said.content)}")
            ]
        }

    return run


def titled(*names: str) -> list[Json]:
    """Return allowed values with titles."""
    return [{"const": f"value{n}", "title": name} for n, name in enumerate(names, 1)]


DEFAULTS: Final = form(
    "Please review",
    name={"type": "string", "default": "John Doe"},
    age={"type": "integer", "default": 30},
    score={"type": "number", "default": 95.5},
    status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    verified={"type": "boolean", "default": True},
)
OPTIONS: Final = ["option1", "option2", "option3"]
ENUMS: Final = form(
    "Please choose",
    untitledSingle={"type": "string", "enum": OPTIONS},
    titledSingle={"type": "string", "oneOf": titled("First Option", "Second Option", "Third Option")},
    legacyEnum={
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti={"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    titledMulti={
        "type": "array",
        "items": {"anyOf": titled("First Choice", "Second Choice", "Third Choice")},
    },
)

NAME: Final = form("What is your name?", "name", name={"type": "string"})
COLOR: Final = form("What is your favorite color?", "color", color={"type": "string"})
CONFIRM: Final = form("Please confirm", "ok", ok={"type": "boolean"})
ROOTS: Final = {"method": "roots/list", "params": {}}


def elicitation(params: Json) -> Json:
    """Return a question as an input request."""
    return {"method": "elicitation/create", "params": params}


def sampling(prompt: str, most: int) -> Json:
    """Return a request to the client's model as an input request."""
    messages = [{"role": "user", "content": text(prompt)}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": most}}


def rounds(*requests: Json, has_state: bool = False) -> Tool:
    """Return a tool that needs these input requests, round for round, and then returns what it got."""

    async def run(_: Any, params: types.CallToolRequestParams) -> Json:
        state, given = params.request_state, params.input_responses or {}
        done = 0
        if state is not None:
            signed, _, number = state.rpartition(":")
            if signed != "signed" or number not in map(str, range(1, len(requests) + 1)):
                raise MCPError(code=types.INVALID_PARAMS, message="the requestState was changed")
            done = int(number) - 1
        if not requests[done].keys() <= given.keys():
            return needed(requests[done], f"signed:{done + 1}" if has_state else None)
        if done + 1 < len(requests):
            return needed(requests[done + 1], f"signed:{done + 2}")
        got = {key: value.model_dump(mode="json", by_alias=True) for key, value in given.items()}
        return {"content": [text(f"Hello, {json.dumps(got)}! {'state-ok' if has_state else ''}")]}

    return run


def needed(requests: Json, state: str | None) -> Json:
    """Return a result that asks for input."""
    return {"resultType": "input_required", "inputRequests": requests} | (
        {} if state is None else {"requestState": state}
    )


def declared(params: types.CallToolRequestParams) -> Json:
    """Return the capabilities that a request declares."""
    found: Json = (params.meta or {}).get("io.modelcontextprotocol/clientCapabilities", {})
    return found


async def ask_what_is_possible(_: Any, params: types.CallToolRequestParams) -> Json:
    """Ask only for what the client can do."""
    can = declared(params)
    requests: Json = (
        {"question": sampling("What is the capital of France?", 100)} if "sampling" in can else {}
    )
    if "elicitation" in can:
        requests["name"] = elicitation(NAME)
    return needed(requests, None) if requests else {"content": [text("The client can do nothing.")]}


async def need_sampling(_: Any, params: types.CallToolRequestParams) -> Json:
    """Refuse a client that did not declare sampling."""
    if "sampling" not in declared(params):
        needs: Json = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(code=MISSING_CAPABILITY, message="the client cannot sample", data=needs)
    return {"content": [text("The client can sample.")]}


TOOLS: Final[dict[str, Tool]] = {
    "test_error_handling": fail,
    "test_missing_capability": need_sampling,
    "test_logging_tool": log,
    "test_tool_with_logging": log,
    "test_tool_with_progress": report_progress,
    "test_sampling": sample,
    "test_elicitation": ask(
        lambda given: form(
            given["message"], "username", "email", username={"type": "string"}, email={"type": "string"}
        )
    ),
    "test_elicitation_sep1034_defaults": ask(lambda _: DEFAULTS),
    "test_elicitation_sep1330_enums": ask(lambda _: ENUMS),
    "test_input_required_result_elicitation": rounds({"user_name": elicitation(NAME)}),
    "test_streaming_elicitation": rounds({"user_name": elicitation(NAME)}),
    "test_input_required_result_sampling": rounds(
        {"capital_question": sampling("What is the capital of France?", 100)}
    ),
    "test_input_required_result_list_roots": rounds({"client_roots": ROOTS}),
    "test_input_required_result_request_state": rounds({"confirm": elicitation(CONFIRM)}, has_state=True),
    "test_input_required_result_tampered_state": rounds({"confirm": elicitation(CONFIRM)}, has_state=True),
    "test_input_required_result_multiple_inputs": rounds(
        {
            "user_name": elicitation(NAME),
            "greeting": sampling("Generate a greeting", 50),
            "client_roots": ROOTS,
        },
        has_state=True,
    ),
    "test_input_required_result_multi_round": rounds(
        {"step1": elicitation(NAME)}, {"step2": elicitation(COLOR)}, has_state=True
    ),
    "test_input_required_result_capabilities": ask_what_is_possible,
}

CLOSED: Final = {"type": "object", "properties": {}, "additionalProperties": False}
SCHEMAS: Final[dict[str, Json]] = {
    "test_sampling": {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]},
    "test_elicitation": {
        "type": "object",
        "properties": {"message": {"type": "string"}},
        "required": ["message"],
    },
    "test_headers_tool": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    },
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
}
"""The input schemas of tools with parameters."""

PROMPTS: Final[dict[str, tuple[str, ...]]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}
"""The arguments of each prompt."""


async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
    """List the tools."""
    tools = [
        {"name": name, "description": f"The tool {name}.", "inputSchema": SCHEMAS.get(name, CLOSED)}
        for name in (*FIXED, *TOOLS)
    ]
    return types.ListToolsResult.model_validate({"tools": tools})


async def call_tool(context: Any, params: types.CallToolRequestParams) -> Any:
    """Run a tool."""
    if params.name in FIXED:
        return types.CallToolResult.model_validate({"content": FIXED[params.name]})
    if params.name not in TOOLS:
        raise MCPError(code=types.INVALID_PARAMS, message=f"there is no tool {params.name}")
    result = await TOOLS[params.name](context, params)
    if result.get("resultType") == "input_required":
        return types.InputRequiredResult.model_validate(result)
    return types.CallToolResult.model_validate(result)


async def list_prompts(_: Any, __: Any) -> types.ListPromptsResult:
    """List the prompts."""
    prompts = [
        {
            "name": name,
            "description": f"The prompt {name}.",
            "arguments": [{"name": key, "required": True} for key in arguments],
        }
        for name, arguments in PROMPTS.items()
    ]
    return types.ListPromptsResult.model_validate({"prompts": prompts})


async def get_prompt(_: Any, params: types.GetPromptRequestParams) -> Any:
    """Return the messages of a prompt."""
    given = params.arguments or {}
    if params.name == "test_input_required_result_prompt" and not params.input_responses:
        context_form = form("What context should the prompt use?", "context", context={"type": "string"})
        asked = needed({"user_context": elicitation(context_form)}, None)
        return types.InputRequiredResult.model_validate(asked)
    contents: dict[str, Callable[[], list[Json]]] = {
        "test_simple_prompt": lambda: [text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": lambda: [
            text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")
        ],
        "test_prompt_with_embedded_resource": lambda: [
            embedded(given["resourceUri"], "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image": lambda: [IMAGE, text("Please analyze the image above.")],
        "test_input_required_result_prompt": lambda: [text("The context arrived.")],
    }
    messages = [{"role": "user", "content": content} for content in contents[params.name]()]
    return types.GetPromptResult.model_validate({"messages": messages})


RESOURCES: Final[dict[str, Json]] = {
    "test://static-text": {
        "mimeType": "text/plain",
        "text": "This is the content of the static text resource.",
    },
    "test://static-binary": {"mimeType": "image/png", "blob": PIXEL},
    "test://watched-resource": {"mimeType": "text/plain", "text": "watched"},
}


async def list_resources(_: Any, __: Any) -> types.ListResourcesResult:
    """List the resources."""
    resources = [
        {"uri": uri, "name": uri[7:], "description": uri, "mimeType": content["mimeType"]}
        for uri, content in RESOURCES.items()
    ]
    return types.ListResourcesResult.model_validate({"resources": resources})


async def list_templates(_: Any, __: Any) -> types.ListResourceTemplatesResult:
    """List the templates of resources."""
    template = {
        "uriTemplate": "test://template/{id}/data",
        "name": "template",
        "mimeType": "application/json",
    }
    return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": [template]})


async def read_resource(_: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    """Read a resource."""
    uri = str(params.uri)
    content = RESOURCES.get(uri)
    if uri.startswith("test://template/") and uri.endswith("/data"):
        name = uri.split("/")[3]
        data = {"id": name, "templateTest": True, "data": f"Data for ID: {name}"}
        content = {"mimeType": "application/json", "text": json.dumps(data)}
    if content is None:
        raise MCPError(code=types.INVALID_PARAMS, message="Resource not found", data={"uri": uri})
    return types.ReadResourceResult.model_validate({"contents": [{"uri": uri, **content}]})


async def nothing(_: Any, __: Any) -> types.EmptyResult:
    """Return an empty result."""
    return types.EmptyResult()


async def complete(_: Any, __: types.CompleteRequestParams) -> types.CompleteResult:
    """Complete an argument."""
    return types.CompleteResult.model_validate({"completion": {"values": ["paris", "park"], "total": 2}})


def main() -> None:
    """Serve at the port."""
    server: Server[Any] = Server(
        "conformance",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_subscribe_resource=nothing,
        on_unsubscribe_resource=nothing,
        on_completion=complete,
        on_set_logging_level=nothing,
    )
    uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=int(sys.argv[1]), log_level="error")


if __name__ == "__main__":
    main()
