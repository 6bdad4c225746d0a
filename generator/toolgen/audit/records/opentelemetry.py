"""Spans of OpenTelemetry's conventions for generative AI: OTLP JSON, or one span a record.

`execute_tool` spans have `gen_ai.tool.name` and `gen_ai.tool.call.arguments`; spans of models have
`gen_ai.output.messages`, whose parts of type `tool_call` are what the model sent. What models were shown
(`gen_ai.input.messages`) repeats earlier calls and is not read. Contents are recorded on request only. Spans of
OpenInference and of Langfuse come in the same documents (`openinference.py`, `langfuse.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.audit.records import langfuse
from toolgen.audit.records.call import Call, Record, first_of, mappings, parsed
from toolgen.audit.records.messages import calls_of_parts
from toolgen.audit.records.openinference import calls_of_attributes, tools_of_attributes

NAME = "gen_ai.tool.name"
ARGUMENTS = "gen_ai.tool.call.arguments"
SENT = "gen_ai.output.messages"
DEFINITIONS = "gen_ai.tool.definitions"
_SCOPES = (("resourceSpans", "resource_spans"), ("scopeSpans", "scope_spans"))


def calls_of(record: Record) -> Iterator[Call] | None:
    """Return the calls of an OTLP document or of a span: it has attributes, and an id or attributes of GenAI."""
    attributes = record.get("attributes")
    is_span = isinstance(attributes, Mapping | list | str) and (
        any(key in record for key in ("spanId", "span_id", "context"))
        or any(str(key).startswith("gen_ai.") for key in _attributes(record))
    )
    return _calls(record) if is_span or any(key in record for key in _SCOPES[0]) else None


def _calls(record: Record) -> Iterator[Call]:
    for span in _spans(record):
        attributes = _attributes(span)
        yield from calls_of_attributes(attributes)
        if (observation := langfuse.observation_of(attributes)) is not None:
            yield from langfuse.calls_of_observation({**observation, "name": span.get("name")})
        for message in mappings(parsed(attributes.get(SENT))):
            yield from calls_of_parts(message.get("parts"))
        name = attributes.get(NAME)
        # Without the arguments nothing was recorded that could be checked.
        if isinstance(name, str) and ARGUMENTS in attributes:
            yield Call(name, attributes[ARGUMENTS], executed=True)


def tools_of_spans(record: Record) -> Iterator[Record]:
    """Yield the definitions of the tools that models were given in all spans."""
    for span in _spans(record):
        attributes = _attributes(span)
        yield from mappings(parsed(attributes.get(DEFINITIONS)))
        yield from tools_of_attributes(attributes)
        observation = langfuse.observation_of(attributes) or {}
        if isinstance(given := observation.get("input"), Mapping):
            yield from mappings(given.get("tools"))


def _spans(record: Record) -> Iterator[Record]:
    resources = first_of(record, *_SCOPES[0])
    if resources is None:
        yield record
    for resource in mappings(resources):
        for scope in mappings(first_of(resource, *_SCOPES[1])):
            yield from mappings(scope.get("spans"))


def _attributes(span: Record) -> Record:
    """Return the attributes by name: OTLP has a list of keys and typed values, other exporters an object."""
    attributes = parsed(span.get("attributes"))
    if isinstance(attributes, Mapping):
        return attributes
    return {str(each.get("key")): _value(each.get("value")) for each in mappings(attributes) if "key" in each}


def _value(value: Any) -> Any:
    """Return an attribute's value (`AnyValue` of OTLP; 64-bit integers are texts in its JSON)."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    match kind:
        case "intValue" | "int_value":
            return int(inner) if isinstance(inner, str) and inner.lstrip("-").isdigit() else inner
        case "arrayValue" | "array_value":
            return [_value(item) for item in _values(inner)]
        case "kvlistValue" | "kvlist_value":
            return {str(item.get("key")): _value(item.get("value")) for item in _values(inner)}
        case _:
            return inner


def _values(holder: Any) -> Iterator[Record]:
    return mappings(holder.get("values")) if isinstance(holder, Mapping) else iter(())
