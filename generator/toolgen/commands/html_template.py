"""HTML pages from templates; every value in a page is escaped, and its hidden characters are replaced."""

from __future__ import annotations

from functools import cache
from typing import Any

import jinja2

from toolgen.compiler.short_text import printable


def render(template: str, **shown: Any) -> str:
    """Return the HTML of a template: one file that loads no other files."""
    return _environment().get_template(template).render(**shown)


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("toolgen_templates", "."),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        finalize=_without_hidden,
    )


def _without_hidden(value: Any) -> Any:
    is_text = isinstance(value, str) and not hasattr(
        value, "__html__"
    )  # what is HTML already was made of such texts
    return printable(value) if is_text else value
