"""Histories that break one rule each, and sound ones."""

from __future__ import annotations

import json
from typing import Any

from helpers.support import TEST_DATA

ROWS: dict[str, list[list[Any]]] = json.loads(
    (TEST_DATA / "history_cases.json").read_text("utf-8"),
    object_hook=lambda value: value["$bytes"].encode() if "$bytes" in value else value,
)
"""`broken`: provider, rules, words of the first message, what else the request has, messages; `sound` without rules.

`bedrock`: one of the rules that are broken, its place and ids, what else the request has, messages.
"""
