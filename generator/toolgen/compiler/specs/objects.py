"""Convert tool objects of agent frameworks to the JSON that these frameworks export, without importing them.

An object is recognized only by its attributes:

| attribute | frameworks |
| --- | --- |
| `to_mcp_tool()`, `tool_spec`, `tool_def` | FastMCP; Strands; pydantic-ai `Tool`: the tool in another form |
| `_get_declaration()` | Google ADK, which has no public equivalent: the same |
| `metadata.get_parameters_dict()` | LlamaIndex |
| `tool_call_schema`, `args_schema` | LangChain (the former leaves out injected arguments), CrewAI |
| `parameters_json_schema`, `params_json_schema` | pydantic-ai `ToolDefinition`; OpenAI Agents `FunctionTool` |
| `model_dump()` | mcp `Tool` and `ListToolsResult`, google-genai `Tool`, and anything of pydantic |
| `parameters()` | Microsoft Agent Framework: a method that returns the schema |
| `inputSchema`, `input_schema`, `parameters` | Anthropic's `beta_tool`, agno, and any object with a name and a schema |
| `json_schema` | LangChain's structured output |
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping
from inspect import isawaitable, iscoroutine, isroutine
from typing import Any

from toolgen.compiler.specs.shapes.unfold import ENVELOPES, LISTS

EXPECTED = (
    "what a framework's list_tools() gives, its tool objects (mcp, FastMCP, LangChain, pydantic-ai, "
    "OpenAI Agents, Strands, Google ADK, CrewAI, LlamaIndex, Agent Framework, agno), or tool definitions as JSON"
)
_FORMS = ("to_mcp_tool", "tool_spec", "tool_def", "_get_declaration")
"""Attributes that contain the same tool as another object, or that return it when called."""
_SCHEMAS = ("tool_call_schema", "args_schema", "parameters_json_schema", "params_json_schema")
_LATER_SCHEMAS = ("inputSchema", "input_schema", "parameters", "json_schema")
_EXTRAS = {
    "title": ("title",),
    "annotations": ("annotations",),
    "outputSchema": ("outputSchema", "output_schema", "return_schema"),
    "icons": ("icons",),
    "execution": ("execution",),
}
"""Keys of a spec that are only data, and the attributes that may contain their values."""
_HINTS = {
    *("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"),
    *("read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint"),
}
"""The MCP annotations of a tool's behaviour (`ToolAnnotations`), in the spelling of JSON and of Python."""
_ONE_TEXT = {"type": "object", "properties": {"__arg1": {"type": "string"}}, "required": ["__arg1"]}
"""The schema that LangChain shows the model for a `Tool` that takes one string."""
_SCALARS = (str, bytes, bytearray, bool, int, float, type(None))


def to_spec(value: Any, where: str = "tools") -> Any:
    """Replace every tool object in specs with its JSON. JSON is returned unchanged.

    Raises:
        TypeError: an item is not a tool; the message says what it is, and what to pass.
    """
    if isinstance(value, Mapping):
        return _of_mapping(value, where)
    if isinstance(value, _SCALARS):
        return value  # JSON that is not a tool: the reader of specs reports it, with its place
    if isinstance(value, type):
        spec = None
    else:
        spec = _of_object(value, where)
    if spec is not None:
        return spec
    if isinstance(value, Iterable) and not isinstance(value, type):
        return [_of_item(item, f"{where}[{index}]") for index, item in enumerate(value)]
    raise not_a_tool(value, where)


def to_listed(value: Any) -> Any:
    """Convert the tools that a framework lists to specs.

    If an item is a string or a number, the calling program has a bug.

    Raises:
        TypeError: as for `to_spec`, and for JSON that is neither an object nor an array.
    """
    spec = to_spec(value)
    if isinstance(spec, _SCALARS):
        raise not_a_tool(spec, "tools")
    for index, item in enumerate(spec if isinstance(spec, list) else ()):
        if isinstance(item, _SCALARS):
            raise not_a_tool(item, f"tools[{index}]")
    return spec


def not_a_tool(value: Any, where: str) -> TypeError:
    """Create the error for a value that is neither a tool nor a collection of tools."""
    if isawaitable(value) or isinstance(value, AsyncIterable):
        if iscoroutine(value):
            value.close()  # so that Python does not warn that it was never awaited
        return TypeError(f"{where} has not been awaited: pass the result of `await`")
    if value is None:
        kind = "None"
    else:
        kind = f"of type {type(value).__name__}"
    if isinstance(value, type) or isroutine(value):
        kind = (
            f"the {'class' if isinstance(value, type) else 'function'} {value.__name__}, which has no schema"
        )
    return TypeError(f"{where} is {kind}: pass {EXPECTED}")


def _of_item(item: Any, where: str) -> Any:
    if item is None:
        raise not_a_tool(item, where)
    return to_spec(item, where)


def _of_mapping(value: Mapping[Any, Any], where: str) -> Any:
    """Return an export with its lists converted, or the list of tools of a mapping from names to tool objects."""
    named = _named_objects(value, where)
    if named:
        return named
    held = {
        key: to_spec(value[key], f"{where}[{key!r}]")
        for key in (*LISTS, *ENVELOPES)
        if not isinstance(value.get(key), _SCALARS)
    }
    if held:
        return {**value, **held}
    return value


def _named_objects(value: Mapping[Any, Any], where: str) -> list[Any]:
    """Return the tools of a mapping whose keys are their names; an empty list for any other mapping."""
    tools = []
    for name, item in value.items():
        if isinstance(item, (Mapping, list, tuple, type, *_SCALARS)):
            return []
        spec = _of_object(item, f"{where}[{name!r}]")
        if not isinstance(spec, Mapping) or "name" not in spec:
            return []
        tools.append({**spec, "name": name})
    return tools


def _of_object(value: Any, where: str) -> Any:
    for name in _FORMS:
        form = getattr(value, name, None)
        if form is not None:
            return to_spec(form() if callable(form) else form, where)
    metadata: Any = getattr(value, "metadata", None)
    if hasattr(metadata, "get_parameters_dict"):
        return _spec(metadata, metadata.get_parameters_dict(), where)
    if getattr(value, "args_schema", False) is None and list(getattr(value, "args", ())) == ["tool_input"]:
        return _spec(value, _ONE_TEXT, where)
    for name in _SCHEMAS:
        schema = getattr(value, name, None)
        if schema is not None:
            return _spec(value, schema, where)
    parameters = getattr(value, "parameters", None)
    if isinstance(getattr(value, "name", None), str) and (callable(parameters) or _is_entrypoint(value)):
        return _spec(value, parameters() if callable(parameters) else parameters, where)
    if callable(getattr(value, "model_dump", None)):
        return _dumped(value, where)
    for name in _LATER_SCHEMAS:
        schema = getattr(value, name, None)
        if isinstance(schema, Mapping) and isinstance(getattr(value, "name", None), str):
            return _spec(value, schema, where)
    return None


def _is_entrypoint(value: Any) -> bool:
    """Return whether a pydantic object is agno's `Function`, whose dump is not a tool."""
    return hasattr(value, "entrypoint") and isinstance(getattr(value, "parameters", None), Mapping)


def _spec(value: Any, schema: Any, where: str) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "name": getattr(value, "name", None),
        "description": getattr(value, "description", None) or "",
        "inputSchema": _json_schema(schema, where),
    }
    for key, attributes in _EXTRAS.items():
        found = next((v for name in attributes if (v := getattr(value, name, None)) is not None), None)
        if not isinstance(found, type) and callable(getattr(found, "model_dump", None)):
            found = _dumped(found, where)
        if isinstance(found, (str, dict, list)):
            spec[key] = found
    annotations = _annotations(getattr(value, "metadata", None))
    if annotations:
        return {"annotations": annotations, **spec}
    return spec


def _annotations(metadata: Any) -> dict[str, Any]:
    """Return the MCP annotations in a tool's metadata, under a key (pydantic-ai) or among other keys (LangChain)."""
    if not isinstance(metadata, Mapping):
        return {}
    if isinstance(metadata.get("annotations"), Mapping):
        return dict(metadata["annotations"])
    hints = {key: value for key, value in metadata.items() if key in _HINTS and isinstance(value, bool)}
    title = metadata.get("title")
    if hints and isinstance(title, str):
        return {"title": title, **hints}
    return hints


def _json_schema(schema: Any, where: str) -> Any:
    """Return a JSON Schema: the given one, or that of a pydantic class (including pydantic 1)."""
    if isinstance(schema, (Mapping, bool)):
        return schema
    for name in ("model_json_schema", "json_schema", "schema"):
        made = getattr(schema, name, None)
        if callable(made):
            try:
                return made()
            except Exception as error:
                raise TypeError(f"{where} has arguments without a JSON Schema: {error}") from error
    raise TypeError(
        f"{where}: its schema is of type {type(schema).__name__}, not a JSON Schema or a pydantic class"
    )


def _dumped(value: Any, where: str) -> Any:
    try:
        return value.model_dump(mode="json", by_alias=True)
    except TypeError:  # a `model_dump` that is not pydantic's
        return value.model_dump()
    except Exception as error:
        raise TypeError(
            f"{where} is a {type(value).__name__} that cannot be converted to JSON: {error}"
        ) from error
