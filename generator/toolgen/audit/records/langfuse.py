"""Observations of Langfuse: of its API, of its exports (JSON lines, Parquet), and of the spans that its SDK sends.

A trace has them under `observations`, a page of the API (`GET /api/public/observations`, also v2) under `data`; a
line of an export is one. Exports write keys in snake case, `input` and `output` as JSON texts, and list what
Langfuse found itself: `tool_calls` without the names, `tool_call_names`, and `tool_definitions` by name.
A generation's `output` is the model's message or response; an observation of type `TOOL` is an execution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.audit.records.call import Call, Record, first_of, mappings, parsed
from toolgen.audit.records.messages import calls_of_message, calls_of_response

_SPAN: Final = "langfuse.observation."


def calls_of(record: Record) -> Iterator[Call] | None:
    """Return the calls of an observation, or of a trace or a page that holds some; None for any other record."""
    below = observations(record)
    if below is not None:
        return (call for each in below for call in calls_of_observation(each))
    is_observation = (
        isinstance(record.get("type"), str)
        and any(key in record for key in ("traceId", "trace_id"))
        and any(key in record for key in ("input", "output"))
    )
    return calls_of_observation(record) if is_observation else None


def observations(record: Record) -> Iterator[Record] | None:
    """Return the observations of a trace or of a page; None if it is neither."""
    if isinstance(record.get("observations"), list):
        return mappings(record["observations"])
    if isinstance(record.get("data"), list) and isinstance(record.get("meta"), Mapping):
        return mappings(record["data"])
    return None


def observation_of(attributes: Record) -> Record | None:
    """Return the observation that a span of Langfuse's SDK has in its attributes; None if there is none."""
    kind = attributes.get(f"{_SPAN}type")
    content = {key: parsed(attributes.get(f"{_SPAN}{key}")) for key in ("input", "output")}
    return None if kind is None else {"type": kind, **content}


def calls_of_observation(record: Record) -> Iterator[Call]:
    """Yield the calls of one observation."""
    kind = str(record.get("type", "")).upper()
    if kind == "TOOL" and isinstance(record.get("name"), str):
        yield Call(record["name"], parsed(record.get("input")), executed=True)
    elif kind == "GENERATION":
        names, listed = (first_of(record, *keys) for keys in _CALLS)
        if isinstance(names, list) and isinstance(listed, list) and names and len(names) == len(listed):
            for name, call in zip(names, map(parsed, listed), strict=True):
                if isinstance(call, Mapping):
                    yield Call(str(name), call.get("arguments"))
            return
        for message in _messages(parsed(record.get("output"))):
            found = calls_of_response(message)
            yield from calls_of_message(message) if found is None else found


_CALLS: Final = (("tool_call_names", "toolCallNames"), ("tool_calls", "toolCalls"))


def tools_of_observation(record: Record) -> Iterator[Record]:
    """Yield the definitions that Langfuse found in a generation's input."""
    given = first_of(record, "tool_definitions", "toolDefinitions")
    for name, text in given.items() if isinstance(given, Mapping) else ():
        if isinstance(definition := parsed(text), Mapping):
            schema = parsed(definition.get("parameters"))
            yield {"name": name, "description": definition.get("description"), "parameters": schema or None}


def _messages(output: Any) -> Iterator[Record]:
    """Yield the messages of a generation's output: one, a list, or the last of those under `messages`."""
    nested = output.get("messages") if isinstance(output, Mapping) else None
    return mappings(
        nested[-1:] if isinstance(nested, list) else [output] if isinstance(output, Mapping) else output
    )
