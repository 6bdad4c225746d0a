"""Texts of a spec as docstrings and as raw JSON text: one string each, whatever they hold, and nothing else."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from toolgen.compiler.codegen.code import Code
from toolgen.compiler.codegen.literals import json_text

NASTY = st.text() | st.text("\"\\\n 'r{}#\r\x0c\x7f\u2028\ud800", max_size=40)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | NASTY,
    lambda inner: st.lists(inner) | st.dictionaries(NASTY, inner),
    max_leaves=8,
)


def only_string(code: Code) -> str:
    body = ast.parse(f"class A:\n    {code.text}\n").body[0]
    assert isinstance(body, ast.ClassDef)
    assert len(body.body) == 1
    line = body.body[0]
    assert isinstance(line, ast.Expr)
    assert isinstance(line.value, ast.Constant)
    assert isinstance(line.value.value, str)
    return line.value.value


@given(st.lists(JSON) | st.dictionaries(NASTY, JSON) | st.booleans())
@example({'"': '""', "": ""})
@example(['"'])
def test_a_json_text_is_one_string_with_the_value(value: Any) -> None:
    code = json_text(value)
    assert code.text.isascii()
    assert json.loads(only_string(code)) == value


def test_a_string_alone_is_refused() -> None:
    with pytest.raises(ValueError, match="not the text of an object"):
        json_text('a"')
