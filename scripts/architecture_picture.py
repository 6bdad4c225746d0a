"""Write docs/images/architecture.svg: the packages, their rooms, and the way of a spec and of a call through them.

`python scripts/architecture_picture.py` writes the picture; `tests/docs/test_documentation.py` compares it, and looks
for the folder of each room.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

PICTURE: Final = Path(__file__).parent.parent / "docs" / "images" / "architecture.svg"
WIDTH, HEIGHT, LINE = 860, 560, 18
STYLE: Final = """text{font:14px system-ui,sans-serif;fill:#1f2430}.small{font-size:12.5px;fill:#4a5160}
.head{font-weight:600}.group{fill:#f2f4f8;stroke:#b8c0cc}.box{fill:#fff;stroke:#3f51b5;stroke-width:1.3}
.data{fill:#fff7e0;stroke:#c79a2b}.arrow{fill:none;stroke:#4a5160;stroke-width:1.4;marker-end:url(#tip)}
#tip path{fill:#4a5160}
@media (prefers-color-scheme:dark){text{fill:#e4e7ee}.small{fill:#b4bac6}.group{fill:#262b36;stroke:#495160}
.box{fill:#1b202a;stroke:#8f9bff}.data{fill:#33301f;stroke:#c79a2b}.arrow{stroke:#b4bac6}#tip path{fill:#b4bac6}}"""


@dataclass(frozen=True)
class Box:
    """A room of the sources, or (without a folder) data that goes through them."""

    x: int
    y: int
    width: int
    title: str
    about: str
    folder: str = ""

    @property
    def middle(self) -> tuple[int, int]:
        """The middle of the box, where its arrows begin and end."""
        return self.x + self.width // 2, self.y + 26


GROUPS: Final = [
    (10, 10, 840, 150, "generator/toolgen: a spec becomes a package"),
    (10, 180, 840, 190, "runtime/toolgen_runtime: a call is checked"),
    (10, 390, 415, 160, "runtime/toolgen_transcripts: providers"),
    (435, 390, 415, 160, "runtime/toolgen_adapters: agent frameworks"),
]
GENERATOR, RUNTIME, TRANSCRIPTS = (
    "generator/toolgen/",
    "runtime/toolgen_runtime/",
    "runtime/toolgen_transcripts/",
)
BOXES: Final = {
    "files": Box(25, 45, 110, "spec files", "JSON, YAML"),
    "specs": Box(165, 45, 125, "specs, schema", "read and resolve", GENERATOR + "compiler"),
    "codegen": Box(320, 45, 150, "keywords, codegen", "write the checks", GENERATOR + "compiler/codegen"),
    "package": Box(500, 45, 140, "package", "to disk or memory", GENERATOR + "package"),
    "toolset": Box(700, 45, 135, "Toolset", "generated package"),
    "commands": Box(320, 104, 320, "commands, cli", "", GENERATOR + "commands"),
    "call": Box(25, 215, 110, "a tool call", "text or object"),
    "payloads": Box(165, 215, 125, "payloads", "parse the text", RUNTIME + "payloads"),
    "validation": Box(320, 215, 150, "validation", "the check", RUNTIME + "validation"),
    "calls": Box(500, 215, 140, "calls", "run the handler", RUNTIME + "calls"),
    "output": Box(700, 215, 135, "ToolOutput", "result or hint"),
    "schema": Box(165, 300, 125, "schema", "its metadata", RUNTIME + "schema"),
    "hints": Box(320, 300, 320, "hints", "issues become edits, a text, a repair", RUNTIME + "hints"),
    "apis": Box(25, 425, 185, "bedrock, openai, ...", "one folder an API", TRANSCRIPTS + "bedrock"),
    "codec": Box(225, 425, 185, "codec, tools, strict", "read and write", TRANSCRIPTS + "codec"),
    "rules": Box(25, 487, 185, "rules, requests", "check, repair, fit", TRANSCRIPTS + "rules"),
    "streams": Box(225, 487, 185, "streams, errors", "assemble, classify", TRANSCRIPTS + "streams"),
    "checks": Box(455, 425, 180, "checks.py", "what they share", "runtime/toolgen_adapters/checks.py"),
    "frameworks": Box(
        650, 425, 180, "mcp.py, langchain.py", "one module each", "runtime/toolgen_adapters/mcp.py"
    ),
    "loop": Box(
        455, 487, 375, "loop.py", "your own loop, with any client", "runtime/toolgen_adapters/loop.py"
    ),
}
ARROWS: Final = [
    ("files", "specs"),
    ("specs", "codegen"),
    ("codegen", "package"),
    ("package", "toolset"),
    ("call", "payloads"),
    ("payloads", "validation"),
    ("validation", "calls"),
    ("calls", "output"),
    ("validation", "hints"),
    ("schema", "hints"),
    ("hints", "output"),
    ("frameworks", "checks"),
]


def picture() -> str:
    """Return the picture, as SVG."""
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img">',
        "<title>The packages of toolgen, and the way of a spec and of a call through them</title>",
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z"/></marker></defs>',
    ]
    for x, y, width, height, title in GROUPS:
        rows.append(f'<rect class="group" x="{x}" y="{y}" width="{width}" height="{height}" rx="8"/>')
        rows.append(f'<text class="head" x="{x + 12}" y="{y + 22}">{escape(title)}</text>')
    rows += [arrow(BOXES[begin], BOXES[end]) for begin, end in ARROWS]
    for box in BOXES.values():
        rows += drawn(box)
    return "\n".join([*rows, "</svg>", ""])


def drawn(box: Box) -> list[str]:
    """Return the elements of a box."""
    kind = "box" if box.folder else "data"
    height = 52 if box.about else 34
    rows = [f'<rect class="{kind}" x="{box.x}" y="{box.y}" width="{box.width}" height="{height}" rx="6"/>']
    center = box.x + box.width // 2
    rows.append(f'<text x="{center}" y="{box.y + 22}" text-anchor="middle">{escape(box.title)}</text>')
    if box.about:
        below = f'x="{center}" y="{box.y + 22 + LINE}" text-anchor="middle"'
        rows.append(f'<text class="small" {below}>{escape(box.about)}</text>')
    return rows


def arrow(begin: Box, end: Box) -> str:
    """Return a line from the edge of a box to the edge of another, straight or with one corner."""
    (x1, y1), (x2, y2) = begin.middle, end.middle
    if y1 == y2:
        right = x2 > x1
        path = f"M{begin.x + begin.width if right else begin.x} {y1}H{end.x - 1 if right else end.x + end.width + 1}"
    elif y2 > y1:
        path = f"M{x1} {begin.y + 52}V{end.y - 1}"
    else:
        path = f"M{begin.x + begin.width} {y1}H{x2}V{end.y + 53}"
    return f'<path class="arrow" d="{path}"/>'


if __name__ == "__main__":
    PICTURE.write_text(picture(), "utf-8")
