"""The guards of `Code`: no text becomes source but as a literal or a name."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.support import for_each, for_each_at_once

from toolgen.compiler.codegen.code import Code, code, comma_separated, fragment, name
from toolgen.compiler.codegen.foreign_source import declarations
from toolgen.compiler.codegen.literals import literal
from toolgen.compiler.codegen.writer import Writer, source
from toolgen.compiler.python.templates import render

HOSTILE: Any = "__import__('os').system('true')"


def wrote(template: Any, **parts: Any) -> Code:
    """The body of a writer with one line."""
    writer = Writer()
    writer.line(template, **parts)
    return source(writer.nodes)


REFUSED: list[tuple[str, Any, type[Exception]]] = [
    ("text in a template", lambda: code("{v}", v=HOSTILE), TypeError),
    ("a float in a template", lambda: code("{v}", v=float("nan")), TypeError),
    ("text in a fragment", lambda: fragment("{v}_once", v=HOSTILE), TypeError),
    ("text in a line", lambda: wrote("x = {v}", v=HOSTILE), TypeError),
    ("text in a file", lambda: render("index.py.jinja", api_version=HOSTILE, tools=[]), TypeError),
    (
        "text in a list of a file",
        lambda: render("index.py.jinja", api_version=literal(1), tools=[(HOSTILE, Code("a"))]),
        TypeError,
    ),
    ("text among conditions", lambda: comma_separated([Code("a"), HOSTILE]), AttributeError),
    ("a literal of no JSON value", lambda: literal(object()), TypeError),
    ("a key of a literal", lambda: literal({Code("a"): 1}), TypeError),
    ("a call for a name", lambda: name("f()"), ValueError),
    ("a line end after a name", lambda: name("a\n"), ValueError),
    ("letters beyond ASCII for a name", lambda: name("\u00e9"), ValueError),
    ("a call among declarations", lambda: declarations(f"class A:\n    a: int = {HOSTILE}"), ValueError),
    ("a call of a method", lambda: declarations("class A:\n    a: int = Field.mro()"), ValueError),
    ("an import of a whole module", lambda: declarations("import os"), ValueError),
    ("a lambda", lambda: declarations("class A:\n    a: int = Field(default_factory=lambda: 1)"), ValueError),
    ("an attribute", lambda: declarations("class A:\n    a: os.system"), ValueError),
]


@for_each_at_once(REFUSED)
def test_what_is_not_code_is_refused(case: str, attempt: Any, error: Any) -> None:
    with pytest.raises(error):
        attempt()


TAKEN: list[tuple[Any, str]] = [
    (lambda: code("{a} + {b}", a=Code("x"), b=5), "x + 5"),
    (lambda: name("toolgen_runtime.validation.helpers"), "toolgen_runtime.validation.helpers"),
    (lambda: literal({"a'\"\n\u2028": [None, True, 1.5]}), "{'a\\'\"\\n\\u2028': [None, True, 1.5]}"),
    (lambda: wrote("x = {v}", v=literal(HOSTILE)), "    x = \"__import__('os').system('true')\""),
    (lambda: declarations("class A(B):\n    a: int = Field(5)")[0], "a: int = Field(5)"),
    (
        lambda: declarations("class A(B):\n    a: Literal['a', \"'\"] = 'a: b'")[0],
        'a: Literal["a", "\'"] = "a: b"',
    ),
]


@for_each(TAKEN)
def test_what_is_code_is_taken(attempt: Any, text: str) -> None:
    assert attempt().text == text
