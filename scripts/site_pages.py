"""Pages of the site that stand at the root of the repository, and the scripts that pages link: a hook of MkDocs.

Links lead to files of the repository, so that they work there; on the site they lead to its pages and copies.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from mkdocs.structure.files import File, Files

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = {"CHANGELOG.md": "changelog", "SECURITY.md": "security", "CONTRIBUTING.md": "contributing"}
"""Each file, and its name on the site."""
SCRIPTS: Final = "examples/agents/"
"""The folder of the scripts that pages of frameworks show."""


def on_files(files: Files, config: Any) -> Files:
    """Add the pages."""
    for source, name in PAGES.items():
        text = site_text((ROOT / source).read_text("utf-8"))
        files.append(File.generated(config, f"project/{name}.md", content=text))
    for script in sorted((ROOT / "examples" / "agents").glob("*.py")):
        files.append(File.generated(config, f"{SCRIPTS}{script.name}", content=script.read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Let the links to scripts lead to the copies on the site."""
    return markdown.replace(f"](../../{SCRIPTS}", f"](../{SCRIPTS}")


def site_text(text: str) -> str:
    """Return a page's text with the links of the site."""
    text = re.sub(r"\]\(docs/", "](../", text)
    for source, name in PAGES.items():
        text = text.replace(f"]({source})", f"]({name}.md)")
    return text
