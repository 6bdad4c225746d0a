"""Read traces of agents from Langfuse, LangSmith and OpenTelemetry (GenAI, OpenInference, the AI SDK).

All exporters record the same steps under different names: a model received an input and sent an output, or a tool
received its arguments. A model's input repeats earlier calls, so only the tools in it are read.

- Langfuse: observations of its API, of its exports (JSON lines, Parquet) and of a downloaded trace. Exports have
  keys in snake case, `input` and `output` as JSON texts, `tool_calls` without names, `tool_call_names`, and
  `tool_definitions` by name. An observation that was imported as a span has the span's attributes in its metadata.
- LangSmith: runs in the form of its client, its API and its bulk export.
- OpenTelemetry: OTLP JSON, or one span per record; attributes are flat, or nested as in Phoenix's client.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from toolgen.commands.audit.records.call import Call, Record, at, first_of, mapping, mappings, parsed
from toolgen.commands.audit.records.sent import calls_sent

MODEL: Final = ("generation", "llm")
"""The names that exporters use for a model's step. A tool's step is always called `tool`."""
_KIND: Final = ("openinference.span.kind", "langfuse.observation.type", "langsmith.span.kind")
_NAME: Final = ("gen_ai.tool.name", "tool.name", "ai.toolCall.name")
_GIVEN: Final = (
    "gen_ai.tool.call.arguments",
    "ai.toolCall.args",
    "langfuse.observation.input",
    "input.value",
)
_SENT: Final = (
    "gen_ai.output.messages",
    "llm.output_messages",
    "gen_ai.completion",
    "ai.response.toolCalls",
    "langfuse.observation.output",
)
_CALLS: Final = (("tool_call_names", "toolCallNames"), ("tool_calls", "toolCalls"))
_LISTS: Final = ("observations", "runs", "child_runs", "data")
"""Where a trace, or a page of an API, has its steps."""
_TOOLS: Final = {
    "given": ("tools", "config.tools"),
    "sent": ("tools",),
    "about": (
        "gen_ai.tool.definitions",
        "llm.tools",
        "ai.prompt.tools",
        "model_request_parameters.function_tools",  # pydantic-ai
        "model_request_parameters.output_tools",
        "tools",  # Langfuse's metadata, of spans of the AI SDK
        "invocation_params.tools",  # LangSmith
    ),
}
"""Where a step has the tools that the model was given."""


class Step(NamedTuple):
    """One step of a trace, such as a model's response or the execution of a tool."""

    kind: str
    name: Any
    given: Any
    sent: Any
    about: Record
    """Attributes of the span, nested, or other data of the record."""

    def calls(self) -> Iterator[Call]:
        """Yield the calls that the model sent in this step, or the call that was executed."""
        operation = at(self.about, "ai", "operationId")
        # The AI SDK puts a step around its own model step, with the same calls.
        is_outer = isinstance(operation, str) and ".do" not in operation
        if self.kind == "tool" and isinstance(self.name, str):
            yield Call(self.name, _executed(self.given), executed=True)
        elif self.kind in MODEL and not is_outer:
            yield from calls_sent(self.sent)

    def tools(self) -> Iterator[Record]:
        """Yield the definitions of the tools that the model could call in this step."""
        for holder, paths in _TOOLS.items():
            for path in paths:
                found = at(self._asdict(), holder, *path.split("."))
                listed = [*map(parsed, found)] if isinstance(found, list) else []
                yield from map(_definition, mappings(listed))
        for message in mappings(self.given):  # the form of Langfuse's handler for LangChain
            if message.get("role") == "tool" and at(message, "content", "function", "parameters") is not None:
                yield message["content"]


def calls_of(record: Record) -> Iterator[Call] | None:
    """Return the calls in a trace, a page of traces or a single step; None if the record is something else."""
    steps = steps_of(record)
    if steps is None:
        return None
    return (call for step in steps for call in step.calls())


def steps_of(record: Record) -> Iterator[Step] | None:
    """Return the steps of a trace, or a single step; None if the record is something else."""
    resources = first_of(record, "resourceSpans", "resource_spans")
    if resources is not None:
        return _steps_of_resources(resources)
    steps = (step for each in _unfolded(record) for step in _own(each))
    return steps if any(_own(record)) or any(_listed(record, key) for key in _LISTS) else None


def _unfolded(record: Record) -> Iterator[Record]:
    """Yield a record and the records in its lists, in order."""
    waiting = [record]
    while waiting:
        record = waiting.pop()
        yield record
        waiting += reversed([one for key in _LISTS if _listed(record, key) for one in mappings(record[key])])


def _listed(record: Record, key: str) -> bool:
    is_page = key != "data" or isinstance(record.get("meta"), Mapping) or "next_cursor" in record
    return is_page and isinstance(record.get(key), list)


def _steps_of_resources(resources: Any) -> Iterator[Step]:
    for resource in mappings(resources):
        for scope in mappings(first_of(resource, "scopeSpans", "scope_spans")):
            for span in mappings(scope.get("spans")):
                yield _of_span(span)


def _own(record: Record) -> Iterator[Step]:
    """Yield the step that a record describes, if it describes one."""
    attributes = record.get("attributes")
    has_content = any(key in record for key in ("input", "output", "inputs", "outputs"))
    if isinstance(record.get("run_type"), str) and has_content:
        given, about = parsed(record.get("inputs")), mapping(parsed(record.get("extra")))
        yield Step(record["run_type"], record.get("name"), given, record.get("outputs"), about)
    elif isinstance(record.get("type"), str) and {"traceId", "trace_id"} & record.keys() and has_content:
        yield _of_observation(record)
    elif isinstance(attributes, Mapping | list | str) and (
        any(key in record for key in ("spanId", "span_id", "context"))
        or any(str(key).startswith("gen_ai.") for key in _attributes(record))
    ):
        yield _of_span(record)


def _of_observation(record: Record) -> Step:
    """Return the step of an observation. If it was a span, the tool's name is among its attributes."""
    metadata = mapping(parsed(record.get("metadata")))
    about = {**metadata, **_nested(_attributes(metadata))}
    given = first_of(record, "modelParameters", "model_parameters")
    about.setdefault("tools", at(given, "tools"))
    definitions = mapping(first_of(record, "tool_definitions", "toolDefinitions"))
    if definitions:
        about["tools"] = [
            {
                "name": name,
                "description": each.get("description"),
                "parameters": at(each, "parameters") or None,
            }
            for name, text in definitions.items()
            if isinstance(each := parsed(text), Mapping)
        ]
    sent, (names, calls) = record.get("output"), (first_of(record, *keys) for keys in _CALLS)
    if isinstance(names, list) and isinstance(calls, list) and names and len(names) == len(calls):
        sent = [
            {"type": "tool_call", "name": name, "arguments": at(parsed(call), "arguments")}
            for name, call in zip(names, calls, strict=True)
        ]
    name = _first(about, _NAME) or record.get("name")
    return Step(record["type"].lower(), name, parsed(record.get("input")), sent, about)


def _of_span(span: Record) -> Step:
    about = _nested(_attributes(span))
    sent, kind = _first(about, _SENT), str(_first(about, _KIND) or "").lower()
    name, given = _first(about, _NAME), _first(about, _GIVEN)
    if not kind and name is not None and given is not None:
        kind = "tool"  # without the arguments, the record has no payload to check
    elif not kind:
        kind = "llm"
    return Step(kind, name or span.get("name"), given, sent, about)


def _first(about: Record, names: tuple[str, ...]) -> Any:
    """Return the value of the first attribute that is present, unchanged."""
    for name in names:
        above, _, last = name.rpartition(".")
        found = mapping(at(about, *above.split("."))).get(last)
        if found is not None:
            return found
    return None


def _executed(given: Any) -> Any:
    """Return the arguments of a tool that was executed.

    LangChain's tracer writes them as one string under `input`, either as JSON or as the `repr` of a dict.
    """
    if not isinstance(given, Mapping) or given.keys() != {"input"} or not isinstance(given["input"], str):
        return given
    value = parsed(given["input"])
    if not isinstance(value, Mapping):
        try:
            value = ast.literal_eval(given["input"])
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return given
    return value if isinstance(value, Mapping) else given


def _definition(tool: Record) -> Record:
    """Return a tool definition. OpenInference has it under `tool`, which may contain only the schema."""
    own = tool.get("tool")
    schema = at(own, "json_schema")
    if not isinstance(schema, Mapping):
        return tool
    named = (at(schema, *path) for path in (("name",), ("function", "name"), ("toolSpec", "name")))
    name = at(own, "name")
    if not isinstance(name, str) or name in named:
        return schema
    return {"name": name, "description": at(own, "description"), "parameters": schema}


class _Branch(dict[str, Any]):
    """An object built from dotted names."""


def _nested(attributes: Record) -> dict[str, Any]:
    """Convert attributes with dotted names to nested values: `a.0.b` becomes `{"a": [{"b": ...}]}`."""
    root = _Branch()
    for name, value in attributes.items():
        *path, last = str(name).split(".")
        branch: Any = root
        for step in path:
            branch = branch.setdefault(step, _Branch())
            if not isinstance(branch, _Branch):
                break
        else:
            branch[last] = value
    return {name: _of_branch(value) for name, value in root.items()}


def _of_branch(value: Any) -> Any:
    """Return the value built from the names below a name. It is a list if these names are numbers."""
    if not isinstance(value, _Branch):
        return value
    if all(key.isdigit() for key in value):
        return [_of_branch(value[key]) for key in sorted(value, key=int)]
    return {key: _of_branch(item) for key, item in value.items()}


def _attributes(span: Record) -> Record:
    """Return the attributes by name. OTLP has a list of keys and typed values. Other exporters have an object."""
    attributes = parsed(span.get("attributes"))
    if isinstance(attributes, Mapping):
        return attributes
    return {str(each.get("key")): _value(each.get("value")) for each in mappings(attributes) if "key" in each}


def _value(value: Any) -> Any:
    """Return the value of an attribute (`AnyValue` of OTLP, in whose JSON 64-bit integers are strings)."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    match kind:
        case "intValue" | "int_value":
            if isinstance(inner, str) and inner.lstrip("-").isdigit():
                return int(inner)
            return inner
        case "arrayValue" | "array_value":
            return [_value(item) for item in _values(inner)]
        case "kvlistValue" | "kvlist_value":
            return {str(item.get("key")): _value(item.get("value")) for item in _values(inner)}
        case _:
            return inner


def _values(holder: Any) -> Iterator[Record]:
    return mappings(mapping(holder).get("values"))
