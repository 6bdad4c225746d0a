"""Observations of Langfuse, as its API and its exports write them (there, `input` and `output` may be JSON texts).

A trace has them under `observations`, a page of the API (`GET /api/public/observations`, also v2) under `data`.
Its SDK sends them as spans, whose attributes `observation_of` reads. A generation's `output` is the model's message
or response; an observation of type `TOOL` is an execution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.audit.records.call import Call, Record, Shape, mappings, parsed
from toolgen.audit.records.messages import calls_of_message, calls_of_response

_SPAN: Final = "langfuse.observation."
_TRACE: Final = ("traceId", "trace_id")


def matches(record: Record) -> bool:
    """Return whether a record is an observation, or a trace or a page of the API that holds some."""
    if isinstance(record.get("observations"), list) or _is_page(record):
        return True
    return (
        isinstance(record.get("type"), str) and any(key in record for key in _TRACE) and _has_content(record)
    )


def observation_of(attributes: Record) -> Record | None:
    """Return the observation that a span of Langfuse's SDK has in its attributes; None if there is none."""
    kind = attributes.get(f"{_SPAN}type")
    content = {key: parsed(attributes.get(f"{_SPAN}{key}")) for key in ("input", "output")}
    return None if kind is None else {"type": kind, **content}


def observations(record: Record) -> Iterator[Record]:
    """Yield the observations of a trace or of a page."""
    yield from mappings(record.get("observations"))
    if _is_page(record):
        yield from mappings(record["data"])


def _is_page(record: Record) -> bool:
    return isinstance(record.get("data"), list) and isinstance(record.get("meta"), Mapping)


def _has_content(record: Record) -> bool:
    return "input" in record or "output" in record


def calls(record: Record) -> Iterator[Call]:
    """Yield the calls of an observation, or of every observation of a trace or a page."""
    for each in observations(record):
        yield from calls(each)
    kind = str(record.get("type", "")).upper()
    if kind == "TOOL" and isinstance(record.get("name"), str):
        yield Call(record["name"], parsed(record.get("input")), executed=True)
    elif kind == "GENERATION":
        for message in _messages(parsed(record.get("output"))):
            found = calls_of_response(message)
            yield from calls_of_message(message) if found is None else found


def _messages(output: Any) -> Iterator[Record]:
    """Yield the messages of a generation's output: one, a list, or one under `messages`."""
    if isinstance(output, Mapping):
        nested = output.get("messages")
        yield from mappings(nested[-1:]) if isinstance(nested, list) else (output,)
    else:
        yield from mappings(output)


SHAPE = Shape("Langfuse", matches, calls)
