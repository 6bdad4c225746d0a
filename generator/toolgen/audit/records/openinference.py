"""Spans of OpenInference, as Arize Phoenix exports them: flattened attributes, or nested as its client writes them.

A span of kind `LLM` has the model's calls under `llm.output_messages`; a span of kind `TOOL` is an execution. What
the model was shown (`llm.input_messages`) repeats earlier calls and is not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.audit.records.call import Call, Record, at, mappings

KIND: Final = "openinference.span.kind"
_CALLS: Final = ("message", "tool_calls")
_FUNCTION: Final = ("tool_call", "function")
_NAMES: Final = (("name",), ("function", "name"), ("toolSpec", "name"))
"""Where a definition has its name; one without is the schema of the arguments alone."""


def calls_of_attributes(attributes: Record) -> Iterator[Call]:
    """Yield the calls of one span's attributes; none if the span is not OpenInference's."""
    attributes = _nested(attributes)
    kind = str(at(attributes, *KIND.split("."))).upper()
    if kind == "LLM":
        for message in _listed(at(attributes, "llm", "output_messages")):
            for call in _listed(at(message, *_CALLS)):
                function = at(call, *_FUNCTION)
                if isinstance(function, Mapping) and isinstance(function.get("name"), str):
                    yield Call(function["name"], function.get("arguments"))
    elif kind == "TOOL" and isinstance(name := at(attributes, "tool", "name"), str):
        yield Call(name, at(attributes, "input", "value"), executed=True)


def tools_of_attributes(attributes: Record) -> Iterator[Record]:
    """Yield the definitions of the tools that one span's model was given."""
    for tool in _listed(at(_nested(attributes), "llm", "tools")):
        definition, name = at(tool, "tool", "json_schema"), at(tool, "tool", "name")
        if isinstance(definition, Mapping):
            is_schema = isinstance(name, str) and name not in (at(definition, *path) for path in _NAMES)
            about = {"name": name, "description": at(tool, "tool", "description")}
            yield {**about, "parameters": definition} if is_schema else definition


def _nested(attributes: Record) -> Record:
    """Return attributes with their dotted names as paths: `a.0.b` is `{"a": {"0": {"b": ...}}}`."""
    root: dict[str, Any] = {}
    for name, value in attributes.items():
        *path, last = str(name).split(".")
        at = root
        for step in path:
            inner = at.setdefault(step, {})
            if not isinstance(inner, dict):
                break
            at = inner
        else:
            at[last] = value
    return root


def _listed(value: Any) -> Iterator[Record]:
    """Yield the items of a list, or of an object whose keys are their numbers."""
    if isinstance(value, Mapping):
        numbers = sorted((key for key in value if str(key).isdigit()), key=int)
        return mappings([value[key] for key in numbers])
    return mappings(value)
