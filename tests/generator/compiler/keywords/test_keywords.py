"""No keyword is left out: those without a row are named. Constants are compared as JSON.

What each keyword says is in the goldens, and that it is enforced in the official suite and `test_fuzz.py`.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Any

import pytest
from helpers.support import for_each, for_each_at_once, same_json, tool_of

from toolgen import SpecError
from toolgen.compiler.keywords import VOCABULARY, check_complete
from toolgen.compiler.schema.dialects import DIALECTS
from toolgen_runtime.schema import shapes
from toolgen_runtime.schema.keywords import GRAPH
from toolgen_runtime.schema.shapes import Shape


@for_each_at_once(sorted(GRAPH))
def test_a_row_without_a_keyword_is_named(name: Any) -> None:
    check_complete(VOCABULARY.rows)
    with pytest.raises(
        NotImplementedError, match=rf"(^|, ){re.escape(name)}(, .*)?: each keyword has one row"
    ):
        check_complete(keyword for keyword in VOCABULARY.rows if keyword.name != name)
    with pytest.raises(NotImplementedError, match=r"each keyword has one row"):
        check_complete([*VOCABULARY.rows, VOCABULARY.rows[0]])


@for_each(
    [
        (shapes.NUMBER, 3),
        (shapes.ANY, None),
        (shapes.SCHEMA, {}),
        (shapes.SCHEMAS, [{}]),
        (shapes.SCHEMA_MAP, {"a": {}}),
    ]
)
def test_a_keyword_that_a_dialect_has_and_nothing_enforces_is_named(
    shape: Shape, value: Any, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    for uri, dialect in DIALECTS.items():
        monkeypatch.setitem(dialect.keywords, "formatMinimum", shape)  # type: ignore[arg-type]
        with pytest.raises(SpecError) as failure:
            tool_of({"$schema": uri, "properties": {"a": {"formatMinimum": value}}})
        (diagnostic,) = failure.value.diagnostics
        assert diagnostic.code == "unsupported-keyword"
        assert diagnostic.place.pointer.endswith("/properties/a/formatMinimum")


def test_keywords_of_objects_evaluate_nothing_in_an_array() -> None:
    """2020-12 core, section 10.2.2.4: `dependentSchemas` says nothing of a value that is not an object."""
    tool = tool_of({"unevaluatedItems": False, "dependentSchemas": {"a": {"items": True}}})
    assert [issue.constraint for issue in tool.validate(["a"])] == ["unevaluatedItems"]
    assert tool.validate([]) == []
    assert tool.validate({"a": 1}) == []


CONSTANTS: list[Any] = [
    *({"a": True}, {"a": 0, "b": []}, {"a": {"b": 1}}, dict.fromkeys("abcde", 1), [1]),
    *([[False, {"a": 0}]], [0] * 9),  # two kinds at once; more than are told apart one by one
]
VALUES: list[Any] = [
    *({"a": a} for a in (True, 1, 1.0, "1", None, {"b": True}, {"b": 1.0})),
    *({"a": a, "b": b} for a in (0, 0.0, False) for b in ([], {})),
    *(dict.fromkeys("abcd", 1) | {"e": e} for e in (1.0, True)),
    *([[x, {"a": y}]] for x in (False, 0) for y in (0.0, False)),
    *([1], [1.0], [True], [0] * 8 + [0.0], [0] * 8 + [False], OrderedDict(a=True), True, 1, None),
]


@for_each(CONSTANTS, ids=repr)
def test_constants_are_compared_as_json(constant: Any) -> None:
    """2020-12 core, section 4.2.2: true is not 1 and false is not 0, at any depth."""
    const = {"const": constant}
    alone, member, unless = tool_of(const), tool_of({"properties": {"p": const}}), tool_of({"not": const})
    for value in (*CONSTANTS, *VALUES):
        wanted = same_json(value, constant)
        assert (alone.validate(value) == []) is wanted, value
        assert (member.validate({"p": value}) == []) is wanted, value
        assert (unless.validate(value) != []) is wanted, value
