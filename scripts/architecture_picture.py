"""Write docs/images/architecture.svg: the picture of the Mermaid text in docs/architecture.md.

`npm install mermaid`, then `python scripts/architecture_picture.py node_modules/mermaid/dist/mermaid.min.js`, with the
extra `browser` and Chromium. `tests/docs/test_documentation.py` compares the digest of the text in the picture.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
PICTURE = ROOT / "docs" / "images" / "architecture.svg"
TEXT = re.compile(r"^```mermaid\n(.*?)^```$", re.M | re.S)
OPTIONS = """{startOnLoad: false, theme: "neutral", htmlLabels: false, flowchart: {htmlLabels: false}}"""


def text() -> str:
    """Return the picture's Mermaid text."""
    found = TEXT.search(PAGE.read_text("utf-8"))
    assert found is not None
    return found[1]


def digest() -> str:
    """Return the line of the picture with the digest of its text."""
    return f"<!-- of the text with SHA-256 {hashlib.sha256(text().encode()).hexdigest()} -->"


def picture(mermaid: Path) -> str:
    """Return the picture as SVG; `mermaid` is Mermaid's script for browsers."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.set_content("<body></body>")
        page.add_script_tag(path=mermaid)
        page.evaluate(f"mermaid.initialize({OPTIONS})")
        made: str = page.evaluate("async text => (await mermaid.render('picture', text)).svg", text())
        browser.close()
    return f"{made.replace('<style>', '<style>#picture{background:#fff}', 1)}\n{digest()}\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(Path(sys.argv[1])), "utf-8")
