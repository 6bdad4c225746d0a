"""Write docs/images/call.svg: a wrong call, its hint and the corrected call, line by line, from a real conversation.

`python scripts/moving_picture.py` writes the picture; `tests/docs/test_documentation.py` compares it. The picture
is an SVG with one CSS animation, so that a page needs no script and no video.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
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
SECONDS, FIRST, BETWEEN, END = 12, 0.5, 2.5, 11.5
"""The length of a round, the time of the first part, the time between two parts, and the time when all disappear."""
WIDTH, LINE, LEFT = 780, 22, 20


def parts() -> list[tuple[str, list[str]]]:
    """Return the speaker and the lines of each part of the conversation."""
    conversation = Conversation([{"name": "create_issue", "inputSchema": SCHEMA}])
    spoken = []
    for call in CALLS:
        text = json.dumps(call)
        output = conversation.call("create_issue", text, lambda payload: f"created: {payload['title']}")
        spoken += [("model", [f"create_issue({text})"]), ("toolgen", output.text().splitlines())]
    return spoken


def picture() -> str:
    """Return the picture, as SVG."""
    rows, rules, y = [], [], 14
    for number, (speaker, lines) in enumerate(parts()):
        begin, end = (100 * s / SECONDS for s in (FIRST + number * BETWEEN, END))
        shown = f"{begin + 2:.1f}%,{end:.1f}%{{opacity:1}}"
        rules.append(
            f"@keyframes part{number}{{0%,{begin:.1f}%{{opacity:0}}{shown}{end + 2:.1f}%,100%{{opacity:0}}}}"
        )
        rows.append(f'<g style="animation:part{number} {SECONDS}s infinite">')
        for shift, line in enumerate([speaker, *lines]):
            y += LINE
            kind = speaker if shift == 0 else "line"
            rows.append(f'<text class="{kind}" x="{LEFT}" y="{y}" xml:space="preserve">{escape(line)}</text>')
        rows.append("</g>")
        y += LINE // 2
    style = (
        "text{font:14px ui-monospace,Menlo,Consolas,monospace}.line{fill:#d7dae0}.model{fill:#e5c07b}"
        ".toolgen{fill:#98c379}@media (prefers-reduced-motion:reduce){g{animation:none!important}}"
    )
    height = y + LINE // 2
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img">'
    )
    title = "<title>A wrong call, the hint, and the corrected call</title>"
    ground = f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#282c34"/>'
    return "\n".join([head, title, f"<style>{style}{''.join(rules)}</style>", ground, *rows, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture(), "utf-8")
