"""Find an example of a valid payload for a tool.

It is one of the schema's own examples, or consists of likely values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from toolgen.commands.samples import payloads, plain_payloads
from toolgen.compiler.compiled_check import CompiledChecks
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.value_description import Described
from toolgen_runtime.hints.names import words_of
from toolgen_runtime.schema.raw import as_raw, listed
from toolgen_runtime.validation.formats.samples import FORMAT_SAMPLES
from toolgen_runtime.validation.tool import Tool

MOST_LIKELY: Final = 20_000
"""The maximum number of values in a likely payload. An object or array divides this number equally among its parts."""
_OF_TYPE: Final[Mapping[str, Any]] = {
    "integer": 1,
    "number": 1,
    "boolean": True,
    "string": "text",
    "null": None,
}
_OF_NAME: Final = {
    "body": "Thank you.",
    "branch": "main",
    "cell": "A1",
    "collection": "orders",
    "content": "Thank you.",
    "database": "orders",
    "date": FORMAT_SAMPLES["date"][0],
    "description": "The link in the footer does not work.",
    "email": FORMAT_SAMPLES["email"][0],
    "file": "docs/guide.md",
    "filename": "guide.md",
    "filepath": "docs/guide.md",
    "id": "a1b2c3",
    "intent": "Find the open invoices.",
    "key": "order-17",
    "message": "Thank you.",
    "name": "example",
    "owner": "octocat",
    "path": "docs/guide.md",
    "prompt": "Find the open invoices.",
    "q": "open invoices",
    "query": "open invoices",
    "question": "Which invoices are open?",
    "range": "A1:C10",
    "repo": "hello-world",
    "search": "open invoices",
    "sheet": "Sheet1",
    "slug": "example",
    "subject": "Broken link",
    "text": "Thank you.",
    "timestamp": FORMAT_SAMPLES["date-time"][0],
    "title": "Broken link",
    "url": FORMAT_SAMPLES["uri"][0],
    "username": "octocat",
}
"""Values for the last word of a field's name. These are the most common names of required strings on real servers."""
_SUCH_AS: Final = re.compile(
    r"""(?:\be\.g\.|\beg\b|\bfor\ example|\bsuch\ as|\bexamples?:)[,:]?\s*
    (?:"([^"]+)"|'([^']+)'|`([^`]+)`|([^\s,;()"'`]+?)(?=\s*[,;)]|\.?\s*$|\s+or\b))""",
    re.IGNORECASE | re.VERBOSE,
)
"""Matches an example in a description: text in quotes, or a single word."""


def example_of(tool: Tool[Any], root: Schema | None) -> Any:
    """Return a valid payload, or None if none was found.

    `root` is the graph of the tool's schema. The schema's own `examples`, `example` or `default` are tried first, then
    payloads of likely values, then payloads that are generated from the schema.
    """
    return next((value for value in _tried(as_raw(tool.schema), root) if not tool.validate(value)), None)


def _tried(raw: Mapping[str, Any], root: Schema | None) -> Iterator[Any]:
    yield from listed(raw, "examples")
    yield from (raw[word] for word in ("example", "default") if word in raw)
    if root is not None:
        payload = Described([root], CompiledChecks())
        # Of likely values: one with some optional fields, and one with only the required fields.
        yield from (_value("", payload, more, MOST_LIKELY) for more in (2, 0))
        yield from plain_payloads(root)
        yield from payloads(root, root)  # expensive, and rarely needed


def _value(name: str, value: Described, more: int, room: int) -> Any:
    examples = value.annotation("examples")
    default = value.annotation("default")
    given = [*(examples if isinstance(examples, list) else []), *([] if default is None else [default])]
    for each in [*given, *(value.values or ()), *_described(value)]:
        if value.takes(each):
            return each
    if value.unions and "object" not in value.types:
        return _value(name, value.unions[0][1][0], more, room // 2) if room else None
    kind = next((kind for kind in value.type_names if kind != "null"), "null")
    if kind == "object" or (kind == "any" and value.members):
        return _object(value, more, room)
    if kind == "array":
        count = max([1, *(limit for row, limit in value.limits() if row.name == "minItems")])
        item = None if value.items is None or not room else _value(name, value.items, more, room // 2)
        return [] if item is None else [item] * min(count, 5)
    if kind == "string":
        of_format = (FORMAT_SAMPLES[form][0] for form in value.asserted("format") if form in FORMAT_SAMPLES)
        likely: Any = next(of_format, _of_name(name))
    else:
        least = (limit for row, limit in value.limits() if row.name == "minimum")
        likely = next(filter(value.takes, chain([_OF_TYPE.get(kind)], least)), _OF_TYPE.get(kind))
    made = (each for schema in value.schemas for each in payloads(schema, schema))
    return next(filter(value.takes, chain([likely], made)), likely)


def _described(value: Described) -> Iterator[Any]:
    """Yield the example in a description, once as text and once as the JSON value that the text represents."""
    text = value.annotation("description")
    found = _SUCH_AS.search(text) if isinstance(text, str) else None
    if found is not None and not {"object", "array"} & set(value.type_names):
        said = next(filter(None, found.groups()))
        yield said
        try:
            yield json.loads(said)
        except ValueError:
            return


def _of_name(name: str) -> str:
    last = words_of(name)[-1:]
    return _OF_NAME.get(last[0], name) if last else name or "text"


def _object(value: Described, more: int, room: int) -> dict[str, Any]:
    """Return an object with its required members, and with optional members up to `more` in total.

    The members of a union's first branch are included.
    """
    members, required = dict(value.members), value.required
    for _, (first, *_) in value.unions:
        members, required = {**first.members, **members}, required | first.required
    names = sorted(members, key=lambda name: name not in required)
    names = names[: max(more, len(required))]
    part = room // (len(names) + 1)
    return {name: _value(name, members[name], more, part) for name in names} if part else {}
