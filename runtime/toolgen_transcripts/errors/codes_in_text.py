"""Find error codes in the text of an error: those that SDKs print, and those in a response that it quotes.

A code is more reliable than the words around it. Every pattern is bounded, so that a search takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from toolgen_runtime.calls.error_decision import Decision, KindT, Rule
from toolgen_runtime.calls.error_facts import Facts, facts_of
from toolgen_runtime.validation.embedded import values_in

MAX_NESTING = 3
"""The number of levels to read of error bodies that are inside the messages of other bodies."""
_STATUS = r"(4(?:0\d|1[0-8]|2[1-689]|31|51|99)|5(?:0\d|1[01]|2\d|30))(?![\w%]|[.,]\d|\(k\))"
"""Matches the HTTP statuses in use, except 443, which is a port."""
_REASON = (
    r"(?:bad request|unauthori[sz]ed|payment required|forbidden|not found|method not allowed|not acceptable"
    r"|request time-?out|conflict|gone|payload too large|unprocessable|too many requests|internal server error"
    r"|not implemented|bad gateway|service unavailable|gateway time-?out|overloaded"
    r"|invalid_argument|failed_precondition|unauthenticated|permission_denied|not_found|resource_exhausted|cancelled"
    r"|internal\b|unavailable|deadline_exceeded|unimplemented)"
)
_SUBJECT = r"\b(?:http|status|response|error|api)"
_STATUS_IN_TEXT = re.compile(
    "|".join((
        # Error code: 429, HTTP 429, (HTTP 401), status=429, StatusCode: 429, API Error: 529, status code (503)
        rf"{_SUBJECT}(?:[ _-]?(?:status|error|response))?(?:[ _-]?code)?(?:['\"]?\s?[:=]| is| of| was)?"
        rf"\s?[\[('\"]?{_STATUS}",
        rf"\bdoes not indicate success: {_STATUS}",
        rf"\bcode['\"]?\s?[:=]\s?['\"]?{_STATUS}",
        rf"\bHTTP/\d(?:\.\d)? {_STATUS}",
        # httpx, requests, reqwest, aiohttp
        rf"\b(?:client|server) error [('\"]?{_STATUS}",
        rf"(?<![\w.#/$-]){_STATUS} (?:client|server) error\b",
        rf"(?<![\w.#/$-]){_STATUS}, message=",
        rf"\b(?:returned|responded with|replied with|answered with)(?: an?)?(?: http)?(?: error)?(?: code)? {_STATUS}",
        rf"(?<![\w.#/$-]){_STATUS}:? {_REASON}",
        # google: [503 Service Unavailable] ..., openai (JavaScript): 429 You exceeded, 529 {...
        rf"^\W{{0,3}}{_STATUS}(?=\W{{0,3}}$|:|\)|,? ?[{{<\"\[]| (?-i:[A-Z])| status code)",
        rf":\s{_STATUS}(?=:? (?-i:[A-Z{{<])| status code|\s-\s|\W{{0,3}}$)",
    )),
    re.IGNORECASE | re.MULTILINE,
)  # fmt: skip
_RPC_CODE = re.compile(r"(?<![\w.])-32[0-8]\d\d(?!\d)")
"""Matches the reserved codes of JSON-RPC, which have no other use."""
_CODE = re.compile(
    r"\b(?:An error occurred \(|api error |(?:rpc error: )?code = (?=[A-Z])|StatusCode\.|got status: |status: )"
    r"(\w{3,80})"
)
"""Matches codes as botocore, the AWS SDK for Go, gRPC and gemini-cli print them."""
_CODE_WORD = re.compile(
    r"(?<![\w.$/-])(?:[A-Za-z]{2,40}(?:_[A-Za-z]{2,40}){1,6}|[A-Z][A-Za-z]{2,60}Exception"
    r"|ResourceExhausted|DeadlineExceeded|Unauthenticated|PermissionDenied|TooManyRequests|ServiceUnavailable)(?![\w(=])"
)
"""Matches a word that is a code if a table contains it."""
_EXCEPTION = re.compile(
    r"(?<![\w.])(?:\w{1,60}\.){0,12}([A-Z]\w{2,60}?(?:Error|Exception|Timeout|Disconnected|Refused))(?![\w.])"
)
"""Matches the name of an exception class, with or without its module."""


def facts_in(text: str) -> Facts:
    """Find the codes, the status and the exception names in a text."""
    bodies = list(_bodies(text, MAX_NESTING))
    stated = [match[1] for match in _CODE.finditer(text)]
    words = (match[0] for match in _CODE_WORD.finditer(text))
    codes = [*stated, *(code for facts in bodies for code in facts.codes), *words]
    rpc = _RPC_CODE.search(text)
    # A status after a JSON-RPC code comes from a service that the tool called.
    found = _STATUS_IN_TEXT.search(text, 0, rpc.start() if rpc else len(text))
    status = None
    if found:
        status = int(next(filter(None, found.groups())))
    elif rpc is None:
        status = next(filter(None, map(_status, bodies)), None)
    names = [match[1] for match in _EXCEPTION.finditer(text)]
    if "Traceback (most recent call last)" in text:
        names.reverse()  # its last line names the exception
    return Facts(tuple(codes), int(rpc[0]) if rpc else None, status, tuple(names), text)


def _bodies(text: str, nesting: int) -> Iterator[Facts]:
    """Yield the facts in the JSON objects in a text, and in the objects inside their messages."""
    for value in values_in(text)[0]:
        for member in value if isinstance(value, list) else [value]:
            if isinstance(member, Mapping):
                (facts,) = facts_of(member)
                yield facts
                if nesting:
                    yield from _bodies(facts.text, nesting - 1)


def _status(facts: Facts) -> int | None:
    """Return the status of a body. Azure sends it as a code: `"429"`."""
    return facts.status or next((int(code) for code in facts.codes if re.fullmatch(r"[45]\d\d", code)), None)


def in_text(*rules: Rule[KindT]) -> Rule[KindT]:
    """Combine rules into one rule that applies them to what the text of an error says."""

    def read(facts: Facts) -> Decision[KindT] | None:
        stated = facts_in(facts.text)
        verdict = next((v for rule in rules if (v := rule(stated))), None)
        return verdict and (verdict[0], "message", verdict[2])

    return read
