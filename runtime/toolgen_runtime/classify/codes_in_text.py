"""The codes that stand in an error's text: what SDKs print around a response, and the response itself.

A code says more than the words around it. The patterns are in `text_patterns`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from toolgen_runtime.classify import code_patterns
from toolgen_runtime.classify.evidence import MAX_TEXT, Facts, facts_of
from toolgen_runtime.validation.embedded import values_in

MAX_NESTING = 3
"""Bodies within texts within bodies."""


def facts_in(text: str) -> Facts:
    """Return the codes, the status and the names of exceptions that a text holds, with the text itself."""
    text = text[:MAX_TEXT]
    bodies = list(_bodies(text, MAX_NESTING))
    stated = [match[1] for match in code_patterns.CODE.finditer(text)]
    codes = [*stated, *(code for facts in bodies for code in facts.codes), *_tokens(text)]
    rpc = code_patterns.RPC_CODE.search(text)
    # A status after a JSON-RPC code is what some other service said to the tool.
    status = _status(text[: rpc.start()] if rpc else text)
    if status is None and rpc is None:
        status = next((s for f in bodies if (s := f.status or _as_status(f.codes))), None)
    return Facts(
        codes=tuple(codes),
        rpc_code=int(rpc[0]) if rpc else None,
        status=status,
        names=tuple(_names(text)),
        text=text,
    )


def _bodies(text: str, nesting: int) -> Iterator[Facts]:
    """Yield the facts of the objects in a text, and of those in their messages."""
    for value in values_in(text):
        for member in value if isinstance(value, list) else [value]:
            if isinstance(member, Mapping):
                (facts,) = facts_of(member)
                yield facts
                if nesting and "{" in facts.text:
                    yield from _bodies(facts.text, nesting - 1)


def _tokens(text: str) -> Iterator[str]:
    """Yield the words that have the form of a code: `insufficient_quota`, `ThrottlingException`."""
    for match in code_patterns.CODE_WORD.finditer(text):
        yield match[0]


def _status(text: str) -> int | None:
    match = code_patterns.STATUS.search(text)
    return int(next(group for group in match.groups() if group)) if match else None


def _as_status(codes: tuple[str, ...]) -> int | None:
    """Return the status that Azure gives as a code: `"429"`."""
    return next((int(code) for code in codes if re.fullmatch(r"[45]\d\d", code)), None)


def _names(text: str) -> list[str]:
    """Return the names of exceptions; of a traceback, whose last line says what came out, the last first."""
    names = [match[1] for match in code_patterns.EXCEPTION.finditer(text)]
    return names[::-1] if "Traceback (most recent call last)" in text else names
