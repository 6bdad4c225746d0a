"""Pages of the site that stand at the root of the repository: a hook of MkDocs, which `mkdocs.yml` names.

Their links lead to `docs/`, so that they work in the repository; on the site they lead to its pages.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from mkdocs.structure.files import File, Files

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = {"CHANGELOG.md": "changelog", "SECURITY.md": "security", "CONTRIBUTING.md": "contributing"}
"""Each file, and its name on the site."""


def on_files(files: Files, config: Any) -> Files:
    """Add the pages."""
    for source, name in PAGES.items():
        text = site_text((ROOT / source).read_text("utf-8"))
        files.append(File.generated(config, f"project/{name}.md", content=text))
    return files


def site_text(text: str) -> str:
    """Return a page's text with the links of the site."""
    text = re.sub(r"\]\(docs/", "](../", text)
    for source, name in PAGES.items():
        text = text.replace(f"]({source})", f"]({name}.md)")
    return text
