"""An estimate of a message's tokens, without a tokenizer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import ceil
from typing import Any

BYTES_PER_TOKEN = 4
MESSAGE_TOKENS = 4
MEDIA_TOKENS = 1600
_LONG = 256
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")


def _is_media(text: str) -> bool:
    return text.startswith("data:") or (len(text) > _LONG and _BASE64.fullmatch(text) is not None)


def _text_tokens(text: str) -> float:
    tokens = len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN
    return min(tokens, MEDIA_TOKENS) if _is_media(text) else tokens


def _tokens(value: Any) -> float:
    if isinstance(value, str):
        return _text_tokens(value)
    if isinstance(value, bytes | bytearray):
        return min(len(value) / BYTES_PER_TOKEN, MEDIA_TOKENS)
    if isinstance(value, Mapping):
        return sum(_tokens(key) + _tokens(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return sum(map(_tokens, value))
    return 0 if value is None else _text_tokens(str(value))


def estimate_tokens(message: Mapping[str, Any]) -> int:
    """Estimate the tokens of a native message, with the names of its members.

    It counts four bytes of UTF-8 as one token, and four more for a message. Bytes, data URLs and long base64
    texts count at most 1,600 each, because providers bill media by their size as pictures or pages. The estimate
    can be off by a third, and by more for text that is neither prose nor code.
    """
    return ceil(_tokens(message)) + MESSAGE_TOKENS
