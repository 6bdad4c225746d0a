"""The frame of every probe: tools as a framework's users write them, and the text for the model after each call.

A probe has one function, `ask(tools, call) -> str | None`: the text that the framework returns to the model, or
None if such a call does not reach it. An outcome is `{"told": text}`, or `{"ran": arguments}` if the tool ran.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from models import plain_model
from pydantic_core import to_jsonable_python

ANSWER = "the tool ran"


@dataclass(frozen=True)
class Written:
    """A tool as Python: a function with the schema's properties as parameters, and one with a model of them."""

    name: str
    description: str
    schema: Any
    function: Callable[..., str]
    model: Any

    def of_model(self) -> Callable[[Any], str]:
        """Return a function with one parameter, the model."""

        def function(arguments: Any) -> str:
            return self.function(**arguments.model_dump(by_alias=True))

        function.__name__, function.__doc__ = self.name, self.description
        function.__annotations__ = {"arguments": self.model, "return": str}
        return function


@dataclass(frozen=True)
class Call:
    """A call: its arguments, parsed, or the text that is not JSON."""

    tool: str
    payload: Any
    text: str | None


Ask = Callable[[list[Written], Call], Awaitable[str | None]]
_ran: list[Any] = []


def written(spec: dict[str, Any]) -> Written:
    """Return a tool written in Python with plain pydantic types."""
    model = plain_model(spec["inputSchema"])
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            annotation=field.rebuild_annotation(),
            default=inspect.Parameter.empty if field.is_required() else field.default,
        )
        for name, field in sorted(model.model_fields.items(), key=lambda item: not item[1].is_required())
    ]

    def function(**arguments: Any) -> str:
        _ran.append(arguments)
        return ANSWER

    function.__name__, function.__doc__ = spec["name"], spec["description"]
    function.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": str}
    function.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    return Written(spec["name"], spec["description"], spec["inputSchema"], function, model)


async def outcome(ask: Ask, tools: list[Written], call: Call) -> dict[str, Any]:
    """Return the outcome of a call; it is empty if the call does not reach the framework."""
    _ran.clear()
    told = await ask(tools, call)
    if _ran:
        sent = to_jsonable_python(_ran[0], exclude_none=True)
        return {"ran": {name: value for name, value in sent.items() if value is not None}}
    return {} if told is None else {"told": told}


def run(distribution: str, ask: Ask) -> None:
    """Run every call read from stdin, and print the outcomes as JSON; a call may say which tools are there."""
    logging.disable(logging.CRITICAL)
    data = json.load(sys.stdin)
    tools = {spec["name"]: written(spec) for spec in data["tools"]}

    async def every() -> list[dict[str, Any]]:
        return [
            await outcome(
                ask,
                [tools[name] for name in case.get("tools", tools)],
                Call(case["tool"], case.get("payload"), case.get("text")),
            )
            for case in data["cases"]
        ]

    report = {
        "version": version(distribution),
        "pydantic": version("pydantic"),
        "outcomes": asyncio.run(every()),
    }
    json.dump(report, sys.stdout, ensure_ascii=False)
