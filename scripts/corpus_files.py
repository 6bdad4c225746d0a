"""The files of the corpus: a line is a row, a JSON object in which `{"$bytes": ...}` represents bytes."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "data" / "corpus"
PROVIDERS = ("anthropic", "bedrock", "gemini", "openai", "openai_responses")
MODULES: dict[str, Any] = {name: import_module(f"toolgen_transcripts.{name}") for name in PROVIDERS}
Row = dict[str, Any]


def packed(value: Any) -> Any:
    """Return a value with its bytes as JSON objects."""
    if isinstance(value, bytes):
        return {"$bytes": b64encode(value).decode()}
    if isinstance(value, dict):
        return {key: packed(item) for key, item in value.items()}
    return [packed(item) for item in value] if isinstance(value, list) else value


def unpacked(value: Any) -> Any:
    """Return the inverse of `packed`."""
    if isinstance(value, dict):
        if set(value) == {"$bytes"}:
            return b64decode(value["$bytes"])
        return {key: unpacked(item) for key, item in value.items()}
    return [unpacked(item) for item in value] if isinstance(value, list) else value


def read_rows(name: str) -> list[Row]:
    """Return the rows of a file, with bytes as the SDKs have them."""
    lines = (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [unpacked(json.loads(line)) for line in lines]


def write_rows(name: str, rows: Iterable[Row]) -> None:
    """Write the rows of a file."""
    lines = [json.dumps(packed(row), ensure_ascii=False, separators=(",", ":")) for row in rows]
    (FOLDER / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
