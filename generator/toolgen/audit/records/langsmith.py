"""Runs of LangSmith, as its client and its bulk export write them (there, `inputs` and `outputs` are JSON texts).

A run of type `llm` has what the model sent, in one of the forms of its outputs; a run of type `tool` is an
execution, whose `inputs` are the arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.audit.records.call import Call, Record, at, mappings, parsed
from toolgen.audit.records.messages import calls_of_message


def calls_of(record: Record) -> Iterator[Call] | None:
    """Return the calls of a run: of the model, or the one that was executed; None for any other record."""
    is_run = isinstance(record.get("run_type"), str) and ("inputs" in record or "outputs" in record)
    return _calls(record) if is_run else None


def _calls(run: Record) -> Iterator[Call]:
    if run["run_type"] == "tool" and isinstance(run.get("name"), str):
        yield Call(run["name"], _executed(parsed(run.get("inputs"))), executed=True)
    elif run["run_type"] == "llm":
        for message in _messages(parsed(run.get("outputs"))):
            yield from calls_of_message(message)


def _executed(inputs: Any) -> Any:
    """Return the arguments of a tool's run.

    LangChain's tracer writes them as one text under `input`, as JSON or as Python prints a dict.
    """
    if not isinstance(inputs, Mapping) or set(inputs) != {"input"} or not isinstance(inputs["input"], str):
        return inputs
    text = inputs["input"]
    value = parsed(text)
    if not isinstance(value, Mapping):
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return inputs
    return value if isinstance(value, Mapping) else inputs


def _messages(outputs: Any) -> Iterator[Record]:
    """Yield the messages of a model's outputs: LangChain's generations, OpenAI's choices, or a message alone."""
    if not isinstance(outputs, Mapping):
        return
    batches = outputs.get("generations")
    for batch in batches if isinstance(batches, list) else ():
        for generation in mappings(batch if isinstance(batch, list) else [batch]):
            # A serialized object of LangChain has its fields under `kwargs`.
            yield from mappings([at(generation, "message", "kwargs") or generation.get("message")])
    yield from mappings([choice.get("message") for choice in mappings(outputs.get("choices"))])
    yield from mappings([outputs.get(key) for key in ("message", "output")])
    if "tool_calls" in outputs or "content" in outputs:
        yield outputs
    elif isinstance(outputs.get("messages"), list):
        yield from mappings(outputs["messages"][-1:])
