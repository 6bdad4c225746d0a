"""A text that is not JSON, with the place where it stops being JSON, for those who say what is wrong."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any

from toolgen_runtime.hints.text import clean
from toolgen_runtime.validation.issues import Secret, ValidationIssue, field_of, revealed
from toolgen_runtime.validation.json_scan import EXCERPT, Fault, find_fault

MAX_SEEN = 30
"""Characters of a text that a sentence shows; one that is not printable may take six."""
MAX_SHOWN = 60
_SEPARATOR = re.compile(r"[,:{\[]")
_AT = re.compile(r"(.*) at line (\d{1,9}) column (\d{1,9})", re.DOTALL)


class BrokenText:
    """A text, or the part of it that an issue has, and its fault."""

    __slots__ = ("_declared", "_secret", "fault", "is_excerpt", "text")

    def __init__(self, issue: ValidationIssue, text: str | bytes | None, declared: Container[object]) -> None:
        """`text`: the whole of it, if it is known. `declared`: names that may be shown where the rest is secret."""
        self._secret = isinstance(issue.got, Secret)
        self._declared = declared
        whole = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        fault = find_fault(whole) if whole is not None else None
        self.is_excerpt = whole is None or fault is None
        if whole is None or fault is None:
            whole, fault = _excerpt(issue)
        self.text = whole
        self.fault = fault

    @property
    def head(self) -> str:
        """The text without the space that it begins with."""
        return self.text[:200].lstrip("\ufeff \t\r\n")

    @property
    def rest(self) -> str:
        """The text from the fault on, as far as anyone looks."""
        return self.text[self.fault.at : self.fault.at + 200]

    @property
    def before(self) -> str:
        """The end of the text before the fault, without space."""
        return self.text[max(self.fault.at - 200, 0) : self.fault.at].rstrip()

    @property
    def value(self) -> str:
        """The text from the value on that the fault is in or after."""
        return (
            _SEPARATOR.split(self.text[max(self.fault.at - 200, 0) : self.fault.at])[-1].lstrip() + self.rest
        )

    @property
    def is_within(self) -> bool:
        """Whether no space stands before the fault."""
        return not self.text[self.fault.at - 1 : self.fault.at].isspace()

    @property
    def is_at_start(self) -> bool:
        """Whether not even the beginning is JSON."""
        return not self.fault.path and not self.text[: self.fault.at].strip("\ufeff \t\r\n")

    def seen(self, text: str, most: int = MAX_SEEN, lead: str = ": ") -> str:
        """Return the beginning of a part of the text in backquotes after `lead`; `""` where it may be secret."""
        line = text[:most].strip()
        if self._secret or not line:
            return ""
        shown = clean(line).replace("`", "'")
        cut = len(text.strip()) > len(line) or len(shown) > MAX_SHOWN - 4
        return f"{lead}`{shown[: MAX_SHOWN - 4]}{'…' if cut else ''}`"

    @property
    def place(self) -> str:
        """The field that the fault is in, after a space and "in"; `""` where it is unknown or may be secret."""
        path = self.fault.path
        if self._secret:
            path = path[:1] if path and path[0] in self._declared else ()
        field = clean(field_of(path)[:MAX_SHOWN])
        return f" in {field}" if field and len(field) < MAX_SHOWN else ""


def _excerpt(issue: ValidationIssue) -> tuple[str, Fault]:
    """Return the part of a text that an issue has, and where in it the fault is, as far as that can be told."""
    got: Any = revealed(issue.got)
    text = got if isinstance(got, str) else ""
    expected = issue.expected if isinstance(issue.expected, str) else ""
    is_cut = issue.constraint == "truncated"
    found = _AT.fullmatch(expected)
    if found is None or is_cut:
        return text, Fault(len(text), (), expected, is_cut)
    line, column = int(found[2]), int(found[3])
    lines = text.split("\n")
    at = sum(len(one) + 1 for one in lines[: line - 1]) + column - 1
    half = EXCERPT // 2
    return text, Fault(at if line <= len(lines) and at < half else min(half, len(text)), (), found[1], False)
