"""Calls, messages of providers and commands that were written to reach single conditions: one row an input.

A row of `cases/calls` has a schema, and what is `sent` one after the other: arguments, or `errors` of other validators
about the first of them, `edits` of it, options of `build_hint` for it (`built`), `results` of the handler, exceptions
that it has `raised`, `answers` of a user, and further things to `do` with the conversation or its registry; or it has
`tools` as frameworks list them. It may also have `bytes` in place of a text, and `names` that are called beside the
tools `others`. A row of `cases/providers` has a request, a response, a stream, an error, or a schema to define. A row
of `cases/commands` has `files` (in an `encoding`), in which each mark under `repeated` stands for a text many times,
and commands to `run` on them.
"""

from __future__ import annotations

import builtins
import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.commands import toolgen
from helpers.providers import MODELS, MODULES
from helpers.support import for_each
from recorded_inputs import Output, Outputs, by_name, key_of, outcome, tool_of
from test_recorded_runtime import CITY, OTHER, handler, said_of, told
from test_recorded_transcripts import rewritten, said_of_error, said_of_response, said_of_stream

from toolgen import compile_tools
from toolgen_runtime import MISSING, Edit, Registry, Tool, Toolset, __version__, apply_edits, build_hint
from toolgen_transcripts import check, codec_for, encode_request, fit, repair

pytestmark = pytest.mark.usefixtures("workplace")


def rows(kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted((Path(__file__).parent / "cases" / kind).glob("*.json")):
        for row in json.loads(file.read_text("utf-8")):
            yield f"{file.stem}-{key_of(row)}", row


def chosen_calls() -> Iterator[Output]:
    for name, row in rows("calls"):
        yield name, list(said_of_call(row))


def objects_in(value: Any) -> Any:
    """Return a value with objects for `{"attributes": {...}}`, and functions for `{"returns": ...}`."""
    if isinstance(value, list):
        return [objects_in(each) for each in value]
    if not isinstance(value, dict):
        return value
    if [*value] == ["returns"]:
        return lambda **_: objects_in(value["returns"])
    found = {key: objects_in(each) for key, each in value.items()}
    return SimpleNamespace(**found["attributes"]) if [*value] == ["attributes"] else found


def said_of_tools(row: dict[str, Any]) -> Iterator[Any]:
    made = outcome(compile_tools, objects_in(row["tools"]), **row.get("compile", {}))
    for tool in made.values() if isinstance(made, Toolset) else ():
        yield tool.name, tool.description, tool.schema, tool.title, tool.annotations, tool.output_schema
    yield [*map(str, made.diagnostics)] if isinstance(made, Toolset) else made


def said_of_call(row: dict[str, Any]) -> Iterator[Any]:
    if "tools" in row:
        yield from said_of_tools(row)
        return
    spec = {"name": "look_up", "description": "Look.", "schema": row["schema"], **row.get("tool", {})}
    made = outcome(compile_tools, [spec], **row.get("compile", {}))
    if not isinstance(made, Toolset):
        yield made
        return
    (tool,) = made.values()
    registry = Registry(**row.get("options", {}))
    registry.register({tool.name: tool, OTHER.name: OTHER})
    registry.register({name: tool_of(CITY, name=name) for name in row.get("others", [])})
    talking = registry.conversation(rules=row.get("rules", []))
    for each in row["sent"]:
        sent = each.encode(row["encoding"]) if "encoding" in row else each
        yield list(said_of(tool, sent)), told(talking.check(row.get("called", tool.name), sent))
    first = row["sent"][0] if row["sent"] else MISSING
    yield from said_of_hints(row, tool, registry, first)
    for name in row.get("names", []):
        yield told(talking.check(name, first))
    for result in [*map(raised, row.get("raised", [])), *row.get("results", [])]:
        yield told(outcome(talking.call, tool.name, first, handler(result)))
    for answer in row.get("answers", []):
        question = talking.question(talking.check(tool.name, first), is_repeated=True)
        yield question and (question.message, question.schema, told(talking.answered(question, *answer)))
    for name, args, more in row.get("do", []):
        yield told(outcome(getattr(talking, name, None) or getattr(registry, name), *args, **more))


def said_of_hints(row: dict[str, Any], tool: Tool[Any], registry: Registry, sent: Any) -> Iterator[Any]:
    for each in row.get("bytes", []):
        yield list(said_of(tool, bytes.fromhex(each)))
    for error in map(raised, row.get("errors", [])):
        hint = registry.hint(tool.name, error, payload=sent, ran=row.get("ran", False))
        yield hint.to_dict(), hint.render()
    for changes in row.get("edits", []):
        edits = [Edit(op, tuple(at), to if to is None else tuple(to), *new) for op, at, to, *new in changes]
        yield [edit.to_dict() for edit in edits], outcome(apply_edits, sent, edits)
    for more in row.get("built", []):
        yield build_hint(tool, tool.validate(sent), payload=sent, **more).to_dict()


def raised(error: Any) -> Any:
    """Return the exception that an object stands for, by its class, arguments, attributes and cause.

    Of a list of texts, each is the cause of the one before.
    """
    if isinstance(error, list):
        error = {"class": "ValueError", "args": error[:1], **({"cause": error[1:]} if error[1:] else {})}
    if not isinstance(error, dict):
        return error
    own = {name: value for name, value in error.items() if name not in ("class", "args", "cause")}
    kind = getattr(builtins, error["class"], None) or type(error["class"], (Exception,), {})
    made = kind(*error.get("args", []))
    vars(made).update(own)
    made.__cause__ = raised(error["cause"]) if "cause" in error else None
    return made


def chosen_messages() -> Iterator[Output]:
    for name, row in rows("providers"):
        yield name, list(said_of_messages(row))


def said_of_messages(row: dict[str, Any]) -> Iterator[Any]:
    provider, more = row.get("provider", "openai"), row.get("more", {})
    if "error" in row:
        yield said_of_error(row["error"])
    if "response" in row:
        yield from said_of_response(row["response"], provider)
    if "stream" in row:
        yield from said_of_stream(row["stream"], provider)
    if "request" in row:
        value = row["request"]
        yield outcome(check, value, provider, **more), outcome(repair, value, provider, **more)
        yield [outcome(rewritten, value, provider, "", other) for other in MODULES]
        for target in row.get("to", []):
            options = {"model": MODELS[target], "origin": provider, **row.get("options", {})}
            yield outcome(encode_request, value, None, target, **options)
        if "fit" in row:
            yield outcome(fit, value, provider, **row["fit"])
    if "schema" in row:
        tools = compile_tools([{"name": "look_up", "description": "Look.", "schema": row["schema"]}])
        codec = codec_for(provider)
        yield outcome(MODULES[provider].lower_tools, tools, codec=codec, **more)
        for sent in row.get("sent", []):
            yield outcome(codec.encode_input, sent, "look_up"), outcome(codec.decode_input, sent, "look_up")


def chosen_commands() -> Iterator[Output]:
    for name, row in rows("commands"):
        Path(name).mkdir()
        with contextlib.chdir(name):
            yield name, list(said_of_commands(row))


def said_of_commands(row: dict[str, Any]) -> Iterator[Any]:
    """Yield what commands print, and the files that a row asks to see."""
    for file, content in row["files"].items():
        text = content if isinstance(content, str) else json.dumps(content)
        for mark, (part, times) in row.get("repeated", {}).items():
            text = text.replace(mark, part * times)
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).write_text(text, row.get("encoding", "utf-8"))
    for command in row["run"]:
        result = toolgen(*command)
        here = result.output.replace(str(Path.cwd()), "").replace(__version__, "VERSION")
        yield here, result.exit_code
    for file in row.get("show", []):
        yield Path(file).read_text("utf-8").replace(__version__, "VERSION") if Path(file).exists() else None


@for_each(by_name(chosen_calls, chosen_messages, chosen_commands))
def test_outputs(outputs: Outputs, *, locked: Callable[..., None]) -> None:
    locked(outputs)
