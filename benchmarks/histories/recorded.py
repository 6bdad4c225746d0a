"""Recorded requests, from a file of JSON lines."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def with_bytes(value: Any) -> Any:
    """A recorded value with `{"$bytes": ...}` as bytes; a truncated base64 text is not decoded."""
    if isinstance(value, list):
        return [with_bytes(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"$bytes"}:
        text = value["$bytes"]
        return b64decode(text + "=" * (-len(text) % 4))
    return {key: with_bytes(item) for key, item in value.items()}


def requests(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, with bytes in the requests as the SDK has them."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield {**row, "request": with_bytes(row["request"])}
