"""Write docs/images/call.svg: a wrong call, its hint and the corrected call, from a real conversation.

`python scripts/call_picture.py` writes the picture; `tests/docs/test_documentation.py` compares it. All
parts are visible at once, so that a page's first second, its print and its preview show them.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any

from toolgen_runtime import Conversation

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "call.svg"
SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "maxLength": 80},
        "priority": {"enum": ["low", "medium", "high"]},
        "labels": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["title"],
}
CALLS: list[dict[str, Any]] = [
    {"Title": "Login is broken", "priority": "HIGH", "labels": "auth"},
    {"title": "Login is broken", "priority": "high", "labels": ["auth"]},
]
WIDTH, COLUMNS, LINE, LEFT = 640, 70, 22, 20
"""The width of the picture, the characters of a line, and the distances between lines and from the left edge."""


def parts() -> list[tuple[str, list[str]]]:
    """Return the speaker and the lines of each part of the conversation."""
    conversation = Conversation([{"name": "create_issue", "inputSchema": SCHEMA}])
    spoken = []
    for call in CALLS:
        text = json.dumps(call)
        output = conversation.call("create_issue", text, lambda payload: f"created: {payload['title']}")
        spoken += [("model", [f"create_issue({text})"]), ("toolgen", output.text().splitlines())]
    return spoken


def folded(lines: list[str]) -> list[str]:
    """Return the lines, long ones in several parts that begin with two spaces."""
    return [part for line in lines for part in wrap(line, COLUMNS, subsequent_indent="  ")]


def picture() -> str:
    """Return the picture, as SVG."""
    rows, y = [], 14
    for speaker, lines in parts():
        for shift, line in enumerate([speaker, *folded(lines)]):
            y += LINE
            kind = speaker if shift == 0 else "line"
            rows.append(f'<text class="{kind}" x="{LEFT}" y="{y}" xml:space="preserve">{escape(line)}</text>')
        y += LINE // 2
    style = (
        "text{font:14px ui-monospace,Menlo,Consolas,monospace}.line{fill:#d7dae0}.model{fill:#e5c07b}"
        ".toolgen{fill:#98c379}"
    )
    height = y + LINE // 2
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img">'
    )
    title = "<title>A wrong call, the hint, and the corrected call</title>"
    ground = f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#282c34"/>'
    return "\n".join([head, title, f"<style>{style}</style>", ground, *rows, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture(), "utf-8")
