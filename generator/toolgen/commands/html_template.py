"""Write HTML pages from templates. Every value is escaped, and hidden characters in it are made visible."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import jinja2

from toolgen.compiler.short_text import printable

FOLDED: Final = 700
FOLDED_LINES: Final = 12
"""The number of lines after which a description is folded; there is also a limit for characters."""


def render(template: str, **shown: Any) -> str:
    """Fill in a template, and return an HTML page that loads no other files."""
    return _environment().get_template(template).render(**shown)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("toolgen_templates", "."),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        finalize=_without_hidden,
    )
    environment.filters["fold"] = fold
    return environment


def fold(text: str) -> tuple[str, str]:
    """Split a long text into the part to show at once and the rest. If it is short, the rest is empty."""
    if len(text) <= FOLDED and text.count("\n") < FOLDED_LINES:
        return text, ""
    start = "\n".join(text[:FOLDED].split("\n")[:FOLDED_LINES])
    end = max(start.rfind("\n"), start.rfind(" "), 0) or len(start)
    if text[len(start) : len(start) + 1] == "\n":
        end = len(start)
    return text[:end], text[end:].lstrip("\n").removeprefix(" ")


def _without_hidden(value: Any) -> Any:
    # What is HTML already was made of such texts.
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return printable(value)
    return value
