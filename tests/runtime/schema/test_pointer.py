"""JSON pointers: RFC 6901's own examples, what it forbids, and that every reader of references agrees."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.support import for_each, for_each_at_once
from hypothesis import given, strategies as st

from toolgen.compiler.schema.dialects import DRAFT_2020_12
from toolgen.compiler.schema.references import ResolutionError, Resources
from toolgen_runtime.schema.pointer import (
    PointerError,
    escape,
    join,
    parse,
    parse_fragment,
    resolve,
    unescape,
)
from toolgen_runtime.schema.raw import ANYTHING, Document, follow
from toolgen_transcripts import check, repair

RFC = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}
"""Section 5."""


@for_each(
    [
        ("", "", RFC),
        ("/foo", "/foo", ["bar", "baz"]),
        ("/foo/0", "/foo/0", "bar"),
        ("/", "/", 0),
        ("/a~1b", "/a~1b", 1),
        ("/c%d", "/c%25d", 2),
        ("/e^f", "/e%5Ef", 3),
        ("/g|h", "/g%7Ch", 4),
        ("/i\\j", "/i%5Cj", 5),
        ('/k"l', "/k%22l", 6),
        ("/ ", "/%20", 7),
        ("/m~0n", "/m~0n", 8),
    ]
)
def test_the_examples_of_the_rfc(pointer: str, fragment: str, value: Any) -> None:
    assert resolve(RFC, parse(pointer)) == value
    assert resolve(RFC, parse_fragment(fragment)) == value


@for_each(["a", "#/a", "/~", "/a~", "/~2", "/~a", "/~~0", "/~0~", "~1", "/a/~/b"])
def test_what_is_not_a_pointer(pointer: str) -> None:
    with pytest.raises(PointerError):
        parse(pointer)


BAD_INDICES = [
    *["²", "-1", "-0", "+1", "01", "00", "-", "1_0", "٣", "1.0", "1e0", "9"],
    " 1",
    "1 ",
    "",
    "9" * 5000,
]


@for_each(BAD_INDICES)
def test_what_is_not_an_index(step: str) -> None:
    with pytest.raises(PointerError):
        resolve({"a": list(range(9))}, ["a", step])


@given(st.lists(st.text()))
def test_steps_come_back(steps: list[str]) -> None:
    assert parse(join(*steps)) == steps
    assert [unescape(escape(step)) for step in steps] == steps


DOCUMENT: dict[str, Any] = {
    "allOf": [{"title": "zero"}, {"title": "one"}],
    "$defs": {
        "a/b": {"title": "slash"},
        "m~n": {"title": "tilde"},
        "a~2": {},
        "~": {},
        "p%q": {"title": "p"},
    },
}
REFERENCES: dict[str, str | None] = {
    "#/allOf/1": "one",
    "#/allOf/%31": "one",
    "#/$defs/a~1b": "slash",
    "#/%24defs/m~0n": "tilde",
    "#/$defs/m%7E0n": "tilde",
    "#/$defs/p%25q": "p",
    **{f"#/allOf/{step}": None for step in BAD_INDICES},
    "#/$defs/a~2": None,
    "#/$defs/~": None,
    "#/$defs/a%2Fb": None,
    "#/$defs/%FF": None,
    "#/nowhere": None,
}


@for_each_at_once(REFERENCES.items())
def test_every_reader_of_references_agrees(reference: Any, title: Any) -> None:
    found = {
        "walk": (follow(DOCUMENT, reference) or {}).get("title"),
        "rawschema": Document(DOCUMENT).resolve(reference).get("title"),
        "generator": _generated(reference),
    }
    assert found == dict.fromkeys(found, title)
    assert (Document(DOCUMENT).resolve(reference) is ANYTHING) == (title is None)


def _generated(reference: str) -> str | None:
    try:
        resources = Resources(DOCUMENT, DRAFT_2020_12)
        contents, _ = resources.resolve(reference, resources.start)
    except ResolutionError:
        return None
    return str(contents["title"])


@for_each([*BAD_INDICES, "~2"])
def test_repair_takes_tools_with_references_to_nowhere(step: str) -> None:
    schema = {"type": "object", "allOf": [{}], "properties": {"z": {"$ref": f"#/allOf/{step}"}}}
    tools = {"tools": [{"toolSpec": {"name": "a", "inputSchema": {"json": schema}}}]}
    repaired = repair([{"role": "user", "content": [{"text": "hi"}]}], "bedrock", tools=tools)
    assert repaired.messages == [{"role": "user", "content": [{"text": "hi"}]}]


def test_a_strict_tool_with_odd_property_names_is_checked() -> None:
    inner = {"type": "string", "minLength": 2}
    schema = {"type": "object", "additionalProperties": False, "properties": {"a%41/~": inner}}
    tool = {"name": "a", "strict": True, "input_schema": schema}
    found = check(
        [{"role": "user", "content": "hi"}], "anthropic", tools={"tools": [tool]}, model="claude-sonnet-4-5"
    )
    said = [v for v in found if v.rule == 25]
    assert [("For 'string' type" in str(v), "minLength" in str(v)) for v in said] == [(True, True)]
