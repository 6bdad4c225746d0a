"""How codes stand in texts, as data. Every pattern is bounded, so that searching is linear in the text."""

from __future__ import annotations

import re

_STATUS = r"(4(?:0\d|1[0-8]|2[1-689]|31|51|99)|5(?:0\d|1[01]|2\d|30))(?![\w%]|[.,]\d|\(k\))"
"""The statuses in use; 443 is a port."""
_REASON = (
    r"(?:bad request|unauthori[sz]ed|payment required|forbidden|not found|method not allowed|not acceptable"
    r"|request time-?out|conflict|gone|payload too large|unprocessable|too many requests|internal server error"
    r"|not implemented|bad gateway|service unavailable|gateway time-?out|overloaded"
    r"|invalid_argument|failed_precondition|unauthenticated|permission_denied|not_found|resource_exhausted|cancelled"
    r"|internal\b|unavailable|deadline_exceeded|unimplemented)"
)
_SUBJECT = r"\b(?:http|status|response|error|api)"
STATUS = re.compile(
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
RPC_CODE = re.compile(r"(?<![\w.])-32[0-8]\d\d(?!\d)")
"""JSON-RPC's reserved codes are in no other use."""
CODE = re.compile(
    r"\b(?:An error occurred \(|api error |(?:rpc error: )?code = (?=[A-Z])|StatusCode\.|got status: |status: )"
    r"(\w{3,80})"
)
"""botocore, the AWS SDK for Go, gRPC, gemini-cli."""
CODE_WORD = re.compile(
    r"(?<![\w.$/-])(?:[A-Za-z]{2,40}(?:_[A-Za-z]{2,40}){1,6}|[A-Z][A-Za-z]{2,60}Exception"
    r"|ResourceExhausted|DeadlineExceeded|Unauthenticated|PermissionDenied|TooManyRequests|ServiceUnavailable)(?![\w(=])"
)
"""A word that is a code if the tables have it."""
EXCEPTION = re.compile(
    r"(?<![\w.])(?:\w{1,60}\.){0,12}([A-Z]\w{2,60}?(?:Error|Exception|Timeout|Disconnected|Refused))(?![\w.])"
)
"""The name of an exception's class, with its module or without."""
